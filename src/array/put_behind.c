/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts of few whole chunks: their values are gathered, converted, into memory of ours, and the call is over. Threads that have
 * nothing to do encode them; a later call stores them. So one who writes a chunk a call computes the next one meanwhile.
 *
 *     the put that takes it   any thread          a later put, or whoever needs it in the file
 *     gather                  encode              allocate, write
 *
 * The chunks of a dataset are a queue. They are stored in the order of their puts, by callers alone, and before anything else
 * of the dataset is stored: so the same bytes come out as if each put had stored its own. Encoding looks at nothing but the
 * chain and the chunk. What is in the queue keeps within the memory of any other call, all queues of the process together.
 *
 * A chunk that could not be stored stays in the queue, out of turn. The next put in the dataset fails for it and stores
 * nothing; each sync tries again, and fails as long as it cannot be stored. It is forgotten when another put covers it. One
 * that could not be encoded is the same, but for that there is nothing to try again. */
#include "array_int.h"
#include "fork.h"
#include <stdlib.h>
#include <string.h>

struct cel_behind_chunk {
    struct cel_job job;       /* first: the pool knows only its task */
    struct cel_stream stream; /* what the job works on; the call that put it is over */
    struct cel_behind_chunk *next;
    size_t counted;    /* bytes of memory */
    bool failed, told; /* it could not be stored; a put has said so */
};

struct cel_behind {
    struct cel_mutex lock; /* after the variable's and the dataset's */
    struct cel_task_group tasks;
    struct cel_behind_chunk *first, **end;
    size_t n, nfailed; /* chunks in it; of these, failed */
    struct cel_behind *next;
};

#define CHUNKS_MAX 4  /* of a put: the caller gathers them alone, in less time than it would help to encode them */
#define CACHED_MAX 64 /* chunks of a put that are looked for in the cache */

static atomic_size_t counted_in_all;

/* --- all queues, for a fork --------------------------------------------------------------- */

static struct cel_mutex list_lock = CEL_MUTEX_INIT;
static struct cel_behind *list;

CEL_FORK_LOCK(CEL_FORK_BEHIND, &list_lock, false, NULL);

static struct cel_behind *behind_of(struct cel_dataset *ds)
{
    return atomic_load_explicit(&ds->behind, memory_order_acquire);
}

static int get_behind(struct cel_dataset *ds, struct cel_behind **out)
{
    struct cel_behind *b;

    cel_lock(ds->lock);
    b = behind_of(ds);
    if (!b && (b = cel_calloc(1, sizeof *b))) {
        cel_mutex_init(&b->lock);
        cel_task_group_open_background(&b->tasks);
        b->end = &b->first;
        cel_lock(&list_lock);
        b->next = list;
        list = b;
        cel_unlock(&list_lock);
        atomic_store_explicit(&ds->behind, b, memory_order_release);
    }
    cel_unlock(ds->lock);
    *out = b;
    return b ? CEL_OK : NC_ENOMEM;
}

static void unlist(const struct cel_behind *b)
{
    struct cel_behind **at = &list;

    cel_lock(&list_lock);
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    cel_unlock(&list_lock);
}

/* --- memory --------------------------------------------------------------------------------- */

/* As much as calls have in flight: see choose_width() of stream.c. */
static bool hold(size_t nbytes, size_t chunk)
{
    size_t most = CEL_WINDOW + 2 * (size_t)cel_pool_size() * chunk;

    if (atomic_fetch_add(&counted_in_all, nbytes) + nbytes <= most)
        return true;
    atomic_fetch_sub(&counted_in_all, nbytes);
    return false;
}

/* By whoever works on the chunk. */
static void hold_only(struct cel_behind_chunk *chunk, size_t nbytes)
{
    if (nbytes >= chunk->counted)
        return;
    atomic_fetch_sub(&counted_in_all, chunk->counted - nbytes);
    chunk->counted = nbytes;
}

/* --- one chunk ------------------------------------------------------------------------------ */

static int encode(struct cel_job *job)
{
    return cel_job_store(job, job->out.data);
}

/* It may be a caller that waits for it: its error is its own. */
static void run(struct cel_task *task)
{
    struct cel_behind_chunk *chunk = (struct cel_behind_chunk *)task;
    struct cel_status before;

    cel_status_save(&before);
    cel_job_run(task);
    cel_status_restore(&before);
    if (!chunk->job.workspace)
        hold_only(chunk, chunk->job.parked ? chunk->job.parked->bytes.len : 0);
}

static void free_chunk(struct cel_behind_chunk *chunk)
{
    hold_only(chunk, 0);
    cel_job_release(&chunk->job);
    free(chunk);
}

/* The stream ends with the chunk, but what it has for calls is never used. */
static int make_chunk(const struct cel_request *req, const size_t *index, struct cel_behind_chunk **out)
{
    struct cel_behind_chunk *chunk = cel_calloc(1, sizeof *chunk);
    struct cel_job *job;
    int rc;

    if (!chunk)
        return NC_ENOMEM;
    job = &chunk->job;
    chunk->stream = (struct cel_stream){
        .req = req, .ds = req->ds, .var = req->var, .array = req->array, .width = 2, .stores_later = true};
    cel_task_group_open(&chunk->stream.tasks, true);
    job->stream = &chunk->stream;
    job->task.run = run;
    job->work = encode;
    job->output = CEL_OUTPUT_CHUNK;
    memcpy(job->index, index, (size_t)req->rank * sizeof *index);
    rc = cel_job_gather_whole(job, (void **)&job->out.data);
    chunk->stream.req = NULL;
    if (rc != CEL_OK) {
        cel_job_release(job);
        free(chunk);
        return rc;
    }
    cel_job_set_state(job, CEL_JOB_WORKING);
    *out = chunk;
    return CEL_OK;
}

/* --- storing, with the queue's lock ------------------------------------------------------------ */

static int store(struct cel_behind_chunk *chunk)
{
    struct cel_dataset *ds = chunk->stream.ds;
    int rc = cel_flush_deferred(ds);

    if (rc != CEL_OK)
        return rc;
    cel_task_group_adopt(&chunk->stream.tasks);
    if (ds->ops->chunk_io_begin)
        ds->ops->chunk_io_begin(ds);
    rc = cel_job_place(&chunk->job);
    if (ds->ops->chunk_io_begin)
        ds->ops->chunk_io_end(ds);
    return rc;
}

static void take_out(struct cel_behind *b, struct cel_behind_chunk **at)
{
    struct cel_behind_chunk *chunk = *at;

    *at = chunk->next;
    if (!chunk->next)
        b->end = at;
    b->n--;
    b->nfailed -= chunk->failed;
    free_chunk(chunk);
}

static void note_failure(struct cel_behind *b, struct cel_behind_chunk *chunk, int rc)
{
    cel_job_fail(&chunk->job, rc);
    cel_fail_in_var(rc, chunk->stream.var);
    cel_status_save(&chunk->job.why);
    chunk->job.why.code = rc;
    b->nfailed += !chunk->failed;
    chunk->failed = true;
}

/* The chunk leaves the queue, or has failed. Its error is for others to tell. */
static bool try_to_store(struct cel_behind *b, struct cel_behind_chunk **at)
{
    struct cel_behind_chunk *chunk = *at;
    struct cel_status before;
    int rc;

    cel_task_group_adopt(&b->tasks);
    cel_task_group_finish(&b->tasks, &chunk->job.task);
    cel_status_save(&before);
    if (chunk->job.rc != CEL_OK)
        cel_status_restore(&chunk->job.why);
    rc = chunk->job.rc == CEL_OK ? store(chunk) : chunk->job.rc;
    if (rc == CEL_OK)
        take_out(b, at);
    else
        note_failure(b, chunk, rc);
    cel_status_restore(&before);
    return rc == CEL_OK;
}

/* The first that has not failed; NULL: none. */
static struct cel_behind_chunk **first_waiting(struct cel_behind *b)
{
    struct cel_behind_chunk **at = &b->first;

    while (*at && (*at)->failed)
        at = &(*at)->next;
    return *at ? at : NULL;
}

static void store_waiting(struct cel_behind *b)
{
    struct cel_behind_chunk **at;
    bool any = b->n > b->nfailed;

    while ((at = first_waiting(b)) != NULL)
        try_to_store(b, at);
    if (any)
        cel_workspace_trim();
}

/* --- failures, with the queue's lock --------------------------------------------------------------- */

static int tell(struct cel_behind_chunk *chunk)
{
    chunk->told = true;
    cel_status_restore(&chunk->job.why);
    return cel_fail_in(chunk->job.why.code, "what was put before is not stored");
}

static int tell_failed(struct cel_behind *b)
{
    for (struct cel_behind_chunk *chunk = b->first; b->nfailed && chunk; chunk = chunk->next)
        if (chunk->failed && !chunk->told)
            return tell(chunk);
    return CEL_OK;
}

static bool touches(const struct cel_request *req, const struct cel_behind_chunk *chunk)
{
    if (req->var != chunk->stream.var)
        return false;
    for (int d = 0; d < req->rank; d++) {
        size_t length = req->var->layout.chunk[d], last = req->start[d] + (req->count[d] - 1) * req->stride[d];

        if (chunk->job.index[d] < req->start[d] / length || chunk->job.index[d] > last / length)
            return false;
    }
    return true;
}

static bool covers(const struct cel_request *req, const struct cel_behind_chunk *chunk)
{
    for (int d = 0; d < req->rank; d++)
        if (req->stride[d] != 1)
            return false;
    return req->writing && cel_grid_cover(req, chunk->job.index) == CEL_COVER_WHOLE;
}

/* Those that a request is to change or to read are stored before it, or of no use after it. */
static int settle_failed(struct cel_behind *b, const struct cel_request *req)
{
    struct cel_behind_chunk **at = &b->first;

    while (b->nfailed && *at) {
        if (!(*at)->failed || !touches(req, *at))
            at = &(*at)->next;
        else if (covers(req, *at))
            take_out(b, at);
        else if (!try_to_store(b, at))
            return tell(*at);
    }
    return CEL_OK;
}

/* --- putting ----------------------------------------------------------------------------------------- */

/* Is it worth it, and may it be done beside the program? Plugins run under a lock, and may do as they like. */
static bool may_go_behind(const struct cel_request *req)
{
    const struct cel_var *var = req->var;
    bool good = var->chain.n && !var->layout.unchunked && !req->array->has_codec && !req->ds->par && !var->watch_loss &&
                req->array->nbytes >= cel_small_work / 16 && cel_pool_size() > 1;

    for (size_t i = 0; good && i < var->chain.n; i++)
        good = !(var->chain.step[i].codec->flags & CEL_CODEC_OUTSIDE);
    return good;
}

/* Those before it are stored until there is room for so many chunks. CEL_SKIP: there is none. */
static int make_room(struct cel_behind *b, const struct cel_request *req, size_t n)
{
    size_t nbytes = req->array->nbytes, most = 2 * (size_t)cel_pool_size();

    while (b->n + n > most || !hold(2 * n * nbytes, nbytes)) {
        struct cel_behind_chunk **at = first_waiting(b);

        if (!at)
            return CEL_SKIP;
        try_to_store(b, at);
    }
    return CEL_OK;
}

static int begin_put(struct cel_behind *b, const struct cel_request *req, size_t n)
{
    int rc;

    cel_lock(&b->lock);
    rc = settle_failed(b, req);
    if (rc == CEL_OK)
        rc = make_room(b, req, n);
    if (rc == CEL_OK && (rc = tell_failed(b)) != CEL_OK)
        atomic_fetch_sub(&counted_in_all, 2 * n * req->array->nbytes);
    cel_unlock(&b->lock);
    return rc;
}

static void push(struct cel_behind *b, struct cel_behind_chunk *chunk)
{
    cel_lock(&b->lock);
    *b->end = chunk;
    b->end = &chunk->next;
    b->n++;
    cel_task_group_adopt(&b->tasks);
    cel_task_group_push(&b->tasks, &chunk->job.task, false);
    cel_unlock(&b->lock);
}

static int put_chunk(struct cel_behind *b, const struct cel_request *req, const size_t *index, size_t *nrange)
{
    struct cel_cached_chunk *old = cel_cache_find(req->array, index);
    struct cel_behind_chunk *chunk;
    int rc = make_chunk(req, index, &chunk);

    if (rc != CEL_OK)
        return rc;
    if (old)
        cel_cache_drop(req->array, old);
    chunk->counted = 2 * req->array->nbytes;
    *nrange += chunk->job.nrange;
    cel_quantize_error_join(&req->array->worst, &chunk->job.worst);
    push(b, chunk);
    return CEL_OK;
}

int cel_behind_put(const struct cel_request *req)
{
    struct cel_behind *b;
    struct cel_walk walk;
    size_t left, nrange = 0;
    int rc;

    if (!may_go_behind(req))
        return CEL_SKIP;
    cel_walk_begin(&walk, req);
    if (walk.npartial || walk.total > CHUNKS_MAX || walk.total > (size_t)cel_pool_size())
        return CEL_SKIP;
    rc = get_behind(req->ds, &b);
    if (rc == CEL_OK)
        rc = begin_put(b, req, walk.total);
    if (rc != CEL_OK)
        return rc;
    for (left = walk.total; rc == CEL_OK && walk.chunks.more; left -= rc == CEL_OK, cel_chunk_walk_next(&walk.chunks))
        rc = put_chunk(b, req, walk.chunks.index, &nrange);
    atomic_fetch_sub(&counted_in_all, 2 * left * req->array->nbytes);
    return rc == CEL_OK && nrange ? NC_ERANGE : rc;
}

/* --- for other calls ------------------------------------------------------------------------------------ */

/* Does this put change only chunks that are in the cache, or come into it beside them? Then nothing is stored. */
static bool stays_in_cache(const struct cel_request *req)
{
    struct cel_array *array = req->array;
    struct cel_walk walk;
    size_t fresh = 0;

    if (req->var->layout.unchunked || array->has_codec)
        return false;
    cel_walk_begin(&walk, req);
    if (walk.npartial < walk.total || walk.total > CACHED_MAX)
        return false;
    for (; walk.chunks.more; cel_chunk_walk_next(&walk.chunks))
        fresh += !cel_cache_find(array, walk.chunks.index);
    return !fresh || array->cache.n + fresh <= array->cache.budget / array->nbytes;
}

/* What is read comes after what it may be in, and what is stored after all. A time step beside fields is neither. */
static bool is_concerned(const struct cel_behind *b, const struct cel_request *req)
{
    for (const struct cel_behind_chunk *chunk = b->first; chunk; chunk = chunk->next)
        if (chunk->stream.var == req->var)
            return true;
    return req->writing && b->first && !stays_in_cache(req);
}

int cel_behind_settle(const struct cel_request *req)
{
    struct cel_behind *b = behind_of(req->ds);
    int rc = CEL_OK;

    if (!b)
        return CEL_OK;
    cel_lock(&b->lock);
    if (is_concerned(b, req))
        store_waiting(b);
    if (!req->var->layout.unchunked)
        rc = settle_failed(b, req);
    if (rc == CEL_OK && req->writing)
        rc = tell_failed(b);
    cel_unlock(&b->lock);
    return rc;
}

void cel_array_store_puts(struct cel_dataset *ds)
{
    struct cel_behind *b = behind_of(ds);

    if (!b)
        return;
    cel_lock(&b->lock);
    store_waiting(b);
    cel_unlock(&b->lock);
}

int cel_behind_flush(struct cel_dataset *ds)
{
    struct cel_behind *b = behind_of(ds);
    struct cel_behind_chunk **at;
    int rc = CEL_OK;

    if (!b)
        return CEL_OK;
    cel_lock(&b->lock);
    for (at = &b->first; *at;)
        if (!try_to_store(b, at)) {
            (*at)->told = true; /* by this call */
            at = &(*at)->next;
        }
    cel_workspace_trim();
    if (b->nfailed)
        rc = tell(b->first);
    cel_unlock(&b->lock);
    return rc;
}

void cel_behind_hold(struct cel_dataset *ds)
{
    struct cel_behind *b = behind_of(ds);

    if (b)
        cel_lock(&b->lock);
}

void cel_behind_release(struct cel_dataset *ds)
{
    struct cel_behind *b = behind_of(ds);

    if (b)
        cel_unlock(&b->lock);
}

void cel_array_forget_puts(struct cel_dataset *ds)
{
    struct cel_behind *b = behind_of(ds);

    if (!b)
        return;
    cel_task_group_adopt(&b->tasks);
    cel_task_group_cancel(&b->tasks);
    while (b->first) {
        cel_task_group_finish(&b->tasks, &b->first->job.task);
        take_out(b, &b->first);
    }
    unlist(b);
    cel_mutex_dispose(&b->lock);
    free(b);
    atomic_store(&ds->behind, NULL);
}

/* --- fork ----------------------------------------------------------------------------------------------- */

/* What a child has of a queue it must not store, and its parent may end: so it is stored before. What a thread is in is lost
 * to the child anyway. */
static void store_all(void)
{
    cel_lock(&list_lock);
    for (struct cel_behind *b = list; b; b = b->next)
        if (cel_try_lock(&b->lock)) {
            store_waiting(b);
            cel_unlock(&b->lock);
        }
    cel_unlock(&list_lock);
}

__attribute__((constructor)) static void register_fork(void)
{
    cel_fork_before(store_all);
}
