/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_B2_WORDS_H
#define CEL_B2_WORDS_H

/* The words (cd_values) of the codec blosc2.
 *
 *   0       1
 *   1       bytes of a block; 0: chosen
 *   2, 3    bytes of an element, of a chunk
 *   4       level, 0 to 9
 *   5       last filter: 0 none, 1 shuffle, 2 bitshuffle, 3 delta
 *   6       compressor: 0 blosclz, 1 lz4, 2 lz4hc, 4 zlib, 5 zstd
 *   7       for chunks of 2 to 16 dimensions their number, else not there
 *   8 on    their lengths
 *
 * Those are the registered filter's. The others are our own; other programs pass over them, as all that decoding needs is
 * in the frame:
 *
 *   24-26   all filters in place of word 5: six numbers, then six parameters, of one byte each, low byte first
 *   27 on   lengths of a block; only in the words that container/blosc2 makes, whose chunks have no frame */

#include "b2_array.h"
#include "codec.h"

enum {
    CEL_B2_WORD_REVISION,
    CEL_B2_WORD_BLOCK,
    CEL_B2_WORD_SIZE,
    CEL_B2_WORD_CHUNK,
    CEL_B2_WORD_LEVEL,
    CEL_B2_WORD_FILTER,
    CEL_B2_WORD_COMPRESSOR,
    CEL_B2_WORD_RANK,
    CEL_B2_WORD_DIMS,
    CEL_B2_WORD_FILTERS = CEL_B2_WORD_DIMS + CEL_B2_RANK,
    CEL_B2_WORD_BLOCKS = CEL_B2_WORD_FILTERS + 3,
    CEL_B2_NWORDS = CEL_B2_WORD_BLOCKS + CEL_B2_RANK
};

/* "ndcell:4+shuffle" <-> words 24 to 26; the filters lie in the last of the six places. */
#define CEL_B2_FILTERS_TEXT 160
bool cel_b2_filters_parse(const char *text, size_t len, uint32_t *w);
void cel_b2_filters_print(const uint32_t *w, char text[CEL_B2_FILTERS_TEXT]);
void cel_b2_filters_put(const uint8_t *filter, const uint8_t *meta, uint32_t *w);
bool cel_b2_filters_have(const uint32_t *w, uint8_t id);
bool cel_b2_filters_lose(const uint32_t *w); /* values may come back changed */

/* All are known, and have the parameter they need; they are for elements of this type. */
int cel_b2_filters_check(const uint32_t *w);
int cel_b2_filters_fit(const uint32_t *w, const struct cel_shape *shape);
void cel_b2_filters_get(const uint32_t *w, uint8_t *filter, uint8_t *meta);

#endif
