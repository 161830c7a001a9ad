"""The package as a whole: examples, types, what an import brings along."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import spml

MODULES = ["spml"] + [f"spml.{m.name}" for m in pkgutil.iter_modules(spml.__path__) if m.name != "_spml"]
SOURCE = Path(__file__).parents[1]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_types_are_strict():
    pytest.importorskip("mypy", reason="mypy is not installed")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", "src/spml"],
        cwd=SOURCE,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout


def test_an_import_brings_nothing_but_numpy():
    code = (
        "import sys, spml; "
        "print([m for m in ('sklearn', 'scipy', 'pandas', 'torch', 'matplotlib') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize("order", [("torch", "spml"), ("spml", "torch")])
def test_pytorch_beside_it(order):
    pytest.importorskip("torch", reason="python3-torch is not installed")
    code = f"""
import {order[0]}
import {order[1]}
import numpy as np
x = np.eye(4, dtype=np.float32)[np.arange(80) % 4]
print(round(spml.train(features=x, observed=x.astype(np.int8), loss="an", lr=0.1)["val_map"]))
z = torch.nn.Linear(4, 4)(torch.from_numpy(x))
z.sum().backward()
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "100\n"


def test_the_version_is_the_librarys():
    assert spml.__version__.count(".") == 2
