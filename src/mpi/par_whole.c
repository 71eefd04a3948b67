/* SPDX-License-Identifier: BSD-3-Clause */
/* Each rank encodes the chunks that it has whole, on its threads: the engine of array/ runs as usual, over a container
 * that only collects the encoded chunks (par_place.c then allocates their space). */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

#define SPARE_MAX ((size_t)64 << 20) /* bytes kept from one put to the next */

int cel_par_index_order(const uint64_t *a, const uint64_t *b)
{
    for (int d = 0; d < CEL_RANK_MAX; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return 0;
}

bool cel_par_goes_by_chunks(const struct cel_request *req)
{
    const struct cel_layout *layout = &req->var->layout;

    return req->n && !layout->unchunked && !req->array->has_codec && layout->chunk && layout->storage == CEL_CHUNKED;
}

void cel_par_set_extent(struct cel_request *req)
{
    for (int d = 0; d < req->rank; d++) {
        size_t end = req->start[d] + (req->count[d] - 1) * req->stride[d] + 1, len = req->var->dim[d]->len;

        req->extent[d] = end > len ? end : len;
    }
}

/* --- capturing --------------------------------------------------------------------------------- */

static int keep_mask(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded, size_t n,
                     uint32_t skipped, struct cel_chunk_location *out)
{
    (void)ds, (void)var, (void)index, (void)encoded;
    *out = (struct cel_chunk_location){.nbytes = n, .skipped = skipped};
    return CEL_OK;
}

/* Fresh memory is given page by page, which takes longer than to fill it: what the last put had is used again. */
static struct cel_captured *take_captured(struct cel_par *par, size_t n)
{
    struct cel_captured *chunk = NULL;

    cel_lock(&par->lock);
    if (par->spare.n) {
        chunk = par->spare.at[--par->spare.n];
        par->nspare -= chunk->cap;
    }
    cel_unlock(&par->lock);
    if (chunk)
        chunk->in_place = false;
    if (chunk && chunk->cap >= n)
        return chunk;
    free(chunk);
    chunk = cel_malloc(sizeof *chunk + n);
    if (!chunk)
        return NULL;
    chunk->cap = n;
    chunk->in_place = false;
    return chunk;
}

static int add_captured(struct cel_par *par, const struct cel_var *var, const size_t *index, struct cel_captured *chunk,
                        uint32_t skipped, size_t n)
{
    int rc;

    memset(chunk->index, 0, sizeof chunk->index);
    memcpy(chunk->index, index, (size_t)var->ndims * sizeof *index);
    chunk->skipped = skipped;
    chunk->n = n;
    cel_lock(&par->lock);
    rc = cel_vec_add(&par->captured, chunk);
    cel_unlock(&par->lock);
    if (rc != CEL_OK)
        free(chunk);
    return rc;
}

static int capture(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                   const struct cel_chunk_location *at, const void *encoded, size_t n)
{
    struct cel_captured *chunk = take_captured(ds->par, n);

    if (!chunk)
        return NC_ENOMEM;
    memcpy(chunk->bytes, encoded, n);
    return add_captured(ds->par, var, index, chunk, at->skipped, n);
}

/* work() where there is nothing to encode, but to convert: the values are gathered where they are kept. */
static int gather_captured(struct cel_job *job)
{
    const struct cel_request *req = job->stream->req;
    const struct cel_array *array = req->array;
    struct cel_captured *chunk = take_captured(req->ds->par, array->nbytes);

    if (!chunk)
        return NC_ENOMEM;
    if (cel_grid_is_padded(req, job->index))
        cel_fill_chunk(&req->transfer, chunk->bytes, array->nbytes / array->elem);
    cel_job_gather(job, chunk->bytes);
    return add_captured(req->ds->par, req->var, job->index, chunk, 0, array->nbytes);
}

static int by_index(const void *a, const void *b)
{
    const struct cel_captured *x = *(struct cel_captured *const *)a, *y = *(struct cel_captured *const *)b;

    return cel_par_index_order((const uint64_t *)x->index, (const uint64_t *)y->index);
}

void cel_par_captured_free(struct cel_par *par)
{
    for (size_t i = 0; i < par->captured.n; i++) {
        struct cel_captured *chunk = par->captured.at[i];

        if (par->nspare + chunk->cap <= SPARE_MAX && cel_vec_add(&par->spare, chunk) == CEL_OK)
            par->nspare += chunk->cap;
        else
            free(chunk);
    }
    par->captured.n = 0;
}

void cel_par_spare_free(struct cel_par *par)
{
    for (size_t i = 0; i < par->spare.n; i++)
        free(par->spare.at[i]);
    par->spare.n = par->nspare = 0;
}

static void send_job(struct cel_stream *stream, const size_t *index, int (*work)(struct cel_job *))
{
    struct cel_job *job = cel_stream_next(stream, index);

    job->work = work;
    job->output = work == gather_captured ? CEL_OUTPUT_NONE : CEL_OUTPUT_CHUNK;
    cel_stream_send(job);
}

/* What is written as the caller has it is not copied before. */
static int capture_in_place(const struct cel_request *req, const size_t *index)
{
    struct cel_captured *chunk = take_captured(req->ds->par, 0);

    if (!chunk)
        return NC_ENOMEM;
    chunk->in_place = true;
    return add_captured(req->ds->par, req->var, index, chunk, 0, req->array->nbytes);
}

static int send_whole(struct cel_stream *stream, const size_t *index)
{
    bool whole = cel_grid_cover(stream->req, index) == CEL_COVER_WHOLE;

    if (whole && !stream->var->chain.n && stream->req->transfer.same && !stream->ds->par->keeps)
        return capture_in_place(stream->req, index);
    if (whole)
        send_job(stream, index, stream->var->chain.n ? cel_job_put_whole : gather_captured);
    return CEL_OK;
}

static int encode_whole(struct cel_request *req, const void *unused)
{
    (void)unused;
    return cel_stream_chunks(req, send_whole);
}

struct owned {
    char *chunks;
    const struct cel_par_part *const *own;
    size_t n;
};

/* req->data: the chunks, one behind the other. */
static int store_owned(struct cel_job *job)
{
    return cel_job_store(job, job->stream->req->data + job->number * job->stream->array->nbytes);
}

static int encode_owned(struct cel_request *req, const void *what)
{
    const struct owned *owned = what;
    struct cel_request decoded = *req;
    struct cel_stream stream;
    int rc;

    decoded.data = owned->chunks;
    rc = cel_stream_open(&stream, req->ds, req->var, &decoded, owned->n, req->array->nbytes);
    if (rc != CEL_OK)
        return rc;
    for (size_t i = 0; i < owned->n && cel_stream_failed(&stream) == CEL_OK; i++)
        send_job(&stream, (const size_t *)owned->own[i]->index, store_owned);
    return cel_stream_close(&stream);
}

/* Runs the engine over the container that only keeps what it is given. */
static int run_capturing(struct cel_request *req, int (*run)(struct cel_request *, const void *), const void *what)
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
    rc = run(req, what);
    ds->ops = own;
    cel_unlock(&req->array->lock);
    if (par->captured.n)
        qsort(par->captured.at, par->captured.n, sizeof *par->captured.at, by_index);
    return rc;
}

int cel_par_encode(struct cel_request *req)
{
    return run_capturing(req, encode_whole, NULL);
}

int cel_par_encode_owned(struct cel_request *req, char *chunks, const struct cel_par_part *const *own, size_t n)
{
    return run_capturing(req, encode_owned, &(struct owned){chunks, own, n});
}
