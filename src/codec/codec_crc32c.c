/* SPDX-License-Identifier: BSD-3-Clause */
/* crc32c: the data, then its CRC-32C, low byte first.
 *
 * HDF5 filter 32810 (an id of ours), Zarr v2 and v3 "crc32c". No parameters.
 * {"id": "crc32c"} */
#include "checksum.h"
#include "kernels.h"

static uint32_t sum_of(const struct cel_coding *coding, const void *data, size_t n)
{
    return cel_crc32c(0, data, n);
}

static const struct cel_checksum crc32c = {.sum = sum_of};

/* clang-format off */
const struct cel_codec cel_codec_crc32c = {
    .name = "crc32c", .hdf5_id = 32810, .label = "crc32c", .zarr2 = "crc32c", .zarr3 = "crc32c",
    .about = "adds a CRC-32C and checks it on reading",
    .variant = &crc32c, CEL_CHECKSUM_MEMBERS,
};
/* clang-format on */
