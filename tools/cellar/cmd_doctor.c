/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar doctor: which libraries, filters and settings are in use, whether they work, and what is wrong with a file. */

#include "cellar.h"
#include "command.h"
#include "doctor.h"
#include "jsonw.h"
#include "msg.h"
#include "safe.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_JSON = 256 };

static const struct opt options[] = {{LONG_JSON, "json", NULL, "JSON in place of text (docs/schema/doctor.json)"}};

static const struct opt_tool tool = {
    "cellar doctor",
    "[options] [FILE]",
    "Say what is at work here and whether it works; with FILE, why it cannot be read.",
    options,
    sizeof options / sizeof *options,
    "exit codes: 0 nothing is wrong; 1 something is, and is told; 2 wrong command line\n"};

/* All that is known, before it is printed one way or the other. */
struct findings {
    char *hdf5, *hdf5_why; /* one of them is NULL */
    struct doctor_codecs codecs;
    struct doctor_notes path, passed_over;
    const struct doctor_variable *variable;
    size_t nvariables;
    char *locking;
    bool has_file;
    struct doctor_file file;
};

static void load(const char *path, struct findings *f)
{
    int status = cellar_inq_hdf5(&f->hdf5);

    if (status)
        f->hdf5_why = msg_reason(status);
    doctor_codecs_load(&f->codecs);
    doctor_plugin_path(&f->path);
    doctor_passed_over(&f->passed_over);
    f->nvariables = doctor_environment(&f->variable);
    f->locking = doctor_locking(".");
    f->has_file = path != NULL;
    if (path)
        doctor_file_load(path, &f->file);
}

static void free_findings(struct findings *f)
{
    cellar_free(f->hdf5);
    free(f->hdf5_why);
    doctor_codecs_free(&f->codecs);
    doctor_notes_free(&f->path);
    doctor_notes_free(&f->passed_over);
    free(f->locking);
    if (f->has_file)
        doctor_file_free(&f->file);
}

/* --- text ----------------------------------------------------------------------------- */

static void line(const char *head, const char *fmt, ...) TOOL_PRINTF(2, 3);
static void line(const char *head, const char *fmt, ...)
{
    struct text t = {0};
    char *safe;
    va_list ap;

    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    safe = safe_copy(text_get(&t));
    printf("%-12s %s\n", head, safe);
    free(safe);
    text_free(&t);
}

static void print_codecs(const struct doctor_codecs *c)
{
    size_t works = 0;

    for (size_t i = 0; i < c->n; i++)
        works += c->at[i].state == DOCTOR_WORKS || c->at[i].state == DOCTOR_LOSSY;
    line("filters", "%zu of %zu encode and decode a small field", works, c->n - c->nspare);
    for (size_t i = 0; i < c->n; i++) {
        const struct doctor_codec *x = &c->at[i];

        if (x->spare)
            continue;
        line("", "%-16s %5u  %s%s%s%s%s", x->name, x->id, doctor_state_name(x->state), x->note ? ": " : "",
             x->note ? x->note : "", *x->origin ? ", from " : "", x->origin);
    }
    if (c->nspare)
        line("", "and %zu plugins for filters that are built in", c->nspare);
}

static void print_variable(const char *title, const struct doctor_variable *v)
{
    if (v->ignored)
        line(title, "%s=%s is ignored: it must be %s", v->name, v->value, v->must);
    else
        line(title, "%s=%s  (%s)", v->name, v->value, v->does);
}

static void print_place(const struct findings *f)
{
    bool any = false;

    for (size_t i = 0; i < f->path.n; i++)
        line(i ? "" : "plugins", "looked for in %s", f->path.at[i].path);
    if (!f->path.n)
        line("plugins", "looked for in Cellar's own directory only: HDF5_PLUGIN_PATH names no other");
    for (size_t i = 0; i < f->passed_over.n; i++)
        line("", "not used: %s: %s", f->passed_over.at[i].path, f->passed_over.at[i].why);
    for (size_t i = 0; i < f->nvariables; i++)
        if (f->variable[i].value) {
            print_variable(any ? "" : "environment", &f->variable[i]);
            any = true;
        }
    if (!any)
        line("environment", "nothing is set that the library looks at");
    line("locks", "%s", f->locking ? f->locking : "files in this directory can be locked");
}

static void print_file(const struct doctor_file *f)
{
    if (!f->n)
        line("file", "%s: nothing is wrong with the first chunk of %s%zu variable%s; cellar verify reads all", f->path,
             f->nvars == 1 ? "its " : "each of its ", f->nvars, f->nvars == 1 ? "" : "s");
    for (size_t i = 0; i < f->n; i++)
        line(i ? "" : "file", "%s: %s%s%s", f->path, f->problem[i].what, f->problem[i].advice ? ": " : "",
             f->problem[i].advice ? f->problem[i].advice : "");
}

static void print_text(const struct findings *f)
{
    line("cellar", "%s, %d thread%s", cellar_version(), cellar_get_threads(), cellar_get_threads() == 1 ? "" : "s");
    line("netCDF", "the interface of version %.*s", (int)strcspn(nc_inq_libvers(), " "), nc_inq_libvers());
    line("libhdf5", "%s", f->hdf5 ? f->hdf5 : f->hdf5_why);
    print_codecs(&f->codecs);
    print_place(f);
    if (f->has_file)
        print_file(&f->file);
}

/* --- JSON -------------------------------------------------------------------------------- */

static void put_codecs(struct jsonw *j, const struct doctor_codecs *c)
{
    jsonw_open(j, "filters", '[');
    for (size_t i = 0; i < c->n; i++) {
        jsonw_open(j, NULL, '{');
        jsonw_text(j, "name", c->at[i].name);
        jsonw_count(j, "id", c->at[i].id);
        jsonw_text(j, "plugin", *c->at[i].origin ? c->at[i].origin : NULL);
        jsonw_text(j, "state", doctor_state_name(c->at[i].state));
        jsonw_text(j, "note", c->at[i].note);
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
}

static void put_pairs(struct jsonw *j, const char *key, const struct doctor_notes *n)
{
    jsonw_open(j, key, '[');
    for (size_t i = 0; i < n->n; i++) {
        jsonw_open(j, NULL, '{');
        jsonw_text(j, "path", n->at[i].path);
        jsonw_text(j, "why", n->at[i].why);
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
}

static void put_environment(struct jsonw *j, const struct findings *f)
{
    jsonw_open(j, "environment", '[');
    for (size_t i = 0; i < f->nvariables; i++) {
        jsonw_open(j, NULL, '{');
        jsonw_text(j, "name", f->variable[i].name);
        jsonw_text(j, "value", f->variable[i].value);
        jsonw_text(j, "does", f->variable[i].does);
        jsonw_text(j, "ignored", f->variable[i].ignored ? f->variable[i].must : NULL);
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
}

static void put_file(struct jsonw *j, const struct doctor_file *f)
{
    jsonw_open(j, "file", '{');
    jsonw_text(j, "path", f->path);
    jsonw_count(j, "variables", f->nvars);
    jsonw_open(j, "problems", '[');
    for (size_t i = 0; i < f->n; i++) {
        jsonw_open(j, NULL, '{');
        jsonw_text(j, "what", f->problem[i].what);
        jsonw_text(j, "advice", f->problem[i].advice);
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
    jsonw_close(j, '}');
}

static bool print_json(const struct findings *f)
{
    struct jsonw j = {0};

    jsonw_open(&j, NULL, '{');
    jsonw_text(&j, "version", cellar_version());
    jsonw_text(&j, "netcdf", nc_inq_libvers());
    jsonw_count(&j, "threads", (unsigned long long)cellar_get_threads());
    jsonw_text(&j, "hdf5", f->hdf5);
    jsonw_text(&j, "hdf5_missing", f->hdf5_why);
    put_codecs(&j, &f->codecs);
    put_pairs(&j, "plugin_path", &f->path);
    put_pairs(&j, "plugins_not_used", &f->passed_over);
    put_environment(&j, f);
    jsonw_text(&j, "no_locks", f->locking);
    if (f->has_file)
        put_file(&j, &f->file);
    else
        jsonw_null(&j, "file");
    jsonw_close(&j, '}');
    return jsonw_print(&j);
}

static int run(int argc, char **argv)
{
    struct findings f = {0};
    struct opt_line line_of_options;
    bool json = false, wrong;
    int key;

    opt_start(&line_of_options, &tool, argc, argv);
    while ((key = opt_next(&line_of_options)) != OPT_END)
        json = json || key == LONG_JSON;
    if (line_of_options.noperands > 1)
        msg_die(MSG_USAGE,
                "expected one file at most, got %zu: cellar doctor [options] [FILE] (cellar help doctor says more)",
                line_of_options.noperands);
    load(line_of_options.noperands ? line_of_options.operands[0] : NULL, &f);
    wrong = f.hdf5_why || f.codecs.nfailed || f.locking || f.file.n;
    if (json)
        wrong = !print_json(&f) || wrong;
    else
        print_text(&f);
    free_findings(&f);
    opt_end(&line_of_options);
    return wrong ? MSG_FAILED : MSG_OK;
}

const struct command command_doctor = {&tool, run, MSG_FAILED};
