/* SPDX-License-Identifier: BSD-3-Clause */
/* quantize: reals rounded to a number of decimal places, in binary steps.
 *
 * HDF5 filter 32816 (an id of ours), Zarr v2 "quantize". Words: digits, dtype of the
 * elements, dtype as stored (indices of dtype.h). Decoding only converts the type.
 * {"id": "quantize", "digits": 3, "dtype": "<f8", "astype": "<f8"} */
#include "status.h"
#include "dtype.h"
#include <math.h>
#include <netcdf.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "digits", .kind = CEL_PARAM_INT, .flags = CEL_PARAM_REQUIRED, .word = 0, .min = -300, .max = 300, .help = "decimal places to keep"},
    CEL_DTYPE_PARAMS(1, "type as stored"),
    {0},
};
/* clang-format on */

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    int rc = cel_dtypes_prepare(codec, visible, shape, working);

    if (rc == CEL_OK && cel_dtype_at(working->w[1]).kind != 'f')
        rc = cel_fail(NC_EFILTER, "quantize: works on float and double only");
    return rc;
}

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    int rc = cel_json_set(config, "digits", cel_json_new_int((int32_t)visible->w[0]));

    return rc == CEL_OK ? cel_dtypes_to_json(visible->w + 1, shape, config) : rc;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    int64_t digits;

    if (!cel_json_int(cel_json_get(config, "digits"), true, &digits))
        return cel_fail(NC_EFILTER, "quantize: digits must be a whole number");
    visible->w[0] = (uint32_t)(int32_t)digits;
    visible->n = 3;
    return cel_dtypes_from_json(config, visible->w + 1);
}

/* The smallest power of two that is at least 10^digits: values are rounded to multiples of its inverse. */
static double scale_of(int32_t digits)
{
    return exp2(ceil(log2(pow(10, digits))));
}

static void round_decimal(const struct cel_dtype_run *run, const void *src, void *dst)
{
    double scale = scale_of((int32_t)run->words->w[0]);

    for (size_t i = 0; i < run->n; i++) {
        double x = cel_load_real(&run->from, (const char *)src + i * run->from.size);
        cel_store_real(&run->to, (char *)dst + i * run->to.size, rint(x * scale) / scale);
    }
}

static const struct cel_dtype_filter filter = {round_decimal, cel_dtypes_cast};

/* clang-format off */
const struct cel_codec cel_codec_decimal = {
    .name = "quantize", .hdf5_id = 32816, .label = "quantize", .zarr2 = "quantize", .zarr3 = "numcodecs.quantize",
    .about = "reals rounded to decimal places",
    .own_type = 2, .stored_type = 3, .params = params, .min_words = 1, .max_words = 3,
    .prepare = prepare, .to_json = to_json, .from_json = from_json,
    .variant = &filter, CEL_DTYPES_MEMBERS,
};
/* clang-format on */
