"""Arrays as the C++ library takes them: used where they lie, or converted once."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from ._spml import Error


def features(values: Any, name: str = "features") -> NDArray[Any]:
    """C-order float32 or float16 as it is, anything else as a float32 copy."""
    array: NDArray[Any] = np.asanyarray(values)
    if array.ndim != 2:
        raise Error(f"{name}: expected an array of 2 dimensions, found {array.ndim}")
    if array.dtype in (np.float32, np.float16) and array.dtype.isnative:
        if array.flags.c_contiguous and array.flags.aligned:
            return array
        return np.ascontiguousarray(array)
    return np.ascontiguousarray(array, dtype=np.float32)


def labels(values: Any, name: str) -> NDArray[np.int8]:
    """C-order int8 as it is, other whole numbers and bools as a copy."""
    array = np.asanyarray(values)
    if array.dtype == np.int8:
        return np.ascontiguousarray(array)
    converted = array.astype(np.int8)
    if not np.array_equal(converted, array):
        raise Error(f"{name}: expected labels of -1, 0 and 1")
    return np.ascontiguousarray(converted)


def optional_labels(values: Any, name: str) -> Optional[NDArray[np.int8]]:
    return None if values is None else labels(values, name)
