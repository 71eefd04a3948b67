/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks of four ints, v(x), in shards.
 * shard_writer write URL FROM STEP: every STEP-th chunk from FROM on gets 1000 * FROM + its number from 1 on, with a sync behind each.
 * shard_writer count URL STEP: how many chunks hold what their writer put, and how many nothing. */
#include <cellar.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 4 };

static int number(const char *text)
{
    return (int)strtol(text, NULL, 10);
}

static int open_var(const char *url, int mode, int *ncid, int *var, size_t *nchunks)
{
    size_t len = 0;
    int rc = nc_open(url, mode, ncid);

    if (rc == NC_NOERR)
        rc = nc_inq_varid(*ncid, "v", var);
    if (rc == NC_NOERR)
        rc = nc_inq_dimlen(*ncid, 0, &len);
    *nchunks = len / VALUES;
    return rc;
}

static int write_some(const char *url, int from, int step)
{
    size_t n, count = VALUES;
    int ncid, var, rc = open_var(url, NC_WRITE, &ncid, &var, &n);

    for (size_t i = (size_t)from; rc == NC_NOERR && i < n; i += (size_t)step) {
        int value[VALUES];

        for (int k = 0; k < VALUES; k++)
            value[k] = 1000 * from + (int)i + 1;
        rc = nc_put_vara_int(ncid, var, &(size_t){i * VALUES}, &count, value);
        if (rc == NC_NOERR)
            rc = nc_sync(ncid);
        if (rc == NC_NOERR)
            printf("%zu\n", i), fflush(stdout);
    }
    return rc == NC_NOERR ? nc_close(ncid) : rc;
}

static int count_all(const char *url, int step)
{
    size_t n, right = 0, empty = 0;
    int ncid, var, *data = NULL, rc = open_var(url, NC_NOWRITE, &ncid, &var, &n);

    data = rc == NC_NOERR ? calloc(n * VALUES, sizeof *data) : NULL;
    if (data)
        rc = nc_get_var_int(ncid, var, data);
    for (size_t i = 0; data && rc == NC_NOERR && i < n; i++) {
        right += data[i * VALUES] == (int)(i % (size_t)step * 1000 + i + 1) && data[i * VALUES + 3] == data[i * VALUES];
        empty += data[i * VALUES] == NC_FILL_INT;
    }
    free(data);
    printf("%zu of %zu, %zu empty\n", right, n, empty);
    return rc == NC_NOERR ? nc_close(ncid) : rc;
}

int main(int argc, char **argv)
{
    int rc = NC_EINVAL;

    if (argc == 5 && strcmp(argv[1], "write") == 0)
        rc = write_some(argv[2], number(argv[3]), number(argv[4]));
    else if (argc == 4 && strcmp(argv[1], "count") == 0)
        rc = count_all(argv[2], number(argv[3]));
    if (rc != NC_NOERR)
        fprintf(stderr, "shard_writer: %s\n", cellar_error());
    return rc == NC_NOERR ? 0 : 1;
}
