/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains as text: ids with their words, or names with their parameters. */
#include "buf.h"
#include "chain.h"
#include "number.h"
#include "params.h"
#include "spec.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

static int print_words(const struct cel_words *w, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < w->n; i++)
        rc = cel_buf_printf(out, ",%u", w->w[i]);
    return rc;
}

static int print_ids(const struct cel_step *step, struct cel_buf *out)
{
    struct cel_words w;
    int rc;

    if (step->id == 0)
        return cel_fail(NC_ENOFILTER, "the codec %s has no HDF5 id", step->json ? step->json : "");
    rc = cel_buf_printf(out, "%u", step->id);
    cel_step_shown(step, &w);
    return rc == CEL_OK ? print_words(&w, out) : rc;
}

static int print_value(const struct cel_param *p, const struct cel_words *w, struct cel_buf *out)
{
    double v = cel_param_load(p, w);
    char text[CEL_NUMBER_MAX], list[CEL_LIST_TEXT];

    if (p->list) {
        p->list->print(w->w + p->word, list);
        return cel_buf_puts(out, list);
    }
    if (p->kind == CEL_PARAM_FLOAT || p->kind == CEL_PARAM_DOUBLE) {
        if (p->kind == CEL_PARAM_FLOAT)
            cel_print_float((float)v, text);
        else
            cel_print_double(v, text);
        return cel_buf_puts(out, text);
    }
    for (int i = 0; p->kind == CEL_PARAM_CHOICE && p->choices[i]; i++)
        if (i == v)
            return cel_buf_puts(out, p->choices[i]);
    return cel_buf_printf(out, "%.0f", v);
}

/* A mode need not be printed where a parameter of that mode is, nor an element
 * size that is the variable's own and has words after it. */
static bool is_implied(const struct cel_codec *codec, const struct cel_param *p, const struct cel_words *w)
{
    if (p->flags & CEL_PARAM_ELEM_SIZE && cel_param_load(p, w) == 0 && (size_t)p->word + 1 < w->n)
        return true;
    for (const struct cel_param *q = codec->params; q->name; q++)
        if (q->when_value && q->when_word == p->word && cel_param_counts(q, w) && cel_param_is_held(q, w))
            return true;
    return false;
}

static int print_named(const struct cel_codec *codec, const struct cel_words *w, struct cel_buf *out)
{
    int rc = cel_buf_puts(out, codec->name);

    for (const struct cel_param *p = codec->params; rc == CEL_OK && p && p->name; p++) {
        if (!cel_param_counts(p, w) || !cel_param_is_held(p, w) || is_implied(codec, p, w))
            continue;
        rc = cel_buf_printf(out, ",%s=", p->name);
        if (rc == CEL_OK)
            rc = print_value(p, w, out);
    }
    return rc;
}

/* Whether the text gives the same words again; if not, they are printed as they are. */
static bool reads_back(const char *text, const struct cel_words *w)
{
    struct cel_status before;
    struct cel_spec spec;
    size_t n = 0;
    bool same;

    cel_status_save(&before);
    same = cel_spec_parse(text, &spec, 1, &n, NULL) == CEL_OK && n == 1 && spec.words.n == w->n &&
           memcmp(spec.words.w, w->w, w->n * sizeof *w->w) == 0;
    cel_status_restore(&before);
    return same;
}

static int print_names(const struct cel_step *step, struct cel_buf *out)
{
    struct cel_buf text = CEL_BUF_INIT(out->max);
    struct cel_words w;
    int rc;

    if (!step->codec || step->codec->flags & CEL_CODEC_OUTSIDE)
        return print_ids(step, out);
    cel_step_shown(step, &w);
    rc = print_named(step->codec, &w, &text);
    if (rc == CEL_OK)
        rc = cel_buf_add(&text, "", 1);
    if (rc == CEL_OK && reads_back(text.data, &w))
        rc = cel_buf_puts(out, text.data);
    else if (rc == CEL_OK && (rc = cel_buf_puts(out, step->codec->name)) == CEL_OK)
        rc = print_words(&w, out);
    cel_buf_dispose(&text);
    return rc;
}

int cel_chain_print(const struct cel_chain *c, enum cel_spelling spelling, struct cel_buf *out)
{
    int rc = CEL_OK;

    if (spelling == CEL_SPELL_JSON2 || spelling == CEL_SPELL_JSON3)
        return cel_chain_to_json(c, spelling == CEL_SPELL_JSON3 ? 3 : 2, out);
    for (size_t i = 0; rc == CEL_OK && i < c->n; i++) {
        rc = i ? cel_buf_puts(out, "|") : CEL_OK;
        if (rc == CEL_OK)
            rc = (spelling == CEL_SPELL_IDS ? print_ids : print_names)(&c->step[i], out);
    }
    return rc;
}
