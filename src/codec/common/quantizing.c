/* SPDX-License-Identifier: BSD-3-Clause */
#include "quantizing.h"
#include "convert.h"
#include "status.h"
#include <string.h>

enum { WORD_DIGITS, WORD_SIZE, WORD_HAS_FILL, WORD_FILL };

/* clang-format off */
const struct cel_param cel_quantizing_digits[] = {
    {.name = "nsd", .kind = CEL_PARAM_UINT, .word = WORD_DIGITS, .min = 1, .max = NC_QUANTIZE_MAX_DOUBLE_NSD, .fallback = 3,
     .help = "significant decimal digits, up to 6 for float"},
    {0},
};
/* clang-format on */

static int mode_of(const struct cel_codec *codec)
{
    return codec->hdf5_id == 32022   ? NC_QUANTIZE_BITGROOM
           : codec->hdf5_id == 32023 ? NC_QUANTIZE_GRANULARBR
                                     : NC_QUANTIZE_BITROUND;
}

static bool is_complete(const struct cel_words *words)
{
    return words->n == CEL_QUANTIZING_WORDS && words->w[WORD_SIZE] != 0;
}

static bool is_native(const struct cel_shape *shape)
{
    const uint16_t one = 1;

    return shape->big_endian == (*(const unsigned char *)&one == 0);
}

static void note_fill(const struct cel_shape *shape, struct cel_words *working)
{
    unsigned char fill[8] = {0};
    uint32_t narrow;
    uint64_t bits;

    memcpy(fill, shape->fill, shape->elem_size);
    if (!is_native(shape))
        cel_swap_bytes(fill, fill, 1, shape->elem_size);
    memcpy(&narrow, fill, sizeof narrow);
    memcpy(&bits, fill, sizeof bits);
    if (shape->elem_size == sizeof narrow)
        bits = narrow;
    working->w[WORD_HAS_FILL] = 1;
    working->w[WORD_FILL] = (uint32_t)bits;
    working->w[WORD_FILL + 1] = (uint32_t)(bits >> 32);
}

int cel_quantizing_prepare(const struct cel_codec *codec, const struct cel_words *visible,
                           const struct cel_shape *shape, struct cel_words *working)
{
    int most = cel_quantize_max(mode_of(codec), shape->elem_size == 4 ? NC_FLOAT : NC_DOUBLE);
    uint32_t digits = visible->n ? visible->w[WORD_DIGITS] : (uint32_t)codec->params->fallback;

    if (is_complete(visible))
        return CEL_OK;
    if (shape->kind != CEL_KIND_FLOAT || (shape->elem_size != 4 && shape->elem_size != 8))
        return cel_fail(NC_EFILTER, "%s: only float and double values can be quantized", codec->name);
    if (digits > (uint32_t)most)
        return cel_fail(NC_EFILTER, "%s: %s=%u is more than values of %zu bytes have; at most %d", codec->name,
                        codec->params->name, (unsigned)digits, shape->elem_size, most);
    working->n = CEL_QUANTIZING_WORDS;
    working->w[WORD_DIGITS] = digits;
    memset(working->w + WORD_SIZE, 0, (CEL_QUANTIZING_WORDS - WORD_SIZE) * sizeof *working->w);
    working->w[WORD_SIZE] = (uint32_t)shape->elem_size;
    if (shape->has_fill)
        note_fill(shape, working);
    return CEL_OK;
}

void cel_quantizing_reveal(const struct cel_words *working, struct cel_words *visible)
{
    visible->n = working->n ? 1 : 0;
    visible->w[WORD_DIGITS] = working->w[WORD_DIGITS];
}

/* Words that are not valid only prevent encoding: the context then has no quantizer, and decoding works. */
int cel_quantizing_context(const struct cel_words *words, int mode, enum cel_ties ties, void **context)
{
    uint64_t wide;
    uint32_t narrow;
    struct cel_quantizer *q = NULL;
    struct cel_quantize_setting s = {.mode = mode, .ties = ties};
    int rc;

    *context = NULL;
    if (!is_complete(words) || words->w[WORD_DIGITS] > 64 || (words->w[WORD_SIZE] != 4 && words->w[WORD_SIZE] != 8))
        return CEL_OK;
    s.digits = (int)words->w[WORD_DIGITS];
    s.type = words->w[WORD_SIZE] == 4 ? NC_FLOAT : NC_DOUBLE;
    narrow = words->w[WORD_FILL];
    wide = narrow | (uint64_t)words->w[WORD_FILL + 1] << 32;
    if (words->w[WORD_HAS_FILL])
        s.fill = s.type == NC_FLOAT ? (const void *)&narrow : (const void *)&wide;
    rc = cel_quantizer_make(&s, &q);
    *context = q;
    return rc == NC_EINVAL ? CEL_OK : rc;
}

void cel_quantizing_free_context(void *context)
{
    cel_quantizer_free(context);
}

int cel_quantizing_encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap,
                          size_t *len)
{
    const struct cel_words *words = coding->words;
    size_t size = words->n > WORD_SIZE ? words->w[WORD_SIZE] : 0, count;

    if (!coding->context)
        return cel_fail(NC_EFILTER, "%s: cannot keep %s=%u of values of %zu bytes", coding->codec->name,
                        coding->codec->params->name, words->n ? (unsigned)words->w[WORD_DIGITS] : 0, size);
    if (n > cap)
        return cel_fail(NC_EFILTER, "%s: the chunk has %zu bytes, expected at most %zu", coding->codec->name, n, cap);
    count = n / size;
    if (is_native(coding->shape)) {
        cel_quantize(coding->context, dst, src, count, 0, NULL);
    } else {
        cel_swap_bytes(dst, src, count, size);
        cel_quantize(coding->context, dst, dst, count, 0, NULL);
        cel_swap_bytes(dst, dst, count, size);
    }
    if (n > count * size)
        memcpy((char *)dst + count * size, (const char *)src + count * size, n - count * size);
    *len = n;
    return CEL_OK;
}

int cel_quantizing_decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap,
                          size_t *len)
{
    if (n > cap)
        return cel_fail(NC_EFILTER, "%s: the chunk has %zu bytes, expected at most %zu", coding->codec->name, n, cap);
    if (n) /* an empty chunk may have no memory */
        memcpy(dst, src, n);
    *len = n;
    return CEL_OK;
}
