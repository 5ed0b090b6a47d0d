"""Trains the networks of cornu-bench in JAX on a GPU; prints a line of JSON for each.

    jax_bench.py [WORKLOAD[:DTYPE]...] [--tf32] [--steps N]

Workloads: seed_b1 and seed_b32 (the sums of Gaussians), mlp, mnist_cnn, lstm, gpt, gpt_768, resnet50, resnet50_b128,
with the shapes, batches and optimizers of benchmarks/cornu/networks.cpp. DTYPE: float32 (default) or bfloat16, in
which layers compute; parameters, normalization and losses stay float32. A step is one compiled function that is given
its parameters to reuse. Data is on the device before the clock starts; the best of three rounds counts. It needs jax
alone.
"""
import argparse
import functools
import json
import os
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import lax, nn  # noqa: E402


class Parameters:
    """Makes parameters in the order in which a network asks for them, and afterwards hands them out in it."""

    def __init__(self, values=None):
        self.values, self.made, self.key, self.next = values, [], jax.random.key(0), 0

    def __call__(self, make, *shape):
        if self.values is None:
            self.key, key = jax.random.split(self.key)
            self.made.append(make(key, shape, jnp.float32))
            return self.made[-1]
        self.next += 1
        return self.values[self.next - 1]

    def matrix(self, *shape):
        return self(nn.initializers.glorot_uniform(), *shape)

    def ones(self, n):
        return self(nn.initializers.ones, n)

    def zeros(self, *shape):
        return self(nn.initializers.zeros, *shape)


def dense(p, x, units):
    w, b = p.matrix(x.shape[-1], units), p.zeros(units)
    return x @ w.astype(x.dtype) + b.astype(x.dtype)


def conv(p, x, filters, size, stride=1, padding="VALID", bias=False):
    w = p.matrix(size, size, x.shape[-1], filters).astype(x.dtype)
    y = lax.conv_general_dilated(x, w, (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return y + p.zeros(filters).astype(x.dtype) if bias else y


def pool(x, size, stride, padding="VALID"):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, size, size, 1), (1, stride, stride, 1), padding)


def batch_norm(p, x):
    scale, offset = p.ones(x.shape[-1]), p.zeros(x.shape[-1])
    y = x.astype(jnp.float32)
    mean = y.mean((0, 1, 2))
    variance = (y * y).mean((0, 1, 2)) - mean * mean
    factor = scale * lax.rsqrt(variance + 1e-5)
    return (y * factor + (offset - mean * factor)).astype(x.dtype)


def layer_norm(p, x):
    scale, offset = p.ones(x.shape[-1]), p.zeros(x.shape[-1])
    y = x.astype(jnp.float32)
    y = (y - y.mean(-1, keepdims=True)) * lax.rsqrt(y.var(-1, keepdims=True) + 1e-5)
    return (y * scale + offset).astype(x.dtype)


def sums(p, x, dtype):
    x = x.astype(dtype)
    return dense(p, nn.relu(dense(p, nn.relu(dense(p, x, 20)), 10)), 1)


def mlp(p, x, dtype):
    x = nn.relu(dense(p, x.astype(dtype), 512))
    return dense(p, nn.relu(dense(p, x, 512)), 10)


def mnist_cnn(p, x, dtype, key):
    x = pool(nn.relu(conv(p, x.astype(dtype), 32, 3, bias=True)), 2, 2)
    x = pool(nn.relu(conv(p, x, 64, 3, bias=True)), 2, 2)
    x = x.reshape(x.shape[0], -1)
    x = jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x * 2, 0)
    return dense(p, x, 10)


def lstm(p, ids, dtype):
    x = p.matrix(20000, 128).astype(dtype)[ids]
    w, u, b = p.matrix(128, 512).astype(dtype), p.matrix(128, 512).astype(dtype), p.zeros(512).astype(dtype)

    def step(state, z):
        h, c = state
        i, f, g, o = jnp.split(z + h @ u, 4, -1)
        c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
        return (nn.sigmoid(o) * jnp.tanh(c), c), None

    zero = jnp.zeros((ids.shape[0], 128), dtype)
    (h, _), _ = lax.scan(step, (zero, zero), (x @ w + b).swapaxes(0, 1))
    return dense(p, h, 1)


def attention(q, k, v):
    if q.dtype == jnp.bfloat16 and jax.default_backend() == "gpu":
        return nn.dot_product_attention(q, k, v, is_causal=True, implementation="cudnn")
    return nn.dot_product_attention(q, k, v, is_causal=True)


def gpt(p, ids, dtype, vocabulary, width, heads, blocks):
    n, tokens = ids.shape
    x = p.matrix(vocabulary, width).astype(dtype)[ids] + p.matrix(tokens, width).astype(dtype)
    for _ in range(blocks):
        q, k, v = jnp.split(dense(p, layer_norm(p, x), 3 * width).reshape(n, tokens, heads, -1), 3, -1)
        x = x + dense(p, attention(q, k, v).reshape(n, tokens, width), width)
        x = x + dense(p, nn.gelu(dense(p, layer_norm(p, x), 4 * width), approximate=False), width)
    return dense(p, layer_norm(p, x), vocabulary)


def resnet50(p, x, dtype):
    x = nn.relu(batch_norm(p, conv(p, x.astype(dtype), 64, 7, 2, ((3, 3), (3, 3)))))
    x = pool(x, 3, 2, ((0, 0), (1, 1), (1, 1), (0, 0)))
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            first = stride if i == 0 else 1
            y = nn.relu(batch_norm(p, conv(p, x, width, 1, first)))
            y = nn.relu(batch_norm(p, conv(p, y, width, 3, padding="SAME")))
            y = batch_norm(p, conv(p, y, 4 * width, 1))
            x = nn.relu(y + (batch_norm(p, conv(p, x, 4 * width, 1, first)) if i == 0 else x))
    return dense(p, x.astype(jnp.float32).mean((1, 2)).astype(dtype), 1000)


def mean_square(y, target):
    return jnp.mean((y.astype(jnp.float32) - target) ** 2)


def cross_entropy(logits, labels):
    logits = logits.astype(jnp.float32)
    chosen = jnp.take_along_axis(logits, labels[..., None], -1)[..., 0]
    return jnp.mean(nn.logsumexp(logits, -1) - chosen)


def binary_cross_entropy(logits, labels):
    logits = logits.astype(jnp.float32)
    return jnp.mean(nn.relu(logits) - logits * labels + jnp.log1p(jnp.exp(-jnp.abs(logits))))


def task(name, dtype):
    """(network of parameters, x and a key; x, y, loss, unit, what a step counts as)"""
    def ints(high, *shape):
        return jax.random.randint(jax.random.key(1), shape, 0, high)

    def floats(*shape):
        return jax.random.uniform(jax.random.key(2), shape)

    def without_key(network, **sizes):
        return lambda p, x, key: network(p, x, dtype, **sizes)

    if name in ("seed_b1", "seed_b32"):
        x = jax.random.normal(jax.random.key(3), (int(name[6:]), 20))
        return without_key(sums), x, x.sum(1, keepdims=True), mean_square, "samples/s", x.shape[0]
    if name == "mlp":
        return without_key(mlp), floats(128, 784), ints(10, 128), cross_entropy, "samples/s", 128
    if name == "mnist_cnn":
        return (lambda p, x, key: mnist_cnn(p, x, dtype, key)), floats(128, 28, 28, 1), ints(10, 128), cross_entropy, \
            "samples/s", 128
    if name == "lstm":
        y = ints(2, 32, 1).astype(jnp.float32)
        return without_key(lstm), ints(20000, 32, 80), y, binary_cross_entropy, "samples/s", 32
    if name in ("gpt", "gpt_768"):
        small = name == "gpt"
        vocabulary, width, heads, blocks = (5000, 256, 4, 4) if small else (50304, 768, 12, 12)
        x = ints(vocabulary, *((16, 128) if small else (8, 1024)))
        network = without_key(gpt, vocabulary=vocabulary, width=width, heads=heads, blocks=blocks)
        return network, x, jnp.roll(x, -1, 1), cross_entropy, "tokens/s", x.size
    if name in ("resnet50", "resnet50_b128"):
        batch = 128 if name == "resnet50_b128" else 16
        return without_key(resnet50), floats(batch, 224, 224, 3), ints(1000, batch), cross_entropy, "samples/s", batch
    raise SystemExit(f"jax_bench: there is no workload {name!r}")


def momentum(values, gradients, state):
    velocities = [0.9 * v - 0.01 * g for v, g in zip(state[0], gradients)]
    return [x + v for x, v in zip(values, velocities)], (velocities, state[1])


def adam(values, gradients, state):
    (first, second), t = state[0], state[1] + 1
    first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients)]
    second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients)]
    rate = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    values = [x - rate * m / (jnp.sqrt(v) + 1e-7) for x, m, v in zip(values, first, second)]
    return values, ((first, second), t)


def measure(name, dtype, a):
    network, x, y, loss, unit, amount = task(name, jnp.dtype(dtype))

    def initial(key):
        p = Parameters()
        network(p, x, key)
        return p.made

    values = jax.jit(initial)(jax.random.key(0))
    zeros = [jnp.zeros_like(v) for v in values]
    sgd = name.startswith("resnet50")
    state = (zeros if sgd else (zeros, [jnp.zeros_like(v) for v in values]), jnp.zeros(()))

    @functools.partial(jax.jit, donate_argnums=(0, 1, 2))
    def step(values, state, key, x, y):
        key, own = jax.random.split(key)
        result, gradients = jax.value_and_grad(lambda v: loss(network(Parameters(v), x, own), y))(values)
        values, state = (momentum if sgd else adam)(values, gradients, state)
        return values, state, key, result

    key, best = jax.random.key(4), float("inf")
    for round_number in range(4):  # the first compiles and warms up
        steps = a.steps if round_number else min(10, a.steps)
        start = time.perf_counter()
        for _ in range(steps):
            values, state, key, result = step(values, state, key, x, y)
        jax.block_until_ready((values, result))
        if round_number:
            best = min(best, (time.perf_counter() - start) / steps)
    print(json.dumps({"workload": name, "peer": "jax", "mode": "jit " + dtype + (" tf32" if a.tf32 else ""),
                      "metric": "train", "value": round(amount / best, 1), "unit": unit,
                      "version": "jax " + jax.__version__}), flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("workloads", nargs="*", default=["seed_b32", "mlp", "mnist_cnn", "lstm", "gpt", "resnet50"])
    p.add_argument("--tf32", action="store_true")
    p.add_argument("--steps", type=int, default=50)
    a = p.parse_args()
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if a.tf32 else "float32")
    for workload in a.workloads:
        name, _, dtype = workload.partition(":")
        try:
            measure(name, dtype or "float32", a)
        except Exception as error:  # the others go on
            print(f"jax_bench: {workload}: {type(error).__name__}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
