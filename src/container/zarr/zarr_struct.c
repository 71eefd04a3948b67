/* SPDX-License-Identifier: BSD-3-Clause */
/* Structures: a compound of numbers, text and structures. It lies in memory as it is stored, so that only what is not
 * stored as memory has it is touched: numbers of the other byte order, and text of code points, which becomes UTF-8
 * (no longer than its code points of four bytes). cel_zarr_leaf lists those parts, whatever the depth.
 *
 * Text of n bytes is a field of n characters. Version 2 tells the byte order of every field; in version 3 the codec
 * "bytes" tells one for all. */
#include "convert.h"
#include "mem.h"
#include "zarr_int.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 256
#define FIELD_RANK_MAX 8

struct part {
    const char *name;
    const struct cel_type *type;
    size_t at;
    int ndims, dims[FIELD_RANK_MAX];
};

struct fields {
    const char *path; /* of the array, for errors */
    size_t n, size;
    struct part part[FIELDS_MAX];
    struct cel_zarr_leaf *leaf;
    size_t nleaf;
};

/* --- leaves ------------------------------------------------------------------------- */

static int add_leaf(struct fields *f, struct cel_zarr_leaf leaf)
{
    struct cel_zarr_leaf *more = cel_realloc(f->leaf, f->nleaf + 1, sizeof *more);

    if (!more)
        return NC_ENOMEM;
    f->leaf = more;
    more[f->nleaf++] = leaf;
    return CEL_OK;
}

/* The numbers in `count` values of a type. A compound comes once: arrays of structures are refused. */
static int add_numbers(struct fields *f, const struct cel_type *type, size_t at, size_t count, bool big)
{
    int rc = CEL_OK;

    if (type->klass == NC_COMPOUND)
        for (size_t i = 0; rc == CEL_OK && i < type->nfields; i++)
            rc = add_numbers(f, type->field[i].type, at + type->field[i].offset, 1, big);
    else if (type->klass != NC_OPAQUE && type->size > 1)
        rc = add_leaf(f, (struct cel_zarr_leaf){.at = at, .size = type->size, .n = count, .big = big});
    return rc;
}

/* Those of a field at the end of what there is; a structure within has a list of its own. */
static int add_leaves(struct fields *f, const struct cel_zarr_dtype *t, size_t count)
{
    int rc = CEL_OK;

    if (t->form == ZARR_UTF32)
        return add_leaf(f, (struct cel_zarr_leaf){f->size, t->size, count, true, t->big});
    if (t->form != ZARR_NUMBERS)
        return CEL_OK;
    if (!t->leaf)
        return add_numbers(f, t->type, f->size, count, t->big);
    for (size_t i = 0; rc == CEL_OK && i < t->nleaf; i++) {
        struct cel_zarr_leaf leaf = t->leaf[i];

        leaf.at += f->size;
        rc = add_leaf(f, leaf);
    }
    return rc;
}

/* --- fields ------------------------------------------------------------------------- */

static int refuse_field(const struct fields *f, const char *name, const char *why)
{
    return cel_zarr_bad(f->path, "the data type", "field '%s' %s", name, why);
}

/* The lengths of a field that is an array; *count: how many values that are. */
static int take_lengths(const struct fields *f, const char *name, const struct cel_json *shape, struct part *part,
                        size_t *count)
{
    *count = 1;
    for (size_t i = 0; i < cel_json_count(shape); i++) {
        uint64_t len;

        if (part->ndims >= FIELD_RANK_MAX || !cel_json_uint(cel_json_item(shape, i), false, &len) || !len ||
            len > ZARR_ELEMENT_MAX || !cel_mul(*count, (size_t)len, count) || *count > ZARR_ELEMENT_MAX)
            return refuse_field(f, name, "is an array of lengths that are not supported");
        part->dims[part->ndims++] = (int)len;
    }
    return CEL_OK;
}

static bool is_text(const struct cel_zarr_dtype *t)
{
    return t->form == ZARR_BYTES || t->form == ZARR_UTF32;
}

static int add_field(struct fields *f, const char *name, const struct cel_zarr_dtype *t, const struct cel_json *shape)
{
    struct part part = {.name = name, .type = t->type, .at = f->size};
    size_t count, nbytes;
    int rc = take_lengths(f, name, shape, &part, &count);

    if (rc != CEL_OK)
        return rc;
    if (t->form != ZARR_NUMBERS && !is_text(t))
        return refuse_field(f, name, "has a type that cannot be part of a structure here");
    if (part.ndims && t->type->klass == NC_COMPOUND)
        return refuse_field(f, name, "is an array of structures, which is not supported");
    if (!cel_mul(t->size, count, &nbytes) || nbytes > ZARR_ELEMENT_MAX - f->size)
        return cel_zarr_bad(f->path, "the data type", "a structure of more than the %zu bytes supported",
                            ZARR_ELEMENT_MAX);
    if (is_text(t)) {
        part.type = cel_type_atomic(NC_CHAR);
        part.dims[part.ndims < FIELD_RANK_MAX ? part.ndims++ : 0] = (int)t->size;
    }
    rc = add_leaves(f, t, count);
    if (rc == CEL_OK) {
        f->part[f->n++] = part;
        f->size += nbytes;
    }
    return rc;
}

/* [name, type] or [name, type, shape] */
static int add_field_v2(struct cel_dataset *ds, const struct cel_json *field, struct fields *f)
{
    const char *name = cel_json_string(cel_json_item(field, 0), NULL);
    struct cel_zarr_dtype t = {0};
    int rc;

    if (cel_json_count(field) < 2 || cel_json_count(field) > 3 || !name)
        return cel_zarr_bad(f->path, "/dtype", "field %zu is not [name, type]", f->n);
    rc = cel_zarr_dtype_from_v2(ds, f->path, cel_json_item(field, 1), false, &t);
    if (rc == CEL_OK)
        rc = add_field(f, name, &t, cel_json_item(field, 2));
    cel_zarr_dtype_dispose(&t);
    return rc;
}

/* {"name": name, "data_type": type}, or the list of both that zarr-python first wrote. */
static int add_field_v3(struct cel_dataset *ds, const struct cel_json *field, struct fields *f)
{
    bool is_list = cel_json_type(field) == CEL_JSON_ARRAY;
    const char *name = cel_json_string(is_list ? cel_json_item(field, 0) : cel_json_get(field, "name"), NULL);
    const struct cel_json *type = is_list ? cel_json_item(field, 1) : cel_json_get(field, "data_type");
    struct cel_zarr_dtype t = {0};
    int rc;

    if (!name)
        return cel_zarr_bad(f->path, "/data_type/configuration/fields", "field %zu has no name", f->n);
    rc = cel_zarr_dtype_from_v3(ds, f->path, type, &t);
    if (rc == CEL_OK)
        rc = add_field(f, name, &t, NULL);
    cel_zarr_dtype_dispose(&t);
    return rc;
}

static int make_compound(struct cel_dataset *ds, struct fields *f, struct cel_zarr_dtype *out)
{
    struct cel_type *type;
    char name[64];
    bool fresh;
    int rc;

    snprintf(name, sizeof name, "_AnonymousCompound%zu", ds->types.n + 1);
    rc = cel_zarr_user_type(ds, name, NC_COMPOUND, f->size, &type, &fresh);
    for (size_t i = 0; rc == CEL_OK && i < f->n; i++) {
        const struct part *part = &f->part[i];

        rc = cel_type_add_field(type, part->name, part->at, part->type, part->ndims, part->dims);
    }
    if (rc == CEL_OK && !f->leaf && !(f->leaf = cel_calloc(1, sizeof *f->leaf))) /* it tells a structure */
        rc = NC_ENOMEM;
    if (rc != CEL_OK)
        return rc;
    *out = (struct cel_zarr_dtype){.form = ZARR_NUMBERS, .size = f->size, .type = type};
    out->leaf = f->leaf;
    out->nleaf = f->nleaf;
    f->leaf = NULL;
    return CEL_OK;
}

int cel_zarr_struct_read(struct cel_dataset *ds, const char *path, const struct cel_json *list, int version,
                         struct cel_zarr_dtype *out)
{
    struct fields *f = cel_calloc(1, sizeof *f);
    size_t n = cel_json_count(list);
    int rc = f ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK && (n == 0 || n > FIELDS_MAX))
        rc = cel_zarr_bad(path, version == 2 ? "/dtype" : "/data_type", "a structure needs 1 to 256 fields");
    if (rc == CEL_OK)
        f->path = path;
    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        rc = (version == 2 ? add_field_v2 : add_field_v3)(ds, cel_json_item(list, i), f);
    if (rc == CEL_OK)
        rc = make_compound(ds, f, out);
    if (f)
        free(f->leaf);
    free(f);
    return rc;
}

void cel_zarr_dtype_dispose(struct cel_zarr_dtype *t)
{
    free(t->leaf);
    *t = (struct cel_zarr_dtype){0};
}

bool cel_zarr_struct_is_stored_so(const struct cel_zarr_dtype *t)
{
    for (size_t i = 0; i < t->nleaf; i++)
        if (t->leaf[i].text || t->leaf[i].big || t->big)
            return false;
    return t->leaf || !t->big;
}
