"""Convolutions and pooling with options of all kinds, for tests/layers/convolutional and tests/layers/pooling.

KERAS_BACKEND=jax python option_convolutional_goldens.py tests/data
"""
import sys

from option_recorder import Area, numbers, spec
import numpy as np
from keras import layers as L

area = Area()
record = area.record
first = dict(data_format="channels_first")
steps = np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1]], bool)

x1, x2, x3 = (2, 5, 4), (1, 5, 4, 4), (1, 3, 4, 3, 2)
record("Conv1D: groups, strides, same", L.Conv1D(4, 3, strides=2, padding="same", groups=2), x1)
record("Conv1D: causal, strides", L.Conv1D(2, 3, strides=2, padding="causal"), x1)
record("Conv1D: causal, groups, dilation", L.Conv1D(4, 2, dilation_rate=3, padding="causal", groups=4, use_bias=False), x1)
record("Conv1D: causal, channels first", L.Conv1D(2, 2, dilation_rate=2, padding="causal", **first), x1)
record("Conv1D: same, even kernel, channels first", L.Conv1D(2, 4, padding="same", strides=3, **first), x1)
record("Conv1D: kernel as long as the steps", L.Conv1D(2, 5), x1)
record("Conv1D: strides longer than the kernel", L.Conv1D(2, 1, strides=4), x1)
record("Conv1D: one step, same", L.Conv1D(2, 3, padding="same"), (2, 1, 2))
record("Conv1D: regularizers", L.Conv1D(2, 2, kernel_regularizer="l2", bias_regularizer="l1", activity_regularizer="l1"), x1)
record("Conv1D: same, dilation", L.Conv1D(2, 2, padding="same", dilation_rate=3), x1)
record("Conv1D: mask", L.Conv1D(2, 2), x1, masks=[steps])
record("Conv1D: bfloat16", L.Conv1D(2, 3, dtype="mixed_bfloat16"), x1, gradients=False)
record("Conv2D: groups, channels first, strides", L.Conv2D(4, (3, 2), strides=(1, 2), padding="same", groups=2, **first), (1, 4, 4, 5))
record("Conv2D: dilation per axis, same", L.Conv2D(2, 2, dilation_rate=(2, 1), padding="same"), x2)
record("Conv2D: dilation, channels first", L.Conv2D(2, 2, dilation_rate=2, **first), (1, 4, 4, 5))
record("Conv2D: strides per axis", L.Conv2D(2, (1, 3), strides=(3, 1), activation="elu"), x2)
record("Conv2D: frozen", L.Conv2D(2, 2, trainable=False), x2)
record("Conv2D: as many groups as channels", L.Conv2D(8, 3, groups=4, padding="same"), x2)
record("Conv3D: groups, strides", L.Conv3D(2, (2, 1, 2), strides=(1, 2, 1), padding="same", groups=2), x3)
record("Conv3D: channels first, dilation", L.Conv3D(1, 2, dilation_rate=(1, 2, 1), **first), (1, 2, 3, 4, 3))
record("Conv3D: same, even kernel, strides 2", L.Conv3D(1, 2, strides=2, padding="same"), x3)

for pad in ("valid", "same"):
    for stride in (1, 2, 3):
        for k in (1, 2, 4):
            record(f"Conv1DTranspose: {pad}, strides {stride}, kernel {k}", L.Conv1DTranspose(2, k, strides=stride, padding=pad), (1, 3, 2))
record("Conv1DTranspose: dilation, valid", L.Conv1DTranspose(2, 3, dilation_rate=2), (1, 4, 2))
record("Conv1DTranspose: channels first, output padding", L.Conv1DTranspose(2, 3, strides=3, output_padding=1, padding="same", **first), (2, 2, 3))
record("Conv1DTranspose: output padding 0, same", L.Conv1DTranspose(2, 3, strides=2, output_padding=0, padding="same"), (1, 3, 2))
record("Conv1DTranspose: regularizers", L.Conv1DTranspose(2, 2, kernel_regularizer="l2", bias_regularizer="l1", activity_regularizer="l2"), (1, 3, 2))
record("Conv2DTranspose: dilation, same", L.Conv2DTranspose(2, (2, 3), dilation_rate=(2, 1), padding="same"), (1, 3, 4, 2))
record("Conv2DTranspose: channels first, strides per axis", L.Conv2DTranspose(2, (2, 3), strides=(1, 3), padding="same", activation="tanh", **first), (1, 2, 3, 3))
record("Conv2DTranspose: strides longer than the kernel", L.Conv2DTranspose(1, 1, strides=3), (1, 2, 2, 2))
record("Conv3DTranspose: channels first, output padding", L.Conv3DTranspose(1, 2, strides=2, padding="same", output_padding=1, **first), (1, 2, 2, 2, 2))
record("Conv3DTranspose: strides per axis", L.Conv3DTranspose(2, (1, 2, 3), strides=(2, 1, 1), use_bias=False), (1, 2, 2, 2, 1))

record("DepthwiseConv1D: channels first", L.DepthwiseConv1D(2, strides=2, depth_multiplier=3, **first), x1)
record("DepthwiseConv1D: dilation, same", L.DepthwiseConv1D(3, dilation_rate=2, padding="same"), x1)
record("DepthwiseConv1D: regularizers", L.DepthwiseConv1D(2, depthwise_regularizer="l2", bias_regularizer="l1", activity_regularizer="l1"), x1)
record("DepthwiseConv2D: strides, channels first", L.DepthwiseConv2D(3, strides=2, padding="same", depth_multiplier=2, **first), (1, 2, 5, 4))
record("DepthwiseConv2D: dilation per axis, same", L.DepthwiseConv2D(2, dilation_rate=(1, 2), padding="same", use_bias=False), (1, 4, 5, 2))
record("SeparableConv1D: strides, channels first", L.SeparableConv1D(3, 2, strides=2, padding="same", depth_multiplier=2, **first), x1)
record("SeparableConv1D: regularizers", L.SeparableConv1D(2, 2, depthwise_regularizer="l2", pointwise_regularizer="l1", bias_regularizer="l2", activity_regularizer="l1"), x1)
record("SeparableConv2D: dilation, same", L.SeparableConv2D(2, 2, dilation_rate=2, padding="same", depth_multiplier=2), (1, 4, 4, 2))

for pad in ("valid", "same"):
    record(f"MaxPooling1D: {pad}, strides 3, channels first", L.MaxPooling1D(2, strides=3, padding=pad, **first), (2, 2, 7))
    record(f"AveragePooling1D: {pad}, strides 3, channels first", L.AveragePooling1D(3, strides=2, padding=pad, **first), (2, 2, 6))
    record(f"MaxPooling2D: {pad}, window per axis, channels first", L.MaxPooling2D((3, 1), strides=(2, 1), padding=pad, **first), (1, 2, 5, 4))
    record(f"AveragePooling2D: {pad}, strides per axis, channels first", L.AveragePooling2D((2, 3), strides=(1, 2), padding=pad, **first), (1, 2, 5, 4))
    record(f"AveragePooling3D: {pad}", L.AveragePooling3D((1, 2, 2), strides=(2, 1, 2), padding=pad), x3)
    record(f"MaxPooling3D: {pad}, channels first", L.MaxPooling3D(2, padding=pad, **first), (1, 2, 3, 4, 3))
record("MaxPooling1D: mask", L.MaxPooling1D(2), (2, 5, 2), masks=[steps])
record("MaxPooling2D: negative numbers at the border", L.MaxPooling2D(2, strides=1, padding="same"), (1, 3, 3, 1))
record("GlobalAveragePooling1D: channels first, mask", L.GlobalAveragePooling1D(**first), (2, 3, 5), mask=steps)
record("GlobalAveragePooling1D: keepdims, mask", L.GlobalAveragePooling1D(keepdims=True), (2, 5, 3), masks=[steps])
record("GlobalMaxPooling1D: keepdims, channels first", L.GlobalMaxPooling1D(keepdims=True, **first), (2, 3, 5))
record("GlobalMaxPooling1D: mask", L.GlobalMaxPooling1D(), (2, 5, 3), masks=[steps])
record("GlobalAveragePooling2D: channels first, keepdims", L.GlobalAveragePooling2D(keepdims=True, **first), (2, 3, 2, 3))
record("GlobalMaxPooling3D: keepdims", L.GlobalMaxPooling3D(keepdims=True), (2, 2, 2, 2, 3))
record("AdaptiveAveragePooling1D: larger than the input, channels first", L.AdaptiveAveragePooling1D(7, **first), (1, 2, 5))
record("AdaptiveMaxPooling1D: one", L.AdaptiveMaxPooling1D(1), (2, 5, 2))
record("AdaptiveAveragePooling2D: channels first", L.AdaptiveAveragePooling2D((2, 5), **first), (1, 2, 3, 4))
record("AdaptiveMaxPooling2D: one number", L.AdaptiveMaxPooling2D(3), (1, 4, 5, 2))
record("AdaptiveAveragePooling3D: channels first", L.AdaptiveAveragePooling3D((1, 3, 2), **first), (1, 2, 2, 4, 3))
record("AdaptiveMaxPooling3D: channels first", L.AdaptiveMaxPooling3D(2, **first), (1, 2, 3, 4, 3))
area.write(sys.argv[1], {"conv": ("Conv1D:", "Conv2D:", "Conv3D:"), "conv_transpose": ("Conv1DT", "Conv2DT", "Conv3DT"),
                         "depthwise_conv": ("DepthwiseConv", "SeparableConv"),
                         "pooling": ("MaxPooling", "AveragePooling", "Global", "Adaptive")})
