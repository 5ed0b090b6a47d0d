#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets for data: images, sounds, tables, arrays and shards, tests/fuzz/seeds.

Usage: make_data_seeds.py [tests/fuzz/seeds]; needs NumPy. The images are those of tests/data/readers.json.
"""
import json
import pathlib
import struct
import sys
import wave

import numpy as np

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/fuzz/seeds")
tests = pathlib.Path(__file__).parents[2] / "tests"


def write(target, name, data):
    (root / target).mkdir(parents=True, exist_ok=True)
    (root / target / name).write_bytes(data)


goldens = json.loads((tests / "data" / "readers.json").read_text())
for image in goldens["images"]:
    write("image", image["name"], bytes.fromhex(image["file"]))
write("image", "animation.gif", bytes.fromhex(goldens["animation"]["file"]))

for width in (1, 2, 3, 4):
    with wave.open(str(root / "audio.wav"), "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(width)
        sound.setframerate(8000)
        sound.writeframes(bytes(range(12 * width)))
    write("audio", f"{8 * width}.wav", (root / "audio.wav").read_bytes())
(root / "audio.wav").unlink()
# Floats, which the module wave does not write.
samples = np.linspace(-1, 1, 9, dtype="<f4").tobytes()
form = struct.pack("<HHIIHH", 3, 1, 16000, 64000, 4, 32)
write("audio", "float.wav", b"RIFF" + struct.pack("<I", 28 + len(samples) + 8) + b"WAVEfmt " +
      struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(samples)) + samples)
# The stream's description and no frame.
flac = struct.pack(">HH", 16, 16) + bytes(6) + ((8000 << 44) | (0 << 41) | (15 << 36)).to_bytes(8, "big") + bytes(16)
write("audio", "empty.flac", b"fLaC" + bytes([0x80]) + len(flac).to_bytes(3, "big") + flac)

write("csv", "numbers.csv", b"a,b,c\n1,2.5,-3e4\nNA,,True\n")
write("csv", "texts.csv", b'name;note\r\n"a ""b""";"two\nlines"\r\n\r\nc;?\r\n')
write("csv", "tabs.csv", "x\ty\n\u00e9\t1\n".encode())
write("csv", "one.csv", b'only\n""\n1\n')

for name, array in {"float32": np.arange(6, dtype="<f4").reshape(2, 3), "big": np.arange(3, dtype=">i8"),
                    "fortran": np.asfortranarray(np.eye(3, dtype="<f8")), "text": np.array(["a", "\u00e9\u00e9"]),
                    "bytes": np.array([b"ab", b"c"]), "scalar": np.array(True), "half": np.ones(2, "<f2"),
                    "empty": np.zeros((0, 4), "<u2"), "void": np.zeros(2, "V2")}.items():
    np.save(root / "array.npy", array)
    write("npy", name + ".npy", (root / "array.npy").read_bytes())
(root / "array.npy").unlink()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def number(n):
    return struct.pack("<q", n)


def text(t):
    return number(len(t)) + t.encode()


def array(dtype, shape, data):
    return b"\x01" + text(dtype) + number(len(shape)) + b"".join(map(number, shape)) + data


def record(*fields):
    """Of (number of the field, shape, bytes)."""
    out = number(len(fields))
    for field, shape, _ in fields:
        out += number(field) + number(len(shape)) + b"".join(map(number, shape))
    for *_, data in fields:
        out += bytes(-len(out) % 64) + data
    return out + bytes(-len(out) % 64)


def element(data):
    return b"R" + record((0, (len(data),), data))


x = array("float32", (2, 2), bytes(16))
nest = b"\x05" + number(2) + text("b") + b"\x01" + x + text("a") + b"\x04" + number(2) + 2 * (b"\x01\x00")
strings = b"\x02" + number(1) + number(2) + number(2) + text("a") + text("")
weak = b"\x03" + text("float32") + bytes(8)
write("shards", "batch", element(nest + b"\x01" + strings + b"\x01" + weak))
write("shards", "sample", element(array("uint8", (1, 2, 3), bytes(6)) + bytes(8) + number(1) + text("flow") + number(1) +
                                  x + text("xyxy") + text("a.png")))
write("shards", "pairs", element(number(1) + text("a") + x))
write("shards", "label", b"R" + record((1, (), number(3)), (0, (2, 0), b"")))
one = record((0, (), number(7)))
table = struct.pack("<3Q", 64, len(one), crc32c(one))
shard = b"CORNUSH1" + bytes(56) + one + table + struct.pack("<3Q", 64 + len(one), 1, crc32c(table))
index = {"format": "cornu shards 1", "fields": [{"name": "label", "dtype": "int64"}], "classes": [],
         "shards": [{"file": "00000.shard", "records": 1, "bytes": len(shard)}]}
write("shards", "folder", json.dumps(index).encode() + b"\0" + shard)
print(sum(f.stat().st_size for f in root.rglob("*") if f.is_file()), "bytes of seeds")
