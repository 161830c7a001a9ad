"""Labels that are probably missing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Suggestions(NamedTuple):
    """Unknown labels, those most likely to be there first."""

    rows: NDArray[np.int64]
    labels: NDArray[Any]  # of classes_
    scores: NDArray[np.float64]  # the probability that the label is there
    expected_missing: float  # of all unknown labels, listed or not


def rank_unknown(
    probabilities: NDArray[np.float64],
    observed: NDArray[np.int8],
    classes: NDArray[Any],
    top: int,
) -> Suggestions:
    """Of equals the earlier row, then the earlier label."""
    unknown = np.flatnonzero(observed.ravel() == 0)
    scores = probabilities.ravel()[unknown]
    order = np.argsort(-scores, kind="stable")[:top]
    rows, columns = np.divmod(unknown[order], observed.shape[1])
    return Suggestions(rows, classes[columns], scores[order], float(scores.sum()))
