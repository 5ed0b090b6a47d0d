#!/usr/bin/env python3
"""Writes tests/data/random.json: draws of Keras on the JAX backend, as bit patterns.

Usage: KERAS_BACKEND=jax python tools/goldens/random_goldens.py [output]
Needs keras and jax (CPU). Values are integers: the bits of a float, the value of an integer.
"""

import json
import os
import pathlib
import random
import sys

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import keras
import numpy as np

UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
SEEDS = (0, 42, 1337, 4294967295)
SHAPES = ((), (0,), (1,), (7,), (64,), (3, 5), (129,))


def bits(values):
    """The bit patterns of an array, flat."""
    flat = np.asarray(values).reshape(-1)
    if flat.dtype.kind in "iub":
        return flat.astype(object).tolist()
    return flat.view(UNSIGNED[flat.dtype.itemsize]).tolist()


def words(key):
    return np.asarray(key).astype(np.uint32).tolist()


def keys():
    cases = []
    for key in ([0, 0], [1337, 0], [3735928559, 4294967295]):
        data = jnp.array(key, jnp.uint32)
        cases.append({
            "key": key,
            "split": [words(k) for k in jax.random.split(data, 3)],
            "fold_in": [[n, words(jax.random.fold_in(data, n))] for n in (0, 1, 123456789)],
        })
        for width in (8, 16, 32):
            cases[-1][f"bits{width}"] = bits(jax.random.bits(data, (67,), f"uint{width}"))[-5:]
        with jax.enable_x64(True):
            cases[-1]["bits64"] = bits(jax.random.bits(data, (67,), "uint64"))[-5:]
            cases[-1]["seed64"] = [[n, words(jax.random.key_data(jax.random.key(n)))]
                                   for n in (5, -1, 2**40 + 3)]
    return cases


def draws():
    """Every float draw: the last (at most eight) elements of each shape."""
    cases = []

    def add(kind, dtype, seed, shape, a, b, values):
        cases.append({"kind": kind, "dtype": dtype, "seed": seed, "a": a, "b": b,
                      "size": int(np.prod(shape)), "last": bits(values)[-8:]})

    def add_all(dtype, seed, shape):
        for low, high in ((0.0, 1.0), (-0.3, 0.7), (-0.0123456789, 0.0123456789)):
            add("uniform", dtype, seed, shape, low, high,
                keras.random.uniform(shape, low, high, dtype=dtype, seed=seed))
        for mean, stddev in ((0.0, 1.0), (0.3, 0.05)):
            add("normal", dtype, seed, shape, mean, stddev,
                keras.random.normal(shape, mean, stddev, dtype=dtype, seed=seed))
            add("truncated_normal", dtype, seed, shape, mean, stddev,
                keras.random.truncated_normal(shape, mean, stddev, dtype=dtype, seed=seed))

    for dtype in ("float32", "float16", "bfloat16"):
        for seed in SEEDS if dtype == "float32" else SEEDS[1:3]:
            for shape in SHAPES:
                add_all(dtype, seed, shape)
    with jax.enable_x64(True):
        for seed in SEEDS[1:3]:
            for shape in ((), (9,)):
                add_all("float64", seed, shape)
    return cases


def tails():
    """The outermost of many normals: the rare branches of erf_inv."""
    cases = []
    for dtype in ("float32", "float64"):
        with jax.enable_x64(dtype == "float64"):
            values = np.asarray(keras.random.normal((200001,), dtype=dtype, seed=7))
        at = np.argsort(-np.abs(values))[:12]
        cases.append({"dtype": dtype, "seed": 7, "at": at.tolist(), "bits": bits(values[at])})
    return cases


def integers():
    cases = []
    for dtype, low, high in (("int32", 0, 10), ("int32", -5, 100000), ("int32", 3, 3),
                             ("int32", 9, 2), ("int32", -2**31, 2**31 - 1), ("uint32", 0, 77),
                             ("int8", -5, 7), ("uint8", 0, 256), ("int16", -1000, 1000),
                             ("uint16", 5, 65536)):
        values = keras.random.randint((37,), low, high, dtype=dtype, seed=1337)
        cases.append({"dtype": dtype, "low": low, "high": high, "last": bits(values)[-8:]})
    with jax.enable_x64(True):
        for dtype, low, high in (("int64", -7, 10**13), ("uint64", 0, 3),
                                 ("int64", -2**63, 2**63 - 1)):
            values = keras.random.randint((37,), low, high, dtype=dtype, seed=1337)
            cases.append({"dtype": dtype, "low": low, "high": high, "last": bits(values)[-8:]})
    return cases


def shuffles():
    cases = []
    for shape, axis in (((0,), 0), ((1,), 0), ((2,), 0), ((33,), 0), ((4, 5), 0), ((4, 5), 1),
                        ((2, 3, 4), 1)):
        size = int(np.prod(shape))
        values = keras.random.shuffle(jnp.arange(size).reshape(shape), axis=axis, seed=42)
        cases.append({"shape": list(shape), "axis": axis, "sources": bits(values)})
    values = bits(keras.random.shuffle(jnp.arange(5000), seed=42))
    cases.append({"shape": [5000], "axis": 0, "first": values[:20]})
    return cases


def categoricals():
    cases = []
    for batch, classes, samples in ((1, 1, 1), (2, 5, 3), (3, 4, 300), (2, 3, 0)):
        logits = np.random.default_rng(0).normal(size=(batch, classes)).astype(np.float32)
        values = keras.random.categorical(logits, samples, seed=1337)
        cases.append({"batch": batch, "classes": classes, "samples": samples,
                      "logits": bits(logits), "last": bits(values)[-20:], "size": batch * samples})
    return cases


def seed_generators():
    cases = []
    for seed in (0, 1337, 4294967295):
        for ordered in (True, False):
            generator = keras.random.SeedGenerator(seed)
            drawn = [words(generator.next(ordered=ordered)) for _ in range(4)]
            cases.append({"seed": seed, "ordered": ordered, "drawn": drawn,
                          "state": words(generator.state.value)})
    return cases


def python_seeds():
    """What set_random_seed leads to: Python's stream, and objects that take their seeds from it."""
    cases = []
    for seed in (0, 1, 1337, -7, 2**32, 2**40 + 3):
        random.seed(seed)
        drawn = [random.randint(1, 10**9) for _ in range(700)]
        cases.append({"seed": seed, "first": drawn[:3], "last": drawn[-3:]})
    keras.utils.set_random_seed(1)
    first, second = keras.layers.Dense(3), keras.layers.Dense(2)
    first.build((None, 2))
    second.build((None, 3))
    unseeded = [keras.random.uniform((3,)), keras.random.uniform((3,))]
    return {"streams": cases, "first_kernel": bits(first.kernel.value),
            "second_kernel": bits(second.kernel.value), "unseeded": [bits(u) for u in unseeded]}


def initializers():
    def case(name, initializer, shape, **facts):
        return {"name": name, "shape": list(shape), "bits": bits(initializer(shape)), **facts}

    i = keras.initializers
    return [
        case("GlorotUniform", i.GlorotUniform(seed=1337), (5, 3)),
        case("GlorotUniform", i.GlorotUniform(seed=1337), (3, 3, 2, 4)),
        case("HeNormal", i.HeNormal(seed=1337), (5, 3)),
        case("LecunNormal", i.LecunNormal(seed=1337), (5, 3)),
        case("LecunNormal", i.LecunNormal(seed=1337), (3, 2, 4)),
        case("OrthogonalDraw", lambda s: keras.random.normal((5, 3), seed=1337), (3, 5)),
    ]


def dropouts():
    cases = []
    x = np.linspace(-1, 2, 37, dtype=np.float32)
    for rate in (0.5, 0.3):
        layer = keras.layers.Dropout(rate, seed=1337)
        calls = [bits(layer(x, training=True)) for _ in range(2)]
        layer = keras.layers.Dropout(rate, seed=1337)
        compiled = jax.jit(lambda v, s: layer.stateless_call([], [s], v, training=True)[0])
        state = layer.seed_generator.state.value
        cases.append({"rate": rate, "input": bits(x), "calls": calls,
                      "compiled": bits(compiled(x, state))})
    return cases


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/random.json"
    sections = (keys, draws, tails, integers, shuffles, categoricals, seed_generators, python_seeds,
                initializers, dropouts)
    goldens = {"versions": {"keras": keras.__version__, "jax": jax.__version__}}
    for section in sections:
        goldens[section.__name__] = section()
    rows = []
    for name, value in goldens.items():
        if isinstance(value, list):
            lines = ",\n".join("  " + json.dumps(case, separators=(",", ":")) for case in value)
            rows.append(f'"{name}": [\n{lines}\n]')
        else:
            rows.append(f'"{name}": {json.dumps(value, separators=(",", ":"))}')
    output.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
