/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes: values converted once, when they are set, and kept in memory form.
 * The _FillValue of a variable is also its fill value, and has rules of its own. */
#include "model_int.h"
#include <limits.h>

static const char fill_name[] = "_FillValue";

/* Names netCDF-4 and Zarr use for themselves; in a classic file they mean nothing. */
static const char *const reserved[] = {
    "CLASS",         "DIMENSION_LIST",     "NAME",        "REFERENCE_LIST",      "_Format",       "_IsNetcdf4",
    "_NCProperties", "_SuperblockVersion", "_nc3_strict", "_Netcdf4Coordinates", "_Netcdf4Dimid", "_NCZARR_ATTR",
    "_Codecs",       "_ARRAY_DIMENSIONS",
};

static int check_reserved(const struct cel_dataset *ds, const char *name)
{
    for (size_t i = 0; !cel_is_classic_file(ds) && i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0)
            return cel_fail(NC_ENAMEINUSE, "attribute %s: the file format keeps this name for itself", name);
    return CEL_OK;
}

static struct cel_atts *atts_of(struct cel_group *group, struct cel_var *var)
{
    return var ? &var->atts : &group->atts;
}

struct cel_att *cel_att_find(const struct cel_atts *atts, const char *name)
{
    return cel_listed_find(&atts->index, name);
}

static void dispose_value(struct cel_att *att)
{
    if (att->data)
        cel_value_reclaim(att->type, att->data, att->n);
    free(att->data);
    att->data = NULL;
}

static void free_att(struct cel_att *att)
{
    dispose_value(att);
    free(att->name);
    free(att->saved_name);
    free(att);
}

void cel_atts_dispose(struct cel_atts *atts)
{
    for (size_t i = 0; i < atts->list.n; i++)
        free_att(atts->list.at[i]);
    for (size_t i = 0; i < atts->removed.n; i++)
        free(atts->removed.at[i]);
    cel_vec_dispose(&atts->list);
    cel_vec_dispose(&atts->removed);
    cel_names_dispose(&atts->index);
}

int cel_att_make(struct cel_atts *atts, char *name, struct cel_att **out)
{
    struct cel_att *att = cel_calloc(1, sizeof *att);
    int rc = att ? cel_listed_add(&atts->list, &atts->index, name, att) : NC_ENOMEM;

    if (rc != CEL_OK) {
        free(name);
        free(att);
        return rc;
    }
    att->name = name;
    *out = att;
    return CEL_OK;
}

/* --- values ------------------------------------------------------------------ */

struct value {
    const struct cel_type *type;
    size_t n;
    void *data;
    size_t misfits; /* values that did not fit the type */
};

static void dispose(struct value *v)
{
    if (v->data)
        cel_value_reclaim(v->type, v->data, v->n);
    free(v->data);
}

/* The atomic type whose conversions serve this type: enums are their base. */
static nc_type number_type(const struct cel_type *type)
{
    return type->klass == NC_ENUM ? type->base->id : type->id;
}

static int convert(const struct cel_dataset *ds, struct value *v, const void *data, nc_type memtype, const char *name)
{
    cel_convert_fn *fn;

    if (memtype == NC_NAT || memtype == v->type->id)
        return cel_value_copy(v->type, data, v->n, v->data);
    if (v->type->group && v->type->klass != NC_ENUM)
        return cel_fail(NC_EBADTYPE, "attribute %s: values of type %s are not made from numbers", name, v->type->name);
    fn = cel_dataset_converter(ds, memtype, number_type(v->type));
    if (!fn)
        return cel_fail(NC_ECHAR, "attribute %s: text and numbers are not converted into each other", name);
    v->misfits = v->n ? fn(v->data, data, v->n) : 0;
    return CEL_OK;
}

static int make_value(const struct cel_dataset *ds, struct value *v, const void *data, nc_type memtype,
                      const char *name)
{
    int rc;

    v->data = cel_malloc_array(v->n, v->type->size);
    if (!v->data)
        return NC_ENOMEM;
    rc = convert(ds, v, data, memtype, name);
    if (rc != CEL_OK) {
        free(v->data);
        v->data = NULL;
    }
    return rc;
}

/* --- setting -------------------------------------------------------------------- */

static int check_fill(const struct cel_var *var, const struct cel_type *type, size_t n)
{
    if (n != 1)
        return cel_fail(NC_EINVAL, "_FillValue has one value, not %zu", n);
    if (var->type->id != type->id)
        return cel_fail(NC_EBADTYPE, "_FillValue must be of the variable's type %s, not %s", var->type->name,
                        type->name);
    if (cel_is_classic_file(var->group->dataset)) /* it matters for records to come only */
        return CEL_OK;
    if (var->fill.settled)
        return cel_fail(NC_ELATEFILL, "the fill value is set before data is written");
    if (var->saved != CEL_NEW && var->array)
        return cel_fail(NC_ELATEFILL, "the fill value is set before the variable is read");
    return CEL_OK;
}

/* Attributes that do not grow may be changed in data mode, by any model. */
static int check_mode(struct cel_dataset *ds, const struct cel_att *att, const struct cel_type *type, size_t n)
{
    if (att && !ds->defining && n * type->size <= att->n * att->type->size)
        return CEL_OK;
    return cel_mode_define(ds);
}

static int check_put(const struct cel_dataset *ds, const char *name, const struct cel_type *type, size_t n,
                     const void *data)
{
    int rc = check_reserved(ds, name);

    if (rc != CEL_OK)
        return rc;
    if (!type)
        return cel_fail(cel_is_classic_file(ds) ? NC_EBADTYPE
                        : ds->classic_model     ? NC_ESTRICTNC3
                                                : NC_EBADTYPID,
                        "attribute %s: there is no such type", name);
    if (n && !data)
        return cel_fail(NC_EINVAL, "attribute %s: no data for %zu values", name, n);
    return CEL_OK;
}

static void drop_fill(struct cel_var *var)
{
    if (var->fill.value)
        cel_value_reclaim(var->type, var->fill.value, 1);
    free(var->fill.value);
    var->fill.value = NULL;
}

static int keep_fill(struct cel_var *var, const void *value)
{
    void *fill = cel_malloc(var->type->size);
    int rc = fill ? cel_value_copy(var->type, value, 1, fill) : NC_ENOMEM;

    if (rc != CEL_OK) {
        free(fill);
        return rc;
    }
    drop_fill(var);
    var->fill.value = fill;
    var->fill.changed = var->saved != CEL_NEW;
    cel_touch(&var->saved);
    return CEL_OK;
}

/* `normal` is taken over when a new attribute is made of it. */
static int store(struct cel_atts *atts, struct cel_att *att, char **normal, struct value *v)
{
    int rc = CEL_OK;

    if (!att) {
        rc = cel_att_make(atts, *normal, &att);
        *normal = NULL;
        if (rc != CEL_OK)
            return rc;
    }
    dispose_value(att);
    att->type = v->type;
    att->n = v->n;
    att->data = v->data;
    v->data = NULL;
    cel_touch(&att->saved);
    cel_type_pin(v->type);
    return CEL_OK;
}

/* A classic file may have a _FillValue that cannot be one: it is kept, and means nothing. */
static bool is_idle_fill(const struct cel_var *var, const struct value *v)
{
    return cel_is_classic_file(var->group->dataset) && (v->n != 1 || v->type->id != var->type->id);
}

/* An attribute was renamed or removed. In a classic file the fill value is what _FillValue says at the time; a
 * netCDF-4 file keeps it in a place of its own, where the attribute's end does not reach. */
static int follow_fill(struct cel_var *var)
{
    const struct cel_att *att = var ? cel_names_find(&var->atts.index, fill_name) : NULL;

    if (!var || !cel_is_classic_file(var->group->dataset))
        return CEL_OK;
    if (att && att->n == 1 && att->type->id == var->type->id)
        return keep_fill(var, att->data);
    drop_fill(var);
    return CEL_OK;
}

/* Formats that keep lists or complex numbers do so in variables; the fill value of a complex one is part of it. */
static int check_type(const struct cel_dataset *ds, const struct cel_type *type, bool is_fill)
{
    int rc = cel_type_allowed(ds, type);

    if (rc != CEL_OK || !type->group || (is_fill && cel_type_is_complex(type)))
        return rc;
    return cel_dataset_refuse(ds, CEL_KEEPS_USER_TYPES, "an attribute of a user type");
}

static int put(struct cel_group *group, struct cel_var *var, char **normal, struct value *v, const void *data,
               nc_type memtype)
{
    struct cel_atts *atts = atts_of(group, var);
    struct cel_att *att = cel_names_find(&atts->index, *normal);
    bool is_fill = var && strcmp(*normal, fill_name) == 0 && !is_idle_fill(var, v);
    int rc = check_mode(group->dataset, att, v->type, v->n);

    if (rc == CEL_OK)
        rc = check_type(group->dataset, v->type, is_fill);
    if (rc == CEL_OK && is_fill)
        rc = check_fill(var, v->type, v->n);
    if (rc == CEL_OK)
        rc = make_value(group->dataset, v, data, memtype, *normal);
    if (rc == CEL_OK && is_fill)
        rc = keep_fill(var, v->data);
    else if (rc == CEL_OK && var && strcmp(*normal, fill_name) == 0)
        drop_fill(var);
    return rc == CEL_OK ? store(atts, att, normal, v) : rc;
}

int cel_att_put(struct cel_group *group, struct cel_var *var, const char *name, const struct cel_type *type, size_t n,
                const void *data, nc_type memtype)
{
    struct value v = {.type = type, .n = n};
    char *normal = NULL;
    int rc;

    assert(atts_of(group, var)->loaded);
    if (n > INT_MAX)
        return cel_fail(NC_EINVAL, "attribute %.80s: %zu values are too many", name ? name : "", n);
    rc = cel_mode_write(group->dataset);
    if (rc == CEL_OK)
        rc = name ? cel_name_check(name, &normal) : cel_fail(NC_EBADNAME, "an attribute needs a name");
    if (rc == NC_EMAXNAME && !cel_is_classic_file(group->dataset))
        rc = cel_fail(NC_EBADNAME, "attribute %.40s...: a name has at most %d bytes", name,
                      NC_MAX_NAME); /* as netCDF-C */
    if (rc == CEL_OK)
        rc = check_put(group->dataset, normal, type, n, data);
    if (rc == CEL_OK)
        rc = put(group, var, &normal, &v, data, memtype);
    dispose(&v);
    free(normal);
    if (rc == CEL_OK && v.misfits)
        rc = cel_fail(NC_ERANGE, "attribute %s: %zu of %zu values do not fit type %s", name, v.misfits, n, type->name);
    return rc;
}

/* --- getting, renaming, deleting -------------------------------------------------- */

int cel_att_get(const struct cel_dataset *ds, const struct cel_att *att, void *data, nc_type memtype)
{
    nc_type own = number_type(att->type);
    cel_convert_fn *fn;
    size_t misfits;

    if (!att->n || !data)
        return CEL_OK;
    if (memtype == NC_NAT || memtype == att->type->id)
        return cel_value_copy(att->type, att->data, att->n, data);
    fn = cel_dataset_converter(ds, own, memtype);
    if (!fn && (own == NC_CHAR || memtype == NC_CHAR))
        return cel_fail(NC_ECHAR, "attribute %s of type %s: text and other types are not converted into each other",
                        att->name, att->type->name);
    if (!fn)
        return cel_fail(NC_EBADTYPE, "attribute %s of type %s cannot be read as another type", att->name,
                        att->type->name);
    misfits = fn(data, att->data, att->n);
    if (misfits)
        return cel_fail(NC_ERANGE, "attribute %s: %zu of %zu values do not fit the type asked for", att->name, misfits,
                        att->n);
    return CEL_OK;
}

static int no_such(const char *name)
{
    return cel_fail(NC_ENOTATT, "there is no attribute %.200s", name ? name : "without a name");
}

static int check_rename(struct cel_dataset *ds, struct cel_atts *atts, const char *name, const char *to)
{
    const struct cel_att *att = name ? cel_att_find(atts, name) : NULL;
    int rc = name ? cel_name_check_sought(ds, name) : CEL_OK;

    if (rc == CEL_OK)
        rc = check_reserved(ds, to);
    if (rc == CEL_OK && cel_names_find(&atts->index, to))
        rc = cel_fail(NC_ENAMEINUSE, "there is an attribute %s already", to);
    if (rc == CEL_OK && !att)
        rc = no_such(name);
    if (rc == CEL_OK && !ds->defining && strlen(to) > strlen(att->name))
        rc = cel_mode_define(ds);
    return rc;
}

int cel_att_rename(struct cel_group *group, struct cel_var *var, const char *name, const char *to)
{
    struct cel_atts *atts = atts_of(group, var);
    struct cel_att *att;
    char *normal = NULL;
    int rc = cel_mode_write(group->dataset);

    assert(atts->loaded);
    if (rc == CEL_OK)
        rc = cel_name_check(to, &normal);
    if (rc != CEL_OK)
        return rc;
    rc = check_rename(group->dataset, atts, name, normal);
    if (rc != CEL_OK) {
        free(normal);
        return rc;
    }
    att = cel_att_find(atts, name);
    rc = cel_named_rename(&(struct cel_named){&atts->index, att, &att->name, &att->saved_name, &att->saved}, normal);
    return rc == CEL_OK ? follow_fill(var) : rc;
}

static size_t position_of(const struct cel_atts *atts, const struct cel_att *att)
{
    size_t i = 0;

    while (atts->list.at[i] != att)
        i++;
    return i;
}

/* The container's name of a saved attribute goes to the list of names to drop. */
static int remember_removed(struct cel_atts *atts, struct cel_att *att)
{
    char **own = att->saved_name ? &att->saved_name : &att->name;
    int rc;

    if (att->saved == CEL_NEW)
        return CEL_OK;
    rc = cel_vec_reserve(&atts->removed, atts->removed.n + 1);
    if (rc != CEL_OK)
        return rc;
    cel_names_remove(&atts->index, att->name);
    atts->removed.at[atts->removed.n++] = *own;
    *own = NULL;
    return CEL_OK;
}

int cel_att_del(struct cel_group *group, struct cel_var *var, const char *name)
{
    struct cel_atts *atts = atts_of(group, var);
    struct cel_att *att;
    int rc = cel_mode_define(group->dataset);

    assert(atts->loaded);
    if (rc != CEL_OK)
        return rc;
    att = name ? cel_att_find(atts, name) : NULL;
    if (!att)
        return no_such(name);
    rc = remember_removed(atts, att);
    if (rc != CEL_OK)
        return rc;
    if (att->name)
        cel_names_remove(&atts->index, att->name);
    cel_vec_remove(&atts->list, position_of(atts, att));
    free_att(att);
    return follow_fill(var);
}

void cel_atts_saved(struct cel_atts *atts)
{
    for (size_t i = 0; i < atts->list.n; i++) {
        struct cel_att *att = atts->list.at[i];
        att->saved = CEL_SAVED;
        free(att->saved_name);
        att->saved_name = NULL;
    }
    for (size_t i = 0; i < atts->removed.n; i++)
        free(atts->removed.at[i]);
    atts->removed.n = 0;
}
