# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py and netCDF4-python's parallel mode: ranks write and read one file, together and alone, append to it, and one of them
errs. netcdf4_python.py FILE, under mpirun; netCDF4 is built against libnetcdf_mpi."""
import sys

import netCDF4
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
path = sys.argv[1]
assert "Cellar" in netCDF4.getlibversion() and netCDF4.__has_parallel4_support__, netCDF4.getlibversion()


def rows(step, rank):
    return step * 1000 + rank * 10 + np.arange(8, dtype="i4")


def append(nc, steps):
    for step in steps:
        nc["v"][step, comm.rank, :] = rows(step, comm.rank)


def check(nc, steps):
    for rank in range(comm.size):
        for step in steps:
            assert np.array_equal(nc["v"][step, rank, :], rows(step, rank)), (step, rank)
        assert nc["alone"][rank] == rank * 7
    assert nc.title == "ranks"


with netCDF4.Dataset(path, "w", parallel=True, comm=comm, info=MPI.INFO_NULL) as nc:
    nc.title = "ranks"
    nc.createDimension("time", None)
    nc.createDimension("rank", comm.size)
    nc.createDimension("x", 8)
    nc.createVariable("v", "i4", ("time", "rank", "x"), chunksizes=(1, 1, 8), zlib=True).set_collective(True)
    nc.createVariable("alone", "i4", ("rank",))[comm.rank] = comm.rank * 7
    append(nc, range(3))

with netCDF4.Dataset(path, "a", parallel=True, comm=comm) as nc:
    nc["v"].set_collective(True)
    append(nc, range(3, 5))

with netCDF4.Dataset(path, parallel=True, comm=comm) as nc:
    check(nc, range(5))
    nc["v"].set_collective(True)
    check(nc, range(5))

nc = netCDF4.Dataset(path + ".differs", "w", parallel=True, comm=comm)
nc.createDimension("x", 8 + comm.rank // (comm.size - 1))  # the last rank says 9
try:
    nc.sync()
    failed = ""
except RuntimeError as error:
    failed = str(error)
assert all(comm.allgather(failed)), "ranks that disagree have no error"
try:
    nc.close()
except RuntimeError:
    pass
if comm.rank == 0:
    print(f"netCDF4-python {netCDF4.__version__}: {comm.size} ranks: right")
