/* SPDX-License-Identifier: BSD-3-Clause */
/* A program outside our tree: writes a small array, reads it back. */
#include <netcdf.h>
#include <stdio.h>

#define TRY(call) \
    do { \
        int e = (call); \
        if (e) { \
            printf("%s: %s\n", #call, nc_strerror(e)); \
            return 1; \
        } \
    } while (0)

int main(void)
{
    int ncid, dim, var, values[] = {3, 1, 4, 1, 5}, back[5];

    TRY(nc_create("outside.nc", NC_NETCDF4, &ncid));
    TRY(nc_def_dim(ncid, "x", 5, &dim));
    TRY(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    TRY(nc_put_var_int(ncid, var, values));
    TRY(nc_close(ncid));
    TRY(nc_open("outside.nc", NC_NOWRITE, &ncid));
    TRY(nc_get_var_int(ncid, 0, back));
    TRY(nc_close(ncid));
    for (int i = 0; i < 5; i++)
        if (back[i] != values[i])
            return 1;
    return 0;
}
