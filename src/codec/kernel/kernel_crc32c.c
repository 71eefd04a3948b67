/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C (Castagnoli, reflected polynomial 0x82f63b78), as in iSCSI, ext4 and
 * Zarr's crc32c codec.
 *
 * Portable: eight tables, eight bytes a step. A CRC is linear in its bits, so an
 * entry of a table is the exclusive or of the basis values of its set bits, and
 * the compiler makes the tables from eight numbers each.
 * x86: the crc32 instruction takes three cycles but can start every cycle, so
 * three runs go side by side and are joined by a carry-less multiplication. */
#include "kernels.h"
#include <string.h>
#ifdef CEL_X86
#include <immintrin.h>
#endif

#define BIT(i, k, value) ((i) >> (k)&1 ? (value) : 0u)
#define E1(i, ...) E1_(i, __VA_ARGS__)
#define E1_(i, a, b, c, d, e, f, g, h) \
    BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^ BIT(i, 4, e) ^ BIT(i, 5, f) ^ BIT(i, 6, g) ^ \
        BIT(i, 7, h)
#define E4(i, ...) E1(i, __VA_ARGS__), E1(i + 1, __VA_ARGS__), E1(i + 2, __VA_ARGS__), E1(i + 3, __VA_ARGS__)
#define E16(i, ...) E4(i, __VA_ARGS__), E4(i + 4, __VA_ARGS__), E4(i + 8, __VA_ARGS__), E4(i + 12, __VA_ARGS__)
#define E64(i, ...) E16(i, __VA_ARGS__), E16(i + 16, __VA_ARGS__), E16(i + 32, __VA_ARGS__), E16(i + 48, __VA_ARGS__)
#define TABLE(...) \
    { \
        E64(0, __VA_ARGS__), E64(64, __VA_ARGS__), E64(128, __VA_ARGS__), E64(192, __VA_ARGS__) \
    }

/* table[k][b]: the CRC of byte b followed by k zero bytes. */
static const uint32_t table[8][256] = {
    TABLE(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
    TABLE(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
    TABLE(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
    TABLE(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
    TABLE(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
    TABLE(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
    TABLE(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
    TABLE(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
};

static uint32_t crc32c_portable(uint32_t crc, const void *src, size_t n)
{
    const unsigned char *p = src;

    crc = ~crc;
    for (; n >= 8; p += 8, n -= 8)
        crc = table[7][(crc ^ p[0]) & 0xff] ^ table[6][(crc >> 8 ^ p[1]) & 0xff] ^ table[5][(crc >> 16 ^ p[2]) & 0xff] ^
              table[4][crc >> 24 ^ p[3]] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
    for (; n > 0; p++, n--)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
    return ~crc;
}

#ifdef CEL_X86
#define HARDWARE __attribute__((target("sse4.2,pclmul")))

/* What crc becomes after as many zero bytes as `power` was made for. */
HARDWARE static uint64_t moved(uint64_t crc, uint64_t power)
{
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)crc), _mm_cvtsi64_si128((long long)power), 0);

    return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

HARDWARE static uint64_t word_at(const unsigned char *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

/* Bytes of each of the three runs, and x^(8 * RUN - 33), x^(16 * RUN - 33) modulo
 * the polynomial, reflected. */
#define RUN 1024
#define BY_RUN 0x170076fau
#define BY_TWO_RUNS 0xa51b6135u

HARDWARE static uint32_t crc32c_hardware(uint32_t start, const void *src, size_t n)
{
    const unsigned char *p = src;
    uint64_t a = (uint32_t)~start, b, c;
    size_t k;

    for (; n >= 3 * RUN; p += 3 * RUN, n -= 3 * RUN) {
        b = c = 0;
        for (k = 0; k < RUN; k += 8) {
            a = _mm_crc32_u64(a, word_at(p + k));
            b = _mm_crc32_u64(b, word_at(p + RUN + k));
            c = _mm_crc32_u64(c, word_at(p + 2 * RUN + k));
        }
        a = moved(a, BY_TWO_RUNS) ^ moved(b, BY_RUN) ^ c;
    }
    for (; n >= 8; p += 8, n -= 8)
        a = _mm_crc32_u64(a, word_at(p));
    for (; n > 0; p++, n--)
        a = _mm_crc32_u8((uint32_t)a, *p);
    return ~(uint32_t)a;
}
#endif

const struct cel_sum_kernel cel_crc32c_kernels[] = {
#ifdef CEL_X86
    {"sse4.2", cel_cpu_crc, crc32c_hardware},
#endif
    {"portable", cel_cpu_any, crc32c_portable},
    {0},
};

uint32_t cel_crc32c(uint32_t crc, const void *src, size_t n)
{
    const struct cel_sum_kernel *k = cel_crc32c_kernels;

    while (!k->usable())
        k++;
    return k->sum(crc, src, n);
}
