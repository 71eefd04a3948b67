/* SPDX-License-Identifier: BSD-3-Clause */
/* packbits: eight truth values in a byte, the first in the highest bit, after one
 * byte that says how many bits of the last byte are padding.
 *
 * HDF5 filter 32817 (an id of ours), Zarr v2 "packbits". No parameters. What is not
 * 0 counts as true. (Zarr v3 has a "packbits" with the other bit order: not this.)
 * {"id": "packbits"} */
#include "codec.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return 1 + (n + 7) / 8;
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    return shape->elem_size == 1 ? CEL_OK : cel_fail(NC_EFILTER, "packbits: works on one-byte elements only");
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const unsigned char *in = src;
    unsigned char *out = dst;

    *len = bound(coding, n);
    if (*len > cap)
        return cel_fail(NC_EFILTER, "packbits: the output buffer is too small for %zu bytes", *len);
    memset(out, 0, *len);
    out[0] = (unsigned char)((8 - n % 8) % 8);
    for (size_t i = 0; i < n; i++)
        out[1 + i / 8] |= (unsigned char)((in[i] != 0) << (7 - i % 8));
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const unsigned char *in = src;
    unsigned char *out = dst;
    size_t count = n ? (n - 1) * 8 : 0;

    if (n == 0 || in[0] > 7 || in[0] > count)
        return cel_fail(NC_EFILTER, "packbits: the chunk is damaged");
    count -= in[0];
    if (count > cap)
        return cel_fail(NC_EFILTER, "packbits: the chunk has %zu values, expected at most %zu", count, cap);
    for (size_t i = 0; i < count; i++)
        out[i] = in[1 + i / 8] >> (7 - i % 8) & 1;
    *len = count;
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_packbits = {
    .name = "packbits", .hdf5_id = 32817, .label = "packbits", .zarr2 = "packbits", .zarr3 = "numcodecs.packbits",
    .about = "truth values, eight in a byte",
    .flags = CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_LOSSY, .max_ratio = 8,
    .prepare = prepare, .bound = bound, .encode = encode, .decode = decode,
};
/* clang-format on */
