#!/usr/bin/env python3
"""Writes tests/data/losses.json: values and gradients of Keras's losses on the JAX backend.

Usage: python tools/goldens/loss_goldens.py [output]
Needs keras and jax (CPU).
"""

import json
import os
import pathlib
import sys

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import keras
import numpy as np

rng = np.random.default_rng(7)


def tensor(x):
    x = np.asarray(x)
    return {"shape": list(x.shape), "dtype": x.dtype.name,
            "values": [round(float(v), 5) if x.dtype.kind == "f" else int(v) for v in x.reshape(-1)]}


def rounded(x):
    return [float(f"{v:.7g}") for v in np.asarray(x, np.float64).reshape(-1)]


def real(*shape):
    return rng.normal(size=shape).astype(np.float32).round(5)


def unit(*shape):
    return rng.uniform(0.02, 0.98, size=shape).astype(np.float32).round(5)



def labels(classes, *shape, dtype=np.int32):
    return rng.integers(0, classes, size=shape).astype(dtype)


def one_hot(x, classes):
    return np.eye(classes, dtype=np.float32)[x]


cases = []


def add(name, y_true, y_pred, weight=None, mask=None, **config):
    loss = getattr(keras.losses, name)(**config)

    def value(p):
        p = jnp.asarray(p)
        if mask is not None:
            keras.src.backend.set_keras_mask(p, jnp.asarray(mask))
        return loss(y_true, p, sample_weight=weight)

    case = {"class": name, "config": config, "y_true": tensor(y_true), "y_pred": tensor(y_pred)}
    if weight is not None:
        case["weight"] = tensor(weight)
    if mask is not None:
        case["mask"] = tensor(mask)
    out = value(y_pred)
    case["out"] = {"shape": list(out.shape), "values": rounded(out)}
    if mask is None and y_pred.dtype == np.float32 and out.shape == ():
        gradient = jax.grad(lambda p: value(p))(jnp.asarray(y_pred))
        if np.isfinite(np.asarray(gradient)).all():
            case["gradient"] = rounded(gradient)
    cases.append(case)


PLAIN = ["MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError",
         "LogCosh", "Poisson", "KLDivergence", "Hinge", "SquaredHinge", "CategoricalHinge", "CosineSimilarity",
         "Huber"]
for name in PLAIN:
    positive = name in ("MeanSquaredLogarithmicError", "Poisson", "KLDivergence")
    draw = unit if positive else real
    add(name, draw(3, 4), draw(3, 4))
    add(name, draw(2, 3, 2), draw(2, 3, 2), weight=unit(2, 3))
    add(name, labels(2, 3, 2), draw(3, 2), weight=unit(3), reduction="sum")
    add(name, labels(2, 3), draw(3, 1), reduction="none")
    add(name, draw(2, 3, 2), draw(2, 3, 2), mask=np.array([[1, 1, 0], [1, 0, 0]], bool))
for reduction in ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none"):
    add("MeanSquaredError", real(4, 2), real(4, 2), reduction=reduction)
    add("MeanSquaredError", real(4, 2), real(4, 2), weight=unit(4), reduction=reduction)
    add("MeanSquaredError", real(2, 3, 1), real(2, 3, 1), weight=unit(2, 1), reduction=reduction,
        mask=np.array([[1, 0, 0], [1, 1, 0]], bool))
add("MeanSquaredError", real(4), real(4))
add("MeanSquaredError", real(4), real(4), reduction="sum")
add("MeanSquaredError", real(4, 1), real(4))
add("MeanSquaredError", labels(5, 4, dtype=np.int64), real(4, 1))
add("MeanSquaredError", real(4, 1), real(4, 3))
add("MeanSquaredError", real(4, 2), real(4, 2), weight=np.float32(0.5))
add("MeanSquaredError", real(2, 2), real(2, 2), mask=np.zeros((2,), bool))
add("Huber", 3 * real(3, 4), 3 * real(3, 4), delta=0.7)
add("CosineSimilarity", real(2, 3, 2), real(2, 3, 2), axis=1)
for logits in (False, True):
    draw = real if logits else unit
    far = (30 * real(3, 4)) if logits else np.array([[0, 1, 0.5, 1e-9]] * 3, np.float32)
    for smoothing in (0.0, 0.1):
        options = {"from_logits": logits, "label_smoothing": smoothing}
        add("BinaryCrossentropy", labels(2, 3, 4), draw(3, 4), **options)
        add("CategoricalCrossentropy", one_hot(labels(4, 3), 4), draw(3, 4), **options)
    add("BinaryCrossentropy", labels(2, 3, 4), far, from_logits=logits)
    add("BinaryCrossentropy", labels(2, 3), draw(3, 1), from_logits=logits)
    add("BinaryCrossentropy", unit(2, 3, 2), draw(2, 3, 2), from_logits=logits, axis=1, reduction="sum")
    add("BinaryCrossentropy", labels(2, 3, 2), draw(3, 2), weight=unit(3), from_logits=logits)
    add("CategoricalCrossentropy", unit(2, 3, 2), draw(2, 3, 2), from_logits=logits, axis=1)
    add("CategoricalCrossentropy", one_hot(labels(3, 2, 2), 3), draw(2, 2, 3), from_logits=logits,
        weight=unit(2, 2), reduction="sum")
    add("CategoricalCrossentropy", one_hot(labels(4, 3), 4), far, from_logits=logits, reduction="none")
    for dtype in (np.int32, np.int64, np.uint8, np.float32):
        add("SparseCategoricalCrossentropy", labels(4, 3, dtype=dtype), draw(3, 4), from_logits=logits)
    add("SparseCategoricalCrossentropy", labels(4, 3, 1), draw(3, 4), from_logits=logits, reduction="sum")
    add("SparseCategoricalCrossentropy", labels(3, 2, 4), draw(2, 4, 3), from_logits=logits, weight=unit(2, 4))
    add("SparseCategoricalCrossentropy", labels(3, 2, 3), draw(2, 3, 3), from_logits=logits, axis=1)
    add("SparseCategoricalCrossentropy", np.array([[0, 2, -1], [-1, 1, -1]], np.int32), draw(2, 3, 3),
        from_logits=logits, ignore_class=-1)
    add("SparseCategoricalCrossentropy", np.array([[0, 2, 255], [255, 1, 1]], np.int32), draw(2, 3, 3),
        from_logits=logits, ignore_class=255, weight=unit(2, 3), reduction="sum")
    add("SparseCategoricalCrossentropy", np.array([0, 2, 1], np.int32), draw(3, 3), from_logits=logits,
        ignore_class=0, reduction="none")

for logits in (False, True):
    draw = real if logits else unit
    for options in ({}, {"gamma": 3.0, "alpha": 0.4, "label_smoothing": 0.1}):
        add("BinaryFocalCrossentropy", labels(2, 3, 4), draw(3, 4), from_logits=logits, **options)
        add("BinaryFocalCrossentropy", labels(2, 3, 4), draw(3, 4), weight=unit(4), from_logits=logits,
            apply_class_balancing=True, axis=0, reduction="sum", **options)
        add("CategoricalFocalCrossentropy", one_hot(labels(4, 3), 4), draw(3, 4), from_logits=logits, **options)
        add("CategoricalFocalCrossentropy", unit(2, 3, 2), draw(2, 3, 2), from_logits=logits, axis=1,
            reduction="none", **options)
for q in (0.5, 0.8):
    add("CategoricalGeneralizedCrossEntropy", labels(4, 3), unit(3, 4), q=q)
    add("CategoricalGeneralizedCrossEntropy", labels(4, 2, 3, dtype=np.int64), unit(2, 3, 4), weight=unit(2, 3), q=q)
for name in ("Dice", "Tversky"):
    add(name, labels(2, 2, 3, 2), unit(2, 3, 2))
    add(name, labels(2, 2, 3, 2), unit(2, 3, 2), weight=unit(2), reduction="mean_with_sample_weight")
    add(name, labels(2, 2, 3, 2), unit(2, 3, 2), axis=(1, 2), reduction="none")
    add(name, labels(2, 2, 3, 2), unit(2, 3, 2), axis=-1, reduction="sum")
add("Tversky", labels(2, 2, 3, 2), unit(2, 3, 2), axis=(1, 2), alpha=0.3, beta=0.8)
for options in ({}, {"remove_diagonal": False}, {"reduction": "none"}):
    add("Circle", np.array([0, 1, 0, 2, 1, 0], np.int32), unit(6, 3), gamma=4.0, margin=0.3, **options)
add("Circle", labels(2, 5), unit(5, 2), weight=unit(5), gamma=2.0)
add("CTC", np.array([[1, 2, 2, 0], [3, 0, 0, 0], [1, 1, 2, 3]], np.int32), real(3, 8, 4))
add("CTC", np.array([[1, 2], [2, 2]], np.int32), real(2, 5, 3), weight=unit(2), reduction="none")
add("CTC", np.array([[1], [0]], np.int32), real(2, 1, 3), reduction="sum")

root = pathlib.Path(__file__).resolve().parents[2]
output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/losses.json"
text = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
output.write_text("[\n" + text + "\n]\n")
print(len(cases), "cases,", output.stat().st_size, "bytes")
