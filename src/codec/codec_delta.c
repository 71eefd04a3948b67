/* delta: the first element, then the difference of each to the one before it.
 *
 * HDF5 filter 32814 (an id of ours), Zarr v2 "delta". Words: dtype of the elements,
 * dtype of the differences (indices of dtype.h). Integers wrap.
 * {"id": "delta", "dtype": "<i4", "astype": "<i4"} */
#include "status.h"
#include "dtype.h"
#include <netcdf.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "dtype", .kind = CEL_PARAM_CHOICE, .word = 0, .min = 0, .max = 21, .choices = cel_dtypes, .help = "type of the elements"},
    {.name = "astype", .kind = CEL_PARAM_CHOICE, .word = 1, .min = 0, .max = 21, .choices = cel_dtypes, .help = "type of the differences"},
    {0},
};
/* clang-format on */

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    int rc = cel_dtype_resolve(codec, shape, &working->w[0]);

    if (!working->w[1])
        working->w[1] = working->w[0];
    return rc;
}

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    int rc = cel_dtype_to_json(visible->w[0], shape, "dtype", config);

    return rc == CEL_OK ? cel_dtype_to_json(visible->w[1] ? visible->w[1] : visible->w[0], shape, "astype", config)
                        : rc;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    int rc = cel_dtype_from_json(config, "dtype", &visible->w[0]);

    visible->n = 2;
    return rc == CEL_OK ? cel_dtype_from_json(config, "astype", &visible->w[1]) : rc;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    struct cel_dtype t = cel_dtype_at(coding->words->w[0]), as = cel_dtype_at(coding->words->w[1]);

    return t.size ? n / t.size * as.size : n;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_dtype t, as;
    size_t count;
    double last = 0;
    int64_t before = 0;

    if (cel_dtype_pair(coding->codec, coding->words->w[0], coding->words->w[1], &t, &as) != CEL_OK)
        return NC_EFILTER;
    count = n / t.size;
    if (n % t.size || count > cap / as.size)
        return cel_fail(NC_EFILTER, "delta: %zu bytes are no whole number of elements", n);
    for (size_t i = 0; i < count; i++) {
        const char *in = (const char *)src + i * t.size;
        char *out = (char *)dst + i * as.size;
        if (t.kind == 'f') {
            double v = cel_load_real(&t, in);
            cel_store_real(&as, out, t.size == 4 ? (float)(v - last) : v - last);
            last = v;
        } else {
            int64_t v = cel_load_int(&t, in);
            cel_store_int(&as, out, (int64_t)((uint64_t)v - (uint64_t)before));
            before = v;
        }
    }
    *len = count * as.size;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_dtype t, as;
    size_t count;
    double sum = 0;
    int64_t total = 0;

    if (cel_dtype_pair(coding->codec, coding->words->w[0], coding->words->w[1], &t, &as) != CEL_OK)
        return NC_EFILTER;
    count = n / as.size;
    if (n % as.size || count > cap / t.size)
        return cel_fail(NC_EFILTER, "delta: %zu bytes are not the differences of one chunk", n);
    for (size_t i = 0; i < count; i++) {
        const char *in = (const char *)src + i * as.size;
        char *out = (char *)dst + i * t.size;
        if (t.kind == 'f') {
            sum += cel_load_real(&as, in);
            sum = t.size == 4 ? (float)sum : sum;
            cel_store_real(&t, out, sum);
        } else {
            total = (int64_t)((uint64_t)total + (uint64_t)cel_load_int(&as, in));
            cel_store_int(&t, out, total);
        }
    }
    *len = count * t.size;
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_delta = {
    .name = "delta", .hdf5_id = 32814, .label = "delta", .zarr2 = "delta", .zarr3 = "numcodecs.delta",
    .about = "differences between neighbouring elements",
    .own_type = 1, .stored_type = 2, .flags = CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_LOSSY /* sums of reals round */, .params = params, .max_words = 2, .max_ratio = 8,
    .prepare = prepare, .to_json = to_json, .from_json = from_json, .bound = bound, .encode = encode, .decode = decode,
};
/* clang-format on */
