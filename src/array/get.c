/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading, the mirror of put.c: chunks are found in order by the calling thread
 * and read, decoded and scattered by anyone. Chunks wanted whole are decoded into
 * the caller's memory where they lie there in one piece; shuffled ones are unshuffled
 * row by row right into it, and only what is wanted of them; chunks wanted in part
 * enter the cache once it has shown that such chunks are wanted again. */
#include "array_int.h"
#include "fresh_memory.h"
#include "trace.h"
#include <string.h>

void cel_job_scatter(struct cel_job *job, void *chunk)
{
    const struct cel_request *req = job->stream->req;
    struct cel_box box;

    CEL_TRACE(CEL_TRACE_SCATTER, .name = job->input == CEL_INPUT_FILL ? "fill" : cel_trace_of_transfer(&req->transfer));
    cel_grid_box(req, job->index, chunk, &box);
    job->nrange =
        job->input == CEL_INPUT_FILL ? cel_scatter_fill(&req->transfer, &box) : cel_scatter(&req->transfer, &box);
}

/* Out of byte planes the elements go directly where they belong. */
static void scatter_planes(const struct cel_job *job, const struct cel_planes *planes)
{
    const struct cel_request *req = job->stream->req;
    struct cel_box box;

    CEL_TRACE(CEL_TRACE_UNSHUFFLE, .nbytes = planes->n * planes->size);
    cel_grid_box(req, job->index, (void *)planes->at, &box);
    cel_scatter_planes(&req->transfer, planes, &box);
}

static int get_planes(struct cel_job *job)
{
    struct cel_planes planes;
    int rc = cel_job_load_planes(job, &planes);

    if (rc != CEL_OK)
        return rc;
    if (job->input == CEL_INPUT_FILL) {
        cel_job_scatter(job, NULL);
        return CEL_OK;
    }
    scatter_planes(job, &planes);
    return CEL_OK;
}

static int get_whole(struct cel_job *job)
{
    void *in_place = cel_grid_in_place(job->stream->req, job->index);
    bool stored = job->input == CEL_INPUT_STORED;
    void *chunk = in_place;
    int rc = CEL_OK;

    if (stored && !in_place)
        rc = cel_job_buffer(job, job->stream->array->nbytes, &chunk);
    if (stored && rc == CEL_OK)
        rc = cel_job_load(job, chunk);
    if (rc == CEL_OK && (!stored || !in_place))
        cel_job_scatter(job, chunk);
    return rc;
}

/* Only what is wanted of the chunk is decoded, where that goes. */
static int get_part(struct cel_job *job)
{
    const struct cel_request *req = job->stream->req;
    struct cel_chunk_part part;
    struct cel_box box;
    void *at = NULL;
    int rc;

    cel_grid_part(req, job->index, &part);
    rc = cel_job_load_part(job, &part, &at);
    if (rc == CEL_SKIP)
        return get_whole(job);
    if (rc != CEL_OK)
        return rc;
    cel_grid_part_box(req, job->index, &part, at, &box);
    job->nrange =
        job->input == CEL_INPUT_FILL ? cel_scatter_fill(&req->transfer, &box) : cel_scatter(&req->transfer, &box);
    return CEL_OK;
}

#define FEW_PIECES 3 /* of fresh memory: another thread would come too late */
#define LONG_RUN 32  /* elements from which on it pays to take them out of planes */

/* A cached chunk is kept as byte planes where gets take runs of elements as they are: so each is copied once, by the unshuffle.
 * Short runs would touch the memory of each plane for a few bytes. */
bool cel_get_wants_planes(const struct cel_request *req, const struct cel_chunk_location *at)
{
    const struct cel_layout *layout = &req->var->layout;
    int last = req->rank - 1;

    return last >= 0 && !req->ds->writable && !layout->order && req->transfer.same && req->stride[last] == 1 &&
           req->count[last] >= LONG_RUN && layout->chunk[last] >= LONG_RUN &&
           cel_chain_has_planes(&req->var->chain, at ? at->skipped : 0);
}

static int load_cached(struct cel_job *job)
{
    const struct cel_stream *s = job->stream;
    int rc = cel_job_load_cached(job, cel_get_wants_planes(s->req, &job->at));

    if (rc != CEL_ABSENT)
        return rc;
    cel_fill_chunk(&s->req->transfer, job->cached->data, s->array->nbytes / s->array->elem);
    return CEL_OK;
}

static int get_cached(struct cel_job *job)
{
    const struct cel_cached_chunk *cached = job->cached;
    const struct cel_stream *s = job->stream;
    int rc = job->input == CEL_INPUT_STORED ? load_cached(job) : CEL_OK;

    if (rc == CEL_OK && cached->planes && !cel_get_wants_planes(s->req, NULL))
        rc = cel_job_unshuffle_cached(job);
    if (rc != CEL_OK)
        return rc;
    if (cached->planes)
        scatter_planes(job, &(struct cel_planes){cached->data, s->array->nbytes / s->array->elem, s->array->elem});
    else
        cel_job_scatter(job, cached->data);
    return CEL_OK;
}

static int send_cached(struct cel_stream *stream, struct cel_cached_chunk *cached)
{
    struct cel_job *job;

    cel_cache_use(stream->array, cached);
    cel_cache_note_again(stream, cached->index);
    job = cel_stream_next(stream, cached->index);
    job->work = get_cached;
    job->cached = cached;
    job->drops = cached->was_ahead && cel_grid_cover(stream->req, cached->index) == CEL_COVER_WHOLE;
    cel_stream_send(job);
    return CEL_OK;
}

/* How a stored chunk is read that does not go into the cache. */
static int (*work_for(const struct cel_stream *stream, const struct cel_chunk_location *at,
                      enum cel_cover cover))(struct cel_job *)
{
    const struct cel_var *var = stream->var;

    if (var->layout.order)
        return get_whole;
    if (stream->req->transfer.same && cel_chain_has_planes(&var->chain, at->skipped))
        return get_planes;
    return cover == CEL_COVER_PART && !at->skipped && cel_chain_has_parts(&var->chain) ? get_part : get_whole;
}

/* A chunk not in the cache. Absent ones never enter it, nor do those wanted whole. */
static int send_stored(struct cel_stream *stream, const size_t *index, enum cel_cover cover)
{
    struct cel_job *job = cel_stream_next(stream, index);
    struct cel_cached_chunk *cached = NULL;
    struct cel_chunk_location at;
    bool stored;
    int rc = cel_job_find(job);

    at = job->at;
    stored = job->input == CEL_INPUT_STORED;
    if (rc == CEL_OK && stored && cover == CEL_COVER_PART && cel_cache_should_keep(stream, index)) {
        rc = cel_cache_add(stream, index, &cached); /* may send evictions: the job is taken anew */
        job = cel_stream_next(stream, index);
        job->input = CEL_INPUT_STORED;
        job->at = at;
        job->cached = cached;
    }
    if (rc != CEL_OK)
        return rc;
    job->work = cached ? get_cached : !stored ? get_whole : work_for(stream, &at, cover);
    cel_stream_send(job);
    return CEL_OK;
}

static int send_chunk(struct cel_stream *stream, const size_t *index)
{
    struct cel_cached_chunk *cached = cel_cache_find(stream->array, index);

    if (cached && !cel_read_ahead_finish(stream->array, cached)) {
        cel_cache_drop(stream->array, cached);
        cached = NULL;
    }
    return cached ? send_cached(stream, cached) : send_stored(stream, index, cel_grid_cover(stream->req, index));
}

static int fetch_piece(const void *memory, size_t i)
{
    cel_fresh_memory_fetch(memory, i);
    return CEL_OK;
}

/* The caller's memory, before it is filled. */
static void fetch_memory(const struct cel_request *req, void *data)
{
    struct cel_fresh_memory memory;
    size_t n = req->packed ? cel_fresh_memory_pieces(data, req->n * req->transfer.user_size, &memory) : 0;

    if (n > FEW_PIECES)
        cel_share(n, fetch_piece, &memory);
    else
        for (size_t i = 0; i < n; i++)
            cel_fresh_memory_fetch(&memory, i);
}

static int get_locked(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                      nc_type memtype)
{
    char path[CEL_WHERE_TEXT];
    struct cel_request req;
    size_t count[CEL_RANK_MAX], nrange = 0;
    int rc;

    if (cel_unchunked_single(ds, var, region, data, memtype, false, &rc))
        return rc;
    CEL_TRACE(CEL_TRACE_GET, .file = ds->path, .variable = cel_var_path(var, path));
    rc = cel_request_begin(ds, var, region, data, memtype, false, &req);
    if (rc == CEL_OK && req.n && !var->layout.unchunked)
        rc = cel_chain_usable(&var->chain);
    if (rc != CEL_OK)
        return rc;
    fetch_memory(&req, data);
    memcpy(count, req.count, (size_t)req.rank * sizeof *count);
    cel_read_ahead_note(&req);
    cel_request_clip(&req);
    if (req.n)
        rc = cel_behind_settle(&req);
    if (rc == CEL_OK && req.n)
        rc = cel_request_move(&req, send_chunk);
    if (rc == CEL_OK || rc == NC_ERANGE) /* with a failure nobody would free the strings that fill values are */
        nrange = cel_request_fill_rest(&req, count);
    if (rc == CEL_OK && nrange)
        rc = NC_ERANGE;
    if (rc == NC_ERANGE)
        cel_fail(rc, "values did not fit the type asked for; all others were read");
    return rc;
}

int cel_get_region(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                   nc_type memtype)
{
    struct cel_array *array;
    uint64_t since;
    int rc = cel_array_get(ds, var, &array);

    if (rc == CEL_OK) {
        cel_trace_lock(&array->lock, CEL_TRACE_WAIT_VARIABLE);
        since = cel_tally_start(&array->tally);
        rc = get_locked(ds, var, region, data, memtype);
        cel_tally_add(&array->tally, var, region, false, since);
        cel_unlock(&array->lock);
    }
    return rc == CEL_OK ? CEL_OK : cel_fail_in_var(rc, var);
}
