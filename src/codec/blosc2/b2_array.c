/* Arrays of Blosc2: the layer that describes one, and its blocks. */
#include "b2_array.h"
#include "b2_work.h"
#include "bytes.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

enum { BEFORE_SHAPE = 3, LONG_ITEM = 9, ITEM = 5, BEFORE_TYPE = 6 };
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

static void copy_box(const struct box *b, unsigned char *block, unsigned char *array, bool into_block)
{
    size_t index[CEL_B2_RANK] = {0}, in_block[CEL_B2_RANK], in_array[CEL_B2_RANK], run;
    unsigned char *p = block + offset_in(b, b->block, b->in_block, in_block);
    unsigned char *q = array + offset_in(b, b->array, b->in_array, in_array);
    int left = find_run(b, &run), d;

    do {
        memcpy(into_block ? p : q, into_block ? q : p, run);
        for (d = left; d-- > 0;) {
            p += in_block[d];
            q += in_array[d];
            if (++index[d] < b->count[d])
                break;
            p -= in_block[d] * b->count[d];
            q -= in_array[d] * b->count[d];
            index[d] = 0;
        }
    } while (d >= 0);
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

/* One block of a chunk, held or fetched. */
static int decode_one(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_b2_chunk *c,
                      size_t number, struct cel_b2_range want, unsigned char *dst)
{
    struct cel_b2_block_shape shape = {.rank = a->rank, .elem = a->elem};

    memcpy(shape.dims, a->block, (size_t)a->rank * sizeof *shape.dims);
    return c->bytes && (c->h->special || c->h->stored)
               ? cel_b2_decode_blocks(work, c->h, c->bytes, &shape, number, 1, dst)
               : cel_b2_decode_block(work, c, &shape, number, want, dst);
}

static int decode_block(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_b2_chunk *c,
                        const size_t *start, const size_t *count, const size_t *index, unsigned char *dst)
{
    size_t number = 0, step[CEL_B2_RANK];
    struct cel_b2_range want = {0};
    struct box box;
    int rc;

    for (int d = 0; d < a->rank; d++)
        number = number * blocks_along(a, d) + index[d];
    box_of_block(a, index, start, count, &box);
    want = range_of(&box);
    if (is_run_of_both(&box))
        return decode_one(work, a, c, number, want, dst + offset_in(&box, box.array, box.in_array, step));
    rc = cel_b2_work_reserve(&work->part, &work->part_cap, c->h->block);
    if (rc == CEL_OK)
        rc = decode_one(work, a, c, number, want, work->part);
    if (rc == CEL_OK)
        copy_box(&box, work->part, dst, false);
    return rc;
}

/* All blocks that the part touches; it has an element at least. */
static int decode_touched(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_b2_chunk *c,
                          const size_t *start, const size_t *count, unsigned char *dst)
{
    size_t first[CEL_B2_RANK] = {0}, last[CEL_B2_RANK] = {0}, index[CEL_B2_RANK];
    int rc, d;

    for (d = 0; d < a->rank; d++) {
        first[d] = start[d] / a->block[d];
        last[d] = (start[d] + count[d] - 1) / a->block[d];
    }
    memcpy(index, first, sizeof index);
    do {
        rc = decode_block(work, a, c, start, count, index, dst);
        for (d = a->rank; rc == CEL_OK && d-- > 0;) {
            if (index[d]++ < last[d])
                break;
            index[d] = first[d];
        }
    } while (rc == CEL_OK && d >= 0);
    return rc;
}

static int decode_part(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_b2_chunk *c,
                       const size_t *start, const size_t *count, unsigned char *dst)
{
    int rc;

    for (int d = 0; d < a->rank; d++)
        if (count[d] == 0)
            return CEL_OK;
    work->keeps_first = true;
    work->has_first = false;
    rc = decode_touched(work, a, c, start, count, dst);
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

/* Special chunks are fetched whole: they are short. */
static int fetch_whole(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_encoded *src,
                       const size_t *start, const size_t *count, unsigned char *dst)
{
    int rc = cel_b2_work_reserve(&work->fetched, &work->fetched_cap, src->n);

    if (rc == CEL_OK)
        rc = src->fetch(src, 0, src->n, work->fetched);
    return rc == CEL_OK ? cel_b2_array_decode(work, a, work->fetched, src->n, start, count, dst) : rc;
}

int cel_b2_array_fetch(struct cel_b2_work *work, const struct cel_b2_array *a, const struct cel_encoded *src,
                       const size_t *start, const size_t *count, unsigned char *dst)
{
    unsigned char head[CEL_B2_HEADER] = {0};
    struct cel_b2_header h;
    struct cel_b2_chunk c = {.h = &h, .from = src};
    int rc = src->fetch(src, 0, src->n < sizeof head ? src->n : sizeof head, head);

    if (rc == CEL_OK)
        rc = cel_b2_header_read(head, src->n, &h);
    if (rc == CEL_OK)
        rc = check_chunk(a, &h);
    if (rc == CEL_OK && h.cbytes != src->n)
        rc = cel_fail(NC_EFILTER, "blosc2: the chunk says %zu bytes are stored, %zu are there", h.cbytes, src->n);
    if (rc != CEL_OK)
        return rc;
    if (h.special)
        return fetch_whole(work, a, src, start, count, dst);
    if (!h.stored) {
        rc = cel_b2_work_reserve(&work->table, &work->table_cap, 4 * h.nblocks);
        if (rc == CEL_OK)
            rc = src->fetch(src, h.size, 4 * h.nblocks, work->table);
        c.offsets = work->table;
    }
    return rc == CEL_OK ? decode_part(work, a, &c, start, count, dst) : rc;
}

static bool is_complete(const struct cel_b2_array *a, const struct box *box)
{
    for (int d = 0; d < a->rank; d++)
        if (box->count[d] != a->block[d])
            return false;
    return true;
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
