#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the ten small files whose bytes h5_flips changes, and for each the ranges that no checksum covers:
make_h5_flips.py DIRECTORY

All but the last are of the newest format: every structure in them carries a checksum, except collections of the global
heap and elements without fletcher32. In the last, of the oldest format, nothing does."""
import os
import sys

import h5py
import numpy as np

INTS = np.arange(12, dtype="i4").reshape(3, 4)


def contiguous(f):
    f.create_dataset("x", data=INTS)
    f.attrs["title"] = np.bytes_("a small file")
    f.create_group("inner").create_dataset("y", data=2.5)


def compact(f):
    space = h5py.h5s.create_simple((3, 4))
    how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    how.set_layout(h5py.h5d.COMPACT)
    made = h5py.h5d.create(f.id, b"x", h5py.h5t.NATIVE_INT32, space, how)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, INTS)


def dense(f):
    for i in range(10):
        f.create_dataset("variable_%d" % i, data=INTS, chunks=(3, 4), fletcher32=True)
    for i in range(10):
        f["variable_3"].attrs["attribute_%d" % i] = i


def single(f):
    f.create_dataset("x", data=INTS, chunks=(3, 4), compression="gzip", fletcher32=True)


def fixed(f):
    f.create_dataset("x", data=INTS, chunks=(2, 2), compression="gzip", shuffle=True, fletcher32=True)


def extensible(f):
    f.create_dataset("x", data=np.arange(40, dtype="f4"), chunks=(2,), maxshape=(None,), fletcher32=True)


def btree2(f):
    f.create_dataset("x", data=INTS, chunks=(2, 2), maxshape=(None, None), compression="gzip", fletcher32=True)


def texts(f):
    f.create_dataset("s", data=["one", "two", "", "four"], dtype=h5py.string_dtype())
    f.create_dataset("x", data=np.arange(4.0), chunks=(4,), fletcher32=True).make_scale("x")
    f["s"].dims[0].attach_scale(f["x"])


def types(f):
    f["pair"] = np.dtype([("a", "i4"), ("b", "f8", (2,))])
    f.create_dataset("c", (3,), dtype=f["pair"], chunks=(3,), fletcher32=True)
    f.create_dataset("e", data=np.array([0, 1, 1], "i1"), dtype=h5py.enum_dtype({"no": 0, "yes": 1}, "i1"),
                     chunks=(3,), fletcher32=True)
    f.attrs["pair"] = np.zeros(1, dtype=f["pair"].dtype)


def oldest(f):
    contiguous(f)
    fixed(f.create_group("chunks"))


def bare_ranges(f, data):
    """Elements without fletcher32, and collections of the global heap."""
    ranges = []

    def note(name, dataset):
        if not isinstance(dataset, h5py.Dataset) or dataset.fletcher32:
            return
        if dataset.id.get_offset() is not None:
            ranges.append((dataset.id.get_offset(), dataset.id.get_offset() + dataset.id.get_storage_size()))

    f.visititems(note)
    at = data.find(b"GCOL")
    while at >= 0:
        ranges.append((at, at + int.from_bytes(data[at + 8:at + 16], "little")))
        at = data.find(b"GCOL", at + 4)
    return ranges


def main(folder):
    os.makedirs(folder, exist_ok=True)
    makers = (contiguous, compact, dense, single, fixed, extensible, btree2, texts, types, oldest)
    for make in makers:
        path = os.path.join(folder, make.__name__ + ".h5")
        with h5py.File(path, "w", libver="earliest" if make is oldest else "latest", track_order=make is dense) as f:
            make(f)
        with open(path, "rb") as file:
            data = file.read()
        with h5py.File(path, "r") as f, open(path + ".bare", "w") as out:
            for first, end in [(0, len(data))] if make is oldest else bare_ranges(f, data):
                out.write("%d %d\n" % (first, end))
    print("made %d files" % len(makers))


main(sys.argv[1])
