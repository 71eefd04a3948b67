/* SPDX-License-Identifier: BSD-3-Clause */
/* Fractal heaps: where groups and objects keep many links and attributes, and files their shared messages. Objects have
 * an id, which says where they are.
 *
 *   FRHP version(1) id size(2) filter size(2) flags(1) largest managed object(4) next huge id(L) B-tree of huge objects(O)
 *        free space(L) its manager(O) managed space(L) allocated(L) iterator(L) managed objects(L)
 *        huge size(L) huge objects(L) tiny size(L) tiny objects(L)
 *        table width(2) first block size(L) largest direct block(L) bits of offsets(2) rows at first(2)
 *        root address(O) rows now(2) [filters: size(L) mask(4) filters] checksum(4)
 *   FHIB version(1) heap(O) offset(bits) children: address(O) [direct ones with filters: size(L) mask(4)], checksum(4)
 *   FHDB version(1) heap(O) offset(bits) [flag 2: checksum(4), of the block with zeros in its place] objects; with filters
 *        all of it went through them
 *   id: kind(1), then by kind (bits 4-5): 0 managed: offset length, as wide as the heap's limits need
 *        1 huge: address(O) length(L) [filters: mask(4) length without them(L)], or a number(8 at most) that the B-tree
 *          finds: the same, then number(L)
 *        2 tiny: length - 1 in bits 0-3 (in long ids also the next byte), then the object itself
 * O, L: the file's sizes of addresses and lengths. Rows 0 and 1 of a table have blocks of the first size, each row after
 * that twice as large; those larger than the largest direct block are tables themselves.
 * HDF5 File Format Specification version 3, III.G. */
#include "h5_read_int.h"
#include <assert.h>
#include <stdlib.h>

enum { LEVELS_MAX = 8, ID_HEAD = 1, TINY_SHORT = 16, TREE_HUGE = 1, TREE_FILTERED = 2, BLOCK_MAX = 64 << 20 };

struct direct { /* one block, which holds its checksum behind it */
    uint64_t addr;
    size_t n;
    unsigned char *bytes;
};

struct cel_h5r_fractal_heap {
    const struct cel_h5r_file *file;
    uint64_t addr;
    size_t id_n; /* bytes of an id */
    size_t offset_n, length_n;
    bool sums; /* direct blocks carry a checksum */
    uint64_t width, first, largest, root, rows, direct_rows;
    uint64_t huge;
    struct cel_chain filters; /* empty: none */
    uint64_t root_stored;     /* with filters, of a root that is a direct block: its bytes ... */
    uint32_t root_skipped;    /* ... and the filters that were left out */
    struct cel_h5r_kept table[LEVELS_MAX];
    struct direct block;
    struct cel_buf stored; /* bytes before their filters are undone */
};

static int damaged(const struct cel_h5r_fractal_heap *h, uint64_t addr, const char *why)
{
    return cel_h5r_damaged(h->file, addr, "fractal heap", why);
}

/* --- the header ------------------------------------------------------------------------------ */

static int set_limits(struct cel_h5r_fractal_heap *h, uint64_t largest_object, uint64_t bits)
{
    size_t by_block;

    if (!cel_h5_is_power_of_2(h->width) || !cel_h5_is_power_of_2(h->first) || !cel_h5_is_power_of_2(h->largest) ||
        h->largest < h->first || h->largest > BLOCK_MAX || bits == 0 || bits > 64 || h->rows > 64)
        return damaged(h, h->addr, "its table makes no sense");
    by_block = (cel_h5_log2(h->largest) + 7) / 8;
    h->offset_n = (size_t)(bits + 7) / 8;
    h->length_n = cel_h5_bytes_for(largest_object);
    if (by_block < h->length_n)
        h->length_n = by_block;
    h->direct_rows = cel_h5_log2(h->largest) - cel_h5_log2(h->first) + 2;
    if (h->id_n < ID_HEAD + h->offset_n + h->length_n || h->id_n > CEL_H5R_HEAD_MAX)
        return damaged(h, h->addr, "its ids are too short");
    return CEL_OK;
}

/* What the header ends with, between its rows and its checksum. */
static int take_filters(struct cel_h5r_fractal_heap *h, struct cel_h5_bytes *b)
{
    if (b->n == 0)
        return CEL_OK;
    h->root_stored = cel_h5_take_number(b, h->file->length_size);
    h->root_skipped = (uint32_t)cel_h5_take_number(b, 4);
    return b->ended ? damaged(h, h->addr, "its header ends too early") : cel_h5r_filters_read(*b, &h->filters);
}

/* How many bytes the header has depends on its filters. */
static int get_header(const struct cel_h5r_fractal_heap *h, unsigned char *bytes, size_t *n)
{
    size_t o = h->file->offset_size, l = h->file->length_size, filters;
    int rc = cel_h5r_get(h->file, h->addr, "fractal heap", bytes, 26 + 3 * o + 12 * l);

    if (rc != CEL_OK)
        return rc;
    filters = cel_get_le16(bytes + 7);
    *n = 26 + 3 * o + 12 * l + (filters ? l + 4 + filters : 0);
    return *n > CEL_H5R_HEAD_MAX ? CEL_ASK_LIBHDF5
                                 : cel_h5r_get_summed(h->file, h->addr, "FRHP", "fractal heap", bytes, *n);
}

static int read_header(struct cel_h5r_fractal_heap *h)
{
    unsigned char bytes[CEL_H5R_HEAD_MAX];
    size_t o = h->file->offset_size, l = h->file->length_size, n;
    uint64_t flags, largest_object, bits;
    struct cel_h5_bytes b;
    int rc = get_header(h, bytes, &n);

    if (rc != CEL_OK)
        return rc;
    b = (struct cel_h5_bytes){.p = bytes + 5, .n = n - 9};
    h->id_n = (size_t)cel_h5_take_number(&b, 2);
    cel_h5_take(&b, 2);
    flags = cel_h5_take_number(&b, 1);
    largest_object = cel_h5_take_number(&b, 4);
    cel_h5_take(&b, l);
    h->huge = cel_h5r_take_address(h->file, &b);
    cel_h5_take(&b, 9 * l + o);
    h->width = cel_h5_take_number(&b, 2);
    h->first = cel_h5_take_number(&b, l);
    h->largest = cel_h5_take_number(&b, l);
    bits = cel_h5_take_number(&b, 2);
    cel_h5_take(&b, 2);
    h->root = cel_h5r_take_address(h->file, &b);
    h->rows = cel_h5_take_number(&b, 2);
    h->sums = flags & 2;
    assert(!b.ended);
    rc = take_filters(h, &b);
    return rc == CEL_OK ? set_limits(h, largest_object, bits) : rc;
}

int cel_h5r_fractal_heap_make(const struct cel_h5r_file *file, uint64_t addr, struct cel_h5r_fractal_heap **out)
{
    struct cel_h5r_fractal_heap *h = *out = cel_calloc(1, sizeof *h);

    if (!h)
        return NC_ENOMEM;
    h->file = file;
    h->addr = addr;
    h->block.addr = CEL_H5R_NOWHERE;
    h->stored = CEL_BUF_INIT(SIZE_MAX / 2);
    return read_header(h);
}

void cel_h5r_fractal_heap_free(struct cel_h5r_fractal_heap *h)
{
    if (!h)
        return;
    for (int i = 0; i < LEVELS_MAX; i++)
        free(h->table[i].bytes);
    free(h->block.bytes);
    cel_chain_dispose(&h->filters);
    cel_buf_dispose(&h->stored);
    free(h);
}

size_t cel_h5r_fractal_heap_id_size(const struct cel_h5r_fractal_heap *h)
{
    return h->id_n;
}

bool cel_h5r_fractal_heap_is_one_block(const struct cel_h5r_fractal_heap *h)
{
    return h->rows == 0;
}

/* --- blocks ------------------------------------------------------------------------------------ */

struct extent { /* a block, and the part of the heap it holds */
    uint64_t addr, start, size;
    uint64_t stored;  /* with filters: bytes in the file, ... */
    uint32_t skipped; /* ... and filters that were left out */
};

static uint64_t row_size(const struct cel_h5r_fractal_heap *h, uint64_t row)
{
    return row < 2 ? h->first : row - 1 < (uint64_t)(63 - cel_h5_log2(h->first)) ? h->first << (row - 1) : 0;
}

/* Where a child stands among a table's: direct blocks come first, and with filters take more bytes. */
static size_t child_at(const struct cel_h5r_fractal_heap *h, uint64_t nth)
{
    size_t o = h->file->offset_size, direct = o + (h->filters.n ? h->file->length_size + 4 : 0);
    uint64_t ndirect = h->direct_rows * h->width;

    return nth < ndirect ? (size_t)nth * direct : (size_t)ndirect * direct + (size_t)(nth - ndirect) * o;
}

/* The row of a table that holds an offset; child: a block of that row, and where the row starts. */
static int find_row(const struct cel_h5r_fractal_heap *h, const struct extent *table, uint64_t rows, uint64_t offset,
                    struct extent *child, uint64_t *row)
{
    child->start = table->start;
    for (*row = 0; *row < rows; ++*row) {
        child->size = row_size(h, *row);
        if (child->size == 0 || child->size > (UINT64_MAX - child->start) / h->width)
            return damaged(h, table->addr, "its table is too large");
        if (offset - child->start < child->size * h->width)
            return CEL_OK;
        child->start += child->size * h->width;
    }
    return damaged(h, table->addr, "an object should lie beyond its end");
}

/* The child of a table that holds an offset; *row: its row. */
static int find_child(struct cel_h5r_fractal_heap *h, int level, const struct extent *table, uint64_t rows,
                      uint64_t offset, struct extent *child, uint64_t *row)
{
    size_t head = 5 + h->file->offset_size + h->offset_n;
    struct cel_h5_bytes b = {.n = h->file->offset_size + h->file->length_size + 4};
    uint64_t column;
    int rc = find_row(h, table, rows, offset, child, row);

    if (rc == CEL_OK)
        rc = cel_h5r_kept_get(h->file, &h->table[level], table->addr, head + child_at(h, rows * h->width) + 4, "FHIB",
                              "fractal heap");
    if (rc != CEL_OK)
        return rc;
    column = (offset - child->start) / child->size;
    child->start += column * child->size;
    b.p = h->table[level].bytes + head + child_at(h, *row * h->width + column);
    child->addr = cel_h5r_take_address(h->file, &b);
    if (h->filters.n && *row < h->direct_rows) {
        child->stored = cel_h5_take_number(&b, h->file->length_size);
        child->skipped = (uint32_t)cel_h5_take_number(&b, 4);
    }
    return CEL_OK;
}

/* The direct block that holds an offset. */
static int find_block(struct cel_h5r_fractal_heap *h, uint64_t offset, struct extent *out)
{
    struct extent table = {.addr = h->root};
    uint64_t rows = h->rows, row;
    int rc = CEL_OK;

    *out = (struct extent){.addr = h->root, .size = h->first, .stored = h->root_stored, .skipped = h->root_skipped};
    if (rows == 0)
        return offset < h->first ? CEL_OK : damaged(h, h->addr, "an object should lie beyond its end");
    for (int level = 0; level < LEVELS_MAX; level++) {
        rc = find_child(h, level, &table, rows, offset, out, &row);
        if (rc != CEL_OK || row < h->direct_rows)
            return rc;
        table = *out;
        if (cel_h5_log2(out->size) < cel_h5_log2(h->first) + cel_h5_log2(h->width))
            break;
        rows = cel_h5_log2(out->size) - cel_h5_log2(h->first) - cel_h5_log2(h->width) + 1;
    }
    return damaged(h, h->addr, "its tables are too deep");
}

static int check_block(const struct cel_h5r_fractal_heap *h, struct direct *b, uint64_t start)
{
    size_t sum_at = 5 + h->file->offset_size + h->offset_n;
    uint64_t mask = h->offset_n < 8 ? ((uint64_t)1 << 8 * h->offset_n) - 1 : UINT64_MAX;

    if (b->n < sum_at + 4 || memcmp(b->bytes, "FHDB\0", 5) != 0)
        return damaged(h, b->addr, "a block has no signature");
    if (cel_get_le(b->bytes + sum_at - h->offset_n, h->offset_n) != (start & mask))
        return damaged(h, b->addr, "a block is another's");
    if (!h->sums)
        return CEL_OK;
    memcpy(b->bytes + b->n, b->bytes + sum_at, 4);
    memset(b->bytes + sum_at, 0, 4);
    return cel_h5_sum_matches(b->bytes, b->n + 4) ? CEL_OK : damaged(h, b->addr, "a block's checksum does not match");
}

/* The bytes at an address, without their filters. */
static int get_unfiltered(struct cel_h5r_fractal_heap *h, uint64_t addr, uint64_t stored, uint32_t skipped,
                          struct cel_buf *out, size_t size)
{
    int rc = CEL_OK;

    if (addr == CEL_H5R_NOWHERE || stored == 0 || !cel_h5r_is_inside(h->file, addr, stored))
        return damaged(h, h->addr, "what its filters made lies beyond the end of the file");
    h->stored.len = 0;
    rc = cel_buf_resize(&h->stored, (size_t)stored);
    if (rc == CEL_OK)
        rc = cel_h5r_get(h->file, addr, "fractal heap", (unsigned char *)h->stored.data, (size_t)stored);
    if (rc == CEL_OK)
        rc = cel_h5r_filters_decode(&h->filters, skipped, (unsigned char *)h->stored.data, (size_t)stored, out, size);
    return rc == CEL_OK || rc == NC_ENOMEM ? rc
                                           : cel_fail_in(NC_EHDFERR, "the fractal heap at offset %llu",
                                                         (unsigned long long)(h->addr + h->file->base));
}

static int fill_block(struct cel_h5r_fractal_heap *h, const struct extent *at, struct direct *b)
{
    struct cel_buf block = CEL_BUF_INIT(BLOCK_MAX);
    int rc;

    if (!h->filters.n)
        return cel_h5r_get(h->file, at->addr, "fractal heap", b->bytes, b->n);
    rc = get_unfiltered(h, at->addr, at->stored, at->skipped, &block, b->n);
    if (rc == CEL_OK)
        memcpy(b->bytes, block.data, b->n);
    cel_buf_dispose(&block);
    return rc;
}

static int get_block(struct cel_h5r_fractal_heap *h, const struct extent *at)
{
    struct direct *b = &h->block;
    unsigned char *bytes;
    int rc;

    if (b->addr == at->addr && b->n == at->size)
        return CEL_OK;
    b->addr = CEL_H5R_NOWHERE;
    if (at->addr == CEL_H5R_NOWHERE || at->size > BLOCK_MAX ||
        !cel_h5r_is_inside(h->file, at->addr, h->filters.n ? at->stored : at->size))
        return damaged(h, h->addr, "a block is missing");
    bytes = cel_realloc(b->bytes, (size_t)at->size + 4, 1);
    if (!bytes)
        return NC_ENOMEM;
    b->bytes = bytes;
    b->n = (size_t)at->size;
    rc = fill_block(h, at, b);
    if (rc == CEL_OK)
        rc = check_block(h, b, at->start);
    if (rc == CEL_OK)
        b->addr = at->addr;
    return rc;
}

/* --- objects ------------------------------------------------------------------------------------- */

static int get_managed(struct cel_h5r_fractal_heap *h, const unsigned char *id, struct cel_buf *copy,
                       struct cel_h5_bytes *out)
{
    uint64_t offset = cel_get_le(id + ID_HEAD, h->offset_n), n = cel_get_le(id + ID_HEAD + h->offset_n, h->length_n);
    struct extent at;
    int rc = find_block(h, offset, &at);

    if (rc == CEL_OK && n > at.size - (offset - at.start))
        rc = damaged(h, h->addr, "an object is longer than its block");
    if (rc == CEL_OK)
        rc = get_block(h, &at);
    if (rc == CEL_OK)
        *out = (struct cel_h5_bytes){.p = h->block.bytes + (offset - at.start), .n = (size_t)n};
    (void)copy;
    return rc;
}

static int by_number(const unsigned char *record, void *sought, int *side)
{
    const uint64_t *want = sought; /* the number, and where it stands in a record and how wide it is */
    uint64_t is = cel_get_le(record + want[1], (size_t)want[2]);

    *side = want[0] < is ? -1 : want[0] > is;
    return CEL_OK;
}

/* Bytes that say where a huge object is. */
static size_t huge_n(const struct cel_h5r_fractal_heap *h)
{
    size_t o = h->file->offset_size, l = h->file->length_size;

    return h->filters.n ? o + 4 + 2 * l : o + l;
}

static int find_huge(struct cel_h5r_fractal_heap *h, const unsigned char *id, struct cel_h5_bytes *out,
                     unsigned char *copy)
{
    size_t l = h->file->length_size, n = h->id_n - ID_HEAD < 8 ? h->id_n - ID_HEAD : 8;
    uint64_t sought[3] = {cel_get_le(id + ID_HEAD, n), huge_n(h), l};
    const unsigned char *record;
    struct cel_h5r_btree2 *tree = NULL;
    int rc =
        h->huge == CEL_H5R_NOWHERE
            ? damaged(h, h->addr, "a huge object is not indexed")
            : cel_h5r_btree2_make(h->file, h->huge, h->filters.n ? TREE_FILTERED : TREE_HUGE, huge_n(h) + l, &tree);

    if (rc == CEL_OK)
        rc = cel_h5r_btree2_find(tree, by_number, sought, &record);
    if (rc == CEL_OK)
        memcpy(copy, record, huge_n(h));
    cel_h5r_btree2_free(tree);
    *out = (struct cel_h5_bytes){.p = copy, .n = huge_n(h)};
    return rc == CEL_ABSENT ? damaged(h, h->addr, "a huge object is not indexed") : rc;
}

static int get_huge(struct cel_h5r_fractal_heap *h, const unsigned char *id, struct cel_buf *copy,
                    struct cel_h5_bytes *out)
{
    size_t l = h->file->length_size;
    struct cel_h5_bytes b = {.p = id + ID_HEAD, .n = h->id_n - ID_HEAD};
    unsigned char record[32];
    uint64_t addr, n, real;
    uint32_t skipped;
    int rc = huge_n(h) <= h->id_n - ID_HEAD ? CEL_OK : find_huge(h, id, &b, record);

    if (rc != CEL_OK)
        return rc;
    addr = cel_h5r_take_address(h->file, &b);
    n = cel_h5_take_number(&b, l);
    skipped = (uint32_t)cel_h5_take_if(&b, h->filters.n > 0, 4);
    real = cel_h5_take_if(&b, h->filters.n > 0, l);
    if (addr == CEL_H5R_NOWHERE || !cel_h5r_is_inside(h->file, addr, n) || real > BLOCK_MAX)
        return damaged(h, h->addr, "a huge object lies beyond the end of the file");
    if (h->filters.n) {
        rc = get_unfiltered(h, addr, n, skipped, copy, (size_t)real);
    } else {
        rc = cel_buf_resize(copy, (size_t)n);
        if (rc == CEL_OK)
            rc = cel_h5r_get(h->file, addr, "huge object", (unsigned char *)copy->data, (size_t)n);
    }
    *out = cel_h5r_bytes_of(copy);
    return rc;
}

static int get_tiny(struct cel_h5r_fractal_heap *h, const unsigned char *id, struct cel_buf *copy,
                    struct cel_h5_bytes *out)
{
    bool is_long = h->id_n - ID_HEAD > TINY_SHORT;
    size_t head = is_long ? 2 : 1, n = (is_long ? (size_t)(id[0] & 15) << 8 | id[1] : (size_t)(id[0] & 15)) + 1;

    if (n > h->id_n - head)
        return damaged(h, h->addr, "a tiny object is longer than its id");
    (void)copy;
    *out = (struct cel_h5_bytes){.p = id + head, .n = n};
    return CEL_OK;
}

struct cel_range cel_h5r_fractal_heap_root(const struct cel_h5r_fractal_heap *h)
{
    size_t head = 5 + h->file->offset_size + h->offset_n;
    uint64_t n = h->rows == 0 ? (h->filters.n ? h->root_stored : h->first) : head + child_at(h, h->rows * h->width) + 4;

    return cel_h5r_range(h->file, h->root, n);
}

struct cel_range cel_h5r_fractal_heap_block_of(struct cel_h5r_fractal_heap *h, const unsigned char *id)
{
    struct cel_status before;
    struct extent at;
    int rc;

    if (id[0] >> 4 != 0)
        return (struct cel_range){0};
    cel_status_save(&before);
    rc = find_block(h, cel_get_le(id + ID_HEAD, h->offset_n), &at);
    cel_status_restore(&before);
    return rc == CEL_OK ? cel_h5r_range(h->file, at.addr, h->filters.n ? at.stored : at.size) : (struct cel_range){0};
}

uint64_t cel_h5r_fractal_heap_position(const struct cel_h5r_fractal_heap *h, const unsigned char *id)
{
    return id[0] >> 4 == 0 ? cel_get_le(id + ID_HEAD, h->offset_n) : UINT64_MAX;
}

int cel_h5r_fractal_heap_get(struct cel_h5r_fractal_heap *h, const unsigned char *id, struct cel_buf *copy,
                             struct cel_h5_bytes *out)
{
    static int (*const by_kind[])(struct cel_h5r_fractal_heap *, const unsigned char *, struct cel_buf *,
                                  struct cel_h5_bytes *) = {get_managed, get_huge, get_tiny};
    unsigned kind = id[0] >> 4;

    if (kind >= sizeof by_kind / sizeof *by_kind)
        return damaged(h, h->addr, "an object's id is of an unknown kind");
    return by_kind[kind](h, id, copy, out);
}
