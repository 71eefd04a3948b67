/* SPDX-License-Identifier: BSD-3-Clause */
/* scattered FILE [chunked] [first]: 50 variables of 2.4 MB, each defined and written in turn, with nc_redef between; with
 * `first` all are defined before any is written. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARS = 50, Y = 600, X = 1024, CHUNK = 100 };

static void check(int status)
{
    if (status == NC_NOERR)
        return;
    fprintf(stderr, "scattered: %s\n", nc_strerror(status));
    exit(1);
}

static int define(int ncid, const int *dim, int i, int chunked)
{
    const size_t chunk[] = {CHUNK, X};
    char name[16];
    int var;

    snprintf(name, sizeof name, "v%d", i);
    check(nc_def_var(ncid, name, NC_FLOAT, 2, dim, &var));
    if (chunked)
        check(nc_def_var_chunking(ncid, var, NC_CHUNKED, chunk));
    check(nc_put_att_text(ncid, var, "units", 1, "K"));
    check(nc_put_att_text(ncid, var, "long_name", strlen(name), name));
    return var;
}

static void write_values(int ncid, int var)
{
    static float value[Y * X];

    for (int i = 0; i < Y * X; i++)
        value[i] = (float)(i % 1013 + var);
    check(nc_put_var_float(ncid, var, value));
}

int main(int argc, char **argv)
{
    int ncid, dim[2], var[VARS], chunked = 0, first = 0;

    for (int i = 2; i < argc; i++) {
        chunked = chunked || strcmp(argv[i], "chunked") == 0;
        first = first || strcmp(argv[i], "first") == 0;
    }
    check(nc_create(argc > 1 ? argv[1] : "", NC_NETCDF4, &ncid));
    check(nc_def_dim(ncid, "y", Y, &dim[0]));
    check(nc_def_dim(ncid, "x", X, &dim[1]));
    for (int i = 0; first && i < VARS; i++)
        var[i] = define(ncid, dim, i, chunked);
    for (int i = 0; i < VARS; i++) {
        if (!first && i)
            check(nc_redef(ncid));
        if (!first)
            var[i] = define(ncid, dim, i, chunked);
        if (!first || !i)
            check(nc_enddef(ncid));
        write_values(ncid, var[i]);
    }
    check(nc_close(ncid));
    return 0;
}
