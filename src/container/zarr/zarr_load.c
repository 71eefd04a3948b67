/* SPDX-License-Identifier: BSD-3-Clause */
/* From the store's documents to the model: groups, dimensions and arrays, by
 * NCZarr's metadata of every generation where it is there, by names and listing
 * where it is not. Opening reads each document once and no chunk. */
#include "mem.h"
#include "zarr_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- NCZarr's keys, of every generation ------------------------------------------ */

struct generations {
    const char *keys[3]; /* within .zattrs, or .zgroup and .zarray */
    const char *file;    /* a document of its own (4.8.0) */
};
static const struct generations group_info = {{"_nczarr_group", "_NCZARR_GROUP", "_nczarr_groups"}, ".nczgroup"};
static const struct generations array_info = {{"_nczarr_array", "_NCZARR_ARRAY", "_nczarr_arrays"}, ".nczarray"};

static const struct cel_json *find_key(const struct cel_json *doc, const struct generations *g)
{
    const struct cel_json *v = NULL;

    for (size_t i = 0; !v && i < 3; i++)
        v = cel_json_get(doc, g->keys[i]);
    return v;
}

/* NCZarr's metadata of a node: in the attributes, in the document, or in a file of its own. */
struct info {
    const struct cel_json *v; /* NULL: a plain Zarr node */
    struct cel_json *own;     /* the file's, to be freed */
};

static int find_info(struct zarr *z, const char *path, const struct cel_json *attrs, const struct cel_json *doc,
                     const struct generations *g, struct info *out)
{
    int rc = CEL_ABSENT;

    *out = (struct info){find_key(attrs, g), NULL};
    if (!out->v)
        out->v = find_key(doc, g);
    if (!out->v && z->version == 2)
        rc = cel_zarr_get_json(z, path, g->file, &out->own);
    if (rc == CEL_OK)
        out->v = out->own;
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static const struct cel_json *either(const struct cel_json *v, const char *new_key, const char *old_key)
{
    const struct cel_json *found = cel_json_get(v, new_key);

    return found ? found : cel_json_get(v, old_key);
}

/* --- what is not understood ---------------------------------------------------------- */

/* Faults of the machine are the call's own; all others are the object's, which is listed with the reason. */
static bool is_of_object(int rc)
{
    static const int machine[] = {NC_ENOMEM, NC_EIO, NC_EPERM, NC_EACCESS};

    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
        if (rc == machine[i])
            return false;
    return rc < 0;
}

static int note_failed(struct cel_group *group, const char *name, int rc)
{
    if (!is_of_object(rc))
        return rc;
    rc = cel_group_note_unreadable(group, name, cel_error_text());
    if (rc == CEL_OK)
        cel_error_clear();
    return rc;
}

/* The same of a part of the group's own documents, which one who writes would replace. */
static int note_part(struct cel_group *group, const char *name, int rc)
{
    return group->dataset->writable ? rc : note_failed(group, name, rc);
}

bool cel_zarr_is_left_out(const struct cel_group *group, const char *name)
{
    return !cel_names_find(&group->var_index, name);
}

/* --- dimensions --------------------------------------------------------------------- */

static int load_dim(struct cel_group *group, const char *path, const char *name, const struct cel_json *v)
{
    const struct cel_json *length = v;
    int64_t unlimited = 0;
    uint64_t len;
    struct cel_dim *dim;

    if (cel_json_type(v) == CEL_JSON_OBJECT) {
        length = cel_json_get(v, "size");
        cel_json_int(cel_json_get(v, "unlimited"), true, &unlimited);
    }
    if (!cel_json_uint(length, true, &len))
        return cel_zarr_bad(path, "_nczarr_group", "dimension '%s' has no length", name);
    return cel_dim_add(group, name, (size_t)len, unlimited != 0, -1, &dim);
}

static int load_dims(struct cel_group *group, const char *path, const struct cel_json *dims)
{
    const struct cel_json *v;
    const void *at = NULL;
    const char *name;
    int rc = CEL_OK;

    while (rc == CEL_OK && (v = cel_json_next(dims, &at, &name)))
        rc = note_part(group, name, load_dim(group, path, name, v));
    return rc;
}

static int by_reference(struct cel_dataset *ds, const char *path, const char *reference, struct cel_dim **out)
{
    const char *slash = strrchr(reference, '/');
    char *group_path = cel_strndup(reference, slash ? (size_t)(slash - reference) : 0);
    struct cel_group *group = ds->root;
    int rc = group_path ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK && *group_path)
        rc = cel_group_by_path(ds->root, group_path, &group);
    *out = rc == CEL_OK ? cel_dim_find(group, slash ? slash + 1 : reference) : NULL;
    free(group_path);
    if (rc == NC_ENOMEM)
        return rc;
    if (!*out && !cel_zarr_of(ds)->groups_known)
        return CEL_ABSENT;
    if (!*out)
        return cel_zarr_bad(path, "_nczarr_array/dimension_references", "there is no dimension '%s'", reference);
    return CEL_OK;
}

static struct cel_dim *dim_here(const struct cel_group *group, const char *name)
{
    struct cel_dim *dim = cel_dim_find(group, name);

    return dim && dim->group == group ? dim : NULL;
}

/* A dimension of plain Zarr exists by being named. The same name with another
 * length needs a name of its own. */
static int by_name(struct cel_group *group, const char *name, size_t len, struct cel_dim **out)
{
    struct cel_buf other = CEL_BUF_INIT(1 << 16);
    int rc;

    *out = dim_here(group, name);
    if (!*out)
        return cel_dim_add(group, name, len, false, -1, out);
    if ((*out)->len == len || (*out)->unlimited)
        return CEL_OK;
    rc = cel_buf_printf(&other, "%s_%zu", name, len);
    if (rc == CEL_OK) {
        cel_warn("dimension %s has lengths %zu and %zu; the second is called %s", name, (*out)->len, len, other.data);
        *out = dim_here(group, other.data);
        rc = *out ? CEL_OK : cel_dim_add(group, other.data, len, false, -1, out);
    }
    cel_buf_dispose(&other);
    return rc;
}

static int nameless(struct cel_dataset *ds, size_t len, struct cel_dim **out)
{
    char name[64];

    snprintf(name, sizeof name, "_Anonymous_Dim_%zu", len);
    return by_name(ds->root, name, len, out);
}

static int link_dims(struct cel_dataset *ds, struct cel_var *var, const struct cel_zarr_array *a,
                     const struct cel_zarr_facts *facts, const struct cel_json *info)
{
    const struct cel_json *references = either(info, "dimension_references", "dimrefs");
    int rc = CEL_OK;

    for (int i = 0; rc == CEL_OK && i < var->ndims; i++) {
        const char *reference = cel_json_string(cel_json_item(references, (size_t)i), NULL);
        const char *name = cel_json_string(cel_json_item(facts->names, (size_t)i), NULL);
        size_t len = facts->shape[i];

        if (reference)
            rc = by_reference(ds, a->path, reference, &var->dim[i]);
        else if (name && *name)
            rc = by_name(var->group, name, len, &var->dim[i]);
        else
            rc = nameless(ds, len, &var->dim[i]);
        if (rc == CEL_OK && var->dim[i]->len != len && !var->dim[i]->unlimited)
            rc = cel_fail(NC_EDIMSIZE, "/%s: axis %d has length %zu, its dimension %s has %zu", a->path, i, len,
                          var->dim[i]->name, var->dim[i]->len);
        if (rc == CEL_OK && var->dim[i]->len < len)
            var->dim[i]->len = len;
    }
    return rc;
}

/* --- arrays --------------------------------------------------------------------------- */

static bool is_scalar(const struct cel_zarr_facts *facts, const struct cel_json *info)
{
    const char *storage = cel_json_string(cel_json_get(info, "storage"), NULL);
    int64_t scalar = 0;

    cel_json_int(cel_json_get(info, "scalar"), true, &scalar);
    return facts->rank == 1 && facts->shape[0] == 1 && (scalar || (storage && strcmp(storage, "scalar") == 0));
}

static bool is_usual(const struct cel_type *type, const void *value, const void *usual)
{
    char *text;

    if (type->klass == NC_VLEN)
        return true; /* empty, as Zarr has no other */
    if (type->id != NC_STRING)
        return !type->varsized && usual && memcmp(value, usual, type->size) == 0;
    memcpy(&text, value, sizeof text);
    return !text || !*text;
}

static int load_fill(struct cel_var *var, struct cel_zarr_array *a, const struct cel_zarr_facts *facts,
                     const struct cel_json *info)
{
    int64_t none = 0;
    const void *usual = cel_var_fill_value(var);
    struct cel_zarr_dtype stored = a->dtype;
    void *value;
    int rc;

    if (cel_zarr_of(var->group->dataset)->version == 3 && stored.type->id == NC_CHAR)
        stored.type = cel_type_atomic(NC_UBYTE); /* the character's code */
    cel_json_int(cel_json_get(info, "no_fill"), true, &none);
    if (var->type->klass == NC_STRING) /* null is how plain Zarr says that empty strings are not missing ones */
        var->fill.off = none;
    else if (var->type->klass != NC_VLEN) /* null is the only fill it can have */
        var->fill.off = none || !facts->fill || cel_json_type(facts->fill) == CEL_JSON_NULL;
    if (var->fill.off)
        return CEL_OK;
    value = cel_calloc(1, var->type->size);
    if (!value)
        return NC_ENOMEM;
    rc = cel_zarr_fill_from_json(a->path, facts->fill, &stored, info != NULL, value);
    if (rc == CEL_OK && !is_usual(var->type, value, usual)) {
        var->fill.value = value;
        return CEL_OK;
    }
    if (rc == CEL_OK)
        cel_value_reclaim(var->type, value, 1);
    free(value);
    return rc;
}

static int note_shards(struct cel_var *var, const struct cel_zarr_array *a)
{
    struct cel_shards shards;

    if (!cel_zarr_shard_describe(a, &shards))
        return CEL_OK;
    var->layout.shards = cel_memdup(&shards, sizeof shards);
    return var->layout.shards ? CEL_OK : NC_ENOMEM;
}

static int describe_var(struct cel_var *var, struct cel_zarr_array *a, struct cel_zarr_facts *facts,
                        const struct cel_json *info)
{
    int rc;

    var->type = a->dtype.type;
    var->layout.storage = var->ndims ? CEL_CHUNKED : CEL_CONTIGUOUS;
    var->layout.chosen = var->ndims > 0;
    var->endian = a->dtype.big ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE;
    var->chain = facts->chain;
    facts->chain = (struct cel_chain){0};
    if (var->ndims) {
        var->layout.chunk = cel_memdup(facts->chunk, (size_t)var->ndims * sizeof *var->layout.chunk);
        if (!var->layout.chunk)
            return NC_ENOMEM;
        memcpy(var->layout.extent, facts->shape, (size_t)var->ndims * sizeof *var->layout.extent);
    }
    rc = note_shards(var, a);
    if (rc == CEL_OK)
        rc = load_fill(var, a, facts, info);
    if (rc == CEL_OK)
        rc = cel_zarr_array_prepare(var, a);
    var->loaded = true;
    var->saved = CEL_SAVED;
    return rc;
}

/* Version 3 has no type for text of one byte: NC_CHAR is uint8 with a note. */
static void take_alias(struct cel_zarr_dtype *dtype, const struct cel_json *info)
{
    const char *alias = cel_json_string(cel_json_get(info, "type_alias"), NULL);

    if (alias && strcmp(alias, "char") == 0 && dtype->form == ZARR_NUMBERS && dtype->type->id == NC_UBYTE)
        dtype->type = cel_type_atomic(NC_CHAR);
}

/* CEL_ABSENT: a dimension is not known yet. */
static int finish_var(struct cel_var *var, struct cel_zarr_facts *facts)
{
    struct cel_dataset *ds = var->group->dataset;
    struct cel_zarr_array *a = var->priv;
    struct info info;
    int rc = find_info(cel_zarr_of(ds), a->path, a->attrs, a->doc, &array_info, &info);

    if (rc == CEL_OK)
        rc = link_dims(ds, var, a, facts, info.v);
    if (rc == CEL_OK)
        rc = cel_var_check_rank(var);
    if (rc == CEL_OK)
        rc = describe_var(var, a, facts, info.v);
    if (rc == CEL_OK)
        cel_var_link_coord(var);
    cel_json_free(info.own);
    return rc;
}

/* The array cannot be had as it is described: its type and shape are shown, and its data says why. */
static int give_up(struct cel_var *var, struct cel_zarr_array *a, const struct cel_zarr_facts *facts, int why)
{
    int rc = is_of_object(why) ? cel_var_note_unreadable(var, cel_error_text()) : why;

    for (int i = 0; rc == CEL_OK && i < var->ndims; i++)
        if (!var->dim[i] || (var->dim[i]->len != facts->shape[i] && !var->dim[i]->unlimited))
            rc = nameless(var->group->dataset, facts->shape[i], &var->dim[i]);
    var->type = a->dtype.type;
    var->layout.unchunked = true;
    if (var->layout.storage == CEL_CHUNKED && !var->layout.chunk)
        var->layout.storage = CEL_CONTIGUOUS;
    var->loaded = true;
    if (rc == CEL_OK)
        cel_error_clear();
    return rc;
}

static int finish_or_give_up(struct cel_var *var, struct cel_zarr_facts *facts)
{
    int rc = finish_var(var, facts);

    return rc == CEL_OK || rc == CEL_ABSENT ? rc : give_up(var, var->priv, facts, rc);
}

struct cel_zarr_late {
    struct cel_var *var;
    struct cel_zarr_facts *facts;
};

static void free_late(struct cel_zarr_late *late)
{
    cel_zarr_facts_dispose(late->facts);
    free(late->facts);
    free(late);
}

/* Takes *facts over. */
static int note_late(struct zarr *z, struct cel_var *var, struct cel_zarr_facts **facts)
{
    struct cel_zarr_late *late = cel_malloc(sizeof *late);
    int rc = late ? cel_vec_add(&z->late, late) : NC_ENOMEM;

    if (rc != CEL_OK) {
        free(late);
        return rc;
    }
    *late = (struct cel_zarr_late){var, *facts};
    *facts = NULL;
    return CEL_OK;
}

static int finish_late(struct zarr *z)
{
    int rc = CEL_OK;

    z->groups_known = true;
    for (size_t i = 0; i < z->late.n; i++) {
        struct cel_zarr_late *late = z->late.at[i];
        if (rc == CEL_OK)
            rc = finish_or_give_up(late->var, late->facts);
        free_late(late);
    }
    cel_vec_dispose(&z->late);
    return rc;
}

/* Takes `a` over, and *facts where it is still needed. */
static int add_var(struct cel_group *group, const char *name, struct cel_zarr_array *a, struct cel_zarr_facts **facts)
{
    struct zarr *z = cel_zarr_of(group->dataset);
    struct info info;
    struct cel_var *var;
    int rc = find_info(z, a->path, a->attrs, a->doc, &array_info, &info);

    a->scalar = is_scalar(*facts, info.v);
    take_alias(&a->dtype, info.v);
    cel_json_free(info.own);
    if (rc == CEL_OK)
        rc = cel_var_add(group, name, a->scalar ? 0 : (*facts)->rank, &var);
    if (rc != CEL_OK) {
        cel_zarr_array_free(a);
        return rc;
    }
    var->priv = a;
    rc = finish_or_give_up(var, *facts);
    return rc == CEL_ABSENT ? note_late(z, var, facts) : rc;
}

/* Version 3: a document may have none, or null. */
static int copy_attributes(const struct cel_json *doc, struct cel_json **out)
{
    const struct cel_json *attrs = cel_json_get(doc, "attributes");

    return cel_json_type(attrs) == CEL_JSON_OBJECT ? cel_json_copy(attrs, out) : CEL_OK;
}

/* Documents of an array; CEL_ABSENT when path holds none. */
static int get_array_docs(struct zarr *z, struct cel_zarr_array *a)
{
    const char *node;
    int rc;

    if (z->version == 2) {
        rc = cel_zarr_get_json(z, a->path, ".zarray", &a->doc);
        if (rc == CEL_OK)
            rc = cel_zarr_get_json(z, a->path, ".zattrs", &a->attrs);
        return rc == CEL_ABSENT && a->doc ? CEL_OK : rc;
    }
    rc = cel_zarr_get_json(z, a->path, "zarr.json", &a->doc);
    if (rc != CEL_OK)
        return rc;
    node = cel_json_string(cel_json_get(a->doc, "node_type"), NULL);
    if (node && strcmp(node, "array") != 0 && strcmp(node, "group") != 0)
        return cel_zarr_bad(a->path, "/node_type", "'%s' is neither \"array\" nor \"group\"", node);
    if (!node || strcmp(node, "array") != 0)
        return CEL_ABSENT;
    return copy_attributes(a->doc, &a->attrs);
}

static int load_array(struct cel_group *group, const char *name, const char *path)
{
    struct zarr *z = cel_zarr_of(group->dataset);
    struct cel_zarr_array *a = cel_calloc(1, sizeof *a);
    struct cel_zarr_facts *facts = cel_calloc(1, sizeof *facts);
    int rc = a && facts && (a->path = cel_strdup(path)) ? get_array_docs(z, a) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = z->version == 2 ? cel_zarr_v2_read(group->dataset, a, facts) : cel_zarr_v3_read(group->dataset, a, facts);
    if (rc == CEL_OK) {
        rc = add_var(group, name, a, &facts);
        a = NULL; /* the variable's now */
    }
    rc = note_failed(group, name, rc);
    if (facts)
        cel_zarr_facts_dispose(facts);
    free(facts);
    cel_zarr_array_free(a);
    return rc;
}

/* --- groups ------------------------------------------------------------------------------ */

static int load_group(struct cel_group *group, const char *path, int depth);

static int add_name(void *context, const char *name, bool is_prefix)
{
    char *copy = is_prefix ? cel_strdup(name) : NULL;
    int rc = copy ? cel_vec_add(context, copy) : is_prefix ? NC_ENOMEM : CEL_OK;

    if (rc != CEL_OK)
        free(copy);
    return rc;
}

static int add_names(const struct cel_json *list, struct cel_vec *names)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < cel_json_count(list); i++) {
        const char *name = cel_json_string(cel_json_item(list, i), NULL);
        rc = name ? add_name(names, name, true) : CEL_OK;
    }
    return rc;
}

/* NCZarr lists its children, in order; plain Zarr has what the store lists. */
static int child_names(struct zarr *z, const char *path, const struct cel_json *info, struct cel_vec *names)
{
    const struct cel_json *arrays = either(info, "arrays", "vars"), *groups = cel_json_get(info, "groups");

    if (arrays || groups) {
        int rc = add_names(arrays, names);
        return rc == CEL_OK ? add_names(groups, names) : rc;
    }
    return z->all ? cel_zarr_tree_list(z, path, add_name, names) : cel_store_list(z->store, path, add_name, names);
}

/* CEL_ABSENT: none. A folder without documents is the group of what lies below it. */
static int find_group(struct zarr *z, const char *path)
{
    struct cel_json *doc = NULL;
    int rc = cel_zarr_get_json(z, path, z->version == 2 ? ".zgroup" : "zarr.json", &doc);

    cel_json_free(doc);
    return rc == CEL_ABSENT ? cel_zarr_find_below(z, path) : rc;
}

static int load_child_group(struct cel_group *group, const char *path, const char *name, int depth)
{
    struct cel_group *child;
    int rc = find_group(cel_zarr_of(group->dataset), path);

    if (rc == CEL_OK && depth > ZARR_DEPTH_MAX)
        rc = cel_zarr_bad(path, "/", "groups are nested more than %d deep", ZARR_DEPTH_MAX);
    if (rc == CEL_OK)
        rc = cel_group_add(group, name, &child);
    if (rc != CEL_OK)
        return rc == CEL_ABSENT ? rc : note_failed(group, name, rc);
    return load_group(child, path, depth);
}

static int load_child(struct cel_group *group, const char *path, const char *name, int depth)
{
    struct cel_buf child_path = CEL_BUF_INIT(1 << 20);
    int rc = cel_zarr_key(path, name, &child_path);

    if (rc == CEL_OK)
        rc = load_array(group, name, child_path.data);
    if (rc == CEL_ABSENT)
        rc = load_child_group(group, child_path.data, name, depth + 1);
    cel_buf_dispose(&child_path);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static int get_group_docs(struct zarr *z, const char *path, struct cel_json **doc, struct cel_json **attrs)
{
    int rc = cel_zarr_get_json(z, path, z->version == 2 ? ".zgroup" : "zarr.json", doc);

    if (rc == CEL_ABSENT)
        rc = CEL_OK; /* implied by what lies below */
    if (rc == CEL_OK && z->version == 2)
        rc = cel_zarr_get_json(z, path, ".zattrs", attrs);
    else if (rc == CEL_OK)
        rc = copy_attributes(*doc, attrs);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

/* Version 3: members that are not known stay when the document is written anew. */
static void keep_document(struct cel_zarr_group *g, struct cel_json *doc)
{
    const struct cel_json *below = cel_json_get(cel_json_get(doc, "consolidated_metadata"), "metadata");

    if (!g || !g->path) { /* no memory */
        cel_json_free(doc);
        return;
    }
    g->consolidated = *g->path ? cel_json_count(below) > 0 : cel_json_type(below) == CEL_JSON_OBJECT;
    g->doc = doc;
}

enum { WANTED = 16 };

/* Of the next children: so many are under way while one is read. */
static void want_documents(struct zarr *z, const char *path, const struct cel_vec *names, size_t from)
{
    static const char *const documents[][3] = {{".zarray", ".zattrs", ".zgroup"}, {"zarr.json"}};
    struct cel_buf child = CEL_BUF_INIT(1 << 20), key = CEL_BUF_INIT(1 << 20);

    for (size_t i = from; !z->all && i < names->n && i < from + WANTED; i++)
        for (int d = 0; d < 3 && documents[z->version == 3][d]; d++)
            if (cel_zarr_key(path, names->at[i], &child) == CEL_OK &&
                cel_zarr_key(child.data, documents[z->version == 3][d], &key) == CEL_OK)
                cel_store_want_document(z->store, key.data);
    cel_buf_dispose(&child);
    cel_buf_dispose(&key);
}

static int load_group(struct cel_group *group, const char *path, int depth)
{
    struct zarr *z = cel_zarr_of(group->dataset);
    struct cel_zarr_group *priv = cel_calloc(1, sizeof *priv);
    struct cel_json *doc = NULL;
    struct info info = {0};
    struct cel_vec names = {0};
    int rc = priv && (priv->path = cel_strdup(path)) ? get_group_docs(z, path, &doc, &priv->attrs) : NC_ENOMEM;

    group->priv = priv;
    rc = note_part(group, ":attributes", rc);
    if (rc == CEL_OK)
        rc = find_info(z, path, priv->attrs, doc, &group_info, &info);
    if (depth == 0 && info.v)
        z->nczarr = true;
    if (rc == CEL_OK)
        rc = load_dims(group, path, either(info.v, "dimensions", "dims"));
    if (rc == CEL_OK)
        rc = child_names(z, path, info.v, &names);
    for (size_t i = 0; i < names.n; i++) {
        if (rc == CEL_OK && i % WANTED == 0)
            want_documents(z, path, &names, i);
        if (rc == CEL_OK)
            rc = load_child(group, path, names.at[i], depth);
        free(names.at[i]);
    }
    cel_vec_dispose(&names);
    cel_json_free(info.own);
    if (z->version == 2)
        cel_json_free(doc);
    else
        keep_document(priv, doc);
    return rc;
}

/* --- the store ------------------------------------------------------------------------------ */

/* An array alone in the root takes the name of the store. */
static int load_root_array(struct cel_dataset *ds)
{
    const char *path = cel_store_path(cel_zarr_of(ds)->store), *slash = strrchr(path, '/');
    char *name = cel_strdup(slash ? slash + 1 : path), *dot = name ? strrchr(name, '.') : NULL;
    int rc;

    if (dot && dot > name)
        *dot = '\0';
    rc = name ? load_array(ds->root, *name ? name : "array", "") : NC_ENOMEM;
    free(name);
    return rc;
}

int cel_zarr_load(struct cel_dataset *ds)
{
    struct zarr *z = cel_zarr_of(ds);
    int rc = z->consolidated ? cel_zarr_consolidated_load(z) : CEL_OK;

    ds->root->saved = CEL_SAVED;
    ds->root->atts.loaded = false;
    if (rc == CEL_OK)
        rc = load_root_array(ds);
    if (rc == CEL_ABSENT)
        rc = load_group(ds->root, "", 0);
    if (rc == CEL_OK)
        return finish_late(z);
    for (size_t i = 0; i < z->late.n; i++)
        free_late(z->late.at[i]);
    cel_vec_dispose(&z->late);
    return rc;
}

static int add_units(struct cel_zarr_array *a, struct cel_atts *atts)
{
    char text[CEL_ZARR_UNITS_MAX];
    struct cel_att *att;
    void *copy;

    cel_zarr_time_units(a, text, sizeof text);
    if (!*text || cel_att_find(atts, "units"))
        return CEL_OK;
    copy = cel_memdup(text, strlen(text));
    a->implied_units = copy != NULL;
    return copy ? cel_att_add(atts, "units", cel_type_atomic(NC_CHAR), strlen(text), copy, &att) : NC_ENOMEM;
}

int cel_zarr_load_atts(struct cel_dataset *ds, struct cel_group *group, struct cel_var *var)
{
    struct cel_atts *atts = var ? &var->atts : &group->atts;
    const struct cel_zarr_group *g = group->priv;
    struct cel_zarr_array *a = var ? var->priv : NULL;
    struct cel_att *att;
    void *copy;
    int rc = cel_zarr_atts_from_json(ds, a ? a->attrs : g ? g->attrs : NULL, atts, var);

    /* In version 2 the fill value is xarray's and netCDF-C's _FillValue too. */
    if (rc == CEL_OK && var && var->fill.value && cel_zarr_of(ds)->version == 2 && !cel_att_find(atts, "_FillValue")) {
        copy = cel_malloc(var->type->size);
        rc = copy ? cel_value_copy(var->type, var->fill.value, 1, copy) : NC_ENOMEM;
        if (rc == CEL_OK)
            rc = cel_att_add(atts, "_FillValue", var->type, 1, copy, &att);
        else
            free(copy);
    }
    if (rc == CEL_OK && a)
        rc = add_units(a, atts);
    atts->loaded = rc == CEL_OK;
    return rc;
}

void cel_zarr_group_free(struct cel_zarr_group *g)
{
    if (!g)
        return;
    free(g->path);
    free(g->saved);
    cel_json_free(g->doc);
    cel_json_free(g->attrs);
    free(g);
}

void cel_zarr_array_unmake(struct cel_zarr_array *a)
{
    free(a->order);
    a->order = NULL;
    cel_json_free(a->doc);
    a->doc = NULL;
    cel_zarr_shard_free(a->shard);
    a->shard = NULL;
    cel_zarr_dtype_dispose(&a->dtype);
}

void cel_zarr_array_free(struct cel_zarr_array *a)
{
    if (!a)
        return;
    cel_zarr_array_unmake(a);
    cel_zarr_listed_free(a->listed);
    free(a->path);
    free(a->saved);
    cel_json_free(a->attrs);
    free(a);
}
