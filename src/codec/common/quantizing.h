/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_QUANTIZING_H
#define CEL_QUANTIZING_H

/* What the codecs bitgroom, granular and bitround share: their parameters, and a run of convert/'s
 * quantizers over a chunk. The chunk keeps its length; decoding is copying.
 *
 *   word 0     digits (bits for BitRound)
 *   word 1     bytes of an element, 4 or 8
 *   word 2     1: words 3 and 4 hold the fill value
 *   word 3, 4  its bits, low word first
 *
 * The user gives the first; prepare() adds the others. */

#include "codec.h"
#include "quantize.h"

enum { CEL_QUANTIZING_WORDS = 5 };

int cel_quantizing_prepare(const struct cel_codec *codec, const struct cel_words *visible,
                           const struct cel_shape *shape, struct cel_words *working);
void cel_quantizing_reveal(const struct cel_words *working, struct cel_words *visible);
int cel_quantizing_context(const struct cel_words *working, int mode, enum cel_ties ties, void **context);
void cel_quantizing_free_context(void *context);
int cel_quantizing_encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap,
                          size_t *len);
int cel_quantizing_decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap,
                          size_t *len);

/* The parameter of the two that count decimal digits. */
extern const struct cel_param cel_quantizing_digits[];

/* The members of their tables that are the same. */
#define CEL_QUANTIZING_MEMBERS \
    .flags = CEL_CODEC_SAME_SIZE | CEL_CODEC_LOSSY | CEL_CODEC_NEEDS_ELEMENTS, .max_words = CEL_QUANTIZING_WORDS, \
    .max_ratio = 1, .prepare = cel_quantizing_prepare, .reveal = cel_quantizing_reveal, \
    .encode = cel_quantizing_encode, .decode = cel_quantizing_decode, .make_context = make_context, \
    .free_context = cel_quantizing_free_context

#endif
