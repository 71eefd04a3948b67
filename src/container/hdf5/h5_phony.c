/* SPDX-License-Identifier: BSD-3-Clause */
/* Dimensions of a group found by their length, for variables of files without dimensions: each length of each variable
 * asks, so that fixed lengths have a hash table. Unlimited dimensions grow while they are looked for, and are few. */
#include "h5_load.h"
#include <stdlib.h>

enum { NONE = 0 }; /* positions count from 1 */

static size_t bucket_of(const struct cel_h5_phony *p, size_t len)
{
    return (size_t)(len * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (p->cap - 1);
}

static void insert(struct cel_h5_phony *p, size_t position)
{
    const struct cel_dim *dim = p->group->dims.at[position - 1];
    size_t b = bucket_of(p, dim->len);

    p->next[position] = NONE;
    if (dim->unlimited)
        return;
    if (p->first[b] == NONE)
        p->first[b] = position;
    else
        p->next[p->last[b]] = position;
    p->last[b] = position;
}

static int grow(struct cel_h5_phony *p)
{
    size_t cap = p->cap ? p->cap : 64, *all;

    while (cap <= p->group->dims.n)
        cap *= 2;
    if (cap == p->cap)
        return CEL_OK;
    all = cel_calloc(cap, 3 * sizeof *all);
    if (!all)
        return NC_ENOMEM;
    free(p->first);
    p->first = all;
    p->last = all + cap;
    p->next = all + 2 * cap;
    p->cap = cap;
    p->n = 0;
    return CEL_OK;
}

static bool uses(const struct cel_var *var, int n, const struct cel_dim *dim)
{
    for (int d = 0; d < n; d++)
        if (var->dim[d] == dim)
            return true;
    return false;
}

static struct cel_dim *find_unlimited(const struct cel_var *var, int d, size_t len)
{
    const struct cel_vec *dims = &var->group->dims;

    for (size_t i = 0; i < dims->n; i++) {
        struct cel_dim *dim = dims->at[i];

        if (dim->len == len && dim->unlimited && !uses(var, d, dim))
            return dim;
    }
    return NULL;
}

int cel_h5_phony_find(struct cel_h5_phony *p, const struct cel_var *var, int d, bool unlimited, struct cel_dim **out)
{
    size_t len = var->layout.extent[d], at;
    int rc = grow(p);

    *out = unlimited ? find_unlimited(var, d, len) : NULL;
    if (rc != CEL_OK || unlimited)
        return rc;
    while (p->n < p->group->dims.n)
        insert(p, ++p->n);
    for (at = p->first[bucket_of(p, len)]; at != NONE && !*out; at = p->next[at]) {
        struct cel_dim *dim = p->group->dims.at[at - 1];

        if (dim->len == len && !uses(var, d, dim))
            *out = dim;
    }
    return CEL_OK;
}

void cel_h5_phony_dispose(struct cel_h5_phony *p)
{
    free(p->first);
}
