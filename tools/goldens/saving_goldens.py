"""Writes small files of real Keras, with what Keras computes from them, for tests/framework/saving/keras_goldens_test.cpp.

Run with Keras 3.15 on the JAX backend, from the repository's root: KERAS_BACKEND=jax python tools/goldens/saving_goldens.py
Writes tests/data/keras_digits.keras (a convolutional Sequential after two epochs, with Adam's state),
tests/data/keras_graph.keras (a Functional with a shared layer, ops, a mask, two inputs and two outputs, with the state
of RMSprop and a schedule), and beside each an .h5 file: inputs, targets, predictions, and the history and the weights
after one more epoch.
"""
import os

os.environ.setdefault("KERAS_BACKEND", "jax")
import h5py
import keras
import numpy as np
from keras import layers as L
from keras import ops

FOLDER = "tests/data/"
keras.utils.set_random_seed(11)


def record(name, model, x, y, batch_size, epochs=2):
    fit = dict(batch_size=batch_size, shuffle=False, verbose=0)
    model.fit(x, y, epochs=epochs, **fit)
    model.save(FOLDER + name + ".keras")
    outputs = model.predict(x, verbose=0)
    figures = model.evaluate(x, y, batch_size=batch_size, verbose=0, return_dict=True)
    history = model.fit(x, y, epochs=1, **fit).history
    with h5py.File(FOLDER + name + ".h5", "w") as file:
        for group, values in (("x", x), ("y", y), ("outputs", outputs)):
            entries = values if isinstance(values, dict) else {"": values}
            for key, value in entries.items():
                file[f"{group}/{key or 'value'}"] = np.asarray(value)
        for group, figures in (("evaluate", figures), ("history", {k: v[0] for k, v in history.items()})):
            for key, value in figures.items():
                file.create_group(group + "/" + key).attrs["value"] = float(value)
        for i, weight in enumerate(model.weights):
            file[f"weights/{i}"] = np.asarray(weight)


rows = np.load("examples/data/digits.npy")[:96]
x = (rows[:, :64].reshape(-1, 8, 8, 1) / 16).astype("float32")
y = rows[:, 64].astype("int32")
model = keras.Sequential([
    keras.Input((8, 8, 1)),
    L.Conv2D(6, 3, padding="same", use_bias=False),
    L.BatchNormalization(),
    L.ReLU(),
    L.MaxPooling2D(),
    L.Conv2D(8, 3, activation="relu", kernel_regularizer="l2"),
    L.Flatten(),
    L.Dense(10, activation="softmax"),
], name="digits")
model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy", metrics=["accuracy"])
record("keras_digits", model, x, y, batch_size=20)

random = np.random.default_rng(5)
words = random.integers(1, 12, (40, 6)).astype("int32")
words[np.arange(6)[None] >= random.integers(2, 7, (40, 1))] = 0
left = random.normal(size=(40, 4)).astype("float32")
inputs = {"left": keras.Input((4,), name="left"), "words": keras.Input((6,), dtype="int32", name="words")}
shared = L.Dense(5, activation="tanh", name="shared")
text = L.LSTM(4)(L.Embedding(12, 3, mask_zero=True)(inputs["words"]))
a = shared(inputs["left"])
b = shared(text * 2.0 - 1)
merged = L.Concatenate()([a, b, ops.maximum(a, b)])
merged = merged[:, 1:] / (1.0 + ops.mean(ops.square(merged), axis=-1, keepdims=True))
inner_in = keras.Input((14,))
inner = keras.Model(inner_in, [L.Dense(3, name="p")(inner_in), L.LayerNormalization(name="q")(inner_in)], name="inner")
p, q = inner(merged)
outputs = {"score": L.Dense(1, name="score")(q), "kind": L.Softmax(name="kind")(p)}
model = keras.Model(inputs, outputs, name="graph")
rate = keras.optimizers.schedules.ExponentialDecay(0.01, 3, 0.9)
model.compile(keras.optimizers.RMSprop(rate, momentum=0.5, centered=True),
              loss={"score": keras.losses.Huber(delta=1.0), "kind": "sparse_categorical_crossentropy"},
              loss_weights={"score": 0.5, "kind": 2.0}, metrics={"score": ["mae"], "kind": ["accuracy"]})
targets = {"score": left.sum(-1, keepdims=True), "kind": (words.sum(-1) % 3).astype("int32")}
record("keras_graph", model, {"left": left, "words": words}, targets, batch_size=16)
