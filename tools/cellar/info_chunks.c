/* SPDX-License-Identifier: BSD-3-Clause */
/* The sizes of the chunks of one variable, and a map of them. */

#include "cellar.h"
#include "info.h"
#include "msg.h"
#include "safe.h"
#include "units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_WIDTH = 64, MAP_LINES = 16 };

static int compare(const void *x, const void *y)
{
    unsigned long long a = *(const unsigned long long *)x, b = *(const unsigned long long *)y;

    return a < b ? -1 : a > b;
}

static void summarize(struct info_chunks *c)
{
    unsigned long long *sorted = tool_alloc(c->n + 1, sizeof *sorted);

    for (size_t i = 0; i < c->n; i++) {
        sorted[i] = c->at[i].size;
        c->sum += c->at[i].size;
    }
    c->missing = c->total - c->n;
    qsort(sorted, c->n, sizeof *sorted, compare);
    if (c->n) {
        c->least = sorted[0];
        c->median = sorted[c->n / 2];
        c->most = sorted[c->n - 1];
    }
    free(sorted);
}

static void load_chunk(const struct look_pieces *p, struct info_chunks *out)
{
    struct info_chunk chunk = {.number = p->number};
    unsigned skipped;
    int status = cellar_inq_chunk(p->var->group, p->var->id, p->index, &chunk.address, &chunk.size, &skipped, NULL);

    if (status)
        out->why = msg_reason(status);
    if (status || !chunk.size)
        return;
    out->at = tool_push(out->at, out->n, sizeof *out->at);
    out->at[out->n++] = chunk;
    out->skipped += skipped != 0;
}

bool info_chunks_load(const struct look_var *v, struct info_chunks *out)
{
    struct look_pieces p;

    *out = (struct info_chunks){.raw = look_piece_values(v) * (v->type ? v->type->size : 0)};
    look_pieces_start(&p, v);
    out->total = p.total;
    for (; !out->why && p.more; look_pieces_next(&p))
        load_chunk(&p, out);
    if (!out->why && p.why)
        out->why = tool_strdup(p.why);
    look_pieces_end(&p);
    if (!out->why)
        summarize(out);
    return !out->why;
}

/* '.' nothing stored, '1' to '9' tenths of the size before the filters, '#' no smaller than that. */
static char mark(const struct info_chunks *c, unsigned long long sum, size_t n)
{
    double part = (double)sum / (double)n / (double)(c->raw ? c->raw : 1);

    if (!sum)
        return '.';
    return part > 0.95 ? '#' : (char)('1' + (int)(part * 10 > 8 ? 8 : part * 10));
}

static void print_map(const struct info_chunks *c)
{
    const size_t most = MAP_WIDTH * MAP_LINES;
    size_t each = c->total / most + (c->total % most != 0), marks, next = 0;

    if (!c->total)
        return;
    marks = c->total / each + (c->total % each != 0);
    printf("\nin order, %zu chunk%s a character: . missing, 1 to 9 tenths of the size before filters, # not smaller\n",
           each, each == 1 ? "" : "s");
    for (size_t i = 0; i < marks; i++) {
        size_t left = c->total - i * each, n = left < each ? left : each;
        unsigned long long sum = 0;

        for (; next < c->n && c->at[next].number - i * each < n; next++)
            sum += c->at[next].size;
        putchar(mark(c, sum, n));
        if (i % MAP_WIDTH == MAP_WIDTH - 1 || i + 1 == marks)
            putchar('\n');
    }
}

void info_chunks_print(const struct look_var *v, const struct info_chunks *c)
{
    char *name = safe_copy(v->path), *lengths = look_lengths(v->piece, v->ndims), *chain = safe_copy(v->chain);
    char a[UNITS_TEXT], b[UNITS_TEXT], d[UNITS_TEXT];

    printf("%s: %zu chunk%s of %s, %s each before filters (%s)\n", name, c->total, c->total == 1 ? "" : "s", lengths,
           units_bytes(c->raw, a), *chain ? chain : "none");
    printf("stored   %s in %zu, %zu missing", units_bytes(c->sum, a), c->total - c->missing, c->missing);
    if (c->skipped)
        printf(", %zu not through every filter", c->skipped);
    printf("\nsizes    smallest %s, median %s, largest %s\n", units_bytes(c->least, a), units_bytes(c->median, b),
           units_bytes(c->most, d));
    print_map(c);
    free(name);
    free(lengths);
    free(chain);
}

void info_chunks_free(struct info_chunks *c)
{
    free(c->at);
    free(c->why);
}
