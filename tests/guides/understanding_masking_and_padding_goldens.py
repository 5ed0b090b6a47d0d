"""Examples of the guide to masks and padding."""

import keras
import numpy as np
from keras import layers, ops
from recording import example, history

RAW_INPUTS = [
    [711, 632, 71],
    [73, 8, 3215, 55, 927],
    [83, 91, 1, 645, 1253, 927],
]


def padded():
    return keras.utils.pad_sequences(RAW_INPUTS, padding="post")


@example
def padding():
    return {
        "post": padded(),
        "pre": keras.utils.pad_sequences(RAW_INPUTS),
        "cut": keras.utils.pad_sequences(RAW_INPUTS, maxlen=4, value=-1.5, dtype="float32", truncating="post"),
    }


@example
def embedding_makes_a_mask():
    embedding = layers.Embedding(input_dim=5000, output_dim=16, mask_zero=True)
    masked_output = embedding(padded())
    return {"mask": masked_output._keras_mask, "vectors": masked_output[:, 4, :3]}


def masked_embedding():
    unmasked = ops.cast(ops.tile(ops.expand_dims(padded(), axis=-1), [1, 1, 10]), dtype="float32")
    return layers.Masking()(unmasked)


@example
def masking_makes_a_mask():
    masked = masked_embedding()
    return {"mask": masked._keras_mask, "shape": list(masked.shape), "steps": masked[:, :, 0]}


@example
def stack_with_a_mask():
    model = keras.Sequential([layers.Embedding(input_dim=5000, output_dim=16, mask_zero=True), layers.LSTM(32)])
    return {"y": model(padded())[:, :6], "short": model(np.array([RAW_INPUTS[0]]))[:, :6]}


@example
def graph_with_a_mask():
    inputs = keras.Input(shape=(None,), dtype="int32")
    x = layers.Embedding(input_dim=5000, output_dim=16, mask_zero=True)(inputs)
    outputs = layers.LSTM(32)(x)
    model = keras.Model(inputs, outputs)
    return {"y": model(padded())[:, :6], "predicted": model.predict(padded(), verbose=0)[:, :6]}


class MyLayer(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.embedding = layers.Embedding(input_dim=5000, output_dim=16, mask_zero=True)
        self.lstm = layers.LSTM(32)

    def call(self, inputs):
        x = self.embedding(inputs)
        mask = self.embedding.compute_mask(inputs)
        output = self.lstm(x, mask=mask)
        return output


@example
def mask_given_by_hand():
    layer = MyLayer()
    y = layer(padded())
    lstm = layers.LSTM(4)
    x = keras.random.normal((2, 3, 5), seed=1)
    mask = np.array([[True, True, False], [False, True, True]])
    return {"y": y[:, :6], "lstm": lstm(x, mask=mask)}


class TemporalSplit(keras.layers.Layer):
    def call(self, inputs):
        return ops.split(inputs, 2, axis=1)

    def compute_mask(self, inputs, mask=None):
        if mask is None:
            return None
        return ops.split(mask, 2, axis=1)


@example
def layer_that_splits_a_mask():
    first_half, second_half = TemporalSplit()(masked_embedding())
    lstm = layers.LSTM(3)
    return {
        "first": first_half._keras_mask,
        "second": second_half._keras_mask,
        "values": second_half[:, :, 0],
        "lstm": lstm(second_half / 5000, mask=second_half._keras_mask),
    }


class CustomEmbedding(keras.layers.Layer):
    def __init__(self, input_dim, output_dim, mask_zero=False, **kwargs):
        super().__init__(**kwargs)
        self.input_dim = input_dim
        self.output_dim = output_dim
        self.mask_zero = mask_zero

    def build(self, input_shape):
        self.embeddings = self.add_weight(
            shape=(self.input_dim, self.output_dim), initializer="random_normal", dtype="float32"
        )

    def call(self, inputs):
        inputs = ops.cast(inputs, "int32")
        return ops.take(self.embeddings, inputs, axis=0)

    def compute_mask(self, inputs, mask=None):
        if not self.mask_zero:
            return None
        return ops.not_equal(inputs, 0)


@example
def layer_that_makes_a_mask():
    layer = CustomEmbedding(10, 32, mask_zero=True)
    x = keras.random.randint((3, 10), 0, 9, seed=1)
    y = layer(x)
    lstm = layers.LSTM(4)
    inputs = keras.Input((10,), dtype="int32")
    model = keras.Model(inputs, lstm(layer(inputs)))
    return {
        "mask": layer.compute_mask(x),
        "carried": y._keras_mask,
        "y": y[:, 0, :4],
        "lstm": lstm(y),
        "model": model(x),
    }


class MyActivation(keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs):
        return ops.relu(inputs)


class Forgetful(keras.layers.Layer):
    def call(self, inputs):
        return ops.relu(inputs)


@example
def layer_that_passes_a_mask():
    inputs = keras.Input(shape=(None,), dtype="int32")
    x = layers.Embedding(input_dim=5000, output_dim=16, mask_zero=True)(inputs)
    x = MyActivation()(x)
    found = x._keras_mask is not None
    outputs = layers.LSTM(32)(x)
    model = keras.Model(inputs, outputs)
    embedding = model.layers[1]
    return {
        "found": found,
        "y": model(padded())[:, :6],
        "eager": MyActivation()(embedding(padded()))._keras_mask,
    }


@example
def layer_that_ends_a_mask():
    inputs = keras.Input(shape=(None,), dtype="int32")
    x = layers.Embedding(input_dim=5000, output_dim=16, mask_zero=True)(inputs)
    x = Forgetful()(x)
    outputs = layers.LSTM(32)(x)
    model = keras.Model(inputs, outputs)
    return {"found": getattr(x, "_keras_mask", None) is not None, "y": model(padded())[:, :6]}


class TemporalSoftmax(keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs, mask=None):
        assert mask is not None
        broadcast_float_mask = ops.expand_dims(ops.cast(mask, "float32"), -1)
        inputs_exp = ops.exp(inputs) * broadcast_float_mask
        inputs_sum = ops.sum(inputs_exp * broadcast_float_mask, axis=1, keepdims=True)
        return inputs_exp / inputs_sum


@example
def layer_that_reads_a_mask():
    inputs = keras.Input(shape=(None,), dtype="int32")
    x = layers.Embedding(input_dim=10, output_dim=32, mask_zero=True)(inputs)
    x = layers.Dense(1)(x)
    outputs = TemporalSoftmax()(x)
    model = keras.Model(inputs, outputs)
    x = keras.random.randint((4, 12), 0, 10, seed=1)
    return {"y": model(x), "predicted": model.predict(x, verbose=0)}


@example
def masks_in_training():
    model = keras.Sequential(
        [
            layers.Embedding(input_dim=10, output_dim=4, mask_zero=True),
            MyActivation(),
            layers.LSTM(3, return_sequences=True),
            layers.Dense(1),
        ]
    )
    model.compile(optimizer=keras.optimizers.SGD(0.1), loss="mse")
    x = keras.random.randint((8, 5), 0, 4, seed=1)
    y = keras.random.uniform((8, 5, 1), seed=2)
    run = model.fit(x, y, batch_size=4, epochs=3, shuffle=False, verbose=0)
    return {"loss": history(run)["loss"], "evaluated": float(model.evaluate(x, y, verbose=0))}
