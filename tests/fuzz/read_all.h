/* SPDX-License-Identifier: BSD-3-Clause */
/* A dataset read whole through the public API: every object that is listed, every value up
 * to a limit, since a damaged length may claim any number. */
#ifndef CEL_FUZZ_READ_ALL_H
#define CEL_FUZZ_READ_ALL_H

#include <cellar.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <netcdf_mem.h>
#include <stdlib.h>
#include <string.h>

enum {
    READ_VALUES = 8192,   /* of one variable */
    READ_CHUNKS = 4,      /* ... as they are stored */
    READ_BYTES = 1 << 20, /* of one variable or attribute */
    READ_OBJECTS = 48,    /* of one kind in one group */
    READ_GROUPS = 32,
    READ_DEPTH = 16
};

static inline int read_some(int n)
{
    return n < READ_OBJECTS ? n : READ_OBJECTS;
}

static inline void read_att(int nc, int var, int i)
{
    char name[NC_MAX_NAME + 1];
    nc_type type;
    size_t n, size;
    void *data;

    if (nc_inq_attname(nc, var, i, name) || nc_inq_att(nc, var, name, &type, &n) ||
        nc_inq_type(nc, type, NULL, &size) || (size && n > READ_BYTES / size))
        return;
    data = calloc(n + 1, size + 1);
    if (data && nc_get_att(nc, var, name, data) == NC_NOERR)
        nc_reclaim_data(nc, type, data, n);
    free(data);
}

static inline void read_filters(int nc, int var)
{
    unsigned ids[64], words[256];
    size_t nids = 0, n, lengths[NC_MAX_VAR_DIMS];
    char *text;
    int sharded;

    for (int spelling = CELLAR_IDS; spelling <= CELLAR_JSON3; spelling++)
        if (cellar_inq_var_chain(nc, var, (enum cellar_spelling)spelling, &text) == NC_NOERR)
            cellar_free(text);
    if (cellar_inq_var_object_codec(nc, var, &text) == NC_NOERR)
        cellar_free(text);
    cellar_inq_var_shards(nc, var, &sharded, lengths);
    if (nc_inq_var_filter_ids(nc, var, &nids, NULL) || nids > 64 || nc_inq_var_filter_ids(nc, var, &nids, ids))
        return;
    for (size_t i = 0; i < nids; i++)
        if (nc_inq_var_filter_info(nc, var, ids[i], &n, NULL) == NC_NOERR && n < 256)
            nc_inq_var_filter_info(nc, var, ids[i], &n, words);
}

static inline void read_storage(int nc, int var, nc_type type, size_t size)
{
    size_t chunk[NC_MAX_VAR_DIMS];
    int a, b, c;
    void *fill = calloc(1, size + 8);

    nc_inq_var_chunking(nc, var, &a, chunk);
    nc_inq_var_deflate(nc, var, &a, &b, &c);
    nc_inq_var_fletcher32(nc, var, &a);
    nc_inq_var_endian(nc, var, &a);
    nc_inq_var_quantize(nc, var, &a, &b);
    read_filters(nc, var);
    if (fill && nc_inq_var_fill(nc, var, &a, fill) == NC_NOERR && type >= NC_STRING)
        nc_reclaim_data(nc, type, fill, 1);
    free(fill);
}

/* From the first element on, as much of each dimension as the limit leaves; 0: nothing is there. */
static inline size_t read_extent(int nc, int ndims, const int *dims, size_t most, size_t *count)
{
    size_t n = 1;

    for (int d = 0; d < ndims; d++) {
        if (nc_inq_dimlen(nc, dims[d], &count[d]))
            return 0;
        if (count[d] > most / n)
            count[d] = most / n;
        n *= count[d];
        if (n == 0)
            return 0;
    }
    return n;
}

/* The last element, and every second one backwards in a row: other ways through the chunks. */
static inline void read_corners(int nc, int var, int ndims, const int *dims)
{
    size_t start[NC_MAX_VAR_DIMS] = {0}, count[NC_MAX_VAR_DIMS], len;
    ptrdiff_t stride[NC_MAX_VAR_DIMS];
    double value[16];

    for (int d = 0; d < ndims; d++) {
        if (nc_inq_dimlen(nc, dims[d], &len) || len == 0)
            return;
        start[d] = len - 1;
    }
    nc_get_var1_double(nc, var, start, value);
    for (int d = 0; d < ndims; d++) {
        nc_inq_dimlen(nc, dims[d], &len);
        start[d] = 0;
        stride[d] = 2;
        count[d] = d == ndims - 1 ? (len + 1) / 2 : 1;
        count[d] = count[d] < 16 ? count[d] : 16;
    }
    nc_get_vars_double(nc, var, start, count, stride, value);
}

static inline void read_values(int nc, int var, nc_type type, size_t size, int ndims, const int *dims)
{
    size_t start[NC_MAX_VAR_DIMS] = {0}, count[NC_MAX_VAR_DIMS];
    size_t n = read_extent(nc, ndims, dims, size > READ_BYTES / READ_VALUES ? 1 : READ_VALUES, count);
    void *data = n ? calloc(n, size ? size : 1) : NULL;

    if (data && nc_get_vara(nc, var, start, count, data) == NC_NOERR)
        nc_reclaim_data(nc, type, data, n);
    free(data);
    if (n && ndims > 0 && type <= NC_UINT64 && type != NC_CHAR)
        read_corners(nc, var, ndims, dims);
}

/* How many bytes all chunks have as they are stored; where the first few lie, and their bytes. */
static inline void read_stored(int nc, int var)
{
    size_t index[NC_MAX_VAR_DIMS], size;
    unsigned long long address, stored;
    unsigned skipped;
    char *key;
    void *bytes;
    int more = 0;

    cellar_inq_var_stored(nc, var, &stored);
    for (int i = 0; i < READ_CHUNKS && cellar_next_chunk(nc, var, index, &more) == NC_NOERR && more; i++) {
        if (cellar_inq_chunk(nc, var, index, &address, &stored, &skipped, &key) == NC_NOERR)
            cellar_free(key);
        if (cellar_get_chunk(nc, var, index, &size, &skipped, &bytes) == NC_NOERR)
            cellar_free(bytes);
    }
}

/* Attributes come last: where they cannot be had, the values may. */
static inline void read_var(int nc, int var)
{
    int ndims, dims[NC_MAX_VAR_DIMS], natts = 0;
    char name[NC_MAX_NAME + 1];
    nc_type type;
    size_t size;

    if (nc_inq_vartype(nc, var, &type) == NC_NOERR && nc_inq_varndims(nc, var, &ndims) == NC_NOERR &&
        nc_inq_vardimid(nc, var, dims) == NC_NOERR && nc_inq_type(nc, type, NULL, &size) == NC_NOERR && size <= 65536) {
        read_values(nc, var, type, size, ndims, dims);
        read_storage(nc, var, type, size);
        read_stored(nc, var);
    }
    nc_inq_var(nc, var, name, NULL, NULL, NULL, &natts);
    for (int i = 0; i < read_some(natts); i++)
        read_att(nc, var, i);
}

static inline void read_type(int nc, int type)
{
    char name[NC_MAX_NAME + 1];
    size_t size, n, offset;
    nc_type base;
    int class, ndims, dims[NC_MAX_VAR_DIMS];
    long long value[2];

    if (nc_inq_user_type(nc, type, name, &size, &base, &n, &class))
        return;
    for (int f = 0; f < read_some((int)n); f++)
        if (class == NC_COMPOUND)
            nc_inq_compound_field(nc, type, f, name, &offset, &base, &ndims, dims);
        else if (class == NC_ENUM)
            nc_inq_enum_member(nc, type, f, name, value);
}

typedef int read_list_fn(int nc, int *n, int *ids);

static inline void read_each(int nc, read_list_fn *list, void (*visit)(int nc, int id))
{
    int n = 0, *ids;

    if (list(nc, &n, NULL) || n <= 0)
        return;
    ids = calloc((size_t)n, sizeof *ids);
    if (ids && list(nc, &n, ids) == NC_NOERR)
        for (int i = 0; i < read_some(n); i++)
            visit(nc, ids[i]);
    free(ids);
}

static inline void read_unreadable(int nc)
{
    char *name, *reason;
    int n = 0;

    cellar_inq_nunreadable(nc, &n);
    for (int i = 0; i < read_some(n); i++)
        if (cellar_inq_unreadable(nc, i, &name, &reason) == NC_NOERR) {
            cellar_free(name);
            cellar_free(reason);
        }
}

static inline void read_group(int nc, int depth, int *left)
{
    int natts = 0, ndims = 0, ngroups = 0, *groups;
    char name[NC_MAX_NAME + 1];
    size_t len;

    if (depth > READ_DEPTH || --*left < 0)
        return;
    nc_inq_grpname(nc, name);
    nc_inq_natts(nc, &natts);
    for (int i = 0; i < read_some(natts); i++)
        read_att(nc, NC_GLOBAL, i);
    nc_inq_ndims(nc, &ndims);
    for (int i = 0; i < read_some(ndims); i++)
        nc_inq_dim(nc, i, name, &len);
    read_each(nc, nc_inq_typeids, read_type);
    read_each(nc, nc_inq_varids, read_var);
    if (nc_inq_grps(nc, &ngroups, NULL) || ngroups <= 0)
        return;
    groups = calloc((size_t)ngroups, sizeof *groups);
    if (groups && nc_inq_grps(nc, &ngroups, groups) == NC_NOERR)
        for (int i = 0; i < read_some(ngroups); i++)
            read_group(groups[i], depth + 1, left);
    free(groups);
}

/* What can be asked for but is not listed. */
static inline void read_facts(int nc)
{
    static const char *const names[] = {"_NCProperties", "_IsNetcdf4", "_SuperblockVersion", "_nczarr_group"};
    int number;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        nc_type type;
        size_t n;
        char text[1024];

        if (nc_inq_att(nc, NC_GLOBAL, names[i], &type, &n) == NC_NOERR && type == NC_CHAR && n < sizeof text)
            nc_get_att_text(nc, NC_GLOBAL, names[i], text);
        nc_get_att_int(nc, NC_GLOBAL, names[i], &number);
    }
}

static inline void read_all(int nc)
{
    int format, mode, left = READ_GROUPS;
    char *keys;

    nc_sync(nc); /* a reader looks again how many records there are */
    read_facts(nc);
    nc_inq_format(nc, &format);
    nc_inq_format_extended(nc, &format, &mode);
    read_group(nc, 0, &left);
    read_unreadable(nc);
    if (cellar_inq_keys(nc, &keys) == NC_NOERR)
        cellar_free(keys);
}

/* The bytes as a file in memory: a copy of just their size, so that a look beyond them is seen. */
static inline void read_memory(const void *data, size_t n)
{
    void *copy = malloc(n ? n : 1);
    int nc;

    memcpy(copy, data, n);
    if (n >= 8 && nc_open_mem("input", NC_NOWRITE, n, copy, &nc) == NC_NOERR) {
        read_all(nc);
        nc_close(nc);
    }
    free(copy);
}

#endif
