/* SPDX-License-Identifier: BSD-3-Clause */
/* A source's calls, passed on to its kind. */
#include "source.h"

int cel_source_size(struct cel_source *s, uint64_t *size)
{
    return s->ops->size(s, size);
}

int cel_source_read_at(struct cel_source *s, uint64_t offset, void *dst, size_t n)
{
    return n ? s->ops->read_at(s, offset, dst, n) : CEL_OK;
}

void cel_source_want(struct cel_source *s, const struct cel_range *range, size_t nranges)
{
    if (s->ops->want)
        s->ops->want(s, range, nranges);
}

int cel_source_close(struct cel_source *s)
{
    return s ? s->ops->close(s) : CEL_OK;
}
