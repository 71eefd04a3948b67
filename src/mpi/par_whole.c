/* Whole chunks are encoded by the rank that has them, on its threads: the engine of array/ runs as always, over a container
 * that only keeps what it is given. Rank 0 then gathers which chunks there are, and places and writes them in chunk order:
 * the file has the same bytes for any number of ranks. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

bool cel_par_is_whole(struct cel_request *req)
{
    const struct cel_var *var = req->var;
    struct cel_walk walk;

    if (!req->n || var->layout.unchunked || req->array->has_codec || !var->layout.chunk ||
        var->layout.storage != CEL_CHUNKED)
        return false;
    for (int d = 0; d < req->rank; d++) {
        size_t end = req->start[d] + (req->count[d] - 1) * req->stride[d] + 1, len = var->dim[d]->len;

        req->extent[d] = end > len ? end : len;
    }
    cel_walk_begin(&walk, req);
    return walk.npartial == 0;
}

/* --- capturing --------------------------------------------------------------------------------- */

static int keep_mask(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded, size_t n,
                     uint32_t skipped, struct cel_chunk_location *out)
{
    (void)ds, (void)var, (void)index, (void)encoded;
    *out = (struct cel_chunk_location){.nbytes = n, .skipped = skipped};
    return CEL_OK;
}

static int capture(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                   const struct cel_chunk_location *at, const void *encoded, size_t n)
{
    struct cel_captured *chunk = cel_malloc(sizeof *chunk + n);
    int rc = chunk ? CEL_OK : NC_ENOMEM;

    if (rc != CEL_OK)
        return rc;
    memset(chunk->index, 0, sizeof chunk->index);
    memcpy(chunk->index, index, (size_t)var->ndims * sizeof *index);
    chunk->skipped = at->skipped;
    chunk->n = n;
    memcpy(chunk->bytes, encoded, n);
    cel_lock(&ds->par->lock);
    rc = cel_vec_add(&ds->par->captured, chunk);
    cel_unlock(&ds->par->lock);
    if (rc != CEL_OK)
        free(chunk);
    return rc;
}

static int by_index(const void *a, const void *b)
{
    const struct cel_captured *x = *(struct cel_captured *const *)a, *y = *(struct cel_captured *const *)b;

    for (int d = 0; d < CEL_RANK_MAX; d++)
        if (x->index[d] != y->index[d])
            return x->index[d] < y->index[d] ? -1 : 1;
    return 0;
}

static int send_whole(struct cel_stream *stream, const size_t *index)
{
    struct cel_job *job = cel_stream_next(stream, index);

    job->work = cel_job_put_whole;
    job->output = CEL_OUTPUT_CHUNK;
    cel_stream_send(job);
    return CEL_OK;
}

void cel_par_captured_free(struct cel_par *par)
{
    for (size_t i = 0; i < par->captured.n; i++)
        free(par->captured.at[i]);
    par->captured.n = 0;
}

int cel_par_encode(struct cel_request *req)
{
    struct cel_dataset *ds = req->ds;
    struct cel_par *par = ds->par;
    const struct cel_container_ops *own = ds->ops;
    struct cel_container_ops ops = *own;
    int rc = cel_chain_usable(&req->var->chain);

    if (rc != CEL_OK)
        return rc;
    ops.thread_rules = CEL_CONCURRENT;
    ops.chunk_allocate = keep_mask;
    ops.chunk_write = capture;
    ops.chunk_io_begin = NULL;
    cel_lock(&req->array->lock);
    ds->ops = &ops;
    rc = cel_stream_chunks(req, send_whole);
    ds->ops = own;
    cel_unlock(&req->array->lock);
    if (par->captured.n)
        qsort(par->captured.at, par->captured.n, sizeof *par->captured.at, by_index);
    return rc;
}

/* --- placing ----------------------------------------------------------------------------------- */

/* What rank 0 knows of a chunk before it has its bytes. */
struct entry {
    uint64_t index[CEL_RANK_MAX];
    uint64_t n, skipped, rank, nth; /* the nth of that rank */
};

static int entry_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    for (int d = 0; d < CEL_RANK_MAX; d++)
        if (x->index[d] != y->index[d])
            return x->index[d] < y->index[d] ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void list_entries(const struct cel_par *par, struct entry *out)
{
    for (size_t i = 0; i < par->captured.n; i++) {
        const struct cel_captured *chunk = par->captured.at[i];

        out[i] = (struct entry){.n = chunk->n, .skipped = chunk->skipped, .rank = (uint64_t)par->rank, .nth = i};
        memcpy(out[i].index, chunk->index, sizeof out[i].index);
    }
}

/* One rank's entries after the other's; the sum is known to rank 0 only. */
static int gather_entries(struct cel_par *par, struct entry **out, size_t *n)
{
    uint64_t count = par->captured.n, *counts = par->rank == 0 ? cel_calloc((size_t)par->size, sizeof *counts) : NULL;
    struct entry *mine = cel_malloc_array(par->captured.n + 1, sizeof *mine);
    int rc = cel_par_share(par, mine && (par->rank || counts) ? CEL_OK : NC_ENOMEM);

    *out = NULL;
    *n = 0;
    if (rc == CEL_OK) {
        list_entries(par, mine);
        MPI_Gather(&count, 1, MPI_UINT64_T, counts, 1, MPI_UINT64_T, 0, par->comm);
        for (int r = 0; par->rank == 0 && r < par->size; r++)
            *n += counts[r];
        *out = par->rank == 0 ? cel_malloc_array(*n + 1, sizeof **out) : NULL;
        rc = cel_par_share(par, par->rank || *out ? CEL_OK : NC_ENOMEM);
    }
    if (rc == CEL_OK && par->rank == 0) {
        size_t at = count;

        memcpy(*out, mine, (size_t)count * sizeof *mine);
        for (int r = 1; r < par->size; at += counts[r++])
            cel_par_receive(par, r, *out + at, (size_t)counts[r] * sizeof *mine);
        qsort(*out, *n, sizeof **out, entry_order);
    } else if (rc == CEL_OK) {
        cel_par_send(par, 0, mine, (size_t)count * sizeof *mine);
    }
    free(mine);
    free(counts);
    return rc;
}

static int flush_if_full(struct cel_dataset *ds)
{
    int rc;

    if (!ds->ops->chunk_io_begin || !ds->ops->must_flush(ds))
        return CEL_OK;
    ds->ops->chunk_io_end(ds);
    rc = ds->ops->flush_deferred(ds);
    ds->ops->chunk_io_begin(ds);
    return rc;
}

/* A chunk that is written whole is in nobody's cache any more. */
static int write_chunk(struct cel_dataset *ds, struct cel_var *var, const struct entry *entry, const void *bytes)
{
    const size_t *index = (const size_t *)entry->index;
    struct cel_cached_chunk *cached = cel_cache_find(var->array, index);
    struct cel_chunk_location at;
    int rc = flush_if_full(ds);

    if (cached)
        cel_cache_drop(var->array, cached);
    if (rc == CEL_OK)
        rc = ds->ops->chunk_allocate(ds, var, index, bytes, (size_t)entry->n, (uint32_t)entry->skipped, &at);
    return rc == CEL_OK ? ds->ops->chunk_write(ds, var, index, &at, bytes, (size_t)entry->n) : rc;
}

/* After a failure the rest is still received: no rank waits for ever. */
static int write_all(struct cel_dataset *ds, struct cel_var *var, const struct entry *entry, size_t n)
{
    const struct cel_par *par = ds->par;
    struct cel_first_failure first = {0};

    if (ds->ops->chunk_io_begin)
        ds->ops->chunk_io_begin(ds);
    for (size_t i = 0; i < n; i++) {
        void *bytes = NULL;
        int rc = CEL_OK;

        if (entry[i].rank)
            rc = cel_par_receive_new(par, (int)entry[i].rank, (size_t)entry[i].n, &bytes);
        if (rc == CEL_OK && first.rc == CEL_OK)
            rc = write_chunk(ds, var, &entry[i],
                             bytes ? bytes : ((struct cel_captured *)par->captured.at[entry[i].nth])->bytes);
        cel_first_failure_note(&first, rc);
        free(bytes);
    }
    if (ds->ops->chunk_io_begin)
        ds->ops->chunk_io_end(ds);
    return cel_first_failure_restore(&first);
}

int cel_par_place(struct cel_dataset *ds, struct cel_var *var)
{
    struct cel_par *par = ds->par;
    struct entry *entry;
    size_t n;
    int rc = gather_entries(par, &entry, &n);

    if (rc == CEL_OK && par->rank == 0) {
        cel_lock(&var->array->lock);
        rc = write_all(ds, var, entry, n);
        cel_unlock(&var->array->lock);
    }
    for (size_t i = 0; rc == CEL_OK && par->rank && i < par->captured.n; i++) {
        const struct cel_captured *chunk = par->captured.at[i];

        cel_par_send(par, 0, chunk->bytes, chunk->n);
    }
    free(entry);
    cel_par_captured_free(par);
    return rc;
}
