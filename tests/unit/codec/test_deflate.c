/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever is done with byte planes, the stream stays an ordinary one, which zlib and libdeflate
 * read, and is never more than half a per cent larger than what libdeflate makes of the same
 * bytes; where hardly anything is left of them, than that and 1/200 of the bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "codec.h"
#include "kernels.h"
#include "status.h"
#include "deflate_huffman.h"
#include <libdeflate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

static uint64_t seed = 1;

static uint32_t draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* n floats, doubles or short integers, as planes of bytes. */
typedef double field_fn(size_t i);

static double smooth(size_t i)
{
    return 280 + 20 * sin((double)i / 300);
}

static double noisy(size_t i)
{
    return smooth(i) + draw() * 1e-10;
}

static double rounded(size_t i)
{
    return floor(smooth(i) * 16) / 16;
}

static double repeated(size_t i)
{
    return 280 + (double)((i % 500) * 2654435761u % 100003) / 1000;
}

static double far_repeated(size_t i)
{
    return 280 + (double)((i % 20000) * 2654435761u % 1000003) / 1000;
}

/* Rows that are alike but for a little noise: three bytes are repeated, hardly ever four. */
static double rows(size_t i)
{
    return 280 + 20 * sin((double)(i % 1440) / 200) * cos((double)(i / 1440) / 300) + draw() * 1e-11;
}

static double steep(size_t i)
{
    return 280 + 2 * sin((double)(i % 360) / 20) + draw() * 1e-9;
}

static double two_halves(size_t i)
{
    return (i / 40000 % 2 ? 300 : 1) * (1 + draw() * 1e-12);
}

/* Both readers give the bytes back, from a buffer that ends where the stream does. */
static void read_back(const unsigned char *stream, size_t len, const unsigned char *planes, size_t n)
{
    struct libdeflate_decompressor *inflate = libdeflate_alloc_decompressor();
    unsigned char *exact = malloc(len), *back = malloc(n + 1);
    size_t used = 0, got = 0;
    uLongf zlib_got = n + 1;

    memcpy(exact, stream, len);
    assert_int_equal(libdeflate_zlib_decompress_ex(inflate, exact, len, back, n, &used, &got), LIBDEFLATE_SUCCESS);
    assert_int_equal(used, len);
    assert_int_equal(got, n);
    assert_memory_equal(back, planes, n);
    memset(back, 0x55, n);
    assert_int_equal(uncompress(back, &zlib_got, exact, len), Z_OK);
    assert_int_equal(zlib_got, n);
    assert_memory_equal(back, planes, n);
    libdeflate_free_decompressor(inflate);
    free(exact);
    free(back);
}

/* Encodes, reads back, and gives the length. */
static size_t encode_all(const void *planes, size_t n, size_t size, unsigned level)
{
    const struct cel_codec *codec = cel_codec_by_id(1);
    struct cel_words words = {.n = 1, .w = {level}};
    struct cel_coding coding = {.codec = codec, .words = &words, .planes = size};
    size_t cap = codec->bound(&coding, n), len = 0, again = 0;
    unsigned char *ours = malloc(cap);

    assert_int_equal(codec->make_context(&words, &coding.context), CEL_OK);
    assert_int_equal(codec->encode(&coding, planes, n, ours, cap, &len), CEL_OK);
    assert_true(len <= cap);
    read_back(ours, len, planes, n);
    for (size_t space = 0; space < len; space += 1 + space) { /* too small a buffer is an error */
        unsigned char *small = malloc(space + 1);

        if (codec->encode(&coding, planes, n, small, space, &again) == CEL_OK)
            assert_true(again <= space);
        free(small);
    }
    assert_int_equal(codec->encode(&coding, planes, n, ours, cap, &again), CEL_OK); /* nothing is left behind */
    assert_int_equal(again, len);
    read_back(ours, len, planes, n);
    codec->free_context(coding.context);
    free(ours);
    return len;
}

static size_t plain_size(const void *planes, size_t n, unsigned level)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor((int)level);
    unsigned char *out = malloc(2 * n + 100);
    size_t len = libdeflate_zlib_compress(c, planes, n, out, 2 * n + 100);

    libdeflate_free_compressor(c);
    free(out);
    return len;
}

static void compare(const void *planes, size_t n, size_t size, unsigned level, const char *what)
{
    size_t ours = encode_all(planes, n, size, level), theirs = plain_size(planes, n, level);

    if ((double)ours > 1.005 * (double)theirs + 16 + (double)n / 200)
        fail_msg("%s, %zu bytes an element, level %u: %zu bytes, without planes %zu", what, size, level, ours, theirs);
}

static void fields(void **state)
{
    static const struct {
        field_fn *make;
        const char *what;
    } all[] = {{smooth, "smooth"},
               {noisy, "noisy"},
               {rounded, "rounded"},
               {repeated, "repeated"},
               {far_repeated, "repeated far apart"},
               {two_halves, "two halves"},
               {rows, "rows"},
               {steep, "steep"}};
    size_t n = 131072;
    unsigned char *elements = malloc(n * 8), *planes = malloc(n * 8);

    for (size_t f = 0; f < sizeof all / sizeof *all; f++)
        for (size_t size = 2; size <= 8; size *= 2)
            for (unsigned level = 1; level <= 6; level += level < 5 ? 2 : 1) {
                for (size_t i = 0; i < n; i++) {
                    double d = all[f].make(i);
                    float s = (float)d;
                    int16_t h = (int16_t)(int32_t)((d - 273) * 100); /* what does not fit wraps */

                    memcpy(elements + i * size, size == 8 ? (void *)&d : size == 4 ? (void *)&s : (void *)&h, size);
                }
                cel_shuffle(planes, elements, n, size);
                compare(planes, n * size, size, level, all[f].what);
            }
    free(elements);
    free(planes);
}

/* Planes made by hand: what one sees alone may be noise, and yet not be. */
static void deceiving_planes(void **state)
{
    size_t plane = 20000, n = 4 * plane, i;
    unsigned char *p = malloc(n + 3);

    for (i = 0; i < n + 3; i++)
        p[i] = (unsigned char)draw();
    compare(p, n + 3, 4, 1, "noise throughout");
    memcpy(p + plane, p, plane);
    compare(p, n, 4, 1, "the second plane repeats the first");
    for (i = 0; i < plane; i++)
        p[i] = (unsigned char)draw(), p[plane + i] = i % 3 ? p[i] : 7;
    compare(p, n, 4, 1, "the second plane repeats pieces of the first");
    for (i = 0; i < n; i++)
        p[i] = (unsigned char)(draw() & 0x7f) | (i / 10000 % 2 ? 0x80 : 0);
    compare(p, n, 4, 1, "half the values in each stretch");
    for (i = 0; i < n; i++)
        p[i] = i % 9000 < 4500 ? (unsigned char)draw() : p[i - 4500];
    compare(p, n, 4, 1, "every stretch twice");
    for (i = 0; i < n; i++)
        p[i] = (unsigned char)(draw() % 250);
    compare(p, n, 4, 1, "a few values missing");
    free(p);
}

/* --- shapes of planes that are none of nature's ---------------------------------------------- */

typedef unsigned char byte_fn(size_t i);

static unsigned char noise(size_t i)
{
    return (unsigned char)draw();
}

static unsigned char constant(size_t i)
{
    return 7;
}

static unsigned char runs(size_t i)
{
    static unsigned char value;

    return draw() % 300 ? value : (value = (unsigned char)draw());
}

/* Counts that fall like Fibonacci's numbers ask for the longest code words. */
static unsigned char lopsided(size_t i)
{
    unsigned value = 0;

    while (value < 40 && draw() % 1000 < 382)
        value++;
    return (unsigned char)value;
}

static unsigned char sawtooth(size_t i)
{
    return (unsigned char)(i % 259);
}

static unsigned char far_copies(size_t i)
{
    return (unsigned char)((i % 32768) * 2654435761u >> 24);
}

static unsigned char too_far_copies(size_t i)
{
    return (unsigned char)((i % 32769) * 2654435761u >> 24);
}

static unsigned char mixed(size_t i)
{
    static byte_fn *const all[] = {noise, constant, runs, lopsided, sawtooth, far_copies};
    static byte_fn *now = noise;

    if (draw() % 500 == 0)
        now = all[draw() % 6];
    return now(i);
}

static byte_fn *const kinds[] = {noise, constant, runs, lopsided, sawtooth, far_copies, too_far_copies, mixed};

#define KINDS (sizeof kinds / sizeof *kinds)

static void every_size(void **state)
{
    static const size_t sizes[] = {0,    1,    2,    3,    15,    16,    17,    255,   2047,  2048,  2049,
                                   4095, 4097, 8191, 8193, 12287, 12289, 65535, 65536, 65537, 70001, 200003};
    unsigned char *p = malloc(200003);

    for (size_t k = 0; k < KINDS; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t planes = 2; planes <= 5000; planes *= 7) {
                for (size_t i = 0; i < sizes[s]; i++)
                    p[i] = kinds[k](i);
                encode_all(p, sizes[s], planes, 1);
            }
    free(p);
}

/* Planes of any kind, one above the other, at every level. */
static void any_planes(void **state)
{
    unsigned char *p = malloc(8 * 40000);

    for (unsigned round = 0; round < 60; round++) {
        size_t planes = 2 + draw() % 7, plane = 1 + draw() % 40000;

        for (size_t k = 0; k < planes; k++) {
            byte_fn *kind = kinds[draw() % KINDS];

            for (size_t i = 0; i < plane; i++)
                p[k * plane + i] = kind(i);
        }
        encode_all(p, planes * plane, planes, round % 10);
    }
    free(p);
}

/* A code is complete, no word is too long, and a more frequent symbol has no longer one. */
static void check_code(const uint32_t *count, unsigned n, unsigned most)
{
    struct cel_code code;
    unsigned sum = 0;

    cel_code_make(count, n, most, &code);
    for (unsigned i = 0; i < n; i++) {
        assert_true(code.len[i] <= most);
        assert_true(count[i] == 0 || code.len[i] > 0);
        sum += code.len[i] ? 1u << (most - code.len[i]) : 0;
        for (unsigned j = 0; j < i; j++)
            assert_false(count[j] > count[i] && count[i] && code.len[j] > code.len[i]);
    }
    assert_int_equal(sum, 1u << most);
}

static void codes(void **state)
{
    uint32_t count[CEL_LITLENS] = {0}, a = 1, b = 1;

    check_code(count, 19, 7);
    count[3] = 5;
    check_code(count, 19, 7);
    for (unsigned i = 0; i < 22; i++, b += a, a = b - a)
        count[i] = a;
    check_code(count, CEL_LITLENS, CEL_CODE_MAX);
    check_code(count, 19, 7);
    for (unsigned round = 0; round < 1000; round++) {
        unsigned n = 2 + draw() % (CEL_LITLENS - 1);

        for (unsigned i = 0; i < n; i++)
            count[i] = draw() % 3 ? draw() >> (16 + draw() % 16) : 0;
        check_code(count, n, n <= 100 ? 7 : CEL_CODE_MAX);
    }
}

/* A block that the quick matcher goes over first and the thorough one again: three bytes repeat now and
 * then, hardly ever four. The second pass meets positions that lie ahead of it in the first one's table,
 * and read before the input; pages that cannot be read lie there. */
static void second_pass(void **state)
{
    enum { PAGES = 1 << 16, N = 120000 };
    unsigned char *map = mmap(NULL, PAGES + 2 * PAGES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *planes = map + PAGES, three[400][3];
    size_t i = 0;

    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(planes, 2 * PAGES, PROT_READ | PROT_WRITE), 0);
    for (size_t k = 0; k < sizeof three; k++)
        three[k / 3][k % 3] = (unsigned char)(draw() % 200);
    while (i + 3 < N)
        if (draw() % 10 == 0) {
            memcpy(planes + i, three[draw() % 400], 3);
            i += 3;
        } else {
            planes[i++] = (unsigned char)(draw() % 200);
        }
    encode_all(planes, N, 2, 1);
    munmap(map, PAGES + 2 * PAGES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),     cmocka_unit_test(deceiving_planes),
        cmocka_unit_test(every_size), cmocka_unit_test(any_planes),
        cmocka_unit_test(codes),      cmocka_unit_test(second_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
