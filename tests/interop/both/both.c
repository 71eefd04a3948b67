/* SPDX-License-Identifier: BSD-3-Clause */
/* Our side of the process. */
#include "their_side.h"
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            printf("line %d: %s\n", __LINE__, #what); \
            return 1; \
        } \
    } while (0)

static int write_one(const char *path, int value)
{
    int ncid, varid, rc = nc_create(path, NC_NETCDF4, &ncid);

    if (rc == NC_NOERR)
        rc = nc_def_var(ncid, "v", NC_INT, 0, NULL, &varid);
    if (rc == NC_NOERR)
        rc = nc_put_var_int(ncid, varid, &value);
    return rc == NC_NOERR ? nc_close(ncid) : rc;
}

static int read_one(const char *path, int *value)
{
    int ncid, rc = nc_open(path, NC_NOWRITE, &ncid);

    if (rc == NC_NOERR)
        rc = nc_get_var_int(ncid, 0, value);
    return rc == NC_NOERR ? nc_close(ncid) : rc;
}

int main(int argc, char **argv)
{
    char ours[64], theirs[64];
    int value, mine, other, n;

    (void)argc;
    snprintf(ours, sizeof ours, "ours_%s.nc", argv[1]);
    snprintf(theirs, sizeof theirs, "theirs_%s.nc", argv[1]);
    CHECK(strstr(nc_inq_libvers(), "Cellar"));
    CHECK(!strstr(their_version(), "Cellar"));
    CHECK(write_one(ours, 41) == 0 && their_write(theirs, 42) == 0);
    CHECK(read_one(theirs, &value) == 0 && value == 42);
    CHECK(their_read(ours, &value) == 0 && value == 41);

    /* Ids mean nothing on the other side, although both count from the same number. */
    other = their_open_count(theirs);
    CHECK(other > 0);
    CHECK(nc_inq_nvars(other, &n) == NC_EBADID);
    CHECK(nc_open(ours, NC_NOWRITE, &mine) == 0);
    CHECK(nc_close(mine) == 0);
    CHECK(their_close(other) == 0);
    return 0;
}
