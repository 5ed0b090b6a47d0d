"""Checks and writes HDF5 files for tests/framework/io/h5_python_test.cpp, by h5py.

Usage: check_h5.py --probe | read FILE | write FILE
"""

import sys

import h5py
import numpy as np

NUMBERS = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


def expected(dtype):
    return (np.arange(6) * 37 % 7).astype(dtype).reshape(2, 3)


def same(found, wanted):
    assert found.dtype == wanted.dtype, (found.dtype, wanted.dtype)
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    assert (found == wanted).all(), (found, wanted)


def read(path):
    """What H5Writer wrote."""
    with h5py.File(path, "r") as f:
        assert sorted(f) == ["deep", "empty", "none", "numbers", "scalar", "texts"], sorted(f)
        for dtype in NUMBERS:
            same(f["numbers"][dtype][()], expected(dtype))
        assert f["numbers"]["bfloat16"].attrs["dtype"] == "bfloat16"
        same(f["numbers"]["complex64"][()], (expected("float32") + 1j * expected("float32")).astype("complex64"))
        assert f["scalar"][()] == 2.5 and f["scalar"].shape == ()
        assert f["none"].shape == (0, 3) and f["none"].dtype == "float32"
        assert isinstance(f["empty"], h5py.Group) and not list(f["empty"])
        assert [t.decode() for t in f["texts"][()].ravel()] == ["", "a", "gr\u00f6\u00dfer", "x" * 1000]
        assert f["texts"].shape == (2, 2)
        group = f["deep"]["a b"]["\u00fc"]
        assert list(group["0"][()]) == [1, 2]
        assert group.attrs["text"] == "two words" and group.attrs["nothing"] == ""
        assert group.attrs["number"] == 0.1 and group.attrs["number"].dtype == "float64"
        assert group.attrs["whole"] == -(2**40) and group.attrs["whole"].dtype == "int64"
        assert [t.decode() if isinstance(t, bytes) else t for t in group.attrs["names"]] == ["b", "a", "\u00e9"]
        assert group.attrs["no_names"].shape == (0,)
        assert group["0"].attrs["of"] == "a dataset"
        many = []
        while f"many{len(many)}" in group.attrs:
            many.append(list(group.attrs[f"many{len(many)}"]))
        names = [t.decode() if isinstance(t, bytes) else t for part in many for t in part]
        assert names == [f"name_of_a_layer_{i}_that_is_long" for i in range(3000)], len(names)


def write(path):
    """What H5Reader is to read."""
    with h5py.File(path, "w") as f:
        for dtype in NUMBERS:
            x = expected(dtype)
            f.create_dataset("plain/" + dtype, data=x)
            f.create_dataset("zipped/" + dtype, data=x, chunks=(2, 2), compression="gzip", shuffle=True, fletcher32=True)
            if dtype not in ("bool", "uint8", "int8"):
                f.create_dataset("big/" + dtype, data=x.astype(x.dtype.newbyteorder(">")))
        f["fortran"] = np.asfortranarray(expected("float32"))
        f["scalar"] = 2.5
        f["none"] = np.zeros((0, 3), "float32")
        f["one"] = np.float32([[[7]]])
        f["texts"] = np.array(["a", "gr\u00f6\u00dfer", ""], dtype=object)
        f["fixed"] = np.array([b"abc", b"d", b""], dtype="S3")
        f["unset"] = f.create_dataset("later", (2, 2), "float32", fillvalue=1.5)
        f.create_dataset("grows", data=expected("int32"), maxshape=(None, 3))
        f.create_dataset("zeros", (3, 5), "float32", chunks=(1, 5), compression="gzip")
        group = f.create_group("deep/a b/\u00fc", track_order=True)
        for i in range(12):
            group[str(11 - i)] = np.int32([i])
        group.attrs["text"] = "two words"
        group.attrs["bytes"] = np.bytes_(b"as bytes")
        group.attrs["number"] = np.float32(0.5)
        group.attrs["whole"] = 3
        group.attrs["truth"] = True
        group.attrs["list"] = [1, 2, 3]
        group.attrs["names"] = ["b", "a", "\u00e9"]
        group.attrs["byte_names"] = np.array([b"kernel", b"bias"])
        f["soft"] = h5py.SoftLink("/one")
        f["external"] = h5py.ExternalLink("other.h5", "/one")
        f["hard"] = f["one"]


if sys.argv[1] == "read":
    read(sys.argv[2])
elif sys.argv[1] == "write":
    write(sys.argv[2])
