"""Text and tabular layers with options of all kinds, for tests/layers/tabular/table_options_test.cpp.

Run with Keras 3.15 on TensorFlow: KERAS_BACKEND=tensorflow python option_table_goldens.py tests/data
A case holds the layer, what it learned from (in batches), its inputs, and what Keras gives for them: the outputs, and
the vocabulary or the weights that were learned.
"""
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
import keras
import numpy as np
import tensorflow as tf
from keras import layers as L

cases = []


def tensor(value):
    value = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    if value.dtype.kind in "OSU":
        texts = [t.decode() if isinstance(t, bytes) else str(t) for t in value.ravel().tolist()]
        return {"shape": list(value.shape), "strings": texts}
    values = value.astype("float64").ravel().tolist() if value.dtype.kind == "f" else value.ravel().tolist()
    if not np.isfinite(value.astype("float64")).all():
        return {"shape": list(value.shape), "dtype": str(value.dtype), "words": [str(v) for v in values]}
    values = [float(f"{v:.7g}") if isinstance(v, float) else int(v) for v in values]
    return {"shape": list(value.shape), "dtype": str(value.dtype), "values": values}


def record(kind, options, inputs, adapt=None, batches=1, refused=False):
    """`inputs` are one array, or a list of such for a call on a list."""
    name = f"{kind.__name__}: " + ", ".join(f"{k} {v}" for k, v in options.items() if k != "vocabulary") + (" (adapted)" if adapt is not None else "")
    case = {"name": name, "layer": {"module": "keras.layers", "class_name": kind.__name__,
                                    "config": json.loads(json.dumps(options))}}
    many = isinstance(inputs, list)
    case["inputs"] = [tensor(x) for x in (inputs if many else [inputs])]
    if not many:
        case["single"] = True
    try:
        layer = kind(**options)
        if adapt is not None:
            parts = np.array_split(adapt, batches)
            case["adapt"] = [tensor(p) for p in parts]
            if batches == 1:
                layer.adapt(adapt)
            else:
                layer.adapt(tf.data.Dataset.from_generator(
                    lambda: iter(parts), output_signature=tf.TensorSpec((None, *adapt.shape[1:]), tf.as_dtype(adapt.dtype if adapt.dtype.kind != "U" else "string"))))
            if hasattr(layer, "get_vocabulary"):
                case["vocabulary"] = tensor(np.array(layer.get_vocabulary()))
        out = layer([tf.constant(x) for x in inputs] if many else tf.constant(inputs))
    except Exception as e:
        case["refused"] = type(e).__name__
        if not refused:
            print("FAIL", name, type(e).__name__, str(e)[:200].replace("\n", " "), file=sys.stderr)
    else:
        if refused:
            print("TAKEN", name, file=sys.stderr)
        if isinstance(out, tf.RaggedTensor) or isinstance(out, tf.SparseTensor):
            return
        case["output"] = tensor(out)
    cases.append(case)


words = np.array([["the", "cat"], ["dog", ""], ["zebra", "the"]])
flat = np.array(["cat", "emu", "", "sat"])
vocabulary = ["the", "cat", "sat"]
for mode in ("int", "one_hot", "multi_hot", "count"):
    for oov in (0, 1, 3):
        for mask in (None, ""):
            o = dict(vocabulary=vocabulary, output_mode=mode, num_oov_indices=oov, mask_token=mask)
            record(L.StringLookup, o, np.array([["the", "cat"], ["sat", "the"]]) if oov == 0 else words)
            if oov != 0:
                record(L.StringLookup, o, flat)
    if mode != "int":
        record(L.StringLookup, dict(vocabulary=vocabulary, output_mode=mode, max_tokens=7, pad_to_max_tokens=True), words)
        record(L.StringLookup, dict(output_mode=mode, max_tokens=3), words, adapt=words)
        record(L.StringLookup, dict(output_mode=mode, max_tokens=9, pad_to_max_tokens=True, num_oov_indices=2), words, adapt=words)
    record(L.StringLookup, dict(output_mode=mode), np.array("cat"), adapt=words)
    record(L.StringLookup, dict(vocabulary=vocabulary, output_mode=mode), np.array("cat"))
    record(L.StringLookup, dict(vocabulary=vocabulary, output_mode=mode), np.array([["cat"], ["emu"]]))
    record(L.StringLookup, dict(vocabulary=vocabulary, output_mode=mode), np.array([[["cat", "the"], ["emu", "cat"]]]))
record(L.StringLookup, dict(mask_token="", max_tokens=4), words, adapt=words)
record(L.StringLookup, dict(num_oov_indices=2, salt=11), words, adapt=words, batches=3)
record(L.StringLookup, dict(output_mode="tf_idf", mask_token="", num_oov_indices=2), words, adapt=words)
record(L.StringLookup, dict(output_mode="tf_idf", max_tokens=8, pad_to_max_tokens=True), words, adapt=words, batches=2)
record(L.StringLookup, dict(vocabulary=vocabulary, output_mode="tf_idf", idf_weights=[0.5, 1.5, 2.0], num_oov_indices=2), words)
record(L.StringLookup, dict(vocabulary=vocabulary, output_mode="tf_idf", idf_weights=[0.5, 1.5, 2.0], mask_token="cat2"), words)
record(L.StringLookup, dict(vocabulary=["", "[UNK]", "the", "cat"], mask_token=""), words)
record(L.StringLookup, dict(vocabulary=["[UNK]", "the", "cat"], oov_token="[UNK]"), words)
record(L.StringLookup, dict(vocabulary=vocabulary, oov_token="?", invert=True), np.array([[0, 1], [3, 9]]))
record(L.StringLookup, dict(invert=True), np.array([[0, 1], [3, 2]]), adapt=words)
record(L.StringLookup, dict(vocabulary=["a", "a"]), words, refused=True)
record(L.StringLookup, dict(vocabulary=vocabulary, max_tokens=2), words, refused=True)
record(L.StringLookup, dict(vocabulary=vocabulary, max_tokens=1), words, refused=True)
record(L.StringLookup, dict(vocabulary=vocabulary, num_oov_indices=-1), words, refused=True)
record(L.StringLookup, dict(vocabulary=vocabulary, output_mode="two_hot"), words, refused=True)
record(L.StringLookup, dict(vocabulary=vocabulary, invert=True, output_mode="count"), words, refused=True)
record(L.StringLookup, dict(vocabulary=vocabulary, pad_to_max_tokens=True, output_mode="count"), words, refused=True)
record(L.StringLookup, dict(vocabulary=vocabulary, output_mode="tf_idf", idf_weights=[1.0]), words, refused=True)
record(L.StringLookup, dict(vocabulary=vocabulary, idf_weights=[1.0, 2.0, 3.0]), words, refused=True)
record(L.StringLookup, dict(vocabulary=vocabulary, num_oov_indices=0), words, refused=True)

numbers = np.array([[12, 36], [1000, -4], [42, 12]])
for mode in ("int", "one_hot", "multi_hot", "count"):
    for oov in (1, 2):
        for mask in (None, 0):
            record(L.IntegerLookup, dict(vocabulary=[12, 36, 42], output_mode=mode, num_oov_indices=oov, mask_token=mask), numbers)
    record(L.IntegerLookup, dict(output_mode=mode, max_tokens=4), numbers, adapt=numbers)
record(L.IntegerLookup, dict(vocabulary=[-1, 12, 36]), numbers)
record(L.IntegerLookup, dict(vocabulary=[12, 36, 42], oov_token=7, invert=True), np.array([0, 1, 2, 3]))
record(L.IntegerLookup, dict(vocabulary=[12, 36, 42], mask_token=0, invert=True), np.array([0, 1, 2, 4]))
record(L.IntegerLookup, dict(num_oov_indices=3, mask_token=12), numbers, adapt=numbers)
record(L.IntegerLookup, dict(vocabulary=[12, 36], output_mode="tf_idf", idf_weights=[0.25, 0.75]), numbers)
record(L.IntegerLookup, dict(output_mode="tf_idf"), numbers, adapt=numbers)
record(L.IntegerLookup, dict(vocabulary=[12, 36], num_oov_indices=4, oov_method="farmhash"), numbers)
record(L.IntegerLookup, dict(vocabulary=[12, 36]), numbers.astype("int32"))
record(L.IntegerLookup, dict(vocabulary=[12, 12]), numbers, refused=True)
record(L.IntegerLookup, dict(vocabulary=[12, 36], vocabulary_dtype="float32"), numbers, refused=True)

texts = np.array(["The cat -- sat, on\nthe MAT!", "", "a b", "Äpfel und Birnen?"])
known = ["the", "cat", "sat", "the mat", "a b", "a", "b", "äpfel"]
for o in (dict(ngrams=1), dict(ngrams=2), dict(ngrams=3), dict(ngrams=(2,)), dict(ngrams=(1, 3)), dict(split="character"),
          dict(split="character", ngrams=2), dict(standardize=None), dict(standardize="lower"), dict(standardize="strip_punctuation"),
          dict(split=None), dict(split=None, standardize="lower"), dict(output_sequence_length=3), dict(output_sequence_length=12),
          dict(output_mode="multi_hot"), dict(output_mode="count", ngrams=2), dict(output_mode="tf_idf", idf_weights=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
          dict(output_mode="count", max_tokens=12, pad_to_max_tokens=True), dict(output_mode="multi_hot", max_tokens=12),
          dict(max_tokens=20), dict(split=None, output_mode="multi_hot"), dict(output_mode="one_hot")):
    record(L.TextVectorization, dict(vocabulary=known, **o), texts)
    record(L.TextVectorization, dict(vocabulary=known, **o), texts[:, None])
record(L.TextVectorization, dict(vocabulary=known), np.array("the cat sat"))
for o in (dict(), dict(max_tokens=4), dict(ngrams=2, max_tokens=9), dict(output_mode="tf_idf"), dict(output_mode="count", max_tokens=5),
          dict(split="character", max_tokens=6), dict(output_mode="tf_idf", max_tokens=30, pad_to_max_tokens=True, ngrams=2)):
    record(L.TextVectorization, o, texts, adapt=texts)
    record(L.TextVectorization, o, texts, adapt=texts, batches=2)
record(L.TextVectorization, dict(vocabulary=known, output_mode="count", output_sequence_length=4), texts, refused=True)
record(L.TextVectorization, dict(vocabulary=known, pad_to_max_tokens=True), texts, refused=True)
record(L.TextVectorization, dict(vocabulary=known, ragged=True, output_mode="count"), texts, refused=True)

for o in (dict(num_bins=3), dict(num_bins=1), dict(num_bins=7, salt=5), dict(num_bins=7, salt=[5, 6]), dict(num_bins=4, mask_value=""),
          dict(num_bins=4, output_mode="one_hot"), dict(num_bins=4, output_mode="multi_hot"), dict(num_bins=4, output_mode="count", mask_value="the")):
    record(L.Hashing, o, words)
    record(L.Hashing, o, flat)
for o in (dict(num_bins=5), dict(num_bins=5, salt=3), dict(num_bins=5, mask_value=12), dict(num_bins=5, output_mode="count")):
    record(L.Hashing, o, numbers)
record(L.Hashing, dict(num_bins=0), words, refused=True)
record(L.Hashing, dict(num_bins=3, output_mode="tf_idf"), words, refused=True)
for o in (dict(num_bins=6), dict(num_bins=6, output_mode="one_hot"), dict(num_bins=1)):
    record(L.HashedCrossing, o, [flat, np.array([1, 2, 3, 4])])
    record(L.HashedCrossing, o, [flat[:, None], np.array([[1], [2], [3], [4]]), flat[:, None]])
    record(L.HashedCrossing, o, [np.array([3, 4]), np.array([5, 6])])
    record(L.HashedCrossing, o, [np.array("x"), np.array(2)])
record(L.HashedCrossing, dict(num_bins=6, output_mode="multi_hot"), [flat, flat], refused=True)
record(L.HashedCrossing, dict(num_bins=6), [words, words], refused=True)
record(L.HashedCrossing, dict(num_bins=6), [flat], refused=True)

codes = np.array([[0, 2], [3, 3], [1, 0]])
for mode in ("one_hot", "multi_hot", "count"):
    for given in (codes, codes[:, 0], codes[:, :1], codes[None], np.array(2)):
        record(L.CategoryEncoding, dict(num_tokens=4, output_mode=mode), given)
record(L.CategoryEncoding, dict(num_tokens=4), np.array([[1.0, 3.0]], "float32"))
record(L.CategoryEncoding, dict(num_tokens=0), codes, refused=True)

reals = np.array([[-1.5, 0.0], [0.5, 2.0], [7.0, 1.0]], "float32")
for mode in ("int", "one_hot", "multi_hot", "count"):
    for given in (reals, reals[:, 0], reals[:, :1], reals[None]):
        record(L.Discretization, dict(bin_boundaries=[0.0, 1.0, 2.0], output_mode=mode), given)
    record(L.Discretization, dict(num_bins=4, output_mode=mode), reals, adapt=np.linspace(-3, 9, 25).astype("float32")[:, None] ** 2)
record(L.Discretization, dict(num_bins=3, epsilon=0.3), reals, adapt=np.linspace(0, 5, 40).astype("float32")[:, None], batches=3)
record(L.Discretization, dict(num_bins=1), reals, adapt=reals)
record(L.Discretization, dict(bin_boundaries=[]), reals)
record(L.Discretization, dict(bin_boundaries=[0.0, 1.0]), np.array([[0, 1], [2, -1]]))
record(L.Discretization, dict(), reals, refused=True)
record(L.Discretization, dict(num_bins=-2), reals, refused=True)

planes = (np.arange(24).reshape(3, 2, 4) * 7 % 11).astype("float32")
for axis in (-1, 1, 2, [1, 2], [-1, 1], None, [1, -1]):
    for invert in (False, True):
        record(L.Normalization, dict(axis=axis, invert=invert), planes, adapt=planes)
record(L.Normalization, dict(axis=-1), planes, adapt=planes, batches=3)
record(L.Normalization, dict(axis=None), planes, adapt=planes, batches=2)
record(L.Normalization, dict(mean=[1.0, 2.0, 3.0, 4.0], variance=[1.0, 4.0, 9.0, 0.0]), planes)
record(L.Normalization, dict(mean=2.0, variance=0.25, invert=True), planes)
record(L.Normalization, dict(axis=1, mean=[1.0, 2.0], variance=[4.0, 0.25]), planes)
record(L.Normalization, dict(axis=[1, 2], mean=np.arange(8.0).reshape(2, 4).tolist(), variance=np.ones((2, 4)).tolist()), planes)
record(L.Normalization, dict(axis=None, mean=2.0, variance=4.0), planes[0])
record(L.Normalization, dict(axis=-1), np.array([[1], [2], [6]]), adapt=np.array([[1], [2], [6]]))
record(L.Normalization, dict(mean=1.0), planes, refused=True)
record(L.Normalization, dict(variance=1.0), planes, refused=True)
record(L.Normalization, dict(axis=5), planes, adapt=planes, refused=True)

# Edges: odd characters, equal counts, nothing, numbers out of all ranges.
tied = np.array(["b", "a", "c", "a", "b", "c", "ß", "z", "é", "Z", "1"])
for o in (dict(), dict(max_tokens=4), dict(max_tokens=5, num_oov_indices=2), dict(mask_token="a"), dict(oov_token="c"), dict(max_tokens=6, mask_token="")):
    record(L.StringLookup, o, tied, adapt=tied)
    record(L.StringLookup, o, tied, adapt=tied, batches=4)
special = np.array(["[UNK]", "", "x", "[UNK]", "", "y", "y"])
for o in (dict(), dict(mask_token=""), dict(mask_token="", output_mode="count"), dict(oov_token="y", mask_token="x"), dict(output_mode="tf_idf")):
    record(L.StringLookup, o, special, adapt=special)
record(L.StringLookup, dict(vocabulary=vocabulary, output_mode="multi_hot"), np.zeros((0, 2), "U1"))
record(L.StringLookup, dict(vocabulary=vocabulary, output_mode="one_hot"), np.zeros((0, 1), "U1"))
record(L.StringLookup, dict(vocabulary=vocabulary), np.zeros((0,), "U1"))
record(L.StringLookup, dict(vocabulary=vocabulary, output_mode="count"), np.zeros((2, 0), "U1"))
record(L.StringLookup, dict(vocabulary=vocabulary, invert=True), np.array([[-1, 4], [99, 2]]))
record(L.StringLookup, dict(vocabulary=vocabulary, invert=True, mask_token=""), np.array([-5, 0, 1, 2, 5]))
record(L.StringLookup, dict(vocabulary=["a b", "A", "ä", "\U0001f600", "a\tb"]), np.array(["a b", "a", "Ä", "\U0001f600", "a\tb", "A"]))
for t in ("float64", "float16", "int32"):
    record(L.StringLookup, dict(vocabulary=vocabulary, output_mode="count", dtype=t), words)
for t in ("int64", "int32", "float32"):
    record(L.StringLookup, dict(vocabulary=vocabulary, dtype=t), words)

wide = np.array([[2**40, -(2**40)], [0, -1], [2**40, 7]])
for o in (dict(), dict(mask_token=0), dict(oov_token=7), dict(max_tokens=3), dict(num_oov_indices=3), dict(mask_token=-1, oov_token=0), dict(output_mode="count")):
    record(L.IntegerLookup, o, wide, adapt=wide)
    record(L.IntegerLookup, o, wide, adapt=wide, batches=3)
for t in ("int8", "uint8", "int16", "int32"):
    record(L.IntegerLookup, dict(vocabulary=[1, 2, 200]), np.array([1, 100, 2]).astype(t))
record(L.IntegerLookup, dict(vocabulary=[2**62, -(2**62)], num_oov_indices=5), np.array([2**62, -(2**62), 2**61, -3]))
record(L.IntegerLookup, dict(vocabulary=[12, 36]), np.array([[12.0, 36.5]], "float32"), refused=True)
record(L.IntegerLookup, dict(vocabulary=[12, 36], output_mode="multi_hot"), np.zeros((0, 3), "int64"))

signs = np.array(["".join(map(chr, range(33, 127))), "it's a-b_c/d", "a\u00a0b\u3000c d", "x\x0by\x0cz\x1fw", "\U0001f600 \u00c4\u00d6 \u0130I", "   ", "a  b\t\tc\n"])
spelled = ["its", "abcd", "it's", "a-b_c/d", "a", "b", "c", "d", "x", "y", "z", "\U0001f600", "\u00c4\u00d6", "\u00e4\u00f6", "i", "\u0130i", "a b", " "]
for o in (dict(), dict(standardize="lower"), dict(standardize="strip_punctuation"), dict(standardize=None), dict(split="character"), dict(split=None),
          dict(ngrams=2), dict(ngrams=(3,)), dict(ngrams=2, output_sequence_length=2), dict(output_sequence_length=1), dict(output_mode="count", split="character")):
    record(L.TextVectorization, dict(vocabulary=spelled, **o), signs)
    record(L.TextVectorization, dict(**o), signs, adapt=signs)
    record(L.TextVectorization, dict(max_tokens=7, **o), signs, adapt=signs, batches=3)
for t in (np.zeros((0,), "U1"), np.zeros((0, 1), "U1"), np.array([""]), np.array([" ", "!"])):
    for o in (dict(), dict(output_mode="count"), dict(output_sequence_length=3), dict(output_mode="multi_hot", max_tokens=9, pad_to_max_tokens=True)):
        record(L.TextVectorization, dict(vocabulary=["a", "b"], **o), t)
for o in (dict(output_sequence_length=0), dict(output_sequence_length=-1), dict(ngrams=(0, 2)), dict(split="words"), dict(standardize="upper"), dict(max_tokens=0),
          dict(output_mode="tf-idf")):
    record(L.TextVectorization, dict(vocabulary=["a", "b"], **o), texts, refused=True)
record(L.TextVectorization, dict(vocabulary=["a", "b"]), np.array([["a", "b"]]), refused=True)
record(L.TextVectorization, dict(vocabulary=["a", "b"]), np.array([1, 2]), refused=True)

odd = np.array(["", " ", "a", "A", "\u00e4", "\U0001f600", "a" * 70, "a" * 16, "a" * 32, "a" * 64])
for o in (dict(num_bins=1000), dict(num_bins=1000, salt=0), dict(num_bins=1000, salt=[2**40, 2**50]), dict(num_bins=2**31 - 1), dict(num_bins=2, mask_value="a")):
    record(L.Hashing, o, odd)
for t in ("int8", "int32", "int64", "uint8"):
    record(L.Hashing, dict(num_bins=97), np.array([0, 1, 100, 127]).astype(t))
record(L.Hashing, dict(num_bins=97), np.array([-1, -(2**63), 2**63 - 1]))
record(L.Hashing, dict(num_bins=97, mask_value=-1), np.array([-1, 5]))
record(L.Hashing, dict(num_bins=97), np.array([1.5], "float32"), refused=True)
record(L.Hashing, dict(num_bins=4, output_mode="count"), np.zeros((0, 2), "U1"))
record(L.Hashing, dict(num_bins=4), np.zeros((0,), "U1"))
record(L.HashedCrossing, dict(num_bins=1000), [odd, odd[::-1]])
record(L.HashedCrossing, dict(num_bins=1000), [np.array([-1, 2**40]), np.array(["", "b"])])
record(L.HashedCrossing, dict(num_bins=1000), [np.array([1, 2], "int32"), np.array([1, 2], "int8")])

for given in (np.array([[4]]), np.array([[-1, 0]]), np.array([[0.5, 1.0]], "float32"), np.zeros((0, 2), "int64"), np.zeros((2, 0), "int64"), np.array([[1, 2]], "uint8"), np.array([True, False])):
    # TensorFlow counts no negative numbers and no uint8.
    for mode in ("one_hot", "multi_hot", "count") if given.dtype != np.uint8 and given.min(initial=0) >= 0 else ("one_hot",):
        record(L.CategoryEncoding, dict(num_tokens=3, output_mode=mode), given)
for t in ("float64", "int32"):
    record(L.CategoryEncoding, dict(num_tokens=3, dtype=t), np.array([[1, 2]]))

extreme = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, np.nextafter(np.float32(1), np.float32(0)), 1e30], "float32")
for o in (dict(bin_boundaries=[0.0, 1.0]), dict(bin_boundaries=[1.0, 1.0, 2.0]), dict(bin_boundaries=[1, 2]), dict(bin_boundaries=[-1e30, 1e30]), dict(bin_boundaries=[0.1])):
    record(L.Discretization, o, extreme)
    record(L.Discretization, o, np.array([0.1, 1.0, 2.0], "float64"))
    record(L.Discretization, o, np.array([-1, 0, 1, 2]))
    record(L.Discretization, dict(output_mode="one_hot", **o), np.array([[0.1], [1.0]], "float32"))
record(L.Discretization, dict(bin_boundaries=[2.0, 1.0]), reals, refused=True)
few = np.array([3.0, 1.0, 2.0], "float32")
for data in (few, few[:1], np.full(9, 4.0, "float32"), np.arange(7), np.array([1.0, 1.0, 1.0, 5.0], "float32"), np.arange(10.0), np.array([1, 2, np.nan, 4, 5, 6], "float32")):
    for bins in (1, 2, 3, 5, 20):
        record(L.Discretization, dict(num_bins=bins), few, adapt=data)

flatten = planes.reshape(6, 4)
for data in (np.full((5, 2), 3.0, "float32"), np.array([[1e6], [1e6 + 4], [1e6 - 4]], "float32"), flatten.astype("float64"), flatten.astype("int32"), flatten[:1], (flatten > 4)):
    record(L.Normalization, dict(), data, adapt=data)
    record(L.Normalization, dict(axis=None), data, adapt=data)
    record(L.Normalization, dict(invert=True), data, adapt=data)
record(L.Normalization, dict(axis=None), flatten[:, 0], adapt=flatten[:, 0])
record(L.Normalization, dict(axis=()), flatten, adapt=flatten)
record(L.Normalization, dict(mean=0.0, variance=0.0), np.array([[1.0, -2.0]], "float32"))
record(L.Normalization, dict(mean=[1.0, 2.0, 3.0], variance=[1.0, 1.0, 1.0]), flatten, refused=True)
record(L.Normalization, dict(dtype="float64"), flatten, adapt=flatten)

for file, kinds in {"lookup": ("StringLookup", "IntegerLookup"), "text": ("TextVectorization",),
                    "tabular": ("Hash", "CategoryEncoding", "Discretization", "Normalization")}.items():
    lines = [json.dumps(c, separators=(",", ":"), ensure_ascii=False) for c in cases if c["name"].startswith(kinds)]
    path = os.path.join(sys.argv[1], f"option_{file}.json")
    with open(path, "w") as f:
        f.write("[\n" + ",\n".join(lines) + "\n]\n")
    print(path, len(lines), "cases,", os.path.getsize(path), "bytes", file=sys.stderr)
