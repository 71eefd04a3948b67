/* SPDX-License-Identifier: BSD-3-Clause */
/* The links of a group: link messages in its header, or in a heap when there are many, or symbols (h5_symbols.c) in a
 * group of the oldest kind. Soft links are followed through the file, up to a link that leads to another one. Kinds of
 * links that users define are libhdf5's.
 *
 *   link info: version(1) flags(1) [most creation index 8] heap address(O) index of names(O) ...
 *   link: version(1) flags(1) [type 1] [creation order 8] [character set 1] name length(1,2,4,8)
 *         name, then for a hard link (type 0): header address(O); for a soft one (type 1): length(2) path; for one to
 *         another file (type 64): length(2) version and flags(1) file name, path, each ends with 0
 * O: the file's size of addresses.
 * HDF5 File Format Specification version 3, IV.A.2.c and IV.A.2.g. */
#include "h5_read_int.h"
#include <stdlib.h>

enum { HAS_ORDER = 4, HAS_TYPE = 8, HAS_CHARACTER_SET = 16, UNKNOWN_FLAGS = 0xe0 };
enum { TYPE_HARD = 0, TYPE_SOFT = 1, TYPE_EXTERNAL = 64 };
enum { WANTED = 512, HEADER = 4096 /* announced together, and how many bytes of each */ };
enum { RECENT = 4, FOLLOWED_MAX = 16 /* soft links in one path, as libhdf5 has it */ };

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

void cel_h5r_link_dispose(struct cel_h5r_link *link)
{
    free(link->name);
    free(link->path);
    free(link->file);
    *link = (struct cel_h5r_link){0};
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
        cel_h5r_link_dispose(&link);
        return NC_ENOMEM;
    }
    links->at[links->n++] = link;
    return CEL_OK;
}

static bool is_text(const unsigned char *p, size_t n)
{
    return n > 0 && !memchr(p, '\0', n);
}

static int read_external(struct cel_h5_bytes b, struct cel_h5r_link *link)
{
    uint64_t version = cel_h5_take_number(&b, 1) >> 4;
    const char *file = (const char *)b.p, *path;
    size_t n = b.ended ? 0 : strnlen(file, b.n), m;

    if (b.ended || version != 0)
        return b.ended ? cel_h5r_ended(&b, "link") : CEL_ASK_LIBHDF5;
    cel_h5_take(&b, n + 1);
    path = (const char *)b.p;
    m = b.ended ? 0 : strnlen(path, b.n);
    if (b.ended || n == 0 || m == 0 || m == b.n)
        return cel_h5r_bad_message("link", "it leads to no file, or along no path");
    link->file = cel_strdup(file);
    link->path = cel_strdup(path);
    return link->file && link->path ? CEL_OK : NC_ENOMEM;
}

/* What follows the name. */
static int read_target(struct listing *l, struct cel_h5_bytes b, uint64_t type, struct cel_h5r_link *link)
{
    const unsigned char *value;
    size_t n;

    if (type == TYPE_HARD) {
        link->addr = cel_h5r_take_address(l->reader->file, &b);
        return cel_h5r_ended(&b, "link");
    }
    n = (size_t)cel_h5_take_number(&b, 2);
    value = cel_h5_take(&b, n);
    if (type != TYPE_SOFT && type != TYPE_EXTERNAL)
        return CEL_ASK_LIBHDF5;
    if (type == TYPE_EXTERNAL && !b.ended)
        return read_external((struct cel_h5_bytes){.p = value, .n = n}, link);
    if (b.ended || !is_text(value, n))
        return cel_h5r_bad_message("link", "it leads along no path");
    link->path = cel_strndup((const char *)value, n);
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
    if (rc != CEL_OK) {
        cel_h5r_link_dispose(&link);
        return rc;
    }
    link.name = cel_strndup((const char *)name, n);
    return add_link(l->out, link, type != TYPE_HARD);
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
        cel_h5r_link_dispose(&links->at[i]);
    free(links->at);
    *links = (struct cel_h5r_links){0};
}

/* --- soft links -------------------------------------------------------------------------------- */

/* How paths are followed: what one led to so far, how many soft links it may still go along, and the groups looked into
 * last, since the paths of many links go through the same ones. */
struct walk {
    struct cel_h5r_reader *reader;
    int left;
    struct cel_h5r_link *out; /* addr, or the file and the path in it */
    int turn;                 /* the group to be replaced next */
    struct {
        uint64_t group;
        struct cel_h5r_links links; /* by name */
        bool holds;
    } recent[RECENT];
};

static void dispose_walk(struct walk *w)
{
    for (int i = 0; i < RECENT; i++)
        if (w->recent[i].holds)
            cel_h5r_links_dispose(&w->recent[i].links);
}

static int follow(struct walk *w, uint64_t group, const char *path);

/* The rest of the path belongs to what the link leads to. */
static int leave_file(struct walk *w, const struct cel_h5r_link *link, const char *rest)
{
    size_t n = strlen(link->path), m = strlen(rest);
    char *path = cel_malloc(n + m + 2), *file = cel_strdup(link->file);

    free(w->out->path);
    free(w->out->file);
    w->out->path = path;
    w->out->file = file;
    if (!path || !file)
        return NC_ENOMEM;
    memcpy(path, link->path, n);
    path[n] = '/';
    memcpy(path + n + 1, rest, m + 1);
    return CEL_OK;
}

/* The link may be gone once another path is followed. */
static int take_step(struct walk *w, uint64_t group, const struct cel_h5r_link *link, const char *rest)
{
    char *path;
    int rc;

    if (link->file)
        return leave_file(w, link, rest);
    w->out->addr = link->addr;
    if (!link->path)
        return CEL_OK;
    if (w->left-- <= 0)
        return CEL_ABSENT;
    path = cel_strdup(link->path);
    rc = path ? follow(w, group, path) : NC_ENOMEM;
    free(path);
    if (rc != CEL_OK || !w->out->file)
        return rc;
    path = w->out->path; /* that link led away: the rest goes on from there */
    w->out->path = NULL;
    rc = leave_file(w, &(struct cel_h5r_link){.file = w->out->file, .path = path}, rest);
    free(path);
    return rc;
}

static int get_links(struct walk *w, uint64_t group, const struct cel_h5r_links **out)
{
    struct cel_h5r_links links;
    int i, rc;

    for (i = 0; i < RECENT && !(w->recent[i].holds && w->recent[i].group == group); i++)
        ;
    if (i == RECENT) {
        rc = list(w->reader, group, &links);
        if (rc != CEL_OK)
            return rc;
        if (links.n > 1)
            qsort(links.at, links.n, sizeof *links.at, by_name);
        i = w->turn;
        w->turn = (w->turn + 1) % RECENT;
        if (w->recent[i].holds)
            cel_h5r_links_dispose(&w->recent[i].links);
        w->recent[i].holds = true;
        w->recent[i].group = group;
        w->recent[i].links = links;
    }
    *out = &w->recent[i].links;
    return CEL_OK;
}

struct part { /* of a path */
    const char *name;
    size_t n;
};

static int by_part(const void *key, const void *link)
{
    const struct part *part = key;
    const char *name = ((const struct cel_h5r_link *)link)->name;
    int side = strncmp(part->name, name, part->n);

    return side ? side : name[part->n] ? -1 : 0;
}

/* One step of a path: the object of that name in a group. */
static int step_into(struct walk *w, uint64_t group, struct part part, const char *rest)
{
    const struct cel_h5r_links *links;
    const struct cel_h5r_link *link;
    int rc = get_links(w, group, &links);

    if (rc != CEL_OK)
        return rc;
    link = links->n ? bsearch(&part, links->at, links->n, sizeof *links->at, by_part) : NULL;
    w->out->addr = CEL_H5R_NOWHERE;
    if (link)
        rc = take_step(w, group, link, rest);
    return rc == CEL_OK && w->out->addr == CEL_H5R_NOWHERE && !w->out->file ? CEL_ABSENT : rc;
}

/* CEL_ABSENT: it leads nowhere. */
static int follow(struct walk *w, uint64_t group, const char *path)
{
    int rc = CEL_OK;

    w->out->addr = *path == '/' ? w->reader->file->root : group;
    while (rc == CEL_OK && *path && !w->out->file) {
        size_t n = strcspn(path, "/");
        const char *rest = path + n + (path[n] == '/');

        if (n > 0 && !(n == 1 && *path == '.'))
            rc = step_into(w, w->out->addr, (struct part){path, n}, rest);
        path = rest;
    }
    return rc;
}

/* What stands in the way of a soft link is no fault of the group that holds it. */
static int follow_link(struct walk *w, uint64_t group, struct cel_h5r_link *link)
{
    struct cel_h5r_link found = {.addr = CEL_H5R_NOWHERE};
    int rc;

    w->left = FOLLOWED_MAX;
    w->out = &found;
    rc = follow(w, group, link->path);
    link->addr = found.addr;
    if (rc == CEL_ABSENT || (rc < 0 && rc != NC_ENOMEM)) {
        cel_error_clear();
        link->addr = CEL_H5R_NOWHERE;
        rc = CEL_OK;
    } else if (rc == CEL_OK && found.file) {
        free(link->path);
        link->path = found.path;
        link->file = found.file;
        found = (struct cel_h5r_link){0};
    }
    cel_h5r_link_dispose(&found);
    return rc;
}

/* Who reads the links of a group mostly reads the objects. */
static void want_objects(const struct cel_h5r_reader *r, const struct cel_h5r_links *links)
{
    struct cel_range range[WANTED];
    size_t n = 0;

    for (size_t i = 0; i < links->n; i++) {
        if (!links->at[i].file && links->at[i].addr != CEL_H5R_NOWHERE)
            range[n++] = cel_h5r_range(r->file, links->at[i].addr, HEADER);
        if (n == WANTED || (n && i + 1 == links->n)) {
            cel_source_want(r->file->source, range, n);
            n = 0;
        }
    }
}

int cel_h5r_links_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_links *out)
{
    struct walk w = {.reader = r};
    int rc = list(r, addr, out);

    for (size_t i = 0; rc == CEL_OK && i < out->n; i++)
        if (out->at[i].path && !out->at[i].file)
            rc = follow_link(&w, addr, &out->at[i]);
    dispose_walk(&w);
    if (rc == CEL_OK)
        want_objects(r, out);
    else
        cel_h5r_links_dispose(out);
    return cel_h5r_fail_in_object(r->file, addr, rc);
}

int cel_h5r_find(struct cel_h5r_reader *r, const char *path, struct cel_h5r_link *out)
{
    struct walk w = {.reader = r, .left = FOLLOWED_MAX, .out = out};
    int rc;

    *out = (struct cel_h5r_link){.addr = CEL_H5R_NOWHERE};
    rc = follow(&w, r->file->root, path);
    dispose_walk(&w);
    if (rc != CEL_OK)
        cel_h5r_link_dispose(out);
    return rc;
}
