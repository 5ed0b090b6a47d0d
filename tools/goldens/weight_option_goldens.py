#!/usr/bin/env python3
"""Writes tests/data/weight_options.json: initializers, regularizers, constraints and quantizers with each of their
options, on weights of all ranks and types.

Usage: KERAS_BACKEND=jax python tools/goldens/weight_option_goldens.py [output]
Other than optimizer_goldens.py, whose cases of these are few and of one shape.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")

import keras
from keras import constraints, initializers, ops, quantizers, regularizers

from patterns import full, numbers, positive, real, result_of, tensor_of


def config(x):
    return keras.saving.serialize_keras_object(x)


def initializer_cases():
    i = initializers
    scaling = [i.VarianceScaling(scale, mode, distribution, seed=9)
               for scale, mode, distribution in (
                   (2.0, "fan_in", "uniform"), (0.1, "fan_out", "uniform"), (1.0, "fan_avg", "uniform"),
                   (2.0, "fan_in", "truncated_normal"), (0.1, "fan_avg", "untruncated_normal"))]
    named = [getattr(i, name)(seed=4) for name in (
        "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "LecunNormal", "LecunUniform")]
    for x in scaling + named:
        for shape in ((), (3,), (2, 2), (2, 1, 3), (1, 2, 1, 2)):
            yield x, shape, "float32"
    axes = {"seed": 3, "input_axes": [0, -1], "output_axes": [1]}
    for name in ("GlorotNormal", "HeUniform", "LecunNormal"):
        yield getattr(i, name)(**axes), (2, 1, 3), "float32"
    yield i.VarianceScaling(seed=3, input_axes=[2]), (2, 1, 3), "float32"
    yield i.VarianceScaling(seed=3, output_axes=[0], mode="fan_out"), (2, 1, 3), "float32"
    yield i.VarianceScaling(seed=3, input_axes=[], output_axes=[0, 1, 2], mode="fan_avg"), (2, 1, 3), "float32"
    for dtype in ("float16", "bfloat16"):
        yield i.RandomUniform(-1.0, 3.0, seed=5), (5,), dtype
        yield i.RandomNormal(1.0, 0.5, seed=5), (5,), dtype
        yield i.TruncatedNormal(1.0, 0.5, seed=5), (5,), dtype
        yield i.HeNormal(seed=5), (2, 3), dtype
        yield i.Constant(1.3), (2,), dtype
        yield i.Identity(), (2, 3), dtype
    for shape in ((), (3, 2), (2, 2, 1, 1), (0, 3)):
        yield i.RandomUniform(seed=6), shape, "float32"
        yield i.RandomNormal(seed=6), shape, "float32"
        yield i.Zeros(), shape, "float32"
        yield i.Ones(), shape, "float32"
        yield i.Constant(-7.5), shape, "float32"
    for dtype in ("int32", "uint8", "bool"):
        yield i.Zeros(), (2,), dtype
        yield i.Ones(), (2,), dtype
    yield i.Constant(3), (2, 2), "int32"
    yield i.Identity(), (3, 2), "float32"
    for shape in ((1, 4), (4, 1), (3, 3), (2, 2, 3), (1, 2, 2, 3)):
        yield i.Orthogonal(gain=-2.0, seed=11), shape, "float32"
    for side in ("real", "imag"):
        for scaling in ("density", "spectrum", None):
            yield i.STFT(side, "hamming", scaling, periodic=True), (5, 1, 4), "float32"
        yield i.STFT(side, None, None), (1, 1, 3), "float32"
        yield i.STFT(side, "hann", "density"), (6, 1, 2), "float32"


def regularizer_objects():
    r = regularizers
    return [r.L1(0.3), r.L2(0.3), r.L1L2(0.1, 0.0), r.L1L2(0.0, 0.2), r.L1L2(0.7, 0.2), r.L1(0.0), r.L2(0.0)]


def penalties():
    for x in regularizer_objects():
        for weight in (real(4), real(2, 3), real(2, 1, 3), real(2, 1, 2, 2), real(), full(0, 3), full(0, 0, 3)):
            yield x, weight
        yield x, real(2, 3, dtype="float16")
        yield x, real(2, 3, dtype="bfloat16")
    for mode in ("rows", "columns"):
        for factor in (0.0, 0.5):
            for weight in (real(2, 3), real(3, 2), real(4, 4, phase=1), full(0, 2, 2), full(1, 2, 2)):
                yield regularizers.OrthogonalRegularizer(factor, mode), weight


def constrained():
    c = constraints
    weights = {1: real(4), 2: real(3, 4, phase=1), 3: real(2, 3, 2), 4: real(2, 2, 3, 2, phase=2)}
    for rank, weight in weights.items():
        for axis in {1: [0, -1], 2: [0, 1, -1, [0, 1]], 3: [0, 2, [0, 1]], 4: [3, [0, 1, 2], [-1, 1]]}[rank]:
            yield c.MaxNorm(1.2, axis=axis), weight
            yield c.MinMaxNorm(1.0, 2.5, 1.0, axis=axis), weight
            yield c.MinMaxNorm(2.0, 2.0, 0.25, axis=axis), weight
            yield c.UnitNorm(axis=axis), weight
        yield c.NonNeg(), weight
    for weight in (full(0, 2, 3), full(-1, 2, 3), full(1e-20, 2, 3), positive(2, 3, dtype="float16"), real(2, 3, dtype="bfloat16")):
        yield c.MaxNorm(0), weight
        yield c.MaxNorm(3), weight
        yield c.MinMaxNorm(0.5, 1.0, 0.0), weight
        yield c.MinMaxNorm(0.5, 1), weight
        yield c.UnitNorm(), weight
        yield c.NonNeg(), weight


def quantized():
    q = quantizers.AbsMaxQuantizer
    for axis in (0, 1, -1, (0, 1)):
        for weight in (real(3, 4), real(3, 4, phase=1, dtype="float16"), real(2, 3, 2, phase=2), full(0, 2, 3), full(-3, 1, 2)):
            yield q(axis=axis), weight
            yield q(axis=axis, value_range=(-8, 7)), weight
            yield q(axis=axis, value_range=(-100, 50), epsilon=0.1), weight
    yield q(axis=0, output_dtype="int32", value_range=(-1000, 1000)), real(3, 2)
    yield q(axis=0, output_dtype="float32", value_range=(-2, 2)), real(3, 2)


def main():
    result = {
        "initializers": [{"object": config(x), "of": list(s), "in": d, **result_of(x(s, d))}
                         for x, s, d in initializer_cases()],
        "regularizers": [{"object": config(x), "x": w, **result_of(x(ops.convert_to_tensor(tensor_of(w))))}
                         for x, w in penalties()],
        "constraints": [{"object": config(x), "x": w, **result_of(ops.convert_to_tensor(x(ops.convert_to_tensor(tensor_of(w)))))}
                        for x, w in constrained()],
        "quantizers": [],
    }
    for x, w in quantized():
        outputs, scale = x(ops.convert_to_tensor(tensor_of(w)), axis=x.axis)
        result["quantizers"].append({"object": config(x), "x": w, "outputs": result_of(outputs), "scale": result_of(scale)})
    root = pathlib.Path(__file__).resolve().parents[2]
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/weight_options.json"

    # Objects as class and config alone: the rest of what serialize writes is the same for all.
    def compact(case):
        o = case.pop("object")
        return json.dumps({"class": o["class_name"], "config": o["config"], **case}, separators=(",", ":"))

    output.write_text("{" + ",\n".join(
        f'"{kind}":[\n' + ",\n".join(map(compact, cases)) + "]" for kind, cases in result.items()) + "}\n")
    print({kind: len(cases) for kind, cases in result.items()}, output.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
