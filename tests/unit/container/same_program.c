/* SPDX-License-Identifier: BSD-3-Clause */
/* One program for two libraries: built against libcellar and against netCDF-C, it
 * must write files that netCDF-C's ncdump shows alike. usage: same_program CASE FILE */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call) \
    do { \
        int rc_ = (call); \
        if (rc_) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, nc_strerror(rc_)); \
            exit(1); \
        } \
    } while (0)

static int make(const char *path, int mode)
{
    int nc;

    OK(nc_create(path, NC_NETCDF4 | NC_CLOBBER | mode, &nc));
    return nc;
}

static int reopen(const char *path)
{
    int nc;

    OK(nc_open(path, NC_WRITE, &nc));
    return nc;
}

/* Every atomic type, with and without values, fixed and unlimited. */
static void atomic_types(const char *path)
{
    static const char *const names[] = {"", "b", "c", "s", "i", "f", "d", "ub", "us", "ui", "i64", "u64", "str"};
    int nc = make(path, 0), dims[3], var, type;
    size_t start[2] = {0, 0}, count[2] = {2, 3};
    double values[6] = {1, 2, 3, 4, 5, 6};
    const char *text[6] = {"one", "two", "", "vier", "f\303\274nf", "6"};

    OK(nc_def_dim(nc, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(nc, "x", 3, &dims[1]));
    for (type = NC_BYTE; type <= NC_STRING; type++) {
        char name[32];

        OK(nc_def_var(nc, names[type], type, 2, dims, &var));
        snprintf(name, sizeof name, "%s_fixed", names[type]);
        OK(nc_def_var(nc, name, type, 1, dims + 1, &var));
        snprintf(name, sizeof name, "%s_scalar", names[type]);
        OK(nc_def_var(nc, name, type, 0, NULL, &var));
    }
    OK(nc_enddef(nc));
    for (type = NC_BYTE; type <= NC_STRING; type++) {
        OK(nc_inq_varid(nc, names[type], &var));
        if (type == NC_STRING)
            OK(nc_put_vara_string(nc, var, start, count, text));
        else if (type == NC_CHAR)
            OK(nc_put_vara_text(nc, var, start, count, "abcdef"));
        else
            OK(nc_put_vara_double(nc, var, start, count, values));
    }
    OK(nc_close(nc));
}

static void attributes(const char *path)
{
    int nc = make(path, 0), dim, var;
    int ints[3] = {1, -2, 3};
    double d = 2.5;
    const char *texts[2] = {"first", "second"};

    OK(nc_def_dim(nc, "x", 2, &dim));
    OK(nc_def_var(nc, "v", NC_FLOAT, 1, &dim, &var));
    OK(nc_put_att_text(nc, NC_GLOBAL, "title", 5, "hello"));
    OK(nc_put_att_text(nc, NC_GLOBAL, "empty", 0, ""));
    OK(nc_put_att_text(nc, NC_GLOBAL, "one", 1, "1"));
    OK(nc_put_att_int(nc, NC_GLOBAL, "ints", NC_INT, 3, ints));
    OK(nc_put_att_int(nc, NC_GLOBAL, "none", NC_INT, 0, ints));
    OK(nc_put_att_string(nc, NC_GLOBAL, "texts", 2, texts));
    OK(nc_put_att_string(nc, NC_GLOBAL, "text", 1, texts));
    OK(nc_put_att_double(nc, var, "_FillValue", NC_FLOAT, 1, &d));
    OK(nc_put_att_double(nc, var, "d", NC_DOUBLE, 1, &d));
    OK(nc_put_att_int(nc, var, "shorts", NC_SHORT, 3, ints));
    OK(nc_put_att_text(nc, var, "units", 2, "kg"));
    OK(nc_put_att_text(nc, var, "gone", 2, "xx"));
    OK(nc_close(nc));
    nc = reopen(path);
    OK(nc_redef(nc));
    OK(nc_inq_varid(nc, "v", &var));
    OK(nc_put_att_text(nc, var, "units", 8, "kilogram"));
    OK(nc_put_att_int(nc, NC_GLOBAL, "ints", NC_INT, 3, (int[]){7, 8, 9}));
    OK(nc_rename_att(nc, var, "shorts", "longs"));
    OK(nc_del_att(nc, var, "gone"));
    OK(nc_enddef(nc));
    OK(nc_close(nc));
}

static void layouts(const char *path)
{
    int nc = make(path, 0), dims[3], var;
    size_t chunks[3] = {2, 2, 5};
    int values[60], i;

    for (i = 0; i < 60; i++)
        values[i] = i * i;
    OK(nc_def_dim(nc, "a", 3, &dims[0]));
    OK(nc_def_dim(nc, "b", 4, &dims[1]));
    OK(nc_def_dim(nc, "c", 5, &dims[2]));
    OK(nc_def_var(nc, "chunked", NC_INT, 3, dims, &var));
    OK(nc_def_var_chunking(nc, var, NC_CHUNKED, chunks));
    OK(nc_def_var(nc, "contiguous", NC_INT, 3, dims, &var));
    OK(nc_def_var_chunking(nc, var, NC_CONTIGUOUS, NULL));
    OK(nc_def_var(nc, "compact", NC_INT, 3, dims, &var));
    OK(nc_def_var_chunking(nc, var, NC_COMPACT, NULL));
    OK(nc_def_var(nc, "zipped", NC_INT, 3, dims, &var));
    OK(nc_def_var_deflate(nc, var, 1, 1, 4));
    OK(nc_def_var_fletcher32(nc, var, 1));
    OK(nc_def_var(nc, "big", NC_INT, 3, dims, &var));
    OK(nc_def_var_endian(nc, var, NC_ENDIAN_BIG));
    OK(nc_def_var(nc, "big_chunked", NC_INT, 3, dims, &var));
    OK(nc_def_var_endian(nc, var, NC_ENDIAN_BIG));
    OK(nc_def_var_chunking(nc, var, NC_CHUNKED, chunks));
    OK(nc_def_var(nc, "unfilled", NC_INT, 3, dims, &var));
    OK(nc_def_var_fill(nc, var, 1, NULL));
    OK(nc_def_var(nc, "filled", NC_INT, 3, dims, &var));
    OK(nc_def_var_fill(nc, var, 0, (int[]){-7}));
    OK(nc_enddef(nc));
    for (var = 0; var < 7; var++)
        OK(nc_put_var_int(nc, var, values));
    OK(nc_close(nc));
}

static void groups(const char *path)
{
    int nc = make(path, 0), g, h, d[2], e[2], var;
    size_t start[1] = {2}, count[1] = {2};

    OK(nc_def_dim(nc, "x", 2, &d[0]));
    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &d[1]));
    OK(nc_def_grp(nc, "g", &g));
    OK(nc_def_grp(g, "h", &h));
    OK(nc_def_dim(g, "x", 4, &e[0]));
    OK(nc_def_dim(h, "u", NC_UNLIMITED, &e[1]));
    OK(nc_def_var(nc, "x", NC_FLOAT, 1, d, &var));
    OK(nc_def_var(g, "x", NC_INT, 1, e, &var));
    OK(nc_put_att_text(g, NC_GLOBAL, "note", 3, "abc"));
    OK(nc_def_var(h, "v", NC_INT, 1, &e[1], &var));
    OK(nc_put_vara_int(h, var, start, count, (int[]){5, 6}));
    OK(nc_def_var(h, "w", NC_INT, 1, &d[1], &var));
    OK(nc_put_vara_int(h, var, start, count, (int[]){7, 8}));
    OK(nc_def_var(h, "mixed", NC_SHORT, 2, (int[]){d[1], e[0]}, &var));
    OK(nc_close(nc));
}

struct pair {
    int i;
    double d[2];
};

static void user_types(const char *path)
{
    int nc = make(path, 0), dim, var;
    nc_type pair, outer, color, blob, ragged;
    struct pair p[2] = {{1, {2, 3}}, {4, {5, 6}}};
    struct {
        short s;
        struct pair p;
    } o[2] = {{7, {8, {9, 10}}}, {11, {12, {13, 14}}}};
    nc_vlen_t v[2] = {{2, (int[]){1, 2}}, {3, (int[]){3, 4, 5}}};
    int two = 2;

    OK(nc_def_dim(nc, "x", 2, &dim));
    OK(nc_def_compound(nc, sizeof *p, "pair", &pair));
    OK(nc_insert_compound(nc, pair, "i", NC_COMPOUND_OFFSET(struct pair, i), NC_INT));
    OK(nc_insert_array_compound(nc, pair, "d", NC_COMPOUND_OFFSET(struct pair, d), NC_DOUBLE, 1, &two));
    OK(nc_def_compound(nc, sizeof *o, "outer", &outer));
    OK(nc_insert_compound(nc, outer, "s", 0, NC_SHORT));
    OK(nc_insert_compound(nc, outer, "p", 8, pair));
    OK(nc_def_enum(nc, NC_UBYTE, "color", &color));
    OK(nc_insert_enum(nc, color, "red", (unsigned char[]){1}));
    OK(nc_insert_enum(nc, color, "green", (unsigned char[]){200}));
    OK(nc_def_opaque(nc, 3, "blob", &blob));
    OK(nc_def_vlen(nc, "ragged", NC_INT, &ragged));
    OK(nc_def_var(nc, "pairs", pair, 1, &dim, &var));
    OK(nc_put_var(nc, var, p));
    OK(nc_def_var(nc, "outers", outer, 1, &dim, &var));
    OK(nc_put_var(nc, var, o));
    OK(nc_def_var(nc, "colors", color, 1, &dim, &var));
    OK(nc_put_var(nc, var, (unsigned char[]){1, 200}));
    OK(nc_def_var(nc, "blobs", blob, 1, &dim, &var));
    OK(nc_put_var(nc, var, "abcdef"));
    OK(nc_def_var(nc, "raggeds", ragged, 1, &dim, &var));
    OK(nc_put_var(nc, var, v));
    OK(nc_put_att(nc, NC_GLOBAL, "pair_att", pair, 2, p));
    OK(nc_put_att(nc, NC_GLOBAL, "ragged_att", ragged, 2, v));
    OK(nc_put_att(nc, NC_GLOBAL, "color_att", color, 1, (unsigned char[]){200}));
    OK(nc_close(nc));
}

/* Variables that share a name with a dimension, in every way they can. */
static void coordinates(const char *path)
{
    int nc = make(path, 0), d[4], var;

    OK(nc_def_dim(nc, "lon", 2, &d[0]));
    OK(nc_def_dim(nc, "lat", 3, &d[1]));
    OK(nc_def_dim(nc, "time", NC_UNLIMITED, &d[2]));
    OK(nc_def_dim(nc, "station", 2, &d[3]));
    OK(nc_def_var(nc, "data", NC_FLOAT, 3, (int[]){d[2], d[1], d[0]}, &var));
    OK(nc_def_var(nc, "lat", NC_DOUBLE, 1, &d[1], &var));
    OK(nc_def_var(nc, "lon", NC_DOUBLE, 1, &d[0], &var));
    OK(nc_def_var(nc, "time", NC_INT, 2, (int[]){d[2], d[0]}, &var));
    OK(nc_def_var(nc, "station", NC_CHAR, 1, &d[0], &var));
    OK(nc_enddef(nc));
    OK(nc_put_vara_float(nc, 0, (size_t[]){0, 0, 0}, (size_t[]){2, 3, 2},
                         (float[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
    OK(nc_close(nc));
    nc = reopen(path);
    OK(nc_redef(nc));
    OK(nc_def_var(nc, "later", NC_INT, 2, (int[]){d[2], d[1]}, &var));
    OK(nc_def_dim(nc, "level", 3, &d[0]));
    OK(nc_def_var(nc, "level", NC_INT, 1, &d[0], &var));
    OK(nc_close(nc));
}

static void renames(const char *path)
{
    int nc = make(path, 0), d[3], var;

    OK(nc_def_dim(nc, "x", 2, &d[0]));
    OK(nc_def_dim(nc, "y", 3, &d[1]));
    OK(nc_def_var(nc, "a", NC_INT, 2, d, &var));
    OK(nc_def_var(nc, "b", NC_INT, 1, &d[1], &var));
    OK(nc_put_var_int(nc, 0, (int[]){1, 2, 3, 4, 5, 6}));
    OK(nc_put_var_int(nc, 1, (int[]){7, 8, 9}));
    OK(nc_close(nc));
    nc = reopen(path);
    OK(nc_redef(nc));
    OK(nc_rename_var(nc, 0, "alpha"));
    OK(nc_rename_dim(nc, 0, "ex"));
    OK(nc_close(nc));
}

/* A new name stops a variable being a coordinate variable. */
static void rename_from_coordinate(const char *path)
{
    int nc = make(path, 0), d[2], var;

    OK(nc_def_dim(nc, "x", 2, &d[0]));
    OK(nc_def_dim(nc, "y", 3, &d[1]));
    OK(nc_def_var(nc, "x", NC_INT, 1, &d[0], &var));
    OK(nc_def_var(nc, "second", NC_INT, 2, d, &var));
    OK(nc_put_var_int(nc, 0, (int[]){1, 2}));
    OK(nc_put_var_int(nc, 1, (int[]){1, 2, 3, 4, 5, 6}));
    OK(nc_close(nc));
    nc = reopen(path);
    OK(nc_redef(nc));
    OK(nc_rename_var(nc, 0, "other"));
    OK(nc_enddef(nc));
    OK(nc_close(nc));
}

static void classic_model(const char *path)
{
    int nc = make(path, NC_CLASSIC_MODEL), d[2], var;

    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &d[0]));
    OK(nc_def_dim(nc, "x", 3, &d[1]));
    OK(nc_def_var(nc, "v", NC_SHORT, 2, d, &var));
    OK(nc_put_att_text(nc, var, "units", 1, "m"));
    OK(nc_enddef(nc));
    OK(nc_put_vara_int(nc, var, (size_t[]){1, 0}, (size_t[]){1, 3}, (int[]){1, 2, 3}));
    OK(nc_close(nc));
}

static const struct {
    const char *name;
    void (*run)(const char *path);
} cases[] = {{"atomic_types", atomic_types},
             {"attributes", attributes},
             {"layouts", layouts},
             {"groups", groups},
             {"user_types", user_types},
             {"coordinates", coordinates},
             {"renames", renames},
             {"classic_model", classic_model},
             {"rename_from_coordinate", rename_from_coordinate}};

int main(int argc, char **argv)
{
    size_t i;

    for (i = 0; argc == 1 && i < sizeof cases / sizeof *cases; i++)
        puts(cases[i].name);
    for (i = 0; argc == 3 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, argv[1]) == 0)
            cases[i].run(argv[2]);
    return 0;
}
