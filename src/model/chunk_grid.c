/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks over the grid of chunks. */
#include "chunk_grid.h"
#include <assert.h>

size_t cel_chunk_end(size_t chunk, size_t index)
{
    size_t begin = index * chunk;

    return chunk > SIZE_MAX - begin ? SIZE_MAX : begin + chunk;
}

size_t cel_chunk_count_before(size_t start, size_t count, size_t stride, size_t at)
{
    size_t n = at <= start ? 0 : (at - start - 1) / stride + 1;

    return n < count ? n : count;
}

bool cel_chunk_wrap(int rank, const size_t *n, size_t *index)
{
    int d, outside = rank;

    for (d = rank - 1; d >= 0; d--) {
        if (n[d] == 0)
            return false;
        if (index[d] >= n[d])
            outside = d;
    }
    if (outside == rank)
        return true;
    for (d = outside; d < rank; d++)
        index[d] = 0;
    for (d = outside - 1; d >= 0; d--) {
        if (++index[d] < n[d])
            return true;
        index[d] = 0;
    }
    return false;
}

static size_t start_of(const struct cel_chunk_walk *walk, int d)
{
    return walk->start ? walk->start[d] : 0;
}

static size_t stride_of(const struct cel_chunk_walk *walk, int d)
{
    return walk->stride ? walk->stride[d] : 1;
}

/* The chunk of dimension d that has the region's n-th element. */
static size_t chunk_of(const struct cel_chunk_walk *walk, int d, size_t n)
{
    return (start_of(walk, d) + n * stride_of(walk, d)) / walk->chunk[d];
}

void cel_chunk_walk_begin(struct cel_chunk_walk *walk, int rank, const size_t *chunk, const size_t *start,
                          const size_t *count, const size_t *stride)
{
    assert(rank <= CEL_RANK_MAX);
    walk->rank = rank;
    walk->chunk = chunk;
    walk->start = start;
    walk->count = count;
    walk->stride = stride;
    walk->more = true;
    for (int d = 0; d < rank; d++) {
        assert(chunk[d] > 0);
        if (count[d] == 0) {
            walk->more = false;
            return;
        }
        walk->first[d] = walk->index[d] = chunk_of(walk, d, 0);
        walk->last[d] = chunk_of(walk, d, count[d] - 1);
    }
}

/* The next chunk of dimension d, after the current one, that has an element of the region. */
static size_t next_in(const struct cel_chunk_walk *walk, int d)
{
    size_t end = cel_chunk_end(walk->chunk[d], walk->index[d]);
    size_t n = cel_chunk_count_before(start_of(walk, d), walk->count[d], stride_of(walk, d), end);

    assert(n < walk->count[d]);
    return chunk_of(walk, d, n);
}

void cel_chunk_walk_next(struct cel_chunk_walk *walk)
{
    int d;

    assert(walk->more);
    for (d = walk->rank - 1; d >= 0; d--) {
        if (walk->index[d] < walk->last[d]) {
            walk->index[d] = next_in(walk, d);
            break;
        }
        walk->index[d] = walk->first[d];
    }
    walk->more = d >= 0;
}
