#!/usr/bin/env python3
"""Writes tests/data/metric_options.json, metric_shapes.json and metric_counts.json: metrics with each of their options,
on patterned data.

Usage: KERAS_BACKEND=tensorflow python tools/goldens/metric_option_goldens.py [folder]
Other than metric_goldens.py this one covers dtypes, ranks, weights of all shapes, masks, and one class or sample.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
from keras import ops

from patterns import flags, full, labels, one_hot, real, result_of, tensor_of, unit

cases = {"options": [], "shapes": [], "counts": []}
failed = []
part = "options"  # of the cases that are added


def add(name, *batches, **config):
    """A batch is a dict of patterns: y, p, w (weights), m (mask of p)."""
    metric = getattr(keras.metrics, name)(**config)
    case = {"class": name, "config": config, "steps": []}
    for batch in batches:
        given = {key: ops.convert_to_tensor(tensor_of(p)) for key, p in batch.items()}
        if "m" in given:
            target = given["p"] if "p" in given else given["y"]
            keras.src.backend.set_keras_mask(target, ops.cast(given["m"], "bool"))
        arguments = [given["y"]] + ([given["p"]] if "p" in given else [])
        try:
            metric.update_state(*arguments, sample_weight=given.get("w"))
            out = metric.result()
        except Exception as e:
            failed.append((name, config, batch, type(e).__name__, str(e)[:150]))
            continue
        case["steps"].append({**batch, **result_of(out)})
    if case["steps"]:
        cases[part].append(case)


def b(y, p=None, w=None, m=None):
    return {key: x for key, x in (("y", y), ("p", p), ("w", w), ("m", m)) if x is not None}


PAIRS = ["MeanSquaredError", "MeanAbsoluteError", "RootMeanSquaredError", "MeanAbsolutePercentageError",
         "MeanSquaredLogarithmicError", "LogCoshError", "KLDivergence", "Poisson", "Hinge", "SquaredHinge",
         "CategoricalHinge", "CosineSimilarity", "BinaryAccuracy", "Accuracy", "BinaryCrossentropy"]


def pairs():
    """Data of all forms; each metric has a half of it, the next one the other half."""
    count = 0

    def some(*arguments, **options):
        nonlocal count
        count += 1
        if count % 2 == 0:
            add(*arguments, **options)

    for i, name in enumerate(PAIRS):
        count = i
        draw = real if name in ("MeanSquaredError", "Hinge", "SquaredHinge", "LogCoshError", "CosineSimilarity") else unit
        true = (lambda *s, **k: labels(3, *s, **k)) if name == "Accuracy" else flags if "Binary" in name else draw
        if name == "Accuracy":
            draw = lambda *s, **k: labels(3, *s, **{"dtype": "int32", **k})
        # One sample, of rank 2 and 4; weights as long as the batch, and of each value's shape.
        some(name, b(true(1, 3, phase=i), draw(1, 3, phase=1)), b(true(1, 3), draw(1, 3, phase=i + 2), full(0.25, 1)))
        some(name, b(true(2, 3, 2, 2, phase=i), draw(2, 3, 2, 2, phase=i + 1)),
            b(true(2, 3, 2, 2), draw(2, 3, 2, 2, phase=3), unit(2)), b(true(2, 3, 2, 2), draw(2, 3, 2, 2, phase=4), unit(2, 3)),
            b(true(2, 3, 2, 2), draw(2, 3, 2, 2, phase=i), unit(2, 3, 2)),
            b(true(2, 3, 2, 2), draw(2, 3, 2, 2, phase=i), unit(2, 1)), b(true(2, 3, 2, 2), draw(2, 3, 2, 2), full(0.5)))
        # Masks, alone and with weights. Keras's RootMeanSquaredError does not look at them, Cornu's is the root of the
        # MeanSquaredError.
        masked = (lambda *a, **k: None) if name == "RootMeanSquaredError" else some
        masked(name, b(true(3, 4, 2), draw(3, 4, 2, phase=i), None, flags(3, 4)),
            b(true(3, 4, 2), draw(3, 4, 2, phase=2), unit(3, 4), flags(3, 4, phase=i)),
            b(true(3, 4, 2), draw(3, 4, 2, phase=2), unit(3, 1), flags(3, 4, phase=i)),
            b(true(3, 4, 2), draw(3, 4, 2, phase=5), None, full(0, 3, 4)))
        masked(name, b(true(4, 2), draw(4, 2, phase=i), unit(4), flags(4)), b(true(4, 2), draw(4, 2), unit(4, 1), flags(4)))
        # Types.
        for dtype in ("float16", "bfloat16", "float64"):
            some(name, b(true(3, 2, phase=i, dtype=dtype), draw(3, 2, phase=i + 1, dtype=dtype)),
                b(true(3, 2), draw(3, 2, phase=1), unit(3, dtype=dtype)))
            some(name, b(true(3, 2, phase=i), draw(3, 2, phase=i + 1)), b(true(3, 2), draw(3, 2, phase=1), unit(3)), dtype=dtype)
        # Targets of whole numbers and truth values, and weights of them.
        for dtype in ("int64", "uint8", "bool"):
            some(name, b(flags(4, 2, phase=i, dtype=dtype), draw(4, 2, phase=1)),
                b(flags(4, 2, dtype=dtype), draw(4, 2, phase=1), flags(4, phase=2, dtype=dtype)))
        # Rank 1 in one of them, which in these Keras spreads to all pairs, other than in its losses.
        if name not in ("KLDivergence", "Poisson", "Hinge", "SquaredHinge", "CategoricalHinge"):
            some(name, b(true(4), draw(4, 1, phase=i)), b(true(4, 1), draw(4)), b(true(4), draw(4, 1), unit(4)))
        # Rank 1, and repeated targets.
        some(name, b(true(4), draw(4), unit(4)))
        some(name, b(true(3, 1), draw(3, 4, phase=i)), b(true(3, 1), draw(3, 4, phase=1), unit(3)))
        some(name, b(true(1, 4), draw(3, 4, phase=i)))


def classes():
    for logits in (False, True):
        draw = real if logits else unit
        for smoothing in (0, 0.3):
            add("BinaryCrossentropy", b(flags(3, 2), draw(3, 2, phase=1)), b(flags(3, 2), draw(3, 2), unit(3, 1)),
                from_logits=logits, label_smoothing=smoothing)
            add("CategoricalCrossentropy", b(one_hot(3, 4), draw(3, 4, phase=1)), b(one_hot(3, 4), draw(3, 4), unit(3)),
                from_logits=logits, label_smoothing=smoothing)
            add("CategoricalCrossentropy", b(one_hot(2, 3, 4), draw(2, 3, 4, phase=1), unit(2, 3)),
                b(one_hot(2, 3, 4), draw(2, 3, 4), None, flags(2, 3)), from_logits=logits, label_smoothing=smoothing)
        for axis in (0, 1, 2, -2):
            add("CategoricalCrossentropy", b(unit(2, 3, 4), draw(2, 3, 4, phase=1)), b(unit(2, 3, 4), draw(2, 3, 4), unit(2, 4) if axis in (1, -2) else None),
                from_logits=logits, axis=axis, label_smoothing=0.1)
        for axis, shape in ((1, (2, 4)), (2, (2, 3)), (-2, (2, 4)), (0, (3, 4))):
            size = (2, 3, 4)[axis]
            add("SparseCategoricalCrossentropy", b(labels(size, *shape), draw(2, 3, 4, phase=1)),
                b(labels(size, *shape), draw(2, 3, 4), unit(*shape)), from_logits=logits, axis=axis)
        add("SparseCategoricalCrossentropy", b(labels(3, 4), draw(4, 3), unit(4)), b(labels(3, 4, phase=1), draw(4, 3)),
            from_logits=logits, ignore_class=1)
        add("SparseCategoricalCrossentropy", b(labels(3, 2, 4), draw(2, 4, 3), unit(2, 4), flags(2, 4)),
            b(labels(3, 2, 4, phase=1), draw(2, 4, 3), None, flags(2, 4)), from_logits=logits, ignore_class=0)
    for dtype in ("float16", "float64"):
        add("SparseCategoricalCrossentropy", b(labels(3, 4), unit(4, 3, dtype=dtype)), b(labels(3, 4), unit(4, 3), unit(4)), dtype=dtype)
        add("CategoricalCrossentropy", b(one_hot(4, 3), real(4, 3, dtype=dtype)), from_logits=True, dtype=dtype)
        add("SparseCategoricalAccuracy", b(labels(3, 4), unit(4, 3, dtype=dtype)), b(labels(3, 4), unit(4, 3), unit(4)), dtype=dtype)
    add("SparseCategoricalCrossentropy", b(full(0, 4, dtype="int32"), unit(4, 1)))
    add("CategoricalCrossentropy", b(full(1, 4, 1), unit(4, 1)))
    for y_dtype in ("int64", "uint8", "float32", "float64"):
        add("SparseCategoricalAccuracy", b(labels(3, 5, dtype=y_dtype), unit(5, 3)), b(labels(3, 5, 1, dtype=y_dtype), unit(5, 3), unit(5)))
    add("SparseCategoricalAccuracy", b(labels(3, 2, 4, 1), unit(2, 4, 3)), b(labels(3, 2, 4), unit(2, 4, 3), unit(2)), b(labels(3, 2, 4), unit(2, 4, 3), unit(2, 1)))
    add("SparseCategoricalAccuracy", b(labels(3, 2, 2, 2), unit(2, 2, 2, 3)), b(labels(3, 2, 2, 2), unit(2, 2, 2, 3), unit(2, 2)))
    add("SparseCategoricalAccuracy", b(full(0, 3, dtype="int32"), unit(3, 1)))
    add("CategoricalAccuracy", b(one_hot(2, 2, 2, 3), unit(2, 2, 2, 3)), b(one_hot(2, 2, 2, 3), unit(2, 2, 2, 3), unit(2, 2)), b(one_hot(2, 2, 2, 3), unit(2, 2, 2, 3), unit(2, 2, 2)))
    add("CategoricalAccuracy", b(one_hot(2, 4, 3), unit(2, 4, 3), None, flags(2, 4)), b(one_hot(2, 4, 3), unit(2, 4, 3), unit(2), flags(2)))
    add("CategoricalAccuracy", b(one_hot(4, 3, dtype="int32"), unit(4, 3, dtype="float16")), b(one_hot(1, 3), unit(1, 3)))
    for k in (1, 3, 9):
        add("TopKCategoricalAccuracy", b(one_hot(5, 4), unit(5, 4)), b(one_hot(5, 4, phase=1), unit(5, 4), unit(5)), k=k)
        add("SparseTopKCategoricalAccuracy", b(labels(4, 5), unit(5, 4)), b(labels(4, 5, 1, phase=1), unit(5, 4), unit(5)), k=k)
        add("SparseTopKCategoricalAccuracy", b(labels(4, 2, 3), unit(2, 3, 4)), b(labels(4, 2, 3, phase=1), unit(2, 3, 4), unit(2, 3)), b(labels(4, 2, 3), unit(2, 3, 4), None, flags(2, 3)), k=k)
    add("TopKCategoricalAccuracy", b(one_hot(5, 4), full(0.25, 5, 4)), k=2)
    add("SparseTopKCategoricalAccuracy", b(labels(4, 5, dtype="float32"), full(0.25, 5, 4)), k=2)
    add("SparseTopKCategoricalAccuracy", b(labels(9, 6), labels(9, 6, 3, phase=1)), b(labels(9, 6), labels(9, 6, 3, phase=2), unit(6)), k=2, from_sorted_ids=True)
    add("SparseTopKCategoricalAccuracy", b(labels(9, 2, 3), labels(9, 2, 3, 4, phase=1)), k=5, from_sorted_ids=True)
    for axis in (0, 1, -1):
        for name in ("PearsonCorrelation", "ConcordanceCorrelation", "CosineSimilarity"):
            add(name, b(real(4, 5), real(4, 5, phase=1)), b(real(4, 5), real(4, 5, phase=2), unit(5 if axis == 0 else 4)), axis=axis)
            add(name, b(real(3, 4, 2), real(3, 4, 2, phase=1)), axis=axis)
    for name in ("PearsonCorrelation", "ConcordanceCorrelation", "CosineSimilarity"):
        add(name, b(real(2, 3, 4), real(2, 3, 4, phase=1)), axis=[0, 1] if name != "CosineSimilarity" else -1)
        add(name, b(full(1, 2, 3), real(2, 3)), b(real(2, 3), full(0, 2, 3)))


def counts():
    for name in ("TruePositives", "FalsePositives", "TrueNegatives", "FalseNegatives", "Precision", "Recall"):
        add(name, b(flags(5), unit(5, 1)), b(flags(5, 1), unit(5)), b(flags(2, 3, 2), unit(2, 3, 2)), b(flags(2, 3, 2), unit(2, 3, 2), unit(2, 3, 2)))
        add(name, b(flags(6, 2, dtype="bool"), unit(6, 2, dtype="float16")), b(flags(6, 2, dtype="int64"), unit(6, 2, dtype="float64"), unit(6)))
        add(name, b(flags(6, 2), unit(6, 2), unit(6, 1)), b(flags(6, 2), unit(6, 2), unit(6, 2)), b(flags(6, 2), unit(6, 2), full(0.5)), thresholds=[0.9, 0.1, 0.4])
        add(name, b(labels(3, 6), unit(6)), thresholds=0.25)
        add(name, b(flags(1), unit(1)), b(flags(1, 1), unit(1, 1), unit(1)), thresholds=[0.5])
        add(name, b(flags(4, 2), unit(4, 2)), b(flags(4, 2), unit(4, 2), unit(4)), dtype="float64")
        add(name, b(flags(4, 2), unit(4, 2)), b(flags(4, 2), unit(4, 2), unit(4)), dtype="float16")
        add(name, b(flags(8), unit(8)), thresholds=[0.0, 0.25, 0.5, 0.75, 1.0])
        add(name, b(flags(4, 2), unit(4, 2), None, flags(4)), b(flags(4, 2), unit(4, 2), unit(4), flags(4)))
    for name in ("Precision", "Recall"):
        add(name, b(flags(4, 5), unit(4, 5)), b(flags(4, 5), unit(4, 5), unit(4)), top_k=2, thresholds=0.6)
        add(name, b(flags(4, 5), unit(4, 5)), top_k=2, class_id=0, thresholds=[0.3, 0.6])
        add(name, b(flags(4, 5), unit(4, 5), unit(4, 5)), class_id=4)
        add(name, b(flags(2, 3, 4), unit(2, 3, 4), unit(2, 3)), class_id=1, thresholds=0.3)
        add(name, b(flags(2, 3, 4), unit(2, 3, 4)), top_k=2)
        add(name, b(flags(4, 3), full(0.5, 4, 3)), top_k=2)
        add(name, b(flags(4, 3), unit(4, 3)), top_k=3, class_id=-1)
    for curve in ("ROC", "PR", "PRGAIN"):
        for method in ("interpolation", "minoring", "majoring"):
            options = {"curve": curve, "summation_method": method}
            add("AUC", b(flags(9, phase=1), unit(9)), b(flags(4, 2), unit(4, 2, phase=1), unit(4)), b(flags(4, 2), unit(4, 2, phase=1), unit(4, 2)), num_thresholds=6, **options)
            add("AUC", b(flags(6, 2), unit(6, 2)), b(flags(6, 2), unit(6, 2, phase=1), unit(6)), multi_label=True, num_thresholds=6, **options)
            add("AUC", b(flags(6, 2), unit(6, 2)), b(flags(6, 2), unit(6, 2, phase=1), unit(6, 2)), label_weights=[0.3, 0.9], thresholds=[0.7, 0.2, 0.4], **options)
        add("AUC", b(full(1, 5), unit(5)), b(full(0, 5), unit(5, phase=2)), num_thresholds=4, curve=curve)
        add("AUC", b(flags(6, 2), real(6, 2)), b(flags(6, 2), real(6, 2), unit(6)), from_logits=True, multi_label=True, num_labels=2, num_thresholds=5, curve=curve)
        add("AUC", b(flags(7, dtype="bool"), unit(7, dtype="float16")), b(flags(7, dtype="int32"), unit(7, dtype="float64")), num_thresholds=2, curve=curve)
        add("AUC", b(flags(7), unit(7)), dtype="float64", num_thresholds=5, curve=curve)
    for name, bound in (("SensitivityAtSpecificity", "specificity"), ("SpecificityAtSensitivity", "sensitivity"),
                        ("PrecisionAtRecall", "recall"), ("RecallAtPrecision", "precision")):
        for value in (0.0, 0.4, 1.0):
            add(name, b(flags(9, phase=2), unit(9)), b(flags(3, 2), unit(3, 2), unit(3)), num_thresholds=11, **{bound: value})
        add(name, b(flags(4, 3), unit(4, 3)), b(flags(4, 3), unit(4, 3), unit(4)), class_id=0, num_thresholds=2, **{bound: 0.5})
        add(name, b(full(1, 5), unit(5)), b(full(0, 5), unit(5)), num_thresholds=4, **{bound: 0.5})
        add(name, b(flags(2, 3, 2), unit(2, 3, 2)), class_id=-1, **{bound: 0.5})


def overlaps():
    for dtype in (None, "float32", "float16"):
        options = {"dtype": dtype} if dtype else {}
        add("MeanIoU", b(labels(3, 2, 4), labels(3, 2, 4, phase=1)), b(labels(3, 2, 2, 2), labels(3, 2, 2, 2, phase=2), labels(4, 2, 2, 2)), num_classes=3, **options)
        add("MeanIoU", b(labels(4, 9), labels(3, 9, phase=1)), num_classes=5, ignore_class=3, **options)
        add("MeanIoU", b(labels(3, 9), unit(9, 3)), b(labels(3, 9), unit(9, 3), labels(3, 9)), num_classes=3, sparse_y_pred=False, **options)
        add("MeanIoU", b(labels(3, 2, 4), unit(2, 3, 4)), num_classes=3, sparse_y_pred=False, axis=1, **options)
        add("IoU", b(one_hot(5, 3), unit(5, 3)), num_classes=3, target_class_ids=[2, 0], sparse_y_true=False, sparse_y_pred=False, **options)
        add("IoU", b(labels(2, 8), labels(2, 8, phase=1)), num_classes=2, target_class_ids=[1], ignore_class=-1, **options)
        add("BinaryIoU", b(flags(2, 4, dtype="bool"), unit(2, 4)), b(flags(2, 4), unit(2, 4), labels(3, 2, 4)), target_class_ids=[0], threshold=0.7, **options)
        add("OneHotIoU", b(one_hot(6, 3), labels(3, 6, phase=1)), num_classes=3, target_class_ids=[0, 2], sparse_y_pred=True, ignore_class=1, **options)
        add("OneHotIoU", b(one_hot(2, 4, 3), unit(2, 4, 3), labels(3, 2, 4)), num_classes=3, target_class_ids=[1], **options)
        add("OneHotMeanIoU", b(one_hot(6, 3), unit(6, 3)), b(one_hot(6, 3), unit(6, 3), labels(3, 6)), num_classes=3, ignore_class=0, **options)
        add("OneHotMeanIoU", b(one_hot(6, 1), unit(6, 1)), num_classes=1, **options)
    add("MeanIoU", b(labels(3, 4, dtype="float32"), labels(3, 4, phase=1, dtype="int64")), b(labels(3, 4, dtype="uint8"), labels(3, 4, phase=1, dtype="float64")), num_classes=3)
    add("BinaryIoU", b(flags(4), full(0.5, 4)), b(flags(4, 1), unit(4)))
    add("MeanIoU", b(labels(3, 6), labels(3, 6, phase=1), unit(6)), num_classes=3)
    add("MeanIoU", b(labels(3, 6), labels(3, 6, phase=1), full(2, )), num_classes=3)


def scores():
    for average in (None, "micro", "macro", "weighted"):
        for threshold in (None, 0.3):
            options = {"average": average, "threshold": threshold}
            add("F1Score", b(one_hot(5, 3), unit(5, 3)), b(one_hot(2, 3), unit(2, 3), unit(2)), **options)
            add("FBetaScore", b(flags(5, 3), unit(5, 3)), b(flags(2, 3, dtype="bool"), unit(2, 3, dtype="float16"), unit(2)), beta=0.5, **options)
        add("F1Score", b(full(0, 3, 2), full(0.1, 3, 2)), average=average, threshold=0.5)
        add("F1Score", b(flags(4, 1), unit(4, 1)), average=average, threshold=0.5, dtype="float64")
        add("F1Score", b(one_hot(1, 3), unit(1, 3)), b(one_hot(1, 3), full(0.5, 1, 3)), average=average)
    for aggregation in (None, "uniform_average", "variance_weighted_average"):
        for regressors in (0, 1):
            add("R2Score", b(real(5, 2), real(5, 2, phase=0.2)), b(real(3, 2), real(3, 2, phase=0.3), unit(3)), b(real(3, 2), real(3, 2, phase=0.3), unit(3, 1)),
                class_aggregation=aggregation, num_regressors=regressors)
        add("R2Score", b(full(1, 4, 2), real(4, 2)), class_aggregation=aggregation)
        add("R2Score", b(full(1, 4, 2), full(1, 4, 2)), class_aggregation=aggregation)
        add("R2Score", b(real(2, 1), real(2, 1, phase=1)), class_aggregation=aggregation, num_regressors=1)
        add("R2Score", b(real(5, 2), real(5, 2, phase=0.2)), class_aggregation=aggregation, dtype="float64")
        add("R2Score", b(labels(4, 5, 2), real(5, 2, phase=0.2)), b(real(5, 2), real(5, 2, phase=0.2, dtype="float16")), class_aggregation=aggregation)
    for name in ("Mean", "Sum"):
        for dtype in (None, "float16", "float64"):
            options = {"dtype": dtype} if dtype else {}
            add(name, b(real(3, 2)), b(real(3, 2), w=unit(3)), b(real(3, 2), w=unit(3, 2)), b(real(3, 2), w=unit(3, 1)), b(real(3, 2), w=full(0.5)), **options)
            add(name, b(flags(5, dtype="bool")), b(labels(9, 2, 2, dtype="int64")), b(full(3)), b(full(3), w=full(2)), **options)
        add(name, b(real(2, 3, 2, 2)), b(real(2, 3, 2, 2), w=unit(2, 3)), b(real(2, 3, 2, 2), w=unit(2, 3, 2)), b(real(2, 3, 2, 2), w=unit(2)))
        add(name, b(real(2, 3), m=flags(2, 3)), b(real(2, 3), w=unit(2, 3), m=flags(2, 3)), b(real(2, 3), w=unit(2), m=flags(2)))
        add(name, b(real(4), w=full(0, 4)), b(real(1), w=full(2, 1)))


for part, make in (("shapes", pairs), ("options", classes), ("options", scores), ("counts", counts), ("counts", overlaps)):
    make()
root = pathlib.Path(__file__).resolve().parents[2]
folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data"
for part, listed in cases.items():
    output = folder / f"metric_{part}.json"
    output.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in listed) + "\n]\n")
    print(output, len(listed), "cases,", output.stat().st_size, "bytes")
for f in failed:
    print("Keras cannot:", *f)
