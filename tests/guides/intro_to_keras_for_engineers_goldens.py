"""Records what the examples of Keras's introduction for engineers give on small images."""

import keras
import numpy as np

from recording import RESULT, keep, numbers


def images(count, seed):
    pixels = np.asarray(keras.random.randint((count, 12, 12), 0, 256, seed=seed)).astype("uint8")
    return np.expand_dims(pixels.astype("float32") / 255, -1)


def labels(count, seed):
    return np.asarray(keras.random.randint((count,), 0, 10, seed=seed)).astype("uint8")


x_train, y_train = images(80, 1), labels(80, 2)
x_test, y_test = images(20, 3), labels(20, 4)


def compiled(model):
    model.compile(
        loss=keras.losses.SparseCategoricalCrossentropy(),
        optimizer=keras.optimizers.Adam(learning_rate=1e-3),
        metrics=[keras.metrics.SparseCategoricalAccuracy(name="acc")],
    )
    return model


def convnet():
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.layers.Input(shape=(12, 12, 1)),
            keras.layers.Conv2D(4, kernel_size=(3, 3), activation="relu"),
            keras.layers.Conv2D(4, kernel_size=(3, 3), activation="relu"),
            keras.layers.MaxPooling2D(pool_size=(2, 2)),
            keras.layers.Conv2D(8, kernel_size=(3, 3), activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dropout(0.5),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    params = [layer.count_params() for layer in model.layers]
    compiled(model)
    stopping = keras.callbacks.EarlyStopping(monitor="val_loss", patience=2)
    keep(
        "convnet",
        model.fit(
            x_train,
            y_train,
            batch_size=32,
            epochs=4,
            validation_split=0.15,
            callbacks=[stopping],
            shuffle=False,
            verbose=0,
        ),
    )
    RESULT["convnet"]["params"] = params
    RESULT["convnet"]["score"] = numbers(model.evaluate(x_test, y_test, verbose=0))
    RESULT["convnet"]["predictions"] = numbers(model.predict(x_test[:2], verbose=0))


class MyDense(keras.layers.Layer):
    def __init__(self, units, activation=None, name=None):
        super().__init__(name=name)
        self.units = units
        self.activation = keras.activations.get(activation)

    def build(self, input_shape):
        self.w = self.add_weight(
            shape=(input_shape[-1], self.units), initializer=keras.initializers.GlorotNormal(), name="kernel"
        )
        self.b = self.add_weight(shape=(self.units,), initializer=keras.initializers.Zeros(), name="bias")

    def call(self, inputs):
        return self.activation(keras.ops.matmul(inputs, self.w) + self.b)


class MyDropout(keras.layers.Layer):
    def __init__(self, rate, name=None):
        super().__init__(name=name)
        self.rate = rate
        self.seed_generator = keras.random.SeedGenerator(1337)

    def call(self, inputs):
        return keras.random.dropout(inputs, self.rate, seed=self.seed_generator)


class MyModel(keras.Model):
    def __init__(self, num_classes):
        super().__init__()
        self.conv_base = keras.Sequential(
            [
                keras.layers.Conv2D(4, kernel_size=(3, 3), activation="relu"),
                keras.layers.MaxPooling2D(pool_size=(2, 2)),
                keras.layers.Conv2D(8, kernel_size=(3, 3), activation="relu"),
                keras.layers.GlobalAveragePooling2D(),
            ]
        )
        self.dp = MyDropout(0.5)
        self.dense = MyDense(num_classes, activation="softmax")

    def call(self, x):
        return self.dense(self.dp(self.conv_base(x)))


def components():
    keras.utils.set_random_seed(1)
    vectors = np.asarray(keras.random.normal((2, 6), seed=5))
    dense = MyDense(3, activation="relu")
    RESULT["components"] = {"my_dense": numbers(dense(vectors))}
    dropout = MyDropout(0.5)
    RESULT["components"]["my_dropout_1"] = numbers(dropout(vectors))
    RESULT["components"]["my_dropout_2"] = numbers(dropout(vectors))


def subclassed():
    keras.utils.set_random_seed(1)
    model = compiled(MyModel(num_classes=10))
    keep(
        "subclassed",
        model.fit(x_train, y_train, batch_size=32, epochs=2, validation_split=0.15, shuffle=False, verbose=0),
    )
    keras.utils.set_random_seed(1)
    model = compiled(MyModel(num_classes=10))
    keep(
        "pipeline",
        model.fit(
            x_train, y_train, batch_size=32, epochs=1, validation_data=(x_test, y_test), shuffle=False, verbose=0
        ),
    )


convnet()
components()
subclassed()
