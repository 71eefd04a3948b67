/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that do not go by chunks (contiguous variables, classic files) in a collective put: each rank writes its own to the
 * file, rank 0 too, after rank 0 has found where the variable lies and has seen to it that nobody else will write there.
 *
 *     rank 0                                       every rank
 *     has the regions of all ranks       <-------  says whether it can write its own
 *     hands out where the variable lies  ------->  converts and writes
 *     puts the rest, as ever             <-------  says whether it did, and else sends its values
 *
 * A region qualifies if it is made of long runs and touches no other rank's region: so the order of ranks says nothing. A
 * write that fails is made again by rank 0, whose rules for a full disk hold for all. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

#define RUN_MIN ((size_t)4 << 10) /* shorter runs rank 0 puts together */
#define PIECE ((size_t)256 << 10) /* values that are given the file's byte order at a time */

/* --- which regions ------------------------------------------------------------------------------ */

/* The elements that lie side by side in the file; dimensions before *outer have one run for each index. */
static size_t run_of(const struct cel_var *var, const size_t *count, const size_t *stride, int *outer)
{
    int d = var->ndims, least = var->ndims && var->dim[0]->unlimited ? 1 : 0;
    size_t run = 1;
    bool whole = true;

    for (; whole && d > least && (stride[d - 1] == 1 || count[d - 1] == 1); d--) {
        run *= count[d - 1];
        whole = count[d - 1] == var->dim[d - 1]->len;
    }
    *outer = d;
    return run;
}

bool cel_par_is_in_one_place(const struct cel_request *req)
{
    const struct cel_var *var = req->var;

    return req->ds->ops->values_hand_over && var->layout.unchunked && var->layout.storage == CEL_CONTIGUOUS &&
           !req->array->has_codec && !var->type->varsized;
}

bool cel_par_is_direct(const struct cel_request *req)
{
    const struct cel_var *var = req->var;
    struct cel_par *par = req->ds->par;
    int outer;

    if (!req->n || par->size == 1 || !cel_par_is_in_one_place(req))
        return false;
    if (run_of(var, req->count, req->stride, &outer) < RUN_MIN / var->type->size)
        return false;
    cel_par_peer_open(req->ds);
    return par->peer != NULL;
}

/* --- rank 0: may they? ---------------------------------------------------------------------------- */

struct extent {
    uint64_t first, end; /* of the elements of a region, in C order */
    const struct cel_par_head *head;
};

static uint64_t last_index(const struct cel_par_head *head, int d)
{
    return head->start[d] + (head->count[d] - 1) * head->stride[d];
}

static void set_extent(const struct cel_var *var, const struct cel_par_head *head, struct extent *out)
{
    *out = (struct extent){.head = head};
    for (int d = 0; d < var->ndims; d++) {
        out->first = out->first * var->dim[d]->len + head->start[d];
        out->end = out->end * var->dim[d]->len + last_index(head, d);
    }
    out->end++;
}

static int extent_order(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

static bool any_touch(const struct extent *extent, size_t n, int rank)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n && extent[j].first < extent[i].end; j++)
            if (cel_par_touch(extent[i].head, extent[j].head, rank))
                return true;
    return false;
}

/* What all ranks that move values by themselves cover. false: none does, or two write the same elements. */
static bool set_range(const struct cel_par *par, const struct cel_var *var, const struct cel_par_head *heads,
                      bool reading, struct extent *extent, struct cel_value_range *range)
{
    uint64_t covered = 0;
    size_t n = 0, ndirect = 0;

    *range = (struct cel_value_range){.first = UINT64_MAX, .reading = reading};
    for (int r = 0; r < par->size; r++) {
        if (!heads[r].n)
            continue;
        set_extent(var, &heads[r], &extent[n++]);
        if (!heads[r].direct)
            continue;
        ndirect++;
        covered += heads[r].n;
        range->first = extent[n - 1].first < range->first ? extent[n - 1].first : range->first;
        range->end = extent[n - 1].end > range->end ? extent[n - 1].end : range->end;
    }
    if (reading)
        return ndirect > 0;
    qsort(extent, n, sizeof *extent, extent_order);
    range->all = ndirect && covered == range->end - range->first;
    return ndirect && !any_touch(extent, n, var->ndims);
}

/* A put that failed before is forgotten only by one that goes through the engine. */
bool cel_par_direct_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *heads,
                              bool reading, struct cel_value_place *out)
{
    struct extent *extent = cel_malloc_array((size_t)ds->par->size, sizeof *extent);
    struct cel_value_range range;
    struct cel_status before;
    bool given = false;

    cel_status_save(&before);
    if (extent && set_range(ds->par, var, heads, reading, extent, &range)) {
        cel_lock(&var->array->lock);
        given = !var->array->nfailed_puts && ds->ops->values_hand_over(ds, var, &range, out);
        cel_unlock(&var->array->lock);
    }
    cel_status_restore(&before);
    free(extent);
    return given;
}

/* --- every rank: writing, and reading ----------------------------------------------------------------- */

static int write_run(struct cel_par *par, uint64_t address, char *values, size_t n, size_t size)
{
    char *swapped = par->position.swap ? cel_malloc(n * size < PIECE ? n * size : PIECE) : NULL;
    int rc = par->position.swap && !swapped ? NC_ENOMEM : CEL_OK;

    if (!par->position.swap)
        return par->own_ops->peer_write_at(par->peer, address, values, n * size);
    for (size_t at = 0; rc == CEL_OK && at < n * size; at += PIECE) {
        size_t nbytes = n * size - at < PIECE ? n * size - at : PIECE;

        cel_swap_bytes(swapped, values + at, nbytes / size, size);
        rc = par->own_ops->peer_write_at(par->peer, address + at, swapped, nbytes);
    }
    free(swapped);
    return rc;
}

static int read_run(struct cel_par *par, uint64_t address, char *values, size_t n, size_t size)
{
    int rc = par->own_ops->peer_read_at(par->peer, address, values, n * size);

    if (rc == CEL_OK && par->position.swap)
        cel_swap_bytes(values, values, n, size);
    return rc;
}

static uint64_t run_address(const struct cel_par *par, const struct cel_var *var, const size_t *start,
                            const size_t *index, const size_t *stride)
{
    uint64_t address = par->position.begin, pitch = var->type->size;

    for (int d = var->ndims - 1; d >= 0; d--) {
        address += (start[d] + index[d] * stride[d]) * (d == 0 && par->position.record ? par->position.record : pitch);
        pitch *= var->dim[d]->len;
    }
    return address;
}

static bool next_run(const size_t *count, int outer, size_t *index)
{
    for (int d = outer - 1; d >= 0; d--) {
        if (++index[d] < count[d])
            return true;
        index[d] = 0;
    }
    return false;
}

typedef int run_fn(struct cel_par *par, uint64_t address, char *values, size_t n, size_t size);

static int each_run(struct cel_dataset *ds, const struct cel_var *var, const size_t *start, const size_t *count,
                    const ptrdiff_t *stride, char *values, run_fn *move)
{
    struct cel_par *par = ds->par;
    size_t index[CEL_RANK_MAX] = {0}, steps[CEL_RANK_MAX], run;
    int outer, rc = CEL_OK;

    for (int d = 0; d < var->ndims; d++)
        steps[d] = stride ? (size_t)stride[d] : 1;
    run = run_of(var, count, steps, &outer);
    do {
        rc = move(par, run_address(par, var, start, index, steps), values, run, var->type->size);
        values += run * var->type->size;
    } while (rc == CEL_OK && next_run(count, outer, index));
    return rc;
}

/* unchunked_put and unchunked_get of the container that the engine believes to work with. */
static int write_values(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                        const ptrdiff_t *stride, const void *data)
{
    return each_run(ds, var, start, count, stride, (char *)data, write_run);
}

static int read_values(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                       const ptrdiff_t *stride, void *data)
{
    return each_run(ds, var, start, count, stride, data, read_run);
}

int cel_par_move_values(struct cel_request *req, const struct cel_value_place *position)
{
    struct cel_dataset *ds = req->ds;
    const struct cel_container_ops *own = ds->ops;
    struct cel_container_ops ops = *own;
    int rc;

    ops.unchunked_put = write_values;
    ops.unchunked_get = read_values;
    cel_lock(&req->array->lock);
    ds->par->position = *position;
    ds->ops = &ops;
    rc = cel_unchunked_move(req);
    ds->ops = own;
    cel_unlock(&req->array->lock);
    return rc;
}

bool cel_par_direct(struct cel_request *req, const struct cel_value_place *position, struct cel_par_head *mine,
                    struct cel_par_head *heads, int *flags)
{
    struct cel_par *par = req->ds->par;
    struct cel_status before;
    int rc = CEL_OK, own;

    cel_status_save(&before);
    if (mine->direct)
        rc = cel_par_move_values(req, position);
    cel_status_restore(&before);
    own = mine->direct && (rc == CEL_OK || rc == NC_ERANGE);
    mine->left = mine->left && !own;
    cel_par_gather(par, &own, flags, sizeof own);
    for (int r = 0; par->rank == 0 && r < par->size; r++)
        heads[r].left = heads[r].left && !flags[r];
    return rc == NC_ERANGE;
}
