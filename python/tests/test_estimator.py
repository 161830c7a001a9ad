"""SinglePositiveClassifier: scikit-learn's contract, and what is its own."""

import pickle
import threading
from unittest import SkipTest

import numpy as np
import pytest

import spml
from conftest import make_toy
from spml import SinglePositiveClassifier, _spml, metrics

sklearn = pytest.importorskip("sklearn", reason="python3-sklearn is not installed")


def test_check_estimator_passes_whole(capsys):
    pytest.importorskip("pandas", reason="one of scikit-learn's checks needs python3-pandas")
    from sklearn.utils.estimator_checks import check_estimator

    checks = list(check_estimator(SinglePositiveClassifier(), generate_only=True))
    skipped = []
    for estimator, check in checks:
        try:
            check(estimator)
        except SkipTest as skip:
            skipped.append(f"{check}: {skip}")
    assert skipped == []
    assert len(checks) >= 40
    with capsys.disabled():
        print(f"\nscikit-learn {sklearn.__version__}: {len(checks)} of {len(checks)} checks pass")


def test_learns_labels_from_one_class_per_row():
    x, truth, observed = make_toy(600)
    clf = SinglePositiveClassifier().fit(x, observed.argmax(1))
    assert metrics.mean_average_precision(clf.label_proba(x), truth)["map"] > 85
    decided = clf.predict_labels(x)
    assert decided.shape == truth.shape and decided.dtype == bool
    assert clf.predict_proba(x).sum(axis=1) == pytest.approx(np.ones(len(x)))


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
@pytest.mark.parametrize("rows", [20, 60])
def test_few_rows_are_told_apart_whatever_the_order_of_their_classes(order, rows):
    """The rows held out are so few that their curves, label by label, would name one class only."""
    x = np.random.RandomState(0).normal(scale=0.1, size=(rows, 2)).astype(np.float32)
    true = np.arange(rows) % 3
    x += np.array([[-1, 0], [1, 0], [0, 2]], np.float32)[true]
    y = np.array(order)[true]
    clf = SinglePositiveClassifier().fit(x, y)
    assert clf.score(x, y) == 1
    assert np.array_equal(clf.classes_[clf.predict_proba(x).argmax(1)], y)
    assert clf.predict_proba(x)[np.arange(rows), y].mean() > 0.8


def test_strings_bools_and_matrices_are_labels(toy):
    x, truth, observed = toy
    names = np.array(["ant", "bee", "cow", "dog"])[observed.argmax(1)]
    assert set(SinglePositiveClassifier().fit(x, names).predict(x)) <= set(names)
    as_matrix = SinglePositiveClassifier().fit(x, observed.astype(bool))
    assert as_matrix.predict(x).shape == truth.shape
    assert as_matrix.score(x, truth) > 0.7


def test_one_class_per_row_and_its_matrix_give_the_same_labels(toy):
    x, _, observed = toy
    named = SinglePositiveClassifier().fit(x, observed.argmax(1))
    matrix = SinglePositiveClassifier().fit(x, observed)
    assert np.array_equal(named.label_proba(x), matrix.predict_proba(x))
    assert np.array_equal(named.predict_labels(x), matrix.predict_labels(x))


def test_negatives_complete_rows_and_truth_reach_the_loss(toy):
    x, truth, observed = toy

    def fit(loss, **given):
        return SinglePositiveClassifier(loss, k=1.5, max_iter=25).fit(x, **given).label_proba(x)

    plain = fit("em", y=observed)
    told = fit("em", y=observed, negatives=truth == 0)
    full = fit("em", y=truth, complete=np.ones(len(x), bool))
    assert told[truth == 0].mean() < plain[truth == 0].mean()
    assert full[truth == 0].mean() < plain[truth == 0].mean()
    fit("bce", y=observed, truth=truth)
    with pytest.raises(spml.Error, match="truth"):
        fit("bce", y=observed)
    with pytest.raises(spml.Error, match="row 0"):
        fit("an", y=observed, negatives=np.ones_like(truth))
    with pytest.raises(spml.Error, match=r"complete: expected truth values of shape \(300,\)"):
        fit("an", y=observed, complete=[True])


def test_pickles_clones_pipes_and_searches(toy):
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, _, observed = toy
    y = observed.argmax(1)
    clf = SinglePositiveClassifier("an", lr=0.02).fit(x, y)
    again = pickle.loads(pickle.dumps(clf))
    assert np.array_equal(again.predict_proba(x), clf.predict_proba(x))
    assert np.array_equal(again.predict_labels(x), clf.predict_labels(x))
    assert clone(clf).get_params() == clf.get_params()
    piped = make_pipeline(StandardScaler(), SinglePositiveClassifier("an")).fit(x, y)
    assert piped.predict(x).shape == y.shape
    search = GridSearchCV(SinglePositiveClassifier("an", max_iter=5), {"lr": [0.001, 0.05]}, cv=2)
    assert search.fit(x, y).best_params_["lr"] in (0.001, 0.05)
    assert search.fit(x, observed).best_params_["lr"] in (0.001, 0.05)


def test_random_state_decides_the_model(toy):
    x, _, observed = toy

    def proba(state):
        return SinglePositiveClassifier("an", max_iter=3, random_state=state).fit(x, observed).label_proba(x)

    assert np.array_equal(proba(7), proba(7))
    assert not np.array_equal(proba(7), proba(8))
    one, two = np.random.RandomState(1), np.random.RandomState(1)
    assert np.array_equal(proba(one), proba(two))


def test_threads_predict_at_once(toy):
    x, _, observed = toy
    clf = SinglePositiveClassifier("an").fit(x, observed)
    expected = clf.label_proba(x)
    found = []
    threads = [threading.Thread(target=lambda: found.append(clf.label_proba(x))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(p, expected) for p in found)


def test_data_frames_name_their_features(toy):
    pandas = pytest.importorskip("pandas", reason="python3-pandas is not installed")
    x, _, observed = toy
    frame = pandas.DataFrame(x, columns=list("abcdefgh"))
    clf = SinglePositiveClassifier("an").fit(frame, observed.argmax(1))
    assert list(clf.feature_names_in_) == list("abcdefgh")
    with pytest.warns(UserWarning, match="feature names"):
        clf.predict(x)
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame[list("bacdefgh")])


def test_arrays_reach_the_library_where_they_lie(tmp_path, toy, monkeypatch):
    x, _, observed = toy
    given = []
    train = _spml.train_arrays
    monkeypatch.setattr(
        _spml, "train_arrays", lambda features, *rest: given.append(features) or train(features, *rest)
    )
    half = x.astype(np.float16)
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    for array in (x, half, mapped):
        clf = SinglePositiveClassifier("an", max_iter=2).fit(array, observed)
        assert np.shares_memory(given[-1], array)
        own = clf.label_proba(array)
        assert not np.shares_memory(own, array) and own.flags.writeable
    for other in (x.astype(np.float64), np.asfortranarray(x), x.astype(">f4")):
        SinglePositiveClassifier("an", max_iter=2).fit(other, observed)
        assert given[-1].dtype == np.float32 and not np.shares_memory(given[-1], other)
        assert np.array_equal(given[-1], x)


def test_suggests_labels_that_are_missing():
    x, truth, observed = make_toy(600)
    clf = SinglePositiveClassifier().fit(x, observed)
    found = clf.suggest(x, observed, top=100)
    assert len(found.rows) == 100 and (np.diff(found.scores) <= 0).all()
    assert (observed[found.rows, found.labels] == 0).all()
    share = truth[found.rows, found.labels].mean()
    assert share > 2 * truth[observed == 0].mean() and share > 0.8
    assert found.expected_missing == pytest.approx(truth[observed == 0].sum(), rel=0.5)
    names = np.array(["ant", "bee", "cow", "dog"])[observed.argmax(1)]
    named = SinglePositiveClassifier().fit(x, names).suggest(x, names, top=100)
    assert np.array_equal(named.rows, found.rows)
    assert np.array_equal(named.labels, np.array(["ant", "bee", "cow", "dog"])[found.labels])
    with pytest.raises(spml.Error, match="y: expected shape"):
        clf.suggest(x, observed[:, :3])


def test_the_search_chooses_and_says_what(toy):
    x, truth, observed = toy
    clf = SinglePositiveClassifier(trials=14).fit(x, observed)
    record = clf.model_.result
    assert record["loss"] in {loss["name"] for loss in spml.losses()}
    assert record["selected_on"] == "observed" and record["k_from"] == "observed"
    assert SinglePositiveClassifier(trials=14).fit(x, observed, truth=truth).model_.result["selected_on"] == "clean"
    again = SinglePositiveClassifier(trials=14, n_jobs=1).fit(x, observed)
    assert np.array_equal(again.model_.weight, clf.model_.weight)
    whole = SinglePositiveClassifier(trials=14, refit=True).fit(x, observed)
    assert whole.model_.result["refit"]
    assert not np.array_equal(whole.model_.weight, clf.model_.weight)
    with pytest.raises(spml.Error, match="lr: the search chooses it"):
        SinglePositiveClassifier(lr=0.1).fit(x, observed)
