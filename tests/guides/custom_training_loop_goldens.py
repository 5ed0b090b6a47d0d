"""Records what the examples of Keras's guide to training loops of one's own give on small data."""

import jax
import keras
import numpy as np
from keras import ops

from recording import RESULT, numbers, uniform

BATCH = 32


class ActivityRegularizationLayer(keras.layers.Layer):
    def call(self, inputs):
        self.add_loss(1e-2 * ops.sum(inputs))
        return inputs


def get_model(regularized=False):
    keras.utils.set_random_seed(1)
    inputs = keras.Input(shape=(20,), name="digits")
    x = keras.layers.Dense(16, activation="relu")(inputs)
    if regularized:
        x = ActivityRegularizationLayer()(x)
    x = keras.layers.Dense(16, activation="relu")(x)
    return keras.Model(inputs=inputs, outputs=keras.layers.Dense(10, name="predictions")(x))


x_train, y_train = uniform((100, 20), 1), np.asarray(keras.random.randint((100,), 0, 10, seed=2))
x_val, y_val = uniform((40, 20), 3), np.asarray(keras.random.randint((40,), 0, 10, seed=4))


def loop(name, epochs, regularized=False):
    model = get_model(regularized)
    optimizer = keras.optimizers.Adam(learning_rate=1e-3)
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    accuracy = keras.metrics.SparseCategoricalAccuracy()
    val_accuracy = keras.metrics.SparseCategoricalAccuracy()

    def loss_and_logits(values, x, y):
        logits, _, added = model.stateless_call(values, [], x, return_losses=True, training=True)
        return loss_fn(y, logits) + sum(added), logits

    step = jax.value_and_grad(loss_and_logits, has_aux=True)
    losses, accuracies, val_accuracies = [], [], []
    for _ in range(epochs):
        for begin in range(0, len(x_train), BATCH):
            x, y = x_train[begin : begin + BATCH], y_train[begin : begin + BATCH]
            (loss, logits), gradients = step([v.value for v in model.trainable_variables], x, y)
            optimizer.apply(gradients, model.trainable_variables)
            accuracy.update_state(y, logits)
            losses.append(float(loss))
        accuracies.append(float(accuracy.result()))
        accuracy.reset_state()
        for begin in range(0, len(x_val), BATCH):
            val_accuracy.update_state(y_val[begin : begin + BATCH], model(x_val[begin : begin + BATCH]))
        val_accuracies.append(float(val_accuracy.result()))
        val_accuracy.reset_state()
    RESULT[name] = {
        "losses": numbers(losses),
        "accuracies": numbers(accuracies),
        "val_accuracies": numbers(val_accuracies),
        "logits": numbers(model(x_val[:2])),
    }
    if regularized:
        RESULT[name]["added"] = numbers(model.losses)


loop("plain", 3)
loop("regularized", 2, True)
