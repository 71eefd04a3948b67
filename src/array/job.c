/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of one job: its stored chunk is found, read and decoded; its output is encoded, gets an address and is
 * written. The stream (stream.c) decides when each step runs.
 *
 *     PREPARING --> WORKING --> WRITING --> DONE
 *                      |                     ^
 *                      +---------------------+
 *
 * PREPARING -> WORKING  the job is sent; any thread runs work()
 * WORKING -> WRITING    its turn in chunk order: the output has an address; any thread writes it
 * WORKING -> DONE       its turn in chunk order: it failed, has no output, or work() wrote it, or the stream failed
 * WRITING -> DONE       written, or failed
 *
 * Only the calling thread changes the state, and never while the job's task runs. */
#include "array_int.h"
#include "trace.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

int cel_job_fail(const struct cel_job *job, int rc)
{
    if (job->stream->var->layout.unchunked && !job->stream->array->has_codec)
        return rc; /* it is a slice */
    return cel_fail_in_chunk(rc, job->index, job->stream->array->rank);
}

/* --- state and buffers ------------------------------------------------------------ */

void cel_job_set_state(struct cel_job *job, enum cel_job_state state)
{
    assert(cel_task_group_is_own(&job->stream->tasks));
    assert(state == job->state + 1 || (job->state == CEL_JOB_WORKING && state == CEL_JOB_DONE));
    job->state = state;
}

static void release_workspace(struct cel_job *job)
{
    if (job->workspace)
        cel_workspace_give(job->workspace);
    job->workspace = NULL;
}

void cel_job_release(struct cel_job *job)
{
    release_workspace(job);
    if (job->parked)
        cel_parked_chunk_give(job->parked);
    job->parked = NULL;
}

static int need_workspace(struct cel_job *job)
{
    int rc = job->workspace ? CEL_OK : cel_workspace_take(&job->workspace);

    if (rc == CEL_OK && job->stream->var->chain.n && job->workspace->chunk < job->stream->array->nbytes)
        job->workspace->chunk = job->stream->array->nbytes;
    return rc;
}

static bool watches_loss(const struct cel_job *job)
{
    const struct cel_var *var = job->stream->var;

    return var->watch_loss && !job->stream->stores_later && cel_chain_is_lossy(&var->chain);
}

/* In the scratch, where later steps overwrite it; but not where it is compared afterwards. */
int cel_job_buffer_to_encode(struct cel_job *job, void **out)
{
    const struct cel_chain *chain = &job->stream->var->chain;
    int rc;

    if (!chain->n || watches_loss(job))
        return cel_job_buffer(job, job->stream->array->nbytes, out);
    rc = need_workspace(job);
    return rc == CEL_OK ? cel_scratch_input(job->workspace->scratch, chain, out) : rc;
}

int cel_job_buffer(struct cel_job *job, size_t nbytes, void **out)
{
    int rc = need_workspace(job);

    if (rc == CEL_OK)
        rc = cel_buf_resize(&job->workspace->decoded, nbytes);
    if (rc == CEL_OK)
        *out = job->workspace->decoded.data;
    return rc;
}

/* When the output gets its address: without filters its size is known, and the calling thread allocates before
 * the job is sent; else work() does where the container allows it, and the calling thread in chunk order where not. */
static bool allocates_in_work(const struct cel_stream *s)
{
    return !s->stores_later && (s->ds->ops->thread_rules & CEL_CONCURRENT) != 0;
}

static bool allocates_before_work(const struct cel_stream *s)
{
    return !s->var->chain.n && !allocates_in_work(s);
}

bool cel_job_awaits_address(const struct cel_job *job)
{
    return job->output != CEL_OUTPUT_NONE && !allocates_before_work(job->stream) && !allocates_in_work(job->stream);
}

/* What spans of a chunk name. */
#define TRACED(job) .variable = (job)->stream->var->name, .chunk = (job)->index, .rank = (job)->stream->array->rank

static int write_output(struct cel_job *job)
{
    struct cel_stream *s = job->stream;

    CEL_TRACE(CEL_TRACE_WRITE, TRACED(job), .nbytes = job->out.nbytes);
    return s->ds->ops->chunk_write(s->ds, s->var, job->index, &job->at, job->out.data, job->out.nbytes);
}

int cel_job_allocate(struct cel_job *job)
{
    struct cel_stream *s = job->stream;

    assert(allocates_in_work(s) || cel_task_group_is_own(&s->tasks));
    CEL_TRACE(CEL_TRACE_PLACE, TRACED(job), .nbytes = job->out.nbytes);
    return s->ds->ops->chunk_allocate(s->ds, s->var, job->index, job->out.data, job->out.nbytes, job->out.skipped,
                                      &job->at);
}

int cel_job_place(struct cel_job *job)
{
    int rc = cel_job_allocate(job);

    return rc == CEL_OK ? write_output(job) : rc;
}

/* The chunk stays as it is for the cache and its readers: a copy is changed. */
static int pad_for_codec(struct cel_job *job, const void **src)
{
    struct cel_stream *s = job->stream;
    struct cel_buf *copy = &job->workspace->encoded;
    int rc;

    if (!cel_edge_needs_padding(s->var, job->index))
        return CEL_OK;
    rc = cel_buf_resize(copy, s->array->nbytes);
    if (rc != CEL_OK)
        return rc;
    memcpy(copy->data, *src, s->array->nbytes);
    cel_edge_pad(s->var, job->index, copy->data);
    *src = copy->data;
    return CEL_OK;
}

static int park_encoded(struct cel_job *job)
{
    int rc = cel_parked_chunk_make(job->out.data, job->out.nbytes, &job->parked);

    if (rc == CEL_OK)
        job->out.data = job->parked->bytes.data;
    return rc;
}

static int watch_loss(struct cel_job *job, const void *src)
{
    const struct cel_chain *chain = &job->stream->var->chain;
    int rc;

    if (!watches_loss(job))
        return CEL_OK;
    rc = park_encoded(job); /* decoding takes the scratch it lies in */
    return rc == CEL_OK ? cel_chain_loss(chain, job->workspace->scratch, src, job->out.data, job->out.nbytes,
                                         job->out.skipped, &job->loss)
                        : rc;
}

static int encode(struct cel_job *job, const void *src)
{
    struct cel_stream *s = job->stream;
    int rc = need_workspace(job);

    if (rc == CEL_OK)
        rc = pad_for_codec(job, &src);
    if (rc == CEL_OK)
        rc = cel_chain_encode(&s->var->chain, job->workspace->scratch, src, s->array->nbytes, &job->out.data,
                              &job->out.nbytes, &job->out.skipped);
    if (rc == CEL_OK)
        rc = watch_loss(job, src);
    if (rc != CEL_OK || job->parked || allocates_in_work(s) || s->width == 1 || s->array->nbytes > CEL_KEPT)
        return rc;            /* written at once, or too large for a second copy */
    return park_encoded(job); /* other jobs may come before it */
}

static int deliver(struct cel_job *job)
{
    int rc = allocates_in_work(job->stream) ? cel_job_allocate(job) : CEL_OK;

    return rc == CEL_OK && !cel_job_awaits_address(job) ? write_output(job) : rc;
}

int cel_job_store(struct cel_job *job, const void *src)
{
    struct cel_stream *s = job->stream;
    int rc = CEL_OK;

    assert(job->state == CEL_JOB_WORKING && job->output != CEL_OUTPUT_NONE);
    job->out.data = src;
    job->out.nbytes = s->array->nbytes;
    if (s->var->chain.n)
        rc = encode(job, src);
    return rc == CEL_OK ? deliver(job) : rc;
}

/* The filters see the elements as they are stored: neither padding nor loss is looked at. */
int cel_job_store_raw(struct cel_job *job)
{
    const struct cel_workspace *workspace = job->workspace;
    int rc;

    assert(job->state == CEL_JOB_WORKING && job->output != CEL_OUTPUT_NONE && allocates_in_work(job->stream));
    rc = cel_chain_encode(&job->stream->var->chain, workspace->scratch, workspace->raw.data, workspace->raw.len,
                          &job->out.data, &job->out.nbytes, &job->out.skipped);
    return rc == CEL_OK ? deliver(job) : rc;
}

/* Without filters the stored bytes are the chunk: they are read where they belong. */
static int load_as_is(struct cel_job *job, void *dst)
{
    struct cel_stream *s = job->stream;
    size_t want = s->array->nbytes;
    struct cel_buf out = {.data = dst, .cap = want, .max = want};
    CEL_TRACE(CEL_TRACE_READ, TRACED(job), .nbytes = want);
    int rc = s->ds->ops->chunk_read(s->ds, s->var, job->index, &job->at, &out);

    if (rc == CEL_OK && out.len != want)
        rc = cel_fail(NC_EINVAL, "%zu bytes are stored where a chunk has %zu", out.len, want);
    return rc;
}

/* The size was not compared with that of the file and may be wrong: memory for a large one is not reserved before its
 * bytes are read. */
static int reserve_to_read(struct cel_buf *buf, size_t nbytes)
{
    int rc;

    if (nbytes <= buf->cap || nbytes > CEL_KEPT)
        return CEL_OK;
    rc = cel_buf_reserve(buf, nbytes);
    if (rc == CEL_OK)
        cel_mem_prefault(buf->data, nbytes);
    return rc;
}

static int read_encoded(struct cel_job *job)
{
    struct cel_stream *s = job->stream;
    int rc = need_workspace(job);

    if (rc == CEL_OK)
        rc = reserve_to_read(&job->workspace->encoded, job->at.nbytes);
    if (rc != CEL_OK)
        return rc;
    job->workspace->encoded.len = 0;
    CEL_TRACE(CEL_TRACE_READ, TRACED(job), .nbytes = job->at.nbytes);
    return s->ds->ops->chunk_read(s->ds, s->var, job->index, &job->at, &job->workspace->encoded);
}

static int load_encoded(struct cel_job *job, bool planes, void *dst)
{
    int rc = read_encoded(job);
    const struct cel_workspace *workspace = job->workspace;

    if (rc == CEL_OK)
        rc = (planes ? cel_chain_decode_planes_to : cel_chain_decode)(&job->stream->var->chain, workspace->scratch,
                                                                      workspace->encoded.data, workspace->encoded.len,
                                                                      job->at.skipped, dst);
    return rc;
}

static int decode_raw(struct cel_job *job)
{
    const struct cel_stream *s = job->stream;
    const struct cel_chain *chain = &s->var->chain;
    struct cel_workspace *workspace = job->workspace;
    const struct cel_buf *encoded = &workspace->encoded;
    size_t nbytes;
    int rc;

    if (!s->ds->ops->elements_bytes(s->var, encoded->len, &nbytes)) {
        workspace->raw.max = nbytes;
        return cel_chain_decode_any(chain, workspace->scratch, encoded->data, encoded->len, &workspace->raw);
    }
    workspace->raw.max = CEL_RAW_MAX;
    rc = cel_chain_plausible(chain, encoded->len, job->at.skipped);
    if (rc == CEL_OK)
        rc = cel_buf_resize(&workspace->raw, nbytes);
    return rc == CEL_OK ? cel_chain_decode(chain, workspace->scratch, encoded->data, encoded->len, job->at.skipped,
                                           workspace->raw.data)
                        : rc;
}

int cel_job_load_raw(struct cel_job *job)
{
    int rc = read_encoded(job);

    return rc == CEL_OK ? decode_raw(job) : rc;
}

int cel_job_load_planes(struct cel_job *job, struct cel_planes *out)
{
    int rc = read_encoded(job);
    const struct cel_workspace *workspace = job->workspace;

    if (rc == CEL_OK)
        rc = cel_chain_decode_planes(&job->stream->var->chain, workspace->scratch, workspace->encoded.data,
                                     workspace->encoded.len, job->at.skipped, out);
    if (rc != CEL_ABSENT)
        return rc;
    job->input = CEL_INPUT_FILL;
    return CEL_OK;
}

static int load_stored(struct cel_job *job, bool planes, void *dst)
{
    const struct cel_stream *s = job->stream;

    if (job->at.nbytes != SIZE_MAX && !s->var->chain.n && job->at.nbytes != s->array->nbytes)
        return cel_fail(NC_EINVAL, "%zu bytes are stored where a chunk has %zu", job->at.nbytes, s->array->nbytes);
    return s->var->chain.n ? load_encoded(job, planes, dst) : load_as_is(job, dst);
}

/* Some containers know only now whether there is a chunk. */
int cel_job_load(struct cel_job *job, void *dst)
{
    const struct cel_stream *s = job->stream;
    int rc = load_stored(job, false, dst);

    if (rc != CEL_ABSENT)
        return rc;
    cel_fill_chunk(&s->req->transfer, dst, s->array->nbytes / s->array->elem);
    return CEL_OK;
}

int cel_job_load_cached(struct cel_job *job, bool planes)
{
    struct cel_cached_chunk *cached = job->cached;
    int rc = load_stored(job, planes, cached->data);

    cached->planes = rc == CEL_OK && planes;
    return rc;
}

int cel_job_unshuffle_cached(struct cel_job *job)
{
    const struct cel_stream *s = job->stream;
    struct cel_planes planes = cel_chain_planes(&s->var->chain, job->cached->data);
    void *elements;
    int rc = cel_job_buffer(job, s->array->nbytes, &elements);

    if (rc != CEL_OK)
        return rc;
    cel_planes_take(&planes, 0, planes.n, elements, false);
    memcpy(job->cached->data, elements, s->array->nbytes);
    job->cached->planes = false;
    return CEL_OK;
}

/* A chunk whose bytes are fetched from the container. */
struct fetched {
    struct cel_encoded encoded;
    struct cel_job *job;
};

static int fetch(const struct cel_encoded *e, size_t offset, size_t n, void *dst)
{
    const struct cel_job *job = ((const struct fetched *)e)->job;
    struct cel_stream *s = job->stream;

    CEL_TRACE(CEL_TRACE_READ, TRACED(job), .nbytes = n);
    return s->ds->ops->chunk_fetch(s->ds, s->var, &job->at, offset, n, dst);
}

static int find_encoded(struct cel_job *job, struct fetched *out)
{
    const struct cel_container_ops *ops = job->stream->ds->ops;
    int rc;

    *out = (struct fetched){.encoded = {.fetch = fetch}, .job = job};
    if (ops->chunk_fetch && ops->chunk_fetch_size)
        return ops->chunk_fetch_size(job->stream->ds, job->stream->var, &job->at, &out->encoded.n);
    rc = read_encoded(job);
    out->encoded.bytes = (const unsigned char *)job->workspace->encoded.data;
    out->encoded.n = job->workspace->encoded.len;
    return rc;
}

int cel_job_load_part(struct cel_job *job, const struct cel_chunk_part *part, void **out)
{
    const struct cel_stream *s = job->stream;
    size_t nbytes = s->array->elem;
    struct fetched src;
    int rc;

    for (int d = 0; d < s->req->rank; d++)
        nbytes *= part->count[d]; /* no more than a chunk has */
    rc = cel_job_buffer(job, nbytes, out);
    if (rc == CEL_OK)
        rc = find_encoded(job, &src);
    if (rc == CEL_OK)
        rc = cel_chain_decode_part(&s->var->chain, job->workspace->scratch, &src.encoded, part, *out);
    if (rc == CEL_ABSENT)
        job->input = CEL_INPUT_FILL;
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

/* --- running ---------------------------------------------------------------------------- */

/* Does somebody still need the buffers that work() has left? */
static bool needs_workspace(const struct cel_job *job)
{
    return job->rc == CEL_OK && (job->in_order || (cel_job_awaits_address(job) && !job->parked));
}

void cel_job_run(struct cel_task *task)
{
    struct cel_job *job = (struct cel_job *)task;
    bool working = job->state == CEL_JOB_WORKING;

    CEL_TRACE(CEL_TRACE_CHUNK, TRACED(job));
    assert(working || job->state == CEL_JOB_WRITING);
    job->rc = working ? job->work(job) : write_output(job);
    if (job->rc != CEL_OK) {
        cel_job_fail(job, job->rc);
        cel_status_save(&job->why);
    }
    if (!working || !needs_workspace(job))
        release_workspace(job);
}

/* --- before sending ------------------------------------------------------------------------ */

int cel_job_find(struct cel_job *job)
{
    struct cel_stream *s = job->stream;
    CEL_TRACE(CEL_TRACE_FIND, TRACED(job));
    int rc = s->ds->ops->chunk_find(s->ds, s->var, job->index, &job->at);

    assert(job->state == CEL_JOB_PREPARING && cel_task_group_is_own(&s->tasks));
    job->input = rc == CEL_OK ? CEL_INPUT_STORED : rc == CEL_ABSENT ? CEL_INPUT_FILL : CEL_INPUT_NONE;
    if (rc == CEL_ABSENT)
        return CEL_OK;
    if (rc == CEL_OK && job->at.nbytes != SIZE_MAX && s->var->chain.n)
        rc = cel_chain_plausible(&s->var->chain, job->at.nbytes, job->at.skipped);
    return rc == CEL_OK ? CEL_OK : cel_job_fail(job, rc);
}

int cel_job_allocate_early(struct cel_job *job, const void *src)
{
    struct cel_stream *s = job->stream;
    int rc;

    assert(job->state == CEL_JOB_PREPARING && job->output != CEL_OUTPUT_NONE);
    if (!allocates_before_work(s))
        return CEL_OK;
    job->out.data = src;
    job->out.nbytes = s->array->nbytes;
    rc = cel_job_allocate(job);
    return rc == CEL_OK ? CEL_OK : cel_job_fail(job, rc);
}
