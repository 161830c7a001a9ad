"""Uses the wheel of a folder from a new virtual environment elsewhere that has only NumPy beside it.

try_wheel.py FOLDER
"""

import importlib.metadata
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import numpy

PROGRAM = """
import pathlib, sys
import numpy as np
import spml

assert pathlib.Path(spml.__file__).is_relative_to(sys.prefix), spml.__file__
x = np.eye(4, dtype=np.float32)[np.arange(80) % 4]
clf = spml.SinglePositiveClassifier("an", lr=0.1).fit(x, np.arange(80) % 4)
assert clf.predict(x[:4]).tolist() == [0, 1, 2, 3]
assert spml.SinglePositiveClassifier().fit(x, np.arange(80) % 4).predict_labels(x).shape == (80, 4)
spml.train(features=x, observed=x.astype(np.int8), loss="an", epochs=2, out="run")
assert spml.load("run").predict(x).shape == (80, 4)
maps = pathlib.Path("/proc/self/maps").read_text().split()
theirs = {m for m in maps if m.endswith(".so") or ".so." in m}
ours = sorted(m for m in theirs if any(n in m for n in ("libtbb", "libfmt", "libhwy", "libsimdjson")))
assert ours and all(pathlib.Path(m).is_relative_to(sys.prefix) for m in ours), ours
print("spml", spml.__version__, "in", sys.prefix, "with its own", ", ".join(pathlib.Path(m).name for m in ours))
"""


def link_numpy(site: Path) -> None:
    """NumPy as this interpreter has it: no network is needed, and nothing else comes along."""
    package = Path(numpy.__file__).parent
    (site / "numpy").symlink_to(package)
    record = Path(str(importlib.metadata.distribution("numpy")._path))  # type: ignore[attr-defined]
    (site / record.name).symlink_to(record)
    libraries = package.parent / "numpy.libs"  # of wheels of NumPy
    if libraries.exists():
        (site / libraries.name).symlink_to(libraries)


def main() -> None:
    (wheel,) = Path(sys.argv[1]).resolve().glob("spml-*.whl")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "env"
        venv.create(home, with_pip=True)
        (site,) = home.glob("lib/python*/site-packages")
        link_numpy(site)
        python = str(home / "bin" / "python")
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--no-index", str(wheel)], check=True, cwd=folder
        )
        subprocess.run([python, "-I", "-c", PROGRAM], check=True, cwd=folder)


if __name__ == "__main__":
    main()
