# SPDX-License-Identifier: BSD-3-Clause
"""together.py LIBCELLAR DIR ORDER: h5py, netCDF4 and Cellar in one process, loaded in the order of the letters of ORDER.

h: h5py with its own libhdf5; n: netCDF4, with its own libnetcdf and libhdf5 unless it runs on Cellar; c: libcellar.so.
Each writes a file, with deflate, once all are loaded; then each reads the files of all, twice over, while those of the
others stay open.
"""
import ctypes
import os
import sys

import numpy as np

library, folder, order = sys.argv[1:]
VALUES = np.arange(6000, dtype="f4").reshape(60, 100) / 7


class Cellar:
    """The few calls of libcellar that are needed."""

    def __init__(self):
        self.lib = ctypes.CDLL(library)
        for name in "nc_put_var_float", "nc_get_var_float":
            getattr(self.lib, "cel_" + name).argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]

    def call(self, name, *args):
        rc = getattr(self.lib, "cel_" + name)(*args)
        if rc:
            raise OSError("%s: %d" % (name, rc))

    def write(self, path):
        ncid, var = ctypes.c_int(), ctypes.c_int()
        dims = (ctypes.c_int * 2)()
        self.call("nc_create", path.encode(), 0x1000, ctypes.byref(ncid))
        for i, n in enumerate(VALUES.shape):
            self.call("nc_def_dim", ncid, b"d%d" % i, ctypes.c_size_t(n), ctypes.byref(dims, 4 * i))
        self.call("nc_def_var", ncid, b"v", 5, 2, dims, ctypes.byref(var))
        self.call("nc_def_var_deflate", ncid, var, 1, 1, 3)
        self.call("nc_put_att_text", ncid, var, b"units", ctypes.c_size_t(1), b"K")
        self.call("nc_put_var_float", ncid, var, VALUES.ctypes.data)
        return lambda: self.call("nc_close", ncid)

    def read(self, path):
        ncid, var = ctypes.c_int(), ctypes.c_int()
        got = np.zeros_like(VALUES)
        self.call("nc_open", path.encode(), 0, ctypes.byref(ncid))
        self.call("nc_inq_varid", ncid, b"v", ctypes.byref(var))
        self.call("nc_get_var_float", ncid, var, got.ctypes.data)
        return got, lambda: self.call("nc_close", ncid)


class NetCDF4:
    def __init__(self):
        import netCDF4
        self.netCDF4 = netCDF4

    def write(self, path):
        d = self.netCDF4.Dataset(path, "w")
        for i, n in enumerate(VALUES.shape):
            d.createDimension("d%d" % i, n)
        v = d.createVariable("v", "f4", ("d0", "d1"), zlib=True)
        v.units = "K"
        v[:] = VALUES
        return d.close

    def read(self, path):
        d = self.netCDF4.Dataset(path)
        return np.asarray(d["v"][:]), d.close


class H5py:
    def __init__(self):
        import h5py
        self.h5py = h5py

    def write(self, path):
        f = self.h5py.File(path, "w", track_order=True)
        f.create_dataset("v", data=VALUES, compression="gzip", chunks=(20, 50)).attrs["units"] = "K"
        return f.close

    def read(self, path):
        f = self.h5py.File(path, "r")
        return f["v"][:], f.close


KINDS = {"h": H5py, "n": NetCDF4, "c": Cellar}
loaded = {letter: KINDS[letter]() for letter in order}
files = {letter: os.path.join(folder, "%s-%s.nc" % (order, letter)) for letter in order}
closers = [loaded[letter].write(files[letter]) for letter in order]
for close in closers:
    close()
for _ in range(2):
    closers = []
    for reader in order:
        for writer in order:
            got, close = loaded[reader].read(files[writer])
            closers.append(close)
            assert np.array_equal(got, VALUES), "%s reads %s's file wrong" % (reader, writer)
    for close in closers:
        close()
