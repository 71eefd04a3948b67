/* What the two versions share: lists of lengths, and how a variable's data will
 * go: by chunks through the array engine, or plainly through zarr_plain.c for
 * text, half floats and structures whose bytes must be turned. */
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>

int zarr_lengths(const char *path, const char *pointer, const struct cel_json *list, size_t least, int *n, size_t *out)
{
    size_t count = cel_json_count(list), total = 1;

    if (cel_json_type(list) != CEL_JSON_ARRAY || count > NC_MAX_VAR_DIMS)
        return zarr_bad(path, pointer, "must be a list of at most %d lengths", NC_MAX_VAR_DIMS);
    for (size_t i = 0; i < count; i++) {
        uint64_t v;
        if (!cel_json_uint(cel_json_item(list, i), false, &v) || v < least || v > (uint64_t)PTRDIFF_MAX)
            return zarr_bad(path, pointer, "entry %zu is not a length of %zu or more", i, least);
        out[i] = (size_t)v;
        if (v && !cel_mul(total, (size_t)v, &total))
            return zarr_bad(path, pointer, "the lengths multiply to more than this machine can address");
    }
    *n = (int)count;
    return CEL_OK;
}

struct cel_json *zarr_lengths_json(int n, const size_t *lengths)
{
    struct cel_json *list = cel_json_new_array();

    for (int i = 0; list && i < n; i++)
        if (cel_json_push(list, cel_json_new_uint(lengths[i])) != CEL_OK) {
            cel_json_free(list);
            return NULL;
        }
    return list;
}

int zarr_array_prepare(struct cel_var *var, struct zarr_array *a)
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
    var->plain = a->dtype.form != ZARR_NUMBERS || turned || var->ndims == 0;
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
