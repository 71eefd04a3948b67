/* SPDX-License-Identifier: BSD-3-Clause */
/* All keys of the store, for cellar_inq_keys(). */
#include "vec.h"
#include "zarr_int.h"

enum { KEYS_MAX = 1 << 30, DEPTH_MAX = 64 };

struct level {
    const char *prefix;
    struct cel_buf *keys;   /* each ended by a NUL */
    struct cel_vec folders; /* prefixes to go on with */
};

static int join(const char *prefix, const char *name, char **out)
{
    struct cel_buf path = CEL_BUF_INIT(1 << 20);
    int rc = *prefix ? cel_buf_printf(&path, "%s/%s", prefix, name) : cel_buf_puts(&path, name);

    if (rc == CEL_OK)
        rc = cel_buf_take_string(&path, out);
    cel_buf_dispose(&path);
    return rc;
}

static int note(void *context, const char *name, bool is_prefix)
{
    struct level *level = context;
    char *key = NULL;
    int rc = join(level->prefix, name, &key);

    if (rc == CEL_OK)
        rc = is_prefix ? cel_vec_add(&level->folders, key) : cel_buf_add(level->keys, key, strlen(key) + 1);
    if (rc != CEL_OK || !is_prefix)
        free(key);
    return rc;
}

/* The store is not asked again while it lists: what lies deeper comes afterwards. */
static int list(struct cel_store *store, const char *prefix, struct cel_buf *keys, int depth)
{
    struct level level = {.prefix = prefix, .keys = keys};
    int rc = depth < DEPTH_MAX ? cel_store_list(store, prefix, note, &level)
                               : cel_fail(NC_EIO, "%s: more than %d folders within one another", prefix, DEPTH_MAX);

    for (size_t i = 0; i < level.folders.n; i++) {
        if (rc == CEL_OK)
            rc = list(store, level.folders.at[i], keys, depth + 1);
        free(level.folders.at[i]);
    }
    cel_vec_dispose(&level.folders);
    return rc;
}

int cel_zarr_keys(struct cel_dataset *ds, char **out)
{
    struct cel_buf keys = CEL_BUF_INIT(KEYS_MAX);
    int rc = list(cel_zarr_of(ds)->store, "", &keys, 0);

    if (rc == CEL_OK)
        rc = cel_buf_take_string(&keys, out);
    cel_buf_dispose(&keys);
    return rc;
}
