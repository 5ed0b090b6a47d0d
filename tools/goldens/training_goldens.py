"""Records how Keras trains small models, for the tests.

Run with KERAS_BACKEND=jax from the repository's root:
    python tools/goldens/training_goldens.py
Writes tests/data/training.json: for each case the model's and compile's configs, the data, the
arguments of fit, the weights before and after, the history, and the model's outputs at the end.
Initializers have seeds, so that the weights at the start are the same everywhere.
"""

import json

import keras
import numpy as np
from keras import layers

RNG = np.random.default_rng(7)


def init(seed):
    return keras.initializers.GlorotUniform(seed=seed)


def numbers(x):
    """A tensor as a flat list, short but enough for a comparison."""
    flat = np.asarray(x).astype("float64").reshape(-1)
    return [float(f"{v:.6g}") if abs(v) > 1e-9 else 0 for v in flat]


def tensor(x):
    x = np.asarray(x)
    return {"shape": list(x.shape), "dtype": str(x.dtype), "values": numbers(x)}


def nested(x):
    return {k: tensor(v) for k, v in x.items()} if isinstance(x, dict) else tensor(x)


def normal(*shape):
    """Normal numbers of two decimals, to keep the file small."""
    return np.round(RNG.normal(size=shape), 2).astype("float32")


def dense_net():
    model = keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(6, activation="relu", kernel_initializer=init(1)),
            layers.Dense(3, activation="softmax", kernel_initializer=init(2)),
        ]
    )
    return model, normal(16, 4), RNG.integers(0, 3, 16).astype("int32")


def conv_net():
    model = keras.Sequential(
        [
            keras.Input((6, 6, 1)),
            layers.Conv2D(3, 3, kernel_initializer=init(3), use_bias=False),
            layers.BatchNormalization(momentum=0.9),
            layers.ReLU(),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(1, kernel_initializer=init(4)),
        ]
    )
    return model, normal(10, 6, 6, 1), normal(10, 1)


def text_net():
    """Two inputs and outputs, a shared layer, a mask, operators and penalties."""
    words = keras.Input((5,), dtype="int32", name="words")
    facts = keras.Input((3,), name="facts")
    h = layers.Embedding(7, 4, mask_zero=True, embeddings_initializer=init(5), name="embedding")(words)
    h = layers.LSTM(4, kernel_initializer=init(6), recurrent_initializer=init(7), name="lstm")(h)
    shared = layers.Dense(
        4, activation="tanh", kernel_initializer=init(8), kernel_regularizer="l2", name="shared"
    )
    f = layers.Dense(4, kernel_initializer=init(9), activity_regularizer="l2", name="facts_in")(facts)
    a, b = shared(h), shared(f)
    mixed = layers.Concatenate(name="mixed")([a * b, 1.0 - a])
    kind = layers.Dense(3, activation="softmax", kernel_initializer=init(10), name="kind")(mixed)
    size = layers.Dense(1, kernel_initializer=init(11), name="size")(mixed[:, 1:6])
    model = keras.Model({"words": words, "facts": facts}, {"kind": kind, "size": size})
    numbers_of_words = RNG.integers(1, 7, (12, 5))
    numbers_of_words[np.arange(5)[None] >= RNG.integers(1, 6, 12)[:, None]] = 0
    x = {"words": numbers_of_words.astype("int32"), "facts": normal(12, 3)}
    return model, x, {"kind": RNG.integers(0, 3, 12).astype("int32"), "size": normal(12, 1)}


def case(net, compile_arguments, **fit):
    model, x, y = net()
    model.compile(**compile_arguments)
    before = [numbers(w) for w in model.get_weights()]
    record = {
        "model": json.loads(model.to_json()),
        "compile": model.get_compile_config(),
        "x": nested(x),
        "y": nested(y),
        "fit": {k: tensor(v) if isinstance(v, np.ndarray) else v for k, v in fit.items()},
        "before": before,
    }
    if "class_weight" in fit:
        record["fit"]["class_weight"] = [fit["class_weight"][i] for i in range(3)]
    history = model.fit(x, y, shuffle=False, epochs=2, verbose=0, **fit)
    record["history"] = {k: numbers(v) for k, v in history.history.items()}
    record["after"] = [numbers(w) for w in model.get_weights()]
    record["outputs"] = nested(model.predict(x, batch_size=7, verbose=0))
    return record


def main():
    adam = lambda: keras.optimizers.Adam(0.01)  # noqa: E731
    sgd = lambda: keras.optimizers.SGD(0.02, momentum=0.9)  # noqa: E731
    labels = {"loss": "sparse_categorical_crossentropy", "metrics": ["accuracy"]}
    values = {"loss": "mse", "metrics": ["mae", "mse"], "weighted_metrics": ["mse"]}
    both = {
        "loss": {"kind": "sparse_categorical_crossentropy", "size": "huber"},
        "loss_weights": {"kind": 0.7, "size": 2.0},
        "metrics": {"kind": ["accuracy"], "size": ["mae", "mse"]},
        "weighted_metrics": {"kind": ["accuracy"]},
    }
    weights = np.round(RNG.uniform(0.2, 2, 10), 2).astype("float32")
    cases = {
        "dense_adam": case(dense_net, {"optimizer": adam(), **labels}, batch_size=8, validation_split=0.2),
        "dense_sgd": case(
            dense_net, {"optimizer": sgd(), **labels}, batch_size=8, class_weight={0: 1.0, 1: 2.5, 2: 0.5}
        ),
        "conv_adam": case(conv_net, {"optimizer": adam(), **values}, batch_size=4, sample_weight=weights),
        "conv_sgd": case(conv_net, {"optimizer": sgd(), **values}, batch_size=4, validation_split=0.3),
        "text_adam": case(text_net, {"optimizer": adam(), **both}, batch_size=5, validation_split=0.25),
        "text_sgd": case(text_net, {"optimizer": sgd(), **both}, batch_size=5),
    }
    with open("tests/data/training.json", "w") as file:
        json.dump(cases, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
