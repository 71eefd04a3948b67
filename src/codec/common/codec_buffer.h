#ifndef CEL_CODEC_BUFFER_H
#define CEL_CODEC_BUFFER_H

/* A codec's context that is memory and no more: one block per worker, kept between
 * chunks and as large as the largest has needed. */

#include "codec.h"

struct cel_codec_buffer {
    unsigned char *p;
    size_t cap;
};
int cel_codec_buffer_make(const struct cel_words *working, void **context); /* for .make_context */
void cel_codec_buffer_free(void *context);                                  /* for .free_context */

/* At least so many bytes at p; what was there is gone. An error names the codec. */
int cel_codec_buffer_reserve(struct cel_codec_buffer *buffer, size_t need, const char *codec);

/* For .decoded_size of codecs whose chunks do not say it: as many as the chunk has. */
size_t cel_whole_chunk(const struct cel_coding *coding, const void *src, size_t n);

#endif
