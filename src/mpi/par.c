/* SPDX-License-Identifier: BSD-3-Clause */
/* The communicator of a dataset, and how ranks agree. Every collective call begins with one allreduce of a few numbers, the
 * same everywhere: so ranks that are in different calls, or have failed before, find each other out instead of waiting. */
#include "lookup3.h"
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

/* --- its life ------------------------------------------------------------------------------- */

static int check_mpi(MPI_Comm comm)
{
    int started = 0, ended = 0;

    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (!started || ended)
        return cel_fail(NC_EINVAL, "MPI is not running: call this between MPI_Init and MPI_Finalize");
    return comm == MPI_COMM_NULL ? cel_fail(NC_EINVAL, "the communicator is MPI_COMM_NULL") : CEL_OK;
}

int cel_par_make(MPI_Comm comm, MPI_Info info, struct cel_par **out)
{
    int rc = check_mpi(comm);
    struct cel_par_link *link;
    struct cel_par *par;

    if (rc != CEL_OK)
        return rc;
    par = cel_calloc(1, sizeof *par);
    rc = cel_par_link_make(comm, par != NULL, &link);
    if (rc != CEL_OK) {
        free(par);
        return rc;
    }
    par->link = link;
    par->info = MPI_INFO_NULL;
    if (info != MPI_INFO_NULL)
        MPI_Info_dup(info, &par->info);
    MPI_Comm_rank(par->link->comm, &par->rank);
    MPI_Comm_size(par->link->comm, &par->size);
    cel_mutex_init(&par->lock);
    *out = par;
    return CEL_OK;
}

void cel_par_free(struct cel_par *par)
{
    if (!par)
        return;
    cel_par_peer_close(par);
    cel_par_queue_free(par);
    cel_par_kept_free(par);
    cel_par_grants_free(par);
    cel_par_captured_free(par);
    cel_par_spare_free(par);
    cel_vec_dispose(&par->queued);
    cel_vec_dispose(&par->kept);
    cel_vec_dispose(&par->independent);
    cel_vec_dispose(&par->granted);
    cel_vec_dispose(&par->captured);
    cel_vec_dispose(&par->spare);
    cel_mutex_dispose(&par->lock);
    free(par->node);
    if (par->info != MPI_INFO_NULL && !cel_par_is_cut_off(par->link))
        MPI_Info_free(&par->info);
    cel_par_link_free(par->link, par->left);
    free(par);
}

bool cel_par_has_file(const struct cel_par *par)
{
    return par->rank == 0;
}

void cel_par_adopt(struct cel_par *par, struct cel_dataset *ds)
{
    ds->par = par;
}

static int do_nothing(struct cel_dataset *ds)
{
    (void)ds;
    return CEL_OK;
}

void cel_par_follow(struct cel_dataset *ds)
{
    struct cel_par *par = ds->par;

    par->ops = *ds->ops;
    par->ops.save = par->ops.sync = do_nothing;
    ds->ops = &par->ops;
    ds->writable = true;
}

/* --- access of variables ---------------------------------------------------------------------- */

static bool is_independent(const struct cel_var *var)
{
    const struct cel_par *par = var->group->dataset->par;

    for (size_t i = 0; par && i < par->independent.n; i++)
        if (par->independent.at[i] == var)
            return true;
    return false;
}

int cel_par_prepare_access(const struct cel_var *var)
{
    struct cel_par *par = var->group->dataset->par;

    return cel_vec_reserve(&par->independent, par->independent.n + 1);
}

void cel_par_set_access(struct cel_var *var, bool collective)
{
    struct cel_par *par = var->group->dataset->par;

    var->collective = collective;
    for (size_t i = par->independent.n; i-- > 0;)
        if (par->independent.at[i] == var)
            cel_vec_remove(&par->independent, i);
    if (!collective && var->chain.n)
        cel_vec_add(&par->independent, var);
}

/* With filters always, unless the file is only read, or ranks have said otherwise. */
bool cel_par_is_collective(const struct cel_var *var)
{
    return var->collective || (var->chain.n > 0 && var->group->dataset->writable && !is_independent(var));
}

bool cel_par_any_collective(struct cel_dataset *ds)
{
    bool any = false;

    cel_lock(ds->lock);
    for (size_t g = 0; g < ds->groups.n; g++) {
        const struct cel_group *group = ds->groups.at[g];

        for (size_t v = 0; group && v < group->vars.n; v++)
            any = any || cel_par_is_collective(group->vars.at[v]);
    }
    cel_unlock(ds->lock);
    return any;
}

void cel_par_note_definitions(struct cel_par *par)
{
    if (par)
        par->uncompared = true;
}

/* --- agreeing ---------------------------------------------------------------------------------- */

static const char *const call_names[] = {
    [CEL_PAR_SHARE] = "the end of a collective call",
    [CEL_PAR_COLLECTIVE] = "nc_var_par_access with NC_COLLECTIVE",
    [CEL_PAR_INDEPENDENT] = "nc_var_par_access with NC_INDEPENDENT",
    [CEL_PAR_ENDDEF] = "nc_enddef",
    [CEL_PAR_REDEF] = "nc_redef",
    [CEL_PAR_SYNC] = "nc_sync",
    [CEL_PAR_PUT] = "a collective put",
    [CEL_PAR_GET] = "a collective get",
    [CEL_PAR_CLOSE] = "nc_close",
    [CEL_PAR_ABORT] = "nc_abort",
};

struct meeting {
    int first;     /* the lowest rank that failed; par->size: none */
    int low, high; /* calls */
    int64_t var_low, var_high;
    bool other_shape; /* the variable is not the same everywhere */
    bool queued;      /* has any rank puts that wait? */
    bool uncompared;  /* has any rank definitions that were not compared? */
};

/* What a call is about, in numbers that must be the same on all ranks. */
struct subject {
    int64_t var;   /* which variable; 0: none */
    int64_t shape; /* where every rank has a file of its own open, what decides who sends what */
};

static int fail_left(void)
{
    return cel_fail(NC_EINVAL,
                    "a rank has closed or aborted the dataset while others were in another call: it can only be "
                    "closed now");
}

static int fail_calls(const struct meeting *m)
{
    return cel_fail(NC_EINVAL, "ranks are in different calls: %s and %s", call_names[m->low], call_names[m->high]);
}

/* A rank that closes while others do not is waited for no more: nobody would ever come. */
static int meet(struct cel_par *par, int rc, enum cel_par_call call, const struct subject *about, struct meeting *out)
{
    int64_t mine[] = {rc == CEL_OK ? par->size : par->rank,
                      call,
                      -(int64_t)call,
                      about->var,
                      -about->var,
                      about->shape,
                      -about->shape,
                      -(int64_t)(par->queued.n + par->kept.n),
                      -(int64_t)par->uncompared};
    int64_t all[sizeof mine / sizeof *mine];

    if (cel_par_is_cut_off(par->link))
        return cel_par_fail_cut_off(par->link);
    cel_par_least(par, mine, all, (int)(sizeof mine / sizeof *mine));
    if (cel_par_is_cut_off(par->link))
        return cel_par_fail_cut_off(par->link);
    *out = (struct meeting){(int)all[0], (int)all[1],       (int)-all[2], all[3],
                            -all[4],     all[5] != -all[6], all[7] != 0,  all[8] != 0};
    if (out->low == out->high)
        return CEL_OK;
    par->left = out->high >= CEL_PAR_CLOSE;
    return fail_calls(out);
}

/* The text of the first that failed, for the others. */
static int share_text(struct cel_par *par, int rc, int first)
{
    struct {
        int rc;
        struct cel_status why;
    } news = {.rc = rc};

    if (par->rank == first)
        cel_status_save(&news.why);
    cel_par_tell(par, first, &news, sizeof news);
    if (rc != CEL_OK)
        return rc;
    if (news.why.code)
        cel_status_restore(&news.why);
    else
        cel_fail(news.rc, "it failed there");
    return cel_fail_in(news.rc, "rank %d", first);
}

int cel_par_share(struct cel_par *par, int rc)
{
    struct meeting m;
    int met = par->left ? rc : meet(par, rc, CEL_PAR_SHARE, &(struct subject){0}, &m);

    if (par->left || met != CEL_OK)
        return met;
    return m.first < par->size ? share_text(par, rc, m.first) : CEL_OK;
}

/* Definitions of a file that is only read are not compared: each rank has read its own. */
static int64_t shape_of(const struct cel_var *var)
{
    const struct cel_layout *layout = &var->layout;
    uint64_t number[4 + 2 * CEL_RANK_MAX] = {var->type ? var->type->size : 0, var->chain.n, layout->storage,
                                             layout->unchunked};
    size_t n = 4;

    for (int d = 0; d < var->ndims; d++) {
        number[n++] = var->dim[d]->len;
        number[n++] = layout->chunk ? layout->chunk[d] : 0;
    }
    return cel_lookup3(number, n * sizeof *number, 0);
}

int64_t cel_par_number(const struct cel_var *var)
{
    return ((int64_t)var->group->id << 32 | var->id) + 1;
}

static struct subject subject_of(const struct cel_var *var)
{
    if (!var)
        return (struct subject){0};
    return (struct subject){cel_par_number(var), var->group->dataset->writable ? 0 : shape_of(var)};
}

static int fail_variables(const struct meeting *m, enum cel_par_call call)
{
    if (m->var_low != m->var_high)
        return cel_fail(NC_EINVAL, "ranks name different variables in %s: the numbers %d and %d", call_names[call],
                        (int)(m->var_low - 1), (int)(m->var_high - 1));
    return cel_fail(NC_EINVAL,
                    "the variable has another type, shape or filters on another rank: all ranks must see the "
                    "same file at the path");
}

static bool saves(enum cel_par_call call)
{
    return call == CEL_PAR_ENDDEF || call == CEL_PAR_SYNC || call == CEL_PAR_CLOSE;
}

/* What this rank wrote by itself is in the file before rank 0 says that it is. */
static int finish_own(struct cel_par *par, int rc, enum cel_par_call call)
{
    int own = call >= CEL_PAR_CLOSE                        ? cel_par_peer_close(par)
              : call == CEL_PAR_PUT || call == CEL_PAR_GET ? CEL_OK
                                                           : cel_par_peer_sync(par);

    return rc == CEL_OK ? own : rc;
}

/* Chunks that are kept were put before what is queued (par_put.c). */
static int run_queued(struct cel_dataset *ds)
{
    struct cel_first_failure first = {0};

    cel_first_failure_note(&first, cel_par_kept_place(ds));
    cel_first_failure_note(&first, cel_par_queue_run(ds));
    ds->par->nqueued = 0;
    return cel_par_share(ds->par, cel_first_failure_restore(&first));
}

int cel_par_meet(struct cel_dataset *ds, int rc, enum cel_par_call call, const struct cel_var *var)
{
    struct cel_par *par = ds->par;
    struct subject about = subject_of(var);
    struct meeting m;
    int met;

    rc = finish_own(par, rc, call);
    if (par->left)
        return fail_left();
    met = meet(par, rc, call, &about, &m);
    if (met != CEL_OK)
        return met;
    if (m.first < par->size)
        return share_text(par, rc, m.first);
    if (m.var_low != m.var_high || m.other_shape)
        return fail_variables(&m, call);
    if (m.queued)
        rc = run_queued(ds);
    if (rc == CEL_OK && ds->writable && (saves(call) || (m.uncompared && call != CEL_PAR_ABORT)))
        rc = cel_par_compare(ds);
    if (rc == CEL_OK)
        par->uncompared = false;
    return rc;
}
