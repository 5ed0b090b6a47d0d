"""Records what Keras's GRU, SimpleRNN, EinsumDense and MultiHeadAttention compute, for tests/layers.

Run with Keras 3.15 on the JAX backend:
KERAS_BACKEND=jax python rnn_attention_goldens.py tests/data/rnn_attention.json
The cases are those of layer_goldens.py; with "arguments" for the further arguments of a call by name, and without the
dtype where it is float32. A second list holds Einstein sums.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import jax
import keras
import numpy as np
from keras import layers as L

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from layer_goldens import array, normal, random


def slim(layer):
    """The layer's config without what is the same in all cases, for a small file."""
    endings = ("initializer", "regularizer", "constraint", "dtype", "name", "trainable")
    config = {k: v for k, v in layer["config"].items() if not k.endswith(endings) and v not in (None, 0.0)}
    config |= {k: layer["config"][k] for k in ("use_bias", "reset_after") if k in layer["config"]}
    return {"module": layer["module"], "class_name": layer["class_name"], "config": config}


def record(name, layer, inputs, masks=None, training=None, **arguments):
    shapes = [x.shape for x in inputs]
    if isinstance(layer, L.MultiHeadAttention):
        layer.build(*shapes)
    else:
        layer.build(shapes[0])
    layer.built = True
    for w in layer.weights:
        w.assign((random.normal(size=w.shape) * 0.5).round(2))
    trainable = [w.value for w in layer.trainable_variables]
    fixed = [w.value for w in layer.non_trainable_variables]
    # Arguments of the call by place: the first input, and for attention all.
    cotangents, outs = [], []

    def run(trainable, floats):
        for x, m in zip(floats, masks or []):
            if m is not None:
                keras.src.backend.set_keras_mask(x, m)
        call = dict(arguments)
        if training is not None:
            call["training"] = training
        out, _ = layer.stateless_call(trainable, fixed, *floats, **call)
        outs[:] = keras.tree.flatten(out)
        if not cotangents:
            cotangents.extend(normal(*o.shape) for o in outs)
        return sum((o * c).sum() for o, c in zip(outs, cotangents))

    inputs = [jax.numpy.asarray(x) for x in inputs]
    run(trainable, inputs)
    outputs = [array(o) for o in outs]
    g_weights, g_inputs = jax.grad(run, argnums=(0, 1))(trainable, inputs)
    config = slim(keras.saving.serialize_keras_object(layer))
    if isinstance(layer, L.SimpleRNN):  # Keras's own config lacks it
        config["config"]["seed"] = layer.cell.seed

    def argument(v):
        if isinstance(v, (bool, int, float)):
            return v
        return [array(t) for t in v] if isinstance(v, list) else array(v)

    case = {
        "name": name,
        "layer": config,
        "inputs": [array(x) for x in inputs],
        "outputs": outputs,
        "cotangents": [array(c) for c in cotangents],
        "weights": [array(w) for w in trainable],
        "weight_gradients": [array(g) for g in g_weights],
        "input_gradients": [array(g) for g in g_inputs],
        "arguments": {k: argument(v) for k, v in arguments.items()},
    }
    if training is not None:
        case["training"] = training
    if masks:
        case["masks"] = [None if m is None else array(m) for m in masks]
    return case


def recurrent_cases():
    x = normal(2, 4, 3)
    steps = np.array([[0, 1, 1, 0], [1, 0, 1, 1]], bool)
    state = [normal(2, 2)]
    for kind in (L.GRU, L.SimpleRNN):
        name = kind.__name__
        yield record(name, kind(3), [x])
        yield record(f"{name} sequences", kind(2, return_sequences=True, return_state=True), [x])
        yield record(f"{name} backwards", kind(2, return_sequences=True, go_backwards=True, use_bias=False), [x])
        yield record(f"{name} mask", kind(2, return_sequences=True, return_state=True), [x], mask=steps)
        yield record(f"{name} mask zero", kind(2, return_sequences=True, zero_output_for_mask=True), [x], mask=steps)
        yield record(f"{name} mask backwards", kind(2, return_sequences=True, go_backwards=True), [x], mask=steps)
        yield record(f"{name} unroll mask", kind(2, return_sequences=True, unroll=True), [x], mask=steps,
                     initial_state=state)
        yield record(f"{name} activation", kind(2, activation="relu"), [x])
        yield record(f"{name} dropout", kind(2, dropout=0.4, seed=5), [x], training=True)
        yield record(f"{name} recurrent dropout", kind(2, dropout=0.3, recurrent_dropout=0.4, seed=6), [x],
                     training=True)
    yield record("GRU reset before", L.GRU(2, reset_after=False), [x], mask=steps)
    yield record("GRU reset before, dropout",
                 L.GRU(2, reset_after=False, recurrent_dropout=0.3, recurrent_activation="hard_sigmoid", seed=2), [x],
                 training=True)
    yield record("GRU cell", L.GRUCell(2), [x[:, 0]], states=state)
    yield record("SimpleRNN cell", L.SimpleRNNCell(2), [x[:, 0]], states=state)


def einsum_dense_cases():
    x = normal(2, 3, 4)
    yield record("einsum dense", L.EinsumDense("abc,cd->abd", (None, 5), bias_axes="d", activation="tanh"), [x])
    yield record("einsum dense middle", L.EinsumDense("abc,bd->adc", (2, 4), bias_axes="d"), [x])
    yield record("einsum dense heads", L.EinsumDense("btd,dhk->bthk", (3, 2, 3), bias_axes="hk"), [x])
    yield record("einsum dense join", L.EinsumDense("abcd,cde->abe", (None, 3), bias_axes="e"), [normal(2, 2, 2, 3)])
    yield record("einsum dense bias", L.EinsumDense("abc,cd->abd", (3, 2), bias_axes="b"), [x])
    yield record("einsum dense left dots", L.EinsumDense("...x,xy->...y", 3, bias_axes="y"), [x])
    yield record("einsum dense right dots", L.EinsumDense("ab...,bc->ac...", 2, bias_axes="c"), [x])
    yield record("einsum dense no bias", L.EinsumDense("abc,cd->adb", (2, 3)), [x])


def attention_cases():
    q, v, k = normal(2, 3, 3), normal(2, 4, 2), normal(2, 4, 3)
    q_steps = np.array([[1, 1, 0], [0, 1, 1]], bool)
    v_steps = np.array([[1, 0, 1, 1], [1, 1, 0, 0]], bool)
    seen = random.integers(0, 2, size=(2, 3, 4)).astype(bool)
    seen[0, 0] = False

    def attention(**options):
        return L.MultiHeadAttention(**{"num_heads": 2, "key_dim": 2, **options})

    yield record("attention", attention(), [q, v])
    # With scores, as JAX's own attention takes no values of another size than the keys.
    yield record("attention key", attention(value_dim=3, use_bias=False), [q, v, k], return_attention_scores=True)
    yield record("attention scores", attention(), [q, v], return_attention_scores=True)
    yield record("attention causal", attention(), [q, v], use_causal_mask=True)
    yield record("attention causal scores", attention(), [q, v], use_causal_mask=True, return_attention_scores=True)
    yield record("attention mask", attention(), [q, v], attention_mask=seen)
    yield record("attention mask scores", attention(), [q, v], attention_mask=seen, return_attention_scores=True)
    heads = random.integers(0, 2, size=(2, 2, 3, 4)).astype(bool)
    yield record("attention mask of heads", attention(), [q, v], attention_mask=heads)
    yield record("attention masks", attention(), [q, v], masks=[q_steps, None], value_mask=v_steps)
    yield record("attention masks scores", attention(), [q, v, k], masks=[q_steps, None, None], value_mask=v_steps,
                 attention_mask=seen, use_causal_mask=True, return_attention_scores=True)
    yield record("attention window causal", attention(sliding_window=2), [q, v], use_causal_mask=True)
    yield record("attention gate", attention(use_gate=True), [q, v])
    yield record("attention output", attention(output_shape=(2, 3)), [q, v])
    yield record("attention dropout", attention(dropout=0.4, seed=3), [q, v], training=True,
                 return_attention_scores=True)
    yield record("attention dropout inference", attention(dropout=0.4, seed=3), [q, v], use_causal_mask=True)
    plane = normal(1, 2, 3, 2)
    yield record("attention plane", attention(num_heads=1), [plane, plane])
    yield record("attention axis", attention(attention_axes=2), [plane, normal(1, 2, 4, 2)],
                 return_attention_scores=True)


def sums():
    sizes = dict(zip("abcdefi", (2, 3, 2, 2, 3, 2, 3)))
    for text in ("ab,bc->ac", "ab,cb->ac", "ab,bc->ca", "ab->ba", "ab->", "ab,ab->", "ab,ab->ab", "a,b->ab", "abc->b",
                 "abc,abd->acd", "abc,bad->abcd", "aecd,abcd->acbe", "abc,cd,de->abe", "ii->i", "ii", "aii,i->a",
                 "ba", "ab,bc", "...b,bc->...c", "a...,ac->c...", "...a,...a->...", "ab...->...a"):
        parts = text.split("->")[0].split(",")
        operands = [normal(*[n for c in p.replace("...", "ef") for n in [sizes[c]]]) for p in parts]
        yield {"subscripts": text, "operands": [array(o) for o in operands],
               "output": array(keras.ops.einsum(text, *operands))}


if __name__ == "__main__":
    cases = [*recurrent_cases(), *einsum_dense_cases(), *attention_cases()]

    def rounded(v):
        if isinstance(v, dict):
            return {k: rounded(e) for k, e in v.items() if (k, e) != ("dtype", "float32")}
        if isinstance(v, list):
            return [rounded(e) for e in v]
        return float(f"{v:.5g}") if isinstance(v, float) else v

    with open(sys.argv[1], "w") as f:
        lines = [json.dumps(rounded(c), separators=(",", ":")) for c in cases]
        f.write('{"layers":[\n' + ",\n".join(lines) + "\n],\n")
        lines = [json.dumps(rounded(c), separators=(",", ":")) for c in sums()]
        f.write('"einsum":[\n' + ",\n".join(lines) + "\n]}\n")
