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
        raise ValueError(
            "The feature names should match those that were passed during fit, in the same order."
        )


def check_features(X: Any, name: str, expected: Optional[int] = None) -> NDArray[Any]:
    """(N, D), finite; float32 and float16 in C order as they lie."""
    if hasattr(X, "toarray"):
        raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray().")
    array = np.asanyarray(X)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: found {array.dtype}")
    if array.ndim == 1:
        raise ValueError(
            "Expected 2D array, got 1D array instead. Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
            "contains a single sample."
        )
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead.")
    if array.shape[0] == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    if array.shape[1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    if expected is not None and array.shape[1] != expected:
        raise ValueError(
            f"X has {array.shape[1]} features, but {name} is expecting {expected} features as input."
        )
    if array.dtype.kind not in "fiub":
        array = array.astype(np.float64)
    features = _arrays.features(array, "X")
    # The sum is finite nearly always, and needs no memory beside X.
    if not np.isfinite(np.sum(features, dtype=np.float32)) and not np.isfinite(features).all():
        found = "NaN" if np.isnan(features).any() else "infinity or a value too large for float32"
        raise ValueError(f"Input X contains {found}.")
    return features


def check_labels(y: Any, rows: int) -> Tuple[NDArray[np.int8], NDArray[Any], bool]:
    """Observed labels (N, L), the classes, and whether y was one class per row."""
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None."
        )
    names = getattr(y, "columns", None)
    array = np.asarray(y)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: found {array.dtype}")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise ValueError("Input y contains NaN or infinity.")
        if not np.array_equal(array, np.round(array)):
            raise ValueError("Unknown label type: continuous; expected classes or a label matrix")
    if array.ndim == 0 or array.shape[0] != rows:
        found = 0 if array.ndim == 0 else array.shape[0]
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, found]}")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 1:
        classes, index = np.unique(array, return_inverse=True)
        observed = np.zeros((rows, len(classes)), np.int8)
        observed[np.arange(rows), index] = 1
        return observed, classes, True
    if array.ndim != 2:
        raise ValueError(f"y should be a 1d array or a label matrix, found {array.ndim} dimensions")
    observed = _arrays.labels(array, "y")
    if observed.min() < -1 or observed.max() > 1:
        raise ValueError("Unknown label type: expected a matrix of 1, 0 and -1")
    classes = np.arange(array.shape[1]) if names is None else np.asarray(names)
    return observed, classes, False


def check_truth(truth: Any, observed: NDArray[np.int8]) -> NDArray[np.int8]:
    full = _arrays.labels(truth, "truth")
    if full.shape != observed.shape:
        raise Error(f"truth: expected shape {observed.shape}, found {full.shape}")
    return full
