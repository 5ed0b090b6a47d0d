"""Real Keras as the other side of tests/applications/keras_test.cpp.

    keras_applications.py --probe               exits with 0 when Keras can be used
    keras_applications.py write FOLDER NAME...  writes NAME.weights.h5 of networks with made-up weights, NAME.x.npy, and
                                                NAME.y.npy: the logits that Keras computes
    keras_applications.py check FOLDER NAME...  opens NAME.keras and compares with NAME.y.npy; exits with 1 on a difference
"""
import importlib.util
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
if "KERAS_BACKEND" not in os.environ:
    os.environ["KERAS_BACKEND"] = "tensorflow" if importlib.util.find_spec("tensorflow") else "jax"

import keras
import numpy as np

CLASSES = 10
LIMIT = 1e-5  # of the largest logit
SIZES = {"InceptionV3": 80, "InceptionResNetV2": 80, "Xception": 80}
RAW = ("MobileNetV3", "EfficientNet", "ConvNeXt")  # networks that prepare images themselves


def made_up(weight, layer, random):
    """Values with which activations neither die nor grow through a network."""
    kind, name, shape = type(layer).__name__, weight.name, tuple(weight.shape)
    if kind == "Normalization":
        return random.uniform(0.05, 0.5, shape)
    if name == "gamma" and kind == "LayerScale":
        return random.uniform(0.1, 0.3, shape)
    if name in ("gamma", "moving_variance"):
        return random.uniform(0.5, 1.5, shape)
    if "kernel" not in name:
        return random.uniform(-0.1, 0.1, shape)
    depthwise = "depthwise" in name or kind == "DepthwiseConv2D"
    inputs = np.prod(shape[:2]) if depthwise else np.prod(shape[:-1])
    bound = np.float32(0.8 * np.sqrt(6 / inputs))
    return (random.random(shape, dtype=np.float32) * 2 - 1) * bound


def fill(model, random):
    for layer in model._flatten_layers(include_self=False):
        for weight in layer._trainable_variables + layer._non_trainable_variables:
            if weight.name not in ("seed_generator_state", "count"):
                weight.assign(made_up(weight, layer, random))


def calibrate(model, x):
    """Gives normalizations the statistics that they meet, so that what networks compute depends on the image."""
    for layer in model.layers:
        if isinstance(layer, keras.layers.Normalization):
            layer.finalize_state()
    momenta = {l: l.momentum for l in model.layers if isinstance(l, keras.layers.BatchNormalization)}
    for layer in momenta:
        layer.momentum = 0.0
    if momenta:
        model(x, training=True)
    for layer, momentum in momenta.items():
        layer.momentum = momentum
        variance = keras.ops.convert_to_numpy(layer.moving_variance)
        # Channels that hardly vary would make much of rounding.
        layer.moving_variance.assign(np.maximum(variance, np.mean(variance)))


def write(folder, name):
    random = np.random.default_rng(len(name))
    size = SIZES.get(name, 64)
    keras.config.disable_interactive_logging()
    keras.utils.set_random_seed(1)
    model = getattr(keras.applications, name)(
        weights=None, input_shape=(size, size, 3), classes=CLASSES, classifier_activation=None
    )
    fill(model, random)
    contrast = np.linspace(0.3, 1, 8, dtype="float32")[:, None, None, None]
    x = random.uniform(-1, 1, (8, size, size, 3)).astype("float32") * contrast
    if name.startswith(RAW):
        x = (x + 1) * np.float32(127.5)
    calibrate(model, x)
    x = x[[0, 7]]
    y = model.predict(x, verbose=0)
    spread = np.abs(y[0] - y[1]).max() / np.abs(y).max()
    print(f"{name}: {len(model.layers)} layers, logits differ by {spread:.2g} between images", flush=True)
    np.save(folder / f"{name}.x.npy", x)
    np.save(folder / f"{name}.y.npy", y)
    model.save_weights(folder / f"{name}.weights.h5")
    return spread > 0.001


def check(folder, name):
    model = keras.saving.load_model(folder / f"{name}.keras")
    expected = np.load(folder / f"{name}.y.npy")
    found = model.predict(np.load(folder / f"{name}.x.npy"), verbose=0)
    error = np.abs(found - expected).max() / np.abs(expected).max()
    print(f"{name}: Keras opens it, error {error:.2g}", flush=True)
    return error <= LIMIT


def main(what, folder=None, *names):
    if what == "--probe":
        return
    step = {"write": write, "check": check}[what]
    right = True
    for name in names:
        keras.backend.clear_session()
        right &= bool(step(pathlib.Path(folder), name))
    sys.exit(0 if right else 1)


main(*sys.argv[1:])
