#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
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
    make_virtual(folder)
    make_odd_sizes(folder)
    make_older_and_images(folder)
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


def make_virtual(folder):
    "Blocks in no order, on either side, and a source of another number type."
    import h5py
    shapes = {"rows": (slice(None), [0, 2, 3]), "frames": ([0, 1, 4], slice(1, 4)), "mixed": ([1, 3], slice(None))}
    for name, part in shapes.items():
        with h5py.File(os.path.join(folder, "virtual-" + name), "w", libver=("v110", "v110")) as f:
            f["x"] = [[10.0 * i + k for k in range(5)] for i in range(5)]
            layout, source = h5py.VirtualLayout((5, 5), "i2"), h5py.VirtualSource(".", "x", (5, 5))
            layout[part] = source[part if name != "mixed" else ([0, 4], slice(None))]
            f.create_virtual_dataset("v", layout, fillvalue=-1)


def make_odd_sizes(folder):
    "Addresses and lengths of other sizes than 8, each with the other."
    import h5py
    for sizes in ((8, 4), (4, 8), (4, 4), (2, 2)):
        for libver in (h5py.h5f.LIBVER_EARLIEST, h5py.h5f.LIBVER_LATEST):
            fcpl, fapl = h5py.h5p.create(h5py.h5p.FILE_CREATE), h5py.h5p.create(h5py.h5p.FILE_ACCESS)
            fcpl.set_sizes(*sizes)
            fapl.set_libver_bounds(libver, h5py.h5f.LIBVER_LATEST)
            fapl.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
            path = os.path.join(folder, "sizes-%d-%d-%d" % (*sizes, libver))
            with h5py.File(h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, fcpl, fapl)) as f:
                f.create_dataset("g/x", data=range(6), chunks=(2,), compression="gzip")
                f["g/x"].attrs["text"] = "some text"


def make_older_and_images(folder):
    "Messages that nobody writes any more, and metadata cache images."
    sys.path.insert(0, os.path.join(HERE, "..", "interop", "hdf5"))
    import random
    import h5py
    import older_messages
    import random_files
    for i in range(6):
        r, path = random.Random(i), os.path.join(folder, "older-%d" % i)
        with h5py.File(path, "w", libver="earliest") as f:
            f.create_dataset("contiguous", data=range(5), fillvalue=3)
            f.create_dataset("chunked", data=range(5), chunks=(2,), fillvalue=4)
        older_messages.make_older(path, r)
        fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        fapl.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_LATEST)
        fapl.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
        random_files.ask_image(fapl)
        path = os.path.join(folder, "image-%d" % i)
        with h5py.File(h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, h5py.h5p.create(h5py.h5p.FILE_CREATE), fapl)) as f:
            random_files.fill_simply(r, f)


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
