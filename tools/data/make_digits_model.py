#!/usr/bin/env python3
"""Writes examples/data/digits.keras: a small network that tells the ten digits, by Keras.

Usage: python tools/data/make_digits_model.py
The example transfer_learning.cpp goes on from it.
"""

import pathlib

import keras
import numpy as np

DATA = pathlib.Path(__file__).parents[2] / "examples" / "data"

keras.utils.set_random_seed(1)
rows = np.load(DATA / "digits.npy")[:1437]  # those that datasets::digits has for training
x, y = rows[:, :-1].reshape(-1, 8, 8, 1).astype("float32") / 16, rows[:, -1]

model = keras.Sequential([
    keras.Input((8, 8, 1)),
    keras.layers.Conv2D(16, 3, padding="same", activation="relu"),
    keras.layers.MaxPooling2D(),
    keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
    keras.layers.Flatten(),
    keras.layers.Dense(32, activation="relu"),
    keras.layers.Dense(10),
])
model.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
              metrics=["accuracy"])
model.fit(x, y, batch_size=32, epochs=20, verbose=2)
# The optimizer's state would make the file three times as large.
bare = keras.Sequential.from_config(model.get_config())
bare.set_weights(model.get_weights())
bare.save(DATA / "digits.keras")
