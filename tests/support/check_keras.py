"""Opens files that Cornu wrote with real Keras and compares what it computes with what Cornu computed.

    check_keras.py --probe     exits with 0 when Keras can be used
    check_keras.py FOLDER      checks NAME.keras and NAME.weights.h5 against NAME.h5 for each model, exits with 1 on a
                               difference

NAME.h5 holds x/*, y/* and outputs/* (datasets named "value", or by the keys of a dictionary), and weights/0, 1, ...
after one more step of training on all samples. Run by tests/framework/saving/python_test.cpp.
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


@keras.saving.register_keras_serializable(package="tests", name="Residual")
class Residual(L.Layer):
    def __init__(self, units, activation="relu", **kwargs):
        super().__init__(**kwargs)
        self.units, self.activation = units, activation

    def build(self, shape):
        self.inner = L.Dense(self.units, activation=self.activation)
        self.inner.build(shape)
        self.gain = self.add_weight(name="gain", shape=(), initializer="ones")

    def call(self, x):
        return x + self.inner(x) * self.gain

    def get_config(self):
        return {**super().get_config(), "units": self.units, "activation": self.activation}


@keras.saving.register_keras_serializable(package="tests", name="Net")
class Net(keras.Model):
    def __init__(self, width, blocks=2, **kwargs):
        super().__init__(**kwargs)
        self.width, self.count = width, blocks
        self.hidden = L.Dense(width, activation="tanh")
        self.blocks = [Residual(width) for _ in range(blocks)]
        self.norm = L.BatchNormalization()
        self.out = L.Dense(1)

    def call(self, x, training=None):
        x = self.hidden(x)
        for block in self.blocks:
            x = block(x)
        return self.out(self.norm(x, training=training))

    def get_config(self):
        return {**super().get_config(), "width": self.width, "blocks": self.count}


def nest(group):
    entries = {key: np.asarray(value) for key, value in group.items()}
    return entries["value"] if list(entries) == ["value"] else entries


def difference(found, expected):
    if isinstance(expected, dict):
        return max(difference(found[key], value) for key, value in expected.items())
    found = np.asarray(found)
    if found.shape != expected.shape:
        return float("inf")
    return float(np.abs(found.astype("float64") - expected).max(initial=0.0))


def check(folder, name):
    problems = []

    def compare(what, found, expected, limit):
        worst = difference(found, expected)
        if not worst < limit:
            problems.append(f"{name}: {what} differ by {worst}, more than {limit}")

    with h5py.File(folder / f"{name}.h5") as file:
        x, y, outputs = (nest(file[group]) for group in ("x", "y", "outputs"))
        weights = [np.asarray(file[f"weights/{i}"]) for i in range(len(file["weights"]))]
    model = keras.saving.load_model(folder / f"{name}.keras")
    compare("predictions", model.predict(x, verbose=0), outputs, 1e-5)

    twin = model.__class__.from_config(model.get_config())
    twin(x)
    twin.load_weights(folder / f"{name}.weights.h5")
    compare("predictions with loaded weights", twin.predict(x, verbose=0), outputs, 1e-5)

    samples = len(next(iter(x.values())) if isinstance(x, dict) else x)
    model.fit(x, y, batch_size=samples, epochs=1, shuffle=False, verbose=0)
    if len(model.weights) != len(weights):
        problems.append(f"{name}: {len(model.weights)} weights, expected {len(weights)}")
    for weight, expected in zip(model.weights, weights):
        compare(f"values of {weight.path} after a step", weight, expected, 1e-5)
    return problems


def main():
    if sys.argv[1] == "--probe":
        print(f"Keras {keras.__version__} on {keras.backend.backend()}")
        return 0
    folder = pathlib.Path(sys.argv[1])
    names = sorted(path.stem for path in folder.glob("*.keras"))
    problems = [] if names else [f"no .keras file in {folder}"]
    for name in names:
        problems += check(folder, name)
    print("\n".join(problems) or f"{len(names)} models agree")
    return 1 if problems else 0


sys.exit(main())
