/* SPDX-License-Identifier: BSD-3-Clause */
/* Every piece that is stored asked for once. */

#include "extents.h"
#include "cellar.h"
#include "msg.h"
#include <stdlib.h>
#include <string.h>

static void add(struct extents *e, struct extent piece)
{
    e->at = tool_push(e->at, e->n, sizeof *e->at);
    e->at[e->n++] = piece;
}

struct told {
    extents_fail *fail;
    void *arg;
};

static void tell(const struct told *to, const struct look_var *v, const size_t *index, int status)
{
    char *why = to->fail ? msg_reason(status) : NULL;

    if (why)
        to->fail(to->arg, v, index, status, why);
    free(why);
}

static void load_piece(const struct look *l, struct extents *e, size_t var, const struct look_pieces *p,
                       const struct told *to)
{
    const struct look_var *v = &l->var[var];
    struct extent piece = {.var = var, .number = p->number};
    int status = cellar_inq_chunk(v->group, v->id, p->index, &piece.address, &piece.size, NULL,
                                  l->format == LOOK_ZARR ? &piece.key : NULL);

    if (status)
        tell(to, v, p->index, status);
    e->missing[var] -= status != NC_NOERR;
    if (status || !piece.size) {
        cellar_free(piece.key);
        return;
    }
    e->written[var]++;
    e->missing[var]--;
    e->of_var[var] += piece.size;
    e->stored += piece.size;
    if (piece.address == CELLAR_NO_ADDRESS && !piece.key)
        e->unlocated += piece.size;
    else
        add(e, piece);
}

static int compare(const void *x, const void *y)
{
    const struct extent *a = x, *b = y;
    int order = a->key && b->key ? strcmp(a->key, b->key) : 0;

    if (order == 0)
        order = a->address < b->address ? -1 : a->address > b->address;
    return order ? order : a->var < b->var ? -1 : a->var > b->var;
}

void extents_load(const struct look *l, extents_fail *fail, void *arg, struct extents *out)
{
    const struct told to = {fail, arg};

    *out = (struct extents){0};
    out->of_var = tool_alloc(l->nvars + 1, sizeof *out->of_var);
    out->written = tool_alloc(l->nvars + 1, sizeof *out->written);
    out->missing = tool_alloc(l->nvars + 1, sizeof *out->missing);
    for (size_t i = 0; i < l->nvars; i++) {
        struct look_pieces p;

        if (l->var[i].reason)
            continue;
        look_pieces_start(&p, &l->var[i]);
        for (out->missing[i] = p.total; p.more; look_pieces_next(&p))
            load_piece(l, out, i, &p, &to);
        if (p.why && fail)
            fail(arg, &l->var[i], NULL, p.status, p.why);
        look_pieces_end(&p);
    }
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, compare);
}

void extents_free(struct extents *e)
{
    for (size_t i = 0; i < e->n; i++)
        cellar_free(e->at[i].key);
    free(e->at);
    free(e->of_var);
    free(e->written);
    free(e->missing);
    *e = (struct extents){0};
}
