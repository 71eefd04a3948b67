/* Where the chunks of a dataset lie, from an index of version 1 (a B-tree), which is what
 * every file has whose writer did not ask for the newest format. One node of each level is
 * kept: chunks are mostly asked for in order. Nodes have no checksum, here as in libhdf5; one
 * that makes no sense is left to libhdf5 to judge, but not one beyond the end of the file:
 * libhdf5 does not survive each of those.
 *
 *   "TREE" 1 level(1) children(2) left(8) right(8) key child(8) key child(8) ... key
 *   key: stored bytes(4) filter mask(4) first element(8 each) 0(8)
 * A child's chunks are those from the key before it up to, not including, the key after it; the
 * last key of all is the last chunk's, with something else than 0 at its end.
 * HDF5 File Format Specification version 3, III.A.1. */
#include "h5_read_int.h"
#include <assert.h>
#include <stdlib.h>

#define LEVELS_MAX 16
enum { NODE_HEAD = 24, CHUNKS = 1 };

struct node {
    uint64_t addr; /* CEL_H5R_NOWHERE: holds nothing */
    unsigned char *bytes;
    bool sound;
};

struct cel_h5r_index {
    const struct cel_h5r_file *file;
    uint64_t root;
    int rank;
    size_t chunk[CEL_RANK_MAX]; /* lengths of one */
    unsigned most;              /* children of a node */
    size_t key, nbytes;
    struct node node[LEVELS_MAX]; /* by the distance from the root */
};

int cel_h5r_index_make(const struct cel_h5r_file *file, const struct cel_h5r_dataset *dataset,
                       struct cel_h5r_index **out)
{
    struct cel_h5r_index *x = cel_calloc(1, sizeof *x);
    int i;

    if (!x)
        return NC_ENOMEM;
    x->file = file;
    x->root = dataset->index;
    x->rank = dataset->rank;
    memcpy(x->chunk, dataset->chunk, (size_t)x->rank * sizeof *x->chunk);
    x->most = 2 * file->chunk_k;
    x->key = 8 + 8 * ((size_t)x->rank + 1);
    x->nbytes = NODE_HEAD + x->most * (x->key + 8) + x->key;
    for (i = 0; i < LEVELS_MAX; i++)
        x->node[i].addr = CEL_H5R_NOWHERE;
    *out = x;
    return CEL_OK;
}

void cel_h5r_index_free(struct cel_h5r_index *x)
{
    int i;

    for (i = 0; x && i < LEVELS_MAX; i++)
        free(x->node[i].bytes);
    free(x);
}

static bool is_inside(const struct cel_h5r_index *x, uint64_t addr, uint64_t n)
{
    uint64_t base = x->file->base, size = x->file->size;

    return addr <= UINT64_MAX - base && addr + base <= size && n <= size - addr - base;
}

static const unsigned char *key_at(const struct cel_h5r_index *x, const unsigned char *node, unsigned i)
{
    return node + NODE_HEAD + i * (x->key + 8);
}

/* Does the second key stand behind the first? */
static bool ascends(const struct cel_h5r_index *x, const unsigned char *a, const unsigned char *b)
{
    size_t at;

    for (at = 8; at < x->key; at += 8)
        if (memcmp(a + at, b + at, 8) != 0)
            return cel_get_le(a + at, 8) < cel_get_le(b + at, 8);
    return false;
}

/* The last key is none of a chunk's: something else than 0 stands at its end. */
static bool is_of_chunk(const struct cel_h5r_index *x, const unsigned char *key, bool last)
{
    int d;

    for (d = 0; d < x->rank; d++)
        if (cel_get_le(key + 8 + 8 * (size_t)d, 8) % x->chunk[d] != 0)
            return false;
    return last || cel_get_le(key + 8 + 8 * (size_t)d, 8) == 0;
}

/* A search goes astray in keys that are out of order, ours otherwise than libhdf5's: a chunk that is there would be
 * taken for one that was never written. */
static bool is_sound(const struct cel_h5r_index *x, const unsigned char *node)
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
static int get_node(struct cel_h5r_index *x, int depth, uint64_t addr, const struct node **out)
{
    struct node *node = &x->node[depth];
    int rc;

    *out = node;
    if (addr == CEL_H5R_NOWHERE || !is_inside(x, addr, x->nbytes))
        return beyond_end();
    if (node->addr == addr)
        return CEL_OK;
    node->addr = CEL_H5R_NOWHERE;
    if (!node->bytes && !(node->bytes = cel_malloc(x->nbytes)))
        return NC_ENOMEM;
    rc = cel_source_read_at(x->file->source, addr + x->file->base, node->bytes, x->nbytes);
    if (rc == CEL_OK) {
        node->addr = addr;
        node->sound = is_sound(x, node->bytes);
    }
    return rc == CEL_BEYOND_END ? beyond_end() : rc;
}

static int compare(const struct cel_h5r_index *x, const uint64_t *first, const unsigned char *key)
{
    int d;

    for (d = 0; d < x->rank; d++) {
        uint64_t at = cel_get_le(key + 8 + 8 * (size_t)d, 8);

        if (first[d] != at)
            return first[d] < at ? -1 : 1;
    }
    return cel_get_le(key + 8 + 8 * (size_t)d, 8) ? -1 : 0;
}

/* The child whose chunks these are; false: none has them. */
static bool choose(const struct cel_h5r_index *x, const unsigned char *node, unsigned n, const uint64_t *first,
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

/* From the root down, until a leaf. A level that is not the one below its parent's is damage. */
static int descend(struct cel_h5r_index *x, const uint64_t *first, struct cel_chunk_location *out)
{
    uint64_t addr = x->root;
    int depth, level = -1, rc;

    for (depth = 0; depth < LEVELS_MAX; depth++, level--) {
        const struct node *node;
        const unsigned char *key;
        unsigned child;

        rc = get_node(x, depth, addr, &node);
        if (rc != CEL_OK)
            return rc;
        if (!node->sound || (depth > 0 && node->bytes[5] != level))
            return CEL_ASK_LIBHDF5;
        level = node->bytes[5];
        if (!choose(x, node->bytes, (unsigned)cel_get_le(node->bytes + 6, 2), first, &child))
            return CEL_ABSENT;
        key = key_at(x, node->bytes, child);
        addr = cel_get_le(key + x->key, 8);
        if (level > 0)
            continue;
        if (compare(x, first, key) != 0)
            return CEL_ABSENT;
        out->nbytes = (size_t)cel_get_le(key, 4);
        out->skipped = (uint32_t)cel_get_le(key + 4, 4);
        out->address = addr + x->file->base;
        return is_inside(x, addr, out->nbytes) ? CEL_OK : CEL_ASK_LIBHDF5;
    }
    return CEL_ASK_LIBHDF5;
}

int cel_h5r_index_find(struct cel_h5r_index *x, const size_t *at, struct cel_chunk_location *out)
{
    uint64_t first[CEL_RANK_MAX];

    for (int d = 0; d < x->rank; d++) {
        assert(at[d] <= UINT64_MAX / x->chunk[d]);
        first[d] = (uint64_t)at[d] * x->chunk[d];
    }
    return x->root == CEL_H5R_NOWHERE ? CEL_ABSENT : descend(x, first, out);
}
