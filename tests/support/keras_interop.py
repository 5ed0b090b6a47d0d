"""Real Keras as the other side of tests/framework/saving/interop_test.cpp.

    keras_interop.py begin FOLDER    trains models, and writes them and what they compute, for Cornu to go on
    keras_interop.py resume FOLDER   goes on where Cornu stopped, and checks what Cornu wrote; exits with 1 on a difference

NAME.data.h5 holds x, y and (after "begin") weights/0, 1, ... of the model that was trained in one go.
"""
import importlib.util
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
if "KERAS_BACKEND" not in os.environ:
    for backend, module in (("jax", "jax"), ("tensorflow", "tensorflow"), ("torch", "torch")):
        if importlib.util.find_spec(module):
            os.environ["KERAS_BACKEND"] = backend
            break

import h5py
import keras
import numpy as np
from keras import layers as L

FIRST, MORE, BATCH = 2, 2, 8


class Block(L.Layer):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.dense = L.Dense(units, activation="tanh")

    def build(self, shape):
        self.gain = self.add_weight(name="gain", shape=(shape[-1],), initializer="ones")
        self.dense.build(shape)

    def call(self, x):
        return x + self.dense(x) * self.gain


class Tower(keras.Model):
    """Nested subclassed layers, a list, a list in a list, and a dictionary of layers."""

    def __init__(self, width, **options):
        super().__init__(**options)
        self.first = Block(width)
        self.blocks = [Block(width), Block(width)]
        self.mixed = [L.Dense(width), [Block(width), L.LayerNormalization()]]
        self.heads = {"score": L.Dense(1), "kind": L.Dense(3, activation="softmax")}

    def call(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        x = self.mixed[1][1](self.mixed[1][0](self.mixed[0](x)))
        return keras.ops.concatenate([self.heads["score"](x), self.heads["kind"](x)], axis=-1)


def cnn(optimizer):
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            L.Conv2D(4, 3, use_bias=False),
            L.BatchNormalization(momentum=0.9),
            L.ReLU(),
            L.MaxPooling2D(),
            L.Flatten(),
            L.Dense(3, activation="softmax"),
        ]
    )
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def lstm(optimizer):
    inputs = keras.Input((6, 3))
    model = keras.Model(inputs, L.Dense(1)(L.LSTM(5)(inputs)))
    model.compile(optimizer, "mse")
    return model


def adam():
    return keras.optimizers.Adam(0.01)


def sgd():
    return keras.optimizers.SGD(0.05, momentum=0.9)


MODELS = {"cnn_adam": (cnn, adam), "cnn_sgd": (cnn, sgd), "lstm_adam": (lstm, adam), "lstm_sgd": (lstm, sgd)}


def data(name):
    random = np.random.default_rng(len(name))
    if name.startswith("cnn"):
        return random.normal(size=(24, 8, 8, 1)).astype("f"), random.integers(0, 3, 24).astype("i4")
    return random.normal(size=(24, 6, 3)).astype("f"), random.normal(size=(24, 1)).astype("f")


def fit(model, x, y, epochs):
    model.fit(x, y, batch_size=BATCH, epochs=epochs, shuffle=False, verbose=0)


def write_weights(file, model):
    for i, weight in enumerate(model.weights):
        file[f"weights/{i}"] = keras.ops.convert_to_numpy(weight)


def begin(folder):
    keras.utils.set_random_seed(1)
    for name, (make, optimizer) in MODELS.items():
        model = make(optimizer())
        x, y = data(name)
        model.save(folder / f"{name}.start.keras")
        fit(model, x, y, FIRST)
        model.save(folder / f"{name}.keras")
        fit(model, x, y, MORE)
        with h5py.File(folder / f"{name}.data.h5", "w") as file:
            file["x"], file["y"] = x, y
            write_weights(file, model)
    tower = Tower(4)
    x = np.random.default_rng(3).normal(size=(5, 4)).astype("f")
    tower(x)
    for weight in tower.weights:
        weight.assign(keras.random.normal(weight.shape, stddev=0.5))
    tower.save_weights(folder / "tower.weights.h5")
    with h5py.File(folder / "tower.data.h5", "w") as file:
        file["x"], file["y"] = x, keras.ops.convert_to_numpy(tower(x))
    stack = keras.Sequential([keras.Input((3,)), L.Dense(4), L.BatchNormalization(), L.Dense(2)])
    stack.compile(adam(), "mse")
    fit(stack, np.ones((8, 3), "f"), np.ones((8, 2), "f"), 1)
    stack.save(folder / "stack.keras")
    stack.save_weights(folder / "stack.weights.h5")
    return []


def check_training(folder, name, problems):
    model = keras.saving.load_model(folder / f"{name}.here.keras")
    with h5py.File(folder / f"{name}.here.h5") as file:
        x, y = np.asarray(file["x"]), np.asarray(file["y"])
        expected = [np.asarray(file[f"weights/{i}"]) for i in range(len(file["weights"]))]
    fit(model, x, y, MORE)
    for weight, value in zip(model.weights, expected, strict=True):
        worst = float(np.abs(keras.ops.convert_to_numpy(weight) - value).max(initial=0.0))
        if not worst < 1e-4:
            problems.append(f"{name}: {weight.path} differs by {worst}")


def check_tower(folder, problems):
    tower = Tower(4)
    with h5py.File(folder / "tower.here.h5") as file:
        x, expected = np.asarray(file["x"]), np.asarray(file["y"])
    tower(x)
    tower.load_weights(folder / "tower.here.weights.h5")
    worst = float(np.abs(keras.ops.convert_to_numpy(tower(x)) - expected).max())
    if not worst < 1e-5:
        problems.append(f"tower: outputs differ by {worst}")


def check_editor(folder, problems):
    model = keras.Sequential([keras.Input((3,)), L.Dense(4), L.Dense(5), L.Dense(2)])
    path = folder / "edited.weights.h5"
    model.load_weights(path)
    kernel = keras.ops.convert_to_numpy(model.layers[1].kernel)
    if not np.array_equal(kernel, np.full((4, 5), 2.0, "f")):
        problems.append(f"editor: the new layer's kernel is {kernel}")
    status = keras.saving.KerasFileEditor(str(path)).compare(model)
    if status["status"] != "success":
        problems.append(f"editor: Keras compares with {status}")
    if len(keras.saving.load_model(folder / "edited.keras").layers) != 3:
        problems.append("editor: the archive's model is another")


def resume(folder):
    problems = []
    for name in MODELS:
        check_training(folder, name, problems)
    check_tower(folder, problems)
    check_editor(folder, problems)
    return problems


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = {"begin": begin, "resume": resume}[command](folder)
    print("\n".join(problems) or "all agrees")
    return 1 if problems else 0


sys.exit(main())
