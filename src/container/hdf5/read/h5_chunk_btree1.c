/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunk index of version 1, a B-tree, which is what every file has whose writer did not ask for the newest format.
 * One node of each level is kept: chunks are mostly asked for in order. Nodes have no checksum, here as in libhdf5; one
 * that makes no sense is left to libhdf5 to judge, but not one beyond the end of the file: libhdf5 does not survive each
 * of those.
 *
 *   "TREE" 1 level(1) children(2) left(O) right(O) key child(O) key child(O) ... key
 *   key: stored bytes(4) filter mask(4) first element(8 each) 0(8)
 * A child's chunks are those from the key before it up to, not including, the key after it; the
 * last key of all is the last chunk's, with something else than 0 at its end.
 * HDF5 File Format Specification version 3, III.A.1. */
#include "h5_read_int.h"
#include <stdlib.h>

#define LEVELS_MAX 16
enum { NODE_HEAD = 8, CHUNKS = 1 };

struct node {
    uint64_t addr; /* CEL_H5R_NOWHERE: holds nothing */
    unsigned char *bytes;
    bool sound;
};

struct tree {
    const struct cel_h5r_grid *grid;
    unsigned most; /* children of a node */
    size_t head, key, nbytes;
    struct node node[LEVELS_MAX]; /* by the distance from the root */
};

static int open(const struct cel_h5r_grid *grid, void *state)
{
    const struct cel_h5r_file *file = grid->file;
    struct tree *x = state;

    x->grid = grid;
    x->most = 2 * file->chunk_k;
    x->head = NODE_HEAD + 2 * file->offset_size;
    x->key = 8 + 8 * ((size_t)grid->rank + 1);
    x->nbytes = x->head + x->most * (x->key + file->offset_size) + x->key;
    for (int i = 0; i < LEVELS_MAX; i++)
        x->node[i].addr = CEL_H5R_NOWHERE;
    return CEL_OK;
}

static void dispose(void *state)
{
    struct tree *x = state;

    for (int i = 0; i < LEVELS_MAX; i++)
        free(x->node[i].bytes);
}

static const unsigned char *key_at(const struct tree *x, const unsigned char *node, unsigned i)
{
    return node + x->head + i * (x->key + x->grid->file->offset_size);
}

/* Does the second key stand behind the first? */
static bool ascends(const struct tree *x, const unsigned char *a, const unsigned char *b)
{
    size_t at;

    for (at = 8; at < x->key; at += 8)
        if (memcmp(a + at, b + at, 8) != 0)
            return cel_get_le(a + at, 8) < cel_get_le(b + at, 8);
    return false;
}

/* The last key is none of a chunk's: something else than 0 stands at its end. */
static bool is_of_chunk(const struct tree *x, const unsigned char *key, bool last)
{
    int d;

    for (d = 0; d < x->grid->rank; d++)
        if (cel_get_le(key + 8 + 8 * (size_t)d, 8) % x->grid->chunk[d] != 0)
            return false;
    return last || cel_get_le(key + 8 + 8 * (size_t)d, 8) == 0;
}

/* A search goes astray in keys that are out of order, ours otherwise than libhdf5's: a chunk that is there would be
 * taken for one that was never written. */
static bool is_sound(const struct tree *x, const unsigned char *node)
{
    unsigned i, n = (unsigned)cel_get_le(node + 6, 2);
    bool ok = memcmp(node, "TREE", 4) == 0 && node[4] == CHUNKS && node[5] < LEVELS_MAX && n <= x->most;

    for (i = 0; ok && i <= n; i++)
        ok = is_of_chunk(x, key_at(x, node, i), i == n) &&
             (i == 0 || ascends(x, key_at(x, node, i - 1), key_at(x, node, i)));
    return ok;
}

static int beyond_end(void)
{
    return cel_fail(NC_EHDFERR, "the chunk index leads beyond the end of the file: the file is damaged or cut off");
}

/* The node at this distance from the root, as it is in the file. */
static int get_node(struct tree *x, int depth, uint64_t addr, const struct node **out)
{
    struct node *node = &x->node[depth];
    int rc;

    *out = node;
    if (addr == CEL_H5R_NOWHERE || !cel_h5r_is_inside(x->grid->file, addr, x->nbytes))
        return beyond_end();
    if (node->addr == addr)
        return CEL_OK;
    node->addr = CEL_H5R_NOWHERE;
    if (!node->bytes && !(node->bytes = cel_malloc(x->nbytes)))
        return NC_ENOMEM;
    rc = cel_source_read_at(x->grid->file->source, addr + x->grid->file->base, node->bytes, x->nbytes);
    if (rc == CEL_OK) {
        node->addr = addr;
        node->sound = is_sound(x, node->bytes);
    }
    return rc == CEL_BEYOND_END ? beyond_end() : rc;
}

/* What keys are ordered by: the first element of a chunk, and what stands behind it in the key. */
struct position {
    uint64_t at[CEL_RANK_MAX + 1];
};

static struct position position_of(const struct tree *x, const unsigned char *key)
{
    struct position p = {{0}};

    for (int d = 0; d <= x->grid->rank; d++)
        p.at[d] = cel_get_le(key + 8 + 8 * (size_t)d, 8);
    return p;
}

static int compare_keys(const struct tree *x, const struct position *a, const struct position *b)
{
    for (int d = 0; d <= x->grid->rank; d++)
        if (a->at[d] != b->at[d])
            return a->at[d] < b->at[d] ? -1 : 1;
    return 0;
}

static int compare(const struct tree *x, const struct position *first, const unsigned char *key)
{
    for (int d = 0; d <= x->grid->rank; d++) {
        uint64_t at = cel_get_le(key + 8 + 8 * (size_t)d, 8);

        if (first->at[d] != at)
            return first->at[d] < at ? -1 : 1;
    }
    return 0;
}

/* The child whose chunks these are; false: none has them. */
static bool choose(const struct tree *x, const unsigned char *node, unsigned n, const struct position *first,
                   unsigned *child)
{
    unsigned low = 0, high = n; /* key low <= first < key high, once both ends are known */

    if (n == 0 || compare(x, first, key_at(x, node, 0)) < 0 || compare(x, first, key_at(x, node, n)) >= 0)
        return false;
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;

        if (compare(x, first, key_at(x, node, middle)) < 0)
            high = middle;
        else
            low = middle;
    }
    *child = low;
    return true;
}

static uint64_t child_at(const struct tree *x, const unsigned char *key)
{
    struct cel_h5_bytes b = {.p = key + x->key, .n = x->grid->file->offset_size};

    return cel_h5r_take_address(x->grid->file, &b);
}

static unsigned children_of(const struct node *node)
{
    return (unsigned)cel_get_le(node->bytes + 6, 2);
}

/* A level that is not the one below its parent's is damage. */
static int get_sound_node(struct tree *x, int depth, uint64_t addr, int *level, const struct node **out)
{
    int rc = get_node(x, depth, addr, out);

    if (rc != CEL_OK)
        return rc;
    if (!(*out)->sound || (depth > 0 && (*out)->bytes[5] != *level - 1))
        return CEL_ASK_LIBHDF5;
    *level = (*out)->bytes[5];
    return CEL_OK;
}

/* From the root down, until a leaf. */
static int descend(struct tree *x, const struct position *first, struct cel_chunk_location *out)
{
    uint64_t addr = x->grid->layout.addr;
    int depth, level = -1, rc;

    for (depth = 0; depth < LEVELS_MAX; depth++) {
        const struct node *node;
        const unsigned char *key;
        unsigned child;

        rc = get_sound_node(x, depth, addr, &level, &node);
        if (rc != CEL_OK)
            return rc;
        if (!choose(x, node->bytes, children_of(node), first, &child))
            return CEL_ABSENT;
        key = key_at(x, node->bytes, child);
        addr = child_at(x, key);
        if (level > 0)
            continue;
        if (compare(x, first, key) != 0)
            return CEL_ABSENT;
        out->nbytes = (size_t)cel_get_le(key, 4);
        out->skipped = (uint32_t)cel_get_le(key + 4, 4);
        out->address = addr;
        return addr == CEL_H5R_NOWHERE ? CEL_ASK_LIBHDF5 : CEL_OK;
    }
    return CEL_ASK_LIBHDF5;
}

static struct position first_of(const struct cel_h5r_grid *grid, const size_t *at)
{
    struct position p = {{0}};

    for (int d = 0; d < grid->rank; d++)
        p.at[d] = (uint64_t)at[d] * grid->chunk[d];
    return p;
}

static int find(const struct cel_h5r_grid *grid, void *state, const size_t *at, struct cel_chunk_location *out)
{
    struct position first = first_of(grid, at);

    return descend(state, &first, out);
}

/* --- the next one ---------------------------------------------------------------------- */

/* Where the chunks end that a search finds below the nodes gone through. */
struct bound {
    bool known;
    struct position position;
};

static void tighten(const struct tree *x, struct bound *b, const unsigned char *key)
{
    struct position p = position_of(x, key);

    if (!b->known || compare_keys(x, &p, &b->position) < 0)
        b->position = p;
    b->known = true;
}

static bool is_before(const struct tree *x, const struct position *p, const struct bound *b)
{
    return !b->known || compare_keys(x, p, &b->position) < 0;
}

/* In a leaf, whose chunk `child` is at or before the position. */
static int next_in_leaf(const struct tree *x, const struct node *leaf, unsigned child, struct position *first,
                        const struct bound *end)
{
    if (compare(x, first, key_at(x, leaf->bytes, child)) != 0) {
        if (child + 1 == children_of(leaf))
            return CEL_ABSENT;
        *first = position_of(x, key_at(x, leaf->bytes, child + 1));
    }
    return is_before(x, first, end) ? CEL_OK : CEL_ABSENT;
}

/* From the root down to the leaf that has the position, which moves to the first chunk there; CEL_ABSENT: that leaf has none
 * from there on. Only what a search would find counts: keys outside those of the nodes above do not. */
static int next_below(struct tree *x, struct position *first, struct bound *end)
{
    uint64_t addr = x->grid->layout.addr;
    int depth, level = -1, rc;

    *end = (struct bound){0};
    for (depth = 0; depth < LEVELS_MAX; depth++) {
        const struct node *node;
        unsigned child;

        rc = get_sound_node(x, depth, addr, &level, &node);
        if (rc != CEL_OK)
            return rc;
        if (children_of(node) && compare(x, first, key_at(x, node->bytes, 0)) < 0)
            *first = position_of(x, key_at(x, node->bytes, 0));
        if (!is_before(x, first, end) || !choose(x, node->bytes, children_of(node), first, &child))
            return CEL_ABSENT;
        if (level == 0)
            return next_in_leaf(x, node, child, first, end);
        tighten(x, end, key_at(x, node->bytes, child + 1));
        addr = child_at(x, key_at(x, node->bytes, child));
    }
    return CEL_ASK_LIBHDF5;
}

/* What is not below one child may be below those behind it. Each turn begins at a key behind the last: nodes that refer to
 * one another have no more turns than keys. */
static int next(const struct cel_h5r_grid *grid, void *state, const size_t *n, size_t *at)
{
    struct position first = first_of(grid, at);
    struct bound end;
    int rc;

    (void)n;
    for (rc = next_below(state, &first, &end); rc == CEL_ABSENT && end.known; rc = next_below(state, &first, &end))
        first = end.position;
    for (int d = 0; d < grid->rank; d++)
        at[d] = cel_h5r_clamp(first.at[d] / grid->chunk[d]);
    return rc;
}

const struct cel_h5r_index_ops cel_h5r_index_btree1 = {
    .state = sizeof(struct tree), .open = open, .find = find, .next = next, .dispose = dispose};
