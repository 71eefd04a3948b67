/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts that are a buffer and nothing else. */
#include "codec_buffer.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdlib.h>

int cel_codec_buffer_make(const struct cel_words *working, void **context)
{
    *context = cel_calloc(1, sizeof(struct cel_codec_buffer));
    return *context ? CEL_OK : NC_ENOMEM;
}

void cel_codec_buffer_free(void *context)
{
    struct cel_codec_buffer *buffer = context;

    if (buffer)
        free(buffer->p);
    free(buffer);
}

int cel_codec_buffer_reserve(struct cel_codec_buffer *buffer, size_t need, const char *codec)
{
    if (need <= buffer->cap)
        return CEL_OK;
    free(buffer->p);
    buffer->cap = 0;
    buffer->p = cel_malloc(need);
    if (!buffer->p)
        return cel_fail_in(NC_ENOMEM, "%s", codec);
    buffer->cap = need;
    return CEL_OK;
}

size_t cel_whole_chunk(const struct cel_coding *coding, const void *src, size_t n)
{
    return coding->shape->nbytes;
}
