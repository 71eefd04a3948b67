/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar tune: which filters suit each variable. */

#include "command.h"
#include "copy.h"
#include "jsonw.h"
#include "msg.h"
#include "output.h"
#include "progress.h"
#include "safe.h"
#include "tune.h"
#include "units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_FOR = 256, LONG_LOSSY, LONG_BITS, LONG_SAMPLE, LONG_ALL, LONG_JSON, LONG_THREADS };

static const struct opt options[] = {
    {LONG_FOR, "for", "GOAL", "archive, read, write or balanced (default)"},
    {LONG_LOSSY, "lossy", "BOUND", "lossy chains may change values of floats and doubles by so much at most"},
    {LONG_BITS, "bits", NULL, "chains that keep only the bits with information too (as cellar bits measures them)"},
    {'o', "output", "OUT", "copy the file with the chains chosen"},
    {'v', "variables", "NAME,...", "only these variables"},
    {LONG_SAMPLE, "sample", "PERCENT", "how much of a variable is tried (default 5)"},
    {LONG_ALL, "all", NULL, "print all chains, not only those that no other beats"},
    {LONG_JSON, "json", NULL, "JSON in place of text (docs/schema/tune.json)"},
    {LONG_THREADS, "threads", "N", "threads (default: all cores)"},
    {'q', "quiet", NULL, "no progress on a terminal"},
};

static const struct opt_tool tool = {
    "cellar tune",
    "[options] FILE",
    "Try filters on a sample of each variable and choose.",
    options,
    sizeof options / sizeof *options,
    "archive: the smallest; read, write: the least time, with a disk of 1 GB/s; balanced: the least product of the "
    "size and the fourth root of write time and read time.\n"
    "exit codes: 0 chosen; 1 the file could not be read or lacks the variable; 2 wrong command line\n"};

static const char *const goals[] = {"archive", "read", "write", "balanced"};

struct tuned {
    const struct tune_request *req;
    const struct look *l;
    struct tune_var *var;
    size_t n;
};

static double parse_real(const char *option, const char *text, double most)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value > 0 && value <= most))
        msg_die(MSG_USAGE, "%s %s: expected a number above 0%s", option, text, most <= 100 ? ", at most 100" : "");
    return value;
}

static void set_goal(struct tune_request *r, const char *text)
{
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
        if (strcmp(goals[i], text) == 0) {
            r->goal = (enum tune_goal)i;
            return;
        }
    msg_die(MSG_USAGE, "--for %s: expected archive, read, write or balanced", text);
}

static void take_option(struct tune_request *r, int key, const char *value)
{
    switch (key) {
    case LONG_FOR: set_goal(r, value); break;
    case LONG_LOSSY: r->bound = parse_real("--lossy", value, 1e300); break;
    case LONG_SAMPLE: r->share = parse_real("--sample", value, 100) / 100; break;
    case LONG_BITS: r->bits = true; break;
    case LONG_ALL: r->all = true; break;
    case LONG_JSON: r->json = true; break;
    case LONG_THREADS: cellar_set_threads((int)opt_number("--threads", value, 1, 1024)); break;
    case 'o': r->out = value; break;
    case 'v': select_add(&r->only, value); break;
    default: r->quiet = true; break;
    }
}

/* --- text -------------------------------------------------------------------------------------- */

static double speed(const struct tune_var *t, double seconds)
{
    return seconds > 0 ? (double)t->sampled / seconds * cellar_get_threads() : 0;
}

static void print_chain(const struct tune_var *t, const struct tune_chain *c)
{
    char write[UNITS_TEXT], read[UNITS_TEXT];

    printf("  %c %7.2f  %9s/s  %9s/s  %s", c == t->best ? '*' : ' ', (double)t->sampled / (double)c->stored,
           units_bytes((unsigned long long)speed(t, c->write_seconds), write),
           units_bytes((unsigned long long)speed(t, c->read_seconds), read), *c->text ? c->text : "no filters");
    if (c->lossy)
        printf(" (largest error %.3g)", c->error);
    printf("%s\n", c == t->now ? " (now)" : "");
}

static void print_var(const struct tune_request *req, const struct tune_var *t)
{
    char *name = safe_copy(t->v->path), *box = look_lengths(t->box, t->v->ndims);

    printf("%s: %zu box%s of %s, %.1f %% of its values\n", name, t->nboxes, t->nboxes == 1 ? "" : "es", box,
           100.0 * (double)t->sampled / (double)t->v->nbytes);
    printf("      ratio        write         read  filters\n");
    for (size_t i = 0; i < t->nchains; i++) {
        const struct tune_chain *c = &t->chain[i];

        if (!c->failed && (req->all || c->front || c == t->now || c == t->best))
            print_chain(t, c);
    }
    free(name);
    free(box);
}

static bool is_worth_it(const struct tune_var *t)
{
    return t->best && t->best != t->now;
}

/* What nccopy is told: -F, and --quantize in place of a filter that only rounds. */
struct told {
    struct text filter, quantize;
};

static void tell(const struct tune_var *t, struct told *out)
{
    const char *chain = t->best->text;
    bool rounds = strncmp(chain, TUNE_ROUND, strlen(TUNE_ROUND)) == 0;

    *out = (struct told){0};
    if (rounds) {
        text_printf(&out->quantize, "%s:bitround=%d", t->v->path, atoi(chain + strlen(TUNE_ROUND)));
        chain = strchr(chain, '|') + 1;
    }
    text_printf(&out->filter, "%s,%s", t->v->path, *chain ? chain : "none");
}

static void print_line(const struct tuned *all)
{
    struct text t = {0};

    for (size_t i = 0; i < all->n; i++)
        if (is_worth_it(&all->var[i])) {
            struct told told;

            tell(&all->var[i], &told);
            text_puts(&t, " -F ");
            safe_put_word(&t, text_get(&told.filter));
            if (told.quantize.len) {
                text_puts(&t, " --quantize ");
                safe_put_word(&t, text_get(&told.quantize));
            }
            text_free(&told.filter);
            text_free(&told.quantize);
        }
    if (t.len) {
        text_putc(&t, ' ');
        safe_put_word(&t, all->l->path);
        printf("nccopy%s OUT.nc\n", text_get(&t));
    } else {
        puts(all->n ? "the filters it has are the best for this"
                    : "there is no variable of numbers large enough to try");
    }
    text_free(&t);
}

/* --- JSON ----------------------------------------------------------------------------------------- */

static void put_var(struct jsonw *j, const struct tune_request *req, const struct tune_var *t)
{
    jsonw_open(j, NULL, '{');
    jsonw_text(j, "name", t->v->path);
    jsonw_sizes(j, "box", t->box, (size_t)t->v->ndims);
    jsonw_count(j, "boxes", t->nboxes);
    jsonw_count(j, "sampled", t->sampled);
    jsonw_count(j, "bytes", t->v->nbytes);
    jsonw_text(j, "now", t->v->chain);
    jsonw_text(j, "chosen", t->best ? t->best->text : t->v->chain);
    jsonw_open(j, "chains", '[');
    for (size_t i = 0; i < t->nchains; i++) {
        const struct tune_chain *c = &t->chain[i];

        if (c->failed)
            continue;
        jsonw_open(j, NULL, '{');
        jsonw_text(j, "filters", c->text);
        jsonw_count(j, "stored", c->stored);
        jsonw_real(j, "write_seconds", c->write_seconds);
        jsonw_real(j, "read_seconds", c->read_seconds);
        jsonw_real(j, "cost", tune_cost(req, t, c));
        jsonw_bool(j, "front", c->front);
        jsonw_real(j, "error", c->error);
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
    jsonw_close(j, '}');
}

static bool print_json(const struct tuned *all)
{
    struct jsonw j = {0};

    jsonw_open(&j, NULL, '{');
    jsonw_text(&j, "file", all->l->path);
    jsonw_text(&j, "goal", goals[all->req->goal]);
    jsonw_count(&j, "threads", (unsigned long long)cellar_get_threads());
    jsonw_open(&j, "variables", '[');
    for (size_t i = 0; i < all->n; i++)
        put_var(&j, all->req, &all->var[i]);
    jsonw_close(&j, ']');
    jsonw_close(&j, '}');
    return jsonw_print(&j);
}

/* --- the whole --------------------------------------------------------------------------------------- */

static int tune_one(void *arg, const struct look_var *v)
{
    struct tuned *all = arg;
    int status;

    if (!tune_takes(v))
        return MSG_OK;
    status = tune_race(all->req, v, &all->var[all->n++]);
    return status ? msg_nc(status, "%s: %s", all->l->path, v->path) : MSG_OK;
}

/* The same as the line of nccopy does. */
static int write_output(const struct tuned *all)
{
    struct copy_request r = COPY_REQUEST_INIT;
    char *out = output_target(all->req->out);
    int code;

    r.in = all->l->path;
    r.out = out;
    r.quiet = all->req->quiet;
    for (size_t i = 0; i < all->n; i++)
        if (is_worth_it(&all->var[i])) {
            struct told told;

            tell(&all->var[i], &told);
            copy_add_filter(&r, text_get(&told.filter));
            if (told.quantize.len)
                copy_add_quantize(&r, text_get(&told.quantize));
            text_free(&told.filter);
            text_free(&told.quantize);
        }
    code = copy_run(&r);
    copy_request_free(&r);
    free(out);
    return code;
}

static void check_output(const struct look *l, const char *given)
{
    char *out = output_target(given);

    output_check(out, l->path);
    free(out);
}

static int tune_file(const struct look *l, const struct tune_request *req)
{
    struct tuned all = {.req = req, .l = l, .var = tool_alloc(l->nvars + 1, sizeof *all.var)};
    int code;

    progress_start(req->quiet, 0);
    code = look_each_chosen(l, &req->only, tune_one, &all);
    progress_end();
    if (code == MSG_OK && req->json)
        code = print_json(&all) ? MSG_OK : MSG_FAILED;
    for (size_t i = 0; code == MSG_OK && !req->json && i < all.n; i++)
        print_var(req, &all.var[i]);
    if (code == MSG_OK && !req->json)
        print_line(&all);
    if (code == MSG_OK && req->out)
        code = write_output(&all);
    for (size_t i = 0; i < all.n; i++)
        tune_var_free(&all.var[i]);
    free(all.var);
    return code;
}

static int run(int argc, char **argv)
{
    struct tune_request r = {.goal = TUNE_BALANCED, .share = 0.05};
    struct opt_line line;
    struct look l;
    int key, code;

    output_init();
    opt_start(&line, &tool, argc, argv);
    while ((key = opt_next(&line)) != OPT_END)
        take_option(&r, key, line.value);
    code = look_open_operand(&line, &r.only, &l);
    if (code == MSG_OK && r.out)
        check_output(&l, r.out);
    if (code == MSG_OK)
        code = tune_file(&l, &r);
    look_close(&l);
    select_free(&r.only);
    opt_end(&line);
    return code;
}

const struct command command_tune = {&tool, run, MSG_FAILED};
