/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CHUNK_GRID_H
#define CEL_CHUNK_GRID_H

/* The chunks that a region of an array touches, in order: the last dimension fastest. Chunk (0,0,...) begins at element
 * (0,0,...); edge chunks are as large as all others. Chunks that a stride passes over are left out.
 *
 *     for (cel_chunk_walk_begin(&walk, ...); walk.more; cel_chunk_walk_next(&walk))
 *         use walk.index */

#include "model.h"

struct cel_chunk_walk {
    int rank;
    const size_t *chunk;                  /* lengths of a chunk */
    const size_t *start, *count, *stride; /* of the region; start NULL: all 0, stride NULL: all 1 */
    size_t first[CEL_RANK_MAX], last[CEL_RANK_MAX];
    size_t index[CEL_RANK_MAX]; /* of the current chunk, while there is one */
    bool more;
};

/* The arrays of `rank` lengths are borrowed. A count of 0: no chunk. */
void cel_chunk_walk_begin(struct cel_chunk_walk *walk, int rank, const size_t *chunk, const size_t *start,
                          const size_t *count, const size_t *stride);
void cel_chunk_walk_next(struct cel_chunk_walk *walk);

/* An index beyond the last of n[] chunks along a dimension stands for the first of the next row: moved there. false: there is
 * none, or no chunk at all. One that is inside stays. */
bool cel_chunk_wrap(int rank, const size_t *n, size_t *index);

/* The element after chunk `index` in a dimension; SIZE_MAX when that is beyond all numbers. */
size_t cel_chunk_end(size_t chunk, size_t index);

/* Of `count` elements, `stride` apart from `start` on: how many lie before element `at`. */
size_t cel_chunk_count_before(size_t start, size_t count, size_t stride, size_t at);

#endif
