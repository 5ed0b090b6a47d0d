#!/usr/bin/env python3
"""Writes tests/data/colors.json: layers that change colors or mix images, by Keras on JAX.

Usage: KERAS_BACKEND=jax python tools/goldens/color_goldens.py [output]
Needs keras and jax (CPU). Each case is a layer and the results of calls with the given `training`,
one after the other, so that the seeds move on. `python_seed` starts Python's own stream.
"""

import json
import os
import pathlib
import sys

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"

import keras
import numpy as np
from keras import layers

CASES = []


def encode(x):
    if isinstance(x, dict):
        return {"dict": {key: encode(value) for key, value in x.items()}}
    x = np.asarray(x)
    dtype = str(x.dtype)
    values = [float(f"{v:.8g}") if x.dtype.kind not in "iu" else int(v)
              for v in x.astype("float64" if x.dtype.kind not in "iu" else x.dtype).ravel()]
    return {"dtype": dtype, "shape": list(x.shape), "values": values}


def copied(x):
    if isinstance(x, dict):
        return {key: copied(value) for key, value in x.items()}
    return x


def add(name, layer, x, trainings=(True,), python_seed=None, tolerance=1e-5):
    config = keras.saving.serialize_keras_object(layer)
    config.pop("build_config", None)
    if isinstance(layer, layers.RandomGrayscale):  # the one layer that does not save its seed
        config["config"]["seed"] = layer.seed
    if python_seed is not None:
        keras.utils.set_random_seed(python_seed)
    outputs = [encode(layer(copied(x), training=training)) for training in trainings]
    CASES.append({"name": name, "layer": config, "input": encode(x), "trainings": list(trainings),
                  "outputs": outputs, "python_seed": python_seed, "tolerance": tolerance})


def images(shape, scale=255.0, seed=0):
    """Smooth, so that boundaries of bins are far from the values."""
    rng = np.random.default_rng(seed)
    return (np.round(rng.random(shape) * 200) / 201 * scale).astype("float32")


def both_formats(name, make, scale=255.0, **options):
    last = images((2, 4, 5, 3), scale)
    add(name, make(data_format="channels_last"), last, (True, False, True), **options)
    add(f"{name} channels_first", make(data_format="channels_first"),
        np.transpose(last, (0, 3, 1, 2)), (True,), **options)
    add(f"{name} single", make(data_format="channels_last"), last[0], (True,), **options)


def whole(n=2, h=4, w=5, channels=1):
    return {
        "images": images((n, h, w, 3)),
        "labels": np.eye(4, dtype="float32")[:n],
        "bounding_boxes": {
            "boxes": np.array([[[0, 0, 2, 3], [1, 1, 3, 2]]] * n, "float32"),
            "labels": np.array([[0, 1]] * n, "int32"),
        },
        "segmentation_masks": np.round(images((n, h, w, channels), 3.0)).astype("int32"),
    }


def without_boxes(x):
    return {key: value for key, value in x.items() if key != "bounding_boxes"}


both_formats("RandomBrightness", lambda **o: layers.RandomBrightness(0.4, seed=3, **o))
both_formats("RandomBrightness range",
             lambda **o: layers.RandomBrightness((0.1, 0.4), (0.0, 1.0), seed=4, **o), 1.0)
add("RandomBrightness int", layers.RandomBrightness((0.1, 0.4), seed=4),
    images((2, 4, 5, 3)).astype("int32"))
both_formats("RandomContrast", lambda **o: layers.RandomContrast(0.7, seed=5, **o))
both_formats("RandomContrast range", lambda **o: layers.RandomContrast((0.2, 0.9), seed=6, **o))
both_formats("RandomGrayscale", lambda **o: layers.RandomGrayscale(0.5, seed=8, **o))
both_formats("RandomInvert", lambda **o: layers.RandomInvert(0.8, (20, 200), seed=2, **o))
both_formats("RandomColorDegeneration",
             lambda **o: layers.RandomColorDegeneration(0.5, seed=9, **o))
both_formats("RandomHue", lambda **o: layers.RandomHue(0.9, (0, 255), seed=10, **o), tolerance=1e-4)
both_formats("RandomHue unit", lambda **o: layers.RandomHue((0.3, 0.5), (0, 1), seed=11, **o), 1.0,
             tolerance=1e-4)
both_formats("RandomSaturation",
             lambda **o: layers.RandomSaturation((0.1, 0.8), seed=12, **o), tolerance=1e-4)
both_formats("RandomSaturation unit",
             lambda **o: layers.RandomSaturation((0.6, 1.0), (0, 1), seed=12, **o), 1.0,
             tolerance=1e-4)
both_formats("RandomSharpness", lambda **o: layers.RandomSharpness(1.0, seed=13, **o),
             tolerance=1e-4)
both_formats("RandomPosterization", lambda **o: layers.RandomPosterization(6, seed=14, **o))
both_formats("RandomPosterization unit",
             lambda **o: layers.RandomPosterization((2, 2), (0, 1), seed=14, **o), 1.0)
both_formats("RandomGaussianBlur", lambda **o: layers.RandomGaussianBlur(1.0, seed=15, **o),
             tolerance=1e-4)
both_formats("RandomGaussianBlur wide",
             lambda **o: layers.RandomGaussianBlur((0.8, 1.0), (3, 5), (0.4, 1.0), seed=16, **o),
             tolerance=1e-4)
both_formats("Solarization", lambda **o: layers.Solarization(0.3, 0.8, seed=17, **o))
both_formats("Solarization unit", lambda **o: layers.Solarization((0.1, 0.3), (0.2, 0.8), (0, 1),
                                                                  seed=18, **o), 1.0)
both_formats("AutoContrast", lambda **o: layers.AutoContrast(**o), 200.0)
both_formats("AutoContrast unit", lambda **o: layers.AutoContrast((0, 1), **o), 0.7)
both_formats("Equalization", lambda **o: layers.Equalization(**o))
both_formats("Equalization bins", lambda **o: layers.Equalization((0, 1), bins=16, **o), 1.0)
clahe = layers.ContrastLimitedAdaptiveHistogramEqualization
both_formats("CLAHE", lambda **o: clahe(tile_grid_size=(2, 3), **o), tolerance=1e-4)
both_formats("CLAHE unit", lambda **o: clahe((0, 1), 0, (3, 2), **o), 1.0, tolerance=1e-4)
add("CLAHE int", clahe(clip_limit=2.0, tile_grid_size=(2, 2)),
    images((1, 6, 6, 1)).astype("int32"), (False,))
jitter = {"brightness_factor": 0.3, "contrast_factor": 0.5, "saturation_factor": (0.3, 0.7),
          "hue_factor": 0.4}
add("RandomColorJitter", layers.RandomColorJitter(seed=19, **jitter), images((2, 4, 5, 3)),
    (True, False, True), tolerance=1e-4)
add("RandomColorJitter single", layers.RandomColorJitter((0, 1), seed=20, **jitter),
    images((4, 5, 3), 1.0), tolerance=1e-4)
add("RandomColorJitter two", layers.RandomColorJitter(contrast_factor=0.5, hue_factor=0.4, seed=21),
    images((2, 4, 5, 3)), tolerance=1e-4)
both_formats("CutMix", lambda **o: layers.CutMix(1.0, seed=22, **o))
add("CutMix dict", layers.CutMix((0.5, 1.0), seed=23), without_boxes(whole(3)), (True, False, True))
both_formats("MixUp", lambda **o: layers.MixUp(0.2, seed=24, **o))
add("MixUp dict", layers.MixUp(0.6, seed=25, bounding_box_format="xyxy"), whole(3), (True, False))
for name, layer in (
    ("RandomHue", layers.RandomHue(0.5, seed=26, bounding_box_format="xyxy")),
    ("RandomPosterization", layers.RandomPosterization(3, seed=27, bounding_box_format="xyxy")),
    ("RandomGaussianBlur", layers.RandomGaussianBlur(seed=28, bounding_box_format="xyxy")),
    ("RandomColorJitter", layers.RandomColorJitter(seed=29, bounding_box_format="xyxy", **jitter)),
    ("Equalization", layers.Equalization(bounding_box_format="xyxy")),
):
    add(f"{name} dict", layer, whole(), tolerance=1e-4)
both_formats("RandAugment", lambda **o: layers.RandAugment(seed=30, **o), tolerance=1e-3)
for seed in (31, 32, 33):
    add(f"RandAugment {seed}", layers.RandAugment(num_ops=4, factor=(0.1, 0.6), seed=seed),
        images((2, 8, 8, 3)), (True, True), tolerance=1e-3)
add("RandAugment nearest", layers.RandAugment((0, 1), 3, interpolation="nearest", seed=34),
    images((2, 8, 8, 3), 1.0), (True, True), tolerance=1e-3)
add("RandAugment dict", layers.RandAugment(num_ops=2, seed=35), without_boxes(whole(2, 8, 8)),
    (True, False), tolerance=1e-3)
both_formats("AugMix", lambda **o: layers.AugMix(seed=36, **o), python_seed=1, tolerance=1e-3)
add("AugMix some", layers.AugMix((0, 1), 2, 4, 0.5, 0.5, False, seed=37), images((2, 8, 8, 3), 1.0),
    (True, True), python_seed=2, tolerance=1e-3)
add("AugMix dict", layers.AugMix(seed=38), without_boxes(whole(2, 8, 8)), (True, False),
    python_seed=3, tolerance=1e-3)
add("Pipeline", layers.Pipeline([layers.RandomBrightness(0.3, seed=39),
                                 layers.RandomContrast(0.5, seed=40)]),
    images((2, 4, 5, 3)), (True, False, True))


def draws():
    """keras.random's draws by rejection, and shuffles."""
    result = []
    for seed in (0, 42, 1337):
        for alpha, beta in ((0.2, 0.2), (0.9, 3.0), (2.5, 0.4), (1e-6, 1e-6), (30.0, 11.0)):
            gamma = keras.random.gamma((16,), alpha, seed=seed)
            result.append({"kind": "gamma", "seed": seed, "alpha": alpha,
                           "values": [float(v) for v in np.asarray(gamma)]})
            both = keras.random.beta((16,), alpha, beta, seed=seed)
            result.append({"kind": "beta", "seed": seed, "alpha": alpha, "beta": beta,
                           "values": [float(v) for v in np.asarray(both)]})
        for n in (1, 2, 7, 100):
            order = keras.random.shuffle(np.arange(n, dtype="int32"), seed=seed)
            result.append({"kind": "permutation", "seed": seed, "n": n,
                           "values": [int(v) for v in np.asarray(order)]})
        x = np.arange(12, dtype="float32").reshape(3, 4)
        moved = keras.random.shuffle(x, axis=1, seed=seed)
        result.append({"kind": "shuffle", "seed": seed,
                       "values": [float(v) for v in np.asarray(moved).ravel()]})
    return result


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/colors.json"
    path.write_text(json.dumps({"draws": draws(), "cases": CASES}, separators=(",", ":")) + "\n")
    print(f"{path}: {len(CASES)} cases, {path.stat().st_size} bytes")


main()
