/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts and gets that a rank makes alone, of variables that do not go by chunks. Rank 0 answers nobody outside a collective
 * call, which would take a thread there that waits for messages (and MPI_THREAD_MULTIPLE). So it says beforehand where such
 * variables lie: nc_enddef, nc_sync and nc_var_par_access end with a list of those that are not collective. Until then room
 * is made for them and fill values are written. Between these calls every rank, rank 0 too, moves their values to and from
 * the file by itself, and no library that keeps some of their bytes comes between.
 *
 * What a grant does not reach (records that came later, a rank on another machine, a write that failed) is put by rank 0
 * when ranks meet (par_queue.c), and so is what that rank puts into the variable afterwards. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

#define AT_A_TIME 64 /* entries in a message */

struct grant {
    const struct cel_var *var;
    uint64_t end; /* its elements are those before */
    struct cel_value_place position;
};

/* As ranks send it. */
struct entry {
    int64_t group, var;
    uint64_t end;
    struct cel_value_place position;
};

static struct grant *find(struct cel_par *par, const struct cel_var *var)
{
    struct grant *const *at = (struct grant *const *)par->granted.at;

    for (size_t i = 0; i < par->granted.n; i++)
        if (at[i]->var == var)
            return at[i];
    return NULL;
}

void cel_par_grants_free(struct cel_par *par)
{
    for (size_t i = 0; i < par->granted.n; i++)
        free(par->granted.at[i]);
    par->granted.n = 0;
}

/* --- rank 0: giving ------------------------------------------------------------------------------ */

static uint64_t elements_of(const struct cel_var *var)
{
    uint64_t n = 1;

    for (int d = 0; d < var->ndims; d++)
        n *= var->dim[d]->len;
    return n;
}

static bool hand_over(struct cel_dataset *ds, struct cel_var *var, uint64_t end, struct cel_value_place *out)
{
    struct cel_value_range range = {.end = end};
    struct cel_array *array;
    bool given;

    if (cel_array_get(ds, var, &array) != CEL_OK || array->has_codec)
        return false;
    cel_lock(&array->lock);
    given = !array->nfailed_puts && ds->ops->values_hand_over(ds, var, &range, out);
    cel_unlock(&array->lock);
    return given;
}

/* One that was given before holds on: nobody but ranks has written there since. */
static bool give(struct cel_dataset *ds, struct cel_var *var, struct entry *out)
{
    const struct grant *before = find(ds->par, var);

    if (!ds->ops->values_hand_over || cel_par_is_collective(var) || !var->layout.unchunked ||
        var->layout.storage != CEL_CONTIGUOUS || var->type->varsized)
        return false;
    *out = (struct entry){.group = var->group->id, .var = var->id, .end = elements_of(var)};
    if (!out->end)
        return false;
    if (before && before->end == out->end) {
        out->position = before->position;
        return true;
    }
    return hand_over(ds, var, out->end, &out->position);
}

static size_t count_vars(const struct cel_dataset *ds)
{
    size_t n = 0;

    for (size_t g = 0; g < ds->groups.n; g++)
        n += ds->groups.at[g] ? ((const struct cel_group *)ds->groups.at[g])->vars.n : 0;
    return n;
}

static void give_all(struct cel_dataset *ds, struct entry **entry, uint64_t *n)
{
    struct cel_status before;

    *n = 0;
    *entry = cel_malloc_array(count_vars(ds) + 1, sizeof **entry);
    if (!*entry)
        return;
    cel_status_save(&before);
    for (size_t g = 0; g < ds->groups.n; g++) {
        const struct cel_group *group = ds->groups.at[g];

        for (size_t v = 0; group && v < group->vars.n; v++)
            *n += give(ds, group->vars.at[v], &(*entry)[*n]);
    }
    cel_status_restore(&before);
}

/* --- all ------------------------------------------------------------------------------------------- */

static void keep(struct cel_dataset *ds, const struct entry *entry)
{
    const struct cel_group *group = cel_dataset_group(ds, (int)entry->group);
    const struct cel_var *var = group ? cel_var_by_id(group, (int)entry->var) : NULL;
    struct grant *grant = var ? cel_malloc(sizeof *grant) : NULL;

    if (!grant)
        return; /* its puts wait for the next meeting */
    *grant = (struct grant){.var = var, .end = entry->end, .position = entry->position};
    if (cel_vec_add(&ds->par->granted, grant) != CEL_OK)
        free(grant);
}

void cel_par_grant(struct cel_dataset *ds, bool anew)
{
    struct cel_par *par = ds->par;
    struct entry *entry = NULL;
    uint64_t n = 0;

    if (anew)
        cel_par_grants_free(par);
    if (par->rank == 0)
        give_all(ds, &entry, &n);
    cel_par_tell(par, 0, &n, sizeof n);
    cel_par_grants_free(par);
    for (uint64_t at = 0; at < n; at += AT_A_TIME) {
        struct entry some[AT_A_TIME];
        size_t nsome = n - at < AT_A_TIME ? (size_t)(n - at) : AT_A_TIME;

        if (par->rank == 0)
            memcpy(some, entry + at, nsome * sizeof *some);
        cel_par_tell(par, 0, some, nsome * sizeof *some);
        for (size_t i = 0; i < nsome; i++)
            keep(ds, &some[i]);
    }
    free(entry);
}

void cel_par_grant_renew(struct cel_dataset *ds, struct cel_var *var)
{
    struct grant *grant = find(ds->par, var);
    struct cel_value_place position;

    if (grant && !hand_over(ds, var, grant->end, &position))
        grant->end = 0;
}

/* --- alone ------------------------------------------------------------------------------------------ */

static uint64_t last_element(const struct cel_request *req)
{
    uint64_t last = 0;

    for (int d = 0; d < req->rank; d++)
        last = last * req->var->dim[d]->len + req->start[d] + (req->count[d] - 1) * req->stride[d];
    return last;
}

bool cel_par_alone(struct cel_request *req, int *rc)
{
    struct cel_par *par = req->ds->par;
    const struct grant *grant = par->size > 1 ? find(par, req->var) : NULL;
    struct cel_status before;

    if (!grant || last_element(req) >= grant->end || cel_par_queue_has(par, req->var))
        return false;
    cel_par_peer_open(req->ds);
    if (!par->peer)
        return false;
    cel_status_save(&before);
    *rc = cel_par_move_values(req, &grant->position);
    cel_status_restore(&before);
    return *rc == CEL_OK || *rc == NC_ERANGE;
}
