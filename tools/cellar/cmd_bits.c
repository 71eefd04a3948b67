/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar bits: how many bits of each variable are information, and what keeping only these would change. */

#include "bits.h"
#include "bits_var.h"
#include "cellar.h"
#include "command.h"
#include "jsonw.h"
#include "msg.h"
#include "progress.h"
#include "safe.h"
#include "select.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_THRESHOLD = 256, LONG_CONFIDENCE, LONG_JSON, LONG_THREADS };

static const struct opt options[] = {
    {'v', "variables", "NAME,...", "only these variables"},
    {LONG_THRESHOLD, "threshold", "tail|binomial",
     "what is taken for chance: 1.5 times the last four bits (default), or less "
     "than the free entropy of that many pairs"},
    {LONG_CONFIDENCE, "confidence", "P", "of binomial (default 0.99)"},
    {LONG_JSON, "json", NULL, "JSON in place of text (docs/schema/bits.json)"},
    {LONG_THREADS, "threads", "N", "threads (default: all cores)"},
    {'q', "quiet", NULL, "no progress on a terminal"},
};

static const struct opt_tool tool = {
    "cellar bits",
    "[options] FILE",
    "Measure how many bits of each variable are real information, and advise how to round.",
    options,
    sizeof options / sizeof *options,
    "exit codes: 0 measured; 1 the file could not be read or lacks the variable; 2 wrong command line\n"};

struct request {
    struct bits_request bits;
    struct select only;
    bool json, quiet;
};

static void take_value(struct request *r, int key, const char *value)
{
    char *end;

    switch (key) {
    case 'v': select_add(&r->only, value); break;
    case LONG_THRESHOLD:
        if (strcmp(value, "tail") != 0 && strcmp(value, "binomial") != 0)
            msg_die(MSG_USAGE, "--threshold %s: expected tail or binomial", value);
        r->bits.threshold = *value == 't' ? BITS_TAIL : BITS_BINOMIAL;
        break;
    case LONG_CONFIDENCE:
        r->bits.confidence = strtod(value, &end);
        if (end == value || *end || !(r->bits.confidence > 0 && r->bits.confidence < 1))
            msg_die(MSG_USAGE, "--confidence %s: expected a number between 0 and 1", value);
        break;
    case LONG_THREADS: cellar_set_threads((int)opt_number("--threads", value, 1, 1024)); break;
    case LONG_JSON: r->json = true; break;
    default: r->quiet = true; break;
    }
}

/* --- text ----------------------------------------------------------------------------------------- */

static void print_var(const struct bits_var *b)
{
    char *name = safe_copy(b->v->path);

    printf("%s: %s\n", name, b->what ? b->what : "");
    for (int d = 0; d < b->ndims; d++) {
        const struct bits_result *r = &b->along[d];
        char *dim = safe_copy(b->v->dim[b->axis[d]]);

        printf("  along %-12s %6.3f bits of information in %llu pairs, keep %d, %d, %d bits of the mantissa%s\n", dim,
               r->total, (unsigned long long)r->pairs, r->keep[0], r->keep[1], r->keep[2],
               d == b->best && b->advised ? " *" : "");
        free(dim);
    }
    for (int i = 0; b->advised && i < BITS_LEVELS; i++)
        printf("  %-6s keep %2d bits: largest error %.3g (relative %.3g)\n",
               i == 0   ? "99 %"
               : i == 1 ? "99.9 %"
                        : "100 %",
               b->keep[i], b->abs[i], b->rel[i]);
    free(name);
}

static void print_advice(const struct bits_var *b, size_t n, const char *path)
{
    struct text spec = {0}, line = {0};

    for (size_t i = 0; i < n; i++)
        if (b[i].advised)
            text_printf(&spec, "%s%s:bitround=%d", spec.len ? "," : "", b[i].v->path, b[i].keep[0] ? b[i].keep[0] : 1);
    if (spec.len) {
        safe_put_word(&line, text_get(&spec));
        text_putc(&line, ' ');
        safe_put_word(&line, path);
        printf("to keep 99 %%: nccopy -s -d 5 --quantize %s OUT.nc\n", text_get(&line));
    }
    text_free(&spec);
    text_free(&line);
}

/* --- JSON ------------------------------------------------------------------------------------------- */

static void put_dims(struct jsonw *j, const struct bits_var *b, double confidence)
{
    jsonw_open(j, "dimensions", '[');
    for (int d = 0; d < b->ndims; d++) {
        const struct bits_result *r = &b->along[d];

        jsonw_open(j, NULL, '{');
        jsonw_text(j, "name", b->v->dim[b->axis[d]]);
        jsonw_count(j, "pairs", r->pairs);
        jsonw_real(j, "chance", r->pairs ? bits_confidence(r->pairs, confidence) : 1);
        jsonw_real(j, "threshold", r->threshold);
        jsonw_real(j, "total", r->total);
        jsonw_open(j, "keepbits", '[');
        for (int i = 0; i < BITS_LEVELS; i++)
            jsonw_count(j, NULL, (unsigned long long)r->keep[i]);
        jsonw_close(j, ']');
        jsonw_open(j, "information", '[');
        for (int k = 0; k < bits_form_of(b->v->type->size).nbits; k++)
            jsonw_real(j, NULL, r->information[k]);
        jsonw_close(j, ']');
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
}

static void put_var(struct jsonw *j, const struct bits_var *b, double confidence)
{
    jsonw_open(j, NULL, '{');
    jsonw_text(j, "name", b->v->path);
    jsonw_text(j, "note", b->what ? b->what : "");
    jsonw_bool(j, "advised", b->advised);
    jsonw_count(j, "values", b->data.valid);
    jsonw_count(j, "trailing_zeros", (unsigned long long)b->data.zeros);
    jsonw_real(j, "lattice", b->data.step);
    put_dims(j, b, confidence);
    jsonw_open(j, "levels", '[');
    for (int i = 0; b->advised && i < BITS_LEVELS; i++) {
        jsonw_open(j, NULL, '{');
        jsonw_real(j, "level", i == 0 ? 0.99 : i == 1 ? 0.999 : 1);
        jsonw_count(j, "keepbits", (unsigned long long)b->keep[i]);
        jsonw_real(j, "max_abs", b->abs[i]);
        jsonw_real(j, "max_rel", b->rel[i]);
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
    jsonw_close(j, '}');
}

static bool print_json(const struct look *l, const struct bits_var *b, size_t n, double confidence)
{
    struct jsonw j = {0};

    jsonw_open(&j, NULL, '{');
    jsonw_text(&j, "file", l->path);
    jsonw_open(&j, "variables", '[');
    for (size_t i = 0; i < n; i++)
        put_var(&j, &b[i], confidence);
    jsonw_close(&j, ']');
    jsonw_close(&j, '}');
    return jsonw_print(&j);
}

/* --- the whole ------------------------------------------------------------------------------------------ */

struct measured {
    const struct request *r;
    const struct look *l;
    struct bits_var *b;
    size_t n;
};

static int measure_var(void *arg, const struct look_var *v)
{
    struct measured *m = arg;
    int status = bits_var_measure(&m->r->bits, v, &m->b[m->n]);

    m->n += m->b[m->n].v != NULL;
    return status ? msg_nc(status, "%s: %s", m->l->path, v->path) : MSG_OK;
}

static int measure(const struct look *l, const struct request *r)
{
    struct measured m = {.r = r, .l = l, .b = tool_alloc(l->nvars + 1, sizeof *m.b)};
    int code;

    progress_start(r->quiet, 0);
    code = look_each_chosen(l, &r->only, measure_var, &m);
    progress_end();
    if (code == MSG_OK && r->json)
        code = print_json(l, m.b, m.n, r->bits.confidence) ? MSG_OK : MSG_FAILED;
    for (size_t i = 0; code == MSG_OK && !r->json && i < m.n; i++)
        print_var(&m.b[i]);
    if (code == MSG_OK && !r->json)
        print_advice(m.b, m.n, l->path);
    for (size_t i = 0; i < m.n; i++)
        bits_var_free(&m.b[i]);
    free(m.b);
    return code;
}

static int run(int argc, char **argv)
{
    struct request r = {.bits = {.threshold = BITS_TAIL, .confidence = 0.99}};
    struct opt_line line;
    struct look l;
    int key, code;

    opt_start(&line, &tool, argc, argv);
    while ((key = opt_next(&line)) != OPT_END)
        take_value(&r, key, line.value);
    code = look_open_operand(&line, &r.only, &l);
    if (code == MSG_OK)
        code = measure(&l, &r);
    look_close(&l);
    select_free(&r.only);
    opt_end(&line);
    return code;
}

const struct command command_bits = {&tool, run, MSG_FAILED};
