/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CHECKSUM_H
#define CEL_CHECKSUM_H

/* What the codecs share that add a checksum of 32 bits to a chunk (fletcher32, crc32c, crc32, adler32,
 * jenkins_lookup3): four bytes, the low one first, behind the data or before it. */

#include "codec.h"

/* In what they differ: the `variant` of their tables. */
struct cel_checksum {
    uint32_t (*sum)(const struct cel_coding *coding, const void *data, size_t n);
    uint32_t (*accepted)(uint32_t sum);                   /* another value that reading accepts; NULL: none */
    bool (*comes_first)(const struct cel_coding *coding); /* whether it lies before the data; NULL: never */
};

size_t cel_checksum_bound(const struct cel_coding *coding, size_t n);
int cel_checksum_encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len);
int cel_checksum_decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len);

/* The members of their tables that are the same. */
#define CEL_CHECKSUM_MEMBERS \
    .flags = CEL_CODEC_CHECKSUM, .max_ratio = 1, .bound = cel_checksum_bound, .encode = cel_checksum_encode, \
    .decode = cel_checksum_decode

#endif
