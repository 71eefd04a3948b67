/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks that several ranks touch. Those that a collective put touches in part go to one rank if all ranks together cover them:
 * that rank, the owner, is the one that has most of the chunk. What nobody covers stays with rank 0, in whose cache it is
 * completed. In a collective get the owner decodes the chunk for all who touch it; they take turns.
 *
 *     rank 0                                       every rank
 *     gathers which parts there are      <-------  index, number of elements
 *     chooses the owners                 ------->  the owner of each part; for an owner, who has the others
 *                                                  ranks send each other their parts (par_trade.c), or an owner the
 *                                                  decoded chunk (par_decode.c)
 *
 * Parts that may overlap (the ranks' regions do) stay with rank 0, too: there the order of ranks decides. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

/* --- every rank: its parts ------------------------------------------------------------------------ */

static size_t part_elements(const struct cel_request *req, const size_t *index)
{
    struct cel_box box;
    size_t n = 1;

    cel_grid_box(req, index, NULL, &box);
    for (int d = 0; d < box.rank; d++)
        n *= box.n[d];
    return n;
}

int cel_par_parts_list(const struct cel_request *req, struct cel_par_parts *out)
{
    const struct cel_par *par = req->ds->par;
    struct cel_walk walk;
    size_t n;

    cel_walk_begin(&walk, req);
    n = req->writing ? walk.npartial : walk.total;
    out->nwhole = walk.total - n;
    out->mine = cel_malloc_array(n + 1, sizeof *out->mine);
    out->fate = cel_malloc_array(n + 1, sizeof *out->fate);
    if (!out->mine || !out->fate)
        return NC_ENOMEM;
    for (; walk.chunks.more; cel_chunk_walk_next(&walk.chunks)) {
        struct cel_par_part *part = &out->mine[out->n];

        if (req->writing && cel_grid_cover(req, walk.chunks.index) == CEL_COVER_WHOLE)
            continue;
        *part = (struct cel_par_part){
            .n = part_elements(req, walk.chunks.index), .rank = (uint64_t)par->rank, .nth = out->n};
        memcpy(part->index, walk.chunks.index, (size_t)req->rank * sizeof *part->index);
        out->n++;
    }
    return CEL_OK;
}

void cel_par_parts_free(struct cel_par_parts *parts)
{
    free(parts->mine);
    free(parts->fate);
    free(parts->piece);
    free(parts->all);
    free(parts->all_fate);
    free(parts->all_piece);
    free(parts->of);
    free(parts->first_on);
}

/* --- rank 0: the owners ---------------------------------------------------------------------------- */

int cel_par_parts_lead(struct cel_par_parts *parts, const struct cel_par_head *heads, int size)
{
    size_t n = 0;

    for (int r = 0; r < size; r++)
        n += (size_t)heads[r].nparts;
    parts->nall = n;
    parts->all = cel_malloc_array(n + 1, sizeof *parts->all);
    parts->all_fate = cel_malloc_array(n + 1, sizeof *parts->all_fate);
    parts->all_piece = cel_malloc_array(n + 1, sizeof *parts->all_piece);
    parts->of = cel_calloc((size_t)size, sizeof *parts->of);
    parts->first_on = cel_malloc_array((size_t)size, sizeof *parts->first_on);
    for (int r = 0; parts->first_on && r < size; r++)
        parts->first_on[r] = -1;
    return parts->all && parts->all_fate && parts->all_piece && parts->of && parts->first_on ? CEL_OK : NC_ENOMEM;
}

static int part_order(const void *a, const void *b)
{
    const struct cel_par_part *x = a, *y = b;
    int order = cel_par_index_order(x->index, y->index);

    return order ? order : x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The elements of a chunk. An unlimited dimension may still grow while it is written. */
static size_t full(const struct cel_var *var, const uint64_t *index, bool writing)
{
    size_t n = 1;

    for (int d = 0; d < var->ndims; d++) {
        size_t chunk = var->layout.chunk[d], begin = (size_t)index[d] * chunk, len = var->dim[d]->len;

        n *= (writing && var->dim[d]->unlimited) || len - begin > chunk ? chunk : len - begin;
    }
    return n;
}

static bool any_touch(const struct cel_par_part *part, size_t n, const struct cel_par_head *heads, int rank)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (cel_par_touch(&heads[part[i].rank], &heads[part[j].rank], rank))
                return true;
    return false;
}

/* The parts of one chunk, in the order of ranks. Gives the one whose rank is the owner; NULL: rank 0 completes the chunk. */
const struct cel_par_part *cel_par_owner_of_put(const struct cel_par_part *part, size_t n, size_t number,
                                                const struct cel_var *var, const struct cel_par_head *heads)
{
    const struct cel_par_part *most = part;
    uint64_t sum = 0;

    (void)number;
    for (size_t i = 0; i < n; i++) {
        sum += part[i].n;
        most = part[i].n > most->n ? &part[i] : most;
    }
    return sum == full(var, part->index, true) && !any_touch(part, n, heads, var->ndims) ? most : NULL;
}

/* All who touch a chunk would decode it for the others just as well. One of which they want less than there is will be wanted
 * again: each rank then reads its part by itself, and keeps the chunk in its cache. */
const struct cel_par_part *cel_par_owner_of_get(const struct cel_par_part *part, size_t n, size_t number,
                                                const struct cel_var *var, const struct cel_par_head *heads)
{
    uint64_t sum = 0;

    (void)heads;
    for (size_t i = 0; i < n; i++)
        sum += part[i].n;
    return sum >= full(var, part->index, false) ? &part[number % n] : NULL;
}

/* Where in all_fate and all_piece the entries of each rank begin. */
static void find_places(struct cel_par_parts *parts, const struct cel_par_head *heads, int size)
{
    for (int r = 1; r < size; r++)
        parts->of[r].first = parts->of[r - 1].first + (size_t)heads[r - 1].nparts;
}

static struct cel_par_fate *fate_of(const struct cel_par_parts *parts, const struct cel_par_part *part)
{
    return &parts->all_fate[parts->of[part->rank].first + part->nth];
}

/* Whom each part's rank has to do with: the owner, or, for a get on another machine than the owner's, the one rank there
 * that the owner sends it to. They take turns at that. first_on is all -1 before and afterwards. */
static void choose_senders(struct cel_par_parts *parts, const struct cel_par_part *part, size_t n, size_t number,
                           const struct cel_par_part *owner, const int *node)
{
    parts->first_on[node[owner->rank]] = (int64_t)owner->rank;
    for (size_t i = 0; i < n; i++) {
        uint64_t rank = part[(i + number) % n].rank;

        if (parts->first_on[node[rank]] < 0)
            parts->first_on[node[rank]] = (int64_t)rank;
    }
    for (size_t i = 0; i < n; i++) {
        struct cel_par_fate *fate = fate_of(parts, &part[i]);
        int64_t first = parts->first_on[node[part[i].rank]];

        fate->from = first == (int64_t)part[i].rank ? (int64_t)owner->rank : first;
    }
    for (size_t i = 0; i < n; i++)
        parts->first_on[node[part[i].rank]] = -1;
}

/* npieces of those who have to do with others; parts of a chunk are side by side, and few of them do. */
static void count_pieces(struct cel_par_parts *parts, const struct cel_par_part *part, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t from = fate_of(parts, &part[i])->from;
        size_t low = 0, high = n;

        if (from == (int64_t)part[i].rank)
            continue;
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;

            if (part[middle].rank <= (uint64_t)from)
                low = middle;
            else
                high = middle;
        }
        fate_of(parts, &part[low])->npieces++;
        parts->of[from].answer.npieces++;
    }
}

static void decide(struct cel_par_parts *parts, const struct cel_par_part *part, size_t n, size_t number,
                   const struct cel_par_part *owner, const int *node)
{
    for (size_t i = 0; i < n; i++) {
        struct cel_par_of_rank *of = &parts->of[part[i].rank];
        int64_t rank = owner ? (int64_t)owner->rank : -1;

        *fate_of(parts, &part[i]) =
            (struct cel_par_fate){.owner = rank, .from = rank, .number = owner && n > 1 ? number : UINT64_MAX};
        of->answer.left += !owner;
        of->answer.owned += owner == &part[i];
    }
    if (owner && node)
        choose_senders(parts, part, n, number, owner, node);
    if (owner)
        count_pieces(parts, part, n);
}

/* Of each chunk that has an owner, who sends it what, or is sent what: a rank's pieces side by side, in chunk order. */
static void list_pieces(struct cel_par_parts *parts, int size)
{
    size_t at = 0;

    for (int r = 0; r < size; r++) {
        parts->of[r].first_piece = parts->of[r].next_piece = at;
        at += (size_t)parts->of[r].answer.npieces;
    }
    for (size_t i = 0; i < parts->nall; i++) {
        const struct cel_par_part *part = &parts->all[i];
        int64_t from = fate_of(parts, part)->from;

        if (from >= 0 && (uint64_t)from != part->rank)
            parts->all_piece[parts->of[from].next_piece++] = (struct cel_par_piece){.rank = part->rank, .n = part->n};
    }
}

/* A region without whole chunks whose parts all stay with rank 0 is put there at once. */
static void join_left(struct cel_par_parts *parts, const struct cel_par_head *heads, int size)
{
    for (int r = 0; r < size; r++) {
        struct cel_par_answer *answer = &parts->of[r].answer;

        answer->entire = heads[r].nparts && answer->left == heads[r].nparts && !heads[r].nchunks;
        if (answer->entire)
            answer->left = 1;
    }
}

static void choose_all(struct cel_par_parts *parts, const struct cel_var *var, const struct cel_par_head *heads,
                       const struct cel_par *par, cel_par_choose *choose)
{
    const int *node = choose == cel_par_owner_of_get ? par->node : NULL;
    const struct cel_par_part *owner;
    int size = par->size;
    size_t end, nshared = 0;

    qsort(parts->all, parts->nall, sizeof *parts->all, part_order);
    find_places(parts, heads, size);
    for (size_t i = 0; i < parts->nall; i = end) {
        for (end = i + 1; end < parts->nall; end++)
            if (cel_par_index_order(parts->all[i].index, parts->all[end].index) != 0)
                break;
        owner = choose(&parts->all[i], end - i, nshared, var, heads);
        decide(parts, &parts->all[i], end - i, nshared, owner, node);
        nshared += owner && end - i > 1;
    }
    for (int r = 0; r < size; r++)
        parts->of[r].answer.nshared = nshared;
    list_pieces(parts, size);
    join_left(parts, heads, size);
}

/* --- asking and answering ------------------------------------------------------------------------- */

static void gather_parts(struct cel_par_parts *parts, const struct cel_par *par, const struct cel_par_head *heads)
{
    size_t at = parts->n;

    memcpy(parts->all, parts->mine, parts->n * sizeof *parts->mine);
    for (int r = 1; r < par->size; r++) {
        cel_par_receive(par, r, parts->all + at, (size_t)heads[r].nparts * sizeof *parts->all);
        at += (size_t)heads[r].nparts;
    }
}

static int keep_answer(struct cel_par_parts *parts)
{
    const struct cel_par_of_rank *own = &parts->of[0];
    size_t nbytes = (size_t)own->answer.npieces * sizeof *parts->piece;

    parts->answer = own->answer;
    memcpy(parts->fate, parts->all_fate + own->first, parts->n * sizeof *parts->fate);
    parts->piece = cel_malloc(nbytes + 1);
    if (!parts->piece)
        return NC_ENOMEM;
    memcpy(parts->piece, parts->all_piece + own->first_piece, nbytes);
    return CEL_OK;
}

static int lead(struct cel_par_parts *parts, const struct cel_par *par, const struct cel_var *var,
                struct cel_par_head *heads, cel_par_choose *choose)
{
    gather_parts(parts, par, heads);
    if (par->link->error)
        return cel_par_fail_cut_off(par->link);
    choose_all(parts, var, heads, par, choose);
    for (int r = 0; r < par->size; r++) {
        const struct cel_par_of_rank *of = &parts->of[r];

        if (heads[r].nparts)
            heads[r].left = (int64_t)of->answer.left;
        heads[r].nchunks += of->answer.owned;
        if (!r || !heads[r].nparts)
            continue;
        cel_par_send(par, r, &of->answer, sizeof of->answer);
        cel_par_send(par, r, parts->all_fate + of->first, (size_t)heads[r].nparts * sizeof *parts->all_fate);
        cel_par_send(par, r, parts->all_piece + of->first_piece, (size_t)of->answer.npieces * sizeof *parts->all_piece);
    }
    return keep_answer(parts);
}

static int follow(struct cel_par_parts *parts, const struct cel_par *par)
{
    void *piece = NULL;
    int rc;

    if (!parts->n)
        return CEL_OK;
    cel_par_send(par, 0, parts->mine, parts->n * sizeof *parts->mine);
    cel_par_receive(par, 0, &parts->answer, sizeof parts->answer);
    cel_par_receive(par, 0, parts->fate, parts->n * sizeof *parts->fate);
    if (par->link->error)
        return cel_par_fail_cut_off(par->link);
    rc = cel_par_receive_new(par, 0, (size_t)parts->answer.npieces * sizeof *parts->piece, &piece);
    parts->piece = piece;
    return rc;
}

int cel_par_parts_settle(struct cel_par_parts *parts, const struct cel_par *par, const struct cel_var *var,
                         struct cel_par_head *mine, struct cel_par_head *heads, cel_par_choose *choose)
{
    int rc = par->rank == 0 ? lead(parts, par, var, heads, choose) : follow(parts, par);

    if (parts->n)
        mine->left = (int64_t)parts->answer.left;
    return rc;
}
