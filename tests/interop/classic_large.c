/* SPDX-License-Identifier: BSD-3-Clause */
/* Classic files above 4 GiB, sparse: offsets (CDF-2), one variable (CDF-5) and records
 * beyond 4 GiB, and what each kind refuses. Built over libcellar and over libnetcdf;
 * what one writes the other reads.
 *
 *   classic_large write|read KIND FILE     KIND: 2 or 5
 *   classic_large limits - FILE            prints the codes of what is too large */
#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) \
    do { \
        int e_ = (call); \
        if (e_) { \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, nc_strerror(e_)); \
            exit(1); \
        } \
    } while (0)

enum { NFIXED = 4, ROW = 1 << 20, NRECORDS = 60 };
static const size_t rows = 420; /* of ROW floats: 1.7 GB a variable */

/* Where values are put: the ends and the middle, and on both sides of 4 GiB. */
static float value_of(int var, size_t row)
{
    return (float)var * 1000 + (float)row + 0.5f;
}

static void each_place(int ncid, int var, size_t n, bool write)
{
    size_t at[] = {0, n / 2, n > 1024 ? 1023 : 1, n > 1024 ? 1024 : 2, n - 1};
    static float row[ROW];

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        size_t start[2] = {at[i], 0}, count[2] = {1, ROW};
        for (size_t k = 0; write && k < ROW; k++)
            row[k] = value_of(var, at[i]);
        if (write) {
            TRY(nc_put_vara_float(ncid, var, start, count, row));
            continue;
        }
        TRY(nc_get_vara_float(ncid, var, start, count, row));
        if (row[0] != value_of(var, at[i]) || row[ROW - 1] != value_of(var, at[i])) {
            printf("variable %d, row %zu: %g, not %g\n", var, at[i], row[0], value_of(var, at[i]));
            exit(1);
        }
    }
}

static void define(int ncid, int kind)
{
    int dims[4], ids[2], var;

    TRY(nc_set_fill(ncid, NC_NOFILL, NULL));
    TRY(nc_def_dim(ncid, "row", rows, &dims[0]));
    TRY(nc_def_dim(ncid, "x", ROW, &dims[1]));
    TRY(nc_def_dim(ncid, "long", 1200, &dims[2]));
    TRY(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[3]));
    ids[1] = dims[1];
    for (int v = 0; v < NFIXED; v++) {
        char name[] = {'v', (char)('0' + v), 0};
        ids[0] = v == NFIXED - 1 && kind == 5 ? dims[2] : dims[0];
        TRY(nc_def_var(ncid, name, NC_FLOAT, 2, ids, &var));
    }
    ids[0] = dims[3];
    TRY(nc_def_var(ncid, "record", NC_FLOAT, 2, ids, &var));
    TRY(nc_def_var(ncid, "other", NC_SHORT, 1, ids, &var));
    TRY(nc_enddef(ncid));
}

static void move_all(int ncid, int kind, bool write)
{
    size_t last = NRECORDS - 1;
    short other = 77;

    for (int v = 0; v < NFIXED; v++)
        each_place(ncid, v, v == NFIXED - 1 && kind == 5 ? 1200 : rows, write);
    each_place(ncid, NFIXED, NRECORDS, write);
    if (write)
        TRY(nc_put_var1_short(ncid, NFIXED + 1, &last, &other));
    TRY(nc_get_var1_short(ncid, NFIXED + 1, &last, &other));
    if (other != 77)
        printf("the last record of \"other\": %d\n", other), exit(1);
}

/* nvars variables of n bytes each, of NC_BYTE; the code of nc_enddef(). */
static void limit(const char *path, int mode, const char *kind, int nvars, size_t n, bool record)
{
    int ncid, dims[2], var, rc;

    TRY(nc_create(path, NC_CLOBBER | mode, &ncid));
    TRY(nc_set_fill(ncid, NC_NOFILL, NULL));
    TRY(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    rc = nc_def_dim(ncid, "n", n, &dims[1]);
    for (int v = 0; rc == NC_NOERR && v < nvars; v++) {
        char name[] = {'v', (char)('0' + v), 0};
        TRY(nc_def_var(ncid, name, NC_BYTE, record ? 2 : 1, record ? dims : dims + 1, &var));
    }
    if (rc == NC_NOERR)
        rc = nc_enddef(ncid);
    printf("%s: %d of %zu bytes%s: %d\n", kind, nvars, n, record ? " a record" : "", rc);
    nc_abort(ncid);
}

static void limits(const char *path)
{
    static const size_t sizes[] = {2147483640u, 2147483644u, 2147483648u, 4294967288u, 4294967292u, 4294967296u};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int nvars = 1; nvars < 4; nvars++)
            for (int record = 0; record < 2; record++) {
                limit(path, 0, "CDF-1", nvars, sizes[i], record);
                limit(path, NC_64BIT_OFFSET, "CDF-2", nvars, sizes[i], record);
                limit(path, NC_64BIT_DATA, "CDF-5", nvars, sizes[i], record);
            }
}

int main(int argc, char **argv)
{
    bool write = argc == 4 && strcmp(argv[1], "write") == 0;
    int ncid, kind;

    if (argc != 4)
        return 2;
    if (strcmp(argv[1], "limits") == 0) {
        limits(argv[3]);
        return 0;
    }
    kind = atoi(argv[2]);
    if (write) {
        TRY(nc_create(argv[3], NC_CLOBBER | (kind == 5 ? NC_64BIT_DATA : NC_64BIT_OFFSET), &ncid));
        define(ncid, kind);
    } else {
        TRY(nc_open(argv[3], NC_NOWRITE, &ncid));
    }
    move_all(ncid, kind, write);
    TRY(nc_close(ncid));
    return 0;
}
