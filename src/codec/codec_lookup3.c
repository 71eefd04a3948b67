/* jenkins_lookup3: the checksum of HDF5's metadata, of the data and four bytes behind it, low one first.
 *
 * HDF5 filter 32823 (an id of ours), Zarr v2 "jenkins_lookup3". One word: what the sum starts with. numcodecs'
 * "prefix", bytes that are summed before the data and not stored, can only be null.
 * {"id": "jenkins_lookup3", "initval": 0, "prefix": null} */
#include "bytes.h"
#include "codec.h"
#include "json.h"
#include "lookup3.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "initval", .kind = CEL_PARAM_UINT, .word = 0, .min = 0, .max = 4294967295.0, .help = "what the sum starts with"},
    {0},
};
/* clang-format on */

static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    int rc = cel_json_set(config, "initval", cel_json_new_uint(visible->n ? visible->w[0] : 0));

    return rc == CEL_OK ? cel_json_set(config, "prefix", cel_json_new_null()) : rc;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    const struct cel_json *start = cel_json_get(config, "initval");
    uint64_t v = 0;

    if (cel_json_type(cel_json_get(config, "prefix")) != CEL_JSON_NULL)
        return cel_fail(NC_EFILTER, "jenkins_lookup3: \"prefix\" is not supported, only null");
    if (start && (!cel_json_uint(start, true, &v) || v > UINT32_MAX))
        return cel_fail(NC_EFILTER, "jenkins_lookup3: \"initval\" must be a number of 32 bits");
    visible->n = 1;
    visible->w[0] = (uint32_t)v;
    return CEL_OK;
}

static uint32_t sum_of(const struct cel_coding *coding, const void *p, size_t n)
{
    return cel_lookup3(p, n, coding->words->n ? coding->words->w[0] : 0);
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return n + 4;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    if (cap < 4 || n > cap - 4)
        return cel_fail(NC_EFILTER, "jenkins_lookup3: the output buffer is too small for %zu bytes and a checksum", n);
    if (n)
        memcpy(dst, src, n);
    cel_put_le32((char *)dst + n, sum_of(coding, src, n));
    *len = n + 4;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    if (n < 4 || n - 4 > cap)
        return cel_fail(NC_EFILTER, "jenkins_lookup3: %zu bytes are not one chunk and a checksum", n);
    n -= 4;
    if (cel_get_le32((const char *)src + n) != sum_of(coding, src, n))
        return cel_fail(NC_EFILTER, "jenkins_lookup3: the checksum does not match: the chunk is damaged");
    if (n)
        memcpy(dst, src, n);
    *len = n;
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_lookup3 = {
    .name = "jenkins_lookup3", .hdf5_id = 32823, .label = "jenkins_lookup3", .zarr2 = "jenkins_lookup3",
    .zarr3 = "numcodecs.jenkins_lookup3", .about = "adds HDF5's metadata checksum and checks it on reading",
    .flags = CEL_CODEC_CHECKSUM, .params = params, .max_words = 1, .to_json = to_json, .from_json = from_json,
    .bound = bound, .max_ratio = 1, .encode = encode, .decode = decode,
};
/* clang-format on */
