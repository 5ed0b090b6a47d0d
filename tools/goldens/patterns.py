"""Tensors that a few words describe, so that goldens need not hold their numbers.

tests/support/pattern.cpp makes the same. A pattern reads "KIND SHAPE [~PHASE] [@DTYPE]", such as
"labels3 4x2 ~1 @int32". Kinds:
    real      -2 to 2             unit    0.01 to 0.99           positive  0.5 to 2.5
    labelsN   0 to N - 1          flags   0 and 1                fullV     the number V
    one_hot   labels of all but the last axis, one-hot along that
The shape of a scalar is "scalar". Another phase gives other numbers; the dtype is float32 when missing.
"""

import ml_dtypes
import numpy as np


def pattern(kind, shape, phase=0, dtype=None):
    words = [kind, "x".join(map(str, shape)) or "scalar"]
    if phase:
        words.append(f"~{phase}")
    if dtype and dtype != "float32":
        words.append(f"@{dtype}")
    return " ".join(words)


def real(*shape, **options):
    return pattern("real", shape, **options)


def unit(*shape, **options):
    return pattern("unit", shape, **options)


def positive(*shape, **options):
    return pattern("positive", shape, **options)


def labels(classes, *shape, phase=0, dtype="int32"):
    return pattern(f"labels{classes}", shape, phase, dtype)


def flags(*shape, **options):
    return pattern("flags", shape, **options)


def one_hot(*shape, **options):
    return pattern("one_hot", shape, **options)


def full(value, *shape, **options):
    return pattern(f"full{value}", shape, **options)


def tensor_of(words):
    """The pattern as an array of its dtype."""
    kind, size, *rest = words.split()
    shape = () if size == "scalar" else tuple(map(int, size.split("x")))
    phase, dtype = 0.0, "float32"
    for word in rest:
        if word[0] == "~":
            phase = float(word[1:])
        else:
            dtype = word[1:]

    def wave(shape, step=0.7):
        return np.sin(np.arange(int(np.prod(shape))) * step + phase).reshape(shape)

    def numbered(shape, classes):
        return np.floor((0.5 + 0.4999 * wave(shape, 1.7)) * classes)

    if kind == "real":
        values = 2 * wave(shape)
    elif kind == "unit":
        values = 0.5 + 0.49 * wave(shape)
    elif kind == "positive":
        values = 1.5 + wave(shape)
    elif kind == "flags":
        values = numbered(shape, 2)
    elif kind == "one_hot":
        values = np.eye(shape[-1])[numbered(shape[:-1], shape[-1]).astype(int)]
    elif kind.startswith("labels"):
        values = numbered(shape, int(kind[len("labels"):]))
    elif kind.startswith("full"):
        values = np.full(shape, float(kind[len("full"):]))
    else:
        raise ValueError(words)
    return values.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def numbers(x, digits=7):
    """A tensor as a flat list of short numbers; those that are not finite are strings, as JSON has none."""
    from keras import ops

    flat = np.asarray(ops.convert_to_numpy(ops.cast(x, "float64"))).reshape(-1)
    return [float(f"{v:.{digits}g}") if np.isfinite(v) else str(v) for v in flat]


def result_of(x, digits=7):
    """{"values", "shape" unless of a scalar, "dtype" unless float32}."""
    import keras

    result = {"values": numbers(x, digits)}
    if len(x.shape):
        result["shape"] = list(x.shape)
    dtype = keras.backend.standardize_dtype(x.dtype)
    if dtype != "float32":
        result["dtype"] = dtype
    return result
