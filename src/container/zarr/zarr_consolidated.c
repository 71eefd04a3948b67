/* SPDX-License-Identifier: BSD-3-Clause */
/* Consolidated metadata: all documents of a store in one, found by their key. The folders that the keys
 * lie in are gathered once, into a tree, so that listing each group is not a search through all keys;
 * folders keep the order in which the document first names them.
 *
 * Version 2 has it in a document of its own, .zmetadata, version 3 as a member of a group's. It is a copy that others
 * believe: whatever changes the documents writes it anew, at the root and in every other group that has one. */
#include "zarr_int.h"
#include <stdlib.h>
#include <string.h>

/* --- the tree ------------------------------------------------------------------------- */

/* The folder of this name in `folder`, made if it is not there. The tree is ours to change. */
static int enter(struct cel_json **folder, const char *name)
{
    struct cel_json *below = (struct cel_json *)cel_json_get(*folder, name);
    int rc = CEL_OK;

    if (!below) {
        below = cel_json_new_object();
        rc = cel_json_set(*folder, name, below);
    }
    *folder = below;
    return rc;
}

/* The part of a path before the next slash; false: there is no slash. */
static int take_part(const char **path, struct cel_buf *part, bool *found)
{
    const char *slash = strchr(*path, '/');
    int rc;

    *found = slash != NULL;
    if (!slash)
        return CEL_OK;
    part->len = 0;
    rc = cel_buf_add(part, *path, (size_t)(slash - *path));
    *path = slash + 1;
    return rc == CEL_OK ? cel_buf_add(part, "", 1) : rc;
}

/* Folders deeper than groups can be nested are left out. */
static int add_folders(struct cel_json *tree, const char *key, struct cel_buf *part)
{
    bool found = true;
    int rc = CEL_OK;

    for (int depth = 0; rc == CEL_OK && found && depth <= ZARR_DEPTH_MAX + 1; depth++) {
        rc = take_part(&key, part, &found);
        if (rc == CEL_OK && found)
            rc = enter(&tree, part->data);
    }
    return rc;
}

static int make_tree(struct zarr *z)
{
    struct cel_buf part = CEL_BUF_INIT(1 << 20);
    const void *at = NULL;
    const char *key;
    int rc = (z->tree = cel_json_new_object()) ? CEL_OK : NC_ENOMEM;

    while (rc == CEL_OK && cel_json_next(z->all, &at, &key))
        rc = add_folders(z->tree, key, &part);
    cel_buf_dispose(&part);
    return rc;
}

int cel_zarr_tree_list(const struct zarr *z, const char *path, cel_store_visit *visit, void *context)
{
    struct cel_buf part = CEL_BUF_INIT(1 << 20);
    const struct cel_json *folder = z->tree;
    const void *at = NULL;
    const char *name;
    bool found = true;
    int rc = CEL_OK;

    while (rc == CEL_OK && *path && found) {
        rc = take_part(&path, &part, &found);
        if (rc == CEL_OK)
            folder = cel_json_get(folder, found ? part.data : path);
    }
    while (rc == CEL_OK && cel_json_next(folder, &at, &name))
        rc = visit(context, name, true);
    cel_buf_dispose(&part);
    return rc;
}

/* --- the document ---------------------------------------------------------------------- */

/* v3 keeps paths in its map; make them keys of documents, as in v2. */
static int map_of_v3(const struct cel_json *metadata, struct cel_json *root, struct cel_json **out)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    struct cel_json *all = cel_json_new_object(), *copy = NULL;
    int rc = all ? cel_json_copy(root, &copy) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_json_set(all, "zarr.json", copy);
    for (size_t i = 0; rc == CEL_OK && i < cel_json_count(metadata); i++) {
        const char *path;
        const struct cel_json *doc = cel_json_member(metadata, i, &path);
        rc = cel_zarr_key(path, "zarr.json", &key);
        if (rc == CEL_OK)
            rc = cel_json_copy(doc, &copy);
        if (rc == CEL_OK)
            rc = cel_json_set(all, key.data, copy);
    }
    cel_buf_dispose(&key);
    *out = rc == CEL_OK ? all : NULL;
    if (rc != CEL_OK)
        cel_json_free(all);
    return rc;
}

int cel_zarr_consolidated_load(struct zarr *z)
{
    struct cel_json *doc = NULL;
    const struct cel_json *metadata;
    int rc = cel_zarr_get_json(z, "", z->version == 2 ? ".zmetadata" : "zarr.json", &doc);

    if (rc != CEL_OK)
        return rc == CEL_ABSENT ? CEL_OK : rc;
    metadata = z->version == 2 ? cel_json_get(doc, "metadata")
                               : cel_json_get(cel_json_get(doc, "consolidated_metadata"), "metadata");
    if (metadata)
        rc = z->version == 2 ? cel_json_copy(metadata, &z->all) : map_of_v3(metadata, doc, &z->all);
    cel_json_free(doc);
    return rc == CEL_OK && z->all ? make_tree(z) : rc;
}

/* --- writing ---------------------------------------------------------------------------- */

/* The documents below one group, by keys or paths that begin there. */
struct gathered {
    struct zarr *z;
    size_t skip; /* characters of a path that stand for the group */
    struct cel_json *map;
};

/* {"kind": "inline", ..., "metadata": map}; *map is taken over, or still the caller's where it fails. */
static int hold(struct cel_json *made, struct cel_json **map, int rc, struct cel_json **out)
{
    if (rc == CEL_OK) {
        rc = cel_json_set(made, "metadata", *map);
        *map = NULL;
    }
    *out = rc == CEL_OK ? made : NULL;
    if (rc != CEL_OK)
        cel_json_free(made);
    return rc;
}

static int hold_v2(struct cel_json **map, struct cel_json **out)
{
    struct cel_json *made = cel_json_new_object();
    int rc = made ? cel_json_set(made, "zarr_consolidated_format", cel_json_new_int(1)) : NC_ENOMEM;

    return hold(made, map, rc, out);
}

static int hold_v3(struct cel_json **map, struct cel_json **out)
{
    struct cel_json *made = cel_json_new_object();
    int rc = made ? cel_json_set_text(made, "kind", "inline") : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_json_set(made, "must_understand", cel_json_new_bool(false));
    return hold(made, map, rc, out);
}

/* zarr-python has such a member in every group of the map. */
static int mark_group(struct cel_json *doc)
{
    const char *node = cel_json_string(cel_json_get(doc, "node_type"), NULL);
    struct cel_json *holder = NULL, *empty = NULL;
    int rc;

    if (!node || strcmp(node, "group") != 0)
        return CEL_OK;
    empty = cel_json_new_object();
    rc = empty ? hold_v3(&empty, &holder) : NC_ENOMEM;
    cel_json_free(empty);
    return rc == CEL_OK ? cel_json_set(doc, "consolidated_metadata", holder) : rc;
}

/* What is absent, or no JSON, is left out of the map. */
static int gather_document(const struct gathered *g, const char *path, const char *name)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    struct cel_json *doc = NULL;
    const char *from_here = path + (strlen(path) < g->skip ? strlen(path) : g->skip);
    int rc = cel_zarr_get_json(g->z, path, name, &doc);

    if (rc != CEL_OK)
        return rc == CEL_ABSENT || rc == NC_ENCZARR ? CEL_OK : rc;
    rc = g->z->version == 2 ? cel_zarr_key(from_here, name, &key) : cel_buf_add(&key, from_here, strlen(from_here) + 1);
    if (rc == CEL_OK && g->z->version == 3)
        rc = mark_group(doc);
    if (rc == CEL_OK)
        rc = cel_json_set(g->map, key.data, doc);
    else
        cel_json_free(doc);
    cel_buf_dispose(&key);
    return rc;
}

static int gather_node(const struct gathered *g, const char *path)
{
    static const char *const names[] = {".zgroup", ".zarray", ".zattrs"};
    int rc = CEL_OK;

    if (g->z->version == 3)
        return strlen(path) > g->skip ? gather_document(g, path, "zarr.json") : CEL_OK;
    for (size_t i = 0; rc == CEL_OK && i < sizeof names / sizeof *names; i++)
        rc = gather_document(g, path, names[i]);
    return rc;
}

static int gather_unreadable(const struct gathered *g, const struct cel_group *group)
{
    const struct cel_zarr_group *priv = group->priv;
    struct cel_buf path = CEL_BUF_INIT(1 << 20);
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && priv && i < group->unreadable.n; i++) {
        const char *name = ((struct cel_unreadable *)group->unreadable.at[i])->name;

        if (!cel_zarr_is_left_out(group, name))
            continue;
        rc = cel_zarr_key(priv->path, name, &path);
        if (rc == CEL_OK)
            rc = gather_node(g, path.data);
    }
    cel_buf_dispose(&path);
    return rc;
}

static int gather_group(const struct gathered *g, const struct cel_group *group)
{
    const struct cel_zarr_group *priv = group->priv;
    int rc = priv ? gather_node(g, priv->path) : CEL_OK; /* NULL: never saved */

    for (size_t i = 0; rc == CEL_OK && i < group->vars.n; i++) {
        const struct cel_zarr_array *a = ((struct cel_var *)group->vars.at[i])->priv;
        rc = a ? gather_node(g, a->path) : CEL_OK;
    }
    if (rc == CEL_OK)
        rc = gather_unreadable(g, group);
    for (size_t i = 0; rc == CEL_OK && i < group->groups.n; i++)
        rc = gather_group(g, group->groups.at[i]);
    return rc;
}

static int put_in_group(struct zarr *z, const char *path, struct cel_json *holder)
{
    struct cel_json *doc = NULL;
    int rc = cel_zarr_get_json(z, path, "zarr.json", &doc);

    if (rc == CEL_OK)
        rc = cel_json_set(doc, "consolidated_metadata", holder);
    else
        cel_json_free(holder);
    if (rc == CEL_OK)
        rc = cel_zarr_put_json_last(z, path, "zarr.json", doc);
    cel_json_free(doc);
    return rc;
}

static int write_one(struct zarr *z, const struct cel_group *group, const char *path)
{
    struct gathered g = {z, *path ? strlen(path) + 1 : 0, cel_json_new_object()};
    struct cel_json *holder = NULL;
    int rc = g.map ? gather_group(&g, group) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = z->version == 2 ? hold_v2(&g.map, &holder) : hold_v3(&g.map, &holder);
    cel_json_free(g.map);
    if (rc != CEL_OK)
        return rc;
    if (z->version == 3)
        return put_in_group(z, path, holder);
    rc = cel_zarr_put_json_last(z, path, ".zmetadata", holder);
    cel_json_free(holder);
    return rc;
}

/* Whether a group has such a document, or is to have one. */
static int is_wanted(struct zarr *z, const struct cel_zarr_group *priv, bool *out)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    uint64_t size;
    int rc = CEL_OK;

    *out = priv->consolidated || (z->consolidated && !*priv->path);
    if (*out || z->version == 3)
        return CEL_OK;
    rc = cel_zarr_key(priv->path, ".zmetadata", &key);
    if (rc == CEL_OK)
        rc = cel_store_size(z->store, key.data, &size);
    *out = rc == CEL_OK;
    cel_buf_dispose(&key);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

/* Those of groups below come first: they are in the one of a group above. */
static int save_group(struct zarr *z, const struct cel_group *group)
{
    const struct cel_zarr_group *priv = group->priv;
    bool wanted = false;
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < group->groups.n; i++)
        rc = save_group(z, group->groups.at[i]);
    if (rc == CEL_OK && priv)
        rc = is_wanted(z, priv, &wanted);
    return rc == CEL_OK && wanted ? write_one(z, group, priv->path) : rc;
}

int cel_zarr_consolidated_save(struct cel_dataset *ds)
{
    struct zarr *z = cel_zarr_of(ds);
    int rc = save_group(z, ds->root);

    if (rc == CEL_OK)
        z->changed = false;
    return rc;
}
