#!/usr/bin/env python3
"""Writes tests/data/loss_options.json and loss_shapes.json: losses with each of their options, and their gradients, on
patterned data.

Usage: KERAS_BACKEND=tensorflow python tools/goldens/loss_option_goldens.py [folder]
Other than loss_goldens.py this one covers dtypes, ranks, weights of all shapes with masks in each reduction, targets
that repeat, and batches of one or no sample.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from patterns import flags, full, labels, numbers, one_hot, positive, real, result_of, tensor_of, unit

cases = {"options": [], "shapes": []}
failed = []


def add(name, y, p, w=None, m=None, part="options", **config):
    loss = getattr(keras.losses, name)(**config)
    case = {"class": name, "y": y, "p": p}
    if config:
        case["config"] = config
    if w:
        case["w"] = w
    if m:
        case["m"] = m
    weight = ops.convert_to_tensor(tensor_of(w)) if w else None
    given = ops.convert_to_tensor(tensor_of(p))
    try:
        with tf.GradientTape() as tape:
            tape.watch(given)
            pred = tf.identity(given)
            if m:
                keras.src.backend.set_keras_mask(pred, ops.cast(tensor_of(m), "bool"))
            out = loss(tensor_of(y), pred, sample_weight=weight)
        case.update(result_of(out))
        gradient = tape.gradient(out, given)
    except Exception as e:
        failed.append((case, type(e).__name__, str(e)[:150]))
        return
    # TensorFlow takes the derivative of these as if the targets' sum were 1 along any axis.
    if name == "CategoricalCrossentropy" and config.get("from_logits"):
        gradient = None
    if gradient is not None and gradient.dtype in (tf.float32, tf.float64):
        gradient = ops.convert_to_tensor(gradient)
        if np.isfinite(gradient.numpy()).all() and gradient.numpy().size:
            case["gradient"] = numbers(gradient, 5)
    cases[part].append(case)


PAIRS = {"MeanSquaredError": (real, real), "MeanAbsoluteError": (real, real), "MeanAbsolutePercentageError": (real, real),
         "MeanSquaredLogarithmicError": (positive, positive), "LogCosh": (real, real), "Poisson": (unit, positive),
         "KLDivergence": (unit, unit), "Hinge": (flags, real), "SquaredHinge": (flags, real),
         "CategoricalHinge": (one_hot, real), "CosineSimilarity": (real, real), "Huber": (real, real),
         "BinaryCrossentropy": (flags, unit), "BinaryFocalCrossentropy": (flags, unit), "Dice": (flags, unit),
         "Tversky": (flags, unit), "CategoricalCrossentropy": (one_hot, unit), "CategoricalFocalCrossentropy": (one_hot, unit)}
REDUCTIONS = ["sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none"]


def pairs():
    """Data of all forms; each loss has a third of it, the next one another third."""
    count = 0

    def some(*arguments, **options):
        nonlocal count
        count += 1
        if count % 3 == 0:
            add(*arguments, part="shapes", **options)

    for i, (name, (true, draw)) in enumerate(PAIRS.items()):
        count = i
        region = name in ("Dice", "Tversky")
        options = {"axis": [2]} if region else {}
        # Each reduction with weights of each shape, and masks.
        for j, reduction in enumerate(REDUCTIONS):
            for k, (w, m) in enumerate(((unit(2), None), (unit(2, 1), None), (unit(2, 3), None), (full(0.5), None), (None, flags(2, 3)),
                         (unit(2, 3), flags(2, 3, phase=1)), (unit(2, 1), flags(2, 3)), (full(0, 2, 3), None), (None, full(0, 2, 3)))):
                if (i + j + k) % 4 == 0:
                    some(name, true(2, 3, 4), draw(2, 3, 4, phase=k), w, m, reduction=reduction, **options)
        some(name, true(2, 3, 2, 2), draw(2, 3, 2, 2, phase=1), unit(2, 3))
        # One sample; none; one value; rank 1.
        some(name, true(1, 3), draw(1, 3, phase=1))
        some(name, true(1, 1), draw(1, 1, phase=1), unit(1))
        for reduction in ("sum", "none", "sum_over_batch_size", "mean_with_sample_weight"):
            some(name, full(0, 0, 3), full(0, 0, 3), reduction=reduction)
        some(name, full(0, 0, 3), full(0, 0, 3), full(0, 0), reduction="mean_with_sample_weight")
        some(name, true(4), draw(4, phase=1), reduction="none")
        some(name, true(4), draw(4, phase=1), unit(4))
        some(name, true(4, 1), draw(4, phase=1), unit(4))
        some(name, true(4), draw(4, 1, phase=1), unit(4, 1), reduction="mean_with_sample_weight")
        if name != "CategoricalFocalCrossentropy":  # Cornu refuses targets that repeat there
            some(name, true(3, 1), draw(3, 4, phase=1), unit(3))
            some(name, true(1, 4), draw(3, 4, phase=1), reduction="none")
        # Types.
        for dtype in ("float16", "bfloat16", "float64"):
            some(name, true(3, 4), draw(3, 4, phase=1, dtype=dtype), unit(3, dtype=dtype))
            some(name, true(3, 4, dtype=dtype), draw(3, 4, phase=1), unit(3), dtype=dtype)
            some(name, true(3, 4), draw(3, 4, phase=1), dtype=dtype, reduction="none")
        for dtype in ("int64", "uint8", "bool"):
            some(name, flags(3, 4, dtype=dtype), draw(3, 4, phase=1), flags(3, phase=1, dtype=dtype))


def options():
    for logits in (False, True):
        draw = real if logits else unit
        for axis in (0, 1, -1):
            for smoothing in (0.0, 0.2):
                base = {"from_logits": logits, "label_smoothing": smoothing, "axis": axis}
                add("BinaryCrossentropy", flags(3, 2), draw(3, 2, phase=1), **base)
                add("BinaryFocalCrossentropy", flags(3, 2), draw(3, 2, phase=1), **base)
                add("CategoricalCrossentropy", one_hot(2, 3), draw(2, 3, phase=1), **base)
                add("CategoricalFocalCrossentropy", one_hot(2, 3), draw(2, 3, phase=1), **base)
            add("CategoricalCrossentropy", unit(2, 3, 2), draw(2, 3, 2, phase=1), unit(3, 2) if axis == 0 else unit(2, 2) if axis == 1 else unit(2, 3), from_logits=logits, axis=axis, label_smoothing=0.1)
        for balance in (False, True):
            for gamma in (0.0, 1.0, 3.5):
                add("BinaryFocalCrossentropy", flags(2, 3), draw(2, 3), apply_class_balancing=balance, alpha=0.7, gamma=gamma, from_logits=logits)
        for alpha in (0.5, [0.2, 0.3, 0.9]):
            add("CategoricalFocalCrossentropy", one_hot(2, 3), draw(2, 3), alpha=alpha, gamma=1.5, from_logits=logits)
            add("CategoricalFocalCrossentropy", one_hot(2, 2, 3), draw(2, 2, 3), unit(2, 2), alpha=alpha, gamma=0.0, from_logits=logits)
        for dtype in ("int8", "int16", "uint16", "int64", "float16", "float64", "bool"):
            add("SparseCategoricalCrossentropy", labels(2, 4, dtype=dtype), draw(4, 3), from_logits=logits)
        add("SparseCategoricalCrossentropy", labels(3, 4), draw(4, 3, dtype="float16"), from_logits=logits)
        add("SparseCategoricalCrossentropy", labels(3, 4), draw(4, 3), unit(4), from_logits=logits, dtype="float64")
        for reduction in REDUCTIONS:
            add("SparseCategoricalCrossentropy", labels(3, 2, 3), draw(2, 3, 3), None, flags(2, 3), from_logits=logits, ignore_class=1, reduction=reduction)
            add("SparseCategoricalCrossentropy", labels(3, 2, 3, 1), draw(2, 3, 3), unit(2, 3), from_logits=logits, ignore_class=0, reduction=reduction)
            add("SparseCategoricalCrossentropy", labels(3, 2, 3), draw(2, 3, 3), unit(2, 1), flags(2, 3), from_logits=logits, reduction=reduction)
        add("SparseCategoricalCrossentropy", labels(3, 2, 2, 2), draw(2, 2, 2, 3), from_logits=logits)
        add("SparseCategoricalCrossentropy", full(2, 3, dtype="int32"), draw(3, 4), from_logits=logits, ignore_class=2)
        add("SparseCategoricalCrossentropy", full(0, 0, dtype="int32"), full(0, 0, 4), from_logits=logits)
        add("SparseCategoricalCrossentropy", labels(3, 1), draw(3), from_logits=logits)
        add("CategoricalCrossentropy", one_hot(3), draw(3), from_logits=logits)
        far = full(80, 2, 3) if logits else full(1, 2, 3)
        add("BinaryCrossentropy", flags(2, 3), far, from_logits=logits)
        add("CategoricalCrossentropy", one_hot(2, 3), far, from_logits=logits)
        add("CategoricalCrossentropy", one_hot(2, 3), full(0, 2, 3), from_logits=logits)
    for delta in (0.1, 1.5, 10.0):
        add("Huber", real(2, 3), real(2, 3, phase=2), unit(2), delta=delta)
    for axis in (0, 1, -2):
        add("CosineSimilarity", real(3, 4), real(3, 4, phase=1), axis=axis)
    add("CosineSimilarity", full(0, 2, 3), real(2, 3))
    for q in (0.1, 0.9):
        add("CategoricalGeneralizedCrossEntropy", labels(3, 4), unit(4, 3), unit(4), q=q)
        add("CategoricalGeneralizedCrossEntropy", labels(3, 4), unit(4, 3), q=q, reduction="none")
    for axis in (None, [0], [1, 2], -1, [0, 1, 2]):
        add("Dice", flags(2, 3, 2), unit(2, 3, 2), axis=axis, reduction="none")
        add("Tversky", flags(2, 3, 2), unit(2, 3, 2), axis=axis, alpha=0.2, beta=1.3)
    for y in (full(0, 2, 3), full(1, 2, 3)):
        add("Dice", y, unit(2, 3))
        add("Tversky", y, full(0, 2, 3), alpha=0.0, beta=0.0)
    for margin in (0.0, 0.6):
        for diagonal in (True, False):
            add("Circle", labels(2, 5), unit(5, 2), gamma=3.0, margin=margin, remove_diagonal=diagonal)
            add("Circle", labels(2, 5), unit(5, 2), unit(5), gamma=3.0, margin=margin, remove_diagonal=diagonal, reduction="sum")
    add("Circle", full(1, 3, dtype="int32"), unit(3, 2))
    add("Circle", labels(3, 3), unit(3, 2, dtype="float64"), dtype="float64", gamma=5.0)
    for true, draw, phase in ((unit, unit, 2), (real, real, 1), (flags, real, 0), (full, real, 0)):
        for name in ("Hinge", "SquaredHinge", "CategoricalHinge"):
            add(name, full(-1, 2, 3) if true is full else true(2, 3, phase=phase), draw(2, 3))
    for name in ("MeanSquaredLogarithmicError", "Poisson", "KLDivergence", "MeanAbsolutePercentageError"):
        add(name, real(2, 3), real(2, 3, phase=2))
        add(name, full(0, 2, 3), real(2, 3, phase=2))
        add(name, full(0, 2, 3), full(0, 2, 3))


pairs()
options()
root = pathlib.Path(__file__).resolve().parents[2]
folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data"
for part, listed in cases.items():
    output = folder / f"loss_{part}.json"
    output.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in listed) + "\n]\n")
    print(output, len(listed), "cases,", output.stat().st_size, "bytes")
for f in failed:
    print("Keras cannot:", *f)
