/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements that are not stored as memory has them: text of any form, lists, half floats, single values, structures of
 * the other byte order. The array engine moves, decodes and encodes their chunks; this file converts a decoded chunk's bytes to
 * elements in C order, and back, in any thread. */
#include "env.h"
#include "mem.h"
#include "zarr_int.h"
#include <assert.h>
#include <string.h>

/* --- stored order ----------------------------------------------------------------------- */

void cel_zarr_order_begin(const struct cel_zarr_elements *e, struct cel_zarr_order *out)
{
    size_t step[CEL_RANK_MAX], n = 1;

    out->next = 0;
    if (!e->order)
        return;
    for (int d = e->rank; d-- > 0; n *= e->lens[d])
        step[d] = n;
    for (int i = 0; i < e->rank; i++) {
        out->at[i] = 0;
        out->len[i] = e->lens[e->order[i]];
        out->step[i] = step[e->order[i]];
    }
}

void *cel_zarr_order_next(const struct cel_zarr_elements *e, struct cel_zarr_order *order)
{
    void *element = e->element + order->next * e->dtype->type->size;

    if (!e->order) {
        order->next++;
        return element;
    }
    for (int i = e->rank; i-- > 0;) {
        order->next += order->step[i];
        if (++order->at[i] < order->len[i])
            break;
        order->next -= order->len[i] * order->step[i];
        order->at[i] = 0;
    }
    return element;
}

/* --- for the array engine ------------------------------------------------------------------ */

static const struct cel_zarr_dtype *dtype_of(const struct cel_var *var)
{
    const struct cel_zarr_array *a = var->priv;

    return &a->dtype;
}

/* The engine has seen that they fit memory. */
static struct cel_zarr_elements elements_of(const struct cel_var *var, void *element)
{
    const struct cel_zarr_array *a = var->priv;
    struct cel_zarr_elements e = {&a->dtype, 1, element, var->ndims, var->layout.chunk, a->order};

    for (int d = 0; d < var->ndims; d++)
        e.n *= var->layout.chunk[d];
    return e;
}

/* *nbytes: what a chunk decodes to. false: its elements have no fixed size, and *nbytes is a limit. */
bool cel_zarr_elements_bytes(const struct cel_var *var, size_t encoded, size_t *nbytes)
{
    const struct cel_zarr_dtype *t = dtype_of(var);
    size_t least = cel_env_max_decoded(t->form == ZARR_JSON ? ZARR_JSON_CHUNK_MAX : ZARR_CHUNK_MAX);
    size_t count = t->size ? elements_of(var, NULL).n : encoded;

    if (!cel_mul(count, t->size ? t->size : ZARR_CHUNK_RATIO, nbytes))
        *nbytes = SIZE_MAX;
    if (!t->size && *nbytes < least)
        *nbytes = least;
    return t->size > 0;
}

int cel_zarr_elements_check(const struct cel_var *var, const struct cel_buf *raw)
{
    const struct cel_zarr_dtype *t = dtype_of(var);

    return t->size ? CEL_OK : cel_zarr_objects_plausible(t, elements_of(var, NULL).n, raw);
}

int cel_zarr_elements_decode(const struct cel_var *var, const struct cel_buf *raw, void *element)
{
    struct cel_zarr_elements e = elements_of(var, element);
    const unsigned char *stored = (const unsigned char *)raw->data;
    struct cel_zarr_order order;
    int rc = CEL_OK;

    if (!e.dtype->size)
        return cel_zarr_objects_decode(&e, raw);
    cel_zarr_order_begin(&e, &order);
    for (size_t i = 0; rc == CEL_OK && i < e.n; i++, stored += e.dtype->size)
        rc = cel_zarr_element_take(e.dtype, stored, cel_zarr_order_next(&e, &order));
    assert(rc != CEL_OK || order.next == (e.order ? 0 : e.n)); /* each was named once */
    return rc;
}

int cel_zarr_elements_encode(const struct cel_var *var, const void *element, struct cel_buf *raw)
{
    struct cel_zarr_elements e = elements_of(var, (void *)element);
    struct cel_zarr_order order;
    size_t nbytes;
    int rc;

    if (!e.dtype->size)
        return cel_zarr_objects_encode(&e, raw);
    cel_zarr_elements_bytes(var, 0, &nbytes);
    rc = cel_buf_resize(raw, nbytes);
    cel_zarr_order_begin(&e, &order);
    for (size_t i = 0; rc == CEL_OK && i < e.n; i++)
        rc = cel_zarr_element_put(e.dtype, cel_zarr_order_next(&e, &order),
                                  (unsigned char *)raw->data + i * e.dtype->size);
    return rc;
}
