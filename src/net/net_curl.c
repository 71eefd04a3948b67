/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads libcurl (net_curl.h). Its symbols stay out of the process. */
#include "net_curl.h"
#include "exit.h"
#include "status.h"
#include <dlfcn.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct cel_curl cel_curl;

static const struct {
    const char *name;
    void *member;
} wanted[] = {
#define MEMBER(name) {"curl_" #name, &cel_curl.name},
    CEL_CURL_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* All have the same functions; Debian's other builds of it have names of their own. */
static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};

static void *load(void)
{
    void *lib = NULL;

    for (size_t i = 0; !lib && i < sizeof files / sizeof *files; i++)
        lib = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    return lib;
}

static int find_all(void *lib)
{
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(lib, wanted[i].name);

        if (!found)
            return cel_fail(NC_ENOTBUILT, "libcurl has no %s: install version 7.68 or newer", wanted[i].name);
        memcpy(wanted[i].member, &found, sizeof found);
    }
    return CEL_OK;
}

/* The library for TLS ends by an exit handler, which it has set by now: what is not written must go out before. */
static int start(void)
{
    if (cel_curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return cel_fail(NC_ECURL, "libcurl does not start");
    atexit(cel_exit_flush);
    return CEL_OK;
}

int cel_curl_load(void)
{
    static bool loaded;
    void *lib;
    int rc;

    if (loaded)
        return CEL_OK;
    lib = load();
    if (!lib)
        return cel_fail(NC_ENOTBUILT,
                        "URLs are opened with libcurl, which was not found: install it (Debian: libcurl4)");
    rc = find_all(lib);
    if (rc == CEL_OK)
        rc = start();
    loaded = rc == CEL_OK;
    return rc;
}
