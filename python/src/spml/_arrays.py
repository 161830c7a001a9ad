"""Arrays as the C++ library takes them: used where they lie, or converted once."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from ._spml import Error


class WrongType(Error, TypeError):
    """Values that are no numbers: scikit-learn expects a TypeError of them."""


def as_array(values: Any, name: str, ragged: str = "") -> NDArray[Any]:
    """As NumPy understands it, without a copy where there is an array already.

    ragged: what to do about rows of different lengths."""
    if hasattr(values, "toarray"):
        raise Error(f"{name}: found a sparse matrix, but dense data is required; use {name}.toarray()")
    if np.ma.is_masked(values):  # type: ignore[no-untyped-call]
        raise Error(f"{name}: expected a value everywhere, found masked ones; fill them first")
    try:
        return np.asanyarray(values)
    except ValueError:
        raise Error(f"{name}: expected rows of the same length, found different ones{ragged}") from None


def numbers(values: Any, name: str) -> NDArray[Any]:
    """Of a type that NumPy computes with."""
    array = as_array(values, name)
    if array.dtype.kind in "fiub":
        return array
    if array.dtype.kind not in "OSU":
        raise Error(f"{name}: expected real numbers, found {array.dtype}")
    try:
        return array.astype(np.float64)
    except ValueError as error:
        raise Error(f"{name}: expected numbers: {error}") from None
    except TypeError as error:
        raise WrongType(f"{name}: expected numbers: {error}") from None


def features(values: Any, name: str = "features") -> NDArray[Any]:
    """C-order float32 or float16 as it is, anything else as a float32 copy."""
    array = as_array(values, name)
    if array.ndim != 2:
        raise Error(f"{name}: expected an array of 2 dimensions, found {array.ndim}")
    array = numbers(array, name)
    if array.dtype in (np.float32, np.float16) and array.dtype.isnative:
        if array.flags.c_contiguous and array.flags.aligned:
            return array
        return np.ascontiguousarray(array)
    with np.errstate(over="ignore"):  # too large for float32: infinite, which is refused later
        return np.ascontiguousarray(array, dtype=np.float32)


def labels(values: Any, name: str) -> NDArray[np.int8]:
    """-1, 0 and 1 in C order: int8 as it is, other types as a copy."""
    array = numbers(values, name)
    with np.errstate(invalid="ignore"):
        converted = np.ascontiguousarray(array, dtype=np.int8)
    inside = converted.size == 0 or (converted.min() >= -1 and converted.max() <= 1)
    if not inside or (array.dtype != np.int8 and not np.array_equal(converted, array)):
        place = np.argwhere(~np.isin(array, (-1, 0, 1)))[0]
        where = ", ".join(f"{axis} {i}" for axis, i in zip(("row", "column"), place))
        raise Error(f"{name}: expected labels of -1, 0 and 1, found {array[tuple(place)]} in {where}")
    return converted


def optional_labels(values: Any, name: str) -> Optional[NDArray[np.int8]]:
    return None if values is None else labels(values, name)


def flags(values: Any, name: str, shape: Tuple[int, ...]) -> NDArray[np.bool_]:
    """Truth values of that shape; other numbers, such as the places of rows, are refused."""
    array = as_array(values, name)
    if array.shape != shape:
        raise Error(f"{name}: expected truth values of shape {shape}, found {array.shape}")
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise Error(f"{name}: expected truth values, found {array[~np.isin(array, (0, 1))][0]!r}")
    return array.astype(np.bool_)
