/* SPDX-License-Identifier: BSD-3-Clause */
/* nbit: HDF5's own filter for types that do not use all bits of their bytes. netCDF's types use all of
 * them, so the filter does nothing on a variable defined here, as in libhdf5. Chunks that other programs
 * have packed are unpacked.
 *
 * HDF5 filter 5 ("nbit"), Zarr "cellar.nbit". No cd_values are given; as stored: their
 * number, 1 if there is nothing to do, number of elements, class (1 number, 4 any other),
 * size, byte order (0 low byte first), bits in use, and how many unused ones lie below.
 * Chunks: the bits in use of each element, high bit first, and up to one byte more.
 * {"id": "cellar.nbit"} */
#include "bitpack.h"
#include "codec.h"
#include "codec_buffer.h"
#include "status.h"
#include "dtype.h"
#include <netcdf.h>
#include <string.h>

enum { NUMBER, IDLE, COUNT, CLASS, SIZE, ORDER, BITS, BELOW, NWORDS };
enum { ATOMIC = 1, OTHER = 4 }; /* CLASS */

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    bool number = shape->kind == CEL_KIND_INT || shape->kind == CEL_KIND_UINT || shape->kind == CEL_KIND_FLOAT;

    if (visible->n > 0)
        return CEL_OK;
    if (shape->nbytes / shape->elem_size > UINT32_MAX || shape->elem_size > UINT32_MAX)
        return cel_fail(NC_EFILTER, "nbit: the chunk has too many elements");
    working->n = number ? NWORDS : ORDER;
    working->w[NUMBER] = (uint32_t)working->n;
    working->w[IDLE] = 1;
    working->w[COUNT] = (uint32_t)(shape->nbytes / shape->elem_size);
    working->w[CLASS] = number ? ATOMIC : OTHER;
    working->w[SIZE] = (uint32_t)shape->elem_size;
    working->w[ORDER] = shape->big_endian;
    working->w[BITS] = (uint32_t)shape->elem_size * 8;
    working->w[BELOW] = 0;
    return CEL_OK;
}

static void reveal(const struct cel_words *working, struct cel_words *visible)
{
    visible->n = 0;
}

static bool is_idle(const struct cel_words *w)
{
    return w->n > IDLE && w->w[IDLE] != 0;
}

struct setting {
    struct cel_dtype type;
    size_t n;
    unsigned bits, below;
};

static int read_words(const struct cel_words *w, struct setting *s)
{
    size_t size = w->n == NWORDS ? w->w[SIZE] : 0;

    if (w->n != NWORDS || w->w[NUMBER] != NWORDS || w->w[CLASS] != ATOMIC ||
        (size != 1 && size != 2 && size != 4 && size != 8))
        return cel_fail(NC_EFILTER, "nbit: only numbers of 1, 2, 4 and 8 bytes are unpacked here");
    *s = (struct setting){{'u', size, w->w[ORDER] == 1}, w->w[COUNT], w->w[BITS], w->w[BELOW]};
    if (s->bits == 0 || s->bits > 8 * size || s->below > 8 * size - s->bits)
        return cel_fail(NC_EFILTER, "nbit: %u bits above %u do not fit an element of %zu bytes", s->bits, s->below,
                        size);
    return CEL_OK;
}

static uint64_t mask_of(unsigned bits)
{
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

static bool shape_of(const struct cel_words *working, struct cel_shape *out)
{
    if (working->n < ORDER || working->w[SIZE] == 0 || working->w[COUNT] == 0)
        return false;
    *out = (struct cel_shape){.elem_size = working->w[SIZE],
                              .rank = 1,
                              .dims = {working->w[COUNT]},
                              .nbytes = (size_t)working->w[SIZE] * working->w[COUNT]};
    return true;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return n + 1;
}

static int copy(const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    if (n > cap)
        return cel_fail(NC_EFILTER, "nbit: the chunk has %zu bytes, expected at most %zu", n, cap);
    memcpy(dst, src, n);
    *len = n;
    return CEL_OK;
}

CEL_INLINE void pack(const struct setting *s, const unsigned char *src, void *dst, size_t size)
{
    struct cel_bit_writer out = {.at = dst};
    uint64_t mask = mask_of(s->bits);

    for (size_t i = 0; i < s->n; i++)
        cel_bits_put(&out, cel_word_load(src + i * size, size, s->type.big) >> s->below & mask, s->bits);
    cel_bits_end(&out);
}

CEL_INLINE void unpack(const struct setting *s, const unsigned char *src, size_t n, unsigned char *dst, size_t size)
{
    struct cel_bit_reader in = {.at = src, .end = src + n};

    for (size_t i = 0; i < s->n; i++)
        cel_word_store(dst + i * size, size, s->type.big, cel_bits_get(&in, s->bits) << s->below);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct setting s = {.n = 0};
    int rc;

    if (is_idle(coding->words))
        return copy(src, n, dst, cap, len);
    rc = read_words(coding->words, &s);
    if (rc != CEL_OK)
        return rc;
    if (n != s.n * s.type.size || cap < bound(coding, n))
        return cel_fail(NC_EFILTER, "nbit: the chunk has %zu bytes, expected %zu", n, s.n * s.type.size);
    *len = s.n * s.bits / 8 + 1;
    ((unsigned char *)dst)[*len - 1] = 0; /* libhdf5 writes one byte more than the bits need */
    CEL_BY_SIZE(s.type.size, pack, &s, src, dst);
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct setting s = {.n = 0};
    int rc;

    if (is_idle(coding->words))
        return copy(src, n, dst, cap, len);
    rc = read_words(coding->words, &s);
    if (rc != CEL_OK)
        return rc;
    if (s.n * s.type.size > cap)
        return cel_fail(NC_EFILTER, "nbit: the output buffer is too small for %zu bytes", s.n * s.type.size);
    if (n < (s.n * s.bits + 7) / 8 || n > s.n * s.bits / 8 + 1)
        return cel_fail(NC_EFILTER, "nbit: the chunk has %zu bytes, expected %zu", n, s.n * s.bits / 8 + 1);
    CEL_BY_SIZE(s.type.size, unpack, &s, src, n, dst);
    *len = s.n * s.type.size;
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_nbit = {
    .name = "nbit", .hdf5_id = 5, .label = "nbit",
    .about = "numbers without their unused bits, of which netCDF's types have none",
    .flags = CEL_CODEC_NEEDS_ELEMENTS, .max_ratio = 64,
    .prepare = prepare, .reveal = reveal, .shape_of = shape_of,
    .bound = bound, .decoded_size = cel_whole_chunk, .encode = encode, .decode = decode,
};
/* clang-format on */
