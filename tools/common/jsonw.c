/* SPDX-License-Identifier: BSD-3-Clause */
/* Members, commas and indentation. */

#include "jsonw.h"
#include "msg.h"
#include "safe.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void member(struct jsonw *j, const char *key)
{
    if (j->begun)
        text_putc(&j->out, ',');
    if (j->depth > 0)
        text_printf(&j->out, "\n%*s", 2 * j->depth, "");
    j->begun = true;
    if (key) {
        safe_put_json(&j->out, key, strlen(key));
        text_puts(&j->out, ": ");
    }
}

void jsonw_open(struct jsonw *j, const char *key, char bracket)
{
    member(j, key);
    text_putc(&j->out, bracket);
    j->depth++;
    j->begun = false;
}

void jsonw_close(struct jsonw *j, char bracket)
{
    j->depth--;
    if (j->begun)
        text_printf(&j->out, "\n%*s", 2 * j->depth, "");
    text_putc(&j->out, bracket);
    j->begun = true;
}

void jsonw_text(struct jsonw *j, const char *key, const char *value)
{
    member(j, key);
    if (value)
        safe_put_json(&j->out, value, strlen(value));
    else
        text_puts(&j->out, "null");
}

void jsonw_count(struct jsonw *j, const char *key, unsigned long long value)
{
    member(j, key);
    text_printf(&j->out, "%llu", value);
}

void jsonw_real(struct jsonw *j, const char *key, double value)
{
    member(j, key);
    if (isfinite(value))
        text_printf(&j->out, "%.9g", value);
    else
        text_puts(&j->out, "null");
}

void jsonw_bool(struct jsonw *j, const char *key, bool value)
{
    jsonw_raw(j, key, value ? "true" : "false");
}

void jsonw_null(struct jsonw *j, const char *key)
{
    jsonw_raw(j, key, "null");
}

void jsonw_raw(struct jsonw *j, const char *key, const char *json)
{
    member(j, key);
    text_puts(&j->out, json);
}

void jsonw_sizes(struct jsonw *j, const char *key, const size_t *value, size_t n)
{
    member(j, key);
    text_putc(&j->out, '[');
    for (size_t i = 0; i < n; i++)
        text_printf(&j->out, "%s%zu", i ? ", " : "", value[i]);
    text_putc(&j->out, ']');
}

bool jsonw_print(struct jsonw *j)
{
    text_putc(&j->out, '\n');
    fwrite(j->out.s, 1, j->out.len, stdout);
    text_free(&j->out);
    *j = (struct jsonw){0};
    return msg_finish(MSG_OK, MSG_FAILED) == MSG_OK;
}
