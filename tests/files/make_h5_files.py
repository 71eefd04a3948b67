#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the HDF5 and netCDF-4 files the container's tests read: make_h5_files.py DIRECTORY

Each function writes one file and says in its first line what is special about it.
"""
import os
import sys

import h5py
import netCDF4
import numpy as np


def plain(path):
    "h5py's defaults: no creation order, no scales, version 1 headers"
    with h5py.File(path, "w") as f:
        f["a"] = np.arange(12, dtype="i4").reshape(3, 4)
        f["b"] = np.arange(4, dtype="f8")
        f["square"] = np.arange(9, dtype="f4").reshape(3, 3)
        f["scalar"] = 3.5
        f["big"] = np.arange(5, dtype=">i2")
        f["g/inner"] = np.arange(4, dtype="u1")
        f.create_dataset("grows", data=np.arange(6, dtype="i8"), maxshape=(None,), chunks=(4,))
        f["a"].attrs["units"] = "m"
        f["a"].attrs["list"] = np.arange(3, dtype="i2")
        f["a"].attrs["matrix"] = np.arange(4, dtype="i4").reshape(2, 2)
        f["a"].attrs["empty"] = h5py.Empty("f4")
        f["a"].attrs["fixed"] = np.bytes_("abc")
        f["a"].attrs["texts"] = np.array([b"ab", b"cde"])


def latest(path):
    "the newest format h5py writes: version 2 headers, new chunk indexes"
    with h5py.File(path, "w", libver="latest") as f:
        f.create_dataset("single", data=np.arange(6, dtype="i4").reshape(2, 3), chunks=(2, 3))
        f.create_dataset("fixed", data=np.arange(60, dtype="i4").reshape(6, 10), chunks=(2, 3))
        f.create_dataset("extensible", data=np.arange(60, dtype="i4").reshape(6, 10), chunks=(2, 3), maxshape=(None, 10))
        f.create_dataset("btree2", data=np.arange(60, dtype="i4").reshape(6, 10), chunks=(2, 3), maxshape=(None, None))
        f.create_dataset("zipped", data=np.arange(60, dtype="i4").reshape(6, 10), chunks=(4, 4), compression="gzip",
                         shuffle=True, fletcher32=True)


def types(path):
    "types netCDF has no name for, and some it does not have at all"
    with h5py.File(path, "w") as f:
        f["bool"] = np.array([True, False, True])
        f["complex"] = np.array([1 + 2j, 3 - 4j])
        f["half"] = np.arange(3, dtype="f2")
        f["fixed_text"] = np.array([b"one", b"three", b"seven77"])
        f["text"] = np.array(["eins", "zwei", "drei-ü"], dtype=h5py.string_dtype())
        f["packed"] = np.array([(1, 2.5), (3, 4.5)], dtype=np.dtype([("i", "i1"), ("d", "<f8")]))
        f["nested"] = np.array([(1, (2, 3))], dtype=np.dtype([("a", "i4"), ("p", [("x", "i2"), ("y", "i2")])], align=True))
        f["void"] = np.array([b"12345678"], dtype="V8")
        f["null"] = h5py.Empty("i4")
        f["ragged"] = np.array([np.arange(2, dtype="i4"), np.arange(3, dtype="i4")], dtype=h5py.vlen_dtype("i4"))
        refs = f.create_dataset("reference", (1,), dtype=h5py.ref_dtype)
        refs[0] = f["bool"].ref
        f["bool"].attrs["flag"] = True
        f["named"] = np.dtype([("x", "f4"), ("y", "f4")])
        f.create_dataset("of_named", (2,), dtype=f["named"])
        few = h5py.h5t.STD_U64LE.copy()
        few.set_precision(3)
        h5py.h5d.create(f.id, b"few_bits", few, h5py.h5s.create_simple((2,)))
        f["few_bits"].write_direct(np.array([5, 7], "u8"))


def user_block(path):
    "512 bytes of something else in front"
    with h5py.File(path, "w", userblock_size=512, track_order=True) as f:
        f.create_dataset("a", data=np.arange(100, dtype="i4"), chunks=(10,), compression="gzip")
        f["contiguous"] = np.arange(3000, dtype="f8")
        f.create_dataset("never", (3000,), dtype="f8")
    with open(path, "r+b") as f:
        f.write(b"#!/bin/sh\nexit 0\n")


def scales(path):
    "dimension scales by h5py, without any netCDF attribute"
    with h5py.File(path, "w", track_order=True) as f:
        f["lat"] = np.linspace(-90, 90, 3)
        f["lon"] = np.linspace(0, 270, 4)
        f["lat"].make_scale("latitude")
        f["lon"].make_scale("longitude")
        f["t"] = np.arange(12, dtype="f4").reshape(3, 4)
        f["t"].dims[0].attach_scale(f["lat"])
        f["t"].dims[1].attach_scale(f["lon"])


def netcdf(path):
    "written by netCDF-C: groups, several unlimited dimensions, every atomic type"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("t", None)
        f.createDimension("x", 5)
        f.createDimension("n", None)
        for i, kind in enumerate("i1 u1 i2 u2 i4 u4 i8 u8 f4 f8 S1".split()):
            v = f.createVariable("v_" + kind, kind, ("t", "x"), zlib=i % 2 == 0)
            if kind != "S1":
                v[0:3, :] = np.arange(15).reshape(3, 5)
        f.createVariable("x", "f4", ("x",))[:] = np.arange(5)
        s = f.createVariable("s", str, ("n",))
        s[0:2] = np.array(["one", "two"], dtype=object)
        g = f.createGroup("g")
        g.createDimension("x", 2)
        g.createVariable("x", "i4", ("x", "t"))[:, 0:3] = [[1, 2, 5], [3, 4, 6]]
        g.createVariable("many", "i4", ("x",))
        for i in range(12):
            g["many"].setncattr("att%d" % i, i)
            f["x"].setncattr("att%d" % i, "text %d" % i)


def soft_links(path):
    "links that lead elsewhere, nowhere and back"
    with h5py.File(path, "w", track_order=True) as f:
        f["g/data"] = np.arange(4, dtype="i4")
        f["alias"] = h5py.SoftLink("/g/data")
        f["dangling"] = h5py.SoftLink("/nowhere")
        f["g/loop"] = f["/"]


def h5netcdf_file(path):
    "written by h5netcdf"
    import h5netcdf
    with h5netcdf.File(path, "w") as f:
        f.dimensions = {"x": 5, "t": None}
        v = f.create_variable("v", ("t", "x"), "f4", chunks=(1, 5))
        f.resize_dimension("t", 2)
        v[...] = np.arange(10, dtype="f4").reshape(2, 5)
        f.create_variable("x", ("x",), "i4", data=np.arange(5))
        f.create_group("g").create_variable("w", ("x",), "i2", data=np.arange(5))


def filters_of_hdf5(path):
    "filters only libhdf5 runs"
    with h5py.File(path, "w", track_order=True) as f:
        f.create_dataset("scaled", data=np.arange(100, dtype="i4"), chunks=(20,), scaleoffset=0)
        f.create_dataset("lzf", data=np.arange(100, dtype="i4"), chunks=(20,), compression="lzf")


MAKERS = [plain, latest, types, user_block, scales, netcdf, soft_links, filters_of_hdf5, h5netcdf_file]


def make_all(directory):
    "Gives the paths of the files; a writer that is not installed is left out."
    os.makedirs(directory, exist_ok=True)
    made = []
    for make in MAKERS:
        path = os.path.join(directory, make.__name__ + ".h5")
        try:
            make(path)
            made.append(path)
        except ImportError as missing:
            print("%s: not made: %s" % (make.__name__, missing))
    return made


if __name__ == "__main__":
    make_all(sys.argv[1])
