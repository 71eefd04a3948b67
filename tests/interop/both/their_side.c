/* SPDX-License-Identifier: BSD-3-Clause */
#include "their_side.h"
#include <netcdf.h>

const char *their_version(void)
{
    return nc_inq_libvers();
}

int their_write(const char *path, int value)
{
    int ncid, varid, rc = nc_create(path, NC_NETCDF4, &ncid);

    if (rc == NC_NOERR)
        rc = nc_def_var(ncid, "v", NC_INT, 0, (int *)0, &varid);
    if (rc == NC_NOERR)
        rc = nc_put_var_int(ncid, varid, &value);
    return rc == NC_NOERR ? nc_close(ncid) : rc;
}

int their_read(const char *path, int *value)
{
    int ncid, rc = nc_open(path, NC_NOWRITE, &ncid);

    if (rc == NC_NOERR)
        rc = nc_get_var_int(ncid, 0, value);
    return rc == NC_NOERR ? nc_close(ncid) : rc;
}

int their_open_count(const char *path)
{
    int ncid, rc = nc_open(path, NC_NOWRITE, &ncid);

    return rc == NC_NOERR ? ncid : rc;
}

int their_close(int ncid)
{
    return nc_close(ncid);
}
