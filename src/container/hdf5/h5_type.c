/* SPDX-License-Identifier: BSD-3-Clause */
/* The model's types and the file's. What netCDF makes of a file's type is decided here from its form (h5_datatype.h),
 * which comes from the file itself or, where libhdf5 has it open, from libhdf5; libhdf5's own ids are made when it is to
 * move values. In memory an element has the layout C gives it (libhdf5's "native type"); in a file, the one of the
 * committed type. Types that a file uses without naming them get names of ours. */
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

hid_t cel_h5_native_number(nc_type type)
{
    return **atomic[type].native;
}

_Static_assert(CEL_RANK_MAX == H5S_MAX_RANK, "libhdf5 fills arrays of CEL_RANK_MAX");

/* Numbers of other sizes are read as the next larger type, the largest as double. */
static nc_type integer_type(const struct cel_h5r_datatype *t)
{
    static const nc_type with_sign[] = {NC_BYTE, NC_SHORT, NC_INT, NC_INT64};
    static const nc_type without[] = {NC_UBYTE, NC_USHORT, NC_UINT, NC_UINT64};
    int i = t->size <= 1 ? 0 : t->size <= 2 ? 1 : t->size <= 4 ? 2 : 3;

    if (t->size > 8)
        return NC_NAT;
    return t->is_signed ? with_sign[i] : without[i];
}

static nc_type atomic_of(const struct cel_h5r_datatype *t)
{
    switch (t->klass) {
    case CEL_H5R_INTEGER:
        return integer_type(t);
    case CEL_H5R_FLOAT:
        return t->size <= 4 ? NC_FLOAT : t->size <= 16 ? NC_DOUBLE : NC_NAT;
    case CEL_H5R_STRING:
        return t->varies || t->size != 1 ? NC_STRING : NC_CHAR;
    default:
        return NC_NAT;
    }
}

/* --- how elements lie in memory ------------------------------------------------------- */

/* C's alignment inside a struct. */
static size_t alignment_of(const struct cel_type *type)
{
    static const size_t atomic_alignment[] = {
        [NC_BYTE] = 1,
        [NC_CHAR] = 1,
        [NC_SHORT] = _Alignof(short),
        [NC_INT] = _Alignof(int),
        [NC_FLOAT] = _Alignof(float),
        [NC_DOUBLE] = _Alignof(struct { double v; }),
        [NC_UBYTE] = 1,
        [NC_USHORT] = _Alignof(short),
        [NC_UINT] = _Alignof(int),
        [NC_INT64] = _Alignof(struct { long long v; }),
        [NC_UINT64] = _Alignof(struct { long long v; }),
        [NC_STRING] = _Alignof(char *),
    };
    size_t most = 1;

    if (!type->group)
        return atomic_alignment[type->klass];
    if (type->klass == NC_ENUM)
        return alignment_of(type->base);
    if (type->klass == NC_VLEN)
        return _Alignof(nc_vlen_t);
    for (size_t i = 0; i < type->nfields; i++)
        if (alignment_of(type->field[i].type) > most)
            most = alignment_of(type->field[i].type);
    return most;
}

static bool align(size_t *at, size_t to)
{
    return cel_add(*at, to - 1, at) && (*at = *at / to * to, true);
}

/* --- user types of a file ------------------------------------------------------------- */

static int load_type(struct cel_h5_file *f, struct cel_type *type);

/* The lengths of an array type. */
static int array_shape(const struct cel_h5r_datatype *array, int *ndims, int *dims)
{
    *ndims = array->ndims;
    for (int d = 0; d < array->ndims; d++) {
        if (array->dims[d] > INT32_MAX)
            return CEL_ABSENT;
        dims[d] = (int)array->dims[d];
    }
    return CEL_OK;
}

/* A field: one value, an array, or text of a fixed length (an array of chars). */
static int field_shape(struct cel_h5_file *f, const struct cel_h5r_datatype *member, const struct cel_type **type,
                       int *ndims, int *dims)
{
    int rc;

    *ndims = 0;
    if (cel_h5r_is_fixed_text(member)) {
        *type = cel_type_atomic(NC_CHAR);
        *ndims = member->size > 1;
        dims[0] = (int)member->size;
        return member->size > INT32_MAX ? CEL_ABSENT : CEL_OK;
    }
    if (member->klass != CEL_H5R_ARRAY)
        return cel_h5_type_of(f, member, 0, type);
    rc = array_shape(member, ndims, dims);
    if (rc == CEL_OK && cel_h5r_is_long_text(member->base))
        rc = CEL_ABSENT;
    return rc == CEL_OK ? cel_h5_type_of(f, member->base, 0, type) : rc;
}

/* Fields follow each other as in a C struct; *end is where the last one ended. */
static int load_field(struct cel_h5_file *f, struct cel_type *type, const struct cel_h5r_part *part, size_t *end)
{
    const struct cel_type *field;
    int ndims, dims[CEL_RANK_MAX], rc = field_shape(f, part->type, &field, &ndims, dims);
    size_t nbytes = rc == CEL_OK ? field->size : 0;

    for (int d = 0; rc == CEL_OK && d < ndims; d++)
        if (!cel_mul(nbytes, (size_t)dims[d], &nbytes))
            rc = CEL_ABSENT;
    if (rc == CEL_OK && (!align(end, alignment_of(field)) || !cel_add(*end, nbytes, &type->size)))
        rc = CEL_ABSENT;
    if (rc == CEL_OK)
        rc = cel_type_add_field(type, part->name, *end, field, ndims, dims);
    *end = type->size;
    return rc;
}

static int load_compound(struct cel_h5_file *f, struct cel_type *type)
{
    const struct cel_h5r_datatype *t = ((struct cel_h5_type *)type->priv)->form;
    size_t end = 0;
    int rc = t->nparts ? CEL_OK : CEL_ABSENT;

    for (size_t i = 0; rc == CEL_OK && i < t->nparts; i++)
        rc = load_field(f, type, &t->part[i], &end);
    return rc == CEL_OK && !align(&type->size, alignment_of(type)) ? CEL_ABSENT : rc;
}

static int load_base(struct cel_h5_file *f, struct cel_type *type)
{
    const struct cel_h5r_datatype *base = ((struct cel_h5_type *)type->priv)->form->base;

    return cel_h5r_is_long_text(base) ? CEL_ABSENT : cel_h5_type_of(f, base, 0, &type->base);
}

static int load_vlen(struct cel_h5_file *f, struct cel_type *type)
{
    type->varsized = true;
    type->size = sizeof(nc_vlen_t);
    return load_base(f, type);
}

static int load_member(struct cel_type *type, const struct cel_h5r_datatype *t, const struct cel_h5r_part *part)
{
    unsigned char value[16] = {0};
    struct cel_h5_bytes bytes = {.p = part->value, .n = t->size};
    int rc = cel_h5r_values_read(NULL, t->base, type->base, bytes, 1, NULL, value);

    return rc == CEL_OK ? cel_type_add_member(type, part->name, value) : CEL_ABSENT;
}

static int load_enum(struct cel_h5_file *f, struct cel_type *type)
{
    const struct cel_h5r_datatype *t = ((struct cel_h5_type *)type->priv)->form;
    int rc = load_base(f, type);

    if (rc == CEL_OK)
        type->size = type->base->size;
    for (size_t i = 0; rc == CEL_OK && i < t->nparts; i++)
        rc = load_member(type, t, &t->part[i]);
    return rc;
}

static int load_opaque(struct cel_h5_file *f, struct cel_type *type)
{
    (void)f;
    type->size = ((struct cel_h5_type *)type->priv)->form->size;
    return CEL_OK;
}

static const struct kind {
    int klass;
    int model;
    const char *name;
    int (*load)(struct cel_h5_file *f, struct cel_type *type);
} kinds[] = {
    {CEL_H5R_COMPOUND, NC_COMPOUND, "Compound", load_compound},
    {CEL_H5R_ENUM, NC_ENUM, "Enum", load_enum},
    {CEL_H5R_OPAQUE, NC_OPAQUE, "Opaque", load_opaque},
    {CEL_H5R_VLEN, NC_VLEN, "Vlen", load_vlen},
};

static const struct kind *find_kind(const struct cel_h5r_datatype *t)
{
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].klass == t->klass)
            return &kinds[i];
    return NULL;
}

/* A named type netCDF cannot express stays listed, as bytes; variables of it are
 * not readable. */
static int make_opaque(struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;

    type->klass = NC_OPAQUE;
    type->size = t->form ? t->form->size : 1;
    type->varsized = false;
    type->base = NULL;
    cel_type_drop_parts(type);
    t->foreign = true;
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
    const struct kind *kind = t->form ? find_kind(t->form) : NULL;
    int rc = CEL_ABSENT;

    if (type->loaded)
        return CEL_OK;
    type->loaded = true; /* before its parts: a damaged file may make a type part of itself */
    if (kind) {
        type->klass = kind->model;
        rc = kind->load(f, type);
    }
    if (rc == CEL_OK)
        return CEL_OK;
    rc = note_type(type, rc);
    return rc == CEL_OK ? make_opaque(type) : rc;
}

/* Types made in this session have the form that libhdf5 gave them. */
static const struct cel_h5r_datatype *form_of(const struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;

    if (t && !t->form && t->file >= 0 && cel_h5_form_of_id(t->file, &t->form) != CEL_OK)
        cel_error_clear();
    return t ? t->form : NULL;
}

static struct cel_type *find_type(struct cel_h5_file *f, const struct cel_h5r_datatype *form, uint64_t addr)
{
    const struct cel_vec *types = &f->ds->types;
    size_t i;

    for (i = 0; addr && i < types->n; i++) {
        const struct cel_h5_type *t = types->at[i] ? ((struct cel_type *)types->at[i])->priv : NULL;

        if (t && t->addr == addr)
            return types->at[i];
    }
    for (i = 0; i < types->n; i++) {
        const struct cel_h5r_datatype *t = types->at[i] ? form_of(types->at[i]) : NULL;

        if (t && cel_h5r_datatype_equal(t, form))
            return types->at[i];
    }
    return NULL;
}

/* The type inside a vlen or an array, or a compound's member; arrays are looked through. */
static int name_part(struct cel_h5_file *f, const struct cel_h5r_datatype *part)
{
    const struct cel_type *type;

    while (part->klass == CEL_H5R_ARRAY)
        part = part->base;
    return cel_h5_type_of(f, part, 0, &type);
}

/* A type comes after those it is made of, as in CDL. */
static int name_parts(struct cel_h5_file *f, const struct cel_h5r_datatype *t)
{
    size_t n = t->klass == CEL_H5R_COMPOUND ? t->nparts : 0;
    int rc = t->klass == CEL_H5R_VLEN ? name_part(f, t->base) : CEL_OK;

    for (size_t i = 0; rc >= 0 && i < n; i++)
        rc = name_part(f, t->part[i].type);
    return rc == CEL_ABSENT ? CEL_OK : rc; /* found out again when the type itself is read */
}

static int name_type(struct cel_h5_file *f, const struct cel_h5r_datatype *form, const struct kind *kind,
                     struct cel_type **out)
{
    struct cel_h5_type *t;
    char name[64];
    int rc = name_parts(f, form);

    if (rc != CEL_OK)
        return rc;
    snprintf(name, sizeof name, "_Anonymous%s%d", kind->name, ++f->anonymous);
    rc = cel_type_add(f->ds->root, name, kind->model, 0, out);
    if (rc == CEL_OK)
        rc = cel_h5_type_make_priv(*out, &t);
    if (rc != CEL_OK)
        return rc;
    (*out)->loaded = false;
    rc = cel_h5r_datatype_decode(form->message, form->nmessage, &t->form);
    return rc == CEL_OK ? load_type(f, *out) : rc;
}

static int user_type_of(struct cel_h5_file *f, const struct cel_h5r_datatype *form, uint64_t addr,
                        const struct cel_type **out)
{
    const struct kind *kind = find_kind(form);
    struct cel_type *type;
    int rc;

    if (!kind)
        return CEL_ABSENT;
    rc = cel_h5_load_types(f->ds);
    if (rc != CEL_OK)
        return rc;
    type = find_type(f, form, addr);
    rc = type ? load_type(f, type) : name_type(f, form, kind, &type);
    if (rc == CEL_OK && ((struct cel_h5_type *)type->priv)->foreign)
        rc = CEL_ABSENT;
    *out = type;
    return rc;
}

int cel_h5_type_of(struct cel_h5_file *f, const struct cel_h5r_datatype *form, uint64_t addr,
                   const struct cel_type **out)
{
    nc_type id = atomic_of(form);

    if (id == NC_NAT)
        return user_type_of(f, form, addr, out);
    *out = cel_type_atomic(id);
    return CEL_OK;
}

/* --- libhdf5's types --------------------------------------------------------------------- */

enum { ENCODED_HEAD = 2 }; /* what libhdf5 writes before the message */

int cel_h5_form_of_id(hid_t id, struct cel_h5r_datatype **out)
{
    size_t n = 0;
    unsigned char *bytes;
    int rc = H5Tencode(id, NULL, &n) < 0 || n <= ENCODED_HEAD ? NC_EHDFERR : CEL_OK;

    bytes = rc == CEL_OK ? cel_malloc(n) : NULL;
    if (rc == CEL_OK && !bytes)
        return NC_ENOMEM;
    if (rc == CEL_OK && H5Tencode(id, bytes, &n) < 0)
        rc = NC_EHDFERR;
    rc = rc == CEL_OK ? cel_h5r_datatype_decode(bytes + ENCODED_HEAD, n - ENCODED_HEAD, out)
                      : cel_h5_fail(rc, "the type cannot be read");
    free(bytes);
    return rc == CEL_ASK_LIBHDF5 ? cel_fail(NC_EBADTYPE, "the type is of an unknown kind") : rc;
}

int cel_h5_type_of_id(struct cel_h5_file *f, hid_t file_type, const struct cel_type **out)
{
    uint64_t addr = H5Tcommitted(file_type) > 0 ? cel_h5_found_at(f, file_type) : 0;
    struct cel_h5r_datatype *form = NULL;
    int rc = cel_h5_form_of_id(file_type, &form);

    if (rc == CEL_OK)
        rc = cel_h5_type_of(f, form, addr, out);
    cel_h5r_datatype_free(form);
    return rc;
}

static int open_type(struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;

    if (t->file >= 0)
        return CEL_OK;
    t->file = H5Topen2(cel_h5_group_id(type->group), type->name, H5P_DEFAULT);
    return t->file < 0 ? cel_h5_fail(NC_EHDFERR, "type %s cannot be opened", type->name) : CEL_OK;
}

static int decode_type(struct cel_h5_type *t)
{
    static const unsigned char head[ENCODED_HEAD] = {3, 0};
    unsigned char *bytes = cel_malloc(ENCODED_HEAD + t->form->nmessage);

    if (!bytes)
        return NC_ENOMEM;
    memcpy(bytes, head, ENCODED_HEAD);
    memcpy(bytes + ENCODED_HEAD, t->form->message, t->form->nmessage);
    t->file = H5Tdecode(bytes);
    free(bytes);
    return t->file < 0 ? cel_h5_fail(NC_EBADTYPE, "libhdf5 does not know the type") : CEL_OK;
}

/* libhdf5 is asked for the layout of C, as ours is; where they differ it would move bytes to other places. */
static bool is_same_layout(const struct cel_type *type, hid_t memory)
{
    if (H5Tget_size(memory) != type->size)
        return false;
    for (size_t i = 0; i < type->nfields; i++) {
        int at = H5Tget_member_index(memory, type->field[i].name);

        if (at < 0 || H5Tget_member_offset(memory, (unsigned)at) != type->field[i].offset)
            return false;
    }
    return true;
}

/* The two of a type that libhdf5 has not been asked about yet. */
static int make_ids(const struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;
    int rc = t->file >= 0 ? CEL_OK : t->addr ? open_type((struct cel_type *)type) : decode_type(t);

    if (rc != CEL_OK)
        return rc;
    t->memory = cel_h5_native_type(t->file, type);
    if (t->memory >= 0 && is_same_layout(type, t->memory))
        return CEL_OK;
    if (t->memory >= 0)
        H5Tclose(t->memory);
    t->memory = -1;
    return cel_fail(NC_EBADTYPE, "type %s has no form in memory", type->name);
}

/* --- load_types ---------------------------------------------------------------------------- */

static int ask_form(struct cel_dataset *ds, struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_file(ds, &entry);

    if (rc != CEL_OK)
        return rc;
    rc = open_type(type);
    if (rc == CEL_OK)
        rc = cel_h5_form_of_id(t->file, &t->form);
    cel_h5_leave(&entry);
    return rc;
}

static int find_form(struct cel_h5_file *f, struct cel_type *type)
{
    struct cel_h5_type *t = type->priv;
    struct cel_h5r_reader *reader = NULL;
    uint64_t addr = t->addr;
    int rc = cel_h5_reader(f, &addr, &reader);

    if (t->form || !t->addr)
        return CEL_OK;
    if (rc == CEL_OK)
        rc = cel_h5r_object_datatype(reader, addr, &t->form);
    return rc == CEL_ASK_LIBHDF5 ? ask_form(f->ds, type) : rc;
}

/* What cannot be read is loaded all the same, as opaque. */
static int find_or_note(struct cel_h5_file *f, struct cel_type *type)
{
    return cel_h5_note(type->group, find_form(f, type), "%s", type->name);
}

/* NULL: none, or one that the user has defined and the file does not have yet. */
static struct cel_type *type_of_file(const struct cel_h5_file *f, size_t i)
{
    struct cel_type *type = f->ds->types.at[i];

    return type && type->priv ? type : NULL;
}

/* All are known first: a type finds its parts among them. */
static int load_named(struct cel_h5_file *f)
{
    size_t i, n = f->ds->types.n;
    int rc = CEL_OK;

    f->types_loaded = true;
    for (i = 0; rc == CEL_OK && i < n; i++)
        if (type_of_file(f, i))
            rc = find_or_note(f, type_of_file(f, i));
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

    return f->types_loaded ? CEL_OK : load_named(f);
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
    int rc = CEL_OK;

    if (type->klass == NC_STRING) {
        *out = f->string_type;
    } else if (!type->group) {
        *out = **atomic[type->klass].native;
    } else if (!t || t->foreign) {
        return cel_fail(NC_EBADTYPE, "type %s has no form in memory", type->name);
    } else {
        rc = t->memory < 0 ? make_ids(type) : CEL_OK;
        *out = t->memory;
    }
    return rc;
}

int cel_h5_file_type(struct cel_h5_file *f, const struct cel_type *type, int endian, hid_t *out)
{
    const struct cel_h5_type *t = type->priv;
    int rc = CEL_OK;

    if (type->klass == NC_STRING) {
        *out = f->string_type;
    } else if (type->group) {
        rc = t->file < 0 ? make_ids(type) : CEL_OK;
        *out = t->file;
    } else {
        *out = endian == NC_ENDIAN_LITTLE ? **atomic[type->klass].little
               : endian == NC_ENDIAN_BIG  ? **atomic[type->klass].big
                                          : **atomic[type->klass].native;
    }
    return rc;
}
