/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of bench_mpi.c on PnetCDF: classic files by those who have written them in parallel for longest. */
#include <mpi.h>
#include <pnetcdf.h>

#undef NC_NETCDF4
#define NC_NETCDF4 0
#undef NC_CHUNKED
#define NC_CHUNKED 0
#define NC_COLLECTIVE 1
#define nc_strerror ncmpi_strerror
#define nc_create_par(path, mode, comm, info, ncid) ncmpi_create(comm, path, mode, info, ncid)
#define nc_open_par(path, mode, comm, info, ncid) ncmpi_open(comm, path, mode, info, ncid)
#define nc_set_fill ncmpi_set_fill
#define nc_def_dim(ncid, name, len, dim) ncmpi_def_dim(ncid, name, (MPI_Offset)(len), dim)
#define nc_def_var ncmpi_def_var
#define nc_def_var_chunking(ncid, var, storage, chunks) ((void)(chunks), NC_NOERR)
#define nc_def_var_deflate(ncid, var, shuffle, deflate, level) NC_NOERR
#define nc_enddef ncmpi_enddef
#define nc_var_par_access(ncid, var, access) NC_NOERR
#define nc_inq_varid ncmpi_inq_varid
#define nc_close ncmpi_close
#define nc_put_vara_float(ncid, var, start, count, data) \
    ncmpi_put_vara_float_all(ncid, var, (const MPI_Offset *)(start), (const MPI_Offset *)(count), data)
#define nc_get_vara_float(ncid, var, start, count, data) \
    ncmpi_get_vara_float_all(ncid, var, (const MPI_Offset *)(start), (const MPI_Offset *)(count), data)
