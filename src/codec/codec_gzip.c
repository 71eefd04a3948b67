/* SPDX-License-Identifier: BSD-3-Clause */
/* gzip: gzip members (RFC 1952), Zarr v3's core compressor.
 *
 * HDF5 filter 32811 (an id of ours), Zarr v2 and v3 "gzip". cd_values: level. Several
 * members one after the other are read.
 * {"id": "gzip", "level": 5} */
#include "bytes.h"
#include "deflate_core.h"
#include <libdeflate.h>
#include <string.h>

/* Without file name and time, and "unknown" as the system: equal chunks give equal bytes. */
static void put_header(unsigned char *dst, unsigned level)
{
    static const unsigned char header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};

    memcpy(dst, header, sizeof header);
    dst[8] = level == 1 ? 4 : level == 9 ? 2 : 0;
}

static void put_trailer(unsigned char *dst, const void *src, size_t n)
{
    cel_put_le32(dst, libdeflate_crc32(0, src, n));
    cel_put_le32(dst + 4, (uint32_t)n);
}

/* The position behind the text at `at`, which ends with a 0; n + 1: it does not end. */
static size_t skip_text(const unsigned char *src, size_t at, size_t n)
{
    const unsigned char *end = at < n ? memchr(src + at, 0, n - at) : NULL;

    return end ? (size_t)(end - src) + 1 : n + 1;
}

/* Optional fields (name, comment, extra) are skipped. */
static size_t skip_header(const unsigned char *src, size_t n)
{
    enum { CHECKSUM = 2, EXTRA = 4, NAME = 8, COMMENT = 16, RESERVED = 0xe0 };
    size_t at = 10;

    if (n < at || src[0] != 0x1f || src[1] != 0x8b || src[2] != 8 || src[3] & RESERVED)
        return 0;
    if (src[3] & EXTRA)
        at = n - at < 2 ? n + 1 : at + 2 + (src[at] | (size_t)src[at + 1] << 8);
    if (src[3] & NAME)
        at = skip_text(src, at, n);
    if (src[3] & COMMENT)
        at = skip_text(src, at, n);
    if (src[3] & CHECKSUM)
        at += 2;
    return at <= n ? at : 0;
}

static const struct cel_wrapping gzip = {"gzip", 10, 8, put_header, put_trailer, skip_header};

/* clang-format off */
const struct cel_codec cel_codec_gzip = {
    .name = "gzip", .hdf5_id = 32811, .label = "gzip", .zarr2 = "gzip", .zarr3 = "gzip",
    .about = "deflate in gzip's wrapping, for Zarr",
    .variant = &gzip, CEL_DEFLATE_MEMBERS,
};
/* clang-format on */
