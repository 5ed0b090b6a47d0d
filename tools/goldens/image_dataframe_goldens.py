"""Writes tests/data/image_dataframe.json: what Keras's flow_from_dataframe makes of tables of small images.

Run with Keras 3.15, SciPy, Pillow and pandas:
KERAS_BACKEND=jax python tools/goldens/image_dataframe_goldens.py tests/data/image_dataframe.json
"""

import io
import json
import os
import sys
import tempfile
import warnings

import numpy as np
import pandas
from image_data_generator_goldens import batches, numbers, pictures
from keras.src.legacy.preprocessing import image
from PIL import Image

# What is there: all are pictures, whatever they are called, but the notes.
FILES = ["a.png", "b.png", "UPPER.PNG", "sub/c.png", "xpng", "d.png", "notes.txt"]

TABLE = """filename,class,age,score,weight
b.png,dog,1,0.5,1
a.png,cat,2,1.5,0.5
gone.png,cat,3,2.5,0.25
notes.txt,bird,4,3.5,0.125
UPPER.PNG,dog,5,4.5,2
sub/c.png,cat,6,5.5,4
xpng,ant,7,6.5,8
d.png,cat,8,7.5,16
"""

CASES = [
    {},
    {"seed": 3},
    {"class_mode": "sparse"},
    {"class_mode": "binary", "classes": ["dog", "cat"]},
    {"class_mode": "sparse", "classes": ["dog", "cat", "dog"]},
    {"class_mode": "sparse", "subset": "training"},
    {"class_mode": "sparse", "subset": "validation"},
    {"class_mode": "raw", "y_col": "score"},
    {"class_mode": "raw", "y_col": ["score"]},
    {"class_mode": "raw", "y_col": ["age", "score"], "seed": 4},
    {"class_mode": "multi_output", "y_col": ["age", "score"]},
    {"class_mode": "input"},
    {"class_mode": None},
    {"class_mode": "sparse", "weight_col": "weight", "seed": 5},
    {"class_mode": "raw", "y_col": "age", "weight_col": "weight", "classes": ["cat"]},
]

MISTAKES = [
    {"class_mode": "binary"},
    {"class_mode": "binary", "classes": ["cat"]},
    {"class_mode": "sparse", "y_col": "age"},
    {"class_mode": "categorical", "y_col": "age"},
    {"class_mode": "multi_output", "y_col": "age"},
    {"x_col": "age"},
    {"weight_col": "class"},
    {"x_col": "file"},
    {"class_mode": "sorted"},
    {"color_mode": "rbg"},
    {"subset": "both"},
]

LISTS = {
    "filename": ["a.png", "b.png", "d.png", "xpng"],
    "labels": [["cat", "dog"], ["ant"], ["dog", "dog"], ["cow"]],
}


def flow(path, table, options):
    options = dict(options)
    options.setdefault("shuffle", "seed" in options)
    generator = image.ImageDataGenerator(horizontal_flip=True, validation_split=0.4)
    return generator.flow_from_dataframe(table, path, target_size=(3, 4), batch_size=4, **options)


def case(path, table, options):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        iterator = flow(path, table, options)
    mode = iterator.class_mode
    entry = {
        "options": options,
        "warnings": len(said),
        "filenames": iterator.filenames,
        "class_indices": getattr(iterator, "class_indices", {}),
        "classes": [np.atleast_1d(c).tolist() for c in getattr(iterator, "classes", [])],
    }
    found = batches(iterator, 1)
    if mode not in ("input", None):
        targets = [b[1] if mode == "multi_output" else [b[1]] for b in found]
        entry["targets"] = [[numbers(t) for t in of_batch] for of_batch in targets]
        entry["shapes"] = [[list(np.shape(t)) for t in of_batch] for of_batch in targets]
    if "weight_col" in options:
        entry["weights"] = [numbers(b[2]) for b in found]
    if options.get("seed") in (3, 4):
        entry["values"] = [numbers(b[0]) for b in found]
    return entry


def mistake(path, table, options):
    try:
        flow(path, table, options)
    except Exception as error:
        return {"options": options, "error": f"{type(error).__name__}: {error}"}
    raise AssertionError(f"{options} was accepted")


def main(target):
    with tempfile.TemporaryDirectory() as path:
        for name, x in zip(FILES, pictures(len(FILES))):
            full = os.path.join(path, name)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            if name.endswith(".txt"):
                open(full, "w").close()
            else:
                Image.fromarray(x.astype("uint8")).save(full, format="png")
        table = pandas.read_csv(io.StringIO(TABLE))
        lists = pandas.DataFrame(LISTS)
        result = {
            "files": FILES,
            "table": TABLE,
            "cases": [case(path, table, options) for options in CASES],
            "unchecked": flow(path, table, {"validate_filenames": False}).filenames,
            "mistakes": [mistake(path, table, options) for options in MISTAKES],
            "lists": [case(path, lists, {"y_col": "labels"}),
                      case(path, lists, {"y_col": "labels", "classes": ["dog", "ant"]})],
        }
    with open(target, "w") as file:
        json.dump(result, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
