/* SPDX-License-Identifier: BSD-3-Clause */
/* From the model to the store's documents. Every document is made anew from what
 * was read and what changed, and written only if its text differs: unknown
 * members of others' metadata stay, and nothing is touched without need. */
#include "mem.h"
#include "zarr_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- moving what was renamed ---------------------------------------------------------- */

static int collect_all(void *context, const char *name, bool is_prefix)
{
    struct cel_vec *v = context;
    char *copy = cel_malloc(strlen(name) + 2);

    if (!copy)
        return NC_ENOMEM;
    copy[0] = is_prefix ? '/' : '-';
    strcpy(copy + 1, name);
    if (cel_vec_add(v, copy) == CEL_OK)
        return CEL_OK;
    free(copy);
    return NC_ENOMEM;
}

static int move_key(struct zarr *z, const char *from, const char *to)
{
    struct cel_buf value = CEL_BUF_INIT(SIZE_MAX);
    int rc = cel_store_get(z->store, from, &value);

    if (rc == CEL_OK)
        rc = cel_store_put(z->store, to, value.data, value.len);
    if (rc == CEL_OK)
        rc = cel_store_erase(z->store, from);
    cel_buf_dispose(&value);
    return rc;
}

/* Copies before it erases, key by key: a crash leaves each value somewhere. */
static int move_tree(struct zarr *z, const char *from, const char *to)
{
    struct cel_buf old = CEL_BUF_INIT(1 << 20), new = CEL_BUF_INIT(1 << 20);
    struct cel_vec names = {0};
    int rc = cel_store_list(z->store, from, collect_all, &names);

    z->changed = true;

    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.at[i];
        if (rc == CEL_OK)
            rc = cel_zarr_key(from, name + 1, &old);
        if (rc == CEL_OK)
            rc = cel_zarr_key(to, name + 1, &new);
        if (rc == CEL_OK)
            rc = *name == '/' ? move_tree(z, old.data, new.data) : move_key(z, old.data, new.data);
        free(names.at[i]);
    }
    cel_vec_dispose(&names);
    cel_buf_dispose(&old);
    cel_buf_dispose(&new);
    return rc;
}

static int path_in(const struct cel_group *parent, const char *name, struct cel_buf *out)
{
    const struct cel_zarr_group *above = parent ? parent->priv : NULL;

    return above ? cel_zarr_key(above->path, name, out) : cel_buf_add(out, "", 1);
}

/* One child of a group: its name now and where it lies. */
struct child {
    const char *name;
    char **path; /* NULL: not in the store yet */
};

static struct child child_at(const struct cel_group *group, size_t i)
{
    struct cel_var *var;
    struct cel_group *inner;

    if (i < group->vars.n) {
        var = group->vars.at[i];
        return (struct child){var->name, var->priv ? &((struct cel_zarr_array *)var->priv)->path : NULL};
    }
    inner = group->groups.at[i - group->vars.n];
    return (struct child){inner->name, inner->priv ? &((struct cel_zarr_group *)inner->priv)->path : NULL};
}

/* CEL_ABSENT: it lies where it belongs. */
static int renamed_path(const struct cel_group *group, const struct child *child, struct cel_buf *out)
{
    int rc;

    out->len = 0;
    if (!child->path || !*child->path)
        return CEL_ABSENT;
    rc = path_in(group, child->name, out);
    return rc == CEL_OK && strcmp(*child->path, out->data) == 0 ? CEL_ABSENT : rc;
}

static bool is_taken(const struct cel_group *group, const char *path)
{
    for (size_t i = 0; i < group->vars.n + group->groups.n; i++) {
        struct child child = child_at(group, i);
        if (child.path && *child.path && strcmp(*child.path, path) == 0)
            return true;
    }
    return false;
}

static int move_aside(struct zarr *z, const struct cel_group *group, size_t i)
{
    struct child child = child_at(group, i);
    struct cel_buf aside = CEL_BUF_INIT(1 << 20);
    char name[64];
    int rc;

    snprintf(name, sizeof name, "_cellar_renamed_%zu", i);
    rc = path_in(group, name, &aside);
    if (rc == CEL_OK)
        rc = move_tree(z, *child.path, aside.data);
    if (rc != CEL_OK) {
        cel_buf_dispose(&aside);
        return rc;
    }
    free(*child.path);
    *child.path = aside.data;
    return CEL_OK;
}

/* Where the new path of a renamed child is still another's, names were exchanged: then all renamed children are first
 * moved to names of ours. */
static int free_paths(struct zarr *z, const struct cel_group *group)
{
    size_t n = group->vars.n + group->groups.n;
    struct cel_buf path = CEL_BUF_INIT(1 << 20);
    bool crossed = false;
    int rc = CEL_OK;

    for (int pass = 0; rc == CEL_OK && pass < 1 + crossed; pass++)
        for (size_t i = 0; rc == CEL_OK && i < n; i++) {
            struct child child = child_at(group, i);
            rc = renamed_path(group, &child, &path);
            if (rc == CEL_OK && pass)
                rc = move_aside(z, group, i);
            else if (rc == CEL_OK)
                crossed = crossed || is_taken(group, path.data);
            rc = rc == CEL_ABSENT ? CEL_OK : rc;
        }
    cel_buf_dispose(&path);
    return rc;
}

/* Where an object belongs now; what it had is moved when that changed. */
static int settle_path(struct cel_group *parent, const char *name, struct zarr *z, char **path)
{
    struct cel_buf now = CEL_BUF_INIT(1 << 20);
    int rc = path_in(parent, name, &now);

    if (rc == CEL_OK && *path && strcmp(*path, now.data) == 0) {
        cel_buf_dispose(&now);
        return CEL_OK;
    }
    if (rc == CEL_OK && *path)
        rc = move_tree(z, *path, now.data);
    if (rc == CEL_OK) {
        free(*path);
        *path = now.data;
        return CEL_OK;
    }
    cel_buf_dispose(&now);
    return rc;
}

/* --- groups -------------------------------------------------------------------------------- */

static struct cel_json *dim_json(const struct cel_dim *dim)
{
    struct cel_json *length = cel_json_new_uint(dim->len), *object;
    int rc;

    if (!dim->unlimited)
        return length;
    object = cel_json_new_object();
    if (!object) {
        cel_json_free(length);
        return NULL;
    }
    rc = cel_json_set(object, "size", length);
    if (rc == CEL_OK)
        rc = cel_json_set(object, "unlimited", cel_json_new_int(1));
    if (rc == CEL_OK)
        return object;
    cel_json_free(object);
    return NULL;
}

static struct cel_json *dims_json(const struct cel_group *group)
{
    struct cel_json *dims = cel_json_new_object();
    int rc = dims ? CEL_OK : NC_ENOMEM;

    for (size_t i = 0; rc == CEL_OK && i < group->dims.n; i++) {
        const struct cel_dim *dim = group->dims.at[i];

        rc = cel_json_set(dims, dim->name, dim_json(dim));
    }
    if (rc == CEL_OK)
        return dims;
    cel_json_free(dims);
    return NULL;
}

static int push_name(struct cel_json *list, const char *name)
{
    return cel_json_push(list, cel_json_new_string(name, strlen(name)));
}

/* What could not be read stays in the list: it is in the store all the same. */
static int push_unreadable(const struct cel_group *group, struct cel_json *list)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < group->unreadable.n; i++) {
        const char *name = ((struct cel_unreadable *)group->unreadable.at[i])->name;

        if (cel_zarr_is_left_out(group, name))
            rc = push_name(list, name);
    }
    return rc;
}

static struct cel_json *names_json(const struct cel_group *group, bool vars)
{
    const struct cel_vec *objects = vars ? &group->vars : &group->groups;
    struct cel_json *list = cel_json_new_array();
    int rc = list ? CEL_OK : NC_ENOMEM;

    for (size_t i = 0; rc == CEL_OK && i < objects->n; i++)
        rc = push_name(list,
                       vars ? ((struct cel_var *)objects->at[i])->name : ((struct cel_group *)objects->at[i])->name);
    if (rc == CEL_OK && vars)
        rc = push_unreadable(group, list);
    if (rc == CEL_OK)
        return list;
    cel_json_free(list);
    return NULL;
}

static int make_dims(struct cel_zarr_document *d, struct cel_json **out)
{
    *out = dims_json(d->group);
    return CEL_OK;
}

static int make_arrays(struct cel_zarr_document *d, struct cel_json **out)
{
    *out = names_json(d->group, true);
    return CEL_OK;
}

static int make_groups(struct cel_zarr_document *d, struct cel_json **out)
{
    *out = names_json(d->group, false);
    return CEL_OK;
}

static int make_text(const char *text, struct cel_json **out)
{
    *out = cel_json_new_string(text, strlen(text));
    return CEL_OK;
}

static int make_properties(struct cel_zarr_document *d, struct cel_json **out)
{
    return d->group->parent ? CEL_ABSENT : make_text("version=2,netcdf=4.9.3,nczarr=2.0.0,cellar=" CEL_VERSION, out);
}

static int make_group_info(struct cel_zarr_document *d, struct cel_json **out)
{
    static const struct cel_zarr_member members[] = {{.name = "dimensions", .make = make_dims},
                                                     {.name = "arrays", .make = make_arrays},
                                                     {.name = "groups", .make = make_groups},
                                                     {0}};

    return cel_zarr_members_object(d, members, out);
}

static int make_superblock(struct cel_zarr_document *d, struct cel_json **out)
{
    static const struct cel_zarr_member members[] = {{.name = "version", .text = "2.0.0"}, {0}};

    return d->group->parent ? CEL_ABSENT : cel_zarr_members_object(d, members, out);
}

/* NCZarr's members among a group's attributes. */
static const struct cel_zarr_member group_members[] = {{.name = "_NCProperties", .make = make_properties},
                                                       {.name = "_nczarr_group", .make = make_group_info},
                                                       {.name = "_nczarr_superblock", .make = make_superblock},
                                                       {0}};

/* The text of a document; *changed when it is not what *saved says. */
static int note_text(const struct cel_json *doc, char **saved, bool *changed)
{
    struct cel_buf text = CEL_BUF_INIT(ZARR_META_MAX);
    char *now = NULL;
    int rc = cel_json_print(doc, 0, &text);

    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, &now);
    cel_buf_dispose(&text);
    if (rc != CEL_OK)
        return rc;
    *changed = !*saved || strcmp(*saved, now) != 0;
    free(*saved);
    *saved = now;
    return CEL_OK;
}

static struct cel_json *node_json(int version)
{
    struct cel_json *doc = cel_json_new_object();
    int rc = doc ? cel_json_set(doc, "zarr_format", cel_json_new_int(version)) : NC_ENOMEM;

    if (rc == CEL_OK && version == 3)
        rc = cel_json_set_text(doc, "node_type", "group");
    if (rc == CEL_OK)
        return doc;
    cel_json_free(doc);
    return NULL;
}

/* The group's document without what changes: as it was read, where it was. */
static int group_json(const struct zarr *z, const struct cel_zarr_group *g, struct cel_json **out)
{
    int rc;

    if (!g->doc) {
        *out = node_json(z->version);
        return *out ? CEL_OK : NC_ENOMEM;
    }
    rc = cel_json_copy(g->doc, out);
    if (rc == CEL_OK)
        cel_json_remove(*out, "consolidated_metadata"); /* it is written last, when all below it is */
    return rc;
}

static int write_group(struct zarr *z, const struct cel_zarr_group *g)
{
    struct cel_json *doc = NULL, *copy = NULL;
    int rc = group_json(z, g, &doc);

    if (rc == CEL_OK && z->version == 3) {
        rc = cel_json_copy(g->attrs, &copy);
        if (rc == CEL_OK)
            rc = cel_json_set(doc, "attributes", copy);
    }
    if (rc == CEL_OK)
        rc = cel_zarr_put_json_last(z, g->path, z->version == 2 ? ".zgroup" : "zarr.json", doc);
    if (rc == CEL_OK && z->version == 2)
        rc = cel_zarr_put_json_last(z, g->path, ".zattrs", g->attrs);
    cel_json_free(doc);
    return rc;
}

static int settle_group(struct cel_group *group)
{
    struct cel_zarr_group *g = group->priv;

    if (!g && !(group->priv = g = cel_calloc(1, sizeof *g)))
        return NC_ENOMEM;
    return settle_path(group->parent, group->name, cel_zarr_of(group->dataset), &g->path);
}

/* The attributes as they will be in the store. */
static int update_group(struct cel_group *group, struct cel_zarr_group *g)
{
    struct cel_zarr_document d = {.ds = group->dataset, .group = group};
    int rc = CEL_OK;

    if (group->saved != CEL_SAVED || group->atts.loaded)
        rc = cel_zarr_atts_to_json(d.ds, &group->atts, g->attrs, NULL);
    return rc == CEL_OK && cel_zarr_of(d.ds)->nczarr ? cel_zarr_members_make(&d, group_members, g->attrs) : rc;
}

static int save_group(struct cel_group *group)
{
    struct cel_zarr_group *g = group->priv;
    bool changed = false;
    int rc = g->attrs || (g->attrs = cel_json_new_object()) ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK && group->saved == CEL_SAVED && !g->saved) /* as it was read */
        rc = note_text(g->attrs, &g->saved, &changed);
    if (rc == CEL_OK)
        rc = update_group(group, g);
    if (rc == CEL_OK)
        rc = note_text(g->attrs, &g->saved, &changed);
    g->unsaved = g->unsaved || changed || group->saved != CEL_SAVED;
    if (rc == CEL_OK && g->unsaved)
        rc = write_group(cel_zarr_of(group->dataset), g);
    if (rc != CEL_OK)
        return rc;
    g->unsaved = false;
    group->saved = CEL_SAVED;
    cel_atts_saved(&group->atts);
    return CEL_OK;
}

/* --- arrays ------------------------------------------------------------------------------------ */

static struct cel_json *array_dimensions(const struct cel_var *var, const struct cel_zarr_array *a)
{
    struct cel_json *list = cel_json_new_array();
    int rc = list ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK && a->scalar)
        rc = cel_json_push(list, cel_json_new_string("_scalar_", 8));
    for (int i = 0; rc == CEL_OK && i < var->ndims; i++)
        rc = cel_json_push(list, cel_json_new_string(var->dim[i]->name, strlen(var->dim[i]->name)));
    if (rc == CEL_OK)
        return list;
    cel_json_free(list);
    return NULL;
}

static struct cel_json *dimension_references(const struct cel_var *var)
{
    struct cel_json *list = cel_json_new_array();
    int rc = list ? CEL_OK : NC_ENOMEM;

    for (int i = 0; rc == CEL_OK && i < var->ndims; i++) {
        struct cel_buf path = CEL_BUF_INIT(1 << 20);
        if (var->dim[i]->group->parent)
            rc = cel_group_path(var->dim[i]->group, &path);
        if (rc == CEL_OK)
            rc = cel_buf_printf(&path, "/%s", var->dim[i]->name);
        if (rc == CEL_OK)
            rc = cel_json_push(list, cel_json_new_string(path.data, path.len));
        cel_buf_dispose(&path);
    }
    if (rc == CEL_OK)
        return list;
    cel_json_free(list);
    return NULL;
}

static int make_references(struct cel_zarr_document *d, struct cel_json **out)
{
    *out = dimension_references(d->var);
    return CEL_OK;
}

static int make_one(struct cel_json **out)
{
    *out = cel_json_new_int(1);
    return CEL_OK;
}

static int make_scalar(struct cel_zarr_document *d, struct cel_json **out)
{
    return d->array->scalar ? make_one(out) : CEL_ABSENT;
}

/* What the type is called, where the array's data type does not tell: characters are bytes in version 3, lists
 * have the name their user gave them, and text in vlen-bytes would be read as lists of bytes. */
static int make_alias(struct cel_zarr_document *d, struct cel_json **out)
{
    const struct cel_type *type = d->var->type;
    const struct cel_object_codec *codec;
    int rc;

    if ((type->id == NC_CHAR && cel_zarr_of(d->ds)->version == 3) || type->klass == NC_VLEN)
        return make_text(type->name, out);
    rc = cel_chain_object(&d->var->chain, &codec);
    if (rc != CEL_OK)
        return rc;
    if (type->klass == NC_STRING && codec && strcmp(codec->name, "vlen-bytes") == 0)
        return make_text(type->name, out);
    return CEL_ABSENT;
}

/* fill_value cannot be null in version 3. */
static int make_no_fill(struct cel_zarr_document *d, struct cel_json **out)
{
    return d->var->fill.off && cel_zarr_of(d->ds)->version == 3 ? make_one(out) : CEL_ABSENT;
}

static int make_array_info(struct cel_zarr_document *d, struct cel_json **out)
{
    static const struct cel_zarr_member members[] = {{.name = "dimension_references", .make = make_references},
                                                     {.name = "scalar", .make = make_scalar},
                                                     {.name = "storage", .text = "chunked"},
                                                     {.name = "type_alias", .make = make_alias},
                                                     {.name = "no_fill", .make = make_no_fill},
                                                     {0}};

    return cel_zarr_of(d->ds)->nczarr ? cel_zarr_members_object(d, members, out) : CEL_ABSENT;
}

static int make_array_dimensions(struct cel_zarr_document *d, struct cel_json **out)
{
    const struct zarr *z = cel_zarr_of(d->ds);

    if (z->version != 2 || !z->xarray)
        return CEL_ABSENT;
    *out = array_dimensions(d->var, d->array);
    return CEL_OK;
}

/* xarray's and NCZarr's members among an array's attributes. */
static const struct cel_zarr_member array_members[] = {{.name = "_ARRAY_DIMENSIONS", .make = make_array_dimensions},
                                                       {.name = "_nczarr_array", .make = make_array_info},
                                                       {0}};

static int update_attrs(struct cel_dataset *ds, struct cel_var *var, struct cel_zarr_array *a)
{
    struct cel_zarr_document d = {.ds = ds, .var = var, .array = a};
    int rc = CEL_OK;

    if (!a->attrs && !(a->attrs = cel_json_new_object()))
        return NC_ENOMEM;
    if (var->saved == CEL_NEW || var->atts.loaded)
        rc = cel_zarr_atts_to_json(ds, &var->atts, a->attrs, var);
    return rc == CEL_OK ? cel_zarr_members_make(&d, array_members, a->attrs) : rc;
}

/* The attributes of version 3 are a member of the document; one that was read without them does not get empty ones. */
static int move_attrs_in(const struct zarr *z, struct cel_zarr_array *a)
{
    bool none = a->saved && !cel_json_count(a->attrs) && !cel_json_get(a->doc, "attributes");
    struct cel_json *copy = NULL;
    int rc;

    if (z->version == 2 || none)
        return CEL_OK;
    rc = cel_json_copy(a->attrs, &copy);
    return rc == CEL_OK ? cel_json_set(a->doc, "attributes", copy) : rc;
}

static int write_array(struct zarr *z, const struct cel_zarr_array *a)
{
    int rc;

    if (z->version == 3)
        return cel_zarr_put_json(z, a->path, "zarr.json", a->doc);
    rc = cel_zarr_put_json(z, a->path, ".zarray", a->doc);
    return rc == CEL_OK ? cel_zarr_put_json(z, a->path, ".zattrs", a->attrs) : rc;
}

/* One text for all that is written of an array. */
static int note_array(struct cel_zarr_array *a, bool *changed)
{
    struct cel_json *both = cel_json_new_array(), *doc = NULL, *attrs = NULL;
    int rc = both ? cel_json_copy(a->doc, &doc) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_json_push(both, doc);
    if (rc == CEL_OK && a->attrs)
        rc = cel_json_copy(a->attrs, &attrs);
    if (rc == CEL_OK)
        rc = cel_json_push(both, attrs ? attrs : cel_json_new_null());
    if (rc == CEL_OK)
        rc = note_text(both, &a->saved, changed);
    cel_json_free(both);
    return rc;
}

/* Half a document is none: the next try begins anew. */
static int make_array(struct cel_dataset *ds, struct cel_var *var, struct cel_zarr_array *a)
{
    int rc;

    for (int i = 0; i < var->ndims; i++)
        var->layout.extent[i] = var->dim[i]->len;
    rc = cel_zarr_of(ds)->version == 2 ? cel_zarr_v2_make(ds, var, a) : cel_zarr_v3_make(ds, var, a);
    if (rc != CEL_OK)
        cel_zarr_array_unmake(a);
    return rc;
}

/* The document and the attributes as they will be in the store. */
static int update_array(struct cel_dataset *ds, struct cel_var *var, struct cel_zarr_array *a)
{
    int rc = CEL_OK;

    a->unsaved = a->unsaved || !a->doc;
    if (!a->doc)
        rc = make_array(ds, var, a);
    else if (!a->scalar)
        rc = cel_json_set(a->doc, "shape", cel_zarr_lengths_json(var->ndims, var->layout.extent));
    if (rc == CEL_OK)
        rc = update_attrs(ds, var, a);
    return rc == CEL_OK ? move_attrs_in(cel_zarr_of(ds), a) : rc;
}

static int save_array(struct cel_dataset *ds, struct cel_var *var, struct cel_zarr_array *a)
{
    struct zarr *z = cel_zarr_of(ds);
    bool changed = false;
    int rc = settle_path(var->group, var->name, z, &a->path);

    if (rc == CEL_OK && a->doc && !a->saved && !a->unsaved) /* as it was read */
        rc = note_array(a, &changed);
    if (rc == CEL_OK)
        rc = update_array(ds, var, a);
    if (rc == CEL_OK)
        rc = note_array(a, &changed);
    a->unsaved = a->unsaved || changed;
    return rc == CEL_OK && a->unsaved ? write_array(z, a) : rc;
}

static int save_var(struct cel_dataset *ds, struct cel_var *var)
{
    struct cel_zarr_array *a = var->priv;
    int rc;

    if (!a && !(var->priv = a = cel_calloc(1, sizeof *a)))
        return NC_ENOMEM;
    rc = save_array(ds, var, a);
    if (rc != CEL_OK)
        return cel_fail_in_var(rc, var);
    a->unsaved = false;
    var->saved = CEL_SAVED;
    var->loaded = true;
    cel_atts_saved(&var->atts);
    return CEL_OK;
}

/* --- the whole ------------------------------------------------------------------------------------ */

/* A group's document is written after those of its children, which may be under way together: a name in it is never one of something that is not there,
 * wherever writing is cut short. That of a new group is written first: it tells a store from any other folder. */
static int save_tree(struct cel_group *group)
{
    bool first = group->saved == CEL_NEW;
    int rc = settle_group(group);

    if (rc == CEL_OK && first)
        rc = save_group(group);
    if (rc == CEL_OK)
        rc = free_paths(cel_zarr_of(group->dataset), group);
    for (size_t i = 0; rc == CEL_OK && i < group->vars.n; i++)
        rc = save_var(group->dataset, group->vars.at[i]);
    for (size_t i = 0; rc == CEL_OK && i < group->groups.n; i++)
        rc = save_tree(group->groups.at[i]);
    return rc == CEL_OK && !first ? save_group(group) : rc;
}

int cel_zarr_save(struct cel_dataset *ds)
{
    return save_tree(ds->root);
}
