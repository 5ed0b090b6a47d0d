"""Trains the networks of cornu-bench in Keras 3 on a GPU; prints a line of JSON for each.

    KERAS_BACKEND=jax keras_bench.py [WORKLOAD...] [--policy float32|mixed_bfloat16] [--steps N]

Workloads: seed_b32 (the sums of Gaussians), mlp, mnist_cnn, lstm, gpt, resnet50, with the shapes, batches and
optimizers of benchmarks/cornu/networks.cpp. What counts is the best of three epochs of fit() after the first.
"""
import argparse
import json
import os
import time

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers  # noqa: E402

VOCABULARY, WIDTH, HEADS, BLOCKS, TOKENS = 5000, 256, 4, 4, 128


class Positions(layers.Layer):
    def build(self, shape):
        self.table = layers.Embedding(TOKENS, WIDTH)
        self.table.build((TOKENS,))

    def call(self, x):
        return x + self.table(keras.ops.arange(TOKENS))


def gpt():
    ids = keras.Input((TOKENS,), dtype="int32")
    x = Positions()(layers.Embedding(VOCABULARY, WIDTH)(ids))
    for _ in range(BLOCKS):
        h = layers.LayerNormalization(epsilon=1e-5)(x)
        x = x + layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(h, h, use_causal_mask=True)
        h = layers.Dense(4 * WIDTH, activation="gelu")(layers.LayerNormalization(epsilon=1e-5)(x))
        x = x + layers.Dense(WIDTH)(h)
    x = layers.LayerNormalization(epsilon=1e-5)(x)
    return keras.Model(ids, layers.Dense(VOCABULARY, dtype="float32")(x))


def task(name, steps):
    """(model, x, y, loss, optimizer, batch, unit, what a sample counts as)"""
    rng = np.random.default_rng(1)
    classes = keras.losses.SparseCategoricalCrossentropy()
    if name == "seed_b32":
        net = keras.Sequential([keras.Input((20,)), layers.Dense(20, "relu"), layers.Dense(10, "relu"), layers.Dense(1)])
        x = rng.standard_normal((32 * steps, 20), dtype="float32")
        return net, x, x.sum(1, keepdims=True), "mse", "adam", 32, "samples/s", 1
    if name == "mlp":
        net = keras.Sequential([keras.Input((784,)), layers.Dense(512, "relu"), layers.Dense(512, "relu"),
                                layers.Dense(10, "softmax", dtype="float32")])
        x = rng.random((128 * steps, 784), dtype="float32")
        return net, x, rng.integers(0, 10, 128 * steps), classes, "adam", 128, "samples/s", 1
    if name == "mnist_cnn":
        net = keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
                                layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
                                layers.Dropout(0.5), layers.Dense(10, "softmax", dtype="float32")])
        x = rng.random((128 * steps, 28, 28, 1), dtype="float32")
        return net, x, rng.integers(0, 10, 128 * steps), classes, "adam", 128, "samples/s", 1
    if name == "lstm":
        net = keras.Sequential([keras.Input((80,), dtype="int32"), layers.Embedding(20000, 128), layers.LSTM(128),
                                layers.Dense(1, "sigmoid", dtype="float32")])
        y = rng.integers(0, 2, (32 * steps, 1)).astype("float32")
        return net, rng.integers(0, 20000, (32 * steps, 80)), y, "binary_crossentropy", "adam", 32, "samples/s", 1
    if name == "gpt":
        x = rng.integers(0, VOCABULARY, (16 * steps, TOKENS))
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        return gpt(), x, np.roll(x, -1, 1), loss, "adam", 16, "tokens/s", TOKENS
    if name == "resnet50":
        x = rng.random((16 * steps, 224, 224, 3), dtype="float32")
        optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
        net = keras.applications.ResNet50(weights=None)
        return net, x, rng.integers(0, 1000, 16 * steps), classes, optimizer, 16, "samples/s", 1
    raise SystemExit(f"keras_bench: there is no workload {name!r}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("workloads", nargs="*", default=["seed_b32", "mlp", "mnist_cnn", "lstm", "gpt", "resnet50"])
    p.add_argument("--policy", choices=("float32", "mixed_bfloat16"), default="float32")
    p.add_argument("--steps", type=int, default=50)
    a = p.parse_args()
    keras.config.set_dtype_policy(a.policy)
    for name in a.workloads:
        net, x, y, loss, optimizer, batch, unit, amount = task(name, a.steps)
        net.compile(optimizer, loss)
        net.fit(x, y, batch_size=batch, verbose=0, shuffle=False)
        best = 0.0
        for _ in range(3):
            start = time.perf_counter()
            net.fit(x, y, batch_size=batch, verbose=0, shuffle=False)
            best = max(best, len(x) * amount / (time.perf_counter() - start))
        print(json.dumps({"workload": name, "peer": "keras-" + keras.backend.backend(), "mode": "fit " + a.policy,
                          "metric": "train", "value": round(best, 1), "unit": unit,
                          "version": "keras " + keras.__version__}), flush=True)


if __name__ == "__main__":
    main()
