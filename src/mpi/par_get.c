/* SPDX-License-Identifier: BSD-3-Clause */
/* Gets of ranks. A file that is only read is read by every rank for itself, but for chunks that
 * several ranks touch (par_decode.c). One that is open for writing is rank 0's: in a
 * collective get it tells the others where their values lie (par_read.c), and reads for them what only it can read; alone,
 * another rank reads what the last sync left in the file, or what does not go by chunks at its place (par_grant.c). */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>

/* Elements, by what travels. */
static int flatten_values(const struct cel_type *type, size_t n, char **bytes, uint64_t *nbytes)
{
    char *flat = NULL;
    int rc = cel_par_flat_bytes(type, *bytes, n, nbytes);

    if (rc == CEL_OK)
        flat = cel_malloc((size_t)*nbytes);
    if (flat)
        cel_par_flatten(type, *bytes, n, flat);
    cel_value_reclaim(type, *bytes, n);
    free(*bytes);
    *bytes = flat;
    return rc == CEL_OK && !flat ? NC_ENOMEM : rc;
}

static int get_for(struct cel_dataset *ds, struct cel_var *var, int to, const struct cel_par_head *head, bool *range)
{
    ptrdiff_t stride[CEL_RANK_MAX];
    struct cel_region region = cel_par_region(head, stride, var->ndims);
    char *bytes = cel_calloc((size_t)head->n, (size_t)(head->nbytes / head->n));
    int rc = bytes ? cel_get_region(ds, var, &region, bytes, (nc_type)head->memtype) : NC_ENOMEM, known;
    uint64_t nbytes = head->nbytes;

    *range = rc == NC_ERANGE;
    known = *range ? CEL_OK : rc;
    if (known == CEL_OK && var->type->varsized)
        known = rc = flatten_values(var->type, (size_t)head->n, &bytes, &nbytes);
    cel_par_send(ds->par, to, &rc, sizeof rc);
    if (known == CEL_OK) {
        cel_par_send(ds->par, to, &nbytes, sizeof nbytes);
        cel_par_send(ds->par, to, bytes, (size_t)nbytes);
    }
    free(bytes);
    return known;
}

static int serve(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *heads,
                 const struct cel_region *own, void *data, nc_type memtype, bool *range)
{
    struct cel_first_failure first = {0};
    int rc = heads[0].n ? cel_get_region(ds, var, own, data, memtype) : CEL_OK;

    *range = rc == NC_ERANGE;
    cel_first_failure_note(&first, *range ? CEL_OK : rc);
    for (int r = 1; r < ds->par->size; r++) {
        bool theirs;

        if (heads[r].left)
            cel_first_failure_note(&first, get_for(ds, var, r, &heads[r], &theirs));
    }
    return cel_first_failure_restore(&first);
}

/* A failure's text comes with the end of the call. */
static int receive(const struct cel_par *par, const struct cel_request *req, const struct cel_par_head *head,
                   bool *range)
{
    uint64_t nbytes;
    void *bytes;
    int rc;

    if (!head->left)
        return CEL_OK;
    cel_par_receive(par, 0, &rc, sizeof rc);
    *range = rc == NC_ERANGE;
    if (rc != CEL_OK && !*range)
        return CEL_OK;
    cel_par_receive(par, 0, &nbytes, sizeof nbytes);
    rc = cel_par_receive_new(par, 0, (size_t)nbytes, &bytes);
    if (rc == CEL_OK)
        rc = cel_par_unpack(req, bytes);
    free(bytes);
    return rc;
}

/* How ranks other than 0 get their values. */
struct source {
    enum { FROM_RANK_0, FROM_CHUNKS, FROM_PLACE } kind;
    struct cel_value_place position;
};

static struct source choose_source(struct cel_dataset *ds, struct cel_var *var, struct cel_par_head *heads)
{
    struct source source = {.kind = FROM_RANK_0};
    bool any = false;

    for (int r = 1; r < ds->par->size; r++)
        any = any || heads[r].direct;
    if (any && !var->layout.unchunked)
        source.kind = FROM_CHUNKS;
    else if (any && cel_par_direct_hand_over(ds, var, heads, true, &source.position))
        source.kind = FROM_PLACE;
    for (int r = 1; source.kind == FROM_PLACE && r < ds->par->size; r++)
        heads[r].left = heads[r].left && !heads[r].direct;
    return source;
}

/* Can this rank read the file? Rank 0 has what it needs. */
static bool is_direct(const struct cel_request *req)
{
    const struct cel_par *par = req->ds->par;
    bool chunks = req->n && cel_par_goes_by_chunks(req) && req->ds->ops->peer_read;

    if (!par->rank || !req->n || !(chunks || cel_par_is_in_one_place(req)))
        return false;
    cel_par_peer_open(req->ds);
    return par->peer != NULL;
}

struct get {
    struct cel_dataset *ds;
    struct cel_var *var;
    const struct cel_region *region;
    void *data;
    nc_type memtype;
    struct cel_request req;
    struct cel_par_head head;
};

static int lead(struct get *g, struct cel_par_head *heads, const struct source *source, bool *range)
{
    if (source->kind == FROM_CHUNKS)
        cel_par_lend(g->ds, g->var, heads);
    return serve(g->ds, g->var, heads, g->region, g->data, g->memtype, range);
}

static int follow(struct get *g, const struct source *source, bool *range)
{
    int rc = CEL_OK;

    if (source->kind == FROM_CHUNKS && g->head.n)
        rc = cel_par_get_lent(g->ds, g->var, g->region, g->data, g->memtype, &g->head);
    if (source->kind == FROM_PLACE && g->head.direct) {
        g->head.left = 0;
        rc = cel_par_move_values(&g->req, &source->position);
    }
    *range = rc == NC_ERANGE;
    if (g->head.left)
        rc = receive(g->ds->par, &g->req, &g->head, range);
    return *range ? CEL_OK : rc;
}

static int get_written(struct get *g, bool *range)
{
    struct cel_par *par = g->ds->par;
    struct cel_par_head *heads;
    struct source source = {.kind = FROM_RANK_0};
    int rc;

    g->head.left = g->head.n > 0;
    g->head.direct = is_direct(&g->req);
    rc = cel_par_gather_heads(par, &g->head, &heads);
    if (rc != CEL_OK)
        return rc;
    if (par->rank == 0)
        source = choose_source(g->ds, g->var, heads);
    cel_par_tell(par, 0, &source, sizeof source);
    rc = par->rank == 0 ? lead(g, heads, &source, range) : follow(g, &source, range);
    free(heads);
    return cel_par_share(par, rc);
}

static int get_read(struct get *g, bool *range)
{
    int rc = cel_par_get_decoded(g->ds, g->var, g->region, g->data, g->memtype);

    *range = rc == NC_ERANGE;
    return cel_par_share(g->ds->par, *range ? CEL_OK : rc);
}

static int get_together(struct get *g)
{
    bool range = false;
    int rc = g->ds->writable ? get_written(g, &range) : get_read(g, &range);

    return rc == CEL_OK && range ? NC_ERANGE : rc;
}

static int get_alone(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                     nc_type memtype, struct cel_request *req)
{
    int rc;

    if (ds->writable && req->n && cel_par_alone(req, &rc))
        return rc;
    if (!ds->writable || ds->par->rank == 0)
        return cel_get_region(ds, var, region, data, memtype);
    if (cel_par_queue_has(ds->par, var) || cel_par_keeps_some(ds->par, var))
        return cel_fail(NC_EINVAL, "puts of this rank wait for the next collective call: call nc_sync before the get");
    return CEL_PAR_READ_FILE;
}

int cel_par_get(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                nc_type memtype, int rc)
{
    struct get g = {.ds = ds, .var = var, .region = region, .data = data, .memtype = memtype};

    if (!var)
        return cel_par_any_collective(ds) ? cel_par_meet(ds, rc, CEL_PAR_GET, NULL) : rc;
    if (rc == CEL_OK && ds->writable)
        rc = cel_par_prepare(ds, var, region, data, memtype, false, &g.req, &g.head);
    if (!cel_par_is_collective(var))
        return rc == CEL_OK ? get_alone(ds, var, region, data, memtype, &g.req) : rc;
    rc = cel_par_meet(ds, rc, CEL_PAR_GET, var);
    if (rc == CEL_OK)
        rc = get_together(&g);
    if (rc == NC_ERANGE)
        cel_fail(rc, "values did not fit the type asked for; all others were read");
    return rc == CEL_OK ? rc : cel_fail_in_var(rc, var);
}
