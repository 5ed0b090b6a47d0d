"""Records what the examples of Keras's guide to saving give: configs, names of weights, figures after loading."""

import json
import tempfile

import keras
import numpy as np
from keras import layers

from recording import RESULT, numbers, uniform


@keras.saving.register_keras_serializable(package="MyLayers")
class CustomLayer(keras.layers.Layer):
    def __init__(self, factor, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def call(self, x):
        return x * self.factor

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


@keras.saving.register_keras_serializable(package="my_package", name="custom_fn")
def custom_fn(x):
    return x**2


def get_model():
    keras.utils.set_random_seed(1)
    inputs = keras.Input(shape=(4,))
    mid = CustomLayer(0.5)(inputs)
    outputs = keras.layers.Dense(1, activation=custom_fn)(mid)
    model = keras.Model(inputs, outputs)
    model.compile(optimizer="rmsprop", loss="mean_squared_error")
    return model


def resumed():
    test_input, test_target = uniform((16, 4), 1), uniform((16, 1), 2)
    model = get_model()
    model.fit(test_input, test_target, verbose=0, shuffle=False)
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder + "/custom_model.keras")
        model = keras.models.load_model(folder + "/custom_model.keras")
    history = model.fit(test_input, test_target, epochs=2, verbose=0, shuffle=False)
    RESULT["resumed"] = {
        "loss": numbers(history.history["loss"]),
        "predictions": numbers(model.predict(test_input, verbose=0)),
    }


def configs():
    keras.backend.clear_session()
    layer = keras.layers.Dense(3, activation="relu")
    RESULT["dense"] = json.dumps(layer.get_config())
    model = keras.Sequential([keras.Input((32,)), keras.layers.Dense(1)])
    RESULT["sequential"] = json.dumps(model.get_config())
    RESULT["sequential_json"] = model.to_json()
    keras.backend.clear_session()
    inputs = keras.Input((32,))
    model = keras.Model(inputs, keras.layers.Dense(1)(inputs))
    RESULT["functional"] = json.dumps(model.get_config())
    RESULT["regularizer"] = json.dumps(keras.saving.serialize_keras_object(keras.regularizers.L1(0.005)))
    CustomLayer.__module__ = "__main__"  # as in the guide, where it is the program's
    RESULT["custom_layer"] = json.dumps(keras.layers.serialize(CustomLayer(0.5, name="half")))


class NestedDenseLayer(keras.layers.Layer):
    def __init__(self, units, name=None):
        super().__init__(name=name)
        self.dense_1 = keras.layers.Dense(units, name="dense_1")
        self.dense_2 = keras.layers.Dense(units, name="dense_2")

    def call(self, x):
        return self.dense_2(self.dense_1(x))


def owners_and_names(variables):
    return ["/".join(v.path.split("/")[-2:]) for v in variables]


def nested():
    model = keras.Sequential([keras.Input((12,)), NestedDenseLayer(10, "nested")])
    RESULT["nested"] = owners_and_names(model.weights)
    model.get_layer("nested").dense_1.trainable = False
    RESULT["nested_frozen"] = owners_and_names(model.weights)
    RESULT["nested_trainable"] = owners_and_names(model.trainable_weights)


resumed()
configs()
nested()
