/* Consolidated metadata: all documents of a store in one, found by their key. The folders that the keys
 * lie in are gathered once, into a tree, so that listing each group is not a search through all keys;
 * folders keep the order in which the document first names them. */
#include "zarr_int.h"
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

/* Deeper than groups may be, nobody looks. */
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
