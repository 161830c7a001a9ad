"""What scikit-learn's contract asks of inputs, in its words, without a need for scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from ._spml import Error


def not_fitted(name: str) -> Exception:
    message = f"This {name} instance is not fitted yet. Call 'fit' before using this estimator."
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return AttributeError(message)
    return NotFittedError(message)  # type: ignore[no-any-return]


def feature_names(X: Any) -> Optional[NDArray[Any]]:
    """The column names of a data frame whose columns are all named by strings."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(columns, dtype=object)


def check_feature_names(X: Any, fitted: Optional[NDArray[Any]]) -> None:
    names = feature_names(X)
    if fitted is None and names is not None:
        warnings.warn("X has feature names, but the estimator was fitted without feature names")
    elif fitted is not None and names is None:
        warnings.warn("X does not have valid feature names, but the estimator was fitted with them")
    elif fitted is not None and names is not None and list(fitted) != list(names):
        raise Error(
            "The feature names should match those that were passed during fit, in the same order."
        )


def check_features(X: Any, name: str, expected: Optional[int] = None) -> NDArray[Any]:
    """(N, D); float32 and float16 in C order as they lie."""
    array = _arrays.as_array(X, "X")
    if array.dtype.kind == "c":
        raise Error(f"Complex data not supported: found {array.dtype}")
    if array.ndim == 1:
        raise Error(
            "Expected 2D array, got 1D array instead. Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
            "contains a single sample."
        )
    if array.ndim == 0:
        raise Error(f"X: expected an array of 2 dimensions, found {type(X).__name__}")
    if array.ndim != 2:
        raise Error(f"Expected 2D array, got {array.ndim}D array instead.")
    for size, what in zip(array.shape, ("sample", "feature")):
        if size == 0:
            raise Error(
                f"Found array with 0 {what}(s) (shape={array.shape}) while a minimum of 1 is required."
            )
    if expected is not None and array.shape[1] != expected:
        raise Error(
            f"X has {array.shape[1]} features, but {name} is expecting {expected} features as input."
        )
    return _arrays.features(array, "X")


def check_finite(features: NDArray[Any]) -> None:
    # The sum is finite nearly always, and needs no memory beside X.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(features, dtype=np.float32)) or np.isfinite(features).all():
            return
    row, column = np.argwhere(~np.isfinite(features))[0]
    nan = np.isnan(features[row, column])
    found = "NaN" if nan else "infinity or a value too large for float32"
    raise Error(f"Input X contains {found} (row {row}, column {column}).")


def check_labels(y: Any, rows: int) -> Tuple[NDArray[np.int8], NDArray[Any], bool]:
    """Observed labels (N, L), the classes, and whether y was one class per row."""
    if y is None:
        raise Error("This estimator requires y to be passed, but the target y is None.")
    names = getattr(y, "columns", None)
    array = np.asarray(_arrays.as_array(y, "y", f"; {_LABEL_SETS}"))
    if array.dtype.kind == "c":
        raise Error(f"Complex data not supported: found {array.dtype}")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise Error(f"Input y contains NaN or infinity; {_NO_CLASS}")
        if not np.array_equal(array, np.round(array)):
            raise Error("Unknown label type: continuous; expected classes or a label matrix")
    if array.ndim == 0:
        raise Error(f"y: expected one class per row or a label matrix, found {type(y).__name__}")
    if array.shape[0] != rows:
        raise Error(
            f"Found input variables with inconsistent numbers of samples: {[rows, array.shape[0]]}"
        )
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 1:
        classes, index = _distinct(array)
        observed = np.zeros((rows, len(classes)), np.int8)
        observed[np.arange(rows), index] = 1
        return observed, classes, True
    if array.ndim != 2:
        raise Error(f"y should be a 1d array or a label matrix, found {array.ndim} dimensions")
    classes = np.arange(array.shape[1]) if names is None else np.asarray(names)
    return _arrays.labels(array, "y"), classes, False


_NO_CLASS = "drop such rows, or give a label matrix, where rows of zeros have no known label"
_LABEL_SETS = "sets of labels are an N x L matrix of 0 and 1, as MultiLabelBinarizer makes it"


def _distinct(y: NDArray[Any]) -> Tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes in order, and which of them each row has."""
    if y.dtype.kind == "O":
        for row, value in enumerate(y):
            if value is None or type(value).__name__ in ("NAType", "NaTType"):
                raise Error(f"y: row {row} has no class ({value}); {_NO_CLASS}")
            if isinstance(value, float) and not np.isfinite(value):
                raise Error(f"y: row {row} has no class ({value}); {_NO_CLASS}")
            if isinstance(value, (list, tuple, set, frozenset, dict, np.ndarray)):
                kind = type(value).__name__
                raise Error(f"y: expected one class per row, found a {kind} in row {row}; {_LABEL_SETS}")
    try:
        classes, index = np.unique(y, return_inverse=True)
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in y}))
        raise Error(f"y: expected classes of one type, found {kinds}") from None
    return classes, index


def check_truth(truth: Any, observed: NDArray[np.int8]) -> NDArray[np.int8]:
    full = _arrays.labels(truth, "truth")
    if full.shape != observed.shape:
        raise Error(f"truth: expected shape {observed.shape}, found {full.shape}")
    return full


def with_negatives(
    observed: NDArray[np.int8], negatives: Any, complete: Any
) -> NDArray[np.int8]:
    """What is known to be absent as -1."""
    if negatives is None and complete is None:
        return observed
    observed = observed.copy()
    if complete is not None:
        rows = _arrays.flags(complete, "complete", observed.shape[:1])
        observed[rows] = np.where(observed[rows] == 0, -1, observed[rows])
    if negatives is not None:
        absent = _arrays.flags(negatives, "negatives", observed.shape)
        if np.any(observed[absent] > 0):
            row, column = np.argwhere(absent & (observed > 0))[0]
            raise Error(f"negatives: row {row}, column {column} is an observed positive")
        observed[absent] = -1
    return observed
