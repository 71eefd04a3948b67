/* Byte planes of noise are stored: the stream stays an ordinary one, and is never more
 * than half a per cent larger than what libdeflate makes of the same bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "codec.h"
#include "kernels.h"
#include "status.h"
#include <libdeflate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static uint32_t draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* n floats, or doubles, as planes of bytes. */
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

static double two_halves(size_t i)
{
    return (i / 40000 % 2 ? 1e6 : 1) * (1 + draw() * 1e-12);
}

static void compare(const void *planes, size_t n, size_t size, unsigned level, const char *what)
{
    const struct cel_codec *codec = cel_codec_by_id(1);
    struct cel_words words = {.n = 1, .w = {level}};
    struct cel_coding coding = {.codec = codec, .words = &words, .planes = size};
    struct libdeflate_compressor *plain = libdeflate_alloc_compressor((int)level);
    struct libdeflate_decompressor *inflate = libdeflate_alloc_decompressor();
    size_t cap = codec->bound(&coding, n), len = 0, plain_len, used = 0, got = 0;
    unsigned char *ours = malloc(cap), *theirs = malloc(cap), *back = malloc(n);

    assert_int_equal(codec->make_context(&words, &coding.context), CEL_OK);
    assert_int_equal(codec->encode(&coding, planes, n, ours, cap, &len), CEL_OK);
    plain_len = libdeflate_zlib_compress(plain, planes, n, theirs, cap);
    if ((double)len > 1.005 * (double)plain_len + 16)
        fail_msg("%s, %zu bytes an element, level %u: %zu bytes, libdeflate alone %zu", what, size, level, len,
                 plain_len);
    assert_int_equal(libdeflate_zlib_decompress_ex(inflate, ours, len, back, n, &used, &got), LIBDEFLATE_SUCCESS);
    assert_int_equal(used, len);
    assert_int_equal(got, n);
    assert_memory_equal(back, planes, n);
    codec->free_context(coding.context);
    libdeflate_free_compressor(plain);
    libdeflate_free_decompressor(inflate);
    free(ours);
    free(theirs);
    free(back);
}

static void fields(void **state)
{
    static const struct {
        field_fn *make;
        const char *what;
    } all[] = {{smooth, "smooth"}, {noisy, "noisy"}, {rounded, "rounded"}, {repeated, "repeated"},
               {far_repeated, "repeated far apart"}, {two_halves, "two halves"}};
    size_t n = 131072;
    unsigned char *elements = malloc(n * 8), *planes = malloc(n * 8);

    for (size_t f = 0; f < sizeof all / sizeof *all; f++)
        for (size_t size = 4; size <= 8; size += 4)
            for (unsigned level = 1; level <= 6; level += 5) {
                for (size_t i = 0; i < n; i++) {
                    double d = all[f].make(i);
                    float s = (float)d;

                    memcpy(elements + i * size, size == 4 ? (void *)&s : (void *)&d, size);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),
        cmocka_unit_test(deceiving_planes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
