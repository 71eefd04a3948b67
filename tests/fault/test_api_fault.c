/* SPDX-License-Identifier: BSD-3-Clause */
/* test_api_fault [EVERY]: every (or every EVERY-th) allocation of a long story of API calls fails once, one per run: nothing
 * crashes, nothing leaks (the sanitizers look), a failure is answered with a code
 * and a sentence, and every dataset can still be closed. */
#include "mem.h"
#include <cellar.h>
#include <netcdf.h>
#include <netcdf_aux.h>
#include <netcdf_mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) { \
            mute += !*cellar_error(); \
            return rc_; \
        } \
    } while (0)

enum { NX = 40, NREC = 3 };
static const struct place {
    const char *path;
    int mode;
    int rich; /* user types and renames */
    const char *remove;
} places[] = {
    {"fault.nc", 0, 1, "rm -f fault.nc"},
    {"fault.nc", NC_DISKLESS, 1, "true"},
    {"file://fault.zarr#mode=nczarr,file", 0, 0, "rm -rf fault.zarr"},
};
static struct place at;
static int mute; /* failures without a sentence */

struct point {
    int id;
    char *name;
    nc_vlen_t steps;
};

static int define_types(int ncid, nc_type types[2])
{
    TRY(nc_def_vlen(ncid, "steps", NC_SHORT, &types[0]));
    TRY(nc_def_compound(ncid, sizeof(struct point), "point", &types[1]));
    TRY(nc_insert_compound(ncid, types[1], "id", offsetof(struct point, id), NC_INT));
    TRY(nc_insert_compound(ncid, types[1], "name", offsetof(struct point, name), NC_STRING));
    TRY(nc_insert_compound(ncid, types[1], "steps", offsetof(struct point, steps), types[0]));
    return NC_NOERR;
}

static int define(int ncid, int dims[2], nc_type types[2], int vars[5])
{
    size_t chunks[2] = {1, 10};
    const char *words[] = {"a", "bb"};
    int group, fill = 7;

    TRY(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    TRY(nc_def_dim(ncid, "x", NX, &dims[1]));
    TRY(nc_def_grp(ncid, "inner", &group));
    if (at.rich)
        TRY(define_types(ncid, types));
    TRY(nc_def_var(ncid, "data", NC_FLOAT, 2, dims, &vars[0]));
    TRY(nc_def_var_chunking(ncid, vars[0], NC_CHUNKED, chunks));
    TRY(nc_def_var_deflate(ncid, vars[0], 1, 1, 3));
    TRY(nc_def_var_fletcher32(ncid, vars[0], 1));
    TRY(nc_def_var(ncid, "x", NC_INT, 1, &dims[1], &vars[1]));
    TRY(nc_def_var_fill(ncid, vars[1], 0, &fill));
    TRY(nc_def_var(ncid, "words", NC_STRING, 1, &dims[1], &vars[2]));
    if (at.rich)
        TRY(nc_def_var(ncid, "points", types[1], 1, &dims[0], &vars[3]));
    TRY(nc_def_var(group, "deep", NC_DOUBLE, 2, dims, &vars[4]));
    TRY(cellar_def_var_chain(group, vars[4], "shuffle|zstd,level=2"));
    TRY(nc_put_att_text(ncid, vars[0], "units", 3, "m/s"));
    TRY(nc_put_att_string(ncid, NC_GLOBAL, "words", 2, words));
    TRY(nc_put_att_int(group, NC_GLOBAL, "n", NC_INT64, 1, &fill));
    return NC_NOERR;
}

static int write_data(int ncid, const int vars[5])
{
    static short numbers[] = {1, 2, 3};
    float row[NX];
    double values[NX];
    int xs[NX];
    const char *words[NX];
    struct point point = {1, "first", {3, numbers}};

    for (int i = 0; i < NX; i++) {
        row[i] = (float)i;
        values[i] = i;
        xs[i] = i;
        words[i] = i % 2 ? "odd" : "";
    }
    for (size_t r = 0; r < NREC; r++) {
        size_t start[2] = {r, 3}, count[2] = {1, NX - 3};

        TRY(nc_put_vara_float(ncid, vars[0], start, count, row));
        TRY(nc_put_vara_double(ncid + 1, vars[4], start, count, values));
        if (at.rich)
            TRY(nc_put_var1(ncid, vars[3], start, &point));
    }
    TRY(nc_put_var_int(ncid, vars[1], xs));
    TRY(nc_put_var_string(ncid, vars[2], words));
    if (at.rich)
        TRY(nc_rename_var(ncid, vars[0], "renamed"));
    TRY(nc_rename_att(ncid, vars[0], "units", "unit"));
    TRY(nc_del_att(ncid, NC_GLOBAL, "words"));
    return nc_sync(ncid);
}

static int read_points(int ncid, int varid)
{
    struct point points[NREC];
    nc_type type;

    TRY(nc_inq_vartype(ncid, varid, &type));
    TRY(nc_get_var(ncid, varid, points));
    return nc_reclaim_data(ncid, type, points, NREC);
}

static int read_data(int ncid)
{
    float data[NREC * NX];
    char *words[NX], name[NC_MAX_NAME + 1], text[8], *chain;
    int nvars, natts, varid;
    size_t len;

    TRY(nc_inq(ncid, NULL, &nvars, &natts, NULL));
    for (int v = 0; v < nvars; v++) {
        TRY(nc_inq_var(ncid, v, name, NULL, NULL, NULL, &natts));
        for (int a = 0; a < natts; a++) {
            TRY(nc_inq_attname(ncid, v, a, name));
            TRY(nc_inq_attlen(ncid, v, name, &len));
        }
    }
    TRY(nc_inq_varid(ncid, at.rich ? "renamed" : "data", &varid));
    TRY(nc_get_var_float(ncid, varid, data));
    TRY(nc_get_att_text(ncid, varid, "unit", text));
    TRY(cellar_inq_var_chain(ncid, varid, CELLAR_JSON, &chain));
    cellar_free(chain);
    TRY(nc_inq_varid(ncid, "words", &varid));
    TRY(nc_get_var_string(ncid, varid, words));
    nc_free_string(NX, words);
    if (!at.rich)
        return NC_NOERR;
    TRY(nc_inq_varid(ncid, "points", &varid));
    return read_points(ncid, varid);
}

static int close_after(int ncid, int rc)
{
    int closed = nc_close(ncid);

    if (closed != NC_NOERR && nc_inq(ncid, NULL, NULL, NULL, NULL) == NC_NOERR)
        nc_abort(ncid); /* definitions left half made keep it open */
    if (rc != NC_NOERR)
        return rc; /* whose sentence was looked at when it was fresh */
    TRY(closed);
    return NC_NOERR;
}

static int story(void)
{
    int ncid, dims[2], vars[5], rc;
    nc_type types[2];

    TRY(nc_create(at.path, NC_NETCDF4 | at.mode, &ncid));
    rc = define(ncid, dims, types, vars);
    if (rc == NC_NOERR)
        rc = write_data(ncid, vars);
    if (rc == NC_NOERR && at.mode)
        rc = read_data(ncid);
    rc = close_after(ncid, rc);
    if (rc != NC_NOERR || at.mode)
        return rc;
    TRY(nc_open(at.path, NC_WRITE, &ncid));
    rc = read_data(ncid);
    if (rc == NC_NOERR)
        rc = nc_put_att_text(ncid, NC_GLOBAL, "late", 4, "text");
    return close_after(ncid, rc);
}

/* Run once per allocation, or per every-th of them, until a run has had none left to fail. */
static int run(long every)
{
    if (story() != NC_NOERR)
        return printf("%s: even without failures: %s\n", at.path, cellar_error()), 1;
    for (long nth = 1, left = 0; left <= 0; nth += every) {
        cel_mem_fail_at(nth);
        int rc = story();
        left = cel_mem_fail_at(0);
        if (mute)
            return printf("%s: allocation %ld: code %d without a sentence\n", at.path, nth, rc), 1;
        if (left > 0 && (rc != NC_NOERR || nth < 100))
            return printf("%s: the run without a failure, after %ld: %d %s\n", at.path, nth, rc, cellar_error()), 1;
    }
    return system(at.remove);
}

int main(int argc, char **argv)
{
    int failures = 0;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        at = places[i];
        failures += run(argc > 1 ? atol(argv[1]) : 1);
    }
    return failures != 0;
}
