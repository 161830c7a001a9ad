"""Observed labels drawn from full ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _settings, _spml


def draw_observed(
    truth: ArrayLike, *, positives: int = 1, negatives: int = 0, seed: int = 1200
) -> NDArray[np.int8]:
    """What an annotator who names so many labels of each row would have said.

    From the truth (N, L) of 0 and 1: 1 positive, 0 unknown, -1 negative. Rows with fewer keep all.

    >>> import spml
    >>> spml.draw_observed([[1, 1, 0], [0, 0, 1]], seed=1).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    return _spml.draw_observed(
        _arrays.labels(truth, "truth"),
        _settings.whole("positives", positives, 0),
        _settings.whole("negatives", negatives, 0),
        _settings.whole("seed", seed, 0),
    )
