/* SPDX-License-Identifier: BSD-3-Clause */
/* BitGroom as a filter: keeps a number of decimal digits. The low bits of elements 0, 2, 4 ... of a chunk
 * become zeros, those of elements 1, 3, 5 ... ones.
 *
 * HDF5 filter 32022, Zarr v2 and v3 "cellar.bitgroom". cd_values: see quantizing.h.
 * {"id": "cellar.bitgroom", "nsd": 3} */
#include "quantizing.h"

static int make_context(const struct cel_words *working, void **context)
{
    return cel_quantizing_context(working, NC_QUANTIZE_BITGROOM, CEL_TIES_AWAY, context);
}

/* clang-format off */
const struct cel_codec cel_codec_bitgroom = {
    .name = "bitgroom", .hdf5_id = 32022,
    .label = "BitGroom filter (Zender, 2016 GMD: http://www.geosci-model-dev.net/9/3199/2016)",
    .about = "BitGroom: drops bits beyond a number of decimal digits",
    .params = cel_quantizing_digits, CEL_QUANTIZING_MEMBERS,
};
/* clang-format on */
