/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_B2_ARRAY_H
#define CEL_B2_ARRAY_H

/* Arrays of Blosc2. The layer "b2nd" (older: "caterva") of a frame says what its chunks mean (numbers high byte
 * first):
 *
 *   0x97 | version | rank | 0x90 + rank | 0xd3 length(8) ... | 0x90 + rank | 0xd2 length of a chunk(4) ...
 *        | 0x90 + rank | 0xd2 length of a block(4) ... | 0 | 0xdb length(4) NumPy's name of the type
 *
 * Chunks lie in C order, and in each its blocks, in C order too. Chunks and blocks are always whole: a chunk is
 * as many blocks as cover it, and what lies outside the array is padding. */

#include "b2_chunk.h"

#define CEL_B2_RANK 16
#define CEL_B2_TYPE_MAX 64

struct cel_b2_array {
    int rank;
    size_t elem;
    size_t shape[CEL_B2_RANK], chunk[CEL_B2_RANK], block[CEL_B2_RANK];
    char type[CEL_B2_TYPE_MAX]; /* "" when there is none, or it is longer */
};

int cel_b2_array_read(const unsigned char *layer, size_t n, size_t elem, struct cel_b2_array *out);
/* The layer; gives its length. */
#define CEL_B2_ARRAY_BYTES (16 + CEL_B2_RANK * 19 + CEL_B2_TYPE_MAX)
size_t cel_b2_array_put(const struct cel_b2_array *array, unsigned char *dst);

/* Bytes of a chunk with its padding, and of a block; 0: more than a chunk can have. */
size_t cel_b2_array_chunk_bytes(const struct cel_b2_array *array);
size_t cel_b2_array_block_bytes(const struct cel_b2_array *array);

/* Chooses the shape of a block of at most nbytes, or of one element. */
void cel_b2_array_choose_block(struct cel_b2_array *array, size_t nbytes);

/* Decodes the part start, count of a chunk to dst, in C order; only the blocks that it touches. */
int cel_b2_array_decode(struct cel_b2_work *work, const struct cel_b2_array *array, const unsigned char *src, size_t n,
                        const size_t *start, const size_t *count, unsigned char *dst);

/* The same of a chunk whose bytes are fetched; only those of the blocks. */
struct cel_encoded;
int cel_b2_array_fetch(struct cel_b2_work *work, const struct cel_b2_array *array, const struct cel_encoded *src,
                       const size_t *start, const size_t *count, unsigned char *dst);

/* Brings a chunk from C order into the order of its blocks, padded with zeros, or (repeat) with the last values, so that
 * means of cells are those of values. */
void cel_b2_array_cut(const struct cel_b2_array *array, const unsigned char *src, unsigned char *dst, bool repeat);

#endif
