/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin search path: nc_plugin_path_*, and the lists of directories of
 * netcdf_aux.h, in C and as one string with ';' for Fortran. */
#include "api.h"
#include "mem.h"
#include "plugin.h"
#include <netcdf_aux.h>
#include <netcdf_filter.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define PLATFORM_SEPARATOR ';'
#else
#define PLATFORM_SEPARATOR ':'
#endif
#define FORTRAN_SEPARATOR ';'

static int no_list(void)
{
    return cel_fail(NC_EINVAL, "no list of directories was given");
}

/* --- the path ------------------------------------------------------------------------------ */

int nc_plugin_path_ndirs(size_t *ndirsp)
{
    char **dirs;
    size_t n;
    int rc = cel_plugin_path_get(&n, &dirs);

    if (rc != CEL_OK)
        return rc;
    cel_output(ndirsp, n);
    cel_plugin_path_free(n, dirs);
    return NC_NOERR;
}

/* A list with room of its own gets as many as it says it has room for. */
static int fill_given(NCPluginList *list, size_t n, char **dirs)
{
    if (list->ndirs < n) {
        cel_plugin_path_free(n, dirs);
        return cel_fail(NC_EINVAL, "the list has room for %zu directories, there are %zu", list->ndirs, n);
    }
    memcpy(list->dirs, dirs, n * sizeof *dirs);
    list->ndirs = n;
    free(dirs);
    return NC_NOERR;
}

int nc_plugin_path_get(NCPluginList *list)
{
    char **dirs;
    size_t n;
    int rc = list ? cel_plugin_path_get(&n, &dirs) : no_list();

    if (rc != CEL_OK)
        return rc;
    if (list->dirs)
        return fill_given(list, n, dirs);
    list->ndirs = n;
    list->dirs = dirs;
    return NC_NOERR;
}

int nc_plugin_path_set(NCPluginList *list)
{
    if (!list || (list->ndirs && !list->dirs))
        return no_list();
    return cel_plugin_path_set(list->ndirs, list->dirs);
}

/* --- lists ------------------------------------------------------------------------------------ */

int ncaux_plugin_path_parsen(size_t pathlen, const char *pathlist, char sep, NCPluginList *list)
{
    if (!list || (pathlen && !pathlist))
        return no_list();
    return cel_plugin_path_split(pathlist, pathlen, sep ? sep : PLATFORM_SEPARATOR, &list->ndirs, &list->dirs);
}

int ncaux_plugin_path_parse(const char *pathlist, char sep, NCPluginList *list)
{
    return ncaux_plugin_path_parsen(pathlist ? strlen(pathlist) : 0, pathlist, sep, list);
}

static int join(size_t n, char *const *dirs, char sep, char **out)
{
    struct cel_buf text = CEL_BUF_INIT(1 << 20);
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < n; i++) {
        rc = i ? cel_buf_add(&text, &sep, 1) : CEL_OK;
        if (rc == CEL_OK && dirs[i])
            rc = cel_buf_puts(&text, dirs[i]);
    }
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, out);
    cel_buf_dispose(&text);
    return rc;
}

int ncaux_plugin_path_tostring(const NCPluginList *list, char sep, char **catp)
{
    char *text;
    int rc;

    if (!list || (list->ndirs && !list->dirs))
        return no_list();
    rc = join(list->ndirs, list->dirs, sep ? sep : PLATFORM_SEPARATOR, &text);
    if (rc != CEL_OK)
        return rc;
    if (catp)
        *catp = text;
    else
        free(text);
    return NC_NOERR;
}

int ncaux_plugin_path_clear(NCPluginList *list)
{
    if (!list)
        return NC_NOERR;
    cel_plugin_path_free(list->ndirs, list->dirs);
    *list = (NCPluginList){0};
    return NC_NOERR;
}

int ncaux_plugin_path_reclaim(NCPluginList *list)
{
    ncaux_plugin_path_clear(list);
    free(list);
    return NC_NOERR;
}

static int insert(NCPluginList *list, size_t at, const char *dir)
{
    char **more, *copy;

    if (!list || !dir)
        return no_list();
    copy = cel_strdup(dir);
    more = copy ? cel_realloc(list->dirs, list->ndirs + 1, sizeof *more) : NULL;
    if (!more) {
        free(copy);
        return NC_ENOMEM;
    }
    memmove(more + at + 1, more + at, (list->ndirs - at) * sizeof *more);
    more[at] = copy;
    list->dirs = more;
    list->ndirs++;
    return NC_NOERR;
}

int ncaux_plugin_path_append(NCPluginList *list, const char *dir)
{
    return insert(list, list ? list->ndirs : 0, dir);
}

int ncaux_plugin_path_prepend(NCPluginList *list, const char *dir)
{
    return insert(list, 0, dir);
}

/* --- for Fortran ---------------------------------------------------------------------------------- */

static int path_as_string(char **out)
{
    char **dirs;
    size_t n;
    int rc = cel_plugin_path_get(&n, &dirs);

    if (rc != CEL_OK)
        return rc;
    rc = join(n, dirs, FORTRAN_SEPARATOR, out);
    cel_plugin_path_free(n, dirs);
    return rc;
}

int ncaux_plugin_path_stringlen(void)
{
    char *text;
    int n;

    if (path_as_string(&text) != CEL_OK)
        return -1;
    n = (int)strlen(text);
    free(text);
    return n;
}

int ncaux_plugin_path_stringget(int pathlen, char *path)
{
    char *text;
    int rc;

    if (pathlen <= 0 || !path)
        return cel_fail(NC_EINVAL, "no room for the path was given");
    rc = path_as_string(&text);
    if (rc != CEL_OK)
        return rc;
    strncpy(path, text, (size_t)pathlen); /* as Fortran's strings: NUL-terminated only where there is room */
    if (strlen(text) > (size_t)pathlen)
        rc = cel_fail(NC_EINVAL, "the path has %zu characters, there is room for %d", strlen(text), pathlen);
    free(text);
    return rc;
}

int ncaux_plugin_path_stringset(int pathlen, const char *path)
{
    size_t n;
    char **dirs;
    int rc;

    if (pathlen <= 0 || !path)
        return cel_fail(NC_EINVAL, "no path was given");
    rc = cel_plugin_path_split(path, strnlen(path, (size_t)pathlen), FORTRAN_SEPARATOR, &n, &dirs);
    if (rc != CEL_OK)
        return rc;
    rc = cel_plugin_path_set(n, dirs);
    cel_plugin_path_free(n, dirs);
    return rc;
}
