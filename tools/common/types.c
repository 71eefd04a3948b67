/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of a file, read through the public inquiry calls. */

#include "types.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ATOMIC(id, text, bytes) \
    { \
        id, id, text, bytes, -1, (id) == NC_STRING, NULL, 0, NULL, 0, NULL \
    }
static const struct type atomic[] = {
    ATOMIC(NC_BYTE, "byte", 1),   ATOMIC(NC_CHAR, "char", 1),     ATOMIC(NC_SHORT, "short", 2),
    ATOMIC(NC_INT, "int", 4),     ATOMIC(NC_FLOAT, "float", 4),   ATOMIC(NC_DOUBLE, "double", 8),
    ATOMIC(NC_UBYTE, "ubyte", 1), ATOMIC(NC_USHORT, "ushort", 2), ATOMIC(NC_UINT, "uint", 4),
    ATOMIC(NC_INT64, "int64", 8), ATOMIC(NC_UINT64, "uint64", 8), ATOMIC(NC_STRING, "string", sizeof(char *)),
};
enum { NATOMIC = sizeof atomic / sizeof *atomic };

const struct type *types_atomic(nc_type id)
{
    return id >= NC_BYTE && id <= NATOMIC ? &atomic[id - 1] : NULL;
}

const struct type *types_atomic_by_name(const char *name)
{
    for (size_t i = 0; i < NATOMIC; i++)
        if (strcmp(atomic[i].name, name) == 0)
            return &atomic[i];
    return NULL;
}

const struct type *types_find(const struct types *t, nc_type id)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i]->id == id)
            return t->at[i];
    return types_atomic(id);
}

static int load_one(struct types *all, struct type *t);

/* The type, loaded: one may use another that is listed after it, in a group below. */
static int need(struct types *all, nc_type id, const struct type **out)
{
    int status = NC_NOERR;

    *out = types_find(all, id);
    if (!*out)
        return NC_EBADTYPE;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i]->id == id && !all->at[i]->name[0])
            status = load_one(all, all->at[i]);
    return status;
}

static int load_field(struct types *all, const struct type *t, int i, struct type_field *f)
{
    nc_type id;
    int status = nc_inq_compound_field(t->group, t->id, i, f->name, &f->offset, &id, &f->ndims, f->dims);

    if (status)
        return status;
    f->count = 1;
    for (int d = 0; d < f->ndims; d++)
        f->count *= (size_t)f->dims[d];
    return need(all, id, &f->type);
}

static int load_compound(struct types *all, struct type *t)
{
    int status = NC_NOERR;

    t->field = tool_alloc(t->nfields, sizeof *t->field);
    for (size_t i = 0; status == NC_NOERR && i < t->nfields; i++) {
        status = load_field(all, t, (int)i, &t->field[i]);
        if (status == NC_NOERR && t->field[i].type->has_pointers)
            t->has_pointers = true;
    }
    return status;
}

static int load_enum(struct type *t)
{
    int status = NC_NOERR;

    t->member = tool_alloc(t->nmembers, sizeof *t->member);
    for (size_t i = 0; status == NC_NOERR && i < t->nmembers; i++)
        status = nc_inq_enum_member(t->group, t->id, (int)i, t->member[i].name, t->member[i].value);
    return status;
}

static int load_one(struct types *all, struct type *t)
{
    nc_type base = NC_NAT;
    size_t n = 0;
    int status = nc_inq_user_type(t->group, t->id, t->name, &t->size, &base, &n, &t->kind);

    if (status)
        return status;
    if (t->kind == NC_COMPOUND) {
        t->nfields = n;
        return load_compound(all, t);
    }
    if (t->kind == NC_OPAQUE)
        return NC_NOERR;
    if (t->kind == NC_VLEN) {
        t->has_pointers = true;
        t->size = sizeof(nc_vlen_t);
        return need(all, base, &t->base);
    }
    t->nmembers = n;
    status = need(all, base, &t->base);
    return status ? status : load_enum(t);
}

static void list_ids(int group, const int *id, int n, struct types *all)
{
    for (int i = 0; i < n; i++) {
        struct type *t = tool_alloc(1, sizeof *t);
        t->id = id[i];
        t->group = group;
        all->at = tool_push(all->at, all->n, sizeof *all->at);
        all->at[all->n++] = t;
    }
}

static int list_types(int group, struct types *all);

static int list_children(int group, struct types *all)
{
    int n = 0, status = nc_inq_grps(group, &n, NULL);
    int *child;

    if (status || !n)
        return status;
    child = tool_alloc((size_t)n, sizeof *child);
    status = nc_inq_grps(group, NULL, child);
    for (int i = 0; status == NC_NOERR && i < n; i++)
        status = list_types(child[i], all);
    free(child);
    return status;
}

static int list_types(int group, struct types *all)
{
    int n = 0, status = nc_inq_typeids(group, &n, NULL);
    int *id;

    if (status)
        return status;
    id = tool_alloc((size_t)n, sizeof *id);
    if (n)
        status = nc_inq_typeids(group, NULL, id);
    if (status == NC_NOERR)
        list_ids(group, id, n, all);
    free(id);
    return status ? status : list_children(group, all);
}

int types_load(int root, struct types *out)
{
    int status = list_types(root, out);

    if (status == NC_ENOTNC4) /* classic files have the atomic types only */
        return NC_NOERR;
    for (size_t i = 0; status == NC_NOERR && i < out->n; i++)
        if (!out->at[i]->name[0])
            status = load_one(out, out->at[i]);
    return status;
}

void types_free(struct types *t)
{
    for (size_t i = 0; i < t->n; i++) {
        free(t->at[i]->field);
        free(t->at[i]->member);
        free(t->at[i]);
    }
    free(t->at);
    *t = (struct types){0};
}

static bool floats_equal(const void *a, const void *b)
{
    float x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x == y || (isnan(x) && isnan(y));
}

static bool doubles_equal(const void *a, const void *b)
{
    double x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x == y || (isnan(x) && isnan(y));
}

static bool strings_equal(const void *a, const void *b)
{
    const char *x, *y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x && y ? strcmp(x, y) == 0 : x == y;
}

static bool sequences_equal(const struct type *base, const void *a, const void *b)
{
    nc_vlen_t x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (x.len != y.len)
        return false;
    for (size_t i = 0; i < x.len; i++)
        if (!type_equal(base, (char *)x.p + i * base->size, (char *)y.p + i * base->size))
            return false;
    return true;
}

static bool records_equal(const struct type *t, const char *a, const char *b)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        for (size_t k = 0; k < f->count; k++) {
            size_t at = f->offset + k * f->type->size;
            if (!type_equal(f->type, a + at, b + at))
                return false;
        }
    }
    return true;
}

bool type_equal(const struct type *t, const void *a, const void *b)
{
    switch (t->kind) {
    case NC_FLOAT: return floats_equal(a, b);
    case NC_DOUBLE: return doubles_equal(a, b);
    case NC_STRING: return strings_equal(a, b);
    case NC_VLEN: return sequences_equal(t->base, a, b);
    case NC_COMPOUND: return records_equal(t, a, b);
    default: return memcmp(a, b, t->size) == 0;
    }
}

static void release_one(const struct type *t, char *value)
{
    nc_vlen_t v;
    char *s;

    if (t->kind == NC_STRING) {
        memcpy(&s, value, sizeof s);
        free(s);
    } else if (t->kind == NC_VLEN) {
        memcpy(&v, value, sizeof v);
        if (v.p)
            type_release(t->base, v.p, v.len);
        free(v.p);
    } else {
        for (size_t i = 0; i < t->nfields; i++)
            type_release(t->field[i].type, value + t->field[i].offset, t->field[i].count);
    }
}

void type_release(const struct type *t, void *values, size_t n)
{
    for (size_t i = 0; t->has_pointers && i < n; i++)
        release_one(t, (char *)values + i * t->size);
}

const struct type_member *type_member_of(const struct type *t, const void *value)
{
    for (size_t i = 0; i < t->nmembers; i++)
        if (memcmp(t->member[i].value, value, t->size) == 0)
            return &t->member[i];
    return NULL;
}
