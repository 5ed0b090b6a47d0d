"""Records what Keras's layers compute with options of all kinds, for tests/support/option_cases.cpp.

Used by the scripts option_*_goldens.py, with Keras 3.15 on the JAX backend. Inputs, weights and cotangents are made by
a rule that both sides know (`numbers`), so that a file holds only what Keras gives: outputs, their masks, losses, what
the call left in the weights, and the gradients of sum(output * cotangent) with respect to weights and inputs.
"""
import inspect
import json
import os
import re
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import jax
import keras
import numpy as np


def numbers(shape, salt, dtype="float32", below=2):
    """Numbers that the index and `salt` give: in [-1.98, 1.98] by steps of 0.02, or whole ones below `below`."""
    i = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    n = (i * 37 + salt * 101 + (i * i % 53) * 11) % 199
    if np.dtype(dtype).kind in "iub" and dtype != "bfloat16":
        return (n % below).astype(dtype)
    return ((n - 99) / 50).astype(np.float32).astype(dtype)


def spec(shape, salt=None, dtype="float32", below=None):
    """An input by its rule."""
    return {k: v for k, v in dict(shape=list(shape), salt=salt, dtype=dtype, below=below).items()
            if v is not None and (k, v) != ("dtype", "float32")}


def array(a):
    """What Keras gave."""
    a = np.asarray(a)
    dtype = str(a.dtype)
    values = a.astype("float64").ravel().tolist()
    if a.dtype.kind in "ib" and dtype != "bfloat16" or dtype == "uint8":
        values = [int(v) for v in values]
    else:
        values = [round(float(f"{v:.5g}"), 6) for v in values]
    result = {"shape": list(a.shape), "values": values}
    return result if dtype == "float32" else result | {"dtype": dtype}


def plain(value):
    """The part of a serialized object that its module needs to make it again."""
    if isinstance(value, dict) and "class_name" in value and "config" in value:
        return {k: plain(v) for k, v in value.items() if k not in ("registered_name", "build_config", "shared_object_id")}
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def slim(layer, serialized=None):
    """The serialized layer without the options that have their default."""
    serialized = serialized or keras.saving.serialize_keras_object(layer)
    defaults = {}
    for cls in type(layer).__mro__:
        for name, p in inspect.signature(cls.__init__).parameters.items():
            defaults.setdefault(name, p.default)
    kept = {}
    for key, value in serialized["config"].items():
        default = defaults.get(key, inspect.Parameter.empty)
        if key in ("name", "build_config") or (key, value) == ("trainable", True) or value is None and default in (
                None, inspect.Parameter.empty):
            continue
        if key == "dtype" and (value == "float32" or value["config"]["name"] == "float32"):
            continue
        if key.endswith("initializer") and isinstance(default, str):
            default = keras.saving.serialize_keras_object(keras.initializers.get(default))
        if value == default and type(value) is type(default):
            continue
        if isinstance(value, tuple) and isinstance(default, tuple) and value == default:
            continue
        inner = getattr(layer, key, None)
        if isinstance(inner, keras.Layer) and isinstance(value, dict):
            value = slim(inner, value)
        kept[key] = value
    if isinstance(layer, keras.layers.SimpleRNN) and layer.cell.seed is not None:
        kept["seed"] = layer.cell.seed  # Keras's own config lacks it
    return {"module": serialized["module"], "class_name": serialized["class_name"], "config": plain(kept)}


class Area:
    """The cases of one file."""

    def __init__(self):
        self.cases = []
        self.salt = 0

    def next(self):
        self.salt += 1
        return self.salt

    def record(self, name, layer, inputs, masks=None, training=None, calls=1, gradients=True, scale=0.25,
               own_weights=False, fixed_axes=False, one_policy=False, build=None, **arguments):
        """`inputs` are shapes or specs: one, or a list of such for a call on a list. `calls` are made one after the
        other, with what each leaves in the state; what the last gives is recorded. `scale` is that of the weights, which
        keep their first values with `own_weights`; `fixed_axes` says that weights or options need the sizes of other
        axes than that of the channels, `one_policy` that other dtypes give other numbers."""
        many = isinstance(inputs, list)
        specs = [s if isinstance(s, dict) else spec(s) for s in (inputs if many else [inputs])]
        specs = [s if "salt" in s else s | {"salt": self.next()} for s in specs]
        positional = many and isinstance(layer, (keras.layers.MultiHeadAttention, keras.layers.GroupQueryAttention))
        xs = [keras.ops.convert_to_tensor(numbers(s["shape"], s["salt"], s.get("dtype", "float32"), s.get("below", 2)))
              for s in specs]
        keys = ("float32", "float64", "bfloat16", "float16")
        is_float = [str(x.dtype) in keys for x in xs]
        call = {k: jax.numpy.asarray(v) if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
        call = {k: [jax.numpy.asarray(e) for e in v] if isinstance(v, list) else v for k, v in call.items()}
        if training is not None:
            call["training"] = training

        def with_masks(tensors):
            for x, m in zip(tensors, masks or []):
                if m is not None:
                    keras.src.backend.set_keras_mask(x, jax.numpy.asarray(m))
            return tensors if positional else [tensors] if many else [tensors[0]]

        if build:
            build(layer)
        elif not layer.built:
            layer(*with_masks([x + 0 if f else x for x, f in zip(xs, is_float)]), **call)
        salt = self.next()
        for k, w in enumerate([] if own_weights else layer.weights):
            value = numbers(w.shape, salt + k).astype("float64") * scale
            if "variance" in w.path or "stddev" in w.path:
                value = np.abs(value) + 0.5
            w.assign(value.astype("float32"))
        self.salt += len(layer.weights)
        for generator in seed_generators(layer):
            generator.state.assign([generator._initial_seed or 0, 0])  # the call that built may have drawn
        for part in layer._flatten_layers(include_self=True, recursive=True):
            if getattr(part, "stateful", False) and hasattr(part, "reset_state"):
                part.reset_state()
        trainable = [w.value for w in layer.trainable_variables]
        fixed = [w.value for w in layer.non_trainable_variables]
        kept = {}
        cotangent_salt = self.next()

        def run(trainable, floats, fixed):
            full, k = [], 0
            for x, f in zip(xs, is_float):
                full.append(floats[k] if f else x)
                k += f
            out, after, losses = stateless(layer, trainable, fixed, with_masks(full), call)
            outs = keras.tree.flatten(out)
            kept.update(outs=outs, after=after, losses=losses)
            total = 0.0
            for i, o in enumerate(outs):
                c = jax.numpy.asarray(numbers(o.shape, cotangent_salt + i))
                total = total + (o.astype(c.dtype if o.dtype != "float64" else "float64") * c).sum()
            return total + sum(losses)

        floats = [x for x, f in zip(xs, is_float) if f]
        for _ in range(calls - 1):
            run(trainable, floats, fixed)
            fixed = kept["after"]
        run(trainable, [x + 0 for x in floats], fixed)
        outs, after, losses = kept["outs"], kept["after"], kept["losses"]
        self.salt += len(outs)
        case = {
            "name": name,
            "layer": slim(layer),
            "inputs": specs,
            "weights": salt,
            "cotangents": cotangent_salt,
            "outputs": [array(o) for o in outs],
        }
        if any(getattr(part, "stateful", False) for part in layer._flatten_layers()):
            case["fixed_batch"] = True
        if one_policy:
            case["one_policy"] = True
        if own_weights:
            case["own_weights"] = True
        if scale != 0.25:
            case["scale"] = scale
        if not many:
            case["single"] = True
        out_masks = [keras.src.backend.get_keras_mask(o) for o in outs]
        if any(m is not None for m in out_masks):
            case["output_masks"] = [None if m is None else array(m) for m in out_masks]
        if losses:
            case["losses"] = [array(l) for l in losses]
        weights = {id(w) for w in layer.weights}
        state = [array(v) for w, v in zip(layer.non_trainable_variables, after)
                 if id(w) in weights and "seed" not in w.path]
        if state:
            case["state_after"] = state
        if gradients:
            g_weights, g_inputs = jax.grad(run, argnums=(0, 1))(trainable, floats, fixed)
            case["weight_gradients"] = [array(g) for g in g_weights]
            case["input_gradients"] = [array(g) for g in g_inputs]
        if "Bidirectional" not in name:  # whose layers have names of their own in a config
            case["paths"] = [re.sub(r"_[0-9]+(?=/)", "", w.path) for w in layer.weights]
        if not arguments and not masks and len(specs[0]["shape"]) > 2 and not fixed_axes:
            shape = unknown_axes(layer, specs, positional, many)
            if shape:
                case["unknown_axes"] = shape
        if training is not None:
            case["training"] = training
        if calls > 1:
            case["calls"] = calls
        if masks:
            case["masks"] = [None if m is None else array(m) for m in masks]
        if arguments:
            case["arguments"] = {k: argument(v) for k, v in arguments.items()}
        self.cases.append(case)
        return layer

    def write(self, folder, files):
        """Writes option_<file>.json for each entry of `files`: the beginnings of its cases' names."""
        for file, beginnings in files.items():
            cases = [c for c in self.cases if c["name"].startswith(beginnings)]
            lines = [json.dumps(c, separators=(",", ":")) for c in cases]
            path = os.path.join(folder, f"option_{file}.json")
            with open(path, "w") as f:
                f.write("[\n" + ",\n".join(lines) + "\n]\n")
            print(path, len(cases), "cases,", os.path.getsize(path), "bytes", file=sys.stderr)
        every = tuple(b for beginnings in files.values() for b in beginnings)
        assert all(c["name"].startswith(every) for c in self.cases)


def stateless(layer, trainable, fixed, inputs, call):
    """As stateless_call, but through __call__, which casts, hands on masks and regularizes."""
    mapping = [*zip(layer.trainable_variables, trainable), *zip(layer.non_trainable_variables, fixed)]
    with keras.StatelessScope(state_mapping=mapping, collect_losses=True) as scope:
        out = layer(*inputs, **call)
        losses = layer.losses
    after = [scope.get_current_value(v) for v in layer.non_trainable_variables]
    return out, [v if new is None else new for v, new in zip(fixed, after)], losses


def unknown_axes(layer, specs, positional, many):
    """The shape that Keras infers where all axes but that of the channels are unknown; None where it does not."""
    kept = 1 if getattr(layer, "data_format", None) == "channels_first" else -1
    try:
        inputs = [keras.KerasTensor([n if i == kept % len(s["shape"]) else None for i, n in enumerate(s["shape"])],
                                    s.get("dtype", "float32")) for s in specs]
        out = layer(*(inputs if positional else [inputs] if many else inputs))
    except Exception:
        return None
    return [-1 if n is None else n for n in keras.tree.flatten(out)[0].shape]


def seed_generators(layer):
    found = []
    for l in layer._flatten_layers(include_self=True, recursive=True):
        found.extend(l._seed_generators)
    return found


def argument(v):
    if v is None or isinstance(v, (bool, int, float)):
        return v
    return [array(t) for t in v] if isinstance(v, list) else array(v)
