"""Records what Keras makes of quantized and LoRA layers, for tests/layers/core/quantized_test.cpp.

Run with Keras 3.15 on the JAX backend: KERAS_BACKEND=jax python quantization_goldens.py tests/data/quantization.json
Each case holds a layer of floats with its weights, what is done to it (LoRA, then quantization), and of the layer
then: its config, weights, output, the gradients of sum(output * cotangent), and the variables that a file gets.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import jax
import keras
import numpy as np
from keras import layers as L
from keras import quantizers as Q

random = np.random.default_rng(11)


def array(a):
    a = np.asarray(a)
    values = a.ravel().tolist()
    if a.dtype.kind == "f":
        values = [float(f"{v:.7g}") for v in values]
    return {"shape": list(a.shape), "dtype": str(a.dtype), "values": values}


def normal(*shape):
    return (random.normal(size=shape) * 0.5).round(2).astype("float32")


def record(name, layer, x, quantize=None, lora=None, training=False, reverse=False):
    layer.build(x.shape if not isinstance(layer, L.Embedding) else None)
    for w in layer.weights:
        w.assign(normal(*w.shape))
    case = {"name": name, "layer": keras.saving.serialize_keras_object(layer), "lora": lora, "training": training,
            "reverse": reverse, "x": array(x), "before": [array(w) for w in layer.weights]}
    case["layer"].pop("build_config", None)
    if lora:
        layer.enable_lora(lora["rank"], lora_alpha=lora["alpha"])
        for w in layer.weights:
            if "lora" in w.path:
                w.assign(normal(*w.shape))
        case["lora_values"] = [array(w) for w in layer.weights if "lora" in w.path]
    case["quantize"] = None if quantize is None else keras.saving.serialize_keras_object(quantize)
    if quantize is not None:
        layer.quantize(config=quantize)
    if getattr(layer, "inputs_amax_history", None) is not None:
        for w in layer.weights:  # as after some steps
            if "amax" in w.path:
                w.assign(np.abs(normal(*w.shape)) * 4)
            elif "scale" in w.path:
                w.assign(np.float32(0.0137))
    case["config"] = layer.get_config()
    case["weights"] = [array(w) for w in layer.weights]
    case["paths"] = [w.path for w in layer.weights]
    trainable = [w.value for w in layer.trainable_variables]
    fixed = [w.value for w in layer.non_trainable_variables]
    kwargs = {"reverse": True} if reverse else {}
    if isinstance(layer, (L.Dense, L.EinsumDense)):
        kwargs["training"] = training
    out, _ = layer.stateless_call(trainable, fixed, x, **kwargs)
    cotangent = normal(*out.shape)

    def loss(trainable, x):
        return (layer.stateless_call(trainable, fixed, x, **kwargs)[0] * cotangent).sum()

    case["output"] = array(out)
    case["cotangent"] = array(cotangent)
    case["weight_gradients"] = [array(g) for g in jax.grad(loss)(trainable, x)]
    floats = x.dtype.kind == "f"
    case["input_gradient"] = array(jax.grad(loss, argnums=1)(trainable, x)) if floats else None
    store = {}
    layer.save_own_variables(store)
    case["stored"] = [array(store[str(i)]) for i in range(len(store))]
    cases.append(case)


cases = []
int8, int8_weights = Q.Int8QuantizationConfig(), Q.Int8QuantizationConfig(activation_quantizer=None)
int4, blocks = Q.Int4QuantizationConfig(block_size=None), Q.Int4QuantizationConfig(block_size=4)
int4_inputs = Q.Int4QuantizationConfig(
    activation_quantizer=Q.AbsMaxQuantizer(value_range=(-127, 127)), block_size=-1)
lora = {"rank": 2, "alpha": 3.0}
modes = {"int8": int8, "int8_weights": int8_weights, "int4": int4, "int4_blocks": blocks,
         "int4_inputs": int4_inputs, "float": None}
for key, config in modes.items():
    for update in (None, lora):
        if config is None and update is None:
            continue
        tag = key + ("_lora" if update else "")
        record(f"dense_{tag}", L.Dense(5, activation="tanh"), normal(3, 2, 6), config, update)
        record(f"einsum_{tag}", L.EinsumDense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="de"),
               normal(2, 3, 6), config, update)
        if key in ("int8", "int4", "int4_blocks", "float"):
            ids = random.integers(0, 7, size=(2, 3)).astype("int32")
            record(f"embedding_{tag}", L.Embedding(7, 6), ids, config, update)
            if not update:
                for tie in (True, False):
                    record(f"reversible_{tag}_{tie}", L.ReversibleEmbedding(7, 6, tie_weights=tie, logit_soft_cap=2.0),
                           normal(2, 6), config, None, reverse=True)
record("einsum_two_summed_int8", L.EinsumDense("abcd,cde->abe", output_shape=(None, 4)), normal(2, 3, 2, 3), int8)
record("einsum_two_summed_int4", L.EinsumDense("abcd,cde->abe", output_shape=(None, 4)), normal(2, 3, 2, 3), blocks)
record("conv_lora", L.Conv2D(4, 2, groups=2), normal(2, 4, 4, 4), None, lora)
for training in (False, True):
    policy = keras.dtype_policies.QuantizedFloat8DTypePolicy("float8", "float32", amax_history_length=4)
    record(f"dense_float8_{training}", L.Dense(5, dtype=policy), normal(3, 6), training=training)
    record(f"einsum_float8_{training}", L.EinsumDense("ab,bc->ac", output_shape=4, bias_axes="c", dtype=policy),
           normal(3, 6), training=training)
with open(sys.argv[1], "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
