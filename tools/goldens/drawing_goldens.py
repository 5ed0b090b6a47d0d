"""Records what Keras draws on images, for tests/framework/data/visualization/drawing_test.cpp.

Run with Keras 3.15 on the JAX backend, and OpenCV (opencv-python-headless), which draws its boxes:
KERAS_BACKEND=jax python drawing_goldens.py tests/data/drawing.json
Images are lists of numbers from 0 to 255. Boxes have no classes that are written: Cornu's letters are others.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import numpy as np
from keras import visualization as V

random = np.random.default_rng(3)


def array(a):
    a = np.asarray(a)
    return {"shape": list(a.shape), "dtype": str(a.dtype), "values": a.ravel().tolist()}


def boxes(images, boxes, labels, format, **options):
    drawn = V.draw_bounding_boxes(images.copy(), {"boxes": np.asarray(boxes, "float32"), "labels": np.asarray(labels)},
                                  format, **options)
    return {"images": array(images), "boxes": boxes, "labels": labels, "format": format, "options": options,
            "drawn": array(drawn)}


def masks(images, masks, **options):
    drawn = V.draw_segmentation_masks(images, masks, **options)
    return {"images": array(images), "masks": array(masks), "drawn": array(drawn),
            "options": {k: v if k != "color_mapping" else sorted(v.items()) for k, v in options.items()}}


gray = np.full((1, 24, 30, 3), 40, "uint8")
two = random.integers(0, 256, (2, 12, 14, 3)).astype("uint8")
share = random.random((1, 10, 12, 3)).round(3).astype("float32")
classes = random.integers(-1, 4, (2, 12, 14, 1)).astype("int32")
shapes = [[[3, 4, 20, 15], [8.9, 6.2, 27.7, 22.5], [-5, -3, 6, 40], [12, 12, 12, 12]]]
cases = {
    "boxes": [boxes(gray, shapes, [[0, 1, 2, 3]], "xyxy", line_thickness=t, color=[200, 10 * t, 90])
              for t in (1, 2, 3, 4, 5, 8)]
    + [boxes(two, [[[0.1, 0.2, 0.5, 0.5]], [[0.3, 0.1, 0.6, 0.7]]], [[1], [-1]], "rel_xywh", line_thickness=1),
       boxes(share, [[[2, 3, 8, 9]]], [[1]], "yxyx")],
    "masks": [masks(two, classes, num_classes=4), masks(two, classes), masks(two, classes, num_classes=3, alpha=0.3),
              masks(two, classes, num_classes=4, ignore_index=0), masks(two, classes, num_classes=4, blend=False),
              masks(two, classes, num_classes=2, color_mapping={0: [255, 0, 9], 1: [1, 2, 3]})],
}
with open(sys.argv[1], "w") as file:
    json.dump(cases, file, separators=(",", ":"))
