/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole chunks that a rank puts alone. Their place in the file only rank 0 can give, and it answers nobody outside a collective
 * call. So the rank encodes them at once, on its threads: what is wrong with them is the answer of that put. It keeps
 * them encoded until ranks meet. Then, one variable after the other and in the same order on all ranks, they get their places as
 * those of a collective put do (par_place.c), and each rank writes its own. Of a chunk put twice the last counts. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

bool cel_par_is_whole(struct cel_request *req)
{
    struct cel_walk walk;

    if (!cel_par_goes_by_chunks(req))
        return false;
    cel_par_set_extent(req);
    cel_walk_begin(&walk, req);
    return walk.npartial == 0;
}

int cel_par_keep(struct cel_request *req)
{
    struct cel_par *par = req->ds->par;
    size_t nbytes = 0;
    int rc, kept;

    par->keeps = true;
    rc = cel_par_encode(req);
    par->keeps = false;
    for (size_t i = 0; i < par->captured.n; i++)
        nbytes += ((const struct cel_captured *)par->captured.at[i])->cap;
    kept = rc == CEL_OK || rc == NC_ERANGE ? cel_par_queue_check(par, nbytes) : rc;
    if (kept == CEL_OK)
        kept = cel_vec_reserve(&par->kept, par->kept.n + par->captured.n);
    if (kept != CEL_OK) {
        cel_par_captured_free(par);
        return kept;
    }
    for (size_t i = 0; i < par->captured.n; i++) {
        struct cel_captured *chunk = par->captured.at[i];

        chunk->var = cel_par_number(req->var);
        chunk->serial = par->serial++;
        par->kept.at[par->kept.n++] = chunk;
    }
    par->captured.n = 0;
    par->nqueued += nbytes;
    return rc;
}

bool cel_par_keeps_some(const struct cel_par *par, const struct cel_var *var)
{
    for (size_t i = 0; i < par->kept.n; i++)
        if (((const struct cel_captured *)par->kept.at[i])->var == cel_par_number(var))
            return true;
    return false;
}

void cel_par_kept_free(struct cel_par *par)
{
    for (size_t i = 0; i < par->kept.n; i++)
        free(par->kept.at[i]);
    par->kept.n = 0;
}

/* --- when ranks meet ----------------------------------------------------------------------------- */

static int by_index(const void *a, const void *b)
{
    const struct cel_captured *x = *(struct cel_captured *const *)a, *y = *(struct cel_captured *const *)b;
    int order = cel_par_index_order((const uint64_t *)x->index, (const uint64_t *)y->index);

    return order ? order : x->serial < y->serial ? -1 : x->serial > y->serial;
}

/* Of this variable, as if a put had captured them. */
static int take_kept(struct cel_par *par, int64_t var)
{
    size_t left = 0, n = 0;

    if (cel_vec_reserve(&par->captured, par->kept.n) != CEL_OK)
        return NC_ENOMEM;
    for (size_t i = 0; i < par->kept.n; i++) {
        struct cel_captured *chunk = par->kept.at[i];

        if (chunk->var == var)
            par->captured.at[par->captured.n++] = chunk;
        else
            par->kept.at[left++] = chunk;
    }
    par->kept.n = left;
    if (par->captured.n)
        qsort(par->captured.at, par->captured.n, sizeof *par->captured.at, by_index);
    for (size_t i = 0; i < par->captured.n; i++) {
        struct cel_captured *chunk = par->captured.at[i];
        const struct cel_captured *next = i + 1 < par->captured.n ? par->captured.at[i + 1] : NULL;

        if (next && cel_par_index_order((const uint64_t *)chunk->index, (const uint64_t *)next->index) == 0)
            free(chunk);
        else
            par->captured.at[n++] = chunk;
    }
    par->captured.n = n;
    return CEL_OK;
}

struct placed {
    struct cel_request req; /* as far as placing looks at it */
    struct cel_par_head head, *heads;
    struct cel_placing *placing;
};

static int begin(struct cel_dataset *ds, int64_t number, struct placed *p)
{
    const struct cel_group *group = cel_dataset_group(ds, (int)((number - 1) >> 32));
    struct cel_var *var = group ? cel_var_by_id(group, (int)((number - 1) & 0xffffffff)) : NULL;
    struct cel_array *array;
    int rc;

    if (!var)
        return cel_fail(NC_ENOTVAR, "this rank has no variable number %d", (int)((number - 1) & 0xffffffff));
    rc = cel_array_get(ds, var, &array);
    if (rc == CEL_OK)
        rc = take_kept(ds->par, number);
    if (rc != CEL_OK)
        return rc;
    p->req = (struct cel_request){.ds = ds, .var = var, .array = array, .rank = var->ndims, .writing = true};
    p->head.nchunks = ds->par->captured.n;
    p->head.n = p->head.nchunks > 0;
    for (int d = 0; d < var->ndims && p->head.n; d++) { /* the array becomes as long as the dimensions are */
        p->head.start[d] = var->dim[d]->len - 1;
        p->head.count[d] = p->head.stride[d] = 1;
    }
    return cel_par_placing_make(&p->req, &p->placing);
}

static int place_var(struct cel_dataset *ds, int64_t number)
{
    struct placed p = {0};
    int rc = cel_par_share(ds->par, begin(ds, number, &p));

    if (rc == CEL_OK)
        rc = cel_par_gather_heads(ds->par, &p.head, &p.heads);
    if (rc == CEL_OK) {
        if (p.heads)
            rc = cel_par_extend(ds, p.req.var, p.heads);
        if (p.heads && rc == CEL_OK)
            rc = cel_par_placing_lead(p.placing, p.heads);
        rc = cel_par_share(ds->par, rc);
    }
    if (rc == CEL_OK)
        rc = cel_par_place(p.placing);
    cel_par_captured_free(ds->par);
    cel_par_placing_free(p.placing);
    free(p.heads);
    return rc;
}

static int64_t first_var(const struct cel_par *par)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < par->kept.n; i++) {
        const struct cel_captured *chunk = par->kept.at[i];

        first = chunk->var < first ? chunk->var : first;
    }
    return first;
}

/* What cannot be placed is lost, as a put that fails is. */
static void drop(struct cel_par *par, int64_t var)
{
    size_t left = 0;

    for (size_t i = 0; i < par->kept.n; i++)
        if (((const struct cel_captured *)par->kept.at[i])->var == var)
            free(par->kept.at[i]);
        else
            par->kept.at[left++] = par->kept.at[i];
    par->kept.n = left;
}

int cel_par_kept_place(struct cel_dataset *ds)
{
    struct cel_par *par = ds->par;
    struct cel_first_failure first = {0};
    int64_t mine, all;

    for (;;) {
        mine = first_var(par);
        cel_par_least(par, &mine, &all, 1);
        if (all == INT64_MAX)
            return cel_first_failure_restore(&first);
        if (!all) /* of no variable: MPI failed */
            return cel_par_fail_cut_off(par->link);
        cel_first_failure_note(&first, place_var(ds, all));
        drop(par, all);
    }
}
