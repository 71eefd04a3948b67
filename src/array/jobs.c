/* The stream: jobs are sent in chunk order, worked on by anyone, and settled in
 * chunk order by the calling thread, which alone finds and places chunks (unless
 * the container allows more) and decides on evictions. So the same bytes come out
 * for any number of threads. A ring of jobs bounds memory:
 *
 *     freed <= settled <= sent <= freed + width
 *
 * [freed, settled): placed, their bytes being written; [settled, sent): worked on.
 * The first failure by job number is kept; after one, nothing more is placed. */
#include "array_int.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t cel_small_work = (size_t)256 << 10;

static bool concurrent(const struct cel_stream *s)
{
    return (s->ds->ops->thread_rules & CEL_CONCURRENT) != 0;
}

static struct cel_job *job_at(const struct cel_stream *s, size_t number)
{
    return &s->ring[number % s->width];
}

/* --- failing --------------------------------------------------------------- */

static int job_failed(struct cel_job *job, int rc)
{
    return job->stream->var->unchunked ? rc : cel_fail_in_chunk(rc, job->index, job->stream->array->rank);
}

/* Remember the failure of the lowest job; the text is that of this thread. */
static void note_failure(struct cel_stream *s, size_t number, int rc)
{
    if (rc == CEL_OK || (s->rc != CEL_OK && s->failed <= number))
        return;
    s->rc = rc;
    s->failed = number;
    cel_status_save(&s->why);
}

void cel_stream_note(struct cel_stream *s, int rc)
{
    note_failure(s, s->sent, rc);
}

int cel_stream_failed(const struct cel_stream *s)
{
    return s->rc;
}

/* Does the container want to know when chunks are on their way? */
static bool defers_writes(const struct cel_stream *s)
{
    return s->ds->writable && s->ds->ops->chunk_io_begin;
}

/* --- what any thread does ------------------------------------------------------ */

static void give_workspace(struct cel_job *job)
{
    if (job->workspace)
        cel_workspace_give(job->workspace);
    job->workspace = NULL;
}

static void run_job(struct cel_task *task)
{
    struct cel_job *job = (struct cel_job *)task;

    job->rc = job->work(job);
    if (job->rc != CEL_OK) {
        job_failed(job, job->rc);
        cel_status_save(&job->why);
    }
    if (!job->settle && (!job->has_output || job->placed || job->parked)) /* nobody needs its buffers any more */
        give_workspace(job);
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

    return var->watch_loss && cel_chain_is_lossy(&var->chain);
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
        rc = cel_buf_resize(&job->workspace->cell, nbytes);
    if (rc == CEL_OK)
        *out = job->workspace->cell.data;
    return rc;
}

static int write_out(struct cel_job *job)
{
    struct cel_stream *s = job->stream;

    return s->ds->ops->chunk_write(s->ds, s->var, job->index, &job->at, job->out, job->out_n);
}

static int allocate_out(struct cel_job *job)
{
    struct cel_stream *s = job->stream;

    return s->ds->ops->chunk_allocate(s->ds, s->var, job->index, job->out, job->out_n, job->skipped, &job->at);
}

/* The chunk stays as it is for the cache and its readers: a copy is changed. */
static int pad_for_codec(struct cel_job *job, const void **src)
{
    struct cel_stream *s = job->stream;
    struct cel_buf *copy = &job->workspace->encoded;
    int rc;

    if (!cel_edge_is_seen(s->var, job->index))
        return CEL_OK;
    rc = cel_buf_resize(copy, s->array->nbytes);
    if (rc != CEL_OK)
        return rc;
    memcpy(copy->data, *src, s->array->nbytes);
    cel_edge_repeat(s->var, job->index, copy->data);
    *src = copy->data;
    return CEL_OK;
}

static int keep_encoded(struct cel_job *job)
{
    int rc = cel_parked_chunk_make(job->out, job->out_n, &job->parked);

    if (rc == CEL_OK)
        job->out = job->parked->bytes.data;
    return rc;
}

static int watch_loss(struct cel_job *job, const void *src)
{
    const struct cel_chain *chain = &job->stream->var->chain;
    int rc;

    if (!watches_loss(job))
        return CEL_OK;
    rc = keep_encoded(job); /* decoding takes the scratch it lies in */
    return rc == CEL_OK
               ? cel_chain_loss(chain, job->workspace->scratch, src, job->out, job->out_n, job->skipped, &job->loss)
               : rc;
}

static int encode(struct cel_job *job, const void *src)
{
    struct cel_stream *s = job->stream;
    int rc = need_workspace(job);

    if (rc == CEL_OK)
        rc = pad_for_codec(job, &src);
    if (rc == CEL_OK)
        rc = cel_chain_encode(&s->var->chain, job->workspace->scratch, src, s->array->nbytes, &job->out, &job->out_n,
                              &job->skipped);
    if (rc == CEL_OK)
        rc = watch_loss(job, src);
    if (rc != CEL_OK || job->parked || concurrent(s) || s->width == 1 || s->array->nbytes > CEL_KEPT)
        return rc;            /* written at once, or too large for a second copy */
    return keep_encoded(job); /* its turn may be far away */
}

int cel_job_store(struct cel_job *job, const void *src)
{
    struct cel_stream *s = job->stream;
    int rc = CEL_OK;

    job->out = src;
    job->out_n = s->array->nbytes;
    if (s->var->chain.n)
        rc = encode(job, src);
    if (rc == CEL_OK && concurrent(s))
        rc = allocate_out(job);
    job->placed = job->placed || concurrent(s);
    return rc == CEL_OK && job->placed ? write_out(job) : rc;
}

/* Without filters the stored bytes are the chunk: they are read where they belong. */
static int load_as_is(struct cel_job *job, void *dst)
{
    struct cel_stream *s = job->stream;
    size_t want = s->array->nbytes;
    struct cel_buf out = {.data = dst, .cap = want, .max = want};
    int rc = s->ds->ops->chunk_read(s->ds, s->var, job->index, &job->at, &out);

    if (rc == CEL_OK && out.len != want)
        rc = cel_fail(NC_EINVAL, "%zu bytes are stored where a chunk has %zu", out.len, want);
    return rc;
}

/* Sizes that nobody has compared with the file's are not believed before it is read. */
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
    return s->ds->ops->chunk_read(s->ds, s->var, job->index, &job->at, &job->workspace->encoded);
}

static int load_encoded(struct cel_job *job, void *dst)
{
    int rc = read_encoded(job);
    const struct cel_workspace *workspace = job->workspace;

    if (rc == CEL_OK)
        rc = cel_chain_decode(&job->stream->var->chain, workspace->scratch, workspace->encoded.data,
                              workspace->encoded.len, job->at.skipped, dst);
    return rc;
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
    job->blank = true;
    return CEL_OK;
}

/* Some containers know only now whether there is a chunk. */
int cel_job_load(struct cel_job *job, void *dst)
{
    struct cel_stream *s = job->stream;
    int rc;

    if (job->at.nbytes != SIZE_MAX && !s->var->chain.n && job->at.nbytes != s->array->nbytes)
        return cel_fail(NC_EINVAL, "%zu bytes are stored where a chunk has %zu", job->at.nbytes, s->array->nbytes);
    rc = s->var->chain.n ? load_encoded(job, dst) : load_as_is(job, dst);
    if (rc != CEL_ABSENT)
        return rc;
    cel_fill_cell(&s->req->transfer, dst, s->array->nbytes / s->array->elem);
    return CEL_OK;
}

/* --- what the calling thread does ---------------------------------------------- */

int cel_job_find(struct cel_job *job)
{
    struct cel_stream *s = job->stream;
    int rc = s->ds->ops->chunk_find(s->ds, s->var, job->index, &job->at);

    job->load = rc == CEL_OK;
    job->blank = rc == CEL_ABSENT;
    if (rc == CEL_ABSENT)
        rc = CEL_OK;
    if (rc == CEL_OK && job->load && job->at.nbytes != SIZE_MAX && s->var->chain.n)
        rc = cel_chain_plausible(&s->var->chain, job->at.nbytes, job->at.skipped);
    return rc == CEL_OK ? CEL_OK : job_failed(job, rc);
}

int cel_job_allocate_early(struct cel_job *job, const void *src)
{
    struct cel_stream *s = job->stream;
    int rc;

    if (s->var->chain.n || concurrent(s))
        return CEL_OK;
    job->out = src;
    job->out_n = s->array->nbytes;
    rc = allocate_out(job);
    job->placed = rc == CEL_OK;
    return rc == CEL_OK ? CEL_OK : job_failed(job, rc);
}

/* The next job in order: wait for its work, and give its bytes a place. */
static void settle_one(struct cel_stream *s)
{
    struct cel_job *job = job_at(s, s->settled);
    int rc;

    cel_task_group_finish(&s->tasks, &job->task);
    s->settled++;
    s->nrange += job->nrange;
    cel_quantize_error_join(&s->array->worst, &job->worst);
    s->array->loss.max_abs = fmax(s->array->loss.max_abs, job->loss.max_abs);
    s->array->loss.max_rel = fmax(s->array->loss.max_rel, job->loss.max_rel);
    if (job->rc != CEL_OK) {
        cel_status_restore(&job->why);
        note_failure(s, job->number, job->rc);
    }
    if (s->rc != CEL_OK)
        return;
    if (job->settle && (rc = job->settle(job)) != CEL_OK)
        note_failure(s, job->number, job_failed(job, rc));
    if (s->rc != CEL_OK || !job->has_output || job->placed)
        return;
    rc = allocate_out(job);
    if (rc != CEL_OK) {
        note_failure(s, job->number, job_failed(job, rc));
        return;
    }
    job->placed = job->flushing = true;
    job->work = write_out;
    cel_task_group_push(&s->tasks, &job->task, true);
}

/* What happens to a cell once its job is over: evicted ones go, unless their
 * bytes did not reach the container; a cell that could not be filled is no cell. */
static void release_cell(struct cel_stream *s, struct cel_job *job)
{
    struct cel_cell *cell = job->cell;
    bool ok = s->rc == CEL_OK || job->number < s->failed;

    if (!cell)
        return;
    cell->job = NULL;
    if (job->evicts && ok)
        cel_cell_free(s->array, cell);
    else if (job->evicts)
        cel_cache_put_back(s->array, cell);
    else if (job->has_output)
        cell->dirty = !ok;
    else if (job->rc != CEL_OK)
        cel_cache_drop(s->array, cell);
}

void cel_job_abandon(struct cel_job *job)
{
    give_workspace(job);
    if (job->parked)
        cel_parked_chunk_give(job->parked);
    job->parked = NULL;
}

static void free_one(struct cel_stream *s)
{
    struct cel_job *job = job_at(s, s->freed);

    if (job->flushing) {
        cel_task_group_finish(&s->tasks, &job->task);
        if (job->rc != CEL_OK) {
            cel_status_restore(&job->why);
            note_failure(s, job->number, job->rc);
        }
    }
    release_cell(s, job);
    cel_job_abandon(job);
    s->freed++;
}

void cel_stream_await(struct cel_stream *s, size_t number)
{
    while (s->settled < s->sent && s->settled <= number)
        settle_one(s);
    while (s->freed < s->settled && s->freed <= number)
        free_one(s);
}

void cel_stream_await_chunk(struct cel_stream *s, const size_t *index)
{
    size_t nbytes = (size_t)s->array->rank * sizeof *index;

    for (size_t number = s->freed; number < s->sent; number++) {
        const struct cel_job *job = job_at(s, number);

        if (job->evicts && memcmp(job->index, index, nbytes) == 0) {
            cel_stream_await(s, number);
            return;
        }
    }
}

/* Settle what is done already, so that placing does not lag behind. */
static void keep_up(struct cel_stream *s)
{
    while (s->settled < s->sent && cel_task_done(&job_at(s, s->settled)->task))
        settle_one(s);
    while (s->freed < s->settled && (!job_at(s, s->freed)->flushing || cel_task_done(&job_at(s, s->freed)->task)))
        free_one(s);
}

/* With nothing on its way the container may write out what it keeps in memory. */
static void flush_container(struct cel_stream *s)
{
    const struct cel_container_ops *ops = s->ds->ops;

    if (!defers_writes(s) || !ops->must_flush(s->ds))
        return;
    cel_stream_await(s, s->sent);
    ops->chunk_io_end(s->ds);
    cel_stream_note(s, ops->flush_deferred(s->ds));
    ops->chunk_io_begin(s->ds);
}

struct cel_job *cel_stream_next(struct cel_stream *s, const size_t *index)
{
    struct cel_job *job;

    flush_container(s);
    keep_up(s);
    if (s->sent == s->freed + s->width)
        cel_stream_await(s, s->freed);
    job = job_at(s, s->sent);
    memset(job, 0, offsetof(struct cel_job, why));
    job->stream = s;
    job->number = s->sent;
    if (index)
        memcpy(job->index, index, (size_t)s->array->rank * sizeof *index);
    return job;
}

/* Copying a few rows to or from a cell takes less than handing it to somebody. */
static bool is_light(const struct cel_job *job)
{
    const struct cel_stream *s = job->stream;

    return job->cell && !job->load && !job->has_output &&
           (job->blank ? s->array->nbytes : s->part) < cel_small_work / 8;
}

void cel_stream_send(struct cel_job *job)
{
    struct cel_stream *s = job->stream;

    assert(job->number == s->sent);
    job->task.run = run_job;
    if (job->cell)
        job->cell->job = job;
    s->sent++;
    if (!is_light(job)) {
        cel_task_group_push(&s->tasks, &job->task, false);
        return;
    }
    run_job(&job->task);
    job->task.done = true; /* nobody else has seen it */
}

/* Chunks of memory a job takes while it is worked on. Writing: gathered and shuffled, then
 * shuffled and encoded. Reading: encoded and its planes, and the elements where they cannot
 * go to the caller's memory at once. */
static size_t chunks_per_job(const struct cel_stream *s)
{
    return s->req && !s->req->writing && !s->req->transfer.same ? 3 : 2;
}

/* Jobs in flight: two per thread, but no more than fit CEL_WINDOW and two chunks per
 * thread. Those being worked on are as many as threads, at most; with `crated`, each of
 * those in flight may have another chunk lying in its crate. */
static size_t choose_width(size_t threads, size_t njobs, size_t job_bytes, size_t per_job, bool parked)
{
    size_t chunk = job_bytes ? job_bytes : 1, capacity = CEL_WINDOW / chunk + 2 * threads;
    size_t few = capacity / (per_job + parked); /* all of them worked on */
    size_t many = parked && capacity > per_job * threads ? capacity - per_job * threads : threads;
    size_t fit = few < threads ? few : many > threads ? many : threads;
    size_t width = threads == 1 || fit < 1 ? 1 : fit < 2 * threads ? fit : 2 * threads;

    return width < njobs ? width : njobs ? njobs : 1;
}

int cel_stream_open(struct cel_stream *s, struct cel_dataset *ds, struct cel_var *var, const struct cel_request *req,
                    size_t njobs, size_t job_bytes)
{
    struct cel_array *array = var->array;
    bool serial = njobs < 2 || (job_bytes < cel_small_work && njobs * job_bytes < cel_small_work);
    size_t threads = serial ? 1 : (size_t)cel_pool_size();

    memset(s, 0, offsetof(struct cel_stream, why));
    s->req = req;
    s->ds = ds;
    s->var = var;
    s->array = array;
    s->part = req && njobs ? req->n / njobs * req->transfer.user_size : array->nbytes;
    s->width = choose_width(threads, njobs, job_bytes, chunks_per_job(s), job_bytes <= CEL_KEPT);
    if (array->ring_cap < s->width) {
        struct cel_job *ring = cel_realloc(array->ring, s->width, sizeof *ring);

        if (!ring)
            return NC_ENOMEM;
        array->ring = ring;
        array->ring_cap = s->width;
    }
    s->ring = array->ring;
    cel_task_group_open(&s->tasks, serial);
    if (defers_writes(s))
        s->ds->ops->chunk_io_begin(s->ds);
    return CEL_OK;
}

int cel_stream_close(struct cel_stream *s)
{
    cel_stream_await(s, s->sent);
    if (defers_writes(s))
        s->ds->ops->chunk_io_end(s->ds);
    if (s->array->nbytes > CEL_KEPT)
        cel_workspace_trim();
    if (s->rc != CEL_OK)
        cel_status_restore(&s->why);
    return s->rc;
}
