/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of HDF5's metadata that end with a checksum: object headers and what they lead to.
 *
 *   object header   "OHDR" 2 flags(1) [times(16)] [attribute phases(4)] size(1,2,4,8) messages sum(4)
 *   continuation    "OCHK" messages sum(4)
 *   message         type(1) size(2) flags(1) [order(2)] body
 *   fractal heap    "FRHP" ..., its direct blocks "FHDB" and indirect ones "FHIB"; B-tree 2 "BTHD" "BTIN" "BTLF"
 * Chapters III.A.2, III.G, IV.A.1. */

#include "mend_hdf5.h"
#include <stdlib.h>
#include <string.h>

enum { DATASPACE = 1, LINK_INFO = 2, LINK = 6, LAYOUT = 8, CONTINUATION = 16, SYMBOLS = 17, ATT_INFO = 21 };
enum { PREFIX_MAX = 34, HEAP = 146, TREE2 = 38, DEPTH_MAX = 64 };

bool mend_sum_is_good(const struct mend *m, uint64_t at, size_t n)
{
    return n > 4 && mend_inside(m, at, n) &&
           mend_lookup3(m->bytes + at, n - 4) == (uint32_t)mend_le(m->bytes + at + n - 4, 4);
}

/* --- a block of known length ------------------------------------------------------------------ */

struct block {
    struct mend *m;
    uint64_t at;
    size_t n;
    const char *signature;
    size_t sum; /* where the checksum stands if not at the end, taken with zeros in its place; 0: at the end */
};

static bool block_fits(void *arg)
{
    struct block *b = arg;
    unsigned char *p = b->m->bytes + b->at, kept[4];
    bool good;

    if (memcmp(p, b->signature, 4) != 0)
        return false;
    if (!b->sum)
        return mend_sum_is_good(b->m, b->at, b->n);
    memcpy(kept, p + b->sum, 4);
    memset(p + b->sum, 0, 4);
    good = mend_lookup3(p, b->n) == (uint32_t)mend_le(kept, 4);
    memcpy(p + b->sum, kept, 4);
    return good;
}

/* Is the block good, or can one byte make it so? */
static bool mend_block(struct mend *m, uint64_t at, size_t n, const char *signature, size_t sum)
{
    struct block b = {m, at, n, signature, sum};
    struct text what = {0};
    bool good;

    if (n < 8 || !mend_inside(m, at, n))
        return false;
    good = block_fits(&b);
    if (good)
        return true;
    text_printf(&what, "metadata %s", signature);
    good = mend_byte(m, at, n, block_fits, &b, text_get(&what));
    text_free(&what);
    return good;
}

/* --- dense storage ------------------------------------------------------------------------------- */

/* The size of a direct block in row r of the heap's table. */
static uint64_t row_size(uint64_t start, unsigned row)
{
    return row < 2 ? start : row - 1 < 32 ? start << (row - 1) : 0;
}

static bool mend_heap_blocks(struct mend *m, const unsigned char *heap)
{
    size_t width = mend_le(heap + 110, 2), offset = (mend_le(heap + 128, 2) + 7) / 8, head = 13 + offset;
    uint64_t start = mend_le(heap + 112, 8), most = mend_le(heap + 120, 8), root = mend_le(heap + 132, 8);
    unsigned rows = (unsigned)mend_le(heap + 140, 2);
    bool sums = heap[9] & 2, good = true;

    if (start > MEND_MAX || rows > 64 || width > 64)
        return true;
    if (rows == 0)
        return sums ? mend_block(m, root, start, "FHDB", head) : mend_inside(m, root, start);
    if (!mend_block(m, root, head + (size_t)rows * width * 8 + 4, "FHIB", 0))
        return false;
    for (size_t i = 0; i < rows * width && sums; i++) {
        uint64_t n = row_size(start, (unsigned)(i / width)), at = mend_le(m->bytes + root + head + i * 8, 8);

        if (at != MEND_NOWHERE && n && n <= most)
            good = mend_block(m, at, n, "FHDB", head) && good;
    }
    return good;
}

static bool mend_heap(struct mend *m, uint64_t at)
{
    return mend_inside(m, at, HEAP) && mend_le(m->bytes + at + 7, 2) == 0 && mend_block(m, at, HEAP, "FRHP", 0) &&
           mend_heap_blocks(m, m->bytes + at);
}

static bool mend_tree2(struct mend *m, uint64_t at)
{
    const unsigned char *p = m->bytes + at;
    size_t node, record, n, bytes;
    uint64_t root;
    bool good = true;

    if (!mend_block(m, at, TREE2, "BTHD", 0))
        return false;
    node = mend_le(p + 6, 4), record = mend_le(p + 10, 2), n = mend_le(p + 24, 2), root = mend_le(p + 16, 8);
    if (mend_le(p + 12, 2) == 0)
        return n == 0 || mend_block(m, root, 10 + n * record, "BTLF", 0);
    if (mend_le(p + 12, 2) > 1 || !record || node <= 10)
        return true;
    bytes = (node - 10) / record > 255 ? 2 : 1;
    if (!mend_block(m, root, 10 + n * record + (n + 1) * (8 + bytes), "BTIN", 0))
        return false;
    for (size_t i = 0; i <= n; i++) {
        const unsigned char *child = m->bytes + root + 6 + n * record + i * (8 + bytes);

        good = mend_block(m, mend_le(child, 8), 10 + mend_le(child + 8, bytes) * record, "BTLF", 0) && good;
    }
    return good;
}

/* "Link info", "attribute info": version(1) flags(1) [most so far] heap(8) by name(8) [by order(8)] */
static bool mend_dense(struct mend *m, const unsigned char *body, size_t n, size_t counter)
{
    size_t at = 2 + (n > 1 && (body[1] & 1) ? counter : 0);
    bool good;

    if (n < at + 16 || mend_le(body + at, 8) == MEND_NOWHERE)
        return true;
    good = mend_heap(m, mend_le(body + at, 8));
    good = mend_tree2(m, mend_le(body + at + 8, 8)) && good;
    if ((body[1] & 2) && n >= at + 24)
        good = mend_tree2(m, mend_le(body + at + 16, 8)) && good;
    return good;
}

/* --- messages ----------------------------------------------------------------------------------------- */

struct visit {
    struct mend_hdf5 *h;
    struct mend_grid grid;
    bool ordered, group, broken, stray;
    int depth;
};

static void add_link(struct mend_hdf5 *h, const unsigned char *name, size_t n, uint64_t to)
{
    h->link = tool_push(h->link, h->nlinks, sizeof *h->link);
    h->link[h->nlinks++] = (struct mend_link){.name = tool_strndup((const char *)name, n), .to = to};
}

/* version(1) flags(1) [type(1)] [order(8)] [character set(1)] length(1,2,4,8) name address(8). Gives its length; 0: it is
 * none, or no hard link. */
static size_t take_link(struct mend_hdf5 *h, const unsigned char *p, size_t n)
{
    size_t at = 2, size;
    uint64_t length;

    if (n < 12 || p[0] != 1 || p[1] & ~0x1f)
        return 0;
    if (p[1] & 8 && p[at++] != 0)
        return 0;
    at += (p[1] & 4 ? 8 : 0) + (p[1] & 16 ? 1 : 0);
    size = (size_t)1 << (p[1] & 3);
    if (at + size > n)
        return 0;
    length = mend_le(p + at, size);
    at += size;
    if (length == 0 || length > 1024 || length + 8 > n - at)
        return 0;
    add_link(h, p + at, length, mend_le(p + at + length, 8));
    return at + length + 8;
}

static void take_dataspace(struct mend_grid *g, const unsigned char *p, size_t n)
{
    size_t at = p[0] == 1 ? 8 : 4;

    if (n < 4 || p[1] > 32 || n < at + 8 * (size_t)p[1])
        return;
    g->rank = p[1];
    for (int d = 0; d < g->rank; d++)
        g->shape[d] = mend_le(p + at + 8 * (size_t)d, 8);
}

/* version 3, class 2: rank + 1(1) B-tree(8) lengths(4 each) size of an element(4) */
static void take_layout(struct mend_grid *g, const unsigned char *p, size_t n)
{
    if (n < 11 || p[0] != 3 || p[1] != 2 || p[2] < 2 || p[2] > 33 || n < 11 + 4 * (size_t)p[2])
        return;
    g->tree = mend_le(p + 3, 8);
    for (int d = 0; d + 1 < p[2]; d++)
        g->chunk[d] = mend_le(p + 11 + 4 * (size_t)d, 4);
}

static void walk_messages(struct visit *v, uint64_t from, uint64_t to);

static void take_continuation(struct visit *v, const unsigned char *p, size_t n)
{
    uint64_t at, size;

    if (n < 16 || v->depth >= DEPTH_MAX)
        return;
    at = mend_le(p, 8), size = mend_le(p + 8, 8);
    if (size > MEND_MAX || !mend_block(v->h->m, at, size, "OCHK", 0))
        return;
    v->depth++;
    walk_messages(v, at + 4, at + size - 4);
}

static void take_message(struct visit *v, int type, const unsigned char *p, size_t n)
{
    switch (type) {
    case DATASPACE: take_dataspace(&v->grid, p, n); break;
    case LINK_INFO:
        v->group = true;
        v->broken = !mend_dense(v->h->m, p, n, 8);
        break;
    case LINK:
        if (take_link(v->h, p, n))
            v->h->link[v->h->nlinks - 1].owned = !v->stray;
        break;
    case LAYOUT: take_layout(&v->grid, p, n); break;
    case CONTINUATION: take_continuation(v, p, n); break;
    case SYMBOLS: v->group = true; break;
    case ATT_INFO: mend_dense(v->h->m, p, n, 2); break;
    default: break;
    }
}

static void walk_messages(struct visit *v, uint64_t from, uint64_t to)
{
    size_t head = v->ordered ? 6 : 4;

    while (from + head <= to) {
        const unsigned char *p = v->h->m->bytes + from;
        size_t n = mend_le(p + 1, 2);

        if (n > to - from - head)
            return;
        take_message(v, p[0], p + head, n);
        from += head + n;
    }
}

/* --- object headers ------------------------------------------------------------------------------------- */

/* Bytes before the messages, and with the checksum; 0: it is none. */
static size_t header_length(const struct mend *m, uint64_t at, size_t *prefix)
{
    const unsigned char *p = m->bytes + at;
    size_t size;
    uint64_t n;

    if (!mend_inside(m, at, 16) || memcmp(p, "OHDR\2", 5) != 0 || (p[5] & 0xc0))
        return 0;
    size = (size_t)1 << (p[5] & 3);
    *prefix = 6 + (p[5] & 0x20 ? 16 : 0) + (p[5] & 0x10 ? 4 : 0);
    if (!mend_inside(m, at, *prefix + size))
        return 0;
    n = mend_le(p + *prefix, size);
    *prefix += size;
    return n <= MEND_MAX && mend_inside(m, at, *prefix + n + 4) ? *prefix + n + 4 : 0;
}

bool mend_header_is_good(struct mend *m, uint64_t at)
{
    size_t prefix, n = header_length(m, at, &prefix);

    return n && mend_sum_is_good(m, at, n);
}

struct where {
    struct mend *m;
    uint64_t at;
};

static bool header_fits(void *arg)
{
    struct where *w = arg;

    return mend_header_is_good(w->m, w->at);
}

/* The first bytes first: they say how long it is. */
static bool mend_whole_header(struct mend *m, uint64_t at)
{
    struct where w = {m, at};
    size_t prefix, n, most = m->size - at < PREFIX_MAX ? m->size - at : PREFIX_MAX;

    if (mend_header_is_good(m, at) || mend_byte(m, at, most, header_fits, &w, "metadata OHDR"))
        return true;
    n = header_length(m, at, &prefix);
    return n && mend_byte(m, at, n, header_fits, &w, "metadata OHDR");
}

/* With a byte of the signature changed only a checksum can tell a header from other bytes. */
static bool mend_signature(struct mend *m, uint64_t at)
{
    unsigned char kept[4];

    memcpy(kept, m->bytes + at, 4);
    memcpy(m->bytes + at, "OHDR", 4);
    if (mend_header_is_good(m, at)) {
        mend_note(m, "metadata OHDR: the signature at byte %llu is whole again", (unsigned long long)at);
        return true;
    }
    memcpy(m->bytes + at, kept, 4);
    return false;
}

void mend_header(struct mend_hdf5 *h, uint64_t at)
{
    struct visit v = {.h = h, .grid = {.tree = MEND_NOWHERE}};
    bool exact = memcmp(h->m->bytes + at, "OHDR", 4) == 0;
    size_t prefix, n;

    if (exact ? !mend_whole_header(h->m, at) : !mend_signature(h->m, at))
        return;
    n = header_length(h->m, at, &prefix);
    v.ordered = h->m->bytes[at + 5] & 4;
    walk_messages(&v, at + prefix, at + n - 4);
    if (v.grid.tree != MEND_NOWHERE)
        mend_tree(h->m, &v.grid);
    h->object = tool_push(h->object, h->nobjects, sizeof *h->object);
    h->object[h->nobjects++] = (struct mend_object){at, v.group, v.broken};
}

/* --- blocks whose header is gone ---------------------------------------------------------------------------- */

/* How long a continuation is stands in the header; here the checksum tells, looked for after each message. */
static void take_stray_messages(struct mend_hdf5 *h, uint64_t at, bool ordered)
{
    struct visit v = {.h = h, .ordered = ordered, .stray = true, .depth = DEPTH_MAX};
    size_t head = ordered ? 6 : 4;

    for (uint64_t p = at + 4; mend_inside(h->m, p, head + 4) && p - at < MEND_MAX;) {
        p += head + mend_le(h->m->bytes + p + 1, 2);
        if (mend_inside(h->m, p, 4) && mend_sum_is_good(h->m, at, p + 4 - at)) {
            walk_messages(&v, at + 4, p);
            return;
        }
    }
}

/* Links follow one another in a block of a heap. */
static void take_stray_heap(struct mend_hdf5 *h, uint64_t at)
{
    for (uint64_t p = at + 13, end = p + 16; p < end && mend_inside(h->m, p, 16); p++) {
        size_t n, most = h->m->size - p < MEND_MAX ? h->m->size - p : MEND_MAX;

        if ((n = take_link(h, h->m->bytes + p, most)) != 0) {
            for (; n && most > n; most -= n, n = take_link(h, h->m->bytes + p, most))
                p += n;
            return;
        }
    }
}

void mend_stray_links(struct mend_hdf5 *h)
{
    struct mend *m = h->m;

    for (size_t i = 0; i + 16 < m->size; i++) {
        if (memcmp(m->bytes + i, "OCHK", 4) == 0) {
            take_stray_messages(h, i, true);
            take_stray_messages(h, i, false);
        } else if (memcmp(m->bytes + i, "FHDB", 4) == 0) {
            take_stray_heap(h, i);
        }
    }
}
