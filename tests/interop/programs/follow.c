/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader that follows a writer through nc_sync(), and a file read and changed value
 * by value. */
#include "say.h"

enum { WIDTH = 3000, RECORDS = 5 };

static void define(int *ncid, const char *path)
{
    int dims[2], var;

    DO(nc_create(path, FORMAT, ncid));
    DO(nc_def_dim(*ncid, "time", NC_UNLIMITED, &dims[0]));
    DO(nc_def_dim(*ncid, "x", WIDTH, &dims[1]));
    DO(nc_def_var(*ncid, "v", NC_FLOAT, 2, dims, &var));
    DO(nc_def_var(*ncid, "fixed", NC_SHORT, 1, &dims[1], &var));
    DO(nc_enddef(*ncid));
    DO(nc_sync(*ncid));
}

static double sum_of(int ncid, size_t records)
{
    double sum = 0;

    for (size_t at[2] = {0}; at[0] < records; at[0]++)
        for (at[1] = 0; at[1] < WIDTH; at[1]++) {
            float value;
            DO(nc_get_var1_float(ncid, 0, at, &value));
            sum += value;
        }
    return sum;
}

/* Every second value is doubled, each right after it was read. */
static void change(int ncid)
{
    for (size_t at[2] = {1, 0}; at[1] < WIDTH; at[1] += 2) {
        float value;
        DO(nc_get_var1_float(ncid, 0, at, &value));
        value *= 2;
        DO(nc_put_var1_float(ncid, 0, at, &value));
    }
}

int main(int argc, char **argv)
{
    static float values[WIDTH];
    const char *path = argc > 1 ? argv[1] : "follow.nc";
    int writer, reader;
    size_t n;

    define(&writer, path);
    DO(nc_open(path, NC_NOWRITE, &reader));
    for (size_t r = 0; r < RECORDS; r++) {
        for (size_t i = 0; i < WIDTH; i++)
            values[i] = (float)(r * WIDTH + i);
        DO(nc_put_vara_float(writer, 0, (size_t[]){r, 0}, (size_t[]){1, WIDTH}, values));
        DO(nc_sync(writer));
        DO(nc_sync(reader));
        DO(nc_inq_dimlen(reader, 0, &n));
        printf("%zu records, sum %g\n", n, sum_of(reader, n));
    }
    change(writer);
    printf("the writer sees %g\n", sum_of(writer, RECORDS));
    DO(nc_sync(writer));
    DO(nc_sync(reader));
    printf("the reader sees %g\n", sum_of(reader, RECORDS));
    DO(nc_close(reader));
    DO(nc_close(writer));
    return 0;
}
