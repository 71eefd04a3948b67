/* SPDX-License-Identifier: BSD-3-Clause */
/* One line per failure, and the nearest name for a misspelt one. */

#include "msg.h"
#include "cellar.h"
#include "safe.h"
#include <ctype.h>
#include <errno.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *tool_name = "cellar";
static char *alias_real, *alias_shown;

void msg_set_tool(const char *name)
{
    tool_name = name;
}

const char *msg_tool(void)
{
    return tool_name;
}

void msg_set_alias(const char *real, const char *shown)
{
    free(alias_real);
    free(alias_shown);
    alias_real = real ? tool_strdup(real) : NULL;
    alias_shown = real ? tool_strdup(shown) : NULL;
}

static void put_aliased(struct text *out, const char *s)
{
    const char *found;

    while (alias_real && (found = strstr(s, alias_real))) {
        text_putn(out, s, (size_t)(found - s));
        text_puts(out, alias_shown);
        s = found + strlen(alias_real);
    }
    text_puts(out, s);
}

static void say(const char *kind, const char *fmt, va_list ap)
{
    struct text given = {0}, t = {0};

    text_vprintf(&given, fmt, ap);
    text_printf(&t, "%s: %s", tool_name, kind);
    put_aliased(&t, text_get(&given));
    text_clear(&given);
    safe_put(&given, text_get(&t), t.len);
    fflush(stdout);
    fprintf(stderr, "%s\n", text_get(&given));
    text_free(&given);
    text_free(&t);
}

void msg_error(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say("", fmt, ap);
    va_end(ap);
}

void msg_warn(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say("warning: ", fmt, ap);
    va_end(ap);
}

void msg_die(enum msg_exit code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say("", fmt, ap);
    va_end(ap);
    exit(code);
}

int msg_finish(int code, int failed)
{
    static bool told;
    bool lost = ferror(stdout) != 0;

    errno = 0;
    if (fflush(stdout) == 0 && !lost)
        return code;
    if (!told)
        msg_error("standard output could not be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    told = true;
    return failed;
}

/* The library names the file and the variable too: what `what` says already is
 * taken off the front of `why`. */
static const char *without_repeats(const char *what, const char *why)
{
    while (*what) {
        const char *end = strstr(what, ": ");
        size_t len = end ? (size_t)(end - what) : strlen(what);
        const char *word = strncmp(what, "variable ", 9) == 0 && len > 9 ? what + 9 : what;
        size_t n = len - (size_t)(word - what);

        if (strncmp(why, word, n) == 0 && strncmp(why + n, ": ", 2) == 0)
            why += n + 2;
        what += end ? len + 2 : len;
    }
    return why;
}

/* The library's text names it, without a password or a token that it may hold. */
static bool is_remote(const char *what)
{
    return safe_is_remote(what) && *cellar_error_part(CELLAR_FILE);
}

int msg_nc(int status, const char *fmt, ...)
{
    struct text what = {0}, why = {0};
    va_list ap;

    put_aliased(&why, cellar_error());
    if (!why.len)
        text_puts(&why, nc_strerror(status));
    va_start(ap, fmt);
    text_vprintf(&what, fmt, ap);
    va_end(ap);
    if (is_remote(text_get(&what)))
        msg_error("%s", text_get(&why));
    else
        msg_error("%s: %s", text_get(&what), without_repeats(text_get(&what), text_get(&why)));
    text_free(&what);
    text_free(&why);
    return MSG_FAILED;
}

static const char *without(const char *why, const char *part)
{
    size_t n = strlen(part);

    return n && strncmp(why, part, n) == 0 && strncmp(why + n, ": ", 2) == 0 ? why + n + 2 : why;
}

char *msg_reason(int status)
{
    const char *why = cellar_error();

    if (!*why)
        return tool_strdup(nc_strerror(status));
    why = without(why, cellar_error_part(CELLAR_FILE));
    return tool_strdup(without(why, cellar_error_part(CELLAR_VARIABLE)));
}

/* Edit distance with swaps of neighbours, letters compared without case. */
static size_t distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), width = nb + 1, result;
    size_t *d = tool_alloc((na + 1) * width, sizeof *d);

    for (size_t i = 0; i <= na; i++)
        for (size_t j = 0; j <= nb; j++) {
            size_t *at = &d[i * width + j];
            bool same = i && j && tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            if (!i || !j) {
                *at = i + j;
                continue;
            }
            *at = d[(i - 1) * width + j - 1] + !same;
            if (d[(i - 1) * width + j] + 1 < *at)
                *at = d[(i - 1) * width + j] + 1;
            if (d[i * width + j - 1] + 1 < *at)
                *at = d[i * width + j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[(i - 2) * width + j - 2] + 1 < *at)
                *at = d[(i - 2) * width + j - 2] + 1;
        }
    result = d[na * width + nb];
    free(d);
    return result;
}

const char *msg_nearest(const char *name, const char *const *candidates, size_t n)
{
    size_t best = strlen(name) / 3 + 2; /* further away it is another word */
    const char *found = NULL;

    for (size_t i = 0; i < n; i++) {
        size_t edits = distance(name, candidates[i]), length = strlen(candidates[i]);

        if (edits < best && edits < (length > strlen(name) ? length : strlen(name))) {
            best = edits;
            found = candidates[i];
        }
    }
    return found;
}
