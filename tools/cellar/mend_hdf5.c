/* SPDX-License-Identifier: BSD-3-Clause */
/* An HDF5 file whose metadata is damaged, or whose superblock, root group or tail is gone.
 *
 *   superblock 2, 3   signature(8) version(1) 8 8 flags(1) base(8) extension(8) end(8) root(8) sum(4)
 *   superblock 0, 1   signature(8) version(1) versions(3) 0 8 8 0 group k(4) flags(4) [chunk k(4)] base(8) free(8) end(8)
 *                     driver(8) root: name(8) header(8) ...; without a checksum
 * All object headers with a good checksum are found by their signature, wherever they lie. Chapter II.A. */

#include "mend_hdf5.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUPER2 = 48, SUPER0 = 96, LINK_MAX = 1100 };
static const char signature[] = "\x89HDF\r\n\x1a\n";

static void scan(struct mend_hdf5 *h)
{
    const struct mend *m = h->m;

    for (size_t i = 0; i + 16 <= m->size; i++)
        if (mend_likeness(m->bytes + i, "OHDR", 4) >= 3)
            mend_header(h, i);
}

/* They are found in ascending order. */
static int compare_offset(const void *at, const void *object)
{
    uint64_t a = *(const uint64_t *)at, b = ((const struct mend_object *)object)->at;

    return a < b ? -1 : a > b;
}

static const struct mend_object *find_object(const struct mend_hdf5 *h, uint64_t at)
{
    return h->nobjects ? bsearch(&at, h->object, h->nobjects, sizeof *h->object, compare_offset) : NULL;
}

/* --- links by what they lead to, and by name ------------------------------------------------------ */

/* Those of groups that can be read first, then in the order in which they were found. */
static int compare_targets(const void *x, const void *y)
{
    const struct mend_link *a = *(const struct mend_link *const *)x, *b = *(const struct mend_link *const *)y;

    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->owned != b->owned)
        return a->owned ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Those of groups that cannot be read first. */
static int compare_names(const void *x, const void *y)
{
    const struct mend_link *a = *(const struct mend_link *const *)x, *b = *(const struct mend_link *const *)y;
    int order = strcmp(a->name, b->name);

    if (order)
        return order;
    if (a->owned != b->owned)
        return a->owned ? 1 : -1;
    return a < b ? -1 : a > b;
}

static void sort_links(struct mend_hdf5 *h)
{
    h->by_target = tool_alloc(h->nlinks + 1, sizeof *h->by_target);
    h->by_name = tool_alloc(h->nlinks + 1, sizeof *h->by_name);
    for (size_t i = 0; i < h->nlinks; i++)
        h->by_target[i] = h->by_name[i] = &h->link[i];
    qsort(h->by_target, h->nlinks, sizeof *h->by_target, compare_targets);
    qsort(h->by_name, h->nlinks, sizeof *h->by_name, compare_names);
}

static bool leads_before(const struct mend_link *a, const struct mend_link *b)
{
    return a->to < b->to;
}

static bool is_named_before(const struct mend_link *a, const struct mend_link *b)
{
    return strcmp(a->name, b->name) < 0;
}

/* The first in that order which is not before the one wanted; NULL: all are. */
static const struct mend_link *first_from(const struct mend_link **sorted, size_t n, const struct mend_link *wanted,
                                          bool (*before)(const struct mend_link *, const struct mend_link *))
{
    size_t low = 0;

    while (n > 0) {
        size_t half = n / 2;

        if (before(sorted[low + half], wanted)) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return sorted[low];
}

static bool is_linked(const struct mend_hdf5 *h, uint64_t at)
{
    const struct mend_link wanted = {.to = at};
    const struct mend_link *found = first_from(h->by_target, h->nlinks, &wanted, leads_before);

    return found && found->to == at;
}

static bool leads_to_group(const struct mend_hdf5 *h, uint64_t at)
{
    const struct mend_object *x = find_object(h, at);

    return x && x->group && !x->broken;
}

/* --- a root group of our own ------------------------------------------------------------------ */

static size_t put_link(unsigned char *p, const char *name, uint64_t to)
{
    size_t n = strlen(name);

    p[0] = 6; /* a link: flags 1, length of the name in two bytes */
    mend_put_le(p + 1, 2, n + 12);
    p[3] = 0;
    p[4] = 1, p[5] = 1;
    mend_put_le(p + 6, 2, n);
    memcpy(p + 8, name, n);
    mend_put_le(p + 8 + n, 8, to);
    return n + 16;
}

/* Does another link before this one lead there, or have its name? */
static bool is_again(const struct mend_hdf5 *h, const struct mend_link *link)
{
    return first_from(h->by_target, h->nlinks, link, leads_before) != link ||
           first_from(h->by_name, h->nlinks, link, is_named_before) != link;
}

/* Links of no group that can be read, then all objects that no link leads to; not the group whose links are lost. */
static size_t put_links(const struct mend_hdf5 *h, unsigned char *p)
{
    unsigned char *at = p;
    char name[32];

    for (size_t i = 0; i < h->nlinks; i++)
        if (!h->link[i].owned && !is_again(h, &h->link[i]) && find_object(h, h->link[i].to))
            at += put_link(at, h->link[i].name, h->link[i].to);
    for (size_t i = 0; i < h->nobjects; i++)
        if (!is_linked(h, h->object[i].at) && !h->object[i].broken) {
            snprintf(name, sizeof name, "object_at_%llu", (unsigned long long)h->object[i].at);
            at += put_link(at, name, h->object[i].at);
        }
    return (size_t)(at - p);
}

static uint64_t make_root(struct mend_hdf5 *h)
{
    static const unsigned char head[] = {'O', 'H', 'D', 'R', 2, 2, 0, 0, 0, 0, 2, 18, 0, 0, 0, 0};
    struct mend *m = h->m;
    uint64_t at = m->size;
    unsigned char *p = m->bytes + at;
    size_t n;

    if (m->capacity - m->size < (h->nlinks + h->nobjects + 1) * LINK_MAX)
        return MEND_NOWHERE;
    memcpy(p, head, sizeof head);
    memset(p + sizeof head, 0xff, 16);
    n = sizeof head + 16 + put_links(h, p + sizeof head + 16);
    mend_put_le(p + 6, 4, n - 10);
    mend_put_le(p + n, 4, mend_lookup3(p, n));
    m->size += n + 4;
    mend_lose(m, "/", 1, "the root group cannot be read: its attributes are lost, and names of objects may be");
    mend_note(m, "the root group cannot be read: another one has the %zu objects that were found", h->nobjects);
    return at;
}

/* The root group lies behind the superblock, or is the one object that no link leads to. */
static bool is_root(const struct mend_hdf5 *h, size_t i, size_t unlinked)
{
    return leads_to_group(h, h->object[i].at) && !is_linked(h, h->object[i].at) &&
           (unlinked == 1 || h->object[i].at == SUPER2);
}

static uint64_t find_root(struct mend_hdf5 *h)
{
    size_t unlinked = 0;

    mend_stray_links(h);
    sort_links(h);
    for (size_t i = 0; i < h->nobjects; i++)
        unlinked += !is_linked(h, h->object[i].at);
    for (size_t i = 0; i < h->nobjects; i++)
        if (is_root(h, i, unlinked))
            return h->object[i].at;
    return h->nobjects ? make_root(h) : MEND_NOWHERE;
}

/* --- the superblock ------------------------------------------------------------------------------ */

static bool super2_fits(void *arg)
{
    const struct mend *m = arg;
    const unsigned char *p = m->bytes;

    return memcmp(p, signature, 8) == 0 && (p[8] == 2 || p[8] == 3) && p[9] == 8 && p[10] == 8 &&
           mend_sum_is_good(m, 0, SUPER2);
}

/* A header of version 1, or of version 2. */
static bool looks_like_root(const struct mend *m, uint64_t at)
{
    const unsigned char *p = m->bytes + at;

    if (!mend_inside(m, at, 32))
        return false;
    return memcmp(p, "OHDR", 4) == 0 || (p[0] == 1 && p[1] == 0 && mend_le(p + 2, 2) > 0 && mend_le(p + 4, 4) > 0 &&
                                         mend_le(p + 8, 4) >= 8 && mend_inside(m, at + 16, mend_le(p + 8, 4)));
}

/* Where the addresses of a superblock without a checksum begin. */
static size_t super0_addresses(const struct mend *m)
{
    return m->bytes[8] == 1 ? 28 : 24;
}

static bool super0_fits(void *arg)
{
    const struct mend *m = arg;
    const unsigned char *p = m->bytes, *address = p + super0_addresses(m);

    return memcmp(p, signature, 8) == 0 && p[8] <= 1 && p[13] == 8 && p[14] == 8 && mend_le(address, 8) == 0 &&
           mend_le(address + 24, 8) == MEND_NOWHERE && looks_like_root(m, mend_le(address + 40, 8));
}

static void write_super2(struct mend *m, uint64_t root)
{
    unsigned char *p = m->bytes;

    memset(p, 0, SUPER2);
    memcpy(p, signature, 8);
    p[8] = 2, p[9] = p[10] = 8;
    memset(p + 20, 0xff, 8);
    mend_put_le(p + 36, 8, root);
}

/* The end of the file is where it is, and nobody writes it any more. */
static void finish_super2(struct mend *m)
{
    unsigned char *p = m->bytes;

    if (mend_le(p + 28, 8) > m->size)
        mend_note(m, "the file ends early: it has %zu bytes of %llu", m->had, (unsigned long long)mend_le(p + 28, 8));
    if (p[11])
        mend_note(m, "the file was not closed by its writer");
    p[11] = 0;
    mend_put_le(p + 28, 8, m->size);
    mend_put_le(p + 44, 4, mend_lookup3(p, 44));
}

static void finish_super0(struct mend *m)
{
    unsigned char *end = m->bytes + super0_addresses(m) + 16;

    if (mend_le(end, 8) > m->size)
        mend_note(m, "the file ends early: it has %zu bytes of %llu", m->had, (unsigned long long)mend_le(end, 8));
    mend_put_le(end, 8, m->size);
}

static bool super_is_good(struct mend *m)
{
    return super2_fits(m) || super0_fits(m) || mend_byte(m, 0, SUPER2, super2_fits, m, "superblock") ||
           mend_byte_once(m, 0, SUPER0, super0_fits, m, "superblock");
}

static uint64_t root_of(const struct mend *m)
{
    return mend_le(m->bytes + (m->bytes[8] < 2 ? super0_addresses(m) + 40 : 36), 8);
}

void mend_hdf5(struct mend *m)
{
    struct mend_hdf5 h = {.m = m};
    bool good;
    uint64_t root;

    if (m->size < SUPER0)
        return;
    scan(&h);
    good = super_is_good(m);
    if (!good || (m->bytes[8] >= 2 && !leads_to_group(&h, root_of(m)))) {
        root = find_root(&h);
        if (root != MEND_NOWHERE) {
            mend_note(m, "the superblock leads to no group: the objects were found by their checksums");
            write_super2(m, root);
            good = true;
        }
    }
    if (good)
        (m->bytes[8] < 2 ? finish_super0 : finish_super2)(m);
    for (size_t i = 0; i < h.nlinks; i++)
        free(h.link[i].name);
    free(h.link);
    free(h.by_target);
    free(h.by_name);
    free(h.object);
}
