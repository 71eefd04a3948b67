/* SPDX-License-Identifier: BSD-3-Clause */
/* The differences as lines, and as JSON (docs/schema/diff.json). */

#include "diff.h"
#include "jsonw.h"
#include "safe.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool diff_differs(const struct diff *d)
{
    for (size_t i = 0; i < d->nvars; i++)
        if (d->var[i].stats.differing)
            return true;
    return d->nstructure > 0;
}

static void index_of(const struct look_var *v, size_t at, size_t *out)
{
    for (int d = v->ndims; d-- > 0;) {
        out[d] = at % v->shape[d];
        at /= v->shape[d];
    }
}

static void put_index(struct text *t, const struct look_var *v, size_t at)
{
    size_t *index = tool_alloc((size_t)v->ndims + 1, sizeof *index);

    index_of(v, at, index);
    for (int d = 0; d < v->ndims; d++)
        text_printf(t, "%s%zu", d ? "," : "", index[d]);
    free(index);
}

static void print_var(const struct diff_var *v)
{
    const struct diff_stats *s = &v->stats;
    struct text t = {0};

    text_printf(&t, "%s: %llu of %llu values differ", v->a->path, s->differing, s->values);
    if (s->max_abs > 0)
        text_printf(&t, ", at most by %.9g (relative %.3g%s", s->max_abs, s->max_rel, s->max_ulps ? ", " : ")");
    if (s->max_ulps)
        text_printf(&t, "%llu ulps)", s->max_ulps);
    if (s->nan)
        text_printf(&t, ", %llu are NaN on one side", s->nan);
    safe_print(&t);
    for (size_t i = 0; i < s->nfirst; i++) {
        text_puts(&t, "  (");
        put_index(&t, v->a, s->first[i].at);
        text_printf(&t, "): %s and %s", s->first[i].a, s->first[i].b);
        safe_print(&t);
    }
}

void diff_print(const struct diff *d)
{
    for (size_t i = 0; i < d->nstructure; i++) {
        struct text t = {0};

        text_puts(&t, d->structure[i]);
        safe_print(&t);
    }
    for (size_t i = 0; i < d->nvars; i++)
        if (d->var[i].stats.differing)
            print_var(&d->var[i]);
}

static void put_first(struct jsonw *j, const struct diff_var *v)
{
    size_t *index = tool_alloc((size_t)v->a->ndims + 1, sizeof *index);

    jsonw_open(j, "first", '[');
    for (size_t i = 0; i < v->stats.nfirst; i++) {
        index_of(v->a, v->stats.first[i].at, index);
        jsonw_open(j, NULL, '{');
        jsonw_sizes(j, "index", index, (size_t)v->a->ndims);
        jsonw_text(j, "a", v->stats.first[i].a);
        jsonw_text(j, "b", v->stats.first[i].b);
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
    free(index);
}

static void put_var(struct jsonw *j, const struct diff_var *v)
{
    const struct diff_stats *s = &v->stats;

    jsonw_open(j, NULL, '{');
    jsonw_text(j, "name", v->a->path);
    jsonw_count(j, "values", s->values);
    jsonw_count(j, "unequal", s->unequal);
    jsonw_count(j, "differing", s->differing);
    jsonw_count(j, "nan_on_one_side", s->nan);
    jsonw_real(j, "max_abs", s->max_abs);
    jsonw_real(j, "max_rel", s->max_rel);
    jsonw_count(j, "max_ulps", s->max_ulps);
    jsonw_real(j, "rms", s->values ? sqrt(s->sum_squares / (double)s->values) : 0);
    jsonw_bool(j, "same_bytes", v->as_stored);
    put_first(j, v);
    jsonw_close(j, '}');
}

bool diff_print_json(const struct diff *d)
{
    struct jsonw j = {0};

    jsonw_open(&j, NULL, '{');
    jsonw_text(&j, "a", d->a.path);
    jsonw_text(&j, "b", d->b.path);
    jsonw_bool(&j, "same", !diff_differs(d) && !d->failed);
    jsonw_bool(&j, "complete", !d->failed);
    jsonw_open(&j, "structure", '[');
    for (size_t i = 0; i < d->nstructure; i++)
        jsonw_text(&j, NULL, d->structure[i]);
    jsonw_close(&j, ']');
    jsonw_open(&j, "variables", '[');
    for (size_t i = 0; i < d->nvars; i++)
        put_var(&j, &d->var[i]);
    jsonw_close(&j, ']');
    jsonw_close(&j, '}');
    return jsonw_print(&j);
}
