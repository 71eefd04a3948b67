/* Open a file of many variables, find one, read it, close: what a program that wants
 * one thing of a big file does. Built against Cellar and against netCDF-C;
 * run_open.py runs both in turns.
 *   bench_open make FILE VARIABLES ATTRIBUTES
 *   bench_open time FILE VARIABLE REPEATS    prints microseconds, one line each */
#include "bench.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OK(call) check((call), #call)

static void define(int nc, int nvars, int natts)
{
    int dims[4], var, i, k;
    char name[64];

    OK(nc_def_dim(nc, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(nc, "level", 4, &dims[1]));
    OK(nc_def_dim(nc, "lat", 8, &dims[2]));
    OK(nc_def_dim(nc, "lon", 16, &dims[3]));
    OK(nc_def_var(nc, "time", NC_DOUBLE, 1, dims, &var));
    OK(nc_def_var(nc, "lat", NC_DOUBLE, 1, dims + 2, &var));
    OK(nc_def_var(nc, "lon", NC_DOUBLE, 1, dims + 3, &var));
    for (i = 0; i < nvars; i++) {
        snprintf(name, sizeof name, "variable_%d", i);
        OK(nc_def_var(nc, name, NC_FLOAT, 4, dims, &var));
        for (k = 0; k < natts; k++) {
            snprintf(name, sizeof name, "attribute_%d", k);
            OK(nc_put_att_text(nc, var, name, 12, "some meaning"));
        }
    }
}

static void make(const char *path, int nvars, int natts)
{
    size_t start[4] = {0, 0, 0, 0}, count[4] = {1, 4, 8, 16};
    float values[512];
    int nc, var, i;

    OK(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc));
    define(nc, nvars, natts);
    OK(nc_enddef(nc));
    for (i = 0; i < 512; i++)
        values[i] = (float)i;
    for (var = 3; var < nvars + 3; var++)
        OK(nc_put_vara_float(nc, var, start, count, values));
    OK(nc_close(nc));
}

static void once(const char *path, const char *name)
{
    static float values[512];
    int nc, var;

    OK(nc_open(path, NC_NOWRITE, &nc));
    OK(nc_inq_varid(nc, name, &var));
    OK(nc_get_var_float(nc, var, values));
    OK(nc_close(nc));
    if (values[511] != 511)
        exit(1);
}

int main(int argc, char **argv)
{
    int i;

    if (argc == 5 && strcmp(argv[1], "make") == 0)
        make(argv[2], atoi(argv[3]), atoi(argv[4]));
    for (i = 0; argc == 5 && strcmp(argv[1], "time") == 0 && i <= atoi(argv[4]); i++) {
        double t = now();

        once(argv[2], argv[3]);
        if (i > 0) /* the first one also starts libhdf5 */
            printf("%.1f\n", (now() - t) * 1e6);
    }
    return argc != 5;
}
