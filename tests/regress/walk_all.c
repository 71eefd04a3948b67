/* SPDX-License-Identifier: BSD-3-Clause */
/* walk_all PATH...: opens each file and asks for everything it has but data; prints the most memory it took, in bytes. */
#include <cellar.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int rc)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "walk_all: %s\n", cellar_error());
    exit(1);
}

static int *room_for(int n)
{
    int *ids = malloc(((size_t)n + 1) * sizeof *ids);

    if (!ids)
        exit(1);
    return ids;
}

static void walk_atts(int group, int var, int natts)
{
    char name[NC_MAX_NAME + 1];
    nc_type type;
    size_t n;

    for (int i = 0; i < natts; i++) {
        must(nc_inq_attname(group, var, i, name));
        must(nc_inq_att(group, var, name, &type, &n));
    }
}

static void walk_dims(int group, int n)
{
    char name[NC_MAX_NAME + 1];
    int *ids = room_for(n), found;
    size_t len;

    must(nc_inq_dimids(group, &n, ids, 0));
    for (int i = 0; i < n; i++) {
        must(nc_inq_dim(group, ids[i], name, &len));
        must(nc_inq_dimid(group, name, &found));
    }
    free(ids);
}

static void walk_vars(int group, int n)
{
    static int dims[NC_MAX_VAR_DIMS];
    char name[NC_MAX_NAME + 1];
    int ndims, natts, found;
    nc_type type;

    for (int i = 0; i < n; i++) {
        must(nc_inq_var(group, i, name, &type, &ndims, dims, &natts));
        must(nc_inq_varid(group, name, &found));
        walk_atts(group, i, natts);
    }
}

static void walk_types(int group)
{
    char name[NC_MAX_NAME + 1];
    int n, *ids;
    size_t size;

    must(nc_inq_typeids(group, &n, NULL));
    ids = room_for(n);
    must(nc_inq_typeids(group, &n, ids));
    for (int i = 0; i < n; i++)
        must(nc_inq_type(group, ids[i], name, &size));
    free(ids);
}

static void walk_group(int group)
{
    int ndims, nvars, natts, ngroups, *ids;
    char *name, *reason;
    int nbad;

    must(nc_inq(group, &ndims, &nvars, &natts, NULL));
    walk_atts(group, NC_GLOBAL, natts);
    walk_dims(group, ndims);
    walk_vars(group, nvars);
    walk_types(group);
    must(cellar_inq_nunreadable(group, &nbad));
    for (int i = 0; i < nbad; i++) {
        must(cellar_inq_unreadable(group, i, &name, &reason));
        cellar_free(name);
        cellar_free(reason);
    }
    must(nc_inq_grps(group, &ngroups, NULL));
    ids = room_for(ngroups);
    must(nc_inq_grps(group, &ngroups, ids));
    for (int i = 0; i < ngroups; i++)
        walk_group(ids[i]);
    free(ids);
}

/* Of this program alone: what getrusage tells begins with its parent. */
static long most_kilobytes(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;

    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmHWM: %ld", &kilobytes);
    if (f)
        fclose(f);
    return kilobytes;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int ncid;

        must(nc_open(argv[i], NC_NOWRITE, &ncid));
        walk_group(ncid);
        must(nc_close(ncid));
    }
    printf("%ld\n", most_kilobytes() * 1024);
    return 0;
}
