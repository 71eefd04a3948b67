/* SPDX-License-Identifier: BSD-3-Clause */
/* Granular BitRound as a filter: rounds each value to the fewest bits that keep a number
 * of decimal digits of it.
 *
 * HDF5 filter 32023, Zarr v2 and v3 "cellar.granularbitround". cd_values: see quantizing.h.
 * {"id": "cellar.granularbitround", "nsd": 3} */
#include "quantizing.h"

static int make_context(const struct cel_words *working, void **context)
{
    return cel_quantizing_context(working, NC_QUANTIZE_GRANULARBR, CEL_TIES_AWAY, context);
}

/* clang-format off */
const struct cel_codec cel_codec_granular = {
    .name = "granularbitround", .hdf5_id = 32023, .label = "Granular BitRound filter",
    .about = "Granular BitRound: rounds to a number of decimal digits",
    .params = cel_quantizing_digits, CEL_QUANTIZING_MEMBERS,
};
/* clang-format on */
