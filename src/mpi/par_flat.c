/* SPDX-License-Identifier: BSD-3-Clause */
/* Text and lists of variable length on their way to another rank: what elements point to travels with them.
 *
 *     text       8 bytes: its length and 1, or 0 where there is none; its characters
 *     list       8 bytes: its elements; then those
 *     compound   its fields, in order
 *     all others as they lie in memory
 */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

/* at NULL: bytes are counted only. */
struct out {
    char *at;
    size_t n;
};

static void put_bytes(struct out *out, const void *bytes, size_t n)
{
    if (out->at && n)
        memcpy(out->at + out->n, bytes, n);
    out->n += n;
}

static int put_elements(const struct cel_type *type, const char *element, size_t n, struct out *out);

static int put_text(const char *element, struct out *out)
{
    const char *text;
    uint64_t n;

    memcpy(&text, element, sizeof text);
    n = text ? strlen(text) + 1 : 0;
    put_bytes(out, &n, sizeof n);
    if (text)
        put_bytes(out, text, (size_t)n - 1);
    return CEL_OK;
}

static int put_list(const struct cel_type *base, const char *element, struct out *out)
{
    nc_vlen_t list;
    uint64_t n;

    memcpy(&list, element, sizeof list);
    n = list.len;
    if (n && !list.p)
        return cel_fail(NC_EINVAL, "a variable-length value of %zu elements has no data", list.len);
    put_bytes(out, &n, sizeof n);
    return put_elements(base, list.p, list.len, out);
}

static int put_element(const struct cel_type *type, const char *element, struct out *out)
{
    int rc = CEL_OK;

    if (type->klass == NC_STRING)
        return put_text(element, out);
    if (type->klass == NC_VLEN)
        return put_list(type->base, element, out);
    for (size_t i = 0; rc == CEL_OK && i < type->nfields; i++)
        rc = put_elements(type->field[i].type, element + type->field[i].offset, type->field[i].n, out);
    return rc;
}

static int put_elements(const struct cel_type *type, const char *element, size_t n, struct out *out)
{
    int rc = CEL_OK;

    if (!type->varsized)
        put_bytes(out, element, n * type->size);
    for (size_t i = 0; type->varsized && rc == CEL_OK && i < n; i++)
        rc = put_element(type, element + i * type->size, out);
    return rc;
}

int cel_par_flat_bytes(const struct cel_type *type, const void *elements, size_t n, uint64_t *nbytes)
{
    struct out out = {0};
    int rc = put_elements(type, elements, n, &out);

    *nbytes = out.n;
    return rc;
}

void cel_par_flatten(const struct cel_type *type, const void *elements, size_t n, char *flat)
{
    put_elements(type, elements, n, &(struct out){.at = flat});
}

/* --- and back ------------------------------------------------------------------------------------- */

static int take_elements(const struct cel_type *type, const char **flat, size_t n, char *element);

static uint64_t take_number(const char **flat)
{
    uint64_t n;

    memcpy(&n, *flat, sizeof n);
    *flat += sizeof n;
    return n;
}

static int take_text(const char **flat, char *element)
{
    size_t n = (size_t)take_number(flat);
    char *text = n ? cel_malloc(n) : NULL;

    if (n && !text)
        return NC_ENOMEM;
    if (n) {
        memcpy(text, *flat, n - 1);
        text[n - 1] = 0;
        *flat += n - 1;
    }
    memcpy(element, &text, sizeof text);
    return CEL_OK;
}

static int take_list(const struct cel_type *base, const char **flat, char *element)
{
    nc_vlen_t list = {.len = (size_t)take_number(flat)};

    if (list.len) {
        list.p = cel_calloc(list.len, base->size);
        if (!list.p)
            return NC_ENOMEM;
    }
    memcpy(element, &list, sizeof list);
    return take_elements(base, flat, list.len, list.p);
}

static int take_element(const struct cel_type *type, const char **flat, char *element)
{
    int rc = CEL_OK;

    if (type->klass == NC_STRING)
        return take_text(flat, element);
    if (type->klass == NC_VLEN)
        return take_list(type->base, flat, element);
    for (size_t i = 0; rc == CEL_OK && i < type->nfields; i++)
        rc = take_elements(type->field[i].type, flat, type->field[i].n, element + type->field[i].offset);
    return rc;
}

static int take_elements(const struct cel_type *type, const char **flat, size_t n, char *element)
{
    int rc = CEL_OK;

    if (!type->varsized && n) {
        memcpy(element, *flat, n * type->size);
        *flat += n * type->size;
    }
    for (size_t i = 0; type->varsized && rc == CEL_OK && i < n; i++)
        rc = take_element(type, flat, element + i * type->size);
    return rc;
}

int cel_par_unflatten(const struct cel_type *type, const char *flat, size_t n, void **elements)
{
    int rc;

    *elements = cel_calloc(n, type->size);
    if (!*elements)
        return NC_ENOMEM;
    rc = take_elements(type, &flat, n, *elements);
    if (rc != CEL_OK) {
        cel_value_reclaim(type, *elements, n);
        free(*elements);
        *elements = NULL;
    }
    return rc;
}
