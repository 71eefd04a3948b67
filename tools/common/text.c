/* SPDX-License-Identifier: BSD-3-Clause */
/* Growable text and checked memory for the tools. */

#include "text.h"
#include "msg.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_die(void *p)
{
    if (!p)
        msg_die(MSG_FAILED, "out of memory");
    return p;
}

void *tool_alloc(size_t n, size_t size)
{
    return or_die(calloc(n ? n : 1, size ? size : 1));
}

void *tool_grow(void *p, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        return or_die(NULL);
    return or_die(realloc(p, n && size ? n * size : 1));
}

char *tool_strndup(const char *s, size_t len)
{
    char *copy = tool_alloc(len + 1, 1);

    memcpy(copy, s, len);
    return copy;
}

char *tool_strdup(const char *s)
{
    return tool_strndup(s, strlen(s));
}

void *tool_push(void *list, size_t n, size_t size)
{
    if (n & (n - 1))
        return list;
    return tool_grow(list, n ? 2 * n : 1, size);
}

static void reserve(struct text *t, size_t more)
{
    size_t cap = t->cap ? t->cap : 64;

    if (t->len + more < t->cap)
        return;
    while (cap <= t->len + more)
        cap *= 2;
    t->s = tool_grow(t->s, cap, 1);
    t->cap = cap;
}

void text_putn(struct text *t, const char *s, size_t n)
{
    reserve(t, n);
    memcpy(t->s + t->len, s, n);
    t->len += n;
    t->s[t->len] = '\0';
}

void text_puts(struct text *t, const char *s)
{
    text_putn(t, s, strlen(s));
}

void text_putc(struct text *t, char c)
{
    text_putn(t, &c, 1);
}

/* Most pieces are short: they are printed into the space there is; longer ones are printed again. */
void text_vprintf(struct text *t, const char *fmt, va_list ap)
{
    va_list again;
    size_t space;
    int n;

    va_copy(again, ap);
    reserve(t, 32);
    space = t->cap - t->len;
    n = vsnprintf(t->s + t->len, space, fmt, ap);
    if (n > 0 && (size_t)n >= space) {
        reserve(t, (size_t)n);
        vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    t->len += n > 0 ? (size_t)n : 0;
}

void text_printf(struct text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    text_vprintf(t, fmt, ap);
    va_end(ap);
}

void text_clear(struct text *t)
{
    t->len = 0;
    if (t->s)
        t->s[0] = '\0';
}

const char *text_get(const struct text *t)
{
    return t->s ? t->s : "";
}

char *text_take(struct text *t)
{
    char *s = t->s ? t->s : tool_strdup("");

    *t = (struct text){0};
    return s;
}

void text_free(struct text *t)
{
    free(t->s);
    *t = (struct text){0};
}

char *text_read_file(const char *path, size_t *len)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    struct text t = {0};
    char block[65536];
    size_t n;
    int bad;

    if (!f)
        return NULL;
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        text_putn(&t, block, n);
    bad = ferror(f) ? errno : 0;
    if (f != stdin)
        fclose(f);
    if (bad) {
        text_free(&t);
        errno = bad;
        return NULL;
    }
    *len = t.len;
    return text_take(&t);
}
