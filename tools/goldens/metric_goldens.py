#!/usr/bin/env python3
"""Writes tests/data/metrics.json: results of Keras's metrics on the JAX backend after each of several updates.

Usage: python tools/goldens/metric_goldens.py [output]
Needs keras and jax (CPU).
"""

import json
import os
import pathlib
import sys

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax.numpy as jnp
import keras
import numpy as np

rng = np.random.default_rng(11)


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


def add(name, *batches, mask=None, **config):
    """A batch is (y_true, y_pred[, weight]) or, for metrics of values, (values[, weight])."""
    metric = getattr(keras.metrics, name)(**config)
    case = {"class": name, "config": config, "steps": []}
    for batch in batches:
        arguments = [jnp.asarray(x) for x in batch]
        if mask is not None:
            keras.src.backend.set_keras_mask(arguments[1], jnp.asarray(mask))
        metric.update_state(*arguments)
        out = metric.result()
        step = {"arguments": [tensor(x) for x in batch],
                "out": {"shape": list(out.shape), "values": rounded(out)}}
        if mask is not None:
            step["mask"] = tensor(mask)
        case["steps"].append(step)
    cases.append(case)


for name in ("Mean", "Sum"):
    add(name, (real(4),), (real(2),))
    add(name, (np.float32(3),), (real(2, 3),), (real(2, 3, 2),))
    add(name, (real(4), unit(4)), (real(4, 2), unit(4)), (real(2, 3), unit(2, 3)), (real(3, 1), unit(3)))
    add(name, (labels(9, 5),))
for name in ("MeanSquaredError", "MeanAbsoluteError", "RootMeanSquaredError", "MeanAbsolutePercentageError",
             "MeanSquaredLogarithmicError", "LogCoshError", "KLDivergence", "Poisson", "Hinge", "SquaredHinge",
             "CategoricalHinge"):
    add(name, (unit(4, 2), unit(4, 2)), (labels(2, 3, 2), unit(3, 2)))
    add(name, (unit(4, 2), unit(4, 2), unit(4)), (labels(2, 3, 1), unit(3, 1)))
    add(name, (unit(2, 3, 2), unit(2, 3, 2)), (unit(4), unit(4)))
for name in ("MeanSquaredError", "MeanAbsoluteError", "RootMeanSquaredError"):
    add(name, (labels(2, 3), unit(3, 1)), (unit(3, 1), unit(3)), (unit(3), unit(3, 1), unit(3)))
add("MeanSquaredError", (unit(2, 3, 2), unit(2, 3, 2)), mask=np.array([[1, 1, 0], [1, 0, 0]], bool))
for logits in (False, True):
    draw = real if logits else unit
    add("BinaryCrossentropy", (labels(2, 3, 2), draw(3, 2)), (labels(2, 3), draw(3)), from_logits=logits)
    add("BinaryCrossentropy", (labels(2, 3, 2), draw(3, 2), unit(3)), from_logits=logits, label_smoothing=0.2)
    add("CategoricalCrossentropy", (one_hot(labels(4, 3), 4), draw(3, 4)),
        (one_hot(labels(4, 2), 4), draw(2, 4), unit(2)), from_logits=logits)
    add("CategoricalCrossentropy", (unit(2, 3, 2), draw(2, 3, 2)), from_logits=logits, axis=1, label_smoothing=0.1)
    add("SparseCategoricalCrossentropy", (labels(4, 3), draw(3, 4)), (labels(4, 2, 1), draw(2, 4), unit(2)),
        from_logits=logits)
    add("SparseCategoricalCrossentropy", (np.array([0, -1, 2], np.int32), draw(3, 3)),
        (np.array([0, -1, 2], np.int32), draw(3, 3), unit(3)), from_logits=logits, ignore_class=-1)
add("Accuracy", (labels(3, 4, 1), labels(3, 4, 1)), (labels(3, 6), labels(3, 6)), (labels(2, 4), labels(2, 4, 1)))
add("Accuracy", (labels(2, 4, 1), labels(2, 4, 1), unit(4)))
add("BinaryAccuracy", (labels(2, 5, 1), unit(5, 1)), (labels(2, 5), unit(5, 1)), (labels(2, 3, 2), unit(3, 2), unit(3)))
add("BinaryAccuracy", (labels(2, 9), unit(9)), threshold=0.3)
add("CategoricalAccuracy", (one_hot(labels(3, 6), 3), unit(6, 3)), (one_hot(labels(3, 6), 3), unit(6, 3), unit(6)))
add("CategoricalAccuracy", (one_hot(labels(3, 2, 3), 3), unit(2, 3, 3)))
add("SparseCategoricalAccuracy", (labels(3, 6), unit(6, 3)), (labels(3, 6, 1), unit(6, 3), unit(6)),
    (labels(3, 4, dtype=np.float32), unit(4, 3)))
add("SparseCategoricalAccuracy", (labels(3, 2, 4), unit(2, 4, 3)), mask=np.array([[1, 1, 0, 0], [1, 0, 0, 1]], bool))
add("SparseCategoricalAccuracy", (labels(3, 2, 4), unit(2, 4, 3)), (labels(3, 2, 4), unit(2, 4, 3), unit(2, 4)))
add("TopKCategoricalAccuracy", (one_hot(labels(6, 8), 6), unit(8, 6)), (one_hot(labels(6, 4), 6), unit(4, 6), unit(4)), k=2)
add("TopKCategoricalAccuracy", (one_hot(labels(6, 2, 4), 6), unit(2, 4, 6)), k=3)
add("SparseTopKCategoricalAccuracy", (labels(6, 8), unit(8, 6)), (labels(6, 4), unit(4, 6), unit(4)), k=2)
add("SparseTopKCategoricalAccuracy", (labels(9, 8), np.array([[3, 1, 2]] * 8, np.int32)), k=2, from_sorted_ids=True)
for curve in ("ROC", "PR", "PRGAIN"):
    for method in ("interpolation", "minoring", "majoring"):
        options = {"curve": curve, "summation_method": method}
        add("AUC", (labels(2, 9), unit(9)), (labels(2, 6), unit(6), unit(6)), num_thresholds=7, **options)
        add("AUC", (labels(2, 6, 2), unit(6, 2), unit(6)), thresholds=[0.2, 0.7], multi_label=True,
            label_weights=[0.3, 0.7], **options)
    add("AUC", (labels(2, 9), unit(9)), (labels(2, 3, 2), unit(3, 2)), curve=curve)
    add("AUC", (labels(2, 6, 2), unit(6, 2)), multi_label=True, num_labels=2, num_thresholds=5, curve=curve)
add("AUC", (labels(2, 9), real(9)), from_logits=True, num_thresholds=10)
add("AUC", (labels(2, 6, 2), unit(6, 2)), label_weights=[0.3, 0.7], num_thresholds=10)
add("AUC", (np.array([0, 1, 0, 1, 1], np.int32), np.array([0, 0.25, 0.5, 0.75, 1], np.float32)), num_thresholds=5)
for name in ("Precision", "Recall"):
    add(name, (labels(2, 9), unit(9)), (labels(2, 6), unit(6), unit(6)))
    add(name, (labels(2, 9), unit(9)), thresholds=0.3)
    add(name, (labels(2, 9), unit(9)), thresholds=[0.2, 0.8])
    add(name, (labels(2, 9), np.linspace(0, 1, 9).astype(np.float32)), thresholds=[0.0, 0.5, 1.0])
    add(name, (labels(2, 4, 5), unit(4, 5)), top_k=2)
    add(name, (labels(2, 4, 5), unit(4, 5), unit(4)), class_id=1)
    add(name, (labels(2, 4, 5), unit(4, 5)), top_k=3, class_id=2)
for name in ("TruePositives", "FalsePositives", "TrueNegatives", "FalseNegatives"):
    add(name, (labels(2, 9), unit(9)), (labels(2, 6), unit(6), unit(6)))
    add(name, (labels(2, 4, 2), unit(4, 2)), thresholds=[0.2, 0.8])
    add(name, (labels(2, 9), np.linspace(0, 1, 9).astype(np.float32)), thresholds=[0.0, 0.5, 1.0])
for name, bound in (("SensitivityAtSpecificity", "specificity"), ("SpecificityAtSensitivity", "sensitivity"),
                    ("PrecisionAtRecall", "recall"), ("RecallAtPrecision", "precision")):
    for value in (0.3, 0.7):
        add(name, (labels(2, 9), unit(9)), (labels(2, 6), unit(6), unit(6)), **{bound: value})
    add(name, (labels(2, 9), unit(9)), num_thresholds=1, **{bound: 0.5})
    add(name, (labels(2, 4, 5), unit(4, 5), unit(4)), num_thresholds=7, class_id=2, **{bound: 0.5})
for options in ({}, {"dtype": "float32"}):
    weight = unit if options else lambda *shape: labels(4, *shape)
    add("IoU", (labels(3, 9), labels(3, 9)), (labels(4, 2, 3), labels(3, 2, 3), weight(2, 3)), num_classes=3,
        target_class_ids=[0, 2], **options)
    add("IoU", (unit(5, 3), labels(3, 5)), num_classes=3, target_class_ids=[1], sparse_y_true=False, **options)
    add("MeanIoU", (labels(3, 9), labels(3, 9)), (labels(3, 6), labels(3, 6), weight(6)), num_classes=4, **options)
    add("MeanIoU", (labels(3, 9), unit(9, 3)), num_classes=3, ignore_class=1, sparse_y_pred=False, **options)
    add("BinaryIoU", (labels(2, 9), unit(9)), (labels(2, 3, 2), unit(3, 2), weight(3, 2)), **options)
    add("BinaryIoU", (labels(2, 9), unit(9)), threshold=0.3, target_class_ids=[1], **options)
    add("OneHotIoU", (unit(6, 3), unit(6, 3)), num_classes=3, target_class_ids=[0, 1], **options)
    add("OneHotMeanIoU", (unit(2, 3, 4), unit(2, 3, 4), weight(2, 4)), num_classes=3, axis=1, **options)
for average in (None, "micro", "macro", "weighted"):
    add("FBetaScore", (labels(2, 6, 3), unit(6, 3)), (labels(2, 4, 3), unit(4, 3), unit(4)), average=average, beta=2.0)
    add("F1Score", (one_hot(labels(3, 6), 3), unit(6, 3)), average=average, threshold=0.4)
for aggregation in (None, "uniform_average", "variance_weighted_average"):
    add("R2Score", (real(6, 2), real(6, 2)), (real(4, 2), real(4, 2), unit(4)), class_aggregation=aggregation)
    add("R2Score", (real(6, 2), real(6, 2)), (real(4, 2), real(4, 2), unit(4, 2)), class_aggregation=aggregation,
        num_regressors=2)
add("R2Score", (real(3, 1), real(3, 1)), num_regressors=2)
for name in ("PearsonCorrelation", "ConcordanceCorrelation", "CosineSimilarity"):
    add(name, (real(4, 5), real(4, 5)), (real(3, 5), real(3, 5), unit(3)))
    add(name, (real(4, 5, 2), real(4, 5, 2)), axis=1)

root = pathlib.Path(__file__).resolve().parents[2]
output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/metrics.json"
text = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
output.write_text("[\n" + text + "\n]\n")
print(len(cases), "cases,", output.stat().st_size, "bytes")
