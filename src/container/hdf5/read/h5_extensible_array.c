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
};

static int damaged(const struct cel_h5r_grid *g, const char *why)
{
    return cel_h5r_damaged(g->file, g->layout.addr, "chunk index", why);
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

/* map: which pages of the super block's data blocks were written; NULL: it has none. */
static int find_in_block(const struct cel_h5r_grid *g, struct array *a, uint64_t addr, const struct position *p,
                         const unsigned char *map, struct cel_chunk_location *out)
{
    size_t head = BLOCK_HEAD + g->file->offset_size + a->number_n;
    uint64_t pages = p->elements / a->page, page = p->i / a->page;
    int rc;

    if (addr == CEL_H5R_NOWHERE)
        return CEL_ABSENT;
    if (p->elements <= a->page) {
        if (p->elements > g->file->size / a->elem)
            return damaged(g, "no file has so many elements");
        rc = cel_h5r_kept_get(g->file, &a->part, addr, head + (size_t)p->elements * a->elem + SUM, "EADB",
                              "block of the chunk index");
        if (rc == CEL_OK)
            cel_h5r_grid_element(g, a->part.bytes + head + (size_t)p->i * a->elem, a->size_n, out);
        return rc;
    }
    if (!map || !cel_h5r_bit(map, p->block * pages + page))
        return map ? CEL_ABSENT : damaged(g, "pages without a map of them");
    if (a->page > g->file->size / a->elem || page > g->file->size / a->page)
        return damaged(g, "no file has so many elements");
    addr += head + SUM + page * (a->page * a->elem + SUM);
    rc = cel_h5r_kept_get(g->file, &a->part, addr, (size_t)a->page * a->elem + SUM, NULL, "page of the chunk index");
    if (rc == CEL_OK)
        cel_h5r_grid_element(g, a->part.bytes + (size_t)(p->i % a->page) * a->elem, a->size_n, out);
    return rc;
}

static int find_in_super(const struct cel_h5r_grid *g, struct array *a, uint64_t addr, const struct position *p,
                         struct cel_chunk_location *out)
{
    uint64_t pages = p->elements > a->page ? p->elements / a->page : 0, map = (pages + 7) / 8;
    size_t head = BLOCK_HEAD + g->file->offset_size + a->number_n, n;
    const unsigned char *maps;
    int rc;

    if (addr == CEL_H5R_NOWHERE)
        return CEL_ABSENT;
    if (map + g->file->offset_size > g->file->size / p->blocks)
        return damaged(g, "no file has so many blocks");
    n = head + (size_t)(p->blocks * (map + g->file->offset_size)) + SUM;
    rc = cel_h5r_kept_get(g->file, &a->super_block, addr, n, "EASB", "block of the chunk index");
    if (rc != CEL_OK)
        return rc;
    maps = a->super_block.bytes + head;
    addr = address_at(g, maps + (size_t)(p->blocks * map), p->block);
    return find_in_block(g, a, addr, p, pages ? maps : NULL, out);
}

/* --- all elements ---------------------------------------------------------------------------------- */

static int get_index_block(const struct cel_h5r_grid *g, struct array *a)
{
    size_t supers = (size_t)(1 + a->bits - cel_h5_log2(a->smallest) - a->direct_supers), o = g->file->offset_size;
    size_t n = BLOCK_HEAD + o + (size_t)a->in_index * a->elem + ((size_t)a->direct_blocks + supers) * o + SUM;

    return cel_h5r_kept_get(g->file, &a->index_block, a->index, n, "EAIB", "chunk index");
}

static int find(const struct cel_h5r_grid *g, void *state, const size_t *at, struct cel_chunk_location *out)
{
    struct array *a = state;
    const unsigned char *elements, *addresses;
    struct position p;
    uint64_t i;
    int rc;

    if (!cel_h5r_grid_number(g, a->growing, at, &i) || i >> a->bits)
        return damaged(g, "it has too few elements");
    if (a->index == CEL_H5R_NOWHERE)
        return CEL_ABSENT;
    rc = get_index_block(g, a);
    if (rc != CEL_OK)
        return rc;
    elements = a->index_block.bytes + BLOCK_HEAD + g->file->offset_size;
    addresses = elements + (size_t)a->in_index * a->elem;
    if (i < a->in_index) {
        cel_h5r_grid_element(g, elements + (size_t)i * a->elem, a->size_n, out);
        return CEL_OK;
    }
    p = position_of(a, i - a->in_index);
    if (p.super < a->direct_supers)
        return find_in_block(g, a, address_at(g, addresses, blocks_before(p.super) + p.block), &p, NULL, out);
    if (p.super > a->bits - cel_h5_log2(a->smallest))
        return damaged(g, "it has too few elements");
    i = a->direct_blocks + (uint64_t)(p.super - a->direct_supers);
    return find_in_super(g, a, address_at(g, addresses, i), &p, out);
}

const struct cel_h5r_index_ops cel_h5r_index_extensible = {
    .state = sizeof(struct array), .open = open, .find = find, .dispose = dispose};
