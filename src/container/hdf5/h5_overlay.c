/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes on top of a file, by their offset in it: blocks in ascending order that never overlap, so that a binary search
 * finds what covers an offset. What is put last counts. */
#include "h5_overlay.h"
#include "mem.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t end_of(const struct cel_h5_block *b)
{
    return b->at + b->n;
}

/* The first block that reaches beyond an address. */
static size_t first_beyond(const struct cel_h5_overlay *o, uint64_t at)
{
    size_t lo = 0, hi = o->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (end_of(&o->block[mid]) <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int insert(struct cel_h5_overlay *o, size_t i, uint64_t at, const void *bytes, size_t n)
{
    unsigned char *copy = cel_malloc(n);

    if (copy && o->n == o->cap) {
        size_t cap = o->cap ? o->cap * 2 : 64;
        struct cel_h5_block *block = cel_realloc(o->block, cap, sizeof *block);

        if (block) {
            o->block = block;
            o->cap = cap;
        }
    }
    if (!copy || o->n == o->cap) {
        free(copy);
        return ENOMEM;
    }
    memcpy(copy, bytes, n);
    memmove(o->block + i + 1, o->block + i, (o->n - i) * sizeof *o->block);
    o->block[i] = (struct cel_h5_block){at, n, copy};
    o->n++;
    o->nbytes += n;
    return 0;
}

static void take_out(struct cel_h5_overlay *o, size_t i)
{
    o->nbytes -= o->block[i].n;
    free(o->block[i].bytes);
    o->n--;
    memmove(o->block + i, o->block + i + 1, (o->n - i) * sizeof *o->block);
}

static void shorten(struct cel_h5_overlay *o, struct cel_h5_block *b, uint64_t from, uint64_t to)
{
    memmove(b->bytes, b->bytes + (from - b->at), (size_t)(to - from));
    o->nbytes -= b->n - (size_t)(to - from);
    b->at = from;
    b->n = (size_t)(to - from);
}

int cel_h5_overlay_drop(struct cel_h5_overlay *o, uint64_t at, size_t n)
{
    size_t i = first_beyond(o, at);
    uint64_t end = at + n;
    int e;

    while (i < o->n && o->block[i].at < end) {
        struct cel_h5_block *b = &o->block[i];

        if (b->at < at && end_of(b) > end) { /* a hole in its middle: what lies behind becomes a block */
            e = insert(o, i + 1, end, b->bytes + (end - b->at), (size_t)(end_of(b) - end));
            if (e)
                return e;
            b = &o->block[i];
        }
        if (b->at < at)
            shorten(o, &o->block[i++], b->at, at);
        else if (end_of(b) > end)
            shorten(o, b, end, end_of(b));
        else
            take_out(o, i);
    }
    assert(!cel_h5_overlay_touches(o, at, n));
    return 0;
}

int cel_h5_overlay_put(struct cel_h5_overlay *o, uint64_t at, const void *bytes, size_t n)
{
    size_t i = first_beyond(o, at);
    int e;

    if (i < o->n && o->block[i].at <= at && end_of(&o->block[i]) >= at + n) {
        memcpy(o->block[i].bytes + (at - o->block[i].at), bytes, n);
        return 0;
    }
    e = cel_h5_overlay_drop(o, at, n);
    if (e)
        return e;
    i = first_beyond(o, at);
    e = insert(o, i, at, bytes, n);
    assert(e || ((i == 0 || end_of(&o->block[i - 1]) <= at) && (i + 1 == o->n || at + n <= o->block[i + 1].at)));
    return e;
}

bool cel_h5_overlay_touches(const struct cel_h5_overlay *o, uint64_t at, size_t n)
{
    size_t i = first_beyond(o, at);

    return i < o->n && o->block[i].at < at + n;
}

size_t cel_h5_overlay_patch(const struct cel_h5_overlay *o, uint64_t at, void *bytes, size_t n)
{
    uint64_t end = at + n, reach = at;

    for (size_t i = first_beyond(o, at); i < o->n && o->block[i].at < end; i++) {
        const struct cel_h5_block *b = &o->block[i];
        uint64_t from = b->at > at ? b->at : at, to = end_of(b) < end ? end_of(b) : end;

        memcpy((char *)bytes + (from - at), b->bytes + (from - b->at), (size_t)(to - from));
        reach = to;
    }
    return (size_t)(reach - at);
}

void cel_h5_overlay_clear(struct cel_h5_overlay *o)
{
    for (size_t i = 0; i < o->n; i++)
        free(o->block[i].bytes);
    free(o->block);
    *o = (struct cel_h5_overlay){0};
}
