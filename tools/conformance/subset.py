"""Chooses cases of recorded calls for tests/conformance: small ones, of every class and op.

    python tools/conformance/subset.py FOLDER [OUT] [--bytes 3800000]

FOLDER holds the recorded cases (.h5, one file for each area), OUT (default tests/conformance) gets
files of the same names with a part of them. Needs h5py.

Each class and op gets its smallest case first, then its second, and so on, until the files have
the wanted size together; cases larger than a fraction of that are left out unless they are the only
one.
"""

import argparse
import os
import sys

import h5py


def size_of(group):
    total = len(group.attrs["spec"]) + 300
    def add(_, item):
        nonlocal total
        total += 200  # headers
        if isinstance(item, h5py.Dataset):
            total += item.id.get_storage_size()
    group.visititems(add)
    return total


def copy_case(source, target):
    """Copies a group without its objects' padding: compressed where that is smaller."""
    target.attrs["spec"] = source.attrs["spec"]
    def copy(name, item):
        if not isinstance(item, h5py.Dataset):
            return
        options = {}
        if item.size >= 64 and item.dtype.kind in "iufb":
            options = {"compression": "gzip", "compression_opts": 9, "shuffle": True}
        made = target.create_dataset(name, data=item[()], dtype=item.dtype, **options)
        for key, value in item.attrs.items():
            made.attrs[key] = value
    source.visititems(copy)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("out", nargs="?", default="tests/conformance")
    parser.add_argument("--bytes", type=int, default=3_600_000)
    arguments = parser.parse_args()

    cases = []  # (rank in its class, size, area, class, id)
    areas = sorted(f for f in os.listdir(arguments.folder) if f.endswith(".h5"))
    for area in areas:
        with h5py.File(os.path.join(arguments.folder, area), "r") as file:
            for subject in file:
                sizes = sorted((size_of(file[subject][i]), i) for i in file[subject])
                for rank, (size, i) in enumerate(sizes):
                    cases.append((rank, size, area, subject, i))
    cases.sort()

    chosen, total = [], 0
    for rank, size, area, subject, i in cases:
        if rank > 0 and size > arguments.bytes // 200:
            continue
        if total + size > arguments.bytes:
            continue
        chosen.append((area, subject, i))
        total += size

    os.makedirs(arguments.out, exist_ok=True)
    for area in areas:
        path = os.path.join(arguments.out, area)
        with h5py.File(os.path.join(arguments.folder, area), "r") as source, \
                h5py.File(path, "w", libver=("v110", "v110")) as target:
            for _, subject, i in sorted(c for c in chosen if c[0] == area):
                copy_case(source[subject][i], target.create_group(f"{subject}/{i}"))
    written = sum(os.path.getsize(os.path.join(arguments.out, a)) for a in areas)
    print(f"{len(chosen)} of {len(cases)} cases, {written} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
