#!/usr/bin/python3
"""Seeds others make, and those of seeds.c as inputs: seeds.py FOLDER

h5/: small files of netCDF-C and h5py, besides those of seeds_h5.c; zarr/, zip/: the stores in
stores/, as keys and values (fuzz_zarr.c) and as archives; text/, cdl/: what the tests have.
"""
import glob
import os
import sys
import zipfile

import seeds_documents

HERE = os.path.dirname(os.path.abspath(__file__))
LARGEST = 12000  # bytes of a seed: small inputs are tried more often


def load(path):
    with open(path, "rb") as f:
        return f.read()


def make_hdf5(folder):
    import seeds_netcdf
    os.makedirs(folder, exist_ok=True)
    seeds_netcdf.make_all(folder)
    make_chunk_indices(folder)
    for path in glob.glob(folder + "/*"):
        if os.path.getsize(path) > LARGEST:
            os.remove(path)


def make_chunk_indices(folder):
    "Every kind of chunk index, with filters and without, one small file each."
    sys.path.insert(0, os.path.join(HERE, "..", "files"))
    import random
    import h5py
    import make_h5_chunks
    rows = {"single": {"shape": [3, 2], "chunk": [3, 2]}, "implicit": {"shape": [9], "chunk": [2], "alloc": "EARLY"},
            "fixed": {"shape": [9], "chunk": [2]}, "pages": {"shape": [1030], "chunk": [1]},
            "extensible": {"shape": [300, 2], "chunk": [1, 2], "maxshape": [None, 2]},
            "btree2": {"shape": [30, 3], "chunk": [1, 1], "maxshape": [None, None]},
            "levels": {"shape": [60, 3], "chunk": [1, 1], "maxshape": [None, None]}}
    for name, row in rows.items():
        for filters in ([], ["shuffle", "deflate"]):
            if filters and name == "implicit":
                continue
            case = {"type": "<i2", "write": "some", "some": 30, "fill": 7, "level": 1, "filters": filters, **row}
            path = os.path.join(folder, "index-%s-%d" % (name, len(filters)))
            with h5py.File(path, "w", libver="latest") as f:
                make_h5_chunks.make(random.Random(1), f, "chunks", case)


def store_values(top):
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            yield os.path.relpath(path, top), load(path)


def pack_store(top, name, folder):
    values = list(store_values(top))
    seeds_documents.save(folder + "/zarr", name, b"".join(b"\xffK" + k.encode() + b"\xffV" + v for k, v in values))
    os.makedirs(folder + "/zip", exist_ok=True)
    for how, ending in ((zipfile.ZIP_STORED, ""), (zipfile.ZIP_DEFLATED, "-deflated")):
        with zipfile.ZipFile(folder + "/zip/" + name + ending, "w", how) as z:
            for k, v in values:
                z.writestr(zipfile.ZipInfo(k), v, how)
    large_zip(values, folder + "/zip/" + name + "-64")


def large_zip(values, path):
    "As if everything were larger than 4 GB: sizes and places in zip64's fields."
    limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 0
    try:
        with zipfile.ZipFile(path, "w") as z:
            for k, v in values[:3]:
                with z.open(zipfile.ZipInfo(k), "w", force_zip64=True) as f:
                    f.write(v)
    finally:
        zipfile.ZIP64_LIMIT = limit


def make_texts(folder):
    with open(HERE + "/seeds_text.txt") as f:
        for i, line in enumerate(f):
            seeds_documents.save(folder + "/text", "text%d" % i, line.rstrip("\n").encode())
    for path in glob.glob(HERE + "/../**/*.cdl", recursive=True):
        if os.path.getsize(path) < 3000:
            seeds_documents.save(folder + "/cdl", os.path.basename(path), load(path))


if __name__ == "__main__":
    seeds_documents.make_all(sys.argv[1] + "/stores")
    make_hdf5(sys.argv[1] + "/h5")
    for top in sorted(glob.glob(sys.argv[1] + "/stores/*")):
        pack_store(top, os.path.basename(top), sys.argv[1])
    make_texts(sys.argv[1])
