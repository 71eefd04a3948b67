/* SPDX-License-Identifier: BSD-3-Clause */
/* B-trees of version 2, whatever their records are: links, attributes, chunks. Records stand in every node, not only in
 * the leaves. How many bytes the counts in a node have follows from how many records fit below it.
 *
 *   BTHD version(1) type(1) node size(4) record size(2) depth(2) split(1) merge(1)
 *        root address(O) records in root(2) records(L) checksum(4)
 *   BTLF version(1) type(1) records checksum(4)
 *   BTIN version(1) type(1) records, then one more child than records, each:
 *        address(O) records in it [from level 2 on: records below it] checksum(4)
 * O, L: the file's sizes of addresses and lengths. The checksum stands behind what is used of a node.
 * HDF5 File Format Specification version 3, III.A.2.
 *
 * One node of each level is kept, and no more of a node is read than is used. The depth is bounded; a tree that claims
 * more records than the file has bytes for, or that leads in circles, is damaged: no walk is longer than that. */
#include "h5_read_int.h"
#include <assert.h>
#include <stdlib.h>

#define LEVELS_MAX 16
#define WANTED_MAX 64 /* children of a node that are announced */
enum { NODE_HEAD = 6, SUM = 4 };

struct level {
    uint64_t most;     /* records that fit into a node */
    uint64_t most_all; /* ... and into all below it */
    size_t all_n;      /* bytes of a count up to most_all; 0 in leaves */
    struct cel_h5r_kept node;
    uint64_t n, at; /* records of it, and the walk's position */
};

struct cel_h5r_btree2 {
    const struct cel_h5r_file *file;
    uint64_t addr; /* of the header */
    int type;
    size_t record;
    uint64_t node_size, root, nroot, total;
    int depth;
    size_t count_n;                 /* bytes of a count of records in one node */
    struct level level[LEVELS_MAX]; /* 0: leaves */
};

static int damaged(const struct cel_h5r_btree2 *t, uint64_t addr, const char *why)
{
    return cel_h5r_damaged(t->file, addr, "B-tree node", why);
}

/* --- the header ----------------------------------------------------------------------- */

static size_t child_size(const struct cel_h5r_btree2 *t, int level)
{
    return t->file->offset_size + t->count_n + t->level[level - 1].all_n;
}

static bool set_levels(struct cel_h5r_btree2 *t)
{
    const uint64_t head = NODE_HEAD + SUM;

    if (t->node_size < head + t->record)
        return false;
    t->level[0].most = t->level[0].most_all = (t->node_size - head) / t->record;
    t->count_n = cel_h5_bytes_for(t->level[0].most);
    for (int i = 1; i <= t->depth; i++) {
        size_t child = child_size(t, i);
        struct level *l = &t->level[i];

        if (t->node_size < head + 2 * child + t->record)
            return false;
        l->most = (t->node_size - head - child) / (t->record + child);
        if (t->level[i - 1].most_all > (UINT64_MAX - l->most) / (l->most + 1))
            return false;
        l->most_all = (l->most + 1) * t->level[i - 1].most_all + l->most;
        l->all_n = cel_h5_bytes_for(l->most_all);
    }
    return true;
}

static int read_header(struct cel_h5r_btree2 *t, int type, size_t record)
{
    unsigned char bytes[CEL_H5R_HEAD_MAX];
    size_t n = 16 + t->file->offset_size + 2 + t->file->length_size + SUM;
    struct cel_h5_bytes b = {.p = bytes + NODE_HEAD, .n = n - NODE_HEAD};
    uint64_t depth;
    int rc = cel_h5r_get_summed(t->file, t->addr, "BTHD", "B-tree", bytes, n);

    if (rc != CEL_OK)
        return rc;
    t->type = bytes[5];
    t->node_size = cel_h5_take_number(&b, 4);
    t->record = (size_t)cel_h5_take_number(&b, 2);
    depth = cel_h5_take_number(&b, 2);
    cel_h5_take(&b, 2); /* when nodes are split and merged */
    t->root = cel_h5r_take_address(t->file, &b);
    t->nroot = cel_h5_take_number(&b, 2);
    t->total = cel_h5_take_number(&b, t->file->length_size);
    if (t->type != type || (record && t->record != record) || t->record == 0)
        return cel_h5r_damaged(t->file, t->addr, "B-tree", "its records are of another kind");
    t->depth = depth < LEVELS_MAX ? (int)depth : 0;
    if (depth >= LEVELS_MAX || !set_levels(t) || t->total > t->file->size / t->record || t->nroot > t->total)
        return cel_h5r_damaged(t->file, t->addr, "B-tree", "no file has so many records");
    return CEL_OK;
}

int cel_h5r_btree2_make(const struct cel_h5r_file *file, uint64_t addr, int type, size_t record,
                        struct cel_h5r_btree2 **out)
{
    struct cel_h5r_btree2 *t = *out = cel_calloc(1, sizeof *t);

    if (!t)
        return NC_ENOMEM;
    t->file = file;
    t->addr = addr;
    return read_header(t, type, record);
}

void cel_h5r_btree2_free(struct cel_h5r_btree2 *t)
{
    for (int i = 0; t && i < LEVELS_MAX; i++)
        free(t->level[i].node.bytes);
    free(t);
}

uint64_t cel_h5r_btree2_count(const struct cel_h5r_btree2 *t)
{
    return t->total;
}

size_t cel_h5r_btree2_record(const struct cel_h5r_btree2 *t)
{
    return t->record;
}

struct cel_range cel_h5r_btree2_root(const struct cel_h5r_btree2 *t)
{
    return cel_h5r_range(t->file, t->root, t->node_size);
}

/* --- nodes ---------------------------------------------------------------------------- */

static int get_node(struct cel_h5r_btree2 *t, int level, uint64_t addr, uint64_t n)
{
    struct level *l = &t->level[level];
    size_t used;
    int rc;

    if (n == 0 || n > l->most)
        return damaged(t, addr, "its number of records is impossible");
    used = NODE_HEAD + (size_t)n * t->record + (level ? ((size_t)n + 1) * child_size(t, level) : 0) + SUM;
    rc = cel_h5r_kept_get(t->file, &l->node, addr, used, level ? "BTIN" : "BTLF", "B-tree node");
    if (rc != CEL_OK)
        return rc;
    l->n = n;
    l->at = 0;
    return l->node.bytes[5] == t->type ? CEL_OK : damaged(t, addr, "its records are of another kind");
}

static const unsigned char *record_at(const struct cel_h5r_btree2 *t, int level, uint64_t i)
{
    return t->level[level].node.bytes + NODE_HEAD + (size_t)i * t->record;
}

/* Child i of the node kept at this level becomes the node of the level below. */
static int get_child(struct cel_h5r_btree2 *t, int level, uint64_t i)
{
    const struct level *l = &t->level[level];
    size_t size = child_size(t, level);
    struct cel_h5_bytes b = {.p = record_at(t, level, l->n) + (size_t)i * size, .n = size};
    uint64_t addr = cel_h5r_take_address(t->file, &b), n = cel_h5_take_number(&b, t->count_n);

    assert(i <= l->n);
    return get_node(t, level - 1, addr, n);
}

static int get_root(struct cel_h5r_btree2 *t)
{
    return get_node(t, t->depth, t->root, t->nroot);
}

/* --- one record --------------------------------------------------------------------------- */

/* The first record of a node that does not stand before what is sought; `same`: it is the one. */
static int seek_in_node(struct cel_h5r_btree2 *t, int level, cel_h5r_record_order *order, void *sought, uint64_t *at,
                        bool *same)
{
    uint64_t low = 0, high = t->level[level].n;

    for (*same = false; low < high && !*same;) {
        uint64_t middle = low + (high - low) / 2;
        int side = 0, rc = order(record_at(t, level, middle), sought, &side);

        if (rc != CEL_OK)
            return rc;
        *same = side == 0;
        if (side > 0)
            low = middle + 1;
        else
            high = middle;
    }
    *at = high;
    return CEL_OK;
}

int cel_h5r_btree2_find(struct cel_h5r_btree2 *t, cel_h5r_record_order *order, void *sought,
                        const unsigned char **record)
{
    int level = t->depth, rc;

    if (t->total == 0 || t->root == CEL_H5R_NOWHERE)
        return CEL_ABSENT;
    rc = get_root(t);
    while (rc == CEL_OK) {
        uint64_t at;
        bool same;

        rc = seek_in_node(t, level, order, sought, &at, &same);
        if (rc == CEL_OK && same) {
            *record = record_at(t, level, at);
            return CEL_OK;
        }
        if (rc == CEL_OK)
            rc = level == 0 ? CEL_ABSENT : get_child(t, level, at);
        level--;
    }
    return rc;
}

/* On the way down, what is sought stands before the first record of each node that is not before it; below that record
 * there may be others between the two. */
int cel_h5r_btree2_seek(struct cel_h5r_btree2 *t, cel_h5r_record_order *order, void *sought, cel_h5r_record_fn *visit,
                        void *data)
{
    int level = t->depth, rc;
    bool same = false;

    if (t->total == 0 || t->root == CEL_H5R_NOWHERE)
        return CEL_OK;
    rc = get_root(t);
    while (rc == CEL_OK && !same && level >= 0) {
        uint64_t at;

        rc = seek_in_node(t, level, order, sought, &at, &same);
        if (rc == CEL_OK && at < t->level[level].n)
            rc = visit(record_at(t, level, at), data);
        if (rc == CEL_OK && !same && level > 0)
            rc = get_child(t, level, at);
        level--;
    }
    return rc;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* All nodes below the one kept at this level: a walk comes to each of them. */
static void want_children(const struct cel_h5r_btree2 *t, int level)
{
    const struct level *l = &t->level[level];
    size_t size = child_size(t, level);
    struct cel_range range[WANTED_MAX];
    size_t n = 0;

    for (uint64_t i = 0; i <= l->n && n < WANTED_MAX; i++) {
        struct cel_h5_bytes b = {.p = record_at(t, level, l->n) + (size_t)i * size, .n = size};

        range[n++] = cel_h5r_range(t->file, cel_h5r_take_address(t->file, &b), t->node_size);
    }
    cel_source_want(t->file->source, range, n);
}

/* Down to the first leaf below this node. */
static int go_down(struct cel_h5r_btree2 *t, int *level)
{
    int rc = CEL_OK;

    for (; rc == CEL_OK && *level > 0; --*level) {
        if (t->level[*level].at == 0)
            want_children(t, *level);
        rc = get_child(t, *level, t->level[*level].at);
    }
    return rc;
}

/* What a visitor of a leaf's records does must not change the nodes kept: it does not use the tree. */
int cel_h5r_btree2_each(struct cel_h5r_btree2 *t, cel_h5r_record_fn *visit, void *data)
{
    uint64_t seen = 0;
    int level = t->depth, rc;

    if (t->total == 0 || t->root == CEL_H5R_NOWHERE)
        return CEL_OK;
    rc = get_root(t);
    if (rc == CEL_OK)
        rc = go_down(t, &level);
    while (rc == CEL_OK && level <= t->depth) {
        struct level *l = &t->level[level];

        if (l->at == l->n) {
            level++;
            continue;
        }
        if (seen++ == t->total)
            return damaged(t, t->addr, "it has more records than its header says");
        rc = visit(record_at(t, level, l->at++), data);
        if (rc == CEL_OK && level > 0)
            rc = go_down(t, &level);
    }
    return rc;
}
