/* astype: elements are stored as another number type.
 *
 * HDF5 filter 32818 (an id of ours), Zarr v2 "astype". Words: type as stored, type
 * of the variable (indices of dtype.h).
 * {"id": "astype", "encode_dtype": "<f4", "decode_dtype": "<f8"} */
#include "status.h"
#include "dtype.h"
#include <netcdf.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "encode_dtype", .kind = CEL_PARAM_CHOICE, .flags = CEL_PARAM_REQUIRED, .word = 0, .min = 1, .max = 21, .fallback = 11, .choices = cel_dtypes, .help = "type as stored"},
    {.name = "decode_dtype", .kind = CEL_PARAM_CHOICE, .word = 1, .min = 0, .max = 21, .choices = cel_dtypes, .help = "type of the elements"},
    {0},
};
/* clang-format on */

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    int rc = cel_dtype_resolve(codec, shape, &working->w[1]);

    if (!working->w[0])
        working->w[0] = working->w[1];
    return rc;
}

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    int rc = cel_dtype_to_json(visible->w[0], shape, "encode_dtype", config);

    return rc == CEL_OK ? cel_dtype_to_json(visible->w[1], shape, "decode_dtype", config) : rc;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    int rc = cel_dtype_from_json(config, "encode_dtype", &visible->w[0]);

    visible->n = 2;
    return rc == CEL_OK ? cel_dtype_from_json(config, "decode_dtype", &visible->w[1]) : rc;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    struct cel_dtype stored = cel_dtype_at(coding->words->w[0]), own = cel_dtype_at(coding->words->w[1]);

    return own.size ? n / own.size * stored.size : n;
}

static int cast(const struct cel_coding *coding, int from, const void *src, size_t n, void *dst, size_t cap,
                size_t *len)
{
    struct cel_dtype a, b;

    if (cel_dtype_pair(coding->codec, coding->words->w[from], coding->words->w[!from], &a, &b) != CEL_OK)
        return NC_EFILTER;
    if (n % a.size || n / a.size > cap / b.size)
        return cel_fail(NC_EFILTER, "astype: %zu bytes are not the elements of one chunk", n);
    cel_cast(&a, src, &b, dst, n / a.size);
    *len = n / a.size * b.size;
    return CEL_OK;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    return cast(coding, 1, src, n, dst, cap, len);
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    return cast(coding, 0, src, n, dst, cap, len);
}

/* clang-format off */
const struct cel_codec cel_codec_astype = {
    .name = "astype", .hdf5_id = 32818, .label = "astype", .zarr2 = "astype", .zarr3 = "numcodecs.astype",
    .about = "elements stored as another number type",
    .own_type = 2, .stored_type = 1, .flags = CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_LOSSY, .params = params, .min_words = 1, .max_words = 2, .max_ratio = 8,
    .prepare = prepare, .to_json = to_json, .from_json = from_json, .bound = bound, .encode = encode, .decode = decode,
};
/* clang-format on */
