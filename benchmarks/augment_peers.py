"""albumentations on the samples of `cornu-bench augment`, and the table of both.

Needs albumentations==2.0.8 and opencv-python-headless. Usage:
  python augment_peers.py                         prints a line of JSON for each figure
  python augment_peers.py path/to/cornu-bench     runs both for each dtype, one after the other, and prints the table
"""
import json
import math
import os
import subprocess
import sys
import time

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"
import albumentations as A
import cv2
import numpy as np

cv2.setNumThreads(1)
REFLECT = cv2.BORDER_REFLECT


def rows(size):
    part = size * 7 // 8
    return {
        "horizontal flip": A.HorizontalFlip(p=0.5),
        "vertical flip": A.VerticalFlip(p=0.5),
        "rotation": A.Rotate(20, border_mode=REFLECT, p=1),
        "translation": A.Affine(translate_percent=(-0.1, 0.1), border_mode=REFLECT, p=1),
        "zoom": A.Affine(scale=(0.8, 1.2), border_mode=REFLECT, p=1),
        "shear": A.Affine(shear={"x": (-11, 11), "y": (-6, 6)}, border_mode=REFLECT, p=1),
        "perspective": A.Perspective(scale=(0.02, 0.1), p=1),
        "elastic": A.ElasticTransform(alpha=30, sigma=8, border_mode=REFLECT, p=1),
        "grid distortion": A.GridDistortion(num_steps=5, distort_limit=0.3, border_mode=REFLECT, p=1),
        "random crop": A.RandomCrop(part, part, p=1),
        "center crop": A.CenterCrop(part, part, p=1),
        "resize": A.Resize(part, part, p=1),
        "random resized crop": A.RandomResizedCrop((part, part), p=1),
        "box-safe crop": A.RandomSizedBBoxSafeCrop(part, part, p=1),
        "letterbox": A.Compose([A.LongestMaxSize(part), A.PadIfNeeded(part, part)]),
        "coarse dropout": A.CoarseDropout(num_holes_range=(1, 8), hole_height_range=(0.05, 0.15),
                                          hole_width_range=(0.05, 0.15), p=1),
        "erasing": A.Erasing(fill="random", p=1),
        "brightness": A.RandomBrightnessContrast(0.2, (0, 0), p=1),
        "contrast": A.RandomBrightnessContrast((0, 0), 0.2, p=1),
        "saturation": A.ColorJitter((1, 1), (1, 1), (0.7, 1.3), (0, 0), p=1),
        "hue": A.ColorJitter((1, 1), (1, 1), (1, 1), (-0.1, 0.1), p=1),
        "color jitter": A.ColorJitter(0.2, 0.2, 0.2, 0.05, p=1),
        "grayscale": A.ToGray(p=1),
        "invert": A.InvertImg(p=1),
        "posterize": A.Posterize(4, p=1),
        "solarize": A.Solarize((0.0, 0.5), p=1),
        "auto contrast": A.AutoContrast(p=1),
        "equalize": A.Equalize(by_channels=True, p=1),
        "clahe": A.CLAHE((4, 4), p=1),
        "sharpen": A.Sharpen(p=1),
        "gaussian blur": A.GaussianBlur(blur_limit=(5, 5), sigma_limit=(0.1, 1), p=1),
        "motion blur": A.MotionBlur(blur_limit=(3, 7), p=1),
        "gaussian noise": A.GaussNoise(std_range=(0.05, 0.15), p=1),
        "channel shuffle": A.ChannelShuffle(p=1),
    }


def sample(size, dtype):
    random = np.random.default_rng(1)
    image = random.random((size, size, 3), dtype=np.float32)
    if dtype == "uint8":
        image = (image * 256).astype(np.uint8)
    boxes = np.array([[0.1, 0.2, 0.4, 0.5], [0.5, 0.5, 0.9, 0.8]]) * size
    points = np.array([[0.1 + 0.1 * i, 0.8 - 0.08 * i] for i in range(8)]) * size
    return dict(image=image, mask=random.integers(0, 3, (size, size), dtype=np.uint8), bboxes=boxes,
                labels=[1, 2], keypoints=points)


def measure(transform, data):
    """Microseconds of a call: the least of five runs of some 30 ms."""
    compose = A.Compose([transform], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]),
                        keypoint_params=A.KeypointParams("xy", remove_invisible=False))
    for _ in range(3):
        compose(**data)
    start = time.perf_counter()
    for _ in range(3):
        compose(**data)
    calls = max(1, int(0.03 / ((time.perf_counter() - start) / 3)))
    best = math.inf
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(calls):
            compose(**data)
        best = min(best, (time.perf_counter() - start) / calls)
    return best * 1e6


def albumentations(dtype):
    found = {}
    for size in (256, 512):
        data = sample(size, dtype)
        for name, transform in rows(size).items():
            try:
                found[f"{name} {size}"] = measure(transform, data)
            except Exception as error:  # some take bytes only
                print(f"{name} {size} {dtype}: {str(error).splitlines()[0][:100]}", file=sys.stderr)
    return found


def cornu(program, dtype):
    lines = subprocess.run([program, "augment", "--mode", dtype], check=True, capture_output=True, text=True).stdout
    return {line["metric"]: line["value"] for line in map(json.loads, lines.splitlines()) if line["unit"] == "us"}


def main():
    logarithms = []
    for dtype in ("uint8", "float32"):
        theirs = albumentations(dtype)
        if len(sys.argv) < 2:
            for name, value in theirs.items():
                print(json.dumps({"workload": "augment", "peer": "albumentations " + A.__version__, "mode": dtype,
                                  "metric": name, "value": value, "unit": "us"}))
            continue
        ours = cornu(sys.argv[1], dtype)
        for name, value in theirs.items():
            ratio = value / ours[name]
            logarithms.append(math.log(ratio))
            print(f"{dtype:8} {name:26} {value:9.1f} us {ours[name]:9.1f} us {ratio:6.2f}x", flush=True)
    if logarithms:
        print(f"geometric mean of {len(logarithms)} rows: {math.exp(sum(logarithms) / len(logarithms)):.2f}x, "
              f"least {math.exp(min(logarithms)):.2f}x")


main()
