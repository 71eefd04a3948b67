/* SPDX-License-Identifier: BSD-3-Clause */
/* Copying to memory that will not be looked at soon: large reads. Stores that go
 * around the caches spare fetching each line before it is overwritten, which is
 * most of what such a copy costs. Elsewhere than on x86-64 it is a plain copy. */
#include "array_int.h"
#include <string.h>

#define LINE 64

#if defined(__SSE2__)
#include <emmintrin.h>

static void stream_line(char *dst, const char *src)
{
    for (int i = 0; i < LINE; i += 16)
        _mm_stream_si128((__m128i *)(dst + i), _mm_loadu_si128((const __m128i *)(src + i)));
}

void cel_nontemporal_fence(void)
{
    _mm_sfence();
}
#else
static void stream_line(char *dst, const char *src)
{
    memcpy(dst, src, LINE);
}

void cel_nontemporal_fence(void)
{
}
#endif

void cel_copy_nontemporal(char *dst, const char *src, size_t nbytes)
{
    size_t head = (size_t)(-(uintptr_t)dst % LINE);

    if (nbytes < 4 * LINE) {
        memcpy(dst, src, nbytes);
        return;
    }
    memcpy(dst, src, head);
    for (dst += head, src += head, nbytes -= head; nbytes >= LINE; dst += LINE, src += LINE, nbytes -= LINE)
        stream_line(dst, src);
    memcpy(dst, src, nbytes);
}
