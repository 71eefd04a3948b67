/* SPDX-License-Identifier: BSD-3-Clause */
/* deflate: zlib streams (RFC 1950). deflate_core.c tells which encoder writes them; inflate.c reads.
 *
 * HDF5 filter 1 ("deflate"), Zarr v2 "zlib", v3 "numcodecs.zlib". cd_values: level.
 * Written: one stream. Read: one or several streams one after the other; anything
 * else behind a stream is damage.
 * {"id": "zlib", "level": 5} */
#include "bytes.h"
#include "deflate_core.h"
#include <libdeflate.h>

/* Method deflate with a window of 32 KiB; then a hint at the level, which makes the two bytes, as a number,
 * divisible by 31. */
static void put_header(unsigned char *dst, unsigned level)
{
    dst[0] = 0x78;
    dst[1] = level < 2 ? 0x01 : level < 6 ? 0x5e : level == 6 ? 0x9c : 0xda;
}

static void put_trailer(unsigned char *dst, const void *src, size_t n)
{
    cel_put_be32(dst, libdeflate_adler32(1, src, n));
}

/* Any window and level. A preset dictionary is refused: the chunk does not hold it. */
static size_t skip_header(const unsigned char *src, size_t n)
{
    return n >= 2 && (src[0] & 15) == 8 && src[0] >> 4 <= 7 && (src[0] << 8 | src[1]) % 31 == 0 && !(src[1] & 0x20) ? 2
                                                                                                                    : 0;
}

static const struct cel_wrapping zlib = {"deflate", 2, 4, put_header, put_trailer, skip_header};

/* clang-format off */
const struct cel_codec cel_codec_deflate = {
    .name = "deflate", .hdf5_id = 1, .label = "deflate", .zarr2 = "zlib", .zarr3 = "numcodecs.zlib",
    .about = "zlib's deflate: read everywhere",
    .variant = &zlib, CEL_DEFLATE_MEMBERS,
};
/* clang-format on */
