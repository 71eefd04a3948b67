/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar info --html: one page with nothing outside it, no script and no address. Names come from others, and are escaped. */

#include "bits_var.h"
#include "info.h"
#include "msg.h"
#include "output.h"
#include "progress.h"
#include "safe.h"
#include "treemap.h"
#include "units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_WIDTH = 900, MAP_HEIGHT = 300, BINS = 24, PLOT_WIDTH = 280, PLOT_HEIGHT = 90, VARS_MAX = 200 };

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<style>\n"
    "body{font:15px/1.45 system-ui,sans-serif;color:#222;margin:2em auto;max-width:940px;padding:0 1em}\n"
    "h1{font-size:1.4em;margin-bottom:.2em}h2{font-size:1.1em;margin-top:2em}p{color:#555}\n"
    "table{border-collapse:collapse;width:100%;font-size:13px}td,th{padding:.25em .6em;text-align:left;"
    "border-bottom:1px solid "
    "#e4e4e4}td.n{text-align:right;white-space:nowrap}td.f{font-family:monospace;font-size:12px}\n"
    "svg{display:block}svg text{font:12px system-ui,sans-serif}.cards{display:flex;flex-wrap:wrap;gap:1.5em}"
    ".card{width:280px}.card b{font-size:13px}.card p{font-size:12px;margin:.2em 0}\n"
    "</style>\n";

static const char *const colours[] = {"#3b6ea8", "#c9772f", "#4f8f55", "#a94c4c",
                                      "#7a68a6", "#8a6d54", "#b86d9e", "#7f7f7f"};
enum { COLOURS = sizeof colours / sizeof *colours };

static void put(struct text *t, const char *s)
{
    char *safe = safe_copy(s);

    for (const char *p = safe; *p; p++)
        if (*p == '<')
            text_puts(t, "&lt;");
        else if (*p == '&')
            text_puts(t, "&amp;");
        else if (*p == '"')
            text_puts(t, "&quot;");
        else
            text_putc(t, *p);
    free(safe);
}

/* --- where the bytes are ------------------------------------------------------------------------- */

struct share {
    struct treemap_part part;
    const char *name;
    size_t colour;
};

static int compare_shares(const void *a, const void *b)
{
    double x = ((const struct share *)a)->part.size, y = ((const struct share *)b)->part.size;

    return x < y ? 1 : x > y ? -1 : 0;
}

static void put_share(struct text *t, const struct share *s, const struct treemap_part *p)
{
    char bytes[UNITS_TEXT];
    size_t fits = (size_t)(p->width / 7.5);

    text_printf(t, "<g><title>");
    put(t, s->name);
    text_printf(t,
                ": %s</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"#fff\"/>",
                units_bytes((unsigned long long)p->size, bytes), p->x, p->y, p->width, p->height,
                s->colour < COLOURS ? colours[s->colour] : "#d0d0d0");
    if (p->height > 18 && fits > 3 && strlen(s->name) < fits) {
        text_printf(t, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">", p->x + 5, p->y + 15,
                    s->colour < COLOURS ? "#fff" : "#444");
        put(t, s->name);
        text_puts(t, "</text>");
    }
    text_puts(t, "</g>\n");
}

static void put_treemap(struct text *t, const struct look *l, const struct extents *e)
{
    struct share *share = tool_alloc(l->nvars + 1, sizeof *share);
    struct treemap_part *part = tool_alloc(l->nvars + 1, sizeof *part);
    size_t n = 0;

    for (size_t i = 0; i < l->nvars; i++)
        share[n++] = (struct share){.part.size = (double)e->of_var[i], .name = l->var[i].path, .colour = i % COLOURS};
    if (l->size > e->stored)
        share[n++] =
            (struct share){.part.size = (double)(l->size - e->stored), .name = "metadata, unused", .colour = COLOURS};
    qsort(share, n, sizeof *share, compare_shares);
    for (size_t i = 0; i < n; i++)
        part[i] = share[i].part;
    treemap_divide(part, n, MAP_WIDTH, MAP_HEIGHT);
    text_printf(t, "<h2>Where the bytes are</h2>\n<svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\">\n",
                MAP_WIDTH, MAP_HEIGHT);
    for (size_t i = 0; i < n; i++)
        if (part[i].width * part[i].height > 0.5)
            put_share(t, &share[i], &part[i]);
    text_puts(t, "</svg>\n");
    free(share);
    free(part);
}

/* --- the table -------------------------------------------------------------------------------------- */

static void put_row(struct text *t, const struct look *l, const struct extents *e, size_t i)
{
    const struct look_var *v = &l->var[i];
    char *shape = look_lengths(v->shape, v->ndims), *chunks = info_chunks_of(v), bytes[UNITS_TEXT];
    double share = l->size ? (double)e->of_var[i] / (double)l->size : 0;

    text_printf(
        t,
        "<tr><td><svg width=\"62\" height=\"10\"><rect width=\"60\" height=\"10\" fill=\"#eee\"/><rect width=\"%.1f\" "
        "height=\"10\" fill=\"%s\"/></svg></td><td class=n>%s</td><td class=n>%.2f</td><td><b>",
        60 * share, colours[i % COLOURS], units_bytes(e->of_var[i], bytes), units_ratio(v->nbytes, e->of_var[i]));
    put(t, v->path);
    text_puts(t, "</b></td><td>");
    put(t, v->type ? v->type->name : "?");
    text_printf(t, "</td><td>%s</td><td>%s</td><td class=f>", shape, chunks);
    put(t, v->reason ? v->reason : *v->chain ? v->chain : "-");
    text_puts(t, "</td></tr>\n");
    free(shape);
    free(chunks);
}

static void put_table(struct text *t, const struct look *l, const struct extents *e)
{
    text_puts(t,
              "<h2>Variables</h2>\n<table><tr><th>share<th>stored<th>ratio<th>variable<th>type<th>shape<th>chunks<th>"
              "filters</tr>\n");
    for (size_t i = 0; i < l->nvars; i++)
        put_row(t, l, e, i);
    text_puts(t, "</table>\n");
}

/* --- bars --------------------------------------------------------------------------------------------- */

/* split: the bars from there on are paler; low, high: what stands below the first and the last. */
static void put_bars(struct text *t, const double *value, int n, int split, const char *low, const char *high)
{
    double most = 0, width = (double)PLOT_WIDTH / n;

    for (int i = 0; i < n; i++)
        most = value[i] > most ? value[i] : most;
    text_printf(t, "<svg width=\"%d\" height=\"%d\">", PLOT_WIDTH, PLOT_HEIGHT + 18);
    for (int i = 0; i < n; i++) {
        double height = most > 0 ? value[i] / most * PLOT_HEIGHT : 0;

        if (height > 0)
            text_printf(t, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>", i * width + 0.5,
                        PLOT_HEIGHT - height, width - 1, height, i < split ? "#3b6ea8" : "#b9cbe0");
    }
    text_printf(t,
                "<path d=\"M0 %d.5H%d\" stroke=\"#999\"/><text x=\"0\" y=\"%d\">%s</text><text x=\"%d\" y=\"%d\" "
                "text-anchor=\"end\">%s</text></svg>",
                PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT + 14, low, PLOT_WIDTH, PLOT_HEIGHT + 14, high);
}

static void open_card(struct text *t, const struct look_var *v)
{
    text_puts(t, "<div class=card><b>");
    put(t, v->path);
    text_puts(t, "</b>");
}

/* How many times smaller chunks are, from the worst to the best, in steps of equal factors. */
static bool put_ratios(struct text *t, const struct look_var *v)
{
    struct info_chunks c = {0};
    double bin[BINS] = {0}, low, high;
    char worst[UNITS_TEXT], best[UNITS_TEXT];
    bool shown;

    shown = !v->reason && v->storage == NC_CHUNKED && info_chunks_load(v, &c) && c.n > 1 && c.least && c.raw;
    if (shown) {
        low = (double)c.raw / (double)c.most, high = (double)c.raw / (double)c.least;
        for (size_t i = 0; i < c.n; i++) {
            double at = high > low ? log((double)c.raw / (double)c.at[i].size / low) / log(high / low) : 0;

            bin[(int)fmin(at * BINS, BINS - 1)]++;
        }
        snprintf(worst, sizeof worst, "%.2f", low);
        snprintf(best, sizeof best, "%.2f", high);
        open_card(t, v);
        text_printf(t, "<p>%zu chunks, %zu never written</p>", c.total, c.missing);
        put_bars(t, bin, BINS, BINS, worst, best);
        text_puts(t, "</div>\n");
    }
    info_chunks_free(&c);
    return shown;
}

/* Bit by bit, from the sign on; those that hold 99 % are darker. */
static bool put_bits(struct text *t, const struct look_var *v)
{
    static const struct bits_request how = {.threshold = BITS_TAIL, .confidence = 0.99};
    struct bits_var b = {0};
    bool shown = !v->reason && bits_var_measure(&how, v, &b) == NC_NOERR && b.v && b.advised;

    if (shown) {
        struct bits_form form = bits_form_of(v->type->size);
        int kept = form.nbits - form.mantissa + b.keep[0];

        open_card(t, v);
        text_printf(t, "<p>keep %d of %d bits of the mantissa: largest error %.3g</p>", b.keep[0], form.mantissa,
                    b.abs[0]);
        put_bars(t, b.along[b.best].information, form.nbits, kept, "sign", "last bit");
        text_puts(t, "</div>\n");
    }
    progress_add(v->nbytes, v->path);
    bits_var_free(&b);
    return shown;
}

static void put_cards(struct text *t, const struct look *l, const char *title, const char *about,
                      bool (*put_one)(struct text *t, const struct look_var *v))
{
    struct text cards = {0};

    for (size_t i = 0; i < l->nvars && i < VARS_MAX; i++)
        put_one(&cards, &l->var[i]);
    if (cards.len)
        text_printf(t, "<h2>%s</h2>\n<p>%s</p>\n<div class=cards>\n%s</div>\n", title, about, text_get(&cards));
    text_free(&cards);
}

/* --- the page -------------------------------------------------------------------------------------------- */

int info_html(const struct look *l, const struct extents *e, const char *path)
{
    struct text t = {0};
    char a[UNITS_TEXT], b[UNITS_TEXT], d[UNITS_TEXT];
    unsigned long long nbytes = 0;
    bool ok;

    for (size_t i = 0; i < l->nvars; i++)
        nbytes += l->var[i].nbytes;
    progress_start(false, nbytes);
    text_puts(&t, head);
    text_puts(&t, "<title>");
    put(&t, l->path);
    text_puts(&t, "</title></head><body>\n<h1>");
    put(&t, l->path);
    text_printf(&t, "</h1>\n<p>%s, %s. %zu variable%s with %s of values, stored in %s (ratio %.2f).</p>\n",
                look_format_name(l), units_bytes(l->size, a), l->nvars, l->nvars == 1 ? "" : "s",
                units_bytes(nbytes, b), units_bytes(e->stored, d), units_ratio(nbytes, e->stored));
    put_treemap(&t, l, e);
    put_table(&t, l, e);
    put_cards(&t, l, "How chunks compress", "How many chunks have which ratio, in steps of equal factors.", put_ratios);
    put_cards(&t, l, "Where the information is",
              "What each bit tells of the same bit of its neighbour; the dark ones hold 99 % of it (cellar bits).",
              put_bits);
    text_puts(&t, "</body></html>\n");
    progress_end();
    ok = output_text(path, t.s, t.len);
    text_free(&t);
    return ok ? MSG_OK : MSG_FAILED;
}
