"""A scikit-learn estimator that learns many labels from one positive label per row."""

from __future__ import annotations

import inspect
from typing import Any, Dict, List, Optional

import numpy as np
from numpy.typing import NDArray

from . import _settings, _spml, _validation, metrics
from ._named import NamedClass, fit_named_class
from ._suggest import Suggestions, rank_unknown


class SinglePositiveClassifier:
    """Multi-label classification from single positive labels.

    `y` is one observed class per row, or an N x L matrix: 1 positive, 0 unknown, -1 known negative.
    `predict_labels` and `label_proba` speak of labels in both cases. `predict` and `predict_proba`
    follow scikit-learn: with one class per row, the most likely class and the probability that this
    class is the one named; with a matrix, the labels at a probability of 1/2 or more and the
    probability of each.

    Parameters
    ----------
    loss : "auto", which searches for loss, step size, transform and weight decay, or one of
        `spml.losses()` by name, trained with the settings that follow as `spml train` would.
    params : parameters of the loss, by name.
    k : labels that a row has on average; estimated from the observed labels when None.
    lr, batch_size, weight_decay, feature_transform : as for `spml train` (1e-3, 16, 0, "none" when
        None); "auto" chooses them.
    max_iter : epochs at most; when None 25, and more where that would be few steps.
    patience : stop after so many epochs without a better one; 0 is never.
    validation_fraction : of the rows, held out to choose the best epoch and to calibrate.
    trials : runs that the search may train, 56 when None.
    refit : train what the search chose once more, on all rows.
    random_state : a seed (0 when None), or NumPy's Generator or RandomState to draw one from.
    n_jobs : threads; all cores when None or -1. The model does not depend on it.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_, n_iter_ : as scikit-learn has them.
    model_ : the `spml.Model`, which can be saved; `model_.result` tells what was chosen.

    >>> import numpy as np
    >>> X = np.eye(3)[np.arange(60) % 3]
    >>> clf = SinglePositiveClassifier("an", lr=0.1).fit(X, np.arange(60) % 3)
    >>> clf.predict(X[:4]).tolist()
    [0, 1, 2, 0]
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        loss: str = "auto",
        *,
        params: Optional[Dict[str, float]] = None,
        k: Optional[float] = None,
        lr: Optional[float] = None,
        batch_size: Optional[int] = None,
        weight_decay: Optional[float] = None,
        feature_transform: Optional[str] = None,
        max_iter: Optional[int] = None,
        patience: int = 0,
        validation_fraction: float = 0.2,
        trials: Optional[int] = None,
        refit: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.loss = loss
        self.params = params
        self.k = k
        self.lr = lr
        self.batch_size = batch_size
        self.weight_decay = weight_decay
        self.feature_transform = feature_transform
        self.max_iter = max_iter
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.trials = trials
        self.refit = refit
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
                raise _spml.Error(
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
        observed = _validation.with_negatives(observed, negatives, complete)
        full = None if truth is None else _validation.check_truth(truth, observed)
        if features.shape[0] < 2:
            raise _spml.Error("expected at least 2 rows to train and validate on, found 1 sample")
        if full is None and not np.any(observed > 0):
            raise _spml.Error("y: expected positive labels to learn from, found none")
        settings = _settings.settings_of(self, observed > 0)
        labels = [str(name) for name in classes]
        try:
            self.model_ = _spml.train_arrays(
                features, observed, full, None, None, labels, settings, None, None, None
            )
        except _spml.Error:
            _validation.check_finite(features)  # the library has looked; this says it for X
            raise
        self.classes_ = classes
        self.single_ = single
        self.n_features_in_ = features.shape[1]
        self.named_: Optional[NamedClass] = None
        if single:
            logits = self.model_.logits(features, settings["threads"]).astype(np.float64)
            self.named_ = fit_named_class(logits, observed > 0)
        self.n_iter_ = len(self.model_.result["history"])
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    # ---- using

    def _logits(self, X: Any) -> NDArray[np.float64]:
        if not hasattr(self, "model_"):
            raise _validation.not_fitted(type(self).__name__)
        _validation.check_feature_names(X, getattr(self, "feature_names_in_", None))
        features = _validation.check_features(X, type(self).__name__, self.n_features_in_)
        _validation.check_finite(features)
        threads = _settings.threads_of(self.n_jobs)
        return np.asarray(self.model_.logits(features, threads), dtype=np.float64)

    def _calibrated(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        """label_proba is their sigmoid."""
        slope, offset = self.model_.calibration
        return np.asarray(logits * slope + offset)

    def label_proba(self, X: Any) -> NDArray[np.float64]:
        """The calibrated probability of each label, (N, L)."""
        return _sigmoid(self._calibrated(self._logits(X)))

    def predict_labels(self, X: Any) -> NDArray[np.bool_]:
        """The labels whose probability reaches their threshold, (N, L)."""
        return np.asarray(self.label_proba(X) >= self.model_.thresholds.astype(np.float64))

    def suggest(self, X: Any, y: Any, top: int = 2000) -> Suggestions:
        """The unknown labels of y that are most likely to be there, best first.

        X and y as in fit; labels that y says are present or absent are not suggested.
        """
        p = self.label_proba(X)
        observed, classes, single = _validation.check_labels(y, p.shape[0])
        if single:  # as columns of classes_, which may have more
            column = {name: i for i, name in enumerate(self.classes_.tolist())}
            for name in classes.tolist():
                if name not in column:
                    raise _spml.Error(f"y: expected classes that fit() was given, found {name!r}")
            named = np.zeros(p.shape, np.int8)
            named[:, [column[name] for name in classes.tolist()]] = observed
            observed = named
        if observed.shape != p.shape:
            raise _spml.Error(f"y: expected shape {p.shape}, found {observed.shape}")
        return rank_unknown(p, observed, self.classes_, _settings.whole("top", top, 0))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """What predict decides on: (N, L), or (N) for one of two classes."""
        logits = self._logits(X)
        if self.named_ is None:
            return self._calibrated(logits)
        z = self.named_.scores(logits)
        return np.asarray(z[:, 1] - z[:, 0]) if z.shape[1] == 2 else z

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(N, L). Of the classes, which sum to 1, or of each label for a label matrix."""
        logits = self._logits(X)
        if self.named_ is None:
            return _sigmoid(self._calibrated(logits))
        return self.named_.probabilities(logits)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most likely class of each row, or the label matrix (at a probability of 1/2)."""
        logits = self._logits(X)
        if self.named_ is None:
            return (self._calibrated(logits) > 0).astype(int)
        return np.asarray(self.classes_[np.argmax(self.named_.scores(logits), axis=1)])

    def score(self, X: Any, y: Any) -> float:
        """Accuracy for one class per row; mean average precision in [0, 1] for label matrices."""
        if self.single_:
            predicted, named = self.predict(X), np.asarray(y)
            if named.size != len(predicted):
                raise _spml.Error(
                    f"y: expected one class for each of {len(predicted)} rows, found {named.shape}"
                )
            return float(np.mean(predicted == named.ravel()))
        return float(metrics.mean_average_precision(self.label_proba(X), y)["map"] / 100)


def _sigmoid(z: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(-np.logaddexp(0, -z)))
