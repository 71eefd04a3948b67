/* SPDX-License-Identifier: BSD-3-Clause */
/* A zip archive whose directory is gone or damaged: members are found by their own headers, and a new directory is written
 * behind them. Both say the same; where they differ the one is believed whose checksum the bytes have. A short member (a
 * metadata document) whose checksum is wrong is changed where one change of a byte makes it right.
 *
 *   member     "PK\3\4" version(2) flags(2) method(2) time(4) crc(4) packed(4) size(4) name length(2) extra length(2)
 *   directory  "PK\1\2" made by(2) version(2) flags(2) method(2) time(4) crc(4) packed(4) size(4) name length(2)
 *              extra length(2) comment length(2) disk(2) attributes(6) member's offset(4)
 *   end        "PK\5\6" 0(4) entries(2) entries(2) bytes(4) offset(4) 0(2) */

#include "mend.h"
#include <stdlib.h>
#include <string.h>

enum { LOCAL = 30, CENTRAL = 46, END = 22, DOCUMENT_MAX = 8192, DEFLATED = 8, EXTRA_MAX = 64 };

struct member {
    uint64_t at; /* of its header */
    size_t name_length, extra;
    const unsigned char *name, *other; /* other: what the directory calls it, where that differs; NULL */
    size_t other_length;
    uint32_t crc, packed, size;
    uint16_t flags, method;
};

struct archive {
    struct mend *m;
    struct member *member;
    size_t n;
};

/* --- checksums ------------------------------------------------------------------------------ */

static uint32_t crc32_of(const unsigned char *p, size_t n)
{
    static uint32_t table[256];
    uint32_t crc = ~0u;

    for (uint32_t i = 0; !table[255] && i < 256; i++) {
        uint32_t c = i;

        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
    while (n-- > 0)
        crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
    return ~crc;
}

static uint64_t data_of(const struct member *x)
{
    return x->at + LOCAL + x->name_length + x->extra;
}

static bool is_stored(const struct mend *m, const struct member *x)
{
    return mend_inside(m, data_of(x), x->packed) && x->size == x->packed &&
           crc32_of(m->bytes + data_of(x), x->size) == x->crc;
}

/* What is deflated is the library's to check. */
static bool is_right(const struct mend *m, const struct member *x)
{
    return x->method == DEFLATED ? mend_inside(m, data_of(x), x->packed) : x->method == 0 && is_stored(m, x);
}

/* Bytes that have their checksum as they are were stored, whatever the method says, and wherever they begin. */
static void settle(const struct mend *m, struct member *x)
{
    size_t given = x->extra;

    for (size_t extra = 0; extra <= EXTRA_MAX + 1; extra++) {
        x->extra = extra ? extra - 1 : given; /* the one that is given first */
        if (is_stored(m, x)) {
            x->method = 0;
            return;
        }
        if (x->method == DEFLATED && x->size != x->packed)
            break;
    }
    x->extra = given;
}

struct document {
    const struct mend *m;
    const struct member *x;
};

static bool document_fits(void *arg)
{
    const struct document *d = arg;

    return is_right(d->m, d->x);
}

static void mend_document(struct mend *m, const struct member *x)
{
    struct document d = {m, x};
    struct text what = {0};

    if (x->method != 0 || x->size != x->packed || x->size > DOCUMENT_MAX || x->size == 0 ||
        !mend_inside(m, data_of(x), x->size) || is_right(m, x))
        return;
    text_printf(&what, "%.*s", (int)x->name_length, (const char *)x->name);
    mend_byte(m, data_of(x), x->size, document_fits, &d, text_get(&what));
    text_free(&what);
}

/* --- what is there ----------------------------------------------------------------------------- */

static bool names_file(const unsigned char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (name[i] < 32 || name[i] == 127)
            return false;
    return n > 0 && n < 1024;
}

/* What both kinds of header have in the same order: flags(2) method(2) time(4) sum(4) packed(4) size(4) name length(2) */
static void take_fields(const unsigned char *p, struct member *out)
{
    out->flags = (uint16_t)mend_le(p, 2);
    out->method = (uint16_t)mend_le(p + 2, 2);
    out->crc = (uint32_t)mend_le(p + 8, 4);
    out->packed = (uint32_t)mend_le(p + 12, 4);
    out->size = (uint32_t)mend_le(p + 16, 4);
    out->name_length = mend_le(p + 20, 2);
}

static bool take_local(const struct mend *m, uint64_t at, struct member *out)
{
    const unsigned char *p = m->bytes + at;

    if (!mend_inside(m, at, LOCAL) || mend_likeness(p, "PK\3\4", 4) < 3)
        return false;
    *out = (struct member){.at = at, .name = p + LOCAL};
    take_fields(p + 6, out);
    out->extra = mend_le(p + 28, 2);
    if (!mend_inside(m, at + LOCAL, out->name_length) || !names_file(out->name, out->name_length))
        return false;
    settle(m, out);
    return mend_inside(m, at + LOCAL, out->name_length + out->extra);
}

/* The header it names tells how much lies between the name and the bytes. */
static bool take_central(const struct mend *m, uint64_t at, struct member *out)
{
    const unsigned char *p = m->bytes + at;
    uint64_t local;

    if (!mend_inside(m, at, CENTRAL) || mend_likeness(p, "PK\1\2", 4) < 3)
        return false;
    local = mend_le(p + 42, 4);
    if (!mend_inside(m, local, LOCAL))
        return false;
    *out = (struct member){.at = local, .name = p + CENTRAL};
    take_fields(p + 8, out);
    out->extra = mend_le(m->bytes + local + 28, 2);
    if (!mend_inside(m, at + CENTRAL, out->name_length) || !names_file(out->name, out->name_length))
        return false;
    settle(m, out);
    return true;
}

/* One entry for each place: the one whose checksum is right, or else the first. */
static void add(struct archive *a, const struct member *x)
{
    for (size_t i = 0; i < a->n; i++) {
        struct member *have = &a->member[i];
        struct member other = *have;

        if (have->at != x->at)
            continue;
        if (!is_right(a->m, have) && is_right(a->m, x)) {
            *have = *x;
            have->other = other.name, have->other_length = other.name_length;
        } else {
            have->other = x->name, have->other_length = x->name_length;
        }
        return;
    }
    a->member = tool_push(a->member, a->n, sizeof *a->member);
    a->member[a->n++] = *x;
}

/* A right member is skipped as a whole, so that nothing inside it is taken for another. Where a byte of the signature is
 * wrong the checksum must be right. */
static void find_members(struct archive *a)
{
    const struct mend *m = a->m;
    struct member x;

    for (uint64_t at = 0; at < m->size;) {
        if (!take_local(m, at, &x) || (memcmp(m->bytes + at, "PK\3\4", 4) != 0 && !is_right(m, &x))) {
            at++;
        } else {
            add(a, &x);
            at = is_right(m, &x) ? data_of(&x) + x.packed : at + 4;
        }
    }
    for (uint64_t at = 0; at < m->size; at++)
        if ((m->bytes[at] == 'P' || m->bytes[at + 1] == 'K') && take_central(m, at, &x) &&
            mend_likeness(m->bytes + x.at, "PK\3\4", 4) >= 3)
            add(a, &x);
}

/* --- names that differ ------------------------------------------------------------------------------ */

static size_t folder_length(const unsigned char *name, size_t n)
{
    while (n > 0 && name[n - 1] != '/')
        n--;
    return n;
}

static bool is_document(const unsigned char *name, size_t n)
{
    static const char *const document[] = {".zarray", ".zattrs", ".zgroup", ".zmetadata", "zarr.json"};

    for (size_t i = 0; i < sizeof document / sizeof *document; i++)
        if (strlen(document[i]) == n && memcmp(document[i], name, n) == 0)
            return true;
    return false;
}

static bool is_usual(const unsigned char *name, size_t n)
{
    if (is_document(name, n))
        return true;
    for (size_t i = 0; i < n; i++)
        if (name[i] != '.' && (name[i] < '0' || name[i] > '9'))
            return false;
    return n > 0;
}

/* How likely it is that a member is called so. */
static int score_name(const struct archive *a, const struct member *x, const unsigned char *name, size_t n)
{
    size_t folder = folder_length(name, n);
    int score = is_usual(name + folder, n - folder) ? 2 : 0;
    bool shared = false;

    for (size_t i = 0; i < a->n; i++) {
        const struct member *y = &a->member[i];

        if (y == x)
            continue;
        if (y->name_length == n && memcmp(y->name, name, n) == 0)
            score -= 4;
        shared = shared || (folder_length(y->name, y->name_length) == folder && memcmp(y->name, name, folder) == 0);
    }
    return score + shared;
}

static void choose_name(const struct archive *a, struct member *x)
{
    if (!x->other || x->other_length != x->name_length || memcmp(x->other, x->name, x->name_length) == 0)
        return;
    if (score_name(a, x, x->other, x->other_length) > score_name(a, x, x->name, x->name_length))
        x->name = x->other;
    mend_note(a->m, "the archive has two names for one member: %.*s is taken", (int)x->name_length,
              (const char *)x->name);
}

/* --- a new directory -------------------------------------------------------------------------------- */

/* Both headers from what is known. */
static size_t write_entry(struct mend *m, const struct member *x, unsigned char *p)
{
    unsigned char *local = m->bytes + x->at,
                  *name = (unsigned char *)tool_strndup((const char *)x->name, x->name_length);

    memset(p, 0, CENTRAL);
    memcpy(p, "PK\1\2\24\0\24\0", 8);
    mend_put_le(p + 8, 2, x->flags & ~8u);
    mend_put_le(p + 10, 2, x->method);
    mend_put_le(p + 16, 4, x->crc);
    mend_put_le(p + 20, 4, x->packed);
    mend_put_le(p + 24, 4, x->size);
    mend_put_le(p + 28, 2, x->name_length);
    mend_put_le(p + 42, 4, x->at);
    memcpy(p + CENTRAL, name, x->name_length);
    memcpy(local, "PK\3\4\24\0", 6);
    memcpy(local + 6, p + 8, 20);
    mend_put_le(local + 26, 2, x->name_length);
    mend_put_le(local + 28, 2, x->extra);
    memcpy(local + LOCAL, name, x->name_length);
    free(name);
    return CENTRAL + x->name_length;
}

/* Of a member that is cut off the rest stays, with a checksum that is wrong. */
static void cut(const struct mend *m, struct member *x)
{
    uint64_t from = data_of(x);

    if (mend_inside(m, from, x->packed))
        return;
    x->packed = from < m->had ? (uint32_t)(m->had - from) : 0;
    x->size = x->method == 0 ? x->packed : x->size;
}

/* A document that is wrong would keep all others from being read: without it the archive is a store with a gap. */
static bool is_lost_document(struct mend *m, const struct member *x)
{
    size_t folder = folder_length(x->name, x->name_length);

    if (is_right(m, x) || !is_document(x->name + folder, x->name_length - folder))
        return false;
    mend_lose(m, (const char *)x->name, x->name_length, "the document is damaged");
    return true;
}

static void write_directory(struct mend *m, const struct archive *a)
{
    size_t from = m->size, n = 0;
    unsigned char *p;

    for (size_t i = 0; i < a->n && m->capacity - m->size > CENTRAL + END + 1024; i++)
        if (!is_lost_document(m, &a->member[i])) {
            m->size += write_entry(m, &a->member[i], m->bytes + m->size);
            n++;
        }
    p = m->bytes + m->size;
    memset(p, 0, END);
    memcpy(p, "PK\5\6", 4);
    mend_put_le(p + 8, 2, n);
    mend_put_le(p + 10, 2, n);
    mend_put_le(p + 12, 4, m->size - from);
    mend_put_le(p + 16, 4, from);
    m->size += END;
}

static bool has_end(struct mend *m)
{
    size_t n = m->size < END + 65536 ? m->size : END + 65536;

    for (size_t at = m->size - n; at + END <= m->size; at++)
        if (mend_likeness(m->bytes + at, "PK\5\6", 4) >= 3 && at + END + mend_le(m->bytes + at + 20, 2) == m->size)
            return true;
    return false;
}

void mend_zip(struct mend *m)
{
    struct archive a = {.m = m};

    if (m->size > 0xf0000000u) /* zip64 needs more than we write; the archive is opened as it is */
        return;
    m->cut = !has_end(m);
    if (m->cut)
        mend_lose(m, "/", 1, "the archive ends early, and what lay behind its end is not known");
    find_members(&a);
    for (size_t i = 0; i < a.n; i++) {
        choose_name(&a, &a.member[i]);
        mend_document(m, &a.member[i]);
    }
    for (size_t i = 0; i < a.n; i++)
        cut(m, &a.member[i]);
    if (a.n && a.n < 65535)
        write_directory(m, &a);
    free(a.member);
}
