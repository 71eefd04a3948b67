/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads libhdf5 (h5_lib.h). Its symbols stay out of the process: a second libhdf5, of h5py or of a netCDF wheel, neither
 * gives it functions nor gets any of it. Where the process has one for everybody already, ours looks into itself first. */
#define CEL_H5_LINKED /* here names are libhdf5's */
#include "h5_lib.h"
#include "plugin.h"
#include "status.h"
#include <dlfcn.h>
#include <netcdf.h>
#include <stdbool.h>
#include <string.h>

struct cel_h5_lib cel_h5_lib;

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x) /* of what a macro of libhdf5's header stands for */

static const struct {
    const char *name;
    void *member;
} wanted[] = {
#define FUNCTION(name) {TEXT(name), &cel_h5_lib.p_##name},
#define ID(name) {TEXT(name), &cel_h5_lib.p_##name},
#include "h5_lib_list.h"
#undef FUNCTION
#undef ID
};

static bool is_sanitized(void)
{
    return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init");
}

/* Looking into itself first is what the sanitizers do not allow. It also takes libhdf5 away from a malloc of the program's own, and
 * libhdf5 gives out memory that the program frees: so it is done only where it matters. */
static int loading_flags(void)
{
    int flags = RTLD_NOW | RTLD_LOCAL;

#ifdef RTLD_DEEPBIND
    if (dlsym(RTLD_DEFAULT, "H5open") && !is_sanitized())
        flags |= RTLD_DEEPBIND;
#endif
    return flags;
}

/* Where it was when Cellar was built, if the loader does not look there by itself; then where the loader looks. */
static void *load(int flags)
{
    void *lib = NULL;

    if (*CEL_HDF5_FOLDER)
        lib = dlopen(CEL_HDF5_FOLDER "/" CEL_HDF5_SONAME, flags);
    return lib ? lib : dlopen(CEL_HDF5_SONAME, flags);
}

/* A program that links this very libhdf5 may hold its variables: libhdf5 then uses those, and the symbols of the process
 * are the true ones. */
static void *find(void *lib, const char *name)
{
    return dlsym(lib, "H5open") == dlsym(RTLD_DEFAULT, "H5open") ? dlsym(RTLD_DEFAULT, name) : dlsym(lib, name);
}

static int find_all(void *lib)
{
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = find(lib, wanted[i].name);

        if (!found)
            return cel_fail(NC_EHDFERR, "%s has no %s: install the libhdf5 that Cellar was built with (%s)",
                            CEL_HDF5_SONAME, wanted[i].name, H5_VERS_INFO);
        memcpy(wanted[i].member, &found, sizeof found);
    }
    return CEL_OK;
}

int cel_h5_lib_load(void)
{
    static bool loaded;
    const char *why;
    void *lib;
    int rc;

    if (loaded)
        return CEL_OK;
    lib = load(loading_flags());
    if (!lib) {
        why = dlerror();
        return cel_fail(NC_EHDFERR, "libhdf5 is needed and was not loaded: %s; install it (Debian: %s)",
                        why ? why : CEL_HDF5_SONAME, CEL_HDF5_PACKAGE);
    }
    rc = find_all(lib);
    if (rc != CEL_OK)
        dlclose(lib);
    loaded = rc == CEL_OK;
    return rc;
}

/* Structures that libhdf5 and we exchange change with its minor version. */
int cel_h5_lib_check(void)
{
    unsigned major = 0, minor = 0, release = 0;

    cel_h5_lib.p_H5get_libversion(&major, &minor, &release);
    if (major == H5_VERS_MAJOR && minor == H5_VERS_MINOR)
        return CEL_OK;
    return cel_fail(NC_EHDFERR, "%s is libhdf5 %u.%u.%u, and Cellar was built with %d.%d.%d: build Cellar again",
                    CEL_HDF5_SONAME, major, minor, release, H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
}

/* For plugins of others that expect it in the process. */
static bool show_to_all(void)
{
    return load(RTLD_NOW | RTLD_GLOBAL) != NULL;
}

__attribute__((constructor)) static void offer_to_plugins(void)
{
    cel_plugin_use_hdf5(show_to_all);
}
