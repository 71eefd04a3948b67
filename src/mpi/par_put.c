/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts of ranks. Collective: each rank checks its region and encodes the chunks that it has whole; chunks that several ranks
 * have parts of go to one of them (par_parts.c, par_trade.c); rank 0 makes the array longer, places the encoded chunks
 * (par_place.c), lets ranks write what does not go by chunks (par_direct.c), then puts what is left, whose values travel as
 * they are (par_left.c). Alone: variables without chunks are written at once (par_grant.c), others by rank 0 at once, by other
 * ranks when ranks meet: whole chunks, which are encoded before, by themselves (par_kept.c), parts by rank 0 (par_queue.c). */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

/* --- together: what rank 0 does -------------------------------------------------------------- */

/* The last element that any rank puts; false: none puts any. */
static bool farthest(const struct cel_par *par, const struct cel_par_head *heads, const struct cel_var *var,
                     size_t *start)
{
    bool any = false;

    memset(start, 0, CEL_RANK_MAX * sizeof *start);
    for (int r = 0; r < par->size; r++) {
        for (int d = 0; heads[r].n && d < var->ndims; d++) {
            size_t last = heads[r].start[d] + (heads[r].count[d] - 1) * heads[r].stride[d];

            start[d] = last > start[d] ? last : start[d];
        }
        any = any || heads[r].n;
    }
    return any;
}

int cel_par_extend(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *heads)
{
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX];
    struct cel_request req;
    char nothing;
    int rc;

    if (!farthest(ds->par, heads, var, start))
        return CEL_OK;
    for (int d = 0; d < CEL_RANK_MAX; d++)
        count[d] = 1;
    cel_lock(&var->array->lock);
    rc = cel_request_begin(ds, var, &(struct cel_region){.start = start, .count = count}, &nothing, NC_NAT, true, &req);
    if (rc == CEL_OK)
        rc = cel_request_extend(&req);
    cel_unlock(&var->array->lock);
    return rc;
}

/* --- together --------------------------------------------------------------------------------- */

struct put {
    struct cel_dataset *ds;
    struct cel_var *var;
    struct cel_request req;
    struct cel_par_head head;
    struct cel_par_parts parts;  /* chunks that are touched in part */
    struct cel_placing *placing; /* of the chunks that were encoded */
    struct cel_par_left left;    /* for rank 0 */
    bool out_of_range;           /* some values of this rank did not fit */

    /* rank 0 alone */
    struct cel_par_head *heads; /* of all ranks */
    int *flags;                 /* one for each rank */
};

/* What rank 0 has found out from the regions of all. */
struct news {
    int rc;
    int parts;  /* some chunks are touched in part ... */
    int chunks; /* ... or there are encoded chunks to place ... */
    int given;  /* ... or ranks write by themselves what does not go by chunks, here: */
    struct cel_value_place position;
    uint64_t len[CEL_RANK_MAX]; /* of the variable's dimensions now */
};

static void look(struct put *p, struct news *news)
{
    int size = p->ds->par->size;

    for (int r = 0; r < size; r++) {
        news->chunks = news->chunks || p->heads[r].nchunks;
        news->parts = news->parts || p->heads[r].nparts;
    }
    news->rc = cel_par_extend(p->ds, p->var, p->heads);
    if (news->rc == CEL_OK && news->parts)
        news->rc = cel_par_parts_lead(&p->parts, p->heads, size);
    else if (news->rc == CEL_OK && news->chunks)
        news->rc = cel_par_placing_lead(p->placing, p->heads);
    else if (news->rc == CEL_OK)
        news->given = cel_par_direct_hand_over(p->ds, p->var, p->heads, false, &news->position);
    for (int d = 0; d < p->var->ndims; d++)
        news->len[d] = p->var->dim[d]->len;
}

static void learn_lengths(struct put *p, const struct news *news)
{
    cel_lock(p->ds->lock);
    for (int d = 0; d < p->var->ndims; d++)
        if (p->var->dim[d]->unlimited)
            p->var->dim[d]->len = (size_t)news->len[d];
    cel_unlock(p->ds->lock);
    cel_par_set_extent(&p->req);
}

/* The chunks that were encoded are more now. */
static int make_placing_anew(struct put *p)
{
    int rc;

    cel_par_placing_free(p->placing);
    rc = cel_par_placing_make(&p->req, &p->placing);
    return rc == CEL_OK && p->heads ? cel_par_placing_lead(p->placing, p->heads) : rc;
}

static int trade_parts(struct put *p)
{
    struct cel_par *par = p->ds->par;
    int rc = cel_par_parts_settle(&p->parts, par, p->var, &p->head, p->heads, cel_par_owner_of_put);

    if (rc == CEL_OK)
        rc = cel_par_left_take_memory(&p->left);
    rc = cel_par_trade(&p->req, &p->parts, rc, &p->out_of_range);
    if (rc == CEL_OK)
        rc = make_placing_anew(p);
    return cel_par_share(par, rc);
}

static int move_values(struct put *p)
{
    struct cel_par *par = p->ds->par;
    struct news news = {0};
    int rc = CEL_OK;

    cel_par_gather(par, &p->head, p->heads, sizeof p->head);
    if (par->rank == 0)
        look(p, &news);
    cel_par_tell(par, 0, &news, sizeof news);
    if (news.rc != CEL_OK)
        return cel_par_share(par, par->rank == 0 ? news.rc : CEL_OK);
    learn_lengths(p, &news);
    if (news.parts && (rc = trade_parts(p)) != CEL_OK)
        return rc;
    if (news.chunks || news.parts)
        rc = cel_par_place(p->placing);
    else if (news.given)
        p->out_of_range = cel_par_direct(&p->req, &news.position, &p->head, p->heads, p->flags);
    if (par->rank == 0)
        rc = cel_par_left_put(&p->left, p->heads, rc);
    else
        cel_par_left_send(&p->left);
    return cel_par_share(par, rc);
}

/* All memory that is needed later, as far as that is known, is taken before anybody waits for anybody. */
static int take_memory(struct put *p)
{
    const struct cel_par *par = p->ds->par;
    int rc = p->parts.n ? CEL_OK : cel_par_left_take_memory(&p->left);

    if (rc == CEL_OK && par->rank == 0) {
        p->heads = cel_calloc((size_t)par->size, sizeof *p->heads);
        p->flags = cel_calloc((size_t)par->size, sizeof *p->flags);
        if (!p->heads || !p->flags)
            return NC_ENOMEM;
    }
    p->head.nchunks = par->captured.n;
    return rc == CEL_OK ? cel_par_placing_make(&p->req, &p->placing) : rc;
}

static int encode_chunks(struct put *p)
{
    int rc;

    cel_par_set_extent(&p->req);
    rc = cel_par_parts_list(&p->req, &p->parts);
    p->head.nparts = p->parts.n;
    p->head.left = 0;
    if (rc == CEL_OK && p->parts.nwhole)
        rc = cel_par_encode(&p->req);
    p->out_of_range = rc == NC_ERANGE;
    return rc == NC_ERANGE ? CEL_OK : rc;
}

static void free_put(struct put *p)
{
    cel_par_captured_free(p->ds->par);
    cel_par_placing_free(p->placing);
    cel_par_parts_free(&p->parts);
    free(p->left.packed);
    free(p->heads);
    free(p->flags);
}

static int put_together(struct put *p)
{
    int rc = CEL_OK;

    p->left = (struct cel_par_left){.req = &p->req, .head = &p->head, .parts = &p->parts};
    p->head.left = p->req.n > 0;
    if (cel_par_goes_by_chunks(&p->req))
        rc = encode_chunks(p);
    else
        p->head.direct = cel_par_is_direct(&p->req);
    if (rc == CEL_OK)
        rc = take_memory(p);
    rc = cel_par_share(p->ds->par, rc);
    if (rc == CEL_OK)
        rc = move_values(p);
    free_put(p);
    return rc == CEL_OK && (p->out_of_range || p->left.out_of_range) ? NC_ERANGE : rc;
}

/* --- alone -------------------------------------------------------------------------------------- */

static int check_within(const struct cel_request *req)
{
    for (int d = 0; req->n && d < req->rank; d++)
        if (req->start[d] + (req->count[d] - 1) * req->stride[d] >= req->var->dim[d]->len)
            return cel_fail(NC_ECANTEXTEND, "dimension %s grows only by collective puts: call nc_var_par_access first",
                            req->var->dim[d]->name);
    return CEL_OK;
}

/* What is queued counts later than what is kept: so after some that is queued nothing of that variable is kept. */
static int put_later(struct put *p, bool whole)
{
    struct cel_par *par = p->ds->par;
    int rc =
        whole && !cel_par_queue_has(par, p->var) ? cel_par_keep(&p->req) : cel_par_queue_add(par, &p->req, &p->head);

    if (rc == NC_ERANGE)
        cel_fail(rc, "values did not fit type %s; all others are kept for the next collective call",
                 p->var->type->name);
    return rc == CEL_OK ? rc : cel_fail_in_var(rc, p->var);
}

static int put_alone(struct put *p, const struct cel_region *region, const void *data, nc_type memtype)
{
    struct cel_par *par = p->ds->par;
    int rc = check_within(&p->req);
    bool whole;

    if (rc != CEL_OK || !p->req.n || cel_par_alone(&p->req, &rc))
        return rc;
    whole = cel_par_is_whole(&p->req);
    if (!whole && p->var->chain.n)
        return cel_fail(NC_EINVAL, "a rank alone puts whole chunks of a variable with filters, or none: put its parts "
                                   "with NC_COLLECTIVE");
    if (par->rank)
        return put_later(p, whole);
    rc = cel_put_region(p->ds, p->var, region, data, memtype);
    cel_par_grant_renew(p->ds, p->var);
    return rc;
}

int cel_par_put(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, const void *data,
                nc_type memtype, int rc)
{
    struct put p = {.ds = ds, .var = var};

    if (!var)
        return cel_par_any_collective(ds) ? cel_par_meet(ds, rc, CEL_PAR_PUT, NULL) : rc;
    if (rc == CEL_OK)
        rc = cel_par_prepare(ds, var, region, (void *)data, memtype, true, &p.req, &p.head);
    if (!cel_par_is_collective(var))
        return rc == CEL_OK ? put_alone(&p, region, data, memtype) : rc;
    rc = cel_par_meet(ds, rc, CEL_PAR_PUT, var);
    if (rc == CEL_OK)
        rc = put_together(&p);
    if (rc == NC_ERANGE)
        cel_fail(rc, "values did not fit type %s; all others were written", var->type->name);
    return rc == CEL_OK ? rc : cel_fail_in_var(rc, var);
}
