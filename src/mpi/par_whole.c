/* Whole chunks are encoded by the rank that has them, on its threads: the engine of array/ runs as always, over a container
 * that only keeps what it is given (par_place.c then finds room for what was kept). */
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
