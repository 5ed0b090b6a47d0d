"""Records what the examples of Keras's guides give, for the tests.

Run with KERAS_BACKEND=jax from the repository's root, for all guides or for those named:
    python tests/guides/make_goldens.py [GUIDE...]
Each <guide>_goldens.py in this folder has a function for each example, marked by @example, whose
result is recorded, or puts figures into recording.RESULT; both go to tests/data/guides_<guide>.json.
The tests type the same program in C++: initial weights, dropout and random data follow from the
seed there as they do here.
"""

import importlib
import json
import pathlib
import sys

import recording

FOLDER = pathlib.Path(__file__).parent


def main():
    guides = sys.argv[1:] or sorted(p.stem[: -len("_goldens")] for p in FOLDER.glob("*_goldens.py"))
    for guide in guides:
        if guide == "make":
            continue
        recording.EXAMPLES.clear()
        recording.RESULT.clear()
        recording.begin()
        importlib.import_module(guide + "_goldens")
        results = {f.__name__: recording.record(f) for f in recording.EXAMPLES} | recording.RESULT
        if not results:
            sys.exit(f"{guide}_goldens.py records nothing")
        file = FOLDER.parent / "data" / f"guides_{guide}.json"
        file.write_text(json.dumps(results, separators=(",", ":")) + "\n")
        print(f"{file.name}: {len(results)} examples, {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
