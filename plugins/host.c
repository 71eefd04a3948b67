/* SPDX-License-Identifier: BSD-3-Clause */
/* A symbol is looked up first in the library that contains the caller and in its dependencies: one process may
 * have several copies of libhdf5, and Python loads its modules with local scope. */
#include "host.h"
#include "status.h"
#include <dlfcn.h>
#include <stdint.h>

void *cel_host_find(const void *caller, const char *name)
{
    void *library = NULL, *found = NULL;
    Dl_info info;

    if (dladdr(caller, &info) && info.dli_fname)
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        found = dlsym(library, name);
        dlclose(library);
    }
    return found ? found : dlsym(RTLD_DEFAULT, name);
}

typedef int push_fn(int64_t stack, const char *file, const char *function, unsigned line, int64_t library,
                    int64_t major, int64_t minor, const char *format, ...);

void cel_host_report(const void *caller)
{
    push_fn *push = (push_fn *)cel_host_find(caller, "H5Epush2");
    const int64_t *library = cel_host_find(caller, "H5E_ERR_CLS_g");
    const int64_t *major = cel_host_find(caller, "H5E_PLINE_g");
    const int64_t *minor = cel_host_find(caller, "H5E_CALLBACK_g");

    if (push && library && major && minor && cel_error_text()[0])
        push(0, "cellar", "filter", 0, *library, *major, *minor, "%s", cel_error_text());
}
