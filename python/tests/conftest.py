"""Data that several tests train on."""

from typing import Tuple

import numpy as np
import pytest
from numpy.typing import NDArray

import spml

Toy = Tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.int8]]


def make_toy(rows: int = 300, cols: int = 8, labels: int = 4, seed: int = 0) -> Toy:
    """Features, full labels, one observed positive of each row."""
    random = np.random.RandomState(seed)
    x = random.uniform(-1, 1, (rows, cols)).astype(np.float32)
    scores = x @ random.uniform(-1, 1, (cols, labels))
    truth = (scores > 0.3).astype(np.int8)
    truth[np.arange(rows), scores.argmax(1)] = 1
    return x, truth, spml.draw_observed(truth)


@pytest.fixture(scope="session")
def toy() -> Toy:
    return make_toy()


@pytest.fixture
def folder(tmp_path, toy):
    """A data folder with the toy, features in float16; the test file is another draw."""
    x, truth, observed = toy
    np.save(tmp_path / "formatted_train_labels.npy", truth)
    np.save(tmp_path / "formatted_train_labels_obs.npy", observed)
    np.save(tmp_path / "train_features_imagenet_resnet50.npy", x.astype(np.float16))
    np.save(tmp_path / "formatted_val_labels.npy", truth[:100])
    np.save(tmp_path / "val_features_imagenet_resnet50.npy", x[:100].astype(np.float16))
    return tmp_path
