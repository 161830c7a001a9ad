"""Data folders, training and run folders."""

import json
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import spml
from conftest import make_toy


def test_datasets_are_mapped_views(folder, toy):
    x, truth, observed = toy
    data = spml.Dataset(folder)
    part = data.train
    assert part.features.dtype == np.float16
    assert np.array_equal(part.features, x.astype(np.float16))
    assert np.shares_memory(part.features, data.train.features)
    assert np.array_equal(part.observed, observed)
    assert data.test.rows == 100 and data.test.observed is None
    with pytest.raises(ValueError):
        part.truth[0, 0] = 1
    train, val = data.split()
    assert len(val) == 60 and sorted([*train, *val]) == list(range(300))
    features = part.features
    del part, data
    assert np.array_equal(features, x.astype(np.float16))


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(spml.Error, match="none"):
        spml.Dataset(tmp_path / "none")


def test_train_returns_the_record_and_calls_back(folder, toy):
    epochs, steps, threads = [], [], set()

    def on_step(step, total, epoch):
        steps.append(step)
        threads.add(threading.current_thread())

    run = folder / "run"
    result = spml.train(
        folder, loss="role", k=1.5, epochs=3, lr=0.01, out=run, on_epoch=epochs.append, on_step=on_step
    )
    assert result["loss"] == "role"
    assert [epoch["epoch"] for epoch in epochs] == [1, 2, 3]
    assert steps == list(range(1, result["steps"] + 1))
    assert threads == {threading.current_thread()}
    assert [e["val_map"] for e in result["history"]] == [e["val_map"] for e in epochs]
    assert result["test_map"] > 50
    x = toy[0]
    loaded = spml.load(run)
    assert np.array_equal(loaded.predict(x), result.model.predict(x))
    assert np.array_equal(loaded.predict(x.tolist()), loaded.predict(x))
    assert loaded.result["val_map"] == result["val_map"]
    assert np.array_equal(loaded.predict_labels(x), loaded.predict(x) >= loaded.thresholds)
    result.model.save(folder / "copy")
    assert np.array_equal(spml.load(folder / "copy").weight, loaded.weight)
    with pytest.raises(spml.Error, match="not empty|exists"):
        spml.train(folder, loss="an", out=run)


def test_the_record_is_that_of_result_json(folder):
    result = spml.train(folder, trials=7, epochs=5, out=folder / "run")
    written = json.loads((folder / "run" / "result.json").read_text())
    assert {name: result[name] for name in written} == written
    assert (folder / "run" / "search.jsonl").exists()
    memory = spml.train(folder, trials=7, epochs=5)
    times = {"seconds", "train_seconds", "history"}
    assert set(memory) == set(result)
    assert {k: v for k, v in memory.items() if k not in times} == {
        k: v for k, v in result.items() if k not in times
    }
    assert np.array_equal(memory.model.weight, result.model.weight)
    assert np.array_equal(memory.model.thresholds, result.model.thresholds)


def test_threads_and_folders_do_not_change_the_model(folder):
    data = spml.Dataset(folder)
    part = data.train
    settings = dict(loss="role", k=1.5, epochs=2, seed=3)
    one = spml.train(data, threads=1, **settings).model
    arrays = spml.train(
        features=part.features, observed=part.observed, truth=part.truth, threads=2, **settings
    ).model
    assert np.array_equal(one.weight, arrays.weight)
    assert np.array_equal(one.thresholds, arrays.thresholds)


def test_a_wrong_setting_is_named(folder):
    with pytest.raises(spml.Error, match="did you mean 'epochs'"):
        spml.train(folder, epoch=3)
    with pytest.raises(spml.Error, match="transform: expected none, sqrt"):
        spml.train(folder, loss="an", transform="log")
    with pytest.raises(spml.Error, match="batch: expected a whole number.*found '-1'"):
        spml.train(folder, loss="an", batch=-1)
    with pytest.raises(spml.Error, match="lr: the search chooses it"):
        spml.train(folder, lr=0.1)
    with pytest.raises(spml.Error, match="blend_ridge: the search chooses it"):
        spml.train(folder, blend_ridge=False)
    with pytest.raises(spml.Error, match="apply only to the search"):
        spml.train(folder, loss="an", refit=True)
    with pytest.raises(spml.Error, match="features"):
        spml.train(loss="an")


def test_every_setting_of_the_table_is_a_keyword(folder):
    names = {setting["name"] for setting in spml._spml.train_settings()}
    assert {"lr", "weight_decay", "average", "blend_ridge", "min_delta", "record"} <= names
    result = spml.train(
        folder, loss="an", epochs=2, average=2, blend_ridge=True, weight_decay=np.float32(0.5),
        observe=(1, 0, 7),
    )
    assert result["average"] == 2 and result["blend_ridge"] is True and result["weight_decay"] == 0.5


def test_an_exception_in_a_callback_ends_the_training(toy):
    x, _, observed = toy
    seen = []

    def fail(step, total, epoch):
        seen.append(step)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        spml.train(features=x, observed=observed, loss="an", on_step=fail)
    assert seen == [1]


def test_other_threads_of_python_run_during_a_fit(toy):
    # The callback waits for a thread that can only run where the GIL is free.
    x, _, observed = toy
    ran = threading.Event()
    thread = threading.Thread(target=ran.set)

    def on_step(step, total, epoch):
        if step == 1:
            thread.start()
        if step == 2:
            assert ran.wait(60)

    spml.train(features=x, observed=observed, loss="an", epochs=1, on_step=on_step)
    thread.join()


FIT_FOR_HOURS = """
import sys, threading
import numpy as np
import spml
x = np.random.RandomState(0).uniform(-1, 1, (2000, 256)).astype(np.float32)
y = np.eye(20, dtype=np.int8)[np.arange(2000) % 20]
steps = []
def on_notice(text): pass
threading.Timer(1, lambda: print("training", flush=True)).start()  # runs while C++ trains
try:
    {call}
except KeyboardInterrupt:
    sys.exit(42)
"""


@pytest.mark.parametrize(
    "call",
    [
        "spml.SinglePositiveClassifier(max_iter=50_000).fit(x, y)",
        "spml.SinglePositiveClassifier('an', max_iter=50_000).fit(x, y)",
        "spml.train(features=x, observed=y, loss='an', epochs=50_000)",
    ],
)
def test_control_c_stops_a_fit(call):
    code = FIT_FOR_HOURS.format(call=call)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"training\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 42


def test_results_outlive_what_made_them():
    x, _, observed = make_toy(50)
    scores = spml.train(features=x, observed=observed, loss="an", epochs=1).model.predict(x)
    assert np.isfinite(scores).all() and scores.flags.writeable
