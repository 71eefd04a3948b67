/* fixedscaleoffset: round((x - offset) * scale), as integers or what astype says.
 *
 * HDF5 filter 32815 (an id of ours), Zarr v2 "fixedscaleoffset". Words: offset (two),
 * scale (two), dtype of the elements, dtype as stored (indices of dtype.h).
 * Arithmetic as numpy's: single precision for float elements when encoding.
 * {"id": "fixedscaleoffset", "offset": 1000, "scale": 10, "dtype": "<f8", "astype": "|u1"} */
#include "status.h"
#include "dtype.h"
#include <math.h>
#include <netcdf.h>
#include <string.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "offset", .kind = CEL_PARAM_DOUBLE, .word = 0, .min = -1e300, .max = 1e300, .help = "subtracted first"},
    {.name = "scale", .kind = CEL_PARAM_DOUBLE, .word = 2, .min = -1e300, .max = 1e300, .fallback = 1, .help = "multiplied then"},
    {.name = "dtype", .kind = CEL_PARAM_CHOICE, .word = 4, .min = 0, .max = 21, .choices = cel_dtypes, .help = "type of the elements"},
    {.name = "astype", .kind = CEL_PARAM_CHOICE, .word = 5, .min = 0, .max = 21, .choices = cel_dtypes, .help = "type as stored"},
    {0},
};
/* clang-format on */

static double real_at(const struct cel_words *w, size_t i)
{
    uint64_t bits = w->w[i] | (uint64_t)w->w[i + 1] << 32;
    double d;

    memcpy(&d, &bits, sizeof d);
    return d;
}

static void set_real(struct cel_words *w, size_t i, double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof d);
    w->w[i] = (uint32_t)bits;
    w->w[i + 1] = (uint32_t)(bits >> 32);
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    int rc = cel_dtype_resolve(codec, shape, &working->w[4]);

    if (!working->w[5])
        working->w[5] = working->w[4];
    if (rc == CEL_OK && real_at(working, 2) == 0)
        rc = cel_fail(NC_EFILTER, "fixedscaleoffset: scale must not be 0");
    return rc;
}

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    int rc = cel_json_set(config, "offset", cel_json_new_double(real_at(visible, 0)));

    if (rc == CEL_OK)
        rc = cel_json_set(config, "scale", cel_json_new_double(real_at(visible, 2)));
    if (rc == CEL_OK)
        rc = cel_dtype_to_json(visible->w[4], shape, "dtype", config);
    return rc == CEL_OK ? cel_dtype_to_json(visible->w[5] ? visible->w[5] : visible->w[4], shape, "astype", config)
                        : rc;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    double offset, scale;
    int rc;

    if (!cel_json_double(cel_json_get(config, "offset"), true, &offset) ||
        !cel_json_double(cel_json_get(config, "scale"), true, &scale))
        return cel_fail(NC_EFILTER, "fixedscaleoffset: offset and scale must be numbers");
    set_real(visible, 0, offset);
    set_real(visible, 2, scale);
    visible->n = 6;
    rc = cel_dtype_from_json(config, "dtype", &visible->w[4]);
    return rc == CEL_OK ? cel_dtype_from_json(config, "astype", &visible->w[5]) : rc;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    struct cel_dtype own = cel_dtype_at(coding->words->w[4]), stored = cel_dtype_at(coding->words->w[5]);

    return own.size ? n / own.size * stored.size : n;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_dtype own, stored;
    double offset = real_at(coding->words, 0), scale = real_at(coding->words, 2);
    bool single;

    if (cel_dtype_pair(coding->codec, coding->words->w[4], coding->words->w[5], &own, &stored) != CEL_OK)
        return NC_EFILTER;
    single = own.kind == 'f' && own.size <= 4;
    if (n % own.size || n / own.size > cap / stored.size)
        return cel_fail(NC_EFILTER, "fixedscaleoffset: %zu bytes are no whole number of elements", n);
    for (size_t i = 0; i < n / own.size; i++) {
        double x = cel_load_real(&own, (const char *)src + i * own.size);
        x = single ? rintf(((float)x - (float)offset) * (float)scale) : rint((x - offset) * scale);
        cel_store_real(&stored, (char *)dst + i * stored.size, x);
    }
    *len = n / own.size * stored.size;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_dtype own, stored;
    double offset = real_at(coding->words, 0), scale = real_at(coding->words, 2);
    bool single;

    if (cel_dtype_pair(coding->codec, coding->words->w[4], coding->words->w[5], &own, &stored) != CEL_OK)
        return NC_EFILTER;
    single = stored.kind == 'f' && stored.size <= 4;
    if (n % stored.size || n / stored.size > cap / own.size)
        return cel_fail(NC_EFILTER, "fixedscaleoffset: %zu bytes are not the elements of one chunk", n);
    for (size_t i = 0; i < n / stored.size; i++) {
        double x = cel_load_real(&stored, (const char *)src + i * stored.size);
        x = single ? (float)x / (float)scale + (float)offset : x / scale + offset;
        cel_store_real(&own, (char *)dst + i * own.size, x);
    }
    *len = n / stored.size * own.size;
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_fixedscaleoffset = {
    .name = "fixedscaleoffset", .hdf5_id = 32815, .label = "fixedscaleoffset", .zarr2 = "fixedscaleoffset",
    .zarr3 = "numcodecs.fixedscaleoffset", .about = "reals scaled, shifted and rounded to a smaller type",
    .own_type = 5, .stored_type = 6, .flags = CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_LOSSY, .params = params, .max_words = 6, .max_ratio = 8,
    .prepare = prepare, .to_json = to_json, .from_json = from_json, .bound = bound, .encode = encode, .decode = decode,
};
/* clang-format on */
