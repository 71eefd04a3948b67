/* SPDX-License-Identifier: BSD-3-Clause */
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
    {.name = "encode_dtype", .kind = CEL_PARAM_CHOICE, .flags = CEL_PARAM_REQUIRED, .word = 0, .min = 1, .max = CEL_DTYPE_MAX, .fallback = 11, .choices = cel_dtypes, .help = "type as stored"},
    CEL_DTYPE_PARAM("decode_dtype", 1, "type of the elements"),
    {0},
};
/* clang-format on */

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

static const struct cel_dtype_filter filter = {cel_dtypes_cast, cel_dtypes_cast};

/* clang-format off */
const struct cel_codec cel_codec_astype = {
    .name = "astype", .hdf5_id = 32818, .label = "astype", .zarr2 = "astype", .zarr3 = "numcodecs.astype",
    .about = "elements stored as another number type",
    .own_type = 2, .stored_type = 1, .params = params, .min_words = 1, .max_words = 2,
    .prepare = cel_dtypes_prepare, .to_json = to_json, .from_json = from_json,
    .variant = &filter, CEL_DTYPES_MEMBERS,
};
/* clang-format on */
