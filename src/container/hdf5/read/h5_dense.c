/* Attributes and links in dense storage (an object with more than eight, or a large
 * one): a fractal heap holds the messages, a version 2 B-tree where they lie in it. libhdf5
 * takes 23 us for each such object. Only the usual shape is read (the tree is one leaf, the
 * heap one block or one level of them), anything else is libhdf5's.
 * HDF5 File Format Specification version 3, III.A.2 and III.G.
 *
 *   BTHD version(1) type(1) node size(4) record size(2) depth(2) split(1) merge(1)
 *        root address(8) records in root(2) records(8) checksum(4)
 *   BTLF version(1) type(1) records checksum(4)
 *        record of an attribute: heap id(8) message flags(1) creation order(4) hash of the name(4)
 *        record of a link: hash of the name(4) heap id(7)
 *   FRHP version(1) id length(2) filters(2) flags(1) largest managed object(4) ...
 *        table width(2) first block size(8) largest block size(8) heap bits(2)
 *        rows at first(2) root address(8) rows now(2) checksum(4)
 *   FHIB version(1) heap address(8) offset block addresses(8 each) checksum(4)
 *   FHDB version(1) heap address(8) offset [checksum(4)] objects
 *   heap id: kind(1) offset length, both as wide as the heap's limits need */
#include "h5_read_int.h"

enum { TREE_HEAD = 38, LEAF_HEAD = 6, HEAP_HEAD = 146, HEAP_TABLE = 110 };

const struct cel_h5r_dense_kind cel_h5r_dense_atts = {
    .type = 8, .record = 17, .id_at = 0, .id_n = 8, .flags_at = 8, .order_at = 9};
const struct cel_h5r_dense_kind cel_h5r_dense_links = {.type = 5, .record = 11, .id_at = 4, .id_n = 7, .flags_at = -1};

struct heap {
    struct cel_h5r_reader *reader;
    size_t id_n; /* bytes of an id */
    uint64_t width, first, largest, root, rows;
    size_t offset_size, length_size;
    bool sums;        /* blocks carry a checksum */
    uint64_t checked; /* address of the block that was checked last */
};

static size_t bytes_for(uint64_t v)
{
    size_t n = 1;

    while (v >>= 8)
        n++;
    return n;
}

static int open_heap(struct heap *h, uint64_t addr)
{
    const unsigned char *p = cel_h5r_look(h->reader, addr, HEAP_HEAD);
    uint64_t largest_object, bits;

    if (!p || memcmp(p, "FRHP\0", 5) != 0 || !cel_h5_sum_matches(p, HEAP_HEAD) || cel_get_le(p + 5, 2) != h->id_n ||
        cel_get_le(p + 7, 2) != 0)
        return CEL_ASK_LIBHDF5; /* another version, longer ids, or filters */
    largest_object = cel_get_le(p + 10, 4);
    h->width = cel_get_le(p + HEAP_TABLE, 2);
    h->first = cel_get_le(p + HEAP_TABLE + 2, 8);
    h->largest = cel_get_le(p + HEAP_TABLE + 10, 8);
    bits = cel_get_le(p + HEAP_TABLE + 18, 2);
    h->root = cel_get_le(p + HEAP_TABLE + 22, 8);
    h->rows = cel_get_le(p + HEAP_TABLE + 30, 2);
    h->sums = p[9] & 2;
    h->offset_size = (size_t)(bits + 7) / 8;
    h->length_size = bytes_for(largest_object < h->largest ? largest_object : h->largest);
    if (h->width == 0 || h->width > 64 || h->first == 0 || h->first > 65536 || h->largest > 65536 || h->rows > 8 ||
        1 + h->offset_size + h->length_size > h->id_n)
        return CEL_ASK_LIBHDF5;
    return CEL_OK;
}

/* The address of child `i` of the root, one of the direct blocks. */
static int find_child(const struct heap *h, uint64_t i, uint64_t *addr)
{
    size_t head = 13 + h->offset_size, n = head + (size_t)(h->rows * h->width) * 8 + 4;
    const unsigned char *p = cel_h5r_look(h->reader, h->root, n);

    if (!p || memcmp(p, "FHIB\0", 5) != 0 || !cel_h5_sum_matches(p, n))
        return CEL_ASK_LIBHDF5;
    *addr = cel_get_le(p + head + (size_t)i * 8, 8);
    return *addr == CEL_H5R_NOWHERE ? CEL_ASK_LIBHDF5 : CEL_OK;
}

struct block {                  /* a direct one */
    uint64_t addr, start, size; /* start: offset in the heap */
};

/* Rows 0 and 1 have blocks of the first size, each row after that twice as large. */
static int find_block(const struct heap *h, uint64_t offset, struct block *b)
{
    uint64_t row;

    *b = (struct block){.addr = h->root, .size = h->first};
    if (h->rows == 0)
        return offset < b->size ? CEL_OK : CEL_ASK_LIBHDF5;
    for (row = 0; row < h->rows; row++) {
        if (row > 1)
            b->size *= 2;
        if (b->size > h->largest)
            return CEL_ASK_LIBHDF5; /* indirect blocks from here on */
        if (offset - b->start < b->size * h->width)
            break;
        b->start += b->size * h->width;
    }
    if (row == h->rows || find_child(h, row * h->width + (offset - b->start) / b->size, &b->addr) != CEL_OK)
        return CEL_ASK_LIBHDF5;
    b->start += (offset - b->start) / b->size * b->size;
    return CEL_OK;
}

/* A block's checksum covers all of it, with the sum itself taken as zero. */
static bool block_sum_matches(struct heap *h, uint64_t addr, const unsigned char *p, size_t size)
{
    unsigned char copy[8192 + 4];
    size_t at = 13 + h->offset_size;

    if (!h->sums || h->checked == addr)
        return true;
    if (size > 8192)
        return false;
    memcpy(copy, p, size);
    memset(copy + at, 0, 4);
    memcpy(copy + size, p + at, 4);
    if (!cel_h5_sum_matches(copy, size + 4))
        return false;
    h->checked = addr;
    return true;
}

static int get_object(struct heap *h, uint64_t offset, uint64_t n, struct cel_h5_bytes *out)
{
    const unsigned char *p;
    struct block b;

    if (find_block(h, offset, &b) != CEL_OK || offset - b.start + n > b.size || b.size < 17 + h->offset_size)
        return CEL_ASK_LIBHDF5;
    p = cel_h5r_look(h->reader, b.addr, (size_t)b.size);
    if (!p || memcmp(p, "FHDB\0", 5) != 0 || cel_get_le(p + 13, h->offset_size) != b.start ||
        !block_sum_matches(h, b.addr, p, (size_t)b.size))
        return CEL_ASK_LIBHDF5;
    *out = (struct cel_h5_bytes){.p = p + (offset - b.start), .n = (size_t)n};
    return CEL_OK;
}

/* Objects that are not in the heap's blocks are huge: no attribute we look for, and a link nobody makes. */
static int visit_id(struct heap *h, const unsigned char *id, unsigned order, cel_h5r_body_fn *visit, void *data)
{
    enum { MANAGED, HUGE } kind = id[0] >> 4;
    struct cel_h5_bytes body;
    int rc;

    if (kind == HUGE && h->id_n == cel_h5r_dense_atts.id_n)
        return CEL_OK;
    if (kind != MANAGED)
        return CEL_ASK_LIBHDF5;
    rc = get_object(h, cel_get_le(id + 1, h->offset_size), cel_get_le(id + 1 + h->offset_size, h->length_size), &body);
    return rc == CEL_OK ? visit(body, order, data) : rc;
}

/* The one leaf of the index; its records are copied, since the reader's blocks are replaced meanwhile. */
static int read_leaf(struct cel_h5r_reader *r, const struct cel_h5r_dense_kind *kind, uint64_t index,
                     unsigned char *records, size_t cap, size_t *n)
{
    const unsigned char *p = cel_h5r_look(r, index, TREE_HEAD);
    uint64_t root;

    if (!p || memcmp(p, "BTHD\0", 5) != 0 || p[5] != kind->type || !cel_h5_sum_matches(p, TREE_HEAD) ||
        cel_get_le(p + 10, 2) != kind->record || cel_get_le(p + 12, 2) != 0)
        return CEL_ASK_LIBHDF5;
    root = cel_get_le(p + 16, 8);
    *n = (size_t)cel_get_le(p + 24, 2);
    if (*n * kind->record > cap)
        return CEL_ASK_LIBHDF5;
    p = cel_h5r_look(r, root, LEAF_HEAD + *n * kind->record + 4);
    if (!p || memcmp(p, "BTLF\0", 5) != 0 || !cel_h5_sum_matches(p, LEAF_HEAD + *n * kind->record + 4))
        return CEL_ASK_LIBHDF5;
    memcpy(records, p + LEAF_HEAD, *n * kind->record);
    return CEL_OK;
}

int cel_h5r_dense_each(struct cel_h5r_reader *r, const struct cel_h5r_dense_kind *kind,
                       const struct cel_h5r_dense *dense, cel_h5r_body_fn *visit, void *data)
{
    struct heap h = {.reader = r, .id_n = kind->id_n, .checked = CEL_H5R_NOWHERE};
    unsigned char records[1024];
    size_t n = 0;
    int rc = read_leaf(r, kind, dense->index, records, sizeof records, &n);

    if (rc == CEL_OK)
        rc = open_heap(&h, dense->heap);
    for (size_t i = 0; rc == CEL_OK && i < n; i++) {
        const unsigned char *record = records + i * kind->record;
        bool shared = kind->flags_at >= 0 && (record[kind->flags_at] & 2);

        rc = shared ? CEL_ASK_LIBHDF5
                    : visit_id(&h, record + kind->id_at, kind->order_at ? cel_get_le32(record + kind->order_at) : 0,
                               visit, data);
    }
    return rc;
}
