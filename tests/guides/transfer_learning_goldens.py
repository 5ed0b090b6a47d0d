"""Examples of the guide to transfer learning."""

import keras
import numpy as np
from keras import layers
from recording import example, history, summary


def counts(layer):
    return [len(layer.weights), len(layer.trainable_weights), len(layer.non_trainable_weights)]


@example
def weights_by_kind():
    dense = layers.Dense(3)
    dense.build((None, 4))
    norm = layers.BatchNormalization()
    norm.build((None, 4))
    frozen = layers.Dense(3)
    frozen.build((None, 4))
    frozen.trainable = False
    return {"dense": counts(dense), "norm": counts(norm), "frozen": counts(frozen)}


@example
def frozen_layer_in_training():
    layer1 = layers.Dense(3, activation="relu")
    layer2 = layers.Dense(3, activation="sigmoid")
    model = keras.Sequential([keras.Input(shape=(3,)), layer1, layer2])
    layer1.trainable = False
    before = layer1.get_weights()
    model.compile(optimizer="adam", loss="mse")
    run = model.fit(keras.random.uniform((2, 3), seed=1), keras.random.uniform((2, 3), seed=2), verbose=0)
    np.testing.assert_allclose(before[0], layer1.get_weights()[0])
    return {"loss": history(run)["loss"], "weights": model.get_weights()}


@example
def frozen_recursively():
    inner_model = keras.Sequential(
        [
            keras.Input(shape=(3,)),
            layers.Dense(3, activation="relu"),
            layers.Dense(3, activation="relu"),
        ]
    )
    model = keras.Sequential([keras.Input(shape=(3,)), inner_model, layers.Dense(3, activation="sigmoid")])
    model.trainable = False
    return {
        "inner": inner_model.trainable,
        "layer": inner_model.layers[0].trainable,
        "counts": counts(model),
        "summary": summary(model),
    }


def small_base():
    """A network with batch normalization in place of a large one with weights from a file."""
    inputs = keras.Input((12, 12, 3))
    x = layers.Conv2D(8, 3, strides=2, use_bias=False)(inputs)
    x = layers.BatchNormalization(momentum=0.9)(x)
    x = layers.ReLU()(x)
    x = layers.SeparableConv2D(6, 3)(x)
    return keras.Model(inputs, x, name="base")


def images_and_labels():
    return keras.random.uniform((16, 12, 12, 3), seed=1), keras.random.randint((16, 1), 0, 2, seed=2)


def model_on(base_model):
    inputs = keras.Input(shape=(12, 12, 3))
    x = base_model(inputs, training=False)
    x = layers.GlobalAveragePooling2D()(x)
    outputs = layers.Dense(1)(x)
    return keras.Model(inputs, outputs)


def compile_binary(model, optimizer):
    model.compile(
        optimizer=optimizer,
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.BinaryAccuracy()],
    )


@example
def head_and_fine_tuning():
    base_model = small_base()
    base_model.trainable = False
    model = model_on(base_model)
    frozen = summary(model)
    x, y = images_and_labels()
    compile_binary(model, keras.optimizers.Adam())
    head = history(model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0, validation_data=(x, y)))
    base_model.trainable = True
    compile_binary(model, keras.optimizers.Adam(1e-5))
    tuned = history(model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0, validation_data=(x, y)))
    return {
        "frozen": frozen,
        "head": head,
        "thawed": summary(model),
        "tuned": tuned,
        "moving_mean": base_model.get_layer("batch_normalization").moving_mean,
        "logits": model.predict(x[:4], verbose=0),
    }


@example
def statistics_follow_without_the_flag():
    base_model = small_base()
    inputs = keras.Input(shape=(12, 12, 3))
    x = base_model(inputs)
    x = layers.GlobalAveragePooling2D()(x)
    model = keras.Model(inputs, layers.Dense(1)(x))
    images, labels = images_and_labels()
    compile_binary(model, keras.optimizers.Adam(1e-5))
    run = model.fit(images, labels, batch_size=8, shuffle=False, verbose=0)
    norm = base_model.get_layer("batch_normalization")
    return {"loss": history(run)["loss"], "moving_mean": norm.moving_mean, "moving_variance": norm.moving_variance}


@example
def frozen_normalization_infers():
    norm = layers.BatchNormalization()
    x = keras.random.normal((8, 3), seed=1)
    trained = norm(x, training=True)
    norm.trainable = False
    return {"trained": trained, "frozen": norm(x, training=True), "moving_mean": norm.moving_mean}


@example
def loop_of_ones_own():
    import jax

    base_model = small_base()
    base_model.trainable = False
    model = model_on(base_model)
    loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    images, labels = images_and_labels()

    def loss_of(trainable, non_trainable, x, y):
        y_pred, _ = model.stateless_call(trainable, non_trainable, x)
        return loss_fn(y, y_pred)

    losses = []
    for i in range(2):
        x, y = images[8 * i : 8 * i + 8], labels[8 * i : 8 * i + 8]
        trainable = [v.value for v in model.trainable_variables]
        non_trainable = [v.value for v in model.non_trainable_variables]
        loss, gradients = jax.value_and_grad(loss_of)(trainable, non_trainable, x, y)
        optimizer.apply(gradients, model.trainable_variables)
        losses.append(float(loss))
    return {"losses": losses, "weights": [v.value for v in model.trainable_variables]}


@example
def features_first():
    base_model = small_base()
    images, labels = images_and_labels()
    features = base_model.predict(images, verbose=0)
    head = keras.Sequential([keras.Input(features.shape[1:]), layers.GlobalAveragePooling2D(), layers.Dense(1)])
    compile_binary(head, keras.optimizers.Adam())
    run = head.fit(features, labels, batch_size=8, epochs=2, shuffle=False, verbose=0)
    return {"shape": list(features.shape), "history": history(run)}


@example
def images_are_resized():
    resize_fn = layers.Resizing(15, 15)
    x = keras.random.uniform((1, 20, 25, 3), minval=0, maxval=255, seed=1)
    return {"image": resize_fn(x)[0, 3]}


@example
def images_are_augmented():
    augmentation_layers = [layers.RandomFlip("horizontal", seed=1), layers.RandomRotation(0.1, seed=2)]
    x = keras.random.uniform((2, 6, 6, 1), minval=0, maxval=255, seed=1)
    for layer in augmentation_layers:
        x = layer(x)
    return {"images": x}


@example
def end_to_end():
    base_model = small_base()
    base_model.trainable = False
    inputs = keras.Input(shape=(12, 12, 3))
    scale_layer = layers.Rescaling(scale=1 / 127.5, offset=-1)
    x = scale_layer(inputs)
    x = base_model(x, training=False)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(0.2)(x)
    outputs = layers.Dense(1)(x)
    model = keras.Model(inputs, outputs)
    images, labels = keras.random.uniform((16, 12, 12, 3), 0, 255, seed=3), images_and_labels()[1]
    compile_binary(model, keras.optimizers.Adam())
    run = model.fit(images, labels, batch_size=8, epochs=2, shuffle=False, verbose=0)
    scores = model.evaluate(images, labels, verbose=0)
    return {"summary": summary(model), "history": history(run), "scores": [float(s) for s in scores]}


@example
def large_base():
    base_model = keras.applications.Xception(weights=None, input_shape=(150, 150, 3), include_top=False)
    base_model.trainable = False
    inputs = keras.Input(shape=(150, 150, 3))
    x = layers.Rescaling(scale=1 / 127.5, offset=-1)(inputs)
    x = base_model(x, training=False)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(0.2)(x)
    model = keras.Model(inputs, layers.Dense(1)(x))
    return {"summary": summary(model), "output": list(base_model.output_shape)}
