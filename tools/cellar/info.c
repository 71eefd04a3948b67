/* SPDX-License-Identifier: BSD-3-Clause */
/* The page that cellar info prints. */

#include "info.h"
#include "msg.h"
#include "safe.h"
#include "units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 10 };

/* --- the head ------------------------------------------------------------------------ */

static int print_group_dims(int group, void *arg)
{
    struct walk_ids dims = {0};
    char name[NC_MAX_NAME + 1], *shown, *path = walk_path(group);
    size_t *printed = arg, len;
    int status = walk_dims(group, &dims);

    for (int i = 0; status == NC_NOERR && i < dims.n; i++) {
        status = nc_inq_dim(group, dims.at[i], name, &len);
        shown = safe_copy(name);
        if (status == NC_NOERR)
            printf("%s%s%s%s = %zu%s", (*printed)++ ? ", " : "dimensions  ", path && path[1] ? path : "",
                   path && path[1] ? "/" : "", shown, len, walk_is_unlimited(group, dims.at[i]) ? " (unlimited)" : "");
        free(shown);
    }
    walk_free(&dims);
    free(path);
    return status;
}

static void print_head(const struct look *l, const struct extents *e)
{
    char *name = safe_copy(l->path), a[UNITS_TEXT], b[UNITS_TEXT];
    unsigned long long nbytes = 0;
    size_t dims = 0;

    for (size_t i = 0; i < l->nvars; i++)
        nbytes += l->var[i].nbytes;
    printf("%s: %s%s%s\n", name, look_format_name(l), l->size ? ", " : "",
           l->size ? units_bytes(l->size, a) : ""); /* 0: on a server */
    walk_all(l->ncid, print_group_dims, &dims);
    printf("%scontents    %zu variable%s in %zu group%s, %zu attribute%s\n", dims ? "\n" : "", l->nvars,
           l->nvars == 1 ? "" : "s", l->ngroups, l->ngroups == 1 ? "" : "s", l->natts, l->natts == 1 ? "" : "s");
    printf("values      %s, stored in %s", units_bytes(nbytes, a), units_bytes(e->stored, b));
    if (e->stored)
        printf(" (ratio %.2f)", units_ratio(nbytes, e->stored));
    if (l->size > e->stored)
        printf("; %s of metadata and unused space", units_bytes(l->size - e->stored, a));
    puts("");
    free(name);
}

/* --- the table ------------------------------------------------------------------------- */

enum { COLUMNS = 8 };
struct row {
    char *cell[COLUMNS];
};
static const char *const heading[COLUMNS] = {"share", "stored", "ratio",  "variable",
                                             "type",  "shape",  "chunks", "filters"};
static const bool to_the_right[COLUMNS] = {false, true, true};

static char *share_of(unsigned long long stored, unsigned long long all)
{
    double share = all ? (double)stored / (double)all : 0;
    int full = (int)(share * BAR + 0.5);
    struct text t = {0};

    for (int i = 0; i < BAR; i++)
        text_putc(&t, i < full ? '#' : '.');
    text_printf(&t, " %3.0f %%", 100 * share);
    return text_take(&t);
}

char *info_chunks_of(const struct look_var *v)
{
    static const char *const name[] = {
        [NC_CONTIGUOUS] = "contiguous", [NC_COMPACT] = "compact", [NC_VIRTUAL] = "virtual"};
    struct text t = {0};
    char *lengths;

    if (v->storage != NC_CHUNKED)
        return tool_strdup(v->storage > 0 && v->storage <= NC_VIRTUAL && name[v->storage] ? name[v->storage]
                                                                                          : "unknown");
    lengths = look_lengths(v->piece, v->ndims);
    text_puts(&t, lengths);
    free(lengths);
    if (v->shard) {
        lengths = look_lengths(v->shard, v->ndims);
        text_printf(&t, " in %s", lengths);
        free(lengths);
    }
    return text_take(&t);
}

static char *shape_of(const struct look_var *v)
{
    struct text t = {0};

    for (int d = 0; d < v->ndims; d++)
        text_printf(&t, "%s%zu%s", d ? "x" : "", v->shape[d], v->grows[d] ? "*" : "");
    if (v->ndims == 0)
        text_puts(&t, "-");
    return text_take(&t);
}

static char *filters_of(const struct look_var *v)
{
    struct info_notes notes;
    struct text t = {0}, safe = {0};

    info_notes_load(v, &notes);
    text_puts(&t, *v->chain ? v->chain : "-");
    if (notes.quantize)
        text_printf(&t, "; %s", notes.quantize);
    if (notes.fill)
        text_printf(&t, "; fill %s", notes.fill);
    if (notes.no_fill)
        text_puts(&t, "; no fill");
    if (v->reason)
        text_printf(&t, "; cannot be read: %s", v->reason);
    safe_put(&safe, text_get(&t), t.len);
    info_notes_free(&notes);
    text_free(&t);
    return text_take(&safe);
}

static void fill_row(const struct look *l, const struct extents *e, size_t i, struct row *row)
{
    const struct look_var *v = &l->var[i];
    unsigned long long stored = e->of_var[i];
    char text[UNITS_TEXT];
    struct text ratio = {0};

    if (stored)
        text_printf(&ratio, "%.2f", units_ratio(v->nbytes, stored));
    row->cell[0] = share_of(stored, l->size);
    row->cell[1] = tool_strdup(units_bytes(stored, text));
    row->cell[2] = tool_strdup(text_get(&ratio));
    row->cell[3] = safe_copy(v->path);
    row->cell[4] = safe_copy(v->type ? v->type->name : "?");
    row->cell[5] = shape_of(v);
    row->cell[6] = info_chunks_of(v);
    row->cell[7] = filters_of(v);
    text_free(&ratio);
}

static void print_row(char *const *cell, const size_t *width)
{
    for (int c = 0; c + 1 < COLUMNS; c++)
        printf(to_the_right[c] ? "%*s  " : "%-*s  ", (int)width[c], cell[c]);
    puts(cell[COLUMNS - 1]);
}

static void print_table(const struct look *l, const struct extents *e)
{
    struct row *row = tool_alloc(l->nvars + 1, sizeof *row);
    size_t width[COLUMNS];

    for (int c = 0; c < COLUMNS; c++) {
        row[l->nvars].cell[c] = tool_strdup(heading[c]);
        width[c] = strlen(heading[c]);
    }
    for (size_t i = 0; i < l->nvars; i++) {
        fill_row(l, e, i, &row[i]);
        for (int c = 0; c < COLUMNS; c++)
            if (strlen(row[i].cell[c]) > width[c])
                width[c] = strlen(row[i].cell[c]);
    }
    puts("");
    print_row(row[l->nvars].cell, width);
    for (size_t i = 0; i < l->nvars; i++)
        print_row(row[i].cell, width);
    for (size_t i = 0; i <= l->nvars; i++)
        for (int c = 0; c < COLUMNS; c++)
            free(row[i].cell[c]);
    free(row);
}

/* Variables that cannot be read are rows of the table. */
static bool is_row(const struct look *l, const char *path)
{
    for (size_t i = 0; i < l->nvars; i++)
        if (strcmp(l->var[i].path, path) == 0)
            return true;
    return false;
}

static void print_lost(const struct look *l)
{
    bool any = false;

    for (size_t i = 0; i < l->nlost; i++) {
        struct text t = {0};

        if (is_row(l, l->lost[i].path))
            continue;
        fputs(any ? "" : "\n", stdout);
        any = true;
        text_printf(&t, "not understood: %s: %s", l->lost[i].path, l->lost[i].reason);
        safe_print(&t);
    }
}

/* --- the whole ---------------------------------------------------------------------------- */

static int print_chunks(const struct look *l, const char *name)
{
    const struct look_var *v = look_get(l, name);
    struct info_chunks c;
    bool ok = info_chunks_load(v, &c);

    if (ok)
        info_chunks_print(v, &c);
    else
        msg_error("%s: %s: %s", l->path, v->path, c.why);
    info_chunks_free(&c);
    return ok ? MSG_OK : MSG_FAILED;
}

static void print_layout(const struct look *l, const struct extents *e)
{
    struct info_layout layout;

    if (l->format == LOOK_ZARR) {
        printf("\nchunks lie in values of their own; %zu values have %llu bytes\n", e->n, e->stored);
        return;
    }
    info_layout_make(l, e, &layout);
    info_layout_print(&layout);
    info_layout_free(&layout);
}

static int print_page(const struct look *l, const struct info_request *r)
{
    struct extents e;
    int code = MSG_OK;

    extents_load(l, NULL, NULL, &e);
    if (r->html) {
        code = info_html(l, &e, r->html);
    } else if (r->json) {
        code = info_json(l, &e, r);
    } else {
        print_head(l, &e);
        if (l->nvars)
            print_table(l, &e);
        print_lost(l);
        if (r->layout)
            print_layout(l, &e);
    }
    extents_free(&e);
    return code;
}

int info_file(const char *path, const struct info_request *r)
{
    struct look l;
    char *shown = safe_url(path);
    int status = look_open(path, &l), code;

    l.path = shown;
    if (status)
        code = msg_nc(status, "%s", path);
    else if (r->chunks_of && !r->json)
        code = print_chunks(&l, r->chunks_of);
    else
        code = print_page(&l, r);
    look_close(&l);
    free(shown);
    return code;
}
