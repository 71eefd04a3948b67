/* crc32c: the data, then its CRC-32C, low byte first.
 *
 * HDF5 filter 32810 (an id of ours), Zarr v2 and v3 "crc32c". No parameters.
 * {"id": "crc32c"} */
#include "bytes.h"
#include "codec.h"
#include "kernels.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return n + 4;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    if (cap < 4 || n > cap - 4)
        return cel_fail(NC_EFILTER, "crc32c: the output buffer is too small for %zu bytes and a checksum", n);
    memcpy(dst, src, n);
    cel_put_le32((char *)dst + n, cel_crc32c(0, src, n));
    *len = n + 4;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    if (n < 4)
        return cel_fail(NC_EFILTER, "crc32c: %zu bytes cannot hold a checksum", n);
    n -= 4;
    if (n > cap)
        return cel_fail(NC_EFILTER, "crc32c: the chunk has %zu bytes, expected at most %zu", n, cap);
    if (cel_get_le32((const char *)src + n) != cel_crc32c(0, src, n))
        return cel_fail(NC_EFILTER, "crc32c: the checksum does not match: the chunk is damaged");
    memcpy(dst, src, n);
    *len = n;
    return CEL_OK;
}

const struct cel_codec cel_codec_crc32c = {
    .name = "crc32c",
    .hdf5_id = 32810,
    .label = "crc32c",
    .zarr2 = "crc32c",
    .zarr3 = "crc32c",
    .about = "adds a CRC-32C and checks it on reading",
    .flags = CEL_CODEC_CHECKSUM,
    .bound = bound,
    .max_ratio = 1,
    .encode = encode,
    .decode = decode,
};
