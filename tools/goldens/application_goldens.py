"""Names and shapes of the networks of keras.applications, as hashes: tests/data/applications.json.

    KERAS_BACKEND=jax python tools/goldens/application_goldens.py tests/data/applications.json [FOLDER]

For each network with weights=None: the numbers of layers, weights and parameters, and the FNV-1a hashes of the lists of
layers ("class_name name < inputs") and weights ("layer/name (shape)"), a line each. With FOLDER the lists themselves are written
there, to look at where hashes differ: tests/applications/networks_test.cpp writes its own with CORNU_WRITE_NETWORKS.
"""
import json
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
from keras import applications
from keras.src.utils.naming import to_snake_case

from application_cases import CASES


class NoValues(keras.initializers.Initializer):
    """Zeros instead of draws: only shapes count."""

    def __call__(self, shape, dtype=None):
        return keras.ops.zeros(shape, dtype)


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def inputs_of(layer):
    """The names of the layers and operations before this one, in order."""
    return [
        tensor._keras_history.operation.name
        for node in layer._inbound_nodes[:1]
        for tensor in node.input_tensors
    ]


def name_of(weight):
    """Layer and weight, without the scopes of NASNet. LayerScale's weight has no name in Keras, which numbers it."""
    layer, name = weight.path.split("/")[-2:]
    return f"{layer}/{'gamma' if name.startswith('variable') else name}"


def describe(model):
    layers = [" ".join([to_snake_case(type(layer).__name__), layer.name, "<", *inputs_of(layer)]) for layer in model.layers]
    weights = [f"{name_of(weight)} ({', '.join(map(str, weight.shape))})" for weight in model.weights]
    return layers, weights


def main(target, folder=None):
    for name in ("GlorotUniform", "VarianceScaling", "HeNormal"):
        getattr(keras.initializers, name).__call__ = NoValues.__call__
    entries = {}
    for case, (function, arguments) in CASES.items():
        keras.backend.clear_session()
        model = getattr(applications, function)(weights=None, **arguments)
        layers, weights = describe(model)
        entries[case] = {
            "name": model.name,
            "layers": len(layers),
            "weights": len(weights),
            "parameters": model.count_params(),
            "output": list(model.output_shape),
            "layer_hash": fnv1a("\n".join(layers)),
            "weight_hash": fnv1a("\n".join(weights)),
        }
        if folder:
            pathlib.Path(folder, f"{case}.txt").write_text("\n".join([*layers, "", *weights, ""]))
        print(case, entries[case]["parameters"], flush=True)
    text = ",\n".join(f'  "{case}": {json.dumps(entry)}' for case, entry in entries.items())
    pathlib.Path(target).write_text("{\n" + text + "\n}\n")


main(*sys.argv[1:])
