/* fletcher32: the data, then Fletcher's checksum of it, low byte first.
 *
 * HDF5 filter 3 ("fletcher32"), Zarr v2 "fletcher32", v3 "numcodecs.fletcher32".
 * No parameters. On reading, the sum with the bytes of each half swapped is
 * accepted too, as HDF5 does: libraries before 1.6.3 wrote it on little-endian
 * machines.
 * {"id": "fletcher32"} */
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
        return cel_fail(NC_EFILTER, "fletcher32: the output buffer is too small for %zu bytes and a checksum", n);
    memcpy(dst, src, n);
    cel_put_le32((char *)dst + n, cel_fletcher32(src, n));
    *len = n + 4;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    uint32_t stored, sum, old;

    if (n < 4)
        return cel_fail(NC_EFILTER, "fletcher32: %zu bytes cannot hold a checksum", n);
    n -= 4;
    if (n > cap)
        return cel_fail(NC_EFILTER, "fletcher32: the chunk has %zu bytes, expected at most %zu", n, cap);
    stored = cel_get_le32((const char *)src + n);
    sum = cel_fletcher32(src, n);
    old = (sum >> 8 & 0x00ff00ff) | (sum << 8 & 0xff00ff00);
    if (stored != sum && stored != old)
        return cel_fail(NC_EFILTER, "fletcher32: the checksum does not match: the chunk is damaged");
    memcpy(dst, src, n);
    *len = n;
    return CEL_OK;
}

const struct cel_codec cel_codec_fletcher32 = {
    .name = "fletcher32",
    .hdf5_id = 3,
    .label = "fletcher32",
    .zarr2 = "fletcher32",
    .zarr3 = "numcodecs.fletcher32",
    .about = "adds Fletcher's checksum and checks it on reading",
    .flags = CEL_CODEC_CHECKSUM,
    .bound = bound,
    .max_ratio = 1,
    .encode = encode,
    .decode = decode,
};
