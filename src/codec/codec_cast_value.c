/* SPDX-License-Identifier: BSD-3-Clause */
/* cast_value: elements are converted by value to another number type. A value that the type cannot hold is an error,
 * unless out_of_range or scalar_map says what it becomes.
 *
 * HDF5 filter 32825 (an id of ours), Zarr v3 "cast_value". Words:
 *
 *   0  type as stored, 1 type of the elements (indices of dtype.h)
 *   2  rounding, 3 out_of_range (indices of the lists below)
 *   4  pairs of the map for encoding, 5 of the one for decoding
 *   6  the pairs: a value and what it becomes, a double of two words each
 *
 * {"name": "cast_value", "configuration": {"data_type": "uint8", "rounding": "towards-zero", "out_of_range": "clamp",
 *                                          "scalar_map": {"encode": [["NaN", 0]], "decode": [[0, "NaN"]]}}} */
#include "dtype.h"
#include "half.h"
#include "status.h"
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

enum { STORED, OWN, ROUNDING, RANGE, NENCODE, NDECODE, PAIRS };
enum rounding { NEAREST_EVEN, TOWARDS_ZERO, TOWARDS_POSITIVE, TOWARDS_NEGATIVE, NEAREST_AWAY };
enum range { FAIL, CLAMP, WRAP };
#define PAIR_WORDS 4
#define PAIRS_MAX ((CEL_WORDS_MAX - PAIRS) / PAIR_WORDS)

static const char *const roundings[] = {"nearest-even",     "towards-zero", "towards-positive",
                                        "towards-negative", "nearest-away", NULL};
static const char *const ranges[] = {"error", "clamp", "wrap", NULL};

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "data_type", .kind = CEL_PARAM_CHOICE, .flags = CEL_PARAM_REQUIRED, .word = STORED, .min = 1, .max = 12, .fallback = 11, .choices = cel_dtypes, .help = "type as stored"},
    {.name = "dtype", .kind = CEL_PARAM_CHOICE, .word = OWN, .min = 0, .max = 21, .choices = cel_dtypes, .help = "type of the elements"},
    {.name = "rounding", .kind = CEL_PARAM_CHOICE, .word = ROUNDING, .min = 0, .max = 4, .choices = roundings, .help = "of what lies between two numbers"},
    {.name = "out_of_range", .kind = CEL_PARAM_CHOICE, .word = RANGE, .min = 0, .max = 2, .choices = ranges, .help = "what becomes of other values"},
    {0},
};
/* clang-format on */

/* --- parameters -------------------------------------------------------------------------- */

static uint32_t word(const struct cel_words *w, size_t i)
{
    return i < w->n ? w->w[i] : 0;
}

static int check(const struct cel_words *w)
{
    uint32_t n = word(w, NENCODE), m = word(w, NDECODE);

    if (n > PAIRS_MAX || m > PAIRS_MAX || PAIRS + PAIR_WORDS * (size_t)(n + m) > CEL_WORDS_MAX ||
        ((n || m) && w->n < PAIRS + PAIR_WORDS * (size_t)(n + m)))
        return cel_fail(NC_EFILTER, "cast_value: a map of more than the %d values that are supported", PAIRS_MAX);
    if (word(w, ROUNDING) > NEAREST_AWAY || word(w, RANGE) > WRAP)
        return cel_fail(NC_EFILTER, "cast_value: no such rounding, or no such way out of the range");
    return CEL_OK;
}

static bool is_number(struct cel_dtype t)
{
    return t.kind && t.kind != 'b';
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    int rc = check(working);
    size_t had = working->n;

    for (size_t i = had; i < PAIRS; i++)
        working->w[i] = 0;
    working->n = had < PAIRS ? PAIRS : had;
    if (rc == CEL_OK)
        rc = cel_dtype_resolve(codec, shape, &working->w[OWN]);
    if (rc == CEL_OK && !(is_number(cel_dtype_at(working->w[OWN])) && is_number(cel_dtype_at(working->w[STORED]))))
        rc = cel_fail(NC_EFILTER, "cast_value: works on integers and reals only");
    if (rc == CEL_OK && working->w[RANGE] == WRAP && cel_dtype_at(working->w[STORED]).kind == 'f')
        rc = cel_fail(NC_EFILTER, "cast_value: out_of_range can be \"wrap\" for integers only");
    return rc;
}

static struct cel_json *scalar(double v)
{
    return v == trunc(v) && fabs(v) <= 0x1p53 ? cel_json_new_int((int64_t)v) : cel_json_new_double(v);
}

/* [[from, to], ...] */
static int map_to_json(const struct cel_words *w, size_t first, size_t n, struct cel_json **out)
{
    struct cel_json *list = cel_json_new_array(), *pair;
    int rc = list ? CEL_OK : NC_ENOMEM;

    for (size_t i = first; rc == CEL_OK && i < first + n; i++) {
        const uint32_t *at = w->w + PAIRS + PAIR_WORDS * i;

        rc = (pair = cel_json_new_array()) ? cel_json_push(pair, scalar(cel_words_double(at))) : NC_ENOMEM;
        if (rc == CEL_OK)
            rc = cel_json_push(pair, scalar(cel_words_double(at + 2)));
        if (rc == CEL_OK)
            rc = cel_json_push(list, pair);
        else
            cel_json_free(pair);
    }
    *out = rc == CEL_OK ? list : NULL;
    if (rc != CEL_OK)
        cel_json_free(list);
    return rc;
}

static int maps_to_json(const struct cel_words *w, struct cel_json *config)
{
    struct cel_json *maps = cel_json_new_object(), *list;
    size_t n = word(w, NENCODE), m = word(w, NDECODE);
    int rc = maps ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK && n) {
        rc = map_to_json(w, 0, n, &list);
        rc = rc == CEL_OK ? cel_json_set(maps, "encode", list) : rc;
    }
    if (rc == CEL_OK && m) {
        rc = map_to_json(w, n, m, &list);
        rc = rc == CEL_OK ? cel_json_set(maps, "decode", list) : rc;
    }
    if (rc == CEL_OK)
        return cel_json_set(config, "scalar_map", maps);
    cel_json_free(maps);
    return rc;
}

/* Members that have their default are left out. */
static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    struct cel_dtype t = cel_dtype_at(visible->w[STORED]);
    char name[16];
    int rc = check(visible);

    snprintf(name, sizeof name, "%s%zu", t.kind == 'f' ? "float" : t.kind == 'u' ? "uint" : "int", 8 * t.size);
    if (rc == CEL_OK)
        rc = cel_json_set_text(config, "data_type", name);
    if (rc == CEL_OK && word(visible, ROUNDING) != NEAREST_EVEN)
        rc = cel_json_set_text(config, "rounding", roundings[word(visible, ROUNDING)]);
    if (rc == CEL_OK && word(visible, RANGE) != FAIL)
        rc = cel_json_set_text(config, "out_of_range", ranges[word(visible, RANGE)]);
    if (rc == CEL_OK && (word(visible, NENCODE) || word(visible, NDECODE)))
        rc = maps_to_json(visible, config);
    return rc;
}

static int choice_from_json(const struct cel_json *config, const char *key, const char *const *choices, uint32_t *out)
{
    const struct cel_json *v = cel_json_get(config, key);
    const char *text = cel_json_string(v, NULL);

    *out = 0;
    if (cel_json_type(v) == CEL_JSON_NULL)
        return CEL_OK;
    for (uint32_t i = 0; text && choices[i]; i++)
        if (strcmp(choices[i], text) == 0) {
            *out = i;
            return CEL_OK;
        }
    return cel_fail(NC_EFILTER, "cast_value: \"%s\" has no value '%s'", key, text ? text : "");
}

static int map_from_json(const struct cel_json *list, struct cel_words *visible, uint32_t *n)
{
    for (size_t i = 0; i < cel_json_count(list); i++, ++*n, visible->n += PAIR_WORDS) {
        const struct cel_json *pair = cel_json_item(list, i);
        double from, to;

        if (visible->n + PAIR_WORDS > CEL_WORDS_MAX)
            return cel_fail(NC_EFILTER, "cast_value: a map of more than the %d values that are supported", PAIRS_MAX);
        if (!cel_json_double(cel_json_item(pair, 0), true, &from) ||
            !cel_json_double(cel_json_item(pair, 1), true, &to))
            return cel_fail(NC_EFILTER, "cast_value: an entry of \"scalar_map\" is not a pair of numbers");
        cel_words_set_double(from, visible->w + visible->n);
        cel_words_set_double(to, visible->w + visible->n + 2);
    }
    return CEL_OK;
}

static int check_keys(const struct cel_json *config)
{
    static const char *const keys[] = {"data_type", "rounding", "out_of_range", "scalar_map"};
    const void *at = NULL;
    const char *key;

    while (cel_json_next(config, &at, &key)) {
        bool known = false;

        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            known = known || strcmp(keys[i], key) == 0;
        if (!known && strcmp(key, "id") != 0)
            return cel_fail(NC_EFILTER, "cast_value: it has no member \"%s\"", key);
    }
    return CEL_OK;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    const struct cel_json *maps = cel_json_get(config, "scalar_map");
    int rc = check_keys(config);

    memset(visible->w, 0, PAIRS * sizeof *visible->w);
    visible->n = PAIRS;
    if (rc == CEL_OK)
        rc = cel_dtype_from_json(config, "data_type", &visible->w[STORED]);
    if (rc == CEL_OK && !visible->w[STORED])
        rc = cel_fail(NC_EFILTER, "cast_value: \"data_type\" is missing");
    if (rc == CEL_OK)
        rc = choice_from_json(config, "rounding", roundings, &visible->w[ROUNDING]);
    if (rc == CEL_OK)
        rc = choice_from_json(config, "out_of_range", ranges, &visible->w[RANGE]);
    if (rc == CEL_OK)
        rc = map_from_json(cel_json_get(maps, "encode"), visible, &visible->w[NENCODE]);
    return rc == CEL_OK ? map_from_json(cel_json_get(maps, "decode"), visible, &visible->w[NDECODE]) : rc;
}

/* --- values -------------------------------------------------------------------------------- */

/* One direction of the codec, ready to run. */
struct cast {
    struct cel_dtype from, to;
    enum rounding rounding;
    enum range range;
    const uint32_t *pair; /* PAIR_WORDS each */
    size_t npairs;
};

static double rounded(double v, enum rounding rounding)
{
    switch (rounding) {
    case TOWARDS_ZERO:
        return trunc(v);
    case TOWARDS_POSITIVE:
        return ceil(v);
    case TOWARDS_NEGATIVE:
        return floor(v);
    case NEAREST_AWAY:
        return round(v);
    default:
        return rint(v);
    }
}

static uint64_t largest(const struct cel_dtype *t)
{
    uint64_t all = ~(uint64_t)0 >> (64 - 8 * t->size);

    return t->kind == 'i' ? all >> 1 : all;
}

/* For a value outside the range of the type: stores the nearest end of the range (clamp), or its low bits (wrap);
 * false: out_of_range asks for neither. */
static bool store_beyond(const struct cast *c, bool negative, uint64_t low_bits, bool has_bits, void *dst)
{
    uint64_t most = largest(&c->to), least = c->to.kind == 'i' ? ~most : 0;

    if (c->range == CLAMP)
        cel_store_int(&c->to, dst, (int64_t)(negative ? least : most));
    else if (c->range == WRAP && has_bits)
        cel_store_int(&c->to, dst, (int64_t)low_bits);
    return c->range == CLAMP || (c->range == WRAP && has_bits);
}

static bool whole_from_whole(const struct cast *c, const void *src, void *dst)
{
    int64_t v = cel_load_int(&c->from, src);
    bool negative = c->from.kind == 'i' && v < 0;
    uint64_t most = largest(&c->to);

    if (negative ? c->to.kind == 'i' && v >= -(int64_t)most - 1 : (uint64_t)v <= most) {
        cel_store_int(&c->to, dst, v);
        return true;
    }
    return store_beyond(c, negative, (uint64_t)v, true, dst);
}

/* The low 64 bits of a whole number that a double holds. */
static uint64_t low_bits(double v)
{
    double rest = fmod(fabs(v), 0x1p64);

    return v < 0 ? -(uint64_t)rest : (uint64_t)rest;
}

static bool whole_from_real(const struct cast *c, const void *src, void *dst)
{
    double v = rounded(cel_load_real(&c->from, src), c->rounding);
    double end = ldexp(1, (int)(8 * c->to.size) - (c->to.kind == 'i')), start = c->to.kind == 'i' ? -end : 0;

    if (isnan(v))
        return false;
    if (v >= start && v < end) {
        cel_store_int(&c->to, dst, v < 0 ? (int64_t)v : (int64_t)(uint64_t)v);
        return true;
    }
    return store_beyond(c, v < 0, isfinite(v) ? low_bits(v) : 0, isfinite(v), dst);
}

/* The neighbour of r, a number of this type, in the direction of `to`. */
static double next_to(const struct cel_dtype *t, double r, double to)
{
    return t->size == 4 ? (double)nextafterf((float)r, (float)to) : nextafter(r, to);
}

/* The number of a type of 4 or 8 bytes that v becomes. */
static double real_of(const struct cast *c, long double v)
{
    double r = c->to.size == 4 ? (double)(float)v : (double)v, other;

    if (c->rounding == NEAREST_EVEN || (long double)r == v || isnan(r) || isinf((double)v))
        return r;
    other = next_to(&c->to, r, r < v ? INFINITY : -INFINITY);
    if (c->rounding == NEAREST_AWAY)
        return fabsl(v - r) == fabsl(other - v) && fabs(other) > fabs(r) ? other : r;
    if (c->rounding == TOWARDS_ZERO ? fabsl(r) > fabsl(v) : c->rounding == TOWARDS_POSITIVE ? r < v : r > v)
        return other;
    return r;
}

static long double exact(const struct cel_dtype *t, const void *p)
{
    if (t->kind == 'f')
        return cel_load_real(t, p);
    return t->kind == 'u' ? (long double)(uint64_t)cel_load_int(t, p) : (long double)cel_load_int(t, p);
}

/* Rounded to nearest. v becomes a float first; to avoid rounding twice, it is cut off there, and the float's last
 * bit is set if anything was lost. */
static double half_of(long double v)
{
    float f = (float)v;
    uint32_t bits;

    if ((long double)f != v && isfinite(f)) {
        f = fabsl(f) > fabsl(v) ? nextafterf(f, 0) : f;
        memcpy(&bits, &f, sizeof bits);
        bits |= 1;
        memcpy(&f, &bits, sizeof f);
    }
    return cel_half_to_float(cel_float_to_half(f));
}

static bool real_from_any(const struct cast *c, const void *src, void *dst)
{
    static const double most[] = {[2] = 65504, [4] = 0x1.fffffep127, [8] = 0x1.fffffffffffffp1023};
    long double v = exact(&c->from, src);
    double r = c->to.size == 2 ? half_of(v) : real_of(c, v);
    bool beyond = isinf(r) && !isinf((double)v);

    if (beyond && c->range != CLAMP)
        return false;
    cel_store_real(&c->to, dst, beyond ? (r < 0 ? -most[c->to.size] : most[c->to.size]) : r);
    return true;
}

/* Whether the map has the value; then what it becomes is stored. */
static bool is_mapped(const struct cast *c, const void *src, void *dst)
{
    double v = c->npairs ? cel_load_real(&c->from, src) : 0;

    for (size_t i = 0; i < c->npairs; i++) {
        double key = cel_words_double(c->pair + PAIR_WORDS * i), to = cel_words_double(c->pair + PAIR_WORDS * i + 2);

        if (key == v || (isnan(key) && isnan(v))) {
            cel_store_real(&c->to, dst, to);
            return true;
        }
    }
    return false;
}

static bool cast_one(const struct cast *c, const void *src, void *dst)
{
    if (is_mapped(c, src, dst))
        return true;
    return c->to.kind == 'f'     ? real_from_any(c, src, dst)
           : c->from.kind == 'f' ? whole_from_real(c, src, dst)
                                 : whole_from_whole(c, src, dst);
}

/* NC_ERANGE: the other type cannot hold a value, or what it becomes could not be decoded. back: the cast of the other
 * direction, to check the latter; NULL when decoding. */
static int run(const struct cast *c, const struct cast *back, const void *src, size_t n, void *dst, size_t cap,
               size_t *len)
{
    char again[8];

    if (n % c->from.size || n / c->from.size > cap / c->to.size)
        return cel_fail(NC_EFILTER, "cast_value: %zu bytes are not the elements of one chunk", n);
    if (c->to.kind == 'f' && c->to.size == 2 && c->rounding != NEAREST_EVEN)
        return cel_fail(NC_EFILTER, "cast_value: to float16 the rounding \"nearest-even\" is supported only");
    for (size_t i = 0; i < n / c->from.size; i++) {
        const char *in = (const char *)src + i * c->from.size;
        char *out = (char *)dst + i * c->to.size;

        if (!cast_one(c, in, out) || (back && !cast_one(back, out, again)))
            return NC_ERANGE;
    }
    *len = n / c->from.size * c->to.size;
    return CEL_OK;
}

static int cast_of(const struct cel_coding *coding, bool encoding, struct cast *out)
{
    const struct cel_words *w = coding->words;
    int rc = check(w);

    if (rc != CEL_OK)
        return rc;
    *out = (struct cast){.rounding = (enum rounding)word(w, ROUNDING), .range = (enum range)word(w, RANGE)};
    out->npairs = word(w, encoding ? NENCODE : NDECODE);
    out->pair = w->w + PAIRS + (encoding ? 0 : PAIR_WORDS * (size_t)word(w, NENCODE));
    rc = cel_dtype_pair(coding->codec, word(w, encoding ? OWN : STORED), word(w, encoding ? STORED : OWN), &out->from,
                        &out->to);
    if (rc == CEL_OK && !(is_number(out->from) && is_number(out->to)))
        rc = cel_fail(NC_EFILTER, "cast_value: works on integers and reals only");
    return rc;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cast c, back;
    int rc = cast_of(coding, true, &c);

    if (rc == CEL_OK)
        rc = cast_of(coding, false, &back);
    if (rc == CEL_OK)
        rc = run(&c, &back, src, n, dst, cap, len);
    if (rc != NC_ERANGE)
        return rc;
    return coding->maskless ? cel_fail(NC_EFILTER,
                                       "cast_value: a value has no place in %s: give out_of_range or a "
                                       "scalar_map",
                                       cel_dtypes[coding->words->w[STORED]])
                            : CEL_SKIP;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cast c;
    int rc = cast_of(coding, false, &c);

    if (rc == CEL_OK)
        rc = run(&c, NULL, src, n, dst, cap, len);
    return rc == NC_ERANGE ? cel_fail(NC_EFILTER, "cast_value: a stored value has no place in %s",
                                      cel_dtypes[coding->words->w[OWN]])
                           : rc;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    struct cel_dtype stored = cel_dtype_at(word(coding->words, STORED)), own = cel_dtype_at(word(coding->words, OWN));

    return own.size ? n / own.size * stored.size : n;
}

/* clang-format off */
const struct cel_codec cel_codec_cast_value = {
    .name = "cast_value", .hdf5_id = 32825, .label = "cast_value", .zarr3 = "cast_value",
    .about = "elements stored as another number type, by value and within its range",
    .own_type = OWN + 1, .stored_type = STORED + 1, .flags = CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_LOSSY | CEL_CODEC_MAY_SKIP,
    .params = params, .min_words = 1, .max_words = CEL_WORDS_MAX, .max_ratio = 8, .check = check,
    .prepare = prepare, .to_json = to_json, .from_json = from_json, .bound = bound, .encode = encode, .decode = decode,
};
/* clang-format on */
