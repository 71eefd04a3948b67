/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of the file that stay where they are for a while, so that they can be looked at: the few read last. A look takes
 * more than it was asked for, as the next one is mostly for the bytes behind. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { BLOCK = 1024, BLOCK_MAX = 16 << 20 }; /* the least that is read; the most that is kept together */

int cel_h5r_reader_make(const struct cel_h5r_file *file, struct cel_h5r_reader **out)
{
    struct cel_h5r_reader *r = cel_calloc(1, sizeof *r);

    if (!r)
        return NC_ENOMEM;
    r->file = file;
    *out = r;
    return CEL_OK;
}

void cel_h5r_reader_free(struct cel_h5r_reader *r)
{
    if (!r)
        return;
    for (int i = 0; i < CEL_H5R_BLOCKS; i++)
        free(r->block[i].bytes);
    cel_h5r_global_heap_forget(r);
    free(r);
}

void cel_h5r_reader_forget(struct cel_h5r_reader *r)
{
    for (int i = 0; i < CEL_H5R_BLOCKS; i++)
        r->block[i].n = 0;
    cel_h5r_global_heap_forget(r);
}

static bool is_address(const struct cel_h5r_reader *r, uint64_t addr)
{
    return addr <= UINT64_MAX / 4 && r->file->base <= UINT64_MAX / 4;
}

static const unsigned char *find_kept(const struct cel_h5r_reader *r, uint64_t want, size_t n)
{
    for (int i = 0; i < CEL_H5R_BLOCKS; i++)
        if (r->block[i].n && want >= r->block[i].at && want + n <= r->block[i].at + r->block[i].n)
            return r->block[i].bytes + (want - r->block[i].at);
    return NULL;
}

static bool make_space(struct cel_h5r_block *b, size_t n)
{
    unsigned char *bytes;

    b->n = 0;
    if (n <= b->cap)
        return true;
    bytes = cel_realloc(b->bytes, n, 1);
    if (!bytes)
        return false;
    b->bytes = bytes;
    b->cap = n;
    return true;
}

/* libhdf5 reads what could not be read again, and says why it fails. */
static const unsigned char *read_block(struct cel_h5r_reader *r, uint64_t want, size_t n)
{
    uint64_t size = r->file->size;
    struct cel_h5r_block *b = &r->block[r->turn];
    size_t len = n < BLOCK ? BLOCK : n;

    if (want >= size || n > size - want)
        return NULL;
    if (len > size - want)
        len = (size_t)(size - want);
    r->turn = (r->turn + 1) % CEL_H5R_BLOCKS;
    if (!make_space(b, len) || cel_source_read_at(r->file->source, want, b->bytes, len) != CEL_OK) {
        cel_error_clear();
        return NULL;
    }
    b->at = want;
    b->n = len;
    return b->bytes;
}

const unsigned char *cel_h5r_look(struct cel_h5r_reader *r, uint64_t addr, size_t n)
{
    const unsigned char *p;

    if (n > BLOCK_MAX || !is_address(r, addr))
        return NULL;
    p = find_kept(r, addr + r->file->base, n);
    return p ? p : read_block(r, addr + r->file->base, n);
}
