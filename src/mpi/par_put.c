/* Puts of ranks. Collective: each rank checks its region and encodes it if it consists of whole chunks; rank 0 makes the
 * array longer, places the encoded chunks, lets ranks write what does not go by chunks (par_direct.c), then puts the other
 * regions, whose values travel as they are, in the order of ranks. Alone: rank 0 puts at once, the others when ranks meet (par_queue.c). */
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

static int extend(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *heads)
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

/* The rank is told whether some of its values did not fit. */
static int put_received(struct cel_dataset *ds, struct cel_var *var, int from, const struct cel_par_head *head,
                        bool failed)
{
    ptrdiff_t stride[CEL_RANK_MAX];
    struct cel_region region = cel_par_region(head, stride, var->ndims);
    void *bytes;
    int rc = cel_par_receive_new(ds->par, from, (size_t)head->nbytes, &bytes), range;

    if (rc == CEL_OK && !failed)
        rc = cel_put_region(ds, var, &region, bytes, (nc_type)head->memtype);
    range = rc == NC_ERANGE;
    free(bytes);
    cel_par_send(ds->par, from, &range, sizeof range);
    return range ? CEL_OK : rc;
}

/* --- together --------------------------------------------------------------------------------- */

struct put {
    struct cel_dataset *ds;
    struct cel_var *var;
    const struct cel_region *region;
    const void *data;
    struct cel_request req;
    struct cel_par_head head;
    struct cel_placing *placing; /* of the chunks that were encoded */
    char *packed;                /* where the values are gathered; NULL: they are packed already */
    bool out_of_range;           /* some values of this rank did not fit */

    /* rank 0 alone */
    struct cel_par_head *heads; /* of all ranks */
    int *flags;                 /* one for each rank */
};

/* What rank 0 has found out from the regions of all. */
struct news {
    int rc;
    int chunks; /* there are encoded chunks to place ... */
    int given;  /* ... or ranks write by themselves what does not go by chunks, here: */
    struct cel_value_place place;
    uint64_t len[CEL_RANK_MAX]; /* of the variable's dimensions now */
};

/* Does rank 0 put the values of this region? */
static bool is_left(const struct cel_par_head *head)
{
    return head->n && !head->whole && !head->done;
}

static int put_own(struct put *p)
{
    int rc = cel_put_region(p->ds, p->var, p->region, p->data, (nc_type)p->head.memtype);

    p->out_of_range = p->out_of_range || rc == NC_ERANGE;
    return rc == NC_ERANGE ? CEL_OK : rc;
}

/* In the order of ranks. After a failure the rest is still received. */
static int put_of_ranks(struct put *p, int rc)
{
    struct cel_first_failure first = {0};

    cel_first_failure_note(&first, rc);
    for (int r = 0; r < p->ds->par->size; r++) {
        if (!is_left(&p->heads[r]))
            continue;
        if (r)
            cel_first_failure_note(&first, put_received(p->ds, p->var, r, &p->heads[r], first.rc != CEL_OK));
        else if (first.rc == CEL_OK)
            cel_first_failure_note(&first, put_own(p));
    }
    return cel_first_failure_restore(&first);
}

static void send_values(struct put *p)
{
    const struct cel_par *par = p->ds->par;
    int range;

    if (!is_left(&p->head))
        return;
    if (!p->req.packed)
        cel_par_pack(&p->req, p->packed);
    cel_par_send(par, 0, p->req.packed ? p->req.data : p->packed, (size_t)p->head.nbytes);
    cel_par_receive(par, 0, &range, sizeof range);
    p->out_of_range = p->out_of_range || range;
}

static void look(struct put *p, struct news *news)
{
    size_t n = 0;

    for (int r = 0; r < p->ds->par->size; r++)
        n += (size_t)p->heads[r].nchunks;
    news->rc = extend(p->ds, p->var, p->heads);
    news->chunks = n > 0;
    if (news->rc == CEL_OK && n)
        news->rc = cel_par_placing_lead(p->placing, p->heads);
    else if (news->rc == CEL_OK)
        news->given = cel_par_direct_hand_over(p->ds, p->var, p->heads, &news->place);
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
}

static int move_values(struct put *p)
{
    struct cel_par *par = p->ds->par;
    struct news news = {0};
    int rc = CEL_OK;

    MPI_Gather(&p->head, sizeof p->head, MPI_BYTE, p->heads, sizeof p->head, MPI_BYTE, 0, par->comm);
    if (par->rank == 0)
        look(p, &news);
    MPI_Bcast(&news, sizeof news, MPI_BYTE, 0, par->comm);
    if (news.rc != CEL_OK)
        return cel_par_share(par, par->rank == 0 ? news.rc : CEL_OK);
    learn_lengths(p, &news);
    if (news.chunks)
        rc = cel_par_place(p->placing);
    else if (news.given)
        p->out_of_range = cel_par_direct(&p->req, &news.place, &p->head, p->heads, p->flags);
    if (par->rank == 0)
        rc = put_of_ranks(p, rc);
    else
        send_values(p);
    return cel_par_share(par, rc);
}

/* All memory that is needed later is taken before anybody waits for anybody. */
static int take_memory(struct put *p)
{
    const struct cel_par *par = p->ds->par;

    if (!p->req.packed && p->head.n && !p->head.whole && !(p->packed = cel_malloc((size_t)p->head.nbytes)))
        return NC_ENOMEM;
    if (par->rank == 0) {
        p->heads = cel_calloc((size_t)par->size, sizeof *p->heads);
        p->flags = cel_calloc((size_t)par->size, sizeof *p->flags);
        if (!p->heads || !p->flags)
            return NC_ENOMEM;
    }
    p->head.nchunks = par->captured.n;
    return cel_par_placing_make(p->ds, p->var, &p->placing);
}

static int put_together(struct put *p)
{
    struct cel_par *par = p->ds->par;
    int rc;

    p->head.whole = cel_par_is_whole(&p->req);
    rc = p->head.whole ? cel_par_encode(&p->req) : CEL_OK;
    p->out_of_range = rc == NC_ERANGE;
    p->head.direct = !p->head.whole && cel_par_is_direct(&p->req);
    if (rc == CEL_OK || rc == NC_ERANGE)
        rc = take_memory(p);
    rc = cel_par_share(par, rc);
    if (rc == CEL_OK)
        rc = move_values(p);
    cel_par_captured_free(par);
    cel_par_placing_free(p->placing);
    free(p->heads);
    free(p->flags);
    free(p->packed);
    return rc == CEL_OK && p->out_of_range ? NC_ERANGE : rc;
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

static int put_alone(struct put *p, nc_type memtype)
{
    struct cel_par *par = p->ds->par;
    int rc = check_within(&p->req);

    if (rc != CEL_OK || !p->req.n)
        return rc;
    return par->rank == 0 ? cel_put_region(p->ds, p->var, p->region, p->data, memtype)
                          : cel_par_queue_add(par, &p->req, &p->head);
}

int cel_par_put(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, const void *data,
                nc_type memtype, int rc)
{
    struct put p = {.ds = ds, .var = var, .region = region, .data = data};

    if (!var)
        return cel_par_any_collective(ds) ? cel_par_meet(ds, rc, CEL_PAR_PUT, NULL) : rc;
    if (rc == CEL_OK)
        rc = cel_par_prepare(ds, var, region, (void *)data, memtype, true, &p.req, &p.head);
    if (!cel_par_is_collective(var))
        return rc == CEL_OK ? put_alone(&p, memtype) : rc;
    rc = cel_par_meet(ds, rc, CEL_PAR_PUT, var);
    if (rc == CEL_OK)
        rc = put_together(&p);
    if (rc == NC_ERANGE)
        cel_fail(rc, "values did not fit type %s; all others were written", var->type->name);
    return rc == CEL_OK ? rc : cel_fail_in_var(rc, var);
}
