/* SPDX-License-Identifier: BSD-3-Clause */
/* A file from its first byte to its last: which variable has them, or none. */

#include "info.h"
#include "safe.h"
#include <stdio.h>
#include <stdlib.h>

static void add(struct info_layout *out, struct info_run run)
{
    out->run = tool_push(out->run, out->n, sizeof *out->run);
    out->run[out->n++] = run;
}

static void add_between(struct info_layout *out, unsigned long long from, unsigned long long to)
{
    if (to <= from)
        return;
    add(out, (struct info_run){.address = from, .size = to - from});
    out->between += to - from;
}

void info_layout_make(const struct look *l, const struct extents *e, struct info_layout *out)
{
    unsigned long long end = 0;

    *out = (struct info_layout){0};
    for (size_t i = 0; i < e->n; i++) {
        const struct extent *x = &e->at[i];
        const struct look_var *v = &l->var[x->var];
        struct info_run *last;

        add_between(out, end, x->address);
        last = out->n ? &out->run[out->n - 1] : NULL;
        if (last && last->var == v && x->address == end) {
            last->size += x->size;
            last->pieces++;
        } else {
            add(out, (struct info_run){x->address, x->size, v, 1});
        }
        if (x->address + x->size > end)
            end = x->address + x->size;
    }
    add_between(out, end, l->size);
}

void info_layout_print(const struct info_layout *layout)
{
    printf("\n%16s %16s  %s\n", "offset", "bytes", "what");
    for (size_t i = 0; i < layout->n; i++) {
        const struct info_run *run = &layout->run[i];
        char *name = run->var ? safe_copy(run->var->path) : NULL;

        printf("%16llu %16llu  ", run->address, run->size);
        if (name)
            printf("%s, %zu piece%s\n", name, run->pieces, run->pieces == 1 ? "" : "s");
        else
            printf("metadata, or not in use\n");
        free(name);
    }
}

void info_layout_free(struct info_layout *layout)
{
    free(layout->run);
}
