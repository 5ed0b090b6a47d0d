"""Opens quantized models that Cornu wrote with real Keras and compares what it computes with what Cornu computed.

    keras_quantized.py --probe     exits with 0 when Keras can be used
    keras_quantized.py FOLDER      checks NAME.keras against x and y of NAME.h5 for each model, exits with 1 on a
                                   difference

Run by tests/framework/saving/calibrated_files_test.cpp.
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

if sys.argv[1] == "--probe":
    sys.exit(0)
failed = False
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.keras")):
    model = keras.saving.load_model(path)
    with h5py.File(path.with_suffix(".h5")) as file:
        found = np.asarray(model.predict(file["x"][:], verbose=0), "float32")
        difference = np.abs(found - file["y"][:]).max()
    # Products of 16 bits are rounded at other places.
    limit = 2e-2 if path.stem == "mixed" or path.stem == "nested" else 1e-5
    policies = {layer.path: layer.quantization_mode for layer in model._flatten_layers() if layer.quantization_mode}
    print(path.name, difference, policies)
    failed |= not difference < limit or (path.stem != "mixed" and not policies)
sys.exit(failed)
