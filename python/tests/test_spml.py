"""The package as its users meet it."""

import doctest
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import spml
from spml import SinglePositiveClassifier, metrics


def toy(rows=300, cols=8, labels=4, seed=0):
    random = np.random.RandomState(seed)
    x = random.uniform(-1, 1, (rows, cols)).astype(np.float32)
    scores = x @ random.uniform(-1, 1, (cols, labels))
    truth = (scores > 0.3).astype(np.int8)
    truth[np.arange(rows), scores.argmax(1)] = 1
    return x, truth, spml.draw_observed(truth, 1, 0, 1200)


def test_check_estimator_passes_whole():
    from sklearn.utils.estimator_checks import check_estimator

    checks = list(check_estimator(SinglePositiveClassifier(), generate_only=True))
    skipped = []
    for estimator, check in checks:
        from unittest import SkipTest

        try:
            check(estimator)
        except SkipTest as skip:
            skipped.append(f"{check}: {skip}")
    assert skipped == []
    assert len(checks) >= 40


def test_learns_labels_from_one_class_per_row():
    x, truth, observed = toy(600)
    clf = SinglePositiveClassifier().fit(x, observed.argmax(1))
    ranked = metrics.mean_average_precision(clf.label_proba(x), truth)["map"]
    assert ranked > 85
    assert clf.predict_labels(x).shape == truth.shape
    assert clf.predict_labels(x).dtype == bool


def test_strings_bools_and_matrices_are_labels():
    x, truth, observed = toy()
    names = np.array(["ant", "bee", "cow", "dog"])[observed.argmax(1)]
    assert set(SinglePositiveClassifier().fit(x, names).predict(x)) <= set(names)
    as_matrix = SinglePositiveClassifier().fit(x, observed.astype(bool))
    assert as_matrix.predict(x).shape == truth.shape
    assert as_matrix.score(x, truth) > 0.7


def test_negatives_complete_rows_and_truth_reach_the_loss():
    x, truth, observed = toy()
    plain = SinglePositiveClassifier("em").fit(x, observed).label_proba(x)
    told = SinglePositiveClassifier("em").fit(x, observed, negatives=truth == 0).label_proba(x)
    assert not np.array_equal(plain, told)
    assert told[truth == 0].mean() < plain[truth == 0].mean()
    complete = np.ones(len(x), bool)
    full = SinglePositiveClassifier("em").fit(x, truth, complete=complete).label_proba(x)
    assert full[truth == 0].mean() < plain[truth == 0].mean()
    SinglePositiveClassifier("bce").fit(x, observed, truth=truth)
    with pytest.raises(spml.Error, match="truth"):
        SinglePositiveClassifier("bce").fit(x, observed)
    with pytest.raises(spml.Error, match="row 0"):
        SinglePositiveClassifier().fit(x, observed, negatives=np.ones_like(truth))


def test_pickles_clones_and_searches():
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, _, observed = toy()
    y = observed.argmax(1)
    clf = SinglePositiveClassifier(lr=0.02).fit(x, y)
    again = pickle.loads(pickle.dumps(clf))
    assert np.array_equal(again.predict_proba(x), clf.predict_proba(x))
    assert clone(clf).get_params() == clf.get_params()
    piped = make_pipeline(StandardScaler(), SinglePositiveClassifier()).fit(x, y)
    assert piped.predict(x).shape == y.shape
    search = GridSearchCV(SinglePositiveClassifier(max_iter=5), {"lr": [0.001, 0.05]}, cv=2)
    assert search.fit(x, y).best_params_["lr"] in (0.001, 0.05)


def test_losses_give_value_and_gradients():
    z = np.zeros((1, 2), np.float32)
    value, dlogits, destimates = spml.loss("an")(z, [[1, 0]])
    assert value == pytest.approx(np.log(2))
    assert dlogits == pytest.approx(np.array([[-0.25, 0.25]]))
    assert destimates is None
    role = spml.loss("role", k=1.0)
    result = role(z.astype(np.float64), [[1, 0]], estimates=np.zeros((1, 2)))
    assert result.dlogits.dtype == np.float64
    assert result.destimates.shape == (1, 2)
    with pytest.raises(spml.Error, match="did you mean 'role'"):
        spml.loss("rule")
    assert issubclass(spml.Error, ValueError)


def test_every_loss_agrees_with_finite_differences():
    random = np.random.RandomState(0)
    z = random.normal(size=(3, 4))
    observed = np.eye(4, dtype=np.int8)[[0, 2, 1]]
    an = spml.loss("an")
    gradient = an(z, observed).dlogits
    for i, j in np.ndindex(*z.shape):
        step = np.zeros_like(z)
        step[i, j] = 1e-5
        slope = (an(z + step, observed).value - an(z - step, observed).value) / 2e-5
        assert gradient[i, j] == pytest.approx(slope, abs=1e-8)


def test_average_precision_is_scikit_learns():
    from sklearn.metrics import average_precision_score

    random = np.random.RandomState(1)
    scores = random.randint(0, 9, 200) / 9
    truth = random.randint(0, 2, 200)
    assert metrics.average_precision(scores, truth) == pytest.approx(
        average_precision_score(truth, scores)
    )


def write_folder(path, half=False):
    x, truth, observed = toy()
    np.save(path / "formatted_train_labels.npy", truth)
    np.save(path / "formatted_train_labels_obs.npy", observed)
    x = x.astype(np.float16) if half else x
    np.save(path / "train_features_imagenet_resnet50.npy", x)
    return x, truth, observed


def test_datasets_are_mapped_views(tmp_path):
    x, truth, observed = write_folder(tmp_path, half=True)
    data = spml.Dataset(tmp_path)
    part = data.train
    assert part.features.dtype == np.float16
    assert np.array_equal(part.features, x)
    assert np.shares_memory(part.features, data.train.features)
    assert np.array_equal(part.observed, observed)
    with pytest.raises(ValueError):
        part.truth[0, 0] = 1
    features = part.features
    del part, data
    assert np.array_equal(features, x)
    with pytest.raises(spml.Error, match="expected a data folder"):
        spml.Dataset(tmp_path / "none")


def test_arrays_are_used_where_they_lie(tmp_path):
    from spml import _arrays

    x, _, _ = toy()
    assert np.shares_memory(_arrays.features(x), x)
    half = x.astype(np.float16)
    assert np.shares_memory(_arrays.features(half), half)
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert np.shares_memory(_arrays.features(mapped), mapped)
    assert _arrays.features(x.astype(np.float64)).dtype == np.float32
    assert _arrays.features(np.asfortranarray(x)).flags.c_contiguous


def test_train_returns_the_record_and_calls_back(tmp_path):
    write_folder(tmp_path)
    epochs, steps = [], []
    result = spml.train(
        tmp_path,
        loss="role",
        k=1.5,
        epochs=3,
        lr=0.01,
        out=tmp_path / "run",
        on_epoch=epochs.append,
        on_step=lambda step, total, epoch: steps.append(step),
    )
    assert result["loss"] == "role"
    assert [epoch["epoch"] for epoch in epochs] == [1, 2, 3]
    assert steps == list(range(1, result["steps"] + 1))
    assert [e["val_map"] for e in result["history"]] == [e["val_map"] for e in epochs]
    loaded = spml.load(tmp_path / "run")
    x, _, _ = toy()
    assert np.array_equal(loaded.predict(x), result.model.predict(x))
    assert loaded.result["val_map"] == result["val_map"]
    result.model.save(tmp_path / "copy")
    assert np.array_equal(spml.load(tmp_path / "copy").weight, loaded.weight)
    with pytest.raises(spml.Error, match="did you mean 'epochs'"):
        spml.train(tmp_path, epoch=3)


def test_an_exception_in_a_callback_ends_the_training():
    x, _, observed = toy()

    def fail(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        spml.train(features=x, observed=observed, on_step=fail)


def test_control_c_stops_a_fit():
    code = """
import numpy as np, spml, sys
x = np.random.RandomState(0).uniform(-1, 1, (2000, 256)).astype(np.float32)
y = np.arange(2000) % 20
print("started", flush=True)
try:
    spml.SinglePositiveClassifier(max_iter=1000000).fit(x, y)
except KeyboardInterrupt:
    sys.exit(42)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"started\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 42


def test_threads_predict_at_once():
    x, _, observed = toy()
    clf = SinglePositiveClassifier().fit(x, observed.argmax(1))
    expected = clf.label_proba(x)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(clf.label_proba(x))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(p, expected) for p in found)


def test_data_frames_name_their_features():
    pandas = pytest.importorskip("pandas")
    x, _, observed = toy()
    frame = pandas.DataFrame(x, columns=list("abcdefgh"))
    clf = SinglePositiveClassifier().fit(frame, observed.argmax(1))
    assert list(clf.feature_names_in_) == list("abcdefgh")
    with pytest.warns(UserWarning, match="feature names"):
        clf.predict(x)
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame[list("bacdefgh")])


@pytest.mark.parametrize("name", ["", ".metrics", ".classifier", "._losses", "._training"])
def test_examples_in_docstrings(name):
    module = sys.modules["spml" + name]
    assert doctest.testmod(module).failed == 0


def test_types():
    pytest.importorskip("mypy")
    source = os.path.join(os.path.dirname(__file__), "..")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "src/spml"],
        cwd=source,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout
