/* base64: bytes as text (RFC 4648, with padding).
 *
 * HDF5 filter 32819 (an id of ours), Zarr v2 "base64". No parameters.
 * {"id": "base64"} */
#include "codec.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return (n + 2) / 3 * 4;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const unsigned char *in = src;
    char *out = dst;

    *len = bound(coding, n);
    if (*len > cap)
        return cel_fail(NC_EFILTER, "base64: no room for %zu bytes", *len);
    for (size_t i = 0; i < n; i += 3, out += 4) {
        size_t left = n - i;
        uint32_t bits = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
        out[0] = digits[bits >> 18];
        out[1] = digits[bits >> 12 & 63];
        out[2] = left > 1 ? digits[bits >> 6 & 63] : '=';
        out[3] = left > 2 ? digits[bits & 63] : '=';
    }
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const char *in = src;
    unsigned char *out = dst;
    uint32_t bits = 0;
    int have = 0;

    *len = 0;
    if (n % 4)
        return cel_fail(NC_EFILTER, "base64: the chunk is damaged: %zu characters are no multiple of 4", n);
    for (int pad = 0; n && in[n - 1] == '=' && pad < 2; pad++)
        n--;
    for (size_t i = 0; i < n; i++) {
        const char *digit = in[i] ? strchr(digits, in[i]) : NULL;
        if (!digit)
            return cel_fail(NC_EFILTER, "base64: the chunk is damaged at character %zu", i);
        bits = bits << 6 | (uint32_t)(digit - digits);
        have += 6;
        if (have < 8)
            continue;
        have -= 8;
        if (*len == cap)
            return cel_fail(NC_EFILTER, "base64: the chunk is longer than the %zu bytes expected", cap);
        out[(*len)++] = (unsigned char)(bits >> have);
    }
    return CEL_OK;
}

const struct cel_codec cel_codec_base64 = {
    .name = "base64", .hdf5_id = 32819, .label = "base64", .zarr2 = "base64", .zarr3 = "numcodecs.base64",
    .about = "bytes as text", .bound = bound, .max_ratio = 1, .encode = encode, .decode = decode,
};
