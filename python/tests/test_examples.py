"""The examples run, and so does every Python block of the documents."""

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "python" / "examples"
SHARED = ROOT.parent / "shared" / "data"


def test_from_tags_to_labels_on_real_data(tmp_path):
    pytest.importorskip("matplotlib", reason="python3-matplotlib is not installed")
    folder = SHARED / "scene"
    if not folder.exists():
        pytest.skip("no data folder ../shared/data/scene beside the checkout")
    plot = tmp_path / "tags.png"
    text = subprocess.check_output(
        [sys.executable, str(EXAMPLES / "tags.py"), str(folder), str(plot)], text=True
    )
    assert float(re.search(r"MAP ([\d.]+)", text)[1]) > 70
    found, hidden = map(int, re.search(r"find (\d+) of (\d+)", text).groups())
    assert found > 0.3 * hidden  # 7 in 100 by chance
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_pytorch_gradients_are_autograds():
    pytest.importorskip("torch", reason="python3-torch is not installed")
    spec = importlib.util.spec_from_file_location("example", EXAMPLES / "pytorch.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    differences = example.check()
    assert set(differences) == {"an", "em", "epr", "role"}
    assert max(differences.values()) < 1e-12
    assert example.main(["--epochs", "3"]) > 60


def blocks(document):
    text = (ROOT / document).read_text()
    return re.findall(r"^```pycon\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("document", ["README.md", "docs/python.md"])
def test_documents(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = "\n".join(blocks(document))
    assert source
    test = doctest.DocTestParser().get_doctest(source, {}, document, document, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report = []
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
    assert os.getcwd() == str(tmp_path)
