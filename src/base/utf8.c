/* Normal form C through libutf8proc, with its work area from our own allocator:
 * decompose to code points, compose, and write UTF-8 back into the same room. */
#include "utf8.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define NORMAL_FORM (UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE)

bool cel_utf8_is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return false;
    return true;
}

bool cel_utf8_valid(const char *text)
{
    const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)text;
    utf8proc_ssize_t left = (utf8proc_ssize_t)strlen(text);
    utf8proc_int32_t point;

    while (left > 0) {
        utf8proc_ssize_t n = utf8proc_iterate(at, left, &point);
        if (n <= 0)
            return false;
        at += n;
        left -= n;
    }
    return true;
}

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
