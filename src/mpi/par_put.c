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

static int put_received(struct cel_dataset *ds, struct cel_var *var, int from, const struct cel_par_head *head,
                        bool failed)
{
    ptrdiff_t stride[CEL_RANK_MAX];
    struct cel_region region = cel_par_region(head, stride, var->ndims);
    void *bytes;
    int rc = cel_par_receive_new(ds->par, from, (size_t)head->nbytes, &bytes);

    if (rc == CEL_OK && !failed)
        rc = cel_put_region(ds, var, &region, bytes, (nc_type)head->memtype);
    free(bytes);
    return rc;
}

/* range[r]: some values of rank r did not fit. */
static int put_of_ranks(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *heads,
                        const struct cel_region *own, const void *data, int rc, int *range)
{
    struct cel_first_failure first = {0};

    cel_first_failure_note(&first, rc);
    for (int r = 0; r < ds->par->size; r++) {
        const struct cel_par_head *head = &heads[r];

        rc = CEL_OK;
        if (head->n && !head->whole && !head->done && r)
            rc = put_received(ds, var, r, head, first.rc != CEL_OK);
        else if (head->n && !head->whole && !head->done && first.rc == CEL_OK)
            rc = cel_put_region(ds, var, own, data, (nc_type)head->memtype);
        range[r] = rc == NC_ERANGE;
        cel_first_failure_note(&first, rc == NC_ERANGE ? CEL_OK : rc);
    }
    return cel_first_failure_restore(&first);
}

/* --- together --------------------------------------------------------------------------------- */

static int send_values(const struct cel_par *par, const struct cel_request *req, const struct cel_par_head *head,
                       char *packed)
{
    if (!head->n || head->whole || head->done)
        return CEL_OK;
    if (!req->packed)
        cel_par_pack(req, packed);
    cel_par_send(par, 0, req->packed ? req->data : packed, (size_t)head->nbytes);
    return CEL_OK;
}

struct put {
    struct cel_dataset *ds;
    struct cel_var *var;
    const struct cel_region *region;
    const void *data;
    struct cel_request req;
    struct cel_par_head head;
    char *packed; /* where the values are gathered; NULL: they are packed already */
    int *range;   /* on rank 0, one of each rank */
};

static int move_values(struct put *p, struct cel_par_head *heads)
{
    struct cel_par *par = p->ds->par;
    bool own_out_of_range = false;
    int out_of_range = 0, rc = cel_par_share(par, par->rank == 0 ? extend(p->ds, p->var, heads) : CEL_OK);

    if (rc != CEL_OK)
        return rc;
    rc = cel_par_place(p->ds, p->var);
    if (rc == CEL_OK)
        cel_par_direct(&p->req, &p->head, heads, p->range, &own_out_of_range);
    if (par->rank == 0)
        rc = put_of_ranks(p->ds, p->var, heads, p->region, p->data, rc, p->range);
    else
        send_values(par, &p->req, &p->head, p->packed);
    MPI_Scatter(p->range, 1, MPI_INT, &out_of_range, 1, MPI_INT, 0, par->comm);
    cel_par_share_lengths(p->ds);
    rc = cel_par_share(par, rc);
    return rc == CEL_OK && (out_of_range || own_out_of_range) ? NC_ERANGE : rc;
}

/* All memory that is needed later is taken before anybody waits for anybody. */
static int take_memory(struct put *p)
{
    const struct cel_par *par = p->ds->par;

    if (!p->req.packed && p->head.n && !p->head.whole && !(p->packed = cel_malloc((size_t)p->head.nbytes)))
        return NC_ENOMEM;
    if (par->rank == 0 && !(p->range = cel_calloc((size_t)par->size, sizeof *p->range)))
        return NC_ENOMEM;
    return CEL_OK;
}

static int put_together(struct put *p)
{
    struct cel_par *par = p->ds->par;
    struct cel_par_head *heads = NULL;
    bool out_of_range;
    int rc;

    p->head.whole = cel_par_is_whole(&p->req);
    rc = p->head.whole ? cel_par_encode(&p->req) : CEL_OK;
    out_of_range = rc == NC_ERANGE;
    p->head.direct = !p->head.whole && cel_par_is_direct(&p->req);
    if (rc == CEL_OK || rc == NC_ERANGE)
        rc = take_memory(p);
    rc = cel_par_share(par, rc);
    if (rc == CEL_OK)
        rc = cel_par_gather_heads(par, &p->head, &heads);
    if (rc == CEL_OK)
        rc = move_values(p, heads);
    cel_par_captured_free(par);
    free(heads);
    free(p->packed);
    free(p->range);
    return rc == CEL_OK && out_of_range ? NC_ERANGE : rc;
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
