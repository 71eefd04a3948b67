/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of more chunks than can be gone through, two of the same chunk lengths: the chunks that at least one of them has
 * stored, in order. All others hold one value on either side. */

#include "diff.h"
#include "slab.h"
#include <stdlib.h>
#include <string.h>

bool diff_stored_can(const struct look_var *a, const struct look_var *b)
{
    bool same = (a->too_many || b->too_many) && a->storage == NC_CHUNKED && b->storage == NC_CHUNKED;

    for (int d = 0; same && d < a->ndims; d++)
        same = a->piece[d] == b->piece[d];
    return same;
}

void diff_stored_start(struct diff_stored *s, const struct look_var *a, const struct look_var *b)
{
    *s = (struct diff_stored){0};
    look_pieces_start(&s->a, a);
    look_pieces_start(&s->b, b);
}

void diff_stored_end(struct diff_stored *s)
{
    look_pieces_end(&s->a);
    look_pieces_end(&s->b);
}

/* Chunks from the one behind the last up to this are in neither. */
static void note_gap(struct diff_stored *s, size_t number)
{
    if (!s->has_absent && s->next < number) {
        s->has_absent = true;
        s->absent = s->next;
    }
}

static void pass(struct look_pieces *p, size_t next)
{
    if (p->more && p->number < next)
        look_pieces_next(p);
}

bool diff_stored_next(struct diff_stored *s, struct slab *block)
{
    const struct look_pieces *first;

    pass(&s->a, s->next);
    pass(&s->b, s->next);
    if (!s->a.more && !s->b.more) {
        note_gap(s, s->a.total);
        return false;
    }
    first = !s->b.more || (s->a.more && s->a.number <= s->b.number) ? &s->a : &s->b;
    note_gap(s, first->number);
    s->next = first->number + 1;
    look_piece_box(first, block->start, block->count);
    block->n = 1;
    for (int d = 0; d < block->ndims; d++)
        block->n *= block->count[d];
    s->values += block->n;
    return true;
}

bool diff_stored_absent(const struct diff_stored *s, struct slab *block)
{
    size_t number = s->absent;

    if (!s->has_absent)
        return false;
    for (int d = block->ndims; d-- > 0; number /= s->a.n[d]) {
        block->start[d] = number % s->a.n[d] * s->a.var->piece[d];
        block->count[d] = 1;
    }
    block->n = 1;
    return true;
}
