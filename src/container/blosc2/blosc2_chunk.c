/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks of a frame. Their offsets lie in a chunk of their own, of which a block is decoded when it is needed: a file
 * cannot ask for more memory than itself and two blocks. Special chunks have no bytes in the file; the header that
 * says what they are is given instead. */
#include "blosc2_int.h"
#include "bytes.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

#define OFFSET 8
#define INDEX_BLOCK 65536         /* bytes of a block of offsets that is not compressed */
#define INDEX_BLOCK_MAX (1 << 26) /* of one that is */

int cel_blosc2_read(struct blosc2_file *b, uint64_t at, void *dst, size_t n)
{
    int rc = n ? cel_source_read_at(b->source, at, dst, n) : CEL_OK;

    return rc == CEL_BEYOND_END ? cel_fail(NC_EIO, "the file is truncated: %zu bytes are needed from byte %llu on", n,
                                           (unsigned long long)at)
                                : rc;
}

static int check_index(struct blosc2_file *b)
{
    struct cel_b2_header *h = &b->index_header;

    if (h->nbytes / OFFSET != b->frame.nchunks || h->nbytes % OFFSET)
        return cel_fail(NC_EFILTER, "blosc2: the frame has %zu chunks and offsets of %zu", b->frame.nchunks,
                        h->nbytes / OFFSET);
    if (h->special || h->stored) /* can be cut at will */
        h->block = h->nbytes < INDEX_BLOCK ? h->nbytes : INDEX_BLOCK;
    if (h->block > INDEX_BLOCK_MAX || h->block % OFFSET)
        return cel_fail(NC_EFILTER, "blosc2: the offsets of the chunks lie in blocks of %zu bytes", h->block);
    h->nblocks = (h->nbytes - 1) / h->block + 1;
    b->block = SIZE_MAX;
    b->offsets = cel_malloc(h->block);
    return b->offsets ? CEL_OK : NC_ENOMEM;
}

int cel_blosc2_index_open(struct blosc2_file *b)
{
    size_t at = b->frame.header + b->frame.cbytes, there = b->frame.size - at, n;
    unsigned char head[16];
    int rc;

    if (b->frame.nchunks == 0)
        return CEL_OK;
    if (there < sizeof head)
        return cel_fail(NC_EFILTER, "blosc2: the frame has no offsets of its chunks");
    rc = cel_blosc2_read(b, at, head, sizeof head);
    n = rc == CEL_OK ? cel_get_le32(head + 12) : 0;
    if (rc == CEL_OK && n > there)
        rc = cel_fail(NC_EFILTER, "blosc2: the offsets of the chunks reach beyond the frame");
    if (rc == CEL_OK && !(b->index = cel_malloc(n)))
        rc = NC_ENOMEM;
    if (rc == CEL_OK)
        rc = cel_blosc2_read(b, at, b->index, n);
    if (rc == CEL_OK)
        rc = cel_b2_header_read(b->index, n, &b->index_header);
    return rc == CEL_OK ? check_index(b) : rc;
}

static int turn_to(struct blosc2_file *b, size_t block)
{
    int rc;

    if (block == b->block)
        return CEL_OK;
    b->block = SIZE_MAX;
    rc = cel_b2_decode_blocks(b->work, &b->index_header, b->index, NULL, block, 1, b->offsets);
    if (rc == CEL_OK)
        b->block = block;
    return rc;
}

static int offset_of(struct blosc2_file *b, size_t number, uint64_t *out)
{
    size_t at = number * OFFSET;
    int rc;

    cel_lock(&b->lock);
    rc = turn_to(b, at / b->index_header.block);
    if (rc == CEL_OK)
        *out = cel_get_le64(b->offsets + at % b->index_header.block);
    cel_unlock(&b->lock);
    return rc;
}

int cel_blosc2_chunk_find(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                          struct cel_chunk_location *out)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    const struct cel_b2_array *a = &b->array;
    size_t number = 0;
    uint64_t offset = 0;
    int rc;

    for (int d = 0; d < a->rank && b->frame.nchunks; d++)
        number = number * ((a->shape[d] - 1) / a->chunk[d] + 1) + index[d];
    *out = (struct cel_chunk_location){.nbytes = SIZE_MAX};
    if (number >= b->frame.nchunks)
        return CEL_ABSENT;
    if (b->output)
        return cel_blosc2_slot_find(b, number, out);
    rc = offset_of(b, number, &offset);
    if (rc == CEL_OK && !(offset & CEL_BLOSC2_SPECIAL) && offset >= b->frame.cbytes)
        rc = cel_fail(NC_EFILTER, "blosc2: a chunk lies outside the frame");
    out->address = offset;
    return rc;
}

/* The bytes of a chunk that is in the file; its header begins with their number. */
static int stored_bytes(struct blosc2_file *b, uint64_t offset, size_t *n)
{
    unsigned char head[16];
    size_t left = b->frame.cbytes - (size_t)offset;
    int rc = left < sizeof head ? CEL_OK : cel_blosc2_read(b, b->frame.header + offset, head, sizeof head);

    *n = rc == CEL_OK && left >= sizeof head ? cel_get_le32(head + 12) : 0;
    if (rc == CEL_OK && (*n < sizeof head || *n > left))
        rc = cel_fail(NC_EFILTER, "blosc2: the chunk says it is %zu bytes long, %zu are there", *n, left);
    return rc;
}

int cel_blosc2_chunk_read(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                          const struct cel_chunk_location *at, struct cel_buf *out)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    unsigned char special[CEL_B2_HEADER];
    size_t n = 0, where;
    bool is_special;
    int rc;

    out->len = 0;
    if (at->address & CEL_BLOSC2_SPECIAL) {
        rc = cel_b2_frame_offset(&b->frame, at->address, b->frame.chunk, &where, special, &is_special);
        return rc == CEL_OK ? cel_buf_add(out, special, sizeof special) : rc;
    }
    n = at->nbytes;
    rc = n == SIZE_MAX ? stored_bytes(b, at->address, &n) : CEL_OK;
    if (rc == CEL_OK)
        rc = cel_buf_resize(out, n);
    return rc == CEL_OK ? cel_blosc2_read(b, b->frame.header + at->address, out->data, n) : rc;
}

int cel_blosc2_chunk_fetch_size(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at,
                                size_t *nbytes)
{
    *nbytes = at->address & CEL_BLOSC2_SPECIAL ? CEL_B2_HEADER : at->nbytes;
    return *nbytes == SIZE_MAX ? stored_bytes(cel_blosc2_of(ds), at->address, nbytes) : CEL_OK;
}

int cel_blosc2_chunk_fetch(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at,
                           size_t offset, size_t n, void *dst)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    unsigned char special[CEL_B2_HEADER];
    bool is_special;
    size_t where;
    int rc;

    if (!(at->address & CEL_BLOSC2_SPECIAL))
        return cel_blosc2_read(b, b->frame.header + at->address + offset, dst, n);
    rc = cel_b2_frame_offset(&b->frame, at->address, b->frame.chunk, &where, special, &is_special);
    if (rc == CEL_OK)
        memcpy(dst, special + offset, n);
    return rc;
}

int cel_blosc2_chunk_size(struct cel_dataset *ds, struct cel_var *var, const size_t *index, uint64_t *out)
{
    struct cel_chunk_location at;
    size_t n = 0;
    int rc = cel_blosc2_chunk_find(ds, var, index, &at);

    if (rc == CEL_OK && at.nbytes != SIZE_MAX)
        n = at.nbytes;
    else if (rc == CEL_OK && !(at.address & CEL_BLOSC2_SPECIAL))
        rc = stored_bytes(cel_blosc2_of(ds), at.address, &n);
    *out = n;
    return rc;
}

int cel_blosc2_chunk_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                            struct cel_chunk_location *out, char **key)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    int rc = cel_blosc2_chunk_find(ds, var, index, out);

    *key = NULL;
    if (rc != CEL_OK)
        return rc;
    if (out->address & CEL_BLOSC2_SPECIAL) {
        out->address = UINT64_MAX;
        out->nbytes = 0;
        return CEL_OK;
    }
    rc = out->nbytes == SIZE_MAX ? stored_bytes(b, out->address, &out->nbytes) : CEL_OK;
    out->address += b->frame.header;
    return rc;
}
