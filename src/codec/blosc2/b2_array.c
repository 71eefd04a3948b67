/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of Blosc2: the layer that describes one, and its blocks. */
#include "b2_array.h"
#include "b2_share.h"
#include "b2_work.h"
#include "bytes.h"
#include "kernels.h"
#include "mem.h"
#include "nd_cells.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

enum { BEFORE_SHAPE = 3, LONG_ITEM = 9, ITEM = 5, BEFORE_TYPE = 6 };
#define TABLE_MOST 4096              /* blocks whose offsets are read with the header */
#define LOOKS_MOST ((size_t)1 << 22) /* at offsets, before fetching the whole chunk is less work */
enum { FIXARRAY = 0x90, INT64 = 0xd3, INT32 = 0xd2, STR32 = 0xdb };

/* --- the layer ------------------------------------------------------------------------------- */

static bool read_lengths(const unsigned char *p, int rank, size_t item, size_t least, size_t *out)
{
    if (p[0] != FIXARRAY + rank)
        return false;
    for (int d = 0; d < rank; d++) {
        const unsigned char *at = p + 1 + (size_t)d * item;
        uint64_t v = cel_get_be(at + 1, item - 1);

        if (at[0] != (item == ITEM ? INT32 : INT64) || v < least || v > (item == ITEM ? INT32_MAX : INT64_MAX))
            return false;
        out[d] = (size_t)v;
    }
    return true;
}

static void read_type(const unsigned char *p, size_t left, char *type)
{
    size_t len = left >= BEFORE_TYPE ? cel_get_be32(p + 2) : 0;

    type[0] = '\0';
    if (left < BEFORE_TYPE || p[0] != 0 || p[1] != STR32 || len > left - BEFORE_TYPE || len >= CEL_B2_TYPE_MAX)
        return;
    memcpy(type, p + BEFORE_TYPE, len);
    type[len] = '\0';
}

int cel_b2_array_read(const unsigned char *layer, size_t n, size_t elem, struct cel_b2_array *out)
{
    size_t at = BEFORE_SHAPE, need;
    int rank = n > 2 ? layer[2] : 0;

    *out = (struct cel_b2_array){.rank = rank, .elem = elem};
    if (n < BEFORE_SHAPE || layer[0] >> 4 != FIXARRAY >> 4 || rank > CEL_B2_RANK)
        return cel_fail(NC_EFILTER, "blosc2: the layer with the shape is damaged, or has more than %d dimensions",
                        CEL_B2_RANK);
    need = at + 3 + (size_t)rank * (LONG_ITEM + 2 * ITEM);
    if (n < need || !read_lengths(layer + at, rank, LONG_ITEM, 0, out->shape) ||
        !read_lengths(layer + (at += 1 + (size_t)rank * LONG_ITEM), rank, ITEM, 1, out->chunk) ||
        !read_lengths(layer + (at += 1 + (size_t)rank * ITEM), rank, ITEM, 1, out->block))
        return cel_fail(NC_EFILTER, "blosc2: the layer with the shape is damaged");
    read_type(layer + need, n - need, out->type);
    return CEL_OK;
}

static unsigned char *put_lengths(unsigned char *p, int rank, size_t item, const size_t *lengths)
{
    *p++ = (unsigned char)(FIXARRAY + rank);
    for (int d = 0; d < rank; d++) {
        *p++ = item == ITEM ? INT32 : INT64;
        cel_put_be(p, lengths[d], item - 1);
        p += item - 1;
    }
    return p;
}

size_t cel_b2_array_put(const struct cel_b2_array *a, unsigned char *dst)
{
    size_t len = strlen(a->type);
    unsigned char *p = dst;

    *p++ = FIXARRAY + 7;
    *p++ = 0;
    *p++ = (unsigned char)a->rank;
    p = put_lengths(p, a->rank, LONG_ITEM, a->shape);
    p = put_lengths(p, a->rank, ITEM, a->chunk);
    p = put_lengths(p, a->rank, ITEM, a->block);
    *p++ = 0;
    *p++ = STR32;
    cel_put_be32(p, (uint32_t)len);
    memcpy(p + 4, a->type, len);
    return (size_t)(p - dst) + 4 + len;
}

/* --- blocks ---------------------------------------------------------------------------------- */

static size_t blocks_along(const struct cel_b2_array *a, int d)
{
    return (a->chunk[d] - 1) / a->block[d] + 1;
}

size_t cel_b2_array_block_bytes(const struct cel_b2_array *a)
{
    size_t n = a->elem;

    for (int d = 0; d < a->rank; d++)
        if (!cel_mul(n, a->block[d], &n))
            return 0;
    return n > CEL_B2_CHUNK_MAX ? 0 : n;
}

size_t cel_b2_array_chunk_bytes(const struct cel_b2_array *a)
{
    size_t n = cel_b2_array_block_bytes(a);

    for (int d = 0; d < a->rank; d++)
        if (!cel_mul(n, blocks_along(a, d), &n))
            return 0;
    return n > CEL_B2_CHUNK_MAX ? 0 : n;
}

/* The longest side is halved until the block is small enough: little padding, and sides that are much alike. */
void cel_b2_array_choose_block(struct cel_b2_array *a, size_t nbytes)
{
    size_t items = nbytes / a->elem, n = 1;

    for (int d = 0; d < a->rank; d++)
        n *= a->block[d] = a->chunk[d];
    while (n > items && n > 1) {
        int longest = 0;

        for (int d = 1; d < a->rank; d++)
            if (a->block[d] > a->block[longest])
                longest = d;
        n /= a->block[longest];
        a->block[longest] = (a->block[longest] + 1) / 2;
        n *= a->block[longest];
    }
}

/* A box of rows between a block and an array, both in C order. */
struct box {
    int rank;
    size_t elem;
    size_t count[CEL_B2_RANK];                           /* of the box */
    size_t block[CEL_B2_RANK], array[CEL_B2_RANK];       /* lengths of the two */
    size_t in_block[CEL_B2_RANK], in_array[CEL_B2_RANK]; /* where the box starts in each */
};

/* Bytes from the start of an array to the box in it; step[d]: from one to the next along d. */
static size_t offset_in(const struct box *b, const size_t *dims, const size_t *start, size_t *step)
{
    size_t at = 0, size = b->elem;

    for (int d = b->rank; d-- > 0; size *= dims[d]) {
        step[d] = size;
        at += start[d] * size;
    }
    return at;
}

/* Axes at the end that both have whole are one run. *run: its bytes; gives how many axes are left. */
static int find_run(const struct box *b, size_t *run)
{
    int d = b->rank;

    *run = b->elem;
    while (d > 0) {
        *run *= b->count[--d];
        if (b->count[d] != b->block[d] || b->count[d] != b->array[d])
            break;
    }
    return d;
}

/* The runs of a box, one after the other: `run` bytes at in_block and in_array. */
struct runs {
    const struct box *b;
    size_t run, in_block, in_array;
    size_t index[CEL_B2_RANK], block_step[CEL_B2_RANK], array_step[CEL_B2_RANK];
    int left; /* axes outside the runs */
};

static void runs_begin(struct runs *r, const struct box *b)
{
    *r = (struct runs){.b = b};
    r->in_block = offset_in(b, b->block, b->in_block, r->block_step);
    r->in_array = offset_in(b, b->array, b->in_array, r->array_step);
    r->left = find_run(b, &r->run);
}

static bool runs_next(struct runs *r)
{
    for (int d = r->left; d-- > 0;) {
        r->in_block += r->block_step[d];
        r->in_array += r->array_step[d];
        if (++r->index[d] < r->b->count[d])
            return true;
        r->in_block -= r->block_step[d] * r->b->count[d];
        r->in_array -= r->array_step[d] * r->b->count[d];
        r->index[d] = 0;
    }
    return false;
}

static void copy_box(const struct box *b, unsigned char *block, unsigned char *array, bool into_block)
{
    struct runs r;

    runs_begin(&r, b);
    do
        memcpy(into_block ? block + r.in_block : array + r.in_array,
               into_block ? array + r.in_array : block + r.in_block, r.run);
    while (runs_next(&r));
}

/* Whether the box is all of the block, and its elements follow each other in the array as they do in the block. */
static bool is_run_of_both(const struct box *b)
{
    bool inner = true; /* all axes further in are whole in the array */

    for (int d = b->rank; d-- > 0;) {
        if (b->count[d] != b->block[d] || (!inner && b->count[d] != 1))
            return false;
        inner = inner && b->count[d] == b->array[d];
    }
    return true;
}

/* The part of the region that lies in the block at index[]. */
static void box_of_block(const struct cel_b2_array *a, const size_t *index, const size_t *start, const size_t *count,
                         struct box *out)
{
    *out = (struct box){.rank = a->rank, .elem = a->elem};
    for (int d = 0; d < a->rank; d++) {
        size_t first = index[d] * a->block[d], end = first + a->block[d], stop = start[d] + count[d];
        size_t from = first > start[d] ? first : start[d];

        out->count[d] = (end < stop ? end : stop) - from;
        out->block[d] = a->block[d];
        out->array[d] = count[d];
        out->in_block[d] = from - first;
        out->in_array[d] = from - start[d];
    }
}

/* Whether the box is all of the block. */
static bool is_complete(const struct cel_b2_array *a, const struct box *box)
{
    for (int d = 0; d < a->rank; d++)
        if (box->count[d] != a->block[d])
            return false;
    return true;
}

/* From the first byte of the box in its block to behind the last. */
static struct cel_b2_range range_of(const struct box *b)
{
    size_t step[CEL_B2_RANK];
    struct cel_b2_range out = {.first = offset_in(b, b->block, b->in_block, step)};

    out.end = out.first + b->elem;
    for (int d = 0; d < b->rank; d++)
        out.end += (b->count[d] - 1) * step[d];
    return out;
}

static int check_chunk(const struct cel_b2_array *a, const struct cel_b2_header *h)
{
    if (h->nbytes != cel_b2_array_chunk_bytes(a) || h->nbytes == 0)
        return cel_fail(NC_EFILTER, "blosc2: a chunk has %zu bytes, which its shape does not make", h->nbytes);
    if (!h->special && h->block != cel_b2_array_block_bytes(a))
        return cel_fail(NC_EFILTER, "blosc2: blocks have %zu bytes, which their shape does not make", h->block);
    return CEL_OK;
}

/* With delta, each thread would decode the first block once more. */
static bool is_shared(const struct cel_b2_header *h)
{
    return !h->special && !h->stored && !cel_b2_has_delta(h);
}

/* The part of a chunk that is wanted, and the blocks that it touches. */
struct part {
    const struct cel_b2_array *a;
    const struct cel_b2_chunk *c;
    const size_t *start, *count;
    unsigned char *dst;
    size_t first[CEL_B2_RANK], blocks[CEL_B2_RANK];
};

/* One of these blocks. */
struct touched {
    const struct part *p;
    struct cel_b2_block_shape shape;
    struct box box;
    size_t number;
};

static void find_touched(const struct part *p, size_t i, struct touched *out)
{
    const struct cel_b2_array *a = p->a;
    size_t index[CEL_B2_RANK];

    out->p = p;
    out->number = 0;
    out->shape = (struct cel_b2_block_shape){.rank = a->rank, .elem = a->elem};
    memcpy(out->shape.dims, a->block, (size_t)a->rank * sizeof *a->block);
    for (int d = a->rank; d-- > 0; i /= p->blocks[d])
        index[d] = p->first[d] + i % p->blocks[d];
    for (int d = 0; d < a->rank; d++)
        out->number = out->number * blocks_along(a, d) + index[d];
    box_of_block(a, index, p->start, p->count, &out->box);
}

/* Whatever its filters are: decoded as a block, and copied from there where it is not all wanted in one run. */
static int decode_any(struct cel_b2_work *work, const struct touched *t)
{
    const struct cel_b2_chunk *c = t->p->c;
    bool is_direct = is_run_of_both(&t->box), is_held = c->bytes && (c->h->special || c->h->stored);
    size_t step[CEL_B2_RANK];
    unsigned char *to = t->p->dst + offset_in(&t->box, t->box.array, t->box.in_array, step);
    int rc = is_direct ? CEL_OK : cel_b2_work_reserve(&work->part, &work->part_cap, c->h->block);

    if (rc == CEL_OK && !is_direct)
        to = work->part;
    if (rc == CEL_OK)
        rc = is_held ? cel_b2_decode_blocks(work, c->h, c->bytes, &t->shape, t->number, 1, to)
                     : cel_b2_decode_block(work, c, &t->shape, t->number, to);
    if (rc == CEL_OK && !is_direct)
        copy_box(&t->box, work->part, t->p->dst, false);
    return rc;
}

/* Each run straight out of the planes. */
static int decode_shuffled(struct cel_b2_work *work, const struct touched *t)
{
    const unsigned char *planes;
    size_t elem = t->box.elem;
    struct runs r;
    int rc = cel_b2_decode_planes(work, t->p->c, t->number, range_of(&t->box), &planes);

    if (rc != CEL_OK)
        return rc;
    runs_begin(&r, &t->box);
    do
        cel_unshuffle_part(t->p->dst + r.in_array, planes + r.in_block / elem, t->p->c->h->block / elem, r.run / elem,
                           elem, false);
    while (runs_next(&r));
    return CEL_OK;
}

/* Cells straight out of the planes: into the array where all of the block is wanted. */
static int decode_cells(struct cel_b2_work *work, const struct touched *t, unsigned edge)
{
    const struct box *b = &t->box;
    size_t n = t->p->c->h->block, step[CEL_B2_RANK], at;
    bool is_whole = is_complete(t->p->a, b);
    const unsigned char *planes;
    struct cel_cells cells;
    int rc = CEL_OK;

    at = offset_in(b, is_whole ? b->array : b->block, is_whole ? b->in_array : b->in_block, step);
    if (!cel_b2_cells_in(&t->shape, edge, n, step, &cells) || !cel_cells_scatters_planes(&cells, b->elem))
        return decode_any(work, t);
    if (!is_whole)
        rc = cel_b2_work_reserve(&work->part, &work->part_cap, n);
    if (rc == CEL_OK)
        rc = cel_b2_decode_planes(work, t->p->c, t->number, (struct cel_b2_range){0, n}, &planes);
    if (rc == CEL_OK && !cel_cells_scatter_planes(&cells, planes, is_whole ? t->p->dst + at : work->part, b->elem))
        rc = cel_fail(NC_ENOMEM, "blosc2: no memory for ndcell");
    if (rc == CEL_OK && !is_whole)
        copy_box(b, work->part, t->p->dst, false);
    return rc;
}

/* Block i of those that the part touches. */
static int decode_block(const void *what, struct cel_b2_work *work, size_t i)
{
    const struct part *p = what;
    enum cel_b2_form form;
    unsigned edge = 0;
    struct touched t;

    find_touched(p, i, &t);
    form = p->c->h->elem == p->a->elem ? cel_b2_form_of(p->c->h, p->c->h->block, &edge) : CEL_B2_FORM_ANY;
    return form == CEL_B2_FORM_PLANES  ? decode_shuffled(work, &t)
           : form == CEL_B2_FORM_CELLS ? decode_cells(work, &t, edge)
                                       : decode_any(work, &t);
}

static int decode_part(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_b2_chunk *c,
                       const size_t *start, const size_t *count, unsigned char *dst)
{
    struct part p = {.a = a, .c = c, .start = start, .count = count, .dst = dst};
    size_t n = 1;
    int rc;

    for (int d = 0; d < a->rank; d++) {
        if (count[d] == 0)
            return CEL_OK;
        p.first[d] = start[d] / a->block[d];
        p.blocks[d] = (start[d] + count[d] - 1) / a->block[d] - p.first[d] + 1;
        n *= p.blocks[d];
    }
    work->keeps_first = true;
    work->has_first = false;
    rc = cel_b2_each_block(work, n, is_shared(c->h) ? n * c->h->block : 0, decode_block, &p);
    work->keeps_first = false;
    return rc;
}

int cel_b2_array_decode(struct cel_b2_work *work, const struct cel_b2_array *a, const unsigned char *src, size_t n,
                        const size_t *start, const size_t *count, unsigned char *dst)
{
    struct cel_b2_header h;
    struct cel_b2_chunk c = {.h = &h, .bytes = src};
    int rc = cel_b2_header_read(src, n, &h);

    if (rc == CEL_OK)
        rc = check_chunk(a, &h);
    if (rc == CEL_OK && h.special) { /* its header may have blocks of another size */
        h.block = cel_b2_array_block_bytes(a);
        h.nblocks = h.nbytes / h.block;
    }
    c.offsets = src + h.size;
    return rc == CEL_OK ? decode_part(work, a, &c, start, count, dst) : rc;
}

/* Special chunks, which are short, and those of which very many blocks are wanted. */
static int fetch_whole(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_encoded *src,
                       const size_t *start, const size_t *count, unsigned char *dst)
{
    int rc = cel_b2_work_reserve(&work->fetched, &work->fetched_cap, src->n);

    if (rc == CEL_OK)
        rc = src->fetch(src, 0, src->n, work->fetched);
    return rc == CEL_OK ? cel_b2_array_decode(work, a, work->fetched, src->n, start, count, dst) : rc;
}

/* Where a fetched block ends is looked for among the offsets of all. */
static bool is_too_much(const struct cel_b2_array *a, const struct cel_b2_header *h, const size_t *start,
                        const size_t *count)
{
    size_t n = 1;

    for (int d = 0; d < a->rank && count[d]; d++)
        n *= (start[d] + count[d] - 1) / a->block[d] - start[d] / a->block[d] + 1;
    return n > 16 && n > LOOKS_MOST / h->nblocks;
}

/* The header, and with it the offsets of the blocks where they are as many as the shape makes. *got: bytes that are there. */
static int fetch_table(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_encoded *src,
                       size_t *got)
{
    size_t block = cel_b2_array_block_bytes(a), blocks = block ? cel_b2_array_chunk_bytes(a) / block : 0;
    size_t n = CEL_B2_HEADER + 4 * (blocks < TABLE_MOST ? blocks : TABLE_MOST);
    int rc = cel_b2_work_reserve(&work->table, &work->table_cap, n);

    *got = n < src->n ? n : src->n;
    return rc == CEL_OK ? src->fetch(src, 0, *got, work->table) : rc;
}

int cel_b2_array_fetch(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_encoded *src,
                       const size_t *start, const size_t *count, unsigned char *dst)
{
    struct cel_b2_header h = {0};
    struct cel_b2_chunk c = {.h = &h, .from = src};
    size_t got = 0, need = 0;
    int rc = fetch_table(work, a, src, &got);

    if (rc == CEL_OK)
        rc = cel_b2_header_read(work->table, src->n, &h);
    if (rc == CEL_OK)
        rc = check_chunk(a, &h);
    if (rc == CEL_OK && h.cbytes != src->n)
        rc = cel_fail(NC_EFILTER, "blosc2: the chunk says %zu bytes are stored, %zu are there", h.cbytes, src->n);
    if (rc != CEL_OK)
        return rc;
    if (h.special || (!h.stored && is_too_much(a, &h, start, count)))
        return fetch_whole(work, a, src, start, count, dst);
    need = h.stored ? 0 : h.size + 4 * h.nblocks;
    if (need > got)
        rc = cel_b2_work_reserve(&work->table, &work->table_cap, need);
    if (need > got && rc == CEL_OK)
        rc = src->fetch(src, got, need - got, work->table + got);
    c.offsets = work->table + h.size;
    return rc == CEL_OK ? decode_part(work, a, &c, start, count, dst) : rc;
}

/* Along one axis after the other, the last first: what an axis further out repeats is complete by then. */
static void repeat_last(const struct cel_b2_array *a, const struct box *box, unsigned char *block)
{
    size_t row = a->elem, rows = cel_b2_array_block_bytes(a) / a->elem;

    for (int d = a->rank; d-- > 0; row *= a->block[d]) {
        rows /= a->block[d];
        for (size_t r = 0; r < rows; r++) {
            unsigned char *at = block + r * a->block[d] * row;

            for (size_t i = box->count[d]; i < a->block[d]; i++)
                memcpy(at + i * row, at + (box->count[d] - 1) * row, row);
        }
    }
}

void cel_b2_array_cut(const struct cel_b2_array *a, const unsigned char *src, unsigned char *dst, bool repeat)
{
    static const size_t zero[CEL_B2_RANK];
    size_t index[CEL_B2_RANK] = {0}, block = cel_b2_array_block_bytes(a);
    int d;

    do {
        struct box box;

        box_of_block(a, index, zero, a->chunk, &box);
        if (!is_complete(a, &box))
            memset(dst, 0, block);
        copy_box(&box, dst, (unsigned char *)src, true);
        if (repeat)
            repeat_last(a, &box, dst);
        dst += block;
        for (d = a->rank; d-- > 0; index[d] = 0)
            if (++index[d] < blocks_along(a, d))
                break;
    } while (d >= 0);
}
