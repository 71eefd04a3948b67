/* What the two versions share: lists of lengths, and how a variable's data will
 * go: by chunks through the array engine, or plainly through zarr_plain.c for
 * text, half floats and structures whose bytes must be turned. */
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>

static int check_list(const char *path, const char *pointer, const struct cel_json *list, size_t most)
{
    if (cel_json_type(list) == CEL_JSON_ARRAY && cel_json_count(list) <= most)
        return CEL_OK;
    return cel_zarr_bad(path, pointer, "must be a list of at most %zu lengths", most);
}

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
    int rc = check_list(path, pointer, list, CEL_RANK_MAX);

    *n = (int)cel_json_count(list);
    return rc == CEL_OK ? take_lengths(path, pointer, list, least, out) : rc;
}

/* More lengths than data can have are taken too: the array is shown, and its data says why it cannot be had. */
int cel_zarr_shape_read(const struct cel_zarr_array *a, struct cel_zarr_facts *out)
{
    const struct cel_json *list = cel_json_get(a->doc, "shape");
    int rc = check_list(a->path, "/shape", list, NC_MAX_VAR_DIMS);

    if (rc != CEL_OK)
        return rc;
    out->rank = (int)cel_json_count(list);
    out->shape = cel_malloc_array((size_t)out->rank + 1, sizeof *out->shape);
    return out->shape ? take_lengths(a->path, "/shape", list, 0, out->shape) : NC_ENOMEM;
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

int cel_zarr_array_prepare(struct cel_var *var, struct cel_zarr_array *a)
{
    bool turned = a->dtype.big && a->dtype.type->klass == NC_COMPOUND;
    struct cel_shape shape;
    int rc;

    var->order = a->order;
    rc = cel_var_shape(var, &shape);

    if (rc == CEL_OK && var->saved == CEL_NEW)
        rc = cel_chain_check_maskless(&var->chain);
    if (rc != CEL_OK)
        return rc;
    for (size_t i = 0; i < var->chain.n; i++)
        var->chain.step[i].optional = false; /* Zarr cannot say that a filter was left out */
    var->chain.maskless = true;
    var->unchunked = a->dtype.form != ZARR_NUMBERS || turned || var->ndims == 0;
    if (a->dtype.form != ZARR_NUMBERS) { /* the codecs see stored elements, not those in memory */
        size_t n = shape.elem_size ? shape.nbytes / shape.elem_size : 0;
        shape.elem_size = a->dtype.size ? a->dtype.size : 1;
        shape.kind = a->dtype.form == ZARR_HALF ? CEL_KIND_FLOAT : CEL_KIND_OTHER;
        shape.nbytes = n * shape.elem_size;
        shape.has_fill = false;
    }
    rc = cel_chain_fit_plugins(&var->chain, &shape);
    if (rc != CEL_OK && rc != NC_ENOMEM && var->saved != CEL_NEW) /* the header is shown all the same; data says why */
        return cel_var_note_unreadable(var, cel_error_text());
    return rc == CEL_OK ? cel_chain_prepare(&var->chain, &shape, false) : rc;
}
