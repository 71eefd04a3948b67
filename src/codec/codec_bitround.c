/* SPDX-License-Identifier: BSD-3-Clause */
/* BitRound as a filter: rounds the mantissa to a number of bits, ties to even, as
 * numcodecs does (nc_def_var_quantize rounds ties away from zero).
 *
 * HDF5 filter 32032 (and 37373, the id it had before), Zarr v2 "bitround", v3 "numcodecs.bitround" (zarr-python
 * knows no other name; "bitround", as registered, is read too).
 * cd_values: see quantizing.h.
 * {"id": "bitround", "keepbits": 7} */
#include "quantizing.h"

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "nsb", .json = "keepbits", .kind = CEL_PARAM_UINT, .word = 0, .min = 0,
     .max = NC_QUANTIZE_MAX_DOUBLE_NSB, .fallback = 10, .help = "mantissa bits to keep, up to 23 for float"},
    {0},
};
/* clang-format on */

static int make_context(const struct cel_words *working, void **context)
{
    return cel_quantizing_context(working, NC_QUANTIZE_BITROUND, CEL_TIES_EVEN, context);
}

/* clang-format off */
const struct cel_codec cel_codec_bitround = {
    .name = "bitround", .hdf5_id = 32032, .zarr2 = "bitround", .zarr3 = "numcodecs.bitround",
    .label = "BitRound filter (Zender, 2016 GMD: http://www.geosci-model-dev.net/9/3199/2016)",
    .about = "BitRound: rounds to a number of mantissa bits",
    .params = params, CEL_QUANTIZING_MEMBERS,
};
/* clang-format on */
