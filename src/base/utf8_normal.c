/* SPDX-License-Identifier: BSD-3-Clause */
/* Normal form C through libutf8proc, with its work area from our own allocator:
 * decompose to code points, compose, and write UTF-8 back into the same room. Apart from
 * utf8.c, so that plugins, which have no names to compare, do without the library. */
#include "mem.h"
#include "status.h"
#include "utf8.h"
#include <netcdf.h>
#include <stdlib.h>
#include <utf8proc.h>

#define NORMAL_FORM (UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE)

static int not_utf8(void)
{
    return cel_fail(NC_EBADNAME, "a name must be UTF-8 text: it has bytes that are not");
}

static int compose(const char *text, char **out)
{
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text;
    utf8proc_ssize_t n = utf8proc_decompose(bytes, 0, NULL, 0, NORMAL_FORM);
    utf8proc_int32_t *points;

    if (n < 0)
        return not_utf8();
    points = cel_malloc_array((size_t)n + 1, sizeof *points);
    if (!points)
        return NC_ENOMEM;
    n = utf8proc_decompose(bytes, 0, points, n, NORMAL_FORM);
    if (n >= 0)
        n = utf8proc_reencode(points, n, NORMAL_FORM);
    if (n < 0) {
        free(points);
        return not_utf8();
    }
    *out = (char *)points;
    return CEL_OK;
}

int cel_utf8_normal(const char *text, char **out)
{
    if (!cel_utf8_is_ascii(text))
        return compose(text, out);
    *out = cel_strdup(text);
    return *out ? CEL_OK : NC_ENOMEM;
}
