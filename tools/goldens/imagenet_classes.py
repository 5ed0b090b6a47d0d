"""Writes applications/imagenet_classes.inc from Keras's imagenet_class_index.json.

    python tools/goldens/imagenet_classes.py imagenet_class_index.json applications/imagenet_classes.inc

Keras downloads the JSON file and checks it by the MD5 sum below (keras/src/applications/imagenet_utils.py), and so does
this script.
"""
import hashlib
import json
import pathlib
import sys

MD5 = "c2c37ea517e94d9795004a39431a14cb"
WIDTH = 96


def main(source, target):
    data = pathlib.Path(source).read_bytes()
    if hashlib.md5(data).hexdigest() != MD5:
        raise SystemExit(f"{source} is not the file that Keras uses: another MD5 sum")
    index = json.loads(data)
    lines = [""]
    for number in range(1000):
        synset, description = index[str(number)]
        assert " " not in description and '"' not in description and "\\" not in description
        entry = f"{synset} {description} "
        if len(lines[-1]) + len(entry) > WIDTH:
            lines.append("")
        lines[-1] += entry
    comment = "// ImageNet's 1,000 classes, written by tools/goldens/imagenet_classes.py.\n"
    pathlib.Path(target).write_text(comment + "".join(f'"{line}"\n' for line in lines), encoding="utf-8")


main(*sys.argv[1:])
