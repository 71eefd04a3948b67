/* SPDX-License-Identifier: BSD-3-Clause */
/* fpzip: LLNL's compressor for floats and doubles in 1 to 3 dimensions, exact or with
 * fewer bits of precision.
 *
 * HDF5 filter 32014; parameters and framing are Cellar's own (docs/formats/fpzip.md). cd_values as given: bits
 * of precision, 0 for all. As stored: format 1, bits of precision, type (0 float, 1 double; 2 added if the
 * high byte comes first), then the three axes, slowest first. Chunks of any rank are taken (axes.h). A
 * chunk (numbers low byte first):
 *
 *   OFFSET  SIZE  MEANING
 *        0     4  bytes that follow the checksum; the highest bit set: they are the
 *                 elements themselves, which fpzip did not make smaller
 *        4     4  CRC-32C of the stored words (4 bytes each) and of those bytes
 *        8        fpzip's stream, without its own header
 *
 * libfpzip encodes. Its decoder corrupts memory when its input is damaged, so fpzip_decode.c decodes, which
 * is safe for any input. The checksum is there to find damage; safety does not rest on it.
 * {"id": "cellar.fpzip", "precision": 0} */
#include "axes.h"
#include "bytes.h"
#include "codec.h"
#include "codec_buffer.h"
#include "convert.h"
#include "fpzip_decode.h"
#include "kernels.h"
#include "mem.h"
#include "status.h"
#include <fpzip.h>
#include <limits.h>
#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define HEADER 8
#define RAW 0x80000000u

enum { FORMAT, PRECISION, TYPE, AXES, NWORDS = AXES + 3 };
enum { GIVEN_PRECISION, GIVEN_WORDS };
enum { DOUBLE = FPZIP_TYPE_DOUBLE, BIG_ENDIAN_TYPE = 2 }; /* bits of the type */

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "precision", .kind = CEL_PARAM_UINT, .word = GIVEN_PRECISION, .min = 0, .max = 64, .fallback = 0,
     .help = "bits kept of each value; 0: all"},
    {0},
};
/* clang-format on */

static int check(const struct cel_words *visible)
{
    if (visible->n > GIVEN_WORDS && visible->n != NWORDS)
        return cel_fail(NC_EFILTER, "fpzip: %zu parameters given, it takes 1 (or the %d a file stores)", visible->n,
                        NWORDS);
    return CEL_OK;
}

static int check_precision(uint32_t precision, bool is_double)
{
    if (precision == 0)
        return CEL_OK;
    if (!is_double && (precision < 2 || precision > 32))
        return cel_fail(NC_EINVAL, "fpzip: precision is %u, must be 0 or 2 to 32 for float", precision);
    if (is_double && (precision < 4 || precision > 64 || precision % 2))
        return cel_fail(NC_EINVAL, "fpzip: precision is %u, must be 0 or an even number from 4 to 64 for double",
                        precision);
    return CEL_OK;
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    uint32_t precision = visible->n == NWORDS ? visible->w[PRECISION] : visible->n ? visible->w[GIVEN_PRECISION] : 0;
    size_t dims[3];
    int ndims, d, rc;

    if (shape->kind != CEL_KIND_FLOAT || (shape->elem_size != 4 && shape->elem_size != 8))
        return cel_fail(NC_EFILTER, "fpzip: takes float and double only");
    if (shape->nbytes == 0)
        return cel_fail(NC_EFILTER, "fpzip: a chunk without elements cannot be compressed");
    if (shape->nbytes >= RAW)
        return cel_fail(NC_EFILTER, "fpzip: chunks of %zu bytes are too long", shape->nbytes);
    rc = check_precision(precision, shape->elem_size == 8);
    if (rc != CEL_OK)
        return rc;
    ndims = cel_axes(shape, 3, dims);
    working->n = NWORDS;
    working->w[FORMAT] = 1;
    working->w[PRECISION] = precision;
    working->w[TYPE] = (shape->elem_size == 8 ? DOUBLE : 0) | (shape->big_endian ? BIG_ENDIAN_TYPE : 0);
    for (d = 0; d < 3; d++)
        working->w[AXES + d] = d < 3 - ndims ? 1 : (uint32_t)dims[d - (3 - ndims)];
    return CEL_OK;
}

static void reveal(const struct cel_words *working, struct cel_words *visible)
{
    visible->n = GIVEN_WORDS;
    visible->w[GIVEN_PRECISION] = working->n > PRECISION ? working->w[PRECISION] : 0;
}

/* Words from a file may be anything: they must describe the chunk. */
static int check_words(const struct cel_words *words, const struct cel_shape *shape)
{
    size_t n = 1;
    int d;

    if (words->n != NWORDS || words->w[FORMAT] != 1)
        return cel_fail(NC_EFILTER, "fpzip: the stored parameters are not of the format Cellar writes");
    for (d = 0; d < 3; d++)
        if (words->w[AXES + d] == 0 || words->w[AXES + d] > INT_MAX || !cel_mul(n, words->w[AXES + d], &n))
            return cel_fail(NC_EFILTER, "fpzip: the stored axes are not possible");
    if (words->w[TYPE] > (DOUBLE | BIG_ENDIAN_TYPE) || shape->elem_size != (words->w[TYPE] & DOUBLE ? 8u : 4u) ||
        n != shape->nbytes / shape->elem_size)
        return cel_fail(NC_EFILTER, "fpzip: the stored parameters are for another type or size than the chunk has");
    return check_precision(words->w[PRECISION], words->w[TYPE] & DOUBLE);
}

static void describe(const struct cel_words *words, FPZ *fpz)
{
    fpz->type = words->w[TYPE] & DOUBLE ? FPZIP_TYPE_DOUBLE : FPZIP_TYPE_FLOAT;
    fpz->prec = (int)words->w[PRECISION];
    fpz->nx = (int)words->w[AXES + 2];
    fpz->ny = (int)words->w[AXES + 1];
    fpz->nz = (int)words->w[AXES];
    fpz->nf = 1;
}

static uint32_t checksum(const struct cel_words *words, const void *bytes, size_t n)
{
    unsigned char head[4 * NWORDS];

    for (size_t i = 0; i < NWORDS; i++)
        cel_put_le32(head + 4 * i, words->w[i]);
    return cel_crc32c(cel_crc32c(0, head, sizeof head), bytes, n);
}

static bool needs_swap(const struct cel_words *words)
{
    const uint16_t one = 1;

    return !(words->w[TYPE] & BIG_ENDIAN_TYPE) != (*(const unsigned char *)&one == 1);
}

static bool shape_of(const struct cel_words *working, struct cel_shape *out)
{
    size_t size = working->n > TYPE && working->w[TYPE] & DOUBLE ? 8 : 4;

    *out = (struct cel_shape){.elem_size = size, .kind = CEL_KIND_FLOAT, .rank = 3, .nbytes = size};
    for (int d = 0; d < 3 && working->n == NWORDS; d++)
        if (!cel_mul(out->nbytes, out->dims[d] = working->w[AXES + d], &out->nbytes))
            return false;
    out->big_endian = working->n == NWORDS && working->w[TYPE] & BIG_ENDIAN_TYPE;
    return working->n == NWORDS;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return HEADER + n;
}

/* The elements as libfpzip reads them: in native byte order and aligned; src itself, or a copy in the
 * context's buffer. The buffer has space for as many elements more behind them. */
static int native_elements(const struct cel_coding *coding, const void **src)
{
    const struct cel_shape *shape = coding->shape;
    struct cel_codec_buffer *c = coding->context;
    int rc = cel_codec_buffer_reserve(c, 2 * shape->nbytes, "fpzip");

    if (rc != CEL_OK || (!needs_swap(coding->words) && (uintptr_t)*src % shape->elem_size == 0))
        return rc;
    if (needs_swap(coding->words))
        cel_swap_bytes(c->p, *src, shape->nbytes / shape->elem_size, shape->elem_size);
    else
        memcpy(c->p, *src, shape->nbytes);
    *src = c->p;
    return CEL_OK;
}

static struct cel_fpzip decoding_of(const struct cel_words *words)
{
    struct cel_fpzip what = {.is_double = words->w[TYPE] & DOUBLE, .bits = words->w[PRECISION]};

    if (what.bits == 0)
        what.bits = what.is_double ? 64 : 32;
    for (int d = 0; d < 3; d++)
        what.axes[d] = words->w[AXES + d];
    return what;
}

static bool all_finite(const void *elements, size_t n, bool is_double)
{
    const double *d = elements;
    const float *f = elements;
    bool finite = true;

    for (size_t i = 0; i < n; i++)
        finite &= is_double ? isfinite(d[i]) != 0 : isfinite(f[i]) != 0;
    return finite;
}

/* Whether `decoded` is `elements` with the bits beyond the precision cleared. */
static bool is_kept(const struct cel_fpzip *what, const void *elements, const void *decoded, size_t n)
{
    const uint64_t *d = elements, *e = decoded;
    const uint32_t *f = elements, *g = decoded;

    for (size_t i = 0; i < n; i++)
        if (what->is_double ? (d[i] ^ e[i]) >> (64 - what->bits) != 0 : (f[i] ^ g[i]) >> (32 - what->bits) != 0)
            return false;
    return true;
}

/* Predictions from NaN and infinities have bits that depend on how libfpzip was
 * compiled: such a chunk is decoded again to see whether ours are the same. */
static bool is_readable(const struct cel_coding *coding, const void *elements, const void *encoded, size_t n)
{
    struct cel_fpzip what = decoding_of(coding->words);
    size_t count = coding->shape->nbytes / coding->shape->elem_size;
    void *decoded = ((struct cel_codec_buffer *)coding->context)->p + coding->shape->nbytes;

    return all_finite(elements, count, what.is_double) ||
           (cel_fpzip_decode(&what, encoded, n, decoded) == CEL_OK && is_kept(&what, elements, decoded, count));
}

/* Bytes written; 0: they do not fit. */
static size_t compress(const struct cel_words *words, const void *src, void *dst, size_t cap)
{
    FPZ *fpz = fpzip_write_to_buffer(dst, cap);
    size_t done = 0;

    if (fpz) {
        describe(words, fpz);
        done = fpzip_write(fpz, src);
        fpzip_write_close(fpz);
    }
    return done;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const void *elements = src;
    unsigned char *out = dst;
    size_t done;
    int rc = check_words(coding->words, coding->shape);

    if (rc != CEL_OK)
        return rc;
    if (n != coding->shape->nbytes || cap < bound(coding, n))
        return cel_fail(NC_EFILTER, "fpzip: the chunk has %zu bytes, expected %zu", n, coding->shape->nbytes);
    rc = native_elements(coding, &elements);
    if (rc != CEL_OK)
        return rc;
    done = compress(coding->words, elements, out + HEADER, n);
    cel_put_le32(out, (uint32_t)done);
    if (done == 0 || !is_readable(coding, elements, out + HEADER, done)) {
        cel_put_le32(out, (uint32_t)n | RAW);
        memcpy(out + HEADER, src, done = n);
    }
    cel_put_le32(out + 4, checksum(coding->words, out + HEADER, done));
    *len = HEADER + done;
    return CEL_OK;
}

static int decompress(const struct cel_coding *coding, const unsigned char *src, size_t n, void *dst)
{
    const struct cel_shape *shape = coding->shape;
    struct cel_fpzip what = decoding_of(coding->words);
    struct cel_codec_buffer *c = coding->context;
    bool is_aligned = (uintptr_t)dst % shape->elem_size == 0;
    void *out = dst;
    int rc = is_aligned ? CEL_OK : cel_codec_buffer_reserve(c, shape->nbytes, "fpzip");

    if (rc == CEL_OK)
        rc = cel_fpzip_decode(&what, src, n, out = is_aligned ? dst : c->p);
    if (rc != CEL_OK)
        return rc;
    if (needs_swap(coding->words))
        cel_swap_bytes(dst, out, shape->nbytes / shape->elem_size, shape->elem_size);
    else if (!is_aligned)
        memcpy(dst, out, shape->nbytes);
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const unsigned char *in = src;
    uint32_t length;
    int rc = check_words(coding->words, coding->shape);

    if (rc != CEL_OK)
        return rc;
    if (coding->shape->nbytes > cap)
        return cel_fail(NC_EFILTER, "fpzip: the output buffer is too small for %zu bytes", coding->shape->nbytes);
    if (n < HEADER)
        return cel_fail(NC_EFILTER, "fpzip: %zu bytes cannot hold a header", n);
    length = cel_get_le32(in);
    if ((length & ~RAW) != n - HEADER)
        return cel_fail(NC_EFILTER, "fpzip: the chunk has %zu bytes, expected %u", n - HEADER, length & ~RAW);
    if (cel_get_le32(in + 4) != checksum(coding->words, in + HEADER, n - HEADER))
        return cel_fail(NC_EFILTER, "fpzip: the checksum does not match: the chunk is damaged");
    *len = coding->shape->nbytes;
    if (!(length & RAW))
        return decompress(coding, in + HEADER, n - HEADER, dst);
    if (n - HEADER != coding->shape->nbytes)
        return cel_fail(NC_EFILTER, "fpzip: the chunk has %zu bytes, expected %zu", n - HEADER, coding->shape->nbytes);
    memcpy(dst, in + HEADER, n - HEADER);
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_fpzip = {
    .name = "fpzip", .hdf5_id = 32014, .label = "fpzip", .about = "floats and doubles, exactly or to a number of bits",
    .flags = CEL_CODEC_COMPRESSOR | CEL_CODEC_LOSSY | CEL_CODEC_NEEDS_ELEMENTS, .params = params, .max_words = NWORDS,
    .check = check, .prepare = prepare, .reveal = reveal, .shape_of = shape_of,
    .bound = bound, .decoded_size = cel_whole_chunk, .encode = encode, .decode = decode,
    .make_context = cel_codec_buffer_make, .free_context = cel_codec_buffer_free,
};
/* clang-format on */
