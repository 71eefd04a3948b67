/* SPDX-License-Identifier: BSD-3-Clause */
/* Types: atomic ones by their fixed ids, and the four kinds users define. */
#include "api.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

/* --- definition -------------------------------------------------------------------------- */

int nc_def_compound(int ncid, size_t size, const char *name, nc_type *typeidp)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_type_def_compound(c.group, size, name, &type);
    if (rc == CEL_OK)
        cel_output(typeidp, type->id);
    return cel_call_end(&c, rc);
}

int nc_def_enum(int ncid, nc_type base_typeid, const char *name, nc_type *typeidp)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_type_def_enum(c.group, base_typeid, name, &type);
    if (rc == CEL_OK)
        cel_output(typeidp, type->id);
    return cel_call_end(&c, rc);
}

int nc_def_opaque(int ncid, size_t size, const char *name, nc_type *xtypep)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_type_def_opaque(c.group, size, name, &type);
    if (rc == CEL_OK)
        cel_output(xtypep, type->id);
    return cel_call_end(&c, rc);
}

int nc_def_vlen(int ncid, const char *name, nc_type base_typeid, nc_type *xtypep)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_load_types(c.ds);
    if (rc == CEL_OK)
        rc = cel_type_def_vlen(c.group, name, cel_type_by_id(c.ds, base_typeid), &type);
    if (rc == CEL_OK)
        cel_output(xtypep, type->id);
    return cel_call_end(&c, rc);
}

/* --- finding ------------------------------------------------------------------------------ */

static const char *const class_names[] = {
    [NC_VLEN] = "variable-length", [NC_OPAQUE] = "opaque", [NC_ENUM] = "enum", [NC_COMPOUND] = "compound"};

/* A user type, of the class wanted; 0: of any. */
static int call_type(struct cel_call *c, int ncid, nc_type xtype, int klass, struct cel_type **out)
{
    const struct cel_type *type = NULL;
    int rc = cel_call_begin(c, ncid);

    if (rc == CEL_OK)
        rc = cel_dataset_has_types(c->ds);
    if (rc == CEL_OK)
        rc = cel_find_type(c->ds, xtype, &type);
    if (rc != CEL_OK)
        return rc;
    if (!type->group)
        return cel_fail(NC_EBADTYPE, "%s is not a user-defined type", type->name);
    if (klass && type->klass != klass)
        return cel_fail(NC_EBADTYPE, "%s is not of the %s kind", type->name, class_names[klass]);
    *out = (struct cel_type *)type; /* the dataset's own; only the atomic ones are constant */
    return CEL_OK;
}

/* The same for calls that say NC_EBADTYPID of an id that no type has. */
static int call_typeid(struct cel_call *c, int ncid, nc_type xtype, int klass, struct cel_type **out)
{
    int rc = call_type(c, ncid, xtype, klass, out);

    if (rc == NC_EBADTYPE && xtype > NC_STRING && !cel_type_by_id(c->ds, xtype))
        rc = cel_fail(NC_EBADTYPID, "no type has the id %d", xtype);
    return rc;
}

int nc_insert_array_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type field_typeid, int ndims,
                             const int *dim_sizes)
{
    struct cel_call c;
    struct cel_type *type;
    const struct cel_type *field;
    int rc = call_typeid(&c, ncid, xtype, NC_COMPOUND, &type);

    if (rc == CEL_OK)
        rc = cel_find_type(c.ds, field_typeid, &field);
    if (rc == CEL_OK)
        rc = cel_type_insert_field(type, name, offset, field, ndims, dim_sizes);
    return cel_call_end(&c, rc);
}

int nc_insert_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type field_typeid)
{
    return nc_insert_array_compound(ncid, xtype, name, offset, field_typeid, 0, NULL);
}

int nc_insert_enum(int ncid, nc_type xtype, const char *name, const void *value)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = call_typeid(&c, ncid, xtype, NC_ENUM, &type);

    if (rc == CEL_OK)
        rc = cel_type_insert_member(type, name, value);
    return cel_call_end(&c, rc);
}

/* --- inquiry about any type ------------------------------------------------------------------ */

int nc_inq_type(int ncid, nc_type xtype, char *name, size_t *size)
{
    const struct cel_type *atomic = cel_type_atomic(xtype);
    struct cel_type *type;
    struct cel_call c;
    int rc;

    /* Atomic types are known whatever the ncid: old programs rely on it. */
    if (atomic) {
        cel_output_name(name, atomic->name);
        cel_output(size, atomic->size);
        return NC_NOERR;
    }
    rc = call_type(&c, ncid, xtype, 0, &type);
    if (rc == NC_EBADID || rc == NC_ENOTNC4)
        rc = cel_fail(NC_EBADTYPE, "no dataset of id %d has a type of id %d", ncid, xtype);
    if (rc == CEL_OK) {
        cel_output_name(name, type->name);
        cel_output(size, type->size);
    }
    return cel_call_end(&c, rc);
}

/* Which code says that there is no such type: netCDF-C tells paths of several kinds apart. */
static int no_such_type(struct cel_call *c, const char *name)
{
    const char *last = strrchr(name, '/');
    struct cel_group *group;
    char *folder;
    int rc = cel_name_check_sought(c->ds, name);

    if (rc != CEL_OK)
        return rc;
    if (last && (*name != '/' || last == name))
        return cel_fail(NC_EINVAL, "%s: the path of a type begins with '/' and names its group", name);
    if (last) {
        folder = cel_strndup(name, (size_t)(last - name));
        rc = folder ? cel_group_by_path(c->group, folder, &group) : NC_ENOMEM;
        free(folder);
    }
    return rc == CEL_OK ? cel_fail(NC_EBADTYPE, "there is no type %s", name) : rc;
}

static int find_type(struct cel_call *c, const char *name, const struct cel_type **out)
{
    *out = cel_type_find(c->group, name);
    if (cel_is_classic_file(c->ds) && (!*out || (*out)->id == NC_STRING))
        return cel_fail(NC_ENOTNC4, "classic files have no type %s", name);
    return *out ? CEL_OK : no_such_type(c, name);
}

int nc_inq_typeid(int ncid, const char *name, nc_type *typeidp)
{
    struct cel_call c;
    const struct cel_type *type = NULL;
    int rc = cel_call_named(&c, ncid, name);

    if (rc == CEL_OK)
        rc = find_type(&c, name, &type);
    if (rc == CEL_OK)
        cel_output(typeidp, type->id);
    return cel_call_end(&c, rc);
}

int nc_inq_user_type(int ncid, nc_type xtype, char *name, size_t *size, nc_type *base_nc_typep, size_t *nfieldsp,
                     int *classp)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = call_type(&c, ncid, xtype, 0, &type);

    if (rc == CEL_OK) {
        cel_output_name(name, type->name);
        cel_output(size, type->size);
        cel_output(base_nc_typep, type->base ? type->base->id : NC_NAT);
        cel_output(nfieldsp, type->klass == NC_ENUM ? type->nmembers : type->nfields);
        cel_output(classp, type->klass);
    }
    return cel_call_end(&c, rc);
}

static bool is_hdf5(const struct cel_call *c)
{
    return c->ds->ops->formatx == NC_FORMATX_NC_HDF5;
}

/* The second dataset's types are looked at while the first is held but not
 * locked: a type that values or files know does not change any more. */
static int compare(struct cel_call *first, const struct cel_type *a, int ncid2, nc_type typeid2, int *equal)
{
    struct cel_call c;
    struct cel_type *b;
    int rc;

    cel_call_unlock(first);
    rc = call_type(&c, ncid2, typeid2, 0, &b);
    if (rc == CEL_OK && equal && (a->saved == CEL_NEW || b->saved == CEL_NEW) && is_hdf5(&c))
        rc = cel_fail(NC_EHDFERR, "types %s and %s can be compared once both are in their files: call nc_enddef first",
                      a->name, b->name);
    if (rc == CEL_OK)
        cel_output(equal, cel_type_equal(a, b));
    return cel_call_end(&c, rc);
}

int nc_inq_type_equal(int ncid1, nc_type typeid1, int ncid2, nc_type typeid2, int *equal)
{
    struct cel_call c;
    struct cel_type *type;
    int rc;

    cel_error_clear();
    if (typeid1 <= NC_NAT || typeid2 <= NC_NAT)
        return cel_fail(NC_EINVAL, "%d is not a type", typeid1 <= NC_NAT ? typeid1 : typeid2);
    if (cel_type_atomic(typeid1) || cel_type_atomic(typeid2)) {
        cel_output(equal, typeid1 == typeid2);
        return NC_NOERR;
    }
    rc = call_type(&c, ncid1, typeid1, 0, &type);
    if (rc == NC_ENOTNC4) { /* a classic file's user types are equal to none */
        cel_error_clear();
        cel_output(equal, 0);
        return cel_call_end(&c, CEL_OK);
    }
    if (rc == CEL_OK)
        rc = compare(&c, type, ncid2, typeid2, equal);
    return cel_call_end(&c, rc);
}

/* --- compounds ------------------------------------------------------------------------------- */

int nc_inq_compound(int ncid, nc_type xtype, char *name, size_t *sizep, size_t *nfieldsp)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = call_type(&c, ncid, xtype, NC_COMPOUND, &type);

    if (rc == CEL_OK) {
        cel_output_name(name, type->name);
        cel_output(sizep, type->size);
        cel_output(nfieldsp, type->nfields);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_compound_name(int ncid, nc_type xtype, char *name)
{
    return nc_inq_compound(ncid, xtype, name, NULL, NULL);
}

int nc_inq_compound_size(int ncid, nc_type xtype, size_t *sizep)
{
    return nc_inq_compound(ncid, xtype, NULL, sizep, NULL);
}

int nc_inq_compound_nfields(int ncid, nc_type xtype, size_t *nfieldsp)
{
    return nc_inq_compound(ncid, xtype, NULL, NULL, nfieldsp);
}

int nc_inq_compound_field(int ncid, nc_type xtype, int fieldid, char *name, size_t *offsetp, nc_type *field_typeidp,
                          int *ndimsp, int *dim_sizesp)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = call_type(&c, ncid, xtype, NC_COMPOUND, &type);

    if (rc == CEL_OK && (fieldid < 0 || (size_t)fieldid >= type->nfields))
        rc = cel_fail(NC_EBADFIELD, "type %s has no field number %d", type->name, fieldid);
    if (rc == CEL_OK) {
        const struct cel_field *field = &type->field[fieldid];

        cel_output_name(name, field->name);
        cel_output(offsetp, field->offset);
        cel_output(field_typeidp, field->type->id);
        cel_output(ndimsp, field->ndims);
        if (dim_sizesp && field->ndims)
            memcpy(dim_sizesp, field->dims, (size_t)field->ndims * sizeof *dim_sizesp);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_compound_fieldname(int ncid, nc_type xtype, int fieldid, char *name)
{
    return nc_inq_compound_field(ncid, xtype, fieldid, name, NULL, NULL, NULL, NULL);
}

int nc_inq_compound_fieldoffset(int ncid, nc_type xtype, int fieldid, size_t *offsetp)
{
    return nc_inq_compound_field(ncid, xtype, fieldid, NULL, offsetp, NULL, NULL, NULL);
}

int nc_inq_compound_fieldtype(int ncid, nc_type xtype, int fieldid, nc_type *field_typeidp)
{
    return nc_inq_compound_field(ncid, xtype, fieldid, NULL, NULL, field_typeidp, NULL, NULL);
}

int nc_inq_compound_fieldndims(int ncid, nc_type xtype, int fieldid, int *ndimsp)
{
    return nc_inq_compound_field(ncid, xtype, fieldid, NULL, NULL, NULL, ndimsp, NULL);
}

int nc_inq_compound_fielddim_sizes(int ncid, nc_type xtype, int fieldid, int *dim_sizes)
{
    return nc_inq_compound_field(ncid, xtype, fieldid, NULL, NULL, NULL, NULL, dim_sizes);
}

int nc_inq_compound_fieldindex(int ncid, nc_type xtype, const char *name, int *fieldidp)
{
    struct cel_call c;
    struct cel_type *type;
    char *normal = NULL;
    size_t at = 0;
    int rc = call_typeid(&c, ncid, xtype, NC_COMPOUND, &type);

    if (rc == CEL_OK)
        rc = name ? cel_name_normal(name, &normal) : cel_fail(NC_EINVAL, "no name was given");
    if (rc == CEL_OK) {
        while (at < type->nfields && strcmp(type->field[at].name, normal) != 0)
            at++;
        if (at == type->nfields)
            rc = cel_fail(NC_EBADFIELD, "type %s has no field %s", type->name, normal);
    }
    if (rc == CEL_OK)
        cel_output(fieldidp, (int)at);
    free(normal);
    return cel_call_end(&c, rc);
}

/* --- enums, opaque and variable-length types ---------------------------------------------------- */

int nc_inq_enum(int ncid, nc_type xtype, char *name, nc_type *base_nc_typep, size_t *base_sizep, size_t *num_membersp)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = call_type(&c, ncid, xtype, NC_ENUM, &type);

    if (rc == CEL_OK) {
        cel_output_name(name, type->name);
        cel_output(base_nc_typep, type->base->id);
        cel_output(base_sizep, type->base->size);
        cel_output(num_membersp, type->nmembers);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_enum_member(int ncid, nc_type xtype, int idx, char *name, void *value)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = call_type(&c, ncid, xtype, NC_ENUM, &type);

    if (rc == CEL_OK && (idx < 0 || (size_t)idx >= type->nmembers))
        rc = cel_fail(NC_EINVAL, "enum %s has no member number %d", type->name, idx);
    if (rc == CEL_OK) {
        cel_output_name(name, type->member[idx].name);
        if (value)
            memcpy(value, type->member[idx].value, type->size);
    }
    return cel_call_end(&c, rc);
}

/* A member's value as the widest integer; UINT64 keeps its bits. */
static long long wide_value(const struct cel_type *type, const struct cel_member *member)
{
    nc_type base = type->base->id == NC_CHAR ? NC_UBYTE : type->base->id;
    long long v;

    if (base == NC_UINT64)
        memcpy(&v, member->value, sizeof v);
    else
        cel_converter(base, NC_INT64)(&v, member->value, 1);
    return v;
}

/* Zero is what unwritten values read as: without a member of its own it has a name too. */
int nc_inq_enum_ident(int ncid, nc_type xtype, long long value, char *identifier)
{
    struct cel_call c;
    struct cel_type *type;
    size_t at = 0;
    int rc = call_type(&c, ncid, xtype, NC_ENUM, &type);

    if (rc == CEL_OK) {
        while (at < type->nmembers && wide_value(type, &type->member[at]) != value)
            at++;
        if (at < type->nmembers)
            cel_output_name(identifier, type->member[at].name);
        else if (value == 0)
            cel_output_name(identifier, NC_UNDEFINED_ENUM_IDENT);
        else
            rc = cel_fail(NC_EINVAL, "enum %s has no member with the value %lld", type->name, value);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_opaque(int ncid, nc_type xtype, char *name, size_t *sizep)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = call_type(&c, ncid, xtype, NC_OPAQUE, &type);

    if (rc == CEL_OK) {
        cel_output_name(name, type->name);
        cel_output(sizep, type->size);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_vlen(int ncid, nc_type xtype, char *name, size_t *datum_sizep, nc_type *base_nc_typep)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = call_type(&c, ncid, xtype, NC_VLEN, &type);

    if (rc == CEL_OK) {
        cel_output_name(name, type->name);
        cel_output(datum_sizep, type->size);
        cel_output(base_nc_typep, type->base->id);
    }
    return cel_call_end(&c, rc);
}

int nc_put_vlen_element(int ncid, int typeid1, void *vlen_element, size_t len, const void *data)
{
    struct cel_call c;
    struct cel_type *type;
    int rc = call_type(&c, ncid, typeid1, NC_VLEN, &type);

    if (rc == CEL_OK && !vlen_element)
        rc = cel_fail(NC_EINVAL, "there is no element to set");
    if (rc == CEL_OK)
        *(nc_vlen_t *)vlen_element = (nc_vlen_t){.len = len, .p = (void *)data};
    return cel_call_end(&c, rc);
}

int nc_get_vlen_element(int ncid, int typeid1, const void *vlen_element, size_t *len, void *data)
{
    struct cel_call c;
    struct cel_type *type;
    const nc_vlen_t *vlen = vlen_element;
    int rc = call_type(&c, ncid, typeid1, NC_VLEN, &type);

    if (rc == CEL_OK && !vlen)
        rc = cel_fail(NC_EINVAL, "there is no element to look at");
    if (rc == CEL_OK) {
        cel_output(len, vlen->len);
        if (data && vlen->len)
            memcpy(data, vlen->p, vlen->len * type->base->size);
    }
    return cel_call_end(&c, rc);
}

/* --- formats of the user's own: never in this library ------------------------------------------- */

int nc_def_user_format(int mode_flag, NC_Dispatch *dispatch_table, char *magic_number)
{
    (void)mode_flag, (void)dispatch_table, (void)magic_number;
    return cel_fail(NC_ENOTBUILT, "user-defined formats are dispatch tables of netCDF-C, which Cellar does not have");
}

int nc_inq_user_format(int mode_flag, NC_Dispatch **dispatch_table, char *magic_number)
{
    (void)mode_flag, (void)dispatch_table, (void)magic_number;
    return cel_fail(NC_ENOTBUILT, "user-defined formats are dispatch tables of netCDF-C, which Cellar does not have");
}
