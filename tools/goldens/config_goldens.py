#!/usr/bin/env python3
"""Writes tests/data/configs.json: what Keras writes into files of metrics, losses, optimizers and schedules, with their
defaults and with all options at other values.

Usage: KERAS_BACKEND=jax python tools/goldens/config_goldens.py [output]
"""

import inspect
import json
import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")

import keras

# Values of options by name, in place of those that VALUES_OF_TYPE makes; classes that have others stand below.
OPTIONS = {
    "reduction": "sum", "dtype": "float64", "average": "macro", "curve": "PR", "summation_method": "majoring",
    "thresholds": [0.25, 0.5], "label_weights": [0.5, 1.5], "class_aggregation": "variance_weighted_average",
    "num_classes": 4, "target_class_ids": [1, 3], "class_id": 1, "top_k": 2, "ignore_class": 2, "threshold": 0.75,
    "recall": 0.25, "precision": 0.75, "sensitivity": 0.5, "specificity": 0.125, "num_labels": 2, "q": 0.25,
    "weight_decay": 0.0625, "clipnorm": 2.0, "clipvalue": None, "global_clipnorm": None, "ema_overwrite_frequency": 5,
    "loss_scale_factor": 32.0, "gradient_accumulation_steps": 3, "learning_rate": 0.5, "momentum": 0.5,
    "learning_rate_power": -0.75, "exclude_layers": ["head"], "adam_weight_decay": 0.25, "rms_rate": 0.5,
    "relative_step": False, "initial_learning_rate": 0.5, "decay_steps": 10, "decay_rate": 0.25, "first_decay_steps": 7,
    "boundaries": [3, 8], "values": [1.0, 0.5, 0.25], "warmup_target": 0.75, "beta_1": 0.5, "ema_momentum": 0.75,
}
REQUIRED = ("num_classes", "target_class_ids", "recall", "precision", "sensitivity", "specificity",
            "initial_learning_rate", "decay_steps", "decay_rate", "first_decay_steps", "boundaries", "values")
SPECIAL = {"Dice": {"axis": [1, 2]}, "Tversky": {"axis": [1, 2]}, "BinaryIoU": {"target_class_ids": [1]},
           "AUC": {"multi_label": True, "num_thresholds": 9, "label_weights": [0.5, 1.5]}}
LEFT_OUT = {"Metric", "Loss", "Optimizer", "MeanMetricWrapper", "LossFunctionWrapper", "MultiOptimizer",
            "LossScaleOptimizer", "LearningRateSchedule", "OptimizerMap"}


def other_value(name, default):
    if name in OPTIONS:
        return OPTIONS[name]
    if name == "name":
        return "other_name"
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return default + 1 if name != "axis" else -2
    if isinstance(default, float):
        return default / 2 + 0.25
    return default


def objects():
    for module, base in ((keras.metrics, keras.metrics.Metric), (keras.losses, keras.losses.Loss),
                         (keras.optimizers, keras.optimizers.Optimizer),
                         (keras.optimizers.schedules, keras.optimizers.schedules.LearningRateSchedule)):
        for name in sorted(dir(module)):
            cls = getattr(module, name)
            if not inspect.isclass(cls) or not issubclass(cls, base) or name in LEFT_OUT or name != cls.__name__:
                continue
            parameters = [p for p in inspect.signature(cls.__init__).parameters.values()
                          if p.name != "self" and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
            plain = {p.name: OPTIONS[p.name] for p in parameters if p.name in REQUIRED and p.default is p.empty}
            options = {p.name: other_value(p.name, p.default) for p in parameters} | SPECIAL.get(name, {})
            for given in (plain, options):
                try:
                    yield cls(**given)
                except ValueError as e:
                    sys.exit(f"{name} {given}: {e}")


def main():
    lines = [json.dumps(keras.saving.serialize_keras_object(x), separators=(",", ":")) for x in objects()]
    root = pathlib.Path(__file__).resolve().parents[2]
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/configs.json"
    output.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(len(lines), "objects,", output.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
