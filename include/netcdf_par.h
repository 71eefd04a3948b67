/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel access, in libcellar_mpi (docs/mpi.md). libcellar is serial, as netCDF-C is without MPI: there all of these are
 * NC_ENOPAR. A program that was written for both kinds of library compiles, and can go on with nc_create() and nc_open(). */
#ifndef NETCDF_PAR_H
#define NETCDF_PAR_H 1

#include "netcdf.h"

#if defined(__has_include) && !defined(CELLAR_NO_MPI)
#if __has_include(<mpi.h>)
#include <mpi.h>
#define CELLAR_MPI_COMM MPI_Comm
#define CELLAR_MPI_INFO MPI_Info
#endif
#endif
#ifndef CELLAR_MPI_COMM /* nobody here can have one */
#define CELLAR_MPI_COMM void *
#define CELLAR_MPI_INFO void *
#endif

#define NC_INDEPENDENT 0 /* of nc_var_par_access() */
#define NC_COLLECTIVE 1
#define CELLAR_WHOLE_CHUNKS \
    2 /* ... as NC_INDEPENDENT, also with filters: what a rank puts alone is whole chunks then */

#if defined(__cplusplus)
extern "C" {
#endif

CELLAR_API(int, nc_create_par, (const char *path, int cmode, CELLAR_MPI_COMM comm, CELLAR_MPI_INFO info, int *ncidp));
CELLAR_API(int, nc_open_par, (const char *path, int mode, CELLAR_MPI_COMM comm, CELLAR_MPI_INFO info, int *ncidp));
CELLAR_API(int, nc_var_par_access, (int ncid, int varid, int par_access));
CELLAR_API(int, nc_create_par_fortran, (const char *path, int cmode, int comm, int info, int *ncidp));
CELLAR_API(int, nc_open_par_fortran, (const char *path, int mode, int comm, int info, int *ncidp));

#if defined(__cplusplus)
}
#endif

#endif
