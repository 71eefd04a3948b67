/* SPDX-License-Identifier: BSD-3-Clause */
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

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "offset", .kind = CEL_PARAM_DOUBLE, .word = 0, .min = -1e300, .max = 1e300, .help = "subtracted first"},
    {.name = "scale", .kind = CEL_PARAM_DOUBLE, .word = 2, .min = -1e300, .max = 1e300, .fallback = 1, .help = "multiplied then"},
    CEL_DTYPE_PARAMS(4, "type as stored"),
    {0},
};
/* clang-format on */

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    int rc = cel_dtypes_prepare(codec, visible, shape, working);

    if (rc == CEL_OK && cel_words_double(working->w + 2) == 0)
        rc = cel_fail(NC_EFILTER, "fixedscaleoffset: scale must not be 0");
    return rc;
}

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    int rc = cel_json_set(config, "offset", cel_json_new_double(cel_words_double(visible->w)));

    if (rc == CEL_OK)
        rc = cel_json_set(config, "scale", cel_json_new_double(cel_words_double(visible->w + 2)));
    return rc == CEL_OK ? cel_dtypes_to_json(visible->w + 4, shape, config) : rc;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    double offset, scale;

    if (!cel_json_double(cel_json_get(config, "offset"), true, &offset) ||
        !cel_json_double(cel_json_get(config, "scale"), true, &scale))
        return cel_fail(NC_EFILTER, "fixedscaleoffset: offset and scale must be numbers");
    cel_words_set_double(offset, visible->w);
    cel_words_set_double(scale, visible->w + 2);
    visible->n = 6;
    return cel_dtypes_from_json(config, visible->w + 4);
}

static void scale_elements(const struct cel_dtype_run *run, const void *src, void *dst)
{
    double offset = cel_words_double(run->words->w), by = cel_words_double(run->words->w + 2);
    bool single = run->from.kind == 'f' && run->from.size <= 4;

    for (size_t i = 0; i < run->n; i++) {
        double x = cel_load_real(&run->from, (const char *)src + i * run->from.size);
        x = single ? rintf(((float)x - (float)offset) * (float)by) : rint((x - offset) * by);
        cel_store_real(&run->to, (char *)dst + i * run->to.size, x);
    }
}

static void unscale_elements(const struct cel_dtype_run *run, const void *src, void *dst)
{
    double offset = cel_words_double(run->words->w), by = cel_words_double(run->words->w + 2);
    bool single = run->from.kind == 'f' && run->from.size <= 4;

    for (size_t i = 0; i < run->n; i++) {
        double x = cel_load_real(&run->from, (const char *)src + i * run->from.size);
        x = single ? (float)x / (float)by + (float)offset : x / by + offset;
        cel_store_real(&run->to, (char *)dst + i * run->to.size, x);
    }
}

static const struct cel_dtype_filter filter = {scale_elements, unscale_elements};

/* clang-format off */
const struct cel_codec cel_codec_fixedscaleoffset = {
    .name = "fixedscaleoffset", .hdf5_id = 32815, .label = "fixedscaleoffset", .zarr2 = "fixedscaleoffset",
    .zarr3 = "numcodecs.fixedscaleoffset", .about = "reals scaled, shifted and rounded to a smaller type",
    .own_type = 5, .stored_type = 6, .params = params, .max_words = 6,
    .prepare = prepare, .to_json = to_json, .from_json = from_json,
    .variant = &filter, CEL_DTYPES_MEMBERS,
};
/* clang-format on */
