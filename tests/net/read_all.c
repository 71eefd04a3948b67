/* SPDX-License-Identifier: BSD-3-Clause */
/* read_all PATH NAME [abort]: one variable, read by one call, and the sum of what it holds; abort: and a core file, once it is
 * closed. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int ncid, var, ndims, dim[NC_MAX_VAR_DIMS], rc = argc >= 3 ? nc_open(argv[1], NC_NOWRITE, &ncid) : NC_EINVAL;
    size_t n = 1, len;
    double *data, sum = 0;

    if (rc == NC_NOERR)
        rc = nc_inq_varid(ncid, argv[2], &var);
    if (rc == NC_NOERR)
        rc = nc_inq_var(ncid, var, NULL, NULL, &ndims, dim, NULL);
    for (int i = 0; rc == NC_NOERR && i < ndims; i++) {
        rc = nc_inq_dimlen(ncid, dim[i], &len);
        n *= len;
    }
    data = calloc(n, sizeof *data);
    if (rc == NC_NOERR)
        rc = nc_get_var_double(ncid, var, data);
    if (rc == NC_NOERR)
        rc = nc_close(ncid);
    for (size_t i = 0; i < n; i++)
        sum += data[i] * (double)(i % 1000 + 1);
    free(data);
    printf(rc == NC_NOERR ? "%.17g\n" : "failed\n", sum);
    if (argc == 4)
        abort();
    return rc == NC_NOERR ? 0 : 1;
}
