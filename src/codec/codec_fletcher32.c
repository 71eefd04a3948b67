/* SPDX-License-Identifier: BSD-3-Clause */
/* fletcher32: the data, then Fletcher's checksum of it, low byte first.
 *
 * HDF5 filter 3 ("fletcher32"), Zarr v2 "fletcher32", v3 "numcodecs.fletcher32".
 * No parameters. On reading, the sum with the bytes of each half swapped is
 * accepted too, as HDF5 does: libraries before 1.6.3 wrote it on little-endian
 * machines.
 * {"id": "fletcher32"} */
#include "checksum.h"
#include "kernels.h"

static uint32_t sum_of(const struct cel_coding *coding, const void *data, size_t n)
{
    return cel_fletcher32(data, n);
}

static uint32_t swap_halves(uint32_t sum)
{
    return (sum >> 8 & 0x00ff00ff) | (sum << 8 & 0xff00ff00);
}

static const struct cel_checksum fletcher32 = {.sum = sum_of, .accepted = swap_halves};

/* clang-format off */
const struct cel_codec cel_codec_fletcher32 = {
    .name = "fletcher32", .hdf5_id = 3, .label = "fletcher32", .zarr2 = "fletcher32", .zarr3 = "numcodecs.fletcher32",
    .about = "adds Fletcher's checksum and checks it on reading",
    .variant = &fletcher32, CEL_CHECKSUM_MEMBERS,
};
/* clang-format on */
