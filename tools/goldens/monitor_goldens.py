#!/usr/bin/env python3
"""Writes tests/data/monitors.json: what Keras's callbacks that watch a figure do, for many options and courses of it.

Usage: KERAS_BACKEND=tensorflow python tools/goldens/monitor_goldens.py [output]
No model is trained: the callbacks' hooks are called with made-up figures. A course is a list of figures, one for each
epoch; null is an epoch that has none.
"""

import itertools
import json
import math
import os
import pathlib
import sys
import warnings

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np

warnings.filterwarnings("ignore")
nan, inf = math.nan, math.inf
COURSES = [
    [1.0, 0.9, 0.8, 0.75, 0.72, 0.6, 0.55, 0.3, 0.2, 0.1],
    [0.2, 0.4, 0.3, 0.6, 0.6, 0.6, 0.55, 0.7, 0.1, 0.9],
    [0.5] * 10,
    [0.9, nan, 0.7, 0.7, inf, 0.4, nan, nan, 0.45, 0.3],
    [nan, 0.5, 0.4, 0.6, 0.3, 0.2, 0.8, 0.1, 0.05, 0.0],
    [0.8, None, 0.7, None, None, 0.9, 1.0, 0.4, None, 0.5],
]


class Recorded(keras.Model):
    """A model of one weight, which notes the epochs of its saves."""

    def __init__(self):
        super().__init__()
        self.w = self.add_weight(name="w", shape=(), initializer="zeros")
        self.built = True
        self.saves = []

    def call(self, x):
        return x * self.w

    def save(self, path, **options):
        self.saves.append(int(pathlib.Path(path).stem))


def make_model():
    model = Recorded()
    model.compile(optimizer=keras.optimizers.SGD(1.0), loss="mse")
    return model


def number(x):
    if x is None:
        return None
    x = float(x)
    return float(f"{x:.7g}") if math.isfinite(x) else str(x)


def grid(**choices):
    return [dict(zip(choices, values)) for values in itertools.product(*choices.values())]


def follow(callback, course, after_epoch):
    """Calls the hooks of a fit whose epochs have these figures; the weight is the number of the epoch."""
    model = make_model()
    callback.set_model(model)
    callback.set_params({"epochs": len(course), "steps": 1})
    callback.on_train_begin()
    for epoch, figure in enumerate(course):
        model.w.assign(epoch)
        callback.on_epoch_begin(epoch)
        callback.on_epoch_end(epoch, {} if figure is None else {"figure": figure})
        after_epoch(model)
        if model.stop_training:
            break
    callback.on_train_end()
    return model


def early_stopping(options):
    outcomes = []
    for course in COURSES:
        callback = keras.callbacks.EarlyStopping(monitor="figure", **options)
        model = follow(callback, course, lambda model: None)
        outcomes.append([callback.stopped_epoch, callback.best_epoch, number(callback.best), number(model.w)])
    return outcomes


def plateau(options):
    outcomes = []
    for course in COURSES:
        rates = []
        callback = keras.callbacks.ReduceLROnPlateau(monitor="figure", **options)
        follow(callback, course, lambda model: rates.append(number(model.optimizer.learning_rate)))
        # The epochs of the changes, with the new rates.
        outcomes.append([[e, r] for e, r in enumerate(rates) if r != (rates[e - 1] if e else 1.0)])
    return outcomes


def checkpoint(options):
    outcomes = []
    for course in COURSES:
        callback = keras.callbacks.ModelCheckpoint("{epoch}.keras", monitor="figure", **options)
        outcomes.append([epoch - 1 for epoch in follow(callback, course, lambda model: None).saves])
    return outcomes


def main():
    result = {"courses": [[number(v) for v in course] for course in COURSES], "cases": []}
    kinds = {
        "EarlyStopping": (early_stopping, grid(
            patience=[0, 3], min_delta=[0.0, 0.1, -0.1], baseline=[None, 0.5], mode=["min", "max"],
            restore_best_weights=[False, True], start_from_epoch=[0, 3])),
        "ReduceLROnPlateau": (plateau, grid(
            factor=[0.5, 0.1], patience=[0, 2], cooldown=[0, 2], min_delta=[1e-4, 0.1], min_lr=[0.0, 0.3],
            mode=["min", "max"])),
        "ModelCheckpoint": (checkpoint, grid(
            save_best_only=[True, False], initial_value_threshold=[None, 0.5], mode=["min", "max"])),
    }
    for name, (run, all_options) in kinds.items():
        for options in all_options:
            result["cases"].append({"class": name, "options": options, "outcomes": run(options)})
    root = pathlib.Path(__file__).resolve().parents[2]
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/monitors.json"
    courses = json.dumps(result["courses"], separators=(",", ":"))
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in result["cases"])
    output.write_text(f'{{"courses":{courses},"cases":[\n{lines}\n]}}\n')
    print(len(result["cases"]), "cases,", output.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
