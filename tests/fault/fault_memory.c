/* SPDX-License-Identifier: BSD-3-Clause */
/* fault_memory CONTAINER [EVERY]: the n-th allocation fails, for all (or every EVERY-th) n, over a script that uses the whole data
 * model: the call it happens in answers NC_ENOMEM with a sentence, the dataset can
 * be closed, and (under a sanitizer) nothing is left behind or touched wrongly. */
#include "mem.h"
#include "common/tree.h"
#include <cellar.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USER_TYPES = 1, GROUPS = 2, STRINGS = 4, FILTERS = 8 };
static const struct container {
    const char *name, *path;
    int flags;
    unsigned keeps;
} containers[] = {
    {"netcdf4", "%s/t.nc", NC_NETCDF4, USER_TYPES | GROUPS | STRINGS | FILTERS},
    {"nczarr", "file://%s/t.zarr#mode=nczarr,file", NC_NETCDF4, GROUPS | STRINGS | FILTERS},
    {"zarr-v3", "file://%s/t.zarr#mode=nczarr,v3", NC_NETCDF4, GROUPS | STRINGS | FILTERS},
    {"classic", "%s/t.nc", 0, 0},
};
static const struct container *here;
static char folder[64], path[256];
static const char *failed_call;
static char sentence[1024];

static int noted(int rc, const char *call)
{
    if (rc != NC_NOERR) {
        failed_call = call;
        snprintf(sentence, sizeof sentence, "%s", cellar_error());
    }
    return rc;
}

/* The first call that fails ends the script. */
#define THEN(call) \
    if (rc == NC_NOERR) \
    rc = noted((call), #call)

enum { N = 60 };

static bool keeps(unsigned what)
{
    return (here->keeps & what) == what;
}

static int group_named(int nc, const char *name, int *group)
{
    *group = nc;
    return keeps(GROUPS) ? nc_inq_grp_ncid(nc, name, group) : NC_NOERR;
}

static int define_types(int nc, nc_type *compound)
{
    const int one = 1;
    nc_type e, row;
    int rc = NC_NOERR, v;
    nc_vlen_t values[2] = {{1, (void *)&one}, {0, NULL}};

    THEN(nc_def_compound(nc, 16, "pair", compound));
    THEN(nc_insert_compound(nc, *compound, "a", 0, NC_INT));
    THEN(nc_insert_array_compound(nc, *compound, "b", 4, NC_SHORT, 1, (int[]){3}));
    THEN(nc_def_enum(nc, NC_INT, "number", &e));
    THEN(nc_insert_enum(nc, e, "one", &one));
    THEN(nc_def_vlen(nc, "row", NC_INT, &row));
    THEN(nc_put_att(nc, NC_GLOBAL, "enumerated", e, 1, &one));
    THEN(nc_put_att(nc, NC_GLOBAL, "rows", row, 2, values));
    THEN(nc_def_var(nc, "pairs", *compound, 0, NULL, &v));
    return rc;
}

static int define(int nc, int *group)
{
    const char *words[] = {"sea", "land"};
    const float fill = -9;
    int rc = NC_NOERR, x = 0, t = 0, v = 0, dims[2];

    *group = nc;
    if (keeps(GROUPS))
        THEN(nc_def_grp(nc, "g", group));
    THEN(nc_def_dim(*group, "t", NC_UNLIMITED, &t));
    THEN(nc_def_dim(nc, "x\xc3\xa9", N, &x));
    dims[0] = t;
    dims[1] = x;
    THEN(nc_def_var(*group, "t", NC_DOUBLE, 1, &t, &v));
    THEN(nc_def_var(*group, "v", NC_FLOAT, 2, dims, &v));
    THEN(nc_def_var_fill(*group, v, NC_FILL, &fill));
    if (keeps(FILTERS)) {
        THEN(nc_def_var_chunking(*group, v, NC_CHUNKED, (size_t[]){2, 25}));
        THEN(nc_def_var_deflate(*group, v, 1, 1, 1));
        THEN(nc_def_var_fletcher32(*group, v, NC_FLETCHER32));
    }
    THEN(nc_def_var(*group, "s", keeps(STRINGS) ? NC_STRING : NC_CHAR, 1, &x, &v));
    THEN(nc_def_var(*group, "p", NC_SHORT, 1, &x, &v));
    if (keeps(STRINGS))
        THEN(nc_put_att_string(*group, v, "words", 2, words));
    THEN(nc_put_att_text(nc, NC_GLOBAL, "title", 5, "title"));
    THEN(nc_put_att_int(nc, NC_GLOBAL, "gone", NC_INT, 1, (int[]){7}));
    return rc;
}

static int put(int g)
{
    float values[4 * N];
    const char *words[N];
    int rc = NC_NOERR, numbers[N];

    for (int i = 0; i < 4 * N; i++)
        values[i] = (float)i;
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        words[i] = i % 2 ? "odd" : "even";
    }
    THEN(nc_put_vara_float(g, 1, (size_t[]){0, 0}, (size_t[]){4, N}, values));
    THEN(nc_put_vars_float(g, 1, (size_t[]){4, 1}, (size_t[]){1, 10}, (ptrdiff_t[]){1, 3}, values));
    THEN(nc_put_vara_float(g, 0, (size_t[]){0}, (size_t[]){5}, values));
    if (keeps(STRINGS))
        THEN(nc_put_var_string(g, 2, words));
    THEN(nc_put_var_int(g, 3, numbers));
    return rc;
}

static int change(int nc)
{
    int rc = NC_NOERR, g = -1, x = -1;

    THEN(group_named(nc, "g", &g));
    THEN(nc_inq_dimid(nc, "x\xc3\xa9", &x));
    if (rc == NC_NOERR)
        nc_redef(nc); /* needed in classic files, harmless elsewhere */
    THEN(nc_rename_dim(nc, x, "y"));
    THEN(nc_rename_var(g, 3, "plain"));
    THEN(nc_rename_att(nc, NC_GLOBAL, "title", "name"));
    THEN(nc_del_att(nc, NC_GLOBAL, "gone"));
    THEN(nc_put_att_text(g, 3, "units", 1, "m"));
    THEN(nc_enddef(nc));
    THEN(nc_put_var1_float(g, 1, (size_t[]){6, 3}, (float[]){5}));
    THEN(nc_sync(nc));
    return rc;
}

static int look(int nc)
{
    int rc = NC_NOERR, g = -1, n = 0;
    char name[NC_MAX_NAME + 1], *words[N] = {0}, *text[2] = {0};
    float values[7 * N];
    short numbers[N];
    nc_type type;

    THEN(group_named(nc, "g", &g));
    THEN(nc_inq_nvars(g, &n));
    for (int v = 0; v < n; v++) {
        THEN(nc_inq_varname(g, v, name));
        THEN(nc_inq_vartype(g, v, &type));
    }
    THEN(nc_get_vara_float(g, 1, (size_t[]){0, 0}, (size_t[]){7, N}, values));
    THEN(nc_get_var_short(g, 3, numbers));
    if (keeps(STRINGS)) {
        THEN(nc_get_var_string(g, 2, words));
        if (rc == NC_NOERR)
            nc_free_string(N, words);
        THEN(nc_get_att_string(g, 3, "words", text));
        if (rc == NC_NOERR)
            nc_free_string(2, text);
    }
    if (rc == NC_NOERR && (values[10] != 10 || values[6 * N + 3] != 5 || values[5 * N] != -9 || numbers[9] != 9)) {
        rc = noted(NC_EINVAL, "the values read back");
    }
    return rc;
}

/* The answer of the first call that failed; a dataset that is open is closed whatever happened. Definitions that the failure
 * left half made keep it open, as in netCDF-C: it can be given up then. */
static int closed(int nc, int rc)
{
    int at_close = nc_close(nc);

    if (rc == NC_NOERR)
        return noted(at_close, "nc_close");
    if (at_close != NC_NOERR && nc_inq(nc, NULL, NULL, NULL, NULL) == NC_NOERR && nc_abort(nc) != NC_NOERR)
        return noted(NC_EINVAL, "nc_abort");
    return rc;
}

static int script(void)
{
    int rc = NC_NOERR, nc, g = -1;
    nc_type compound;

    THEN(nc_create(path, here->flags | NC_CLOBBER, &nc));
    if (rc != NC_NOERR)
        return rc;
    rc = define(nc, &g);
    if (rc == NC_NOERR && keeps(USER_TYPES))
        rc = define_types(nc, &compound);
    THEN(nc_enddef(nc));
    if (rc == NC_NOERR)
        rc = put(g);
    rc = closed(nc, rc);
    THEN(nc_open(path, NC_WRITE, &nc));
    if (rc != NC_NOERR)
        return rc;
    rc = closed(nc, change(nc));
    THEN(nc_open(path, NC_NOWRITE, &nc));
    return rc == NC_NOERR ? closed(nc, look(nc)) : rc;
}

static int run(long every)
{
    int rc, wrong = 0, borne = 0;
    long nth, left = 0, failed = 0;

    if (script() != NC_NOERR) { /* what is made once for the process is made now */
        fprintf(stderr, "without any failure: %s: %s\n", failed_call, sentence);
        return 1;
    }
    for (nth = 1; left <= 0; nth += every, failed++) {
        sentence[0] = '\0';
        cel_mem_fail_at(nth);
        rc = script();
        left = cel_mem_fail_at(0);
        if (rc == NC_NOERR) {
            borne++; /* what could not be had was not needed: the values are right */
        } else if (rc != NC_ENOMEM || !sentence[0]) {
            fprintf(stderr, "allocation %ld: %s: %d (%s): %s\n", nth, failed_call, rc, nc_strerror(rc), sentence);
            wrong++;
        }
    }
    printf("%ld allocations, each failed once: %d times nothing else did, %d answers were not NC_ENOMEM\n", failed - 1,
           borne - 1, wrong);
    return wrong > 0 || rc != NC_NOERR || nth < 100;
}

int main(int argc, char **argv)
{
    int failed;

    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (argc > 1 && strcmp(containers[i].name, argv[1]) == 0)
            here = &containers[i];
    /* Where there is a file system in memory, syncs cost nothing. */
    snprintf(folder, sizeof folder, "%s/cellar-fault-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!here || !mkdtemp(folder))
        return 2;
    snprintf(path, sizeof path, here->path, folder);
    failed = run(argc > 2 ? atol(argv[2]) : 1);
    remove_tree(folder);
    return failed;
}
