/* SPDX-License-Identifier: BSD-3-Clause */
/* --cloud: all that describes the file in one block at its front, so that programs read it with a few large requests.
 * libhdf5 allocates metadata in blocks (nc_set_meta_block_size); the first lies behind the superblock, and one that holds
 * everything is the only one. It is reserved before anything is defined, so its size is an upper bound, from how HDF5 1.8
 * lays things out; what of it is left over stays as zeros in front of the data. */

#include "cellar.h"
#include "copy.h"
#include "walk.h"
#include <string.h>

/* Bytes at most. Attributes and links are kept twice over: in the header, or more than 8 of them in a heap that doubles
 * as it grows, with two trees of names. */
enum {
    SUPERBLOCK = 4096,
    OBJECT = 1024,
    PER_DIMENSION = 96, /* of a variable: its length, chunk length and scale, and the scale's note of it */
    HEAP = 8192,
    ATTRIBUTE = 192,
    LINK = 192,
    MEMBER = 64,
    FEW_ATTRIBUTES = 3,  /* beside netCDF's own */
    BTREE_CHILDREN = 64, /* of a node of a chunk index */
    LEAST_CHUNK = 64 << 10,
    LEAST_STORED = 16,
    MOST = 64 << 20 /* what is more goes in several blocks */
};

static unsigned long long size_of_atts(int group, int var)
{
    unsigned long long n = 0;
    int natts = 0;

    if (var == NC_GLOBAL)
        nc_inq_natts(group, &natts);
    else
        nc_inq_varnatts(group, var, &natts);
    for (int i = 0; i < natts; i++) {
        char name[NC_MAX_NAME + 1];
        nc_type type;
        size_t len, size;

        if (nc_inq_attname(group, var, i, name) == NC_NOERR && nc_inq_att(group, var, name, &type, &len) == NC_NOERR &&
            nc_inq_type(group, type, NULL, &size) == NC_NOERR)
            n += ATTRIBUTE + 2 * strlen(name) + 2ull * len * (size < 16 && type >= NC_STRING ? 16 : size);
    }
    return natts > FEW_ATTRIBUTES ? 2 * n + HEAP : n;
}

static unsigned long long count_chunks(const struct copy_var *v)
{
    unsigned long long n = 1, stored;

    if (!v->chunked) /* the library's own have more bytes than that */
        return v->nbytes / LEAST_CHUNK;
    for (int d = 0; d < v->ndims; d++)
        n *= v->chunk[d] ? (v->shape[d] + v->chunk[d] - 1) / v->chunk[d] : 1;
    /* in a sparse variable most were never written */
    if (v->was_chunked && !v->rechunked && cellar_inq_var_stored(v->group, v->id, &stored) == NC_NOERR)
        n = n < stored / LEAST_STORED ? n : stored / LEAST_STORED;
    return n;
}

/* Of a B-tree with nodes half full, and those above them. */
static unsigned long long size_of_index(const struct copy_var *v)
{
    unsigned long long key = 8 + 8 * ((unsigned long long)v->ndims + 1), node, leaves;

    if (!v->ndims || (v->contiguous && !v->chunked) || !v->with_data)
        return 0;
    node = 24 + (BTREE_CHILDREN + 1) * key + BTREE_CHILDREN * 8;
    leaves = count_chunks(v) / (BTREE_CHILDREN / 2) + 1;
    return node * (leaves + leaves / (BTREE_CHILDREN / 2) + 2);
}

static unsigned long long size_of_vars(const struct copy *c)
{
    unsigned long long n = 0;

    for (size_t i = 0; i < c->nvars; i++) {
        const struct copy_var *v = &c->var[i];

        if (v->defined)
            n += OBJECT + strlen(v->path) + LINK + (unsigned long long)v->ndims * PER_DIMENSION +
                 size_of_atts(v->group, v->id) + size_of_index(v);
    }
    return n;
}

static unsigned long long size_of_groups(const struct copy *c)
{
    unsigned long long n = 0;

    for (size_t i = 0; i < c->ngroups; i++) {
        struct walk_ids dims = {0};

        if (walk_dims(c->group_in[i], &dims) == NC_NOERR)
            n += (unsigned long long)dims.n * (OBJECT + LINK + NC_MAX_NAME);
        n += OBJECT + LINK + NC_MAX_NAME + HEAP + size_of_atts(c->group_in[i], NC_GLOBAL);
        walk_free(&dims);
    }
    return n;
}

static unsigned long long size_of_types(const struct copy *c)
{
    unsigned long long n = 0;

    for (size_t i = 0; i < c->types.n; i++)
        n += OBJECT + LINK + (c->types.at[i]->nfields + c->types.at[i]->nmembers) * (MEMBER + NC_MAX_NAME);
    return n;
}

size_t copy_front_size(const struct copy *c)
{
    unsigned long long n = SUPERBLOCK + size_of_groups(c) + size_of_types(c) + size_of_vars(c);

    return n < MOST ? (size_t)n : MOST;
}
