/* SPDX-License-Identifier: BSD-3-Clause */
/* One attribute of an object. netCDF keeps dimensions and their order in attributes of its own: those are read here.
 * Of all others only the type matters, and of that only whether the file names it.
 *
 *   attribute: version(1) flags(1) sizes of name, type, space(2 each) [encoding 1] name type space data;
 *              in version 1 each of the three is padded to 8 bytes
 *   flags: 1 the type, 2 the space is a reference to a shared message
 *   attribute information: version(1) flags(1) [most creation index 2] heap address, address of the index of names ...
 * HDF5 File Format Specification version 3, IV.A.2.m. */
#include "h5_read_int.h"

enum { TYPE_SHARED = 1, SPACE_SHARED = 2 };

static size_t rounded(size_t n, uint64_t version)
{
    return version == 1 ? (n + 7) & ~(size_t)7 : n;
}

static void take_part(struct cel_h5_bytes *b, size_t n, uint64_t version, struct cel_h5_bytes *out)
{
    out->p = cel_h5_take(b, rounded(n, version));
    out->n = n;
    out->ended = false;
}

int cel_h5r_attribute_split(struct cel_h5_bytes b, struct cel_h5r_attribute *out)
{
    uint64_t version = cel_h5_take_number(&b, 1), flags = cel_h5_take_number(&b, 1);
    size_t nname = (size_t)cel_h5_take_number(&b, 2), ntype = (size_t)cel_h5_take_number(&b, 2);
    size_t nspace = (size_t)cel_h5_take_number(&b, 2);

    cel_h5_take_if(&b, version == 3, 1); /* the name's encoding */
    out->name = (const char *)cel_h5_take(&b, rounded(nname, version));
    take_part(&b, ntype, version, &out->type);
    take_part(&b, nspace, version, &out->space);
    out->data.p = b.p;
    out->data.n = b.n;
    out->data.ended = false;
    out->type_shared = version > 1 && (flags & TYPE_SHARED);
    out->space_shared = version > 1 && (flags & SPACE_SHARED);
    if (version < 1 || version > 3)
        return CEL_ASK_LIBHDF5;
    if (!b.ended && (nname == 0 || out->name[nname - 1] != '\0'))
        return cel_h5r_bad_message("message", "its name does not end");
    return cel_h5r_ended(&b, "message");
}

int cel_h5r_attribute_info_read(const struct cel_h5r_reader *r, struct cel_h5_bytes b, struct cel_h5r_dense *out)
{
    uint64_t version = cel_h5_take_number(&b, 1), flags = cel_h5_take_number(&b, 1);

    cel_h5_take_if(&b, flags & 1, 2);
    out->heap = cel_h5r_take_address(r->file, &b);
    out->index = cel_h5r_take_address(r->file, &b);
    return version != 0 ? CEL_ASK_LIBHDF5 : cel_h5r_ended(&b, "list of attributes");
}

/* --- netCDF's own ------------------------------------------------------------------------ */

struct attribute {
    struct cel_h5r_object shape; /* only type and space */
    struct cel_h5_bytes data;
};

/* CEL_ABSENT: a part of it lies elsewhere. */
static int look_at(const struct cel_h5r_reader *r, const struct cel_h5r_attribute *a, struct attribute *out)
{
    int rc;

    *out = (struct attribute){.shape = CEL_H5R_OBJECT_INIT, .data = a->data};
    if (a->type_shared || a->space_shared)
        return CEL_ABSENT;
    rc = cel_h5r_type_read(a->type, &out->shape);
    return rc == CEL_OK ? cel_h5r_space_read(r, a->space, &out->shape) : rc;
}

static bool is_text(const struct attribute *a, const char *text, size_t n)
{
    return a->shape.type_class == CEL_H5R_STRING && a->shape.rank == 0 && a->data.n >= n && a->shape.type_size >= n &&
           memcmp(a->data.p, text, n) == 0;
}

static int read_ints(const struct attribute *a, int *out, int n)
{
    if (a->shape.type_class != CEL_H5R_INTEGER || a->shape.type_size != 4 || a->data.n / 4 < (size_t)n)
        return CEL_ASK_LIBHDF5;
    for (int i = 0; i < n; i++) /* in the order of the machine that wrote the file */
        out[i] = (int)(uint32_t)cel_get_word(a->data.p + 4 * (size_t)i, 4, a->shape.big_endian);
    return CEL_OK;
}

static int read_class(const struct attribute *a, struct cel_h5r_object *o)
{
    o->is_scale = is_text(a, "DIMENSION_SCALE", 15);
    return CEL_OK;
}

static int read_name(const struct attribute *a, struct cel_h5r_object *o)
{
    o->dim_only = is_text(a, CEL_H5R_DIM_ONLY, sizeof CEL_H5R_DIM_ONLY - 1);
    return CEL_OK;
}

static int read_list(const struct attribute *a, struct cel_h5r_object *o)
{
    (void)a;
    o->has_list = true;
    return CEL_OK;
}

static int pass_over(const struct attribute *a, struct cel_h5r_object *o)
{
    (void)a;
    (void)o;
    return CEL_OK;
}

static int read_dimid(const struct attribute *a, struct cel_h5r_object *o)
{
    return read_ints(a, &o->dimid, 1);
}

static int read_coords(const struct attribute *a, struct cel_h5r_object *o)
{
    if (a->shape.rank != 1 || a->shape.dims[0] > CEL_RANK_MAX)
        return CEL_ASK_LIBHDF5;
    o->ncoords = (int)a->shape.dims[0];
    return read_ints(a, o->coords, o->ncoords);
}

static int read_strict(const struct attribute *a, struct cel_h5r_object *o)
{
    (void)a;
    o->strict = true;
    return CEL_OK;
}

static const struct {
    const char *name;
    int (*read)(const struct attribute *a, struct cel_h5r_object *o);
} of_netcdf[] = {{"CLASS", read_class},         {"NAME", read_name},           {"DIMENSION_LIST", read_list},
                 {"REFERENCE_LIST", pass_over}, {"_Netcdf4Dimid", read_dimid}, {"_Netcdf4Coordinates", read_coords},
                 {"_nc3_strict", read_strict}};

/* --- types of all others -------------------------------------------------------------------- */

/* Committed types may have lost their name: the first is remembered, several count as unnamed. */
static void note_committed(struct cel_h5r_object *o, uint64_t addr)
{
    if (!addr || (o->att_addr && o->att_addr != addr))
        o->unnamed_atts = true;
    else
        o->att_addr = addr;
}

/* Is the type one that the file does not name, and netCDF has no name for either? */
static void note_type(const struct cel_h5r_reader *r, const struct cel_h5r_attribute *a, struct cel_h5r_object *o)
{
    if (a->type_shared)
        note_committed(o, cel_h5r_committed_at(r, a->type));
    else if (cel_h5r_is_user_class(cel_h5r_type_class(&a->type)))
        o->unnamed_atts = true;
}

typedef int note_fn(const struct attribute *a, struct cel_h5r_object *o);

static note_fn *find_reader(const char *name)
{
    for (size_t i = 0; i < sizeof of_netcdf / sizeof *of_netcdf; i++)
        if (*name == *of_netcdf[i].name && strcmp(name, of_netcdf[i].name) == 0)
            return of_netcdf[i].read;
    return NULL;
}

int cel_h5r_attribute_note(const struct cel_h5r_reader *r, struct cel_h5_bytes body, struct cel_h5r_object *o)
{
    struct cel_h5r_attribute a;
    struct attribute value;
    note_fn *read;
    int rc = cel_h5r_attribute_split(body, &a);

    if (rc == NC_EHDFERR) { /* it fails alone, when it is read */
        cel_error_clear();
        return CEL_OK;
    }
    if (rc != CEL_OK)
        return rc;
    read = find_reader(a.name);
    if (!read) {
        note_type(r, &a, o);
        return CEL_OK;
    }
    rc = look_at(r, &a, &value);
    return rc == CEL_OK ? read(&value, o) : rc;
}

/* The same of one whose parts are elsewhere: the reader is used. */
static int note_found(struct cel_h5r_reader *r, const struct cel_h5r_attribute_message *m, note_fn *read,
                      struct cel_h5r_object *o)
{
    struct cel_h5r_attribute_value v;
    struct attribute value = {.shape = CEL_H5R_OBJECT_INIT};
    int rc = cel_h5r_attribute_look(r, m, &v);

    if (rc != CEL_OK)
        return rc;
    value.data = v.data;
    value.shape.rank = v.shape == CEL_H5R_SIMPLE;
    value.shape.dims[0] = v.n;
    rc = cel_h5r_type_read((struct cel_h5_bytes){.p = v.type->message, .n = v.type->nmessage}, &value.shape);
    cel_h5r_datatype_free(v.type);
    return rc == CEL_OK ? read(&value, o) : rc;
}

int cel_h5r_attributes_note(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_object *o)
{
    struct cel_h5r_attributes list;
    int rc = cel_h5r_attributes_read(r, addr, &list);

    for (size_t i = 0; rc == CEL_OK && i < list.n; i++) {
        const struct cel_h5r_attribute_message *m = &list.at[i];

        rc = cel_h5r_attribute_note(r, (struct cel_h5_bytes){.p = m->bytes, .n = m->n}, o);
        if (rc == CEL_ABSENT)
            rc = note_found(r, m, find_reader(cel_h5r_attribute_name(m)), o);
    }
    cel_h5r_attributes_dispose(&list);
    return rc;
}
