#!/usr/bin/env python3
"""Writes tests/data/op_modules.json: ops of keras.ops.image, linalg, math and nn at unusual arguments, and what they give
on the JAX backend.

Usage: python tools/goldens/op_module_goldens.py [folder]
Needs keras and jax (CPU); op_cases.py has the form of the cases. One pixel, one channel, no batch, channels first, whole
numbers, halves, strides, paddings and dilations, groups, empty segments, batches of matrices.
"""

import pathlib
import sys

from op_cases import T, add, begin, write

import numpy as np

rng = np.random.default_rng(23)


def floats(*shape, dtype="float32", low=-2, high=2):
    return T(dtype, rng.uniform(low, high, size=shape).round(2))


def ints(*shape, dtype="int32", low=-5, high=9):
    return T(dtype, rng.integers(low, high, size=shape))


FIRST, LAST = "channels_first", "channels_last"

begin("image")
colors = floats(2, 3, 4, 3, low=0, high=1)
for x in (colors, floats(3, 2, 3, low=0, high=1), T("float16", colors.array[:1]), T("float64", colors.array[:1]),
          T("float32", [[[[0, 0, 0], [1, 1, 1], [1, 0, 0], [0.5, 0.5, 0.5]]]])):
    for op in ("RGBToGrayscale", "RGBToHSV", "HSVToRGB"):
        add("image." + op, x)
    add("image.RGBToGrayscale", T(x.dtype, np.moveaxis(x.array, -1, -3)), data_format=FIRST)
add("image.RGBToGrayscale", ints(1, 2, 2, 3, dtype="uint8", low=0, high=255))
for interpolation in ("nearest", "bilinear", "bicubic", "lanczos3"):
    for size in ((1, 1), (7, 2), (3, 4), (2, 5)):
        if interpolation != "bicubic":  # a table of TensorFlow's
            add("image.Resize", floats(2, 3, 4, 1), size, interpolation=interpolation)
        add("image.Resize", floats(1, 6, 5, 2), size, interpolation=interpolation, antialias=True)
    if interpolation != "bicubic":
        add("image.Resize", floats(3, 4, 1), (5, 5), interpolation=interpolation)
        add("image.Resize", floats(1, 2, 3, 2), (4, 3), interpolation=interpolation, data_format=FIRST)
    add("image.Resize", floats(2, 1, 1, 3), (2, 3), interpolation=interpolation)
for size in ((2, 2), (4, 3), (6, 2)):
    for x in (floats(1, 4, 6, 2), floats(6, 4, 1), floats(1, 3, 3, 2)):
        add("image.Resize", x, size, crop_to_aspect_ratio=True)
        for fill in (0.0, 2.5):
            add("image.Resize", x, size, pad_to_aspect_ratio=True, fill_value=fill)
eye = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
moves = [eye, [1.0, 0.0, 1.0, 0.0, 1.0, -1.0, 0.0, 0.0], [0.0, 1.0, 0.5, -1.0, 0.0, 2.5, 0.0, 0.0], [2.0, 0.1, -0.3, 0.2, 0.5, 0.7, 0.0, 0.0]]
for interpolation in ("nearest", "bilinear"):
    for fill_mode in ("constant", "nearest", "wrap", "mirror", "reflect"):
        for move in moves:
            add("image.AffineTransform", floats(3, 4, 1), T("float32", move), interpolation=interpolation, fill_mode=fill_mode, fill_value=0.5)
        add("image.AffineTransform", floats(2, 3, 2, 1), T("float32", moves[:2]), interpolation=interpolation, fill_mode=fill_mode)
        add("image.MapCoordinates", floats(3, 4), T("float32", [[0, 1.5, -0.75, 2.25, 7], [0, 2.5, 3.25, -1.5, 9]]),
            0 if interpolation == "nearest" else 1, fill_mode, 0.25)
        add("image.MapCoordinates", floats(5), T("float32", [[0, 1.25, -3, 4.75, 6]]), 0 if interpolation == "nearest" else 1, fill_mode)
    add("image.AffineTransform", floats(2, 1, 3, 4), T("float32", moves[:2]), interpolation=interpolation, data_format=FIRST)
    add("image.ScaleAndTranslate", floats(4, 5), (3, 6), T("float32", [0.75, 1.2]), T("float32", [0.5, -0.25]), [0, 1], "linear")
for padding in ("valid", "same"):
    for size, strides, rate in ((2, None, 1), ((2, 3), (1, 2), 1), (3, 1, 2), (1, 2, 1)):
        add("image.ExtractPatches", floats(2, 6, 7, 2), size, strides, rate, padding)
        add("image.ExtractPatches", floats(5, 6, 1), size, strides, rate, padding)
for amounts in (dict(top_padding=1, left_padding=2, target_height=7, target_width=8), dict(top_padding=0, bottom_padding=2, left_padding=1, right_padding=0)):
    add("image.PadImages", floats(2, 3, 4, 2), **amounts)
    add("image.PadImages", floats(3, 4, 1), **amounts)
for amounts in (dict(top_cropping=1, left_cropping=0, target_height=2, target_width=3), dict(top_cropping=0, bottom_cropping=2, left_cropping=1, right_cropping=1)):
    add("image.CropImages", floats(2, 4, 5, 2), **amounts)
    add("image.CropImages", floats(4, 5, 1), **amounts)
begin("linalg")
square = floats(2, 3, 3)
positive = T("float32", np.einsum("bij,bkj->bik", square.array, square.array) + np.eye(3))
for x in (positive, T("float64", positive.array), T("float32", [[4.0]]), T("float32", np.zeros((0, 3, 3)))):
    for op in ("Cholesky", "Det", "Inv", "Pinv"):
        if op != "Cholesky" or x.dtype != "float64":
            add("linalg." + op, x)
    add("numpy.Slogdet", x)
    add("math.Logdet", x)
    add("linalg.MatrixRank", x)
add("linalg.Cholesky", positive, upper=True)
for x in (square, floats(3, 3, dtype="float64"), T("float32", [[0, 0], [0, 0]]), T("float32", [[1, 2], [2, 4]])):
    add("linalg.Det", x)
    add("linalg.MatrixRank", x)
    add("linalg.Pinv", x)
for shape in ((4, 2), (2, 4), (2, 3, 2), (1, 3)):
    add("linalg.Pinv", floats(*shape))
    add("linalg.MatrixRank", floats(*shape))
for b in ((2, 3), (2, 3, 2)):
    add("linalg.Solve", positive, floats(*b))
for b in ((3,), (3, 2)):
    add("linalg.Solve", T("float32", positive.array[0]), floats(*b))
    add("linalg.SolveTriangular", T("float32", np.tril(positive.array[0])), floats(*b), lower=True)
    add("linalg.SolveTriangular", T("float32", np.triu(positive.array[0])), floats(*b))
    add("linalg.Lstsq", floats(5, 3), floats(5, *b[1:]))
    add("linalg.Lstsq", T("float32", [[1, 2, 3], [2, 4, 6]]), floats(2, *b[1:]))
matrix, vector = floats(3, 4), floats(4)
for order in (None, 1, 2, -1, -2, "fro", "nuc", 0, 3, float("inf"), float("-inf")):
    for keepdims in (False, True):
        add("linalg.Norm", matrix, order, None, keepdims)
        add("linalg.Norm", vector, order, None, keepdims)
        add("linalg.Norm", floats(2, 3, 4), order, [0, 2], keepdims)
        add("linalg.Norm", floats(2, 3, 4), order, 1, keepdims)
add("linalg.Norm", ints(3, 2), 1)
add("linalg.Norm", ints(3, 2))

begin("math")
data, two = floats(6), floats(6, 2)
for ids in ([0, 0, 1, 1, 3, 3], [3, 0, 1, 0, 3, 1], [0, 0, 0, 0, 0, 0]):
    for op in ("SegmentSum", "SegmentMax", "SegmentMin", "SegmentProd"):
        for x in (data, two, ints(6), floats(6, dtype="float16")):
            add("math." + op, x, T("int32", ids), 5)
    add("math.SegmentSum", data, T("int32", ids))
add("math.SegmentSum", data, T("int32", [0, -1, 7, 1, 1, 9]), 3)
for length, stride in ((3, 1), (2, 3), (7, 2), (1, 1)):
    add("math.ExtractSequences", floats(7), length, stride)
    add("math.ExtractSequences", floats(2, 7), length, stride)
for n in (1, 2, 5, 8):
    add("math.FFT", [floats(n), floats(n)])
    add("math.RFFT", floats(2, n))
    add("math.RFFT", floats(2, n), 4)
    add("math.IRFFT", [floats(2, n // 2 + 1), floats(2, n // 2 + 1)], n)
add("math.FFT2", [floats(2, 3, 4), floats(2, 3, 4)])
add("math.IFFT2", [floats(3, 4), floats(3, 4)])

begin("nn")
for padding in ("valid", "same"):
    for strides in (1, 2):
        for size in (2, 3):
            add("nn.AveragePool", floats(1, 5, 4, 2), size, strides, padding)
            add("nn.MaxPool", floats(1, 5, 4, 2), size, strides, padding)
            add("nn.AveragePool", floats(2, 6, 1), size, strides, padding)
            add("nn.MaxPool", floats(1, 3, 3, 3, 1), size, strides, padding)
            add("nn.MaxPool", floats(1, 2, 5, 4), size, strides, padding, data_format=FIRST)
        add("nn.Conv", floats(2, 6, 2), floats(3, 2, 4), strides=strides, padding=padding)
        add("nn.Conv", floats(1, 5, 6, 4), floats(2, 3, 2, 6), strides=strides, padding=padding)  # two groups
        add("nn.Conv", floats(1, 2, 5, 6), floats(3, 2, 2, 3), strides=strides, padding=padding, data_format=FIRST)
        add("nn.Conv", floats(1, 4, 3, 5, 1), floats(2, 2, 2, 1, 2), strides=strides, padding=padding)
        add("nn.DepthwiseConv", floats(1, 5, 6, 2), floats(3, 2, 2, 2), strides=strides, padding=padding)
        add("nn.SeparableConv", floats(1, 5, 6, 2), floats(3, 2, 2, 2), floats(1, 1, 4, 3), strides=strides, padding=padding)
        for size in ((2, 3), (3, 3)):
            add("nn.ConvTranspose", floats(1, 3, 4, 2), floats(*size, 3, 2), strides=strides, padding=padding)
        add("nn.ConvTranspose", floats(2, 4, 2), floats(3, 3, 2), strides=strides, padding=padding)
    add("nn.Conv", floats(1, 7, 6, 2), floats(2, 3, 2, 1), padding=padding, dilation_rate=2)
    add("nn.DepthwiseConv", floats(1, 7, 6, 2), floats(2, 2, 2, 1), padding=padding, dilation_rate=2)
add("nn.ConvTranspose", floats(1, 3, 4, 2), floats(3, 3, 3, 2), strides=2, padding="same", output_padding=1)
add("nn.Conv", floats(1, 5, 2, dtype="float16"), floats(3, 2, 2, dtype="float16"))
for size in (1, 2, 3):
    add("nn.AdaptiveAveragePool", floats(1, 5, 6, 2), size, LAST)
    add("nn.AdaptiveMaxPool", floats(1, 5, 6, 2), size, LAST)
    add("nn.AdaptiveAveragePool", floats(2, 5, 1), size, LAST)
    add("nn.AdaptiveMaxPool", floats(1, 2, 5, 4), size, FIRST)
for block in (1, 2):
    for data_format in (FIRST, LAST):
        add("nn.DepthToSpace", floats(1, 4, 4, 4), block, data_format)
        add("nn.SpaceToDepth", floats(1, 4, 4, 4), block, data_format)
for axis in (-1, 0, 1, [0, 2]):
    for op in ("Softmax", "LogSoftmax"):
        add("nn." + op, floats(2, 3, 4), axis)
    add("nn.Normalize", floats(2, 3, 4), axis)
for axis in (-1, 0, 1):
    add("nn.Sparsemax", floats(2, 3, 4), axis)
    add("nn.Glu", floats(2, 4, 6), axis)
for order in (1, 2, 3, 7):
    add("nn.Normalize", floats(3, 4), -1, order)
add("nn.Normalize", T("float32", [[0, 0], [1e-20, 0]]))
for axis in (-1, 0, 1, 2):
    for num_classes in (2, 5):
        add("nn.OneHot", T("int32", [[0, 1, -1], [4, 2, 7]]), num_classes, axis)
add("nn.OneHot", T("int32", 3), 4)
add("nn.OneHot", T("uint8", [1, 0]), 3, dtype="int32")
for values in ([[0, 2], [1, 1]], [0, 2], [[[0, 1]], [[2, 2]]]):
    add("nn.MultiHot", T("int32", values), 3)
target, guess = T("float32", [[0, 1, 0], [1, 0, 0]]), T("float32", [[0.2, 0.5, 0.3], [0, 0.9, 0.1]])
for logits in (False, True):
    add("nn.CategoricalCrossentropy", target, guess, logits)
    add("nn.BinaryCrossentropy", target, guess, logits)
    add("nn.SparseCategoricalCrossentropy", T("int32", [1, 0]), guess, logits)
    add("nn.CategoricalCrossentropy", target, guess, logits, axis=0)
add("nn.PSNR", colors, floats(2, 3, 4, 3, low=0, high=1), 1.0)
for axis in (-1, 1):
    size = 3 if axis == 1 else 4
    statistics = [floats(size), floats(size, low=0.2)]
    add("nn.BatchNorm", floats(2, 3, 4), *statistics, axis)
    add("nn.BatchNorm", floats(2, 3, 4), *statistics, axis, floats(size), floats(size), 0.1)
add("nn.LayerNorm", floats(2, 3, 4), floats(4), floats(4))
add("nn.LayerNorm", floats(2, 3, 4), axis=1)
add("nn.RMSNorm", floats(2, 3, 4), floats(4))
add("nn.RMSNorm", floats(2, 3, 4), axis=[1, 2])
add("nn.Unfold", floats(1, 2, 5, 6), 2)
add("nn.Unfold", floats(1, 2, 5, 6), (2, 3), 1, 1, 2)
add("nn.Fold", floats(1, 8, 6), (3, 4), 2)
heads = [floats(2, 3, 2, 4), floats(2, 5, 2, 4), floats(2, 5, 2, 4)]
add("nn.DotProductAttention", *heads)
add("nn.DotProductAttention", *heads, floats(2, 2, 3, 5), None, 0.3)
add("nn.DotProductAttention", *heads, None, T("bool", rng.integers(0, 2, (2, 1, 3, 5)) | np.eye(3, 5, dtype=int)))
add("nn.DotProductAttention", *heads[:1], *heads[:1], *heads[:1], is_causal=True)

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "tests/data")
    write(folder / "op_modules.json")
