// The Python side of the command parity.
#include "parity_script.h"

namespace cornu::cli {

const char* const parity_script = R"python(
import importlib.util
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
if "KERAS_BACKEND" not in os.environ:
    for backend, module in (("jax", "jax"), ("tensorflow", "tensorflow"), ("torch", "torch")):
        if importlib.util.find_spec(module):
            os.environ["KERAS_BACKEND"] = backend
            break
try:
    import keras
    import numpy as np
except Exception as e:
    print(f"Keras cannot be imported: {type(e).__name__}: {e}")
    sys.exit(3)

folder, path = sys.argv[1], sys.argv[2]
records, arrays, stack, counts = [], {}, [], {}


def as_array(x):
    x = keras.ops.convert_to_numpy(x)
    return x.astype("float32") if x.dtype.name in ("bfloat16", "float16") else x


def record(layer, outputs):
    name = "/".join(stack[1:]) or layer.name
    counts[name] = counts.get(name, 0) + 1
    if counts[name] > 1:
        name += f"#{counts[name]}"
    flat = [x for x in keras.tree.flatten(outputs) if x is not None]
    for i, x in enumerate(flat):
        arrays[f"{len(records)}_{i}"] = as_array(x)
    records.append({"path": name, "class_name": type(layer).__name__, "outputs": len(flat)})


call = keras.layers.Layer.__call__
inside = []


def recorded_call(self, *args, **kwargs):
    if any(not isinstance(layer, keras.Model) for layer in inside):
        return call(self, *args, **kwargs)
    inside.append(self)
    stack.append(self.name)
    try:
        outputs = call(self, *args, **kwargs)
        record(self, outputs)
        return outputs
    finally:
        inside.pop()
        stack.pop()


def build(structure, inputs):
    if isinstance(structure, int):
        return inputs[str(structure)]
    if isinstance(structure, list):
        return [build(item, inputs) for item in structure]
    return {key: build(item, inputs) for key, item in structure.items()}


model = keras.saving.load_model(path, compile=False)
with open(os.path.join(folder, "structure.json"), encoding="utf-8") as text:
    structure = json.load(text)
x = build(structure, np.load(os.path.join(folder, "inputs.npz")))
keras.layers.Layer.__call__ = recorded_call
model(x, training=False)
keras.layers.Layer.__call__ = call
np.savez(os.path.join(folder, "outputs.npz"), **arrays)
with open(os.path.join(folder, "layers.json"), "w", encoding="utf-8") as text:
    json.dump({"keras": keras.__version__, "backend": keras.backend.backend(), "layers": records}, text)
)python";

}  // namespace cornu::cli
