/* SPDX-License-Identifier: BSD-3-Clause */
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

static int too_few(const struct cel_h5r_grid *g)
{
    return cel_h5r_damaged(g->file, g->layout.addr, "chunk index", "it has too few elements");
}

/* Of page i/page, which is read by itself. */
static int get_page(const struct cel_h5r_grid *g, struct array *a, size_t head, uint64_t i, const unsigned char **p,
                    uint64_t *n)
{
    uint64_t page = i / a->page, all = a->n - page * a->page, at;
    int rc;

    if (all > a->page)
        all = a->page;
    *n = all - i % a->page;
    if (!cel_h5r_bit(a->head.bytes + BLOCK_HEAD + g->file->offset_size, page))
        return CEL_OK;
    at = a->block + head + page * (a->page * a->elem + SUM);
    rc = cel_h5r_kept_get(g->file, &a->part, at, (size_t)all * a->elem + SUM, NULL, "page of the chunk index");
    if (rc == CEL_OK)
        *p = a->part.bytes + (size_t)(i % a->page) * a->elem;
    return rc;
}

static int get_elements(const struct cel_h5r_grid *g, void *state, uint64_t i, const unsigned char **p, uint64_t *n)
{
    struct array *a = state;
    bool paged = a->n > a->page;
    size_t head = BLOCK_HEAD + g->file->offset_size, nbytes;
    int rc;

    *p = NULL;
    *n = a->n - i;
    if (a->block == CEL_H5R_NOWHERE)
        return CEL_OK;
    nbytes = head + (size_t)(paged ? ((a->n + a->page - 1) / a->page + 7) / 8 : a->n * a->elem) + SUM;
    rc = cel_h5r_kept_get(g->file, &a->head, a->block, nbytes, "FADB", "chunk index");
    if (rc != CEL_OK)
        return rc;
    if (paged)
        return get_page(g, a, nbytes, i, p, n);
    *p = a->head.bytes + head + (size_t)i * a->elem;
    return CEL_OK;
}

static int find(const struct cel_h5r_grid *g, void *state, const size_t *at, struct cel_chunk_location *out)
{
    const struct array *a = state;
    const unsigned char *p;
    uint64_t i, n;
    int rc = cel_h5r_grid_number(g, 0, at, &i) && i < a->n ? get_elements(g, state, i, &p, &n) : too_few(g);

    if (rc == CEL_OK && p)
        cel_h5r_grid_element(g, p, a->size_n, out);
    return rc == CEL_OK && !p ? CEL_ABSENT : rc;
}

static int next(const struct cel_h5r_grid *g, void *state, const size_t *n, size_t *at)
{
    const struct array *a = state;
    uint64_t i, last;
    int rc;

    if (!cel_h5r_grid_number(g, 0, at, &i))
        return too_few(g);
    rc = cel_h5r_grid_scan(g, state, get_elements, a->elem, a->n, &i);
    if (rc == CEL_ABSENT)
        return cel_h5r_grid_last(g, 0, n, &last) && last < a->n ? CEL_ABSENT : too_few(g);
    cel_h5r_grid_position(g, 0, i, at);
    return rc;
}

const struct cel_h5r_index_ops cel_h5r_index_fixed = {
    .state = sizeof(struct array), .open = open, .find = find, .next = next, .dispose = dispose};
