"""Records how Keras's losses reduce values with weights and masks, and what its metrics make of them.

Run with KERAS_BACKEND=jax from the repository's root:
    python tools/goldens/weighted_reduction_goldens.py
Writes tests/data/weighted_reductions.json: for each combination of values, weights and a mask the
results of all reductions, as {shape, numbers}, and the total and count of a mean; null is an error.
"""

import json

import keras
import numpy as np
from keras.src.losses.loss import reduce_weighted_values

VALUES = {
    "2x3": [[1, 2, 3], [4, 5, 6]],
    "3": [1, 2, 4],
    "3x1": [[1], [2], [4]],
    "2": [1, 5],
    "scalar": 3,
    "2x3x2": np.arange(12).reshape(2, 3, 2).tolist(),
}
WEIGHTS = {
    "none": None,
    "2": [1, 0.5],
    "2x1": [[1], [0.5]],
    "2x3": [[1, 0, 2], [0.5, 0, 1]],
    "3": [0, 1, 2],
    "3x1": [[0], [1], [2]],
    "scalar": 2,
    "zeros": [0, 0, 0],
}
MASKS = {
    "none": None,
    "2x3": [[1, 0, 1], [0, 0, 1]],
    "3": [1, 0, 1],
    "2": [1, 0],
    "nothing": [[0, 0, 0], [0, 0, 0]],
    "2x1": [[1], [0]],
}
REDUCTIONS = ["sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", None]


def tensor(value, dtype="float32"):
    return None if value is None else keras.ops.convert_to_tensor(np.array(value, dtype))


def numbers(x):
    return [float(f"{v:.7g}") for v in np.asarray(x).reshape(-1)]


def reduced(values, weights, mask, reduction):
    try:
        y = reduce_weighted_values(values, sample_weight=weights, mask=mask, reduction=reduction)
    except Exception:
        return None
    return {"shape": list(y.shape), "numbers": numbers(y)}


def mean(values, weights, mask):
    metric = keras.metrics.MeanMetricWrapper(lambda y_true, y_pred: y_pred)
    if mask is not None:
        values._keras_mask = mask
    try:
        metric.update_state(values, values, sample_weight=weights)
    except Exception:
        return None
    return numbers(metric.total) + numbers(metric.count)


cases = []
for v, value in VALUES.items():
    for w, weight in WEIGHTS.items():
        for m, mask in MASKS.items():
            weights, masked = tensor(weight), tensor(mask, "bool")
            cases.append(
                {
                    "case": [v, w, m],
                    "reduced": [reduced(tensor(value), weights, masked, r) for r in REDUCTIONS],
                    "mean": mean(tensor(value), weights, masked),
                }
            )
data = {"values": VALUES, "weights": WEIGHTS, "masks": MASKS}
with open("tests/data/weighted_reductions.json", "w") as file:
    file.write(json.dumps(data)[:-1] + ', "cases": [\n' + ",\n".join(map(json.dumps, cases)) + "]}\n")
