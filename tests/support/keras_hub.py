"""Real KerasHub as the other side of tests/applications/language/keras_hub_test.cpp.

    keras_hub.py --probe        exits with 0 when KerasHub can be used
    keras_hub.py check FOLDER   opens each NAME.keras of the folder, calls it on the inputs NAME.INPUT.npy and compares
                                with NAME.npy; exits with 1 on a difference
"""
import importlib.util
import os
import pathlib
import sys

# This file has the package's name.
sys.path = [p for p in sys.path if pathlib.Path(p or ".").resolve() != pathlib.Path(__file__).resolve().parent]
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
if "KERAS_BACKEND" not in os.environ:
    os.environ["KERAS_BACKEND"] = "tensorflow" if importlib.util.find_spec("tensorflow") else "jax"

import keras
import keras_hub  # noqa: F401: its classes are found by their names
import numpy as np

LIMIT = 2e-6


def output_of(name, result):
    if not isinstance(result, dict):
        return result
    return result["decoder_sequence_output" if name.startswith("t5") else "sequence_output"]


def check(folder):
    worst = {}
    for path in sorted(folder.glob("*.keras")):
        name = path.stem
        inputs = {p.name.split(".")[1]: np.load(p) for p in folder.glob(f"{name}.*.npy")}
        model = keras.models.load_model(path, compile=False)
        found = np.asarray(output_of(name, model(inputs)))
        worst[name] = float(np.abs(found - np.load(folder / f"{name}.npy")).max())
        print(f"{name}: {worst[name]:.2e}")
    return bool(worst) and max(worst.values()) <= LIMIT


if __name__ == "__main__":
    if sys.argv[1] == "check":
        sys.exit(0 if check(pathlib.Path(sys.argv[2])) else 1)
