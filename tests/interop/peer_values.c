/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer_values.h"
#include <netcdf.h>
#include <stdio.h>

static int define(int ncid, size_t size, int mode, int digits, const void *fill, size_t n, int *varid)
{
    int dimid, rc = nc_def_dim(ncid, "x", n, &dimid);

    if (!rc)
        rc = nc_def_var(ncid, "v", size == sizeof(float) ? NC_FLOAT : NC_DOUBLE, 1, &dimid, varid);
    if (!rc && fill)
        rc = nc_def_var_fill(ncid, *varid, NC_FILL, fill);
    if (!rc)
        rc = nc_def_var_quantize(ncid, *varid, mode, digits);
    return rc ? rc : nc_enddef(ncid);
}

/* In memory; each under its own name, since libnetcdf keeps them apart by it. */
static int create(int flags, int *ncid)
{
    static int count;
    char name[32];

    snprintf(name, sizeof name, "peer_values_%d.nc", ++count);
    return nc_create(name, NC_NETCDF4 | NC_CLOBBER | NC_DISKLESS | flags, ncid);
}

int peer_quantize(size_t size, int mode, int digits, const void *fill, const void *in, void *out, size_t n)
{
    int ncid, varid, closed, rc = create(0, &ncid);

    if (rc)
        return rc;
    rc = define(ncid, size, mode, digits, fill, n, &varid);
    if (!rc)
        rc = nc_put_var(ncid, varid, in);
    if (!rc)
        rc = nc_get_var(ncid, varid, out);
    closed = nc_close(ncid);
    return rc ? rc : closed;
}

int peer_make_quantized(const char *path, int mode, int digits, const float *values, size_t n)
{
    int ncid, dimid, varid, closed, rc = nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid);
    size_t start = 0;

    if (rc)
        return rc;
    rc = nc_def_dim(ncid, "x", NC_UNLIMITED, &dimid);
    if (!rc)
        rc = nc_def_var(ncid, "v", NC_FLOAT, 1, &dimid, &varid);
    if (!rc)
        rc = nc_def_var_quantize(ncid, varid, mode, digits);
    if (!rc)
        rc = nc_put_vara_float(ncid, varid, &start, &n, values);
    closed = nc_close(ncid);
    return rc ? rc : closed;
}

int peer_inq_quantize(const char *path, int *mode, int *digits)
{
    int ncid, varid, closed, rc = nc_open(path, NC_NOWRITE, &ncid);

    if (rc)
        return rc;
    rc = nc_inq_varid(ncid, "v", &varid);
    if (!rc)
        rc = nc_inq_var_quantize(ncid, varid, mode, digits);
    closed = nc_close(ncid);
    return rc ? rc : closed;
}

static int put_as(int ncid, int varid, int type, const void *in)
{
    switch (type) {
    case NC_BYTE:
        return nc_put_var_schar(ncid, varid, in);
    case NC_UBYTE:
        return nc_put_var_uchar(ncid, varid, in);
    case NC_SHORT:
        return nc_put_var_short(ncid, varid, in);
    case NC_USHORT:
        return nc_put_var_ushort(ncid, varid, in);
    case NC_INT:
        return nc_put_var_int(ncid, varid, in);
    case NC_UINT:
        return nc_put_var_uint(ncid, varid, in);
    case NC_INT64:
        return nc_put_var_longlong(ncid, varid, in);
    case NC_UINT64:
        return nc_put_var_ulonglong(ncid, varid, in);
    case NC_FLOAT:
        return nc_put_var_float(ncid, varid, in);
    default:
        return nc_put_var_double(ncid, varid, in);
    }
}

static int get_as(int ncid, int varid, int type, void *out)
{
    switch (type) {
    case NC_BYTE:
        return nc_get_var_schar(ncid, varid, out);
    case NC_UBYTE:
        return nc_get_var_uchar(ncid, varid, out);
    case NC_SHORT:
        return nc_get_var_short(ncid, varid, out);
    case NC_USHORT:
        return nc_get_var_ushort(ncid, varid, out);
    case NC_INT:
        return nc_get_var_int(ncid, varid, out);
    case NC_UINT:
        return nc_get_var_uint(ncid, varid, out);
    case NC_INT64:
        return nc_get_var_longlong(ncid, varid, out);
    case NC_UINT64:
        return nc_get_var_ulonglong(ncid, varid, out);
    case NC_FLOAT:
        return nc_get_var_float(ncid, varid, out);
    default:
        return nc_get_var_double(ncid, varid, out);
    }
}

/* One file per type and model, kept open: there are thousands of values. */
static int scalar_of(int type, int classic_model, int *varid)
{
    static int ncids[2][NC_MAX_ATOMIC_TYPE + 1];
    int *ncid = &ncids[classic_model != 0][type];
    int rc = 0;

    if (!*ncid) {
        rc = create(classic_model ? NC_CLASSIC_MODEL : 0, ncid);
        if (!rc)
            rc = nc_def_var(*ncid, "v", type, 0, NULL, varid);
        if (!rc)
            rc = nc_enddef(*ncid);
    }
    *varid = 0;
    return rc ? rc : *ncid;
}

int peer_put(int from, int to, int classic_model, const void *in, void *stored)
{
    int varid, ncid = scalar_of(to, classic_model, &varid), rc;

    if (ncid < 0)
        return ncid;
    rc = put_as(ncid, varid, from, in);
    nc_get_var(ncid, varid, stored);
    return rc;
}

int peer_get(int from, int to, int classic_model, const void *stored, void *out)
{
    int varid, ncid = scalar_of(from, classic_model, &varid), rc;

    if (ncid < 0)
        return ncid;
    rc = nc_put_var(ncid, varid, stored);
    return rc ? rc : get_as(ncid, varid, to, out);
}
