/* SPDX-License-Identifier: BSD-3-Clause */
/* Types: the twelve atomic ones, constant and shared, and user types, which belong
 * to a group and have ids from NC_FIRSTUSERTYPEID on. A user type may grow fields
 * or members until a container has it, another type holds it or values of it exist:
 * so no type holds itself, and what is known of a part stays true. */
#include "model_int.h"
#include <stdio.h>

#define ATOMIC(type_id, c_type, text, varies) \
    [type_id] = {.id = type_id, \
                 .klass = type_id, \
                 .size = sizeof(c_type), \
                 .name = text, \
                 .varsized = varies, \
                 .saved = CEL_SAVED, \
                 .loaded = true}

static const struct cel_type atomic[] = {
    ATOMIC(NC_BYTE, signed char, "byte", false),
    ATOMIC(NC_CHAR, char, "char", false),
    ATOMIC(NC_SHORT, short, "short", false),
    ATOMIC(NC_INT, int, "int", false),
    ATOMIC(NC_FLOAT, float, "float", false),
    ATOMIC(NC_DOUBLE, double, "double", false),
    ATOMIC(NC_UBYTE, unsigned char, "ubyte", false),
    ATOMIC(NC_USHORT, unsigned short, "ushort", false),
    ATOMIC(NC_UINT, unsigned int, "uint", false),
    ATOMIC(NC_INT64, long long, "int64", false),
    ATOMIC(NC_UINT64, unsigned long long, "uint64", false),
    ATOMIC(NC_STRING, char *, "string", true),
};

const struct cel_type *cel_type_atomic(nc_type id)
{
    return id >= NC_BYTE && id <= NC_STRING ? &atomic[id] : NULL;
}

const struct cel_type *cel_type_by_id(const struct cel_dataset *ds, nc_type id)
{
    if (id < NC_FIRSTUSERTYPEID)
        return cel_type_atomic(id);
    return (size_t)(id - NC_FIRSTUSERTYPEID) < ds->types.n ? ds->types.at[id - NC_FIRSTUSERTYPEID] : NULL;
}

/* --- finding by name ------------------------------------------------------- */

static const struct cel_type *atomic_named(const char *name)
{
    for (nc_type id = NC_BYTE; id <= NC_STRING; id++)
        if (strcmp(atomic[id].name, name) == 0)
            return &atomic[id];
    return NULL;
}

static const struct cel_type *type_by_path(const struct cel_group *group, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    struct cel_group *at = group->dataset->root;
    char *parent = cel_strndup(path, (size_t)(name - path));
    int rc = parent ? cel_group_by_path(at, parent, &at) : NC_ENOMEM;

    free(parent);
    return rc == CEL_OK ? cel_listed_find(&at->type_index, name) : NULL;
}

const struct cel_type *cel_type_find(const struct cel_group *group, const char *name)
{
    const struct cel_dataset *ds = group->dataset;
    const struct cel_type *type = atomic_named(name);

    if (*name == '/')
        return type_by_path(group, name);
    for (; !type && group; group = group->parent)
        type = cel_listed_find(&group->type_index, name);
    for (size_t i = 0; !type && i < ds->groups.n; i++)
        if (ds->groups.at[i])
            type = cel_listed_find(&((struct cel_group *)ds->groups.at[i])->type_index, name);
    return type;
}

/* --- making and freeing ------------------------------------------------------ */

int cel_type_make(struct cel_group *group, char *name, int klass, size_t size, struct cel_type **out)
{
    struct cel_dataset *ds = group->dataset;
    struct cel_type *type = cel_calloc(1, sizeof *type);
    int rc = NC_ENOMEM;

    if (!type) {
        free(name);
        return NC_ENOMEM;
    }
    type->id = (nc_type)(NC_FIRSTUSERTYPEID + ds->types.n);
    type->name = name;
    type->klass = klass;
    type->size = size;
    type->varsized = klass == NC_VLEN;
    type->group = group;
    type->loaded = true;
    rc = cel_vec_reserve(&ds->types, ds->types.n + 1);
    if (rc == CEL_OK)
        rc = cel_listed_add(&group->types, &group->type_index, name, type);
    if (rc != CEL_OK) {
        cel_type_free(type);
        return rc;
    }
    ds->types.at[ds->types.n++] = type;
    *out = type;
    return CEL_OK;
}

void cel_type_drop_parts(struct cel_type *type)
{
    for (size_t i = 0; i < type->nfields; i++) {
        free(type->field[i].name);
        free(type->field[i].dims);
    }
    for (size_t i = 0; i < type->nmembers; i++)
        free(type->member[i].name);
    free(type->field);
    free(type->member);
    type->field = NULL;
    type->member = NULL;
    type->nfields = type->nmembers = 0;
}

void cel_type_free(struct cel_type *type)
{
    if (!type)
        return;
    cel_type_drop_parts(type);
    free(type->zeros);
    free(type->name);
    free(type);
}

/* --- defining ------------------------------------------------------------------ */

int cel_dataset_has_types(const struct cel_dataset *ds)
{
    if (cel_is_classic_file(ds))
        return cel_fail(NC_ENOTNC4, "a user type: classic files have none: create the file with NC_NETCDF4");
    return CEL_OK;
}

static int check_new_type(struct cel_group *group, const char *name)
{
    int rc = cel_group_object_free(group, name);

    return rc == CEL_OK ? cel_mode_define(group->dataset) : rc;
}

static bool is_number(const struct cel_type *type)
{
    return type->id >= NC_BYTE && type->id < NC_STRING && type->id != NC_CHAR;
}

/* Of what a complex number of so many bytes has two; NULL: there is none. */
static const struct cel_type *complex_part(size_t size)
{
    return size == 2 * sizeof(float) ? &atomic[NC_FLOAT] : size == 2 * sizeof(double) ? &atomic[NC_DOUBLE] : NULL;
}

static bool is_complex_field(const struct cel_type *type, size_t nth, const struct cel_field *f)
{
    const struct cel_type *part = complex_part(type->size);

    return part && nth < 2 && f->type == part && f->ndims == 0 && f->offset == nth * part->size &&
           strcmp(f->name, nth ? "i" : "r") == 0;
}

bool cel_type_is_complex(const struct cel_type *type)
{
    return type->klass == NC_COMPOUND && type->nfields == 2 && is_complex_field(type, 0, &type->field[0]) &&
           is_complex_field(type, 1, &type->field[1]);
}

/* What a format must keep for a user type of so many bytes; base: of a variable-length one. The fields of a compound
 * come later (may_have_field). */
static unsigned user_type_needs(const struct cel_dataset *ds, int klass, size_t size, const struct cel_type *base)
{
    if (klass == NC_VLEN && is_number(base) && ds->features & CEL_KEEPS_LISTS)
        return CEL_KEEPS_LISTS;
    if (klass == NC_COMPOUND && complex_part(size) && ds->features & CEL_KEEPS_COMPLEX)
        return CEL_KEEPS_COMPLEX;
    return CEL_KEEPS_USER_TYPES;
}

static int may_have_field(const struct cel_type *type, const struct cel_field *f)
{
    const struct cel_dataset *ds = type->group->dataset;
    char what[2 * NC_MAX_NAME + 16];

    if (ds->features & CEL_KEEPS_COMPLEX && is_complex_field(type, type->nfields, f))
        return CEL_OK;
    snprintf(what, sizeof what, "field %s.%s", type->name, f->name);
    return cel_dataset_refuse(ds, CEL_KEEPS_USER_TYPES, what);
}

static int may_def_type(const struct cel_dataset *ds)
{
    if (ds->classic_model)
        return cel_fail(NC_ESTRICTNC3, "the classic model has no user types");
    return cel_dataset_has_types(ds);
}

static int def_type(struct cel_group *group, const char *name, int klass, size_t size, const struct cel_type *base,
                    struct cel_type **out)
{
    struct cel_dataset *ds = group->dataset;
    char *normal = NULL;
    int rc = may_def_type(ds);

    if (rc == CEL_OK)
        rc = cel_dataset_refuse(ds, user_type_needs(ds, klass, size, base), "a user type");
    if (rc == CEL_OK && !size)
        rc = cel_fail(NC_EINVAL, "a type needs a size of at least one byte");
    if (rc == CEL_OK)
        rc = cel_name_check(name, &normal);
    if (rc != CEL_OK)
        return rc;
    rc = check_new_type(group, normal);
    if (rc == CEL_OK)
        return cel_type_make(group, normal, klass, size, out);
    free(normal);
    return rc;
}

int cel_type_def_compound(struct cel_group *group, size_t size, const char *name, struct cel_type **out)
{
    return def_type(group, name, NC_COMPOUND, size, NULL, out);
}

int cel_type_def_opaque(struct cel_group *group, size_t size, const char *name, struct cel_type **out)
{
    return def_type(group, name, NC_OPAQUE, size, NULL, out);
}

int cel_type_def_vlen(struct cel_group *group, const char *name, const struct cel_type *base, struct cel_type **out)
{
    int rc = may_def_type(group->dataset);

    if (rc == CEL_OK)
        rc = base ? def_type(group, name, NC_VLEN, sizeof(nc_vlen_t), base, out)
                  : cel_fail(NC_EBADTYPE, "there is no such type to make a variable-length type of");
    if (rc == CEL_OK) {
        (*out)->base = base;
        cel_type_pin(base);
    }
    return rc;
}

static bool is_integer(nc_type id)
{
    return id >= NC_BYTE && id <= NC_UINT64 && id != NC_CHAR && id != NC_FLOAT && id != NC_DOUBLE;
}

int cel_type_def_enum(struct cel_group *group, nc_type base, const char *name, struct cel_type **out)
{
    int rc = may_def_type(group->dataset);

    if (rc != CEL_OK)
        return rc;
    if (!is_integer(base))
        return cel_fail(NC_EBADTYPE, "an enum is made of an integer type, not of type %d", base);
    rc = def_type(group, name, NC_ENUM, atomic[base].size, NULL, out);
    if (rc == CEL_OK)
        (*out)->base = &atomic[base];
    return rc;
}

static int may_grow(const struct cel_type *type, int klass, const char *what)
{
    if (type->klass != klass)
        return cel_fail(NC_EBADTYPE, "type %s has no %ss", type->name, what);
    if (type->saved != CEL_NEW || type->in_use)
        return cel_fail(NC_ETYPDEFINED, "type %s is in use already: no %s can be added", type->name, what);
    return CEL_OK;
}

static int check_field_offset(const struct cel_type *type, const struct cel_field *fresh)
{
    size_t nbytes, end;

    if (!cel_mul(fresh->n, fresh->type->size, &nbytes) || !cel_add(fresh->offset, nbytes, &end) || end > type->size)
        return cel_fail(NC_EINVAL, "field %s.%s at offset %zu reaches beyond the type's %zu bytes", type->name,
                        fresh->name, fresh->offset, type->size);
    for (size_t i = 0; i < type->nfields; i++) {
        const struct cel_field *f = &type->field[i];
        if (strcmp(f->name, fresh->name) == 0)
            return cel_fail(NC_ENAMEINUSE, "type %s has a field %s already", type->name, f->name);
        if (fresh->offset < f->offset + f->n * f->type->size && f->offset < end)
            return cel_fail(NC_EINVAL, "field %s.%s lies over field %s", type->name, fresh->name, f->name);
    }
    return CEL_OK;
}

/* Fails with `fresh` as it was: the caller disposes of it. */
static int append_field(struct cel_type *type, const struct cel_field *fresh)
{
    struct cel_field *field;
    int rc = check_field_offset(type, fresh);

    if (rc != CEL_OK)
        return rc;
    field = cel_realloc(type->field, type->nfields + 1, sizeof *field);
    if (!field)
        return NC_ENOMEM;
    type->field = field;
    type->field[type->nfields++] = *fresh;
    type->varsized = type->varsized || fresh->type->varsized;
    cel_type_pin(fresh->type);
    return CEL_OK;
}

static int set_field_dims(struct cel_field *field, int ndims, const int *dims)
{
    field->n = 1;
    field->ndims = ndims;
    if (!ndims)
        return CEL_OK;
    field->dims = cel_memdup(dims, (size_t)ndims * sizeof *dims);
    if (!field->dims)
        return NC_ENOMEM;
    for (int d = 0; d < ndims; d++)
        if (dims[d] < 1 || !cel_mul(field->n, (size_t)dims[d], &field->n))
            return cel_fail(NC_EINVAL, "field %s: length %d of dimension %d makes no sense", field->name, dims[d], d);
    return CEL_OK;
}

int cel_type_add_field(struct cel_type *type, const char *name, size_t offset, const struct cel_type *field, int ndims,
                       const int *dims)
{
    struct cel_field fresh = {.type = field, .offset = offset};
    int rc;

    if (field == type)
        return cel_fail(NC_EINVAL, "field %s.%s: a type cannot hold itself", type->name, name);
    fresh.name = cel_strdup(name);
    rc = fresh.name ? set_field_dims(&fresh, ndims, dims) : NC_ENOMEM;
    if (rc == CEL_OK)
        rc = append_field(type, &fresh);
    if (rc != CEL_OK) {
        free(fresh.name);
        free(fresh.dims);
    }
    return rc;
}

int cel_type_insert_field(struct cel_type *type, const char *name, size_t offset, const struct cel_type *field,
                          int ndims, const int *dims)
{
    char *normal = NULL;
    int rc = may_grow(type, NC_COMPOUND, "field");

    if (rc == CEL_OK)
        rc = cel_name_check(name, &normal);
    if (rc != CEL_OK)
        return rc;
    if (!field)
        rc = cel_fail(NC_EBADTYPE, "field %s.%s: there is no such type", type->name, normal);
    else if (ndims < 0 || ndims > CEL_RANK_MAX)
        rc = cel_fail(NC_EINVAL, "field %s.%s: %d dimensions, but a field has 0 to %d", type->name, normal, ndims,
                      CEL_RANK_MAX);
    else if (ndims && !dims)
        rc = cel_fail(NC_EINVAL, "field %s.%s: no lengths of its dimensions were given", type->name, normal);
    else
        rc = cel_mode_define(type->group->dataset);
    if (rc == CEL_OK)
        rc = may_have_field(type, &(struct cel_field){.name = normal, .type = field, .offset = offset, .ndims = ndims});
    if (rc == CEL_OK)
        rc = cel_type_add_field(type, normal, offset, field, ndims, dims);
    free(normal);
    return rc;
}

int cel_type_add_member(struct cel_type *type, const char *name, const void *value)
{
    struct cel_member *member;

    if (type->size > sizeof member->value)
        return cel_fail(NC_EBADTYPE, "enum %s: values of %zu bytes", type->name, type->size);
    for (size_t i = 0; i < type->nmembers; i++) {
        if (strcmp(type->member[i].name, name) == 0)
            return cel_fail(NC_ENAMEINUSE, "enum %s has a member %s already", type->name, name);
        if (memcmp(type->member[i].value, value, type->size) == 0)
            return cel_fail(NC_EINVAL, "enum %s: %s and %s have the same value", type->name, type->member[i].name,
                            name);
    }
    member = cel_realloc(type->member, type->nmembers + 1, sizeof *member);
    if (!member)
        return NC_ENOMEM;
    type->member = member;
    member += type->nmembers;
    *member = (struct cel_member){.name = cel_strdup(name)};
    if (!member->name)
        return NC_ENOMEM;
    memcpy(member->value, value, type->size);
    type->nmembers++;
    return CEL_OK;
}

int cel_type_insert_member(struct cel_type *type, const char *name, const void *value)
{
    char *normal = NULL;
    int rc = may_grow(type, NC_ENUM, "member");

    if (rc == CEL_OK)
        rc = cel_name_check(name, &normal);
    if (rc != CEL_OK)
        return rc;
    rc = value ? cel_mode_define(type->group->dataset)
               : cel_fail(NC_EINVAL, "enum %s: member %s has no value", type->name, normal);
    if (rc == CEL_OK)
        rc = cel_type_add_member(type, normal, value);
    free(normal);
    return rc;
}

/* --- what follows from the parts --------------------------------------------- */

void cel_type_pin(const struct cel_type *type)
{
    if (type->group)
        ((struct cel_type *)type)->in_use = true;
}

static bool fields_equal(const struct cel_field *a, const struct cel_field *b)
{
    return strcmp(a->name, b->name) == 0 && a->offset == b->offset && a->ndims == b->ndims &&
           (!a->ndims || memcmp(a->dims, b->dims, (size_t)a->ndims * sizeof *a->dims) == 0) &&
           cel_type_equal(a->type, b->type);
}

/* By structure and in order, whatever the types themselves are called: as netCDF-C compares. */
bool cel_type_equal(const struct cel_type *a, const struct cel_type *b)
{
    if (a == b)
        return true;
    if (a->klass != b->klass || a->size != b->size || a->nfields != b->nfields || a->nmembers != b->nmembers)
        return false;
    if (a->base && (!b->base || !cel_type_equal(a->base, b->base)))
        return false;
    for (size_t i = 0; i < a->nfields; i++)
        if (!fields_equal(&a->field[i], &b->field[i]))
            return false;
    for (size_t i = 0; i < a->nmembers; i++)
        if (strcmp(a->member[i].name, b->member[i].name) != 0 ||
            memcmp(a->member[i].value, b->member[i].value, a->size) != 0)
            return false;
    return true;
}

/* Fields never overlap: there are holes if their sizes add up to less than the type's. */
bool cel_type_has_holes(const struct cel_type *type)
{
    size_t owned = 0;

    if (type->klass == NC_VLEN)
        return cel_type_has_holes(type->base);
    if (type->klass != NC_COMPOUND)
        return false;
    for (size_t i = 0; i < type->nfields; i++) {
        const struct cel_field *f = &type->field[i];
        if (cel_type_has_holes(f->type))
            return true;
        owned += f->n * f->type->size;
    }
    return owned < type->size;
}

static int classic_only(const struct cel_type *type)
{
    return cel_fail(NC_ESTRICTNC3, "type %s: the classic model has byte, char, short, int, float and double only",
                    type->name);
}

int cel_type_allowed(const struct cel_dataset *ds, const struct cel_type *type)
{
    unsigned need = type->klass == NC_COMPOUND && !cel_type_is_complex(type) ? CEL_KEEPS_USER_TYPES
                    : type->group           ? user_type_needs(ds, type->klass, type->size, type->base)
                    : type->id == NC_STRING ? CEL_KEEPS_STRINGS
                    : type->id > NC_DOUBLE  ? CEL_KEEPS_INT64
                                            : 0;
    char what[NC_MAX_NAME + 8];

    snprintf(what, sizeof what, "type %s", type->name);
    if (ds->classic_model && type->id > NC_DOUBLE && !(need & ~ds->features))
        return classic_only(type);
    return cel_dataset_refuse(ds, need, what);
}

/* Almost every element is small: those share one block. */
const void *cel_type_zeros(const struct cel_type *type)
{
    static const _Alignas(16) unsigned char small[4096];
    struct cel_type *mine = (struct cel_type *)type;
    void *expected = NULL, *block;

    if (type->size <= sizeof small)
        return small;
    block = atomic_load_explicit(&mine->zeros, memory_order_acquire);
    if (block)
        return block;
    block = cel_calloc(1, type->size);
    if (block && !atomic_compare_exchange_strong(&mine->zeros, &expected, block)) {
        free(block);
        block = expected;
    }
    return block;
}
