/* SPDX-License-Identifier: BSD-3-Clause */
/* One operation on a Zarr store, timed: writes a field as a new store, or reads one
 * into memory that is there. Prints the seconds of each repeat.
 *
 *   bench_zarr write|read FIELD SHAPE CHUNKS SHARDS FILTERS URL REPEAT
 *
 * FIELD: raw floats, native byte order. SHAPE, CHUNKS and SHARDS ("": none): 48x721x1440. */
#include "bench.h"
#include <cellar.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DIMS 3

struct field {
    char *data, *room;
    size_t nbytes, shape[DIMS], chunk[DIMS], shard[DIMS];
    int sharded;
    const char *filters, *url;
};

static int parse_shape(const char *text, size_t *out)
{
    return sscanf(text, "%zux%zux%zu", &out[0], &out[1], &out[2]) == DIMS;
}

static void load_field(struct field *f, const char *path)
{
    FILE *in = fopen(path, "rb");

    f->nbytes = f->shape[0] * f->shape[1] * f->shape[2] * sizeof(float);
    f->data = malloc(f->nbytes);
    f->room = malloc(f->nbytes);
    if (!in || !f->data || !f->room || fread(f->data, 1, f->nbytes, in) != f->nbytes) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    memset(f->room, 1, f->nbytes); /* its pages are there before the clock starts */
    fclose(in);
}

static void write_store(const struct field *f)
{
    static const char *const names[DIMS] = {"time", "lat", "lon"};
    int nc, var, dim[DIMS];

    check(nc_create(f->url, NC_NETCDF4 | NC_CLOBBER, &nc), f->url);
    for (int d = 0; d < DIMS; d++)
        check(nc_def_dim(nc, names[d], f->shape[d], &dim[d]), "dimension");
    check(nc_def_var(nc, "field", NC_FLOAT, DIMS, dim, &var), "variable");
    check(nc_def_var_chunking(nc, var, NC_CHUNKED, f->chunk), "chunking");
    check(nc_def_var_fill(nc, var, NC_FILL, &(float){0}), "fill");
    check(cellar_def_var_chain(nc, var, f->filters), f->filters);
    if (f->sharded)
        check(cellar_def_var_shards(nc, var, f->shard), "shards");
    check(nc_enddef(nc), "enddef");
    check(nc_put_var(nc, var, f->data), "put");
    check(nc_close(nc), "close");
}

static void read_store(const struct field *f)
{
    int nc, var;

    check(nc_open(f->url, NC_NOWRITE, &nc), f->url);
    check(nc_inq_varid(nc, "field", &var), "variable");
    check(nc_get_var(nc, var, f->room), "get");
    check(nc_close(nc), "close");
}

int main(int argc, char **argv)
{
    struct field f = {0};
    int reads;

    if (argc != 9 || !parse_shape(argv[3], f.shape) || !parse_shape(argv[4], f.chunk)) {
        fprintf(stderr, "usage: %s write|read FIELD SHAPE CHUNKS SHARDS FILTERS URL REPEAT\n", argv[0]);
        return 2;
    }
    reads = strcmp(argv[1], "read") == 0;
    f.sharded = parse_shape(argv[5], f.shard);
    f.filters = argv[6];
    f.url = argv[7];
    load_field(&f, argv[2]);
    for (int i = atoi(argv[8]); i > 0; i--) {
        double start = now();
        if (reads)
            read_store(&f);
        else
            write_store(&f);
        printf("%.6f\n", now() - start);
    }
    if (reads && memcmp(f.data, f.room, f.nbytes) != 0) {
        fprintf(stderr, "%s: what was read is not the field\n", f.url);
        return 1;
    }
    free(f.data);
    free(f.room);
    return 0;
}
