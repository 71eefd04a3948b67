/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunk index of HDF5 may have no checksum. Where a chunk does not decode, one byte of its address, its size or its filter
 * mask may be wrong: each such change is tried, and taken if the filters' own checksum accepts what lies there. */

#include "cellar.h"
#include "protect.h"
#include "salvage.h"
#include <stdlib.h>
#include <string.h>

enum { CHUNKS_MAX = 64 }; /* so many are looked for: a file with more damage has other damage */

struct span {
    unsigned long long address, size;
};

struct search {
    struct salvage *s;
    cellar_coder *coder;
    char *values;
    const size_t *start, *count;
    const ptrdiff_t *step, *byte_step;
};

static bool decodes(const struct search *x, const struct span *p)
{
    const struct mend *m = &x->s->mend;
    cellar_chunk chunk = {.start = x->start, .count = x->count, .step = x->step, .byte_step = x->byte_step};

    if (p->size == 0 || p->address >= m->had || p->size > m->had - p->address)
        return false;
    chunk.encoded = m->bytes + p->address;
    chunk.nencoded = p->size;
    chunk.memory = x->values;
    return cellar_coder_decode(x->coder, 1, &chunk) == NC_NOERR && !chunk.absent;
}

/* Every value that differs from the number in one of its n bytes; the number itself is one of them. */
static bool try_bytes(const struct search *x, struct span *p, unsigned long long *number, size_t n)
{
    unsigned long long given = *number;

    for (size_t i = 0; i < n; i++)
        for (unsigned long long v = 0; v < 256; v++) {
            *number = (given & ~(0xffull << 8 * i)) | v << 8 * i;
            if (decodes(x, p))
                return true;
        }
    *number = given;
    return false;
}

static bool search(struct search *x, const struct copy_var *v, const char *chain, struct span *p)
{
    size_t start[NC_MAX_VAR_DIMS] = {0};
    ptrdiff_t step[NC_MAX_VAR_DIMS], bytes[NC_MAX_VAR_DIMS], stride = (ptrdiff_t)v->type->size;
    cellar_chunk_shape shape = {.size = v->type->size, .rank = v->ndims, .lengths = v->in_chunk};
    bool found;

    shape.kind = v->type->kind == NC_FLOAT || v->type->kind == NC_DOUBLE ? 'f' : 'i';
    for (int d = v->ndims; d-- > 0; stride *= (ptrdiff_t)v->in_chunk[d]) {
        step[d] = 1;
        bytes[d] = stride;
    }
    x->start = start, x->count = v->in_chunk, x->step = step, x->byte_step = bytes;
    x->values = tool_alloc((size_t)stride, 1);
    if (cellar_coder_make(chain, &shape, &x->coder) != NC_NOERR) {
        free(x->values);
        return false;
    }
    found = try_bytes(x, p, &p->address, 8) || try_bytes(x, p, &p->size, 4);
    cellar_coder_free(x->coder);
    if (!found)
        free(x->values);
    return found;
}

static bool is_native(const struct copy_var *v)
{
    static const int one = 1;
    int endian = NC_ENDIAN_NATIVE;

    return nc_inq_var_endian(v->group, v->id, &endian) == NC_NOERR &&
           (v->type->size == 1 || endian == NC_ENDIAN_NATIVE ||
            endian == (*(const char *)&one ? NC_ENDIAN_LITTLE : NC_ENDIAN_BIG));
}

char *salvage_find_chunk(struct salvage *s, const struct copy_var *v, const size_t *index)
{
    struct search x = {.s = s};
    struct span p;
    char *chain = NULL;
    bool found = false;

    if (!s->mend.bytes || s->copy.in_zarr || s->searched >= CHUNKS_MAX || v->type->group >= 0 ||
        v->type->has_pointers || !is_native(v) ||
        cellar_inq_chunk(v->group, v->id, index, &p.address, &p.size, NULL, NULL) != NC_NOERR ||
        cellar_inq_var_chain(v->group, v->id, CELLAR_NAMES, &chain) != NC_NOERR)
        return NULL;
    if (p.address != CELLAR_NO_ADDRESS && protect_by(chain)) {
        s->searched++;
        found = search(&x, v, chain, &p);
    }
    if (found)
        mend_note(&s->mend, "%s: a chunk was found at byte %llu, of %llu bytes, by its checksum", v->path, p.address,
                  p.size);
    cellar_free(chain);
    return found ? x.values : NULL;
}
