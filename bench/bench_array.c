/* SPDX-License-Identifier: BSD-3-Clause */
/* One operation on one field, timed. The same source is compiled against Cellar and
 * against each netCDF-C to compare with. Prints one line of JSON.
 *
 *   bench_array_X OP FIELD TYPE SHAPE CHUNKS FILTER FILE [REPEAT]
 *   bench_array_X version
 *
 * OP: write, read, read_fresh, write_steps, read_steps, point, slab; or floor: what one
 * pwrite of the values takes, without a library. FIELD: raw values, native byte order. SHAPE
 * and CHUNKS: 48x721x1440. FILTER: contiguous, none, deflate1, deflate5 or zstd3. Reading
 * operations read FILE; the result is compared with FIELD. */
#include "bench.h"
#include "common/memory.h"
#include <fcntl.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DIMS 3

struct field {
    char *data, *room; /* the field, and memory to read into */
    size_t nbytes, elem;
    nc_type type;
    size_t shape[DIMS], chunk[DIMS];
    const char *filter, *file;
};

/* --- the field ------------------------------------------------------------- */

static void parse_shape(const char *text, size_t *out)
{
    if (sscanf(text, "%zux%zux%zu", &out[0], &out[1], &out[2]) != DIMS) {
        fprintf(stderr, "shape %s: three lengths are needed\n", text);
        exit(2);
    }
}

static void load_field(struct field *f, const char *path)
{
    FILE *in = fopen(path, "rb");

    f->nbytes = f->shape[0] * f->shape[1] * f->shape[2] * f->elem;
    f->data = malloc(f->nbytes);
    f->room = malloc(f->nbytes);
    if (!in || !f->data || !f->room || fread(f->data, 1, f->nbytes, in) != f->nbytes) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    memset(f->room, 1, f->nbytes); /* its pages are there before the clock starts */
    fclose(in);
}

/* --- operations: each from open or create to close ------------------------------ */

static void def_filter(int nc, int var, const char *filter)
{
    unsigned level;

    if (sscanf(filter, "deflate%u", &level) == 1) {
        check(nc_def_var_deflate(nc, var, 1, 1, (int)level), "deflate");
    } else if (sscanf(filter, "zstd%u", &level) == 1) {
        check(nc_def_var_deflate(nc, var, 1, 0, 0), "shuffle");
        check(nc_def_var_filter(nc, var, 32015, 1, &level), "zstd");
    }
}

static bool is_contiguous(const struct field *f)
{
    return strcmp(f->filter, "contiguous") == 0;
}

static int create(const struct field *f, int *var)
{
    static const char *const names[DIMS] = {"time", "lat", "lon"};
    int nc, dim[DIMS];

    check(nc_create(f->file, NC_NETCDF4 | NC_CLOBBER, &nc), f->file);
    for (int d = 0; d < DIMS; d++)
        check(nc_def_dim(nc, names[d], d || is_contiguous(f) ? f->shape[d] : NC_UNLIMITED, &dim[d]), "dimension");
    check(nc_def_var(nc, "field", f->type, DIMS, dim, var), "variable");
    check(nc_def_var_chunking(nc, *var, is_contiguous(f) ? NC_CONTIGUOUS : NC_CHUNKED, f->chunk), "chunking");
    def_filter(nc, *var, f->filter);
    check(nc_enddef(nc), "enddef");
    return nc;
}

static void write_whole(struct field *f)
{
    size_t start[DIMS] = {0};
    int var, nc = create(f, &var);

    check(nc_put_vara(nc, var, start, f->shape, f->data), "put");
    check(nc_close(nc), "close");
}

static void write_steps(struct field *f)
{
    size_t start[DIMS] = {0}, count[DIMS] = {1, f->shape[1], f->shape[2]}, step = f->nbytes / f->shape[0];
    int var, nc = create(f, &var);

    for (start[0] = 0; start[0] < f->shape[0]; start[0]++)
        check(nc_put_vara(nc, var, start, count, f->data + start[0] * step), "put");
    check(nc_close(nc), "close");
}

static void read_region(struct field *f, const size_t *start, const size_t *count, size_t per_call)
{
    size_t at[DIMS] = {start[0], start[1], start[2]}, n[DIMS] = {per_call, count[1], count[2]};
    char *out = f->room;
    int nc, var;

    check(nc_open(f->file, NC_NOWRITE, &nc), f->file);
    check(nc_inq_varid(nc, "field", &var), "variable");
    for (; at[0] < start[0] + count[0]; at[0] += per_call) {
        check(nc_get_vara(nc, var, at, n, out), "get");
        out += per_call * count[1] * count[2] * f->elem;
    }
    check(nc_close(nc), "close");
}

static void read_whole(struct field *f)
{
    read_region(f, (size_t[DIMS]){0}, f->shape, f->shape[0]);
}

/* Into memory that nobody has touched, as malloc gives it for so much: 16 bytes behind the beginning of a page. */
static void read_fresh(struct field *f)
{
    enum { HEAD = 16 };
    static char *fresh;

    if (fresh)
        munmap(fresh, f->nbytes + HEAD);
    else
        free(f->room);
    fresh = mmap(NULL, f->nbytes + HEAD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED)
        check(NC_ENOMEM, "memory");
    f->room = fresh + HEAD;
    read_whole(f);
}

static void write_floor(struct field *f)
{
    int fd = open(f->file, O_RDWR | O_CREAT | O_TRUNC, 0666);
    size_t done = 0;

    while (done < f->nbytes) {
        ssize_t n = pwrite(fd, f->data + done, f->nbytes - done, (off_t)done);

        check(n > 0 ? NC_NOERR : NC_EIO, f->file);
        done += (size_t)n;
    }
    close(fd);
}

static void read_steps(struct field *f)
{
    read_region(f, (size_t[DIMS]){0}, f->shape, 1);
}

static void read_point(struct field *f)
{
    size_t start[DIMS] = {0, f->shape[1] / 2, f->shape[2] / 2}, count[DIMS] = {f->shape[0], 1, 1};

    read_region(f, start, count, f->shape[0]);
}

static void read_slab(struct field *f)
{
    size_t start[DIMS] = {f->shape[0] / 2, 0, 0}, count[DIMS] = {1, f->shape[1], f->shape[2]};

    read_region(f, start, count, 1);
}

/* --- was it right? ------------------------------------------------------------------ */

static bool all_equal(const struct field *f)
{
    return memcmp(f->data, f->room, f->nbytes) == 0;
}

static bool point_equal(const struct field *f)
{
    size_t plane = f->shape[1] * f->shape[2], at = f->shape[1] / 2 * f->shape[2] + f->shape[2] / 2;

    for (size_t t = 0; t < f->shape[0]; t++)
        if (memcmp(f->room + t * f->elem, f->data + (t * plane + at) * f->elem, f->elem) != 0)
            return false;
    return true;
}

static bool slab_equal(const struct field *f)
{
    size_t step = f->nbytes / f->shape[0];

    return memcmp(f->room, f->data + f->shape[0] / 2 * step, step) == 0;
}

static const struct op {
    const char *name;
    void (*run)(struct field *f);
    bool (*right)(const struct field *f);
} ops[] = {{"write", write_whole, NULL},          {"write_steps", write_steps, NULL},
           {"read", read_whole, all_equal},       {"read_steps", read_steps, all_equal},
           {"read_fresh", read_fresh, all_equal}, {"point", read_point, point_equal},
           {"slab", read_slab, slab_equal},       {"floor", write_floor, NULL}};

/* What a library loads and initialises once in a process does not count: netCDF-C is linked with libhdf5, which is loaded
 * before main(), and Cellar loads it at the first create. */
static void load_libraries(void)
{
    int nc;

    check(nc_create("unused.nc", NC_NETCDF4 | NC_DISKLESS, &nc), "a file in memory");
    check(nc_close(nc), "a file in memory");
}

static const struct op *find_op(const char *name)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    fprintf(stderr, "no operation %s\n", name);
    exit(2);
}

/* --- memory ---------------------------------------------------------------------------- */

static double cpu_seconds(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

int main(int argc, char **argv)
{
    struct field f = {0};
    const struct op *op;
    struct stat st = {0};
    size_t before;
    int repeat = argc > 8 ? atoi(argv[8]) : 1;
    double start, seconds, cpu;

    if (argc == 2 && strcmp(argv[1], "version") == 0) {
        puts(nc_inq_libvers());
        return 0;
    }
    if (argc < 8) {
        fprintf(stderr, "usage: %s OP FIELD TYPE SHAPE CHUNKS FILTER FILE [REPEAT]\n", argv[0]);
        return 2;
    }
    op = find_op(argv[1]);
    f.type = strcmp(argv[3], "short") == 0 ? NC_SHORT : strcmp(argv[3], "double") == 0 ? NC_DOUBLE : NC_FLOAT;
    f.elem = f.type == NC_SHORT ? 2 : f.type == NC_DOUBLE ? 8 : 4;
    parse_shape(argv[4], f.shape);
    parse_shape(argv[5], f.chunk);
    f.filter = argv[6];
    f.file = argv[7];
    load_field(&f, argv[2]);
    load_libraries();
    before = memory_mark_reset();
    cpu = cpu_seconds();
    start = now();
    for (int i = 0; i < repeat; i++)
        op->run(&f);
    seconds = (now() - start) / repeat;
    cpu = (cpu_seconds() - cpu) / repeat;
    if (op->right && !op->right(&f)) {
        fprintf(stderr, "%s %s: the values read are not those written\n", argv[1], f.file);
        return 1;
    }
    stat(f.file, &st);
    printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"bytes\": %zu, \"file\": %lld, \"extra\": %zu}\n", seconds, cpu,
           f.nbytes, (long long)st.st_size, memory_line("VmHWM:") - before);
    return 0;
}
