/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar.h: a coder, made of a chain and the shape of the chunks it will see. */
#include "api_coder.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

static enum cel_kind kind_of(char kind)
{
    switch (kind) {
    case 'i':
        return CEL_KIND_INT;
    case 'u':
        return CEL_KIND_UINT;
    case 'f':
        return CEL_KIND_FLOAT;
    default:
        return CEL_KIND_OTHER;
    }
}

static int take_shape(struct cellar_coder *coder, const cellar_chunk_shape *shape)
{
    if (shape->size == 0 || shape->rank < 0 || shape->rank > CEL_RANK_MAX || (shape->rank && !shape->lengths))
        return cel_fail(NC_EINVAL, "elements of %zu bytes in %d dimensions: there are no such chunks", shape->size,
                        shape->rank);
    coder->size = shape->size;
    coder->rank = shape->rank;
    coder->omit_empty = shape->omit_empty;
    coder->nslots = 1;
    for (int d = 0; d < shape->rank; d++) {
        if (shape->lengths[d] == 0)
            return cel_fail(NC_EINVAL, "a chunk has no length of 0");
        coder->len[d] = coder->inner[d] = shape->lengths[d];
        coder->per[d] = 1;
    }
    coder->fill = cel_calloc(1, shape->size);
    if (!coder->fill)
        return NC_ENOMEM;
    if (shape->fill)
        memcpy(coder->fill, shape->fill, shape->size);
    return CEL_OK;
}

/* What codecs may know of an innermost chunk. */
static int prepare(struct cellar_coder *coder, char kind)
{
    struct cel_shape shape = {.elem_size = coder->size, .kind = kind_of(kind), .rank = coder->rank};

    shape.nbytes = coder->size;
    for (int d = 0; d < coder->rank; d++) {
        shape.dims[d] = coder->inner[d];
        if (!cel_mul(shape.nbytes, coder->inner[d], &shape.nbytes))
            return cel_fail(NC_ENOMEM, "a chunk of that many elements does not fit into memory");
    }
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    shape.big_endian = true;
#endif
    shape.has_fill = coder->size <= sizeof shape.fill;
    if (shape.has_fill)
        memcpy(shape.fill, coder->fill, coder->size);
    coder->chain.maskless = true;
    return cel_chain_prepare(&coder->chain, &shape, false);
}

int cellar_coder_make(const char *chain, const cellar_chunk_shape *shape, cellar_coder **out)
{
    struct cel_sharding sharding = {0};
    cellar_coder *coder;
    int rc;

    cel_error_clear();
    if (!chain || !shape || !out)
        return cel_fail(NC_EINVAL, "a coder needs a chain, a shape, and somewhere to go");
    *out = NULL;
    coder = cel_calloc(1, sizeof *coder);
    if (!coder)
        return NC_ENOMEM;
    rc = take_shape(coder, shape);
    if (rc == CEL_OK)
        rc = cel_chain_parse_sharded(chain, &coder->chain, &sharding, NULL);
    if (rc == CEL_OK && coder->chain.object)
        rc = cel_fail(NC_EINVAL, "elements without a fixed size cannot go through a coder");
    if (rc == CEL_OK)
        rc = cel_chain_usable(&coder->chain);
    if (rc == CEL_OK && sharding.there)
        rc = cel_coder_shard_init(coder, &sharding);
    if (rc == CEL_OK)
        rc = prepare(coder, shape->kind);
    if (rc == CEL_OK)
        rc = cel_chain_check_maskless(&coder->chain);
    if (rc == CEL_OK)
        *out = coder;
    else
        cellar_coder_free(coder);
    return rc;
}

void cellar_coder_free(cellar_coder *coder)
{
    if (!coder)
        return;
    cel_chain_dispose(&coder->chain);
    cel_chain_dispose(&coder->index_chain);
    free(coder->fill);
    free(coder);
}
