/* SPDX-License-Identifier: BSD-3-Clause */
/* stored FILE VARIABLE: bytes the variable's values take in the file. */
#include <cellar.h>
#include <netcdf.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    unsigned long long bytes;
    int ncid, varid;

    if (argc != 3 || nc_open(argv[1], NC_NOWRITE, &ncid) || nc_inq_varid(ncid, argv[2], &varid) ||
        cellar_inq_var_stored(ncid, varid, &bytes)) {
        fprintf(stderr, "stored: %s\n", cellar_error());
        return 1;
    }
    printf("%llu\n", bytes);
    return nc_close(ncid) != NC_NOERR;
}
