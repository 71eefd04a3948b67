/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunk index of datasets that grow along one dimension: an array whose first elements stand in an index block, the
 * next in data blocks the index block points to, and the rest in data blocks of super blocks. Blocks become larger with
 * their number; data blocks longer than a page consist of pages, and their super block says which of them were written.
 *
 *   EAHD version(1) client(1) element size(1) bits of the largest number(1) elements in the index block(1)
 *        elements in the smallest data block(1) data blocks in the smallest super block(1) page bits(1)
 *        statistics(6 of L) index block address(O) checksum(4)
 *   EAIB version(1) client(1) header address(O) elements, addresses of data blocks, of super blocks(O each) checksum(4)
 *   EASB version(1) client(1) header address(O) number of its first element [maps of pages]
 *        addresses of data blocks(O each) checksum(4)
 *   EADB version(1) client(1) header address(O) number of its first element [elements, if not in pages] checksum(4)
 *   page: elements checksum(4)
 * Super block u has 2^(u/2) data blocks of 2^((u+1)/2) times the smallest number of elements. The first of them are
 * those whose data blocks the index block points to; they are not in the file.
 * HDF5 File Format Specification version 3, VIII.D. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { HEAD = 12, BLOCK_HEAD = 6, SUM = 4, BITS_MAX = 63, PAGE_BITS_MAX = 32 };

struct array {
    size_t elem, size_n, number_n; /* number_n: bytes of an element's number */
    int bits, direct_supers;       /* super blocks that the index block stands for */
    uint64_t in_index, smallest, direct_blocks, page;
    uint64_t index;
    int growing; /* the dimension whose chunks are counted first */
    struct cel_h5r_kept index_block, super_block, part;
    struct cel_h5r_kept block_head; /* of a data block in pages */
    uint64_t *listed;               /* where chunks are not in the grid's order: their numbers there ... */
    size_t nlisted;
    uint64_t listed_end; /* ... of those before this element; 0: not listed */
};

/* Elements that lie together; p NULL: none of them was ever written. */
struct run {
    const unsigned char *p;
    uint64_t n;
};

static int damaged(const struct cel_h5r_grid *g, const char *why)
{
    return cel_h5r_damaged(g->file, g->layout.addr, "chunk index", why);
}

static int too_few(const struct cel_h5r_grid *g)
{
    return damaged(g, "it has too few elements");
}

/* --- header -------------------------------------------------------------------------------- */

static bool set_sizes(const struct cel_h5r_grid *g, const unsigned char *p, struct array *a)
{
    uint64_t pointers = p[10];

    a->elem = p[6];
    a->bits = p[7];
    a->in_index = p[8];
    a->smallest = p[9];
    if (p[5] != g->filtered || !cel_h5r_grid_size_bytes(g, a->elem, &a->size_n) || a->bits == 0 || a->bits > BITS_MAX ||
        !cel_h5_is_power_of_2(a->smallest) || !cel_h5_is_power_of_2(pointers) || p[11] > PAGE_BITS_MAX ||
        cel_h5_log2(a->smallest) >= a->bits || 2 * cel_h5_log2(pointers) > 1 + a->bits - cel_h5_log2(a->smallest))
        return false;
    a->page = (uint64_t)1 << p[11];
    a->direct_blocks = 2 * (pointers - 1);
    a->direct_supers = 2 * cel_h5_log2(pointers);
    a->number_n = (size_t)(a->bits + 7) / 8;
    return true;
}

static int open(const struct cel_h5r_grid *g, void *state)
{
    struct array *a = state;
    const struct cel_h5r_file *file = g->file;
    unsigned char bytes[CEL_H5R_HEAD_MAX];
    size_t n = HEAD + 6 * file->length_size + file->offset_size + SUM;
    struct cel_h5_bytes b = {.p = bytes + n - SUM - file->offset_size, .n = file->offset_size};
    int rc = cel_h5r_get_summed(file, g->layout.addr, "EAHD", "chunk index", bytes, n), unlimited = 0;

    if (rc != CEL_OK)
        return rc;
    for (int i = 0; i < g->rank; i++)
        if (g->most[i] == UINT64_MAX) {
            a->growing = i;
            unlimited++;
        }
    if (unlimited != 1 || !set_sizes(g, bytes, a))
        return damaged(g, "it cannot be that of this dataset");
    a->index = cel_h5r_take_address(file, &b);
    return CEL_OK;
}

static void dispose(void *state)
{
    struct array *a = state;

    free(a->index_block.bytes);
    free(a->super_block.bytes);
    free(a->part.bytes);
    free(a->block_head.bytes);
    free(a->listed);
}

/* --- where an element is ------------------------------------------------------------------------ */

struct position {
    int super;                 /* number of the super block */
    uint64_t blocks, elements; /* data blocks of it, and elements of each */
    uint64_t block, i;         /* the data block in it, and the element in that */
};

/* The elements before super block u are (2^u - 1) times the smallest number. */
static struct position position_of(const struct array *a, uint64_t i)
{
    struct position p = {.super = cel_h5_log2(i / a->smallest + 1)};

    i -= (((uint64_t)1 << p.super) - 1) * a->smallest;
    p.blocks = (uint64_t)1 << p.super / 2;
    p.elements = ((uint64_t)1 << (p.super + 1) / 2) * a->smallest;
    p.block = i / p.elements;
    p.i = i % p.elements;
    return p;
}

/* Data blocks of the super blocks before u: of each pair twice 2^(u/2). */
static uint64_t blocks_before(int super)
{
    uint64_t n = 2 * (((uint64_t)1 << super / 2) - 1);

    return super % 2 ? n + ((uint64_t)1 << super / 2) : n;
}

static uint64_t address_at(const struct cel_h5r_grid *g, const unsigned char *p, uint64_t i)
{
    struct cel_h5_bytes b = {.p = p + (size_t)i * g->file->offset_size, .n = g->file->offset_size};

    return cel_h5r_take_address(g->file, &b);
}

/* --- data blocks --------------------------------------------------------------------------------- */

/* Elements from `p->i` on in the data block at an address. map: which pages of the super block's data blocks were written;
 * NULL: it has none. */
static int get_from_block(const struct cel_h5r_grid *g, struct array *a, uint64_t addr, const struct position *p,
                          const unsigned char *map, struct run *out)
{
    size_t head = BLOCK_HEAD + g->file->offset_size + a->number_n;
    uint64_t pages = p->elements / a->page, page = p->i / a->page;
    int rc;

    out->n = p->elements - p->i;
    if (addr == CEL_H5R_NOWHERE)
        return CEL_OK;
    if (p->elements <= a->page) {
        if (p->elements > g->file->size / a->elem)
            return damaged(g, "no file has so many elements");
        rc = cel_h5r_kept_get(g->file, &a->part, addr, head + (size_t)p->elements * a->elem + SUM, "EADB",
                              "block of the chunk index");
        if (rc == CEL_OK)
            out->p = a->part.bytes + head + (size_t)p->i * a->elem;
        return rc;
    }
    out->n = a->page - p->i % a->page;
    if (!map)
        return damaged(g, "pages without a map of them");
    if (!cel_h5r_bit(map, p->block * pages + page))
        return CEL_OK;
    if (a->page > g->file->size / a->elem || page > g->file->size / a->page)
        return damaged(g, "no file has so many elements");
    addr += head + SUM + page * (a->page * a->elem + SUM);
    rc = cel_h5r_kept_get(g->file, &a->part, addr, (size_t)a->page * a->elem + SUM, NULL, "page of the chunk index");
    if (rc == CEL_OK)
        out->p = a->part.bytes + (size_t)(p->i % a->page) * a->elem;
    return rc;
}

/* The super block that this is in; *block: where the data block is. */
static int get_from_super(const struct cel_h5r_grid *g, struct array *a, uint64_t addr, const struct position *p,
                          uint64_t *block, struct run *out)
{
    uint64_t pages = p->elements > a->page ? p->elements / a->page : 0, map = (pages + 7) / 8;
    size_t head = BLOCK_HEAD + g->file->offset_size + a->number_n, n;
    const unsigned char *maps;
    int rc;

    out->n = (p->blocks - p->block) * p->elements - p->i;
    if (addr == CEL_H5R_NOWHERE)
        return CEL_OK;
    if (map + g->file->offset_size > g->file->size / p->blocks)
        return damaged(g, "no file has so many blocks");
    n = head + (size_t)(p->blocks * (map + g->file->offset_size)) + SUM;
    rc = cel_h5r_kept_get(g->file, &a->super_block, addr, n, "EASB", "block of the chunk index");
    if (rc != CEL_OK)
        return rc;
    maps = a->super_block.bytes + head;
    *block = address_at(g, maps + (size_t)(p->blocks * map), p->block);
    return get_from_block(g, a, *block, p, pages ? maps : NULL, out);
}

/* --- all elements ---------------------------------------------------------------------------------- */

static int get_index_block(const struct cel_h5r_grid *g, struct array *a)
{
    size_t supers = (size_t)(1 + a->bits - cel_h5_log2(a->smallest) - a->direct_supers), o = g->file->offset_size;
    size_t n = BLOCK_HEAD + o + (size_t)a->in_index * a->elem + ((size_t)a->direct_blocks + supers) * o + SUM;

    return cel_h5r_kept_get(g->file, &a->index_block, a->index, n, "EAIB", "chunk index");
}

/* Blocks say which element is their first: none is gone through twice, however many addresses lead to it. */
static int check_numbers(const struct cel_h5r_grid *g, struct array *a, uint64_t block, const struct position *p)
{
    size_t at = BLOCK_HEAD + g->file->offset_size, head = at + a->number_n + SUM;
    uint64_t first = (((uint64_t)1 << p->super) - 1) * a->smallest;
    const unsigned char *bytes = a->part.bytes;
    int rc = CEL_OK;

    if (p->elements > a->page) {
        rc = cel_h5r_kept_get(g->file, &a->block_head, block, head, "EADB", "block of the chunk index");
        bytes = a->block_head.bytes;
    }
    if (rc == CEL_OK && (cel_get_le(a->super_block.bytes + at, a->number_n) != first ||
                         cel_get_le(bytes + at, a->number_n) != first + p->block * p->elements))
        return damaged(g, "a block stands where another should");
    return rc;
}

static bool is_direct(const struct array *a, const struct position *p)
{
    return p->super < a->direct_supers;
}

/* Elements from i on, behind those of the index block. */
static int get_behind(const struct cel_h5r_grid *g, struct array *a, const unsigned char *addresses, uint64_t i,
                      bool check, struct run *out)
{
    struct position p = position_of(a, i - a->in_index);
    uint64_t block = CEL_H5R_NOWHERE;
    int rc;

    if (is_direct(a, &p))
        return get_from_block(g, a, address_at(g, addresses, blocks_before(p.super) + p.block), &p, NULL, out);
    if (p.super > a->bits - cel_h5_log2(a->smallest))
        return too_few(g);
    i = a->direct_blocks + (uint64_t)(p.super - a->direct_supers);
    rc = get_from_super(g, a, address_at(g, addresses, i), &p, &block, out);
    return rc == CEL_OK && check && out->p ? check_numbers(g, a, block, &p) : rc;
}

static int get_run(const struct cel_h5r_grid *g, struct array *a, uint64_t i, bool check, struct run *out)
{
    const unsigned char *elements;
    int rc;

    *out = (struct run){.n = ((uint64_t)1 << a->bits) - i};
    if (a->index == CEL_H5R_NOWHERE)
        return CEL_OK;
    rc = get_index_block(g, a);
    if (rc != CEL_OK)
        return rc;
    elements = a->index_block.bytes + BLOCK_HEAD + g->file->offset_size;
    if (i >= a->in_index)
        return get_behind(g, a, elements + (size_t)a->in_index * a->elem, i, check, out);
    *out = (struct run){.p = elements + (size_t)i * a->elem, .n = a->in_index - i};
    return CEL_OK;
}

static int find(const struct cel_h5r_grid *g, void *state, const size_t *at, struct cel_chunk_location *out)
{
    struct array *a = state;
    struct run run = {0};
    uint64_t i;
    int rc = cel_h5r_grid_number(g, a->growing, at, &i) && !(i >> a->bits) ? get_run(g, a, i, false, &run) : too_few(g);

    if (rc == CEL_OK && run.p)
        cel_h5r_grid_element(g, run.p, a->size_n, out);
    return rc == CEL_OK && !run.p ? CEL_ABSENT : rc;
}

/* --- the next one ------------------------------------------------------------------------------------ */

static int get_elements(const struct cel_h5r_grid *g, void *state, uint64_t i, const unsigned char **p, uint64_t *n)
{
    struct run run;
    int rc = get_run(g, state, i, true, &run);

    *p = run.p;
    *n = run.n;
    return rc;
}

/* To the next element of the chunks before `end`. */
static int scan(const struct cel_h5r_grid *g, struct array *a, uint64_t end, uint64_t *i)
{
    uint64_t all = (uint64_t)1 << a->bits;
    int rc = cel_h5r_grid_scan(g, a, get_elements, a->elem, end < all ? end : all, i);

    return rc == CEL_ABSENT && end > all ? too_few(g) : rc;
}

static int compare_numbers(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

    return a < b ? -1 : a > b;
}

static int add_number(struct array *a, size_t *cap, uint64_t number)
{
    uint64_t *more;

    if (a->nlisted == *cap) {
        *cap = *cap ? 2 * *cap : 64;
        more = cel_realloc(a->listed, *cap, sizeof *more);
        if (!more)
            return NC_ENOMEM;
        a->listed = more;
    }
    a->listed[a->nlisted++] = number;
    return CEL_OK;
}

/* Elements are in order of the dimension that grows. Where that is not the first, the numbers that chunks have in the order
 * of the grid are listed and sorted. */
static int list_all(const struct cel_h5r_grid *g, struct array *a, const struct cel_h5r_grid *in_order, uint64_t end)
{
    size_t at[CEL_RANK_MAX], cap = 0;
    uint64_t i = 0, number;
    int rc;

    a->nlisted = 0;
    a->listed_end = 0;
    free(a->listed);
    a->listed = NULL;
    for (rc = scan(g, a, end, &i); rc == CEL_OK; rc = scan(g, a, end, &i)) {
        cel_h5r_grid_position(g, a->growing, i++, at);
        if (at[a->growing] < in_order->most[a->growing])
            rc = cel_h5r_grid_number(in_order, 0, at, &number) ? add_number(a, &cap, number) : too_few(g);
        if (rc != CEL_OK)
            return rc;
    }
    if (rc != CEL_ABSENT)
        return rc;
    if (a->nlisted)
        qsort(a->listed, a->nlisted, sizeof *a->listed, compare_numbers);
    a->listed_end = end;
    return CEL_OK;
}

static int next_in_list(const struct array *a, const struct cel_h5r_grid *in_order, size_t *at)
{
    size_t low = 0, high = a->nlisted;
    uint64_t number;

    if (!cel_h5r_grid_number(in_order, 0, at, &number))
        return CEL_ABSENT;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (a->listed[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == a->nlisted)
        return CEL_ABSENT;
    cel_h5r_grid_position(in_order, 0, a->listed[low], at);
    return CEL_OK;
}

static int next(const struct cel_h5r_grid *g, void *state, const size_t *n, size_t *at)
{
    struct array *a = state;
    struct cel_h5r_grid in_order = *g;
    uint64_t i, last;
    int rc = CEL_OK;

    if (!cel_h5r_grid_number(g, a->growing, at, &i) || !cel_h5r_grid_last(g, a->growing, n, &last) || last >> BITS_MAX)
        return too_few(g);
    if (a->growing == 0) {
        rc = scan(g, a, last + 1, &i);
        cel_h5r_grid_position(g, 0, i, at);
        return rc;
    }
    in_order.most[a->growing] = n[a->growing];
    if (a->listed_end != last + 1)
        rc = list_all(g, a, &in_order, last + 1);
    return rc == CEL_OK ? next_in_list(a, &in_order, at) : rc;
}

const struct cel_h5r_index_ops cel_h5r_index_extensible = {
    .state = sizeof(struct array), .open = open, .find = find, .next = next, .dispose = dispose};
