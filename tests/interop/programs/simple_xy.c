/* SPDX-License-Identifier: BSD-3-Clause */
/* A small grid of numbers, written and read back. */
#include "say.h"

#define NX 6
#define NY 12

int main(int argc, char **argv)
{
    int ncid, dims[2], varid, data[NX][NY], back[NX][NY];

    (void)argc;
    for (int x = 0; x < NX; x++)
        for (int y = 0; y < NY; y++)
            data[x][y] = x * NY + y;
    DO(nc_create(argv[1], FORMAT | NC_CLOBBER, &ncid));
    DO(nc_def_dim(ncid, "x", NX, &dims[0]));
    DO(nc_def_dim(ncid, "y", NY, &dims[1]));
    DO(nc_def_var(ncid, "data", NC_INT, 2, dims, &varid));
    DO(nc_enddef(ncid));
    DO(nc_put_var_int(ncid, varid, &data[0][0]));
    DO(nc_close(ncid));

    DO(nc_open(argv[1], NC_NOWRITE, &ncid));
    DO(nc_inq_varid(ncid, "data", &varid));
    DO(nc_get_var_int(ncid, varid, &back[0][0]));
    DO(nc_close(ncid));
    printf("%s\n", memcmp(data, back, sizeof data) ? "different" : "same");
    return 0;
}
