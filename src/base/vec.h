/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_VEC_H
#define CEL_VEC_H

#include "mem.h"
#include "status.h"
#include <assert.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

/* A list of pointers that grows. It does not own what they point to. */
struct cel_vec {
    void **at;
    size_t n;
    size_t cap;
};

static inline int cel_vec_reserve(struct cel_vec *v, size_t n)
{
    size_t cap = v->cap ? v->cap : 8;
    void **at;

    if (n <= v->cap)
        return CEL_OK;
    while (cap < n)
        cap *= 2;
    at = cel_realloc(v->at, cap, sizeof *at);
    if (!at)
        return NC_ENOMEM;
    v->at = at;
    v->cap = cap;
    return CEL_OK;
}

static inline int cel_vec_add(struct cel_vec *v, void *p)
{
    int rc = cel_vec_reserve(v, v->n + 1);

    if (rc == CEL_OK)
        v->at[v->n++] = p;
    return rc;
}

static inline void cel_vec_remove(struct cel_vec *v, size_t i)
{
    assert(i < v->n);
    memmove(v->at + i, v->at + i + 1, (v->n - i - 1) * sizeof *v->at);
    v->n--;
}

static inline void cel_vec_dispose(struct cel_vec *v)
{
    free(v->at);
    *v = (struct cel_vec){0};
}

#endif
