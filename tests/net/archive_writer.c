/* SPDX-License-Identifier: BSD-3-Clause */
/* archive_writer URL CHUNK [named]: a zip archive of Zarr version 3, of five million ints in chunks of so many; not where there is one.
 * named: what the name says is all that is said. */
#include <cellar.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 5000000 };

static int write_values(const char *url, size_t chunk, const int *value)
{
    int ncid, dim, var, rc = nc_create(url, NC_NETCDF4 | NC_NOCLOBBER, &ncid), closed;

    if (rc != NC_NOERR)
        return rc;
    rc = nc_def_dim(ncid, "x", N, &dim);
    if (rc == NC_NOERR)
        rc = nc_def_var(ncid, "v", NC_INT, 1, &dim, &var);
    if (rc == NC_NOERR)
        rc = nc_def_var_chunking(ncid, var, NC_CHUNKED, &chunk);
    if (rc == NC_NOERR)
        rc = nc_put_var_int(ncid, var, value);
    closed = nc_close(ncid);
    return rc == NC_NOERR ? closed : rc;
}

int main(int argc, char **argv)
{
    int *value = malloc(N * sizeof *value), rc;
    char url[512];

    if (argc < 3 || !value)
        return 2;
    for (int i = 0; i < N; i++)
        value[i] = i;
    snprintf(url, sizeof url, "%s%s", argv[1], argc > 3 ? "" : "#mode=zarr,v3,zip");
    rc = write_values(url, strtoul(argv[2], NULL, 10), value);
    free(value);
    if (rc != NC_NOERR)
        fprintf(stderr, "archive_writer: %s\n", cellar_error());
    return rc == NC_NOERR ? 0 : 1;
}
