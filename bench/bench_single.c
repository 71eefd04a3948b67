/* SPDX-License-Identifier: BSD-3-Clause */
/* Single values, one call each: bench_single_X FILE FORMAT N prints nanoseconds of processor time a call, as JSON. bench_single_X
 * version prints the library's.
 *
 * FORMAT: classic (CDF-1), cdf5 or netcdf4. Every row moves N values, in order; what was put is compared with what is got. */
#include "bench.h"
#include <string.h>

enum { ROWS_Y = 10, ROWS_X = 100, RECORD = ROWS_Y * ROWS_X };
enum var { PLAIN, SERIES, COUNTS };

static const char *path;
static size_t n;

/* --- one loop for each type in memory ------------------------------------------------- */

/* 1-d variables by their index; the series by record, row and column. */
#define LOOPS(tag, type) \
    static void put_##tag(int nc, int var) \
    { \
        for (size_t i = 0; i < n; i++) { \
            size_t at[3] = {i, 0, 0}; \
            type value = (type)(i % 100); \
            if (var == SERIES) \
                at[0] = i / RECORD, at[1] = i / ROWS_X % ROWS_Y, at[2] = i % ROWS_X; \
            check(nc_put_var1_##tag(nc, var, at, &value), "put"); \
        } \
    } \
    static void get_##tag(int nc, int var) \
    { \
        for (size_t i = 0; i < n; i++) { \
            size_t at[3] = {i, 0, 0}; \
            type value = 0; \
            if (var == SERIES) \
                at[0] = i / RECORD, at[1] = i / ROWS_X % ROWS_Y, at[2] = i % ROWS_X; \
            check(nc_get_var1_##tag(nc, var, at, &value), "get"); \
            check(value == (type)(i % 100) ? NC_NOERR : NC_EIO, "the value got is not the one put"); \
        } \
    }

LOOPS(float, float)
LOOPS(double, double)
LOOPS(int, int)
LOOPS(short, short)

static const struct row {
    const char *name;
    int var;
    void (*run)(int nc, int var);
} puts_[] = {{"put float", PLAIN, put_float},
             {"put double as float", PLAIN, put_double},
             {"put int as float", PLAIN, put_int},
             {"put short", COUNTS, put_short},
             {"put double as short", COUNTS, put_double},
             {"put float in records", SERIES, put_float}},
  gets_[] = {{"get float", PLAIN, get_float},
             {"get float as double", PLAIN, get_double},
             {"get float as int", PLAIN, get_int},
             {"get short", COUNTS, get_short},
             {"get short as double", COUNTS, get_double},
             {"get float of records", SERIES, get_float}};
enum { NPUTS = sizeof puts_ / sizeof *puts_, NGETS = sizeof gets_ / sizeof *gets_ };

/* --- the file --------------------------------------------------------------------------- */

static int create(const char *format)
{
    static const struct {
        const char *name;
        int mode;
    } formats[] = {{"classic", 0}, {"cdf5", NC_64BIT_DATA}, {"netcdf4", NC_NETCDF4}};
    int nc, dims[4], mode = -1;

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        mode = strcmp(format, formats[i].name) == 0 ? formats[i].mode : mode;
    check(mode < 0 ? NC_EINVAL : NC_NOERR, format);
    check(nc_create(path, NC_CLOBBER | mode, &nc), path);
    check(nc_set_fill(nc, NC_NOFILL, NULL), "no fill");
    check(nc_def_dim(nc, "n", n, &dims[0]), "dimension");
    check(nc_def_dim(nc, "time", NC_UNLIMITED, &dims[1]), "dimension");
    check(nc_def_dim(nc, "y", ROWS_Y, &dims[2]), "dimension");
    check(nc_def_dim(nc, "x", ROWS_X, &dims[3]), "dimension");
    check(nc_def_var(nc, "plain", NC_FLOAT, 1, &dims[0], &(int){PLAIN}), "variable");
    check(nc_def_var(nc, "series", NC_FLOAT, 3, &dims[1], &(int){SERIES}), "variable");
    check(nc_def_var(nc, "counts", NC_SHORT, 1, &dims[0], &(int){COUNTS}), "variable");
    check(nc_enddef(nc), "enddef");
    return nc;
}

static void run_rows(const struct row *rows, size_t nrows, int nc)
{
    for (size_t i = 0; i < nrows; i++) {
        double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);

        rows[i].run(nc, rows[i].var);
        printf("%s\"%s\": %.2f", rows == puts_ && i == 0 ? "{" : ", ", rows[i].name,
               (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)n * 1e9);
    }
}

int main(int argc, char **argv)
{
    int nc;

    if (argc == 2 && strcmp(argv[1], "version") == 0) {
        puts(nc_inq_libvers());
        return 0;
    }
    n = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: %s FILE classic|cdf5|netcdf4 N\n", argv[0]);
        return 2;
    }
    path = argv[1];
    nc = create(argv[2]);
    run_rows(puts_, NPUTS, nc);
    check(nc_close(nc), "close");
    check(nc_open(path, NC_NOWRITE, &nc), path);
    run_rows(gets_, NGETS, nc);
    check(nc_close(nc), "close");
    puts("}");
    remove(path);
    return 0;
}
