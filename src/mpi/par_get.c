/* Gets of ranks. A file that is only read is read by every rank for itself. One that is open for writing is rank 0's: it
 * reads for all in a collective get; alone, another rank reads what the last sync left in the file. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>

static int get_for(struct cel_dataset *ds, struct cel_var *var, int to, const struct cel_par_head *head, bool *range)
{
    ptrdiff_t stride[CEL_RANK_MAX];
    struct cel_region region = cel_par_region(head, stride, var->ndims);
    char *bytes = cel_malloc((size_t)head->nbytes);
    int rc = bytes ? cel_get_region(ds, var, &region, bytes, (nc_type)head->memtype) : NC_ENOMEM, known;

    *range = rc == NC_ERANGE;
    known = *range ? CEL_OK : rc;
    cel_par_send(ds->par, to, &rc, sizeof rc);
    if (known == CEL_OK)
        cel_par_send(ds->par, to, bytes, (size_t)head->nbytes);
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

        if (heads[r].n)
            cel_first_failure_note(&first, get_for(ds, var, r, &heads[r], &theirs));
    }
    return cel_first_failure_restore(&first);
}

/* A failure's text comes with the end of the call. */
static int receive(const struct cel_par *par, const struct cel_request *req, const struct cel_par_head *head,
                   bool *range)
{
    void *bytes;
    int rc;

    if (!head->n)
        return CEL_OK;
    cel_par_receive(par, 0, &rc, sizeof rc);
    *range = rc == NC_ERANGE;
    if (rc != CEL_OK && !*range)
        return CEL_OK;
    rc = cel_par_receive_new(par, 0, (size_t)head->nbytes, &bytes);
    if (rc == CEL_OK)
        cel_par_unpack(req, bytes);
    free(bytes);
    return rc;
}

static int get_together(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                        nc_type memtype, const struct cel_request *req, const struct cel_par_head *head)
{
    struct cel_par *par = ds->par;
    struct cel_par_head *heads;
    bool range = false;
    int rc;

    if (!ds->writable) {
        rc = cel_get_region(ds, var, region, data, memtype);
        range = rc == NC_ERANGE;
        rc = cel_par_share(par, range ? CEL_OK : rc);
        return rc == CEL_OK && range ? NC_ERANGE : rc;
    }
    rc = cel_par_gather_heads(par, head, &heads);
    if (rc != CEL_OK)
        return rc;
    rc = par->rank == 0 ? serve(ds, var, heads, region, data, memtype, &range) : receive(par, req, head, &range);
    free(heads);
    rc = cel_par_share(par, rc);
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
    if (cel_par_queue_has(ds->par, var))
        return cel_fail(NC_EINVAL, "puts of this rank wait for the next collective call: call nc_sync before the get");
    return CEL_PAR_READ_FILE;
}

int cel_par_get(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                nc_type memtype, int rc)
{
    struct cel_par_head head = {0};
    struct cel_request req = {0};

    if (!var)
        return cel_par_any_collective(ds) ? cel_par_meet(ds, rc, CEL_PAR_GET, NULL) : rc;
    if (rc == CEL_OK && ds->writable)
        rc = cel_par_prepare(ds, var, region, data, memtype, false, &req, &head);
    if (!cel_par_is_collective(var))
        return rc == CEL_OK ? get_alone(ds, var, region, data, memtype, &req) : rc;
    rc = cel_par_meet(ds, rc, CEL_PAR_GET, var);
    if (rc == CEL_OK)
        rc = get_together(ds, var, region, data, memtype, &req, &head);
    if (rc == NC_ERANGE)
        cel_fail(rc, "values did not fit the type asked for; all others were read");
    return rc == CEL_OK ? rc : cel_fail_in_var(rc, var);
}
