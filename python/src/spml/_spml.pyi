from os import PathLike
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

_Path = Union[str, "PathLike[str]"]

__version__: str

class Error(ValueError): ...

class Part:
    @property
    def rows(self) -> int: ...
    @property
    def truth(self) -> Optional[NDArray[np.int8]]: ...
    @property
    def observed(self) -> Optional[NDArray[np.int8]]: ...
    @property
    def features(self) -> Optional[NDArray[Any]]: ...
    @property
    def images(self) -> List[str]: ...

class Dataset:
    def __init__(
        self,
        path: _Path,
        *,
        need_features: bool = ...,
        check_features: bool = ...,
        threads: int = ...,
    ) -> None: ...
    @property
    def path(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def classes(self) -> List[str]: ...
    @property
    def expected_positives(self) -> Optional[float]: ...
    @property
    def train(self) -> Part: ...
    @property
    def test(self) -> Part: ...
    def split(
        self, val_fraction: float = ..., seed: int = ...
    ) -> Tuple[NDArray[np.int32], NDArray[np.int32]]: ...

class Model:
    @staticmethod
    def load(folder: _Path) -> "Model": ...
    def save(self, folder: _Path, overwrite: bool = ...) -> None: ...
    @property
    def classes(self) -> List[str]: ...
    @property
    def thresholds(self) -> NDArray[np.float32]: ...
    @property
    def weight(self) -> NDArray[np.float32]: ...
    @property
    def bias(self) -> NDArray[np.float32]: ...
    @property
    def transform(self) -> str: ...
    @property
    def result(self) -> Dict[str, Any]: ...
    def logits(self, features: NDArray[Any], threads: int = ...) -> NDArray[np.float32]: ...
    def predict(self, features: NDArray[Any], threads: int = ...) -> NDArray[np.float32]: ...

def losses() -> List[Dict[str, Any]]: ...
def describe_loss(name: str) -> Dict[str, Any]: ...
def evaluate_loss(
    name: str,
    logits: NDArray[Any],
    observed: Optional[NDArray[np.int8]],
    estimates: Optional[NDArray[Any]],
    truth: Optional[NDArray[np.int8]],
    soft_labels: Optional[NDArray[Any]],
    priors: Optional[NDArray[Any]],
    k: Optional[float],
    params: Dict[str, float],
    epoch: int,
    epochs: int,
    step: int,
    seed: int,
) -> Tuple[float, NDArray[Any], Optional[NDArray[Any]]]: ...
def average_precision(scores: NDArray[np.float32], truth: NDArray[np.int8]) -> float: ...
def mean_average_precision(
    scores: NDArray[np.float32], truth: NDArray[np.int8], threads: int
) -> Dict[str, Any]: ...
def ranking_at(
    cut: int, scores: NDArray[np.float32], truth: NDArray[np.int8], threads: int
) -> Dict[str, float]: ...
def f1_scores(
    scores: NDArray[np.float32], truth: NDArray[np.int8], thresholds: List[float]
) -> Dict[str, float]: ...
def tune_thresholds(
    scores: NDArray[np.float32], truth: NDArray[np.int8], threads: int
) -> NDArray[np.float32]: ...
def draw_observed(
    truth: NDArray[np.int8], positives: int, negatives: int, seed: int
) -> NDArray[np.int8]: ...
def train_arrays(
    features: NDArray[Any],
    observed: Optional[NDArray[np.int8]],
    truth: Optional[NDArray[np.int8]],
    test_features: Optional[NDArray[Any]],
    test_truth: Optional[NDArray[np.int8]],
    classes: List[str],
    settings: Dict[str, Any],
    on_epoch: Optional[Callable[[Dict[str, Any]], None]],
    on_step: Optional[Callable[[int, int, int], None]],
    on_notice: Optional[Callable[[str], None]],
) -> Model: ...
def train_folder(
    data: Dataset,
    settings: Dict[str, Any],
    on_epoch: Optional[Callable[[Dict[str, Any]], None]],
    on_step: Optional[Callable[[int, int, int], None]],
    on_notice: Optional[Callable[[str], None]],
) -> Model: ...
