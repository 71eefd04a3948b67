/* SPDX-License-Identifier: BSD-3-Clause */
/* base64: bytes as text (RFC 4648, with padding).
 *
 * HDF5 filter 32819 (an id of ours), Zarr v2 "base64". No parameters.
 * {"id": "base64"} */
#include "base64.h"
#include "codec.h"
#include "status.h"
#include <netcdf.h>

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return cel_base64_size(n);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    *len = cel_base64_size(n);
    if (*len > cap)
        return cel_fail(NC_EFILTER, "base64: the output buffer is too small for %zu bytes", *len);
    cel_base64_encode(src, n, dst);
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    size_t at;

    if (cel_base64_decode(src, n, dst, cap, len, &at))
        return CEL_OK;
    if (n % 4)
        return cel_fail(NC_EFILTER, "base64: the chunk is damaged: %zu characters are no multiple of 4", n);
    if (*len == cap)
        return cel_fail(NC_EFILTER, "base64: the chunk is longer than the %zu bytes expected", cap);
    return cel_fail(NC_EFILTER, "base64: the chunk is damaged at character %zu", at);
}

/* clang-format off */
const struct cel_codec cel_codec_base64 = {
    .name = "base64", .hdf5_id = 32819, .label = "base64", .zarr2 = "base64", .zarr3 = "numcodecs.base64",
    .about = "bytes as text", .bound = bound, .max_ratio = 1, .encode = encode, .decode = decode,
};
/* clang-format on */
