"""How good scores are. Scores and truth are (N, L) arrays; truth > 0 is positive.

>>> import numpy as np
>>> from spml import metrics
>>> scores = np.array([[0.9, 0.2], [0.6, 0.7], [0.1, 0.8]])
>>> truth = np.array([[1, 0], [1, 0], [0, 1]])
>>> metrics.mean_average_precision(scores, truth)["map"]
100.0
>>> metrics.precision_at(1, scores, truth)
0.6666666666666666
"""

from __future__ import annotations

from typing import Any, Dict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _spml

__all__ = [
    "average_precision",
    "f1_scores",
    "hit_at",
    "mean_average_precision",
    "precision_at",
    "recall_at",
    "tune_thresholds",
]


def _scores(values: ArrayLike) -> NDArray[np.float32]:
    return np.ascontiguousarray(_arrays.numbers(values, "scores"), dtype=np.float32)


def average_precision(scores: ArrayLike, truth: ArrayLike) -> float:
    """Of one class, in [0, 1], as scikit-learn's average_precision_score."""
    return _spml.average_precision(_scores(scores), _arrays.labels(truth, "truth"))


def mean_average_precision(scores: ArrayLike, truth: ArrayLike, threads: int = 1) -> Dict[str, Any]:
    """`map` and `map_nonempty` in percent, `per_class_ap` in [0, 1]."""
    return _spml.mean_average_precision(_scores(scores), _arrays.labels(truth, "truth"), threads)


def _ranking(cut: int, scores: ArrayLike, truth: ArrayLike) -> Dict[str, float]:
    return _spml.ranking_at(cut, _scores(scores), _arrays.labels(truth, "truth"), 1)


def precision_at(cut: int, scores: ArrayLike, truth: ArrayLike) -> float:
    """The share of each row's `cut` best labels that are present, averaged over rows."""
    return _ranking(cut, scores, truth)["precision"]


def recall_at(cut: int, scores: ArrayLike, truth: ArrayLike) -> float:
    """The share of each row's positives among its `cut` best labels, averaged over rows."""
    return _ranking(cut, scores, truth)["recall"]


def hit_at(cut: int, scores: ArrayLike, truth: ArrayLike) -> float:
    """The share of rows with a positive among their `cut` best labels."""
    return _ranking(cut, scores, truth)["hit"]


def f1_scores(scores: ArrayLike, truth: ArrayLike, thresholds: ArrayLike) -> Dict[str, float]:
    """`micro` and `macro` F1 of the labels that score at least their class's threshold."""
    limits = [float(t) for t in _arrays.numbers(thresholds, "thresholds").astype(np.float32)]
    return _spml.f1_scores(_scores(scores), _arrays.labels(truth, "truth"), limits)


def tune_thresholds(scores: ArrayLike, truth: ArrayLike, threads: int = 1) -> NDArray[np.float32]:
    """Per class, the threshold with the best F1 on these scores."""
    return _spml.tune_thresholds(_scores(scores), _arrays.labels(truth, "truth"), threads)
