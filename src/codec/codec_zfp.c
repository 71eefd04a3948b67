/* SPDX-License-Identifier: BSD-3-Clause */
/* zfp: LLNL's compressor for arrays of numbers in 1 to 4 dimensions; lossy, or
 * exact in its reversible mode.
 *
 * HDF5 filter 32013, Zarr v3 "zfp". cd_values as given: mode (1 rate, 2 precision, 3
 * accuracy, 4 expert, 5 reversible), 0, then a double (rate, accuracy), a number
 * (precision) or minbits, maxbits, maxprec, minexp. As stored: the versions, then zfp's
 * header with type, shape and mode. Chunks are zfp streams without header, the same
 * bytes as H5Z-ZFP's, which drops axes of length 1, and in Zarr v3 as zarrs', which has them
 * (cel_shape.all_axes). Chunks of any rank are taken (axes.h).
 *
 * Not all values can be kept to an accuracy. A block of 4 by 4 values with 280 and a fill value of 1e36 has
 * no digits left for the 280, and only the reversible mode can store NaN. For such a chunk the filter is
 * left out (CEL_SKIP). Zarr cannot note that, so there the chunk becomes a reversible stream with a header
 * of its own, which the decoder recognizes by its first bytes.
 * {"name": "zfp", "configuration": {"mode": "fixed_accuracy", "tolerance": 0.01}} */
#include "axes.h"
#include "codec.h"
#include "json.h"
#include "status.h"
#include "zfp_core.h"
#include <netcdf.h>
#include <string.h>

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    size_t dims[4];
    int ndims = shape->rank;

    if (shape->all_axes && ndims >= 1 && ndims <= 4)
        memcpy(dims, shape->dims, (size_t)ndims * sizeof *dims);
    else
        ndims = cel_axes(shape, 4, dims);
    return cel_zfp_prepare(visible, shape, dims, ndims, working);
}

/* Modes by the names of the Zarr extension. */
static const char *const mode_names[] = {NULL,         "fixed_rate", "fixed_precision", "fixed_accuracy", "expert",
                                         "reversible", NULL};

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    const struct cel_param *p;
    struct cel_words given; /* a copy from an HDF5 file has words as they are stored there */
    const char *mode;
    int rc;

    cel_zfp_reveal(visible, &given);
    mode = mode_names[given.w[0] % 6];
    if (!mode)
        return cel_fail(NC_EFILTER, "zfp: mode %u has no name", given.w[0]);
    rc = cel_json_set(config, "mode", cel_json_new_string(mode, strlen(mode)));
    for (p = cel_zfp_params; rc == CEL_OK && p->name; p++) {
        uint64_t bits = (uint64_t)given.w[p->word + 1] << 32 | given.w[p->word];
        double v;

        if (p->when_value != given.w[0])
            continue;
        memcpy(&v, &bits, sizeof v);
        rc = cel_json_set(config, p->json ? p->json : p->name,
                          p->kind == CEL_PARAM_DOUBLE ? cel_json_new_double(v)
                                                      : cel_json_new_int((int32_t)given.w[p->word]));
    }
    return rc;
}

static int read_value(const struct cel_json *config, const struct cel_param *p, struct cel_words *visible)
{
    const char *key = p->json ? p->json : p->name;
    double v = p->fallback;
    uint64_t bits;

    if (!cel_json_get(config, key))
        return cel_fail(NC_EFILTER, "zfp: \"%s\" is missing", key);
    if (!cel_json_double(cel_json_get(config, key), true, &v) || !(v >= p->min && v <= p->max))
        return cel_fail(NC_EFILTER, "zfp: \"%s\" must be a number from %g to %g", key, p->min, p->max);
    memcpy(&bits, &v, sizeof bits);
    if (p->kind == CEL_PARAM_DOUBLE) {
        visible->w[p->word] = (uint32_t)bits;
        visible->w[p->word + 1] = (uint32_t)(bits >> 32);
    } else {
        visible->w[p->word] = (uint32_t)(int32_t)v;
    }
    visible->n = (size_t)p->word + (p->kind == CEL_PARAM_DOUBLE ? 2 : 1);
    return CEL_OK;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    const char *mode = cel_json_string(cel_json_get(config, "mode"), NULL);
    const struct cel_param *p;
    int rc = CEL_OK;
    uint32_t m;

    for (m = CEL_ZFP_RATE; mode && m <= CEL_ZFP_REVERSIBLE && strcmp(mode, mode_names[m]) != 0; m++)
        ;
    if (!mode || m > CEL_ZFP_REVERSIBLE)
        return cel_fail(NC_EFILTER, "zfp: \"mode\" must be reversible, fixed_rate, fixed_precision, fixed_accuracy or "
                                    "expert");
    visible->n = 1;
    visible->w[0] = m;
    visible->w[1] = 0;
    for (p = cel_zfp_params; rc == CEL_OK && p->name; p++)
        if (p->when_value == m)
            rc = read_value(config, p, visible);
    return rc;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return cel_zfp_bound(coding, n, 0, coding->maskless);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_zfp z;
    int rc = cel_zfp_from_words(coding->words, coding->shape, &z);

    if (rc == CEL_OK)
        rc = cel_zfp_encode(&z, coding->shape, coding->context, src, n, dst, cap, len);
    if (rc == CEL_SKIP && coding->maskless)
        rc = cel_zfp_encode_exact(&z, coding->shape, coding->context, src, n, dst, cap, len);
    if (rc == CEL_OK && coding->maskless)
        cel_zfp_pad(dst, cap, len);
    return rc;
}

/* A stream in reversible mode starts with a header that says so. Other streams have no header; that one starts with
 * the same bytes by chance is practically excluded by the checks. */
static bool is_exact(const struct cel_coding *coding, const void *src, size_t n, struct cel_zfp *z)
{
    struct cel_zfp own;

    if (!coding->maskless || n < CEL_ZFP_HEADER || memcmp(src, "zfp", 3) != 0)
        return false;
    if (cel_zfp_read(src, n, coding->shape, &own) != CEL_OK || own.header != CEL_ZFP_HEADER ||
        zfp_stream_compression_mode(&own.stream) != zfp_mode_reversible)
        return false;
    own.big_endian = z->big_endian;
    *z = own;
    return true;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_zfp z;
    int rc = cel_zfp_from_words(coding->words, coding->shape, &z);
    size_t header = rc == CEL_OK && is_exact(coding, src, n, &z) ? CEL_ZFP_HEADER : 0;

    return rc == CEL_OK ? cel_zfp_decode(&z, coding->shape, coding->context, (const char *)src + header, n - header,
                                         dst, cap, len)
                        : rc;
}

/* What may have a header of its own has the filter left out elsewhere. */
static int reformat(bool maskless, struct cel_buf *chunk)
{
    bool may_be_exact = !maskless && chunk->len >= CEL_ZFP_HEADER && memcmp(chunk->data, "zfp", 3) == 0;

    return may_be_exact ? CEL_SKIP : cel_zfp_reformat(maskless, chunk);
}

/* clang-format off */
const struct cel_codec cel_codec_zfp = {
    .name = "zfp", .hdf5_id = 32013, .label = "H5Z-ZFP-1.1.0 (ZFP-1.0.0)", .zarr3 = "zfp",
    .about = "numbers to a given error, rate or precision, or exactly",
    .flags = CEL_CODEC_COMPRESSOR | CEL_CODEC_LOSSY | CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_MAY_SKIP | CEL_CODEC_SERIALIZES | CEL_CODEC_BY_FORMAT,
    .params = cel_zfp_params, .max_words = CEL_ZFP_WORDS, .max_ratio = 16384, /* a block of 256 doubles in one bit */
    .check = cel_zfp_check, .prepare = prepare, .reveal = cel_zfp_reveal, .to_json = to_json, .from_json = from_json,
    .shape_of = cel_zfp_shape, .bound = bound, .decoded_size = cel_whole_chunk, .encode = encode, .decode = decode, .reformat = reformat,
    .make_context = cel_codec_buffer_make, .free_context = cel_codec_buffer_free,
};
/* clang-format on */
