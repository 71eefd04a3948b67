/* SPDX-License-Identifier: BSD-3-Clause */
/* BloscLZ: both directions. The encoder is greedy, with one candidate for each hash of four bytes; where
 * nothing is found for long it looks at fewer positions. */
#include "blosclz.h"
#include "bytes.h"
#include <string.h>

#define NEAR_MAX 8191              /* first distance less one that needs the long form */
#define FAR_MAX (NEAR_MAX + 65535) /* last one */
#define RUN_MAX 32                 /* literals of one control byte */
#define MATCH_MIN 4                /* shorter ones are not looked for */
#define LONG_LENGTH 7              /* length field that says that more follows */
#define TAIL 12                    /* no match starts in the last bytes, */
#define LAST 4                     /* and the very last are literals, which c-blosc2 expects */
#define HASH_BITS 13

/* --- decoding ------------------------------------------------------------------------------ */

struct reader {
    const unsigned char *at, *end;
    unsigned char *out, *start, *stop;
};

/* space: bytes that may be written from `out` on. Most matches are short: there a copy of a fixed length is the quickest. */
static void copy_back(unsigned char *out, size_t distance, size_t n, size_t space)
{
    const unsigned char *from = out - distance;

    if (n <= RUN_MAX && distance >= RUN_MAX && space >= RUN_MAX) {
        memcpy(out, from, RUN_MAX);
        return;
    }
    if (distance == 1) {
        memset(out, *from, n);
        return;
    }
    if (distance >= n) {
        memcpy(out, from, n);
        return;
    }
    if (distance >= 8)
        for (; n >= 8; n -= 8, out += 8, from += 8)
            memcpy(out, from, 8);
    while (n-- > 0)
        *out++ = *from++;
}

static bool take_match(struct reader *r, unsigned control)
{
    size_t n = (control >> 5) + 2, distance = (size_t)(control & 31) << 8;
    unsigned char more = 255;

    if (control >> 5 == LONG_LENGTH)
        while (more == 255) {
            if (r->at == r->end)
                return false;
            more = *r->at++;
            n += more;
        }
    if (r->at == r->end)
        return false;
    distance |= *r->at++;
    if (distance == NEAR_MAX) {
        if (r->end - r->at < 2)
            return false;
        distance += cel_get_be16(r->at);
        r->at += 2;
    }
    distance++;
    if (distance > (size_t)(r->out - r->start) || n > (size_t)(r->stop - r->out))
        return false;
    copy_back(r->out, distance, n, (size_t)(r->stop - r->out));
    r->out += n;
    return true;
}

static bool take_literals(struct reader *r, size_t n)
{
    size_t there = (size_t)(r->end - r->at), space = (size_t)(r->stop - r->out);

    if (n > there || n > space)
        return false;
    if (there >= RUN_MAX && space >= RUN_MAX) /* what is too much is written over */
        memcpy(r->out, r->at, RUN_MAX);
    else
        memcpy(r->out, r->at, n);
    r->out += n;
    r->at += n;
    return true;
}

bool cel_blosclz_decode(const unsigned char *src, size_t n, unsigned char *dst, size_t len, size_t need)
{
    const unsigned char *enough = dst + need;
    struct reader r = {.at = src, .end = src + n, .out = dst, .start = dst, .stop = dst + len};
    unsigned control;

    if (n == 0)
        return false;
    for (control = *r.at++ & 31;; control = *r.at++) {
        if (!(control < 32 ? take_literals(&r, control + 1) : take_match(&r, control)))
            return false;
        if (r.at == r.end)
            return r.out == r.stop;
        if (r.out >= enough)
            return need < len;
    }
}

/* --- encoding ------------------------------------------------------------------------------- */

struct writer {
    unsigned char *at, *end;
};

static bool put_literals(struct writer *w, const unsigned char *src, size_t n)
{
    while (n > 0) {
        size_t run = n < RUN_MAX ? n : RUN_MAX;

        if ((size_t)(w->end - w->at) < run + 1)
            return false;
        *w->at++ = (unsigned char)(run - 1);
        memcpy(w->at, src, run);
        w->at += run;
        src += run;
        n -= run;
    }
    return true;
}

static bool put_match(struct writer *w, size_t n, size_t distance)
{
    bool is_long = --distance >= NEAR_MAX;
    size_t field = n - 2 < LONG_LENGTH ? n - 2 : LONG_LENGTH, more = n - 2 - field;

    if ((size_t)(w->end - w->at) < 5 + more / 255)
        return false;
    *w->at++ = (unsigned char)(field << 5 | (is_long ? 31 : distance >> 8));
    if (field == LONG_LENGTH) {
        for (; more >= 255; more -= 255)
            *w->at++ = 255;
        *w->at++ = (unsigned char)more;
    }
    *w->at++ = is_long ? 255 : (unsigned char)distance;
    if (is_long) {
        cel_put_be16(w->at, (uint16_t)(distance - NEAR_MAX));
        w->at += 2;
    }
    return true;
}

static size_t match_length(const unsigned char *a, const unsigned char *b, const unsigned char *end)
{
    const unsigned char *start = b;

    while (end - b >= 8) {
        uint64_t differ = cel_get_le64(a) ^ cel_get_le64(b);

        if (differ)
            return (size_t)(b - start) + (size_t)__builtin_ctzll(differ) / 8;
        a += 8;
        b += 8;
    }
    for (; b < end && *a == *b; a++)
        b++;
    return (size_t)(b - start);
}

size_t cel_blosclz_encode(unsigned level, const unsigned char *src, size_t n, unsigned char *dst, size_t cap)
{
    uint32_t last[1 << HASH_BITS];
    struct writer w = {dst, dst + cap};
    size_t done = 0, at = 1, misses = 0;
    unsigned patience = level + 3; /* misses, as a power of two, after which positions are left out */

    if (n < 16)
        return 0;
    memset(last, 0, sizeof last);
    while (at + TAIL < n) {
        uint32_t four = cel_get_le32(src + at), *slot = &last[four * 2654435761u >> (32 - HASH_BITS)];
        size_t before = *slot, len;

        *slot = (uint32_t)at;
        if (at - before - 1 > FAR_MAX || cel_get_le32(src + before) != four ||
            (len = match_length(src + before, src + at, src + n - LAST)) <
                (at - before > NEAR_MAX ? MATCH_MIN + 2 : MATCH_MIN)) {
            at += 1 + (misses++ >> patience);
            continue;
        }
        if (!put_literals(&w, src + done, at - done) || !put_match(&w, len, at - before))
            return 0;
        misses = 0;
        at = done = at + len;
    }
    if (!put_literals(&w, src + done, n - done))
        return 0;
    *dst |= 1 << 5; /* as Blosc writes it */
    return (size_t)(w.at - dst);
}
