"""The parameters of SinglePositiveClassifier, checked, as spml.train() takes them."""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Dict, Optional

import numpy as np
from numpy.typing import NDArray

from ._spml import Error
from ._training import check_not_searched

if TYPE_CHECKING:
    from .classifier import SinglePositiveClassifier

_LARGEST_SEED = 2**31 - 1
_SPLIT_SEED = 1200  # of `spml train`

# Settings that go by other names in scikit-learn.
_NAMES = {
    "batch_size": "batch",
    "feature_transform": "transform",
    "max_iter": "epochs",
    "validation_fraction": "val_fraction",
    "random_state": "seed",
    "n_jobs": "threads",
}


def whole(name: str, value: Any, least: int) -> int:
    if not isinstance(value, Integral) or value < least:
        raise Error(f"{name}: expected a whole number of at least {least}, found {value!r}")
    return int(value)


def number(name: str, value: Any, above: float = -np.inf, below: float = np.inf) -> float:
    """Between the two, exclusively."""
    if not isinstance(value, Real) or not above < float(value) < below:
        expected = "a number"
        if above > -np.inf:
            expected += f" above {above:g}"
        if below < np.inf:
            expected += f" and below {below:g}"
        raise Error(f"{name}: expected {expected}, found {value!r}")
    return float(value)


def settings_of(clf: SinglePositiveClassifier, positive: NDArray[np.bool_]) -> Dict[str, Any]:
    """Made to fit small data. What is None takes its default."""
    if not isinstance(clf.loss, str):
        raise Error(f'loss: expected "auto" or the name of a loss, found {clf.loss!r}')
    rows = positive.shape[0]
    fraction = number("validation_fraction", clf.validation_fraction, 0, 1)
    val = min(max(round(rows * fraction), 1), rows - 1)
    batch = 16 if clf.batch_size is None else whole("batch_size", clf.batch_size, 1)
    batch = min(batch, rows - val)
    given = clf.get_params()
    if clf.loss == "auto":
        check_not_searched(given, _NAMES)
    if clf.trials is not None:
        whole("trials", clf.trials, 1)
    settings = {_NAMES.get(name, name): value for name, value in given.items()}
    settings.update(
        k=None if clf.k is None else number("k", clf.k, 0),
        lr=None if clf.lr is None else number("lr", clf.lr, 0),
        patience=whole("patience", clf.patience, 0),
        val_fraction=val / rows,
        split_seed=_split_seed(positive, val),
        seed=_seed(clf.random_state),
        threads=threads_of(clf.n_jobs),
        batch=None if clf.loss == "auto" else batch,
        epochs=_epochs(clf.max_iter, max((rows - val) // batch, 1)),
    )
    return settings


def threads_of(n_jobs: Optional[int]) -> int:
    """0 is all cores for the library; as in joblib, -1 is all of them and -2 all but one."""
    if n_jobs is None:
        return 0
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise Error(f"n_jobs: expected a number of threads, or -1 for all cores, found {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(len(os.sched_getaffinity(0)) + 1 + int(n_jobs), 1)


def _epochs(max_iter: Optional[int], steps: int) -> int:
    """So many that small data gets enough steps."""
    if max_iter is None:
        return int(np.clip(1500 // steps, 25, 200))
    return whole("max_iter", max_iter, 1)


def _seed(random_state: Any) -> int:
    if random_state is None:
        return 0
    if isinstance(random_state, Integral):
        return whole("random_state", random_state, 0)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_LARGEST_SEED))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(_LARGEST_SEED))
    raise Error(f"random_state: expected a seed or a generator of NumPy, found {random_state!r}")


def _split_seed(positive: NDArray[np.bool_], val: int) -> int:
    """Of the first splits, the one with most labels both among the rows held out and the others.

    Few rows held out may all have the same label, and then tell nothing. The first is the one that
    `spml train` makes.
    """
    count, best, most = positive.sum(axis=0), _SPLIT_SEED, -1
    for seed in range(_SPLIT_SEED, _SPLIT_SEED + 20):
        held_out = np.random.RandomState(seed).permutation(len(positive))[len(positive) - val :]
        found = positive[held_out].sum(axis=0)
        both = int(np.sum((found > 0) & (found < count)))
        if both > most:
            best, most = seed, both
        if most == np.sum(count > 1):
            break
    return best
