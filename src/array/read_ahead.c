/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks that will be read soon. Whoever knows of some says so here, chunk by chunk (cel_read_ahead_want): a container that
 * has a use for it fetches them, as those on servers do; else threads that have nothing to do decode them into the cache.
 *
 * A request announces its own chunks to the container (stream.c). Those of gets to come are known from the gets before:
 * three of the same shape, each as far behind the last one along one dimension, are taken for a sweep. What the next of them
 * touches is wanted then, where it is more than this one did:
 *
 *     chunks      |   0   |   1   |   2   |
 *     gets        |0 1 2 3 4 ...              chunk 1 is wanted from get 2 on, chunk 2 from get 4 on
 *
 * Nothing is decoded ahead in a file that may be written, nor by plugins, nor where one thread is all there is. What is
 * decoded counts as the cache's, within what it may hold beside the chunks of the get at work; chunks that gets want whole
 * leave it once they were handed out. A sweep that ends takes back what was not asked for.
 *
 * An announced chunk is in the cache with a job of its own, `ahead`, in a background group of the pool. Only a thread that
 * holds the variable's lock looks at it, by cel_read_ahead_finish(), and only once the task is done. A chunk that could not be
 * read ahead is read again when it is asked for: then its error is somebody's. */
#include "array_int.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- one chunk ------------------------------------------------------------------ */

static void load(struct cel_task *task)
{
    struct cel_job *job = (struct cel_job *)task;

    cel_status_save(&job->why); /* it may be a caller that waits for it */
    job->rc = cel_job_load_cached(job, job->cached->planes);
    cel_job_release(job);
    cel_status_restore(&job->why);
}

bool cel_read_ahead_finish(struct cel_array *array, struct cel_cached_chunk *cached)
{
    struct cel_read_ahead *a = &array->read_ahead;
    bool good;

    if (!cached->ahead)
        return true;
    cel_task_group_adopt(&a->tasks);
    cel_task_group_finish(&a->tasks, &cached->ahead->task);
    good = cached->ahead->rc == CEL_OK;
    free(cached->ahead);
    cached->ahead = NULL;
    a->n--;
    return good;
}

/* CEL_ABSENT: it is not there. */
static int send(struct cel_stream *stream, const size_t *index)
{
    struct cel_read_ahead *a = &stream->array->read_ahead;
    struct cel_cached_chunk *cached;
    struct cel_job *job = cel_calloc(1, sizeof *job);
    int rc = job ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK) {
        job->stream = stream;
        memcpy(job->index, index, (size_t)stream->array->rank * sizeof *index);
        rc = cel_job_find(job);
    }
    if (rc == CEL_OK && job->input != CEL_INPUT_STORED)
        rc = CEL_ABSENT;
    if (rc == CEL_OK)
        rc = cel_cache_add(stream, index, &cached);
    if (rc != CEL_OK) {
        free(job);
        return rc;
    }
    job->stream = &a->stream; /* this one ends with the call */
    job->cached = cached;
    job->rc = CEL_ABSENT; /* unless it is read */
    job->task.run = load;
    cached->ahead = job;
    cached->planes = cel_get_wants_planes(stream->req, &job->at);
    cached->was_ahead = true;
    a->n++;
    cel_task_group_push(&a->tasks, &job->task, false);
    return CEL_OK;
}

/* --- the sweep ---------------------------------------------------------------------- */

void cel_read_ahead_stop(struct cel_array *array)
{
    struct cel_read_ahead *a = &array->read_ahead;
    struct cel_cached_chunk *cached = array->cache.oldest, *newer;

    a->met = 0;
    if (!a->is_open)
        return;
    cel_task_group_adopt(&a->tasks);
    cel_task_group_cancel(&a->tasks);
    for (; a->n && cached; cached = newer) {
        newer = cached->newer;
        if (!cached->ahead)
            continue;
        cel_read_ahead_finish(array, cached);
        cel_cache_drop(array, cached);
    }
    assert(a->n == 0);
    a->is_open = false;
    cel_cache_free_spares(array);
}

static void begin(struct cel_read_ahead *a, const struct cel_request *req)
{
    if (a->is_open)
        return;
    a->stream = (struct cel_stream){.ds = req->ds, .var = req->var, .array = req->array, .width = 1};
    cel_task_group_open_background(&a->tasks);
    a->is_open = true;
    a->until = 0;
}

/* The dimension along which this get is behind the last one, and how far; -1: it is not. */
static int direction(const struct cel_read_ahead *a, const struct cel_request *req, size_t *distance)
{
    int dim = -1;

    for (int d = 0; d < req->rank; d++) {
        if (req->stride[d] != 1 || req->count[d] != a->count[d] || req->start[d] < a->start[d])
            return -1;
        if (req->start[d] == a->start[d])
            continue;
        if (dim >= 0)
            return -1;
        dim = d;
        *distance = req->start[d] - a->start[d];
    }
    return dim;
}

static void note(struct cel_read_ahead *a, const struct cel_request *req)
{
    size_t distance = 0;
    int dim = a->met ? direction(a, req, &distance) : -1;

    if (dim < 0 || (a->met > 1 && (dim != a->dim || distance != a->distance))) {
        cel_read_ahead_stop(req->array);
        dim = -1;
    }
    a->dim = dim;
    a->distance = distance;
    a->met = dim < 0 ? 1 : a->met + 1;
    memcpy(a->start, req->start, (size_t)req->rank * sizeof *req->start);
    memcpy(a->count, req->count, (size_t)req->rank * sizeof *req->count);
}

/* The first element behind the chunks that this get touches. */
static size_t end_of(const struct cel_read_ahead *a, const struct cel_request *req)
{
    size_t chunk = req->var->layout.chunk[a->dim];

    return cel_chunk_end(chunk, (req->start[a->dim] + req->count[a->dim] - 1) / chunk);
}

/* Where the first get begins that reaches beyond the chunks of this one and of those announced already. false: no more. */
static bool next_new(const struct cel_read_ahead *a, const struct cel_request *req, size_t *start)
{
    size_t last = req->start[a->dim] + req->count[a->dim] - 1, end = end_of(a, req);
    size_t beyond = end > a->until ? end : a->until;

    if (beyond >= req->extent[a->dim])
        return false;
    *start = req->start[a->dim] + (beyond - last + a->distance - 1) / a->distance * a->distance;
    return *start < req->extent[a->dim];
}

/* How many chunks may be wanted beside those of this get: where gets share them a whole row, as that is in the cache sooner or
 * later, and no fewer than keep the threads busy; else what keeps these busy. */
static size_t how_many(const struct cel_stream *stream, size_t total)
{
    const struct cel_array *array = stream->array;
    const struct cel_request *req = stream->req;
    size_t fit = array->cache.budget / array->nbytes, window = CEL_WINDOW / array->nbytes,
           threads = (size_t)cel_pool_size(), most = total > threads ? total : threads;

    if (req->count[array->read_ahead.dim] >= req->var->layout.chunk[array->read_ahead.dim])
        most = total >= threads ? 0 : threads < window ? threads : window;
    fit = fit > total ? fit - total : 0;
    most = most < fit ? most : fit;
    return most > array->read_ahead.n ? most - array->read_ahead.n : 0;
}

/* Is it worth it, and may it be done beside the program? Plugins run under a lock, and may do as they like. */
static bool decodes_ahead(const struct cel_stream *stream)
{
    const struct cel_chain *chain = &stream->var->chain;
    bool good = chain->n && !cel_chain_has_parts(chain) && cel_pool_size() > 1;

    for (size_t i = 0; good && i < chain->n; i++)
        good = !(chain->step[i].codec->flags & CEL_CODEC_OUTSIDE);
    return good;
}

size_t cel_read_ahead_most(const struct cel_array *array)
{
    size_t fit = CEL_AHEAD / (array->nbytes ? array->nbytes : 1);

    return fit < 2 ? 2 : fit < CEL_AHEAD_CHUNKS ? fit : CEL_AHEAD_CHUNKS;
}

bool cel_read_ahead_want(struct cel_stream *stream, const size_t *index, size_t *left)
{
    struct cel_dataset *ds = stream->ds;
    bool fetches;

    if (cel_cache_find(stream->array, index))
        return true;
    fetches = ds->ops->chunk_want && ds->ops->chunk_want(ds, stream->var, index);
    stream->array->read_ahead.fetches = fetches;
    if (fetches || !left)
        return fetches;
    if (!*left)
        return false;
    *left -= 1;
    return send(stream, index) >= CEL_OK;
}

/* All chunks of the get that begins at `start`; false: no more are wanted. */
static bool want_get(struct cel_stream *stream, size_t start, size_t *left)
{
    struct cel_read_ahead *a = &stream->array->read_ahead;
    const struct cel_request *req = stream->req;
    size_t at[CEL_RANK_MAX], count[CEL_RANK_MAX], chunk = req->var->layout.chunk[a->dim];
    size_t most = cel_read_ahead_most(req->array), n;
    struct cel_chunk_walk walk;

    memcpy(at, req->start, (size_t)req->rank * sizeof *at);
    memcpy(count, req->count, (size_t)req->rank * sizeof *count);
    at[a->dim] = start;
    if (count[a->dim] > req->extent[a->dim] - start)
        count[a->dim] = req->extent[a->dim] - start;
    cel_chunk_walk_begin(&walk, req->rank, req->var->layout.chunk, at, count, NULL);
    for (n = 0; walk.more && (!a->fetches || n < most); n++, cel_chunk_walk_next(&walk))
        if (!cel_read_ahead_want(stream, walk.index, left))
            return false;
    a->until = cel_chunk_end(chunk, (start + count[a->dim] - 1) / chunk);
    return true;
}

/* At the end of a get, when all its jobs are over. What goes wrong here is nobody's failure. */
void cel_read_ahead_go_on(struct cel_stream *stream, size_t total)
{
    struct cel_read_ahead *a = &stream->array->read_ahead;
    struct cel_status before;
    size_t left, start;

    if (a->met < 3)
        return;
    begin(a, stream->req);
    if ((a->fetches && a->until > end_of(a, stream->req)) || !next_new(a, stream->req, &start))
        return;
    cel_task_group_adopt(&a->tasks);
    left = decodes_ahead(stream) ? how_many(stream, total) : 0;
    cel_status_save(&before);
    while (want_get(stream, start, &left) && left && !a->fetches && next_new(a, stream->req, &start))
        ;
    cel_status_restore(&before);
}

/* Single values are not worth looking for a pattern in them. */
void cel_read_ahead_note(const struct cel_request *req)
{
    if (!req->ds->writable && !req->ds->par && !req->array->has_codec && !req->var->layout.unchunked && req->n > 1)
        note(&req->array->read_ahead, req);
}
