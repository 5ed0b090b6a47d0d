"""What the scripts of ops' goldens share: calling ops of Keras on the JAX backend, and writing down what they give.

A case is {op: "numpy.Add", a: arguments, k: named arguments, r: results}; a result is [dtype, shape, values]; an
argument {"@": n} is entry n of "inputs", and the file of all of them is read by tests/framework/ops/op_goldens.cpp.
"""

import json
import math
import os

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import keras
import numpy as np
from keras import ops
from keras.src.backend.common import dtypes
from keras.src.utils.naming import to_snake_case

dtypes.BIT64_TO_BIT32_DTYPE.clear()
NAMES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16",
         "float32", "float64"]
WIDE = {"int64", "uint64", "float64"}
# Functions that are not named as their classes.
FUNCTIONS = {"BatchNorm": "batch_normalization", "LayerNorm": "layer_normalization", "RMSNorm": "rms_normalization"}
inputs = []
sections = {}
skipped = []


class T:
    """A tensor argument; `index` is its place in the file."""

    def __init__(self, dtype, values, shape=None):
        with jax.enable_x64(True):
            array = np.asarray(values, np.float64 if "float" in dtype else None)
            self.array = np.asarray(jnp.asarray(array).astype(dtype))
        if shape is not None:
            self.array = self.array.reshape(shape)
        self.dtype = dtype
        packed = pack(self.array)
        if packed not in inputs:
            inputs.append(packed)
        self.index = inputs.index(packed)


def number(v, digits):
    if isinstance(v, (bool, np.bool_)):
        return int(v)
    if isinstance(v, (int, np.integer)):
        return int(v)
    v = float(v)
    if math.isnan(v) or math.isinf(v):
        return str(v)
    v = float(f"{v:.{digits}g}")
    whole = v == int(v) and abs(v) < 1e15
    return int(v) if whole and (v != 0 or math.copysign(1, v) > 0) else v


def pack(x):
    x = np.asarray(x)
    digits = {"float64": 13, "float32": 8}.get(x.dtype.name, 5)
    values = x.astype(np.float64) if x.dtype.name in ("bfloat16", "float16", "float32") else x
    return [x.dtype.name, list(x.shape), [number(v, digits) for v in values.reshape(-1).tolist()]]


def walk(a, tensor):
    if isinstance(a, T):
        return tensor(a)
    if isinstance(a, list):
        return [walk(e, tensor) for e in a]
    if isinstance(a, tuple):
        return tuple(walk(e, tensor) for e in a)
    return a


def encode(a):
    if isinstance(a, T):
        return {"@": a.index}
    if isinstance(a, (list, tuple)):
        return [encode(e) for e in a]
    if isinstance(a, slice):
        return {"slice": [a.start, a.stop, a.step]}
    if a is Ellipsis:
        return {"ellipsis": True}
    if isinstance(a, float) and not math.isfinite(a):
        return {"number": str(a)}
    return a


def given(a):
    """The dtypes among arguments."""
    if isinstance(a, T):
        return {a.dtype}
    if isinstance(a, (list, tuple)):
        return set().union(*map(given, a))
    return {a} if isinstance(a, str) else set()


def add(op, *args, **named):
    """A case of the current section; what Keras refuses is left out."""
    module, class_name = op.split(".")
    name = FUNCTIONS.get(class_name) or to_snake_case(class_name)
    places = [ops, getattr(ops, module, ops)]
    function = next(getattr(place, n) for n in (name, name.replace("_", "")) for place in places if hasattr(place, n))
    wide = bool(WIDE & given(args))
    try:
        with jax.enable_x64(wide):
            result = function(*[walk(a, lambda t: jnp.asarray(t.array)) for a in args], **named)
    except Exception as e:
        skipped.append((op, args[0].dtype if isinstance(args[0], T) else "", type(e).__name__))
        return
    results = result if isinstance(result, (list, tuple)) else [result]
    if wide and (WIDE & {r.dtype.name for r in results}) - given(args):
        skipped.append((op, "", "JAX widens this by itself in its 64-bit mode, Keras does not ask it to"))
        return
    case = {"op": op, "a": [encode(a) for a in args], "r": [pack(r) for r in results]}
    if named:
        case["k"] = {k: encode(v) for k, v in named.items()}
    section.append(case)


def begin(name):
    global section
    section = sections.setdefault(name, [])


def write(output, parts=(), names=None):
    """The file: `parts` (texts of entries), the inputs, and the sections, all or those of `names`."""
    chosen = {name: sections[name] for name in names or sections}
    places = {}

    def place(a):
        if isinstance(a, dict) and "@" in a:
            return {"@": places.setdefault(a["@"], len(places))}
        return [place(e) for e in a] if isinstance(a, list) else a

    if names:
        chosen = {name: [{**case, "a": place(case["a"])} for case in cases] for name, cases in chosen.items()}
    else:
        places = {i: i for i in range(len(inputs))}

    def lines(values):
        return ",\n".join(json.dumps(v, separators=(",", ":")) for v in values)

    entries = [f'"versions": {{"keras": "{keras.__version__}", "jax": "{jax.__version__}"}}', *parts,
               f'"inputs": [\n{lines(inputs[i] for i in places)}\n]']
    entries += [f'"{name}": [\n{lines(cases)}\n]' for name, cases in chosen.items()]
    output.write_text("{\n" + ",\n".join(entries) + "\n}\n")
    print({name: len(cases) for name, cases in chosen.items()}, output.stat().st_size, "bytes")
    for refusal in sorted(set(map(str, skipped))):
        print("left out:", refusal)
