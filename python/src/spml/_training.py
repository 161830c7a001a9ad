"""Training and loading, close to the C++ library."""

from __future__ import annotations

import difflib
import os
from typing import Any, Callable, Dict, Optional, Sequence, Union

from . import _arrays, _spml

# Those of the library's table, and those of this call.
SETTINGS = {str(setting["name"]): setting for setting in _spml.train_settings()}
KEYWORDS = [*SETTINGS, *"loss threads out existing trials time_limit refit".split()]


class Result(Dict[str, Any]):
    """The record of a run, with the keys of result.json and `history`; `model` is the classifier."""

    def __init__(self, model: _spml.Model) -> None:
        super().__init__(model.result)
        self.model = model


def check_settings(settings: Dict[str, Any]) -> None:
    for name in settings:
        if name not in KEYWORDS:
            near = difflib.get_close_matches(name, KEYWORDS, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise _spml.Error(f"unknown setting '{name}'{hint}")
    if settings.get("loss", "auto") == "auto":
        check_not_searched(settings)


def check_not_searched(settings: Dict[str, Any], names: Optional[Dict[str, str]] = None) -> None:
    """What a search chooses cannot be given with it; `names` are the caller's words for settings."""
    for name, value in settings.items():
        setting = SETTINGS.get((names or {}).get(name, name))
        if value is not None and setting is not None and setting["searched"]:
            raise _spml.Error(f"{name}: the search chooses it; give loss=NAME to choose yourself")


def train(
    data: Union[_spml.Dataset, str, "os.PathLike[str]", None] = None,
    *,
    features: Any = None,
    observed: Any = None,
    truth: Any = None,
    test_features: Any = None,
    test_truth: Any = None,
    classes: Sequence[str] = (),
    on_epoch: Optional[Callable[[Dict[str, Any]], None]] = None,
    on_step: Optional[Callable[[int, int, int], None]] = None,
    on_notice: Optional[Callable[[str], None]] = None,
    **settings: Any,
) -> Result:
    """Trains a linear classifier on a data folder, or on arrays.

    The settings are those of `spml train`: loss (a search chooses when it is not given), params, k,
    lr, batch, epochs, transform and so on; with `out` the run is written to a folder.
    `on_epoch(record)` is called after each epoch, `on_step(step, total, epoch)` after each step; an
    exception in either ends the training.

    >>> import numpy as np
    >>> import spml
    >>> x = np.eye(4, dtype=np.float32)[np.arange(40) % 4]
    >>> y = x.astype(np.int8)
    >>> result = spml.train(features=x, observed=y, loss="an", lr=0.1, epochs=5, batch=8)
    >>> round(result["val_map"]), result.model.predict(x).shape
    (100, (40, 4))
    """
    check_settings(settings)
    settings.setdefault("loss", "auto")
    if (data is None) == (features is None):
        raise _spml.Error("expected a data folder or features, one of them")
    for name, call in ("on_epoch", on_epoch), ("on_step", on_step), ("on_notice", on_notice):
        if call is not None and not callable(call):
            raise _spml.Error(f"{name}: expected a function, found {call!r}")
    if data is not None:
        if not isinstance(data, (str, os.PathLike, _spml.Dataset)):
            raise _spml.Error(f"data: expected a folder, found {type(data).__name__}")
        folder = data if isinstance(data, _spml.Dataset) else _spml.Dataset(data)
        return Result(_spml.train_folder(folder, settings, on_epoch, on_step, on_notice))
    if observed is None and truth is None:
        raise _spml.Error("observed: expected labels beside the features, found none")
    model = _spml.train_arrays(
        _arrays.features(features),
        _arrays.optional_labels(observed, "observed"),
        _arrays.optional_labels(truth, "truth"),
        None if test_features is None else _arrays.features(test_features, "test_features"),
        _arrays.optional_labels(test_truth, "test_truth"),
        [str(name) for name in classes],
        settings,
        on_epoch,
        on_step,
        on_notice,
    )
    return Result(model)


def load(run: Union[str, "os.PathLike[str]"]) -> _spml.Model:
    """The classifier of a run folder made by `spml train`, `spml.train` or `Model.save`."""
    return _spml.Model.load(os.fspath(run))
