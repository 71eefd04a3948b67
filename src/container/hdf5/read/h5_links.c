/* The links of a group: link messages in its header, or in a heap when there are many.
 * Groups of the oldest kind (symbol tables) and links other than hard ones are libhdf5's.
 *
 *   link info: version(1) flags(1) [most creation index 8] heap address(8) index of names(8) ...
 *   link: version(1) flags(1) [type 1] [creation order 8] [character set 1] name length(1,2,4,8)
 *         name, then for a hard link: header address(8)
 * HDF5 File Format Specification version 3, IV.A.2.c and IV.A.2.g. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { HAS_ORDER = 4, HAS_TYPE = 8, HAS_CHARACTER_SET = 16, UNKNOWN_FLAGS = 0xe0 };

struct listing {
    struct cel_h5r_reader *reader;
    struct cel_h5r_links *out;
    bool new_kind; /* link information is there */
    bool tracked;  /* links have an order */
    struct cel_h5r_dense dense;
};

static int read_info(struct listing *l, struct cel_h5_bytes b)
{
    uint64_t version = cel_h5_take_number(&b, 1), flags = cel_h5_take_number(&b, 1);

    l->new_kind = true;
    l->tracked = flags & 1;
    cel_h5_take_if(&b, l->tracked, 8); /* the largest order */
    l->dense.heap = cel_h5r_take_address(l->reader->file, &b);
    l->dense.index = cel_h5r_take_address(l->reader->file, &b);
    return b.ended || version != 0 ? CEL_ASK_LIBHDF5 : CEL_OK;
}

static int add_link(struct cel_h5r_links *links, const unsigned char *name, size_t n, uint64_t addr, uint64_t order)
{
    struct cel_h5r_link link = {.addr = addr, .order = order};

    if (links->n == links->cap) {
        size_t cap = links->cap ? links->cap * 2 : 16;
        struct cel_h5r_link *at = cel_realloc(links->at, cap, sizeof *at);

        if (!at)
            return NC_ENOMEM;
        links->at = at;
        links->cap = cap;
    }
    link.name = cel_strndup((const char *)name, n);
    if (!link.name)
        return NC_ENOMEM;
    links->at[links->n++] = link;
    return CEL_OK;
}

static int read_link(struct cel_h5_bytes b, unsigned unused, void *data)
{
    struct listing *l = data;
    uint64_t version = cel_h5_take_number(&b, 1), flags = cel_h5_take_number(&b, 1);
    uint64_t type = cel_h5_take_if(&b, flags & HAS_TYPE, 1), order = cel_h5_take_if(&b, flags & HAS_ORDER, 8), n, addr;
    const unsigned char *name;

    (void)unused;
    cel_h5_take_if(&b, flags & HAS_CHARACTER_SET, 1);
    n = cel_h5_take_number(&b, (size_t)1 << (flags & 3));
    name = cel_h5_take(&b, (size_t)n);
    addr = cel_h5r_take_address(l->reader->file, &b);
    if (b.ended || version != 1 || (flags & UNKNOWN_FLAGS) || (l->tracked && !(flags & HAS_ORDER)))
        return CEL_ASK_LIBHDF5;
    if (type != 0 || n == 0 || memchr(name, '\0', (size_t)n))
        return CEL_ASK_LIBHDF5;
    return add_link(l->out, name, (size_t)n, addr, order);
}

static int read_message(const struct cel_h5r_message *m, void *data)
{
    switch (m->type) {
    case CEL_H5R_LINK_INFO:
        return m->shared ? CEL_ASK_LIBHDF5 : read_info(data, m->body);
    case CEL_H5R_LINK:
        return m->shared ? CEL_ASK_LIBHDF5 : read_link(m->body, m->order, data);
    case CEL_H5R_SYMBOL_TABLE:
        return CEL_ASK_LIBHDF5;
    default:
        return CEL_OK;
    }
}

static int by_order(const void *a, const void *b)
{
    const struct cel_h5r_link *x = a, *y = b;

    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct cel_h5r_link *)a)->name, ((const struct cel_h5r_link *)b)->name);
}

/* Whether links have an order is said before the links in what everybody writes. */
int cel_h5r_links_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_links *out)
{
    struct listing l = {.reader = r, .out = out, .dense = {CEL_H5R_NOWHERE, CEL_H5R_NOWHERE}};
    int rc;

    *out = (struct cel_h5r_links){0};
    rc = cel_h5r_messages_each(r, addr, read_message, &l);
    if (rc == CEL_OK && !l.new_kind)
        rc = CEL_ASK_LIBHDF5;
    if (rc == CEL_OK && l.dense.heap != CEL_H5R_NOWHERE)
        rc = cel_h5r_dense_each(r, &cel_h5r_dense_links, &l.dense, read_link, &l);
    if (rc != CEL_OK)
        cel_h5r_links_dispose(out);
    else if (out->n > 1)
        qsort(out->at, out->n, sizeof *out->at, l.tracked ? by_order : by_name);
    return rc;
}

void cel_h5r_links_dispose(struct cel_h5r_links *links)
{
    for (size_t i = 0; i < links->n; i++)
        free(links->at[i].name);
    free(links->at);
    *links = (struct cel_h5r_links){0};
}
