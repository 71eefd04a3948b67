/* .zarray: Zarr version 2. */
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>
#include <string.h>

static bool by_netcdf(const struct cel_zarr_array *a)
{
    return cel_json_get(a->attrs, "_nczarr_array") || cel_json_get(a->doc, "_nczarr_array") ||
           cel_json_get(a->doc, "_NCZARR_ARRAY");
}

/* --- reading ----------------------------------------------------------------------- */

static int add_step(const struct cel_json *codec, const char *path, const char *pointer, struct cel_chain *chain)
{
    struct cel_step step = {0};
    int rc;

    if (cel_json_type(codec) != CEL_JSON_OBJECT)
        return cel_zarr_bad(path, pointer, "must be an object with an \"id\"");
    rc = cel_step_from_json(codec, 2, &step);
    if (rc == CEL_OK)
        rc = cel_chain_insert(chain, SIZE_MAX, &step);
    else
        cel_fail_in(rc, "/%s: %s", path, pointer);
    return rc;
}

static int read_chain(struct cel_zarr_array *a, struct cel_chain *chain)
{
    const struct cel_json *filters = cel_json_get(a->doc, "filters"), *compressor = cel_json_get(a->doc, "compressor");
    size_t first = cel_zarr_has_object_codec(&a->dtype) ? 1 : 0; /* the object codec belongs to the layout */
    int rc = first ? cel_chain_keep_object(chain, cel_json_item(filters, 0)) : CEL_OK;

    for (size_t i = first; rc == CEL_OK && i < cel_json_count(filters); i++)
        rc = add_step(cel_json_item(filters, i), a->path, "/filters", chain);
    if (rc == CEL_OK && compressor && cel_json_type(compressor) != CEL_JSON_NULL)
        rc = add_step(compressor, a->path, "/compressor", chain);
    return rc;
}

static int read_order(struct cel_zarr_array *a, int rank)
{
    const char *order = cel_json_string(cel_json_get(a->doc, "order"), NULL);

    if (!order || strcmp(order, "C") == 0 || rank < 2)
        return CEL_OK;
    if (strcmp(order, "F") != 0)
        return cel_zarr_bad(a->path, "/order", "must be \"C\" or \"F\"");
    a->order = cel_malloc_array((size_t)rank, sizeof *a->order);
    for (int i = 0; a->order && i < rank; i++)
        a->order[i] = rank - 1 - i;
    return a->order ? CEL_OK : NC_ENOMEM;
}

static int read_separator(struct cel_zarr_array *a)
{
    const char *text = cel_json_string(cel_json_get(a->doc, "dimension_separator"), NULL);

    a->separator = text && *text ? *text : '.';
    if (text && strcmp(text, ".") != 0 && strcmp(text, "/") != 0)
        return cel_zarr_bad(a->path, "/dimension_separator", "must be \".\" or \"/\"");
    return CEL_OK;
}

static int read_dtype(struct cel_dataset *ds, struct cel_zarr_array *a)
{
    int rc = cel_zarr_object_from_v2(ds, a, &a->dtype);

    return rc == CEL_ABSENT
               ? cel_zarr_dtype_from_v2(ds, a->path, cel_json_get(a->doc, "dtype"), by_netcdf(a), &a->dtype)
               : rc;
}

/* Where the values lie, and how. */
static int read_layout(struct cel_zarr_array *a, struct cel_zarr_facts *out)
{
    int nchunks, rc = cel_zarr_lengths(a->path, "/chunks", cel_json_get(a->doc, "chunks"), 1, &nchunks, out->chunk);

    if (rc == CEL_OK && nchunks != out->rank)
        rc = cel_zarr_bad(a->path, "/chunks", "has %d lengths, the shape has %d", nchunks, out->rank);
    if (rc == CEL_OK)
        rc = read_separator(a);
    if (rc == CEL_OK)
        rc = read_order(a, out->rank);
    return rc == CEL_OK ? read_chain(a, &out->chain) : rc;
}

int cel_zarr_v2_read(struct cel_dataset *ds, struct cel_zarr_array *a, struct cel_zarr_facts *out)
{
    int64_t format;
    int rc;

    if (!cel_json_int(cel_json_get(a->doc, "zarr_format"), true, &format) || format != 2)
        return cel_zarr_bad(a->path, "/zarr_format", "must be 2");
    rc = cel_zarr_shape_read(a, out);
    if (rc == CEL_OK)
        rc = read_dtype(ds, a);
    if (rc == CEL_OK && out->rank <= CEL_RANK_MAX)
        rc = read_layout(a, out);
    out->fill = cel_json_get(a->doc, "fill_value");
    out->names = cel_json_get(a->attrs, "_ARRAY_DIMENSIONS");
    return rc;
}

/* --- making ----------------------------------------------------------------------------- */

static int chain_members(const struct cel_var *var, struct cel_json *doc)
{
    bool listed = var->chain.n > 1 || var->chain.object;
    struct cel_json *filters = listed ? cel_json_new_array() : cel_json_new_null(), *compressor = cel_json_new_null(),
                    *first;
    int rc = filters && compressor ? cel_chain_object_json(&var->chain, 2, &first) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_json_push(filters, first);
    else if (rc == CEL_ABSENT)
        rc = CEL_OK;
    for (size_t i = 0; rc == CEL_OK && i < var->chain.n; i++) {
        struct cel_json *object = NULL;
        rc = cel_step_to_json(&var->chain.step[i], &var->chain.shape, 2, &object);
        if (rc == CEL_OK && i + 1 < var->chain.n) {
            rc = cel_json_push(filters, object);
        } else if (rc == CEL_OK) {
            cel_json_free(compressor);
            compressor = object;
        }
    }
    if (rc != CEL_OK) {
        cel_json_free(filters);
        cel_json_free(compressor);
        return rc;
    }
    rc = cel_json_set(doc, "compressor", compressor);
    if (rc == CEL_OK)
        return cel_json_set(doc, "filters", filters);
    cel_json_free(filters);
    return rc;
}

int cel_zarr_v2_make(struct cel_dataset *ds, struct cel_var *var, struct cel_zarr_array *a)
{
    static const size_t one = 1;
    struct zarr *z = cel_zarr_of(ds);
    struct cel_json *dtype = NULL, *fill = NULL;
    int rc;

    a->scalar = var->ndims == 0 && z->nczarr;
    a->separator = '.';
    a->doc = cel_json_new_object();
    rc = a->doc ? cel_zarr_object_to_v2(var, &a->dtype, &dtype) : NC_ENOMEM;
    if (rc == CEL_ABSENT)
        rc = cel_zarr_dtype_to_v2(z, var, &a->dtype, &dtype);
    if (rc == CEL_OK)
        rc = cel_zarr_array_prepare(var, a);
    if (rc == CEL_OK)
        rc = cel_json_set(a->doc, "zarr_format", cel_json_new_int(2));
    if (rc == CEL_OK)
        rc = cel_json_set(a->doc, "shape",
                          a->scalar ? cel_zarr_lengths_json(1, &one) : cel_zarr_lengths_json(var->ndims, var->extent));
    if (rc == CEL_OK)
        rc = cel_json_set(a->doc, "dtype", dtype);
    else
        cel_json_free(dtype);
    if (rc == CEL_OK)
        rc = cel_json_set(a->doc, "chunks",
                          a->scalar ? cel_zarr_lengths_json(1, &one) : cel_zarr_lengths_json(var->ndims, var->chunk));
    if (rc == CEL_OK && var->fill.off)
        fill = cel_json_new_null();
    else if (rc == CEL_OK)
        rc = cel_zarr_fill_to_json(cel_var_fill_value(var), &a->dtype, 2, &fill);
    if (rc == CEL_OK)
        rc = cel_json_set(a->doc, "fill_value", fill);
    if (rc == CEL_OK)
        rc = cel_json_set_text(a->doc, "order", "C");
    if (rc == CEL_OK)
        rc = chain_members(var, a->doc);
    if (rc == CEL_OK && a->dtype.form == ZARR_CATEGORY)
        a->dtype.labels = cel_json_get(cel_json_item(cel_json_get(a->doc, "filters"), 0), "labels");
    return rc == CEL_OK ? cel_json_set_text(a->doc, "dimension_separator", ".") : rc;
}
