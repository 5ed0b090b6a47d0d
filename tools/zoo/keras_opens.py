"""Opens files that Cornu wrote in real Keras 3 and compares the predictions with io.h5.

Called by cornu-zoo: keras_opens.py MANIFEST REPORT. The manifest is a list of models, each with its folder in the zoo
and the files; the report gets a line of JSON for each file. The backend is KERAS_BACKEND's, else TensorFlow's where
it is installed, else JAX's.
"""

import importlib.util
import json
import os
import sys

if "KERAS_BACKEND" not in os.environ:
    os.environ["KERAS_BACKEND"] = "tensorflow" if importlib.util.find_spec("tensorflow") else "jax"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import h5py  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402


@keras.saving.register_keras_serializable(package="zoo")
class ScaledDense(keras.layers.Layer):
    """The custom layer of the zoo: layers in containers."""

    def __init__(self, units, gain=1.0, activation=None, **options):
        super().__init__(**options)
        self.units = units
        self.gain = gain
        self.activation = keras.activations.get(activation)
        self.inner = keras.layers.Dense(units, activation=self.activation)
        self.blocks = [keras.layers.Dense(units), {"deep": keras.layers.LayerNormalization()}]

    def build(self, input_shape):
        self.shift = self.add_weight(shape=(self.units,), initializer="zeros", name="shift")
        self.inner.build(input_shape)
        shape = (*input_shape[:-1], self.units)
        self.blocks[0].build(shape)
        self.blocks[1]["deep"].build(shape)

    def call(self, x):
        y = self.blocks[0](self.inner(x)) * self.gain + self.shift
        return self.blocks[1]["deep"](y)

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "gain": self.gain,
            "activation": keras.activations.serialize(self.activation),
        }


@keras.saving.register_keras_serializable(package="zoo")
class TwoTower(keras.Model):
    """The subclassed model of the zoo."""

    def __init__(self, width=4, **options):
        super().__init__(**options)
        self.width = width
        self.left = keras.layers.Dense(width, activation="relu")
        self.right = keras.Sequential([keras.layers.Dense(width), keras.layers.BatchNormalization()])
        self.towers = [keras.layers.Dense(2), keras.layers.Dense(2)]
        self.out = keras.layers.Dense(1)

    def call(self, x):
        y = self.left(x) + self.right(x)
        return self.out(keras.ops.concatenate([tower(y) for tower in self.towers], axis=-1))

    def get_config(self):
        return {**super().get_config(), "width": self.width}


@keras.saving.register_keras_serializable(package="zoo")
def half_tanh(x):
    return 0.5 * keras.ops.tanh(x)


def read(group):
    def array(dataset):
        value = dataset[()]
        if value.dtype == object:
            return np.vectorize(lambda b: b.decode() if isinstance(b, bytes) else b, otypes=[object])(value)
        return value

    def build(structure):
        if isinstance(structure, int):
            return array(group[str(structure)])
        if isinstance(structure, list):
            return [build(item) for item in structure]
        return {key: build(item) for key, item in structure.items()}

    return build(json.loads(group.attrs["structure"]))


def compare(path, found, expected, relative):
    """The largest relative error, and why it is a failure, or ""."""
    if isinstance(expected, (list, dict)):
        keys = range(len(expected)) if isinstance(expected, list) else expected.keys()
        same = isinstance(found, dict) == isinstance(expected, dict) and len(found) == len(expected)
        if not same:
            return 0.0, f"{path}: another structure: {type(found).__name__} of {len(found)}"
        results = [compare(f"{path} {key}", found[key], expected[key], relative) for key in keys]
        return max(r[0] for r in results), next((r[1] for r in results if r[1]), "")
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return 0.0, f"{path}: shape {found.shape}, expected {expected.shape}"
    found, expected = found.astype("float64"), expected.astype("float64")
    odd = ~np.isfinite(found) | ~np.isfinite(expected)
    if not np.array_equal(found[odd], expected[odd], equal_nan=True):
        return float("inf"), f"{path}: NaN or infinity where another value is expected"
    found, expected = found[~odd], expected[~odd]
    if not expected.size:
        return 0.0, ""
    scale = np.abs(expected).max()
    error = np.abs(found - expected).max()
    reason = "" if error <= relative * scale else f"{path}: largest error {error:.6g} of {scale:.6g}"
    return float(error / scale if scale else error), reason


def inputs_of(model, inputs):
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        convert = lambda x: tf.constant(x) if isinstance(x, np.ndarray) and x.dtype == object else x
        return keras.tree.map_structure(convert, inputs)
    return inputs


def check(entry, file, io):
    if entry["needs_tensorflow"] and keras.backend.backend() != "tensorflow":
        return 0.0, "Keras computes this model on TensorFlow only; this Python runs " + keras.backend.backend()
    if file["weights"]:
        with open(file["file"], encoding="utf-8") as text:
            model = keras.models.model_from_json(text.read())
        model.load_weights(file["weights"])
    else:
        # Keras 3 does not read the short names of losses in its legacy files.
        model = keras.saving.load_model(file["file"], compile=not file["file"].endswith(".h5"))
    outputs = model.predict(inputs_of(model, read(io["inputs"])), batch_size=int(io.attrs["batch_size"]), verbose=0)
    return compare(file["outputs"], outputs, read(io[file["outputs"]]), entry["relative"])


def main():
    with open(sys.argv[1], encoding="utf-8") as text:
        manifest = json.load(text)
    with open(sys.argv[2], "w", encoding="utf-8") as report:
        for number, entry in enumerate(manifest):
            for file in entry.get("files", []):
                keras.backend.clear_session()
                try:
                    with h5py.File(os.path.join(entry["folder"], "io.h5")) as io:
                        error, reason = check(entry, file, io)
                except Exception as e:  # whatever Keras throws is the reason
                    error, reason = 0.0, f"{type(e).__name__}: " + " ".join(str(e).split())[:400]
                what = "Keras opens " + os.path.basename(file["file"])
                line = {"model": number, "what": what, "reason": reason}
                if np.isfinite(error):
                    line["error"] = error
                report.write(json.dumps(line) + "\n")
                report.flush()


main()
