"""Records what the examples of Keras's guide to fit and evaluate give on small data."""

import math

import keras
import numpy as np
from keras import layers, ops

from recording import RESULT, keep, numbers, uniform


def digits(shape, seed):
    return np.asarray(keras.random.randint(shape, 0, 10, seed=seed)).astype("float32")


x_train, y_train = uniform((160, 32), 1), digits((160,), 2)
x_val, y_val = uniform((48, 32), 3), digits((48,), 4)
x_test, y_test = uniform((64, 32), 5), digits((64,), 6)


def get_uncompiled_model(between=None, activation="softmax"):
    keras.utils.set_random_seed(1)
    inputs = keras.Input(shape=(32,), name="digits")
    x = layers.Dense(16, activation="relu", name="dense_1")(inputs)
    if between:
        x = between(x)
    x = layers.Dense(16, activation="relu", name="dense_2")(x)
    outputs = layers.Dense(10, activation=activation, name="predictions")(x)
    return keras.Model(inputs=inputs, outputs=outputs)


def get_compiled_model():
    model = get_uncompiled_model()
    model.compile(
        optimizer="rmsprop",
        loss="sparse_categorical_crossentropy",
        metrics=["sparse_categorical_accuracy"],
    )
    return model


def fit(model, *data, **options):
    return model.fit(*data, shuffle=False, verbose=0, **options)


def first_example():
    model = get_uncompiled_model()
    model.compile(
        optimizer=keras.optimizers.RMSprop(),
        loss=keras.losses.SparseCategoricalCrossentropy(),
        metrics=[keras.metrics.SparseCategoricalAccuracy()],
    )
    keep("first", fit(model, x_train, y_train, batch_size=64, epochs=2, validation_data=(x_val, y_val)))
    RESULT["first"]["results"] = numbers(model.evaluate(x_test, y_test, batch_size=128, verbose=0))
    RESULT["first"]["predictions"] = numbers(model.predict(x_test[:3], verbose=0))


def custom_mean_squared_error(y_true, y_pred):
    return ops.mean(ops.square(y_true - y_pred), axis=-1)


class CustomMSE(keras.losses.Loss):
    def __init__(self, regularization_factor=0.1, name="custom_mse"):
        super().__init__(name=name)
        self.regularization_factor = regularization_factor

    def call(self, y_true, y_pred):
        mse = ops.mean(ops.square(y_true - y_pred), axis=-1)
        reg = ops.mean(ops.square(0.5 - y_pred), axis=-1)
        return mse + reg * self.regularization_factor


class CategoricalTruePositives(keras.metrics.Metric):
    def __init__(self, name="categorical_true_positives", **kwargs):
        super().__init__(name=name, **kwargs)
        self.true_positives = self.add_variable(shape=(), name="ctp", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_pred = ops.reshape(ops.argmax(y_pred, axis=1), (-1, 1))
        values = ops.cast(y_true, "int32") == ops.cast(y_pred, "int32")
        values = ops.cast(values, "float32")
        if sample_weight is not None:
            values = ops.multiply(values, ops.cast(sample_weight, "float32"))
        self.true_positives.assign_add(ops.sum(values))

    def result(self):
        return self.true_positives.value

    def reset_state(self):
        self.true_positives.assign(0.0)


def losses_and_metrics():
    one_hot = ops.one_hot(y_train, num_classes=10)
    for name, loss in [("function", custom_mean_squared_error), ("class", CustomMSE())]:
        model = get_uncompiled_model()
        model.compile(optimizer=keras.optimizers.Adam(), loss=loss)
        keep(name, fit(model, x_train, one_hot, batch_size=64, epochs=2))
    for name, targets in [("rows", y_train), ("column", y_train[:, None])]:
        model = get_uncompiled_model()
        model.compile(
            optimizer=keras.optimizers.RMSprop(learning_rate=1e-3),
            loss=keras.losses.SparseCategoricalCrossentropy(),
            metrics=[CategoricalTruePositives()],
        )
        keep("true_positives_of_" + name, fit(model, x_train, targets, batch_size=64, epochs=3))


class ActivityRegularizationLayer(layers.Layer):
    def call(self, inputs):
        self.add_loss(ops.sum(inputs) * 0.1)
        return inputs


class LogisticEndpoint(keras.layers.Layer):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)

    def call(self, targets, logits, sample_weights=None):
        self.add_loss(self.loss_fn(targets, logits, sample_weights))
        return ops.softmax(logits)


def added_losses():
    model = get_uncompiled_model(ActivityRegularizationLayer(), None)
    model.compile(
        optimizer=keras.optimizers.RMSprop(learning_rate=1e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    keep("activity", fit(model, x_train, y_train, batch_size=64, epochs=2))

    keras.utils.set_random_seed(1)
    inputs = keras.Input(shape=(3,), name="inputs")
    targets = keras.Input(shape=(10,), name="targets")
    logits = keras.layers.Dense(10)(inputs)
    predictions = LogisticEndpoint(name="predictions")(targets, logits)
    model = keras.Model(inputs=[inputs, targets], outputs=predictions)
    model.compile(optimizer="adam")
    data = {"inputs": uniform((3, 3), 7), "targets": uniform((3, 10), 8)}
    keep("endpoint", model.fit(data, epochs=2, verbose=0))
    RESULT["endpoint"]["predictions"] = numbers(model.predict(data, verbose=0))


class ExamplePyDataset(keras.utils.PyDataset):
    def __init__(self, x, y, batch_size, **kwargs):
        super().__init__(**kwargs)
        self.x = x
        self.y = y
        self.batch_size = batch_size

    def __len__(self):
        return math.ceil(len(self.x) / self.batch_size)

    def __getitem__(self, idx):
        rows = slice(idx * self.batch_size, (idx + 1) * self.batch_size)
        return self.x[rows], self.y[rows]


def datasets():
    keep("split", fit(get_compiled_model(), x_train, y_train, batch_size=64, validation_split=0.2, epochs=1))
    train, val = ExamplePyDataset(x_train, y_train, 64), ExamplePyDataset(x_val, y_val, 16)
    model = get_compiled_model()
    keep("dataset", fit(model, train, epochs=3))
    RESULT["dataset"]["results"] = numbers(model.evaluate(val, verbose=0))
    keep("validated", fit(get_compiled_model(), train, epochs=1, validation_data=val))
    keep("validated_in_part", fit(get_compiled_model(), train, epochs=1, validation_data=val, validation_steps=2))

    # Six batches of 16 for three epochs of two steps: what steps_per_epoch makes of a dataset that goes on.
    small = get_compiled_model()
    losses = []
    for epoch in range(3):
        rows = slice(epoch * 32, (epoch + 1) * 32)
        losses += fit(small, x_train[rows], y_train[rows], batch_size=16).history["loss"]
    RESULT["steps"] = {"history": {"loss": numbers(losses)}}


def weights():
    class_weight = {i: 2.0 if i == 5 else 1.0 for i in range(10)}
    sample_weight = np.ones(shape=(len(y_train),))
    sample_weight[y_train == 5] = 2.0
    keep("class_weight", fit(get_compiled_model(), x_train, y_train, class_weight=class_weight, batch_size=64, epochs=2))
    keep("sample_weight", fit(get_compiled_model(), x_train, y_train, sample_weight=sample_weight, batch_size=64, epochs=2))


def image_and_series_model():
    keras.utils.set_random_seed(1)
    image_input = keras.Input(shape=(8, 8, 3), name="img_input")
    timeseries_input = keras.Input(shape=(None, 10), name="ts_input")
    x1 = layers.GlobalMaxPooling2D()(layers.Conv2D(3, 3)(image_input))
    x2 = layers.GlobalMaxPooling1D()(layers.Conv1D(3, 3)(timeseries_input))
    x = layers.concatenate([x1, x2])
    score_output = layers.Dense(1, name="score_output")(x)
    class_output = layers.Dense(5, activation="softmax", name="class_output")(x)
    return keras.Model(inputs=[image_input, timeseries_input], outputs=[score_output, class_output])


def several():
    images, series = uniform((50, 8, 8, 3), 9), uniform((50, 12, 10), 10)
    scores, classes = uniform((50, 1), 11), uniform((50, 5), 12)
    mse, cce = keras.losses.MeanSquaredError, keras.losses.CategoricalCrossentropy
    percent, mae = keras.metrics.MeanAbsolutePercentageError, keras.metrics.MeanAbsoluteError
    accuracy = keras.metrics.CategoricalAccuracy
    for name, compiled in {
        "plain": dict(loss=[mse(), cce()]),
        "measured": dict(loss=[mse(), cce()], metrics=[[percent(), mae()], [accuracy()]]),
        "weighted": dict(
            loss={"score_output": mse(), "class_output": cce()},
            metrics={"score_output": [percent(), mae()], "class_output": [accuracy()]},
            loss_weights={"score_output": 2.0, "class_output": 1.0},
        ),
        "one_list": dict(loss=[None, cce()]),
    }.items():
        # A new model each time: one that is compiled again without metrics keeps those from before.
        model = image_and_series_model()
        model.compile(optimizer=keras.optimizers.RMSprop(1e-3), **compiled)
        keep("several_" + name, fit(model, [images, series], [scores, classes], batch_size=32, epochs=2))


class LossHistory(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.per_batch_losses = []

    def on_train_batch_end(self, batch, logs=None):
        self.per_batch_losses.append(logs.get("loss"))


def callbacks():
    stopping = keras.callbacks.EarlyStopping(monitor="val_loss", min_delta=1e-2, patience=2)
    history = LossHistory()
    keep(
        "stopped",
        fit(
            get_compiled_model(),
            x_train,
            y_train,
            epochs=20,
            batch_size=64,
            callbacks=[stopping, history],
            validation_split=0.2,
        ),
    )
    RESULT["stopped"]["per_batch_losses"] = numbers(history.per_batch_losses)
    RESULT["stopped"]["epoch"] = [stopping.stopped_epoch]

    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, decay_steps=2, decay_rate=0.96, staircase=True)
    model = get_uncompiled_model()
    model.compile(
        optimizer=keras.optimizers.RMSprop(learning_rate=schedule), loss="sparse_categorical_crossentropy"
    )
    keep("schedule", fit(model, x_train, y_train, batch_size=64, epochs=2))
    RESULT["schedule"]["rates"] = numbers([schedule(step) for step in range(6)])


first_example()
losses_and_metrics()
added_losses()
datasets()
weights()
several()
callbacks()
