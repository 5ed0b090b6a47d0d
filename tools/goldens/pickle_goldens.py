"""Writes tests/data/pickles.json: small values and arrays as Python and NumPy pickle them, in hexadecimal digits.

Run with NumPy:  python tools/goldens/pickle_goldens.py tests/data/pickles.json
"""

import collections
import json
import pickle
import sys

import numpy as np


def lists():
    x = np.empty(2, dtype=object)
    x[0], x[1] = [1, 2, 300], []
    return x


shared = [1, 2]
values = {
    "numbers": [0, 1, 255, 256, 65535, 65536, -1, -128, 2**31 - 1, -(2**31), 2**31, 2**62, -(2**63), 2**63 - 1],
    "floats": [0.5, -1.25, 1e300, float("inf")],
    "words": ["", "one", "ünï", "x" * 300],
    "bytes": {"a": b"", "b": b"\x00\xff", "c": bytes(range(256)) * 2},
    "none": [None, True, False],
    "nested": {"a": {"b": (1, (2, 3), [4])}, "c": ()},
    "shared": {"x": shared, "y": shared, "again": "x"},
    "matrix": {"data": np.arange(6, dtype="u1").reshape(2, 3), "labels": [3, 4]},
    "fortran": {"data": np.asfortranarray(np.arange(6, dtype="<i2").reshape(2, 3))},
    "scalar": {"data": np.array(7, dtype="<f4")},
    "empty": {"data": np.zeros((0, 4), dtype="<f8")},
    "big": {"data": np.arange(3, dtype=">i4")},
    "objects": {"data": lists()},
}
# What runs code, or is no data.
refused = {
    "function": print,
    "class": collections.OrderedDict(a=1),
    "set": {1, 2},
    "large": 2**64,
    "complex": 1j,
}

result = {"values": {}, "refused": {}}
for name, value in values.items():
    result["values"][name] = {str(p): pickle.dumps(value, protocol=p).hex() for p in (2, 3, 4, 5)}
for name, value in refused.items():
    result["refused"][name] = {str(p): pickle.dumps(value, protocol=p).hex() for p in (2, 4)}
result["refused"]["text protocol"] = {str(p): pickle.dumps([1], protocol=p).hex() for p in (0,)}

with open(sys.argv[1], "w") as f:
    json.dump(result, f, indent=1)
    f.write("\n")
