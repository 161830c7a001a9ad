"""Losses and metrics on arrays."""

import numpy as np
import pytest

import spml
from spml import metrics


def test_a_loss_gives_value_and_gradients():
    z = np.zeros((1, 2), np.float32)
    value, dlogits, destimates = spml.loss("an")(z, [[1, 0]])
    assert value == pytest.approx(np.log(2))
    assert dlogits == pytest.approx(np.array([[-0.25, 0.25]]))
    assert dlogits.dtype == np.float32 and destimates is None
    role = spml.loss("role", k=1.0)
    result = role(z.astype(np.float64), [[1, 0]], estimates=np.zeros((1, 2)))
    assert result.dlogits.dtype == np.float64
    assert result.destimates.shape == (1, 2)


def test_a_wrong_call_of_a_loss_is_an_error():
    z = np.zeros((2, 3), np.float32)
    with pytest.raises(spml.Error, match="did you mean 'role'"):
        spml.loss("rule")
    with pytest.raises(spml.Error, match="unknown parameter|no parameter|parameter"):
        spml.loss("an", strength=2)(z, np.eye(3)[:2])
    with pytest.raises(spml.Error, match="observed: expected shape \\(2, 3\\), found \\(2, 2\\)"):
        spml.loss("an")(z, np.eye(2))
    with pytest.raises(spml.Error, match="estimates"):
        spml.loss("role", k=1.0)(z, np.eye(3)[:2])
    with pytest.raises(spml.Error, match="priors"):
        spml.loss("an")(z, np.eye(3)[:2], priors=[0.5])
    assert issubclass(spml.Error, ValueError) and spml.Error.__module__ == "spml"


# Losses that need a memory, or that stop a gradient, have their own checks in the C++ tests.
@pytest.mark.parametrize("name", ["an", "an-ls", "wan", "epr", "em", "bce"])
def test_gradients_agree_with_finite_differences(name):
    random = np.random.RandomState(0)
    z = random.normal(size=(3, 4))
    observed = np.eye(4, dtype=np.int8)[[0, 2, 1]]
    truth = np.maximum(observed, random.randint(0, 2, (3, 4)))
    loss = spml.loss(name, k=1.5)
    gradient = loss(z, observed, truth=truth).dlogits
    for i, j in np.ndindex(*z.shape):
        step = np.zeros_like(z)
        step[i, j] = 1e-5
        up, down = (loss(z + s, observed, truth=truth).value for s in (step, -step))
        assert gradient[i, j] == pytest.approx((up - down) / 2e-5, abs=1e-7)


def test_every_loss_is_listed_with_its_parameters():
    listed = {loss["name"]: loss for loss in spml.losses()}
    assert {"an", "wan", "epr", "role"} <= set(listed)
    for loss in listed.values():
        assert loss["summary"] and loss["formula"]
        for parameter in loss["params"]:
            assert {"name", "default", "min", "max", "help"} <= set(parameter)


def test_average_precision_and_f1_are_scikit_learns():
    skm = pytest.importorskip("sklearn.metrics", reason="python3-sklearn is not installed")
    random = np.random.RandomState(1)
    scores = random.randint(0, 9, (200, 5)).astype(np.float32) / 9  # with ties
    truth = random.randint(0, 2, (200, 5))
    assert metrics.average_precision(scores[:, 0], truth[:, 0]) == pytest.approx(
        skm.average_precision_score(truth[:, 0], scores[:, 0]), abs=1e-12
    )
    found = metrics.mean_average_precision(scores, truth)
    assert found["map"] == pytest.approx(100 * skm.average_precision_score(truth, scores), abs=1e-9)
    limits = np.full(5, 0.5)
    f1 = metrics.f1_scores(scores, truth, limits)
    for average in ("micro", "macro"):
        expected = skm.f1_score(truth, scores >= 0.5, average=average)
        assert f1[average] == pytest.approx(expected, abs=1e-12)


def test_metrics_refuse_shapes_that_do_not_fit():
    with pytest.raises(spml.Error, match="truth: expected shape"):
        metrics.mean_average_precision(np.zeros((3, 2)), np.zeros((2, 2)))
    with pytest.raises(spml.Error, match="thresholds: expected one for each of 2"):
        metrics.f1_scores(np.zeros((3, 2)), np.zeros((3, 2)), [0.5])
    with pytest.raises(spml.Error, match="row 1"):
        metrics.mean_average_precision([[0.0], [np.nan]], [[1], [0]])
