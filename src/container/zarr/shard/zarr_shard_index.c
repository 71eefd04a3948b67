/* SPDX-License-Identifier: BSD-3-Clause */
/* The index of a shard: (offset, length) of every chunk as 64-bit numbers, run
 * through the index codecs. */
#include "bytes.h"
#include "mem.h"
#include "zarr_shard_int.h"
#include <assert.h>
#include <stdlib.h>

size_t cel_zarr_index_size(const struct cel_zarr_shard *s)
{
    return cel_chain_bound(&s->index_chain);
}

static int parse(const struct cel_zarr_shard *s, const unsigned char *raw, uint64_t size, const char *key,
                 struct shard_slot *slot)
{
    for (size_t i = 0; i < s->nslots; i++) {
        slot[i] = (struct shard_slot){.offset = cel_get_word(raw + 16 * i, 8, s->index_big),
                                      .nbytes = cel_get_word(raw + 16 * i + 8, 8, s->index_big)};
        if (slot[i].offset == SHARD_EMPTY && slot[i].nbytes == SHARD_EMPTY)
            continue;
        if (slot[i].offset > size || slot[i].nbytes > size - slot[i].offset)
            return cel_fail(NC_EFILTER, "%s: entry %zu of the shard's index points outside the shard", key, i);
    }
    return CEL_OK;
}

int cel_zarr_index_decode(const struct cel_zarr_shard *s, const void *stored, uint64_t size, const char *key,
                          struct shard_slot *slot)
{
    struct cel_scratch *scratch = NULL;
    unsigned char *raw = cel_malloc(16 * s->nslots);
    int rc = raw ? cel_scratch_make(&scratch) : NC_ENOMEM;

    if (rc == CEL_OK) {
        rc = cel_chain_decode(&s->index_chain, scratch, stored, cel_zarr_index_size(s), 0, raw);
        if (rc != CEL_OK)
            cel_fail_in(rc, "%s: the shard's index", key);
    }
    if (rc == CEL_OK)
        rc = parse(s, raw, size, key, slot);
    cel_scratch_free(scratch);
    free(raw);
    return rc;
}

int cel_zarr_index_encode(const struct cel_zarr_shard *s, const struct shard_slot *slot, struct cel_buf *out)
{
    unsigned char *raw = cel_malloc(16 * s->nslots);
    struct cel_scratch *scratch = NULL;
    const void *encoded;
    uint32_t skipped;
    size_t n;
    int rc = raw ? cel_scratch_make(&scratch) : NC_ENOMEM;

    for (size_t i = 0; rc == CEL_OK && i < s->nslots; i++) {
        cel_put_word(raw + 16 * i, slot[i].offset, 8, s->index_big);
        cel_put_word(raw + 16 * i + 8, slot[i].nbytes, 8, s->index_big);
    }
    if (rc == CEL_OK)
        rc = cel_chain_encode(&s->index_chain, scratch, raw, 16 * s->nslots, &encoded, &n, &skipped);
    assert(rc != CEL_OK || n == cel_zarr_index_size(s)); /* readers find it by its size */
    if (rc == CEL_OK)
        rc = cel_buf_add(out, encoded, n);
    cel_scratch_free(scratch);
    free(raw);
    return rc;
}
