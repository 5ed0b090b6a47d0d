#!/usr/bin/env python3
"""Writes tests/data/op_edges.json (values) and op_places.json (places): ops of Keras at unusual arguments, and what they
give on the JAX backend.

Usage: python tools/goldens/op_edge_goldens.py [folder]
Needs keras and jax (CPU); op_cases.py has the form of the cases. Negative and several axes, keepdims, no axes, no
elements, broadcasting of both operands, whole numbers, truth values, halves, NaN and infinities.
"""

import pathlib
import sys

from op_cases import T, add, begin, write

import numpy as np

NAN, INF = float("nan"), float("inf")
rng = np.random.default_rng(11)


def floats(*shape, dtype="float32", low=-2, high=2):
    return T(dtype, rng.uniform(low, high, size=shape).round(2))


def ints(*shape, dtype="int32", low=-5, high=9):
    return T(dtype, rng.integers(low, high, size=shape))


SMALL = {"float32": [[1.5, -2, 0.25], [3, -0.5, 7]], "float16": [[1.5, -2, 0.25], [3, -0.5, 7]],
         "bfloat16": [[1.5, -2, 0.25], [3, -0.5, 7]], "float64": [[1.5, -2.1, 0.25], [3, -0.5, 7]],
         "int32": [[1, -2, 0], [3, -5, 7]], "uint8": [[1, 250, 0], [3, 5, 7]], "int8": [[1, -100, 0], [3, 90, 70]],
         "int64": [[1, -2, 0], [3, -5, 2**40]], "bool": [[1, 0, 0], [1, 1, 1]]}


def each(op, *args, dtypes=SMALL, **named):
    """A case for each dtype, of a matrix (2, 3)."""
    for dtype in dtypes:
        add(op, T(dtype, SMALL[dtype]), *args, **named)


FLOATS = ("float32", "float16", "bfloat16", "float64")
SPECIAL = T("float32", [-INF, -1e38, -3.5, -1, -0.5, -0.0, 0.0, 1e-30, 0.5, 1.5, 2.5, 1e38, INF, NAN])
cube = floats(2, 3, 4)
none = T("float32", [], (2, 0))
scalar = T("float32", 1.25)

begin("elementwise")
for op in ("Fabs", "Cbrt", "Exp2", "Deg2rad", "Rad2deg", "Sinc", "Signbit", "Isneginf", "Isposinf", "NanToNum", "Abs",
           "Isreal", "Conj", "Real", "Imag", "Angle", "Round", "Trunc", "Floor", "Ceil", "Sign"):
    each("numpy." + op, dtypes=("float32", "bfloat16", "int32", "uint8", "bool", "float64"))
    if op != "Angle":  # of -0, which backends have as 0 or as pi
        add("numpy." + op, SPECIAL)
for op in ("Exp", "Log", "Log1p", "Expm1", "Sqrt", "Tanh", "Sinh", "Arctan", "Arcsinh", "Reciprocal", "Square"):
    add("numpy." + op, SPECIAL)
    add("numpy." + op, none)
for op in ("Sigmoid", "Softplus", "Relu6", "LeakyRelu", "Silu", "Gelu", "Elu", "Selu", "Softsign", "HardSigmoid",
           "HardSilu", "LogSigmoid", "Celu", "HardTanh", "HardShrink", "SoftShrink", "TanhShrink", "SparsePlus",
           "SparseSigmoid", "Squareplus"):
    add("nn." + op, SPECIAL)
    each("nn." + op, dtypes=("bfloat16",) if op == "Relu6" else ("bfloat16", "int32"))
add("math.Erfc", SPECIAL)
each("math.Erfc", dtypes=("float16", "float64", "int32"))
add("nn.Threshold", SPECIAL, 0.5, -7)
add("nn.Threshold", T("int32", [1, 5, -2]), 2, 9)
add("numpy.I0", T("float32", [-3, 0, 0.5, 4, 20]))
add("numpy.NanToNum", SPECIAL, nan=1.5, posinf=9, neginf=-9)
add("numpy.NanToNum", T("float16", [NAN, INF, -INF, 1]))
add("numpy.NanToNum", T("bfloat16", [NAN, INF, -INF, 1]), posinf=3.0)
for decimals in (-2, -1, 1, 2):
    add("numpy.Round", T("float32", [1234.567, -0.125, 15, 25, 0.005]), decimals)
    add("numpy.Round", T("int32", [1234, -15, 25, 5]), decimals)
add("numpy.Round", T("float32", [0.5, 1.5, 2.5, -0.5, -1.5]))
PAIRS = [(floats(2, 1, 3), floats(4, 1)), (scalar, floats(2, 3)), (T("float32", [], (0, 1)), floats(1, 3)),
         (T("float32", [1, 1, NAN, INF, -INF, 0.0, -0.0, INF, 0]),
          T("float32", [2, NAN, 1, INF, INF, -0.0, 0.0, -INF, 0])),
         (ints(3), floats(2, 1)), (T("uint8", [3, 250, 0]), T("int32", [[-2], [7]])),
         (T("bool", [1, 0, 1]), T("bool", [0, 0, 1])), (T("float16", [1.5, -2]), T("bfloat16", [0.25, 3])),
         (T("int8", [100, -100]), T("uint8", [3, 200])), (T("float64", [1.5, -0.3]), T("float32", [2, 0.5]))]
for op in ("Fmax", "Fmin", "Hypot", "Heaviside", "Fmod", "Logaddexp", "Logaddexp2", "DivideNoNan", "Divide", "Isclose",
           "Maximum", "Minimum", "Mod", "FloorDivide", "Power", "Arctan2", "LogicalXor", "LessEqual", "Nextafter",
           "Subtract"):
    for a, b in PAIRS:
        # Whole numbers divided by 0, or to powers below it, are anything.
        if (op in ("FloorDivide", "Fmod") and a.dtype == "bool" or op == "Power" and a.dtype == "uint8"
                or op == "Nextafter" and "float" not in b.dtype):
            continue
        add("numpy." + op, a, b)
for a, b in ((T("int32", [12, -18, 0, 7]), T("int32", [[8], [0]])), (T("uint8", [200, 12]), T("int8", [100, -8])),
             (T("int64", [2**40, 6]), T("int64", [2**35, 4]))):
    add("numpy.Gcd", a, b)
    add("numpy.Lcm", a, b)
for op in ("LeftShift", "RightShift", "BitwiseLeftShift", "BitwiseRightShift"):
    add("numpy." + op, T("int32", [1, -8, 7]), T("int32", [[0], [3]]))
    add("numpy." + op, T("uint8", [1, 255, 7]), T("uint8", [1, 2, 7]))
    add("numpy." + op, T("int8", [1, -8, 127]), T("int32", [1, 2, 3]))
add("numpy.Ldexp", T("float32", [0.5, -3, INF, 0]), T("int32", [3, -2, 1, 5]))
add("numpy.Ldexp", T("int32", [5, -3]), T("int32", [2, 1]))
add("numpy.Ldexp", T("float16", [[0.5], [1]]), T("int8", [3, -2]))
for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
    add("numpy." + op, T("uint8", [[200], [3]]), T("int32", [-1, 5]))
    add("numpy." + op, T("bool", [1, 0]), T("int8", [3, 4]))
each("numpy.BitwiseInvert", dtypes=("int32", "uint8", "int8", "bool", "int64"))
for rtol, atol, equal_nan in ((0.1, 0, False), (0, 0.3, False), (1e-5, 1e-8, True)):
    x, y = T("float32", [1, 10, NAN, INF, -INF]), T("float32", [1.2, 10.9, NAN, INF, INF])
    add("numpy.Isclose", x, y, rtol, atol, equal_nan)
    add("numpy.AllClose", x, y, rtol, atol, equal_nan)
add("numpy.Isclose", ints(3), ints(2, 1))
add("numpy.Clip", T("uint8", [1, 250, 7]), 3, 100)
add("numpy.Clip", SPECIAL, -INF, 1.0)
add("numpy.Clip", T("float32", [1, 2, 3]), 5, 2)
add("numpy.Where", T("bool", [[1], [0]]), T("bool", [1, 0, 1]), T("uint8", [[[7]], [[8]]]))
add("numpy.Where", T("float32", [NAN, 0, 2]), 1, 0)
add("numpy.Select", [T("bool", [[1, 0, 0]]), T("bool", [[1], [1]])], [floats(3), floats(2, 1)], 9)
add("numpy.Select", [T("bool", [0, 1]), T("bool", [1, 1])], [ints(2), ints(2)], 0)

begin("reductions")
for op in ("Sum", "Prod", "Mean", "Max", "Min", "Any", "All", "Var", "Std", "Ptp", "Amax", "Amin", "Nansum", "Nanprod",
           "Nanmean", "Nanmax", "Nanmin", "Nanvar", "Nanstd"):
    for axis, keepdims in ((-2, False), ((1, -1), True), ((0, 1, 2), True), ((2, 0, 1), False)):
        add("numpy." + op, cube, axis=axis, keepdims=keepdims)
    add("numpy." + op, scalar, keepdims=True)
    add("numpy." + op, T("float32", [], (0, 3)), axis=1)
    add("numpy." + op, T("float32", [[1, NAN, 3], [NAN, NAN, NAN], [INF, 2, -INF]]), axis=1)
    if op not in ("Any", "All", "Amax", "Amin"):
        each("numpy." + op, axis=0, dtypes=("float16", "bfloat16", "int32", "uint8", "bool", "float64"))
for op in ("Sum", "Mean", "Var", "Std", "Prod", "Nansum", "Nanprod", "Nanmean", "Nanvar"):
    add("numpy." + op, T("float32", [], (0, 3)), axis=0)
    add("numpy." + op, none)
for initial in (-1, 2.5):
    add("numpy.Max", cube, axis=1, initial=initial)
    add("numpy.Min", cube, axis=(0, -1), keepdims=True, initial=initial)
add("numpy.Max", none, axis=1, initial=3)
add("numpy.Max", ints(2, 3), initial=4)
add("numpy.Prod", ints(2, 3, dtype="int8"), axis=1, dtype="int32")
add("numpy.Prod", T("uint8", SMALL["uint8"]), dtype="float32")
for axis in (None, 0, (0, 1), (-1, 0)):
    add("math.Logsumexp", cube, axis=axis)
    add("numpy.CountNonzero", ints(2, 3, 2, low=-1, high=2), axis=axis)
each("math.Logsumexp", axis=-1, keepdims=True, dtypes=FLOATS + ("int32",))
add("math.Logsumexp", T("float32", [[-INF, -INF], [INF, 1], [INF, -INF], [NAN, 1]]), axis=1)
for op in ("Argmax", "Argmin", "Nanargmax", "Nanargmin"):
    for axis, keepdims in ((None, True), (-2, False), (0, True)):
        add("numpy." + op, cube, axis=axis, keepdims=keepdims)
    add("numpy." + op, scalar)
    add("numpy." + op, T("float32", [[NAN, 1, 5, 5], [2, INF, INF, -INF], [-INF, -INF, NAN, 0]]), axis=1)
    add("numpy." + op, T("uint8", [[250, 3], [3, 250]]), axis=0)
for op in ("Cumsum", "Cumprod", "Nancumsum", "Nancumprod"):
    for axis in (None, -2, 2):
        add("numpy." + op, cube, axis=axis)
    add("numpy." + op, T("float32", [[1, NAN, 2, INF], [0, 3, NAN, 1]]), axis=1)
    add("numpy." + op, ints(2, 3, dtype="int8"), axis=-1, dtype="float32")
    add("numpy." + op, T("float32", [], (0, 3)), axis=0)
    add("numpy." + op, scalar)
    each("numpy." + op, axis=0, dtypes=("bfloat16", "int32", "uint8", "bool"))
for axis in (None, -1, (0, 2), (1,)):
    add("numpy.Median", cube, axis=axis)
    add("numpy.Median", cube, axis=axis, keepdims=True)
    add("numpy.Nanmedian", cube, axis=axis)
    for method in ("linear", "lower", "higher", "nearest", "midpoint"):
        add("numpy.Quantile", cube, T("float32", [0.0, 0.35, 1.0]), axis=axis, method=method, keepdims=True)
        add("numpy.Percentile", cube, 35, axis=axis, method=method)
holes = T("float32", [[1, NAN, 3, 2], [NAN, NAN, NAN, NAN], [4, 0.5, INF, -INF]])
for op in ("Quantile", "Nanquantile"):
    add("numpy." + op, holes, T("float32", [[0.25, 0.5], [0.75, 1]]), axis=1)
    add("numpy." + op, holes, 0.5, axis=0, keepdims=True)
    each("numpy." + op, 0.5, axis=1, dtypes=("float16", "bfloat16", "int32", "uint8", "float64"))
add("numpy.Nanpercentile", holes, T("float32", [10, 90]), axis=1)
each("numpy.Median", axis=0, dtypes=("int32", "bool", "bfloat16"))
for axis in (None, 0, -1, 1):
    add("numpy.Average", cube, axis=axis)
add("numpy.Average", cube, axis=-1, weights=floats(4, low=1))
add("numpy.Average", cube, axis=1, weights=floats(3, low=1))
add("numpy.Average", ints(2, 3), weights=floats(2, 3, low=1))
each("numpy.Average", axis=1, dtypes=("int32", "bool", "bfloat16"))
for axes in (0, -1, (0, 2), (1, -1)):
    for keepdims in (False, True):
        add("nn.Moments", cube, axes, keepdims)
each("nn.Moments", 1, dtypes=("float16", "bfloat16", "float64"))
add("numpy.Histogram", floats(20), 5)
add("numpy.Histogram", ints(3, 4), bins=3, range=(0, 6))
add("numpy.Histogram", T("float32", [2, 2, 2]), 4)
add("numpy.Bincount", T("int32", [0, 3, 3, 1]))
add("numpy.Bincount", T("int32", [[0, 2], [1, 1]]), weights=T("float32", [[1, 0.5], [2, 3]]), minlength=5)
add("numpy.Bincount", T("uint8", [4, 4, 0]), minlength=2)
add("numpy.Corrcoef", floats(3, 6))
add("numpy.Corrcoef", floats(5))
for mode in ("valid", "same", "full"):
    add("numpy.Correlate", floats(5), floats(3), mode)
    add("numpy.Correlate", ints(2), ints(4), mode)
for axis in (0, 1, -1):
    for n in (1, 2):
        add("numpy.Diff", cube, n, axis)
    add("numpy.Trapezoid", cube, axis=axis)
    add("numpy.Trapezoid", cube, dx=0.5, axis=axis)
add("numpy.Diff", T("bool", [1, 0, 0, 1]))
add("numpy.Diff", T("uint8", [3, 1, 200]))
add("numpy.Diff", ints(3), 0)
add("numpy.Diff", ints(2), 3)
add("numpy.Trapezoid", cube, floats(4))
add("numpy.Trapezoid", ints(4))

begin("arranging")
x, y = ints(2, 3, 4), floats(2, 3)
for shape in ((-1,), (2, -1, 2), (1, 24, 1), (4, 3, 2)):
    add("numpy.Reshape", x, shape)
add("numpy.Reshape", none, (0, 5))
add("numpy.Reshape", scalar, (1, 1))
add("numpy.Transpose", scalar)
add("numpy.Transpose", ints(2, 3, 4, 2), (-1, 1, 0, -2))
add("numpy.Moveaxis", x, -1, 0)
add("numpy.Moveaxis", x, (-1, 0), (0, -1))
add("numpy.Moveaxis", x, (2, 0, 1), (0, 1, 2))
add("numpy.Swapaxes", x, -3, 1)
add("numpy.ExpandDims", x, (0, -1, 2))
add("numpy.ExpandDims", scalar, (0, 1))
add("numpy.Squeeze", T("float32", [[[1, 2]]]), (0, -2))
add("numpy.Squeeze", T("int32", [[[5]]]))
for axis in (-1, -2, (0, 1, 2), (-3, -1)):
    add("numpy.Flip", x, axis)
add("numpy.Flip", none, 1)
for shift, axis in ((1, None), (-5, None), (2, -1), (-1, 0), ((1, 2), (0, -1)), (7, 1), ((1, 1), (2, 2)), (1, (0, 1))):
    add("numpy.Roll", x, shift, axis)
add("numpy.Roll", none, 1, 0)
for k in (-1, 0, 2, 3, 5):
    add("numpy.Rot90", x, k, (0, 1))
add("numpy.Rot90", x, 1, (1, 2))
add("numpy.Rot90", x, 1, (2, 0))
for repeats in (2, (2,), (1, 1, 2), (2, 1, 1, 1), (0, 1, 1)):
    add("numpy.Tile", x, repeats)
add("numpy.Tile", scalar, (2, 2))
for repeats, axis in ((2, 1), ((1, 0, 2), 1), ((3,), -1), (0, 0), ([2, 1], 0)):
    add("numpy.Repeat", x, repeats, axis)
add("numpy.Repeat", scalar, 3)
for width in (2, ((1, 0), (0, 2), (0, 0)), ((1, 2),)):
    add("numpy.Pad", x, width)
for mode in ("reflect", "symmetric"):
    add("numpy.Pad", x, ((1, 1), (2, 1), (3, 0)), mode)
    add("numpy.Pad", T("bool", [[1, 0]]), ((1, 0), (0, 1)) if mode == "symmetric" else ((0, 0), (1, 1)), mode)
add("numpy.Pad", none, ((1, 0), (0, 2)), constant_values=3)
add("numpy.Pad", T("bool", [1, 0]), ((1, 1),), constant_values=True)
add("numpy.Pad", scalar, ())
for a, b, axis in ((ints(2, 3), floats(1, 3), 0), (ints(2, 3), floats(2, 1), -1), (ints(2, 3), floats(4), None)):
    add("numpy.Append", a, b, axis)
add("numpy.Concatenate", [T("float32", [], (0, 3)), floats(2, 3)], 0)
add("numpy.Concatenate", [T("bool", [1]), T("int8", [2]), T("float16", [0.5])], -1)
add("numpy.Concatenate", [T("bool", [1]), T("bool", [0])])
add("numpy.Stack", [scalar, T("int32", 3)])
add("numpy.Stack", [x, x], -2)
add("numpy.Hstack", [scalar, T("float32", 2)])
add("numpy.Vstack", [scalar, T("float32", 2)])
add("numpy.Dstack", [scalar, T("float32", 2)])
for op in ("Hstack", "Vstack", "Dstack"):
    add("numpy." + op, [x, x])
    add("numpy." + op, [T("int8", [1, 2]), T("float32", [3, 4])])
for op in ("Hsplit", "Vsplit", "Dsplit"):
    add("numpy." + op, ints(4, 4, 2), 2)
    add("numpy." + op, ints(4, 4, 2), [1, 1])
    add("numpy." + op, ints(4, 4, 2), [-1])
add("numpy.Hsplit", ints(4), [1, 3])
add("numpy.Split", x, [1, 3], 2)
add("numpy.Split", x, [-1], -1)
add("numpy.Split", x, [2, 1], 2)
add("numpy.Split", x, [0, 9], 1)
for sections, axis in ((3, -1), (2, 1), (5, 2), ([1, 2], 0)):
    add("numpy.ArraySplit", x, sections, axis)
for offset, axis1, axis2 in ((0, 0, 1), (1, -1, -2), (-1, 0, 2), (2, 1, 2), (9, 0, 1), (-9, 2, 0)):
    add("numpy.Diagonal", x, offset, axis1, axis2)
    add("numpy.Trace", x, offset, axis1, axis2)
each("numpy.Trace", dtypes=("bool", "uint8", "int8", "bfloat16", "int64"))
for k in (-2, 0, 1, 7):
    add("numpy.Diag", ints(3), k)
    add("numpy.Diag", ints(3, 4), k)
    add("numpy.Diagflat", ints(2, 2), k)
    add("numpy.Tril", x, k)
    add("numpy.Triu", x, k)
    add("numpy.Tril", T("bool", [[1, 1], [1, 1]]), k)
add("numpy.Diagflat", scalar)
add("numpy.Vander", ints(3))
add("numpy.Vander", floats(3), 2, True)
add("numpy.Vander", ints(2), 5)
for indexing in ("xy", "ij"):
    add("numpy.Meshgrid", ints(2), floats(3), indexing=indexing)
    add("numpy.Meshgrid", ints(2), scalar, ints(3), indexing=indexing)
    add("numpy.Meshgrid", ints(3), indexing=indexing)
add("core.Unstack", x, axis=-2)
add("core.Unstack", ints(0, 2))
add("numpy.Ravel", x)
add("numpy.Ravel", scalar)

begin("creating")
for args in ((3,), (2, 5), (5, 2, -1), (0, 1, 0.3), (2.5,), (5, 5), (1, 4, 2), (-3,)):
    add("numpy.Arange", *args)
    add("numpy.Arange", *args, dtype="float16")
    add("numpy.Arange", *args, dtype="int32")
for num in (0, 1, 2, 5):
    for endpoint in (True, False):
        add("numpy.Linspace", -1, 2, num, endpoint)
        add("numpy.Linspace", floats(2, 1), ints(3), num, endpoint, axis=-1)
        add("numpy.Logspace", 0, 2, num, endpoint)
        add("numpy.Geomspace", 1, 16, num, endpoint)
add("numpy.Linspace", T("float32", [0, 4]), 3, 4, axis=1)
add("numpy.Linspace", 0, 5, 4, dtype="int32")
add("numpy.Linspace", -5, 0, 4, dtype="int32")
add("numpy.Linspace", T("float16", 0.0), T("float16", 1.0), 3)
add("numpy.Linspace", T("bfloat16", 0.0), T("int32", 3), 3)
add("numpy.Logspace", T("float32", [0, 1]), 2, 3, base=2, axis=-1)
add("numpy.Logspace", 0, 3, 4, dtype="int32")
add("numpy.Geomspace", T("float32", [1, -2]), T("float32", [8, -16]), 4, axis=1)
for args in ((2,), (3, 2), (2, 3, 1), (3, 3, -1), (2, 2, 5), (0,)):
    add("numpy.Eye", *args)
    add("numpy.Tri", *args)
    add("numpy.Eye", *args, dtype="bool")
for n in (0, 1, 2, 5, 8):
    for op in ("Bartlett", "Blackman", "Hamming", "Hanning"):
        add("numpy." + op, n)
    add("numpy.Kaiser", n, 6.5)
add("numpy.Full", (2, 2), T("float32", [1, 2]))
add("numpy.Full", (2,), True)
add("numpy.Full", (), 3)
add("numpy.FullLike", T("uint8", [1, 2]), 300)
add("numpy.FullLike", floats(2, 3), T("int32", [1, 2, 3]))
add("numpy.Zeros", (0, 2), "bool")
add("numpy.Ones", (), "int8")

begin("indexing")
S = slice
z = ints(3, 4, 2)
for key in ((S(None, None, -2),), (S(-1, None, -1), S(3, 0, -2)), (Ellipsis, S(None, None, -1)),
            (None, 1, None, S(2, 9)), (S(4, 2),), (S(None, -9),), (0, Ellipsis, None, -1), (S(9, None, -1),),
            (S(-9, 9, 2), None, Ellipsis), (T("int32", [2, 0, -1]),), (T("int32", [[0, 1], [2, -3]]), S(1, 3)),
            (T("int32", [0, 2]), T("int32", [3, -1])), (S(None), T("int32", [0, 2]), 1),
            (T("int32", [[0], [2]]), T("int32", [1, 3])), (T("int32", [0, 1]), S(None), T("int32", [1, 0])),
            (1, S(None), T("int32", [1, 1, 0])), (T("bool", [1, 0, 1]),),
            (S(None), T("bool", [0, 1, 1, 0])), (T("int32", [0, 1]), None, T("int32", [1, 0]))):
    add("numpy.GetItem", z, key)
for axis in (None, 0, -2, 2):
    for indices in (T("int32", [0, 1, -1]), T("int32", [[1], [0]]), T("int32", 1), T("int32", [], (0,))):
        add("numpy.Take", z, indices, axis)
    add("numpy.Take", floats(3, 4, 2), 1, axis)
for dtype in ("int8", "uint8", "int64"):
    add("numpy.Take", z, T(dtype, [1, 0]), 1)
add("numpy.TakeAlongAxis", z, T("int32", [[[0], [1], [0], [1]]]), -1)
add("numpy.TakeAlongAxis", z, T("int32", [5, 0, -1]))
add("numpy.TakeAlongAxis", z, T("int32", [[[0, 1]], [[3, -4]], [[1, 1]]]), 1)
mess = T("float32", [[3, -1, NAN, 3], [0.5, INF, -INF, 0.5], [-0.0, 0.0, -0.0, 0.0]])
for axis in (0, 1, -1, None):
    add("numpy.Sort", mess, axis)
    add("numpy.Argsort", mess, axis)
    add("numpy.Sort", z, axis)
    add("numpy.Argsort", z, axis)
each("numpy.Sort", axis=0)
# JAX gives places in 64 bits where it may, which Keras does not ask it to.
each("numpy.Argsort", axis=-1, dtypes=[dtype for dtype in SMALL if dtype != "int64"])
each("math.TopK", 2)
each("math.TopK", 3, False, dtypes=("int32", "float32"))
add("math.TopK", z, 1)
for targets, k in ((T("int32", [1, 0, 3]), 1), (T("int32", [1, 0, 3]), 2), (T("int64", [2, 9, -1]), 3)):
    add("math.InTopK", targets, T("float32", [[0.1, 0.9, 0.3, 0.9], [0.5, 0.5, 0.1, 0], [NAN, 1, 2, 3]]), k)
for side in ("left", "right"):
    add("numpy.SearchSorted", T("float32", [-1, 0, 0, 2, INF]), T("float32", [[-INF, 0], [1, INF], [3, NAN]]), side)
    add("numpy.SearchSorted", T("int32", [1, 3, 3, 9]), T("float32", [2.5, 3, 10]), side)
add("numpy.Digitize", T("float32", [[-1, 0.5], [1, 9]]), T("float32", [0, 1, 2]))
add("numpy.Digitize", T("int32", [1, 5]), T("int32", [1, 2, 3]))
for assume_unique, invert in ((False, False), (True, True)):
    add("numpy.IsIn", z, T("int32", [[1, 2], [3, 4]]), assume_unique, invert)
    add("numpy.IsIn", T("float32", [1, NAN, 2.5]), T("float32", [NAN, 2.5]), assume_unique, invert)
    add("numpy.IsIn", z, T("float32", [], (0,)), assume_unique, invert)
add("numpy.UnravelIndex", T("int32", [0, 5, 23, -1]), (2, 3, 4))
add("numpy.UnravelIndex", T("int32", [[22, 3]]), (6, 4))
add("numpy.Nonzero", T("int32", [[1, 0, 2], [0, 0, 3]]))
add("numpy.Nonzero", T("float32", [NAN, 0, -0.0, 1]))
add("numpy.Argpartition", T("float32", [3]), 0)
pairs = T("int32", [[2, 1], [2, 1], [0, 5]])
add("numpy.Unique", pairs, return_index=True, return_inverse=True, return_counts=True)
add("numpy.Unique", pairs, axis=0, return_counts=True)
add("numpy.Unique", pairs, axis=-1)
add("numpy.Unique", T("float32", [NAN, 1, NAN, -0.0, 0.0]))
add("core.Slice", z, T("int32", [1, 2, 0]), (2, 2, 1))
add("core.Slice", z, [2, 3, 1], (2, 2, 1))
add("core.SliceUpdate", z, T("int32", [1, 3, 0]), T("int32", [[[7], [8]]]))
add("core.Scatter", T("int32", [[0], [2], [0]]), floats(3, 2), (4, 2))
add("core.Scatter", T("int32", [[0, 1], [1, 1]]), T("int32", [5, 6]), (2, 2))
add("core.ScatterUpdate", floats(3, 4), T("int32", [[0, 1], [2, -1]]), T("float32", [9, 8]))
add("core.SaturateCast", SPECIAL, "int8")
add("core.SaturateCast", T("int32", [-500, 7, 500]), "uint8")
each("numpy.View", "int8", dtypes=("bool", "uint8"))
add("numpy.View", T("float32", [[1.5, -2]]), "int16")
add("numpy.View", T("int8", [[1, 2, 3, 4]]), "int32")

begin("products")
for a, b in (((3,), (2, 3, 4)), ((2, 3, 4), (4,)), ((1, 2, 3), (4, 3, 1)), ((2, 1, 3, 2), (3, 2, 4))):
    add("numpy.Matmul", floats(*a), floats(*b))
    add("numpy.Matmul", ints(*a), ints(*b, dtype="int8"))
add("numpy.Matmul", T("bool", [[1, 0], [1, 1]]), T("bool", [[0, 1], [1, 0]]))
for a, b in (((3,), (3,)), ((2, 3), (3, 4)), ((2, 3, 4), (4,)), ((2, 3, 4), (5, 4, 2)), ((), (2, 3)), ((2, 3), ())):
    add("numpy.Dot", floats(*a), floats(*b))
add("numpy.Dot", T("bool", [1, 0]), T("bool", [1, 1]))
for a, b in (((3,), (3,)), ((2, 3), (4, 3)), ((2, 2, 3), (3,)), ((), (3,)), ((2, 3), (4, 5, 3))):
    add("numpy.Inner", floats(*a), floats(*b))
for a, b in (((3,), (2,)), ((2, 2), (3,)), ((), (2,))):
    add("numpy.Outer", floats(*a), ints(*b))
add("numpy.Vdot", floats(2, 3), floats(6))
add("numpy.Vdot", ints(2, 3), ints(3, 2))
for axes in (0, 1, 2, [[1, 0], [0, 1]], [[-1], [0]], [2, 1]):
    add("numpy.Tensordot", floats(2, 3, 4), floats(4, 3, 2) if axes == 1 or isinstance(axes, list) else floats(3, 4, 2),
        axes)
for a, b in (((2, 3), (2, 2)), ((2,), (3, 1)), ((2, 2, 1), (3,)), ((), (2,))):
    add("numpy.Kron", floats(*a), floats(*b))
add("numpy.Kron", T("bool", [1, 0]), T("int8", [2, 3]))
for a, b in (((3,), (3,)), ((2, 3), (3,)), ((2,), (3,)), ((2,), (2,)), ((4, 3), (1, 3)), ((4, 2), (4, 2))):
    add("numpy.Cross", floats(*a), floats(*b))
add("numpy.Cross", floats(3, 4), floats(3, 4), axis=0)
add("numpy.Cross", floats(3, 4), floats(4, 3), axisa=0, axisb=1, axisc=0)
for subscripts, *shapes in (("ij,jk", (2, 3), (3, 4)), ("ij,jk->ki", (2, 3), (3, 4)), ("ii", (3, 3)), ("ii->i", (3, 3)),
                            ("...ij,...jk->...ik", (2, 1, 2, 3), (4, 3, 2)), ("i,j,k->kij", (2,), (3,), (2,)),
                            ("ij->", (2, 3)), ("ij->ji", (2, 3)), ("bij,bkj->bik", (2, 3, 4), (2, 5, 4)),
                            ("...i,i", (2, 3), (3,)), ("ij,ij->i", (2, 3), (2, 3)), ("iij->j", (2, 2, 3)),
                            ("i...->...", (2, 3)), (",i->i", (), (3,)), ("abc,cd,def->abef", (2, 2, 3), (3, 2), (2, 2, 2)),
                            ("ij,kl->il", (2, 3), (2, 4))):
    add("numpy.Einsum", subscripts, *[floats(*s) for s in shapes])
add("numpy.Einsum", "ij,jk", ints(2, 3, dtype="int8"), ints(3, 2, dtype="int8"))
add("numpy.Einsum", "i,i", T("float16", [1, 2]), T("int32", [3, 4]))
add("math.CDist", floats(2, 3, 4), floats(2, 5, 4))
add("math.CDist", floats(3, 2), floats(1, 2))

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "tests/data")
    write(folder / "op_edges.json", names=["elementwise", "products", "creating"])
    write(folder / "op_places.json", names=["reductions", "arranging", "indexing"])
