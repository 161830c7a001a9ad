"""Multi-label learning from single positive labels.

>>> from spml import SinglePositiveClassifier
>>> import numpy as np
>>> X = np.eye(3)[np.arange(60) % 3]
>>> y = np.array(["ant", "bee", "cow"])[np.arange(60) % 3]
>>> SinglePositiveClassifier().fit(X, y).predict(X[:3]).tolist()
['ant', 'bee', 'cow']
"""

# First, so that the interpreter's own libcrypto is the one in this process.
import hashlib as _hashlib  # noqa: F401

from . import metrics
from ._data import draw_observed
from ._losses import Loss, LossValue, loss, losses
from ._spml import Dataset, Error, Model, Part, __version__
from ._suggest import Suggestions
from ._training import Result, load, train
from .classifier import SinglePositiveClassifier

__all__ = [
    "Dataset",
    "Error",
    "Loss",
    "LossValue",
    "Model",
    "Part",
    "Result",
    "SinglePositiveClassifier",
    "Suggestions",
    "__version__",
    "draw_observed",
    "load",
    "loss",
    "losses",
    "metrics",
    "train",
]
