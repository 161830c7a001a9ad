"""Losses as functions of NumPy arrays."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _settings, _spml


class LossValue(NamedTuple):
    """What a loss gives for a batch: its value and its gradients."""

    value: float
    dlogits: NDArray[Any]
    destimates: Optional[NDArray[Any]]  # None unless the loss has label estimates


def losses() -> List[Dict[str, Any]]:
    """Every loss: name, summary, formula, what labels it needs, parameters.

    >>> import spml
    >>> [loss["name"] for loss in spml.losses()][:3]
    ['bce', 'bce-ls', 'iu']
    """
    return _spml.losses()


class Loss:
    """A loss with its settings; call it with a batch.

    >>> import numpy as np
    >>> import spml
    >>> an = spml.loss("an")
    >>> value, dlogits, _ = an(np.zeros((1, 2), np.float32), np.array([[1, 0]]))
    >>> round(value, 4), dlogits.tolist()
    (0.6931, [[-0.25, 0.25]])
    """

    def __init__(self, name: str, k: Optional[float] = None, **params: float) -> None:
        if not isinstance(name, str):
            raise _spml.Error(f"loss: expected the name of a loss, found {name!r}")
        self.description = _spml.describe_loss(name)
        self.name = name
        self.k = None if k is None else _settings.number("k", k, 0)
        self.params = {name: _settings.number(name, value) for name, value in params.items()}

    def __repr__(self) -> str:
        settings = {**({} if self.k is None else {"k": self.k}), **self.params}
        listed = "".join(f", {name}={value!r}" for name, value in settings.items())
        return f"spml.loss({self.name!r}{listed})"

    def __call__(
        self,
        logits: ArrayLike,
        observed: Optional[ArrayLike] = None,
        *,
        estimates: Optional[ArrayLike] = None,
        truth: Optional[ArrayLike] = None,
        soft_labels: Optional[ArrayLike] = None,
        priors: Optional[ArrayLike] = None,
        epoch: int = 1,
        epochs: int = 1,
        step: int = 0,
        seed: int = 0,
    ) -> LossValue:
        """Value and gradients for (B, L) logits and observed labels (+1, 0 unknown, -1).

        float64 logits are computed in double precision, anything else in single."""
        z = _arrays.numbers(logits, "logits")
        dtype = np.float64 if z.dtype == np.float64 else np.float32
        if np.isnan(z).any():
            raise _spml.Error(f"logits: expected numbers, found NaN in row {np.argwhere(np.isnan(z))[0][0]}")

        def numbers(values: Optional[ArrayLike], name: str) -> Optional[NDArray[Any]]:
            if values is None:
                return None
            return np.ascontiguousarray(_arrays.numbers(values, name), dtype=dtype)

        result = _spml.evaluate_loss(
            self.name,
            np.ascontiguousarray(z, dtype=dtype),
            _arrays.optional_labels(observed, "observed"),
            numbers(estimates, "estimates"),
            _arrays.optional_labels(truth, "truth"),
            numbers(soft_labels, "soft_labels"),
            numbers(priors, "priors"),
            self.k,
            self.params,
            epoch,
            epochs,
            step,
            seed,
        )
        return LossValue(*result)


def loss(name: str, k: Optional[float] = None, **params: float) -> Loss:
    """The loss of that name. `k`: expected positives per example, for losses that need it."""
    return Loss(name, k, **params)
