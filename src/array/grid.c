/* The chunk grid: which chunks a request touches, how much of each, and where
 * its elements lie in both memories. Chunk (0,0,..) starts at element (0,0,..);
 * edge chunks are as large as all others. */
#include "array_int.h"
#include <assert.h>
#include <string.h>

static size_t region_end(const struct cel_request *req, int d)
{
    return req->start[d] + (req->count[d] - 1) * req->stride[d] + 1;
}

/* Elements of the request that lie before element `at` of dimension d. */
static size_t count_before(const struct cel_request *req, int d, size_t at)
{
    size_t n = at <= req->start[d] ? 0 : (at - req->start[d] - 1) / req->stride[d] + 1;

    return n < req->count[d] ? n : req->count[d];
}

static size_t chunk_end(const struct cel_request *req, int d, size_t index)
{
    size_t begin = index * req->var->chunk[d];

    return req->var->chunk[d] > SIZE_MAX - begin ? SIZE_MAX : begin + req->var->chunk[d];
}

/* How one dimension of a chunk is covered. */
static enum cel_cover cover_dim(const struct cel_request *req, int d, size_t index)
{
    size_t begin = index * req->var->chunk[d], end = chunk_end(req, d, index);
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
        if (index[d] * req->var->chunk[d] >= req->before[d])
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
        size_t begin = index[d] * req->var->chunk[d];
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

void *cel_grid_in_place(const struct cel_request *req, const size_t *index)
{
    struct cel_box box;

    if (!req->transfer.same)
        return NULL;
    cel_grid_box(req, index, req->data, &box);
    return cel_box_run(&box, &req->transfer) == req->array->nbytes / req->array->elem ? box.user_at : NULL;
}

/* Chunks of dimension d that have an element: long strides pass some over. */
static size_t touched_in(const struct cel_walk *walk, int d)
{
    size_t n = walk->last[d] - walk->first[d] + 1;

    return n < walk->req->count[d] ? n : walk->req->count[d];
}

/* Of these, chunks that are covered whole; without strides only the first and
 * the last may not be. */
static size_t whole_in(const struct cel_walk *walk, int d)
{
    const struct cel_request *req = walk->req;
    size_t n = touched_in(walk, d);

    if (req->stride[d] > 1 && req->count[d] > 1 && req->var->chunk[d] > 1)
        return 0;
    if (n == 1)
        return cover_dim(req, d, walk->first[d]) == CEL_COVER_WHOLE;
    return n - (cover_dim(req, d, walk->first[d]) != CEL_COVER_WHOLE) -
           (cover_dim(req, d, walk->last[d]) != CEL_COVER_WHOLE);
}

void cel_walk_begin(struct cel_walk *walk, const struct cel_request *req)
{
    size_t whole = 1;

    walk->req = req;
    walk->total = req->n ? 1 : 0;
    walk->more = req->n > 0;
    for (int d = 0; walk->more && d < req->rank; d++) {
        walk->first[d] = walk->index[d] = req->start[d] / req->var->chunk[d];
        walk->last[d] = (region_end(req, d) - 1) / req->var->chunk[d];
        walk->total *= touched_in(walk, d);
        whole *= whole_in(walk, d);
    }
    walk->npartial = walk->more ? walk->total - whole : 0;
}

/* The next chunk of dimension d that has an element of the request, after `index`. */
static size_t next_in(const struct cel_request *req, int d, size_t index)
{
    size_t k = count_before(req, d, chunk_end(req, d, index));

    assert(k < req->count[d]);
    return (req->start[d] + k * req->stride[d]) / req->var->chunk[d];
}

void cel_walk_next(struct cel_walk *walk)
{
    int d;

    for (d = walk->req->rank - 1; d >= 0; d--) {
        if (walk->index[d] < walk->last[d]) {
            walk->index[d] = next_in(walk->req, d, walk->index[d]);
            break;
        }
        walk->index[d] = walk->first[d];
    }
    walk->more = d >= 0;
}
