/* SPDX-License-Identifier: BSD-3-Clause */
/* MessagePack. A number that has more bytes than it needs keeps them: that is how the type of an attribute comes back. */
#include "blosc2_pack.h"
#include "bytes.h"
#include "mem.h"
#include "utf8.h"
#include <stdlib.h>
#include <string.h>

/* Markers with a number behind them. */
static const struct marker {
    unsigned char marker;
    size_t bytes;
    char kind;
    nc_type type;
} markers[] = {
    {0xcc, 1, 'u', NC_UBYTE}, {0xcd, 2, 'u', NC_USHORT}, {0xce, 4, 'u', NC_UINT}, {0xcf, 8, 'u', NC_UINT64},
    {0xd0, 1, 'i', NC_BYTE},  {0xd1, 2, 'i', NC_SHORT},  {0xd2, 4, 'i', NC_INT},  {0xd3, 8, 'i', NC_INT64},
    {0xca, 4, 'f', NC_FLOAT}, {0xcb, 8, 'f', NC_DOUBLE}, {0xd9, 1, 's', NC_NAT},  {0xda, 2, 's', NC_NAT},
    {0xdb, 4, 's', NC_NAT},   {0xc4, 1, 'b', NC_NAT},    {0xc5, 2, 'b', NC_NAT},  {0xc6, 4, 'b', NC_NAT},
    {0xdc, 2, 'a', NC_NAT},   {0xdd, 4, 'a', NC_NAT},    {0xde, 2, 'm', NC_NAT},  {0xdf, 4, 'm', NC_NAT},
    {0xc7, 1, 'x', NC_NAT},   {0xc8, 2, 'x', NC_NAT},    {0xc9, 4, 'x', NC_NAT},
};
#define STRINGS_MAX (1 << 20) /* of one attribute: each takes far more memory than a byte of the file */
#define NMARKERS (sizeof markers / sizeof *markers)

static bool host_is_big(void)
{
    const unsigned short one = 1;

    return *(const unsigned char *)&one == 0;
}

/* --- reading ------------------------------------------------------------------------------- */

static struct cel_pack_item with_number(const struct marker *m, const unsigned char *p)
{
    struct cel_pack_item v = {.kind = m->kind, .type = m->type, .n = cel_get_be(p, m->bytes)};

    v.i = m->kind == 'i' ? (int64_t)(v.n << (64 - 8 * m->bytes)) >> (64 - 8 * m->bytes) : (int64_t)v.n;
    if (m->type == NC_FLOAT) {
        uint32_t bits = (uint32_t)v.n;
        float f;

        memcpy(&f, &bits, sizeof f);
        v.f = (double)f;
    } else if (m->type == NC_DOUBLE) {
        memcpy(&v.f, &v.n, sizeof v.f);
    }
    if (m->kind == 'x')
        v.n++; /* a byte says which user's */
    return v;
}

static struct cel_pack_item short_form(unsigned char marker)
{
    if (marker < 0x80)
        return (struct cel_pack_item){.kind = 'u', .n = marker, .i = marker};
    if (marker >= 0xe0)
        return (struct cel_pack_item){.kind = 'i', .i = (int8_t)marker};
    if (marker >> 4 == 8)
        return (struct cel_pack_item){.kind = 'm', .n = marker & 15u};
    if (marker >> 4 == 9)
        return (struct cel_pack_item){.kind = 'a', .n = marker & 15u};
    if (marker >> 5 == 5)
        return (struct cel_pack_item){.kind = 's', .n = marker & 31u};
    if (marker == 0xc2 || marker == 0xc3)
        return (struct cel_pack_item){.kind = 't', .i = marker == 0xc3};
    if (marker >= 0xd4 && marker <= 0xd8)
        return (struct cel_pack_item){.kind = 'x', .n = 1 + (1u << (marker - 0xd4))};
    return (struct cel_pack_item){.kind = marker == 0xc0 ? 'n' : 0};
}

struct cel_pack_item cel_pack_take(struct cel_pack *p)
{
    unsigned char marker = p->at < p->n ? p->bytes[p->at++] : 0xc1;

    for (size_t i = 0; i < NMARKERS; i++)
        if (markers[i].marker == marker) {
            if (p->n - p->at < markers[i].bytes)
                return (struct cel_pack_item){0};
            p->at += markers[i].bytes;
            return with_number(&markers[i], p->bytes + p->at - markers[i].bytes);
        }
    return short_form(marker);
}

const unsigned char *cel_pack_bytes(struct cel_pack *p, const struct cel_pack_item *item)
{
    const unsigned char *at = p->bytes + p->at;

    if (item->n > p->n - p->at)
        return NULL;
    p->at += (size_t)item->n;
    return at;
}

bool cel_pack_skip(struct cel_pack *p)
{
    uint64_t left = 1;

    while (left > 0) {
        struct cel_pack_item item = cel_pack_take(p);

        left--;
        if (!item.kind || (strchr("sbx", item.kind) && !cel_pack_bytes(p, &item)))
            return false;
        if (item.kind == 'a' || item.kind == 'm')
            left += item.kind == 'a' ? item.n : 2 * item.n;
        if (left > p->n - p->at) /* each takes a byte at least */
            return false;
    }
    return true;
}

/* --- numbers -------------------------------------------------------------------------------- */

static bool is_number(const struct cel_pack_item *item)
{
    return item->kind && strchr("uift", item->kind);
}

/* Whether `count` numbers from here on, the first of which it is, have all its type. */
static bool have_its_type(struct cel_pack p, size_t count, nc_type type)
{
    for (size_t i = 0; i < count; i++)
        if (cel_pack_take(&p).type != type)
            return false;
    return type != NC_NAT && count > 0;
}

/* The one type that holds `count` numbers from here on; NC_NAT: one of them is no number, or is not there. */
static nc_type common_type(struct cel_pack p, size_t count, bool typed)
{
    struct cel_pack ahead = p;
    nc_type first = cel_pack_take(&ahead).type;
    bool same = typed && have_its_type(p, count, first), real = false, negative = false, large = false;

    for (size_t i = 0; i < count; i++) {
        struct cel_pack_item item = cel_pack_take(&p);

        if (!is_number(&item))
            return NC_NAT;
        real |= item.kind == 'f';
        negative |= item.i < 0 && item.kind != 'u';
        large |= item.kind == 'u' && item.n > INT64_MAX;
    }
    if (same)
        return first;
    return real || (large && negative) ? NC_DOUBLE : large ? NC_UINT64 : NC_INT64;
}

/* Numbers of 1 to 8 bytes: the low ones of a 64-bit integer. */
static void store_number(const struct cel_pack_item *item, nc_type type, size_t size, void *dst)
{
    double f = item->kind == 'f' ? item->f : item->kind == 'u' ? (double)item->n : (double)item->i;
    float narrow = (float)f;

    if (type == NC_DOUBLE)
        memcpy(dst, &f, sizeof f);
    else if (type == NC_FLOAT)
        memcpy(dst, &narrow, sizeof narrow);
    else
        cel_put_word(dst, (uint64_t)item->i, size, host_is_big());
}

static int take_numbers(struct cel_pack *p, size_t count, bool typed, struct cel_atts *atts, const char *name)
{
    nc_type id = count <= p->n - p->at ? common_type(*p, count, typed) : NC_NAT;
    const struct cel_type *type = id ? cel_type_atomic(id) : NULL;
    char *data;

    if (!type)
        return CEL_ABSENT;
    data = cel_malloc_array(count, type->size);
    if (!data)
        return NC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct cel_pack_item item = cel_pack_take(p);

        store_number(&item, id, type->size, data + i * type->size);
    }
    return cel_att_add(atts, name, type, count, data, NULL);
}

/* --- text ------------------------------------------------------------------------------------- */

static int take_text(struct cel_pack *p, const struct cel_pack_item *item, struct cel_atts *atts, const char *name)
{
    const unsigned char *bytes = cel_pack_bytes(p, item);
    void *text;

    if (!bytes)
        return CEL_ABSENT;
    text = cel_memdup(bytes, (size_t)item->n);
    return text ? cel_att_add(atts, name, cel_type_atomic(NC_CHAR), (size_t)item->n, text, NULL) : NC_ENOMEM;
}

static int take_strings(struct cel_pack *p, size_t count, struct cel_atts *atts, const char *name)
{
    const struct cel_type *type = cel_type_atomic(NC_STRING);
    char **data;
    int rc = CEL_OK;

    if (count > p->n - p->at || count > STRINGS_MAX)
        return CEL_ABSENT;
    data = cel_calloc(count, sizeof *data);
    if (!data)
        return NC_ENOMEM;
    for (size_t i = 0; rc == CEL_OK && i < count; i++) {
        struct cel_pack_item item = cel_pack_take(p);
        const unsigned char *bytes = item.kind == 's' ? cel_pack_bytes(p, &item) : NULL;

        if (!bytes || memchr(bytes, 0, (size_t)item.n))
            rc = CEL_ABSENT;
        else if (!(data[i] = cel_strndup((const char *)bytes, (size_t)item.n)))
            rc = NC_ENOMEM;
    }
    if (rc == CEL_OK)
        return cel_att_add(atts, name, type, count, data, NULL);
    cel_value_reclaim(type, data, count);
    free(data);
    return rc;
}

int cel_pack_take_att(struct cel_pack *p, bool typed, struct cel_atts *atts, const char *name)
{
    struct cel_pack start = *p, ahead;
    struct cel_pack_item item = cel_pack_take(p);

    if (item.kind == 's' || item.kind == 'b')
        return take_text(p, &item, atts, name);
    if (is_number(&item)) {
        *p = start;
        return take_numbers(p, 1, typed, atts, name);
    }
    if (item.kind != 'a')
        return CEL_ABSENT;
    ahead = *p;
    if (item.n > 0 && cel_pack_take(&ahead).kind == 's')
        return take_strings(p, (size_t)item.n, atts, name);
    return take_numbers(p, (size_t)item.n, typed, atts, name);
}

/* --- writing ------------------------------------------------------------------------------------ */

/* The shortest marker of a kind that has place for n. */
static int put_marker(struct cel_buf *out, char kind, uint64_t n)
{
    unsigned char bytes[9];

    for (size_t i = 0; i < NMARKERS; i++)
        if (markers[i].kind == kind && n >> (8 * markers[i].bytes - 1) >> 1 == 0) {
            bytes[0] = markers[i].marker;
            cel_put_be(bytes + 1, n, markers[i].bytes);
            return cel_buf_add(out, bytes, 1 + markers[i].bytes);
        }
    return cel_fail(NC_EINVAL, "an attribute of %llu values or bytes is too long for MessagePack",
                    (unsigned long long)n);
}

static bool is_utf8(const char *text, size_t n)
{
    for (size_t at = 0, len; at < n; at += len)
        if ((len = cel_utf8_length(text + at, n - at)) == 0)
            return false;
    return true;
}

int cel_pack_put_text(struct cel_buf *out, const char *text, size_t n)
{
    int rc = put_marker(out, is_utf8(text, n) ? 's' : 'b', n);

    return rc == CEL_OK ? cel_buf_add(out, text, n) : rc;
}

int cel_pack_put_list(struct cel_buf *out, size_t n)
{
    return put_marker(out, 'a', n);
}

int cel_pack_put_map(struct cel_buf *out, size_t n)
{
    return put_marker(out, 'm', n);
}

int cel_pack_put_true(struct cel_buf *out)
{
    return cel_buf_add(out, "\xc3", 1);
}

static int put_number(struct cel_buf *out, const struct cel_type *type, const char *value)
{
    unsigned char bytes[9];

    for (size_t i = 0; i < NMARKERS; i++)
        if (markers[i].type == type->id) {
            bytes[0] = markers[i].marker;
            cel_put_be(bytes + 1, cel_get_word(value, type->size, host_is_big()), type->size);
            return cel_buf_add(out, bytes, 1 + type->size);
        }
    return cel_fail(NC_EBADTYPE, "attributes of type %s cannot be kept in a file of Blosc2", type->name);
}

static int put_string(struct cel_buf *out, const char *value)
{
    const char *text;

    memcpy(&text, value, sizeof text);
    return cel_pack_put_text(out, text ? text : "", text ? strlen(text) : 0);
}

int cel_pack_put_att(struct cel_buf *out, const struct cel_att *att)
{
    bool text = att->type->id == NC_STRING;
    int rc;

    if (att->type->id == NC_CHAR)
        return cel_pack_put_text(out, att->data, att->n);
    rc = att->n == 1 && !text ? CEL_OK : cel_pack_put_list(out, att->n);
    for (size_t i = 0; rc == CEL_OK && i < att->n; i++) {
        const char *value = (const char *)att->data + i * att->type->size;

        rc = text ? put_string(out, value) : put_number(out, att->type, value);
    }
    return rc;
}
