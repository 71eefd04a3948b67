/* Attributes. Text is one fixed-length string, numbers and strings are lists, an
 * empty attribute has no space at all; so netCDF-C writes them. Attributes that
 * hold the structure of a netCDF-4 file are not listed. */
#include "h5_int.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const hidden[] = {"CLASS",          "NAME",          "DIMENSION_LIST",
                                     "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates",
                                     "_nc3_strict",    "_NCProperties"};

static bool is_hidden(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (strcmp(hidden[i], name) == 0)
            return true;
    return false;
}

/* --- reading --------------------------------------------------------------------------- */

struct reading {
    struct cel_h5_file *f;
    struct cel_group *group;
    struct cel_var *var; /* NULL: the group's */
    struct cel_atts *atts;
    int rc;
};

/* What is known of an attribute before its values are read. */
struct value {
    hid_t att, file_type, space;
    const struct cel_type *type;
    size_t n;
    size_t width;  /* text: bytes of one fixed-length string; else 0 */
    bool one_text; /* a single fixed-length string: netCDF's text attribute */
    void *data;
};

static void close_value(struct value *v)
{
    if (v->space >= 0)
        H5Sclose(v->space);
    if (v->file_type >= 0)
        H5Tclose(v->file_type);
    if (v->att >= 0)
        H5Aclose(v->att);
}

static int look_at(struct reading *r, struct value *v)
{
    H5S_class_t shape;
    hssize_t n;
    bool text;

    v->file_type = H5Aget_type(v->att);
    v->space = H5Aget_space(v->att);
    shape = v->space < 0 ? H5S_NO_CLASS : H5Sget_simple_extent_type(v->space);
    if (v->file_type < 0 || shape == H5S_NO_CLASS)
        return cel_h5_fail(NC_EHDFERR, "type or shape cannot be read");
    n = shape == H5S_NULL ? 0 : H5Sget_simple_extent_npoints(v->space);
    if (n < 0)
        return cel_h5_fail(NC_EHDFERR, "shape cannot be read");
    v->n = (size_t)n;
    text = H5Tget_class(v->file_type) == H5T_STRING && H5Tis_variable_str(v->file_type) == 0;
    v->width = text ? H5Tget_size(v->file_type) : 0;
    v->one_text = text && shape != H5S_SIMPLE;
    if (v->one_text) {
        v->type = cel_type_atomic(NC_CHAR);
        v->n = v->n ? v->width : 0;
        return CEL_OK;
    }
    if (text) {
        v->type = cel_type_atomic(v->width == 1 ? NC_CHAR : NC_STRING);
        return CEL_OK;
    }
    return cel_h5_type_of(r->f, v->file_type, &v->type);
}

/* Fixed-length strings of a list, each on its own. */
static int split_texts(struct value *v, const char *texts)
{
    char **out = v->data;
    size_t i;

    for (i = 0; i < v->n; i++) {
        out[i] = cel_strndup(texts + i * v->width, strnlen(texts + i * v->width, v->width));
        if (!out[i])
            return NC_ENOMEM;
    }
    return CEL_OK;
}

static int read_texts(struct value *v)
{
    char *texts = cel_malloc_array(v->n, v->width);
    int rc = texts ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK && H5Aread(v->att, v->file_type, texts) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "values cannot be read");
    if (rc == CEL_OK)
        rc = split_texts(v, texts);
    free(texts);
    return rc;
}

static int read_values(struct reading *r, struct value *v)
{
    hid_t memory = v->file_type; /* strings: libhdf5 does not convert between encodings */
    int rc = CEL_OK;

    v->data = cel_calloc(v->n, v->type->size);
    if (!v->data)
        return NC_ENOMEM;
    if (v->n == 0)
        return CEL_OK;
    if (v->width && v->type->klass == NC_STRING)
        return read_texts(v);
    if (H5Tget_class(v->file_type) != H5T_STRING)
        rc = cel_h5_memory_type(r->f, v->type, &memory);
    if (rc == CEL_OK && H5Aread(v->att, memory, v->data) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "values cannot be read");
    return rc;
}

static int read_att(struct reading *r, hid_t object, const char *name)
{
    struct value v = {.file_type = -1, .space = -1, .att = H5Aopen(object, name, H5P_DEFAULT)};
    int rc = v.att < 0 ? cel_h5_fail(NC_EHDFERR, "it cannot be opened") : look_at(r, &v);

    if (rc == CEL_OK)
        rc = read_values(r, &v);
    if (rc == CEL_OK) {
        rc = cel_att_add(r->atts, name, v.type, v.n, v.data, NULL);
        v.data = NULL;
    } else if (v.data) {
        cel_value_reclaim(v.type, v.data, v.n);
    }
    free(v.data);
    close_value(&v);
    return rc == CEL_ABSENT ? cel_fail(NC_EBADTYPE, "its HDF5 type has no counterpart in netCDF") : rc;
}

static int read_named(struct reading *r, hid_t object, const char *name)
{
    if (strlen(name) > NC_MAX_NAME)
        return cel_fail(NC_EMAXNAME, "its name has %zu bytes, netCDF's may have %d", strlen(name), NC_MAX_NAME);
    return read_att(r, object, name);
}

static herr_t visit(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    struct reading *r = data;

    (void)info;
    if (!is_hidden(name))
        r->rc = cel_h5_note(r->group, read_named(r, object, name), "%s:%s", r->var ? r->var->name : "", name);
    if (r->rc != CEL_OK)
        r->rc = cel_fail_in(r->rc, "attribute %s", name);
    return r->rc == CEL_OK ? 0 : -1;
}

static int list_all(struct reading *r, hid_t object)
{
    hsize_t at = 0;

    if (H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, visit, r) < 0 && r->rc == CEL_OK) {
        at = 0;
        if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, visit, r) < 0 && r->rc == CEL_OK)
            r->rc = cel_h5_fail(NC_EHDFERR, "the attributes cannot be listed");
    }
    return r->rc;
}

static int read_all(struct reading *r)
{
    int rc = r->var ? cel_h5_var_open(r->var) : CEL_OK;

    if (rc == CEL_OK)
        rc = list_all(r, r->var ? ((struct cel_h5_var *)r->var->priv)->id : cel_h5_group_id(r->group));
    return cel_h5_note(r->group, rc, "%s:", r->var ? r->var->name : "");
}

/* A list half read is not kept: the next call starts anew. */
static int load(struct cel_h5_file *f, struct cel_group *group, struct cel_var *var)
{
    struct cel_atts *atts = var ? &var->atts : &group->atts;
    struct reading r = {.f = f, .group = group, .var = var, .atts = atts};
    int rc = read_all(&r);

    if (rc == CEL_OK)
        atts->loaded = true;
    else
        cel_atts_dispose(atts);
    return rc;
}

int cel_h5_load_atts(struct cel_dataset *ds, struct cel_group *group, struct cel_var *var)
{
    struct cel_h5_entry entry;
    int rc = (var ? &var->atts : &group->atts)->loaded ? CEL_ABSENT : cel_h5_enter_file(ds, &entry);

    if (rc == CEL_ABSENT)
        return CEL_OK;
    if (rc != CEL_OK)
        return rc;
    rc = load(cel_h5_file(ds), group, var);
    cel_h5_leave(&entry);
    if (rc != CEL_OK && var)
        return cel_fail_in_var(rc, var);
    return rc;
}

/* --- writing ------------------------------------------------------------------------------ */

int cel_h5_att_drop(hid_t object, const char *name)
{
    htri_t there = H5Aexists(object, name);

    if (there < 0 || (there > 0 && H5Adelete(object, name) < 0))
        return cel_h5_fail(NC_EHDFERR, "attribute %s cannot be removed", name);
    return CEL_OK;
}

static hid_t make_space(int rank, const hsize_t *dims)
{
    return rank < 0 ? H5Screate(H5S_NULL) : rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, dims, NULL);
}

/* The attribute of that name if it has this type and shape, so that writing it
 * again does not change the order of attributes; -1: none such. */
static hid_t open_same(hid_t object, const char *name, hid_t type, hid_t space)
{
    hid_t att = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1, t, s;
    bool same;

    if (att < 0)
        return -1;
    t = H5Aget_type(att);
    s = H5Aget_space(att);
    same = H5Tequal(t, type) > 0 && H5Sextent_equal(s, space) > 0;
    H5Tclose(t);
    H5Sclose(s);
    if (same)
        return att;
    H5Aclose(att);
    return -1;
}

int cel_h5_att_write(hid_t object, const char *name, hid_t file_type, hid_t memory_type, int rank, const hsize_t *dims,
                     const void *data)
{
    hid_t space = make_space(rank, dims);
    hid_t att = open_same(object, name, file_type, space);
    int rc = att < 0 ? cel_h5_att_drop(object, name) : CEL_OK;

    if (rc == CEL_OK && att < 0)
        att = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (rc == CEL_OK && (att < 0 || (rank >= 0 && H5Awrite(att, memory_type, data) < 0)))
        rc = cel_h5_fail(NC_EHDFERR, "attribute %s cannot be written", name);
    if (att >= 0)
        H5Aclose(att);
    H5Sclose(space);
    return rc;
}

static int write_chars(hid_t object, const struct cel_att *att)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    int rc;

    if (att->n > 1)
        H5Tset_size(type, att->n);
    rc = cel_h5_att_write(object, att->name, type, type, att->n ? 0 : -1, NULL, att->data);
    H5Tclose(type);
    return rc;
}

static int write_att(struct cel_h5_file *f, hid_t object, const struct cel_att *att)
{
    hsize_t n = att->n;
    hid_t file_type, memory_type;
    int rc;

    if (att->type->klass == NC_CHAR)
        return write_chars(object, att);
    rc = cel_h5_file_type(f, att->type, NC_ENDIAN_NATIVE, &file_type);
    if (rc == CEL_OK)
        rc = cel_h5_memory_type(f, att->type, &memory_type);
    if (rc == CEL_OK)
        rc = cel_h5_att_write(object, att->name, file_type, memory_type, n ? 1 : -1, &n, att->data);
    return rc;
}

static bool is_renamed(const struct cel_att *att)
{
    return att->saved_name && strcmp(att->saved_name, att->name) != 0;
}

/* Names may have been exchanged: where a new name is still in use, all attributes that are renamed get temporary names
 * first. */
static int use_temporary_names(hid_t object, const struct cel_atts *atts)
{
    size_t i;

    for (i = 0; i < atts->list.n; i++) {
        struct cel_att *att = atts->list.at[i];
        char temporary[64], *name;

        if (!is_renamed(att) || H5Aexists(object, att->saved_name) <= 0)
            continue;
        snprintf(temporary, sizeof temporary, "_cellar_renamed_%zu", i);
        name = cel_strdup(temporary);
        if (!name)
            return NC_ENOMEM;
        if (H5Arename(object, att->saved_name, name) < 0) {
            free(name);
            return cel_h5_fail(NC_EHDFERR, "attribute %s cannot be renamed", att->saved_name);
        }
        free(att->saved_name);
        att->saved_name = name;
    }
    return CEL_OK;
}

static int clear_names(hid_t object, const struct cel_atts *atts)
{
    size_t i;

    for (i = 0; i < atts->list.n; i++) {
        const struct cel_att *att = atts->list.at[i];
        if (is_renamed(att) && H5Aexists(object, att->name) > 0)
            return use_temporary_names(object, atts);
    }
    return CEL_OK;
}

static int rename_att(hid_t object, struct cel_att *att)
{
    if (!is_renamed(att))
        return CEL_OK;
    if (H5Aexists(object, att->saved_name) > 0 && H5Arename(object, att->saved_name, att->name) < 0)
        return cel_h5_fail(NC_EHDFERR, "attribute %s cannot be renamed to %s", att->saved_name, att->name);
    return CEL_OK;
}

static int save_att(struct cel_h5_file *f, hid_t object, struct cel_att *att, bool fresh)
{
    int rc = fresh ? CEL_OK : rename_att(object, att);

    if (rc == CEL_OK)
        rc = write_att(f, object, att);
    if (rc != CEL_OK)
        return rc;
    free(att->saved_name);
    att->saved_name = NULL;
    att->saved = CEL_SAVED;
    return CEL_OK;
}

static int drop_removed(hid_t object, struct cel_atts *atts)
{
    int rc = CEL_OK;

    while (rc == CEL_OK && atts->removed.n > 0) {
        rc = cel_h5_att_drop(object, atts->removed.at[0]);
        if (rc == CEL_OK) {
            free(atts->removed.at[0]);
            cel_vec_remove(&atts->removed, 0);
        }
    }
    return rc;
}

int cel_h5_save_atts(struct cel_h5_file *f, hid_t object, struct cel_atts *atts, bool fresh)
{
    int rc = drop_removed(object, atts);
    struct cel_att *att;
    size_t i;

    if (rc == CEL_OK && !fresh)
        rc = clear_names(object, atts);
    for (i = 0; rc == CEL_OK && i < atts->list.n; i++) {
        att = atts->list.at[i];
        if (fresh || att->saved != CEL_SAVED)
            rc = save_att(f, object, att, fresh);
    }
    return rc;
}
