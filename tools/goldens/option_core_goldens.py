"""Core, normalization, merging, reshaping, activation and regularization layers with options of all kinds.

KERAS_BACKEND=jax python option_core_goldens.py tests/data
"""
import sys

from option_recorder import Area, numbers, spec
import numpy as np
from keras import constraints, layers as L, regularizers

area = Area()
record = area.record
first = dict(data_format="channels_first")
steps = np.array([[1, 1, 0, 1], [0, 0, 0, 1]], bool)
x2, x3, x4 = (3, 4), (2, 4, 3), (2, 3, 2, 4)

record("Dense: regularizers", L.Dense(2, kernel_regularizer=regularizers.L1L2(0.1, 0.2), bias_regularizer="l2", activity_regularizer="l2", activation="sigmoid"), x2)
record("Dense: mask", L.Dense(2), x3, masks=[steps])
record("Dense: one unit, one feature", L.Dense(1), (1, 1))
record("Dense: orthogonal rows", L.Dense(3, kernel_regularizer=regularizers.OrthogonalRegularizer(0.1, "columns")), x2)
record("Dense: bfloat16", L.Dense(2, dtype="mixed_bfloat16"), x2, gradients=False)
record("Dense: bfloat16 throughout", L.Dense(2, dtype="bfloat16"), x2, gradients=False)
for a in ("relu6", "silu", "hard_silu", "mish", "log_softmax", "selu", "celu", "glu", "hard_tanh", "tanh_shrink", "soft_shrink", "hard_shrink",
          "squareplus", "sparse_plus", "sparsemax", "log_sigmoid", "exponential", "leaky_relu", "sparse_sigmoid", "softsign"):
    record(f"Activation: {a}", L.Activation(a), (2, 4))
for equation, out, axes, shape in (
        ("ab,bc->ac", 3, "c", (2, 4)), ("abc,cde->abde", (None, 2, 3), "de", (2, 3, 4)), ("abc,cd->adb", (2, 3), "d", (2, 3, 4)),
        ("abcd,bde->aec", (2, 3), "e", (2, 3, 3, 2)), ("...x,xyz->...yz", (2, 3), "yz", (2, 3, 4)),
        ("ab...,bcd->acd...", (2, 3), "cd", (2, 3, 4))):
    record(f"EinsumDense: {equation}, {out}, {axes}", L.EinsumDense(equation, out, bias_axes=axes, activation="tanh"), shape, fixed_axes=True)
record("EinsumDense: regularizers", L.EinsumDense("abc,cd->abd", (None, 2), bias_axes="d", kernel_regularizer="l2", bias_regularizer="l1", activity_regularizer="l1"), x3)
record("EinsumDense: bias of a middle axis", L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="d"), (2, 3, 4))
record("EinsumDense: mask", L.EinsumDense("abc,cd->abd", (None, 2)), x3, masks=[steps])
idx = spec((2, 4), dtype="int32", below=5)
record("Embedding: mask", L.Embedding(5, 2, mask_zero=True), idx)
record("Embedding: regularizers", L.Embedding(5, 2, embeddings_regularizer="l2", activity_regularizer="l1"), idx)
record("Embedding: three axes", L.Embedding(5, 2, mask_zero=True), spec((2, 2, 3), dtype="int32", below=5))
record("Embedding: uint8", L.Embedding(5, 2), spec((2, 4), dtype="uint8", below=5))
record("Embedding: bfloat16", L.Embedding(5, 2, dtype="mixed_bfloat16"), idx, gradients=False)
record("Masking: another value", L.Masking(mask_value=0.5), (2, 4, 1))
record("ReversibleEmbedding: reverse", L.ReversibleEmbedding(5, 3), x3, reverse=True, build=lambda l: l.build((2, 4)))
record("ReversibleEmbedding: reverse, own matrix, capped", L.ReversibleEmbedding(5, 3, tie_weights=False, logit_soft_cap=2.0), x3, reverse=True, build=lambda l: l.build((2, 4)))
record("ReversibleEmbedding: mask", L.ReversibleEmbedding(5, 3, mask_zero=True), idx)

for axis in (-1, 1, 2):
    record(f"BatchNormalization: axis {axis}, training", L.BatchNormalization(axis=axis, momentum=0.7, epsilon=0.01), x4, training=True, fixed_axes=axis != -1)
    record(f"BatchNormalization: axis {axis}, inference", L.BatchNormalization(axis=axis), x4, training=False, fixed_axes=axis != -1)
record("BatchNormalization: two calls", L.BatchNormalization(momentum=0.5), x2, training=True, calls=2)
record("BatchNormalization: mask carried", L.BatchNormalization(), x3, training=True, masks=[steps])
record("BatchNormalization: mask of nothing", L.BatchNormalization(), x3, training=True, mask=np.zeros((2, 4), bool))
record("BatchNormalization: one sample", L.BatchNormalization(), (1, 3), training=True)
record("BatchNormalization: regularizers", L.BatchNormalization(beta_regularizer="l2", gamma_regularizer="l1"), x2, training=True)
record("BatchNormalization: neither scale nor center", L.BatchNormalization(scale=False, center=False), x4, training=True)
record("BatchNormalization: bfloat16", L.BatchNormalization(dtype="mixed_bfloat16"), x2, training=True, gradients=False)
record("BatchNormalization: renorm, two calls", L.BatchNormalization(renorm=True, renorm_momentum=0.8), x3, training=True, calls=2)
record("BatchNormalization: renorm, inference", L.BatchNormalization(renorm=True), x3, training=False)
record("BatchNormalization: renorm, mask", L.BatchNormalization(renorm=True, renorm_clipping={"rmax": 1.2}), x3, training=True, mask=steps)
for axis in (1, 2, -2, [1, -1], [2, 3], [1, 2, 3]):
    record(f"LayerNormalization: axis {axis}", L.LayerNormalization(axis=axis, epsilon=0.01), x4, fixed_axes=True)
    if axis in ([2, 3], [1, 2, 3]):  # Keras takes no others, as its scale does not spread over the axes behind
        record(f"RMSNormalization: axis {axis}", L.RMSNormalization(axis=axis, epsilon=0.01), x4, fixed_axes=True)
    record(f"UnitNormalization: axis {axis}", L.UnitNormalization(axis=axis), x4)
record("LayerNormalization: one feature", L.LayerNormalization(), (3, 1))
record("LayerNormalization: regularizers", L.LayerNormalization(beta_regularizer="l2", gamma_regularizer="l1"), x2)
record("LayerNormalization: mask", L.LayerNormalization(), x3, masks=[steps])
record("LayerNormalization: bfloat16", L.LayerNormalization(dtype="mixed_bfloat16"), x2, gradients=False)
for g, axis, shape in ((1, -1, x4), (4, -1, x4), (-1, 1, x4), (3, 1, x4), (2, 2, x4), (2, -1, (2, 4)), (2, -2, x4)):
    record(f"GroupNormalization: {g} groups, axis {axis}, rank {len(shape)}", L.GroupNormalization(g, axis=axis), shape, fixed_axes=axis != -1)
record("GroupNormalization: regularizers", L.GroupNormalization(2, beta_regularizer="l2", gamma_regularizer="l1", scale=True), x4)
record("GroupNormalization: neither", L.GroupNormalization(2, scale=False, center=False), x4)
# While it trains, gradients go through the division on JAX and not on TensorFlow.
record("SpectralNormalization: training, 3 iterations", L.SpectralNormalization(L.Dense(3), power_iterations=3), x2, training=True, gradients=False)
record("SpectralNormalization: two calls", L.SpectralNormalization(L.Dense(3, use_bias=False)), x2, training=True, calls=2, gradients=False)
record("SpectralNormalization: Conv2D", L.SpectralNormalization(L.Conv2D(2, 2), power_iterations=2), (1, 3, 3, 2), training=True, gradients=False)
record("SpectralNormalization: inference", L.SpectralNormalization(L.Dense(3)), x2, training=False)
record("SpectralNormalization: Embedding", L.SpectralNormalization(L.Embedding(5, 2)), idx, training=True, gradients=False)

two = [(2, 3, 4), (2, 3, 4)]
m = [np.array([[1, 0, 1], [0, 0, 1]], bool), np.array([[1, 1, 0], [0, 0, 1]], bool)]
for kind in (L.Add, L.Subtract, L.Average, L.Multiply, L.Maximum, L.Minimum):
    n = kind.__name__
    record(f"{n}: masks", kind(), two, masks=m)
    record(f"{n}: broadcast", kind(), [(2, 3, 4), (2, 1, 4)])
    record(f"{n}: ranks", kind(), [(2, 4), (2, 3, 4)])
    record(f"{n}: one mask", kind(), two, masks=[m[0], None])
for axis in (1, 2, -1, -2):
    record(f"Concatenate: axis {axis}, masks", L.Concatenate(axis=axis), two, masks=m)
    record(f"Concatenate: axis {axis}, one mask", L.Concatenate(axis=axis), two, masks=[None, m[1]])
for axes in (1, 2, -1, (1, 2), (2, 1), (1, -2)):
    shapes = [(2, 3, 4), (2, 3, 4)] if isinstance(axes, int) or axes == (1, -2) else ([(2, 4, 2), (2, 3, 4)] if axes == (1, 2) else [(2, 2, 4), (2, 4, 3)])
    record(f"Dot: axes {axes}", L.Dot(axes), shapes, fixed_axes=True)
    record(f"Dot: axes {axes}, normalized", L.Dot(axes, normalize=True), shapes, fixed_axes=True)
record("Dot: vectors", L.Dot(1), [(2, 3), (2, 3)])
record("Dot: a vector and a matrix", L.Dot((1, 2)), [(2, 3), (2, 4, 3)])
record("Dot: four axes", L.Dot((3, 1)), [(2, 2, 2, 3), (2, 3, 2)], fixed_axes=True)

x5, v5 = (2, 4, 3, 2), (1, 3, 3, 4, 2)
record("Flatten: channels first, five axes", L.Flatten(**first), v5)
record("Flatten: vectors", L.Flatten(), (3,))
record("Flatten: mask", L.Flatten(), x3, masks=[steps])
record("Reshape: to a scalar", L.Reshape(()), (3, 1))
record("Reshape: unknown first", L.Reshape((-1, 2)), (2, 4, 3))
record("Reshape: mask", L.Reshape((2, 6)), x3, masks=[steps])
record("Permute: four axes", L.Permute((3, 1, 2)), x5)
record("RepeatVector: once", L.RepeatVector(1), (2, 3))
record("RepeatVector: mask", L.RepeatVector(2), (2, 3), masks=[np.array([1, 0], bool)])
record("Cropping1D: none", L.Cropping1D(0), x3)
record("Cropping2D: pair", L.Cropping2D((1, 0), **first), x5)
record("Cropping3D: nested, channels first", L.Cropping3D(((0, 1), (1, 0), (0, 0)), **first), (1, 2, 3, 3, 2))
record("ZeroPadding1D: mask", L.ZeroPadding1D(1), x3, masks=[steps])
record("ZeroPadding2D: nested, channels first", L.ZeroPadding2D(((1, 0), (0, 2)), **first), x5)
record("ZeroPadding3D: nested, channels first", L.ZeroPadding3D(((1, 0), (0, 2), (1, 1)), **first), (1, 1, 2, 1, 2))
record("UpSampling1D: mask", L.UpSampling1D(2), x3, masks=[steps])
record("UpSampling2D: bilinear, channels first", L.UpSampling2D((2, 3), interpolation="bilinear", **first), x5)
record("UpSampling2D: nearest, channels first", L.UpSampling2D((1, 2), **first), x5)
record("UpSampling3D: per axis", L.UpSampling3D((2, 1, 2)), (1, 2, 2, 1, 2))

record("ReLU: slope, threshold", L.ReLU(negative_slope=0.3, threshold=0.5), x2)
record("ReLU: maximum 0.4", L.ReLU(max_value=0.4), x2)
record("LeakyReLU: 0", L.LeakyReLU(negative_slope=0.0), x2)
record("ELU: 2", L.ELU(alpha=2.0), x2)
record("PReLU: shared, regularized", L.PReLU(shared_axes=[1, 2], alpha_regularizer="l2"), x4)
record("PReLU: last shared", L.PReLU(shared_axes=[3]), x4, fixed_axes=True)
record("Softmax: first axis", L.Softmax(axis=1), x3)
record("Softmax: axes and mask", L.Softmax(axis=(1, 2)), x3, mask=numbers(x3, 5, "int32").astype(bool))
record("Softmax: axis 1 and mask", L.Softmax(axis=1), x3, mask=numbers(x3, 9, "int32").astype(bool))
record("LeakyReLU: mask", L.LeakyReLU(), x3, masks=[steps])

for kind, o in ((L.Dropout, dict(rate=0.3)), (L.GaussianDropout, dict(rate=0.3)), (L.GaussianNoise, dict(stddev=0.3)), (L.AlphaDropout, dict(rate=0.3))):
    n = kind.__name__
    record(f"{n}: two calls", kind(**o, seed=3), x3, training=True, calls=2)
    record(f"{n}: mask", kind(**o, seed=3), x3, training=True, masks=[steps])
    record(f"{n}: inference", kind(**o, seed=3), x3, training=False)
record("Dropout: noise shape", L.Dropout(0.5, noise_shape=(None, None, 1), seed=1), x3, training=True)
record("Dropout: rate 1", L.Dropout(1.0, seed=1), x3, training=True)
record("Dropout: rate 0", L.Dropout(0.0, seed=1), x3, training=True)
record("Dropout: bfloat16", L.Dropout(0.3, seed=1, dtype="mixed_bfloat16"), x3, training=True, gradients=False)
record("AlphaDropout: noise shape", L.AlphaDropout(0.4, noise_shape=(2, 1, 3), seed=1), x3, training=True)
record("GaussianDropout: rate 0", L.GaussianDropout(0.0, seed=1), x3, training=True)
record("SpatialDropout1D", L.SpatialDropout1D(0.4, seed=2), x3, training=True, calls=2)
record("SpatialDropout2D: channels first", L.SpatialDropout2D(0.4, seed=2, **first), x5, training=True)
record("SpatialDropout3D: channels first", L.SpatialDropout3D(0.4, seed=2, **first), v5, training=True)
record("ActivityRegularization: mask", L.ActivityRegularization(0.1, 0.2), x3, masks=[steps])
record("Rescaling: list", L.Rescaling([0.5, 2.0, 1.0], offset=[0.0, 1.0, -1.0]), x3)
record("Identity: mask", L.Identity(), x3, masks=[steps])
for mode in ("log", "magnitude", "psd", "real", "imag", "angle", "stft"):
    record(f"STFTSpectrogram: {mode}", L.STFTSpectrogram(mode, 8, 3, 16, "hamming", True, "spectrum", "same"), (1, 20, 1), own_weights=True,
           gradients=mode != "angle")
record("STFTSpectrogram: several channels, expanded", L.STFTSpectrogram("psd", 6, 4, expand_dims=True, scaling=None), (1, 12, 2), own_weights=True)
record("STFTSpectrogram: channels first", L.STFTSpectrogram("magnitude", 6, 4, window=None, padding="same", **first), (2, 2, 13), own_weights=True)
record("STFTSpectrogram: channels first, expanded", L.STFTSpectrogram("real", 6, 4, expand_dims=True, **first), (1, 2, 12), own_weights=True)
record("STFTSpectrogram: odd frames, not periodic", L.STFTSpectrogram("imag", 7, 2, 9, "hann", False), (1, 15, 1), own_weights=True)
record("MelSpectrogram: batch", L.MelSpectrogram(32, 8, 24, "hamming", 1000, 6, 50.0, 400.0, True, 30.0, 2.0, 1e-4, 1.0), (2, 60), own_weights=True, gradients=False)
record("MelSpectrogram: not in decibels", L.MelSpectrogram(32, 16, num_mel_bins=4, sampling_rate=800, power_to_db=False, mag_exp=1.0, min_freq=10.0), (1, 70), own_weights=True)
area.write(sys.argv[1], {
    "audio": ("STFT", "Mel"),
    "core": ("Dense", "Activation:", "EinsumDense", "Embedding", "Masking", "ReversibleEmbedding", "Rescaling", "Identity"),
    "normalization": ("BatchN", "LayerN", "RMSN", "UnitN", "GroupN", "SpectralN"),
    "merging": ("Add:", "Subtract", "Average:", "Multiply", "Maximum", "Minimum", "Concatenate", "Dot"),
    "reshaping": ("Flatten", "Reshape", "Permute", "RepeatVector", "Cropping", "ZeroPadding", "UpSampling"),
    "regularization": ("Dropout", "Gaussian", "AlphaDropout", "SpatialDropout", "ActivityR"),
    "activations": ("ReLU", "LeakyReLU", "ELU", "PReLU", "Softmax")})
