/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_SLAB_H
#define TOOL_SLAB_H

/* A variable in blocks of bounded size, in row-major order: each block is a run
 * of whole rows as far as the limit allows, so that blocks read one after the
 * other give the values in file order. */

#include <netcdf.h>
#include <stdbool.h>
#include <stddef.h>

struct slab {
    int ndims;
    size_t shape[NC_MAX_VAR_DIMS];
    size_t start[NC_MAX_VAR_DIMS];
    size_t count[NC_MAX_VAR_DIMS];
    size_t step[NC_MAX_VAR_DIMS]; /* largest count along each axis */
    size_t n;                     /* values in the current block */
    bool begun;
};

/* most: values per block, at least 1. align: chunk lengths blocks should end at, or NULL. */
void slab_start(struct slab *s, int ndims, const size_t *shape, const size_t *align, size_t most);
void slab_start_boxes(struct slab *s, int ndims, const size_t *shape, const size_t *box); /* blocks of that shape */
void slab_seek(struct slab *s, const size_t *at);      /* to the block that has the value there */
bool slab_has(const struct slab *s, const size_t *at); /* does the current block? */
bool slab_next(struct slab *s);                        /* false after the last block; a scalar has one block */

/* All values of a variable, at most `most` at a time: n of them, from number `at` on. Gives the status of the
 * read that failed, if one did. */
struct type;
typedef void slab_fn(void *arg, const char *values, size_t n, size_t at);
int slab_each(int group, int varid, const struct type *type, int ndims, const size_t *shape, size_t most,
              slab_fn *visit, void *arg);

#endif
