#!/usr/bin/env python3
"""Writes tests/data/callbacks.json: trainings with callbacks, by Keras.

Usage: KERAS_BACKEND=tensorflow python tools/goldens/callback_goldens.py [output]
Each case is a run of fit (then evaluate and predict) of the same little model on the same numbers,
with the named callbacks and a recorder behind them: which hooks were called in which order, with
which logs, what stands in the files, and the weights at the end.
"""

import json
import os
import pathlib
import sys
import tempfile

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
from keras import callbacks

HOOKS = [
    f"on_{what}_{end}" for what in ("train", "test", "predict", "epoch", "train_batch", "test_batch",
                                    "predict_batch") for end in ("begin", "end")
]


def wave(shape, phase=0):
    """Numbers between -1 and 1; tests/callbacks makes the same."""
    count = int(np.prod(shape))
    return np.sin(np.arange(count) * 0.7 + phase).astype("float32").reshape(shape)


def number(value):
    value = np.asarray(value, dtype="float64")
    rounded = [float(f"{v:.7g}") if np.isfinite(v) else str(v) for v in value.ravel()]
    return rounded[0] if value.ndim == 0 else rounded


class Recorder(keras.callbacks.Callback):
    """Keeps every call: the hook, its index or None, and the logs."""

    def __init__(self, events, label=""):
        super().__init__()
        for hook in HOOKS:
            setattr(self, hook, self.hook(events, label + hook))

    @staticmethod
    def hook(events, name):
        def record(*arguments, **named):
            arguments = list(arguments) + list(named.values())
            index = arguments.pop(0) if arguments and isinstance(arguments[0], int) else None
            logs = arguments[0] if arguments and arguments[0] is not None else {}
            # predict hands its outputs on; no figures.
            figures = {key: number(value) for key, value in logs.items() if key != "outputs"}
            events.append([name, index, figures])

        return record


def make_model(classes, compile_options):
    model = keras.Sequential([
        keras.Input((4,)),
        keras.layers.Dense(5, activation="tanh"),
        keras.layers.Dense(classes, activation="softmax" if classes > 1 else None),
    ])
    model.set_weights([wave(w.shape, i) for i, w in enumerate(model.get_weights())])
    options = {"optimizer": {"learning_rate": 0.1}, "loss": "mse", "metrics": ["mae"]}
    options.update(compile_options)
    options["optimizer"] = keras.optimizers.SGD(**options["optimizer"])
    metrics = [keras.metrics.F1Score() if m == "f1_score" else m for m in options["metrics"]]
    model.compile(**{**options, "metrics": metrics})
    return model


SCHEDULES = {
    "half": lambda epoch, rate: rate * 0.5,
    "absolute": lambda epoch: 0.1 / (1 + epoch),
}


def make_callback(name, options, folder):
    options = {
        key: str(folder / value) if key in ("filename", "filepath", "backup_dir") else value
        for key, value in options.items()
    }
    if name == "LearningRateScheduler":
        options["schedule"] = SCHEDULES[options["schedule"]]
    return getattr(callbacks, name)(**options)


def run(name, listed=(), classes=1, compile_options={}, fit={}, val_phase=2.0, recorders=1):
    model = make_model(classes, compile_options)
    x, y = wave((10, 4)), wave((10, classes), 1)
    val = (wave((6, 4), 3), wave((6, classes), val_phase))
    if classes > 1:
        y, val = np.eye(classes, dtype="float32")[np.arange(10) % classes], (
            val[0], np.eye(classes, dtype="float32")[np.arange(6) % classes])
    events = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        made = [make_callback(c, o, folder) for c, o in listed]
        made += [Recorder(events, f"{i}:" if recorders > 1 else "") for i in range(recorders)]
        options = {"epochs": 2, "batch_size": 4, **fit}
        arguments = dict(options)
        if arguments.pop("validate", True):
            arguments["validation_data"] = val
        history = model.fit(x, y, shuffle=False, verbose=0, callbacks=made, **arguments)
        final = [number(w.ravel()) for w in model.get_weights()]
        evaluating = not listed
        if evaluating:
            model.evaluate(*val, batch_size=4, verbose=0, callbacks=made)
            model.predict(val[0], batch_size=4, verbose=0, callbacks=made)
        files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
        tables = {f: (folder / f).read_text() for f in files if f.endswith(".csv")}
    return {
        "name": name,
        "callbacks": [list(pair) for pair in listed],
        "classes": classes,
        "compile": compile_options,
        "fit": options,
        "val_phase": val_phase,
        "recorders": recorders,
        "evaluates": evaluating,
        "events": events,
        "history": {key: [number(v) for v in values] for key, values in history.history.items()},
        "epochs": list(history.epoch),
        "weights": final,
        "files": files,
        "tables": tables,
    }


def cases():
    yield run("order of hooks")
    yield run("two callbacks", recorders=2, fit={"epochs": 1})
    yield run("steps_per_execution", compile_options={"steps_per_execution": 2})
    yield run("validation every second epoch", fit={"epochs": 3, "validation_freq": 2})
    yield run("without validation", fit={"validate": False})
    yield run("later first epoch", fit={"initial_epoch": 2, "epochs": 4})
    yield run("steps of an epoch", fit={"steps_per_epoch": 2, "epochs": 3, "validate": False})
    yield run("array-valued logs", classes=3, compile_options={
        "loss": "categorical_crossentropy", "metrics": ["f1_score", "accuracy"]})
    early = {"monitor": "val_loss", "patience": 1}
    for extra in ({}, {"restore_best_weights": True}, {"baseline": 0.01},
                  {"start_from_epoch": 2, "patience": 2}, {"min_delta": 0.5, "patience": 0},
                  {"monitor": "val_mae", "mode": "max", "restore_best_weights": True},
                  {"monitor": "loss", "min_delta": 0.02}):
        yield run(f"EarlyStopping {extra}", [("EarlyStopping", {**early, **extra})],
                  fit={"epochs": 8})
    for extra in ({}, {"cooldown": 2}, {"min_lr": 0.04}, {"min_delta": 0.1, "monitor": "loss"},
                  {"mode": "max"}):
        yield run(f"ReduceLROnPlateau {extra}",
                  [("ReduceLROnPlateau", {"factor": 0.5, "patience": 1, **extra})],
                  fit={"epochs": 8})
    for schedule in SCHEDULES:
        yield run(f"LearningRateScheduler {schedule}",
                  [("LearningRateScheduler", {"schedule": schedule})], fit={"epochs": 3})
    yield run("CSVLogger", [("CSVLogger", {"filename": "log.csv"})], fit={"epochs": 3})
    yield run("CSVLogger with a separator", [("CSVLogger", {"filename": "log.csv", "separator": ";"})],
              fit={"epochs": 3, "validation_freq": 2})
    yield run("CSVLogger of arrays", [("CSVLogger", {"filename": "log.csv"})], classes=3,
              compile_options={"loss": "categorical_crossentropy", "metrics": ["f1_score"]})
    path = "{epoch:02d}-{val_loss:.2f}.keras"
    for options in ({"filepath": path}, {"filepath": path, "save_best_only": True},
                    {"filepath": path, "save_best_only": True, "monitor": "loss",
                     "initial_value_threshold": 0.4},
                    {"filepath": "{epoch}.weights.h5", "save_weights_only": True},
                    {"filepath": "{epoch}-{batch:03d}-{mae:.3f}.keras", "save_freq": 2}):
        yield run(f"ModelCheckpoint {options}", [("ModelCheckpoint", options)], fit={"epochs": 4})
    ema = {"optimizer": {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.5}}
    yield run("SwapEMAWeights", [("SwapEMAWeights", {})], compile_options=ema, fit={"epochs": 3})
    yield run("SwapEMAWeights on epochs", [("SwapEMAWeights", {"swap_on_epoch": True})],
              compile_options=ema, fit={"epochs": 3})
    yield run("TerminateOnNaN", [("TerminateOnNaN", {})], fit={"epochs": 4},
              compile_options={"optimizer": {"learning_rate": 1e30}})
    yield run("BackupAndRestore", [("BackupAndRestore", {"backup_dir": "backup"})])


def main():
    here = pathlib.Path(__file__).resolve().parents[2]
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "tests/data/callbacks.json"
    found = list(cases())
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in found)
    output.write_text(f'{{"keras":"{keras.__version__}","cases":[\n{lines}\n]}}\n')
    print(f"{output}: {len(found)} cases, {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
