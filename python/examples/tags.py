# From single tags to decided labels, and to the labels that are missing.
#
#     python tags.py FOLDER [PLOT.png]
#
# FOLDER is a data folder with features and full labels; the labels are used to draw one tag a row, as
# an annotator would name it, and to see at the end how good everything was.

# %% The data: features where they are mapped, one tag of each row
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import spml
from spml import SinglePositiveClassifier, metrics

folder, plot = sys.argv[1], Path(sys.argv[2] if len(sys.argv) > 2 else "tags.png")
data = spml.Dataset(folder, need_features=True)
train, test = data.train, data.test
tags = train.observed if train.observed is not None else spml.draw_observed(train.truth)
classes = np.array(data.classes)
named = classes[tags.argmax(axis=1)]
print(f"{train.rows} rows of {train.features.shape[1]} features, {len(classes)} labels;", named[:3])

# %% Fit: loss, step size, transform and k are chosen from the tags alone
clf = SinglePositiveClassifier().fit(train.features, tags)
chosen = clf.model_.result
print(f"chosen: {chosen['loss']}, lr {chosen['lr']:g}, {clf.model_.transform}, k {chosen['k']:.2f}")

# %% Decide: label sets for new rows
p = clf.predict_proba(test.features)
decided = clf.predict_labels(test.features)
for row in range(3):
    print(f"row {row}: decided {list(classes[decided[row]])}, true {list(classes[test.truth[row] > 0])}")
scores = {
    "MAP": metrics.mean_average_precision(p, test.truth)["map"],
    "micro F1": 100 * metrics.f1_scores(p, test.truth, clf.model_.thresholds)["micro"],
    "labels a row": decided.sum() / test.rows,
    "truly": test.truth.sum() / test.rows,
}
print(", ".join(f"{name} {value:.2f}" for name, value in scores.items()))

# %% Suggest: tags that the training rows lack, best first
missing = clf.suggest(train.features, tags, top=max(train.rows // 3, 1))
right = train.truth[missing.rows, missing.labels] > 0
hidden = int(train.truth.sum() - (tags > 0).sum())
print(
    f"{len(right)} suggestions find {right.sum()} of {hidden} missing labels; "
    f"{missing.expected_missing:.0f} were expected to be missing"
)

# %% Plot: are probabilities what they say, and are the first suggestions the best?
figure, (left, middle) = plt.subplots(1, 2, figsize=(9, 4))
bins = np.clip((p * 10).astype(int), 0, 9).ravel()
count = np.bincount(bins, minlength=10)
said = np.bincount(bins, p.ravel(), 10)[count > 0] / count[count > 0]
true = np.bincount(bins, test.truth.ravel(), 10)[count > 0] / count[count > 0]
left.plot([0, 1], [0, 1], color="lightgrey")
left.plot(said, true, marker="o")
left.set(xlabel="probability", ylabel="share that is there", title="Calibration, learnt from tags alone")
asked = np.arange(1, len(right) + 1)
middle.plot(asked, np.cumsum(right) / asked)
middle.axhline(hidden / (tags == 0).sum(), color="lightgrey")
middle.set(xlabel="suggestions", ylabel="share that is right", ylim=(0, 1), title="Suggestions (grey: by chance)")
figure.tight_layout()
figure.savefig(plot, dpi=100)
print("wrote", plot)
