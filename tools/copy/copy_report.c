/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress on a terminal, and the table at the end. */

#include "copy.h"
#include "output.h"
#include "safe.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    bool on;
    double start, last;
} bar;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void copy_progress_start(const struct copy *c)
{
    bar.on = !c->req->quiet && isatty(STDERR_FILENO) && c->total > 0;
    bar.start = bar.last = now();
}

void copy_progress(const struct copy *c, const struct copy_var *v)
{
    char *name;
    double t = now(), spent = t - bar.start, part = (double)c->done / (double)(c->total ? c->total : 1), left;
    unsigned long long size;

    if (!bar.on || t - bar.last < 0.2)
        return;
    bar.last = t;
    size = output_size(c->out_path);
    left = part > 0 ? spent / part - spent : 0;
    name = safe_copy(v->path);
    fprintf(stderr, "\r%3.0f %%  %6.0f MB/s  %d:%02d left  ratio %.2f  %-30.30s", 100 * part,
            (double)c->done / 1e6 / spent, (int)left / 60, (int)left % 60, size ? (double)c->done / (double)size : 1.0,
            name);
    fflush(stderr);
    free(name);
}

void copy_progress_end(void)
{
    if (bar.on)
        fprintf(stderr, "\r%78s\r", "");
    bar.on = false;
}

/* --- the table ------------------------------------------------------------------------ */
static const char *filters_of(const struct copy *c, const struct copy_var *v)
{
    return v->filters ? v->filters : c->classic || !v->defined ? "" : v->chain;
}

static const char *how(const struct copy *c, const struct copy_var *v)
{
    if (!v->defined)
        return "left out";
    if (!v->with_data)
        return "defined only";
    if (c->req->dry_run)
        return "estimated";
    return v->as_stored ? "as stored" : "copied";
}

static double ratio(const struct copy_var *v)
{
    return v->stored ? (double)v->nbytes / (double)v->stored : 1;
}

static double rate(const struct copy_var *v)
{
    return v->seconds > 0 ? (double)v->nbytes / 1e6 / v->seconds : 0;
}

static void report_text(const struct copy *c, FILE *out)
{
    unsigned long long raw = 0, stored = 0;

    fprintf(out, "%-20s %-30s %14s %14s %7s %7s  %s\n", "variable", "filters", "bytes", "stored", "ratio", "MB/s", "");
    for (size_t i = 0; i < c->nvars; i++) {
        const struct copy_var *v = &c->var[i];
        char *name = safe_copy(v->path), *filters = safe_copy(filters_of(c, v)),
             *note = safe_copy(v->note ? v->note : "");
        fprintf(out, "%-20s %-30s %14llu %14llu %7.2f %7.0f  %s", name, *filters ? filters : "-", v->nbytes, v->stored,
                ratio(v), rate(v), how(c, v));
        if (v->quantize || (v->lossy && c->req->verify))
            fprintf(out, ", largest error %.3g (relative %.3g)", v->max_abs, v->max_rel);
        fprintf(out, "%s%s\n", v->note ? "; " : "", note);
        free(name);
        free(filters);
        free(note);
        raw += v->with_data ? v->nbytes : 0;
        stored += v->with_data ? v->stored : 0;
    }
    fprintf(out, "%-20s %-30s %14llu %14llu %7.2f\n", "all", "", raw, stored,
            stored ? (double)raw / (double)stored : 1.0);
}

static void put_json_text(FILE *out, const char *s)
{
    struct text t = {0};

    safe_put_json(&t, s, strlen(s));
    fputs(text_get(&t), out);
    text_free(&t);
}

static void report_json(const struct copy *c, FILE *out)
{
    fputs("{\"input\": ", out);
    put_json_text(out, c->req->in);
    fputs(", \"output\": ", out);
    put_json_text(out, c->req->out);
    fprintf(out, ", \"verified\": %s, \"estimated\": %s, \"variables\": [", c->req->verify ? "true" : "false",
            c->req->dry_run ? "true" : "false");
    for (size_t i = 0; i < c->nvars; i++) {
        const struct copy_var *v = &c->var[i];
        const char *filters = filters_of(c, v);
        fprintf(out, "%s\n  {\"name\": ", i ? "," : "");
        put_json_text(out, v->path);
        fputs(", \"filters\": ", out);
        put_json_text(out, filters);
        fprintf(out, ", \"bytes\": %llu, \"stored\": %llu, \"ratio\": %.4f, \"seconds\": %.6f, \"how\": \"%s\"",
                v->nbytes, v->stored, ratio(v), v->seconds, how(c, v));
        if (v->quantize || (v->lossy && c->req->verify))
            fprintf(out, ", \"max_abs_error\": %.9g, \"max_rel_error\": %.9g", v->max_abs, v->max_rel);
        if (v->note) {
            fputs(", \"note\": ", out);
            put_json_text(out, v->note);
        }
        putc('}', out);
    }
    fputs("\n]}\n", out);
}

void copy_report(const struct copy *c, FILE *out)
{
    if (c->req->report == REPORT_JSON)
        report_json(c, out);
    else
        report_text(c, out);
}
