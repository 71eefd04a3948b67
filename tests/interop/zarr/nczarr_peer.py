# SPDX-License-Identifier: BSD-3-Clause
"""NCZarr both ways with the netCDF-C of the newest netCDF4 wheel, filters included where it has them."""
import os, sys
sys.path.insert(0, os.path.dirname(__file__))
from peer import *
import netCDF4
print("netCDF-C", netCDF4.__netcdf4libversion__)
SHAPE, CHUNKS = (13, 11), (5, 4)


def ours(code, chain):
    def act():
        path = fresh("ours.zarr")
        put(f"file://{path}#mode=nczarr", "v", sample("<" + code, SHAPE), CHUNKS, chain)
        with netCDF4.Dataset(f"file://{path}#mode=nczarr,file") as ds:
            got = np.ma.getdata(ds["v"][:])
            assert ds["v"].dimensions == ("dim_0_13", "dim_1_11")
        assert same(got, sample(code, SHAPE))
    case(f"netCDF-C reads ours: {code} {chain}", act)


def theirs(code, **options):
    def act():
        path = fresh("theirs.zarr")
        with netCDF4.Dataset(f"file://{path}#mode=nczarr,file", "w") as ds:
            ds.createDimension("y", SHAPE[0]); ds.createDimension("x", SHAPE[1])
            v = ds.createVariable("g/v", code, ("y", "x"), chunksizes=CHUNKS, **options)
            v.units = "K"
            v[:] = sample(code, SHAPE)
        assert same(get(path, "g/v")[1], sample(code, SHAPE))
        assert "units char K" in run("att", path, "g/v")
    case(f"we read netCDF-C's: {code} {options}", act)


for code in NC:
    ours(code, "")
    theirs(code)
for chain in ("deflate,level=4", "shuffle|deflate,level=4", "zstd,level=3", "bzip2,level=5", "blosc,cname=lz4"):
    ours("f4", chain)
for options in ({"zlib": True, "complevel": 4, "shuffle": False}, {"zlib": True, "complevel": 4}, {"compression": "zstd", "shuffle": False},
                {"compression": "bzip2", "shuffle": False}, {"compression": "blosc_lz4"}):
    theirs("i8", **options)  # netCDF-C's blosc fails on chunks it cannot shrink
finish()
