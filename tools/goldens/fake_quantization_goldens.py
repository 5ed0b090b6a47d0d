"""Records what Keras makes of fake_quant_with_min_max_vars, for tests/framework/ops/fake_quantization_test.cpp.

Run with Keras 3.15 on the JAX backend:
KERAS_BACKEND=jax python fake_quantization_goldens.py tests/data/fake_quantization.json
A case holds the arguments, the result, and the gradients of sum(result * cotangent). Keras on JAX takes ranges along the
last axis, whatever `axis` is; cases with another axis are therefore recorded with that axis moved to the end and back.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import jax
import numpy as np
from keras import quantizers

random = np.random.default_rng(5)


def array(a):
    a = np.asarray(a, "float32")
    return {"shape": list(a.shape), "values": [float(f"{v:.8g}") for v in a.ravel().tolist()]}


def case(shape, low, high, num_bits=8, narrow_range=False, axis=None):
    x = (random.normal(size=shape) * 4).astype("float32")
    low, high = np.asarray(low, "float32"), np.asarray(high, "float32")
    cotangent = random.normal(size=shape).astype("float32")
    last = None if axis is None else -1

    def total(x, low, high):
        if axis is not None:
            x = jax.numpy.moveaxis(x, axis, -1)
        y = quantizers.fake_quant_with_min_max_vars(x, low, high, num_bits, narrow_range, last)
        if axis is not None:
            y = jax.numpy.moveaxis(y, -1, axis)
        return (y * cotangent).sum(), y

    (_, y), gradients = jax.value_and_grad(total, (0, 1, 2), has_aux=True)(x, low, high)
    return {"x": array(x), "low": array(low), "high": array(high), "cotangent": array(cotangent), "num_bits": num_bits,
            "narrow_range": narrow_range, "axis": axis, "y": array(y), "gradients": [array(g) for g in gradients]}


cases = [
    case((4, 5), -3.0, 3.0),
    case((4, 5), -0.1, 127.4),
    case((4, 5), 0.3, 5.0, num_bits=4),
    case((3, 2, 4), [-6.0], [-0.5], num_bits=5, narrow_range=True),
    case((6, 3), [-3.0, 0.1, -7.3], [2.0, 6.1, -0.1], axis=1),
    case((3, 5, 2), [-3.0, 0.1, -7.3], [2.0, 6.1, -0.1], num_bits=6, narrow_range=True, axis=0),
    case((2, 3, 5), [-3.0, 0.1, -7.3], [2.0, 6.1, -0.1], num_bits=3, axis=-2),
]
with open(sys.argv[1], "w") as file:
    json.dump({"cases": cases}, file, separators=(",", ":"))
