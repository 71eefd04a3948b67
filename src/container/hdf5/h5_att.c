/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes, read from the file or through libhdf5 and written through libhdf5. Text is one fixed-length string, numbers and strings are lists, an
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
    struct cel_h5r_reader *reader; /* NULL: through libhdf5 */
    int rc;
};

/* What is known of an attribute before its values are read. */
struct value {
    struct cel_h5r_attribute_value found; /* its type is disposed of with it */
    hid_t att, file_type;                 /* libhdf5's; -1: it was found without */
    const struct cel_type *type;
    size_t n;
    bool one_text; /* a single fixed-length string: netCDF's text attribute */
    void *data;
};

/* Which attribute of netCDF it is: the rules, whoever found it. */
static int settle(struct reading *r, struct value *v)
{
    const struct cel_h5r_datatype *t = v->found.type;
    bool text = cel_h5r_is_fixed_text(t);

    v->n = v->found.n;
    v->one_text = text && v->found.shape != CEL_H5R_SIMPLE;
    if (v->one_text) {
        v->type = cel_type_atomic(NC_CHAR);
        v->n = v->n ? t->size : 0;
        return CEL_OK;
    }
    if (text) {
        v->type = cel_type_atomic(t->size == 1 ? NC_CHAR : NC_STRING);
        return CEL_OK;
    }
    return cel_h5_type_of(r->f, t, v->found.committed, &v->type);
}

/* --- without libhdf5 --- */

static int read_directly(struct reading *r, struct value *v)
{
    if (v->one_text) {
        memcpy(v->data, v->found.data.p, v->n);
        return CEL_OK;
    }
    return cel_h5r_values_read(r->reader, v->found.type, v->type, v->found.data, v->n, &r->f->att_left, v->data);
}

/* --- through libhdf5 --- */

static int look_at(struct reading *r, struct value *v)
{
    hid_t space = H5Aget_space(v->att);
    H5S_class_t shape = space < 0 ? H5S_NO_CLASS : H5Sget_simple_extent_type(space);
    hssize_t n = shape == H5S_NULL ? 0 : H5Sget_simple_extent_npoints(space);

    if (space >= 0)
        H5Sclose(space);
    v->file_type = H5Aget_type(v->att);
    if (v->file_type < 0 || shape == H5S_NO_CLASS)
        return cel_h5_fail(NC_EHDFERR, "type or shape cannot be read");
    if (n < 0)
        return cel_h5_fail(NC_EHDFERR, "shape cannot be read");
    v->found.n = (size_t)n;
    v->found.shape = shape == H5S_NULL ? CEL_H5R_NULL : shape == H5S_SIMPLE ? CEL_H5R_SIMPLE : CEL_H5R_SCALAR;
    v->found.committed = H5Tcommitted(v->file_type) > 0 ? cel_h5_found_at(r->f, v->file_type) : 0;
    return cel_h5_form_of_id(v->file_type, &v->found.type);
}

static int read_by_id(const struct value *v, hid_t memory, void *data)
{
    return H5Aread(v->att, memory, data) < 0 ? cel_h5_fail(NC_EHDFERR, "values cannot be read") : CEL_OK;
}

/* Fixed-length strings of a list, each on its own. */
static int read_texts(const struct value *v)
{
    size_t width = v->found.type->size;
    char *texts = cel_malloc_array(v->n, width), **out = v->data;
    int rc = texts ? read_by_id(v, v->file_type, texts) : NC_ENOMEM;

    for (size_t i = 0; rc == CEL_OK && i < v->n; i++) {
        out[i] = cel_strndup(texts + i * width, strnlen(texts + i * width, width));
        rc = out[i] ? CEL_OK : NC_ENOMEM;
    }
    free(texts);
    return rc;
}

static int read_through_libhdf5(struct reading *r, struct value *v)
{
    hid_t memory = v->file_type; /* strings: libhdf5 does not convert between encodings */
    int rc = CEL_OK;

    if (v->type->klass == NC_STRING && cel_h5r_is_fixed_text(v->found.type))
        return read_texts(v);
    if (v->found.type->klass != CEL_H5R_STRING)
        rc = cel_h5_memory_type(r->f, v->type, &memory);
    return rc == CEL_OK ? read_by_id(v, memory, v->data) : rc;
}

/* --- either way --- */

static int read_values(struct reading *r, struct value *v)
{
    v->data = cel_calloc(v->n, v->type->size);
    if (!v->data)
        return NC_ENOMEM;
    if (v->n == 0)
        return CEL_OK;
    return r->reader ? read_directly(r, v) : read_through_libhdf5(r, v);
}

/* Takes the value over, all that was found of it included. */
static int add_att(struct reading *r, const char *name, struct value *v)
{
    int rc = settle(r, v);

    if (rc == CEL_OK)
        rc = read_values(r, v);
    if (rc == CEL_OK) {
        rc = cel_att_add(r->atts, name, v->type, v->n, v->data, NULL);
        v->data = NULL;
    } else if (v->data) {
        cel_value_reclaim(v->type, v->data, v->n);
    }
    free(v->data);
    cel_h5r_datatype_free(v->found.type);
    return rc == CEL_ABSENT ? cel_fail(NC_EBADTYPE, "its HDF5 type has no counterpart in netCDF") : rc;
}

static int check_name(const char *name)
{
    if (strlen(name) > NC_MAX_NAME)
        return cel_fail(NC_EMAXNAME, "its name has %zu bytes, netCDF's may have %d", strlen(name), NC_MAX_NAME);
    return CEL_OK;
}

/* What failed because of the attribute itself is noted, and the others are read. */
static int note(struct reading *r, const char *name, int rc)
{
    rc = cel_h5_note(r->group, rc, "%s:%s", r->var ? r->var->name : "", name);
    return rc < 0 ? cel_fail_in(rc, "attribute %s", name) : rc;
}

static int read_by_name(struct reading *r, hid_t object, const char *name)
{
    struct value v = {.file_type = -1, .att = H5Aopen(object, name, H5P_DEFAULT)};
    int rc = v.att < 0 ? cel_h5_fail(NC_EHDFERR, "it cannot be opened") : look_at(r, &v);

    if (rc == CEL_OK)
        rc = add_att(r, name, &v);
    if (v.file_type >= 0)
        H5Tclose(v.file_type);
    if (v.att >= 0)
        H5Aclose(v.att);
    return rc;
}

static herr_t visit(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    struct reading *r = data;
    int rc;

    (void)info;
    if (is_hidden(name))
        return 0;
    rc = check_name(name);
    r->rc = note(r, name, rc == CEL_OK ? read_by_name(r, object, name) : rc);
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

static int read_inside(struct reading *r)
{
    int rc = r->var ? cel_h5_var_open(r->var) : CEL_OK;

    if (rc == CEL_OK)
        rc = list_all(r, r->var ? ((struct cel_h5_var *)r->var->priv)->id : cel_h5_group_id(r->group));
    return rc;
}

static int ask(struct reading *r)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_file(r->f->ds, &entry);

    if (rc != CEL_OK)
        return rc;
    r->reader = NULL;
    cel_atts_dispose(r->atts);
    rc = read_inside(r);
    cel_h5_leave(&entry);
    return rc;
}

static uint64_t addr_of(const struct reading *r)
{
    return r->var ? ((const struct cel_h5_var *)r->var->priv)->addr
                  : ((const struct cel_h5_group *)r->group->priv)->addr;
}

static int read_message(struct reading *r, const struct cel_h5r_attribute_message *m, const char *name)
{
    struct value v = {.file_type = -1, .att = -1};
    int rc = check_name(name);

    if (rc == CEL_OK)
        rc = cel_h5r_attribute_look(r->reader, m, &v.found);
    v.found.committed = cel_h5_same_file(addr_of(r), v.found.committed);
    return rc == CEL_OK ? add_att(r, name, &v) : rc;
}

static int read_messages(struct reading *r)
{
    struct cel_h5r_attributes list;
    uint64_t addr = addr_of(r);
    char number[40];
    int rc = cel_h5_reader(r->f, &addr, &r->reader);

    if (rc == CEL_OK)
        rc = cel_h5r_attributes_read(r->reader, addr, &list);
    if (rc != CEL_OK)
        return rc;
    for (size_t i = 0; rc == CEL_OK && i < list.n; i++) {
        const char *name = cel_h5r_attribute_name(&list.at[i]);

        snprintf(number, sizeof number, "number %zu", i);
        if (!name)
            rc = note(r, number, cel_h5r_attribute_check(&list.at[i]));
        else if (!is_hidden(name))
            rc = note(r, name, read_message(r, &list.at[i], name));
    }
    cel_h5r_attributes_dispose(&list);
    return rc;
}

/* A list half read is not kept: the next call starts anew. */
int cel_h5_load_atts(struct cel_dataset *ds, struct cel_group *group, struct cel_var *var)
{
    struct cel_atts *atts = var ? &var->atts : &group->atts;
    struct reading r = {.f = cel_h5_file(ds), .group = group, .var = var, .atts = atts};
    int rc;

    if (atts->loaded)
        return CEL_OK;
    rc = read_messages(&r);
    if (rc == CEL_ASK_LIBHDF5)
        rc = ask(&r);
    rc = cel_h5_note(group, rc, "%s:", var ? var->name : "");
    if (rc == CEL_OK)
        atts->loaded = true;
    else
        cel_atts_dispose(atts);
    return rc != CEL_OK && var ? cel_fail_in_var(rc, var) : rc;
}

int cel_h5_root_text(struct cel_h5_file *f, const char *name, char **out)
{
    struct reading r = {.f = f, .group = f->ds->root};
    struct cel_h5r_attribute_value v;
    struct cel_h5r_attributes list;
    uint64_t addr = addr_of(&r);
    int rc = cel_h5_reader(f, &addr, &r.reader), found = CEL_ABSENT;

    if (rc == CEL_OK)
        rc = cel_h5r_attributes_read(r.reader, addr, &list);
    if (rc != CEL_OK)
        return rc;
    *out = NULL;
    for (size_t i = 0; rc == CEL_OK && found != CEL_OK && i < list.n; i++) {
        const char *one = cel_h5r_attribute_name(&list.at[i]);

        if (!one || strcmp(one, name) != 0)
            continue;
        found = CEL_OK;
        rc = cel_h5r_attribute_look(r.reader, &list.at[i], &v);
        if (rc == CEL_OK && v.n == 1 && cel_h5r_is_fixed_text(v.type)) {
            *out = cel_strndup((const char *)v.data.p, v.type->size);
            rc = *out ? CEL_OK : NC_ENOMEM;
        }
        cel_h5r_datatype_free(v.type);
    }
    cel_h5r_attributes_dispose(&list);
    return rc == CEL_OK ? found : rc;
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
