/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants of the filter specification.
 *
 *   tag     type              words
 *   b s     signed 8, 16      cut to size, sign-extended to 32 bits
 *   ub us   unsigned 8, 16    cut to size
 *   u       unsigned 32
 *   none    the smallest of 32 and 64 bits that holds it
 *   l ul    64 bits           two, the low one first
 *   f d     float, double     one, two
 *
 * Tags may be upper or lower case. Nothing else may stand in a constant: a
 * mistyped one is refused rather than cut off, as netCDF-C would do. */
#include "number.h"
#include "spec.h"
#include "status.h"
#include <ctype.h>
#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

enum tag { NO_TAG, TAG_B, TAG_UB, TAG_S, TAG_US, TAG_U, TAG_L, TAG_UL, TAG_F, TAG_D };

static const struct {
    const char *text;
    enum tag tag;
} tags[] = {{"", NO_TAG}, {"b", TAG_B}, {"ub", TAG_UB}, {"s", TAG_S}, {"us", TAG_US},
            {"u", TAG_U}, {"l", TAG_L}, {"ul", TAG_UL}, {"f", TAG_F}, {"d", TAG_D}};

struct constant {
    const char *text;
    size_t len;    /* with the tag */
    size_t digits; /* characters of the number itself, sign included */
    bool negative;
    bool real; /* has a point or an exponent */
    enum tag tag;
};

static int expected(size_t at, size_t *where, const char *what)
{
    *where = at;
    return cel_fail(NC_EINVAL, "expected %s", what);
}

static size_t skip_digits(const struct constant *c, size_t at)
{
    while (at < c->len && isdigit((unsigned char)c->text[at]))
        at++;
    return at;
}

/* An exponent, if a digit follows the e (and its sign). */
static size_t skip_exponent(const struct constant *c, size_t at)
{
    size_t digits = at + 1;

    if (at >= c->len || (c->text[at] != 'e' && c->text[at] != 'E'))
        return at;
    if (digits < c->len && (c->text[digits] == '+' || c->text[digits] == '-'))
        digits++;
    return skip_digits(c, digits) > digits ? skip_digits(c, digits) : at;
}

static int split(struct constant *c, size_t *where)
{
    size_t start = 0, at, end;

    c->negative = c->len > 0 && c->text[0] == '-';
    start = c->len > 0 && (c->text[0] == '-' || c->text[0] == '+');
    at = skip_digits(c, start);
    if (at == start)
        return expected(start, where, "a number");
    end = at < c->len && c->text[at] == '.' ? skip_digits(c, at + 1) : at;
    end = skip_exponent(c, end);
    c->real = end > at;
    c->digits = end;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (strlen(tags[i].text) == c->len - end && strncasecmp(tags[i].text, c->text + end, c->len - end) == 0) {
            c->tag = tags[i].tag;
            return CEL_OK;
        }
    return expected(end, where, "a comma, '|', the end, or one of the tags b ub s us u l ul f d");
}

static size_t two_words(uint64_t bits, uint32_t words[2])
{
    words[0] = (uint32_t)bits;
    words[1] = (uint32_t)(bits >> 32);
    return 2;
}

static int read_real(const struct constant *c, uint32_t words[2], size_t *n, size_t *where)
{
    uint64_t bits;
    double d;
    float f;

    if (!cel_parse_double(c->text, c->digits, &d))
        return expected(0, where, "a number that fits a double");
    f = (float)d;
    if (c->tag == TAG_F && !isfinite(f))
        return expected(0, where, "a number that fits a float");
    if (c->tag == TAG_F) {
        memcpy(words, &f, sizeof f);
        *n = 1;
        return CEL_OK;
    }
    memcpy(&bits, &d, sizeof bits);
    *n = two_words(bits, words);
    return CEL_OK;
}

/* The integer as 64 bits of two's complement. */
static int read_bits(const struct constant *c, uint64_t *bits, size_t *where)
{
    size_t plus = c->text[0] == '+';
    int64_t i;

    if (c->negative && cel_parse_int(c->text, c->digits, &i)) {
        *bits = (uint64_t)i;
        return CEL_OK;
    }
    if (!c->negative && cel_parse_uint(c->text + plus, c->digits - plus, bits))
        return CEL_OK;
    return expected(0, where, "an integer of at most 64 bits");
}

static int fit(const struct constant *c, uint64_t bits, uint32_t words[2], size_t *n, size_t *where)
{
    int64_t i = (int64_t)bits;

    *n = 1;
    switch (c->tag) {
    case TAG_B:
        words[0] = (uint32_t)(int8_t)bits;
        return CEL_OK;
    case TAG_UB:
        words[0] = (uint8_t)bits;
        return CEL_OK;
    case TAG_S:
        words[0] = (uint32_t)(int16_t)bits;
        return CEL_OK;
    case TAG_US:
        words[0] = (uint16_t)bits;
        return CEL_OK;
    case TAG_U:
        words[0] = (uint32_t)bits;
        return !c->negative && bits <= UINT32_MAX ? CEL_OK
                                                  : expected(0, where, "a number from 0 to 4294967295 before u");
    case TAG_UL:
        *n = two_words(bits, words);
        return !c->negative ? CEL_OK : expected(0, where, "no sign before an unsigned constant");
    case TAG_L:
        *n = two_words(bits, words);
        return c->negative || bits <= INT64_MAX ? CEL_OK : expected(0, where, "a signed 64-bit number before l");
    default:
        words[0] = (uint32_t)bits;
        if (c->negative ? i < INT32_MIN : bits > UINT32_MAX)
            *n = two_words(bits, words);
        return CEL_OK;
    }
}

int cel_spec_constant(const char *text, size_t len, uint32_t words[2], size_t *n, size_t *at)
{
    struct constant c = {.text = text, .len = len};
    uint64_t bits = 0;
    int rc = split(&c, at);

    if (rc != CEL_OK)
        return rc;
    if (c.tag == TAG_F || c.tag == TAG_D)
        return read_real(&c, words, n, at);
    if (c.real)
        return expected(strcspn(text, ".eE"), at,
                        c.tag == NO_TAG ? "tag f or d on a number with a point or exponent"
                                        : "a whole number before this tag");
    rc = read_bits(&c, &bits, at);
    return rc == CEL_OK ? fit(&c, bits, words, n, at) : rc;
}

/* On a machine that keeps the high word first the two change places; that is its
 * own inverse, and all that the specification's double swapping comes to. */
void cel_spec_fix8(unsigned char *mem, bool big_endian)
{
    unsigned char high[4];

    if (!big_endian)
        return;
    memcpy(high, mem, 4);
    memmove(mem, mem + 4, 4);
    memcpy(mem + 4, high, 4);
}
