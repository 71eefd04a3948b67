/* SPDX-License-Identifier: BSD-3-Clause */
/* Which characters may be shown, and what stands for the others. */

#include "safe.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lead byte -> length, and the smallest code that needs it. */
static const struct {
    unsigned char mask, lead;
    unsigned least;
} form[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

size_t safe_next(const char *s, size_t len, unsigned *code)
{
    unsigned char first = (unsigned char)s[0];
    size_t n = 0;

    *code = SAFE_NO_CHAR;
    while (n < sizeof form / sizeof *form && (first & form[n].mask) != form[n].lead)
        n++;
    if (n == sizeof form / sizeof *form || n >= len)
        return 1;
    unsigned c = first & (unsigned char)~form[n].mask;
    for (size_t i = 1; i <= n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 1;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < form[n].least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 1;
    *code = c;
    return n + 1;
}

bool safe_is_hidden(unsigned code)
{
    return code < ' ' || (code >= 0x7f && code <= 0x9f) || code == SAFE_NO_CHAR;
}

void safe_put(struct text *out, const char *s, size_t len)
{
    unsigned code;

    for (size_t i = 0, n; i < len; i += n) {
        n = safe_next(s + i, len - i, &code);
        if (!safe_is_hidden(code))
            text_putn(out, s + i, n);
        for (size_t k = 0; safe_is_hidden(code) && k < n; k++)
            text_printf(out, "\\%03o", (unsigned char)s[i + k]);
    }
}

char *safe_copy(const char *s)
{
    struct text t = {0};

    safe_put(&t, s, strlen(s));
    return text_take(&t);
}

/* "user:password@" at the start: passwords may hold a '/', where what stands before it is no host with a port. */
static size_t user_len(const char *host, size_t n)
{
    size_t first = strcspn(host, "/"), colon = strcspn(host, ":"), len = 0;
    bool is_port = colon < first && colon + 1 + strspn(host + colon + 1, "0123456789") == first;

    for (size_t i = 0; i < (colon < first && !is_port ? n : first) && i < n; i++)
        if (host[i] == '@')
            len = i + 1;
    return len;
}

bool safe_is_remote(const char *path)
{
    return strstr(path, "://") && strncmp(path, "file://", 7) != 0;
}

char *safe_url(const char *path)
{
    const char *scheme = strstr(path, "://"), *host = scheme ? scheme + 3 : path, *fragment;
    struct text t = {0};
    size_t n;

    if (!safe_is_remote(path))
        return tool_strdup(path);
    n = strcspn(host, "#");
    fragment = host + n;
    n = user_len(host, n);
    text_printf(&t, "%.*s%.*s%s", (int)(host - path), path, (int)strcspn(host + n, "?#"), host + n, fragment);
    return text_take(&t);
}

static bool has_hidden(const char *s, size_t len)
{
    unsigned code;

    for (size_t i = 0; i < len;) {
        i += safe_next(s + i, len - i, &code);
        if (safe_is_hidden(code))
            return true;
    }
    return false;
}

static void put_escaped(struct text *out, const char *s)
{
    for (; *s; s++)
        text_printf(out, isalnum((unsigned char)*s) ? "%c" : "\\%03o", (unsigned char)*s);
}

static void put_single_quoted(struct text *out, const char *s)
{
    for (; *s; s++)
        text_puts(out, *s == '\'' ? "'\\''" : (char[]){*s, '\0'});
}

void safe_put_word(struct text *out, const char *s)
{
    static const char unquoted[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+@%-";

    if (*s == '-')
        text_puts(out, "./");
    if (has_hidden(s, strlen(s))) {
        text_puts(out, "$'");
        put_escaped(out, s);
        text_putc(out, '\'');
    } else if (strpbrk(s, "\"$`\\!")) {
        text_putc(out, '\'');
        put_single_quoted(out, s);
        text_putc(out, '\'');
    } else {
        text_printf(out, *s && !s[strspn(s, unquoted)] ? "%s" : "\"%s\"", s);
    }
}

void safe_print(struct text *line)
{
    char *safe = safe_copy(text_get(line));

    puts(safe);
    free(safe);
    text_free(line);
}

void safe_put_json(struct text *out, const char *s, size_t len)
{
    unsigned code;

    text_putc(out, '"');
    for (size_t i = 0, n; i < len; i += n) {
        n = safe_next(s + i, len - i, &code);
        if (code == '"' || code == '\\')
            text_printf(out, "\\%c", s[i]);
        else if (code == '\n')
            text_puts(out, "\\n");
        else if (safe_is_hidden(code))
            text_printf(out, "\\u%04x", code == SAFE_NO_CHAR ? 0xfffd : code);
        else
            text_putn(out, s + i, n);
    }
    text_putc(out, '"');
}
