"""Writes tests/data/image_files.json: small PNG and BMP files of all kinds, made byte by byte, and what Keras's load_img
makes of them.

Run with Keras 3.15 and Pillow:  python tools/goldens/image_file_goldens.py tests/data/image_files.json
"""

import json
import os
import struct
import sys
import tempfile
import zlib

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
import keras
import numpy as np

rng = np.random.default_rng(5)
WIDTH, HEIGHT = 7, 5
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def packed_rows(x, depth):
    """Bytes of rows (h, w, channels)."""
    rows = []
    for row in x:
        if depth == 16:
            rows.append(row.astype(">u2").tobytes())
        else:
            bits = "".join(format(int(v), f"0{depth}b") for v in row.ravel())
            bits += "0" * (-len(bits) % 8)
            rows.append(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)))
    return rows


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def filtered(rows, step):
    """Each row with another of the five filters."""
    out, before = b"", None
    for i, row in enumerate(rows):
        kind = (i + 1) % 5
        up = before or bytes(len(row))
        line = bytearray()
        for k, v in enumerate(row):
            a = row[k - step] if k >= step else 0
            c = up[k - step] if k >= step else 0
            predicted = (0, a, up[k], (a + up[k]) // 2, paeth(a, up[k], c))[kind]
            line.append((v - predicted) % 256)
        out += bytes([kind]) + bytes(line)
        before = row
    return out


def png(depth, color, interlaced, transparent=False):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    colors = min(2**depth, 11)
    x = rng.integers(0, colors if color == 3 else 2**depth, (HEIGHT, WIDTH, channels))
    step = max(1, channels * depth // 8)
    if interlaced:
        data = b""
        for left, top, across, down in PASSES:
            part = x[top::down, left::across]
            if part.size:
                data += filtered(packed_rows(part, depth), step)
    else:
        data = filtered(packed_rows(x, depth), step)
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, color, 0, 0, int(interlaced)))
    if color == 3:
        file += chunk(b"PLTE", rng.integers(0, 256, (colors, 3), dtype=np.uint8).tobytes())
    if transparent:
        if color == 3:
            file += chunk(b"tRNS", bytes([0, 128]))
        else:
            file += chunk(b"tRNS", b"".join(struct.pack(">H", int(v)) for v in x[1, 2]))
    whole = zlib.compress(data)
    middle = len(whole) // 2
    return file + chunk(b"IDAT", whole[:middle]) + chunk(b"IDAT", whole[middle:]) + chunk(b"IEND", b"")


def bmp(bits, top_down=False, fields=None, old=False):
    colors = 2**bits if bits <= 8 else 0
    palette = rng.integers(0, 256, (colors, 3), dtype=np.uint8)
    x = rng.integers(0, 2 ** min(bits, 30), (HEIGHT, WIDTH)) if bits != 24 else rng.integers(0, 256, (HEIGHT, WIDTH, 3))
    rows = b""
    for row in x if top_down else x[::-1]:
        if bits == 24:
            line = row.astype(np.uint8).tobytes()
        elif bits >= 16:
            line = row.astype("<u2" if bits == 16 else "<u4").tobytes()
        else:
            line = packed_rows(row[None, :, None], bits)[0]
        rows += line + bytes(-len(line) % 4)
    compression = 3 if fields else 0
    masks = struct.pack("<III", *fields) if fields else b""
    if old:
        header = struct.pack("<IHHHH", 12, WIDTH, HEIGHT, 1, bits)
        table = palette.tobytes()
    else:
        header = struct.pack("<IiiHHIIiiII", 40, WIDTH, -HEIGHT if top_down else HEIGHT, 1, bits, compression, len(rows), 2835, 2835, colors, 0)
        table = b"".join(p.tobytes() + b"\0" for p in palette)
    offset = 14 + len(header) + len(masks) + len(table)
    return b"BM" + struct.pack("<IHHI", offset + len(rows), 0, 0, offset) + header + masks + table + rows


files = {}
for color, depths in ((0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8, 16)), (6, (8, 16))):
    for depth in depths:
        for interlaced in (False, True):
            files[f"png color {color} depth {depth}{' interlaced' if interlaced else ''}"] = png(depth, color, interlaced)
        # Of other depths Pillow compares levels that are not spread or cut yet.
        if color == 3 or (color, depth) in ((0, 8), (2, 8)):
            files[f"png color {color} depth {depth} transparent"] = png(depth, color, False, True)
for bits in (1, 4, 8, 24):
    files[f"bmp {bits}"] = bmp(bits)
    files[f"bmp {bits} old"] = bmp(bits, old=True)
files["bmp 24 top down"] = bmp(24, top_down=True)
files["bmp 16"] = bmp(16)
files["bmp 32"] = bmp(32)
files["bmp 16 fields"] = bmp(16, fields=(0xF800, 0x7E0, 0x1F))
files["bmp 32 fields"] = bmp(32, fields=(0xFF0000, 0xFF00, 0xFF))

result = []
with tempfile.TemporaryDirectory() as folder:
    for name, content in files.items():
        path = os.path.join(folder, "image")
        with open(path, "wb") as f:
            f.write(content)
        loaded = {}
        for mode in ("rgb", "rgba", "grayscale"):
            try:
                x = np.asarray(keras.utils.load_img(path, color_mode=mode))
            except Exception as e:
                print("REFUSED", name, mode, type(e).__name__, e, file=sys.stderr)
                continue
            loaded[mode] = {"shape": x.shape, "pixels": x.ravel().tolist()}
        result.append({"name": name, "file": content.hex(), "loaded": loaded})

lines = [json.dumps(c, separators=(",", ":")) for c in result]
with open(sys.argv[1], "w") as f:
    f.write("[\n" + ",\n".join(lines) + "\n]\n")
