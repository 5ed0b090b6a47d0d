"""Writes what Keras makes of kernels and models by GPTQ and AWQ, for tests/layers/core/calibrated_test.cpp and
tests/framework/saving/calibrated_files_test.cpp.

Run with Keras 3.15 on the JAX backend, from the repository's root:
    KERAS_BACKEND=jax python tools/goldens/calibrated_quantization_goldens.py
Writes tests/data/calibrated_quantization.json (layers with the inputs that calibrate them, and what becomes of their
weights and outputs) and tests/data/keras_calibrated.keras, keras_gptq.keras and keras_awq.keras: a model, and the same
quantized by the tokens in the JSON file, with its predictions there.
"""
import json
import os

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np
from keras import layers as L
from keras.quantizers import AWQConfig, GPTQConfig
from keras.src.quantizers import awq as awq_module
from keras.src.quantizers import gptq_core
from keras.src.quantizers import quantizers as quantizers_module
from keras.src.quantizers.awq import AWQ
from keras.src.quantizers.gptq import GPTQ

# Keras begins at a place that depends on the process's secret: here it is the first token.
gptq_core.hash = lambda _: 0
random = np.random.default_rng(5)
NO_DATA = {"dataset": None, "tokenizer": None}


def array(a):
    a = np.asarray(a)
    values = a.astype("float64").ravel().tolist()
    if a.dtype.kind == "f":
        values = [float(f"{v:.9g}") for v in values]
    return {"shape": list(a.shape), "dtype": str(a.dtype), "values": values}


def normal(*shape):
    # Of few digits, but not so few that quotients lie between two integers.
    return (random.normal(size=shape) * 0.5).round(4).astype("float32")


def kernel(*shape):
    """Weights of which neighbors have different signs: each group has both."""
    return np.abs(normal(*shape)) * (-1) ** np.indices(shape).sum(axis=0).astype("float32")


find_parameters = quantizers_module.compute_quantization_parameters


def checked_parameters(x, **options):
    """What Keras finds, unless a byte cannot hold the zero points: those it would let overflow."""
    scale, zero, most = find_parameters(x, **options)
    rows = np.asarray(x) if options["per_channel"] else np.asarray(x).reshape(1, -1)
    size = options["group_size"] if options["group_size"] > 0 else rows.shape[1]
    groups = [rows[:, i:i + size] for i in range(0, rows.shape[1], size)]
    assert options["symmetric"] or all(
        ((g.min(axis=1) <= 0) & (g.max(axis=1) >= 0) | (np.ptp(g, axis=1) == 0)).all() for g in groups), "another seed"
    return scale, zero, most


quantizers_module.compute_quantization_parameters = checked_parameters
awq_module.compute_quantization_parameters = checked_parameters


def record(name, layer, config, batches):
    layer.build(batches[0].shape)
    for w in layer.weights:
        values = kernel(*w.shape)
        if getattr(config, "symmetric", False):
            # The most negative weight of a symmetric range lies between two integers: it is no negative one.
            values = np.where(values < 0, values / 8, values + 0.5)
        w.assign(values)
    case = {"name": name, "layer": keras.saving.serialize_keras_object(layer), "batches": [array(b) for b in batches],
            "config": keras.saving.serialize_keras_object(config), "before": [array(w) for w in layer.weights]}
    case["layer"].pop("build_config", None)
    statistics = (GPTQ if config.mode == "gptq" else AWQ)(layer, config)
    for batch in batches:
        x = batch.reshape(-1, statistics.rows)
        if config.mode == "gptq":
            statistics.update_hessian_with_batch(x)
        else:
            statistics.update_activation_magnitudes(x)
    layer.quantize(config.mode, config=config)
    if config.mode == "gptq":
        statistics.quantize_and_correct_layer()
    else:
        statistics.quantize_layer()
    case["after"] = layer.get_config()
    case["weights"] = [array(w) for w in layer.weights]
    case["paths"] = [w.path for w in layer.weights]
    case["output"] = array(layer(batches[0]))
    store = {}
    layer.save_own_variables(store)
    case["stored"] = [array(store[str(i)]) for i in range(len(store))]
    cases.append(case)


def gptq(**options):
    return GPTQConfig(**NO_DATA, **options)


def awq(**options):
    return AWQConfig(**NO_DATA, **options)


cases = []
for bits in (2, 3, 4, 8):
    for symmetric in (False, True):
        record(f"dense_{bits}_{symmetric}", L.Dense(5), gptq(weight_bits=bits, group_size=4, symmetric=symmetric),
               [normal(6, 10), normal(3, 10)])
record("dense_whole", L.Dense(4, activation="tanh", use_bias=False), gptq(group_size=-1), [normal(12, 6)])
record("dense_order", L.Dense(5), gptq(group_size=3, activation_order=True), [normal(12, 10) * np.arange(1, 11)])
record("dense_tensor", L.Dense(5), gptq(group_size=-1, per_channel=False, hessian_damping=0.1), [normal(2, 3, 6)])
record("dense_dead", L.Dense(3), gptq(group_size=-1), [normal(8, 5) * np.array([1, 0, 1, 1, 0], "float32")])
record("dense_long", L.Dense(3), gptq(group_size=64), [normal(40, 160)])
record("einsum", L.EinsumDense("ab,bc->ac", output_shape=5, bias_axes="c"), gptq(group_size=4), [normal(6, 7)])
record("einsum_heads", L.EinsumDense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="de"),
       gptq(weight_bits=8, group_size=-1), [normal(2, 3, 6)])
record("einsum_output", L.EinsumDense("abcd,cde->abe", output_shape=(None, 7), bias_axes="e"),
       gptq(weight_bits=4, group_size=2), [normal(2, 3, 2, 3)])
for size in (-1, 3, 4, 16):
    record(f"awq_dense_{size}", L.Dense(5), awq(group_size=size), [normal(6, 10) * np.arange(1, 11), normal(3, 10)])
record("awq_dense_dead", L.Dense(4), awq(group_size=-1, num_grid_points=7),
       [normal(8, 5) * np.array([1, 0, 1, 9, 0], "float32")])
record("awq_einsum_heads", L.EinsumDense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="de"),
       awq(group_size=2), [normal(2, 3, 6) * 3])
record("awq_einsum_output", L.EinsumDense("abcd,cde->abe", output_shape=(None, 7)), awq(group_size=-1),
       [normal(2, 3, 2, 3)])

keras.utils.set_random_seed(3)
FOLDER = "tests/data/"


def make_model():
    x = keras.Input((6,), dtype="int32", name="tokens")
    embedding = L.Embedding(12, 8, name="embedding")
    first = keras.Sequential([L.Dense(12, activation="relu", name="up"), L.Dense(8, name="down")], name="first")
    second = keras.Sequential([
        L.EinsumDense("abc,cde->abde", output_shape=(None, 2, 4), name="split"),
        L.EinsumDense("abcd,cde->abe", output_shape=(None, 8), bias_axes="e", name="join")], name="second")
    model = keras.Model(x, L.Dense(3, name="head")(second(first(embedding(x)))), name="blocks")
    model.get_quantization_layer_structure = lambda mode: {"pre_block_layers": [embedding],
                                                           "sequential_blocks": [first, second]}
    return model


tokens = random.integers(0, 12, size=(8, 6)).astype("int32")
model = make_model()
values = [kernel(*w.shape) for w in model.weights]
model.set_weights(values)
model.save(FOLDER + "keras_calibrated.keras")
models = {"tokens": array(tokens), "output": array(model.predict(tokens, verbose=0))}
data = {"dataset": [tokens.ravel()], "tokenizer": lambda x: x, "num_samples": 6, "sequence_length": 5, "group_size": 4}
for config in (GPTQConfig(**data), AWQConfig(**data)):
    model = make_model()
    model.set_weights(values)
    # Without the filter Keras writes the head's kernel, which no block has, as zeros.
    model.quantize(config.mode, config=config, filters="up|down|split|join")
    model.save(FOLDER + f"keras_{config.mode}.keras")
    models[config.mode] = {"output": array(model.predict(tokens, verbose=0)),
                           "weights": [array(w) for w in model.weights], "paths": [w.path for w in model.weights]}
with open(FOLDER + "calibrated_quantization.json", "w") as f:
    f.write('{"models": ' + json.dumps(models) + ',\n"layers": [\n' +
            ",\n".join(json.dumps(c) for c in cases) + "\n]}\n")
