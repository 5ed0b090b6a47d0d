#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets, tests/fuzz/seeds, with real Keras 3, h5py and zipfile.

Usage: KERAS_BACKEND=jax make_seeds.py [tests/fuzz/seeds]
"""
import json
import os
import pathlib
import sys
import tempfile
import zipfile

os.environ.setdefault("KERAS_BACKEND", "jax")
import h5py
import keras
import numpy as np
from keras import layers, ops

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/fuzz/seeds")
for name in ("archive", "config", "h5"):
    (root / name).mkdir(parents=True, exist_ok=True)


def small_model():
    model = keras.Sequential(
        [keras.Input((3,)), layers.Dense(4, name="first"), layers.Dense(2, name="second")], name="m")
    model.compile(optimizer=keras.optimizers.SGD(momentum=0.9), loss="mse")
    return model


# --- Configs: one of each kind of thing that they can hold.
def graphs():
    x = keras.Input((4,), name="x")
    d = layers.Dense(4, name="d")
    yield "functional", keras.Model(x, [d(d(x)) + 1.0, layers.Add()([x, d(x)])])
    inner_input = keras.Input((4,))
    inner = keras.Model(inner_input, layers.Dense(2)(inner_input), name="inner")
    yield "nested", keras.Model(x, layers.Concatenate()([inner(x), inner(x * 2.0)]))
    yield "dict", keras.Model({"a": x}, {"b": layers.Dense(1)(x)})
    t = keras.Input((5, 3))
    yield "recurrent", keras.Sequential(
        [t, layers.Bidirectional(layers.LSTM(2, return_sequences=True)), layers.GRU(2)])
    yield "attention", keras.Model(t, layers.MultiHeadAttention(2, 2)(t, t, use_causal_mask=True))
    i = keras.Input((6, 6, 2))
    yield "convolution", keras.Sequential(
        [i, layers.Conv2D(2, 3, padding="same", kernel_regularizer="l2"), layers.BatchNormalization(),
         layers.MaxPooling2D(), layers.Flatten(), layers.Dense(2, activation="softmax")])
    yield "ops", keras.Model(i, ops.mean(ops.transpose(i, (0, 2, 1, 3))[:, 1:, ::2] ** 2, axis=-1))
    yield "wrappers", keras.Sequential(
        [t, layers.TimeDistributed(layers.Dense(2, dtype="mixed_float16")),
         layers.RNN([layers.LSTMCell(2), layers.GRUCell(2)])])
    yield "embedding", keras.Sequential(
        [keras.Input((4,), dtype="int32"), layers.Embedding(5, 2, mask_zero=True), layers.LSTM(1)])


def shorter(value):
    """Without what is null: seeds are better small."""
    if isinstance(value, dict):
        return {k: shorter(v) for k, v in value.items() if v is not None or k == "registered_name"}
    return [shorter(v) for v in value] if isinstance(value, list) else value


for name, model in graphs():
    (root / "config" / f"{name}.json").write_text(json.dumps(json.loads(model.to_json())))
(root / "config" / "compiled.json").write_text(small_model().to_json())
legacy = {"class_name": "Model", "config": {
    "name": "m", "layers": [
        {"class_name": "InputLayer", "config": {"batch_input_shape": [None, 3], "name": "x"}, "name": "x",
         "inbound_nodes": []},
        {"class_name": "Dense", "config": {"units": 2, "activation": "relu", "name": "d"}, "name": "d",
         "inbound_nodes": [[["x", 0, 0, {}]]]},
        {"class_name": "TFOpLambda", "config": {"name": "tf.math.add", "function": "math.add"},
         "name": "tf.math.add", "inbound_nodes": [["d", 0, 0, {"y": 1.0}]]}],
    "input_layers": [["x", 0, 0]], "output_layers": [["tf.math.add", 0, 0]]}}
(root / "config" / "keras2.json").write_text(json.dumps(legacy))
for name, thing in {
        "adam": keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)),
        "loss": keras.losses.Huber(delta=2.0), "metric": keras.metrics.TopKCategoricalAccuracy(k=2),
        "initializer": keras.initializers.VarianceScaling(seed=1)}.items():
    (root / "config" / f"{name}.json").write_text(json.dumps(keras.saving.serialize_keras_object(thing)))

# --- HDF5: both layouts, and every kind of attribute and dataset.
model = small_model()
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    model.save(folder / "m.keras")
    model.save(folder / "m.h5")
    model.save_weights(folder / "m.weights.h5")
    # Rewritten: h5py leaves space for growth that no mutation should waste itself on.
    for name, libver in (("m.h5", "earliest"), ("m.weights.h5", "earliest"), ("m.h5", "latest")):
        target = root / "h5" / f"{'new' if libver == 'latest' else 'old'}_{name}"
        with h5py.File(folder / name) as old, h5py.File(target, "w", libver=libver) as new:
            for key, value in old.attrs.items():
                new.attrs[key] = value
            for key in old:
                old.copy(key, new)
    with zipfile.ZipFile(folder / "m.keras") as archive:
        config = json.dumps(shorter(json.loads(archive.read("config.json"))))
with h5py.File(root / "h5" / "kinds.h5", "w", libver="latest") as f:
    f["f"] = np.zeros((2, 3), ">f8")
    f["b"] = np.array([True, False])
    f["s"] = "text"
    f.create_dataset("z", data=np.arange(64, dtype="i2"), chunks=(16,), compression="gzip", shuffle=True,
                     fletcher32=True)
    f.create_dataset("strings", data=["a", "bc"], dtype=h5py.string_dtype())
    f["compound"] = np.zeros(2, [("a", "i4"), ("b", "f4")])
    f["soft"] = h5py.SoftLink("/f")
    f["external"] = h5py.ExternalLink("other.h5", "/f")
    f["loop"] = f["/"]
    f.attrs["fixed"] = np.bytes_("abc")
    f.attrs["names"] = [b"first", b"second"]
    f.attrs["number"] = 2.5
    f.attrs["empty"] = h5py.Empty("f4")

# The old format has other structures for the same, and chunks that HDF5 1.10 can read.
with h5py.File(root / "h5" / "kinds_old.h5", "w") as f:
    f["f"] = np.zeros((2, 3), ">f8")
    f["b"] = np.array([True, False])
    f["s"] = "text"
    f.create_dataset("z", data=np.arange(64, dtype="i2"), chunks=(16,), compression="gzip", shuffle=True,
                     fletcher32=True)
    f.create_dataset("g", data=np.arange(40, dtype="f4").reshape(8, 5), chunks=(4, 3), compression="gzip",
                     maxshape=(None, 5))
    f.create_dataset("c", data=np.arange(40, dtype="f4"), chunks=(8,), fillvalue=2.0)
    f.create_dataset("strings", data=["a", "bc"], dtype=h5py.string_dtype())
    d = f.create_group("d")
    d["compound"] = np.zeros(2, [("a", "i4"), ("b", "f4", (2,))])
    d["soft"] = h5py.SoftLink("/f")
    d["external"] = h5py.ExternalLink("o.h5", "/f")
    d["loop"] = f["/"]
    d["type"] = np.dtype("<f4")
    d.create_dataset("typed", data=np.ones(3, "f4"), dtype=d["type"])
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    h5py.h5d.create(d.id, b"compact", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((3,)), compact)
    f.attrs["names"] = [b"first", b"second"]
    f.attrs["number"] = 2.5
    f.attrs["text"] = "hello"
    f.attrs.create("typed", np.ones(2, "f4"), dtype=d["type"])
    f["f"].attrs["name"] = ["x", "yz"]

# --- Archives.
def archive(name, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(root / "archive" / name, "w", compression) as z:
        for member, data in members:
            z.writestr(zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0)), data, compression)


archive("stored.zip", [("metadata.json", "{}"), ("config.json", config), ("model.weights.h5", "x" * 40)])
archive("deflated.zip", [("config.json", config), ("assets/vocabulary.txt", "a\nb\n")], zipfile.ZIP_DEFLATED)
archive("empty.zip", [])
np.savez(root / "archive" / "arrays.npz", a=np.arange(3), b=np.ones((2, 2), ">f4"))
np.savez_compressed(root / "archive" / "packed.npz", c=np.asfortranarray(np.eye(3, dtype="f2")))
print(sum(f.stat().st_size for f in root.rglob("*") if f.is_file()), "bytes of seeds")
