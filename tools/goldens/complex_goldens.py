"""Records what Keras makes of complex numbers, for tests/framework/ops/complex_test.cpp.

Run with Keras 3.15 on the TensorFlow backend:
KERAS_BACKEND=tensorflow python tools/goldens/complex_goldens.py tests/data/complex.json
Each case holds the catalog's name of an op, its arguments and results; numbers of complex arrays are pairs. The
gradients are those of sum(abs(result)) for complex results, else of sum(result), by the first argument.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
import keras
import numpy as np
import tensorflow as tf
from keras import ops

rng = np.random.default_rng(3)


def numbers(*shape):
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).round(2).astype("complex64")


z, w, v = numbers(2, 3), numbers(2, 3), numbers(3)
square, batch = numbers(3, 3), numbers(2, 3, 3)
x = rng.normal(size=(2, 3)).round(2).astype("float32")
i = np.array([[1, 2, 3], [4, 5, -6]], "int32")
edges = np.array([0, 1, -1, 1j, -1j, -4, 3 - 4j, 1e-3 + 1e3j], "complex64")
wide = numbers(2, 2).astype("complex128")


def short(v):
    return float(f"{v:.8g}")


def array(a):
    a = np.asarray(a)
    if a.dtype.kind == "c":
        pairs = [[short(p.real), short(p.imag)] for p in a.ravel()]
        return {"dtype": str(a.dtype), "shape": list(a.shape), "pairs": pairs}
    return {"dtype": str(a.dtype), "shape": list(a.shape), "values": [short(v) if a.dtype.kind == "f" else v for v in a.ravel().tolist()]}


def encode(a):
    if isinstance(a, np.ndarray):
        return {"array": array(a)}
    if isinstance(a, (list, tuple)):
        return [encode(e) for e in a]
    return a


cases = []


def add(name, function, *args, grad=True, **kwargs):
    def call(first):
        return function(first, *args[1:], **kwargs)

    first = args[0]
    result = call(first)
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    case = {"op": name, "args": [encode(a) for a in args], "kwargs": {k: encode(a) for k, a in kwargs.items()},
            "results": [array(r) for r in results]}
    if grad and isinstance(first, np.ndarray) and len(results) == 1 and results[0].dtype.name != "bool":
        t = tf.constant(first)
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = call(t)
            y = tf.reduce_sum(tf.abs(y) if y.dtype.is_complex else y)
        g = tape.gradient(y, t)
        if g is not None:
            case["gradient"] = array(g)
    cases.append(case)


for a in (z, x, i):
    add("numpy.Real", ops.real, a, grad=a is z)
    add("numpy.Imag", ops.imag, a, grad=a is z)
    add("numpy.Conjugate", ops.conjugate, a, grad=a is z)
    add("numpy.Conj", ops.conj, a, grad=a is z)
    add("numpy.Angle", ops.angle, a, grad=a is z)
    add("numpy.Isreal", ops.isreal, a)
    add("math.ViewAsReal", ops.view_as_real, a, grad=a is z)
    add("numpy.Absolute", ops.absolute, a, grad=a is z)
add("numpy.Real", ops.real, wide)
add("numpy.Conj", ops.conj, wide)
add("numpy.Absolute", ops.absolute, wide)
add("numpy.Square", ops.square, wide)
add("math.ViewAsComplex", ops.view_as_complex, np.stack([x, -x], -1))
add("math.ViewAsComplex", ops.view_as_complex, i[:, :2], grad=False)
add("nn.Polar", ops.polar, np.abs(x), x)
add("nn.Polar", ops.polar, np.float32(2) + np.abs(x), np.array([0, 1, 4], "float32"))
add("nn.Polar", ops.polar, np.abs(x).astype("float64"), x.astype("float64"))
for name, f in [("Add", ops.add), ("Subtract", ops.subtract), ("Multiply", ops.multiply),
                ("TrueDivide", ops.true_divide)]:
    for a, b in [(z, w), (z, x), (x, z), (z, i), (z, v), (z, 2.5), (z, x.astype("float64"))]:
        add("numpy." + name, f, a, b, grad=a is not x)
add("numpy.Power", ops.power, z, w)
add("numpy.Power", ops.power, z, 3.0)
add("numpy.Power", ops.power, x, z, grad=False)
for name, f in [("Negative", ops.negative), ("Square", ops.square), ("Exp", ops.exp), ("Log", ops.log),
                ("Sqrt", ops.sqrt), ("Sin", ops.sin), ("Cos", ops.cos), ("Tan", ops.tan), ("Sinh", ops.sinh),
                ("Cosh", ops.cosh), ("Tanh", ops.tanh), ("Reciprocal", ops.reciprocal), ("Expm1", ops.expm1),
                ("Log2", ops.log2), ("Log10", ops.log10), ("Sign", ops.sign)]:
    add("numpy." + name, f, z, grad=name not in ("Sign",))
add("math.Rsqrt", ops.rsqrt, z)
for name, f in [("Absolute", ops.absolute), ("Angle", ops.angle), ("Sqrt", ops.sqrt), ("Exp", ops.exp),
                ("Square", ops.square)]:
    add("numpy." + name, f, edges[:-1] if name == "Exp" else edges, grad=False)
add("numpy.Log", ops.log, edges[1:], grad=False)
add("numpy.TrueDivide", ops.true_divide, edges, edges[::-1][:1])
add("numpy.Equal", ops.equal, z, np.where(x > 0, z, w))
add("numpy.NotEqual", ops.not_equal, z, x)
add("numpy.Matmul", ops.matmul, z, square)
add("numpy.Matmul", ops.matmul, x, square)
add("numpy.Matmul", ops.matmul, square, x.T.copy())
add("numpy.Matmul", ops.matmul, batch, square)
add("numpy.Matmul", ops.matmul, batch, batch[::-1].copy())
add("numpy.Matmul", ops.matmul, v, square)
add("numpy.Outer", ops.outer, v, v)
add("numpy.Tensordot", ops.tensordot, z, w, axes=2)
add("numpy.Trace", ops.trace, square)
add("numpy.Sum", ops.sum, z)
add("numpy.Sum", ops.sum, z, axis=1, keepdims=True)
add("numpy.Mean", ops.mean, z, axis=0)
add("numpy.Var", ops.var, z, grad=False)
add("numpy.Std", ops.std, z, axis=1, grad=False)
add("numpy.Cumsum", ops.cumsum, z, axis=1)
add("numpy.CountNonzero", ops.count_nonzero, edges)
add("numpy.Any", ops.any, edges)
add("numpy.All", ops.all, edges)
add("numpy.Reshape", ops.reshape, z, (3, 2))
add("numpy.Transpose", ops.transpose, batch, axes=(2, 0, 1))
add("numpy.Concatenate", ops.concatenate, [z, x], axis=0)
add("numpy.Stack", ops.stack, [z, w], axis=-1)
add("numpy.Take", ops.take, z, np.array([2, 0, 2], "int32"), axis=1)
add("numpy.TakeAlongAxis", ops.take_along_axis, z, np.array([[2], [0]], "int32"), axis=1)
add("numpy.Tile", ops.tile, z, (2, 1))
add("numpy.Repeat", ops.repeat, z, 2, axis=1)
add("numpy.Roll", ops.roll, z, 1)
add("numpy.Flip", ops.flip, z)
add("numpy.Diagonal", ops.diagonal, batch, axis1=1, axis2=2)
add("numpy.Tril", ops.tril, square)
add("numpy.BroadcastTo", ops.broadcast_to, v, (2, 3))
add("numpy.Where", ops.where, x > 0, z, w, grad=False)
add("numpy.Where", ops.where, x > 0, z, x, grad=False)
add("numpy.ZerosLike", ops.zeros_like, z, grad=False)
add("numpy.OnesLike", ops.ones_like, z, grad=False)
add("numpy.FullLike", ops.full_like, z, np.array(1 - 2j, "complex64"), grad=False)
add("core.ScatterUpdate", ops.scatter_update, z, np.array([[0, 1], [1, 2]], "int32"), v[:2], grad=False)
add("core.Cast", ops.cast, x, dtype="complex64", grad=False)
add("core.Cast", ops.cast, i, dtype="complex64", grad=False)
add("core.Cast", ops.cast, z, dtype="complex128", grad=False)

with open(sys.argv[1], "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
