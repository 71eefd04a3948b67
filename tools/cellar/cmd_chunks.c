/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar chunks: chunk shapes for the ways in which a file is read. */

#include "chunks_try.h"
#include "command.h"
#include "jsonw.h"
#include "look.h"
#include "msg.h"
#include "output.h"
#include "safe.h"
#include "select.h"
#include "units.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_FOR = 256, LONG_SIZE, LONG_TRY, LONG_JSON };
enum { SHARD_BYTES = 64 << 20 };

static const struct opt options[] = {
    {LONG_FOR, "for", "READS",
     "how it is read: \"time series 30%, maps 70%\", or dimensions: \"time 1, lat lon 2\" (default: "
     "time series and maps alike)"},
    {LONG_SIZE, "size", "BYTES", "most bytes of a chunk before its filters (default 1048576)"},
    {LONG_TRY, "try", NULL, "copy each variable with these chunks to TMPDIR, and time reads of both"},
    {'v', "variables", "NAME,...", "only these variables"},
    {LONG_JSON, "json", NULL, "JSON in place of text (docs/schema/chunks.json)"},
};

static const struct opt_tool tool = {
    "cellar chunks",
    "[options] FILE",
    "Advise chunk shapes for the two ways in which a file is read most.",
    options,
    sizeof options / sizeof *options,
    "A time series is all of the first dimension; a map is all of the last two.\n"
    "exit codes: 0 advised; 1 the file could not be read or lacks the variable; 2 wrong command line\n"};

/* One way of reading as the user named it. */
struct read {
    char *name;
    double weight;
};

struct request {
    struct read read[2];
    size_t size;
    struct select only;
    bool try, json;
};

struct advice {
    const struct look_var *v;
    struct chunks_access access[2];
    size_t chunk[CHUNKS_RANK];
    double before[2], after[2];
    size_t shard[CHUNKS_RANK]; /* first 0: not a Zarr store */
    struct chunks_tried tried; /* reads 0: it was not tried */
};

/* --- how it is read -------------------------------------------------------------------------- */

/* "time series 30%": the words, and a number at the end. */
static bool parse_read(const char *text, size_t len, struct read *out)
{
    size_t end = len, start;
    char *stop, *number;

    while (end > 0 && (isspace((unsigned char)text[end - 1]) || text[end - 1] == '%'))
        end--;
    for (start = end; start > 0 && strchr("0123456789.", text[start - 1]); start--)
        ;
    number = tool_strndup(text + start, end - start);
    out->weight = strtod(number, &stop);
    free(number);
    while (start > 0 && isspace((unsigned char)text[start - 1]))
        start--;
    while (len && isspace((unsigned char)*text)) {
        text++;
        start -= start > 0;
        len--;
    }
    out->name = tool_strndup(text, start);
    return end > start && out->weight > 0 && *out->name;
}

static void set_reads(struct request *r, const char *text)
{
    const char *comma = strchr(text, ',');

    free(r->read[0].name);
    free(r->read[1].name);
    r->read[0] = r->read[1] = (struct read){0};
    if (!comma || strchr(comma + 1, ',') || !parse_read(text, (size_t)(comma - text), &r->read[0]) ||
        !parse_read(comma + 1, strlen(comma + 1), &r->read[1]))
        msg_die(MSG_USAGE, "--for %s: expected two ways of reading with their weights: \"time series 30%%, maps 70%%\"",
                text);
}

static bool names_dim(const char *words, const char *dim)
{
    size_t n = strlen(dim);

    for (const char *at = words; (at = strstr(at, dim)); at += n)
        if ((at == words || isspace((unsigned char)at[-1])) && (!at[n] || isspace((unsigned char)at[n])))
            return true;
    return false;
}

/* Which dimensions of a variable a way of reading means; false: none of them. */
static bool resolve(const struct read *read, const struct look_var *v, struct chunks_access *out)
{
    bool any = false;

    *out = (struct chunks_access){.weight = read->weight};
    for (int d = 0; d < v->ndims; d++) {
        out->whole[d] = strcmp(read->name, "time series") == 0 ? d == 0
                        : strcmp(read->name, "maps") == 0      ? v->ndims >= 3 && d >= v->ndims - 2
                                                               : names_dim(read->name, v->dim[d]);
        any = any || out->whole[d];
    }
    return any;
}

static bool has_dim(const struct look *l, const char *name)
{
    for (size_t i = 0; i < l->nvars; i++)
        for (int d = 0; d < l->var[i].ndims; d++)
            if (strcmp(l->var[i].dim[d], name) == 0)
                return true;
    return false;
}

static noreturn void no_such_dim(const struct look *l, const char *name)
{
    const char **names = NULL, *near;
    size_t n = 0;

    for (size_t i = 0; i < l->nvars; i++)
        for (int d = 0; d < l->var[i].ndims; d++) {
            names = tool_push(names, n, sizeof *names);
            names[n++] = l->var[i].dim[d];
        }
    near = msg_nearest(name, names, n);
    free(names);
    msg_die(MSG_FAILED, "--for: no variable of %s has a dimension %s%s%s%s", l->path, name,
            near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
}

static void check_dims(const struct read *read, const struct look *l)
{
    char *words = tool_strdup(read->name), *rest = words, *word;

    if (strcmp(read->name, "time series") != 0 && strcmp(read->name, "maps") != 0)
        while ((word = strtok_r(rest, " \t\n", &rest)))
            if (!has_dim(l, word))
                no_such_dim(l, word);
    free(words);
}

static bool share_a_dim(const struct advice *a)
{
    for (int d = 0; d < a->v->ndims; d++)
        if (a->access[0].whole[d] && a->access[1].whole[d])
            return true;
    return false;
}

/* False: the variable is not read in both ways. */
static bool advise(const struct request *r, const struct look_var *v, struct advice *out)
{
    *out = (struct advice){.v = v};
    if (v->reason || !v->type || v->ndims < 2 || v->ndims > CHUNKS_RANK || !v->nvalues || v->type->size > r->size)
        return false;
    if (!resolve(&r->read[0], v, &out->access[0]) || !resolve(&r->read[1], v, &out->access[1]) || share_a_dim(out))
        return false;
    chunks_shape(v->ndims, v->shape, r->size / v->type->size, out->access, out->chunk);
    for (int i = 0; i < 2; i++) {
        out->before[i] = chunks_touched(v->ndims, v->shape, v->piece, &out->access[i]);
        out->after[i] = chunks_touched(v->ndims, v->shape, out->chunk, &out->access[i]);
    }
    return true;
}

/* --- printing --------------------------------------------------------------------------------- */

static size_t bytes_of(const struct advice *a)
{
    size_t n = a->v->type->size;

    for (int d = 0; d < a->v->ndims; d++)
        n *= a->chunk[d];
    return n;
}

static void print_tried(const struct request *r, const struct advice *a)
{
    for (int i = 0; i < 2 && a->tried.reads; i++)
        printf("  %-16s %.3g ms a read, now %.3g: %.3g times as fast\n", r->read[i].name, a->tried.after[i],
               a->tried.before[i], a->tried.before[i] / a->tried.after[i]);
}

static void print_shards(const struct advice *a)
{
    char *shard = look_lengths(a->shard, a->v->ndims);

    if (a->shard[0])
        printf("  in shards of %s, as values of the store\n", shard);
    free(shard);
}

static void print_advice(const struct request *r, const struct advice *a)
{
    char *name = safe_copy(a->v->path), *shape = look_lengths(a->v->shape, a->v->ndims);
    char *now = look_lengths(a->v->piece, a->v->ndims), *then = look_lengths(a->chunk, a->v->ndims), text[UNITS_TEXT];

    printf("%s %s: chunks of %s (now %s%s), %s each\n", name, shape, then,
           a->v->storage == NC_CHUNKED ? "" : "in one piece ", now, units_bytes(bytes_of(a), text));
    for (int i = 0; i < 2; i++)
        printf("  %-16s %.0f chunk%s, now %.0f\n", r->read[i].name, a->after[i], a->after[i] == 1 ? "" : "s",
               a->before[i]);
    print_shards(a);
    print_tried(r, a);
    free(name);
    free(shape);
    free(now);
    free(then);
}

static void print_line(const struct advice *a, size_t n, const char *path)
{
    struct text t = {0};

    text_puts(&t, "nccopy");
    for (size_t i = 0; i < n; i++) {
        struct text spec = {0};

        text_printf(&spec, "%s:", a[i].v->path);
        for (int d = 0; d < a[i].v->ndims; d++)
            text_printf(&spec, "%s%zu", d ? "," : "", a[i].chunk[d]);
        text_puts(&t, " -c ");
        safe_put_word(&t, text_get(&spec));
        text_free(&spec);
    }
    text_putc(&t, ' ');
    safe_put_word(&t, path);
    printf("%s OUT.nc\n", text_get(&t));
    text_free(&t);
}

static void put_reads(struct jsonw *j, const struct request *r, const struct advice *a)
{
    jsonw_open(j, "reads", '[');
    for (int k = 0; k < 2; k++) {
        jsonw_open(j, NULL, '{');
        jsonw_text(j, "name", r->read[k].name);
        jsonw_real(j, "weight", r->read[k].weight);
        jsonw_real(j, "touched_now", a->before[k]);
        jsonw_real(j, "touched", a->after[k]);
        if (a->tried.reads) {
            jsonw_real(j, "milliseconds_now", a->tried.before[k]);
            jsonw_real(j, "milliseconds", a->tried.after[k]);
        }
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
}

static bool print_json(const struct request *r, const struct advice *a, size_t n, const char *path)
{
    struct jsonw j = {0};

    jsonw_open(&j, NULL, '{');
    jsonw_text(&j, "file", path);
    jsonw_open(&j, "variables", '[');
    for (size_t i = 0; i < n; i++) {
        jsonw_open(&j, NULL, '{');
        jsonw_text(&j, "name", a[i].v->path);
        jsonw_sizes(&j, "shape", a[i].v->shape, (size_t)a[i].v->ndims);
        jsonw_sizes(&j, "now", a[i].v->piece, (size_t)a[i].v->ndims);
        jsonw_sizes(&j, "chunks", a[i].chunk, (size_t)a[i].v->ndims);
        if (a[i].shard[0])
            jsonw_sizes(&j, "shards", a[i].shard, (size_t)a[i].v->ndims);
        jsonw_count(&j, "bytes", bytes_of(&a[i]));
        put_reads(&j, r, &a[i]);
        jsonw_close(&j, '}');
    }
    jsonw_close(&j, ']');
    jsonw_close(&j, '}');
    return jsonw_print(&j);
}

struct advised {
    const struct request *r;
    const struct look *l;
    struct advice *a;
    size_t n;
};

static int advise_var(void *arg, const struct look_var *v)
{
    struct advised *all = arg;
    struct advice *a = &all->a[all->n];
    int code = MSG_OK;

    if (!advise(all->r, v, a))
        return MSG_OK;
    all->n++;
    if (all->l->format == LOOK_ZARR)
        chunks_shards(v->ndims, v->shape, a->chunk, SHARD_BYTES / (double)v->type->size, a->shard);
    if (all->r->try)
        code = chunks_try(all->l, v, a->chunk, a->access, &a->tried);
    return code == MSG_USAGE ? MSG_OK : code; /* too large to be tried */
}

static int advise_file(const struct request *r, const struct look *l)
{
    struct advised all = {.r = r, .l = l, .a = tool_alloc(l->nvars + 1, sizeof *all.a)};
    int code;

    for (int k = 0; k < 2; k++)
        check_dims(&r->read[k], l);
    code = look_each_chosen(l, &r->only, advise_var, &all);
    if (r->json && code == MSG_OK)
        code = print_json(r, all.a, all.n, l->path) ? MSG_OK : MSG_FAILED;
    for (size_t i = 0; !r->json && i < all.n; i++)
        print_advice(r, &all.a[i]);
    if (!r->json && all.n)
        print_line(all.a, all.n, l->path);
    if (!r->json && !all.n)
        msg_warn("%s: no variable has the dimensions of both %s and %s: name two ways of reading with --for, as in "
                 "--for \"x 1, y 2\"",
                 l->path, r->read[0].name, r->read[1].name);
    free(all.a);
    return code;
}

static int run(int argc, char **argv)
{
    struct request r = {.size = 1 << 20};
    struct opt_line line;
    struct look l;
    int key, code;

    output_init();
    set_reads(&r, "time series 1, maps 1");
    opt_start(&line, &tool, argc, argv);
    while ((key = opt_next(&line)) != OPT_END) {
        switch (key) {
        case LONG_FOR: set_reads(&r, line.value); break;
        case LONG_SIZE: r.size = (size_t)opt_number("--size", line.value, 8, 1LL << 31); break;
        case LONG_TRY: r.try = true; break;
        case 'v': select_add(&r.only, line.value); break;
        default: r.json = true; break;
        }
    }
    code = look_open_operand(&line, &r.only, &l);
    if (code == MSG_OK)
        code = advise_file(&r, &l);
    look_close(&l);
    select_free(&r.only);
    free(r.read[0].name);
    free(r.read[1].name);
    opt_end(&line);
    return code;
}

const struct command command_chunks = {&tool, run, MSG_FAILED};
