/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunk index of datasets that grow along several dimensions: a B-tree of version 2 whose records are chunks, ordered
 * by their position in the grid.
 *
 *   record without filters: address(O) position in the grid(8 each)
 *   record with filters:    address(O) stored bytes(1 to 8) mask(4) position in the grid(8 each)
 * HDF5 File Format Specification version 3, III.A.2, types 10 and 11. */
#include "h5_read_int.h"

enum { PLAIN = 10, FILTERED = 11 };

struct sought {
    const size_t *at;
    int rank;
    size_t skip; /* bytes of a record before the position */
};

static int open(const struct cel_h5r_grid *g, void *state)
{
    struct cel_h5r_btree2 **tree = state;
    size_t size_n, position = 8 * (size_t)g->rank, record;
    int rc = cel_h5r_btree2_make(g->file, g->layout.addr, g->filtered ? FILTERED : PLAIN, 0, tree);

    if (rc != CEL_OK)
        return rc;
    record = cel_h5r_btree2_record(*tree);
    if (record >= position && cel_h5r_grid_size_bytes(g, record - position, &size_n))
        return CEL_OK;
    return cel_h5r_damaged(g->file, g->layout.addr, "chunk index", "it cannot be that of this dataset");
}

static int order(const unsigned char *record, void *data, int *side)
{
    const struct sought *s = data;

    for (int d = 0; d < s->rank; d++) {
        uint64_t at = cel_get_le64(record + s->skip + 8 * (size_t)d);

        if (s->at[d] != at) {
            *side = s->at[d] < at ? -1 : 1;
            return CEL_OK;
        }
    }
    *side = 0;
    return CEL_OK;
}

static int find(const struct cel_h5r_grid *g, void *state, const size_t *at, struct cel_chunk_location *out)
{
    struct cel_h5r_btree2 **tree = state;
    size_t head = cel_h5r_btree2_record(*tree) - 8 * (size_t)g->rank, size_n;
    struct sought sought = {.at = at, .rank = g->rank, .skip = head};
    const unsigned char *record;
    int rc = cel_h5r_btree2_find(*tree, order, &sought, &record);

    if (rc == CEL_OK && cel_h5r_grid_size_bytes(g, head, &size_n))
        cel_h5r_grid_element(g, record, size_n, out);
    return rc;
}

/* --- the next one --- */

struct nearest {
    struct sought sought;
    bool found;
    size_t at[CEL_RANK_MAX];
};

/* Nodes that do not belong together may have a nearer record above than below. */
static int take_nearer(const unsigned char *record, void *data)
{
    struct nearest *x = data;
    struct sought best = {.at = x->at, .rank = x->sought.rank, .skip = x->sought.skip};
    int side = 1, rc = x->found ? order(record, &best, &side) : CEL_OK;

    for (int d = 0; rc == CEL_OK && side > 0 && d < best.rank; d++)
        x->at[d] = cel_h5r_clamp(cel_get_le64(record + best.skip + 8 * (size_t)d));
    x->found = true;
    return rc;
}

static int next(const struct cel_h5r_grid *g, void *state, const size_t *n, size_t *at)
{
    struct cel_h5r_btree2 **tree = state;
    size_t head = cel_h5r_btree2_record(*tree) - 8 * (size_t)g->rank;
    struct nearest x = {.sought = {.at = at, .rank = g->rank, .skip = head}};
    int rc = cel_h5r_btree2_seek(*tree, order, &x.sought, take_nearer, &x);

    (void)n;
    if (rc != CEL_OK)
        return rc;
    for (int d = 0; x.found && d < g->rank; d++)
        at[d] = x.at[d];
    return x.found ? CEL_OK : CEL_ABSENT;
}

static void dispose(void *state)
{
    struct cel_h5r_btree2 **tree = state;

    cel_h5r_btree2_free(*tree);
}

const struct cel_h5r_index_ops cel_h5r_index_btree2 = {
    .state = sizeof(struct cel_h5r_btree2 *), .open = open, .find = find, .next = next, .dispose = dispose};
