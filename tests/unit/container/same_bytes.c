/* SPDX-License-Identifier: BSD-3-Clause */
/* The same calls with other bytes wherever a program leaves some: in the holes of its structs, on its stack, and
 * (MALLOC_PERTURB_) in fresh memory. same_bytes.py runs it several times and compares the files.
 * usage: same_bytes                        lists the containers
 *        same_bytes CONTAINER FOLDER DIRT  makes files in FOLDER, with DIRT (0..255) in every hole */
#include "same_bytes.h"
#include <cellar.h>
#include <netcdf_mem.h>
#include <alloca.h>

static int dirt;

/* What a call leaves on the stack is another call's holes. */
void dirty_stack(void)
{
    volatile char *room = alloca(1 << 16);
    size_t i;

    for (i = 0; i < 1 << 16; i++)
        room[i] = (char)dirt;
}

void *dirty(size_t nbytes)
{
    void *room = malloc(nbytes);

    if (!room)
        exit(1);
    return memset(room, dirt, nbytes);
}

/* --- what every container takes ---------------------------------------------------- */

static void put_atts(const struct place *p, int var)
{
    int *ints = dirty(3 * sizeof *ints);
    double d = 2.5;
    nc_type type;

    ints[0] = 1, ints[1] = -2, ints[2] = 100;
    for (type = NC_BYTE; type <= p->last; type++) {
        char name[32];

        snprintf(name, sizeof name, "att%d", type);
        if (type == NC_CHAR)
            OK(nc_put_att_text(p->nc, var, name, 5, "words"));
        else if (type == NC_UBYTE || type == NC_USHORT || type == NC_UINT || type == NC_UINT64)
            OK(nc_put_att_double(p->nc, var, name, type, 1, &d));
        else
            OK(nc_put_att_int(p->nc, var, name, type, 3, ints));
    }
    OK(nc_put_att_text(p->nc, var, "empty", 0, ""));
    if (p->strings)
        OK(nc_put_att_string(p->nc, var, "texts", 3, (const char *[]){"one", "", "dr\303\266i"}));
    free(ints);
}

static void define_atomic(const struct place *p, const int *dims)
{
    nc_type type;
    int var;

    for (type = NC_BYTE; type <= p->last; type++) {
        char name[32];

        snprintf(name, sizeof name, "v%d", type);
        OK(nc_def_var(p->nc, name, type, 2, dims, &var));
        put_atts(p, var);
        snprintf(name, sizeof name, "filled%d", type);
        OK(nc_def_var(p->nc, name, type, 1, dims + 1, &var));
        if (type != NC_CHAR)
            OK(nc_put_att_int(p->nc, var, "_FillValue", type, 1, (int[]){7}));
        snprintf(name, sizeof name, "free%d", type);
        OK(nc_def_var(p->nc, name, type, 1, dims + 1, &var));
        OK(nc_def_var_fill(p->nc, var, NC_NOFILL, NULL));
    }
}

/* Every second value of a row, so that the rest is the library's. */
static void put_some(const struct place *p, const char *kind, nc_type type, int rank)
{
    size_t start[2] = {0, 1}, count[2] = {2, 3};
    ptrdiff_t stride[2] = {1, 2};
    char name[32];
    int var;

    snprintf(name, sizeof name, "%s%d", kind, type);
    OK(nc_inq_varid(p->nc, name, &var));
    if (type == NC_CHAR)
        OK(nc_put_vars_text(p->nc, var, start + 2 - rank, count + 2 - rank, stride + 2 - rank, "abcdef"));
    else
        OK(nc_put_vars_int(p->nc, var, start + 2 - rank, count + 2 - rank, stride + 2 - rank,
                           (int[]){1, 2, 3, 4, 5, 6}));
}

static void put_atomic(const struct place *p)
{
    nc_type type;

    for (type = NC_BYTE; type <= p->last; type++) {
        put_some(p, "v", type, 2);
        put_some(p, "filled", type, 1);
        put_some(p, "free", type, 1);
    }
}

static void strings(const struct place *p, const int *dims)
{
    size_t start[2] = {0, 1}, count[2] = {1, 3};
    int var;

    OK(nc_def_var(p->nc, "strings", NC_STRING, 2, dims, &var));
    OK(nc_put_vara_string(p->nc, var, start, count, (const char *[]){"a", "", "longer than the others"}));
}

/* --- filters: what an encoder leaves in its bytes ------------------------------------------ */

static const struct {
    const char *text;
    nc_type type;
} chains[] = {
    {"deflate,5", NC_INT},
    {"shuffle|deflate,5", NC_DOUBLE},
    {"bzip2", NC_FLOAT},
    {"zstd", NC_FLOAT},
    {"lz4", NC_INT},
    {"lz4block", NC_INT},
    {"lzf", NC_FLOAT},
    {"lzma", NC_DOUBLE},
    {"blosc", NC_FLOAT},
    {"bitshuffle", NC_INT},
    {"bitshuffle,0,2", NC_SHORT},
    {"szip,141,8", NC_INT},
    {"fletcher32", NC_FLOAT},
    {"crc32c", NC_INT},
    {"nbit", NC_INT},
    {"scaleoffset", NC_INT},
    {"zfp", NC_FLOAT},
    {"zfp", NC_DOUBLE},
    {"fpzip", NC_FLOAT},
    {"fpzip", NC_DOUBLE},
    {"gzip,5", NC_SHORT},
    {"ndcell|shuffle|deflate,1", NC_INT},
    {"ndmean|deflate,1", NC_FLOAT},
    {"ndlorenzo|deflate,1", NC_SHORT},
    {"bitgroom|deflate,1", NC_FLOAT},
    {"granularbitround|deflate,1", NC_DOUBLE},
    {"bitround|deflate,1", NC_FLOAT},
    {"delta|zstd", NC_INT},
    {"adler32", NC_INT},
};

/* A library that this build lacks is no failure. */
static void filters(const struct place *p, const int *dims)
{
    size_t i, made = 0, chunks[2] = {3, 4};
    double *values = dirty(35 * sizeof *values);
    int k;

    for (k = 0; k < 35; k++)
        values[k] = k * k / 4;
    for (i = 0; i < sizeof chains / sizeof *chains; i++) {
        char name[32];
        int var, rc;

        snprintf(name, sizeof name, "chain%zu", i);
        OK(nc_def_var(p->nc, name, chains[i].type, 2, dims, &var));
        OK(nc_def_var_chunking(p->nc, var, NC_CHUNKED, chunks));
        rc = cellar_def_var_chain(p->nc, var, chains[i].text);
        made += rc == NC_NOERR;
        if (rc != NC_ENOFILTER)
            OK(rc);
        OK(nc_put_vara_double(p->nc, var, (size_t[]){0, 0}, (size_t[]){5, 7}, values));
    }
    free(values);
    if (!made)
        exit(1);
}

static void shards(const struct place *p, const int *dims)
{
    size_t chunks[2] = {3, 4}, shard[2] = {6, 8};
    int var;

    OK(nc_def_var(p->nc, "sharded", NC_INT, 2, dims, &var));
    OK(nc_def_var_chunking(p->nc, var, NC_CHUNKED, chunks));
    OK(cellar_def_var_shards(p->nc, var, shard));
    OK(nc_put_vara_int(p->nc, var, (size_t[]){0, 1}, (size_t[]){1, 3}, (int[]){1, 2, 3}));
}

static void lists(const struct place *p, const int *dims)
{
    nc_vlen_t *v = dirty(2 * sizeof *v);
    nc_type ragged;
    int var;

    v[0] = (nc_vlen_t){2, (int[]){1, 2}};
    v[1] = (nc_vlen_t){0, NULL};
    OK(nc_def_vlen(p->nc, "ragged", NC_INT, &ragged));
    OK(nc_def_var(p->nc, "lists", ragged, 1, dims + 1, &var));
    OK(nc_put_vara(p->nc, var, (size_t[]){1}, (size_t[]){2}, v));
    free(v);
}

/* --- containers ----------------------------------------------------------------------------- */

enum { USER = 1, LISTS = 2, FILTERS = 4, SHARDS = 8, STRINGS = 16, IN_MEMORY = 32, FIXED = 64 };

static const struct container {
    const char *name, *before, *after; /* what its path begins and ends with */
    int mode;                          /* of nc_create */
    nc_type last;                      /* of the number types it has */
    unsigned has;
} containers[] = {
    {"cdf1", "", "/f.nc", 0, NC_DOUBLE, 0},
    {"cdf2", "", "/f.nc", NC_64BIT_OFFSET, NC_DOUBLE, 0},
    {"cdf5", "", "/f.nc", NC_64BIT_DATA, NC_UINT64, 0},
    {"cdf5-in-memory", "", "/f.nc", NC_64BIT_DATA, NC_UINT64, IN_MEMORY},
    {"cdf1-diskless", "", "/f.nc", NC_DISKLESS | NC_PERSIST, NC_DOUBLE, 0},
#if NC_HAS_HDF5
    {"netcdf4", "", "/f.nc", NC_NETCDF4, NC_UINT64, USER | FILTERS | STRINGS},
    {"netcdf4-in-memory", "", "/f.nc", NC_NETCDF4, NC_UINT64, USER | FILTERS | STRINGS | IN_MEMORY},
    {"netcdf4-diskless", "", "/f.nc", NC_NETCDF4 | NC_DISKLESS | NC_PERSIST, NC_UINT64, USER | STRINGS},
    {"netcdf4-classic-model", "", "/f.nc", NC_NETCDF4 | NC_CLASSIC_MODEL, NC_DOUBLE, 0},
#endif
    {"nczarr", "file://", "/f.zarr#mode=nczarr,file", NC_NETCDF4, NC_UINT64, LISTS | FILTERS | STRINGS},
    {"nczarr-consolidated", "file://", "/f.zarr#mode=nczarr,file,consolidated", NC_NETCDF4, NC_UINT64, STRINGS},
    {"nczarr-zip", "file://", "/f.zip#mode=nczarr,zip", NC_NETCDF4, NC_UINT64, LISTS | STRINGS},
    {"nczarr-v3", "file://", "/f.zarr#mode=nczarr,v3,file", NC_NETCDF4, NC_UINT64, STRINGS},
    {"zarr", "file://", "/f.zarr#mode=zarr,file", NC_NETCDF4, NC_UINT64, FIXED | LISTS | FILTERS | STRINGS},
    {"zarr-v3", "file://", "/f.zarr#mode=zarr,v3,file", NC_NETCDF4, NC_UINT64, FIXED | SHARDS | FILTERS | STRINGS},
    {"zarr-v3-zip", "file://", "/f.zip#mode=zarr,v3,zip", NC_NETCDF4, NC_UINT64, FIXED | SHARDS | STRINGS},
};

enum { NCONTAINERS = sizeof containers / sizeof *containers };

static int create(const struct container *c, const char *path)
{
    int nc;

    if (c->has & IN_MEMORY)
        OK(nc_create_mem(path, c->mode, 4096, &nc));
    else
        OK(nc_create(path, c->mode | NC_CLOBBER, &nc));
    return nc;
}

static void finish(const struct container *c, const char *path, int nc)
{
    NC_memio memory;
    FILE *f;

    if (!(c->has & IN_MEMORY)) {
        OK(nc_close(nc));
        return;
    }
    OK(nc_close_memio(nc, &memory));
    f = fopen(path, "wb");
    if (!f || fwrite(memory.memory, 1, memory.size, f) != memory.size || fclose(f) != 0)
        exit(1);
    free(memory.memory);
}

/* The second session: attributes that replace others and that are new, more data. */
static void go_on(const struct container *c, const char *path)
{
    struct place p = {.last = c->last, .strings = (c->has & STRINGS) != 0};
    int var;

    OK(nc_open(path, NC_WRITE, &p.nc));
    OK(nc_redef(p.nc));
    put_atts(&p, NC_GLOBAL);
    OK(nc_inq_varid(p.nc, "v4", &var));
    OK(nc_put_att_text(p.nc, var, "late", 4, "late"));
    OK(nc_rename_att(p.nc, var, "empty", "none"));
    OK(nc_enddef(p.nc));
    if (c->has & USER)
        user_types_again(&p);
    put_some(&p, "v", NC_INT, 2);
    OK(nc_close(p.nc));
}

static void run(const struct container *c, const char *folder)
{
    struct place p = {.last = c->last, .strings = (c->has & STRINGS) != 0};
    char path[4096];
    int dims[2];

    snprintf(path, sizeof path, "%s%s%s", c->before, folder, c->after);
    p.nc = create(c, path);
    OK(nc_def_dim(p.nc, "t", c->has & FIXED ? 5 : NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(p.nc, "x", 7, &dims[1]));
    put_atts(&p, NC_GLOBAL);
    define_atomic(&p, dims);
    OK(nc_enddef(p.nc));
    put_atomic(&p);
    OK(nc_sync(p.nc));
    OK(nc_redef(p.nc));
    if (c->has & STRINGS)
        strings(&p, dims);
    if (c->has & LISTS)
        lists(&p, dims);
    if (c->has & SHARDS)
        shards(&p, dims);
    if (c->has & USER)
        user_types(&p, dims);
    if (c->has & FILTERS)
        filters(&p, dims);
    finish(c, path, p.nc);
    go_on(c, path);
}

int main(int argc, char **argv)
{
    int i;

    for (i = 0; argc == 1 && i < NCONTAINERS; i++)
        puts(containers[i].name);
    if (argc != 4)
        return argc != 1;
    dirt = atoi(argv[3]);
    for (i = 0; i < NCONTAINERS; i++)
        if (strcmp(containers[i].name, argv[1]) == 0) {
            run(&containers[i], argv[2]);
            return 0;
        }
    fprintf(stderr, "%s is no container\n", argv[1]);
    return 1;
}
