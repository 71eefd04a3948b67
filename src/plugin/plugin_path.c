/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of plugin directories: one for the process, under its own lock. It is
 * taken from HDF5_PLUGIN_PATH the first time it is needed. */
#include "buf.h"
#include "dl.h"
#include "env.h"
#include "mem.h"
#include "plugin.h"
#include "fork.h"
#include "thread.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define LIST_SEPARATOR ';'
#else
#define LIST_SEPARATOR ':'
#endif

static struct {
    struct cel_mutex lock;
    bool started;
    size_t n;
    char **dir;
    size_t version;
    bool looked_beside;
    char beside[4096]; /* "": there is no such folder */
} path = {.lock = CEL_MUTEX_INIT};

CEL_FORK_LOCK(CEL_FORK_PATH, &path.lock, false, NULL);

void cel_plugin_path_free(size_t n, char **dirs)
{
    for (size_t i = 0; dirs && i < n; i++)
        free(dirs[i]);
    free(dirs);
}

static int copy_dirs(size_t n, char *const *dirs, char ***out)
{
    char **copy = cel_calloc(n, sizeof *copy);

    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = cel_strdup(dirs[i] ? dirs[i] : "");
        if (!copy[i]) {
            cel_plugin_path_free(n, copy);
            return NC_ENOMEM;
        }
    }
    *out = copy;
    return copy ? CEL_OK : NC_ENOMEM;
}

int cel_plugin_path_split(const char *text, size_t len, char sep, size_t *n, char ***dirs)
{
    size_t count = len > 0, at = 0;
    char **list;

    for (size_t i = 0; i < len; i++)
        count += text[i] == sep;
    list = cel_calloc(count, sizeof *list);
    if (!list)
        return NC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        size_t start = at;

        while (at < len && text[at] != sep)
            at++;
        list[i] = cel_strndup(text + start, at - start);
        if (!list[i]) {
            cel_plugin_path_free(count, list);
            return NC_ENOMEM;
        }
        at++;
    }
    *n = count;
    *dirs = list;
    return CEL_OK;
}

/* The lock is held. */
static int start(void)
{
    const char *text = cel_env_plugin_path();
    int rc = CEL_OK;

    if (path.started)
        return CEL_OK;
    if (text)
        rc = cel_plugin_path_split(text, strlen(text), LIST_SEPARATOR, &path.n, &path.dir);
    path.started = rc == CEL_OK;
    return rc;
}

int cel_plugin_path_get(size_t *n, char ***dirs)
{
    int rc;

    cel_lock(&path.lock);
    rc = start();
    if (rc == CEL_OK)
        rc = copy_dirs(path.n, path.dir, dirs);
    if (rc == CEL_OK)
        *n = path.n;
    cel_unlock(&path.lock);
    return rc;
}

int cel_plugin_path_set(size_t n, char *const *dirs)
{
    char **copy;
    int rc = copy_dirs(n, dirs, &copy);

    if (rc != CEL_OK)
        return rc;
    cel_lock(&path.lock);
    cel_plugin_path_free(path.n, path.dir);
    path.dir = copy;
    path.n = n;
    path.started = true;
    path.version++;
    cel_unlock(&path.lock);
    return CEL_OK;
}

size_t cel_plugin_path_version(void)
{
    size_t version;

    cel_lock(&path.lock);
    version = path.version;
    cel_unlock(&path.lock);
    return version;
}

/* Beside the library, since an installation may have been moved; else where it was to be installed. */
const char *cel_plugin_built_in_dir(void)
{
    cel_lock(&path.lock);
    if (!path.looked_beside && sizeof CEL_PLUGIN_BESIDE > 1)
        cel_dl_beside(CEL_PLUGIN_BESIDE, path.beside, sizeof path.beside);
    path.looked_beside = true;
    cel_unlock(&path.lock);
    return path.beside[0] ? path.beside : CEL_PLUGIN_DIR;
}

static int add_dir(const char *dir, struct cel_buf *out)
{
    int rc = dir[0] && out->len ? cel_buf_puts(out, ", ") : CEL_OK;

    return rc == CEL_OK ? cel_buf_puts(out, dir) : rc;
}

int cel_plugin_tried(struct cel_buf *out)
{
    char **dirs = NULL;
    size_t n = 0;
    int rc;

    if (cel_env_no_plugins())
        return CEL_OK;
    rc = cel_plugin_path_get(&n, &dirs);
    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        rc = add_dir(dirs[i], out);
    cel_plugin_path_free(n, dirs);
    return rc == CEL_OK ? add_dir(cel_plugin_built_in_dir(), out) : rc;
}
