/* SPDX-License-Identifier: BSD-3-Clause */
/* Classic files: floats written and read in the shapes people use, each timed from
 * create or open to close. The same source is compiled twice: against Cellar and
 * against the installed netCDF-C. Prints one line of JSON: seconds by operation.
 *
 *   bench_classic_X FILE KIND ROUNDS     (KIND 1, 2 or 5) */
#include "bench.h"
#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A layout: so many variables of one shape, the first dimension a record one or not. */
struct layout {
    bool record;
    int nvars;
    size_t shape[3];
};
static const struct layout fixed = {false, 1, {32, 721, 1440}}, record = {true, 1, {32, 721, 1440}},
                           paired = {true, 2, {16, 721, 1440}}, narrow = {true, 6, {100000, 1, 1}};
enum { MOST = 32 * 721 * 1440 };

static float *field, *room;
static const char *path;
static int kind;

static size_t values_of(const struct layout *l)
{
    return l->shape[0] * l->shape[1] * l->shape[2];
}

static int create(const struct layout *l)
{
    static const char *const names[3] = {"time", "lat", "lon"};
    int nc, dim[3], var, mode = kind == 5 ? NC_64BIT_DATA : kind == 2 ? NC_64BIT_OFFSET : 0;

    check(nc_create(path, mode | NC_CLOBBER, &nc), path);
    for (int d = 0; d < 3; d++)
        check(nc_def_dim(nc, names[d], d == 0 && l->record ? NC_UNLIMITED : l->shape[d], &dim[d]), "dimension");
    for (int v = 0; v < l->nvars; v++) {
        char name[] = {(char)('a' + v), 0};
        check(nc_def_var(nc, name, NC_FLOAT, 3, dim, &var), "variable");
    }
    check(nc_enddef(nc), "enddef");
    return nc;
}

/* --- operations ----------------------------------------------------------------- */

static void write_whole(const struct layout *l)
{
    int nc = create(l);

    for (int v = 0; v < l->nvars; v++)
        check(nc_put_vara_float(nc, v, (size_t[3]){0}, l->shape, field), "put");
    check(nc_close(nc), "close");
}

static void write_steps(const struct layout *l)
{
    size_t count[3] = {1, l->shape[1], l->shape[2]};
    int nc = create(l);

    for (size_t t = 0; t < l->shape[0]; t++)
        for (int v = 0; v < l->nvars; v++)
            check(nc_put_vara_float(nc, v, (size_t[3]){t}, count, field + t * count[1] * count[2]), "put");
    check(nc_close(nc), "close");
}

static void read_whole(const struct layout *l)
{
    int nc;

    check(nc_open(path, NC_NOWRITE, &nc), path);
    for (int v = 0; v < l->nvars; v++)
        check(nc_get_vara_float(nc, v, (size_t[3]){0}, l->shape, room), "get");
    check(nc_close(nc), "close");
}

static void read_steps(const struct layout *l)
{
    size_t count[3] = {1, l->shape[1], l->shape[2]};
    int nc;

    check(nc_open(path, NC_NOWRITE, &nc), path);
    for (size_t t = 0; t < l->shape[0]; t++)
        for (int v = 0; v < l->nvars; v++)
            check(nc_get_vara_float(nc, v, (size_t[3]){t}, count, room + t * count[1] * count[2]), "get");
    check(nc_close(nc), "close");
}

/* Every second row, and every second value of it. */
static void read_strided(const struct layout *l)
{
    size_t count[3] = {l->shape[0], l->shape[1] / 2, l->shape[2] / 2};
    int nc;

    check(nc_open(path, NC_NOWRITE, &nc), path);
    check(nc_get_vars_float(nc, 0, (size_t[3]){0}, count, (ptrdiff_t[3]){1, 2, 2}, room), "get");
    check(nc_close(nc), "close");
}

/* A time series at a point. */
static void read_point(const struct layout *l)
{
    size_t count[3] = {l->shape[0], 1, 1};
    int nc;

    check(nc_open(path, NC_NOWRITE, &nc), path);
    for (size_t x = 0; x < 1000; x++)
        check(nc_get_vara_float(nc, 0, (size_t[3]){0, 300, x}, count, room), "get");
    check(nc_close(nc), "close");
}

static const struct op {
    const char *name;
    void (*run)(const struct layout *l);
    const struct layout *layout;
    bool whole; /* reads all that was written */
} ops[] = {
    {"write fixed", write_whole, &fixed, false},         {"read fixed", read_whole, &fixed, true},
    {"read every second", read_strided, &fixed, false},  {"write record", write_whole, &record, false},
    {"read record", read_whole, &record, true},          {"read time series", read_point, &record, false},
    {"write two by steps", write_steps, &paired, false}, {"read two", read_whole, &paired, true},
    {"write six series", write_whole, &narrow, false},   {"read six series", read_whole, &narrow, true},
    {"write six by steps", write_steps, &narrow, false}, {"read six by steps", read_steps, &narrow, true},
};
enum { NOPS = sizeof ops / sizeof *ops };

int main(int argc, char **argv)
{
    int rounds = argc > 3 ? atoi(argv[3]) : 0;
    double seconds[NOPS][100];

    field = malloc(MOST * sizeof *field);
    room = malloc(MOST * sizeof *room);
    if (rounds < 1 || rounds > 100 || !field || !room) {
        fprintf(stderr, "usage: %s FILE KIND ROUNDS\n", argv[0]);
        return 2;
    }
    path = argv[1];
    kind = atoi(argv[2]);
    for (size_t i = 0; i < MOST; i++)
        field[i] = (float)(i * 2654435761u % 1000003) * 0.25f;
    memset(room, 1, MOST * sizeof *room); /* its pages are there before the clock starts */
    for (int r = -1; r < rounds; r++)     /* the first round warms up and does not count */
        for (int o = 0; o < NOPS; o++) {
            double began = now();
            ops[o].run(ops[o].layout);
            seconds[o][r < 0 ? 0 : r] = now() - began;
            if (ops[o].whole && memcmp(room, field, values_of(ops[o].layout) * sizeof *room) != 0)
                check(NC_EIO, "the values read are not those written");
        }
    for (int o = 0; o < NOPS; o++) {
        printf("%s\"%s\": [", o ? ", " : "{", ops[o].name);
        for (int r = 0; r < rounds; r++)
            printf("%s%.6f", r ? ", " : "", seconds[o][r]);
        printf("]");
    }
    puts("}");
    remove(path);
    free(field);
    free(room);
    return 0;
}
