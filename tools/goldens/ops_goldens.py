#!/usr/bin/env python3
"""Writes tests/data/ops.json: dtype promotion, and values of ops, of Keras on the JAX backend.

Usage: python tools/goldens/ops_goldens.py [output]
Needs keras and jax (CPU); op_cases.py has the form of the cases. Keras on JAX makes 64-bit results of promotion
32 bits wide; the file has them as the lattice says.
"""

import json
import math
import pathlib
import sys

from op_cases import NAMES, T, add, begin, write

import keras
import numpy as np
from keras import ops
from keras.src.backend.common import dtypes

NAN, INF = float("nan"), float("inf")
rng = np.random.default_rng(3)

REALS = {"float32": [-INF, -3.7, -1, -0.5, 0.0, 0.25, 0.7, 1, 2.5, 90.0, INF, NAN],
         "float64": [-2.3, -0.4, 0.0, 0.6, 1.7], "bfloat16": [-2.5, -0.5, 0.25, 1.5],
         "float16": [-2.5, -0.5, 0.25, 1.5], "int32": [-3, 0, 1, 2, 7], "uint8": [0, 3, 250], "int64": [-5, 0, 9],
         "bool": [0, 1]}

begin("unary")
UNARY = """numpy.Negative numpy.Absolute numpy.Sign numpy.Square numpy.Floor numpy.Ceil numpy.Trunc
numpy.Reciprocal numpy.Sqrt math.Rsqrt numpy.Exp numpy.Expm1 numpy.Log numpy.Log1p numpy.Log2 numpy.Log10 numpy.Sin
numpy.Cos numpy.Tan numpy.Arcsin numpy.Arccos numpy.Arctan numpy.Sinh numpy.Cosh numpy.Tanh numpy.Arcsinh
numpy.Arccosh numpy.Arctanh math.Erf math.Erfinv nn.Sigmoid nn.Softplus nn.Relu numpy.Isnan numpy.Isinf
numpy.Isfinite numpy.LogicalNot numpy.BitwiseNot""".split()
for op in UNARY:
    for dtype, values in REALS.items():
        add(op, T(dtype, values))
ACTIVATIONS = "Relu6 LeakyRelu Silu Gelu Elu Selu Softsign HardSigmoid HardSilu LogSigmoid".split()
for op in ACTIVATIONS:
    for dtype in ("float32", "float64", "bfloat16", "float16"):
        values = REALS[dtype][1:-2] if dtype == "float32" else REALS[dtype]
        add("nn." + op, T(dtype, values))
x = T("float32", REALS["float32"][1:-2])
add("nn.Gelu", x, approximate=False)
add("nn.LeakyRelu", x, negative_slope=0.01)
add("nn.Elu", x, alpha=0.5)

begin("binary")
BINARY = """numpy.Add numpy.Subtract numpy.Multiply numpy.TrueDivide numpy.FloorDivide numpy.Mod numpy.Power
numpy.Maximum numpy.Minimum numpy.Arctan2 numpy.Equal numpy.NotEqual numpy.Less numpy.LessEqual numpy.Greater
numpy.GreaterEqual numpy.LogicalAnd numpy.LogicalOr numpy.LogicalXor numpy.BitwiseAnd numpy.BitwiseOr
numpy.BitwiseXor""".split()
f32 = T("float32", [-3.5, -1, 0.0, 0.5, 2, NAN]), T("float32", [2, -1, 3, 0.5, -0.75, 1])
i32 = T("int32", [-7, 7, 0, 5, 2, 3]), T("int32", [2, 3, 4, 1, 2, 3])
PAIRS = [f32, i32,
         (T("float32", [[1.5], [-2]]), T("float32", [[[3, 0.5, -1]], [[4, 2, 1]]])),
         (T("float16", [1.5, -2]), T("float32", [0.3, 3])), (T("bfloat16", [1.5, 2]), T("int32", [3, 2])),
         (T("bfloat16", [1.5, 2]), T("float16", [3, 2])),
         (T("uint8", [200, 7]), T("int8", [3, 2])), (T("uint8", [200, 7]), T("uint8", [100, 9])),
         (T("bool", [1, 1, 0, 0]), T("bool", [1, 0, 1, 0])), (T("bool", [1, 0]), T("int32", [3, 4])),
         (T("int64", [2**40, 3]), T("int32", [5, 3])), (T("int64", [-4, 3]), T("float32", [0.5, 3])),
         (T("float64", [0.1, 3]), T("float32", [0.5, 3])), (T("uint64", [5, 3]), T("int64", [2, 3])),
         (T("float32", [0.5, 3]), 2), (T("float16", [0.5, 3]), 2.5), (T("int32", [5, -3]), 1.5),
         (T("uint8", [5, 3]), 2), (3, T("int32", [5, 2])), (T("float32", 4.0), T("float32", []))]
for op in BINARY:
    # Ops that give bools or take integers have fewer rules of their own.
    for a, b in PAIRS[:13] if "Logical" in op or "Bitwise" in op or "qual" in op else PAIRS:
        if "Divide" in op and a is PAIRS[8][0]:
            b = T("bool", [1, 1, 1, 1])  # a whole number divided by zero is anything
        # Keras turns the numbers of these into float32 or int32 first, which JAX lets give way and TensorFlow does not.
        if op not in ("numpy.Arctan2", "numpy.Mod") or isinstance(b, T) or a.dtype == "float32":
            add(op, a, b)
add("numpy.Power", T("float32", [-2, -2, 0, 0, 2]), T("float32", [3, 0.5, 0, -1, -1.5]))
add("numpy.Mod", T("float32", [5.5, -5.5, 5.5, -5.5]), T("float32", [2, 2, -2, -2]))
add("numpy.FloorDivide", T("float32", [5.5, -5.5, 5.5, 1]), T("float32", [2, 2, -2, 0]))
add("numpy.Arctan2", T("float32", [0, 1, -1, 0]), T("float32", [-1, 0, 0, 1]))
condition = T("bool", [[1, 0, 1], [0, 0, 1]])
add("numpy.Where", condition, T("float32", [1, 2, 3]), T("int32", [[4], [5]]))
add("numpy.Where", condition, 1.5, T("int32", [4, 5, 6]))
add("numpy.Where", T("int32", [2, 0, -1]), T("float16", [1, 2, 3]), 0.0)
add("numpy.Where", condition, T("int64", [2**40, 2, 3]), T("int8", [1, 1, 1]))
for dtype in ("float32", "float16", "int32", "bool", "float64"):
    add("numpy.Clip", T(dtype, [0, 1, 1] if dtype == "bool" else [-3, 0, 4]), -1, 2)
add("numpy.Clip", T("float32", [[1, 2], [3, NAN]]), T("float32", [1.5, 1]), 2.5)
for source in REALS:
    values = [v for v in REALS[source] if not isinstance(v, float) or math.isfinite(v)]
    if "float" in source:
        values = [v for v in values if v >= 0] + [-2.5]
    for target in ("bool", "int8", "int32", "float16", "bfloat16", "float32", "float64", "int64"):
        add("core.Cast", T(source, values[:4]), target)
add("core.StopGradient", T("float32", [1, 2]))
for dtype in (None, "int32"):
    add("numpy.ZerosLike", T("float16", [1, 2]), dtype)
    add("numpy.OnesLike", T("uint8", [[1, 2]]), dtype)
    add("numpy.FullLike", T("float32", [1, 2]), 3, dtype)

begin("reduction")
REDUCTIONS = """numpy.Sum numpy.Prod numpy.Mean numpy.Max numpy.Min numpy.Any numpy.All numpy.Var numpy.Std
math.Logsumexp""".split()
cube = T("float32", rng.uniform(-2, 2, size=(2, 3, 2)).round(2))
for op in REDUCTIONS:
    for axis, keepdims in ((None, False), (None, True), (0, False), (-1, True), ((0, 2), False), ((-2, 0), True),
                           ((), False)):
        if axis == () and op == "math.Logsumexp":
            continue
        add(op, cube, axis=axis, keepdims=keepdims)
    for dtype, values in (("bool", [[1, 0, 1], [1, 1, 1]]), ("uint8", [[200, 100, 3], [1, 2, 3]]),
                          ("int8", [[100, 100, 3], [-1, 2, 0]]), ("int16", [[3, 4, 5], [6, 7, 8]]),
                          ("uint16", [[3, 4, 5], [6, 7, 8]]), ("int32", [[3, -4, 0], [6, 7, 8]]),
                          ("uint32", [[3, 4, 5], [6, 7, 8]]), ("int64", [[2**33, 1, 2], [0, 3, -4]]),
                          ("float16", [[0.5, 1.5, 2], [-3, 4, 1]]), ("bfloat16", [[0.5, 1.5, 2], [-3, 4, 1]]),
                          ("float64", [[0.1, 1.7, 2], [-3, 4.3, 1]])):
        add(op, T(dtype, values), axis=1)
    add(op, T("float32", [[1, NAN, 2], [-INF, 1, INF]]), axis=-1)
    add(op, T("float32", 2.5))
for op in ("numpy.Sum", "numpy.Prod", "numpy.Any", "numpy.All"):
    add(op, T("float32", [], (0, 3)), axis=0)
    add(op, T("int32", [], (2, 0)))
add("math.Logsumexp", T("float32", [[1000, 1000.5], [-INF, -INF]]), axis=-1)
ties = T("int32", [[3, 9, 9], [1, 0, 0]])
for op in ("numpy.Argmax", "numpy.Argmin"):
    for x in (cube, ties, T("bfloat16", [[1, 3, 3], [2, -1, -1]]), T("bool", [[0, 1, 1], [1, 0, 0]])):
        add(op, x)
        add(op, x, axis=1)
        add(op, x, axis=-1, keepdims=True)
    add(op, cube, keepdims=True)
    add(op, T("float32", [1, NAN, 5, NAN]))
    add(op, T("float64", [1.5, -2, 5]), axis=0)
for op in ("numpy.Cumsum", "numpy.Cumprod"):
    for axis in (None, 0, 1, -1):
        add(op, cube, axis=axis)
    for dtype in ("bool", "int32", "uint8", "int64", "float16", "float64"):
        add(op, T(dtype, [[1, 0, 1], [1, 1, 1]]), axis=1)
add("numpy.CountNonzero", cube)
add("numpy.CountNonzero", ties, axis=1)
add("numpy.CountNonzero", T("bool", [[1, 0], [1, 1]]), axis=0)

begin("shaping")
x = T("int32", list(range(24)), (2, 3, 4))
y = T("float16", [[1, 2, 3], [4, 5, 6]])
for shape in ((4, 6), (-1, 8), (24,), (2, 3, 2, -1)):
    add("numpy.Reshape", x, shape)
add("numpy.Reshape", T("bool", [1]), ())
add("numpy.Reshape", T("float32", [], (0, 3)), (3, -1))
for axes in (None, (2, 0, 1), (0, 2, 1), (-1, -2, -3)):
    add("numpy.Transpose", x, axes)
add("numpy.Transpose", y)
add("numpy.Swapaxes", x, 0, -1)
add("numpy.Moveaxis", x, (0,), (-1,))
add("numpy.Moveaxis", x, (0, 1), (2, 0))
for axis in (0, -1, (0, 2), (-1, 1)):
    add("numpy.ExpandDims", y, axis)
one = T("float32", [[[1], [2]]])
for axis in (None, 0, -1, (0, 2)):
    add("numpy.Squeeze", one, axis)
add("numpy.BroadcastTo", T("int8", [[1], [2]]), (3, 2, 2))
add("numpy.BroadcastTo", T("float32", 4.0), (2, 1))
for axis in (0, 1, -1):
    add("numpy.Concatenate", [y, T("float32", [[0.5, 0.25, 1], [7, 8, 9]])], axis)
    add("numpy.Stack", [y, T("float32", [[0.5, 0.25, 1], [7, 8, 9]])], axis)
add("numpy.Concatenate", [T("int8", [1, 2]), T("uint8", [3]), T("int8", [])], 0)
add("core.Unstack", y)
add("core.Unstack", x, axis=-1)
add("numpy.Split", x, 2, 2)
add("numpy.Split", x, [1, 3], -1)
add("numpy.Split", y, [2, 2], 1)
for axis in (None, 0, (0, -1)):
    add("numpy.Flip", x, axis)
for repeats in ((2,), (1, 2, 1), (2, 1, 1, 2)):
    add("numpy.Tile", y, repeats)
add("numpy.Repeat", y, 2)
add("numpy.Repeat", y, 3, 0)
add("numpy.Repeat", y, 2, -1)
add("numpy.Pad", y, ((1, 0), (0, 2)))
add("numpy.Pad", T("int32", [[1, 2]]), ((1, 1), (1, 1)), constant_values=7)
add("numpy.Pad", T("float32", [1, 2]), ((2, 1),), constant_values=-1.5)

begin("indexing")
S = slice
for key in ((0,), (-1, 2), (S(1, None),), (S(None), S(None, None, -1)), (S(None), S(2, 0, -1), S(1, None, 2)),
            (Ellipsis, 0), (0, Ellipsis, S(1, 3)), (None, S(0, 1)), (Ellipsis, None), (1, 2, 3),
            (S(5, 9),), (S(-100, 1),), (S(None), S(-1, None), -1)):
    add("numpy.GetItem", x, key)
picks = T("int32", [[0, 2], [-1, 1]])
for axis in (None, 0, 1, -1):
    if axis == 0:
        add("numpy.Take", x, T("int32", [1, 0, 1]), axis)
    else:
        add("numpy.Take", x, picks, axis)
add("numpy.Take", y, T("int64", 1), 1)
add("numpy.Take", T("bool", [1, 0, 1]), T("uint8", [2, 0]), 0)
add("numpy.TakeAlongAxis", y, T("int32", [[2, 0], [1, -1]]), 1)
add("numpy.TakeAlongAxis", y, T("int32", [[1, 0, 1]]), 0)
mess = T("float32", [[3, -1, 2, 3], [0.5, 8, -INF, 0.5]])
for dtype in ("float32", "int32", "uint8", "bfloat16", "float64"):
    z = T(dtype, [[3, 1, 2, 3], [5, 8, 0, 5]])
    add("numpy.Sort", z)
    add("numpy.Argsort", z)
    add("math.TopK", z, 2)
add("numpy.Sort", mess, axis=0)
add("numpy.Argsort", mess, axis=0)
add("math.TopK", mess, 4)
add("numpy.Sort", T("float32", [2, NAN, 1]))

begin("nn")
logits = T("float32", rng.normal(size=(2, 3)).round(2) * 3)
for axis in (-1, 0):
    for z in (logits, T("float64", [[1, 2], [0.5, -3]]), T("float16", [[1, 2], [0.5, -3]]),
              T("bfloat16", [[1, 2], [0.5, -3]]), T("float32", [[1000, 1001], [-1000, -INF]])):
        add("nn.Softmax", z, axis)
        add("nn.LogSoftmax", z, axis)
labels = T("int32", [[0, 2], [-1, 3]])
for axis in (-1, 0, 1):
    add("nn.OneHot", labels, 3, axis)
add("nn.OneHot", T("uint8", [1, 0]), 2, -1, "int32")
image = T("float32", rng.normal(size=(1, 4, 5, 2)).round(1))
kernel = T("float32", rng.normal(size=(3, 2, 2, 3)).round(1))
for padding in ("valid", "same"):
    add("nn.Conv", image, kernel, padding=padding)
    add("nn.Conv", image, kernel, strides=2, padding=padding)
    add("nn.MaxPool", image, (2, 2), strides=(2, 2), padding=padding)
    add("nn.AveragePool", image, (3, 2), strides=(1, 2), padding=padding)
add("nn.Conv", image, kernel, dilation_rate=(1, 2))
add("nn.Conv", image, T("float32", rng.normal(size=(2, 2, 1, 2)).round(1)))
first = T("float32", rng.normal(size=(1, 2, 4, 3)).round(1))
add("nn.Conv", first, kernel, data_format="channels_first")
add("nn.MaxPool", first, (2, 2), strides=(2, 2), data_format="channels_first")
add("nn.AveragePool", first, (2, 2), strides=(2, 2), data_format="channels_first", padding="same")
line = T("float32", rng.normal(size=(2, 6, 2)).round(1))
add("nn.Conv", line, T("float32", rng.normal(size=(3, 2, 2)).round(1)), strides=2, padding="same")
add("nn.MaxPool", line, (3,), strides=(1,))
space = T("float32", rng.normal(size=(1, 2, 3, 2, 1)).round(1))
add("nn.Conv", space, T("float32", rng.normal(size=(2, 2, 2, 1, 2)).round(1)))
add("nn.MaxPool", space, (1, 2, 2), strides=(1, 1, 1))
probabilities = T("float32", [[0.2, 0.5, 0.3], [0.9, 0.1, 0.0]])
hot = T("float32", [[0, 1, 0], [0, 0, 1]])
for from_logits, z in ((False, probabilities), (True, logits)):
    add("nn.CategoricalCrossentropy", hot, z, from_logits)
    add("nn.CategoricalCrossentropy", hot, z, from_logits, axis=0)
    add("nn.SparseCategoricalCrossentropy", T("int32", [1, 2]), z, from_logits)
    add("nn.SparseCategoricalCrossentropy", T("int32", [[1], [5]]), z, from_logits)
    add("nn.BinaryCrossentropy", hot, z, from_logits)

begin("linalg")
def matrix(dtype, *shape):
    return T(dtype, rng.integers(-3, 4, size=shape) * (0.5 if "float" in dtype else 1))
for a, b in (((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 2, 3), (3, 2)),
             ((2, 2, 3), (2, 3, 2)), ((2, 1, 2, 3), (3, 3, 1)), ((2, 3), (2, 3, 2)), ((0, 3), (3, 2)),
             ((2, 0), (0, 3)), ((2, 2, 3), (3,)), ((3,), (2, 3, 2))):
    add("numpy.Matmul", matrix("float32", *a), matrix("float32", *b))
for a, b in (("float16", "float16"), ("bfloat16", "float32"), ("int8", "int8"), ("int32", "int32"),
             ("int32", "float32"), ("float64", "float64"), ("int64", "int32"), ("bfloat16", "bfloat16")):
    add("numpy.Matmul", matrix(a, 2, 3), matrix(b, 3, 2))
add("numpy.Matmul", T("uint8", [[200, 3], [2, 1]]), T("uint8", [[1, 2], [100, 4]]))


def promotion():
    kinds = NAMES + [int, float]

    def rows(f, types=kinds):
        return [[NAMES.index(f(a, b)) for b in types] for a in types]

    def symbolic(kind, shape=()):
        return {int: 1, float: 1.0}.get(kind) or keras.KerasTensor(shape, dtype=kind)

    def of_op(op, fixed=()):
        def result(a, b):
            if not isinstance(a, str) and not isinstance(b, str):
                return dtypes.result_type(a, b)
            return keras.backend.standardize_dtype(op(*fixed, symbolic(a), symbolic(b)).dtype)
        return rows(result)

    def divide(a, b):
        if not isinstance(a, str) and not isinstance(b, str):
            return "float32"
        return ops.true_divide(symbolic(a), symbolic(b)).dtype

    def product(a, b):
        return ops.matmul(symbolic(a, (2, 2)), symbolic(b, (2, 2))).dtype

    def alone(op):
        return [NAMES.index(op(symbolic(a, (2,))).dtype) for a in NAMES]

    return {"result_type": rows(dtypes.result_type), "add": of_op(ops.add), "maximum": of_op(ops.maximum),
            "where": of_op(ops.where, (keras.KerasTensor((), dtype="bool"),)), "true_divide": rows(divide),
            "matmul": rows(product, NAMES), "sum": alone(ops.sum), "prod": alone(ops.prod), "mean": alone(ops.mean),
            "exp": alone(ops.exp)}


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/ops.json"
    table = ",\n".join(f'"{k}": {json.dumps(v, separators=(",", ":"))}' for k, v in promotion().items())
    write(output, [f'"promotion": {{\n{table}\n}}'])


if __name__ == "__main__":
    main()
