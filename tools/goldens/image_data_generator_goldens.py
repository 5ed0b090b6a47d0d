"""Writes tests/data/image_data_generator.json: what Keras's ImageDataGenerator makes of small images.

Run with Keras 3.15 and SciPy:
KERAS_BACKEND=jax python tools/goldens/image_data_generator_goldens.py tests/data/image_data_generator.json
"""

import json
import os
import sys
import tempfile

import numpy as np
from keras.src.legacy.preprocessing import image
from PIL import Image

HEIGHT, WIDTH, COUNT = 5, 7, 5


def pictures(count=COUNT, channels=3):
    """Whole numbers in [0, 255]: the same formula is in the test."""
    at = np.arange(count * HEIGHT * WIDTH * channels, dtype=np.int64)
    return (at * 7919 % 256).astype("float32").reshape(count, HEIGHT, WIDTH, channels)


def numbers(x):
    return [round(float(v), 5) for v in np.asarray(x).ravel()]


def affine():
    x = pictures(1)[0]
    changes = [
        {"theta": 30.0},
        {"tx": 1.25, "ty": -2.5},
        {"shear": 20.0},
        {"zx": 0.7, "zy": 1.3},
        {"theta": -50.0, "tx": 2.0, "ty": 0.5, "shear": -15.0, "zx": 1.6, "zy": 0.8},
        {"tx": -9.5, "ty": 11.25},
    ]
    for change in changes:
        for mode in ("constant", "nearest", "reflect", "wrap"):
            for order in (0, 1):
                y = image.apply_affine_transform(
                    x, row_axis=0, col_axis=1, channel_axis=2, fill_mode=mode, cval=9.0, order=order, **change
                )
                yield {"change": change, "mode": mode, "order": order, "values": numbers(y)}


def colors():
    x = pictures(1)[0]
    wide = x * 2 - 100
    yield {"kind": "channel", "by": 40.0, "values": numbers(image.apply_channel_shift(wide, 40.0, 2))}
    for factor in (0.0, 0.37, 1.0, 1.8):
        for scale in (False, True):
            for name, given in (("bytes", x), ("wide", wide)):
                y = image.apply_brightness_shift(given, factor, scale)
                yield {"kind": "brightness", "by": factor, "scale": scale, "given": name, "values": numbers(y)}


ALL = dict(
    rotation_range=40,
    width_shift_range=0.3,
    height_shift_range=[-2, 1, 3],
    brightness_range=(0.5, 1.5),
    shear_range=10.0,
    zoom_range=0.3,
    channel_shift_range=20.0,
    horizontal_flip=True,
    vertical_flip=True,
    fill_mode="reflect",
    rescale=1 / 255,
)

GENERATORS = {
    "all": ALL,
    "pixels": dict(width_shift_range=3, height_shift_range=2.5, zoom_range=[0.5, 0.9], fill_mode="constant", cval=4.0),
    "samplewise": dict(samplewise_center=True, samplewise_std_normalization=True, horizontal_flip=True),
    "featurewise": dict(featurewise_center=True, featurewise_std_normalization=True, rescale=0.5),
    "split": dict(validation_split=0.4, rotation_range=10),
    "plain": dict(),
}


def batches(iterator, epochs):
    """As fit asks for them."""
    found = []
    for _ in range(epochs):
        for i in range(len(iterator)):
            found.append(iterator[i])
        iterator.on_epoch_end()
    return found


def flows():
    x, y = pictures(), np.arange(COUNT) % 2
    for name, options in GENERATORS.items():
        generator = image.ImageDataGenerator(**options)
        if name == "featurewise":
            generator.fit(x)
        subsets = ("training", "validation") if name == "split" else (None,)
        for subset in subsets:
            labels = np.array([0, 1, 0, 1, 0])
            flow = generator.flow(x, labels, batch_size=2, seed=11, subset=subset, sample_weight=None)
            found = batches(flow, 2)
            yield {
                "generator": name,
                "subset": subset,
                "labels": [numbers(b[1]) for b in found],
                "values": [numbers(b[0]) for b in found],
            }
    flow = image.ImageDataGenerator(rotation_range=30).flow(x, y, batch_size=2, seed=5)
    found = [next(flow) for _ in range(7)]
    yield {"generator": "next", "subset": None, "labels": [numbers(b[1]) for b in found],
           "values": [numbers(b[0]) for b in found]}


def fitted():
    x = pictures()
    generator = image.ImageDataGenerator(featurewise_std_normalization=True)
    generator.fit(x)
    yield {"kind": "featurewise", "mean": numbers(generator.mean), "std": numbers(generator.std)}
    generator = image.ImageDataGenerator(featurewise_center=True, rotation_range=30)
    generator.fit(x, augment=True, rounds=2, seed=3)
    yield {"kind": "augmented", "mean": numbers(generator.mean)}
    generator = image.ImageDataGenerator(zca_whitening=True, zca_epsilon=0.1)
    small = pictures(COUNT, 1)[:, :3, :2]
    generator.fit(small)
    yield {"kind": "whitened", "values": numbers(generator.standardize(small.copy()))}


def folder():
    x = pictures(6)
    with tempfile.TemporaryDirectory() as path:
        names = ["cats/a.png", "cats/deeper/b.png", "cats/c.png", "dogs/d.png", "dogs/e.png", "dogs/notes.txt"]
        for i, name in enumerate(names):
            full = os.path.join(path, name)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            if name.endswith(".txt"):
                open(full, "w").close()
            else:
                Image.fromarray(x[i].astype("uint8")).save(full)
        for mode in ("categorical", "binary", "sparse", "input", None):
            generator = image.ImageDataGenerator(horizontal_flip=True, validation_split=0.5)
            for subset in (None, "training", "validation"):
                flow = generator.flow_from_directory(
                    path, target_size=(4, 6), class_mode=mode, batch_size=3, seed=2, subset=subset,
                    interpolation="bilinear",
                )
                found = batches(flow, 1)
                targets = None if mode is None else [numbers(b[1]) for b in found]
                yield {
                    "mode": mode,
                    "subset": subset,
                    "filenames": flow.filenames,
                    "classes": flow.classes.tolist(),
                    "targets": targets,
                    "values": [numbers(b if mode is None else b[0]) for b in found],
                }


def main(path):
    result = {
        "affine": list(affine()),
        "colors": list(colors()),
        "flows": list(flows()),
        "fitted": list(fitted()),
        "folder": list(folder()),
    }
    with open(path, "w") as file:
        json.dump(result, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
