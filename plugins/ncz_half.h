/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_NCZ_HALF_H
#define CEL_NCZ_HALF_H

#include "ncz_abi.h"

/* The NCZarr part of CODEC: cel_codec_zstd has cel_codec_zstd_ncz. */
#define NCZ_JOIN_(codec) codec##_ncz
#define NCZ_JOIN(codec) NCZ_JOIN_(codec)
#define NCZ_HALF NCZ_JOIN(CODEC)

#ifdef CODEC
extern struct cel_ncz_codec NCZ_HALF; /* constant once loaded */
#endif

#endif
