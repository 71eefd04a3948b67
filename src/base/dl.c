/* SPDX-License-Identifier: BSD-3-Clause */
/* dlopen and friends. A function's address comes out of dlsym as a data pointer;
 * POSIX promises that both have the same form, C does not, so it goes through memory. */
#include "dl.h"
#include "status.h"
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cel_dl *cel_dl_open(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *why;

    if (!lib) {
        why = dlerror();
        cel_fail(NC_EPLUGIN, "%s", why ? why : "the library cannot be loaded");
    }
    return lib;
}

void cel_dl_close(struct cel_dl *lib)
{
    if (lib)
        dlclose(lib);
}

cel_function cel_dl_function(struct cel_dl *lib, const char *name)
{
    void *found = dlsym(lib ? (void *)lib : RTLD_DEFAULT, name);
    cel_function f = NULL;

    if (found)
        memcpy(&f, &found, sizeof f);
    return f;
}

void cel_dl_beside(const char *name, char *out, size_t cap)
{
    static const char here = 0;
    char file[PATH_MAX], folder[PATH_MAX + 64];
    Dl_info info;

    out[0] = '\0';
    if (!dladdr(&here, &info) || !info.dli_fname || info.dli_fname[0] != '/' || !realpath(info.dli_fname, file))
        return;
    *strrchr(file, '/') = '\0';
    snprintf(folder, sizeof folder, "%s/%s", file, name);
    if (strlen(folder) < cap && realpath(folder, file) && strlen(file) < cap)
        strcpy(out, file);
}

static int compare_name(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *name = context, *slash = strrchr(info->dlpi_name, '/');

    (void)size;
    return strncmp(slash ? slash + 1 : info->dlpi_name, name, strlen(name)) == 0;
}

bool cel_dl_is_loaded(const char *name)
{
    return dl_iterate_phdr(compare_name, (void *)name) != 0;
}
