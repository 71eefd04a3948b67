/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader; compiled with Cellar's netcdf.h or with netCDF-C's own. */
#include "records.h"
#include <netcdf.h>
#include <stdio.h>

static char text[256];
static int last;

static const char *say(const char *what, int rc, size_t t)
{
    last = rc;
    snprintf(text, sizeof text, "%s: record %zu: %s", what, t, rc ? nc_strerror(rc) : "wrong");
    return text;
}

static const char *check_record(int nc, const int *var, int nvars, int time, size_t t)
{
    size_t start[3] = {t, 0, 0}, count[3] = {1, RECORD_ROWS, RECORD_COLS};
    static float values[RECORD_VALUES];
    int rc, at = -1;

    for (int v = 0; v < nvars; v++) {
        if ((rc = nc_get_vara_float(nc, var[v], start, count, values)) != NC_NOERR)
            return say("v", rc, t);
        for (size_t i = 0; i < RECORD_VALUES; i++)
            if (values[i] != record_value(t, i))
                return say("v", 0, t);
    }
    rc = nc_get_vara_int(nc, time, start, count, &at);
    return rc != NC_NOERR || (size_t)at != t ? say("time", rc, t) : NULL;
}

static const char *check_open(int nc, size_t n, int nvars)
{
    int var[8], time, dim, rc;
    size_t length;
    char name[16];
    const char *wrong = NULL;

    for (int v = 0; v < nvars; v++) {
        snprintf(name, sizeof name, "v%d", v);
        if ((rc = nc_inq_varid(nc, name, &var[v])) != NC_NOERR)
            return say(name, rc, 0);
    }
    if ((rc = nc_inq_varid(nc, "time", &time)) != NC_NOERR || (rc = nc_inq_dimid(nc, "time", &dim)) != NC_NOERR ||
        (rc = nc_inq_dimlen(nc, dim, &length)) != NC_NOERR)
        return say("time", rc, 0);
    if (length < n)
        return say("length", 0, length);
    for (size_t t = 0; !wrong && t < n; t++)
        wrong = check_record(nc, var, nvars, time, t);
    return wrong;
}

static const char *check(const char *path, size_t n, int nvars)
{
    const char *wrong;
    int nc, rc = nc_open(path, NC_NOWRITE, &nc);

    if (rc != NC_NOERR)
        return say("open", rc, 0);
    wrong = check_open(nc, n, nvars);
    rc = nc_close(nc);
    return wrong || !rc ? wrong : say("close", rc, 0);
}

const char *records_check(const char *path, size_t n, int nvars, int *code)
{
    const char *wrong;

    last = 0;
    wrong = n ? check(path, n, nvars) : NULL;
    if (code)
        *code = last;
    return wrong;
}
