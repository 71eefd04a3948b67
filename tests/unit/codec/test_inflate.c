/* SPDX-License-Identifier: BSD-3-Clause */
/* Our inflate against zlib's: every form of its loop gives the same bytes for streams of all
 * kinds, and the same verdict, with nothing written outside, for damaged ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "inflate.h"
#include "common/random.h"
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MOST 200000

static uint64_t seed = RANDOM_SEED;

static size_t draw(size_t below)
{
    return (size_t)(random_step(&seed) >> 16) % below;
}

/* --- data ---------------------------------------------------------------------------------- */

static unsigned char noise(size_t i)
{
    return (unsigned char)draw(256);
}

static unsigned char skewed(size_t i)
{
    size_t a = draw(256), b = draw(256);

    return (unsigned char)(a < b ? a : b);
}

static unsigned char narrow(size_t i)
{
    return (unsigned char)(draw(16) ? 100 + draw(64) : draw(256)); /* codes of 6 bits, nearly all */
}

static unsigned char smooth(size_t i)
{
    return (unsigned char)(i / 700 + draw(3));
}

static unsigned char constant(size_t i)
{
    return draw(5000) ? 7 : 8;
}

static size_t period = 1;

static unsigned char periodic(size_t i)
{
    return draw(300) ? (unsigned char)(i % period * 37) : noise(i);
}

/* Short repetitions between literals, about as many of one as of the other. */
static const unsigned char *written;

static unsigned char patchy(size_t i)
{
    static size_t left, distance;

    if (left == 0 && draw(2) && i > 0) {
        left = 3 + draw(draw(20) ? 8 : 60);
        distance = 1 + draw(i < 4000 ? i : 4000);
    }
    if (left == 0 || distance > i)
        return (unsigned char)(96 + draw(64));
    left--;
    return written[i - distance];
}

static void fill(unsigned char *p, size_t n)
{
    static unsigned char (*const kinds[])(size_t) = {noise, skewed, narrow, smooth, constant, periodic, patchy};
    size_t i, until;

    written = p;
    for (i = 0; i < n;) {
        unsigned char (*kind)(size_t) = kinds[draw(sizeof kinds / sizeof *kinds)];

        period = 1 + draw(40);
        for (until = i + 1 + draw(n); i < n && i < until; i++)
            p[i] = kind(i);
    }
}

/* --- streams ------------------------------------------------------------------------------- */

static size_t deflate_by_zlib(const unsigned char *src, size_t n, unsigned char *dst, size_t cap)
{
    z_stream z = {0};
    size_t at = 0;

    assert_int_equal(deflateInit2(&z, (int)draw(10), Z_DEFLATED, -9 - (int)draw(7), 1 + (int)draw(9), (int)draw(5)),
                     Z_OK);
    z.next_out = dst;
    z.avail_out = (uInt)cap;
    while (at < n) { /* in parts, so that blocks of all kinds end anywhere */
        size_t part = draw(4) ? n - at : 1 + draw(n - at);
        int flush[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_PARTIAL_FLUSH, Z_FULL_FLUSH, Z_BLOCK};

        z.next_in = (Bytef *)(uintptr_t)(src + at);
        z.avail_in = (uInt)part;
        deflate(&z, flush[draw(5)]);
        assert_int_equal(z.avail_in, 0);
        at += part;
    }
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    n = z.total_out;
    deflateEnd(&z);
    return n;
}

static size_t deflate_by_libdeflate(const unsigned char *src, size_t n, unsigned char *dst, size_t cap)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor((int)draw(13));
    size_t len = libdeflate_deflate_compress(c, src, n, dst, cap);

    libdeflate_free_compressor(c);
    return len;
}

static size_t make_stream(const unsigned char *src, size_t n, unsigned char *dst, size_t cap)
{
    return draw(4) ? deflate_by_zlib(src, n, dst, cap) : deflate_by_libdeflate(src, n, dst, cap);
}

/* --- verdicts -------------------------------------------------------------------------------- */

/* zlib's: true when it is one whole stream; its bytes and what they hold. */
static bool inflate_by_zlib(const unsigned char *src, size_t n, size_t *used, unsigned char *dst, size_t cap,
                            size_t *len)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)src, .avail_in = (uInt)n, .next_out = dst, .avail_out = (uInt)cap};
    int rc;

    assert_int_equal(inflateInit2(&z, -15), Z_OK);
    rc = inflate(&z, Z_FINISH);
    *used = z.total_in;
    *len = z.total_out;
    inflateEnd(&z);
    return rc == Z_STREAM_END;
}

/* In memory of exactly the sizes given, so that a sanitizer sees a byte too many. */
static enum cel_inflate_answer inflate_exactly(const struct cel_inflate_kernel *k, const unsigned char *src, size_t n,
                                               size_t *used, unsigned char *dst, size_t cap, size_t *len)
{
    struct cel_inflate *f = cel_inflate_new(k);
    unsigned char *in = malloc(n ? n : 1), *out = malloc(cap ? cap : 1);
    enum cel_inflate_answer answer;

    memcpy(in, src, n);
    answer = cel_inflate(f, in + (n ? 0 : 1), n, used, out + (cap ? 0 : 1), cap, len);
    assert_true(*used <= n && *len <= cap);
    memcpy(dst, out, *len);
    free(in);
    free(out);
    free(f);
    return answer;
}

struct work {
    unsigned char data[MOST], stream[2 * MOST], theirs[MOST + 300], ours[MOST + 300];
};

static void same_verdict(struct work *w, const struct cel_inflate_kernel *k, size_t n, size_t cap)
{
    size_t their_used, their_len, used, len;
    bool is_good = inflate_by_zlib(w->stream, n, &their_used, w->theirs, cap, &their_len);
    enum cel_inflate_answer answer = inflate_exactly(k, w->stream, n, &used, w->ours, cap, &len);

    assert_int_equal(answer == CEL_INFLATE_OK, is_good);
    if (!is_good)
        return;
    assert_int_equal(used, their_used);
    assert_int_equal(len, their_len);
    assert_memory_equal(w->ours, w->theirs, len);
}

static size_t draw_size(void)
{
    static const size_t most[] = {4, 40, 400, 4000, 40000, MOST};

    return draw(most[draw(6)]);
}

static void each_kernel(void (*check)(struct work *, const struct cel_inflate_kernel *, size_t size, size_t n),
                        int rounds)
{
    struct work *w = malloc(sizeof *w);

    for (int r = 0; r < rounds; r++) {
        size_t size = draw_size(), n;

        fill(w->data, size);
        n = make_stream(w->data, size, w->stream, sizeof w->stream);
        for (const struct cel_inflate_kernel *k = cel_inflate_kernels; k->name; k++)
            if (k->usable())
                check(w, k, size, n);
    }
    free(w);
}

/* --- the tests --------------------------------------------------------------------------------- */

static void check_whole(struct work *w, const struct cel_inflate_kernel *k, size_t size, size_t n)
{
    size_t used, len, rest = draw(100);

    memset(w->stream + n, 0x5a, rest); /* what follows is not looked at */
    assert_int_equal(inflate_exactly(k, w->stream, n + rest, &used, w->ours, size + draw(2) * draw(300), &len),
                     CEL_INFLATE_OK);
    assert_int_equal(used, n);
    assert_int_equal(len, size);
    assert_memory_equal(w->ours, w->data, size);
}

static void whole_streams(void **state)
{
    each_kernel(check_whole, 1500);
}

static void check_room(struct work *w, const struct cel_inflate_kernel *k, size_t size, size_t n)
{
    size_t used, len;

    if (size > 0)
        assert_int_equal(inflate_exactly(k, w->stream, n, &used, w->ours, draw(2) ? size - 1 : draw(size), &len),
                         CEL_INFLATE_NO_SPACE);
}

static void too_little_room(void **state)
{
    each_kernel(check_room, 500);
}

static void check_cut(struct work *w, const struct cel_inflate_kernel *k, size_t size, size_t n)
{
    for (int i = 0; i < 20; i++) {
        size_t used, len, cut = i == 0 ? n - 1 : draw(n);

        assert_int_equal(inflate_exactly(k, w->stream, cut, &used, w->ours, size, &len), CEL_INFLATE_CUT_SHORT);
        assert_memory_equal(w->ours, w->data, len);
    }
}

static void cut_short(void **state)
{
    each_kernel(check_cut, 300);
}

static void check_damage(struct work *w, const struct cel_inflate_kernel *k, size_t size, size_t n)
{
    for (int i = 0; i < 20; i++) {
        size_t at = draw(draw(2) && n > 100 ? 100 : n); /* headers more often than the rest */
        unsigned char was = w->stream[at];

        w->stream[at] = (unsigned char)(draw(2) ? was ^ (size_t)1 << draw(8) : draw(256));
        same_verdict(w, k, n, size + draw(3) * 100);
        if (draw(2)) /* else damage gathers */
            w->stream[at] = was;
    }
}

static void damaged(void **state)
{
    each_kernel(check_damage, 400);
}

/* Bytes that never were a stream; the first three bits choose a kind of block. */
static void no_streams(void **state)
{
    struct work *w = malloc(sizeof *w);

    for (int r = 0; r < 20000; r++) {
        size_t n = draw(300);

        for (size_t i = 0; i < n; i++)
            w->stream[i] = noise(i);
        for (const struct cel_inflate_kernel *k = cel_inflate_kernels; k->name; k++)
            if (k->usable())
                same_verdict(w, k, n, draw(3000));
    }
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_streams), cmocka_unit_test(too_little_room), cmocka_unit_test(cut_short),
        cmocka_unit_test(damaged),       cmocka_unit_test(no_streams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
