"""Writes tests/data/readers.json: tiny image files with what Keras's load_img makes of them, orders of NumPy's and
Python's shuffles, subsets of folders, and what keras.utils' small functions give.

Run with Keras 3.15 and TensorFlow:  KERAS_BACKEND=tensorflow python tools/goldens/reader_goldens.py tests/data/readers.json
"""

import io
import json
import os
import random
import sys
import tempfile

import keras
import numpy as np
from PIL import Image

rng = np.random.default_rng(7)


def smooth(height, width, channels):
    small = Image.fromarray(rng.integers(0, 256, (5, 6, 4), dtype=np.uint8), "RGBA")
    x = np.asarray(small.resize((width, height), Image.BICUBIC))[:, :, :channels]
    return np.clip(x.astype(int) + rng.integers(-9, 10, x.shape), 0, 255).astype(np.uint8)


def encoded(image, **options):
    stream = io.BytesIO()
    image.save(stream, **options)
    return stream.getvalue()


def files():
    rgb, rgba, gray = smooth(13, 17, 3), smooth(13, 17, 4), smooth(13, 17, 1)[:, :, 0]
    wide = (gray.astype(np.uint16) << 8) + rng.integers(0, 256, gray.shape, dtype=np.uint16)
    color, clear = Image.fromarray(rgb), Image.fromarray(rgba)
    few = color.quantize(13)
    yield "rgb.png", encoded(color, format="png")
    yield "rgba.png", encoded(clear, format="png")
    yield "gray.png", encoded(Image.fromarray(gray), format="png")
    yield "gray_alpha.png", encoded(clear.convert("LA"), format="png")
    yield "wide.png", encoded(Image.fromarray(wide), format="png")
    yield "palette.png", encoded(few, format="png")
    yield "transparent_palette.png", encoded(few, format="png", transparency=bytes([0, 90, 255, 10]))
    yield "two_colors.png", encoded(color.convert("1"), format="png")
    yield "rgb.jpg", encoded(color, format="jpeg", quality=90)
    yield "full_colors.jpg", encoded(color, format="jpeg", quality=90, subsampling=0)
    yield "progressive.jpg", encoded(color, format="jpeg", progressive=True)
    yield "gray.jpg", encoded(Image.fromarray(gray), format="jpeg")
    yield "cmyk.jpg", encoded(color.convert("CMYK"), format="jpeg")
    yield "rgb.bmp", encoded(color, format="bmp")
    yield "palette.bmp", encoded(few, format="bmp")
    yield "two_colors.bmp", encoded(color.convert("1"), format="bmp")
    yield "rgb.gif", encoded(few, format="gif")


def loaded(path):
    """Of each way to load: its options, and the pixels."""
    ways = [{"color_mode": mode} for mode in ("rgb", "rgba", "grayscale")]
    if os.path.basename(path) in ("rgb.png", "rgba.png", "gray.png", "wide.png"):
        mode = {"rgb.png": "rgb", "rgba.png": "rgba"}.get(os.path.basename(path), "grayscale")
        for interpolation in ("nearest", "bilinear", "bicubic", "lanczos", "hamming", "box"):
            for size in ((6, 5), (20, 31), (13, 9)):
                for keep in (False, True):
                    ways.append({"color_mode": mode, "target_size": size, "interpolation": interpolation,
                                 "keep_aspect_ratio": keep})
    results = []
    for way in ways:
        x = np.asarray(keras.utils.load_img(path, **way))
        results.append({**way, "shape": x.shape, "pixels": x.astype("<u2" if x.dtype.itemsize > 1 else "u1").tobytes().hex(),
                        "bytes": 2 if x.dtype.itemsize > 1 else 1})
    return results


def images():
    result = []
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files():
            path = os.path.join(folder, name)
            with open(path, "wb") as f:
                f.write(content)
            result.append({"name": name, "file": content.hex(), "loaded": loaded(path)})
    return result


def animation():
    frames = [Image.new("RGBA", (7, 5), (0, 0, 0, 0)) for _ in range(3)]
    for i, frame in enumerate(frames):
        for x in range(4):
            frame.putpixel((x + i, 1 + i), (200, 60 * i, 40 * x, 255))
    content = encoded(frames[0], format="gif", save_all=True, append_images=frames[1:], duration=[50, 70, 90], disposal=2)
    opened = Image.open(io.BytesIO(content))
    shown = []
    for i in range(opened.n_frames):
        opened.seek(i)
        shown.append({"pixels": np.asarray(opened.convert("RGBA")).tobytes().hex(), "delay": opened.info["duration"]})
    return {"file": content.hex(), "frames": shown}


def arrays():
    """array_to_img of floats."""
    result = []
    for shape in ((3, 4, 1), (3, 4, 3), (2, 5, 4)):
        x = (rng.standard_normal(shape) * 300).astype("float32")
        for scale in (True, False):
            if not scale:
                x = np.abs(x) * (0.5 if shape[2] > 1 else 1)
            y = np.asarray(keras.utils.array_to_img(x, scale=scale))
            result.append({"x": x.ravel().tolist(), "shape": shape, "scale": scale, "y": y.ravel().tolist()})
    return result


def shuffles():
    result = []
    for seed in (0, 1, 113, 123456, 2**32 - 1):
        for n in (1, 2, 7, 100):
            order = np.arange(n)
            np.random.RandomState(seed).shuffle(order)
            other = list(range(n))
            random.seed(seed)
            random.shuffle(other)
            result.append({"seed": seed, "n": n, "numpy": order.tolist(), "python": other})
    for seed in (-5, 2**40 + 3):
        other = list(range(50))
        random.seed(seed)
        random.shuffle(other)
        result.append({"seed": seed, "n": 50, "python": other})
    return result


def dataset_images():
    """What image_dataset_from_directory gives for one file."""
    result = []
    contents = dict(files())
    ways = [{}, {"interpolation": "nearest"}, {"interpolation": "bicubic"}, {"interpolation": "area"},
            {"interpolation": "lanczos3"}, {"crop_to_aspect_ratio": True}, {"pad_to_aspect_ratio": True},
            {"color_mode": "grayscale"}, {"data_format": "channels_first"}]
    for name in ("rgb.png", "rgb.jpg", "rgb.bmp", "rgb.gif"):
        for way in ways:
            if name != "rgb.png" and way:
                continue
            for size in ((8, 9), (20, 14)):
                with tempfile.TemporaryDirectory() as folder:
                    os.mkdir(os.path.join(folder, "a"))
                    with open(os.path.join(folder, "a", name), "wb") as f:
                        f.write(contents[name])
                    d = keras.utils.image_dataset_from_directory(folder, image_size=size, verbose=False, **way)
                    x, y = next(iter(d))
                result.append({"file": contents[name].hex(), "name": name, "size": size, "options": way, "shape": x.shape[1:].as_list(),
                               "x": [round(float(v), 3) for v in x.numpy().ravel()]})
    return result


FOLDER = ["cats/2.png", "cats/10.PNG", "cats/a.txt", "cats/sub/1.jpg", "cats/sub-a/1.jpg", "cats/b.jpeg", "dogs/1.png",
          "dogs/3.bmp", "dogs/.hidden.png", ".secret/1.png", "birds/x.gif", "birds/deep/er/y.png", "top.png"]


def folders():
    """Paths and labels in Keras's order."""
    from keras.src.utils import dataset_utils
    from keras.src.utils.image_dataset_utils import ALLOWLIST_FORMATS

    with tempfile.TemporaryDirectory() as folder:
        for name in FOLDER:
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb"):
                pass
        cases = []
        for labels in ("inferred", None, list(range(10, 22))):
            for class_names in (None, ["dogs", "cats"]):
                for shuffle, seed in ((False, None), (True, 5), (True, 77)):
                    for subset in (None, "training", "validation"):
                        if class_names and labels != "inferred":
                            continue
                        paths, found, names = dataset_utils.index_directory(
                            folder, list(labels) if isinstance(labels, list) else labels, ALLOWLIST_FORMATS, class_names, shuffle, seed or 0, verbose=False)
                        paths, found = dataset_utils.get_training_or_validation_split(
                            paths, found, 0.3 if subset else None, subset)
                        cases.append({
                            "labels": labels, "class_names": class_names, "shuffle": shuffle, "seed": seed, "subset": subset,
                            "paths": [os.path.relpath(p, folder) for p in paths],
                            "found": None if found is None else [int(x) for x in found], "names": names})
    return {"files": FOLDER, "cases": cases}


def padded():
    sequences = [[1], [2, 3, 4], [], [5, 6, 7, 8, 9]]
    ways = [{}, {"maxlen": 3}, {"padding": "post"}, {"truncating": "post", "maxlen": 2}, {"value": -1.7},
            {"dtype": "float32", "value": 0.5, "padding": "post", "maxlen": 4}, {"maxlen": 7, "dtype": "int64"}]
    return [{"options": w, "y": keras.utils.pad_sequences(sequences, **w).tolist()} for w in ways]


def split():
    x = np.arange(11)
    cases = []
    for options in ({"left_size": 0.7}, {"right_size": 3}, {"left_size": 4, "right_size": 2},
                    {"left_size": 0.5, "shuffle": True, "seed": 3}, {"left_size": 0.25, "right_size": 0.3}):
        left, right = keras.utils.split_dataset(x, **options)
        cases.append({"options": options, "left": [int(v) for v in left], "right": [int(v) for v in right]})
    return cases


def series():
    cases = []
    data = np.arange(40)
    targets = data * 10
    for options in ({"sequence_length": 5}, {"sequence_length": 4, "sequence_stride": 3, "sampling_rate": 2},
                    {"sequence_length": 3, "start_index": 5, "end_index": 20},
                    {"sequence_length": 3, "sequence_stride": 2, "start_index": 1, "batch_size": 7}):
        for with_targets in (True, False):
            d = keras.utils.timeseries_dataset_from_array(data, targets if with_targets else None, **options)
            batches = [b if with_targets else (b, None) for b in d]
            cases.append({"options": options, "targets": with_targets,
                          "x": [b[0].numpy().tolist() for b in batches],
                          "y": [None if b[1] is None else b[1].numpy().tolist() for b in batches]})
    return cases


if __name__ == "__main__":
    goldens = {"images": images(), "animation": animation(), "arrays": arrays(), "shuffles": shuffles(), "folders": folders(),
               "padded": padded(), "split": split(), "series": series(), "dataset_images": dataset_images()}
    with open(sys.argv[1], "w") as f:
        json.dump(goldens, f, separators=(",", ":"))
        f.write("\n")
