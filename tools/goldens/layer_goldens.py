"""Records what Keras's layers compute, for tests/layers/golden_test.cpp.

Run with Keras 3.15 on the JAX backend: KERAS_BACKEND=jax python layer_goldens.py tests/data/layers.json
Each case holds the layer's config, its weights, inputs and masks, outputs, the gradients of sum(output * cotangent),
and the weights that the call changed.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import jax
import keras
import numpy as np
from keras import layers as L

random = np.random.default_rng(7)


def array(a):
    a = np.asarray(a)
    values = a.ravel().tolist()
    if a.dtype.kind == "f":
        values = [float(f"{v:.6g}") for v in values]
    elif a.dtype.kind == "b":
        values = [int(v) for v in values]
    return {"shape": list(a.shape), "dtype": str(a.dtype), "values": values}


def normal(*shape):
    values = random.normal(size=shape).round(2).astype("float32")
    return np.where(values == 0, np.float32(0.5), values)  # no value on the corner of a rectifier


def record(name, layer, inputs, mask=None, masks=None, training=None, kwargs=None, randomize=True):
    many = isinstance(inputs, list)
    xs = inputs if many else [inputs]
    shapes = [x.shape for x in xs]
    if layer.__class__ is not L.Embedding or not layer.built:
        layer.build(shapes if many else shapes[0])
    layer.built = True
    for w in layer.weights:
        if randomize:
            value = (random.normal(size=w.shape) * 0.5).round(2)
            w.assign(np.abs(value) + 0.5 if "variance" in w.path or "stddev" in w.path else value)
    before = [np.asarray(w) for w in layer.weights]
    trainable = [w.value for w in layer.trainable_variables]
    fixed = [w.value for w in layer.non_trainable_variables]
    cotangents = []
    state = {}

    def run(trainable, floats):
        full, k = [], 0
        for x in xs:
            if x.dtype.kind == "f":
                full.append(floats[k])
                k += 1
            else:
                full.append(x)
        if masks:
            for x, m in zip(full, masks):
                if m is not None:
                    keras.src.backend.set_keras_mask(x, m)
        call = dict(kwargs or {})
        if training is not None:
            call["training"] = training
        if mask is not None:
            call["mask"] = mask
        out, new_fixed = layer.stateless_call(trainable, fixed, full if many else full[0], **call)
        outs = list(out) if isinstance(out, (list, tuple)) else [out]
        state["structure"] = isinstance(out, (list, tuple))
        state["outs"], state["fixed"] = outs, new_fixed
        if not cotangents:
            cotangents.extend(normal(*o.shape) for o in outs)
        return sum((o * c).sum() for o, c in zip(outs, cotangents))

    floats = [x for x in xs if x.dtype.kind == "f"]
    run(trainable, floats)
    outs = [np.asarray(o) for o in state["outs"]]
    # Without the states of seeds, which are not weights.
    kept = {id(w) for w in layer.weights}
    after = [np.asarray(v) for w, v in zip(layer.non_trainable_variables, state["fixed"]) if id(w) in kept]
    g_weights, g_inputs = jax.grad(run, argnums=(0, 1))(trainable, floats)
    config = keras.saving.serialize_keras_object(layer)
    config.pop("build_config", None)
    case = {
        "name": name,
        "layer": config,
        "inputs": [array(x) for x in xs],
        "many": many,
        "outputs": [array(o) for o in outs],
        "cotangents": [array(c) for c in cotangents],
        "weights": [array(w) for w in before],
        "weight_gradients": [array(g) for g in g_weights],
        "input_gradients": [array(g) for g in g_inputs],
    }
    if training:
        case["state_after"] = [array(a) for a in after]
    if training is not None:
        case["training"] = training
    if mask is not None:
        case["mask"] = array(mask)
    if masks:
        case["masks"] = [None if m is None else array(m) for m in masks]
    if kwargs:
        case["initial_state"] = [array(t) for t in kwargs["initial_state"]]
    return case


def cases():
    x2, x3, img = normal(3, 4), normal(2, 5, 3), normal(2, 4, 5, 2)
    steps = np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1]], bool)
    yield record("dense", L.Dense(3, activation="tanh"), x2)
    yield record("dense 3d", L.Dense(4, use_bias=False, activation="gelu"), x3)
    yield record("activation", L.Activation("softplus"), x2)
    yield record("embedding", L.Embedding(6, 3), random.integers(0, 6, size=(2, 4)).astype("int32"))
    yield record("masking", L.Masking(), np.where(steps[..., None], x3, 0).astype("float32"))
    yield record("relu", L.ReLU(max_value=1.0, negative_slope=0.1, threshold=0.2), x2)
    yield record("leaky relu", L.LeakyReLU(), x2)
    yield record("elu", L.ELU(alpha=0.7), x2)
    yield record("softmax", L.Softmax(), x2)
    yield record("softmax axes", L.Softmax(axis=[1, 2]), x3)
    yield record("softmax mask", L.Softmax(), x2, mask=np.array([[1, 1, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]], bool))
    yield record("conv2d", L.Conv2D(3, 3, activation="sigmoid"), img)
    yield record("conv2d same stride", L.Conv2D(4, (2, 3), strides=2, padding="same"), img)
    yield record("conv2d groups", L.Conv2D(4, 2, groups=2, dilation_rate=2, use_bias=False), img)
    yield record("conv2d channels first", L.Conv2D(3, 2, data_format="channels_first"), normal(2, 3, 4, 5))
    yield record("conv1d", L.Conv1D(4, 2, padding="causal", dilation_rate=2, activation="tanh"), x3)
    yield record("conv3d", L.Conv3D(2, 2, padding="same"), normal(1, 3, 3, 4, 2))
    yield record("max pooling", L.MaxPooling2D(), img)
    yield record("max pooling same", L.MaxPooling2D(3, strides=2, padding="same"), img)
    yield record("average pooling", L.AveragePooling2D((2, 3), strides=1, padding="same"), img)
    yield record("max pooling 1d", L.MaxPooling1D(2), x3)
    yield record("average pooling 1d", L.AveragePooling1D(2, strides=1), x3)
    yield record("global average", L.GlobalAveragePooling2D(), img)
    yield record("global max", L.GlobalMaxPooling2D(keepdims=True, data_format="channels_first"), img)
    yield record("global average 1d", L.GlobalAveragePooling1D(), x3, mask=steps)
    yield record("global max 1d", L.GlobalMaxPooling1D(), x3)
    yield record("flatten", L.Flatten(), x3)
    yield record("flatten channels first", L.Flatten(data_format="channels_first"), img)
    yield record("reshape", L.Reshape((3, -1)), x3)
    yield record("permute", L.Permute((2, 1)), x3)
    yield record("zero padding", L.ZeroPadding2D(((1, 0), (2, 1))), img)
    yield record("dropout", L.Dropout(0.4, seed=3), x3, training=True)
    yield record("dropout noise shape", L.Dropout(0.5, noise_shape=(None, 1, 3), seed=4), x3, training=True)
    yield record("dropout inference", L.Dropout(0.4, seed=3), x3)
    yield record("batch norm training", L.BatchNormalization(momentum=0.9), img, training=True)
    yield record("batch norm inference", L.BatchNormalization(), img)
    yield record("batch norm axis", L.BatchNormalization(axis=1, center=False, epsilon=0.01), img, training=True)
    yield record("batch norm mask", L.BatchNormalization(), x3, training=True, mask=steps)
    yield record("batch norm frozen", L.BatchNormalization(scale=False, trainable=False), x3, training=True)
    clipping = {"rmax": 1.5, "rmin": 0.6, "dmax": 0.4}
    yield record("batch norm renorm", L.BatchNormalization(renorm=True, renorm_clipping=clipping), x3, training=True)
    yield record("layer norm", L.LayerNormalization(), x3)
    yield record("layer norm axes", L.LayerNormalization(axis=[1, 3], epsilon=1e-5), img)
    yield record("layer norm plain", L.LayerNormalization(axis=1, center=False, scale=False), x3)
    yield record("lstm", L.LSTM(4), x3)
    yield record("lstm sequences", L.LSTM(3, return_sequences=True, return_state=True), x3)
    yield record("lstm backwards", L.LSTM(3, return_sequences=True, go_backwards=True, use_bias=False), x3)
    yield record("lstm mask", L.LSTM(3, return_sequences=True, return_state=True), x3, mask=steps)
    yield record("lstm mask zero", L.LSTM(3, return_sequences=True, zero_output_for_mask=True), x3, mask=steps)
    state = [normal(2, 3), normal(2, 3)]
    yield record("lstm unroll mask", L.LSTM(3, return_sequences=True, unroll=True), x3, mask=steps,
                 kwargs={"initial_state": state})
    yield record("lstm state", L.LSTM(3), x3, kwargs={"initial_state": state})
    yield record("lstm activations", L.LSTM(3, activation="relu", recurrent_activation="hard_sigmoid"), x3)
    yield record("lstm dropout", L.LSTM(3, dropout=0.4, seed=5), x3, training=True)
    yield record("lstm recurrent dropout", L.LSTM(3, dropout=0.3, recurrent_dropout=0.4, seed=6), x3, training=True)
    a, b, c = normal(2, 3, 4), normal(2, 3, 4), normal(2, 1, 4)
    m = [np.array([[1, 0, 1], [0, 0, 1]], bool), np.array([[1, 1, 0], [0, 0, 1]], bool)]
    for kind in (L.Add, L.Average, L.Multiply, L.Maximum, L.Minimum):
        yield record(kind.__name__.lower(), kind(), [a, b, c])
    for kind in (L.Multiply, L.Maximum, L.Minimum):
        yield record(kind.__name__.lower() + " mask", kind(), [a, b], masks=m)
    yield record("subtract", L.Subtract(), [a, b])
    yield record("add ranks", L.Add(), [a, normal(2, 4)])
    yield record("concatenate", L.Concatenate(axis=1), [a, c, b])
    yield record("rescaling", L.Rescaling([0.5, 2.0, 3.0], offset=-1.0), x3)


def normalization_cases():
    global random
    random = np.random.default_rng(11)  # of its own: the cases above stay as they are
    x2, x3, img = normal(6, 4), normal(2, 5, 3), normal(2, 4, 5, 6)
    yield record("batch norm vectors", L.BatchNormalization(center=False), x2, training=True)
    yield record("batch norm steps", L.BatchNormalization(scale=False, epsilon=0.1), x3, training=True)
    yield record("layer norm trailing", L.LayerNormalization(axis=[2, 3]), img)
    yield record("layer norm all", L.LayerNormalization(axis=[1, 2, 3], scale=False), img)
    yield record("layer norm rms scaling", L.LayerNormalization(rms_scaling=True), x3)
    yield record("rms norm", L.RMSNormalization(), x3)
    yield record("rms norm axes", L.RMSNormalization(axis=[2, 3], epsilon=0.01), img)
    yield record("group norm", L.GroupNormalization(groups=3), img)
    yield record("group norm vectors", L.GroupNormalization(groups=2, center=False), x2)
    yield record("group norm first", L.GroupNormalization(groups=2, axis=1, epsilon=0.1), img)
    yield record("group norm middle", L.GroupNormalization(groups=2, axis=2, scale=False), normal(2, 3, 4, 2))
    yield record("instance norm", L.GroupNormalization(groups=-1), img)
    yield record("unit norm", L.UnitNormalization(), x3)
    yield record("unit norm axes", L.UnitNormalization(axis=[1, 2]), x3)


def spatial_cases():
    global random
    random = np.random.default_rng(13)
    x2, x3, img, vol = normal(3, 4), normal(2, 5, 3), normal(2, 4, 5, 2), normal(1, 3, 4, 3, 2)
    first = {"data_format": "channels_first"}
    yield record("conv1d transpose", L.Conv1DTranspose(2, 2, strides=3), x3)
    yield record("conv1d transpose dilation", L.Conv1DTranspose(2, 3, dilation_rate=2, padding="same"), x3)
    yield record("conv2d transpose", L.Conv2DTranspose(3, (3, 2), strides=2, activation="tanh"), img)
    yield record("conv2d transpose same", L.Conv2DTranspose(3, (4, 3), strides=(3, 2), padding="same"), img)
    yield record("conv2d transpose output padding",
                 L.Conv2DTranspose(2, (3, 4), strides=3, padding="same", output_padding=(2, 1)), img)
    yield record("conv2d transpose valid output padding",
                 L.Conv2DTranspose(2, 3, strides=2, output_padding=1, use_bias=False), img)
    yield record("conv2d transpose channels first", L.Conv2DTranspose(3, 2, strides=2, **first), img)
    yield record("conv3d transpose", L.Conv3DTranspose(2, 2, strides=(1, 2, 2), padding="same"), vol)
    yield record("depthwise conv1d", L.DepthwiseConv1D(3, strides=2, padding="same", depth_multiplier=2), x3)
    yield record("depthwise conv2d", L.DepthwiseConv2D((2, 3), activation="tanh"), img)
    yield record("depthwise conv2d dilation", L.DepthwiseConv2D(2, dilation_rate=2, depth_multiplier=3), img)
    yield record("depthwise conv2d channels first", L.DepthwiseConv2D(2, padding="same", **first), img)
    yield record("separable conv1d", L.SeparableConv1D(4, 2, depth_multiplier=2), x3)
    yield record("separable conv2d", L.SeparableConv2D(3, 3, strides=2, padding="same"), img)
    yield record("separable conv2d channels first", L.SeparableConv2D(3, 2, use_bias=False, **first), img)
    yield record("max pooling 3d", L.MaxPooling3D(2, strides=1, padding="same"), vol)
    yield record("average pooling 3d", L.AveragePooling3D((2, 3, 2), strides=1, padding="same"), vol)
    yield record("global average 3d", L.GlobalAveragePooling3D(keepdims=True), vol)
    yield record("global max 3d", L.GlobalMaxPooling3D(**first), vol)
    yield record("adaptive average 1d", L.AdaptiveAveragePooling1D(3), x3)
    yield record("adaptive average 2d", L.AdaptiveAveragePooling2D((3, 2)), img)
    yield record("adaptive average 3d", L.AdaptiveAveragePooling3D((2, 3, 3)), vol)
    yield record("adaptive max 1d", L.AdaptiveMaxPooling1D(4), x3)
    yield record("adaptive max 2d", L.AdaptiveMaxPooling2D((2, 3), **first), img)
    yield record("adaptive max 3d", L.AdaptiveMaxPooling3D((2, 3, 1)), vol)
    yield record("cropping 1d", L.Cropping1D((1, 2)), x3)
    yield record("cropping 2d", L.Cropping2D(((1, 0), (1, 2))), img)
    yield record("cropping 3d", L.Cropping3D(((1, 0), (1, 2), (0, 0))), vol)
    yield record("zero padding 1d", L.ZeroPadding1D((2, 1), **first), x3)
    yield record("zero padding 3d", L.ZeroPadding3D((1, 0, 2)), vol)
    yield record("up sampling 1d", L.UpSampling1D(3), x3)
    yield record("up sampling 2d", L.UpSampling2D((2, 3)), img)
    for kind in ("bilinear", "bicubic", "lanczos3", "lanczos5"):
        # Backends agree on bicubic places only where these are multiples of 1/1024.
        size = (2, 4) if kind == "bicubic" else (2, 3)
        yield record("up sampling 2d " + kind, L.UpSampling2D(size, interpolation=kind), img)
    yield record("up sampling 3d", L.UpSampling3D((1, 2, 3), **first), vol)
    yield record("repeat vector", L.RepeatVector(3), x2)


if __name__ == "__main__":
    with open(sys.argv[1], "w") as f:
        every = [*cases(), *normalization_cases(), *spatial_cases()]
        f.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in every) + "\n]\n")
