/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the tree of a store begins, and which version it is of. A root without documents of its own is
 * the group of what lies below it; so is any folder on the way to an array. */
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>
#include <string.h>

enum { LOOK_DEPTH = 8 }; /* folders without documents, one in another */

static const char *const of_v2[] = {".zgroup", ".zarray", ".zmetadata", ".nczarr", ".zattrs"};

/* CEL_ABSENT: path has no such document. */
static int find_document(struct zarr *z, const char *path, const char *name)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    uint64_t size;
    int rc = cel_zarr_key(path, name, &key);

    if (rc == CEL_OK && z->all)
        rc = cel_json_get(z->all, key.data) ? CEL_OK : CEL_ABSENT;
    else if (rc == CEL_OK)
        rc = cel_store_size(z->store, key.data, &size);
    cel_buf_dispose(&key);
    return rc;
}

/* The version of the documents right at path: CEL_ABSENT when it has none. */
static int version_at(struct zarr *z, const char *path, int *version)
{
    int rc = CEL_ABSENT;

    *version = 2;
    for (size_t i = 0; rc == CEL_ABSENT && i < sizeof of_v2 / sizeof *of_v2; i++)
        rc = find_document(z, path, of_v2[i]);
    if (rc != CEL_ABSENT)
        return rc;
    *version = 3;
    return find_document(z, path, "zarr.json");
}

static int add_folder(void *context, const char *name, bool is_prefix)
{
    char *copy = is_prefix && *name != '.' ? cel_strdup(name) : NULL;
    int rc = copy ? cel_vec_add(context, copy) : is_prefix && *name != '.' ? NC_ENOMEM : CEL_OK;

    if (rc != CEL_OK)
        free(copy);
    return rc;
}

static void free_names(struct cel_vec *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->at[i]);
    cel_vec_dispose(names);
}

/* The version of the first documents below path: CEL_ABSENT when there are none. */
static int version_below(struct zarr *z, const char *path, int depth, int *version)
{
    struct cel_buf child = CEL_BUF_INIT(1 << 20);
    struct cel_vec names = {0};
    int rc = depth < LOOK_DEPTH ? cel_store_list(z->store, path, add_folder, &names) : CEL_OK;

    if (rc == CEL_OK)
        rc = CEL_ABSENT;
    for (size_t i = 0; rc == CEL_ABSENT && i < names.n; i++) {
        rc = cel_zarr_key(path, names.at[i], &child);
        if (rc == CEL_OK)
            rc = version_at(z, child.data, version);
        if (rc == CEL_ABSENT)
            rc = version_below(z, child.data, depth + 1, version);
    }
    free_names(&names);
    cel_buf_dispose(&child);
    return rc;
}

int cel_zarr_find_below(struct zarr *z, const char *path)
{
    int version, rc = version_below(z, path, 0, &version);

    return rc == CEL_OK && version != z->version ? CEL_ABSENT : rc;
}

/* Whether path holds a group's documents. */
static int find_group(struct zarr *z, const char *path, bool *found)
{
    struct cel_json *doc = NULL;
    const char *node;
    int version, rc = version_at(z, path, &version);

    *found = false;
    if (rc != CEL_OK)
        return rc == CEL_ABSENT ? CEL_OK : rc;
    if (version == 2) {
        rc = find_document(z, path, ".zarray");
        *found = rc == CEL_ABSENT;
        return rc == CEL_ABSENT ? CEL_OK : rc;
    }
    rc = cel_zarr_get_json(z, path, "zarr.json", &doc);
    node = cel_json_string(cel_json_get(doc, "node_type"), NULL);
    *found = node && strcmp(node, "group") == 0;
    cel_json_free(doc);
    return rc == NC_ENCZARR ? CEL_OK : rc;
}

/* netCDF-C puts everything in a zip archive below one folder, which is the root then. */
static int enter_only_folder(struct zarr *z)
{
    struct cel_buf prefix = CEL_BUF_INIT(1 << 16);
    struct cel_vec names = {0};
    bool is_group = false;
    int rc = cel_store_list(z->store, "", add_folder, &names);

    if (rc == CEL_OK && names.n == 1)
        rc = find_group(z, names.at[0], &is_group);
    if (rc == CEL_OK && is_group)
        rc = cel_buf_printf(&prefix, "%s/", (char *)names.at[0]);
    if (rc == CEL_OK && is_group)
        rc = cel_store_set_prefix(z->store, prefix.data);
    free_names(&names);
    cel_buf_dispose(&prefix);
    return rc;
}

static int check_format(struct zarr *z, const char *path)
{
    struct cel_json *doc = NULL;
    int64_t format = 0;
    int rc = cel_zarr_get_json(z, "", "zarr.json", &doc);

    if (rc == CEL_OK && (!cel_json_int(cel_json_get(doc, "zarr_format"), false, &format) || format != 3))
        rc = cel_fail(NC_ENOTZARR,
                      "%s was written by a draft of Zarr version 3 that nothing reads any more; "
                      "write it again with a current library",
                      path);
    cel_json_free(doc);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

int cel_zarr_find_root(struct zarr *z, const char *path)
{
    int rc;

    for (size_t i = 0; i < sizeof of_v2 / sizeof *of_v2; i++)
        cel_store_want_document(z->store, of_v2[i]);
    cel_store_want_document(z->store, "zarr.json");
    rc = version_at(z, "", &z->version);

    if (rc == CEL_ABSENT) {
        rc = enter_only_folder(z);
        if (rc == CEL_OK)
            rc = version_at(z, "", &z->version);
        if (rc == CEL_ABSENT)
            rc = version_below(z, "", 0, &z->version);
    }
    if (rc == CEL_ABSENT)
        return cel_fail(NC_ENOTZARR, "%s is no Zarr store: it holds neither .zgroup, .zarray nor zarr.json", path);
    return rc == CEL_OK && z->version == 3 ? check_format(z, path) : rc;
}
