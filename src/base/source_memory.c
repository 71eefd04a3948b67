/* SPDX-License-Identifier: BSD-3-Clause */
/* A source over bytes in memory. */
#include "mem.h"
#include "source.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

struct memory_source {
    struct cel_source source;
    const char *data;
    size_t n;
};

static int size(struct cel_source *s, uint64_t *out)
{
    *out = ((struct memory_source *)s)->n;
    return CEL_OK;
}

static int read_at(struct cel_source *s, uint64_t offset, void *dst, size_t n)
{
    const struct memory_source *m = (struct memory_source *)s;

    if (offset > m->n || n > m->n - offset)
        return CEL_BEYOND_END;
    memcpy(dst, m->data + offset, n);
    return CEL_OK;
}

static int close_memory(struct cel_source *s)
{
    free(s);
    return CEL_OK;
}

static const struct cel_source_ops ops = {.size = size, .read_at = read_at, .close = close_memory};

int cel_source_of_memory(const void *data, size_t n, struct cel_source **out)
{
    struct memory_source *m = cel_malloc(sizeof *m);

    if (!m)
        return NC_ENOMEM;
    *m = (struct memory_source){.source = {&ops}, .data = data, .n = n};
    *out = &m->source;
    return CEL_OK;
}
