"""What strangers give to fit(): all of it works, or is a spml.Error that says what to do."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import spml
from spml import SinglePositiveClassifier

ROWS = 60
y = np.arange(ROWS) % 3
x = np.random.RandomState(0).uniform(-1, 1, (ROWS, 5)).astype(np.float32)
x[np.arange(ROWS), y] += 2
Y = np.eye(3, dtype=np.int8)[y]
UNKNOWN = np.where(np.arange(ROWS)[:, None] < 10, 0, Y)  # rows without a label
NAMES = np.array(["ant", "bee", "cow"])


def classifier(**settings):
    return SinglePositiveClassifier(**{"loss": "an", "lr": 0.1, "max_iter": 20, **settings})


@pytest.mark.parametrize(
    "given",
    [
        (x.tolist(), y.tolist()),
        (x.astype(object), y.astype(object)),
        (np.asfortranarray(x.astype(np.float64)), NAMES[y]),
        (np.repeat(x, 2, axis=1)[:, ::2], [str(name) for name in y]),
        (x[::-1][::-1], y.astype(np.float64)),
        (x.astype(str), NAMES[y].astype(object)),
        (x, y[:, None]),
    ],
)
def test_one_class_per_row(given):
    features, classes = given
    clf = classifier().fit(features, classes)
    assert clf.score(features, classes) > 0.9
    assert set(clf.predict(features)) == set(np.ravel(classes))


@pytest.mark.parametrize("labels", [Y, Y.astype(bool), Y.astype(float), Y.tolist(), np.where(Y == 1, 1, -1)])
def test_matrices_of_every_type(labels):
    assert classifier().fit(x, labels).score(x, Y) > 0.9


@pytest.mark.parametrize("settings", [{}, {"loss": "auto", "lr": None, "trials": 7}])
def test_little_or_odd_data(settings):
    def fit(*given):
        return classifier(**settings).fit(*given)

    assert fit(x[:3], y[:3]).predict(x[:3]).shape == (3,)
    assert (fit(x, ["ant"] * ROWS).predict(x) == "ant").all()  # one class only
    assert fit(np.ones((ROWS, 2)), y).predict_labels(np.ones((4, 2))).shape == (4, 3)
    assert fit(x, UNKNOWN).score(x, Y) > 0.7  # ten rows without a label
    empty = np.hstack([Y, np.zeros((ROWS, 1), np.int8)])  # a label that no row has
    assert fit(x, empty).label_proba(x).shape == (ROWS, 4)


def test_data_frames():
    pandas = pytest.importorskip("pandas", reason="python3-pandas is not installed")
    frame = pandas.DataFrame(x, columns=list("abcde"), index=np.arange(ROWS)[::-1])
    names = pandas.Series(pandas.Categorical(NAMES[y]))
    assert classifier().fit(frame, names).score(frame, names) > 0.9
    assert list(classifier().fit(frame, pandas.DataFrame(Y, columns=NAMES)).classes_) == list(NAMES)
    holes = frame.astype("Float64")
    holes.iloc[4, 2] = pandas.NA
    with pytest.raises(spml.Error, match="X: expected numbers.*NA"):
        classifier().fit(holes, y)
    with pytest.raises(spml.Error, match="y: row 2 has no class.*rows of zeros"):
        classifier().fit(x, pandas.Series(np.array(["a", "b", None], object)[y]))


class Sparse:  # as scipy's matrices look from outside
    shape = (ROWS, 5)

    def toarray(self):
        raise AssertionError


def replaced(array, value):
    array = array.astype(np.asarray(value).dtype)
    array[4, 2] = value
    return array


@pytest.mark.parametrize(
    "given, message",
    [
        (Sparse(), r"sparse matrix.*X\.toarray\(\)"),
        (replaced(x, np.float64("nan")), r"X contains NaN \(row 4, column 2\)"),
        (replaced(x, 1e300), r"too large for float32 \(row 4, column 2\)"),
        (np.ma.array(x, mask=x > 1), "masked"),
        ([["ant"] * 5] * ROWS, "X: expected numbers.*'ant'"),
        ([[1, 2], [3]] * 30, "X: expected rows of the same length"),
        (x.astype(complex), "Complex"),
        (np.zeros((ROWS, 5), "datetime64[D]"), "datetime64"),
        (None, "X: expected an array of 2 dimensions, found NoneType"),
        ("x.npy", "X: expected an array of 2 dimensions, found str"),
        (x[0], "Reshape your data"),
        (x[:, :0], r"0 feature\(s\)"),
    ],
)
def test_features_that_will_not_do(given, message):
    with pytest.raises(spml.Error, match=message):
        classifier().fit(given, y)
    with pytest.raises(spml.Error, match=message):
        classifier().fit(x, y).predict(given)


@pytest.mark.parametrize(
    "given, message",
    [
        (None, "requires y"),
        (3, "found int"),
        (y[:5], "inconsistent numbers of samples"),
        (Sparse(), r"sparse matrix.*y\.toarray\(\)"),
        (np.where(y == 1, np.nan, y), "y contains NaN.*rows of zeros"),
        (np.array(["a", 1, 2.5], object)[y], "one type, found float, int, str"),
        ([{"ant", "bee"}] * ROWS, "found a set in row 0.*MultiLabelBinarizer"),
        ([["ant"], ["bee", "cow"]] * 30, "rows of the same length.*MultiLabelBinarizer"),
        (x[:, 0], "continuous"),
        (2 * Y, "expected labels of -1, 0 and 1, found 2 in row 0, column 0"),
        (256 * Y.astype(int), "found 256 in row 0, column 0"),
        (NAMES[[y, y]].T, "y: expected numbers.*'ant'"),
        (0 * Y, "y: expected positive labels"),
        (np.zeros((ROWS, 3, 1)), "3 dimensions"),
    ],
)
def test_labels_that_will_not_do(given, message):
    with pytest.raises(spml.Error, match=message):
        classifier().fit(x, given)


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("loss", None, 'expected "auto" or the name of a loss, found None'),
        ("loss", "rolle", "did you mean 'role'"),
        ("lr", 0, "lr: expected a number above 0, found 0"),
        ("lr", "fast", "lr: expected a number above 0, found 'fast'"),
        ("batch_size", 0, "batch_size: expected a whole number of at least 1, found 0"),
        ("batch_size", 2.5, "batch_size"),
        ("max_iter", 0, "max_iter: expected a whole number of at least 1, found 0"),
        ("validation_fraction", 1.5, "validation_fraction: expected a number above 0 and below 1"),
        ("validation_fraction", "half", "validation_fraction"),
        ("k", -1, "k: expected a number above 0"),
        ("params", 3, "params: found 3"),
        ("random_state", "seven", "random_state: expected a seed"),
        ("n_jobs", 0, "n_jobs"),
        ("patience", -1, "patience"),
        ("feature_transform", "log", "expected none, sqrt, l2 or standardize"),
        ("weight_decay", -1, "weight_decay: expected a number at least 0"),
        ("trials", 7, "apply only to the search"),
        ("refit", True, "apply only to the search"),
    ],
)
def test_settings_that_will_not_do(name, value, message):
    with pytest.raises(spml.Error, match=message):
        classifier(**{name: value}).fit(x, y)


def test_other_arguments_that_will_not_do():
    clf = classifier().fit(x, y)
    for call, message in [
        (lambda: clf.suggest(x, y, top=-1), "top: expected a whole number of at least 0"),
        (lambda: clf.suggest(x, ["dog"] * ROWS), "given, found 'dog'"),
        (lambda: clf.score(x, Y), "one class for each of 60 rows"),
        (lambda: classifier().fit(x, y, complete=np.arange(ROWS)), "complete: expected truth values, found 2"),
        (lambda: spml.loss(3), "name of a loss, found 3"),
        (lambda: spml.loss("em", alpha="much"), "alpha: expected a number"),
        (lambda: spml.loss("an")([[np.nan, 0]], [[1, 0]]), "NaN in row 0"),
        (lambda: spml.loss("an")([[1.0, 0]], [[5, 0]]), "found 5 in row 0, column 0"),
        (lambda: spml.draw_observed(Y, positives=-1), "positives: expected"),
        (lambda: spml.train(3), "expected a folder, found int"),
        (lambda: spml.train(features=x), "expected labels beside the features"),
        (lambda: spml.train(features=x, observed=Y, on_epoch=3), "on_epoch: expected a function"),
        (lambda: spml.metrics.precision_at(1, "scores", Y), "scores: expected numbers"),
    ]:
        with pytest.raises(spml.Error, match=message):
            call()


def test_jobs_and_generators_as_elsewhere_in_scikit_learn():
    models = [classifier(n_jobs=jobs).fit(x, y).model_.weight for jobs in (None, 1, -1, -2)]
    assert all(np.array_equal(weight, models[0]) for weight in models)
    drawn = [classifier(random_state=np.random.default_rng(5)).fit(x, y).model_.weight for _ in "12"]
    assert np.array_equal(*drawn) and not np.array_equal(drawn[0], models[0])


def test_a_pickle_is_read_by_another_process(tmp_path):
    clf = classifier().fit(x, NAMES[y])
    (tmp_path / "model").write_bytes(pickle.dumps(clf))
    np.save(tmp_path / "x.npy", x)
    code = (
        "import pickle, numpy\n"
        "clf = pickle.load(open('model', 'rb'))\n"
        "numpy.save('p.npy', clf.predict_proba(numpy.load('x.npy')))\n"
        "print(clf.predict(numpy.load('x.npy'))[0])"
    )
    said = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, text=True)
    assert said.strip() == NAMES[y[0]]
    assert np.array_equal(np.load(tmp_path / "p.npy"), clf.predict_proba(x))
