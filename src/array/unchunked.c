/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables that do not go by chunks: the container moves slices of packed
 * elements, at most CEL_SLICE at a time and only from the calling thread; values
 * are converted by any thread. Slices that need no conversion go directly between the
 * container and the caller's memory. Elements with strings or vlens in them move
 * as they are: what they point to belongs to whom netCDF says. Only where vlens hold
 * compounds with holes is it copied first: the caller's memory must not leak into files. */
#include "array_int.h"
#include "trace.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How a request is cut: dimensions after `cut` stay whole, `cut` goes by `rows`,
 * those before it one index at a time. */
struct slicing {
    const struct cel_request *req;
    int cut;
    size_t rows, nslices, nbytes;
    size_t at[CEL_RANK_MAX]; /* of the current slice, in the request */
    bool more;
};

static void slice_begin(struct slicing *s, const struct cel_request *req)
{
    size_t size = req->transfer.size_in_chunk, capacity;

    memset(s, 0, sizeof *s);
    s->req = req;
    s->more = true;
    s->rows = s->nslices = 1;
    s->cut = req->rank - 1;
    while (s->cut > 0 && req->count[s->cut] <= CEL_SLICE / size)
        size *= req->count[s->cut--];
    s->nbytes = size;
    if (s->cut < 0)
        return;
    capacity = CEL_SLICE / size;
    s->rows = capacity < 1 ? 1 : capacity < req->count[s->cut] ? capacity : req->count[s->cut];
    s->nbytes = size * s->rows;
    assert(s->nbytes <= CEL_SLICE || (s->rows == 1 && size > CEL_SLICE)); /* the HDF5 lock is not held for longer */
    s->nslices = (req->count[s->cut] - 1) / s->rows + 1;
    for (int d = 0; d < s->cut; d++)
        s->nslices *= req->count[d];
}

static void slice_next(struct slicing *s)
{
    int d = s->cut;

    if (d >= 0) {
        s->at[d] += s->rows;
        for (; s->at[d] >= s->req->count[d] && d > 0; d--) {
            s->at[d] = 0;
            s->at[d - 1]++;
        }
    }
    s->more = d >= 0 && s->at[d] < s->req->count[d];
}

/* One slice: where it starts in the variable, its lengths, and its box. */
struct slice {
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX], n;
    struct cel_box box;
};

static void slice_take(const struct cel_request *req, const struct slicing *s, const size_t *at, void *packed,
                       struct slice *out)
{
    struct cel_box *box = &out->box;

    out->n = 1;
    *box = (struct cel_box){.rank = req->rank, .user_at = req->data, .chunk_at = packed};
    for (int d = req->rank - 1; d >= 0; d--) {
        size_t left = req->count[d] - at[d];

        out->start[d] = req->start[d] + at[d] * req->stride[d];
        out->count[d] = box->n[d] = d < s->cut ? 1 : d > s->cut || left < s->rows ? left : s->rows;
        box->user[d] = req->step[d];
        box->chunk[d] = (ptrdiff_t)(out->n * req->transfer.size_in_chunk);
        box->nth[d] = req->nth[d];
        box->user_at += (ptrdiff_t)at[d] * req->step[d];
        box->nth_at += at[d] * req->nth[d];
        out->n *= out->count[d];
    }
}

static const ptrdiff_t *strides_of(const struct cel_request *req, ptrdiff_t *storage)
{
    bool all_one = true;

    for (int d = 0; d < req->rank; d++) {
        storage[d] = (ptrdiff_t)req->stride[d];
        all_one = all_one && storage[d] == 1;
    }
    return all_one ? NULL : storage;
}

static int move(const struct cel_request *req, const size_t *start, const size_t *count, void *data)
{
    ptrdiff_t storage[CEL_RANK_MAX];
    const ptrdiff_t *stride = strides_of(req, storage);

    CEL_TRACE(req->writing ? CEL_TRACE_WRITE : CEL_TRACE_READ, .variable = req->var->name);
    return req->writing ? req->ds->ops->unchunked_put(req->ds, req->var, start, count, stride, data)
                        : req->ds->ops->unchunked_get(req->ds, req->var, start, count, stride, data);
}

/* Nothing to convert. */
static int move_directly(const struct cel_request *req)
{
    struct slicing s;
    int rc = CEL_OK;

    if (req->ds->ops->takes_any_size)
        return move(req, req->start, req->count, req->data);
    for (slice_begin(&s, req); rc == CEL_OK && s.more; slice_next(&s)) {
        struct slice slice;

        slice_take(req, &s, s.at, NULL, &slice);
        rc = move(req, slice.start, slice.count, slice.box.user_at);
    }
    return rc;
}

int cel_unchunked_check(const struct cel_request *req)
{
    struct slicing s;
    void *values;
    int rc = CEL_OK;

    slice_begin(&s, req);
    values = cel_malloc(s.nbytes);
    if (!values)
        return NC_ENOMEM;
    for (; rc == CEL_OK && s.more; slice_next(&s)) {
        struct slice slice;

        slice_take(req, &s, s.at, values, &slice);
        rc = move(req, slice.start, slice.count, values);
        if (rc == CEL_OK && req->transfer.deep)
            cel_value_reclaim(req->var->type, values, slice.n);
    }
    free(values);
    return rc;
}

/* --- converting: one job a slice ------------------------------------ */

static void slice_of_job(const struct cel_job *job, struct slice *out)
{
    const struct cel_request *req = job->stream->req;
    struct slicing s;

    slice_begin(&s, req);
    slice_take(req, &s, job->index, job->workspace->decoded.data, out);
}

static int gather_slice(struct cel_job *job)
{
    struct cel_transfer transfer = job->stream->req->transfer;
    struct slice slice;

    transfer.worst = &job->worst;
    CEL_TRACE(CEL_TRACE_GATHER, .name = cel_trace_of_transfer(&transfer));
    slice_of_job(job, &slice);
    job->nrange = cel_gather(&transfer, &slice.box);
    return CEL_OK;
}

/* By a copy with all it points to, whose holes are zero. */
static int put_copied(const struct cel_request *req, const struct slice *slice)
{
    const struct cel_type *type = req->var->type;
    void *copy = cel_malloc_array(slice->n, type->size);
    int rc = copy ? cel_value_copy(type, slice->box.chunk_at, slice->n, copy) : NC_ENOMEM;

    if (rc == CEL_OK) {
        rc = move(req, slice->start, slice->count, copy);
        cel_value_reclaim(type, copy, slice->n);
    }
    free(copy);
    return rc;
}

static int move_slice(struct cel_job *job)
{
    const struct cel_request *req = job->stream->req;
    struct slice slice;

    slice_of_job(job, &slice);
    return req->transfer.deep_holes ? put_copied(req, &slice) : move(req, slice.start, slice.count, slice.box.chunk_at);
}

static int scatter_slice(struct cel_job *job)
{
    struct slice slice;

    CEL_TRACE(CEL_TRACE_SCATTER, .name = cel_trace_of_transfer(&job->stream->req->transfer));
    slice_of_job(job, &slice);
    job->nrange = cel_scatter(&job->stream->req->transfer, &slice.box);
    return CEL_OK;
}

static int send_slice(struct cel_stream *stream, const struct slicing *s)
{
    struct cel_job *job = cel_stream_next(stream, s->at);
    void *buffer;
    int rc = cel_job_buffer(job, s->nbytes, &buffer);

    job->work = stream->req->writing ? gather_slice : scatter_slice;
    job->in_order = stream->req->writing ? move_slice : NULL;
    if (rc == CEL_OK && !stream->req->writing)
        rc = move_slice(job);
    if (rc == CEL_OK)
        cel_stream_send(job);
    else
        cel_job_release(job);
    return rc;
}

/* --- one value ------------------------------------------------------------------- */

int cel_unchunked_move(const struct cel_request *req)
{
    struct cel_stream stream;
    struct slicing s;
    int rc;

    if (req->transfer.same && req->packed)
        return move_directly(req);
    slice_begin(&s, req);
    rc = cel_stream_open(&stream, req->ds, req->var, req, s.nslices, s.nbytes);
    if (rc != CEL_OK)
        return rc;
    for (; s.more && cel_stream_failed(&stream) == CEL_OK; slice_next(&s))
        cel_stream_note(&stream, send_slice(&stream, &s));
    rc = cel_stream_close(&stream);
    return rc == CEL_OK && stream.nrange ? NC_ERANGE : rc;
}
