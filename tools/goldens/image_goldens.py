"""Records what Keras's geometric image layers and functions on boxes compute, for tests/layers/image/geometry_test.cpp.

Run with Keras 3.15 on the JAX backend: KERAS_BACKEND=jax python image_goldens.py tests/data/images.json
Each layer case holds the layer's config, the data of a call, whether it trains, and the results of two calls in a row,
so that the order of random draws shows. Each function case holds arguments by name and the result.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np
from keras import layers as L
from keras.utils import bounding_boxes as B

random = np.random.default_rng(11)


def record(a):
    if isinstance(a, dict):
        return {k: record(v) for k, v in a.items()}
    dtype = str(a.dtype)
    a = np.asarray(a)
    values = [float(f"{float(v):.6g}") for v in a.ravel()]
    return {"shape": list(a.shape), "dtype": dtype, "values": [int(v) if v == int(v) else v for v in values]}


def images(*shape):
    return random.integers(0, 256, shape).astype("float32")


def batch(first=False, format="xyxy", n=2, h=6, w=7):
    """A dictionary as Keras's layers take it, with boxes in a format."""
    boxes = np.array([[[1, 1, 4, 5], [0, 2, 3, 3]], [[2, 0, 6, 4], [3, 1, 5, 6]]], "float32")[:n]
    boxes = np.array(B.convert_format(boxes, "xyxy", format, height=h, width=w))
    shape = (n, 2, h, w) if first else (n, h, w, 2)
    masks = random.integers(0, 4, (n, 1, h, w) if first else (n, h, w, 1)).astype("float32")
    return {"images": images(*shape), "labels": np.eye(3, dtype="float32")[:n], "segmentation_masks": masks,
            "bounding_boxes": {"boxes": boxes, "labels": np.array([[0, 1], [2, 3]], "int32")[:n]}}


def copy(data):
    return {k: copy(v) for k, v in data.items()} if isinstance(data, dict) else np.copy(data)


cases = []


def layer(name, make, data, training=None):
    kwargs = {} if training is None else {"training": training}
    config = keras.saving.serialize_keras_object(make)
    results = [record(make(copy(data), **kwargs)) for _ in range(2)]
    cases.append({"name": name, "layer": config, "data": record(data), "training": training, "results": results})


def both(name, make, **data):
    """A dictionary, and one image with channels first."""
    layer(name, make(bounding_box_format="xyxy"), batch(**data))
    layer(name + ", channels first", make(data_format="channels_first", bounding_box_format="rel_xyxy"),
          batch(first=True, format="rel_xyxy"))
    layer(name + ", one image", make(), images(5, 6, 2))
    layer(name + ", not training", make(bounding_box_format="xyxy"), batch(), training=False)


def options(**fixed):
    return lambda cls: (lambda **more: cls(**fixed, **more))


for mode in ("horizontal", "vertical", "horizontal_and_vertical"):
    both("flip " + mode, options(mode=mode, seed=3)(L.RandomFlip))
both("crop", options(height=4, width=3, seed=5)(L.RandomCrop))
both("crop larger", options(height=8, width=5, seed=5)(L.RandomCrop))
layer("crop of one image", L.RandomCrop(3, 3, seed=9), images(6, 7, 2), training=True)
both("center crop", options(height=4, width=5)(L.CenterCrop))
both("center crop larger", options(height=9, width=4)(L.CenterCrop))
both("resize", options(height=4, width=9)(L.Resizing))
both("resize, pad", options(height=4, width=9, pad_to_aspect_ratio=True, fill_value=3.0)(L.Resizing))
both("resize, crop", options(height=5, width=8, crop_to_aspect_ratio=True)(L.Resizing))
layer("resize integers", L.Resizing(4, 4), images(5, 6, 2).astype("uint8"))
both("translate", options(height_factor=0.3, width_factor=(-0.4, 0.2), seed=1)(L.RandomTranslation))
both("translate, constant", options(height_factor=0.3, width_factor=0.5, fill_mode="constant", fill_value=7.0,
                                    interpolation="nearest", seed=1)(L.RandomTranslation))
both("rotate", options(factor=0.1, seed=2)(L.RandomRotation))
both("rotate, wrap", options(factor=(0.05, 0.3), fill_mode="wrap", seed=4)(L.RandomRotation))
both("zoom", options(height_factor=0.4, seed=6)(L.RandomZoom))
both("zoom both", options(height_factor=(-0.3, -0.2), width_factor=(0.1, 0.3), fill_mode="nearest",
                          seed=6)(L.RandomZoom))
both("shear", options(x_factor=(0.1, 0.4), y_factor=(0.2, 0.3), fill_mode="constant", seed=8)(L.RandomShear))
layer("shear in half precision", L.RandomShear((0.1, 0.4), (0.2, 0.3), seed=8, dtype="mixed_float16"),
      images(2, 5, 6, 1) / 64)
both("perspective", options(factor=(0.7, 1.0), scale=0.6, seed=10)(L.RandomPerspective))
both("perspective, nearest", options(factor=0.8, scale=0.3, interpolation="nearest", fill_value=1.0,
                                     seed=1)(L.RandomPerspective))
both("erase", options(seed=12)(L.RandomErasing))
both("erase, one value", options(factor=(0.5, 1), scale=(0.2, 0.5), fill_value=9.0, seed=13)(L.RandomErasing))
unboxed = {k: v for k, v in batch().items() if k != "bounding_boxes"}
layer("distort", L.RandomElasticTransform(scale=(0.5, 1.0), seed=14), unboxed)
layer("distort, channels first", L.RandomElasticTransform(seed=3, data_format="channels_first"), images(2, 3, 26, 22))
layer("distort one image", L.RandomElasticTransform(seed=4), images(25, 23, 2))
layer("distort large", L.RandomElasticTransform(factor=(0.9, 1.0), scale=(0.9, 1.0), fill_mode="constant",
                                                interpolation="nearest", seed=14), images(2, 24, 30, 1))
layer("at most", L.MaxNumBoundingBoxes(1, bounding_box_format="xyxy"), batch())
layer("at least", L.MaxNumBoundingBoxes(3, bounding_box_format="xyxy"), batch())

functions = []


def function(name, f, **arguments):
    result = f(**arguments)
    functions.append({"name": name, "result": record(result), "arguments": {
        k: record(v) if hasattr(v, "shape") else v for k, v in arguments.items()}})


boxes = batch()["bounding_boxes"]["boxes"]
numbers = {k: random.uniform(-0.3, 0.3, 2).round(2).astype("float32") for k in
           ("translate_x", "translate_y", "shear_x", "shear_y")}
function("keras.utils.bounding_boxes.affine_transform", B.affine_transform, boxes=boxes,
         angle=np.array([20, -75], "float32"), scale=np.array([1.2, 0.7], "float32"), height=6, width=7, **numbers)
function("keras.utils.bounding_boxes.crop", B.crop, boxes=boxes, top=1, left=2, height=3, width=4)
function("keras.utils.bounding_boxes.pad", B.pad, boxes=boxes, top=1, left=2)
anchors = np.array([[0, 0, 4, 4], [1, 2, 5, 6]], "float32")
for encoding, variance in (("center_yxhw", None), ("center_xywh", [0.1, 0.1, 0.2, 0.2])):
    function("keras.utils.bounding_boxes.encode_box_to_deltas", B.encode_box_to_deltas, anchors=anchors, boxes=boxes,
             anchor_format="xyxy", box_format="xywh", encoding_format=encoding, variance=variance)
    function("keras.utils.bounding_boxes.decode_deltas_to_boxes", B.decode_deltas_to_boxes, anchors=anchors,
             boxes_delta=(boxes[0] - 2) / 4, anchor_format="rel_xyxy", box_format="xyxy", encoded_format=encoding,
             variance=variance, image_shape=[6, 7, 3])
function("keras.ops.image.elastic_transform", keras.ops.image.elastic_transform, images=images(2, 8, 9, 2), alpha=3.0,
         sigma=1.3, seed=3)
function("keras.ops.image.elastic_transform", keras.ops.image.elastic_transform, images=images(2, 8, 9), alpha=5.0,
         sigma=0.8, seed=4, interpolation="nearest", fill_mode="wrap", data_format="channels_first")

with open(sys.argv[1], "w") as f:
    json.dump({"layers": cases, "functions": functions}, f, separators=(",", ":"))
