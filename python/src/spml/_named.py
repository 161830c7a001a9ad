"""Which class of a row was named: one choice among the classes, from the scores of the labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_ROWS = 5000  # more tell no more of two numbers a class
_STEPS = 200
_RIDGE = 1e-3  # towards slope 1 and offset 0, which separable data would leave for infinity


class NamedClass(NamedTuple):
    """P(j was named | row) = softmax over j of slope_j * logit_j + offset_j, slope_j >= 0.

    Each label's own curve says how likely the label is to be there, and is fitted to the few rows held
    out; labels are not rivals there. The class that was named is known of every row, so this choice is
    fitted to all of them.
    """

    slope: NDArray[np.float64]
    offset: NDArray[np.float64]

    def scores(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(logits * self.slope + self.offset)

    def probabilities(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        return _softmax(self.scores(logits))


def fit_named_class(logits: NDArray[np.float64], named: NDArray[np.bool_]) -> NamedClass:
    """Cross-entropy by Nesterov's gradient steps; the same numbers on every machine size."""
    step = max(len(logits) // _ROWS, 1)
    logits, named = logits[::step], named[::step]
    mean, spread = logits.mean(axis=0), logits.std(axis=0).max() or 1.0
    z = (logits - mean) / spread
    rate = 2 / (1 + np.square(z).mean(axis=0).max())  # 1 / curvature: that of softmax is 1/2 at most
    ridge = np.array([[1.0], [0.0]])
    found = last = np.repeat(ridge, z.shape[1], axis=1)
    for turn in range(_STEPS):
        ahead = found + turn / (turn + 3) * (found - last)
        error = (_softmax(z * ahead[0] + ahead[1]) - named) / len(z)
        gradient = np.stack([(error * z).sum(axis=0), error.sum(axis=0)]) + _RIDGE * (ahead - ridge)
        last, found = found, ahead - rate * gradient
        found[0] = np.maximum(found[0], 0)
    slope = found[0] / spread
    return NamedClass(slope, found[1] - slope * mean)


def _softmax(z: NDArray[np.float64]) -> NDArray[np.float64]:
    p = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(p / p.sum(axis=1, keepdims=True))
