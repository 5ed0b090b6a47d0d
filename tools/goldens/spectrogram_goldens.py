"""Records what Keras's spectrogram layers and SpectralNormalization compute,
for tests/layers/audio/spectrogram_test.cpp.

Run with Keras 3.15 on the JAX backend: KERAS_BACKEND=jax python spectrogram_goldens.py tests/data/spectrograms.json
Each case holds the layer's config, its weights before and after the call, input and output.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np
from keras import layers as L

random = np.random.default_rng(5)
cases = []


def array(a):
    a = np.asarray(a)
    return {"shape": list(a.shape), "dtype": str(a.dtype), "values": [float(f"{v:.7g}") for v in a.ravel().tolist()]}


def record(layer, shape, training=None, weights=False):
    x = random.normal(size=shape).round(2).astype("float32")
    layer.build(shape)
    if weights:
        for w in layer.weights:
            w.assign((random.normal(size=w.shape) * 0.5).round(2))
    case = {"layer": keras.saving.serialize_keras_object(layer), "x": array(x),
            "before": [array(w) for w in layer.weights], "training": training}
    case["layer"].pop("build_config", None)
    out = layer(x) if training is None else layer(x, training=training)
    case["output"] = array(out)
    case["after"] = [array(w) for w in layer.weights]
    cases.append(case)


for mode in ["log", "magnitude", "psd", "real", "imag", "angle", "stft"]:
    record(L.STFTSpectrogram(mode, 8, 4), (2, 24, 2))
for data_format in ["channels_first", "channels_last"]:
    for expand_dims in [True, False]:
        record(L.STFTSpectrogram("magnitude", 6, 5, 8, "hamming", True, "spectrum", "same", expand_dims, data_format),
               (1, 2, 17) if data_format == "channels_first" else (1, 17, 2))
record(L.STFTSpectrogram("psd", 8, 4, scaling=None, window=None), (1, 16, 1))
record(L.MelSpectrogram(32, 16, num_mel_bins=5, sampling_rate=800, min_freq=0.0), (2, 100))
record(L.MelSpectrogram(32, 8, 24, "hamming", 1000, 6, 50.0, 400.0, True, 20.0, 1.0, 1e-5, 2.0), (70,))
record(L.MelSpectrogram(32, 16, num_mel_bins=4, sampling_rate=800, power_to_db=False, window=None), (2, 80))
for training in [False, True]:
    record(L.SpectralNormalization(L.Dense(3)), (2, 4), training, True)
    record(L.SpectralNormalization(L.Conv2D(3, 2), power_iterations=3), (1, 3, 3, 2), training, True)
with open(sys.argv[1], "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
