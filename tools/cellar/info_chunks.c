/* The sizes of the chunks of one variable, and a map of them. */

#include "cellar.h"
#include "info.h"
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
    unsigned long long *sorted = tool_alloc(c->total + 1, sizeof *sorted);
    size_t n = 0;

    for (size_t i = 0; i < c->total; i++)
        if (c->size[i]) {
            sorted[n++] = c->size[i];
            c->sum += c->size[i];
        }
    c->missing = c->total - n;
    qsort(sorted, n, sizeof *sorted, compare);
    if (n) {
        c->least = sorted[0];
        c->median = sorted[n / 2];
        c->most = sorted[n - 1];
    }
    free(sorted);
}

int info_chunks_load(const struct look_var *v, struct info_chunks *out)
{
    struct look_pieces p;
    unsigned skipped;
    int status = NC_NOERR;

    *out = (struct info_chunks){.raw = look_piece_values(v) * (v->type ? v->type->size : 0)};
    look_pieces_start(&p, v);
    out->total = p.total;
    out->size = tool_alloc(p.total + 1, sizeof *out->size);
    out->address = tool_alloc(p.total + 1, sizeof *out->address);
    for (; status == NC_NOERR && p.more; look_pieces_next(&p)) {
        status =
            cellar_inq_chunk(v->group, v->id, p.index, &out->address[p.number], &out->size[p.number], &skipped, NULL);
        out->skipped += status == NC_NOERR && skipped;
    }
    look_pieces_end(&p);
    if (status == NC_NOERR)
        summarize(out);
    return status;
}

/* '.' nothing stored, '1' to '9' tenths of the size before the filters, '#' no smaller than that. */
static char mark(const struct info_chunks *c, size_t first, size_t n)
{
    unsigned long long sum = 0;
    double part;

    for (size_t i = first; i < first + n && i < c->total; i++)
        sum += c->size[i];
    if (!sum)
        return '.';
    part = (double)sum / (double)n / (double)(c->raw ? c->raw : 1);
    return part > 0.95 ? '#' : (char)('1' + (int)(part * 10 > 8 ? 8 : part * 10));
}

static void print_map(const struct info_chunks *c)
{
    size_t each = (c->total + MAP_WIDTH * MAP_LINES - 1) / (MAP_WIDTH * MAP_LINES), marks;

    if (!c->total)
        return;
    marks = (c->total + each - 1) / each;
    printf("\nin order, %zu chunk%s a character: . missing, 1 to 9 tenths of the size before filters, # not smaller\n",
           each, each == 1 ? "" : "s");
    for (size_t i = 0; i < marks; i++) {
        size_t left = c->total - i * each;

        putchar(mark(c, i * each, left < each ? left : each));
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
    free(c->size);
    free(c->address);
}
