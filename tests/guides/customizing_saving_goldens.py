"""Records what the examples of Keras's guide to customizing what is saved give on small data."""

import tempfile

import keras
import numpy as np
from keras import ops

from recording import RESULT, numbers, uniform


@keras.saving.register_keras_serializable(package="my_custom_package")
class LayerWithCustomVariables(keras.layers.Dense):
    def __init__(self, units, **kwargs):
        super().__init__(units, **kwargs)
        self.stored_variables = self.add_weight(
            shape=(10,), name="special_arr", trainable=False, initializer=keras.initializers.RandomUniform(seed=5)
        )

    def call(self, inputs):
        return super().call(inputs) * self.stored_variables


def variables():
    keras.utils.set_random_seed(1)
    model = keras.Sequential([LayerWithCustomVariables(1)])
    model.compile(optimizer="adam", loss="mean_squared_error")
    x, y = uniform((8, 10), 1), uniform((8, 1), 2)
    history = model.fit(x, y, epochs=2, verbose=0, shuffle=False)
    RESULT["variables"] = {
        "loss": numbers(history.history["loss"]),
        "special_arr": numbers(model.layers[0].stored_variables),
        "weights": [v.name for v in model.weights],
    }


@keras.saving.register_keras_serializable(package="my_custom_package")
def small_square_sum_loss(y_true, y_pred):
    loss = ops.square(y_pred - y_true) / 10.0
    return ops.sum(loss, axis=1)


@keras.saving.register_keras_serializable(package="my_custom_package")
def mean_pred(y_true, y_pred):
    return ops.mean(y_pred)


@keras.saving.register_keras_serializable(package="my_custom_package")
class ModelWithCustomCompile(keras.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense1 = keras.layers.Dense(8, activation="relu")
        self.dense2 = keras.layers.Dense(4, activation="softmax")

    def call(self, inputs):
        return self.dense2(self.dense1(inputs))


def compiled():
    keras.utils.set_random_seed(1)
    model = ModelWithCustomCompile()
    model.compile(optimizer="SGD", loss=small_square_sum_loss, metrics=["accuracy", mean_pred])
    x, y = uniform((4, 8), 3), uniform((4, 4), 4)
    history = model.fit(x, y, epochs=2, verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder + "/model.keras")
        model = keras.models.load_model(folder + "/model.keras")
    again = model.fit(x, y, verbose=0)
    RESULT["compiled"] = {"history": {key: numbers(values) for key, values in history.history.items()}}
    RESULT["restored"] = {"history": {key: numbers(values) for key, values in again.history.items()}}


variables()
compiled()
