/* SPDX-License-Identifier: BSD-3-Clause */
/* libzfp within bounds. Three things libzfp leaves to its caller:
 *
 * 1. Reading within the chunk. Its decoder reads on behind the end of a chunk that was cut short, and
 *    checks nothing. It gets a copy of the chunk, padded with zeros to the largest size that a chunk of
 *    these settings can have (stream_bound), and what it has used must be what the chunk had:
 *
 *        | chunk: n bytes | zeros ............................ |
 *        0                n                        stream_bound, rounded up
 *        used < n: more follows than padding         used > n: cut short
 *
 * 2. Settings that it cannot run with. A block starts with an exponent and, in reversible mode, a number
 *    of bit planes, whatever maxbits says. With a smaller maxbits libzfp counts below zero and leaves
 *    its buffer. Such settings are refused when they are given and when a file holds them (block_head).
 *
 * 3. Keeping the accuracy. In accuracy mode libzfp gives errors of at most 2^minexp, provided the values
 *    allow it. It codes a block of 4^d values as integers relative to the largest of them, so it has only
 *    as many bit planes as the type has bits:
 *
 *        exponent of the largest value in the block
 *        |  bit planes, as many as the type has bits
 *        v
 *        |==================|==========|  lost
 *                           ^ 2^minexp, and 2 (d + 1) planes below it that the transform needs
 *
 *    A fill value of 1e20 beside data of 1e2 pushes the data off the end. NaN and infinities have no
 *    exponent at all. So before encoding in a lossy mode the largest exponent of the chunk is found
 *    (peak_of); not finite: CEL_SKIP. If the planes needed come close to those there are
 *    (may_break_bound, with a margin of 4), the chunk is decoded again and every value compared
 *    (bound_holds); a value that is off by more: CEL_SKIP. Callers then store the chunk exactly.
 *
 *    The test costs one pass over the chunk; decoding again is needed only near the limit, so usual
 *    chunks do not pay for it. What would break it: a zfp whose transform needs more guard planes. */
#include "zfp_core.h"
#include "bytes.h"
#include "convert.h"
#include "mem.h"
#include "status.h"
#include <limits.h>
#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

static const char *const modes[] = {"none", "rate", "precision", "accuracy", "expert", "reversible", NULL};

/* clang-format off */
const struct cel_param cel_zfp_params[] = {
    {.name = "mode", .kind = CEL_PARAM_CHOICE, .word = 0, .min = 1, .max = 4294967295.0, .fallback = CEL_ZFP_REVERSIBLE,
     .choices = modes, .help = "rate, precision, accuracy, expert or reversible"},
    {.name = "rate", .kind = CEL_PARAM_DOUBLE, .word = 2, .min = 0.0625, .max = 128, .fallback = 16,
     .when_word = 0, .when_value = CEL_ZFP_RATE, .help = "bits stored for each value"},
    {.name = "precision", .kind = CEL_PARAM_UINT, .word = 2, .min = 1, .max = ZFP_MAX_PREC, .fallback = 32,
     .when_word = 0, .when_value = CEL_ZFP_PRECISION, .help = "bit planes kept"},
    {.name = "accuracy", .json = "tolerance", .kind = CEL_PARAM_DOUBLE, .word = 2, .min = 0, .max = 1.7e308,
     .fallback = 0, .when_word = 0, .when_value = CEL_ZFP_ACCURACY, .help = "largest error allowed"},
    {.name = "minbits", .kind = CEL_PARAM_UINT, .word = 2, .min = 0, .max = ZFP_MAX_BITS, .fallback = ZFP_MIN_BITS,
     .when_word = 0, .when_value = CEL_ZFP_EXPERT, .help = "least bits of a block"},
    {.name = "maxbits", .kind = CEL_PARAM_UINT, .word = 3, .min = 1, .max = ZFP_MAX_BITS, .fallback = ZFP_MAX_BITS,
     .when_word = 0, .when_value = CEL_ZFP_EXPERT, .help = "most bits of a block"},
    {.name = "maxprec", .kind = CEL_PARAM_UINT, .word = 4, .min = 1, .max = ZFP_MAX_PREC, .fallback = ZFP_MAX_PREC,
     .when_word = 0, .when_value = CEL_ZFP_EXPERT, .help = "most bit planes kept"},
    {.name = "minexp", .kind = CEL_PARAM_INT, .word = 5, .min = ZFP_MIN_EXP, .max = 1023, .fallback = ZFP_MIN_EXP,
     .when_word = 0, .when_value = CEL_ZFP_EXPERT, .help = "exponent of the lowest bit plane kept"},
    {0},
};
/* clang-format on */

#define HEADER_BYTES ((ZFP_HEADER_MAX_BITS + 63) / 64 * 8) /* whole words of any stream */

static bool is_stored(const struct cel_words *words)
{
    return words->n >= 4 && words->w[0] >> 16 != 0;
}

int cel_zfp_check(const struct cel_words *visible)
{
    if (!is_stored(visible) && (visible->w[0] < CEL_ZFP_RATE || visible->w[0] > CEL_ZFP_REVERSIBLE))
        return cel_fail(NC_EINVAL,
                        "zfp: mode is %u, must be 1 (rate), 2 (precision), 3 (accuracy), 4 (expert) or 5 "
                        "(reversible)",
                        visible->w[0]);
    if (visible->w[0] == CEL_ZFP_EXPERT && visible->w[2] > visible->w[3])
        return cel_fail(NC_EINVAL, "zfp: minbits is %u, more than maxbits, which is %u", visible->w[2], visible->w[3]);
    return CEL_OK;
}

static zfp_type type_of(const struct cel_shape *shape)
{
    bool is_wide = shape->elem_size == 8;

    if (shape->elem_size != 4 && shape->elem_size != 8)
        return zfp_type_none;
    if (shape->kind == CEL_KIND_FLOAT)
        return is_wide ? zfp_type_double : zfp_type_float;
    if (shape->kind == CEL_KIND_INT || shape->kind == CEL_KIND_UINT)
        return is_wide ? zfp_type_int64 : zfp_type_int32;
    return zfp_type_none;
}

/* Bits of the length of an axis in zfp's header, by the number of axes. */
static const int axis_bits[] = {0, 48, 24, 16, 12};

static bool fits_header(const size_t *dims, int ndims)
{
    for (int d = 0; d < ndims; d++)
        if (dims[d] == 0 || (dims[d] - 1) >> axis_bits[ndims] != 0)
            return false;
    return true;
}

static size_t product(const size_t *dims, int n)
{
    size_t p = 1;

    for (int d = 0; d < n; d++)
        p *= dims[d];
    return p;
}

/* If an axis is too long for the header, all but the fastest are joined; if that is still too long, all. */
static int set_axes(zfp_field *field, const size_t *dims, int ndims)
{
    size_t flat[2];

    if (!fits_header(dims, ndims)) {
        flat[0] = product(dims, ndims - 1);
        flat[1] = dims[ndims - 1];
        dims = flat;
        ndims = 2;
        if (!fits_header(dims, 2)) {
            flat[0] *= flat[1];
            ndims = 1;
        }
    }
    field->nx = dims[ndims - 1];
    field->ny = ndims > 1 ? dims[ndims - 2] : 0;
    field->nz = ndims > 2 ? dims[ndims - 3] : 0;
    field->nw = ndims > 3 ? dims[ndims - 4] : 0;
    return fits_header(dims, ndims) ? ndims : 0;
}

/* libzfp's settings from the visible words. */
static int set_mode(const struct cel_words *visible, zfp_type type, int ndims, zfp_stream *stream)
{
    static const size_t needs[] = {0, 4, 3, 4, 6, 1};
    const uint32_t *w = visible->w;
    uint32_t mode = visible->n ? w[0] : CEL_ZFP_REVERSIBLE;

    if (mode < CEL_ZFP_RATE || mode > CEL_ZFP_REVERSIBLE || (visible->n && visible->n < needs[mode]))
        return cel_fail(NC_EFILTER, "zfp: mode %u with %zu parameters is not possible", mode, visible->n);
    switch (mode) {
    case CEL_ZFP_RATE:
        zfp_stream_set_rate(stream, cel_words_double(w + 2), type, (uint)ndims, zfp_false);
        return CEL_OK;
    case CEL_ZFP_PRECISION:
        zfp_stream_set_precision(stream, w[2]);
        return CEL_OK;
    case CEL_ZFP_ACCURACY:
        if (type == zfp_type_int32 || type == zfp_type_int64)
            return cel_fail(NC_EFILTER, "zfp: accuracy works on float and double only; use precision, rate or "
                                        "reversible for integers");
        zfp_stream_set_accuracy(stream, cel_words_double(w + 2));
        return CEL_OK;
    case CEL_ZFP_EXPERT:
        if (!zfp_stream_set_params(stream, w[2], w[3], w[4], (int)w[5]))
            return cel_fail(NC_EINVAL, "zfp: minbits %u, maxbits %u, maxprec %u, minexp %d do not go together", w[2],
                            w[3], w[4], (int)w[5]);
        return CEL_OK;
    default:
        zfp_stream_set_reversible(stream);
        return CEL_OK;
    }
}

static bool is_real(const struct cel_zfp *z)
{
    return z->field.type == zfp_type_float || z->field.type == zfp_type_double;
}

/* Bits that every block starts with: its exponent and, in a reversible stream, the number of its planes. maxbits
 * must not be less: see the head of this file. */
static uint block_head(const struct cel_zfp *z)
{
    bool is_wide = zfp_type_size(z->field.type) == 8;
    uint planes = z->stream.minexp < ZFP_MIN_EXP ? (is_wide ? 6 : 5) + is_real(z) : 0;

    return planes + (is_real(z) ? 1 + (is_wide ? 11 : 8) : 0);
}

/* The first stored word: versions of library and format, as H5Z-ZFP 1.1.0 stamps it. */
static uint32_t stamp(void)
{
    return (uint32_t)ZFP_VERSION << 16 | (uint32_t)ZFP_CODEC << 12 | 0x0110;
}

static int write_header(const struct cel_zfp *z, unsigned char bytes[HEADER_BYTES], size_t *nbits)
{
    uint64_t buffer[HEADER_BYTES / 8] = {0};
    bitstream *bits = stream_open(buffer, sizeof buffer);
    zfp_stream stream = z->stream;

    if (!bits)
        return cel_fail(NC_ENOMEM, "zfp: no memory for a header");
    stream.stream = bits;
    *nbits = zfp_write_header(&stream, &z->field, ZFP_HEADER_FULL);
    stream_flush(bits);
    stream_close(bits);
    memcpy(bytes, buffer, HEADER_BYTES);
    return *nbits ? CEL_OK : cel_fail(NC_EFILTER, "zfp: the chunk does not fit its header");
}

static int store_header(const struct cel_zfp *z, struct cel_words *working)
{
    unsigned char bytes[HEADER_BYTES];
    size_t nbits = 0, i;
    int rc = write_header(z, bytes, &nbits);

    if (rc != CEL_OK)
        return rc;
    working->w[0] = stamp();
    working->n = 1 + (nbits + 31) / 32;
    for (i = 1; i < working->n; i++)
        working->w[i] = z->big_endian ? cel_get_be32(bytes + 4 * (i - 1)) : cel_get_le32(bytes + 4 * (i - 1));
    return CEL_OK;
}

int cel_zfp_prepare(const struct cel_words *visible, const struct cel_shape *shape, const size_t *dims, int ndims,
                    struct cel_words *working)
{
    struct cel_zfp z = {.field.type = type_of(shape), .big_endian = shape->big_endian};
    struct cel_words given = *visible;
    int rc;

    if (z.field.type == zfp_type_none)
        return cel_fail(NC_EFILTER, "zfp: takes 32- and 64-bit integers, float and double only");
    if (shape->nbytes == 0)
        return cel_fail(NC_EFILTER, "zfp: a chunk without elements cannot be compressed");
    if (is_stored(visible)) {
        struct cel_zfp stored;

        if (cel_zfp_from_words(visible, shape, &stored) == CEL_OK && stored.big_endian == shape->big_endian)
            return CEL_OK;
        cel_zfp_reveal(visible, &given);
    }
    ndims = set_axes(&z.field, dims, ndims);
    if (ndims == 0)
        return cel_fail(NC_EFILTER, "zfp: the chunk has too many elements");
    rc = set_mode(&given, z.field.type, ndims, &z.stream);
    if (rc == CEL_OK && z.stream.maxbits < block_head(&z))
        rc = cel_fail(NC_EINVAL, "zfp: maxbits %u is less than the %u bits that every block of this type has",
                      z.stream.maxbits, block_head(&z));
    return rc == CEL_OK ? store_header(&z, working) : rc;
}

static void reveal_mode(const zfp_stream *stream, unsigned ndims, struct cel_words *visible)
{
    uint32_t *w = visible->w;
    int minexp;

    memset(w, 0, CEL_ZFP_WORDS * sizeof *w);
    switch (zfp_stream_compression_mode(stream)) {
    case zfp_mode_fixed_rate:
        w[0] = CEL_ZFP_RATE;
        visible->n = 4;
        cel_words_set_double(zfp_stream_rate(stream, ndims), w + 2);
        break;
    case zfp_mode_fixed_precision:
        w[0] = CEL_ZFP_PRECISION;
        visible->n = 3;
        w[2] = zfp_stream_precision(stream);
        break;
    case zfp_mode_fixed_accuracy:
        w[0] = CEL_ZFP_ACCURACY;
        visible->n = 4;
        cel_words_set_double(zfp_stream_accuracy(stream), w + 2);
        break;
    case zfp_mode_reversible:
        w[0] = CEL_ZFP_REVERSIBLE;
        visible->n = 1;
        break;
    default:
        w[0] = CEL_ZFP_EXPERT;
        visible->n = 6;
        zfp_stream_params(stream, &w[2], &w[3], &w[4], &minexp);
        w[5] = (uint32_t)minexp;
    }
}

/* The bytes of zfp's header from stored words. Returns whether the words have them high byte first: the
 * first byte of a header is a 'z', which tells. */
static bool header_bytes(const struct cel_words *words, unsigned char bytes[HEADER_BYTES])
{
    bool big_endian = words->w[1] >> 24 == 'z' && (words->w[1] & 0xff) != 'z';

    memset(bytes, 0, HEADER_BYTES);
    for (size_t i = 1; i < words->n && i < CEL_ZFP_WORDS; i++)
        if (big_endian)
            cel_put_be32(bytes + 4 * (i - 1), words->w[i]);
        else
            cel_put_le32(bytes + 4 * (i - 1), words->w[i]);
    return big_endian;
}

/* True when the bytes hold a header; nothing is checked against a shape. */
static bool parse_header(const void *bytes, size_t n, struct cel_zfp *out)
{
    uint64_t buffer[HEADER_BYTES / 8] = {0};
    struct cel_zfp z = {.field.type = zfp_type_none};
    bitstream *bits = stream_open(buffer, sizeof buffer);
    size_t nbits;

    memcpy(buffer, bytes, n < sizeof buffer ? n : sizeof buffer);
    if (!bits)
        return false;
    z.stream.stream = bits;
    nbits = zfp_read_header(&z.stream, &z.field, ZFP_HEADER_FULL);
    stream_close(bits);
    z.stream.stream = NULL;
    z.header = nbits / 8;
    *out = z;
    return nbits != 0 && nbits <= 8 * n;
}

void cel_zfp_reveal(const struct cel_words *working, struct cel_words *visible)
{
    unsigned char bytes[HEADER_BYTES];
    struct cel_zfp z;

    *visible = *working;
    if (!is_stored(working))
        return;
    header_bytes(working, bytes);
    if (parse_header(bytes, sizeof bytes, &z))
        reveal_mode(&z.stream, zfp_field_dimensionality(&z.field), visible);
}

/* An axis that is not there has length 0. */
static bool has_size(const zfp_field *f, size_t n)
{
    size_t p;

    return f->nx > 0 && cel_mul(f->nx, f->ny ? f->ny : 1, &p) && cel_mul(p, f->nz ? f->nz : 1, &p) &&
           cel_mul(p, f->nw ? f->nw : 1, &p) && p == n;
}

int cel_zfp_read(const void *bytes, size_t n, const struct cel_shape *shape, struct cel_zfp *out)
{
    if (!parse_header(bytes, n, out))
        return cel_fail(NC_EFILTER, "zfp: the header is damaged, or of another version of zfp");
    if (out->field.type != type_of(shape) || !has_size(&out->field, shape->nbytes / shape->elem_size))
        return cel_fail(NC_EFILTER, "zfp: the header is for another type or size than the chunk has");
    if (out->stream.minbits > out->stream.maxbits || out->stream.maxbits > ZFP_MAX_BITS ||
        out->stream.maxbits < block_head(out))
        return cel_fail(NC_EFILTER, "zfp: the header holds impossible settings");
    return CEL_OK;
}

int cel_zfp_from_words(const struct cel_words *words, const struct cel_shape *shape, struct cel_zfp *out)
{
    unsigned char bytes[HEADER_BYTES];
    bool big_endian;
    int rc;

    if (!is_stored(words))
        return cel_fail(NC_EFILTER, "zfp: the stored parameters hold no header");
    big_endian = header_bytes(words, bytes);
    rc = cel_zfp_read(bytes, sizeof bytes, shape, out);
    out->big_endian = big_endian;
    return rc;
}

bool cel_zfp_shape(const struct cel_words *words, struct cel_shape *out)
{
    unsigned char bytes[HEADER_BYTES];
    bool big_endian = is_stored(words) && header_bytes(words, bytes), is_float;
    size_t dims[4];
    struct cel_zfp z;
    int d;

    if (!is_stored(words) || !parse_header(bytes, sizeof bytes, &z))
        return false;
    is_float = z.field.type == zfp_type_float || z.field.type == zfp_type_double;
    *out = (struct cel_shape){.elem_size = zfp_type_size(z.field.type),
                              .kind = is_float ? CEL_KIND_FLOAT : CEL_KIND_INT,
                              .big_endian = big_endian,
                              .rank = (int)zfp_field_dimensionality(&z.field)};
    zfp_field_size(&z.field, dims); /* fastest first */
    out->nbytes = out->elem_size;
    for (d = 0; d < out->rank; d++) {
        out->dims[d] = dims[out->rank - 1 - d];
        if (!cel_mul(out->nbytes, out->dims[d], &out->nbytes))
            return false;
    }
    return out->nbytes > 0;
}

/* --- running ---------------------------------------------------------------------- */

static bool needs_swap(const struct cel_zfp *z)
{
    const uint16_t one = 1;

    return z->big_endian == (*(const unsigned char *)&one == 1);
}

static bool is_aligned(const void *p, size_t size)
{
    return (uintptr_t)p % size == 0;
}

static size_t stream_bound(struct cel_zfp *z)
{
    return zfp_stream_maximum_size(&z->stream, &z->field);
}

static bool is_lossy_real(const struct cel_zfp *z)
{
    return is_real(z) && zfp_stream_compression_mode(&z->stream) != zfp_mode_reversible;
}

/* An exponent above that of every value; INT_MAX: they are not all finite. */
static int peak_of(const zfp_field *field, size_t n)
{
    int e;

    if (field->type == zfp_type_float) {
        const uint32_t *bits = field->data;
        uint32_t most = 0;
        float v;

        for (size_t i = 0; i < n; i++)
            most = (bits[i] & INT32_MAX) > most ? bits[i] & INT32_MAX : most;
        memcpy(&v, &most, sizeof v);
        frexpf(v, &e);
        return isfinite(v) ? e : INT_MAX;
    } else {
        const uint64_t *bits = field->data;
        uint64_t most = 0;
        double v;

        for (size_t i = 0; i < n; i++)
            most = (bits[i] & INT64_MAX) > most ? bits[i] & INT64_MAX : most;
        memcpy(&v, &most, sizeof v);
        frexp(v, &e);
        return isfinite(v) ? e : INT_MAX;
    }
}

/* Whether a block may need more bit planes than it has, as drawn at the head of this file. Then the
 * error must be measured. */
static bool may_break_bound(const struct cel_zfp *z, int peak)
{
    int planes = (int)zfp_type_size(z->field.type) * 8, ndims = (int)zfp_field_dimensionality(&z->field);

    return zfp_stream_compression_mode(&z->stream) == zfp_mode_fixed_accuracy &&
           peak - z->stream.minexp + 2 * (ndims + 1) > planes - 4;
}

static bool is_within(const zfp_field *field, const void *decoded, size_t n, double bound)
{
    const float *f = field->data, *g = decoded;
    const double *d = field->data, *e = decoded;

    if (field->type == zfp_type_float) {
        for (size_t i = 0; i < n; i++)
            if (!(fabs((double)f[i] - g[i]) <= bound))
                return false;
    } else {
        for (size_t i = 0; i < n; i++)
            if (!(fabs(d[i] - e[i]) <= bound))
                return false;
    }
    return true;
}

/* Decodes what was just encoded into `buffer`, and compares; CEL_SKIP: an error is too large. */
static int bound_holds(const struct cel_zfp *z, size_t n, void *encoded, size_t cap, void *buffer)
{
    zfp_stream stream = z->stream;
    zfp_field field = z->field;

    stream.stream = stream_open(encoded, cap);
    if (!stream.stream)
        return cel_fail(NC_ENOMEM, "zfp: no memory for a stream");
    field.data = buffer;
    zfp_decompress(&stream, &field);
    stream_close(stream.stream);
    return is_within(&z->field, buffer, n, ldexp(1, z->stream.minexp)) ? CEL_OK : CEL_SKIP;
}

/* Sets field.data to the elements in native byte order and aligned: src itself, or a copy in the buffer,
 * which has `more` bytes behind them. */
static int native_elements(struct cel_zfp *z, size_t elem_size, struct cel_codec_buffer *buffer, const void *src,
                           size_t n, size_t more)
{
    bool copies = needs_swap(z) || !is_aligned(src, elem_size);
    int rc = cel_codec_buffer_reserve(buffer, (copies ? n : 0) + more, "zfp");

    z->field.data = (void *)src;
    if (rc != CEL_OK || !copies)
        return rc;
    if (needs_swap(z))
        cel_swap_bytes(buffer->p, src, n / elem_size, elem_size);
    else
        memcpy(buffer->p, src, n);
    z->field.data = buffer->p;
    return CEL_OK;
}

static int compress(struct cel_zfp *z, void *dst, size_t cap, size_t *len)
{
    z->stream.stream = stream_open(dst, cap);
    if (!z->stream.stream)
        return cel_fail(NC_ENOMEM, "zfp: no memory for a stream");
    *len = zfp_compress(&z->stream, &z->field);
    stream_close(z->stream.stream);
    return *len ? CEL_OK : cel_fail(NC_EFILTER, "zfp: cannot compress");
}

int cel_zfp_encode(struct cel_zfp *z, const struct cel_shape *shape, struct cel_codec_buffer *buffer, const void *src,
                   size_t n, void *dst, size_t cap, size_t *len)
{
    size_t count = n / shape->elem_size;
    bool lossy = is_lossy_real(z);
    int peak = 0, rc;

    if (n != shape->nbytes || cap < stream_bound(z))
        return cel_fail(NC_EFILTER, "zfp: the chunk has %zu bytes, expected %zu, in a buffer of %zu", n, shape->nbytes,
                        stream_bound(z));
    rc = native_elements(z, shape->elem_size, buffer, src, n, lossy ? n : 0);
    if (rc == CEL_OK && lossy)
        peak = peak_of(&z->field, count);
    if (rc == CEL_OK && peak == INT_MAX)
        rc = CEL_SKIP;
    if (rc == CEL_OK)
        rc = compress(z, dst, cap, len);
    if (rc == CEL_OK && lossy && may_break_bound(z, peak))
        rc = bound_holds(z, count, dst, cap, buffer->p + (z->field.data == buffer->p ? n : 0));
    return rc;
}

static struct cel_zfp exactly(const struct cel_zfp *z)
{
    struct cel_zfp exact = *z;

    zfp_stream_set_reversible(&exact.stream);
    return exact;
}

size_t cel_zfp_bound(const struct cel_coding *coding, size_t n, size_t header, bool or_exact)
{
    struct cel_zfp z, exact;
    size_t own, other;

    if (cel_zfp_from_words(coding->words, coding->shape, &z) != CEL_OK)
        return n;
    own = header + stream_bound(&z);
    if (!or_exact)
        return own;
    exact = exactly(&z);
    other = CEL_ZFP_HEADER + stream_bound(&exact);
    return ((own > other ? own : other) + 7) / 8 * 8;
}

int cel_zfp_encode_exact(const struct cel_zfp *z, const struct cel_shape *shape, struct cel_codec_buffer *buffer,
                         const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_zfp exact = exactly(z);
    unsigned char header[HEADER_BYTES];
    size_t nbits = 0;
    int rc = cap < CEL_ZFP_HEADER ? cel_fail(NC_EFILTER, "zfp: the output buffer is too small for a header") : CEL_OK;

    if (rc == CEL_OK)
        rc = write_header(&exact, header, &nbits);
    if (rc == CEL_OK)
        rc = cel_zfp_encode(&exact, shape, buffer, src, n, (char *)dst + CEL_ZFP_HEADER, cap - CEL_ZFP_HEADER, len);
    if (rc != CEL_OK)
        return rc;
    memcpy(dst, header, CEL_ZFP_HEADER);
    *len += CEL_ZFP_HEADER;
    return CEL_OK;
}

/* Bytes that a chunk has at least: every block has minbits or more. */
static size_t least_size(const struct cel_zfp *z)
{
    return (size_t)((double)zfp_field_blocks(&z->field) * z->stream.minbits / 8);
}

#define WORD 8

void cel_zfp_pad(void *dst, size_t cap, size_t *len)
{
    size_t more = (WORD - *len % WORD) % WORD;

    if (more > cap - *len)
        return;
    memset((char *)dst + *len, 0, more);
    *len += more;
}

int cel_zfp_reformat(bool maskless, struct cel_buf *chunk)
{
    size_t len = chunk->len;
    int rc = maskless ? cel_buf_reserve(chunk, len + WORD) : CEL_OK;

    if (rc == CEL_OK && maskless)
        cel_zfp_pad(chunk->data, len + WORD, &chunk->len);
    return rc;
}

/* What builds of libzfp with words of 8 bytes, or cel_zfp_pad, leave behind a stream. */
static bool is_padding(const char *src, size_t used, size_t n)
{
    bool zeros = used < n && n - used < WORD;

    for (size_t i = used; zeros && i < n; i++)
        zeros = !src[i];
    return zeros;
}

int cel_zfp_decode(struct cel_zfp *z, const struct cel_shape *shape, struct cel_codec_buffer *buffer, const void *src,
                   size_t n, void *dst, size_t cap, size_t *len)
{
    size_t most, values, used;
    int rc;

    if (shape->nbytes > cap)
        return cel_fail(NC_EFILTER, "zfp: the output buffer is too small for %zu bytes", shape->nbytes);
    if (n < least_size(z))
        return cel_fail(NC_EFILTER, "zfp: the chunk is cut short");
    most = stream_bound(z);
    if (n > most + WORD - 1)
        return cel_fail(NC_EFILTER, "zfp: the chunk has %zu bytes, more than the %zu possible", n, most);
    most = (most + 63) / 32 * 32;
    values = is_aligned(dst, shape->elem_size) ? 0 : shape->nbytes;
    rc = cel_codec_buffer_reserve(buffer, most + values, "zfp");
    if (rc != CEL_OK)
        return rc;
    memcpy(buffer->p, src, n);
    memset(buffer->p + n, 0, most - n);
    z->field.data = values ? buffer->p + most : dst;
    z->stream.stream = stream_open(buffer->p, most);
    if (!z->stream.stream)
        return cel_fail(NC_ENOMEM, "zfp: no memory for a stream");
    used = zfp_decompress(&z->stream, &z->field);
    stream_close(z->stream.stream);
    if (used != n && !is_padding(src, used, n))
        return cel_fail(NC_EFILTER, "zfp: the chunk is damaged, or not of its full length");
    if (needs_swap(z))
        cel_swap_bytes(dst, z->field.data, shape->nbytes / shape->elem_size, shape->elem_size);
    else if (values)
        memcpy(dst, z->field.data, values);
    *len = shape->nbytes;
    return CEL_OK;
}
