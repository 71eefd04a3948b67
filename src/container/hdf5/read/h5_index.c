/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the chunks of a dataset lie. Each kind of index has a file of its own, but for two that have nothing in the file:
 * one chunk, whose address the layout message gives, and chunks that lie one behind the other. */
#include "chunk_grid.h"
#include "h5_read_int.h"
#include <assert.h>
#include <stdlib.h>

struct cel_h5r_index {
    struct cel_h5r_grid grid;
    const struct cel_h5r_index_ops *ops;
    void *state;
};

/* --- the grid -------------------------------------------------------------------------- */

static void set_grid(struct cel_h5r_grid *g, const struct cel_h5r_file *file, const struct cel_h5r_dataset *d)
{
    g->file = file;
    g->layout = d->layout;
    g->layout.compact = NULL;
    g->rank = d->rank;
    g->filtered = d->filtered;
    for (int i = 0; i < g->rank; i++) {
        uint64_t len = d->layout.chunk[i], max = d->maxdims[i];

        g->chunk[i] = len;
        g->most[i] = max == UINT64_MAX ? UINT64_MAX : max / len + (max % len != 0);
    }
}

bool cel_h5r_grid_number(const struct cel_h5r_grid *g, int first, const size_t *at, uint64_t *out)
{
    uint64_t n = at[first];

    for (int i = 0; i < g->rank; i++) {
        if (i == first)
            continue;
        if (at[i] >= g->most[i] || n > (UINT64_MAX - at[i]) / g->most[i])
            return false;
        n = n * g->most[i] + at[i];
    }
    *out = n;
    return g->rank > 0;
}

bool cel_h5r_grid_last(const struct cel_h5r_grid *g, int first, const size_t *n, uint64_t *out)
{
    size_t at[CEL_RANK_MAX];

    for (int i = 0; i < g->rank; i++)
        at[i] = n[i] - 1;
    return cel_h5r_grid_number(g, first, at, out);
}

void cel_h5r_grid_position(const struct cel_h5r_grid *g, int first, uint64_t number, size_t *at)
{
    for (int i = g->rank - 1; i >= 0; i--) {
        if (i == first)
            continue;
        at[i] = (size_t)(number % g->most[i]);
        number /= g->most[i];
    }
    at[first] = cel_h5r_clamp(number);
}

int cel_h5r_grid_scan(const struct cel_h5r_grid *g, void *state, cel_h5r_elements_fn *elements, size_t elem,
                      uint64_t end, uint64_t *i)
{
    while (*i < end) {
        const unsigned char *p;
        uint64_t n;
        int rc = elements(g, state, *i, &p, &n);

        if (rc != CEL_OK)
            return rc;
        if (!p)
            *i = n < end - *i ? *i + n : end;
        for (; p && n > 0 && *i < end; n--, ++*i, p += elem) {
            struct cel_h5_bytes b = {.p = p, .n = g->file->offset_size};

            if (cel_h5r_take_address(g->file, &b) != CEL_H5R_NOWHERE)
                return CEL_OK;
        }
    }
    return CEL_ABSENT;
}

/* What libhdf5 reserves for a stored size: a byte more than the size without filters needs. */
static size_t stored_size_bytes(const struct cel_h5r_layout *l, const struct cel_h5r_file *file)
{
    size_t n = 1;

    if (l->version >= 5)
        return file->length_size;
    for (uint64_t v = l->size; v; v >>= 8)
        n++;
    return n < 8 ? n : 8;
}

/* The size of an element must be the one that follows from the chunks: else the two do not belong together. */
bool cel_h5r_grid_size_bytes(const struct cel_h5r_grid *g, size_t n, size_t *size_n)
{
    *size_n = g->filtered ? stored_size_bytes(&g->layout, g->file) : 0;
    return n == g->file->offset_size + *size_n + (g->filtered ? 4 : 0);
}

void cel_h5r_grid_element(const struct cel_h5r_grid *g, const unsigned char *p, size_t size_n,
                          struct cel_chunk_location *out)
{
    struct cel_h5_bytes b = {.p = p, .n = g->file->offset_size + size_n + 4};

    out->address = cel_h5r_take_address(g->file, &b);
    out->nbytes = (size_t)(g->filtered ? cel_h5_take_number(&b, size_n) : g->layout.size);
    out->skipped = g->filtered ? (uint32_t)cel_h5_take_number(&b, 4) : 0;
}

static int check_inside(const struct cel_h5r_file *file, const struct cel_chunk_location *at)
{
    if (cel_h5r_is_inside(file, at->address, at->nbytes))
        return CEL_OK;
    return cel_fail(NC_EHDFERR, "its %zu bytes at offset %llu lie beyond the end of the file", at->nbytes,
                    (unsigned long long)(at->address + file->base));
}

/* --- kinds without a structure in the file ------------------------------------------------ */

static int find_single(const struct cel_h5r_grid *g, void *state, const size_t *at, struct cel_chunk_location *out)
{
    (void)state;
    for (int i = 0; i < g->rank; i++)
        if (at[i] != 0)
            return cel_fail(NC_EHDFERR, "the dataset says that it is one chunk, and has more: it is damaged");
    if (g->filtered != g->layout.single_filtered)
        return cel_fail(NC_EHDFERR, "the size of its one chunk does not say whether it has filters: it is damaged");
    out->address = g->layout.addr;
    out->nbytes = (size_t)(g->filtered ? g->layout.single_size : g->layout.size);
    out->skipped = g->layout.single_mask;
    return CEL_OK;
}

static int find_implicit(const struct cel_h5r_grid *g, void *state, const size_t *at, struct cel_chunk_location *out)
{
    uint64_t i;

    (void)state;
    if (g->filtered || !cel_h5r_grid_number(g, 0, at, &i) || i > (UINT64_MAX / 2 - g->layout.addr) / g->layout.size)
        return cel_fail(NC_EHDFERR, "its chunks cannot lie one behind the other, as it says: it is damaged");
    out->address = g->layout.addr + i * g->layout.size;
    out->nbytes = (size_t)g->layout.size;
    out->skipped = 0;
    return CEL_OK;
}

static int next_single(const struct cel_h5r_grid *g, void *state, const size_t *n, size_t *at)
{
    struct cel_chunk_location there;

    (void)n;
    return find_single(g, state, at, &there);
}

/* Every chunk is there, as far as the file reaches. */
static int next_implicit(const struct cel_h5r_grid *g, void *state, const size_t *n, size_t *at)
{
    struct cel_chunk_location there;
    int rc = find_implicit(g, state, at, &there);

    (void)n;
    return rc == CEL_OK ? check_inside(g->file, &there) : rc;
}

/* --- all kinds ------------------------------------------------------------------------------ */

static const struct cel_h5r_index_ops single = {.find = find_single, .next = next_single},
                                      implicit = {.find = find_implicit, .next = next_implicit};
static const struct cel_h5r_index_ops *const kinds[CEL_H5R_INDEX_KINDS] = {
    [CEL_H5R_INDEX_BTREE1] = &cel_h5r_index_btree1,
    [CEL_H5R_INDEX_SINGLE] = &single,
    [CEL_H5R_INDEX_IMPLICIT] = &implicit,
    [CEL_H5R_INDEX_FIXED] = &cel_h5r_index_fixed,
    [CEL_H5R_INDEX_EXTENSIBLE] = &cel_h5r_index_extensible,
    [CEL_H5R_INDEX_BTREE2] = &cel_h5r_index_btree2};

/* Nothing of the index is read before a chunk is asked for. */
int cel_h5r_index_make(const struct cel_h5r_file *file, const struct cel_h5r_dataset *dataset,
                       struct cel_h5r_index **out)
{
    struct cel_h5r_index *x = cel_calloc(1, sizeof *x);

    assert(dataset->layout.storage == CEL_H5R_CHUNKED && dataset->layout.kind < CEL_H5R_INDEX_KINDS);
    if (!x)
        return NC_ENOMEM;
    set_grid(&x->grid, file, dataset);
    x->ops = kinds[dataset->layout.kind];
    *out = x;
    return CEL_OK;
}

static void drop_state(struct cel_h5r_index *x)
{
    if (x->state)
        x->ops->dispose(x->state);
    free(x->state);
    x->state = NULL;
}

void cel_h5r_index_free(struct cel_h5r_index *x)
{
    if (x)
        drop_state(x);
    free(x);
}

enum cel_h5r_index_kind cel_h5r_index_kind(const struct cel_h5r_index *x)
{
    return x->grid.layout.kind;
}

/* An address beyond the end of the file is no address; what the index claims is believed only as far as the file
 * reaches. */
static int check(const struct cel_h5r_index *x, struct cel_chunk_location *out)
{
    int rc;

    if (out->address == CEL_H5R_NOWHERE)
        return CEL_ABSENT;
    rc = check_inside(x->grid.file, out);
    if (rc == CEL_OK)
        out->address += x->grid.file->base;
    return rc;
}

static int open_state(struct cel_h5r_index *x)
{
    int rc;

    if (x->state || !x->ops->state)
        return CEL_OK;
    x->state = cel_calloc(1, x->ops->state);
    rc = x->state ? x->ops->open(&x->grid, x->state) : NC_ENOMEM;
    if (rc != CEL_OK)
        drop_state(x);
    return rc;
}

int cel_h5r_index_find(struct cel_h5r_index *x, const size_t *at, struct cel_chunk_location *out)
{
    int rc;

    for (int d = 0; d < x->grid.rank; d++)
        assert(at[d] <= UINT64_MAX / x->grid.chunk[d]);
    if (x->grid.layout.addr == CEL_H5R_NOWHERE)
        return CEL_ABSENT;
    rc = open_state(x);
    if (rc == CEL_OK)
        rc = x->ops->find(&x->grid, x->state, at, out);
    return rc == CEL_OK ? check(x, out) : rc;
}

/* Each turn leaves chunks behind that the index has: there is an end to those outside. */
int cel_h5r_index_next(struct cel_h5r_index *x, const size_t *n, size_t *at)
{
    const struct cel_h5r_grid *g = &x->grid;
    int rc;

    if (g->layout.addr == CEL_H5R_NOWHERE)
        return CEL_ABSENT;
    rc = open_state(x);
    while (rc == CEL_OK && cel_chunk_wrap(g->rank, n, at)) {
        bool inside = true;

        rc = x->ops->next(g, x->state, n, at);
        for (int d = 0; d < g->rank; d++)
            inside = inside && at[d] < n[d];
        if (rc != CEL_OK || inside)
            return rc;
    }
    return rc == CEL_OK ? CEL_ABSENT : rc;
}
