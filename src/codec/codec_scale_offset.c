/* SPDX-License-Identifier: BSD-3-Clause */
/* scale_offset: (x - offset) * scale, in the type of the elements.
 *
 * HDF5 filter 32824 (an id of ours), Zarr v3 "scale_offset". Words: offset (two), scale (two), type of the elements
 * (index of dtype.h). Reals are computed in their own type. Integers are computed exactly: what leaves their range,
 * or does not divide without remainder, is an error and never another number.
 * {"name": "scale_offset", "configuration": {"offset": 5, "scale": 0.1}} */
#include "dtype.h"
#include "half.h"
#include "status.h"
#include <math.h>
#include <netcdf.h>
#include <string.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "offset", .kind = CEL_PARAM_DOUBLE, .word = 0, .min = -1.7e308, .max = 1.7e308, .help = "subtracted first"},
    {.name = "scale", .kind = CEL_PARAM_DOUBLE, .word = 2, .min = -1.7e308, .max = 1.7e308, .fallback = 1, .help = "multiplied then"},
    {.name = "dtype", .kind = CEL_PARAM_CHOICE, .flags = CEL_PARAM_NO_JSON, .word = 4, .min = 0, .max = 21, .choices = cel_dtypes, .help = "type of the elements"},
    {0},
};
/* clang-format on */

/* Sign and magnitude: holds any integer of the types, and most sums and products of two. */
struct whole {
    bool negative;
    uint64_t size;
};

static struct whole whole_of(double v)
{
    return (struct whole){v < 0, (uint64_t)fabs(v)};
}

static struct whole load(const struct cel_dtype *t, const void *p)
{
    int64_t v = cel_load_int(t, p);
    bool negative = t->kind == 'i' && v < 0;

    return (struct whole){negative, negative ? -(uint64_t)v : (uint64_t)v};
}

/* a + b; false: too large. */
static bool add(struct whole a, struct whole b, struct whole *out)
{
    if (a.negative != b.negative) {
        *out = a.size >= b.size ? (struct whole){a.negative, a.size - b.size}
                                : (struct whole){b.negative, b.size - a.size};
        return true;
    }
    *out = (struct whole){a.negative, a.size + b.size};
    return out->size >= a.size;
}

static bool multiply(struct whole a, struct whole b, struct whole *out)
{
    *out = (struct whole){a.negative != b.negative, a.size * b.size};
    return !a.size || out->size / a.size == b.size;
}

/* false: the type cannot hold it. */
static bool store(const struct cel_dtype *t, struct whole v, void *p)
{
    uint64_t half = (uint64_t)1 << (8 * t->size - 1), most = t->kind == 'i' ? half - 1 : half - 1 + half;

    if (v.negative && v.size ? t->kind != 'i' || v.size > half : v.size > most)
        return false;
    cel_store_int(t, p, (int64_t)(v.negative ? -v.size : v.size));
    return true;
}

static bool encode_whole(const struct cel_dtype *t, double offset, double scale, const void *src, void *dst)
{
    struct whole less = whole_of(-offset), v;

    return add(load(t, src), less, &v) && multiply(v, whole_of(scale), &v) && store(t, v, dst);
}

static bool decode_whole(const struct cel_dtype *t, double offset, double scale, const void *src, void *dst)
{
    struct whole v = load(t, src), by = whole_of(scale);

    if (!by.size || v.size % by.size)
        return false;
    v = (struct whole){v.negative != by.negative, v.size / by.size};
    return add(v, whole_of(offset), &v) && store(t, v, dst);
}

static double as_half(double v)
{
    return cel_half_to_float(cel_float_to_half((float)v));
}

/* Every step is rounded to the type of the elements. */
static bool encode_real(const struct cel_dtype *t, double offset, double scale, const void *src, void *dst)
{
    double x = cel_load_real(t, src);

    if (t->size == 2)
        x = as_half(as_half(x - as_half(offset)) * as_half(scale));
    else
        x = t->size == 4 ? ((float)x - (float)offset) * (float)scale : (x - offset) * scale;
    cel_store_real(t, dst, x);
    return true;
}

static bool decode_real(const struct cel_dtype *t, double offset, double scale, const void *src, void *dst)
{
    double x = cel_load_real(t, src);

    if (t->size == 2)
        x = as_half(as_half(x / as_half(scale)) + as_half(offset));
    else
        x = t->size == 4 ? (float)x / (float)scale + (float)offset : x / scale + offset;
    cel_store_real(t, dst, x);
    return true;
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    double offset = cel_words_double(working->w), scale = cel_words_double(working->w + 2);
    int rc = cel_dtype_resolve(codec, shape, &working->w[4]);
    char kind = cel_dtype_at(working->w[4]).kind;

    if (rc == CEL_OK && kind == 'b')
        rc = cel_fail(NC_EFILTER, "scale_offset: works on numbers only");
    if (rc == CEL_OK && scale == 0)
        rc = cel_fail(NC_EFILTER, "scale_offset: scale must not be 0");
    if (rc == CEL_OK && kind != 'f' &&
        (offset != trunc(offset) || scale != trunc(scale) || fabs(offset) > 0x1p53 || fabs(scale) > 0x1p53))
        rc = cel_fail(NC_EFILTER, "scale_offset: of integers, offset and scale must be integers of at most 53 bits");
    working->n = 5;
    return rc;
}

/* Whole numbers are written as JSON integers: integer arrays require them. */
static struct cel_json *number(double v)
{
    return v == trunc(v) && fabs(v) <= 0x1p53 ? cel_json_new_int((int64_t)v) : cel_json_new_double(v);
}

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    int rc = cel_json_set(config, "offset", number(cel_words_double(visible->w)));

    return rc == CEL_OK ? cel_json_set(config, "scale", number(cel_words_double(visible->w + 2))) : rc;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    const struct cel_json *offset = cel_json_get(config, "offset"), *scale = cel_json_get(config, "scale");
    double less = 0, by = 1;

    if ((offset && !cel_json_double(offset, true, &less)) || (scale && !cel_json_double(scale, true, &by)))
        return cel_fail(NC_EFILTER, "scale_offset: offset and scale must be numbers");
    cel_words_set_double(less, visible->w);
    cel_words_set_double(by, visible->w + 2);
    visible->n = 4;
    return CEL_OK;
}

typedef bool one_fn(const struct cel_dtype *t, double offset, double scale, const void *src, void *dst);

static int run(const struct cel_coding *coding, one_fn *const one[2], const void *src, size_t n, void *dst, size_t cap,
               size_t *len)
{
    struct cel_dtype t = cel_dtype_at(coding->words->w[4]);
    double offset = cel_words_double(coding->words->w), scale = cel_words_double(coding->words->w + 2);

    if (coding->words->n < 5 || !t.kind || t.kind == 'b' || !isfinite(offset) || !isfinite(scale))
        return cel_fail(NC_EFILTER, "scale_offset: its parameters are no numbers and their type");
    if (t.kind != 'f' && (fabs(offset) > 0x1p53 || fabs(scale) > 0x1p53))
        return cel_fail(NC_EFILTER, "scale_offset: its parameters are beyond 53 bits");
    if (n % t.size || n > cap)
        return cel_fail(NC_EFILTER, "scale_offset: %zu bytes are not the elements of one chunk", n);
    for (size_t i = 0; i < n; i += t.size)
        if (!one[t.kind == 'f'](&t, offset, scale, (const char *)src + i, (char *)dst + i))
            return NC_ERANGE;
    *len = n;
    return CEL_OK;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    static one_fn *const one[2] = {encode_whole, encode_real};
    int rc = run(coding, one, src, n, dst, cap, len);

    if (rc != NC_ERANGE)
        return rc;
    return coding->maskless ? cel_fail(NC_EFILTER, "scale_offset: a value leaves the range of its type") : CEL_SKIP;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    static one_fn *const one[2] = {decode_whole, decode_real};
    int rc = run(coding, one, src, n, dst, cap, len);

    return rc == NC_ERANGE ? cel_fail(NC_EFILTER, "scale_offset: a stored value leaves the range of its type, or is no "
                                                  "multiple of the scale")
                           : rc;
}

/* clang-format off */
const struct cel_codec cel_codec_scale_offset = {
    .name = "scale_offset", .hdf5_id = 32824, .label = "scale_offset", .zarr3 = "scale_offset",
    .about = "an offset subtracted, then a scale multiplied, in the type of the elements", .params = params, .max_words = 5, .max_ratio = 1,
    .flags = CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_SAME_SIZE | CEL_CODEC_LOSSY | CEL_CODEC_MAY_SKIP,
    .prepare = prepare, .to_json = to_json, .from_json = from_json, .encode = encode, .decode = decode,
};
/* clang-format on */
