/* SPDX-License-Identifier: BSD-3-Clause */
/* Growable bytes. Growth doubles, so that adding is cheap on average, and never
 * passes the maximum the owner gave. */
#include "buf.h"
#include "mem.h"
#include <assert.h>
#include <netcdf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cel_buf_reserve(struct cel_buf *b, size_t cap)
{
    size_t grown = b->cap ? b->cap : 64;
    char *p;

    assert(b->len <= b->cap);
    if (cap <= b->cap)
        return CEL_OK;
    if (cap > b->max)
        return cel_fail(NC_ENOMEM, "%zu bytes are more than the limit of %zu", cap, b->max);
    while (grown < cap)
        grown = grown > b->max / 2 ? b->max : grown * 2;
    p = cel_realloc(b->data, grown, 1);
    if (!p)
        return NC_ENOMEM;
    b->data = p;
    b->cap = grown;
    return CEL_OK;
}

int cel_buf_resize(struct cel_buf *b, size_t len)
{
    int rc = cel_buf_reserve(b, len);

    if (rc == CEL_OK)
        b->len = len;
    return rc;
}

int cel_buf_add(struct cel_buf *b, const void *p, size_t n)
{
    size_t at = b->len;
    int rc = n > b->max - at ? cel_buf_reserve(b, (size_t)-1) : cel_buf_resize(b, at + n);

    if (rc == CEL_OK && n)
        memcpy(b->data + at, p, n);
    return rc;
}

int cel_buf_puts(struct cel_buf *b, const char *text)
{
    return cel_buf_add(b, text, strlen(text));
}

int cel_buf_printf(struct cel_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    int n, rc;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    rc = n < 0 ? cel_fail(NC_EINVAL, "text cannot be formatted") : cel_buf_reserve(b, b->len + (size_t)n + 1);
    if (rc == CEL_OK) {
        vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
    return rc;
}

int cel_buf_take_string(struct cel_buf *b, char **out)
{
    int rc = cel_buf_add(b, "", 1);

    if (rc != CEL_OK)
        return rc;
    *out = b->data;
    *b = CEL_BUF_INIT(b->max);
    return CEL_OK;
}

void cel_buf_dispose(struct cel_buf *b)
{
    free(b->data);
    *b = CEL_BUF_INIT(b->max);
}
