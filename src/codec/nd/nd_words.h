/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ND_WORDS_H
#define CEL_ND_WORDS_H

/* The parameters of the n-dimensional filters: one visible word, whose meaning differs by filter, and
 * working words, which hold the shape of the chunk.
 *
 *   0  the visible word (edge of a cell; 0 for ndlorenzo)
 *   1  element size
 *   2  rank, 1 to 32
 *   3  kind of the elements (enum cel_kind), + 256 when they are big-endian, + 512 when 4 and 5 are a fill value
 *   4  } fill value of the variable, as its bytes lie in the chunk,
 *   5  } low word first
 *   6  lengths, slowest axis first */

#include "codec.h"
#include "json.h"
#include "nd_cells.h"
#include "status.h"
#include <netcdf.h>

enum {
    CEL_ND_EDGE,
    CEL_ND_ELEM,
    CEL_ND_RANK,
    CEL_ND_KIND,
    CEL_ND_FILL,
    CEL_ND_DIMS = 6,
    CEL_ND_WORDS = 6 + CEL_RANK_MAX
};
enum { CEL_ND_BIG = 256, CEL_ND_HAS_FILL = 512 };

int cel_nd_prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working);
void cel_nd_reveal(const struct cel_words *working, struct cel_words *visible);
int cel_nd_to_json(const struct cel_words *visible, const struct cel_shape *shape, int version,
                   struct cel_json *config);
int cel_nd_from_json(const struct cel_json *config, int version, struct cel_words *visible);
bool cel_nd_shape_of(const struct cel_words *working, struct cel_shape *out);

/* Checks the working words: rank, lengths and element size must make a chunk of exactly n bytes, and cap
 * must be enough for it. Words from a damaged or hostile file are refused here. */
int cel_nd_cells(const struct cel_coding *coding, size_t n, size_t cap, struct cel_cells *out);

/* decode() of the filters that store elements cell by cell: puts them back in the order of the array. */
int cel_nd_decode_cells(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len);

#endif
