/* SPDX-License-Identifier: BSD-3-Clause */
/* What was saved and what was not, as lines and as JSON (docs/schema/salvage.json). */

#include "jsonw.h"
#include "safe.h"
#include "salvage.h"
#include <stdio.h>
#include <stdlib.h>

/* t2m[0:9,16:31]: first and last of each dimension. */
static void put_box(struct text *t, const struct salvage_lost *x)
{
    text_puts(t, x->path);
    for (int d = 0; d < x->ndims; d++)
        text_printf(t, "%c%zu:%zu", d ? ',' : '[', x->start[d], x->start[d] + x->count[d] - 1);
    text_puts(t, x->ndims > 0 ? "]" : "");
}

void salvage_print(const struct salvage *s, bool quiet)
{
    struct text t = {0};

    for (size_t i = 0; !quiet && i < s->mend.nnotes; i++) {
        text_printf(&t, "mended: %s", s->mend.note[i]);
        safe_print(&t);
    }
    for (size_t i = 0; i < s->nlost; i++) {
        text_puts(&t, "lost: ");
        put_box(&t, &s->lost[i]);
        text_printf(&t, ": %s", s->lost[i].why);
        safe_print(&t);
    }
    if (quiet)
        return;
    text_printf(&t, "%s: %zu variable%s, %llu of %llu values saved", s->copy.req->out, s->copy.nvars,
                s->copy.nvars == 1 ? "" : "s", s->values - s->lost_values, s->values);
    for (size_t i = 0; i < s->nunprotected; i++)
        text_printf(&t, "%s%s", i ? ", " : "; no checksum covers ", s->unprotected[i]);
    safe_print(&t);
}

static void put_lost(struct jsonw *j, const struct salvage_lost *x)
{
    jsonw_open(j, NULL, '{');
    jsonw_text(j, "name", x->path);
    if (x->ndims < 0) {
        jsonw_null(j, "start");
        jsonw_null(j, "count");
    } else {
        jsonw_sizes(j, "start", x->start, (size_t)x->ndims);
        jsonw_sizes(j, "count", x->count, (size_t)x->ndims);
    }
    jsonw_text(j, "why", x->why);
    jsonw_close(j, '}');
}

static void put_texts(struct jsonw *j, const char *key, char **text, size_t n)
{
    jsonw_open(j, key, '[');
    for (size_t i = 0; i < n; i++)
        jsonw_text(j, NULL, text[i]);
    jsonw_close(j, ']');
}

bool salvage_print_json(const struct salvage *s)
{
    struct jsonw j = {0};

    jsonw_open(&j, NULL, '{');
    jsonw_text(&j, "file", s->copy.req->in);
    jsonw_text(&j, "output", s->copy.req->out);
    jsonw_count(&j, "variables", s->copy.nvars);
    jsonw_count(&j, "values", s->values);
    jsonw_count(&j, "lost_values", s->lost_values);
    put_texts(&j, "mended", s->mend.note, s->mend.nnotes);
    jsonw_open(&j, "lost", '[');
    for (size_t i = 0; i < s->nlost; i++)
        put_lost(&j, &s->lost[i]);
    jsonw_close(&j, ']');
    put_texts(&j, "unprotected", s->unprotected, s->nunprotected);
    jsonw_close(&j, '}');
    return jsonw_print(&j);
}
