/* SPDX-License-Identifier: BSD-3-Clause */
/* Error and warning text: one record per thread. Every function here works when
 * there is no memory left, so that ENOMEM too can say what it was for. */
#include "status.h"
#include "env.h"
#include "secret.h"
#include "utf8.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct cel_status now;
static _Thread_local char warning[sizeof now.text];
static _Atomic int log_level = -2; /* -2: not asked yet, -1: off */

int cel_fail(int code, const char *fmt, ...)
{
    char text[sizeof now.text]; /* the arguments may point into the old text */
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cel_hide_secrets(text);
    memset(&now, 0, sizeof now);
    now.code = code;
    memcpy(now.text, text, sizeof text);
    return code;
}

/* What the text begins with already is not said twice: a request names the URL that is the dataset's path. */
static void widen(int code, const char *prefix)
{
    char inner[sizeof now.text];
    size_t len = strlen(prefix);
    int n;

    now.code = code;
    if (strncmp(now.text, prefix, len) == 0 && strncmp(now.text + len, ": ", 2) == 0)
        return;
    memcpy(inner, now.text, sizeof inner);
    n = snprintf(now.text, sizeof now.text, inner[0] ? "%s: " : "%s", prefix);
    if (n >= 0 && (size_t)n < sizeof now.text)
        snprintf(now.text + n, sizeof now.text - (size_t)n, "%s", inner);
}

int cel_fail_in(int code, const char *fmt, ...)
{
    char prefix[sizeof now.part[0]];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(prefix, sizeof prefix, fmt, ap);
    va_end(ap);
    cel_hide_secrets(prefix);
    widen(code, prefix);
    return code;
}

int cel_fail_at(int code, enum cel_part part, const char *fmt, ...)
{
    va_list ap;

    if (now.part[part][0])
        return code;
    va_start(ap, fmt);
    vsnprintf(now.part[part], sizeof now.part[part], fmt, ap);
    va_end(ap);
    cel_hide_secrets(now.part[part]);
    widen(code, now.part[part]);
    return code;
}

int cel_fail_part(int code, enum cel_part part, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (!now.part[part][0])
        vsnprintf(now.part[part], sizeof now.part[part], fmt, ap);
    va_end(ap);
    cel_hide_secrets(now.part[part]);
    return code;
}

const char *cel_error_text(void)
{
    return now.text;
}

const char *cel_error_part(enum cel_part part)
{
    return now.part[part];
}

int cel_error_code(void)
{
    return now.code;
}

void cel_error_clear(void)
{
    if (now.code) /* every call of the API comes here */
        memset(&now, 0, sizeof now);
}

void cel_status_save(struct cel_status *out)
{
    *out = now;
}

void cel_status_restore(const struct cel_status *in)
{
    now = *in;
}

void cel_first_failure_note_step(struct cel_first_failure *first, size_t step, int rc)
{
    if (rc == CEL_OK || (first->rc != CEL_OK && first->step <= step))
        return;
    first->rc = rc;
    first->step = step;
    cel_status_save(&first->why);
}

void cel_first_failure_note(struct cel_first_failure *first, int rc)
{
    cel_first_failure_note_step(first, 0, rc);
}

int cel_first_failure_restore(const struct cel_first_failure *first)
{
    if (first->rc != CEL_OK)
        cel_status_restore(&first->why);
    return first->rc;
}

static int current_log_level(void)
{
    int level = atomic_load(&log_level);

    if (level == -2) {
        level = cel_env_log_level();
        atomic_store(&log_level, level);
    }
    return level;
}

void cel_set_log_level(int level)
{
    atomic_store(&log_level, level < -1 ? -1 : level);
}

/* Names of files and objects are others' text: bytes that could command a terminal are shown as \ooo. */
static bool is_hidden(const unsigned char *start, const unsigned char *p, bool valid)
{
    bool c1 = (p[0] == 0xc2 && p[1] < 0xa0) || (p > start && p[-1] == 0xc2 && p[0] < 0xa0); /* U+0080 to U+009F */

    return *p < ' ' || *p == 0x7f || c1 || (!valid && *p >= 0x80);
}

static void print_warning(void)
{
    const unsigned char *text = (const unsigned char *)warning;
    bool valid = cel_utf8_valid(warning);
    char line[4 * sizeof warning];
    size_t n = 0;

    for (const unsigned char *p = text; *p; p++)
        n += (size_t)snprintf(line + n, sizeof line - n, is_hidden(text, p, valid) ? "\\%03o" : "%c", *p);
    line[n] = '\0';
    fprintf(stderr, "cellar: warning: %s\n", line);
}

void cel_warn(const char *fmt, ...)
{
    char text[sizeof warning];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cel_hide_secrets(text);
    memcpy(warning, text, sizeof warning);
    if (current_log_level() >= 0)
        print_warning();
}

const char *cel_warning_text(void)
{
    return warning;
}

void cel_warning_adopt(const char *text)
{
    snprintf(warning, sizeof warning, "%s", text);
}

void cel_warning_clear(void)
{
    warning[0] = '\0';
}
