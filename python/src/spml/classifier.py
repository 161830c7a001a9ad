"""A scikit-learn estimator that learns many labels from one positive label per row."""

from __future__ import annotations

import inspect
from typing import Any, Dict, List, Optional

import numpy as np
from numpy.typing import NDArray

from . import _spml, _validation, metrics

_LARGEST_SEED = 2**31 - 1


class SinglePositiveClassifier:
    """Multi-label classification from single positive labels.

    `y` is one observed class per row, or an N x L matrix: 1 positive, 0 unknown, -1 known negative.
    In the first case `predict` gives the most likely class and `predict_proba` the probability that
    this class is the one named; in the second, `predict` gives the label matrix and `predict_proba`
    the probability of each label. `label_proba` and `predict_labels` speak of labels in both cases.

    Parameters: `loss` is one of `spml.losses()`; `k` the expected positives per row, for the losses
    that need it (estimated as the observed positives per row when None); `lr`, `batch_size`,
    `weight_decay`, `patience` and `feature_transform` (none, sqrt, l2, standardize) as for `spml train`;
    `max_iter` the most epochs, by the number of rows when None; `validation_fraction` of the rows is
    held out to choose the best epoch; `n_jobs` threads, all cores when None.

    >>> import numpy as np
    >>> X = np.eye(3)[np.arange(60) % 3]
    >>> clf = SinglePositiveClassifier().fit(X, np.arange(60) % 3)
    >>> clf.predict(X[:4]).tolist()
    [0, 1, 2, 0]
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        loss: str = "an-ls",
        *,
        params: Optional[Dict[str, float]] = None,
        k: Optional[float] = None,
        lr: float = 0.01,
        batch_size: int = 16,
        max_iter: Optional[int] = None,
        weight_decay: float = 0.0,
        patience: int = 0,
        feature_transform: str = "standardize",
        validation_fraction: float = 0.2,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.loss = loss
        self.params = params
        self.k = k
        self.lr = lr
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.weight_decay = weight_decay
        self.patience = patience
        self.feature_transform = feature_transform
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ---- scikit-learn's protocol, without a need for scikit-learn

    @classmethod
    def _parameter_names(cls) -> List[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> "SinglePositiveClassifier":
        known = self._parameter_names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {known!r}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _more_tags(self) -> Dict[str, Any]:
        return {"multilabel": True, "multioutput": True, "requires_y": True}

    def __sklearn_tags__(self) -> Any:  # from scikit-learn 1.6 on
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True, multi_output=True, single_output=True),
            transformer_tags=None,
            regressor_tags=None,
            classifier_tags=ClassifierTags(multi_label=True),
            input_tags=InputTags(),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    # ---- fitting

    def fit(
        self,
        X: Any,
        y: Any,
        negatives: Any = None,
        complete: Any = None,
        truth: Any = None,
    ) -> "SinglePositiveClassifier":
        """Trains on features X (N, D) and observed labels y.

        negatives: N x L, true where a label is known to be absent; complete: N, true for rows whose
        labels are all given; truth: N x L full labels, for the losses that need them and to choose
        the best epoch on.
        """
        names = _validation.feature_names(X)
        features = _validation.check_features(X, type(self).__name__)
        observed, classes, single = _validation.check_labels(y, features.shape[0])
        observed = _with_negatives(observed, negatives, complete)
        rows = features.shape[0]
        if rows < 2:
            raise ValueError("expected at least 2 rows to train and validate on, found 1 sample")
        self.model_ = _spml.train_arrays(
            features,
            observed,
            None if truth is None else _validation.check_truth(truth, observed),
            None,
            None,
            [str(name) for name in classes],
            self._settings(rows, observed),
            None,
            None,
            None,
        )
        self.classes_ = classes
        self.single_ = single
        self.n_features_in_ = features.shape[1]
        self.n_iter_ = len(self.model_.result["history"])
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _settings(self, rows: int, observed: NDArray[np.int8]) -> Dict[str, Any]:
        val = min(max(round(rows * self.validation_fraction), 1), rows - 1)
        batch = min(self.batch_size, rows - val)
        # So many epochs that small data gets enough steps, and large data not too many.
        steps = max((rows - val) // batch, 1)
        epochs = self.max_iter if self.max_iter is not None else int(np.clip(1500 // steps, 25, 200))
        description = _spml.describe_loss(self.loss)
        k = self.k
        if k is None and description["needs_k"]:
            k = float((observed > 0).sum() / rows)
        return {
            "loss": self.loss,
            "params": self.params or {},
            "k": k,
            "lr": self.lr,
            "batch": batch,
            "epochs": epochs,
            "weight_decay": self.weight_decay,
            "patience": self.patience,
            "transform": self.feature_transform,
            "val_fraction": val / rows,
            "seed": _seed(self.random_state),
            "threads": self.n_jobs or 0,
        }

    # ---- using

    def _logits(self, X: Any) -> NDArray[np.float64]:
        if not hasattr(self, "model_"):
            raise _validation.not_fitted(type(self).__name__)
        _validation.check_feature_names(X, getattr(self, "feature_names_in_", None))
        features = _validation.check_features(X, type(self).__name__, self.n_features_in_)
        return self.model_.logits(features, self.n_jobs or 0).astype(np.float64)

    def label_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each label, (N, L)."""
        return _sigmoid(self._logits(X))

    def predict_labels(self, X: Any) -> NDArray[np.bool_]:
        """The labels that reach their class's threshold, (N, L)."""
        p = self.label_proba(X)
        return np.asarray(p >= self.model_.thresholds.astype(np.float64))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """What predict decides on: (N, L), or (N) for one of two classes."""
        z = self._logits(X)
        if not self.single_:
            return z
        log_p = -np.logaddexp(0, -z)
        if z.shape[1] == 2:
            return np.asarray(log_p[:, 1] - log_p[:, 0])
        return np.asarray(log_p)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(N, L). Of the classes, which sum to 1, or of each label for a label matrix."""
        p = self.label_proba(X)
        return np.asarray(p / p.sum(axis=1, keepdims=True)) if self.single_ else p

    def predict(self, X: Any) -> NDArray[Any]:
        """The most likely class of each row, or the label matrix (at a probability of 1/2)."""
        z = self._logits(X)
        if self.single_:
            return np.asarray(self.classes_[np.argmax(z, axis=1)])
        return (z > 0).astype(int)

    def score(self, X: Any, y: Any) -> float:
        """Accuracy for one class per row; mean average precision in [0, 1] for label matrices."""
        if self.single_:
            return float(np.mean(self.predict(X) == np.asarray(y)))
        return float(metrics.mean_average_precision(self.label_proba(X), y)["map"] / 100)


def _sigmoid(z: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(-np.logaddexp(0, -z)))


def _seed(random_state: Any) -> int:
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(random_state.randint(_LARGEST_SEED))


def _with_negatives(
    observed: NDArray[np.int8], negatives: Any, complete: Any
) -> NDArray[np.int8]:
    if negatives is None and complete is None:
        return observed
    observed = observed.copy()
    if complete is not None:
        rows = np.asarray(complete, dtype=bool)
        if rows.shape != observed.shape[:1]:
            raise _spml.Error(
                f"complete: expected {observed.shape[0]} truth values, found {rows.shape}"
            )
        observed[rows] = np.where(observed[rows] == 0, -1, observed[rows])
    if negatives is not None:
        absent = np.asarray(negatives, dtype=bool)
        if absent.shape != observed.shape:
            raise _spml.Error(f"negatives: expected shape {observed.shape}, found {absent.shape}")
        if np.any(observed[absent] > 0):
            row, column = np.argwhere(absent & (observed > 0))[0]
            raise _spml.Error(f"negatives: row {row}, column {column} is an observed positive")
        observed[absent] = -1
    return observed
