/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar diff: do two files hold the same, however they are stored? */

#include "cellar.h"
#include "command.h"
#include "diff.h"
#include "msg.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONG_ABS = 256,
    LONG_REL,
    LONG_ULPS,
    LONG_NAN,
    LONG_NO_ATTRIBUTES,
    LONG_NO_VALUES,
    LONG_IGNORE,
    LONG_FIRST,
    LONG_JSON,
    LONG_THREADS
};
enum { TROUBLE = 2 };

static const struct opt options[] = {
    {LONG_ABS, "abs", "X", "values that differ by at most X are the same"},
    {LONG_REL, "rel", "X", "... by at most this share of the larger one"},
    {LONG_ULPS, "ulps", "N", "... by at most N floating-point numbers"},
    {LONG_NAN, "nan", "equal|differ", "whether NaN is the same as NaN (default: equal)"},
    {'v', "variables", "NAME,...", "only these variables"},
    {LONG_IGNORE, "ignore", "NAME,...", "attributes that may differ, such as history"},
    {LONG_NO_ATTRIBUTES, "no-attributes", NULL, "no attributes"},
    {LONG_NO_VALUES, "no-values", NULL, "structure and attributes only"},
    {LONG_FIRST, "first", "N", "show the first N differences of each variable (default 3)"},
    {LONG_JSON, "json", NULL, "JSON in place of lines (docs/schema/diff.json)"},
    {LONG_THREADS, "threads", "N", "threads (default: all cores)"},
    {'q', "quiet", NULL, "print nothing: the exit code tells"},
};

static const struct opt_tool tool = {
    "cellar diff",
    "[options] A B",
    "Compare structure, attributes and values of two files, however they are stored.",
    options,
    sizeof options / sizeof *options,
    "Values that one of --abs, --rel and --ulps accepts are the same. Chunks, filters and formats may differ.\n"
    "exit codes: 0 the same; 1 different; 2 trouble\n"};

static const struct opt_switch switches[] = {
    {LONG_NO_ATTRIBUTES, offsetof(struct diff_request, no_attributes)},
    {LONG_NO_VALUES, offsetof(struct diff_request, no_values)},
    {LONG_JSON, offsetof(struct diff_request, json)},
    {'q', offsetof(struct diff_request, quiet)},
    {0},
};

static double tolerance(const char *option, const char *text)
{
    char *end;
    double v = strtod(text, &end);

    if (end == text || *end || !(v >= 0))
        msg_die(MSG_USAGE, "%s %s: expected a number of 0 or more", option, text);
    return v;
}

static void set_nan(struct diff_request *r, const char *value)
{
    r->nan_differs = strcmp(value, "differ") == 0;
    if (!r->nan_differs && strcmp(value, "equal") != 0)
        msg_die(MSG_USAGE, "--nan %s: expected equal or differ", value);
}

static void take_value(struct diff_request *r, int key, const char *value)
{
    switch (key) {
    case LONG_ABS: r->abs = tolerance("--abs", value); break;
    case LONG_REL: r->rel = tolerance("--rel", value); break;
    case LONG_ULPS: r->ulps = opt_number("--ulps", value, 0, 1LL << 52); break;
    case LONG_NAN: set_nan(r, value); break;
    case 'v': select_add(&r->only, value); break;
    case LONG_IGNORE: select_add(&r->ignore, value); break;
    case LONG_FIRST: r->first = (size_t)opt_number("--first", value, 0, 1000000); break;
    case LONG_THREADS: cellar_set_threads((int)opt_number("--threads", value, 1, 1024)); break;
    default: break;
    }
}

static int compare(struct diff *d)
{
    diff_structure(d);
    if (!d->req->no_values)
        diff_values(d);
    if (d->req->json && !d->req->quiet && !diff_print_json(d))
        return TROUBLE;
    if (!d->req->json && !d->req->quiet)
        diff_print(d);
    return d->failed ? TROUBLE : diff_differs(d);
}

static int open_side(struct look *l, const char *path)
{
    int status = look_open(path, l);

    if (status)
        msg_nc(status, "%s", path);
    return status;
}

static bool has_var(const struct look *l, char *name)
{
    struct select one = {&name, 1};
    bool found = false;

    for (size_t i = 0; !found && i < l->nvars; i++)
        found = select_has_var(&one, l->var[i].group, l->var[i].id);
    return found;
}

/* A variable of one file alone is a difference; of none, a mistake. */
static void check_names(const struct diff *d)
{
    for (size_t i = 0; i < d->req->only.n; i++) {
        char *name = d->req->only.name[i];
        struct select_names names;

        if (has_var(&d->a, name) || has_var(&d->b, name))
            continue;
        names = select_all_vars(d->a.ncid);
        msg_die(MSG_USAGE, "neither %s nor %s has a variable %s%s", d->a.path, d->b.path, name,
                select_hint(name, &names));
    }
}

static int diff_files(const struct diff_request *r, const char *a, const char *b)
{
    struct diff d = {.req = r};
    int code = TROUBLE;

    if (open_side(&d.a, a) == NC_NOERR && open_side(&d.b, b) == NC_NOERR) {
        check_names(&d);
        code = compare(&d);
    }
    for (size_t i = 0; i < d.nvars; i++)
        diff_stats_free(&d.var[i].stats);
    for (size_t i = 0; i < d.nstructure; i++)
        free(d.structure[i]);
    free(d.var);
    free(d.structure);
    look_close(&d.a);
    look_close(&d.b);
    return code;
}

static int run(int argc, char **argv)
{
    struct diff_request r = {.abs = -1, .rel = -1, .ulps = -1, .first = 3};
    struct opt_line line;
    int key, code;

    opt_start(&line, &tool, argc, argv);
    while ((key = opt_next(&line)) != OPT_END)
        if (!opt_set_switch(switches, key, &r))
            take_value(&r, key, line.value);
    if (line.noperands != 2)
        msg_die(MSG_USAGE, "expected two files, got %zu: cellar diff [options] A B (cellar help diff says more)",
                line.noperands);
    code = diff_files(&r, line.operands[0], line.operands[1]);
    select_free(&r.only);
    select_free(&r.ignore);
    opt_end(&line);
    return code;
}

const struct command command_diff = {&tool, run, MSG_USAGE};
