"""Attention with options of all kinds, for tests/layers/attention/attention_options_test.cpp.

KERAS_BACKEND=jax python option_attention_goldens.py tests/data
"""
import itertools
import sys

from option_recorder import Area, numbers, spec
import numpy as np
from keras import layers as L

area = Area()
record = area.record
q, v, k = (2, 3, 4), (2, 5, 4), (2, 5, 4)
q_steps = np.array([[1, 1, 0], [0, 1, 1]], bool)
v_steps = np.array([[1, 0, 1, 1, 0], [1, 1, 0, 0, 1]], bool)
both = np.array([[[1, 0, 1, 1, 0], [0, 1, 1, 0, 1], [1, 1, 1, 1, 1]], [[1, 1, 1, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 1, 0]]], bool)

for kind in (L.Attention, L.AdditiveAttention):
    n = kind.__name__
    options = [dict(), dict(use_scale=kind is L.Attention)]
    if kind is L.Attention:
        options.append(dict(score_mode="concat"))
        options.append(dict(score_mode="concat", use_scale=True))
    else:
        options[1] = dict(use_scale=False)
    for o in options:
        t = n + "".join(f", {a} {b}" for a, b in o.items())
        record(f"{t}: plain", kind(**o), [q, v])
        record(f"{t}: key, scores", kind(**o), [q, (2, 5, 3), k], return_attention_scores=True)
        record(f"{t}: causal, carried masks", kind(**o), [q, v], masks=[q_steps, v_steps], use_causal_mask=True)
        record(f"{t}: causal, scores", kind(**o), [(2, 5, 4), (2, 3, 4)], use_causal_mask=True, return_attention_scores=True)
        record(f"{t}: dropout, masks, scores", kind(**o, dropout=0.4, seed=3), [q, v, k], masks=[None, v_steps, None], training=True, return_attention_scores=True)
        record(f"{t}: mask of values by name", kind(**o), [q, v], mask=[q_steps, v_steps])
    record(f"{n}: dropout, two calls", kind(dropout=0.4, seed=3), [q, v], training=True, calls=2)
    record(f"{n}: dropout, inference", kind(dropout=0.4, seed=3), [q, v], training=False)
    record(f"{n}: all values masked", kind(), [q, v], masks=[None, np.array([[0] * 5, [1] * 5], bool)],
           one_policy=True)  # what is subtracted from masked scores is of float32's size
    record(f"{n}: bfloat16", kind(dtype="mixed_bfloat16"), [q, v], gradients=False)
    record(f"{n}: one query, one value", kind(), [(1, 1, 2), (1, 1, 2)], return_attention_scores=True)


def mha(name, o, shapes, **call):
    layer = L.MultiHeadAttention(**{"num_heads": 2, "key_dim": 2, **o})
    record(f"MultiHeadAttention: {name}", layer, shapes, **call)


def gqa(name, o, shapes, **call):
    layer = L.GroupQueryAttention(**{"head_dim": 2, "num_query_heads": 4, "num_key_value_heads": 2, **o})
    record(f"GroupQueryAttention: {name}", layer, shapes, **call)


for f in (mha, gqa):
    f("plain", {}, [q, v])
    f("scores, causal, masks", {}, [q, v], masks=[q_steps, None], value_mask=v_steps, use_causal_mask=True, return_attention_scores=True)
    f("no bias, attention mask", {"use_bias": False}, [q, v], attention_mask=both)
    f("attention mask, key mask, scores", {}, [q, v, k], attention_mask=both, key_mask=v_steps, return_attention_scores=True)
    f("dropout, scores", {"dropout": 0.3, "seed": 4}, [q, v], training=True, return_attention_scores=True)
    f("dropout, two calls", {"dropout": 0.3, "seed": 4}, [q, v], training=True, calls=2, return_attention_scores=True)
    f("carried masks", {}, [q, v], masks=[q_steps, v_steps])
    f("regularizers", {"kernel_regularizer": "l2", "bias_regularizer": "l1", "activity_regularizer": "l2"}, [q, v])
    f("causal, more queries than keys", {}, [(2, 5, 4), (2, 3, 4)], use_causal_mask=True, return_attention_scores=True)
    f("one query", {}, [(2, 1, 4), v])
    f("gate, scores", {"use_gate": True}, [q, v], return_attention_scores=True)
    f("bfloat16", {"dtype": "mixed_bfloat16"}, [q, v], gradients=False, return_attention_scores=True)
mha("value_dim, output_shape", {"value_dim": 3, "output_shape": 5}, [q, v], return_attention_scores=True)
mha("two attention axes", {"attention_axes": (1, 2)}, [(1, 2, 3, 2), (1, 2, 2, 2)], return_attention_scores=True)
mha("axis 2 of three, output shape", {"attention_axes": (2,), "output_shape": (2, 3)}, [(1, 2, 3, 2), (1, 2, 2, 2)])
mha("axes in another order", {"attention_axes": (2, 1)}, [(1, 2, 3, 2), (1, 2, 3, 2)], return_attention_scores=True)
mha("two axes and a mask", {"attention_axes": (1, 2)}, [(1, 2, 2, 2), (1, 2, 2, 2)], attention_mask=numbers((1, 2, 2, 2, 2), 7, "int32").astype(bool), return_attention_scores=True)
mha("axis 1 of three", {"attention_axes": 1}, [(1, 3, 2, 2), (1, 4, 2, 2)])
mha("window", {"sliding_window": 2}, [(1, 5, 3), (1, 5, 3)], return_attention_scores=True)
mha("window, causal, mask", {"sliding_window": 3}, [(1, 5, 3), (1, 5, 3)], value_mask=np.array([[1, 0, 1, 1, 1]], bool), use_causal_mask=True)
gqa("one key head", {"num_key_value_heads": 1}, [q, v])
gqa("window", {"sliding_window": 2}, [(1, 5, 3), (1, 5, 3)], use_causal_mask=True)
area.write(sys.argv[1], {"attention": ("Attention", "AdditiveAttention"), "multi_head_attention": ("MultiHead",),
                         "group_query_attention": ("GroupQuery",)})
