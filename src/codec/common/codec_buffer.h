/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CODEC_BUFFER_H
#define CEL_CODEC_BUFFER_H

/* A codec context that is a buffer and nothing else: one per worker, kept between chunks, as large as the
 * largest chunk has needed. */

#include "codec.h"

struct cel_codec_buffer {
    unsigned char *p;
    size_t cap;
};
int cel_codec_buffer_make(const struct cel_words *working, void **context); /* for .make_context */
void cel_codec_buffer_free(void *context);                                  /* for .free_context */

/* Makes buffer->p at least `need` bytes; the old contents are lost. An error names the codec. */
int cel_codec_buffer_reserve(struct cel_codec_buffer *buffer, size_t need, const char *codec);

/* For .decoded_size of codecs whose parameters hold the shape: the size of the chunk. */
size_t cel_whole_chunk(const struct cel_coding *coding, const void *src, size_t n);

#endif
