/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbolic links that lead out of a Zarr directory are followed only with CELLAR_FOLLOW_LINKS=1; those that
 * stay inside, and the root itself, always. */
#include "common/scratch.h"
#include <cellar.h>
#include <netcdf.h>
#include <sys/stat.h>

enum { N = 4 };

static void make_store(const char *name, int first)
{
    int nc, dim, v, data[N];

    for (int i = 0; i < N; i++)
        data[i] = first + i;
    MUST(nc_create(scratch_url(name, "zarr,file"), NC_NETCDF4 | NC_CLOBBER, &nc) == NC_NOERR);
    MUST(nc_def_dim(nc, "x", N, &dim) == NC_NOERR && nc_def_var(nc, "v", NC_INT, 1, &dim, &v) == NC_NOERR);
    MUST(nc_put_var_int(nc, v, data) == NC_NOERR && nc_close(nc) == NC_NOERR);
}

/* The first value of a variable; -1: it cannot be had, and what was said is in said[]. */
static int first_of(const char *store, const char *var, char said[2000])
{
    int nc, v, data[N], rc = nc_open(scratch("%s", store), NC_NOWRITE, &nc);

    snprintf(said, 2000, "%s %s", rc ? cellar_error() : "", cellar_warning());
    if (rc != NC_NOERR)
        return -1;
    rc = nc_inq_varid(nc, var, &v);
    if (rc == NC_NOERR && (rc = nc_get_var_int(nc, v, data)) != NC_NOERR)
        snprintf(said, 2000, "%s", cellar_error());
    nc_close(nc);
    return rc == NC_NOERR ? data[0] : -1;
}

/* What lies outside is neither read nor written; the sentence says how it can be. */
static void check_leaving(const char *target, const char *link, bool follow, int want)
{
    char said[2000];
    int got;

    make_store("t.zarr", 100);
    if (strcmp(link, "w") != 0)
        remove_tree(scratch("t.zarr/%s", link));
    MUST(symlink(target, scratch("t.zarr/%s", link)) == 0);
    setenv("CELLAR_FOLLOW_LINKS", follow ? "1" : "0", 1);
    got = first_of("t.zarr", *link == 'w' ? "w" : "v", said);
    setenv("CELLAR_FOLLOW_LINKS", "0", 1);
    if (got != want || (want == -1 && !strstr(said, "CELLAR_FOLLOW_LINKS=1")))
        fprintf(stderr, "%s -> %s: %d, should be %d: %s\n", link, target, got, want, said);
    MUST(got == want && (want != -1 || strstr(said, "CELLAR_FOLLOW_LINKS=1")));
}

/* Through a folder that a link replaced after the store was opened. */
static void check_writing(void)
{
    int nc, v, data[N] = {7, 7, 7, 7}, rc;
    char said[2000];

    make_store("t.zarr", 100);
    make_store("out.zarr", 200);
    MUST(nc_open(scratch("t.zarr"), NC_WRITE, &nc) == NC_NOERR && nc_inq_varid(nc, "v", &v) == NC_NOERR);
    MUST(rename(scratch("t.zarr/v"), scratch("old-v")) == 0 && symlink("../out.zarr/v", scratch("t.zarr/v")) == 0);
    rc = nc_put_var_int(nc, v, data);
    rc = nc_close(nc) != NC_NOERR ? NC_EPERM : rc;
    MUST(rc != NC_NOERR);
    MUST(first_of("out.zarr", "v", said) == 200);
}

int main(void)
{
    char said[2000];

    scratch_make();
    make_store("out.zarr", 200);
    check_leaving("../out.zarr/v", "v", false, -1);
    check_leaving(scratch("out.zarr/v"), "v", false, -1);
    check_leaving("../../out.zarr/v/0", "v/0", false, -1);
    check_leaving("../../out.zarr/v/.zarray", "v/.zarray", false, -1);
    check_leaving("../out.zarr/v", "v", true, 200);
    check_leaving("../../out.zarr/v/0", "v/0", true, 200);
    check_leaving("v", "w", false, 100);
    check_leaving("./v/../v", "w", false, 100);
    make_store("t.zarr", 100);
    MUST(symlink("t.zarr", scratch("root.zarr")) == 0 && first_of("root.zarr", "v", said) == 100);
    check_writing();
    return 0;
}
