/* SPDX-License-Identifier: BSD-3-Clause */
/* A source that keeps the blocks of another one read last: what describes one object (its header, the heap of its
 * attributes, the index of that heap) lies in many small pieces, mostly side by side, and each would be a read of its
 * own. Every small read of the file passes here, whichever structure it is for; what is larger goes to the source below.
 *
 * A file with a metadata cache image (h5_image.c) has bytes that count instead of those that stand in it: they are laid over
 * whatever is read from the source below.
 *
 * Blocks begin at multiples of their size, so that no byte is kept twice. The one used longest ago goes. A block
 * is read outside the lock: while one thread waits for the disk, the others find what is kept. */
#include "h5_read_int.h"
#include "thread.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8192, BLOCKS = 32, LARGE = 4096 /* bytes from which on a read does not pass here */ };

struct block {
    uint64_t at;          /* offset in the source */
    uint64_t used;        /* the count of uses, when it was used last */
    unsigned char *bytes; /* NULL: none, or a thread reads into it */
};

struct cache {
    struct cel_source source; /* must be first */
    struct cel_source *below;
    uint64_t size;
    struct cel_h5r_patches patches; /* set before threads share the cache */
    struct cel_mutex lock;          /* guards what follows */
    struct block block[BLOCKS];
    uint64_t uses;
    int last; /* the block used last, which is mostly the one asked for */
};

static int cache_size(struct cel_source *s, uint64_t *size)
{
    *size = ((const struct cache *)s)->size;
    return CEL_OK;
}

static int cache_close(struct cel_source *s)
{
    struct cache *c = (struct cache *)s;

    for (int i = 0; i < BLOCKS; i++)
        free(c->block[i].bytes);
    cel_h5r_patches_dispose(&c->patches);
    cel_mutex_dispose(&c->lock);
    free(c);
    return CEL_OK;
}

/* --- the blocks kept -------------------------------------------------------------------- */

/* The part of a block that is kept; false: it is not. */
static bool copy_kept(struct cache *c, uint64_t at, size_t skip, unsigned char *dst, size_t n)
{
    bool found = false;

    cel_lock(&c->lock);
    for (int i = 0; i < BLOCKS && !found; i++) {
        int k = (c->last + i) % BLOCKS;
        struct block *b = &c->block[k];

        found = b->bytes && b->at == at;
        if (found) {
            memcpy(dst, b->bytes + skip, n);
            b->used = ++c->uses;
            c->last = k;
        }
    }
    cel_unlock(&c->lock);
    return found;
}

/* The memory of the block used longest ago; NULL: it has none. */
static unsigned char *take_oldest(struct cache *c)
{
    struct block *oldest = &c->block[0];
    unsigned char *bytes;

    cel_lock(&c->lock);
    for (int i = 1; i < BLOCKS; i++)
        if (c->block[i].used < oldest->used)
            oldest = &c->block[i];
    bytes = oldest->bytes;
    *oldest = (struct block){0};
    cel_unlock(&c->lock);
    return bytes;
}

/* Takes the bytes over. Another thread may have read the same block meanwhile, or all slots may be taken again. */
static void keep(struct cache *c, uint64_t at, unsigned char *bytes)
{
    struct block *slot = NULL;
    bool kept = false;

    cel_lock(&c->lock);
    for (int i = 0; i < BLOCKS; i++) {
        if (!c->block[i].bytes)
            slot = &c->block[i];
        kept = kept || (c->block[i].bytes && c->block[i].at == at);
    }
    if (slot && !kept) {
        *slot = (struct block){.at = at, .used = ++c->uses, .bytes = bytes};
        bytes = NULL;
    }
    cel_unlock(&c->lock);
    free(bytes);
}

/* --- reading ------------------------------------------------------------------------------ */

/* The first patch that ends behind an offset. */
static size_t first_behind(const struct cel_h5r_patches *p, uint64_t at)
{
    size_t lo = 0, hi = p->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (p->at[mid].at + p->at[mid].n <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int read_below(const struct cache *c, uint64_t at, unsigned char *dst, size_t n)
{
    int rc = cel_source_read_at(c->below, at, dst, n);
    uint64_t end = at + n;

    for (size_t i = first_behind(&c->patches, at); rc == CEL_OK && i < c->patches.n; i++) {
        const struct cel_h5r_patch *p = &c->patches.at[i];
        uint64_t from = p->at > at ? p->at : at, to = p->at + p->n < end ? p->at + p->n : end;

        if (from >= end)
            break;
        memcpy(dst + (from - at), p->bytes + (from - p->at), (size_t)(to - from));
    }
    return rc;
}

/* A block of which a part cannot be read is none: what was asked for may be readable by itself. */
static int read_in_block(struct cache *c, uint64_t at, size_t skip, unsigned char *dst, size_t n)
{
    size_t len = c->size - at < BLOCK ? (size_t)(c->size - at) : BLOCK;
    unsigned char *bytes;
    int rc;

    if (copy_kept(c, at, skip, dst, n))
        return CEL_OK;
    bytes = take_oldest(c);
    if (!bytes && !(bytes = cel_malloc(BLOCK)))
        return NC_ENOMEM;
    rc = read_below(c, at, bytes, len);
    if (rc != CEL_OK) {
        free(bytes);
        cel_error_clear();
        return read_below(c, at + skip, dst, n);
    }
    memcpy(dst, bytes + skip, n);
    keep(c, at, bytes);
    return CEL_OK;
}

static int cache_read_at(struct cel_source *s, uint64_t offset, void *dst, size_t n)
{
    struct cache *c = (struct cache *)s;
    unsigned char *out = dst;
    int rc = CEL_OK;

    if (offset > c->size || n > c->size - offset)
        return CEL_BEYOND_END;
    if (n >= LARGE)
        return read_below(c, offset, dst, n);
    while (rc == CEL_OK && n > 0) {
        size_t skip = (size_t)(offset % BLOCK), part = n < BLOCK - skip ? n : BLOCK - skip;

        rc = read_in_block(c, offset - skip, skip, out, part);
        offset += part;
        out += part;
        n -= part;
    }
    return rc;
}

static void cache_want(struct cel_source *s, const struct cel_range *range, size_t nranges)
{
    cel_source_want(((const struct cache *)s)->below, range, nranges);
}

static const struct cel_source_ops ops = {
    .size = cache_size, .read_at = cache_read_at, .want = cache_want, .close = cache_close};

int cel_h5r_cache_make(struct cel_source *below, struct cel_source **out)
{
    struct cache *c = cel_calloc(1, sizeof *c);
    int rc = c ? cel_source_size(below, &c->size) : NC_ENOMEM;

    if (rc != CEL_OK) {
        free(c);
        return rc;
    }
    c->source.ops = &ops;
    c->below = below;
    cel_mutex_init(&c->lock);
    *out = &c->source;
    return CEL_OK;
}

int cel_h5r_cache_lay(struct cel_source *source, struct cel_h5r_patches *p)
{
    struct cache *c = (struct cache *)source;

    if (source->ops != &ops)
        return CEL_ASK_LIBHDF5;
    for (int i = 0; i < BLOCKS; i++) { /* they were read without it */
        free(c->block[i].bytes);
        c->block[i] = (struct block){0};
    }
    c->patches = *p;
    *p = (struct cel_h5r_patches){0};
    return CEL_OK;
}
