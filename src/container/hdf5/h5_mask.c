/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter masks of chunks written since the file was opened, by chunk index: an
 * open-addressed table, since a variable of incompressible data has one per chunk. */
#include "h5_int.h"
#include <stdlib.h>

static size_t slot_of(const struct cel_h5_masks *m, const size_t *index, int ndims)
{
    uint64_t h = 1469598103934665603u;
    size_t at;
    int d;

    for (d = 0; d < ndims; d++)
        h = (h ^ index[d]) * 1099511628211u;
    at = (size_t)(h ^ h >> 29) & (m->cap - 1);
    while (m->slot[at] && memcmp(m->slot[at]->index, index, (size_t)ndims * sizeof *index) != 0)
        at = (at + 1) & (m->cap - 1);
    return at;
}

bool cel_h5_masks_find(const struct cel_h5_masks *m, const size_t *index, int ndims, uint32_t *skipped)
{
    const struct cel_h5_mask *found = m->cap ? m->slot[slot_of(m, index, ndims)] : NULL;

    if (found)
        *skipped = found->skipped;
    return found != NULL;
}

static int grow(struct cel_h5_masks *m, int ndims)
{
    struct cel_h5_masks wide = {.cap = m->cap ? 2 * m->cap : 16};
    size_t i;

    if (m->n < m->cap / 2)
        return CEL_OK;
    wide.slot = cel_calloc(wide.cap, sizeof *wide.slot);
    if (!wide.slot)
        return NC_ENOMEM;
    for (i = 0; i < m->cap; i++)
        if (m->slot[i])
            wide.slot[slot_of(&wide, m->slot[i]->index, ndims)] = m->slot[i];
    wide.n = m->n;
    free(m->slot);
    *m = wide;
    return CEL_OK;
}

static int add(struct cel_h5_masks *m, const size_t *index, int ndims, uint32_t skipped)
{
    size_t n = (size_t)ndims * sizeof *index;
    struct cel_h5_mask *fresh = cel_malloc(sizeof *fresh + n);

    if (!fresh || grow(m, ndims) != CEL_OK) {
        free(fresh);
        return NC_ENOMEM;
    }
    fresh->skipped = skipped;
    memcpy(fresh->index, index, n);
    m->slot[slot_of(m, index, ndims)] = fresh;
    m->n++;
    return CEL_OK;
}

/* A chunk without a mask needs no entry, unless it had one before. */
int cel_h5_masks_put(struct cel_h5_masks *m, const size_t *index, int ndims, uint32_t skipped)
{
    struct cel_h5_mask *old = m->cap ? m->slot[slot_of(m, index, ndims)] : NULL;

    if (old)
        old->skipped = skipped;
    return old || !skipped ? CEL_OK : add(m, index, ndims, skipped);
}

void cel_h5_masks_dispose(struct cel_h5_masks *m)
{
    size_t i;

    for (i = 0; i < m->cap; i++)
        free(m->slot[i]);
    free(m->slot);
    *m = (struct cel_h5_masks){0};
}
