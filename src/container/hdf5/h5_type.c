/* The model's types and libhdf5's. In memory an element has the layout C gives it
 * (libhdf5's "native type"); in a file, the one of the committed type. Types that
 * a file uses without naming them get names of ours. */
#include "h5_int.h"
#include <stdio.h>
#include <stdlib.h>

/* --- atomic types ------------------------------------------------------------------- */

#define ID(name) &cel_h5_lib.p_##name##_g

/* By nc_type: in memory, and in a file in either byte order. */
static const struct {
    hid_t *const *native, *const *little, *const *big;
} atomic[] = {
    [NC_BYTE] = {ID(H5T_NATIVE_SCHAR), ID(H5T_STD_I8LE), ID(H5T_STD_I8BE)},
    [NC_CHAR] = {ID(H5T_C_S1), ID(H5T_C_S1), ID(H5T_C_S1)},
    [NC_SHORT] = {ID(H5T_NATIVE_SHORT), ID(H5T_STD_I16LE), ID(H5T_STD_I16BE)},
    [NC_INT] = {ID(H5T_NATIVE_INT), ID(H5T_STD_I32LE), ID(H5T_STD_I32BE)},
    [NC_FLOAT] = {ID(H5T_NATIVE_FLOAT), ID(H5T_IEEE_F32LE), ID(H5T_IEEE_F32BE)},
    [NC_DOUBLE] = {ID(H5T_NATIVE_DOUBLE), ID(H5T_IEEE_F64LE), ID(H5T_IEEE_F64BE)},
    [NC_UBYTE] = {ID(H5T_NATIVE_UCHAR), ID(H5T_STD_U8LE), ID(H5T_STD_U8BE)},
    [NC_USHORT] = {ID(H5T_NATIVE_USHORT), ID(H5T_STD_U16LE), ID(H5T_STD_U16BE)},
    [NC_UINT] = {ID(H5T_NATIVE_UINT), ID(H5T_STD_U32LE), ID(H5T_STD_U32BE)},
    [NC_INT64] = {ID(H5T_NATIVE_LLONG), ID(H5T_STD_I64LE), ID(H5T_STD_I64BE)},
    [NC_UINT64] = {ID(H5T_NATIVE_ULLONG), ID(H5T_STD_U64LE), ID(H5T_STD_U64BE)},
};

/* Numbers of other sizes are read as the next larger type, the largest as double. */
static nc_type integer_type(hid_t type)
{
    static const nc_type with_sign[] = {NC_BYTE, NC_SHORT, NC_INT, NC_INT64};
    static const nc_type without[] = {NC_UBYTE, NC_USHORT, NC_UINT, NC_UINT64};
    size_t size = H5Tget_size(type);
    int i = size <= 1 ? 0 : size <= 2 ? 1 : size <= 4 ? 2 : 3;

    if (size > 8)
        return NC_NAT;
    return H5Tget_sign(type) == H5T_SGN_NONE ? without[i] : with_sign[i];
}

static nc_type atomic_of(hid_t type)
{
    size_t size = H5Tget_size(type);

    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return integer_type(type);
    case H5T_FLOAT:
        return size <= 4 ? NC_FLOAT : size <= 16 ? NC_DOUBLE : NC_NAT;
    case H5T_STRING:
        return H5Tis_variable_str(type) > 0 || size != 1 ? NC_STRING : NC_CHAR;
    default:
        return NC_NAT;
    }
}

_Static_assert(CEL_RANK_MAX == H5S_MAX_RANK, "libhdf5 fills arrays of CEL_RANK_MAX");

/* --- user types of a file ------------------------------------------------------------- */

static int load_type(struct cel_h5_file *f, struct cel_type *type);

/* The lengths of an array type, its base in *base (yours to close). */
static int open_array(hid_t type, hid_t *base, int *ndims, int *dims)
{
    hsize_t lens[CEL_RANK_MAX];
    int d;

    *ndims = H5Tget_array_dims2(type, lens);
    *base = H5Tget_super(type);
    for (d = 0; d < *ndims; d++) {
        if (lens[d] > INT32_MAX)
            return CEL_ABSENT;
        dims[d] = (int)lens[d];
    }
    return *ndims < 0 || *base < 0 ? CEL_ABSENT : CEL_OK;
}

/* A field: one value, an array, or text of a fixed length (an array of chars). */
static int field_shape(struct cel_h5_file *f, hid_t member, const struct cel_type **type, int *ndims, int *dims)
{
    hid_t base = -1;
    int rc;

    *ndims = 0;
    if (H5Tget_class(member) == H5T_STRING && H5Tis_variable_str(member) == 0) {
        *type = cel_type_atomic(NC_CHAR);
        *ndims = H5Tget_size(member) > 1;
        dims[0] = (int)H5Tget_size(member);
        return CEL_OK;
    }
    if (H5Tget_class(member) != H5T_ARRAY)
        return cel_h5_type_of(f, member, type);
    rc = open_array(member, &base, ndims, dims);
    if (rc == CEL_OK && H5Tget_class(base) == H5T_STRING && H5Tget_size(base) > 1 && H5Tis_variable_str(base) == 0)
        rc = CEL_ABSENT;
    if (rc == CEL_OK)
        rc = cel_h5_type_of(f, base, type);
    if (base >= 0)
        H5Tclose(base);
    return rc;
}

static int load_field(struct cel_h5_file *f, struct cel_type *type, unsigned i)
{
    struct cel_h5_type *t = type->priv;
    char *name = H5Tget_member_name(t->file, i);
    hid_t member = H5Tget_member_type(t->file, i);
    int at = name ? H5Tget_member_index(t->memory, name) : -1;
    const struct cel_type *field;
    int ndims, dims[CEL_RANK_MAX], rc = CEL_ABSENT;

    if (at >= 0 && member >= 0)
        rc = field_shape(f, member, &field, &ndims, dims);
    if (rc == CEL_OK)
        rc = cel_type_add_field(type, name, H5Tget_member_offset(t->memory, (unsigned)at), field, ndims, dims);
    if (rc == CEL_OK)
        type->varsized |= field->varsized;
    if (member >= 0)
        H5Tclose(member);
    H5free_memory(name);
    return rc;
}

static int load_compound(struct cel_h5_file *f, struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;
    int i, n = H5Tget_nmembers(t->file), rc = CEL_OK;

    for (i = 0; rc == CEL_OK && i < n; i++)
        rc = load_field(f, type, (unsigned)i);
    return rc;
}

static int load_base(struct cel_h5_file *f, struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;
    hid_t base = H5Tget_super(t->file);
    int rc = base < 0 ? CEL_ABSENT : CEL_OK;

    if (rc == CEL_OK && H5Tget_class(base) == H5T_STRING && H5Tis_variable_str(base) == 0 && H5Tget_size(base) > 1)
        rc = CEL_ABSENT;
    if (rc == CEL_OK)
        rc = cel_h5_type_of(f, base, &type->base);
    if (base >= 0)
        H5Tclose(base);
    return rc;
}

static int load_vlen(struct cel_h5_file *f, struct cel_type *type)
{
    type->varsized = true;
    return load_base(f, type);
}

static int load_enum(struct cel_h5_file *f, struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;
    int i, n = H5Tget_nmembers(t->file), rc = load_base(f, type);
    unsigned char value[16] = {0};
    char *name;

    if (rc == CEL_OK && H5Tget_size(t->memory) != type->base->size)
        rc = CEL_ABSENT;
    for (i = 0; rc == CEL_OK && i < n; i++) {
        name = H5Tget_member_name(t->memory, (unsigned)i);
        if (!name || H5Tget_member_value(t->memory, (unsigned)i, value) < 0)
            rc = CEL_ABSENT;
        else
            rc = cel_type_add_member(type, name, value);
        H5free_memory(name);
    }
    return rc;
}

static int load_opaque(struct cel_h5_file *f, struct cel_type *type)
{
    (void)f;
    (void)type;
    return CEL_OK;
}

static const struct kind {
    H5T_class_t klass;
    int model;
    const char *name;
    int (*load)(struct cel_h5_file *f, struct cel_type *type);
} kinds[] = {
    {H5T_COMPOUND, NC_COMPOUND, "Compound", load_compound},
    {H5T_ENUM, NC_ENUM, "Enum", load_enum},
    {H5T_OPAQUE, NC_OPAQUE, "Opaque", load_opaque},
    {H5T_VLEN, NC_VLEN, "Vlen", load_vlen},
};

static const struct kind *find_kind(hid_t type)
{
    H5T_class_t klass = H5Tget_class(type);
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].klass == klass)
            return &kinds[i];
    return NULL;
}

/* A named type netCDF cannot express stays listed, as bytes; variables of it are
 * not readable. */
static int make_opaque(struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;

    type->klass = NC_OPAQUE;
    type->size = H5Tget_size(t->file) ? H5Tget_size(t->file) : 1;
    type->varsized = false;
    type->base = NULL;
    cel_type_drop_parts(type);
    if (t->memory >= 0)
        H5Tclose(t->memory);
    t->memory = -1;
    return CEL_OK;
}

/* A type the file names is listed with the reason; what has another is listed itself. */
static int note_type(struct cel_type *type, int rc)
{
    const struct cel_h5_type *t = type->priv;

    if (rc == CEL_ABSENT)
        rc = cel_fail(NC_EBADTYPE, "it has no counterpart in netCDF and is shown as opaque");
    if (t->addr)
        return cel_h5_note(type->group, rc, "%s", type->name);
    if (rc != NC_ENOMEM)
        cel_error_clear();
    return rc == NC_ENOMEM ? rc : CEL_OK;
}

static int load_type(struct cel_h5_file *f, struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;
    const struct kind *kind = find_kind(t->file);
    int rc = CEL_ABSENT;

    if (type->loaded)
        return CEL_OK;
    type->loaded = true; /* before its parts: a damaged file may make a type part of itself */
    t->memory = H5Tget_native_type(t->file, H5T_DIR_DEFAULT);
    if (kind && t->memory >= 0) {
        type->klass = kind->model;
        type->size = H5Tget_size(t->memory);
        rc = kind->load(f, type);
    }
    if (rc == CEL_OK)
        return CEL_OK;
    rc = note_type(type, rc);
    return rc == CEL_OK ? make_opaque(type) : rc;
}

static struct cel_type *find_type(struct cel_h5_file *f, hid_t file_type)
{
    uint64_t addr = H5Tcommitted(file_type) > 0 ? cel_h5_found_at(f, file_type) : 0;
    const struct cel_vec *types = &f->ds->types;
    struct cel_h5_type *t;
    size_t i;

    for (i = 0; addr && i < types->n; i++) {
        t = types->at[i] ? ((struct cel_type *)types->at[i])->priv : NULL;
        if (t && t->addr == addr)
            return types->at[i];
    }
    for (i = 0; i < types->n; i++) {
        t = types->at[i] ? ((struct cel_type *)types->at[i])->priv : NULL;
        if (t && t->file >= 0 && H5Tequal(t->file, file_type) > 0)
            return types->at[i];
    }
    return NULL;
}

/* The type inside a vlen or an array, or a compound's member; arrays are looked through. */
static int name_part(struct cel_h5_file *f, hid_t part)
{
    const struct cel_type *type;
    hid_t base;
    int rc = part < 0 ? CEL_ABSENT : CEL_OK;

    if (rc == CEL_OK && H5Tget_class(part) == H5T_ARRAY) {
        base = H5Tget_super(part);
        rc = name_part(f, base);
    } else if (rc == CEL_OK) {
        rc = cel_h5_type_of(f, part, &type);
    }
    if (part >= 0)
        H5Tclose(part);
    return rc;
}

/* A type comes after those it is made of, as in CDL. */
static int name_parts(struct cel_h5_file *f, hid_t file_type)
{
    int i, n = H5Tget_class(file_type) == H5T_COMPOUND ? H5Tget_nmembers(file_type) : 0, rc = CEL_OK;

    if (H5Tget_class(file_type) == H5T_VLEN)
        rc = name_part(f, H5Tget_super(file_type));
    for (i = 0; rc >= 0 && i < n; i++)
        rc = name_part(f, H5Tget_member_type(file_type, (unsigned)i));
    return rc == CEL_ABSENT ? CEL_OK : rc; /* found out again when the type itself is read */
}

static int name_type(struct cel_h5_file *f, hid_t file_type, const struct kind *kind, struct cel_type **out)
{
    struct cel_h5_type *t;
    char name[64];
    int rc = name_parts(f, file_type);

    if (rc != CEL_OK)
        return rc;
    snprintf(name, sizeof name, "_Anonymous%s%d", kind->name, ++f->anonymous);
    rc = cel_type_add(f->ds->root, name, kind->model, 0, out);
    if (rc == CEL_OK)
        rc = cel_h5_type_make_priv(*out, &t);
    if (rc != CEL_OK)
        return rc;
    (*out)->loaded = false;
    t->file = H5Tcopy(file_type);
    return load_type(f, *out);
}

static int user_type_of(struct cel_h5_file *f, hid_t file_type, const struct cel_type **out)
{
    const struct kind *kind = find_kind(file_type);
    struct cel_type *type;
    int rc;

    if (!kind)
        return CEL_ABSENT;
    rc = cel_h5_load_types(f->ds);
    if (rc != CEL_OK)
        return rc;
    type = find_type(f, file_type);
    rc = type ? load_type(f, type) : name_type(f, file_type, kind, &type);
    if (rc == CEL_OK && ((struct cel_h5_type *)type->priv)->memory < 0)
        rc = CEL_ABSENT;
    *out = type;
    return rc;
}

int cel_h5_type_of(struct cel_h5_file *f, hid_t file_type, const struct cel_type **out)
{
    nc_type id = atomic_of(file_type);

    if (id == NC_NAT)
        return user_type_of(f, file_type, out);
    *out = cel_type_atomic(id);
    return CEL_OK;
}

/* --- load_types ---------------------------------------------------------------------------- */

static int open_type(struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;

    if (t->file >= 0)
        return CEL_OK;
    t->file = H5Topen2(cel_h5_group_id(type->group), type->name, H5P_DEFAULT);
    return t->file < 0 ? cel_h5_fail(NC_EHDFERR, "type %s cannot be opened", type->name) : CEL_OK;
}

/* What cannot be opened is loaded all the same, as opaque. */
static int open_or_note(struct cel_type *type)
{
    return cel_h5_note(type->group, open_type(type), "%s", type->name);
}

/* NULL: none, or one that the user has defined and the file does not have yet. */
static struct cel_type *type_of_file(const struct cel_h5_file *f, size_t i)
{
    struct cel_type *type = f->ds->types.at[i];

    return type && type->priv ? type : NULL;
}

/* All are opened first: a type finds its parts among them. */
static int load_named(struct cel_h5_file *f)
{
    size_t i, n = f->ds->types.n;
    int rc = CEL_OK;

    f->types_loaded = true;
    for (i = 0; rc == CEL_OK && i < n; i++)
        if (type_of_file(f, i))
            rc = open_or_note(type_of_file(f, i));
    for (i = 0; rc == CEL_OK && i < n; i++)
        if (type_of_file(f, i))
            rc = load_type(f, type_of_file(f, i));
    if (rc != CEL_OK)
        f->types_loaded = false;
    return rc;
}

int cel_h5_load_types(struct cel_dataset *ds)
{
    struct cel_h5_file *f = cel_h5_file(ds);
    struct cel_h5_entry entry;
    int rc;

    if (f->types_loaded)
        return CEL_OK;
    rc = cel_h5_enter_file(ds, &entry);
    if (rc != CEL_OK)
        return rc;
    rc = load_named(f);
    cel_h5_leave(&entry);
    return rc;
}

/* --- new types -------------------------------------------------------------------------------- */

static int insert_field(struct cel_h5_file *f, hid_t compound, const struct cel_field *field)
{
    hsize_t dims[CEL_RANK_MAX];
    hid_t type, array = -1;
    int d, rc = cel_h5_memory_type(f, field->type, &type);

    if (rc != CEL_OK)
        return rc;
    for (d = 0; d < field->ndims; d++)
        dims[d] = (hsize_t)field->dims[d];
    if (field->ndims > 0)
        type = array = H5Tarray_create2(type, (unsigned)field->ndims, dims);
    if (type < 0 || H5Tinsert(compound, field->name, field->offset, type) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "field %s", field->name);
    if (array >= 0)
        H5Tclose(array);
    return rc;
}

static int build_compound(struct cel_h5_file *f, const struct cel_type *type, hid_t *out)
{
    size_t i;
    int rc = CEL_OK;

    *out = H5Tcreate(H5T_COMPOUND, type->size);
    for (i = 0; *out >= 0 && rc == CEL_OK && i < type->nfields; i++)
        rc = insert_field(f, *out, &type->field[i]);
    return rc;
}

static int build_enum(struct cel_h5_file *f, const struct cel_type *type, hid_t *out)
{
    hid_t base = -1;
    size_t i;
    int rc = cel_h5_memory_type(f, type->base, &base);

    if (rc != CEL_OK)
        return rc;
    *out = H5Tenum_create(base);
    for (i = 0; *out >= 0 && rc == CEL_OK && i < type->nmembers; i++)
        if (H5Tenum_insert(*out, type->member[i].name, type->member[i].value) < 0)
            rc = cel_h5_fail(NC_EHDFERR, "member %s", type->member[i].name);
    return rc;
}

static int build_vlen(struct cel_h5_file *f, const struct cel_type *type, hid_t *out)
{
    hid_t base = -1;
    int rc = cel_h5_memory_type(f, type->base, &base);

    if (rc == CEL_OK)
        *out = H5Tvlen_create(base);
    return rc;
}

static int build_opaque(struct cel_h5_file *f, const struct cel_type *type, hid_t *out)
{
    (void)f;
    *out = H5Tcreate(H5T_OPAQUE, type->size);
    return CEL_OK;
}

static int build(struct cel_h5_file *f, const struct cel_type *type, hid_t *out)
{
    static const struct {
        int klass;
        int (*build)(struct cel_h5_file *f, const struct cel_type *type, hid_t *out);
    } builders[] = {
        {NC_COMPOUND, build_compound}, {NC_ENUM, build_enum}, {NC_VLEN, build_vlen}, {NC_OPAQUE, build_opaque}};
    size_t i;
    int rc = CEL_OK;

    *out = -1;
    for (i = 0; i < sizeof builders / sizeof *builders; i++)
        if (builders[i].klass == type->klass)
            rc = builders[i].build(f, type, out);
    if (rc == CEL_OK && *out < 0)
        rc = cel_h5_fail(NC_EHDFERR, "libhdf5 does not accept the type");
    return rc;
}

static int commit(const struct cel_type *type, struct cel_h5_type *t)
{
    hid_t tcpl = H5Pcreate(H5P_DATATYPE_CREATE);
    int rc = CEL_OK;

    H5Pset_obj_track_times(tcpl, 0);
    t->file = H5Tcopy(t->memory);
    if (t->file < 0 ||
        H5Tcommit2(cel_h5_group_id(type->group), type->name, t->file, H5P_DEFAULT, tcpl, H5P_DEFAULT) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "libhdf5 does not accept the type");
    else
        t->addr = cel_h5_addr_of(t->file);
    H5Pclose(tcpl);
    return rc;
}

/* libhdf5 knows the path a committed type was opened or made under. */
static int rename_type(struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;
    char path[4096];
    int rc = type->saved == CEL_CHANGED ? open_type(type) : CEL_OK;

    if (type->saved != CEL_CHANGED || rc != CEL_OK)
        return rc;
    if (H5Iget_name(t->file, path, sizeof path) <= 0 ||
        H5Lmove(cel_h5_file(type->group->dataset)->id, path, cel_h5_group_id(type->group), type->name, H5P_DEFAULT,
                H5P_DEFAULT) < 0)
        return cel_h5_fail(NC_EHDFERR, "type %s cannot be renamed", type->name);
    type->saved = CEL_SAVED;
    return CEL_OK;
}

int cel_h5_save_type(struct cel_type *type)
{
    struct cel_h5_type *t;
    int rc;

    if (type->saved != CEL_NEW)
        return rename_type(type);
    rc = cel_h5_type_make_priv(type, &t);
    if (rc == CEL_OK)
        rc = build(cel_h5_file(type->group->dataset), type, &t->memory);
    if (rc == CEL_OK)
        rc = commit(type, t);
    if (rc != CEL_OK)
        return cel_fail_in(rc, "type %s", type->name);
    type->saved = CEL_SAVED;
    return CEL_OK;
}

/* --- both directions --------------------------------------------------------------------------- */

int cel_h5_memory_type(struct cel_h5_file *f, const struct cel_type *type, hid_t *out)
{
    const struct cel_h5_type *t = type->priv;

    if (type->klass == NC_STRING)
        *out = f->string_type;
    else if (!type->group)
        *out = **atomic[type->klass].native;
    else if (t && t->memory >= 0)
        *out = t->memory;
    else
        return cel_fail(NC_EBADTYPE, "type %s has no form in memory", type->name);
    return CEL_OK;
}

int cel_h5_file_type(struct cel_h5_file *f, const struct cel_type *type, int endian, hid_t *out)
{
    if (type->klass == NC_STRING)
        *out = f->string_type;
    else if (type->group)
        *out = ((const struct cel_h5_type *)type->priv)->file;
    else
        *out = endian == NC_ENDIAN_LITTLE ? **atomic[type->klass].little
               : endian == NC_ENDIAN_BIG  ? **atomic[type->klass].big
                                          : **atomic[type->klass].native;
    return CEL_OK;
}
