/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two versions share: lists of lengths, the rows of "shape" and "fill_value", and how a variable's chunks are
 * coded: as they lie in memory, or by zarr_elements.c. */
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>

static int take_lengths(const char *path, const char *pointer, const struct cel_json *list, size_t least, size_t *out)
{
    size_t count = cel_json_count(list), total = 1;

    for (size_t i = 0; i < count; i++) {
        uint64_t v;
        if (!cel_json_uint(cel_json_item(list, i), false, &v) || v < least || v > (uint64_t)PTRDIFF_MAX)
            return cel_zarr_bad(path, pointer, "entry %zu is not a length of %zu or more", i, least);
        out[i] = (size_t)v;
        if (v && !cel_mul(total, (size_t)v, &total))
            return cel_zarr_bad(path, pointer, "the lengths multiply to more than this machine can address");
    }
    return CEL_OK;
}

int cel_zarr_lengths(const char *path, const char *pointer, const struct cel_json *list, size_t least, int *n,
                     size_t *out)
{
    if (cel_json_type(list) != CEL_JSON_ARRAY || cel_json_count(list) > CEL_RANK_MAX)
        return cel_zarr_bad(path, pointer, "must be a list of at most %d lengths", CEL_RANK_MAX);
    *n = (int)cel_json_count(list);
    return take_lengths(path, pointer, list, least, out);
}

/* More lengths than data can have are taken too: the array is shown, and its data says why it cannot be had. */
int cel_zarr_shape_read(const struct cel_zarr_document *d, const struct cel_json *list)
{
    struct cel_zarr_facts *out = d->facts;
    size_t n = cel_json_count(list);

    if (n > NC_MAX_VAR_DIMS)
        return CEL_ABSENT;
    out->rank = (int)n;
    out->shape = cel_malloc_array(n + 1, sizeof *out->shape);
    return out->shape ? take_lengths(d->array->path, "/shape", list, 0, out->shape) : NC_ENOMEM;
}

int cel_zarr_fill_read(const struct cel_zarr_document *d, const struct cel_json *v)
{
    d->facts->fill = v;
    return CEL_OK;
}

void cel_zarr_facts_dispose(struct cel_zarr_facts *facts)
{
    cel_chain_dispose(&facts->chain);
    free(facts->shape);
}

struct cel_json *cel_zarr_lengths_json(int n, const size_t *lengths)
{
    struct cel_json *list = cel_json_new_array();

    for (int i = 0; list && i < n; i++)
        if (cel_json_push(list, cel_json_new_uint(lengths[i])) != CEL_OK) {
            cel_json_free(list);
            return NULL;
        }
    return list;
}

/* Chunks of numbers are in memory what they are in the store, up to the order of bytes. zarr_elements.c makes all other
 * elements, and structures whose fields have the other byte order. */
static bool is_unchunked(const struct cel_var *var, const struct cel_zarr_dtype *t)
{
    return t->form != ZARR_NUMBERS || (t->type->klass == NC_COMPOUND && !cel_zarr_struct_is_stored_so(t)) ||
           var->ndims == 0;
}

/* The codecs see stored elements, not those in memory. */
static void describe_stored(const struct cel_zarr_dtype *t, struct cel_shape *shape)
{
    size_t n = shape->elem_size ? shape->nbytes / shape->elem_size : 0;

    if (t->form == ZARR_NUMBERS)
        return;
    shape->elem_size = t->size ? t->size : 1;
    shape->kind = t->form == ZARR_HALF ? CEL_KIND_FLOAT : CEL_KIND_OTHER;
    shape->nbytes = n * shape->elem_size;
    shape->has_fill = false;
}

static int fit_chain(struct cel_var *var, const struct cel_shape *shape)
{
    int rc = cel_chain_fit_plugins(&var->chain, shape);

    if (rc != CEL_OK && rc != NC_ENOMEM && var->saved != CEL_NEW) /* the header is shown all the same; data says why */
        return cel_var_note_unreadable(var, cel_error_text());
    return rc == CEL_OK ? cel_chain_prepare(&var->chain, shape, false) : rc;
}

/* Plain Zarr of version 3 always has a fill value, and cannot say that there is none: codecs that keep it in a code of
 * its own must write what a reader will take it for. */
static void settle_fill(struct cel_var *var)
{
    const struct zarr *z = cel_zarr_of(var->group->dataset);

    if (var->saved == CEL_NEW && z->version == 3 && !z->nczarr)
        var->fill.off = false;
}

int cel_zarr_array_prepare(struct cel_var *var, struct cel_zarr_array *a)
{
    struct cel_shape shape;
    int rc;

    var->layout.order = a->order;
    settle_fill(var);
    rc = cel_var_shape(var, &shape);
    if (rc == CEL_OK && var->saved == CEL_NEW)
        rc = cel_chain_check_maskless(&var->chain);
    if (rc != CEL_OK)
        return rc;
    for (size_t i = 0; i < var->chain.n; i++)
        var->chain.step[i].optional = false; /* Zarr cannot say that a filter was left out */
    var->chain.maskless = true;
    var->layout.unchunked = is_unchunked(var, &a->dtype);
    describe_stored(&a->dtype, &shape);
    shape.all_axes = a->serialized;
    return fit_chain(var, &shape);
}
