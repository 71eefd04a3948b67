/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunk index of version 1 has no checksum, but little in it is free: keys are multiples of the chunk's lengths and
 * ascend, mostly without a gap; children lie in the file, and apart. A node that breaks these rules is changed where just one
 * change of a byte heals it. Which chunk an address belongs to is then told by the filters' checksums (salvage_chunk.c).
 *
 *   "TREE" 1 level(1) children(2) left(8) right(8) key child(8) key child(8) ... key
 *   key: stored bytes(4) filter mask(4) first element(8 each) 0(8)
 * Chapter III.A.1. */

#include "mend_hdf5.h"
#include <string.h>

enum { HEAD = 24, LEVELS_MAX = 16, CHILDREN_MAX = 4096 };

struct node {
    struct mend *m;
    const struct mend_grid *grid;
    uint64_t at;
    int level; /* what it must be; -1: any */
    bool root;
    bool dense; /* keys of a leaf without a gap are asked for */
};

static size_t key_size(const struct mend_grid *g)
{
    return 16 + 8 * (size_t)g->rank;
}

static const unsigned char *key_at(const struct node *n, size_t i)
{
    return n->m->bytes + n->at + HEAD + i * (key_size(n->grid) + 8);
}

static uint64_t first_of(const unsigned char *key, int d)
{
    return mend_le(key + 8 + 8 * (size_t)d, 8);
}

static bool key_is_good(const struct node *n, const unsigned char *key, bool last)
{
    const struct mend_grid *g = n->grid;

    for (int d = 0; d < g->rank; d++)
        if (g->chunk[d] == 0 || first_of(key, d) % g->chunk[d] || (!last && first_of(key, d) >= g->shape[d]))
            return false;
    return last ? !n->root || first_of(key, g->rank) != 0 : first_of(key, g->rank) == 0;
}

static bool ascends(const struct mend_grid *g, const unsigned char *a, const unsigned char *b)
{
    for (int d = 0; d <= g->rank; d++)
        if (first_of(a, d) != first_of(b, d))
            return first_of(a, d) < first_of(b, d);
    return false;
}

/* Which chunk of the grid the key is of, counted last dimension fastest. */
static uint64_t number_of(const struct mend_grid *g, const unsigned char *key)
{
    uint64_t number = 0;

    for (int d = 0; d < g->rank; d++)
        number = number * ((g->shape[d] + g->chunk[d] - 1) / g->chunk[d]) + first_of(key, d) / g->chunk[d];
    return number;
}

static bool child_is_good(const struct node *n, size_t i, int level)
{
    const unsigned char *key = key_at(n, i);
    uint64_t child = mend_le(key + key_size(n->grid), 8), size = mend_le(key, 4);

    if (level > 0)
        return mend_inside(n->m, child, HEAD) && mend_likeness(n->m->bytes + child, "TREE", 4) >= 3;
    return child < n->m->had && size > 0 && size <= n->m->had;
}

/* The key i and what it leads to, after the keys before it. */
static bool entry_is_good(const struct node *n, size_t i, size_t children, int level)
{
    const unsigned char *key = key_at(n, i), *before = i ? key_at(n, i - 1) : NULL;
    bool last = i == children;

    if (!key_is_good(n, key, last) || (before && !ascends(n->grid, before, key)) ||
        (!last && !child_is_good(n, i, level)))
        return false;
    return !n->dense || level > 0 || !before || last || number_of(n->grid, key) == number_of(n->grid, before) + 1;
}

static bool node_fits(void *arg)
{
    const struct node *n = arg;
    const unsigned char *p = n->m->bytes + n->at;
    size_t children = mend_le(p + 6, 2);

    if (memcmp(p, "TREE\1", 5) != 0 || p[5] >= LEVELS_MAX || (n->level >= 0 && p[5] != n->level) || children == 0 ||
        children > CHILDREN_MAX ||
        !mend_inside(n->m, n->at, HEAD + children * (key_size(n->grid) + 8) + key_size(n->grid)))
        return false;
    for (size_t i = 0; i <= children; i++)
        if (!entry_is_good(n, i, children, p[5]))
            return false;
    return true;
}

/* Keys without a gap first, and keys before the head: with fewer children much would fit. */
static bool mend_node(struct node *n)
{
    size_t most = HEAD + 65 * (key_size(n->grid) + 8);

    if (node_fits(n))
        return true;
    most = n->m->size - n->at < most ? n->m->size - n->at : most;
    for (int i = 0; i < 4; i++) {
        size_t from = i % 2 ? 0 : HEAD;

        n->dense = i < 2;
        if (mend_byte_once(n->m, n->at + from, (from ? most : HEAD + 1) - from, node_fits, n, "chunk index"))
            return true;
    }
    return false;
}

static void mend_below(struct mend *m, const struct mend_grid *grid, uint64_t at, int level)
{
    struct node n = {.m = m, .grid = grid, .at = at, .level = level, .root = level < 0};
    const unsigned char *p = m->bytes + at;

    if (!mend_inside(m, at, HEAD + key_size(grid)) || !mend_node(&n) || p[5] == 0)
        return;
    for (size_t i = 0; i < mend_le(p + 6, 2); i++)
        mend_below(m, grid, mend_le(key_at(&n, i) + key_size(grid), 8), p[5] - 1);
}

void mend_tree(struct mend *m, const struct mend_grid *grid)
{
    if (grid->rank > 0)
        mend_below(m, grid, grid->tree, -1);
}
