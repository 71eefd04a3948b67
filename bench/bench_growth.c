/* SPDX-License-Identifier: BSD-3-Clause */
/* One thing many times: bench_growth KIND FORMAT write|read N PATH. Prints the processor time of that in microseconds, all threads
 * together, and by how many KiB the process grew at most. run_growth.py and run_small.py choose the numbers.
 *
 *   FORMAT  netcdf4, classic (CDF-5), zarr */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    CHUNK = 1024,
    BLOCK = 256 * CHUNK,
    VALUES = 4,
    RECORD_VARS = 100,
    SMALL_VARS = 20,
    FILE_NAME = 4096
}; /* chunks of 4 KiB */

#define OK(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, nc_strerror(rc_)); \
            exit(1); \
        } \
    } while (0)

struct run {
    const char *path;
    int mode;
    size_t n;
};

static int create(const struct run *run)
{
    int nc;

    OK(nc_create(run->path, run->mode | NC_CLOBBER, &nc));
    OK(nc_set_fill(nc, NC_NOFILL, NULL));
    return nc;
}

static int open_it(const struct run *run)
{
    int nc;

    OK(nc_open(run->path, NC_NOWRITE, &nc));
    return nc;
}

/* --- chunks of 4 KiB of one variable, in requests of 256 -------------------------------------------- */

static void each_block(const struct run *run, int nc, int (*move)(int, int, const size_t *, const size_t *, float *))
{
    size_t all = run->n * CHUNK;
    float *values = calloc(BLOCK, sizeof *values);

    for (size_t start = 0, count; start < all; start += count) {
        count = all - start < BLOCK ? all - start : BLOCK;
        OK(move(nc, 0, &start, &count, values));
    }
    free(values);
}

static int put_block(int nc, int var, const size_t *start, const size_t *count, float *values)
{
    return nc_put_vara_float(nc, var, start, count, values);
}

static void define_chunked(const struct run *run, int nc)
{
    size_t chunk = CHUNK;
    int dim, var;

    OK(nc_def_dim(nc, "x", run->n * CHUNK, &dim));
    OK(nc_def_var(nc, "v", NC_FLOAT, 1, &dim, &var));
    if (run->mode & NC_NETCDF4)
        OK(nc_def_var_chunking(nc, var, NC_CHUNKED, &chunk));
    OK(nc_enddef(nc));
}

static void write_chunks(const struct run *run)
{
    int nc = create(run);

    define_chunked(run, nc);
    each_block(run, nc, put_block);
    OK(nc_close(nc));
}

static void read_chunks(const struct run *run)
{
    int nc = open_it(run);

    each_block(run, nc, nc_get_vara_float);
    OK(nc_close(nc));
}

/* --- objects: made, and looked at one by one -------------------------------------------------------- */

static void write_variables(const struct run *run)
{
    int nc = create(run), dim, var;
    char name[32];

    OK(nc_def_dim(nc, "x", VALUES, &dim));
    for (size_t i = 0; i < run->n; i++) {
        snprintf(name, sizeof name, "v%zu", i);
        OK(nc_def_var(nc, name, NC_INT, 1, &dim, &var));
    }
    OK(nc_enddef(nc));
    OK(nc_close(nc));
}

static void read_variables(const struct run *run)
{
    int nc = open_it(run), var, type;
    char name[NC_MAX_NAME + 1];

    for (size_t i = 0; i < run->n; i++) {
        snprintf(name, sizeof name, "v%zu", i);
        OK(nc_inq_varid(nc, name, &var));
        OK(nc_inq_vartype(nc, var, &type));
    }
    OK(nc_close(nc));
}

static void write_attributes(const struct run *run)
{
    int nc = create(run), value = 1;
    char name[32];

    for (size_t i = 0; i < run->n; i++) {
        snprintf(name, sizeof name, "a%zu", i);
        OK(nc_put_att_int(nc, NC_GLOBAL, name, NC_INT, 1, &value));
    }
    OK(nc_enddef(nc));
    OK(nc_close(nc));
}

static void read_attributes(const struct run *run)
{
    int nc = open_it(run), value;
    char name[NC_MAX_NAME + 1];

    for (size_t i = 0; i < run->n; i++) {
        OK(nc_inq_attname(nc, NC_GLOBAL, (int)i, name));
        OK(nc_get_att_int(nc, NC_GLOBAL, name, &value));
    }
    OK(nc_close(nc));
}

static void write_attribute_bytes(const struct run *run)
{
    int nc = create(run);
    char *text = malloc(run->n);

    memset(text, 'a', run->n);
    OK(nc_put_att_text(nc, NC_GLOBAL, "long", run->n, text));
    OK(nc_enddef(nc));
    OK(nc_close(nc));
    free(text);
}

static void read_attribute_bytes(const struct run *run)
{
    int nc = open_it(run);
    char *text = malloc(run->n);

    OK(nc_get_att_text(nc, NC_GLOBAL, "long", text));
    OK(nc_close(nc));
    free(text);
}

static void write_groups(const struct run *run)
{
    int nc = create(run), group;
    char name[32];

    for (size_t i = 0; i < run->n; i++) {
        snprintf(name, sizeof name, "g%zu", i);
        OK(nc_def_grp(nc, name, &group));
    }
    OK(nc_enddef(nc));
    OK(nc_close(nc));
}

static void read_groups(const struct run *run)
{
    int nc = open_it(run), group, nvars;
    char name[32];

    for (size_t i = 0; i < run->n; i++) {
        snprintf(name, sizeof name, "g%zu", i);
        OK(nc_inq_grp_ncid(nc, name, &group));
        OK(nc_inq_nvars(group, &nvars));
    }
    OK(nc_close(nc));
}

static void write_dimensions(const struct run *run)
{
    int nc = create(run), dim;
    char name[32];

    for (size_t i = 0; i < run->n; i++) {
        snprintf(name, sizeof name, "d%zu", i);
        OK(nc_def_dim(nc, name, i + 1, &dim));
    }
    OK(nc_enddef(nc));
    OK(nc_close(nc));
}

static void read_dimensions(const struct run *run)
{
    int nc = open_it(run), dim;
    char name[32];
    size_t len;

    for (size_t i = 0; i < run->n; i++) {
        snprintf(name, sizeof name, "d%zu", i);
        OK(nc_inq_dimid(nc, name, &dim));
        OK(nc_inq_dimlen(nc, dim, &len));
    }
    OK(nc_close(nc));
}

/* --- records, one put a record and a variable --------------------------------------------------------- */

static void append(const struct run *run, int nvars, int sync)
{
    int nc = create(run), dims[2], var[RECORD_VARS];
    const size_t chunk[] = {1, CHUNK}, count[] = {1, CHUNK};
    float values[CHUNK] = {0};
    char name[32];

    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(nc, "x", CHUNK, &dims[1]));
    for (int i = 0; i < nvars; i++) {
        snprintf(name, sizeof name, "v%d", i);
        OK(nc_def_var(nc, name, NC_FLOAT, 2, dims, &var[i]));
        if (run->mode & NC_NETCDF4)
            OK(nc_def_var_chunking(nc, var[i], NC_CHUNKED, chunk));
    }
    OK(nc_enddef(nc));
    for (size_t t = 0; t < run->n; t++) {
        const size_t start[] = {t, 0};

        for (int i = 0; i < nvars; i++)
            OK(nc_put_vara_float(nc, var[i], start, count, values));
        if (sync)
            OK(nc_sync(nc));
    }
    OK(nc_close(nc));
}

static void write_records(const struct run *run)
{
    append(run, 1, 0);
}

static void read_records(const struct run *run)
{
    int nc = open_it(run);
    const size_t count[] = {1, CHUNK};
    float values[CHUNK];

    for (size_t t = 0; t < run->n; t++) {
        const size_t start[] = {t, 0};

        OK(nc_get_vara_float(nc, 0, start, count, values));
    }
    OK(nc_close(nc));
}

static void write_synced(const struct run *run)
{
    append(run, RECORD_VARS, 1);
}

/* --- files that are open at the same time ------------------------------------------------------------- */

/* The number stands before what the address says of the format. */
static void name_file(const struct run *run, size_t i, char name[FILE_NAME])
{
    size_t n = strcspn(run->path, "#");

    snprintf(name, FILE_NAME, "%.*s.%zu%s", (int)n, run->path, i, run->path + n);
}

static void write_files(const struct run *run)
{
    char name[FILE_NAME];

    for (size_t i = 0; i < run->n; i++) {
        name_file(run, i, name);
        write_variables(&(struct run){name, run->mode, 1});
    }
}

static void open_files(const struct run *run)
{
    int *nc = malloc(run->n * sizeof *nc);
    char name[FILE_NAME];

    for (size_t i = 0; i < run->n; i++) {
        name_file(run, i, name);
        nc[i] = open_it(&(struct run){name, run->mode, 1});
    }
    for (size_t i = 0; i < run->n; i++)
        OK(nc_close(nc[i]));
    free(nc);
}

/* --- small files, one after the other: of 20 variables, each with five attributes ------------------ */

static void write_small_file(const struct run *run)
{
    static const char *const texts[] = {"units", "long_name", "standard_name", "cell_methods"};
    int nc = create(run), dims[3], var;
    char name[32];

    OK(nc_def_dim(nc, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(nc, "lat", 90, &dims[1]));
    OK(nc_def_dim(nc, "lon", 180, &dims[2]));
    for (int i = 0; i < SMALL_VARS; i++) {
        const double range[] = {-i, i};

        snprintf(name, sizeof name, "variable_%d", i);
        OK(nc_def_var(nc, name, NC_FLOAT, 3, dims, &var));
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            OK(nc_put_att_text(nc, var, texts[k], strlen(name), name));
        OK(nc_put_att_double(nc, var, "valid_range", NC_DOUBLE, 2, range));
    }
    OK(nc_enddef(nc));
    OK(nc_close(nc));
}

static void write_small_files(const struct run *run)
{
    for (size_t i = 0; i < run->n; i++)
        write_small_file(run);
}

/* --- what opening costs, whatever there is ------------------------------------------------------------ */

static void open_only(const struct run *run)
{
    OK(nc_close(open_it(run)));
}

static const struct kind {
    const char *name;
    void (*write)(const struct run *);
    void (*read)(const struct run *);
} kinds[] = {
    {"chunks", write_chunks, read_chunks},
    {"chunks-open", write_chunks, open_only},
    {"variables", write_variables, read_variables},
    {"attributes", write_attributes, read_attributes},
    {"attribute-bytes", write_attribute_bytes, read_attribute_bytes},
    {"groups", write_groups, read_groups},
    {"dimensions", write_dimensions, read_dimensions},
    {"records", write_records, read_records},
    {"records-synced", write_synced, open_only},
    {"files", write_files, open_files},
    {"small-files", write_small_files, open_only},
};

static double microseconds(struct timeval t)
{
    return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

static double processor_time(void)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    return microseconds(used.ru_utime) + microseconds(used.ru_stime);
}

/* The most memory this process ever had, in KiB; ru_maxrss begins with that of the process that started it. */
static long peak(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0;

    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (f)
        fclose(f);
    return kib;
}

static void measure(void (*act)(const struct run *), const struct run *run)
{
    long had = peak();
    double before = processor_time();

    act(run);
    printf("%.0f %ld\n", processor_time() - before, peak() - had);
}

int main(int argc, char **argv)
{
    struct run run;

    if (argc != 6)
        return 2;
    run = (struct run){argv[5], strcmp(argv[2], "classic") == 0 ? NC_64BIT_DATA : NC_NETCDF4,
                       strtoull(argv[4], NULL, 10)};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0) {
            measure(strcmp(argv[3], "write") == 0 ? kinds[i].write : kinds[i].read, &run);
            return 0;
        }
    return 2;
}
