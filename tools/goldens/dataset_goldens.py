"""Writes tests/data/keras_datasets: files in the formats of keras.datasets, of a few samples each, as Keras's cache has
them, and what Keras's loaders make of them in expected.json.

Run with Keras 3.15:  python tools/goldens/dataset_goldens.py tests/data/keras_datasets
"""

import gzip
import importlib
import json
import os
import pickle
import struct
import sys

import numpy as np
from keras.src.datasets.cifar import load_batch

root = sys.argv[1]
rng = np.random.default_rng(11)


def path_of(name):
    path = os.path.join(root, "datasets", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def texts(n):
    x = np.empty(n, dtype=object)
    for i in range(n):
        x[i] = [int(w) for w in rng.integers(1, 60, rng.integers(1, 12))]
    return x


def images(n):
    # Few values, so that the files stay small.
    return (rng.integers(0, 2, (n, 28, 28)) * 200).astype("uint8")


def write_idx(name, x):
    with gzip.GzipFile(path_of("fashion-mnist/" + name), "wb", mtime=0) as f:
        f.write(bytes([0, 0, 8, x.ndim]) + struct.pack(f">{x.ndim}I", *x.shape) + x.tobytes())


def python2_pickle(batch):
    """The bytes that Python 2, which the files of CIFAR come from, writes for a dictionary of lists and one array."""
    out = b"\x80\x02}q\x01("
    for key, value in batch.items():
        out += b"U" + bytes([len(key)]) + key
        if isinstance(value, list):
            items = [b"K" + bytes([v]) if isinstance(v, int) else b"U" + bytes([len(v)]) + v for v in value]
            out += b"](" + b"".join(items) + b"e"
            continue
        rows, columns = value.shape
        out += (b"cnumpy.core.multiarray\n_reconstruct\nq\x02cnumpy\nndarray\nq\x03K\x00\x85U\x01b\x87Rq\x04(K\x01K"
                + bytes([rows]) + b"M" + struct.pack("<H", columns)
                + b"\x86cnumpy\ndtype\nq\x05U\x02u1K\x00K\x01\x87Rq\x06(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xff"
                + b"K\x00tb\x89T" + struct.pack("<I", value.size) + value.tobytes() + b"tb")
    return out + b"u."


def write_batch(name, n, keys, dumps):
    data = np.repeat(rng.integers(0, 256, (n, 48), dtype=np.uint8), 64, axis=1)
    batch = {b"data": data, b"filenames": [b"a.png"] * n}
    for key, classes in keys.items():
        batch[key] = [int(v) for v in rng.integers(0, classes, n)]
    with open(path_of(name), "wb") as f:
        f.write(dumps(batch))
    x, y = load_batch(path_of(name), next(iter(keys)).decode())
    assert np.array_equal(x, data.reshape(n, 3, 32, 32)) and y == batch[next(iter(keys))]
    return x.transpose(0, 2, 3, 1), batch


def write_files():
    np.savez_compressed(path_of("mnist.npz"), x_train=images(5), y_train=rng.integers(0, 10, 5).astype("uint8"),
                        x_test=images(3), y_test=rng.integers(0, 10, 3).astype("uint8"))
    write_idx("train-images-idx3-ubyte.gz", images(4))
    write_idx("train-labels-idx1-ubyte.gz", rng.integers(0, 10, 4).astype("uint8"))
    write_idx("t10k-images-idx3-ubyte.gz", images(2))
    write_idx("t10k-labels-idx1-ubyte.gz", rng.integers(0, 10, 2).astype("uint8"))
    np.savez_compressed(path_of("imdb.npz"), x_train=texts(14), y_train=rng.integers(0, 2, 14), x_test=texts(9),
                        y_test=rng.integers(0, 2, 9))
    np.savez_compressed(path_of("reuters.npz"), x=texts(17), y=rng.integers(0, 46, 17))
    for name in ("imdb", "reuters"):
        with open(path_of(name + "_word_index.json"), "w") as f:
            json.dump({"the": 1, "café": 2, "a": 3}, f)
    np.savez_compressed(path_of("boston_housing.npz"), x=rng.standard_normal((11, 13)), y=rng.standard_normal(11))
    np.savez_compressed(path_of("california_housing.npz"), x=rng.standard_normal((610, 8)).round(1).astype("float32"),
                        y=rng.standard_normal(610).round(1).astype("float32"))


def lists(split):
    return [{"x": [[int(w) for w in x] for x in part[0]], "y": [int(v) for v in part[1]]} for part in split]


def summary(split):
    """Shapes, and sums that weigh each value by its place."""
    result = []
    for part in split:
        for x in part:
            flat = np.asarray(x, "float64").ravel()
            result.append({"shape": list(np.asarray(x).shape), "dtype": str(np.asarray(x).dtype),
                           "sum": float(np.sum(flat * (np.arange(flat.size) % 97 + 1)))})
    return result


def main():
    write_files()
    names = ["mnist", "fashion_mnist", "cifar100", "imdb", "reuters", "boston_housing", "california_housing"]
    modules = {name: importlib.import_module("keras.src.datasets." + name) for name in names}
    cifar100 = {part: write_batch("cifar-100-python-target/cifar-100-python/" + part, n,
                                  {b"fine_labels": 100, b"coarse_labels": 20}, python2_pickle) for part, n in (("train", 4), ("test", 2))}
    cifar10 = [write_batch(f"cifar-10-batches-py-target/cifar-10-batches-py/{name}", 2, {b"labels": 10},
                           lambda batch: pickle.dumps(batch, protocol=4))
               for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]]

    def find(fname=None, origin=None, cache_subdir="datasets", **_):
        return os.path.join(root, cache_subdir, fname)

    for module in modules.values():
        module.get_file = find
    expected = {}
    for name in ("mnist", "fashion_mnist"):
        expected[name] = summary(modules[name].load_data())
    # Keras's loaders of CIFAR want whole files, but load_batch has read these.
    for mode in ("fine", "coarse"):
        expected["cifar100 " + mode] = summary([
            (x, np.array(b[f"{mode}_labels".encode()], "uint8").reshape(-1, 1)) for x, b in cifar100.values()])
    expected["cifar10"] = summary([
        (np.concatenate([x for x, _ in part]), np.concatenate([b[b"labels"] for _, b in part]).astype("uint8").reshape(-1, 1))
        for part in (cifar10[:5], cifar10[5:])])
    ways = [{}, {"num_words": 20}, {"num_words": 30, "skip_top": 5, "oov_char": None}, {"maxlen": 7, "seed": 4},
            {"start_char": None, "index_from": 0}]
    expected["imdb"] = [{"options": w, "split": lists(modules["imdb"].load_data(**w))} for w in ways]
    ways.append({"test_split": 0.5})
    expected["reuters"] = [{"options": w, "split": lists(modules["reuters"].load_data(**w))} for w in ways]
    expected["boston_housing"] = summary(modules["boston_housing"].load_data())
    expected["boston_housing 0.3 7"] = summary(modules["boston_housing"].load_data(test_split=0.3, seed=7))
    for version in ("small", "large"):
        expected["california_housing " + version] = summary(modules["california_housing"].load_data(version))
    with open(os.path.join(root, "expected.json"), "w") as f:
        json.dump(expected, f, separators=(",", ":"))
        f.write("\n")


main()
