/* The links of a group read without libhdf5: link messages in its header, or in a heap
 * when there are many. Groups of the oldest kind (symbol tables) and links other than hard
 * ones are libhdf5's.
 *
 *   link info: version(1) flags(1) [most creation index 8] heap address(8) index of names(8) ...
 *   link: version(1) flags(1) [type 1] [creation order 8] [character set 1] name length(1,2,4,8)
 *         name, then for a hard link: header address(8)
 * HDF5 File Format Specification version 3, IV.A.2.c and IV.A.2.g. */
#include "h5_raw.h"
#include <stdlib.h>

#define NOWHERE UINT64_MAX

struct listing {
    struct cel_h5_links *out;
    bool new_kind;        /* link information is there */
    bool tracked;         /* links have an order */
    uint64_t heap, index; /* NOWHERE: all links lie in the header */
    bool no_memory;
};

static bool read_info(struct listing *l, struct cel_h5_bytes b)
{
    uint64_t version, flags, most;

    if (!cel_h5_take_number(&b, 1, &version) || !cel_h5_take_number(&b, 1, &flags) || version != 0)
        return false;
    l->new_kind = true;
    l->tracked = flags & 1;
    return (!l->tracked || cel_h5_take_number(&b, 8, &most)) && cel_h5_take_number(&b, 8, &l->heap) &&
           cel_h5_take_number(&b, 8, &l->index);
}

static struct cel_h5_link *add(struct cel_h5_links *links, const unsigned char *name, size_t n)
{
    struct cel_h5_link *link;

    if (links->n == links->cap) {
        size_t cap = links->cap ? links->cap * 2 : 16;
        struct cel_h5_link *at = cel_realloc(links->at, cap, sizeof *at);

        if (!at)
            return NULL;
        links->at = at;
        links->cap = cap;
    }
    link = &links->at[links->n];
    link->name = cel_strndup((const char *)name, n);
    if (!link->name)
        return NULL;
    links->n++;
    return link;
}

static bool read_link(struct cel_h5_bytes b, void *data)
{
    struct listing *l = data;
    uint64_t version, flags, type = 0, order = 0, set, n, addr;
    const unsigned char *name;
    struct cel_h5_link *link;

    if (!cel_h5_take_number(&b, 1, &version) || !cel_h5_take_number(&b, 1, &flags) || version != 1 || (flags & 0xe0) ||
        ((flags & 8) && !cel_h5_take_number(&b, 1, &type)) || ((flags & 4) && !cel_h5_take_number(&b, 8, &order)) ||
        ((flags & 16) && !cel_h5_take_number(&b, 1, &set)) || !cel_h5_take_number(&b, (size_t)1 << (flags & 3), &n) ||
        n == 0 || !cel_h5_take(&b, (size_t)n, &name) || !cel_h5_take_number(&b, 8, &addr))
        return false;
    if (type != 0 || memchr(name, '\0', (size_t)n) || (l->tracked && !(flags & 4)))
        return false;
    link = add(l->out, name, (size_t)n);
    l->no_memory = !link;
    if (link) {
        link->addr = addr;
        link->order = order;
    }
    return link != NULL;
}

static bool visit(const struct cel_h5_message *m, void *data)
{
    switch (m->type) {
    case CEL_H5_LINK_INFO:
        return !m->shared && read_info(data, m->body);
    case CEL_H5_LINK:
        return !m->shared && read_link(m->body, data);
    case CEL_H5_SYMBOL_TABLE:
        return false;
    default:
        return true;
    }
}

static int by_order(const void *a, const void *b)
{
    const struct cel_h5_link *x = a, *y = b;

    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct cel_h5_link *)a)->name, ((const struct cel_h5_link *)b)->name);
}

/* Whether links have an order is said before the links in what everybody writes. */
int cel_h5_links_read(struct cel_h5_reader *r, uint64_t addr, struct cel_h5_links *out)
{
    struct listing l = {.out = out, .heap = NOWHERE, .index = NOWHERE};
    bool ok;

    *out = (struct cel_h5_links){0};
    ok = cel_h5_messages_each(r, addr, visit, &l) && l.new_kind &&
         (l.heap == NOWHERE || cel_h5_dense_each(r, &cel_h5_dense_links, l.heap, l.index, read_link, &l));
    if (!ok) {
        cel_h5_links_dispose(out);
        return l.no_memory ? NC_ENOMEM : CEL_ABSENT;
    }
    if (out->n > 1)
        qsort(out->at, out->n, sizeof *out->at, l.tracked ? by_order : by_name);
    return CEL_OK;
}

void cel_h5_links_dispose(struct cel_h5_links *links)
{
    size_t i;

    for (i = 0; i < links->n; i++)
        free(links->at[i].name);
    free(links->at);
    *links = (struct cel_h5_links){0};
}
