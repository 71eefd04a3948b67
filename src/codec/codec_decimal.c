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
    {.name = "dtype", .kind = CEL_PARAM_CHOICE, .word = 1, .min = 0, .max = 21, .choices = cel_dtypes, .help = "type of the elements"},
    {.name = "astype", .kind = CEL_PARAM_CHOICE, .word = 2, .min = 0, .max = 21, .choices = cel_dtypes, .help = "type as stored"},
    {0},
};
/* clang-format on */

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    int rc = cel_dtype_resolve(codec, shape, &working->w[1]);

    if (!working->w[2])
        working->w[2] = working->w[1];
    if (rc == CEL_OK && cel_dtype_at(working->w[1]).kind != 'f')
        rc = cel_fail(NC_EFILTER, "quantize: works on float and double only");
    return rc;
}

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    int rc = cel_json_set(config, "digits", cel_json_new_int((int32_t)visible->w[0]));

    if (rc == CEL_OK)
        rc = cel_dtype_to_json(visible->w[1], shape, "dtype", config);
    return rc == CEL_OK ? cel_dtype_to_json(visible->w[2] ? visible->w[2] : visible->w[1], shape, "astype", config)
                        : rc;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    int64_t digits;
    int rc;

    if (!cel_json_int(cel_json_get(config, "digits"), true, &digits))
        return cel_fail(NC_EFILTER, "quantize: digits must be a whole number");
    visible->w[0] = (uint32_t)(int32_t)digits;
    visible->n = 3;
    rc = cel_dtype_from_json(config, "dtype", &visible->w[1]);
    return rc == CEL_OK ? cel_dtype_from_json(config, "astype", &visible->w[2]) : rc;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    struct cel_dtype own = cel_dtype_at(coding->words->w[1]), stored = cel_dtype_at(coding->words->w[2]);

    return own.size ? n / own.size * stored.size : n;
}

/* The power of two whose steps are fine enough for the digits. */
static double scale_of(int32_t digits)
{
    return exp2(ceil(log2(pow(10, digits))));
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_dtype own, stored;
    double scale = scale_of((int32_t)coding->words->w[0]);

    if (cel_dtype_pair(coding->codec, coding->words->w[1], coding->words->w[2], &own, &stored) != CEL_OK)
        return NC_EFILTER;
    if (n % own.size || n / own.size > cap / stored.size)
        return cel_fail(NC_EFILTER, "quantize: %zu bytes are no whole number of elements", n);
    for (size_t i = 0; i < n / own.size; i++) {
        double x = cel_load_real(&own, (const char *)src + i * own.size);
        cel_store_real(&stored, (char *)dst + i * stored.size, rint(x * scale) / scale);
    }
    *len = n / own.size * stored.size;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_dtype own, stored;

    if (cel_dtype_pair(coding->codec, coding->words->w[1], coding->words->w[2], &own, &stored) != CEL_OK)
        return NC_EFILTER;
    if (n % stored.size || n / stored.size > cap / own.size)
        return cel_fail(NC_EFILTER, "quantize: %zu bytes are not the elements of one chunk", n);
    cel_cast(&stored, src, &own, dst, n / stored.size);
    *len = n / stored.size * own.size;
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_decimal = {
    .name = "quantize", .hdf5_id = 32816, .label = "quantize", .zarr2 = "quantize", .zarr3 = "numcodecs.quantize",
    .about = "reals rounded to decimal places",
    .own_type = 2, .stored_type = 3, .flags = CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_LOSSY, .params = params, .min_words = 1, .max_words = 3, .max_ratio = 8,
    .prepare = prepare, .to_json = to_json, .from_json = from_json, .bound = bound, .encode = encode, .decode = decode,
};
/* clang-format on */
