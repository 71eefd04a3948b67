/* SPDX-License-Identifier: BSD-3-Clause */
/* Four lanes of eight bytes each, mixed at the end. */

#include "xxh64.h"
#include <string.h>

#define P1 0x9E3779B185EBCA87u
#define P2 0xC2B2AE3D27D4EB4Fu
#define P3 0x165667B19E3779F9u
#define P4 0x85EBCA77C2B2AE63u
#define P5 0x27D4EB2F165667C5u

static uint64_t turn(uint64_t v, int bits)
{
    return v << bits | v >> (64 - bits);
}

static uint64_t get(const unsigned char *p, int nbytes)
{
    uint64_t v = 0;

    for (int i = nbytes; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static uint64_t round_of(uint64_t lane, uint64_t v)
{
    return turn(lane + v * P2, 31) * P1;
}

static void take_block(struct xxh64 *h, const unsigned char *p)
{
    for (int i = 0; i < 4; i++)
        h->lane[i] = round_of(h->lane[i], get(p + 8 * i, 8));
}

void xxh64_start(struct xxh64 *h)
{
    *h = (struct xxh64){.lane = {P1 + P2, P2, 0, 0 - P1}};
}

void xxh64_add(struct xxh64 *h, const void *data, size_t n)
{
    const unsigned char *p = data;
    size_t have = (size_t)(h->total % 32);

    h->total += n;
    if (have && have + n >= 32) {
        memcpy(h->left + have, p, 32 - have);
        take_block(h, h->left);
        p += 32 - have;
        n -= 32 - have;
        have = 0;
    }
    for (; !have && n >= 32; p += 32, n -= 32)
        take_block(h, p);
    if (n)
        memcpy(h->left + have, p, n);
}

static uint64_t merge_lanes(const struct xxh64 *h)
{
    static const int bits[] = {1, 7, 12, 18};
    uint64_t v = 0;

    for (int i = 0; i < 4; i++)
        v += turn(h->lane[i], bits[i]);
    for (int i = 0; i < 4; i++)
        v = (v ^ round_of(0, h->lane[i])) * P1 + P4;
    return v;
}

uint64_t xxh64_end(const struct xxh64 *h)
{
    const unsigned char *p = h->left;
    size_t n = (size_t)(h->total % 32);
    uint64_t v = (h->total >= 32 ? merge_lanes(h) : P5) + h->total;

    for (; n >= 8; p += 8, n -= 8)
        v = turn(v ^ round_of(0, get(p, 8)), 27) * P1 + P4;
    if (n >= 4) {
        v = turn(v ^ get(p, 4) * P1, 23) * P2 + P3;
        p += 4;
        n -= 4;
    }
    for (; n > 0; p++, n--)
        v = turn(v ^ *p * P5, 11) * P1;
    v = (v ^ v >> 33) * P2;
    v = (v ^ v >> 29) * P3;
    return v ^ v >> 32;
}
