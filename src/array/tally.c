/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of `cellar run --stats`: bytes and time of each variable's gets and puts. They are counted if CELLAR_STATS names a
 * file, and appended to that file when the dataset is closed, one line per variable in a single write, so that several
 * processes may share the file:
 *
 *   path TAB variable TAB filters TAB bytes read TAB ns TAB bytes written TAB ns
 */
#include "array_int.h"
#include "buf.h"
#include "env.h"
#include "stats_file.h"
#include <ctype.h>
#include <time.h>

enum { LINE_MAX_BYTES = 64 << 10 };

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void cel_tally_init(struct cel_tally *tally)
{
    tally->on = cel_env_stats() != NULL;
}

uint64_t cel_tally_start(const struct cel_tally *tally)
{
    return tally->on ? now() : 0;
}

static uint64_t bytes_of(const struct cel_var *var, const struct cel_region *region)
{
    uint64_t n = var->type->size;

    for (int d = 0; d < var->ndims; d++)
        n *= region->count ? region->count[d] : var->dim[d]->len - (region->start ? region->start[d] : 0);
    return n;
}

void cel_tally_add(struct cel_tally *tally, const struct cel_var *var, const struct cel_region *region, bool put,
                   uint64_t since)
{
    if (!tally->on)
        return;
    tally->bytes[put] += region ? bytes_of(var, region) : 0;
    tally->ns[put] += now() - since;
}

/* Names are others' text: what would end a column becomes a blank. */
static void add_column(struct cel_buf *line, const char *text)
{
    for (; *text; text++)
        cel_buf_add(line, iscntrl((unsigned char)*text) ? " " : text, 1);
    cel_buf_add(line, "\t", 1);
}

static void add_filters(struct cel_buf *line, const struct cel_var *var)
{
    struct cel_buf text = CEL_BUF_INIT(LINE_MAX_BYTES);

    if (cel_chain_print(&var->chain, CEL_SPELL_NAMES, &text) == CEL_OK && cel_buf_add(&text, "", 1) == CEL_OK)
        add_column(line, text.data);
    else
        add_column(line, "?");
    cel_buf_dispose(&text);
}

void cel_tally_report(const struct cel_tally *tally, const struct cel_var *var)
{
    char path[CEL_WHERE_TEXT];
    struct cel_buf line = CEL_BUF_INIT(LINE_MAX_BYTES);

    if (!tally->on || (!tally->bytes[0] && !tally->bytes[1]))
        return;
    add_column(&line, var->group->dataset->path);
    add_column(&line, cel_var_path(var, path));
    add_filters(&line, var);
    if (cel_buf_printf(&line, "%llu\t%llu\t%llu\t%llu\n", (unsigned long long)tally->bytes[0],
                       (unsigned long long)tally->ns[0], (unsigned long long)tally->bytes[1],
                       (unsigned long long)tally->ns[1]) == CEL_OK)
        cel_stats_append(&line);
    cel_buf_dispose(&line);
}
