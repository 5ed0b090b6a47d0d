"""Records what the examples of Keras's guide to training steps of one's own give on small data.

The guide's steps are written with TensorFlow's tape; here JAX
differentiates the same losses, in a loop that does what fit does around a step.
"""

import jax
import keras
import numpy as np
from keras import layers, ops

from recording import RESULT, numbers, uniform


def descend(model, optimizer, loss_of):
    """One update of the model's weights; loss_of takes a function that calls the model. Gives the loss."""
    others = [v.value for v in model.non_trainable_variables]

    def loss(values):
        return loss_of(lambda x: model.stateless_call(values, others, x)[0])

    value, gradients = jax.value_and_grad(loss)([v.value for v in model.trainable_variables])
    optimizer.apply(gradients, model.trainable_variables)
    return value


x, y, sw = uniform((100, 32), 1), uniform((100, 1), 2), uniform((100, 1), 3)


def custom_model():
    keras.utils.set_random_seed(1)
    inputs = keras.Input(shape=(32,))
    return keras.Model(inputs, keras.layers.Dense(1)(inputs))


def run(epochs, weighted):
    """Metrics take in each batch once: the loss of a smaller last batch counts as much as others."""
    model, optimizer = custom_model(), keras.optimizers.Adam()
    mse = keras.losses.MeanSquaredError()
    loss_tracker = keras.metrics.Mean(name="loss")
    mae_metric = keras.metrics.MeanAbsoluteError(name="mae")
    history = {"loss": [], "mae": []}
    for _ in range(epochs):
        loss_tracker.reset_state()
        mae_metric.reset_state()
        for begin in range(0, len(x), 32):
            rows = slice(begin, begin + 32)
            weight = sw[rows] if weighted else None
            predictions = model(x[rows])
            loss = descend(model, optimizer, lambda call: mse(y[rows], call(x[rows]), sample_weight=weight))
            loss_tracker.update_state(loss)
            mae_metric.update_state(y[rows], predictions, sample_weight=weight)
        history["loss"].append(float(loss_tracker.result()))
        history["mae"].append(float(mae_metric.result()))
    return model, {key: numbers(values) for key, values in history.items()}


def steps():
    model, history = run(3, False)
    RESULT["simple"] = {"history": history, "predictions": numbers(model(x[:4]))}
    model, history = run(3, True)
    RESULT["weighted"] = {"history": history, "predictions": numbers(model(x[:4]))}

    model = custom_model()
    loss, mae = keras.metrics.Mean(), keras.metrics.MeanAbsoluteError()
    for begin in range(0, len(x), 32):
        rows = slice(begin, begin + 32)
        loss.update_state(ops.mean(ops.square(y[rows] - model(x[rows]))))
        mae.update_state(y[rows], model(x[rows]))
    RESULT["evaluated"] = {"loss": numbers(loss.result()), "mae": numbers(mae.result())}


def gan():
    keras.utils.set_random_seed(1)
    discriminator = keras.Sequential(
        [
            keras.Input(shape=(8, 8, 1)),
            layers.Conv2D(4, (3, 3), strides=(2, 2), padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Conv2D(8, (3, 3), strides=(2, 2), padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.GlobalMaxPooling2D(),
            layers.Dense(1),
        ],
        name="discriminator",
    )
    latent_dim = 6
    generator = keras.Sequential(
        [
            keras.Input(shape=(latent_dim,)),
            layers.Dense(2 * 2 * 6),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Reshape((2, 2, 6)),
            layers.Conv2DTranspose(6, (4, 4), strides=(2, 2), padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Conv2DTranspose(6, (4, 4), strides=(2, 2), padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Conv2D(1, (7, 7), padding="same", activation="sigmoid"),
        ],
        name="generator",
    )
    images = uniform((48, 8, 8, 1), 4)
    seeds = keras.random.SeedGenerator(1337)
    d_optimizer = keras.optimizers.Adam(learning_rate=0.0003)
    g_optimizer = keras.optimizers.Adam(learning_rate=0.0003)
    loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)
    d_losses, g_losses = [], []
    for begin in range(0, len(images), 16):
        real = images[begin : begin + 16]
        noise = keras.random.normal(shape=(16, latent_dim), seed=seeds)
        combined = ops.concatenate([generator(noise), real], axis=0)
        labels = ops.concatenate([ops.ones((16, 1)), ops.zeros((16, 1))], axis=0)
        labels += 0.05 * keras.random.uniform(labels.shape, seed=seeds)
        d_losses.append(descend(discriminator, d_optimizer, lambda call: loss_fn(labels, call(combined))))
        noise = keras.random.normal(shape=(16, latent_dim), seed=seeds)
        misleading = ops.zeros((16, 1))
        g_losses.append(
            descend(generator, g_optimizer, lambda call: loss_fn(misleading, discriminator(call(noise))))
        )
    RESULT["gan"] = {
        "d_losses": numbers([float(v) for v in d_losses]),
        "g_losses": numbers([float(v) for v in g_losses]),
        "images": numbers(generator(uniform((1, latent_dim), 5))[0, 3, :, 0]),
    }


steps()
gan()
