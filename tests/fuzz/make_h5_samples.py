#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the twenty small files h5_damage damages: make_h5_samples.py DIRECTORY

Nine are the files of tests/files/make_h5_files.py; the others are netCDF-4 files of
one kind each, so that damage hits every part of the format."""
import os
import sys

import netCDF4
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "files"))
import make_h5_files


def one(path, kind, **how):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 40)
        f.createDimension("t", None)
        f.createVariable("v", kind, ("t", "x"), **how)[0:3, :] = np.arange(120).reshape(3, 40)
        f["v"].units = "m"


def strings(path):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 6)
        f.createVariable("s", str, ("x",))[:] = np.array(["a", "bb", "ccc", "", "e", "ff"], dtype=object)
        f.texts = ["one", "two"]


def compounds(path):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 4)
        inner = f.createCompoundType(np.dtype([("a", "i4"), ("b", "f8", (2,))]), "inner")
        v = f.createVariable("c", inner, ("x",), zlib=True, chunksizes=(2,))
        v[:] = np.zeros(4, dtype=inner.dtype)


def ragged(path):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 2)
        v = f.createVariable("r", f.createVLType(np.int32, "list"), ("x",))
        v[0] = np.arange(3, dtype="i4")
        v[1] = np.arange(5, dtype="i4")


def enums(path):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 4)
        e = f.createEnumType(np.uint8, "color", {"red": 1, "green": 2})
        f.createVariable("e", e, ("x",), fill_value=1)[:] = [1, 2, 1, 2]


def groups(path):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 3)
        for name in ("a", "b/c", "b/d/e"):
            f.createGroup(name).createVariable("v", "i4", ("x",))[:] = [1, 2, 3]


def many_attributes(path):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 3)
        v = f.createVariable("x", "f4", ("x",))
        v[:] = 1
        for i in range(20):
            v.setncattr("attribute%d" % i, "text " * i)
            f.setncattr("global%d" % i, np.arange(i + 1))


def many_variables(path):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 3)
        for i in range(30):
            f.createVariable("variable%d" % i, "i2", ("x",))


MAKERS = {
    "deflate": lambda p: one(p, "f4", zlib=True, fletcher32=True, chunksizes=(2, 10)),
    "szip": lambda p: one(p, "i4", compression="szip", chunksizes=(2, 16)),
    "chunked": lambda p: one(p, "f8", chunksizes=(1, 8)),
    "big_endian": lambda p: one(p, "i2", endian="big"),
    "strings": strings,
    "compounds": compounds,
    "ragged": ragged,
    "enums": enums,
    "groups": groups,
    "many_attributes": many_attributes,
    "many_variables": many_variables,
}

if __name__ == "__main__":
    make_h5_files.make_all(sys.argv[1])
    for name, make in MAKERS.items():
        make(os.path.join(sys.argv[1], name + ".nc"))
