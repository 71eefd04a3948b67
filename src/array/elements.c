/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements whose stored form is not that of memory: text, lists, half floats, single values. The container converts a
 * decoded chunk's bytes to elements and back (elements_decode, elements_encode in container.h). Otherwise these chunks are like
 * others: each is a job, in the stream's order. A chunk that is put in part is read, changed and written immediately; such
 * chunks do not enter the cache.
 *
 * Ownership of the memory behind strings and lists:
 *   get  the chunk's elements own it; requested elements pass it to the caller, the others are reclaimed
 *   put  the caller's elements own it, also while they lie in the chunk to be encoded */
#include "array_int.h"
#include <assert.h>
#include <string.h>

/* --- elements that own memory, one by one --------------------------------------------- */

/* The same element in the caller's memory and in the chunk. */
typedef int pair_fn(const struct cel_var *var, char *user, char *chunk);

static int each_pair(const struct cel_var *var, const struct cel_box *box, pair_fn *act)
{
    size_t at[CEL_RANK_MAX] = {0};
    char *user = box->user_at, *chunk = box->chunk_at;
    int d, rc;

    do {
        rc = act(var, user, chunk);
        for (d = box->rank - 1; d >= 0; d--) {
            user += box->user[d];
            chunk += box->chunk[d];
            if (++at[d] < box->n[d])
                break;
            user -= box->user[d] * (ptrdiff_t)box->n[d];
            chunk -= box->chunk[d] * (ptrdiff_t)box->n[d];
            at[d] = 0;
        }
    } while (rc == CEL_OK && d >= 0);
    return rc;
}

/* The caller's memory alone: there is no chunk. */
static int each_user(const struct cel_var *var, struct cel_box *box, pair_fn *act)
{
    box->chunk_at = box->user_at;
    memset(box->chunk, 0, sizeof box->chunk);
    return each_pair(var, box, act);
}

static int each_of_request(const struct cel_request *req, pair_fn *act)
{
    struct cel_box box = {.rank = req->rank, .user_at = req->data};

    memcpy(box.n, req->count, (size_t)req->rank * sizeof *box.n);
    memcpy(box.user, req->step, (size_t)req->rank * sizeof *box.user);
    return each_user(req->var, &box, act);
}

static int clear_user(const struct cel_var *var, char *user, char *chunk)
{
    (void)chunk;
    memset(user, 0, var->type->size);
    return CEL_OK;
}

static int reclaim_user(const struct cel_var *var, char *user, char *chunk)
{
    (void)chunk;
    cel_value_reclaim(var->type, user, 1);
    return CEL_OK;
}

/* Text and lists have a fill value even where filling is off: nothing else says that there is none. */
static int fill_user(const struct cel_var *var, char *user, char *chunk)
{
    const void *fill = cel_var_fill_value(var);

    (void)chunk;
    return fill ? cel_value_copy(var->type, fill, 1, user) : CEL_OK;
}

static int give_to_user(const struct cel_var *var, char *user, char *chunk)
{
    memcpy(user, chunk, var->type->size);
    memset(chunk, 0, var->type->size);
    return CEL_OK;
}

static int borrow_from_user(const struct cel_var *var, char *user, char *chunk)
{
    cel_value_reclaim(var->type, chunk, 1);
    memcpy(chunk, user, var->type->size);
    return CEL_OK;
}

static int return_to_user(const struct cel_var *var, char *user, char *chunk)
{
    (void)user;
    memset(chunk, 0, var->type->size);
    return CEL_OK;
}

/* --- the elements of a chunk -------------------------------------------------------------- */

static size_t count_elements(const struct cel_job *job)
{
    return job->stream->array->nbytes / job->stream->array->elem;
}

/* All zero. */
static int make_elements(struct cel_job *job, void **out)
{
    size_t nbytes = job->stream->array->nbytes;
    int rc = cel_job_buffer(job, nbytes, out);

    if (rc == CEL_OK)
        memset(*out, 0, nbytes);
    return rc;
}

static void end_elements(const struct cel_job *job, void *element)
{
    if (element && job->stream->req->transfer.deep)
        cel_value_reclaim(job->stream->var->type, element, count_elements(job));
}

/* CEL_ABSENT: there is no such chunk. *out: elements to be ended, also after a failure; NULL: none. */
static int load_elements(struct cel_job *job, void **out)
{
    const struct cel_stream *s = job->stream;
    const struct cel_container_ops *ops = s->ds->ops;
    int rc = cel_job_load_raw(job);

    *out = NULL;
    if (rc == CEL_OK)
        rc = ops->elements_check(s->var, &job->workspace->raw);
    if (rc == CEL_OK)
        rc = make_elements(job, out);
    return rc == CEL_OK ? ops->elements_decode(s->var, &job->workspace->raw, *out) : rc;
}

static int fill_elements(struct cel_job *job, char *element)
{
    const struct cel_stream *s = job->stream;
    int rc = CEL_OK;

    if (!s->req->transfer.deep) {
        cel_fill_chunk(&s->req->transfer, element, count_elements(job));
        return CEL_OK;
    }
    for (size_t i = 0; rc == CEL_OK && i < count_elements(job); i++)
        rc = fill_user(s->var, element + i * s->array->elem, NULL);
    return rc;
}

static int store_elements(struct cel_job *job, const void *element)
{
    const struct cel_stream *s = job->stream;
    struct cel_buf *raw = &job->workspace->raw;
    int rc;

    raw->len = 0;
    raw->max = CEL_RAW_MAX;
    rc = s->ds->ops->elements_encode(s->var, element, raw);
    return rc == CEL_OK ? cel_job_store_raw(job) : rc;
}

/* --- jobs -------------------------------------------------------------------------------------- */

static int give_elements(struct cel_job *job, void *element)
{
    const struct cel_request *req = job->stream->req;
    struct cel_box box;

    if (!req->transfer.deep) {
        cel_job_scatter(job, element);
        return CEL_OK;
    }
    cel_grid_box(req, job->index, element, &box);
    return element ? each_pair(req->var, &box, give_to_user) : each_user(req->var, &box, fill_user);
}

static int get_elements(struct cel_job *job)
{
    void *element = NULL;
    int rc = job->input == CEL_INPUT_STORED ? load_elements(job, &element) : CEL_ABSENT;

    if (rc == CEL_ABSENT) {
        job->input = CEL_INPUT_FILL;
        return give_elements(job, NULL);
    }
    if (rc == CEL_OK)
        rc = give_elements(job, element);
    end_elements(job, element);
    return rc;
}

int cel_elements_check(struct cel_job *job)
{
    void *element;
    int rc = load_elements(job, &element);

    end_elements(job, element);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

/* What the chunk holds before the request changes it. */
static int start_elements(struct cel_job *job, void **out)
{
    int rc = job->input == CEL_INPUT_STORED ? load_elements(job, out) : CEL_ABSENT;

    if (rc != CEL_ABSENT)
        return rc;
    rc = make_elements(job, out);
    return rc == CEL_OK && job->input != CEL_INPUT_NONE ? fill_elements(job, *out) : rc;
}

static int change_and_store(struct cel_job *job, void *element)
{
    const struct cel_request *req = job->stream->req;
    struct cel_box box;
    int rc;

    if (!req->transfer.deep) {
        cel_job_gather(job, element);
        return store_elements(job, element);
    }
    cel_grid_box(req, job->index, element, &box);
    each_pair(req->var, &box, borrow_from_user);
    rc = store_elements(job, element);
    each_pair(req->var, &box, return_to_user);
    return rc;
}

static int put_elements(struct cel_job *job)
{
    void *element = NULL;
    int rc = start_elements(job, &element);

    if (rc == CEL_OK)
        rc = change_and_store(job, element);
    end_elements(job, element);
    return rc;
}

static int send_chunk(struct cel_stream *stream, const size_t *index)
{
    const struct cel_request *req = stream->req;
    struct cel_job *job = cel_stream_next(stream, index);
    int rc = CEL_OK;

    job->work = req->writing ? put_elements : get_elements;
    job->output = req->writing ? CEL_OUTPUT_CHUNK : CEL_OUTPUT_NONE;
    if (!req->writing || cel_grid_cover(req, index) == CEL_COVER_PART)
        rc = cel_job_find(job);
    else
        job->input = cel_grid_is_padded(req, index) ? CEL_INPUT_FILL : CEL_INPUT_NONE;
    if (rc == CEL_OK)
        cel_stream_send(job);
    return rc;
}

/* After a failure the caller owns nothing of what was read. */
int cel_elements_move(const struct cel_request *req)
{
    bool gives = !req->writing && req->transfer.deep;
    int rc;

    assert(req->array->has_codec && !req->transfer.swap && !req->transfer.deep_holes);
    if (gives)
        each_of_request(req, clear_user);
    rc = cel_stream_chunks(req, send_chunk);
    if (gives && rc != CEL_OK)
        each_of_request(req, reclaim_user);
    return rc;
}
