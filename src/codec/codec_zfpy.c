/* SPDX-License-Identifier: BSD-3-Clause */
/* zfpy: zfp streams that carry their header, as numcodecs writes them through zfp's
 * Python module. The stream behind the header is codec_zfp.c's.
 *
 * HDF5 filter 32822 (an id of ours), Zarr v2 "zfpy", v3 "numcodecs.zfpy". cd_values as
 * zfp's. A chunk that a lossy mode cannot store is written in reversible mode, as its header says. Axes of
 * length 1 stay. Expert mode is refused, as its header does not end on a byte, and so are elements with
 * their high byte first.
 * {"id": "zfpy", "mode": 4, "tolerance": 0.01, "rate": -1, "precision": -1} */
#include "axes.h"
#include "bytes.h"
#include "codec.h"
#include "json.h"
#include "status.h"
#include "zfp_core.h"
#include <netcdf.h>
#include <string.h>

#define HEADER CEL_ZFP_HEADER

/* zfp's own numbers of the modes, which H5Z-ZFP orders otherwise, and where each has
 * its value. */
static const struct {
    uint32_t mode;
    int number;
    const char *key;
} modes[] = {{CEL_ZFP_RATE, 2, "rate"},
             {CEL_ZFP_PRECISION, 3, "precision"},
             {CEL_ZFP_ACCURACY, 4, "tolerance"},
             {CEL_ZFP_REVERSIBLE, 5, NULL}};
#define NMODES (sizeof modes / sizeof *modes)

static int check(const struct cel_words *visible)
{
    int rc = cel_zfp_check(visible);

    if (rc == CEL_OK && visible->n && visible->w[0] == CEL_ZFP_EXPERT)
        rc = cel_fail(NC_EINVAL, "zfpy: there is no expert mode; zfp has it");
    return rc < 0 ? cel_fail_in(rc, "zfpy") : rc;
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    size_t dims[4];
    int ndims = shape->rank, rc;

    if (shape->big_endian)
        return cel_fail(NC_EFILTER, "zfpy: elements must have their low byte first");
    if (ndims < 1 || ndims > 4)
        ndims = cel_axes(shape, 4, dims);
    else
        memcpy(dims, shape->dims, (size_t)ndims * sizeof *dims);
    rc = cel_zfp_prepare(visible, shape, dims, ndims, working);
    if (rc == CEL_OK && working->n != 1 + HEADER / 4)
        rc = cel_fail(NC_EFILTER, "zfpy: this setting needs a long header, which it has not");
    return rc < 0 ? cel_fail_in(rc, "zfpy") : rc;
}

static double value_of(const struct cel_words *visible)
{
    uint64_t bits = (uint64_t)visible->w[3] << 32 | visible->w[2];
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Values of the other modes are -1, as numcodecs writes them. */
static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    struct cel_words given; /* a copy from an HDF5 file has words as they are stored there */
    int rc = CEL_OK;
    size_t i;

    cel_zfp_reveal(visible, &given);
    for (i = 0; i < NMODES && modes[i].mode != given.w[0]; i++)
        ;
    if (i == NMODES)
        return cel_fail(NC_EFILTER, "zfpy: there is no mode %u", given.w[0]);
    rc = cel_json_set(config, "mode", cel_json_new_int(modes[i].number));
    for (size_t k = 0; rc == CEL_OK && k < NMODES; k++)
        if (modes[k].key)
            rc = cel_json_set(config, modes[k].key,
                              k != i                               ? cel_json_new_int(-1)
                              : modes[k].mode == CEL_ZFP_PRECISION ? cel_json_new_uint(given.w[2])
                                                                   : cel_json_new_double(value_of(&given)));
    return rc;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    int64_t number = 0;
    double v = 0;
    uint64_t bits;
    size_t i;

    if (!cel_json_int(cel_json_get(config, "mode"), true, &number))
        return cel_fail(NC_EFILTER, "zfpy: \"mode\" must be 2 (rate), 3 (precision), 4 (tolerance) or 5 (reversible)");
    for (i = 0; i < NMODES && modes[i].number != number; i++)
        ;
    if (i == NMODES)
        return cel_fail(NC_EFILTER,
                        "zfpy: mode %lld is not supported, only 2 (rate), 3 (precision), 4 (tolerance) and "
                        "5 (reversible)",
                        (long long)number);
    visible->n = 1;
    visible->w[0] = modes[i].mode;
    if (!modes[i].key)
        return CEL_OK;
    if (!cel_json_double(cel_json_get(config, modes[i].key), true, &v) || v < 0)
        return cel_fail(NC_EFILTER, "zfpy: \"%s\" must be a number that is not negative", modes[i].key);
    memcpy(&bits, &v, sizeof bits);
    visible->w[1] = 0;
    visible->w[2] = modes[i].mode == CEL_ZFP_PRECISION ? (uint32_t)v : (uint32_t)bits;
    visible->w[3] = (uint32_t)(bits >> 32);
    visible->n = modes[i].mode == CEL_ZFP_PRECISION ? 3 : 4;
    return CEL_OK;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return cel_zfp_bound(coding, n, HEADER, true);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_zfp z;
    int rc = cel_zfp_from_words(coding->words, coding->shape, &z);

    if (rc == CEL_OK && cap < HEADER)
        rc = cel_fail(NC_EFILTER, "zfp: the output buffer is too small for a header");
    if (rc == CEL_OK)
        rc = cel_zfp_encode(&z, coding->shape, coding->context, src, n, (char *)dst + HEADER, cap - HEADER, len);
    if (rc == CEL_SKIP) {
        rc = cel_zfp_encode_exact(&z, coding->shape, coding->context, src, n, dst, cap, len);
    } else if (rc == CEL_OK) {
        for (size_t i = 0; i < HEADER / 4; i++)
            cel_put_le32((char *)dst + 4 * i, coding->words->w[1 + i]);
        *len += HEADER;
    }
    if (rc != CEL_OK)
        return cel_fail_in(rc, "zfpy");
    if (coding->maskless)
        cel_zfp_pad(dst, cap, len);
    return CEL_OK;
}

/* Decodes by the chunk's own header: other writers may treat axes of the shape differently. */
static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_zfp z = {.header = 0};
    int rc = n >= HEADER ? cel_zfp_read(src, n, coding->shape, &z)
                         : cel_fail(NC_EFILTER, "zfp: the chunk is too short for a header");

    if (rc == CEL_OK && z.header != HEADER)
        rc = cel_fail(NC_EFILTER, "zfp: a header of %zu bytes is not supported", z.header);
    if (rc == CEL_OK)
        rc = cel_zfp_decode(&z, coding->shape, coding->context, (const char *)src + HEADER, n - HEADER, dst, cap, len);
    return rc == CEL_OK ? rc : cel_fail_in(rc, "zfpy");
}

/* clang-format off */
const struct cel_codec cel_codec_zfpy = {
    .name = "zfpy", .hdf5_id = 32822, .label = "zfpy", .zarr2 = "zfpy", .zarr3 = "numcodecs.zfpy",
    .about = "zfp with its header in every chunk, for Zarr",
    .flags = CEL_CODEC_COMPRESSOR | CEL_CODEC_LOSSY | CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_SERIALIZES | CEL_CODEC_BY_FORMAT,
    .params = cel_zfp_params, .max_words = CEL_ZFP_WORDS, .max_ratio = 16384,
    .check = check, .prepare = prepare, .reveal = cel_zfp_reveal, .to_json = to_json, .from_json = from_json,
    .shape_of = cel_zfp_shape, .bound = bound, .decoded_size = cel_whole_chunk, .encode = encode, .decode = decode, .reformat = cel_zfp_reformat,
    .make_context = cel_codec_buffer_make, .free_context = cel_codec_buffer_free,
};
/* clang-format on */
