"""Writes tests/data/resampled_audio.json: WAV files, and what keras.utils.audio_dataset_from_directory makes of them with
`sampling_rate`.

Run with Keras 3.15, TensorFlow 2.16 and tensorflow_io 0.37, which resamples:
KERAS_BACKEND=tensorflow python tools/goldens/audio_goldens.py tests/data/resampled_audio.json
"""

import json
import math
import sys
import tempfile
import wave
from pathlib import Path

import keras
import numpy as np
import tensorflow_io


def sound(frames, channels, pitch):
    return [
        round(11000 * math.sin(0.3 * pitch * t * (c + 1)) + 5000 * math.sin(1.9 * pitch * t + c))
        for t in range(frames)
        for c in range(channels)
    ]


def write(path, rate, channels, samples):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.array(samples, "<i2").tobytes())


def case(files, **options):
    with tempfile.TemporaryDirectory() as folder:
        for i, file in enumerate(files):
            write(Path(folder, "a", f"{i}.wav"), file["rate"], file["channels"], file["samples"])
        # Keras cannot batch what it resampled unless all are cut to one length.
        batch_size = len(files) if "output_sequence_length" in options else None
        dataset = keras.utils.audio_dataset_from_directory(
            folder, shuffle=False, batch_size=batch_size, verbose=False, **options
        )
        elements = [x for x, _ in dataset.as_numpy_iterator()]
    results = [{"shape": list(x.shape), "x": [float(f"{v:.9g}") for v in x.flat]} for x in elements]
    return {"files": files, "options": options, "results": results}


def file(rate, frames, channels=1, pitch=1.0):
    return {"rate": rate, "channels": channels, "samples": sound(frames, channels, pitch)}


long, short = file(8000, 90, 2), file(8000, 61, 2, 0.8)
cases = [
    case([long, short], sampling_rate=16000),
    case([long, short], sampling_rate=11025),
    case([long, short], sampling_rate=4000),
    case([long, short], sampling_rate=12000, output_sequence_length=75),
    case([file(44100, 240), file(16000, 120, 1, 0.5)], sampling_rate=8000),
]
versions = {"keras": keras.__version__, "tensorflow_io": tensorflow_io.__version__}
Path(sys.argv[1]).write_text(json.dumps({"versions": versions, "cases": cases}, separators=(",", ":")) + "\n")
