/* SPDX-License-Identifier: BSD-3-Clause */
#include "beside.h"
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdlib.h>
#include <string.h>

#define N 64
#define TRY(call) \
    do { \
        if ((call) != NC_NOERR) \
            return __LINE__; \
    } while (0)

static int write_field(const char *path, const int *field)
{
    size_t chunk[2] = {16, 16};
    unsigned level = 3;
    int nc, dims[2], var;

    TRY(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc));
    TRY(nc_def_dim(nc, "y", N, &dims[0]));
    TRY(nc_def_dim(nc, "x", N, &dims[1]));
    TRY(nc_def_var(nc, "v", NC_INT, 2, dims, &var));
    TRY(nc_def_var_chunking(nc, var, NC_CHUNKED, chunk));
    TRY(nc_def_var_filter(nc, var, 32015, 1, &level));
    TRY(nc_enddef(nc));
    TRY(nc_put_var_int(nc, var, field));
    TRY(nc_close(nc));
    return 0;
}

static int read_field(const char *path, const int *field)
{
    static _Thread_local int back[N * N];
    int nc, var;

    TRY(nc_open(path, NC_NOWRITE, &nc));
    TRY(nc_inq_varid(nc, "v", &var));
    TRY(nc_get_var_int(nc, var, back));
    TRY(nc_close(nc));
    return memcmp(back, field, sizeof back) ? __LINE__ : 0;
}

int BESIDE(const char *path, int rounds)
{
    static _Thread_local int field[N * N];
    int rc = 0;

    for (int r = 0; rc == 0 && r < rounds; r++) {
        for (int i = 0; i < N * N; i++)
            field[i] = i * (r + 1) / 3;
        rc = write_field(path, field);
        if (rc == 0)
            rc = read_field(path, field);
    }
    return rc;
}
