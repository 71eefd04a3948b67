/* SPDX-License-Identifier: BSD-3-Clause */
/* base64, both ways. */
#include "base64.h"
#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t cel_base64_size(size_t n)
{
    return (n + 2) / 3 * 4;
}

void cel_base64_encode(const void *bytes, size_t n, char *out)
{
    const unsigned char *in = bytes;

    for (size_t i = 0; i < n; i += 3, out += 4) {
        size_t left = n - i;
        uint32_t bits = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
        out[0] = digits[bits >> 18];
        out[1] = digits[bits >> 12 & 63];
        out[2] = left > 1 ? digits[bits >> 6 & 63] : '=';
        out[3] = left > 2 ? digits[bits & 63] : '=';
    }
}

bool cel_base64_decode(const char *text, size_t len, void *out, size_t cap, size_t *n, size_t *at)
{
    unsigned char *to = out;
    uint32_t bits = 0;
    int have = 0;

    *n = 0;
    *at = len;
    if (len % 4)
        return false;
    for (int pad = 0; len && text[len - 1] == '=' && pad < 2; pad++)
        len--;
    for (size_t i = 0; i < len; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        *at = i;
        if (!digit)
            return false;
        bits = bits << 6 | (uint32_t)(digit - digits);
        have += 6;
        if (have < 8)
            continue;
        have -= 8;
        if (*n == cap)
            return false;
        to[(*n)++] = (unsigned char)(bits >> have);
    }
    return true;
}
