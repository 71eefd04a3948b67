/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_DEFLATE_CORE_H
#define CEL_DEFLATE_CORE_H

/* What the codecs deflate (zlib streams) and gzip share: a deflate stream between a header and a
 * checksum. */

#include "codec.h"

extern const struct cel_param cel_deflate_params[];

/* In what the two wrappings differ: the `variant` of their tables. Error texts start with the name. */
struct cel_wrapping {
    const char *name;
    size_t header, trailer; /* bytes, as written */
    void (*put_header)(unsigned char *dst, unsigned level);
    void (*put_trailer)(unsigned char *dst, const void *src, size_t n);
    size_t (*skip_header)(const unsigned char *src, size_t n); /* its bytes; 0: no such header */
};

int cel_deflate_make_context(const struct cel_words *working, void **context);
void cel_deflate_free_context(void *context);
size_t cel_deflate_bound(const struct cel_coding *coding, size_t n);
int cel_deflate_encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len);
int cel_deflate_decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len);

/* The members of their tables that are the same. */
#define CEL_DEFLATE_MEMBERS \
    .flags = CEL_CODEC_COMPRESSOR, .params = cel_deflate_params, .min_words = 1, .max_words = 1, \
    .bound = cel_deflate_bound, .max_ratio = 1032, .encode = cel_deflate_encode, .decode = cel_deflate_decode, \
    .make_context = cel_deflate_make_context, .free_context = cel_deflate_free_context

#endif
