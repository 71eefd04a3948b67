/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective get of a file that is open for writing: every rank reads its own values from the file, where they are there.
 *
 *     rank 0                                       every rank
 *     has the regions of all ranks       <-------  says whether it can read the file
 *     hands out where the chunks lie     ------->  reads and decodes them on its threads
 *     reads for the others, as ever
 *
 * What only rank 0 has are chunks in its cache that are not written yet, bytes that are deferred until the next sync, and
 * chunks of shards: a rank whose region touches one of these gets all of it from rank 0. Values that do not go by chunks are
 * read at their place (par_direct.c). */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

/* Of one chunk, as rank 0 says it. */
struct found {
    uint64_t address, nbytes, skipped;
    uint64_t absent;
};

/* What a rank is told before the places of its chunks. */
struct cel_par_told {
    uint64_t n; /* chunks; 0: rank 0 reads for it */
    uint64_t extent[CEL_RANK_MAX];
};

/* --- rank 0: where ---------------------------------------------------------------------------------- */

static void begin_walk(struct cel_chunk_walk *walk, const struct cel_var *var, const struct cel_par_head *head)
{
    cel_chunk_walk_begin(walk, var->ndims, var->layout.chunk, (const size_t *)head->start, (const size_t *)head->count,
                         (const size_t *)head->stride);
}

static size_t count_chunks(const struct cel_var *var, const struct cel_par_head *head)
{
    struct cel_chunk_walk walk;
    size_t n = 0;

    for (begin_walk(&walk, var, head); walk.more; cel_chunk_walk_next(&walk))
        n++;
    return n;
}

static bool is_stored(const struct cel_var *var, const size_t *index)
{
    for (int d = 0; d < var->ndims; d++)
        if (index[d] * var->layout.chunk[d] >= var->layout.extent[d])
            return false;
    return true;
}

/* false: only rank 0 can read it, or say why nobody can. */
static bool find_one(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct found *out)
{
    const struct cel_cached_chunk *cached = cel_cache_find(var->array, index);
    struct cel_chunk_location at = {0};
    int rc = is_stored(var, index) ? CEL_OK : CEL_ABSENT;

    if (cached && cached->dirty)
        return false;
    if (rc == CEL_OK)
        rc = ds->ops->chunk_find(ds, var, index, &at);
    *out =
        (struct found){.address = at.address, .nbytes = at.nbytes, .skipped = at.skipped, .absent = rc == CEL_ABSENT};
    return rc == CEL_ABSENT || (rc == CEL_OK && ds->ops->chunk_lend(ds, var, &at));
}

static bool find_all(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *head, struct found *out)
{
    struct cel_chunk_walk walk;
    bool all = true;

    cel_lock(&var->array->lock);
    for (begin_walk(&walk, var, head); all && walk.more; cel_chunk_walk_next(&walk))
        all = find_one(ds, var, walk.index, out++);
    cel_unlock(&var->array->lock);
    return all;
}

static void tell(struct cel_dataset *ds, struct cel_var *var, int to, struct cel_par_head *head)
{
    size_t n = head->direct ? count_chunks(var, head) : 0;
    struct found *found = n ? cel_malloc_array(n, sizeof *found) : NULL;
    struct cel_par_told told = {.n = found && find_all(ds, var, head, found) ? n : 0};

    for (int d = 0; d < var->ndims; d++)
        told.extent[d] = var->layout.extent[d];
    head->left = !told.n;
    cel_par_send(ds->par, to, &told, sizeof told);
    cel_par_send(ds->par, to, found, (size_t)told.n * sizeof *found);
    free(found);
}

void cel_par_lend(struct cel_dataset *ds, struct cel_var *var, struct cel_par_head *heads)
{
    struct cel_status before;

    cel_status_save(&before);
    for (int r = 1; r < ds->par->size; r++)
        if (heads[r].n)
            tell(ds, var, r, &heads[r]);
    cel_status_restore(&before);
}

/* --- every other rank -------------------------------------------------------------------------------- */

/* What this rank was told of its chunks, in their order. */
struct cel_par_lent {
    const struct found *found;
    size_t (*index)[CEL_RANK_MAX];
    size_t n;
};

static int find_lent(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_chunk_location *out)
{
    const struct cel_par_lent *lent = ds->par->lent;
    size_t low = 0, high = lent->n;
    size_t key[CEL_RANK_MAX] = {0};
    const struct found *found;

    memcpy(key, index, (size_t)var->ndims * sizeof *key);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (cel_par_index_order((const uint64_t *)lent->index[middle], (const uint64_t *)key) <= 0)
            low = middle;
        else
            high = middle;
    }
    found = &lent->found[low];
    *out = (struct cel_chunk_location){
        .address = found->address, .nbytes = (size_t)found->nbytes, .skipped = (uint32_t)found->skipped};
    return found->absent ? CEL_ABSENT : CEL_OK;
}

static int read_lent(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                     const struct cel_chunk_location *at, struct cel_buf *out)
{
    return ds->par->own_ops->peer_read(ds->par->peer, var, index, at, out);
}

/* The engine reads as always, over a container that knows of these chunks. Nothing stays in the cache: others may put
 * the chunks. */
static int get_lent(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                    nc_type memtype)
{
    const struct cel_container_ops *own = ds->ops;
    struct cel_container_ops ops = *own;
    size_t budget = var->array->cache.budget;
    int rc;

    ops.chunk_find = find_lent;
    ops.chunk_read = read_lent;
    ops.chunk_fetch = NULL;
    ops.chunk_fetch_size = NULL;
    ops.chunk_want = NULL;
    ops.chunk_io_begin = NULL;
    var->array->cache.budget = 0;
    ds->ops = &ops;
    rc = cel_get_region(ds, var, region, data, memtype);
    ds->ops = own;
    var->array->cache.budget = budget;
    return rc;
}

static int list_lent(const struct cel_var *var, const struct cel_par_head *head, struct cel_par_lent *lent)
{
    struct cel_chunk_walk walk;
    size_t at = 0;

    lent->index = cel_calloc(lent->n, sizeof *lent->index);
    if (!lent->index)
        return NC_ENOMEM;
    for (begin_walk(&walk, var, head); walk.more; cel_chunk_walk_next(&walk), at++)
        memcpy(lent->index[at], walk.index, (size_t)var->ndims * sizeof *walk.index);
    return CEL_OK;
}

int cel_par_get_lent(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                     nc_type memtype, struct cel_par_head *head)
{
    struct cel_par *par = ds->par;
    struct cel_par_lent lent = {0};
    struct cel_par_told told;
    size_t own[CEL_RANK_MAX];
    void *found = NULL;
    int rc;

    cel_par_receive(par, 0, &told, sizeof told);
    lent.n = (size_t)told.n;
    head->left = !lent.n;
    if (!lent.n)
        return CEL_OK;
    rc = cel_par_receive_new(par, 0, lent.n * sizeof *lent.found, &found);
    lent.found = found;
    if (rc == CEL_OK)
        rc = list_lent(var, head, &lent);
    if (rc == CEL_OK) {
        par->lent = &lent;
        memcpy(own, var->layout.extent, (size_t)var->ndims * sizeof *own);
        for (int d = 0; d < var->ndims; d++)
            var->layout.extent[d] = (size_t)told.extent[d];
        rc = get_lent(ds, var, region, data, memtype);
        memcpy(var->layout.extent, own, (size_t)var->ndims * sizeof *own);
        par->lent = NULL;
    }
    free(found);
    free(lent.index);
    return rc;
}
