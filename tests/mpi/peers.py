#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What mpi_ranks wrote, read by h5py and netCDF-C (files) and by zarr-python (stores). usage: peers.py FILE..."""
import pathlib
import sys

import h5py
import netCDF4
import numpy
import zarr

NY, NX, STEPS = 40, 30, 7


def expected():
    t, y, x = numpy.meshgrid(numpy.arange(STEPS), numpy.arange(NY), numpy.arange(NX), indexing="ij")
    orog = numpy.arange(NY)[:, None] * 1000 + numpy.arange(NX)
    return t * 100000.0 + y * NX + x + 0.25 * ((y * 7 + x) % 4), orog


def by_netcdf(path):
    with netCDF4.Dataset(path) as nc:
        return nc["t2m"][...], nc["orog"][...]


def by_h5py(path):
    with h5py.File(path, "r") as h5:
        return h5["t2m"][...], h5["orog"][...]


def by_zarr(path):
    root = zarr.open(path, mode="r")
    return root["t2m"][...], root["orog"][...]


def readers(path):
    if pathlib.Path(path).is_dir():
        return [by_zarr]
    return [by_netcdf, by_h5py] if h5py.is_hdf5(path) else [by_netcdf]


def main():
    bad = 0
    for path in sys.argv[1:]:
        for read in readers(path):
            for got, want in zip(read(path), expected()):
                if got.shape != want.shape or not (got == want).all():
                    print(f"{path}: {read.__name__}: other values than were written", file=sys.stderr)
                    bad = 1
    print(f"peers: {len(sys.argv) - 1} files: {'FAILED' if bad else 'read'}")
    return bad


sys.exit(main())
