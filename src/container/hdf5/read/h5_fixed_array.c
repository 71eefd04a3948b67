/* The chunk index of datasets that cannot grow: an array with an element for each chunk, in one block or, if it is long,
 * in pages behind a block that says which of them were ever written.
 *
 *   FAHD version(1) client(1) element size(1) page bits(1) elements(L) block address(O) checksum(4)
 *   FADB version(1) client(1) header address(O) [map of pages] [elements, if not in pages] checksum(4)
 *   page: elements checksum(4)
 * client: 0 chunks without filters, 1 with. A page has 2 to the power of page bits elements, the last one what is left.
 * HDF5 File Format Specification version 3, VIII.C. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { HEAD = 8, BLOCK_HEAD = 6, SUM = 4, PAGE_BITS_MAX = 32 };

struct array {
    size_t elem, size_n;
    uint64_t n, block;              /* elements, and where they are */
    uint64_t page;                  /* elements of one; n <= page: there are no pages */
    struct cel_h5r_kept head, part; /* of the block; and of its pages */
};

static int open(const struct cel_h5r_grid *g, void *state)
{
    struct array *a = state;
    const struct cel_h5r_file *file = g->file;
    unsigned char bytes[CEL_H5R_HEAD_MAX];
    size_t n = HEAD + file->length_size + file->offset_size + SUM;
    struct cel_h5_bytes b = {.p = bytes + HEAD, .n = n - HEAD};
    int rc = cel_h5r_get_summed(file, g->layout.addr, "FAHD", "chunk index", bytes, n);

    if (rc != CEL_OK)
        return rc;
    a->elem = bytes[6];
    a->n = cel_h5_take_number(&b, file->length_size);
    a->block = cel_h5r_take_address(file, &b);
    if (bytes[5] != g->filtered || !cel_h5r_grid_size_bytes(g, a->elem, &a->size_n) || bytes[7] > PAGE_BITS_MAX ||
        (a->block != CEL_H5R_NOWHERE && a->n > file->size / a->elem))
        return cel_h5r_damaged(file, g->layout.addr, "chunk index", "it cannot be that of this dataset");
    a->page = (uint64_t)1 << bytes[7];
    return CEL_OK;
}

static void dispose(void *state)
{
    struct array *a = state;

    free(a->head.bytes);
    free(a->part.bytes);
}

/* The element of page i/page, which is read by itself. */
static int find_in_page(const struct cel_h5r_grid *g, struct array *a, size_t head, uint64_t i,
                        struct cel_chunk_location *out)
{
    uint64_t page = i / a->page, n = a->n - page * a->page, at;
    int rc;

    if (!cel_h5r_bit(a->head.bytes + BLOCK_HEAD + g->file->offset_size, page))
        return CEL_ABSENT;
    if (n > a->page)
        n = a->page;
    at = a->block + head + page * (a->page * a->elem + SUM);
    rc = cel_h5r_kept_get(g->file, &a->part, at, (size_t)n * a->elem + SUM, NULL, "page of the chunk index");
    if (rc == CEL_OK)
        cel_h5r_grid_element(g, a->part.bytes + (size_t)(i % a->page) * a->elem, a->size_n, out);
    return rc;
}

static int find(const struct cel_h5r_grid *g, void *state, const size_t *at, struct cel_chunk_location *out)
{
    struct array *a = state;
    bool paged = a->n > a->page;
    size_t head = BLOCK_HEAD + g->file->offset_size, n;
    uint64_t i;
    int rc;

    if (!cel_h5r_grid_number(g, 0, at, &i) || i >= a->n)
        return cel_h5r_damaged(g->file, g->layout.addr, "chunk index", "it has too few elements");
    if (a->block == CEL_H5R_NOWHERE)
        return CEL_ABSENT;
    n = head + (size_t)(paged ? ((a->n + a->page - 1) / a->page + 7) / 8 : a->n * a->elem) + SUM;
    rc = cel_h5r_kept_get(g->file, &a->head, a->block, n, "FADB", "chunk index");
    if (rc != CEL_OK)
        return rc;
    if (paged)
        return find_in_page(g, a, n, i, out);
    cel_h5r_grid_element(g, a->head.bytes + head + (size_t)i * a->elem, a->size_n, out);
    return CEL_OK;
}

const struct cel_h5r_index_ops cel_h5r_index_fixed = {
    .state = sizeof(struct array), .open = open, .find = find, .dispose = dispose};
