/* SPDX-License-Identifier: BSD-3-Clause */
/* One line from libhdf5's error stack: the innermost entry knows the reason, the
 * others only who called. */
#include "h5_int.h"
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Thread_local bool of_machine;
static atomic_uint shortages;

struct reason {
    bool resource; /* libhdf5 is short of memory */
    char function[64];
    char text[256];
};

/* Walking upward starts with the innermost entry; that one is enough. */
static herr_t take_first(unsigned n, const H5E_error2_t *error, void *data)
{
    struct reason *r = data;

    if (n == 0) {
        r->resource = error->maj_num == H5E_RESOURCE;
        snprintf(r->function, sizeof r->function, "%s", error->func_name ? error->func_name : "");
        snprintf(r->text, sizeof r->text, "%s", error->desc ? error->desc : "");
    }
    return 0;
}

static struct reason innermost(void)
{
    struct reason r = {0};
    size_t n;

    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &r);
    for (n = strlen(r.text); n > 0 && (r.text[n - 1] == '\n' || r.text[n - 1] == '.'); n--)
        r.text[n - 1] = '\0';
    return r;
}

/* A file that is not there or may not be read is the fault of the object that names it. */
static bool is_shortage(int os)
{
    return os == EIO || os == ENOMEM || os == EMFILE || os == ENFILE;
}

bool cel_h5_of_machine(void)
{
    bool was = of_machine;

    of_machine = false;
    return was;
}

unsigned cel_h5_shortages(void)
{
    return atomic_load(&shortages);
}

int cel_h5_fail(int code, const char *fmt, ...)
{
    char what[512];
    struct reason r = innermost();
    int os = cel_h5_os_error();
    va_list ap;

    of_machine = r.resource || is_shortage(os);
    if (r.resource || (!r.text[0] && !os)) /* no reason at all: there was no memory for it either */
        atomic_fetch_add(&shortages, 1);
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (os == EWOULDBLOCK) /* from nothing but the file lock */
        return cel_fail(
            code, "%s: this or another process has it open; HDF5_USE_FILE_LOCKING=FALSE turns file locks off", what);
    if (os)
        return cel_fail(code, "%s: %s", what, strerror(os));
    if (!r.text[0])
        return cel_fail(code, "%s", what);
    return cel_fail(code, "%s: libhdf5: %s", what, r.text);
}

bool cel_h5_chunk_missing(void)
{
    struct reason r = innermost();

    return strcmp(r.function, "H5D__chunk_direct_read") == 0 &&
           (strstr(r.text, "isn't defined") || strstr(r.text, "not initialized"));
}
