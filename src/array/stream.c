/* SPDX-License-Identifier: BSD-3-Clause */
/* The stream: jobs are sent in chunk order, worked on by any thread, and collected in chunk order by the calling
 * thread, which alone finds chunks, gives them addresses (unless the container allows more) and decides on evictions.
 * So the same bytes come out for any number of threads. A ring of jobs bounds memory:
 *
 *     freed <= collected <= sent <= freed + width
 *
 * Jobs in [collected, sent) are WORKING, those in [freed, collected) WRITING or DONE (job.c has the states). The first
 * failure by job number is kept; after one, no more output gets an address. */
#include "array_int.h"
#include "trace.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t cel_small_work = (size_t)256 << 10;

static struct cel_job *job_at(const struct cel_stream *s, size_t number)
{
    return &s->ring[number % s->width];
}

void cel_stream_note(struct cel_stream *s, int rc)
{
    cel_first_failure_note_step(&s->failure, s->sent, rc);
}

int cel_stream_failed(const struct cel_stream *s)
{
    return s->failure.rc;
}

static void check_counts(const struct cel_stream *s)
{
    assert(s->freed <= s->collected && s->collected <= s->sent && s->sent <= s->freed + s->width);
    (void)s;
}

/* Does the container want to know when chunks are being moved? */
static bool defers_writes(const struct cel_stream *s)
{
    return s->ds->writable && s->ds->ops->chunk_io_begin;
}

/* --- what the calling thread does ---------------------------------------------- */

static void note_job_failure(struct cel_stream *s, const struct cel_job *job)
{
    if (job->rc == CEL_OK)
        return;
    cel_status_restore(&job->why);
    cel_first_failure_note_step(&s->failure, job->number, job->rc);
}

static void add_results(struct cel_stream *s, const struct cel_job *job)
{
    struct cel_array *array = s->array;

    s->nrange += job->nrange;
    cel_quantize_error_join(&array->worst, &job->worst);
    array->loss.max_abs = fmax(array->loss.max_abs, job->loss.max_abs);
    array->loss.max_rel = fmax(array->loss.max_rel, job->loss.max_rel);
    note_job_failure(s, job);
}

/* What a job does at its turn in chunk order. */
static int take_turn(struct cel_job *job)
{
    int rc = job->in_order ? job->in_order(job) : CEL_OK;

    if (rc == CEL_OK && cel_job_awaits_address(job))
        rc = cel_job_allocate(job);
    return rc == CEL_OK ? CEL_OK : cel_job_fail(job, rc);
}

/* The next job in order: wait for its work, and let it take its turn if nothing has failed. */
static void collect_one(struct cel_stream *s)
{
    struct cel_job *job = job_at(s, s->collected);

    assert(job->state == CEL_JOB_WORKING);
    cel_task_group_finish(&s->tasks, &job->task);
    s->collected++;
    check_counts(s);
    add_results(s, job);
    if (cel_stream_failed(s) == CEL_OK)
        cel_first_failure_note_step(&s->failure, job->number, take_turn(job));
    if (cel_stream_failed(s) == CEL_OK && cel_job_awaits_address(job)) {
        cel_job_set_state(job, CEL_JOB_WRITING);
        cel_task_group_push(&s->tasks, &job->task, true);
    } else {
        cel_job_set_state(job, CEL_JOB_DONE);
    }
}

/* Once its job is over, an evicted chunk is freed, unless its bytes did not reach the container; a chunk that could
 * not be loaded leaves the cache. */
static void release_cached(struct cel_stream *s, struct cel_job *job)
{
    struct cel_cached_chunk *cached = job->cached;
    bool ok = cel_stream_failed(s) == CEL_OK || job->number < s->failure.step;

    if (!cached)
        return;
    cached->job = NULL;
    if (job->output == CEL_OUTPUT_EVICTED && ok)
        cel_cached_chunk_free(s->array, cached);
    else if (job->output == CEL_OUTPUT_EVICTED)
        cel_cache_put_back(s->array, cached);
    else if (job->output == CEL_OUTPUT_CHUNK)
        cached->dirty = !ok;
    else if (job->rc != CEL_OK || job->drops)
        cel_cache_drop(s->array, cached);
}

static void free_one(struct cel_stream *s)
{
    struct cel_job *job = job_at(s, s->freed);

    if (job->state == CEL_JOB_WRITING) {
        cel_task_group_finish(&s->tasks, &job->task);
        note_job_failure(s, job);
        cel_job_set_state(job, CEL_JOB_DONE);
    }
    assert(job->state == CEL_JOB_DONE);
    release_cached(s, job);
    cel_job_release(job);
    s->freed++;
    check_counts(s);
    cel_trace_count(CEL_TRACE_BYTES_IN_FLIGHT, (s->sent - s->freed) * s->array->nbytes);
}

void cel_stream_await(struct cel_stream *s, size_t number)
{
    while (s->collected < s->sent && s->collected <= number)
        collect_one(s);
    while (s->freed < s->collected && s->freed <= number)
        free_one(s);
}

void cel_stream_await_chunk(struct cel_stream *s, const size_t *index)
{
    size_t nbytes = (size_t)s->array->rank * sizeof *index;

    for (size_t number = s->freed; number < s->sent; number++) {
        const struct cel_job *job = job_at(s, number);

        if (job->output == CEL_OUTPUT_EVICTED && memcmp(job->index, index, nbytes) == 0) {
            cel_stream_await(s, number);
            return;
        }
    }
}

static bool is_over(struct cel_job *job)
{
    return job->state == CEL_JOB_DONE || cel_task_done(&job->task);
}

/* Collect what is done already, so that writing does not lag behind. */
static void keep_up(struct cel_stream *s)
{
    while (s->collected < s->sent && cel_task_done(&job_at(s, s->collected)->task))
        collect_one(s);
    while (s->freed < s->collected && is_over(job_at(s, s->freed)))
        free_one(s);
}

/* With nothing in flight the container may write out what it keeps in memory. */
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

/* Copying a few rows to or from a cached chunk takes less time than waking a thread. */
static bool is_small(const struct cel_job *job)
{
    const struct cel_stream *s = job->stream;

    return job->cached && job->input != CEL_INPUT_STORED && job->output == CEL_OUTPUT_NONE &&
           (job->input == CEL_INPUT_FILL ? s->array->nbytes : s->part) < cel_small_work / 8;
}

void cel_stream_send(struct cel_job *job)
{
    struct cel_stream *s = job->stream;

    assert(job->number == s->sent);
    job->task.run = cel_job_run;
    cel_job_set_state(job, CEL_JOB_WORKING);
    if (job->cached)
        job->cached->job = job;
    s->sent++;
    check_counts(s);
    cel_trace_count(CEL_TRACE_BYTES_IN_FLIGHT, (s->sent - s->freed) * s->array->nbytes);
    if (!is_small(job)) {
        cel_task_group_push(&s->tasks, &job->task, false);
        return;
    }
    cel_job_run(&job->task);
    job->task.done = true; /* no other thread knows of it */
}

/* Chunks of memory a job takes while it is worked on. Writing: gathered and shuffled, then
 * shuffled and encoded. Reading: encoded and its planes, and the elements where they cannot
 * go to the caller's memory at once. */
static size_t chunks_per_job(const struct cel_stream *s)
{
    return s->req && !s->req->writing && !s->req->transfer.same ? 3 : 2;
}

/* Jobs in flight: two per thread, but no more than fit CEL_WINDOW and two chunks per
 * thread. Those being worked on are as many as threads, at most; with `parks`, each of
 * those in flight may have another chunk parked. */
static size_t choose_width(size_t threads, size_t njobs, size_t job_bytes, size_t per_job, bool parks)
{
    size_t chunk = job_bytes ? job_bytes : 1, capacity = CEL_WINDOW / chunk + 2 * threads;
    size_t few = capacity / (per_job + parks); /* all of them worked on */
    size_t many = parks && capacity > per_job * threads ? capacity - per_job * threads : threads;
    size_t fit = few < threads ? few : many > threads ? many : threads;
    size_t width = threads == 1 || fit < 1 ? 1 : fit < 2 * threads ? fit : 2 * threads;

    return width < njobs ? width : njobs ? njobs : 1;
}

/* Bytes that a call of the system moves as they are between a file that is open and memory: to wake another thread takes as
 * long as so few, and a write of a small chunk is no more than what handing it over takes. */
static bool is_light(const struct cel_dataset *ds, const struct cel_var *var, const struct cel_request *req,
                     size_t njobs, size_t job_bytes)
{
    bool as_is = req && ds->ops->moves_directly && ds->file.inode && !var->chain.n && !req->transfer.quantizer;

    return as_is && ((req->writing && job_bytes < cel_small_work / 16) ||
                     (req->transfer.same && njobs * job_bytes < 24 * cel_small_work));
}

int cel_stream_open(struct cel_stream *s, struct cel_dataset *ds, struct cel_var *var, const struct cel_request *req,
                    size_t njobs, size_t job_bytes)
{
    struct cel_array *array = var->array;
    bool serial = njobs < 2 || (job_bytes < cel_small_work && njobs * job_bytes < cel_small_work) ||
                  is_light(ds, var, req, njobs, job_bytes);
    size_t threads = serial ? 1 : (size_t)cel_pool_size();

    assert(!array->stream); /* the variable's lock is held: one stream at a time */
    assert(var->layout.unchunked || !var->chain.n || var->chain.prepared);
    memset(s, 0, offsetof(struct cel_stream, failure));
    s->failure.rc = CEL_OK;
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
    array->stream = s;
    cel_task_group_open(&s->tasks, serial);
    if (defers_writes(s))
        s->ds->ops->chunk_io_begin(s->ds);
    return CEL_OK;
}

int cel_stream_close(struct cel_stream *s)
{
    cel_stream_await(s, s->sent);
    assert(s->freed == s->sent); /* nothing stays in flight, after a failure neither */
    s->array->stream = NULL;
    if (defers_writes(s))
        s->ds->ops->chunk_io_end(s->ds);
    if (s->array->nbytes > CEL_KEPT)
        cel_workspace_trim();
    return cel_first_failure_restore(&s->failure);
}

/* Chunks of the request that are wanted before they are sent: as many as fit CEL_AHEAD. */
struct ahead {
    struct cel_chunk_walk chunks;
    size_t left; /* how many more may be announced before the next one is sent */
    bool on;
};

static void ahead_begin(struct ahead *a, const struct cel_request *req, const struct cel_walk *walk)
{
    a->on = !req->writing && req->ds->ops->chunk_want && walk->total > 1;
    if (!a->on)
        return;
    a->chunks = walk->chunks;
    a->left = cel_read_ahead_most(req->array);
}

static void ahead_announce(struct ahead *a, struct cel_stream *stream)
{
    for (; a->on && a->left && a->chunks.more; a->left--, cel_chunk_walk_next(&a->chunks))
        a->on = cel_read_ahead_want(stream, a->chunks.index, NULL);
    a->left++;
}

int cel_stream_chunks(const struct cel_request *req, cel_send_chunk *send)
{
    struct cel_stream stream;
    struct ahead ahead;
    struct cel_walk walk;
    int rc;

    cel_walk_begin(&walk, req);
    if (!req->array->has_codec) /* elements of variable size are not cached */
        cel_cache_adapt(req->array, &walk);
    rc = cel_stream_open(&stream, req->ds, req->var, req, walk.total, req->array->nbytes);
    if (rc != CEL_OK)
        return rc;
    ahead_begin(&ahead, req, &walk);
    for (; walk.chunks.more && cel_stream_failed(&stream) == CEL_OK; cel_chunk_walk_next(&walk.chunks)) {
        ahead_announce(&ahead, &stream);
        cel_stream_await_chunk(&stream, walk.chunks.index);
        cel_stream_note(&stream, send(&stream, walk.chunks.index));
    }
    cel_stream_await(&stream, stream.sent);
    if (!req->writing && cel_stream_failed(&stream) == CEL_OK)
        cel_read_ahead_go_on(&stream, walk.total);
    rc = cel_stream_close(&stream);
    return rc == CEL_OK && stream.nrange ? NC_ERANGE : rc;
}

int cel_request_move(const struct cel_request *req, cel_send_chunk *send)
{
    if (req->array->has_codec)
        return cel_elements_move(req);
    return req->var->layout.unchunked ? cel_unchunked_move(req) : cel_stream_chunks(req, send);
}
