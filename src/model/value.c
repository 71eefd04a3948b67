/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements in memory form: what they own (strings, the data of variable-length
 * values, at any depth) is copied and freed here, guided by the type. Bytes that no
 * field of a compound owns are not copied: they hold whatever lay in the caller's memory. */
#include "model_int.h"

static int copy_string(const void *from, void *to)
{
    char *text, *copy = NULL;

    memcpy(&text, from, sizeof text);
    if (text) {
        copy = cel_strdup(text);
        if (!copy)
            return NC_ENOMEM;
    }
    memcpy(to, &copy, sizeof copy);
    return CEL_OK;
}

static int copy_vlen(const struct cel_type *base, const void *from, void *to)
{
    nc_vlen_t value, copy = {0, NULL};
    int rc = CEL_OK;

    memcpy(&value, from, sizeof value);
    if (value.len) {
        if (!value.p)
            return cel_fail(NC_EINVAL, "a variable-length value of %zu elements has no data", value.len);
        copy.p = cel_malloc_array(value.len, base->size);
        if (!copy.p)
            return NC_ENOMEM;
        rc = cel_value_copy(base, value.p, value.len, copy.p);
        if (rc != CEL_OK) {
            free(copy.p);
            return rc;
        }
        copy.len = value.len;
    }
    memcpy(to, &copy, sizeof copy);
    return CEL_OK;
}

/* Field by field; the earlier ones are taken back on failure. */
static int copy_compound(const struct cel_type *type, const char *from, char *to)
{
    int rc = CEL_OK;
    size_t done = 0;

    memset(to, 0, type->size);
    for (; rc == CEL_OK && done < type->nfields; done++) {
        const struct cel_field *f = &type->field[done];
        rc = cel_value_copy(f->type, from + f->offset, f->n, to + f->offset);
    }
    if (rc == CEL_OK)
        return CEL_OK;
    for (size_t i = 0; i + 1 < done; i++) {
        const struct cel_field *f = &type->field[i];
        cel_value_reclaim(f->type, to + f->offset, f->n);
    }
    return rc;
}

static int copy_one(const struct cel_type *type, const void *from, void *to)
{
    if (type->klass == NC_STRING)
        return copy_string(from, to);
    if (type->klass == NC_VLEN)
        return copy_vlen(type->base, from, to);
    return copy_compound(type, from, to);
}

int cel_value_copy(const struct cel_type *type, const void *from, size_t n, void *to)
{
    int rc = CEL_OK;

    if (!type->varsized && !cel_type_has_holes(type)) {
        if (n)
            memcpy(to, from, n * type->size);
        return CEL_OK;
    }
    for (size_t i = 0; i < n; i++) {
        rc = copy_one(type, (const char *)from + i * type->size, (char *)to + i * type->size);
        if (rc != CEL_OK) {
            cel_value_reclaim(type, to, i);
            return rc;
        }
    }
    return CEL_OK;
}

static void reclaim_one(const struct cel_type *type, char *data)
{
    nc_vlen_t vlen;
    char *text;

    if (type->klass == NC_STRING) {
        memcpy(&text, data, sizeof text);
        free(text);
    } else if (type->klass == NC_VLEN) {
        memcpy(&vlen, data, sizeof vlen);
        if (vlen.p)
            cel_value_reclaim(type->base, vlen.p, vlen.len);
        free(vlen.p);
    } else {
        for (size_t i = 0; i < type->nfields; i++)
            cel_value_reclaim(type->field[i].type, data + type->field[i].offset, type->field[i].n);
    }
}

void cel_value_reclaim(const struct cel_type *type, void *data, size_t n)
{
    if (!type->varsized)
        return;
    for (size_t i = 0; i < n; i++)
        reclaim_one(type, (char *)data + i * type->size);
}
