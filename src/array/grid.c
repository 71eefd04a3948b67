/* SPDX-License-Identifier: BSD-3-Clause */
/* A request on the chunk grid (chunk_grid.h): how much of each chunk it touches, and where
 * its elements lie in both memories. */
#include "array_int.h"
#include <assert.h>
#include <string.h>

/* Elements of the request that lie before element `at` of dimension d. */
static size_t count_before(const struct cel_request *req, int d, size_t at)
{
    return cel_chunk_count_before(req->start[d], req->count[d], req->stride[d], at);
}

static size_t chunk_end(const struct cel_request *req, int d, size_t index)
{
    return cel_chunk_end(req->var->layout.chunk[d], index);
}

/* How one dimension of a chunk is covered. */
static enum cel_cover cover_dim(const struct cel_request *req, int d, size_t index)
{
    size_t begin = index * req->var->layout.chunk[d], end = chunk_end(req, d, index);
    size_t n = count_before(req, d, end) - count_before(req, d, begin);
    size_t stored = end < req->extent[d] ? end : req->extent[d];

    assert(n > 0);
    if (n < stored - begin)
        return CEL_COVER_PART;
    return req->writing && stored < end && req->var->dim[d]->unlimited ? CEL_COVER_EXTENT : CEL_COVER_WHOLE;
}

enum cel_cover cel_grid_cover(const struct cel_request *req, const size_t *index)
{
    enum cel_cover least = CEL_COVER_WHOLE;

    for (int d = 0; d < req->rank; d++) {
        enum cel_cover cover = cover_dim(req, d, index[d]);

        least = cover < least ? cover : least;
    }
    return least;
}

bool cel_grid_is_padded(const struct cel_request *req, const size_t *index)
{
    for (int d = 0; d < req->rank; d++)
        if (chunk_end(req, d, index[d]) > req->extent[d])
            return true;
    return false;
}

bool cel_grid_is_new(const struct cel_request *req, const size_t *index)
{
    for (int d = 0; d < req->rank; d++)
        if (index[d] * req->var->layout.chunk[d] >= req->before[d])
            return true;
    return false;
}

void cel_grid_box(const struct cel_request *req, const size_t *index, void *chunk, struct cel_box *out)
{
    const struct cel_array *array = req->array;
    ptrdiff_t user_at = 0, chunk_at = 0; /* added once, at the end: nothing may be added to a NULL */

    out->rank = req->rank;
    out->nth_at = 0;
    for (int d = 0; d < req->rank; d++) {
        size_t begin = index[d] * req->var->layout.chunk[d];
        size_t first = count_before(req, d, begin);
        size_t inside = req->start[d] + first * req->stride[d] - begin;

        out->n[d] = count_before(req, d, chunk_end(req, d, index[d])) - first;
        out->user[d] = req->step[d];
        out->chunk[d] = (ptrdiff_t)(req->stride[d] * array->step[d]);
        out->nth[d] = req->nth[d];
        user_at += (ptrdiff_t)first * req->step[d];
        chunk_at += (ptrdiff_t)(inside * array->step[d]);
        out->nth_at += first * req->nth[d];
    }
    out->user_at = req->data ? req->data + user_at : NULL;
    out->chunk_at = chunk ? (char *)chunk + chunk_at : NULL;
}

void cel_grid_part(const struct cel_request *req, const size_t *index, struct cel_chunk_part *out)
{
    for (int d = 0; d < req->rank; d++) {
        size_t begin = index[d] * req->var->layout.chunk[d], first = count_before(req, d, begin);
        size_t n = count_before(req, d, chunk_end(req, d, index[d])) - first;

        out->start[d] = req->start[d] + first * req->stride[d] - begin;
        out->count[d] = (n - 1) * req->stride[d] + 1;
    }
}

void cel_grid_part_box(const struct cel_request *req, const size_t *index, const struct cel_chunk_part *part, void *at,
                       struct cel_box *out)
{
    size_t step = req->array->elem;

    cel_grid_box(req, index, NULL, out);
    for (int d = req->rank; d-- > 0; step *= part->count[d])
        out->chunk[d] = (ptrdiff_t)(req->stride[d] * step);
    out->chunk_at = at;
}

void *cel_grid_in_place(const struct cel_request *req, const size_t *index)
{
    struct cel_box box;

    if (!req->transfer.same)
        return NULL;
    cel_grid_box(req, index, req->data, &box);
    return cel_box_run(&box, &req->transfer) == req->array->nbytes / req->array->elem ? box.user_at : NULL;
}

/* Chunks of dimension d that have an element: long strides pass some over. */
static size_t touched_in(const struct cel_chunk_walk *walk, int d)
{
    size_t n = walk->last[d] - walk->first[d] + 1;

    return n < walk->count[d] ? n : walk->count[d];
}

/* Of these, chunks that are covered whole; without strides only the first and
 * the last may not be. */
static size_t whole_in(const struct cel_request *req, const struct cel_chunk_walk *walk, int d)
{
    size_t n = touched_in(walk, d);

    if (req->stride[d] > 1 && req->count[d] > 1 && req->var->layout.chunk[d] > 1)
        return 0;
    if (n == 1)
        return cover_dim(req, d, walk->first[d]) == CEL_COVER_WHOLE;
    return n - (cover_dim(req, d, walk->first[d]) != CEL_COVER_WHOLE) -
           (cover_dim(req, d, walk->last[d]) != CEL_COVER_WHOLE);
}

void cel_walk_begin(struct cel_walk *walk, const struct cel_request *req)
{
    struct cel_chunk_walk *chunks = &walk->chunks;
    size_t whole = 1;

    assert(req->n > 0);
    walk->req = req;
    walk->total = 1;
    cel_chunk_walk_begin(chunks, req->rank, req->var->layout.chunk, req->start, req->count, req->stride);
    for (int d = 0; d < req->rank; d++) {
        walk->total *= touched_in(chunks, d);
        whole *= whole_in(req, chunks, d);
    }
    walk->npartial = walk->total - whole;
}
