/* SPDX-License-Identifier: BSD-3-Clause */
/* The NCZarr parts of several codecs in one library, for programs whose HDF5 plugins have none.
 * HALVES lists them as HALF(cel_codec_zstd) HALF(...). */
#include "ncz_abi.h"
#include "ncz_half.h"

#define HALF(codec) extern struct cel_ncz_codec NCZ_JOIN(codec);
HALVES
#undef HALF
#define HALF(codec) &NCZ_JOIN(codec),
static const struct cel_ncz_codec *const halves[] = {HALVES NULL};

__attribute__((visibility("default"))) const void *NCZ_codec_info_defaults(void);

const void *NCZ_codec_info_defaults(void)
{
    return halves;
}
