"""Writes tests/data/image_edges.json: shapes and dtypes that Keras's layers on images give for odd images: none, of one
pixel, of one row, gray ones, of integers.

Run with Keras 3.15 on TensorFlow: KERAS_BACKEND=tensorflow python tools/goldens/image_edge_goldens.py tests/data/image_edges.json
"""

import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
import keras
import numpy as np

layers = [
    ("AutoContrast", {}), ("CenterCrop", {"height": 1, "width": 1}), ("CenterCrop", {"height": 4, "width": 9}), ("CutMix", {}), ("Equalization", {}),
    ("MixUp", {}), ("RandAugment", {}), ("AugMix", {}), ("RandomBrightness", {"factor": 0.3}),
    ("RandomColorDegeneration", {"factor": 0.5}), ("RandomColorJitter", {"brightness_factor": 0.2, "contrast_factor": 0.2, "saturation_factor": 0.3, "hue_factor": 0.1}),
    ("RandomContrast", {"factor": 0.4}), ("RandomCrop", {"height": 1, "width": 1}), ("RandomCrop", {"height": 4, "width": 9}),
    ("RandomElasticTransform", {}), ("RandomErasing", {}), ("RandomFlip", {}), ("RandomGaussianBlur", {"kernel_size": 3, "sigma": 1.0}), ("RandomGrayscale", {"factor": 0.5}),
    ("RandomHue", {"factor": 0.3}), ("RandomInvert", {"factor": 0.5}), ("RandomPerspective", {}), ("RandomPosterization", {"factor": 3}),
    ("RandomRotation", {"factor": 0.2}), ("RandomSaturation", {"factor": 0.4}), ("RandomSharpness", {"factor": 0.4}), ("RandomShear", {"x_factor": 0.2, "y_factor": 0.2}),
    ("RandomTranslation", {"height_factor": 0.3, "width_factor": 0.3}), ("RandomZoom", {"height_factor": 0.3}), ("Resizing", {"height": 3, "width": 2}),
    ("Resizing", {"height": 3, "width": 2, "crop_to_aspect_ratio": True}), ("Resizing", {"height": 3, "width": 2, "pad_to_aspect_ratio": True}),
    ("Resizing", {"height": 5, "width": 5, "interpolation": "nearest", "antialias": True}), ("Rescaling", {"scale": 0.5, "offset": 1}), ("Solarization", {}),
]
shapes = [(0, 6, 8, 3), (1, 1, 1, 3), (2, 1, 5, 3), (2, 5, 1, 3), (2, 6, 8, 1), (6, 8, 3), (1, 1, 3)]
dtypes = ["uint8", "int32", "float16", "float64"]

def words(shape, dtype):
    return "x".join(map(str, shape)) + " " + str(dtype)


result = []
for kind, options in layers:
    cases = []
    for shape, dtype in [(s, "float32") for s in shapes] + [((2, 6, 8, 3), d) for d in dtypes]:
        for training in (False, True):
            x = (np.arange(np.prod(shape)).reshape(shape) * 37 % 251).astype(dtype)
            mixing = kind in ("CutMix", "MixUp")
            given = {"images": x, "labels": np.eye(3, dtype="float32")[np.arange(shape[0]) % 3]} if mixing else x
            seed = {"seed": 3} if kind.startswith(("Rand", "Mix", "Cut", "Aug")) else {}
            try:
                layer = getattr(keras.layers, kind)(**options, **seed)
                y = layer(given) if kind in ("Rescaling", "Resizing") else layer(given, training=training)
                y = np.asarray(y["images"] if isinstance(y, dict) else y)
            except Exception as e:
                print("REFUSED", kind, shape, dtype, training, type(e).__name__, file=sys.stderr)
                continue
            finite = np.isfinite(y.astype("float64")).all()
            cases.append([words(shape, dtype), training, words(y.shape, y.dtype), bool(finite)])
    result.append({"layer": kind, "config": {**options, **seed}, "cases": cases})

lines = [json.dumps(c, separators=(",", ":")) for c in result]
with open(sys.argv[1], "w") as f:
    f.write("[\n" + ",\n".join(lines) + "\n]\n")
