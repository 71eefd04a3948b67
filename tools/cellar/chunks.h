/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_CHUNKS_H
#define CELLAR_CHUNKS_H

/* Chunk shapes for two ways of reading an array: Rew's formula, with his rounding, for any weights. */

#include <stdbool.h>
#include <stddef.h>

enum { CHUNKS_RANK = 32 };

/* One way of reading: all of the dimensions that are set, one index of the others. */
struct chunks_access {
    bool whole[CHUNKS_RANK];
    double weight;
};

/* Lengths of a chunk of at most `most` values for an array of shape[rank] (no length is 0). The two ways share no dimension. */
void chunks_shape(int rank, const size_t *shape, size_t most, const struct chunks_access access[2], size_t *out);

/* How many chunks such a read touches, at least. */
double chunks_touched(int rank, const size_t *shape, const size_t *chunk, const struct chunks_access *access);

/* Lengths of shards of whole chunks, of at most `most` values, that hold chunks of every dimension alike; no longer than the
 * array needs. */
void chunks_shards(int rank, const size_t *shape, const size_t *chunk, double most, size_t *out);

#endif
