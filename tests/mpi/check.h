/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHECK_H
#define CHECK_H

/* What the programs of this folder begin with. */

#include <cellar.h>
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) { \
            fprintf(stderr, "rank %d, line %d: %s: %d %s\n", rank, __LINE__, #call, rc_, cellar_error()); \
            MPI_Abort(MPI_COMM_WORLD, 1); \
        } \
    } while (0)

#endif
