/* The links of a group: link messages in its header, or in a heap when there are many, or symbols (h5_symbols.c) in a
 * group of the oldest kind. Soft links are followed through the file. Links that lead to other files are libhdf5's.
 *
 *   link info: version(1) flags(1) [most creation index 8] heap address(O) index of names(O) ...
 *   link: version(1) flags(1) [type 1] [creation order 8] [character set 1] name length(1,2,4,8)
 *         name, then for a hard link (type 0): header address(O); for a soft one (type 1): length(2) path
 * O: the file's size of addresses.
 * HDF5 File Format Specification version 3, IV.A.2.c and IV.A.2.g. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { HAS_ORDER = 4, HAS_TYPE = 8, HAS_CHARACTER_SET = 16, UNKNOWN_FLAGS = 0xe0 };
enum { TYPE_HARD = 0, TYPE_SOFT = 1, FOLLOWED_MAX = 16 /* soft links in one path, as libhdf5 has it */ };

struct listing {
    struct cel_h5r_reader *reader;
    struct cel_h5r_links *out;
    bool new_kind;          /* link information is there */
    bool tracked;           /* links have an order */
    struct cel_buf symbols; /* the message, in a group of the oldest kind */
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
    return version != 0 ? CEL_ASK_LIBHDF5 : cel_h5r_ended(&b, "list of links");
}

static void dispose_link(struct cel_h5r_link *link)
{
    free(link->name);
    free(link->path);
}

/* Takes the link over, which may lack a name or path for want of memory. */
static int add_link(struct cel_h5r_links *links, struct cel_h5r_link link, bool is_soft)
{
    if (link.name && (link.path || !is_soft) && links->n == links->cap) {
        size_t cap = links->cap ? links->cap * 2 : 16;
        struct cel_h5r_link *at = cel_realloc(links->at, cap, sizeof *at);

        if (at) {
            links->at = at;
            links->cap = cap;
        }
    }
    if (!link.name || (is_soft && !link.path) || links->n == links->cap) {
        dispose_link(&link);
        return NC_ENOMEM;
    }
    links->at[links->n++] = link;
    return CEL_OK;
}

static bool is_text(const unsigned char *p, size_t n)
{
    return n > 0 && !memchr(p, '\0', n);
}

/* What follows the name. */
static int read_target(struct listing *l, struct cel_h5_bytes b, uint64_t type, struct cel_h5r_link *link)
{
    const unsigned char *path;
    size_t n;

    if (type == TYPE_HARD) {
        link->addr = cel_h5r_take_address(l->reader->file, &b);
        return cel_h5r_ended(&b, "link");
    }
    n = (size_t)cel_h5_take_number(&b, 2);
    path = cel_h5_take(&b, n);
    if (type != TYPE_SOFT)
        return CEL_ASK_LIBHDF5;
    if (b.ended || !is_text(path, n))
        return cel_h5r_bad_message("link", "it leads along no path");
    link->path = cel_strndup((const char *)path, n);
    return link->path ? CEL_OK : NC_ENOMEM;
}

static int read_link(struct listing *l, struct cel_h5_bytes b)
{
    uint64_t version = cel_h5_take_number(&b, 1), flags = cel_h5_take_number(&b, 1);
    uint64_t type = cel_h5_take_if(&b, flags & HAS_TYPE, 1);
    struct cel_h5r_link link = {.addr = CEL_H5R_NOWHERE, .order = cel_h5_take_if(&b, flags & HAS_ORDER, 8)};
    const unsigned char *name;
    size_t n;
    int rc;

    cel_h5_take_if(&b, flags & HAS_CHARACTER_SET, 1);
    n = (size_t)cel_h5_take_number(&b, (size_t)1 << (flags & 3));
    name = cel_h5_take(&b, n);
    if (version != 1 || (flags & UNKNOWN_FLAGS) || (l->tracked && !(flags & HAS_ORDER)))
        return CEL_ASK_LIBHDF5;
    if (b.ended || !is_text(name, n))
        return cel_h5r_bad_message("link", "it has no name");
    rc = read_target(l, b, type, &link);
    if (rc != CEL_OK)
        return rc;
    link.name = cel_strndup((const char *)name, n);
    return add_link(l->out, link, type == TYPE_SOFT);
}

static int read_dense_link(const struct cel_h5_bytes *body, unsigned order, size_t nth, void *data)
{
    (void)order;
    (void)nth;
    return read_link(data, *body);
}

static int add_symbol(const struct cel_h5r_symbol *s, void *data)
{
    struct listing *l = data;
    struct cel_h5r_link link = {.name = cel_strdup(s->name), .addr = s->path ? CEL_H5R_NOWHERE : s->addr};

    if (s->path)
        link.path = cel_strdup(s->path);
    return add_link(l->out, link, s->path != NULL);
}

static int read_message(const struct cel_h5r_message *m, void *data)
{
    struct listing *l = data;

    switch (m->type) {
    case CEL_H5R_LINK_INFO:
        return m->shared ? CEL_ASK_LIBHDF5 : read_info(l, m->body);
    case CEL_H5R_LINK:
        return m->shared ? CEL_ASK_LIBHDF5 : read_link(l, m->body);
    case CEL_H5R_SYMBOL_TABLE:
        return m->shared ? CEL_ASK_LIBHDF5 : cel_buf_add(&l->symbols, m->body.p, m->body.n);
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
static int list(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_links *out)
{
    struct listing l = {
        .reader = r, .out = out, .symbols = CEL_BUF_INIT(UINT16_MAX), .dense = {CEL_H5R_NOWHERE, CEL_H5R_NOWHERE}};
    int rc;

    *out = (struct cel_h5r_links){0};
    rc = cel_h5r_messages_each(r, addr, read_message, &l);
    if (rc == CEL_OK && l.new_kind == (l.symbols.len > 0))
        rc = CEL_ASK_LIBHDF5;
    if (rc == CEL_OK && l.symbols.len > 0)
        rc = cel_h5r_symbols_each(r->file, cel_h5r_bytes_of(&l.symbols), add_symbol, &l);
    if (rc == CEL_OK && l.dense.heap != CEL_H5R_NOWHERE)
        rc = cel_h5r_dense_each(r, &cel_h5r_dense_links, &l.dense, read_dense_link, &l);
    cel_buf_dispose(&l.symbols);
    if (rc != CEL_OK)
        cel_h5r_links_dispose(out);
    else if (out->n > 1)
        qsort(out->at, out->n, sizeof *out->at, l.tracked ? by_order : by_name);
    return rc;
}

void cel_h5r_links_dispose(struct cel_h5r_links *links)
{
    for (size_t i = 0; i < links->n; i++)
        dispose_link(&links->at[i]);
    free(links->at);
    *links = (struct cel_h5r_links){0};
}

/* --- soft links -------------------------------------------------------------------------------- */

static int follow(struct cel_h5r_reader *r, uint64_t group, const char *path, int *left, uint64_t *out);

/* One step of a path: the object of that name in a group. */
static int step_into(struct cel_h5r_reader *r, uint64_t group, const char *name, size_t n, int *left, uint64_t *out)
{
    struct cel_h5r_links links;
    int rc = list(r, group, &links);

    if (rc != CEL_OK)
        return rc;
    *out = CEL_H5R_NOWHERE;
    for (size_t i = 0; i < links.n; i++) {
        const struct cel_h5r_link *link = &links.at[i];

        if (strncmp(link->name, name, n) != 0 || link->name[n] != '\0')
            continue;
        *out = link->addr;
        if (link->path)
            rc = (*left)-- > 0 ? follow(r, group, link->path, left, out) : CEL_ABSENT;
        break;
    }
    cel_h5r_links_dispose(&links);
    return rc == CEL_OK && *out == CEL_H5R_NOWHERE ? CEL_ABSENT : rc;
}

/* CEL_ABSENT: it leads nowhere. */
static int follow(struct cel_h5r_reader *r, uint64_t group, const char *path, int *left, uint64_t *out)
{
    int rc = CEL_OK;

    *out = *path == '/' ? r->file->root : group;
    while (rc == CEL_OK && *path) {
        size_t n = strcspn(path, "/");

        if (n > 0 && !(n == 1 && *path == '.'))
            rc = step_into(r, *out, path, n, left, out);
        path += n + (path[n] == '/');
    }
    return rc;
}

/* What stands in the way of a soft link is no fault of the group that holds it. */
int cel_h5r_links_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_links *out)
{
    int rc = list(r, addr, out);

    for (size_t i = 0; rc == CEL_OK && i < out->n; i++) {
        int left = FOLLOWED_MAX;

        if (!out->at[i].path)
            continue;
        rc = follow(r, addr, out->at[i].path, &left, &out->at[i].addr);
        if (rc == CEL_ABSENT || (rc < 0 && rc != NC_ENOMEM)) {
            cel_error_clear();
            out->at[i].addr = CEL_H5R_NOWHERE;
            rc = CEL_OK;
        }
    }
    if (rc != CEL_OK)
        cel_h5r_links_dispose(out);
    return cel_h5r_fail_in_object(r->file, addr, rc);
}

int cel_h5r_find(struct cel_h5r_reader *r, const char *path, uint64_t *addr)
{
    int left = FOLLOWED_MAX;

    return follow(r, r->file->root, path, &left, addr);
}
