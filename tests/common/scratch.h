/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder of the test's own, below TMPDIR, removed at exit. Programs only, no libraries: one per process. */
#ifndef CEL_TEST_SCRATCH_H
#define CEL_TEST_SCRATCH_H

#include "common/tree.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch_folder[400];
static pid_t scratch_owner;

static inline void scratch_remove(void)
{
    if (*scratch_folder && scratch_owner == getpid())
        remove_tree(scratch_folder);
}

static inline const char *scratch_make(void)
{
    const char *top = getenv("TMPDIR");

    snprintf(scratch_folder, sizeof scratch_folder, "%s/cellar-test-XXXXXX", top ? top : "/tmp");
    if (!mkdtemp(scratch_folder)) {
        perror(scratch_folder);
        exit(1);
    }
    scratch_owner = getpid();
    atexit(scratch_remove);
    return scratch_folder;
}

/* A path in it: format and arguments as printf's. One of eight buffers, used in turns. */
static inline const char *scratch(const char *fmt, ...)
{
    static char path[8][1024];
    static int turn;
    char *out = path[turn++ % 8], tail[500];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(tail, sizeof tail, fmt, ap);
    va_end(ap);
    snprintf(out, sizeof path[0], "%s/%s", scratch_folder, tail);
    return out;
}

/* The same as a URL: scratch_url("t.zarr", "nczarr,file"). */
static inline const char *scratch_url(const char *name, const char *mode)
{
    static char url[4][1200];
    static int turn;
    char *out = url[turn++ % 4];

    snprintf(out, sizeof url[0], "file://%s/%s#mode=%s", scratch_folder, name, mode);
    return out;
}

/* Ends the test where something that must hold does not. */
#define MUST(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            exit(1); \
        } \
    } while (0)

#endif
