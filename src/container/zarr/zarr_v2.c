/* SPDX-License-Identifier: BSD-3-Clause */
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

/* --- the members: read and made -------------------------------------------------------- */

static int read_format(const struct cel_zarr_document *d, const struct cel_json *v)
{
    int64_t format;

    (void)d;
    return cel_json_int(v, true, &format) && format == 2 ? CEL_OK : CEL_ABSENT;
}

static int make_format(struct cel_zarr_document *d, struct cel_json **out)
{
    (void)d;
    *out = cel_json_new_int(2);
    return CEL_OK;
}

/* A scalar of netCDF is an array of one element. */
static struct cel_json *lengths_of(const struct cel_zarr_document *d, const size_t *lengths)
{
    static const size_t one = 1;

    return d->array->scalar ? cel_zarr_lengths_json(1, &one) : cel_zarr_lengths_json(d->var->ndims, lengths);
}

static int make_shape(struct cel_zarr_document *d, struct cel_json **out)
{
    *out = lengths_of(d, d->var->layout.extent);
    return CEL_OK;
}

static int read_dtype(const struct cel_zarr_document *d, const struct cel_json *v)
{
    struct cel_zarr_array *a = d->array;
    int rc = cel_zarr_object_from_v2(d->ds, a, &a->dtype);

    return rc == CEL_ABSENT ? cel_zarr_dtype_from_v2(d->ds, a->path, v, by_netcdf(a), &a->dtype) : rc;
}

static int make_dtype(struct cel_zarr_document *d, struct cel_json **out)
{
    *out = d->dtype;
    d->dtype = NULL;
    return CEL_OK;
}

static int read_chunks(const struct cel_zarr_document *d, const struct cel_json *v)
{
    const char *path = d->array->path;
    int n, rc = cel_zarr_lengths(path, "/chunks", v, 1, &n, d->facts->chunk);

    if (rc == CEL_OK && n != d->facts->rank)
        rc = cel_zarr_bad(path, "/chunks", "has %d lengths, the shape has %d", n, d->facts->rank);
    return rc;
}

static int make_chunks(struct cel_zarr_document *d, struct cel_json **out)
{
    *out = lengths_of(d, d->var->layout.chunk);
    return CEL_OK;
}

/* xarray takes whatever stands here for missing values: plain Zarr says so of empty strings only where a _FillValue
 * does. */
static bool is_fill_told(const struct cel_zarr_document *d)
{
    bool usual_text = d->var->type->klass == NC_STRING && !d->var->fill.value;

    return !d->var->fill.off && (!usual_text || cel_zarr_of(d->ds)->nczarr);
}

static int make_fill(struct cel_zarr_document *d, struct cel_json **out)
{
    if (is_fill_told(d))
        return cel_zarr_fill_to_json(cel_var_fill_value(d->var), &d->array->dtype, 2, out);
    *out = cel_json_new_null();
    return CEL_OK;
}

static int read_order(const struct cel_zarr_document *d, const struct cel_json *v)
{
    const char *order = cel_json_string(v, NULL);
    struct cel_zarr_array *a = d->array;
    int rank = d->facts->rank;

    if (strcmp(order, "C") == 0 || rank < 2)
        return CEL_OK;
    if (strcmp(order, "F") != 0)
        return CEL_ABSENT;
    a->order = cel_malloc_array((size_t)rank, sizeof *a->order);
    for (int i = 0; a->order && i < rank; i++)
        a->order[i] = rank - 1 - i;
    return a->order ? CEL_OK : NC_ENOMEM;
}

static int read_separator(const struct cel_zarr_document *d, const struct cel_json *v)
{
    const char *text = cel_json_string(v, NULL);

    if (strcmp(text, ".") != 0 && strcmp(text, "/") != 0)
        return CEL_ABSENT;
    d->array->separator = *text;
    return CEL_OK;
}

/* The first filter belongs to the data type. */
static bool has_object_codec(const struct cel_zarr_dtype *t)
{
    return t->form >= ZARR_VLEN;
}

/* The filter chain is the filters and then the compressor, which is written before them. */
static int read_chain(const struct cel_zarr_document *d, const struct cel_json *filters)
{
    const struct cel_zarr_array *a = d->array;
    const struct cel_json *compressor = cel_json_get(a->doc, "compressor");
    struct cel_chain *chain = &d->facts->chain;
    size_t first = has_object_codec(&a->dtype) ? 1 : 0;
    int rc = first ? cel_chain_keep_object(chain, cel_json_item(filters, 0)) : CEL_OK;

    for (size_t i = first; rc == CEL_OK && i < cel_json_count(filters); i++)
        rc = add_step(cel_json_item(filters, i), a->path, "/filters", chain);
    if (rc == CEL_OK && cel_json_type(compressor) != CEL_JSON_NULL)
        rc = add_step(compressor, a->path, "/compressor", chain);
    return rc;
}

static int step_json(const struct cel_chain *chain, size_t i, struct cel_json **out)
{
    return cel_step_to_json(&chain->step[i], &chain->shape, 2, out);
}

/* The last filter, whatever it does: readers take both members for one chain. */
static int make_compressor(struct cel_zarr_document *d, struct cel_json **out)
{
    const struct cel_chain *chain = &d->var->chain;

    if (chain->n)
        return step_json(chain, chain->n - 1, out);
    *out = cel_json_new_null();
    return CEL_OK;
}

static int push_filters(const struct cel_chain *chain, struct cel_json *list)
{
    struct cel_json *v;
    int rc = cel_chain_object_json(chain, 2, &v);

    rc = rc == CEL_OK ? cel_json_push(list, v) : rc == CEL_ABSENT ? CEL_OK : rc;
    for (size_t i = 0; rc == CEL_OK && i + 1 < chain->n; i++) {
        rc = step_json(chain, i, &v);
        if (rc == CEL_OK)
            rc = cel_json_push(list, v);
    }
    return rc;
}

static int make_filters(struct cel_zarr_document *d, struct cel_json **out)
{
    const struct cel_chain *chain = &d->var->chain;
    bool is_listed = chain->n > 1 || chain->object;
    int rc;

    *out = is_listed ? cel_json_new_array() : cel_json_new_null();
    rc = !*out ? NC_ENOMEM : is_listed ? push_filters(chain, *out) : CEL_OK;
    if (rc != CEL_OK)
        cel_json_free(*out);
    return rc;
}

#define NUMBER (CEL_ZARR_TYPE(INT) | CEL_ZARR_TYPE(DOUBLE) | CEL_ZARR_TYPE(STRING)) /* some write "2" */
static const struct cel_zarr_member members[] = {
    {"zarr_format", NUMBER, CEL_ZARR_REQUIRED, "2", read_format, NULL, make_format},
    {"shape", CEL_ZARR_TYPE(ARRAY), CEL_ZARR_REQUIRED, CEL_ZARR_SHAPE_IS, cel_zarr_shape_read, NULL, make_shape},
    {"dtype", CEL_ZARR_ANY, CEL_ZARR_REQUIRED, NULL, read_dtype, NULL, make_dtype},
    {"chunks", CEL_ZARR_ANY, CEL_ZARR_REQUIRED | CEL_ZARR_LAYOUT, NULL, read_chunks, NULL, make_chunks},
    {"fill_value", CEL_ZARR_ANY, CEL_ZARR_OPTIONAL, NULL, cel_zarr_fill_read, NULL, make_fill},
    {"order", CEL_ZARR_TYPE(STRING), CEL_ZARR_LAYOUT, "\"C\" or \"F\"", read_order, "C", NULL},
    {"compressor", CEL_ZARR_ANY, CEL_ZARR_LAYOUT, NULL, NULL, NULL, make_compressor},
    {"filters", CEL_ZARR_ANY, CEL_ZARR_LAYOUT, NULL, read_chain, NULL, make_filters},
    {"dimension_separator", CEL_ZARR_TYPE(STRING), CEL_ZARR_LAYOUT, "\".\" or \"/\"", read_separator, ".", NULL},
    {0},
};

int cel_zarr_v2_read(struct cel_dataset *ds, struct cel_zarr_array *a, struct cel_zarr_facts *out)
{
    const struct cel_zarr_document d = {.ds = ds, .array = a, .facts = out};
    size_t names;
    int rc;

    a->separator = '.';
    out->names = cel_json_get(a->attrs, "_ARRAY_DIMENSIONS");
    rc = cel_zarr_members_read(&d, members);
    names = cel_json_type(out->names) == CEL_JSON_ARRAY ? cel_json_count(out->names) : 0;
    if (rc == CEL_OK && out->rank == 0 && names) /* the shape was lost: what the chunks hold is not known */
        return cel_fail(NC_ENCZARR, "%s: the shape is [], and _ARRAY_DIMENSIONS has %zu dimension%s", a->path, names,
                        names == 1 ? "" : "s");
    return rc;
}

int cel_zarr_v2_make(struct cel_dataset *ds, struct cel_var *var, struct cel_zarr_array *a)
{
    struct zarr *z = cel_zarr_of(ds);
    struct cel_zarr_document d = {.ds = ds, .var = var, .array = a};
    int rc;

    a->scalar = var->ndims == 0 && z->nczarr;
    a->separator = '.';
    rc = cel_zarr_object_to_v2(var, &a->dtype, &d.dtype);
    if (rc == CEL_ABSENT)
        rc = cel_zarr_dtype_to_v2(z, var, &a->dtype, &d.dtype);
    if (rc == CEL_OK)
        rc = cel_zarr_array_prepare(var, a);
    if (rc == CEL_OK)
        rc = cel_zarr_members_object(&d, members, &a->doc);
    if (rc == CEL_OK && a->dtype.form == ZARR_CATEGORY)
        a->dtype.labels = cel_json_get(cel_json_item(cel_json_get(a->doc, "filters"), 0), "labels");
    cel_json_free(d.dtype);
    return rc;
}
