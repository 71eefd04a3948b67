/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of `cellar run --stats`: a table of what the library has noted, one row for each variable of each file, with the
 * lines of several opens and processes added up. */

#include "run_stats.h"
#include "msg.h"
#include "safe.h"
#include "text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 3, NUMBERS = 4 }; /* path, variable, filters; bytes and ns of gets and of puts */

struct row {
    const char *key[KEYS];
    double number[NUMBERS];
};

struct table {
    struct row *row;
    size_t n;
};

/* Requests to servers; bytes received, sent, and taken from the cache on disk instead. */
struct network {
    double requests, in, out, again, cached;
};

/* "network" and five numbers; false: another line. */
static bool add_network(const char *line, struct network *sum)
{
    struct network n;

    if (sscanf(line, "network\t%lf\t%lf\t%lf\t%lf\t%lf", &n.requests, &n.in, &n.out, &n.again, &n.cached) != 5)
        return false;
    sum->requests += n.requests;
    sum->in += n.in;
    sum->out += n.out;
    sum->again += n.again;
    sum->cached += n.cached;
    return true;
}

static void print_network(const struct network *n)
{
    if (n->requests <= 0 && n->cached <= 0)
        return;
    fprintf(stderr, "  network  %.0f requests (%.0f of them made again)  received %.3f MB  sent %.3f MB", n->requests,
            n->again, n->in / 1e6, n->out / 1e6);
    if (n->cached > 0)
        fprintf(stderr, "  from the cache on disk %.3f MB", n->cached / 1e6);
    fputc('\n', stderr);
}

/* A line split at its tabs, in place; false: not one of ours. */
static bool split(char *line, struct row *row)
{
    char *part[KEYS + NUMBERS];

    for (size_t i = 0; i < KEYS + NUMBERS; i++) {
        part[i] = strsep(&line, "\t");
        if (!part[i])
            return false;
    }
    for (size_t i = 0; i < KEYS; i++)
        row->key[i] = part[i];
    for (size_t i = 0; i < NUMBERS; i++)
        row->number[i] = strtod(part[KEYS + i], NULL);
    return !line;
}

static bool same_keys(const struct row *a, const struct row *b)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(a->key[i], b->key[i]) != 0)
            return false;
    return true;
}

static void add(struct table *t, const struct row *row)
{
    for (size_t i = 0; i < t->n; i++)
        if (same_keys(&t->row[i], row)) {
            for (size_t k = 0; k < NUMBERS; k++)
                t->row[i].number[k] += row->number[k];
            return;
        }
    t->row = tool_push(t->row, t->n, sizeof *t->row);
    t->row[t->n++] = *row;
}

static void put_amount(struct text *out, const char *what, double bytes, double ns)
{
    if (bytes > 0)
        text_printf(out, "  %s %.3f MB in %.3f s", what, bytes / 1e6, ns / 1e9);
}

static void print_row(const struct row *row)
{
    struct text line = {0};

    safe_put(&line, row->key[0], strlen(row->key[0]));
    text_puts(&line, "  ");
    safe_put(&line, row->key[1], strlen(row->key[1]));
    text_printf(&line, "  %s", *row->key[2] ? row->key[2] : "no filters");
    put_amount(&line, "read", row->number[0], row->number[1]);
    put_amount(&line, "written", row->number[2], row->number[3]);
    fprintf(stderr, "  %s\n", text_get(&line));
    text_free(&line);
}

void run_stats_print(const char *file, const char *command)
{
    size_t len;
    char *content = text_read_file(file, &len), *rest = content, *line;
    struct table t = {0};
    struct network network = {0};
    struct row row;

    while (rest && (line = strsep(&rest, "\n")))
        if (!add_network(line, &network) && split(line, &row))
            add(&t, &row);
    if (t.n == 0)
        msg_warn("%s has read and written no values through Cellar; if it has a libnetcdf of its own, try --preload",
                 command);
    else
        fprintf(stderr, "%s: values that went through Cellar\n", msg_tool());
    for (size_t i = 0; i < t.n; i++)
        print_row(&t.row[i]);
    print_network(&network);
    free(t.row);
    free(content);
}
