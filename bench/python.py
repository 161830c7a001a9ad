"""fit() beside scikit-learn and PyTorch on the same features, and beside `spml train`.

    PYTHONPATH=build/python python3 bench/python.py FOLDER [--program build/spml] [--repeats 3]

FOLDER is a data folder with full labels, which only the test MAP looks at: every method gets one
positive label per row and takes the others for absent, or does what it has for unknown labels. Times
are the best of the repeats, which run in turns. On two cores that nobody else uses three repeats take
some four minutes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import spml
from spml import SinglePositiveClassifier, metrics

EPOCHS, LR, BATCH = 25, 1e-3, 16
TURNS = 15  # of fit() and the program, for the overhead


def one_vs_rest(estimator):
    import joblib
    from sklearn.multiclass import OneVsRestClassifier

    def run(x, y, x_test):
        with joblib.parallel_backend("threading"):  # whose CPU time is this process's
            model = OneVsRestClassifier(estimator(), n_jobs=os.cpu_count()).fit(x, y > 0)
        return model.decision_function(x_test)

    return run


def logistic_regression():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=200)


def sgd():
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(loss="log_loss", max_iter=EPOCHS, tol=None, random_state=0)


def pytorch(x, y, x_test):
    """The same linear model, loss, optimiser and epochs as spml's `an`."""
    import torch

    torch.manual_seed(0)
    inputs, targets = torch.from_numpy(x), torch.from_numpy((y > 0).astype(np.float32))
    model = torch.nn.Linear(x.shape[1], y.shape[1])
    adam = torch.optim.Adam(model.parameters(), lr=LR)
    loss = torch.nn.BCEWithLogitsLoss()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(x)).split(BATCH):
            adam.zero_grad()
            loss(model(inputs[rows]), targets[rows]).backward()
            adam.step()
    with torch.no_grad():
        return model(torch.from_numpy(x_test)).numpy()


def fit(loss, **settings):
    def run(x, y, x_test):
        return SinglePositiveClassifier(loss, **settings).fit(x, y).decision_function(x_test)

    return run


def methods():
    given = dict(lr=LR, batch_size=BATCH, max_iter=EPOCHS)
    yield "spml, loss an", fit("an", **given)
    yield "spml, loss role", fit("role", **given)
    yield "spml, settings chosen", fit("auto")
    yield "scikit-learn, OneVsRestClassifier(LogisticRegression)", one_vs_rest(logistic_regression)
    yield "scikit-learn, OneVsRestClassifier(SGDClassifier)", one_vs_rest(sgd)
    try:
        import torch  # noqa: F401
    except ImportError:
        print("PyTorch is not installed: left out")
    else:
        yield "PyTorch loop, the same as an", pytorch


def clocks():
    """Seconds, and CPU seconds of this process and those it waited for."""
    cpu = os.times()
    return np.array([time.perf_counter(), sum(cpu[:4])])


def overhead(x, observed, program, threads):
    """Median (seconds, CPU seconds) of fit() and of `spml train`, in turns, with the same settings and
    the same data: a folder without full labels, so that both calibrate from what was observed."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        np.save(folder + "/formatted_train_labels_obs.npy", observed)
        np.save(folder + "/train_features_imagenet_resnet50.npy", x)
        data = spml.Dataset(folder)
        for turn in range(TURNS):
            out = f"{folder}/run{turn}"
            command = [program, "train", folder, "--loss", "an", "--out", out, "--quiet", "--json"]
            start = clocks()
            subprocess.check_output([*command, "--threads", str(threads)])
            theirs.append(clocks() - start)
            start = clocks()
            clf = SinglePositiveClassifier("an", lr=LR, batch_size=BATCH, max_iter=EPOCHS, n_jobs=threads)
            clf.fit(data.train.features, data.train.observed)
            ours.append(clocks() - start)
            assert np.array_equal(clf.model_.weight, spml.load(out).weight)
    return np.median(ours, axis=0), np.median(theirs, axis=0)


def print_overhead(x, observed, program):
    print(f"\nThe same model by fit() and by spml train, medians of {TURNS} in turns:\n")
    print("| threads | fit() seconds | CPU | spml train seconds | CPU | more | more CPU |")
    print("|---|---|---|---|---|---|---|")
    for threads in sorted({1, os.cpu_count()}):
        ours, theirs = overhead(x, observed, program, threads)
        more = 100 * (ours / theirs - 1)
        print(f"| {threads} | {ours[0]:.3f} | {ours[1]:.3f} | {theirs[0]:.3f} | {theirs[1]:.3f} "
              f"| {more[0]:+.1f} % | {more[1]:+.1f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--program")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    data = spml.Dataset(options.folder, need_features=True)
    observed = data.train.observed
    observed = spml.draw_observed(data.train.truth) if observed is None else observed
    x, x_test = (part.features.astype(np.float32) for part in (data.train, data.test))
    seconds, maps = {}, {}
    for _ in range(options.repeats):
        for name, run in methods():
            start, cpu = time.perf_counter(), time.process_time()
            scores = run(x, observed, x_test)
            found = (time.perf_counter() - start, time.process_time() - cpu)
            seconds[name] = min(seconds.get(name, found), found)
            maps[name] = metrics.mean_average_precision(scores, data.test.truth)["map"]
            print(f"{name}: {found[0]:.1f} s, CPU {found[1]:.1f} s, MAP {maps[name]:.2f}", file=sys.stderr)
    print(f"\n{len(x)} rows, {x.shape[1]} features, {observed.shape[1]} labels; load {os.getloadavg()[0]:.1f}")
    print("| | seconds | CPU seconds | test MAP |\n|---|---|---|---|")
    for name, (wall, cpu) in seconds.items():
        print(f"| {name} | {wall:.1f} | {cpu:.1f} | {maps[name]:.2f} |")
    if options.program:
        print_overhead(data.train.features, observed, options.program)


if __name__ == "__main__":
    main()
