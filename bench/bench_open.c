/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening a file and looking at what it holds: what a program does that wants little of a big file. Built against Cellar
 * and against netCDF-C; run_open.py runs all in turns.
 *
 *   bench_open make FILE GROUPS VARIABLES ATTRIBUTES    so many groups (0: only the root) with so many variables each
 *   bench_open WHAT FILE VARIABLE REPEATS               prints one line for each repeat
 *
 *   few       microseconds: open, read every variable and every attribute, close
 *   one       microseconds: open, read that variable (GROUP/NAME), close
 *   all       microseconds: open, name, type, dimensions and attributes of every variable, close
 *   memory    KiB that the process grew by in `all`, before closing
 *   chunk     microseconds: open, read one chunk in the middle of that variable, close
 *   callers1  microseconds: one thread reads 4 variables of an open file
 *   callers4  microseconds: 4 threads read one each */
#include "bench.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define OK(call) check((call), #call)
enum { CALLERS = 4, CALLER_ROWS = 64, CALLER_VALUES = 1 << 16 };

/* --- making ---------------------------------------------------------------------------------- */

static void define_variables(int nc, const int *dims, int nvars, int natts)
{
    char name[64];
    int var;

    for (int i = 0; i < nvars; i++) {
        snprintf(name, sizeof name, "variable_%d", i);
        OK(nc_def_var(nc, name, NC_FLOAT, 4, dims, &var));
        for (int k = 0; k < natts; k++) {
            snprintf(name, sizeof name, "attribute_%d", k);
            OK(nc_put_att_text(nc, var, name, 12, "some meaning"));
        }
    }
}

static void define(int nc, int ngroups, int nvars, int natts)
{
    int dims[4], var, group;
    char name[64];

    OK(nc_def_dim(nc, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(nc, "level", 4, &dims[1]));
    OK(nc_def_dim(nc, "lat", 8, &dims[2]));
    OK(nc_def_dim(nc, "lon", 16, &dims[3]));
    OK(nc_def_var(nc, "time", NC_DOUBLE, 1, dims, &var));
    OK(nc_def_var(nc, "lat", NC_DOUBLE, 1, dims + 2, &var));
    OK(nc_def_var(nc, "lon", NC_DOUBLE, 1, dims + 3, &var));
    if (ngroups == 0)
        define_variables(nc, dims, nvars, natts);
    for (int i = 0; i < ngroups; i++) {
        snprintf(name, sizeof name, "group_%d", i);
        OK(nc_def_grp(nc, name, &group));
        define_variables(group, dims, nvars, natts);
    }
}

/* Its first record, where it has four dimensions. */
static void write_variables(int group)
{
    size_t start[4] = {0, 0, 0, 0}, count[4] = {1, 4, 8, 16};
    int nvars, ndims;
    float values[512];

    for (int i = 0; i < 512; i++)
        values[i] = (float)i;
    OK(nc_inq_nvars(group, &nvars));
    for (int var = 0; var < nvars; var++) {
        OK(nc_inq_varndims(group, var, &ndims));
        if (ndims == 4)
            OK(nc_put_vara_float(group, var, start, count, values));
    }
}

static int *groups_of(int nc, int *n)
{
    int *ids;

    OK(nc_inq_grps(nc, n, NULL));
    ids = calloc((size_t)*n + 1, sizeof *ids);
    if (!ids)
        exit(1);
    OK(nc_inq_grps(nc, n, ids));
    ids[(*n)++] = nc;
    return ids;
}

static void make(const char *path, int ngroups, int nvars, int natts)
{
    int nc, n, *group;

    OK(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc));
    define(nc, ngroups, nvars, natts);
    OK(nc_enddef(nc));
    group = groups_of(nc, &n);
    for (int i = 0; i < n; i++)
        write_variables(group[i]);
    free(group);
    OK(nc_close(nc));
}

/* --- looking ----------------------------------------------------------------------------------- */

static int open_it(const char *path)
{
    int nc;

    OK(nc_open(path, NC_NOWRITE, &nc));
    return nc;
}

static size_t length_of(int nc, int var)
{
    int ndims, dims[NC_MAX_VAR_DIMS];
    size_t all = 1, n;

    OK(nc_inq_var(nc, var, NULL, NULL, &ndims, dims, NULL));
    for (int i = 0; i < ndims; i++) {
        OK(nc_inq_dimlen(nc, dims[i], &n));
        all *= n;
    }
    return all;
}

static void read_attributes(int nc, int var, int natts)
{
    char name[NC_MAX_NAME + 1], value[4096];
    nc_type type;
    size_t n;

    for (int k = 0; k < natts; k++) {
        OK(nc_inq_attname(nc, var, k, name));
        OK(nc_inq_att(nc, var, name, &type, &n));
        if (n <= sizeof value / 8)
            OK(nc_get_att(nc, var, name, value));
    }
}

static void few(const char *path, const char *name)
{
    static double values[1 << 16];
    int nc = open_it(path), nvars, natts;

    (void)name;
    OK(nc_inq_nvars(nc, &nvars));
    for (int var = 0; var < nvars; var++) {
        OK(nc_inq_varnatts(nc, var, &natts));
        read_attributes(nc, var, natts);
        if (length_of(nc, var) <= sizeof values / sizeof *values)
            OK(nc_get_var_double(nc, var, values));
    }
    OK(nc_close(nc));
}

/* The variable, in the root group or in one below it. */
static int find(int nc, const char *path, int *var)
{
    const char *slash = strchr(path, '/');
    char name[64];

    if (slash) {
        snprintf(name, sizeof name, "%.*s", (int)(slash - path), path);
        OK(nc_inq_grp_ncid(nc, name, &nc));
    }
    OK(nc_inq_varid(nc, slash ? slash + 1 : path, var));
    return nc;
}

static void one(const char *path, const char *name)
{
    static float values[512];
    int nc = open_it(path), var, group = find(nc, name, &var);

    OK(nc_get_var_float(group, var, values));
    OK(nc_close(nc));
    if (values[511] != 511)
        exit(1);
}

static void inquire(int group)
{
    char name[NC_MAX_NAME + 1];
    int nvars, ndims, dims[NC_MAX_VAR_DIMS], natts;
    nc_type type;
    size_t n;

    OK(nc_inq_nvars(group, &nvars));
    for (int var = 0; var < nvars; var++) {
        OK(nc_inq_var(group, var, name, &type, &ndims, dims, &natts));
        for (int i = 0; i < ndims; i++)
            OK(nc_inq_dim(group, dims[i], name, &n));
        read_attributes(group, var, natts);
    }
}

static int inquire_all(const char *path)
{
    int nc = open_it(path), n, *group = groups_of(nc, &n);

    for (int i = 0; i < n; i++)
        inquire(group[i]);
    free(group);
    return nc;
}

static void all(const char *path, const char *name)
{
    (void)name;
    OK(nc_close(inquire_all(path)));
}

static void chunk(const char *path, const char *name)
{
    static int values[64];
    size_t start[2] = {0, 0}, count[2] = {1, 1};
    int nc = open_it(path), var, ndims, dims[2];

    OK(nc_inq_varid(nc, name, &var));
    OK(nc_inq_var(nc, var, NULL, NULL, &ndims, dims, NULL));
    for (int i = 0; i < ndims; i++) {
        OK(nc_inq_dimlen(nc, dims[i], &start[i]));
        start[i] = start[i] / 2 + start[i] / 7;
    }
    OK(nc_get_vara_int(nc, var, start, count, values));
    OK(nc_close(nc));
    if (values[0] != 7)
        exit(1);
}

/* --- several callers ------------------------------------------------------------------------------ */

struct caller {
    int nc, first, n; /* variables */
    float *values;
};

static void *call(void *arg)
{
    const struct caller *c = arg;

    for (int var = c->first; var < c->first + c->n; var++)
        OK(nc_get_var_float(c->nc, var, c->values));
    return NULL;
}

static void read_by(const char *path, int callers)
{
    struct caller c[CALLERS];
    pthread_t thread[CALLERS];
    int nc = open_it(path);
    double t;

    for (int i = 0; i < callers; i++) {
        c[i] = (struct caller){nc, i * (CALLERS / callers), CALLERS / callers, NULL};
        c[i].values = calloc((size_t)CALLER_ROWS * CALLER_VALUES, sizeof(float));
        memset(c[i].values, 1, (size_t)CALLER_ROWS * CALLER_VALUES * sizeof(float));
    }
    t = now();
    for (int i = 1; i < callers; i++)
        if (pthread_create(&thread[i], NULL, call, &c[i]) != 0)
            exit(1);
    call(&c[0]);
    for (int i = 1; i < callers; i++)
        pthread_join(thread[i], NULL);
    printf("%.1f\n", (now() - t) * 1e6);
    for (int i = 0; i < callers; i++)
        free(c[i].values);
    OK(nc_close(nc));
}

/* --- the rows --------------------------------------------------------------------------------------- */

static void repeat(void (*what)(const char *, const char *), const char *path, const char *name, int repeats)
{
    for (int i = 0; i <= repeats; i++) {
        double t = now();

        what(path, name);
        if (i > 0) /* the first one also starts libhdf5 */
            printf("%.1f\n", (now() - t) * 1e6);
    }
}

static long kib(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long total, resident;

    if (!f || fscanf(f, "%ld %ld", &total, &resident) != 2)
        exit(1);
    fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void grow(const char *path)
{
    long before = kib();
    int nc = inquire_all(path);

    printf("%ld\n", kib() - before);
    OK(nc_close(nc));
}

static const struct {
    const char *name;
    void (*run)(const char *, const char *);
} whats[] = {{"few", few}, {"one", one}, {"all", all}, {"chunk", chunk}};

int main(int argc, char **argv)
{
    int repeats = argc == 5 ? atoi(argv[4]) : 0;

    if (argc == 6 && strcmp(argv[1], "make") == 0) {
        make(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
        return 0;
    }
    if (argc != 5)
        return 1;
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++)
        if (strcmp(argv[1], whats[i].name) == 0)
            repeat(whats[i].run, argv[2], argv[3], repeats);
    for (int i = 0; strncmp(argv[1], "callers", 7) == 0 && i < repeats; i++)
        read_by(argv[2], atoi(argv[1] + 7));
    if (strcmp(argv[1], "memory") == 0)
        grow(argv[2]);
    return 0;
}
