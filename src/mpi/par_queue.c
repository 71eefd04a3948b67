/* SPDX-License-Identifier: BSD-3-Clause */
/* Independent puts that only rank 0 can carry out: they are kept until the next collective call, in which rank 0 executes
 * them in the order of ranks. So the file never has two writers, and all ranks get the error of such a put. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>

#define QUEUE_MAX ((size_t)256 << 20) /* bytes; a single put may be larger */

int cel_par_queue_check(const struct cel_par *par, size_t nbytes)
{
    if (!par->nqueued || par->nqueued + nbytes <= QUEUE_MAX)
        return CEL_OK;
    return cel_fail(NC_ENOMEM,
                    "%zu MB that this rank has put alone wait for the next collective call, and no more are kept: "
                    "call nc_sync on all ranks, or put the variable with NC_COLLECTIVE",
                    par->nqueued >> 20);
}

/* The values as the variable has them in memory: so what does not fit is known now. */
static size_t convert(const struct cel_request *req, char *packed)
{
    struct cel_transfer transfer = req->transfer;
    struct cel_box box = {.rank = req->rank, .user_at = req->data, .chunk_at = packed};
    size_t step = transfer.size_in_chunk;

    transfer.swap = false;
    transfer.quantizer = NULL;
    for (int d = req->rank - 1; d >= 0; d--) {
        box.n[d] = req->count[d];
        box.user[d] = req->step[d];
        box.chunk[d] = (ptrdiff_t)step;
        box.nth[d] = req->nth[d];
        step *= req->count[d];
    }
    return cel_gather(&transfer, &box);
}

int cel_par_queue_add(struct cel_par *par, const struct cel_request *req, const struct cel_par_head *head)
{
    bool converts = req->transfer.convert != NULL;
    size_t nbytes = converts ? req->n * req->transfer.size_in_chunk : (size_t)head->nbytes, nrange = 0;
    struct cel_par_item *item;
    int rc = cel_par_queue_check(par, nbytes);

    if (rc != CEL_OK)
        return rc;
    item = cel_malloc(sizeof *item + nbytes);
    if (!item)
        return cel_fail(NC_ENOMEM,
                        "no memory to keep this put until the next collective call: call nc_sync more often");
    item->head = *head;
    item->head.nbytes = nbytes;
    if (converts) {
        item->head.memtype = req->var->type->id;
        nrange = convert(req, item->bytes);
    } else {
        rc = cel_par_pack(req, item->bytes);
    }
    if (rc == CEL_OK)
        rc = cel_vec_add(&par->queued, item);
    if (rc == CEL_OK)
        par->nqueued += nbytes;
    else
        free(item);
    return rc == CEL_OK && nrange ? NC_ERANGE : rc;
}

bool cel_par_queue_has(const struct cel_par *par, const struct cel_var *var)
{
    for (size_t i = 0; i < par->queued.n; i++) {
        const struct cel_par_item *item = par->queued.at[i];

        if (item->head.group == var->group->id && item->head.var == var->id)
            return true;
    }
    return false;
}

void cel_par_queue_free(struct cel_par *par)
{
    for (size_t i = 0; i < par->queued.n; i++)
        free(par->queued.at[i]);
    par->queued.n = 0;
}

static int put_item(struct cel_dataset *ds, const struct cel_par_head *head, const void *bytes)
{
    const struct cel_group *group = cel_dataset_group(ds, (int)head->group);
    struct cel_var *var = group ? cel_var_by_id(group, (int)head->var) : NULL;
    int rc;

    if (!var)
        return cel_fail(NC_ENOTVAR, "rank 0 has no variable number %d", (int)head->var);
    rc = cel_par_put_packed(ds, var, head, bytes);
    cel_par_grant_renew(ds, var);
    return rc;
}

static void run_of_rank(struct cel_dataset *ds, int from, int n, struct cel_first_failure *first)
{
    for (int i = 0; i < n; i++) {
        struct cel_par_head head;
        void *bytes;
        int rc;

        cel_par_receive(ds->par, from, &head, sizeof head);
        rc = cel_par_receive_new(ds->par, from, (size_t)head.nbytes, &bytes);
        if (rc == CEL_OK)
            rc = put_item(ds, &head, bytes);
        free(bytes);
        cel_first_failure_note(first, rc == NC_ERANGE ? CEL_OK : rc);
    }
}

static void send_items(const struct cel_par *par)
{
    for (size_t i = 0; i < par->queued.n; i++) {
        const struct cel_par_item *item = par->queued.at[i];

        cel_par_send(par, 0, &item->head, sizeof item->head);
        cel_par_send(par, 0, item->bytes, (size_t)item->head.nbytes);
    }
}

int cel_par_queue_run(struct cel_dataset *ds)
{
    struct cel_par *par = ds->par;
    struct cel_first_failure first = {0};

    if (par->rank > 0) {
        int n = (int)par->queued.n;

        cel_par_send(par, 0, &n, sizeof n);
        send_items(par);
        cel_par_queue_free(par);
        return CEL_OK;
    }
    for (int r = 1; r < par->size; r++) {
        int n;

        cel_par_receive(par, r, &n, sizeof n);
        run_of_rank(ds, r, n, &first);
    }
    return cel_first_failure_restore(&first);
}
