/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing: the request is split into chunks before any value is touched, so that
 * memory stays a few chunks and every core converts. Whole chunks go straight to
 * the encoder and the container; the others are gathered into the cache. */
#include "array_int.h"
#include "trace.h"
#include <string.h>

/* This job's rows of the request into a chunk's memory. */
void cel_job_gather(struct cel_job *job, void *chunk)
{
    const struct cel_request *req = job->stream->req;
    struct cel_transfer transfer = req->transfer;
    struct cel_box box;

    CEL_TRACE(CEL_TRACE_GATHER, .name = cel_trace_of_transfer(&transfer));
    transfer.worst = &job->worst;
    cel_grid_box(req, job->index, chunk, &box);
    job->nrange = cel_gather(&transfer, &box);
}

int cel_job_gather_whole(struct cel_job *job, void **chunk)
{
    const struct cel_request *req = job->stream->req;
    const struct cel_array *array = req->array;
    int rc = cel_job_buffer_to_encode(job, chunk);

    if (rc != CEL_OK)
        return rc;
    if (cel_grid_is_padded(req, job->index))
        cel_fill_chunk(&req->transfer, *chunk, array->nbytes / array->elem);
    cel_job_gather(job, *chunk);
    return CEL_OK;
}

int cel_job_put_whole(struct cel_job *job)
{
    const void *src = cel_grid_in_place(job->stream->req, job->index);
    void *chunk;
    int rc;

    if (src)
        return cel_job_store(job, src);
    rc = cel_job_gather_whole(job, &chunk);
    return rc == CEL_OK ? cel_job_store(job, chunk) : rc;
}

static int put_part(struct cel_job *job)
{
    const struct cel_request *req = job->stream->req;
    const struct cel_array *array = req->array;
    int rc = job->input == CEL_INPUT_STORED ? cel_job_load(job, job->cached->data) : CEL_OK;

    if (job->input == CEL_INPUT_FILL)
        cel_fill_chunk(&req->transfer, job->cached->data, array->nbytes / array->elem);
    if (rc == CEL_OK)
        cel_job_gather(job, job->cached->data);
    return rc;
}

static int send_whole(struct cel_stream *stream, const size_t *index)
{
    struct cel_cached_chunk *old = cel_cache_find(stream->array, index);
    struct cel_job *job;
    int rc;

    if (old)
        cel_cache_drop(stream->array, old);
    job = cel_stream_next(stream, index);
    job->work = cel_job_put_whole;
    job->output = CEL_OUTPUT_CHUNK;
    rc = cel_job_allocate_early(job, stream->req->data);
    if (rc == CEL_OK)
        cel_stream_send(job);
    return rc;
}

static int send_part(struct cel_stream *stream, const size_t *index, enum cel_cover cover)
{
    struct cel_cached_chunk *cached = cel_cache_find(stream->array, index);
    bool fresh = !cached;
    struct cel_job *job;
    int rc = CEL_OK;

    if (cached)
        cel_cache_use(stream->array, cached);
    else
        rc = cel_cache_add(stream, index, &cached);
    if (rc != CEL_OK)
        return rc;
    job = cel_stream_next(stream, index);
    job->work = put_part;
    job->input = fresh ? CEL_INPUT_FILL : CEL_INPUT_NONE;
    if (fresh && cover == CEL_COVER_PART && !cel_grid_is_new(stream->req, index))
        rc = cel_job_find(job);
    if (rc != CEL_OK) {
        cel_cache_drop(stream->array, cached);
        return rc;
    }
    job->cached = cached;
    cached->dirty = true;
    cel_stream_send(job);
    return CEL_OK;
}

static int send_chunk(struct cel_stream *stream, const size_t *index)
{
    enum cel_cover cover = cel_grid_cover(stream->req, index);

    return cover == CEL_COVER_WHOLE ? send_whole(stream, index) : send_part(stream, index, cover);
}

/* Containers that keep bytes in memory until a sync may have enough of them. */
int cel_flush_deferred(struct cel_dataset *ds)
{
    return ds->writable && ds->ops->must_flush && ds->ops->must_flush(ds) ? ds->ops->flush_deferred(ds) : CEL_OK;
}

static int move(const struct cel_request *req)
{
    int rc = cel_behind_put(req);

    if (rc != CEL_SKIP)
        return rc;
    rc = cel_behind_settle(req);
    return rc == CEL_OK ? cel_request_move(req, send_chunk) : rc;
}

static int put_locked(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, const void *data,
                      nc_type memtype)
{
    char path[CEL_WHERE_TEXT];
    struct cel_request req;
    int rc;

    if (var->layout.unchunked)
        cel_array_store_puts(ds);
    if (cel_unchunked_single(ds, var, region, (void *)data, memtype, true, &rc)) {
        cel_failed_put_note(var->array, region->start, region->count, NULL, rc);
        return rc;
    }
    CEL_TRACE(CEL_TRACE_PUT, .file = ds->path, .variable = cel_var_path(var, path));
    rc = cel_request_begin(ds, var, region, (void *)data, memtype, true, &req);
    if (rc == CEL_OK && !req.n)
        return CEL_OK;
    if (rc == CEL_OK)
        rc = cel_chain_usable(&var->chain); /* refused before anything is stored: nothing is missing */
    if (rc != CEL_OK)
        return rc;
    rc = cel_request_extend(&req);
    if (rc == CEL_OK)
        rc = move(&req);
    if (rc == NC_ERANGE)
        cel_fail(rc, "values did not fit type %s; all others were written", var->type->name);
    cel_failed_put_note(var->array, req.start, req.count, req.stride, rc);
    return rc;
}

int cel_put_region(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, const void *data,
                   nc_type memtype)
{
    struct cel_array *array;
    uint64_t since;
    int rc = cel_array_get(ds, var, &array);

    if (rc == CEL_OK) {
        cel_trace_lock(&array->lock, CEL_TRACE_WAIT_VARIABLE);
        since = cel_tally_start(&array->tally);
        rc = cel_flush_deferred(ds);
        if (rc == CEL_OK)
            rc = put_locked(ds, var, region, data, memtype);
        cel_tally_add(&array->tally, var, region, true, since);
        cel_unlock(&array->lock);
    }
    return rc == CEL_OK ? CEL_OK : cel_fail_in_var(rc, var);
}
