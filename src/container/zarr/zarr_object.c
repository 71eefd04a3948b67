/* SPDX-License-Identifier: BSD-3-Clause */
/* Object codecs: chunks whose elements have no fixed size. vlen-utf8, vlen-bytes and
 * vlen-array: a count, then length and bytes of each element, little-endian. json2: a
 * list of the elements, nested as the chunk is, with its type and shape at the end.
 * categorize has a fixed size: an element is the number of its label, from 1. */
#include "bytes.h"
#include "convert.h"
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>
#include <string.h>

/* --- lengths and bytes ------------------------------------------------------------- */

static int add_le32(struct cel_buf *out, size_t v)
{
    unsigned char b[4];

    cel_put_le32(b, (uint32_t)v);
    return cel_buf_add(out, b, sizeof b);
}

static void move_numbers(const struct cel_zarr_dtype *t, void *dst, const void *src, size_t n)
{
    if (t->big)
        cel_swap_bytes(dst, src, n, t->type->base->size);
    else
        memcpy(dst, src, n * t->type->base->size);
}

static int take_list(const struct cel_zarr_dtype *t, const char *bytes, size_t len, void *out)
{
    nc_vlen_t list = {len / t->type->base->size, NULL};

    if (len % t->type->base->size)
        return cel_fail(NC_EFILTER, "vlen-array: %zu bytes are no whole number of elements", len);
    list.p = cel_malloc(len);
    if (!list.p)
        return NC_ENOMEM;
    move_numbers(t, list.p, bytes, list.len);
    memcpy(out, &list, sizeof list);
    return CEL_OK;
}

static int take_text(const char *bytes, size_t len, void *out)
{
    char *text;

    if (memchr(bytes, '\0', len))
        return cel_zarr_nul_in_text();
    text = cel_strndup(bytes, len);
    if (!text)
        return NC_ENOMEM;
    memcpy(out, &text, sizeof text);
    return CEL_OK;
}

static int decode_lengths(const struct cel_zarr_elements *o, const struct cel_buf *raw)
{
    bool lists = o->dtype->type->klass == NC_VLEN;
    struct cel_zarr_order order;
    size_t at = 4;
    int rc = CEL_OK;

    cel_zarr_order_begin(o, &order);
    if (raw->len < 4 || cel_get_le32(raw->data) != o->n)
        return cel_fail(NC_EFILTER, "the chunk does not hold %zu elements", o->n);
    for (size_t i = 0; rc == CEL_OK && i < o->n; i++) {
        size_t len = raw->len - at >= 4 ? cel_get_le32(raw->data + at) : SIZE_MAX;
        if (len > raw->len - at - 4)
            return cel_fail(NC_EFILTER, "the chunk ends within element %zu", i);
        rc = lists ? take_list(o->dtype, raw->data + at + 4, len, cel_zarr_order_next(o, &order))
                   : take_text(raw->data + at + 4, len, cel_zarr_order_next(o, &order));
        at += 4 + len;
    }
    return rc;
}

static int add_list(const struct cel_zarr_dtype *t, const void *element, struct cel_buf *raw)
{
    nc_vlen_t list;
    size_t at, nbytes;
    int rc;

    memcpy(&list, element, sizeof list);
    nbytes = list.len * t->type->base->size;
    rc =
        nbytes > UINT32_MAX ? cel_fail(NC_EINVAL, "vlen-array: an element has more than 4 GiB") : add_le32(raw, nbytes);
    at = raw->len;
    if (rc == CEL_OK)
        rc = cel_buf_resize(raw, at + nbytes);
    if (rc == CEL_OK && nbytes)
        move_numbers(t, raw->data + at, list.p, list.len);
    return rc;
}

static int add_text(const void *element, struct cel_buf *raw)
{
    const char *text;
    int rc;

    memcpy(&text, element, sizeof text);
    rc = add_le32(raw, text ? strlen(text) : 0);
    return rc == CEL_OK ? cel_buf_puts(raw, text ? text : "") : rc;
}

static int encode_lengths(const struct cel_zarr_elements *o, struct cel_buf *raw)
{
    struct cel_zarr_order order;
    int rc = add_le32(raw, o->n);

    cel_zarr_order_begin(o, &order);
    for (size_t i = 0; rc == CEL_OK && i < o->n; i++) {
        const void *element = cel_zarr_order_next(o, &order);
        rc = o->dtype->type->klass == NC_VLEN ? add_list(o->dtype, element, raw) : add_text(element, raw);
    }
    return rc;
}

int cel_zarr_objects_plausible(const struct cel_zarr_dtype *t, size_t n, const struct cel_buf *raw)
{
    bool lengths = t->form == ZARR_VLEN;

    if (lengths ? raw->len < 4 || (raw->len - 4) / 4 < n || cel_get_le32(raw->data) != n : raw->len / 2 < n)
        return cel_fail(NC_EFILTER, "the chunk does not hold %zu elements", n);
    return CEL_OK;
}

/* --- json2 ------------------------------------------------------------------------------ */

static int take_number(const struct cel_json *v, const struct cel_zarr_dtype *t, void *out)
{
    return cel_zarr_number_from_json(v, t->type->id, out)
               ? CEL_OK
               : cel_fail(NC_EFILTER, "json2: an element is no %s", t->type->name);
}

/* An element that is no text is given as JSON. */
static int take_string(const struct cel_json *v, void *out)
{
    struct cel_buf text = CEL_BUF_INIT(1 << 28);
    size_t len = 0;
    const char *string = cel_json_string(v, &len);
    int rc;

    if (string || !v || cel_json_type(v) == CEL_JSON_NULL)
        return take_text(string ? string : "", len, out);
    rc = cel_json_print(v, 0, &text);
    if (rc == CEL_OK)
        rc = take_text(text.data, text.len, out);
    cel_buf_dispose(&text);
    return rc;
}

static int take_item(const struct cel_zarr_elements *o, const struct cel_json *v, void *out)
{
    return o->dtype->type->klass == NC_STRING ? take_string(v, out) : take_number(v, o->dtype, out);
}

/* count: items of v that belong to this axis; at: the next element, in C order. */
static int take_items(const struct cel_zarr_elements *o, const struct cel_json *v, int axis, size_t *at)
{
    size_t extra = axis == 0 ? 2 : 0; /* type and shape end the outermost list */
    int rc = CEL_OK;

    if (axis == o->rank)
        return take_item(o, v, o->element + (*at)++ * o->dtype->type->size);
    if (cel_json_type(v) != CEL_JSON_ARRAY || cel_json_count(v) != o->lens[axis] + extra)
        return cel_fail(NC_EFILTER, "json2: axis %d of the chunk does not have %zu elements", axis, o->lens[axis]);
    for (size_t i = 0; rc == CEL_OK && i < o->lens[axis]; i++)
        rc = take_items(o, cel_json_item(v, i), axis + 1, at);
    return rc;
}

static int decode_json(const struct cel_zarr_elements *o, const struct cel_buf *raw)
{
    struct cel_json *doc = NULL;
    size_t at = 0;
    int rc = cel_json_parse(raw->data ? raw->data : "", raw->len, &doc, NULL);

    if (rc != CEL_OK)
        return cel_fail_in(rc == NC_ENOMEM ? rc : NC_EFILTER, "json2");
    rc = o->rank ? take_items(o, doc, 0, &at) : take_item(o, cel_json_item(doc, 0), o->element);
    cel_json_free(doc);
    return rc;
}

static struct cel_json *item_of(const struct cel_zarr_elements *o, size_t i)
{
    const void *element = o->element + i * o->dtype->type->size;
    const char *text;

    if (o->dtype->type->klass != NC_STRING)
        return cel_zarr_number_to_json(element, o->dtype->type->id);
    memcpy(&text, element, sizeof text);
    return cel_json_new_string(text ? text : "", text ? strlen(text) : 0);
}

static struct cel_json *items_of(const struct cel_zarr_elements *o, int axis, size_t *at)
{
    struct cel_json *list;

    if (axis == o->rank)
        return item_of(o, (*at)++);
    list = cel_json_new_array();
    for (size_t i = 0; list && i < o->lens[axis]; i++)
        if (cel_json_push(list, items_of(o, axis + 1, at)) != CEL_OK) {
            cel_json_free(list);
            return NULL;
        }
    return list;
}

static int encode_json(const struct cel_zarr_elements *o, struct cel_buf *raw)
{
    const struct cel_type *type = o->dtype->type;
    const char *dtype = type->klass == NC_STRING ? "|O" : cel_zarr_dtype_text(type->id, o->dtype->big);
    struct cel_json *list = NULL, *first;
    size_t at = 0;
    int rc = CEL_OK;

    first = items_of(o, 0, &at);
    if (o->rank) {
        list = first;
    } else { /* a single value: a list of it, as for an axis of one */
        list = cel_json_new_array();
        rc = list ? cel_json_push(list, first) : NC_ENOMEM;
    }
    if (rc == CEL_OK)
        rc = list ? cel_json_push(list, cel_json_new_string(dtype, strlen(dtype))) : NC_ENOMEM;
    if (rc == CEL_OK)
        rc = cel_json_push(list, cel_zarr_lengths_json(o->rank, o->lens));
    if (rc == CEL_OK)
        rc = cel_json_print(list, 0, raw);
    cel_json_free(list);
    return rc;
}

/* --- all of a chunk ----------------------------------------------------------------------- */

int cel_zarr_objects_decode(const struct cel_zarr_elements *o, const struct cel_buf *raw)
{
    return o->dtype->form == ZARR_JSON ? decode_json(o, raw) : decode_lengths(o, raw);
}

int cel_zarr_objects_encode(const struct cel_zarr_elements *o, struct cel_buf *raw)
{
    raw->len = 0;
    return o->dtype->form == ZARR_JSON ? encode_json(o, raw) : encode_lengths(o, raw);
}

/* --- categorize ------------------------------------------------------------------------------ */

int cel_zarr_category_take(const struct cel_zarr_dtype *t, const unsigned char *p, char **out)
{
    size_t number = (size_t)cel_get_word(p, t->size, t->big), len = 0;
    const char *label = NULL;

    if (number > cel_json_count(t->labels))
        return cel_fail(NC_EFILTER, "categorize: there is no label %zu", number);
    if (number)
        label = cel_json_string(cel_json_item(t->labels, number - 1), &len);
    *out = cel_strndup(label ? label : "", len);
    return *out ? CEL_OK : NC_ENOMEM;
}

int cel_zarr_category_put(const struct cel_zarr_dtype *t, const char *text, unsigned char *p)
{
    size_t number = 0, n = cel_json_count(t->labels);

    for (size_t i = 0; *text && i < n && !number; i++) {
        const char *label = cel_json_string(cel_json_item(t->labels, i), NULL);
        number = label && strcmp(label, text) == 0 ? i + 1 : 0;
    }
    if (*text && !number)
        return cel_fail(NC_EINVAL, "categorize: '%s' is none of its labels", text);
    cel_put_word(p, number, t->size, t->big);
    return CEL_OK;
}
