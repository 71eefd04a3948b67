/* SPDX-License-Identifier: BSD-3-Clause */
/* scaleoffset: HDF5's own filter. Integers are stored as differences to the smallest one,
 * in as few bits as the largest needs; floats and doubles are first rounded to a number
 * of decimal places. The fill value is stored as the highest number that those bits can hold.
 *
 * HDF5 filter 6 ("scaleoffset"), Zarr "cellar.scaleoffset". cd_values as given: type (0
 * reals, 2 integers), factor (decimal places; integers: bits, 0 to find them). As stored:
 * 20 words, the names below. A chunk:
 *
 *   OFFSET  SIZE  MEANING
 *        0     4  bits of an element, low byte first; all bits of its type: as they are
 *        4     1  8, the size of the next field
 *        5     8  the smallest value, low byte first
 *       13     8  0
 *       21        the elements, high bits first, and one byte more
 *
 * Chunks with values that are not finite, or whose differences do not fit the integers, are stored whole;
 * libhdf5 loses such values.
 *
 * {"id": "cellar.scaleoffset", "type": "decimal", "factor": 2} */
#include "bitpack.h"
#include "bytes.h"
#include "codec.h"
#include "codec_buffer.h"
#include "status.h"
#include "dtype.h"
#include <math.h>
#include <netcdf.h>
#include <string.h>

enum { TYPE, FACTOR, COUNT, CLASS, SIZE, SIGN, ORDER, HAS_FILL, FILL, NWORDS = 20 };
enum { REALS = 0, INTEGERS = 2 }; /* TYPE */
#define HEADER 21

static const char *const types[] = {"decimal", "exponent", "int", NULL};

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "type", .kind = CEL_PARAM_CHOICE, .word = TYPE, .min = 0, .max = 2, .fallback = REALS, .choices = types,
     .help = "decimal for float and double; integers are int, whatever is given"},
    {.name = "factor", .kind = CEL_PARAM_INT, .word = FACTOR, .min = 0, .max = 300, .fallback = 0,
     .help = "decimal places kept; integers: bits stored, 0 to find how many are needed"},
    {0},
};
/* clang-format on */

static int check(const struct cel_words *visible)
{
    if (visible->n > TYPE && visible->w[TYPE] != REALS && visible->w[TYPE] != INTEGERS)
        return cel_fail(NC_EINVAL, "scaleoffset: type is %u, must be 0 (decimal) or 2 (int)", visible->w[TYPE]);
    return CEL_OK;
}

static void note_fill(const struct cel_shape *shape, struct cel_words *w)
{
    uint64_t bits = cel_get_word(shape->fill, shape->elem_size, shape->big_endian);

    w->w[HAS_FILL] = 1;
    w->w[FILL] = (uint32_t)bits;
    w->w[FILL + 1] = (uint32_t)(bits >> 32);
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    bool real = shape->kind == CEL_KIND_FLOAT;
    int factor = (int)visible->w[FACTOR];

    if (visible->n == NWORDS)
        return CEL_OK;
    if (!(real && (shape->elem_size == 4 || shape->elem_size == 8)) && shape->kind != CEL_KIND_INT &&
        shape->kind != CEL_KIND_UINT)
        return cel_fail(NC_EFILTER, "scaleoffset: takes integers, float and double only");
    if (real && visible->w[TYPE] != REALS)
        return cel_fail(NC_EINVAL, "scaleoffset: type must be 0 (decimal) for float and double");
    if (!real && (factor < 0 || (size_t)factor > 8 * shape->elem_size))
        return cel_fail(NC_EINVAL, "scaleoffset: factor is %d, must be 0 to the %zu bits of an element", factor,
                        8 * shape->elem_size);
    if (shape->nbytes / shape->elem_size > UINT32_MAX)
        return cel_fail(NC_EFILTER, "scaleoffset: the chunk has too many elements");
    memset(working->w + COUNT, 0, (NWORDS - COUNT) * sizeof *working->w);
    working->n = NWORDS;
    working->w[TYPE] = real ? REALS : INTEGERS;
    working->w[COUNT] = (uint32_t)(shape->nbytes / shape->elem_size);
    working->w[CLASS] = real;
    working->w[SIZE] = (uint32_t)shape->elem_size;
    working->w[SIGN] = shape->kind == CEL_KIND_INT;
    working->w[ORDER] = shape->big_endian;
    if (shape->has_fill)
        note_fill(shape, working);
    return CEL_OK;
}

/* The stored parameters, checked. */
struct setting {
    struct cel_dtype type; /* of the elements */
    size_t n, bits;        /* elements, and bits of one */
    int factor;
    bool has_fill;
    uint64_t fill;
};

static uint64_t mask_of(unsigned bits)
{
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* The type that stored words name; kind 0: none. */
static struct cel_dtype type_of_words(const struct cel_words *w)
{
    static const char kinds[2][9] = {{0, 'i', 'i', 0, 'i', 0, 0, 0, 'i'}, {0, 0, 0, 0, 'f', 0, 0, 0, 'f'}};
    struct cel_dtype type = {.kind = 0};

    if (w->n != NWORDS || w->w[SIZE] > 8 || w->w[CLASS] > 1)
        return type;
    type = (struct cel_dtype){kinds[w->w[CLASS]][w->w[SIZE]], w->w[SIZE], w->w[ORDER] == 1};
    if (type.kind == 'i' && !w->w[SIGN])
        type.kind = 'u';
    return type;
}

static int read_words(const struct cel_words *w, struct setting *s)
{
    struct cel_dtype type = type_of_words(w);
    bool is_real = type.kind == 'f';

    if (!type.kind)
        return cel_fail(NC_EFILTER, "scaleoffset: the stored parameters are of no type there is");
    if (w->w[TYPE] != (is_real ? REALS : INTEGERS))
        return cel_fail(NC_EFILTER, "scaleoffset: scaling of type %u is not possible", w->w[TYPE]);
    *s = (struct setting){.type = type,
                          .n = w->w[COUNT],
                          .bits = 8 * type.size,
                          .factor = (int)w->w[FACTOR],
                          .has_fill =
                              w->w[HAS_FILL] == 1, /* libhdf5 compares with 1; other values come from damage only */
                          .fill = w->w[FILL] | (uint64_t)w->w[FILL + 1] << 32};
    s->fill &= mask_of((unsigned)s->bits);
    if (is_real)
        return CEL_OK;
    s->factor = s->factor < 0 ? 0 : s->factor;
    if ((size_t)s->factor > s->bits)
        return cel_fail(NC_EFILTER, "scaleoffset: %d bits are more than an element has", s->factor);
    return CEL_OK;
}

/* Integers for which all bits of the type were asked are copied, as HDF5 does. */
static bool is_idle(const struct setting *s)
{
    return s->type.kind != 'f' && (size_t)s->factor == s->bits;
}

static bool shape_of(const struct cel_words *working, struct cel_shape *out)
{
    struct setting s;

    if (read_words(working, &s) != CEL_OK)
        return false;
    *out = (struct cel_shape){.elem_size = s.type.size,
                              .big_endian = s.type.big,
                              .rank = 1,
                              .dims = {s.n},
                              .kind = s.type.kind == 'f'   ? CEL_KIND_FLOAT
                                      : s.type.kind == 'i' ? CEL_KIND_INT
                                                           : CEL_KIND_UINT,
                              .nbytes = s.n * s.type.size};
    return out->nbytes > 0;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return HEADER + n + 1;
}

/* Bits that numbers below n take. */
static unsigned bits_below(uint64_t n)
{
    unsigned bits = 0;

    for (n -= 1; n > 0; n >>= 1)
        bits++;
    return bits;
}

static uint64_t stored_size(const struct setting *s, unsigned bits)
{
    return bits == s->bits ? s->n * s->type.size : s->n * s->type.size * bits / s->bits + 1;
}

/* --- integers ---------------------------------------------------------------------------- */

/* The smallest and largest value except the fill value. Signed values are compared with their highest bit inverted. */
CEL_INLINE bool find_range(const struct setting *s, const unsigned char *src, uint64_t turn, uint64_t *least,
                           uint64_t *most, size_t size)
{
    uint64_t min = UINT64_MAX, max = 0;
    bool found = false;

    for (size_t i = 0; i < s->n; i++) {
        uint64_t v = cel_word_load(src + i * size, size, s->type.big);

        if (s->has_fill && v == s->fill)
            continue;
        v ^= turn;
        min = v < min ? v : min;
        max = v > max ? v : max;
        found = true;
    }
    *least = min;
    *most = max;
    return found;
}

static void find_least(const struct setting *s, const void *src, unsigned *bits, uint64_t *least)
{
    uint64_t turn = s->type.kind == 'i' ? UINT64_C(1) << (s->bits - 1) : 0, min, max;

    if (!CEL_BY_SIZE(s->type.size, find_range, s, src, turn, &min, &max))
        min = max = turn; /* HDF5 takes 0 */
    *least = min ^ turn;
    if (s->factor)
        *bits = (unsigned)s->factor;
    else if (max - min > mask_of((unsigned)s->bits) - 2)
        *bits = (unsigned)s->bits;
    else
        *bits = bits_below(max - min + 1 + s->has_fill);
}

/* As HDF5 writes it: extended to 64 bits. */
static uint64_t extended(const struct setting *s, uint64_t v)
{
    return s->type.kind == 'i' && v >> (s->bits - 1) ? v | ~mask_of((unsigned)s->bits) : v;
}

CEL_INLINE void pack_integers(const struct setting *s, const unsigned char *src, unsigned bits, uint64_t least,
                              unsigned char *dst, size_t size)
{
    struct cel_bit_writer out = {.at = dst};
    uint64_t mask = mask_of(bits);

    for (size_t i = 0; i < s->n; i++) {
        uint64_t v = cel_word_load(src + i * size, size, s->type.big);

        cel_bits_put(&out, s->has_fill && v == s->fill ? mask : (v - least) & mask, bits);
    }
    cel_bits_end(&out);
}

CEL_INLINE void unpack_integers(const struct setting *s, struct cel_bit_reader in, unsigned bits, uint64_t least,
                                unsigned char *dst, size_t size)
{
    uint64_t mask = mask_of(bits);

    for (size_t i = 0; i < s->n; i++) {
        uint64_t v = cel_bits_get(&in, bits);

        cel_word_store(dst + i * size, size, s->type.big, s->has_fill && v == mask ? s->fill : v + least);
    }
}

/* --- reals, in the arithmetic of their type ------------------------------------------------ */

#define REAL float
#define NAME(x) x##_float
#define POW powf
#define FABS fabsf
#define LLROUND llroundf
#define ROUND roundf
#define WORD uint32_t
#include "scaleoffset_of.h"
#define REAL double
#define NAME(x) x##_double
#define POW pow
#define FABS fabs
#define LLROUND llround
#define ROUND round
#define WORD uint64_t
#include "scaleoffset_of.h"

/* --- both ---------------------------------------------------------------------------------- */

static void put_header(unsigned char *dst, unsigned bits, uint64_t least)
{
    memset(dst, 0, HEADER);
    cel_put_le32(dst, bits);
    dst[4] = 8;
    cel_put_le32(dst + 5, (uint32_t)least);
    cel_put_le32(dst + 9, (uint32_t)(least >> 32));
}

/* Elements that keep all bits are stored low byte first, as x86 has them. */
static void copy_whole(const struct setting *s, const void *src, void *dst)
{
    size_t size = s->type.size;

    for (size_t i = 0; i < s->n; i++)
        cel_word_store((char *)dst + i * size, size, false,
                       cel_word_load((const char *)src + i * size, size, s->type.big));
}

static void restore_whole(const struct setting *s, const void *src, void *dst)
{
    if (s->type.big)
        copy_whole(s, src, dst); /* swapping undoes swapping */
    else
        memcpy(dst, src, s->n * s->type.size);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    unsigned char *out = dst;
    struct setting s;
    uint64_t least = 0;
    unsigned bits = 0;
    int rc = read_words(coding->words, &s);

    if (rc != CEL_OK)
        return rc;
    if (n != s.n * s.type.size || cap < bound(coding, n))
        return cel_fail(NC_EFILTER, "scaleoffset: the chunk has %zu bytes, expected %zu", n, s.n * s.type.size);
    *len = n;
    if (is_idle(&s)) {
        memcpy(dst, src, n);
        return CEL_OK;
    }
    if (s.type.kind == 'f')
        bits = s.type.size == 4 ? find_least_float(&s, src, &least) : find_least_double(&s, src, &least);
    else
        find_least(&s, src, &bits, &least);
    *len = HEADER + stored_size(&s, bits);
    out[*len - 1] = 0; /* HDF5's byte more, where no element reaches it */
    if (bits == s.bits) {
        put_header(out, bits, 0);
        copy_whole(&s, src, out + HEADER);
        return CEL_OK;
    }
    put_header(out, bits, s.type.kind == 'f' ? least : extended(&s, least));
    if (s.type.kind != 'f')
        CEL_BY_SIZE(s.type.size, pack_integers, &s, src, bits, least, out + HEADER);
    else if (s.type.size == 4)
        pack_float(&s, src, bits, least, out + HEADER);
    else
        pack_double(&s, src, bits, least, out + HEADER);
    return CEL_OK;
}

static int check_chunk(const struct setting *s, const unsigned char *src, size_t n, size_t cap)
{
    if (s->n * s->type.size > cap)
        return cel_fail(NC_EFILTER, "scaleoffset: the output buffer is too small for %zu bytes", s->n * s->type.size);
    if (is_idle(s))
        return n == s->n * s->type.size
                   ? CEL_OK
                   : cel_fail(NC_EFILTER, "scaleoffset: the chunk has %zu bytes, expected %zu", n, s->n * s->type.size);
    if (n < HEADER)
        return cel_fail(NC_EFILTER, "scaleoffset: %zu bytes cannot hold a header", n);
    if (cel_get_le32(src) > s->bits)
        return cel_fail(NC_EFILTER, "scaleoffset: elements of %u bits are not possible", cel_get_le32(src));
    if (n - HEADER != stored_size(s, cel_get_le32(src)))
        return cel_fail(NC_EFILTER, "scaleoffset: the chunk has %zu bytes behind its header, expected %llu", n - HEADER,
                        (unsigned long long)stored_size(s, cel_get_le32(src)));
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const unsigned char *in = src;
    struct cel_bit_reader packed;
    struct setting s;
    uint64_t least;
    unsigned bits;
    int rc = read_words(coding->words, &s);

    if (rc == CEL_OK)
        rc = check_chunk(&s, in, n, cap);
    if (rc != CEL_OK)
        return rc;
    *len = s.n * s.type.size;
    if (is_idle(&s)) {
        memcpy(dst, src, n);
        return CEL_OK;
    }
    bits = cel_get_le32(in);
    least = cel_get_le(in + 5, in[4] < 8 ? in[4] : 8); /* the header says how many of its bytes count */
    packed = (struct cel_bit_reader){.at = in + HEADER, .end = in + n};
    if (bits == s.bits)
        restore_whole(&s, in + HEADER, dst);
    else if (s.type.kind != 'f')
        CEL_BY_SIZE(s.type.size, unpack_integers, &s, packed, bits, least, dst);
    else if (s.type.size == 4)
        unpack_float(&s, packed, bits, least, dst);
    else
        unpack_double(&s, packed, bits, least, dst);
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_scaleoffset = {
    .name = "scaleoffset", .hdf5_id = 6, .label = "scaleoffset",
    .about = "integers in the bits they need; reals to a number of decimal places",
    .flags = CEL_CODEC_COMPRESSOR | CEL_CODEC_LOSSY | CEL_CODEC_NEEDS_ELEMENTS, .params = params, .max_words = 2,
    .check = check, .prepare = prepare, .shape_of = shape_of,
    .bound = bound, .decoded_size = cel_whole_chunk, .encode = encode, .decode = decode,
};
/* clang-format on */
