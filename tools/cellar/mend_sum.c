/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5's checksum of metadata: Jenkins' lookup3, hashlittle with 0 to start from. */

#include "mend.h"
#include <string.h>

static uint32_t turn(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

static void mix(uint32_t s[3])
{
    static const int by[6] = {4, 6, 8, 16, 19, 4};

    for (int i = 0; i < 6; i++) { /* a -= c, b -= a, c -= b, twice */
        uint32_t *x = &s[i % 3], *before = &s[(i + 2) % 3];

        *x -= *before;
        *x ^= turn(*before, by[i]);
        *before += s[(i + 1) % 3];
    }
}

static uint32_t finish(uint32_t a, uint32_t b, uint32_t c)
{
    c = (c ^ b) - turn(b, 14);
    a = (a ^ c) - turn(c, 11);
    b = (b ^ a) - turn(a, 25);
    c = (c ^ b) - turn(b, 16);
    a = (a ^ c) - turn(c, 4);
    b = (b ^ a) - turn(a, 14);
    return (c ^ b) - turn(b, 24);
}

uint32_t mend_lookup3(const unsigned char *p, size_t n)
{
    uint32_t start = 0xdeadbeef + (uint32_t)n, s[3] = {start, start, start};
    unsigned char tail[12] = {0};

    if (n == 0)
        return s[2];
    for (; n > 12; n -= 12, p += 12) {
        for (int i = 0; i < 3; i++)
            s[i] += (uint32_t)mend_le(p + 4 * i, 4);
        mix(s);
    }
    memcpy(tail, p, n);
    for (int i = 0; i < 3; i++)
        s[i] += (uint32_t)mend_le(tail + 4 * i, 4);
    return finish(s[0], s[1], s[2]);
}
