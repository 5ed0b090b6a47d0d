"""Records what OpenCV computes, for tests/backend/image_sampling_test.cpp.

Run with opencv-python-headless and numpy: python sampling_goldens.py tests/data/sampling.json
Each case holds the map from the result's pixels to the source's, the way of sampling, and the result. Those of "noise"
are of bytes: places are odd multiples of 1/32 of a pixel, which OpenCV's shares are, so that none is half a pixel and
nothing is lost to the rounding of shares.
"""
import json
import sys

import cv2
import numpy as np

HEIGHT, WIDTH = 20, 28


def picture(channels):
    """Smooth waves, so that a fraction of a pixel is not a large step: the same formula stands in the test."""
    y, x, c = np.meshgrid(np.arange(HEIGHT), np.arange(WIDTH), np.arange(channels), indexing="ij")
    return np.round(127 + 90 * np.sin(0.31 * x + c) * np.cos(0.27 * y - c)).astype(np.uint8)


FILLS = {"constant": cv2.BORDER_CONSTANT, "nearest": cv2.BORDER_REPLICATE, "wrap": cv2.BORDER_WRAP,
         "mirror": cv2.BORDER_REFLECT_101, "reflect": cv2.BORDER_REFLECT}
MAPS = {
    "turned": [0.94, -0.34, 4.1, 0.34, 0.94, -3.3, 0, 0, 1],
    "enlarged": [0.41, 0, 5.2, 0, 0.53, 3.7, 0, 0, 1],
    "shrunk": [1.7, 0.1, -6.3, -0.2, 1.9, -2.6, 0, 0, 1],
    "perspective": [1.1, 0.12, -2.4, 0.07, 0.95, 0.6, 0.004, -0.003, 1],
}

cases = []
for name, matrix in MAPS.items():
    m = np.array(matrix, dtype=np.float64).reshape(3, 3)
    y, x = np.meshgrid(np.arange(HEIGHT, dtype=np.float64), np.arange(WIDTH, dtype=np.float64), indexing="ij")
    w = m[2, 0] * x + m[2, 1] * y + m[2, 2]
    across = ((m[0, 0] * x + m[0, 1] * y + m[0, 2]) / w).astype(np.float32)
    down = ((m[1, 0] * x + m[1, 1] * y + m[1, 2]) / w).astype(np.float32)
    for channels in (1, 3):
        for fill, border in FILLS.items():
            # In floats, whose fractions of pixels OpenCV rounds less than those of bytes.
            result = cv2.remap(picture(channels).astype(np.float32), across, down, cv2.INTER_LINEAR,
                               borderMode=border, borderValue=(50, 50, 50))
            cases.append({"map": matrix, "name": name, "channels": channels, "fill": fill,
                          "values": [int(v) for v in np.round(result).ravel()]})
NOISE_HEIGHT, NOISE_WIDTH = 11, 14
NOISE_MAPS = {
    "turned": [30, -10, 131, 12, 28, -103],
    "enlarged": [14, 2, 97, -4, 18, 85],
    "shrunk": [52, 6, -211, -8, 58, -85],
}


def noise(channels):
    """Bytes without any order: the same formula stands in the test."""
    i = np.arange(NOISE_HEIGHT * NOISE_WIDTH * channels, dtype=np.uint64)
    return ((i * 2654435761 + 12345) % 2**32 >> 24).astype(np.uint8).reshape(NOISE_HEIGHT, NOISE_WIDTH, channels)


noise_cases = []
for name, matrix in NOISE_MAPS.items():
    a, b, c, d, e, f = (np.float32(n / 32) for n in matrix)
    y, x = np.meshgrid(np.arange(NOISE_HEIGHT, dtype=np.float32), np.arange(NOISE_WIDTH, dtype=np.float32),
                       indexing="ij")
    for channels in (1, 3):
        for fill, border in FILLS.items():
            for linear in (True, False):
                result = cv2.remap(noise(channels), a * x + b * y + c, d * x + e * y + f,
                                   cv2.INTER_LINEAR if linear else cv2.INTER_NEAREST,
                                   borderMode=border, borderValue=(50, 50, 50))
                noise_cases.append({"map": [n / 32 for n in matrix] + [0, 0, 1], "name": name, "channels": channels,
                                    "fill": fill, "linear": linear, "values": [int(v) for v in result.ravel()]})
with open(sys.argv[1], "w") as file:
    json.dump({"height": HEIGHT, "width": WIDTH, "fill_value": 50, "cases": cases,
               "noise": {"height": NOISE_HEIGHT, "width": NOISE_WIDTH, "cases": noise_cases}}, file,
              separators=(",", ":"))
