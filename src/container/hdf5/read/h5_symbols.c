/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of the oldest kind: a B-tree of version 1 leads to nodes of symbols, whose names lie in a local heap.
 *
 *   symbol table message: address of the B-tree(O) of the heap(O)
 *   TREE kind(1) level(1) entries(2) left(O) right(O), then key(L) child(O) ... key(L); kind 0: groups
 *   SNOD version(1) 0(1) symbols(2), then each: name's offset(L) header address(O) kind(4) 0(4) scratch(16);
 *        kind 2 is a soft link: its path's offset in the heap stands in the first 4 bytes of scratch
 * O, L: the file's sizes of addresses and lengths; the offset of a name is a length, whatever the specification says.
 * HDF5 File Format Specification version 3, III.A.1 and III.B; the heap: h5_local_heap.c. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { NODE_HEAD = 8, SYMBOL_TAIL = 24, SOFT = 2, LEVELS_MAX = 32 };

struct walk {
    const struct cel_h5r_file *file;
    unsigned char *names;
    size_t nnames;
    uint64_t nodes; /* visited; a tree that leads in circles has more than the file has bytes for */
    cel_h5r_symbol_fn *visit;
    void *data;
};

static int read_heap(struct walk *w, uint64_t addr)
{
    return cel_h5r_local_heap_read(w->file, addr, &w->names, &w->nnames);
}

/* NULL: it does not end. */
static const char *text_at(const struct walk *w, uint64_t offset)
{
    if (offset >= w->nnames || !memchr(w->names + offset, '\0', w->nnames - (size_t)offset))
        return NULL;
    return (const char *)w->names + offset;
}

static int visit_symbol(struct walk *w, struct cel_h5_bytes b)
{
    struct cel_h5r_symbol s = {.name = text_at(w, cel_h5_take_number(&b, w->file->length_size))};
    uint64_t kind;

    s.addr = cel_h5r_take_address(w->file, &b);
    kind = cel_h5_take_number(&b, 4);
    cel_h5_take(&b, 4);
    if (kind == SOFT)
        s.path = text_at(w, cel_h5_take_number(&b, 4));
    if (!s.name || !*s.name || (kind == SOFT && !s.path))
        return cel_h5r_bad_message("link", "its name or path does not lie in the heap of names");
    return w->visit(&s, w->data);
}

static int visit_node(struct walk *w, uint64_t addr)
{
    unsigned char head[NODE_HEAD], *bytes;
    size_t each = w->file->length_size + w->file->offset_size + SYMBOL_TAIL, n;
    int rc = cel_h5r_get(w->file, addr, "symbol node", head, sizeof head);

    if (rc != CEL_OK)
        return rc;
    if (memcmp(head, "SNOD\1", 5) != 0)
        return cel_h5r_damaged(w->file, addr, "symbol node", "its signature is missing");
    n = cel_get_le16(head + 6);
    bytes = cel_malloc(n * each);
    rc = !bytes ? NC_ENOMEM : n ? cel_h5r_get(w->file, addr + NODE_HEAD, "symbol node", bytes, n * each) : CEL_OK;
    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        rc = visit_symbol(w, (struct cel_h5_bytes){.p = bytes + i * each, .n = each});
    free(bytes);
    return rc;
}

static int visit_tree(struct walk *w, uint64_t addr, int level);

static int visit_children(struct walk *w, const unsigned char *bytes, size_t n, int level)
{
    size_t o = w->file->offset_size, l = w->file->length_size;
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < n; i++) {
        struct cel_h5_bytes b = {.p = bytes + i * (l + o) + l, .n = o};
        uint64_t child = cel_h5r_take_address(w->file, &b);

        rc = level > 0 ? visit_tree(w, child, level - 1) : visit_node(w, child);
    }
    return rc;
}

/* level: which it must be; -1: any. */
static int visit_tree(struct walk *w, uint64_t addr, int level)
{
    unsigned char head[NODE_HEAD], *bytes;
    size_t o = w->file->offset_size, l = w->file->length_size, n;
    int rc = cel_h5r_get(w->file, addr, "B-tree node", head, sizeof head);

    if (rc != CEL_OK)
        return rc;
    if (memcmp(head, "TREE\0", 5) != 0 || (level >= 0 && head[5] != level) || head[5] >= LEVELS_MAX ||
        w->nodes++ > w->file->size / 32)
        return cel_h5r_damaged(w->file, addr, "B-tree node", "it is none of a group's");
    n = cel_get_le16(head + 6);
    bytes = cel_malloc(n * (l + o));
    rc = !bytes ? NC_ENOMEM
         : n    ? cel_h5r_get(w->file, addr + NODE_HEAD + 2 * o, "B-tree node", bytes, n * (l + o))
                : CEL_OK;
    if (rc == CEL_OK)
        rc = visit_children(w, bytes, n, head[5]);
    free(bytes);
    return rc;
}

int cel_h5r_symbols_each(const struct cel_h5r_file *file, struct cel_h5_bytes message, cel_h5r_symbol_fn *visit,
                         void *data)
{
    struct walk w = {.file = file, .visit = visit, .data = data};
    uint64_t tree = cel_h5r_take_address(file, &message), heap = cel_h5r_take_address(file, &message);
    int rc = message.ended ? cel_h5r_ended(&message, "list of links") : read_heap(&w, heap);

    if (rc == CEL_OK && tree != CEL_H5R_NOWHERE)
        rc = visit_tree(&w, tree, -1);
    free(w.names);
    return rc;
}
