#!/usr/bin/env python3
"""Writes tests/data/preprocessing.json: what each module of keras.applications makes of images.

Usage: KERAS_BACKEND=jax python tools/goldens/preprocessing_goldens.py [output]
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")

import numpy as np
from keras import applications, ops

from patterns import result_of, tensor_of

MODULES = ["convnext", "densenet", "efficientnet", "efficientnet_v2", "inception_resnet_v2", "inception_v3", "mobilenet",
           "mobilenet_v2", "mobilenet_v3", "nasnet", "resnet", "resnet50", "resnet_v2", "vgg16", "vgg19", "xception"]
IMAGES = {"channels_last": ["labels256 1x2x3x3", "labels256 2x1x3 ~1"],
          "channels_first": ["labels256 1x3x2x3", "labels256 3x2x1 ~1"]}


def main():
    cases = []
    for module in MODULES:
        prepare = getattr(applications, module).preprocess_input
        for data_format, images in IMAGES.items():
            for i, image in enumerate(images):
                for dtype in (("float32", "uint8") if i == 0 else ("float16", "int32")):
                    words = f"{image} @{dtype}"
                    x = tensor_of(words)
                    # Means are cut to the type of an integer tensor; arrays become floats first, as images here do.
                    x = ops.convert_to_tensor(x) if dtype.startswith("float") else np.array(x)
                    out = prepare(x, data_format=data_format)
                    cases.append({"module": module, "data_format": data_format, "x": words, **result_of(out, 6)})
    root = pathlib.Path(__file__).resolve().parents[2]
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/preprocessing.json"
    output.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
    print(len(cases), "cases,", output.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
