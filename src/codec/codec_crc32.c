/* crc32 and adler32: zlib's checksums as numcodecs keeps them, four bytes, low one
 * first, before the data (or after it, where `location` says so).
 *
 * HDF5 filters 32820 and 32821 (ids of ours), Zarr v2 "crc32" and "adler32".
 * {"id": "crc32"} */
#include "bytes.h"
#include "codec.h"
#include "json.h"
#include "status.h"
#include <libdeflate.h>
#include <netcdf.h>
#include <string.h>

static const char *const locations[] = {"start", "end", NULL};
/* clang-format off */
static const struct cel_param params[] = {
    {.name = "location", .kind = CEL_PARAM_CHOICE, .flags = CEL_PARAM_EXTRA, .word = 0, .min = 0, .max = 1, .choices = locations, .help = "where the checksum is"},
    {0},
};
/* clang-format on */

/* Older versions of numcodecs know no location: it is said only where it differs. */
static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    bool at_end = visible->n > 0 && visible->w[0] == 1;

    return at_end ? cel_json_set(config, "location", cel_json_new_string("end", 3)) : CEL_OK;
}

static uint32_t sum_of(const struct cel_coding *coding, const void *p, size_t n)
{
    return coding->codec->hdf5_id == 32820 ? libdeflate_crc32(0, n ? p : "", n) : libdeflate_adler32(1, n ? p : "", n);
}

static bool at_end(const struct cel_coding *coding)
{
    return coding->words->n && coding->words->w[0];
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return n + 4;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    char *out = dst;

    if (cap < 4 || n > cap - 4)
        return cel_fail(NC_EFILTER, "%s: the output buffer is too small for %zu bytes and a checksum",
                        coding->codec->name, n);
    if (n)
        memcpy(at_end(coding) ? out : out + 4, src, n);
    cel_put_le32(at_end(coding) ? out + n : out, sum_of(coding, src, n));
    *len = n + 4;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const char *in = src, *data = at_end(coding) ? in : in + 4;

    if (n < 4 || n - 4 > cap)
        return cel_fail(NC_EFILTER, "%s: %zu bytes are not one chunk and a checksum", coding->codec->name, n);
    n -= 4;
    if (cel_get_le32(at_end(coding) ? in + n : in) != sum_of(coding, data, n))
        return cel_fail(NC_EFILTER, "%s: the checksum does not match: the chunk is damaged", coding->codec->name);
    if (n)
        memcpy(dst, data, n);
    *len = n;
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_crc32 = {
    .name = "crc32", .hdf5_id = 32820, .label = "crc32", .zarr2 = "crc32", .zarr3 = "numcodecs.crc32",
    .about = "adds zlib's CRC-32 and checks it on reading", .flags = CEL_CODEC_CHECKSUM, .params = params, .to_json = to_json, .max_words = 1,
    .bound = bound, .max_ratio = 1, .encode = encode, .decode = decode,
};
/* clang-format on */
/* clang-format off */
const struct cel_codec cel_codec_adler32 = {
    .name = "adler32", .hdf5_id = 32821, .label = "adler32", .zarr2 = "adler32", .zarr3 = "numcodecs.adler32",
    .about = "adds an Adler-32 and checks it on reading", .flags = CEL_CODEC_CHECKSUM, .params = params, .to_json = to_json, .max_words = 1,
    .bound = bound, .max_ratio = 1, .encode = encode, .decode = decode,
};
/* clang-format on */
