# SPDX-License-Identifier: BSD-3-Clause
"""Ranks write one variable together: each has some rows. mpirun -n 4 python3 ranks.py

netCDF4-python is to be built against libnetcdf_mpi: docs/mpi.md says how."""
import netCDF4
import numpy as np
from mpi4py import MPI

ROWS, COLUMNS = 32, 256  # of each rank
comm = MPI.COMM_WORLD
first = comm.rank * ROWS
mine = np.arange(first, first + ROWS)[:, None] + np.arange(COLUMNS)[None, :] / COLUMNS

with netCDF4.Dataset("ranks.nc", "w", parallel=True, comm=comm) as nc:
    nc.createDimension("y", comm.size * ROWS)
    nc.createDimension("x", COLUMNS)
    field = nc.createVariable("field", "f4", ("y", "x"), chunksizes=(ROWS, COLUMNS), zlib=True, complevel=1)
    field.set_collective(True)
    field[first:first + ROWS, :] = mine
if comm.rank == 0:
    print(f"ranks.nc: {comm.size * ROWS} rows of {comm.size} ranks")
