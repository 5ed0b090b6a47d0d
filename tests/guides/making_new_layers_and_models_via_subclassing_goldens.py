"""Examples of the guide to layers and models of one's own."""

import keras
import numpy as np
from keras import layers, ops
from recording import example, history


class LinearWithInput(keras.layers.Layer):
    def __init__(self, units=32, input_dim=32):
        super().__init__()
        self.w = self.add_weight(shape=(input_dim, units), initializer="random_normal", trainable=True)
        self.b = self.add_weight(shape=(units,), initializer="zeros", trainable=True)

    def call(self, inputs):
        return ops.matmul(inputs, self.w) + self.b


@example
def weights_in_the_constructor():
    linear_layer = LinearWithInput(4, 2)
    y = linear_layer(ops.ones((2, 2)))
    assert linear_layer.weights == [linear_layer.w, linear_layer.b]
    return {"y": y, "w": linear_layer.w, "name": linear_layer.name}


class ComputeSum(keras.layers.Layer):
    def __init__(self, input_dim):
        super().__init__()
        self.total = self.add_weight(initializer="zeros", shape=(input_dim,), trainable=False)

    def call(self, inputs):
        self.total.assign_add(ops.sum(inputs, axis=0))
        return self.total.value


@example
def weight_that_is_not_trained():
    my_sum = ComputeSum(2)
    x = ops.ones((2, 2))
    first = np.array(my_sum(x))
    second = np.array(my_sum(x))
    counts = [len(my_sum.weights), len(my_sum.non_trainable_weights), len(my_sum.trainable_weights)]
    return {"first": first, "second": second, "counts": counts, "name": my_sum.name}


class Linear(keras.layers.Layer):
    def __init__(self, units=32, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="random_normal", trainable=True)
        self.b = self.add_weight(shape=(self.units,), initializer="random_normal", trainable=True)

    def call(self, inputs):
        return ops.matmul(inputs, self.w) + self.b

    def get_config(self):
        config = super().get_config()
        config.update({"units": self.units})
        return config


@example
def weights_in_build():
    linear_layer = Linear(32)
    before = len(linear_layer.weights)
    y = linear_layer(ops.ones((2, 2)))
    return {"before": before, "shapes": [list(w.shape) for w in linear_layer.weights], "y": y}


class MLPBlock(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.linear_1 = Linear(32)
        self.linear_2 = Linear(32)
        self.linear_3 = Linear(1)

    def call(self, inputs):
        x = self.linear_1(inputs)
        x = keras.activations.relu(x)
        x = self.linear_2(x)
        x = keras.activations.relu(x)
        return self.linear_3(x)


@example
def layers_in_layers():
    mlp = MLPBlock()
    y = mlp(ops.ones(shape=(3, 64)))
    return {
        "y": y,
        "counts": [len(mlp.weights), len(mlp.trainable_weights)],
        "names": [w.path.split("/")[-2:] for w in mlp.weights],
    }


class ActivityRegularizationLayer(keras.layers.Layer):
    def __init__(self, rate=1e-2):
        super().__init__()
        self.rate = rate

    def call(self, inputs):
        self.add_loss(self.rate * ops.mean(inputs))
        return inputs


class OuterLayer(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.activity_reg = ActivityRegularizationLayer(1e-2)

    def call(self, inputs):
        return self.activity_reg(inputs)


@example
def losses_of_a_call():
    layer = OuterLayer()
    counts = [len(layer.losses)]
    _ = layer(ops.zeros((1, 1)))
    counts.append(len(layer.losses))
    _ = layer(ops.ones((1, 1)))
    counts.append(len(layer.losses))
    return {"counts": counts, "loss": float(layer.losses[0])}


class OuterLayerWithKernelRegularizer(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(32, kernel_regularizer=keras.regularizers.l2(1e-3))

    def call(self, inputs):
        return self.dense(inputs)


@example
def losses_of_weights():
    layer = OuterLayerWithKernelRegularizer()
    _ = layer(ops.zeros((1, 1)))
    return {"losses": [float(loss) for loss in layer.losses]}


def small_data():
    return keras.random.uniform((2, 3), seed=1), keras.random.uniform((2, 3), seed=2)


@example
def added_losses_in_fit():
    inputs = keras.Input(shape=(3,))
    outputs = ActivityRegularizationLayer()(inputs)
    model = keras.Model(inputs, outputs)
    x, y = small_data()
    model.compile(optimizer="adam", loss="mse")
    return {"with_mse": history(model.fit(x, y, verbose=0))["loss"]}


@example
def added_losses_alone():
    inputs = keras.Input(shape=(3,))
    outputs = ActivityRegularizationLayer()(layers.Dense(2)(inputs))
    model = keras.Model(inputs, outputs)
    model.compile(optimizer="adam")
    x, y = keras.random.uniform((2, 3), seed=1), keras.random.uniform((2, 2), seed=2)
    run = model.fit(x, y, epochs=2, verbose=0)
    return {"loss": history(run)["loss"], "kernel": model.get_weights()[0]}


@example
def added_losses_move_weights():
    inputs = keras.Input(shape=(3,))
    x = layers.Dense(4, activation="relu", kernel_regularizer="l2")(inputs)
    outputs = layers.Dense(3)(ActivityRegularizationLayer(0.5)(x))
    model = keras.Model(inputs, outputs)
    x, y = small_data()
    model.compile(optimizer=keras.optimizers.SGD(0.1), loss="mse")
    run = model.fit(x, y, epochs=3, verbose=0)
    return {"loss": history(run)["loss"], "weights": model.get_weights()}


@example
def configs():
    layer = Linear(64)
    named = Linear(8, name="projection", trainable=False)
    new_layer = Linear.from_config(named.get_config())
    return {
        "units": layer.get_config()["units"],
        "keys": list(layer.get_config()),
        "name": layer.get_config()["name"],
        "new": [new_layer.units, new_layer.name, new_layer.trainable],
    }


class CustomDropout(keras.layers.Layer):
    def __init__(self, rate, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate
        self.seed_generator = keras.random.SeedGenerator(1337)

    def call(self, inputs, training=None):
        if training:
            return keras.random.dropout(inputs, rate=self.rate, seed=self.seed_generator)
        return inputs


@example
def training_argument():
    layer = CustomDropout(0.5)
    x = keras.random.uniform((3, 4), seed=1)
    inputs = keras.Input((4,))
    model = keras.Model(inputs, CustomDropout(0.5)(inputs))
    return {
        "default": layer(x),
        "first": layer(x, training=True),
        "second": layer(x, training=True),
        "inference": layer(x, training=False),
        "model": model(x, training=True),
        "predicted": model.predict(x, verbose=0),
    }


class ResNetBlock(keras.layers.Layer):
    def __init__(self, filters):
        super().__init__()
        self.conv_1 = layers.Conv2D(filters, 3, padding="same", activation="relu")
        self.conv_2 = layers.Conv2D(filters, 3, padding="same")
        self.norm = layers.BatchNormalization()

    # In fit on JAX, layers inside know that they train where they are told. Cornu's always know.
    def call(self, inputs, training=None):
        x = self.norm(self.conv_2(self.conv_1(inputs)), training=training)
        return ops.relu(x + inputs)


class ResNet(keras.Model):
    def __init__(self, num_classes=1000):
        super().__init__()
        self.block_1 = ResNetBlock(4)
        self.block_2 = ResNetBlock(4)
        self.global_pool = layers.GlobalAveragePooling2D()
        self.classifier = layers.Dense(num_classes)

    def call(self, inputs, training=None):
        x = self.block_1(inputs, training=training)
        x = self.block_2(x, training=training)
        x = self.global_pool(x)
        return self.classifier(x)


@example
def model_of_blocks():
    resnet = ResNet(3)
    x, y = keras.random.uniform((8, 6, 6, 4), seed=1), keras.random.randint((8,), 0, 3, seed=2)
    resnet.compile(
        optimizer=keras.optimizers.SGD(0.1),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    run = resnet.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
    return {
        "name": resnet.name,
        "layers": [layer.name for layer in resnet.layers],
        "names": [w.path.split("/")[-2:] for w in resnet.weights],
        "params": [resnet.count_params(), sum(int(np.prod(w.shape)) for w in resnet.trainable_weights)],
        "history": history(run),
        "y": resnet.predict(x[:2], verbose=0),
    }


class Sampling(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seed_generator = keras.random.SeedGenerator(1337)

    def call(self, inputs):
        z_mean, z_log_var = inputs
        batch = ops.shape(z_mean)[0]
        dim = ops.shape(z_mean)[1]
        epsilon = keras.random.normal(shape=(batch, dim), seed=self.seed_generator)
        return z_mean + ops.exp(0.5 * z_log_var) * epsilon


class Encoder(layers.Layer):
    def __init__(self, latent_dim=32, intermediate_dim=64, name="encoder", **kwargs):
        super().__init__(name=name, **kwargs)
        self.dense_proj = layers.Dense(intermediate_dim, activation="relu")
        self.dense_mean = layers.Dense(latent_dim)
        self.dense_log_var = layers.Dense(latent_dim)
        self.sampling = Sampling()

    def call(self, inputs):
        x = self.dense_proj(inputs)
        z_mean = self.dense_mean(x)
        z_log_var = self.dense_log_var(x)
        z = self.sampling((z_mean, z_log_var))
        return z_mean, z_log_var, z


class Decoder(layers.Layer):
    def __init__(self, original_dim, intermediate_dim=64, name="decoder", **kwargs):
        super().__init__(name=name, **kwargs)
        self.dense_proj = layers.Dense(intermediate_dim, activation="relu")
        self.dense_output = layers.Dense(original_dim, activation="sigmoid")

    def call(self, inputs):
        x = self.dense_proj(inputs)
        return self.dense_output(x)


class VariationalAutoEncoder(keras.Model):
    def __init__(self, original_dim, intermediate_dim=64, latent_dim=32, name="autoencoder", **kwargs):
        super().__init__(name=name, **kwargs)
        self.original_dim = original_dim
        self.encoder = Encoder(latent_dim=latent_dim, intermediate_dim=intermediate_dim)
        self.decoder = Decoder(original_dim, intermediate_dim=intermediate_dim)

    def call(self, inputs):
        z_mean, z_log_var, z = self.encoder(inputs)
        reconstructed = self.decoder(z)
        kl_loss = -0.5 * ops.mean(z_log_var - ops.square(z_mean) - ops.exp(z_log_var) + 1)
        self.add_loss(kl_loss)
        return reconstructed


@example
def variational_autoencoder():
    original_dim = 784
    vae = VariationalAutoEncoder(784, 64, 32)
    x_train = keras.random.uniform((128, original_dim), seed=1)
    optimizer = keras.optimizers.Adam(learning_rate=1e-3)
    vae.compile(optimizer, loss=keras.losses.MeanSquaredError())
    run = vae.fit(x_train, x_train, epochs=2, batch_size=64, shuffle=False, verbose=0)
    return {
        "name": vae.name,
        "layers": [layer.name for layer in vae.layers],
        "params": vae.count_params(),
        "loss": history(run)["loss"],
        "y": vae(x_train[:2])[:, :5],
        "names": [w.path.split("/")[-2:] for w in vae.weights],
    }
