#!/usr/bin/env python3
"""Writes examples/data/digits.npy from scikit-learn's copy of the UCI digits.

The file is a uint8 array of shape (1797, 65): in each row the 64 pixels of a digit, row by row, from 0 to 16,
then its class. The rows are shuffled with a fixed seed, because the original's last rows are by other writers
than its first; the first 1,437 rows are for training, the other 360 for testing.

Usage: pip install numpy scikit-learn && tools/data/make_digits.py
"""
import pathlib

import numpy
from sklearn.datasets import load_digits

digits = load_digits()
rows = numpy.concatenate([digits.data, digits.target[:, None]], axis=1).astype(numpy.uint8)
assert rows.shape == (1797, 65) and rows[:, :64].max() == 16 and rows[:, 64].max() == 9
rows = rows[numpy.random.RandomState(7).permutation(len(rows))]

target = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "digits.npy"
target.parent.mkdir(parents=True, exist_ok=True)
numpy.save(target, rows)
print(f"wrote {target} ({target.stat().st_size} bytes)")
