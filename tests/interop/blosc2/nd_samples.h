/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_SAMPLES_H
#define ND_SAMPLES_H

/* Input of the golden vectors of ndcell and ndmean: made, not kept. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void sample_bytes(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 167 + (i >> 8) * 13 + 5);
}

static inline void sample_reals(unsigned char *p, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        double d = (double)(int)(i * 7919 % 2003 - 1000) / 7;
        float f = (float)d;
        memcpy(p + i * size, size == 4 ? (void *)&f : (void *)&d, size);
    }
}

static inline void sample(unsigned char *p, size_t count, size_t size, int reals)
{
    if (reals)
        sample_reals(p, count, size);
    else
        sample_bytes(p, count * size);
}

#endif
