# SPDX-License-Identifier: BSD-3-Clause
"""Small netCDF-4 files as netCDF-C and h5py write them, one kind each."""
import os

import h5py
import netCDF4
import numpy as np


def one(path, kind, **how):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 6)
        f.createDimension("t", None)
        f.createVariable("v", kind, ("t", "x"), **how)[0:2, :] = np.arange(12).reshape(2, 6)
        f["v"].units = "m"


def coordinates(path):
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as f:
        f.createDimension("y", 2)
        f.createDimension("x", 3)
        f.createVariable("x", "f4", ("x",))[:] = [1, 2, 3]
        f.createVariable("v", "i2", ("y", "x"), zlib=True)[:] = 7


def groups(path):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 3)
        f.createGroup("a/b").createVariable("v", "i4", ("x",), chunksizes=(2,))[:] = [1, 2, 3]


def types(path):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 2)
        pair = f.createCompoundType(np.dtype([("a", "i4"), ("b", "f8")]), "pair")
        f.createVariable("c", pair, ("x",))
        f.createVariable("e", f.createEnumType(np.uint8, "color", {"red": 1, "green": 2}), ("x",))
        f.createVariable("s", str, ("x",))


def many_attributes(path):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 3)
        v = f.createVariable("x", "f4", ("x",))
        for i in range(10):
            v.setncattr("a%d" % i, i)


def h5py_order(path):
    with h5py.File(path, "w", track_order=True) as f:
        f.create_dataset("v", data=np.arange(12, dtype="i4"), chunks=(4,), maxshape=(None,), compression="lzf")
        f.create_group("g", track_order=True)["w"] = np.arange(3)
        f["soft"] = h5py.SoftLink("/v")


def h5py_old(path):
    with h5py.File(path, "w") as f:
        f["v"] = np.arange(4, dtype="i4")


MAKERS = {
    "deflate": lambda p: one(p, "f4", zlib=True, fletcher32=True, chunksizes=(1, 4)),
    "chunked": lambda p: one(p, "f8", chunksizes=(1, 3)),
    "big_endian": lambda p: one(p, "i2", endian="big", chunksizes=(2, 3)),
    "coordinates": coordinates,
    "groups": groups,
    "types": types,
    "many_attributes": many_attributes,
    "h5py_order": h5py_order,
    "h5py_old": h5py_old,
}


def make_all(folder):
    for name, make in MAKERS.items():
        make(os.path.join(folder, name + ".nc"))
