/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_B2_CHUNK_H
#define CEL_B2_CHUNK_H

/* Chunks of Blosc2, and those of Blosc 1, which have a shorter header (numbers low byte first):
 *
 *   OFFSET  SIZE  MEANING
 *        0     1  version: 2 Blosc 1, 3 to 5 Blosc2, 6 with blocks of different lengths (refused)
 *        1     1  version of the compressor's format
 *        2     1  flags: 1 shuffle, 2 stored, 4 bit shuffle (1 and 4 together: the long header), 8 delta, 16 blocks
 *                 are not split into streams; upper three bits: the compressor
 *        3     1  bytes of an element; 1 where it has more than 255
 *        4     4  bytes of the chunk, decoded
 *        8     4  bytes of a block; the last block may be shorter
 *       12     4  bytes of the chunk, encoded, header included
 *       16     6  filters, first to last
 *       22     1  compressor, where the flags have no number for it
 *       23     1  a parameter of that
 *       24     6  a parameter for each filter
 *       30     1  flags: 1 blocks of different lengths
 *       31     1  flags: 1 dictionary, 2 and 4 reserved, 8 only the beginning is there; 16 to 64: the kind of a
 *                 special chunk
 *
 * Then the offset of each block, 4 bytes each, from the start of the chunk; then the blocks. A block is one
 * stream, or, where it is split, one for each byte of an element. A stream is its length, 4 bytes, and its bytes:
 *
 *   the length of the decoded stream    the bytes as they are
 *   another length above 0              compressed bytes
 *   0                                   only zeros; no bytes follow
 *   -1 to -255                          the byte 1 follows; all decoded bytes are 1 to 255
 *
 * Stored: all blocks follow the header as they are, without filters. Special: nothing follows, or one value. */

#include "rank.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CEL_B2_FILTERS = 6, CEL_B2_HEADER = 32, CEL_B2_HEADER_1 = 16 };
#define CEL_B2_CELLS_RANK 8                          /* most dimensions that ndcell and ndmean take */
#define CEL_B2_CHUNK_MAX (INT32_MAX - CEL_B2_HEADER) /* bytes of a chunk, decoded */

enum cel_b2_filter {
    CEL_B2_NONE = 0,
    CEL_B2_SHUFFLE = 1,
    CEL_B2_BITSHUFFLE = 2,
    CEL_B2_DELTA = 3,
    CEL_B2_TRUNC_PREC = 4,
    CEL_B2_NDCELL = 32,
    CEL_B2_NDMEAN = 33,
    CEL_B2_BYTEDELTA = 35,
    CEL_B2_INT_TRUNC = 36
};
enum cel_b2_compressor { CEL_B2_BLOSCLZ, CEL_B2_LZ4, CEL_B2_LZ4HC, CEL_B2_SNAPPY, CEL_B2_ZLIB, CEL_B2_ZSTD };
enum cel_b2_special { CEL_B2_PLAIN, CEL_B2_ZEROS, CEL_B2_NANS, CEL_B2_VALUE, CEL_B2_UNINIT };

struct cel_b2_header {
    unsigned version;
    size_t size; /* of the header */
    size_t elem, nbytes, block, cbytes;
    size_t nblocks;
    enum cel_b2_compressor compressor;
    enum cel_b2_special special;
    bool stored, split;
    uint8_t filter[CEL_B2_FILTERS], meta[CEL_B2_FILTERS];
};

/* The shape of a block, for NDCELL and NDMEAN; rank 0: not known. */
struct cel_b2_block_shape {
    int rank;
    size_t dims[CEL_RANK_MAX];
    size_t elem;
};

/* What one thread keeps between chunks: buffers and the compressors' own contexts. */
struct cel_b2_work;
struct cel_b2_work *cel_b2_work_make(void);
void cel_b2_work_free(struct cel_b2_work *work);

/* Reads and checks the header of the chunk in the n bytes at src. */
int cel_b2_header_read(const unsigned char *src, size_t n, struct cel_b2_header *out);

/* Decodes blocks first .. first + count - 1 to dst, which has space for them: cel_b2_blocks_bytes(). */
int cel_b2_decode_blocks(struct cel_b2_work *work, const struct cel_b2_header *header, const unsigned char *src,
                         const struct cel_b2_block_shape *shape, size_t first, size_t count, unsigned char *dst);
size_t cel_b2_blocks_bytes(const struct cel_b2_header *header, size_t first, size_t count);

/* How to encode. */
struct cel_b2_options {
    enum cel_b2_compressor compressor;
    unsigned level; /* 0 (stored) to 9 */
    size_t elem, block;
    uint8_t filter[CEL_B2_FILTERS], meta[CEL_B2_FILTERS];
    struct cel_b2_block_shape shape;
};

/* The block size that fits a chunk of n bytes. */
size_t cel_b2_choose_block(const struct cel_b2_options *options, size_t n);

/* Encodes a chunk of n bytes; at most cel_b2_bound(n) are written. */
#define cel_b2_bound(n) ((n) + CEL_B2_HEADER)
int cel_b2_encode(struct cel_b2_work *work, const struct cel_b2_options *options, const unsigned char *src, size_t n,
                  unsigned char *dst, size_t *len);

#endif
