/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that is being written, opened a second time in the same process: what the second handle sees. ncap2 does it
 * with every file, and people look at a model's output while it runs. */
#include "say.h"

static void look(const char *path, const char *when, int data)
{
    int ncid, rc = nc_open(path, NC_NOWRITE, &ncid), nvars = -1;
    size_t start = 0, count = 4, len = 99;
    float values[4] = {0};

    printf("%s: open %d", when, rc);
    if (rc == NC_NOERR) {
        DO(nc_inq_nvars(ncid, &nvars));
        printf(", %d variables", nvars);
    }
    if (rc == NC_NOERR && data) {
        DO(nc_inq_dimlen(ncid, 0, &len));
        rc = nc_get_vara_float(ncid, 0, &start, &count, values);
        printf(", %zu records, get %d: %g", len, rc, values[3]);
    }
    if (nvars >= 0)
        DO(nc_close(ncid));
    printf("\n");
}

int main(int argc, char **argv)
{
    int ncid, dim, var, other;
    int sees = FORMAT & (NC_SHARE | NC_NETCDF4); /* of other files a put may be in a buffer, in both libraries */
    size_t start = 0, count = 4;
    float values[4] = {1, 2, 3, 4};

    (void)argc;
    DO(nc_create(argv[1], FORMAT, &ncid));
    DO(nc_def_dim(ncid, "t", NC_UNLIMITED, &dim));
    DO(nc_def_var(ncid, "v", NC_FLOAT, 1, &dim, &var));
    DO(nc_enddef(ncid));
    look(argv[1], "defined", 0);
    DO(nc_put_vara_float(ncid, var, &start, &count, values));
    look(argv[1], "put", sees);
    DO(nc_sync(ncid));
    look(argv[1], "synchronised", 1);
    DO(nc_redef(ncid));
    DO(nc_def_var(ncid, "w", NC_FLOAT, 1, &dim, &other));
    DO(nc_put_att_text(ncid, NC_GLOBAL, "history", 50, "a header that becomes longer and moves all the data"));
    DO(nc_enddef(ncid));
    look(argv[1], "defined again", 1);
    start = 4;
    DO(nc_put_vara_float(ncid, other, &start, &count, values));
    look(argv[1], "put again", sees);
    DO(nc_close(ncid));
    look(argv[1], "closed", 1);
    return 0;
}
