/* SPDX-License-Identifier: BSD-3-Clause */
/* Shards: many innermost chunks in one value, with an index of (offset, length) at its start or end. */
#include "api_coder.h"
#include "bytes.h"
#include "mem.h"
#include <stdlib.h>

static int index_chain(struct cellar_coder *coder, bool checked)
{
    struct cel_shape shape = {.elem_size = 8, .kind = CEL_KIND_UINT, .rank = 1};
    int rc = cel_chain_parse(checked ? "crc32c" : "", &coder->index_chain, NULL);

    if (rc != CEL_OK || !cel_mul(coder->nslots, 16, &shape.nbytes))
        return rc != CEL_OK ? rc : NC_ENOMEM;
    shape.dims[0] = coder->nslots * 2;
    return cel_chain_prepare(&coder->index_chain, &shape, false);
}

int cel_coder_shard_init(struct cellar_coder *coder, const struct cel_sharding *sharding)
{
    if (sharding->rank != coder->rank)
        return cel_fail(NC_EINVAL, "sharding_indexed: chunk_shape has %d lengths, the chunk %d", sharding->rank,
                        coder->rank);
    for (int d = 0; d < coder->rank; d++) {
        size_t inner = sharding->chunk[d];

        if (inner == 0 || coder->len[d] % inner)
            return cel_fail(NC_EINVAL, "sharding_indexed: a length of %zu is no multiple of %zu", coder->len[d], inner);
        coder->inner[d] = inner;
        coder->per[d] = coder->len[d] / inner;
        if (!cel_mul(coder->nslots, coder->per[d], &coder->nslots))
            return NC_ENOMEM;
    }
    coder->sharded = true;
    coder->index_first = sharding->shards.index_first;
    return index_chain(coder, !sharding->shards.unchecked);
}

static int parse_index(const struct cellar_coder *coder, struct coder_value *value, const unsigned char *raw)
{
    for (size_t i = 0; i < coder->nslots; i++) {
        struct coder_slot *slot = &value->slot[i];

        slot->offset = cel_get_le64(raw + 16 * i);
        slot->nbytes = cel_get_le64(raw + 16 * i + 8);
        if (slot->offset == CODER_EMPTY && slot->nbytes == CODER_EMPTY)
            continue;
        if (slot->offset > value->size || slot->nbytes > value->size - slot->offset)
            return cel_fail(NC_EFILTER, "entry %zu of the shard's index points outside the shard", i);
    }
    return CEL_OK;
}

/* The value is open. */
int cel_coder_load_index(const struct cellar_coder *coder, struct coder_value *value, struct coder_worker *w)
{
    size_t n = cel_chain_bound(&coder->index_chain);
    unsigned char *raw;
    const void *stored;
    int rc;

    if (value->size < n)
        return cel_fail(NC_ETRUNC, "the shard is shorter than its index");
    rc = cel_coder_read(value, coder->index_first ? 0 : value->size - n, n, w, &stored);
    raw = rc == CEL_OK ? cel_malloc(16 * coder->nslots) : NULL;
    if (rc == CEL_OK)
        rc = raw ? cel_chain_decode(&coder->index_chain, w->scratch, stored, n, 0, raw) : NC_ENOMEM;
    if (rc == CEL_OK)
        rc = parse_index(coder, value, raw);
    free(raw);
    return rc == CEL_OK ? rc : cel_fail_in(rc, "the shard's index");
}

/* The index of the chunks that are there, which get their offsets one behind another. */
static int make_index(const struct cellar_coder *coder, struct coder_value *value, struct coder_worker *w,
                      const void **out, size_t *n, size_t *nthere)
{
    unsigned char *raw = cel_malloc(16 * coder->nslots);
    uint64_t at = coder->index_first ? cel_chain_bound(&coder->index_chain) : 0;
    uint32_t skipped;
    int rc;

    if (!raw)
        return NC_ENOMEM;
    *nthere = 0;
    for (size_t i = 0; i < coder->nslots; i++) {
        const struct coder_slot *slot = &value->slot[i];

        cel_put_le64(raw + 16 * i, slot->fresh ? at : CODER_EMPTY);
        cel_put_le64(raw + 16 * i + 8, slot->fresh ? slot->nbytes : CODER_EMPTY);
        at += slot->fresh ? slot->nbytes : 0;
        *nthere += slot->fresh != NULL;
    }
    w->stored.len = 0;
    rc = cel_buf_add(&w->stored, raw, 16 * coder->nslots);
    free(raw);
    if (rc == CEL_OK)
        rc = cel_chain_encode(&coder->index_chain, w->scratch, w->stored.data, 16 * coder->nslots, out, n, &skipped);
    return rc;
}

static int keep(cellar_chunk *chunk, const struct cel_bytes *part, size_t n)
{
    struct cel_buf whole = CEL_BUF_INIT(SIZE_MAX);
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        rc = cel_buf_add(&whole, part[i].data, part[i].n);
    if (rc != CEL_OK) {
        cel_buf_dispose(&whole);
        return rc;
    }
    chunk->encoded = whole.data;
    chunk->nencoded = whole.len;
    return CEL_OK;
}

int cel_coder_put_shard(const struct cellar_coder *coder, struct coder_value *value, struct coder_worker *w)
{
    cellar_chunk *chunk = value->chunk;
    struct cel_bytes *part = cel_calloc(coder->nslots + 1, sizeof *part);
    size_t nthere = 0, n = 0;
    struct cel_bytes table;
    int rc = part ? make_index(coder, value, w, &table.data, &table.n, &nthere) : NC_ENOMEM;

    if (rc == CEL_OK && coder->index_first)
        part[n++] = table;
    for (size_t i = 0; rc == CEL_OK && i < coder->nslots; i++) {
        if (value->slot[i].fresh)
            part[n++] = (struct cel_bytes){value->slot[i].fresh, (size_t)value->slot[i].nbytes};
    }
    if (rc == CEL_OK && !coder->index_first)
        part[n++] = table;
    chunk->absent = rc == CEL_OK && nthere == 0;
    if (chunk->absent)
        rc = chunk->path ? cel_coder_remove(chunk->path) : CEL_OK;
    else if (rc == CEL_OK)
        rc = chunk->path ? cel_coder_put(chunk->path, part, n) : keep(chunk, part, n);
    free(part);
    return rc;
}
