/* SPDX-License-Identifier: BSD-3-Clause */
/* lookup3: three words take in twelve bytes at a time, and are mixed after each; the last twelve, filled up with
 * zeros, are mixed otherwise. */
#include "lookup3.h"
#include "bytes.h"
#include <string.h>

static uint32_t turn(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

uint32_t cel_lookup3(const void *bytes, size_t n, uint32_t start)
{
    const unsigned char *p = bytes;
    uint32_t a, b, c;
    unsigned char tail[12] = {0};

    a = b = c = 0xdeadbeef + (uint32_t)n + start;
    if (n == 0)
        return c;
    for (; n > 12; p += 12, n -= 12) {
        a += cel_get_le32(p);
        b += cel_get_le32(p + 4);
        c += cel_get_le32(p + 8);
        a -= c, a ^= turn(c, 4), c += b;
        b -= a, b ^= turn(a, 6), a += c;
        c -= b, c ^= turn(b, 8), b += a;
        a -= c, a ^= turn(c, 16), c += b;
        b -= a, b ^= turn(a, 19), a += c;
        c -= b, c ^= turn(b, 4), b += a;
    }
    memcpy(tail, p, n);
    a += cel_get_le32(tail);
    b += cel_get_le32(tail + 4);
    c += cel_get_le32(tail + 8);
    c ^= b, c -= turn(b, 14);
    a ^= c, a -= turn(c, 11);
    b ^= a, b -= turn(a, 25);
    c ^= b, c -= turn(b, 16);
    a ^= c, a -= turn(c, 4);
    b ^= a, b -= turn(a, 14);
    c ^= b, c -= turn(b, 24);
    return c;
}
