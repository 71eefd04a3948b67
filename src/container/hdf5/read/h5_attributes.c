/* SPDX-License-Identifier: BSD-3-Clause */
/* All attributes of an object, in their order: attribute messages of its header or, when there are many, in a heap.
 * They are copied, since what they say may lie elsewhere: types in other headers, strings in the global heap. The bytes
 * of a message are in h5_attribute.c's table. */
#include "h5_read_int.h"
#include <stdlib.h>

struct listing {
    struct cel_h5r_attributes *out;
    struct cel_h5r_reader *reader;
    struct cel_h5r_dense dense;
};

static int add(struct cel_h5r_attributes *list, struct cel_h5_bytes body, unsigned order, size_t nth, bool shared)
{
    struct cel_h5r_attribute_message m = {.n = body.n, .order = order, .nth = nth, .shared = shared};

    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 16;
        struct cel_h5r_attribute_message *at = cel_realloc(list->at, cap, sizeof *at);

        if (!at)
            return NC_ENOMEM;
        list->at = at;
        list->cap = cap;
    }
    m.bytes = cel_memdup(body.p, body.n);
    if (!m.bytes)
        return NC_ENOMEM;
    list->at[list->n++] = m;
    return CEL_OK;
}

static int add_dense(const struct cel_h5_bytes *body, unsigned order, size_t nth, void *data)
{
    return add(((struct listing *)data)->out, *body, order, nth, false);
}

static int take_message(const struct cel_h5r_message *m, void *data)
{
    struct listing *l = data;

    if (m->type == CEL_H5R_ATTRIBUTE_INFO)
        return cel_h5r_attribute_info_read(l->reader, m->body, &l->dense);
    if (m->type != CEL_H5R_ATTRIBUTE)
        return CEL_OK;
    return add(l->out, m->body, m->order, l->out->n, m->shared);
}

/* What stands in the header is only a reference. */
static int resolve(struct cel_h5r_reader *r, struct cel_h5r_attribute_message *m)
{
    struct cel_buf real = CEL_BUF_INIT((size_t)r->file->size);
    int rc = cel_h5r_shared_read(r, CEL_H5R_ATTRIBUTE, (struct cel_h5_bytes){.p = m->bytes, .n = m->n}, &real);

    if (rc != CEL_OK) {
        cel_buf_dispose(&real);
        return rc;
    }
    free(m->bytes);
    m->bytes = (unsigned char *)real.data;
    m->n = real.len;
    m->shared = false;
    return CEL_OK;
}

static int by_order(const void *a, const void *b)
{
    const struct cel_h5r_attribute_message *x = a, *y = b;

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

int cel_h5r_attributes_read(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_attributes *out)
{
    struct listing l = {.out = out, .reader = r, .dense = {CEL_H5R_NOWHERE, CEL_H5R_NOWHERE}};
    int rc;

    *out = (struct cel_h5r_attributes){0};
    rc = cel_h5r_messages_each(r, addr, take_message, &l);
    if (rc == CEL_OK && l.dense.heap != CEL_H5R_NOWHERE)
        rc = cel_h5r_dense_each(r, &cel_h5r_dense_atts, &l.dense, add_dense, &l);
    for (size_t i = 0; rc == CEL_OK && i < out->n; i++)
        if (out->at[i].shared)
            rc = resolve(r, &out->at[i]);
    if (rc != CEL_OK)
        cel_h5r_attributes_dispose(out);
    else if (out->n > 1)
        qsort(out->at, out->n, sizeof *out->at, by_order);
    return rc;
}

void cel_h5r_attributes_dispose(struct cel_h5r_attributes *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->at[i].bytes);
    free(list->at);
    *list = (struct cel_h5r_attributes){0};
}

/* --- one of them ------------------------------------------------------------------------------ */

static int split(const struct cel_h5r_attribute_message *m, struct cel_h5r_attribute *out)
{
    return cel_h5r_attribute_split((struct cel_h5_bytes){.p = m->bytes, .n = m->n}, out);
}

int cel_h5r_attribute_check(const struct cel_h5r_attribute_message *m)
{
    struct cel_h5r_attribute a;

    return split(m, &a);
}

const char *cel_h5r_attribute_name(const struct cel_h5r_attribute_message *m)
{
    struct cel_h5r_attribute a;

    if (split(m, &a) == CEL_OK)
        return a.name;
    cel_error_clear();
    return NULL;
}

/* The bytes of a part, wherever they are; `copy` holds them if they are elsewhere. */
static int find_part(struct cel_h5r_reader *r, int type, bool shared, struct cel_h5_bytes part, struct cel_buf *copy,
                     struct cel_h5_bytes *out)
{
    int rc = shared ? cel_h5r_shared_read(r, type, part, copy) : CEL_OK;

    *out = shared ? cel_h5r_bytes_of(copy) : part;
    return rc;
}

static int count_elements(struct cel_h5r_reader *r, struct cel_h5_bytes space, struct cel_h5r_attribute_value *out)
{
    struct cel_h5r_object shape = CEL_H5R_OBJECT_INIT;
    int rc = cel_h5r_space_read(r, space, &shape);

    if (rc != CEL_OK)
        return rc;
    out->shape = shape.null_space ? CEL_H5R_NULL : shape.rank == 0 ? CEL_H5R_SCALAR : CEL_H5R_SIMPLE;
    out->n = !shape.null_space;
    for (int d = 0; d < shape.rank; d++)
        if (shape.dims[d] > SIZE_MAX || !cel_mul(out->n, (size_t)shape.dims[d], &out->n))
            return cel_h5r_bad_message("shape", "it has more elements than memory can have");
    return CEL_OK;
}

static int look(struct cel_h5r_reader *r, const struct cel_h5r_attribute *a, struct cel_buf *copy,
                struct cel_h5r_attribute_value *out)
{
    struct cel_h5_bytes part;
    int rc = find_part(r, CEL_H5R_DATASPACE, a->space_shared, a->space, copy, &part);

    if (rc == CEL_OK)
        rc = count_elements(r, part, out);
    if (rc == CEL_OK)
        rc = find_part(r, CEL_H5R_DATATYPE, a->type_shared, a->type, copy, &part);
    if (rc == CEL_OK)
        rc = cel_h5r_datatype_decode(part.p, part.n, &out->type);
    if (rc == CEL_OK && out->n > a->data.n / out->type->size)
        rc = cel_h5r_bad_message("value", "it ends too early");
    return rc;
}

int cel_h5r_attribute_look(struct cel_h5r_reader *r, const struct cel_h5r_attribute_message *m,
                           struct cel_h5r_attribute_value *out)
{
    struct cel_buf copy = CEL_BUF_INIT(SIZE_MAX / 2);
    struct cel_h5r_attribute a;
    int rc = split(m, &a);

    *out = (struct cel_h5r_attribute_value){0};
    if (rc != CEL_OK)
        return rc;
    out->data = a.data;
    out->committed = a.type_shared ? cel_h5r_committed_at(r, a.type) : 0;
    rc = look(r, &a, &copy, out);
    cel_buf_dispose(&copy);
    if (rc != CEL_OK) {
        cel_h5r_datatype_free(out->type);
        out->type = NULL;
    }
    return rc;
}
