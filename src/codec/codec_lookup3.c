/* SPDX-License-Identifier: BSD-3-Clause */
/* jenkins_lookup3: the data, then its checksum by Jenkins' lookup3, which HDF5 uses for metadata; four bytes, the low one
 * first.
 *
 * HDF5 filter 32823 (an id of ours), Zarr v2 "jenkins_lookup3". One word: what the sum starts with. numcodecs'
 * "prefix", bytes that are summed before the data and not stored, can only be null.
 * {"id": "jenkins_lookup3", "initval": 0, "prefix": null} */
#include "checksum.h"
#include "json.h"
#include "lookup3.h"
#include "status.h"
#include <netcdf.h>

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

static uint32_t sum_of(const struct cel_coding *coding, const void *data, size_t n)
{
    return cel_lookup3(data, n, coding->words->n ? coding->words->w[0] : 0);
}

static const struct cel_checksum lookup3 = {.sum = sum_of};

/* clang-format off */
const struct cel_codec cel_codec_lookup3 = {
    .name = "jenkins_lookup3", .hdf5_id = 32823, .label = "jenkins_lookup3", .zarr2 = "jenkins_lookup3",
    .zarr3 = "numcodecs.jenkins_lookup3", .about = "adds HDF5's metadata checksum and checks it on reading",
    .params = params, .max_words = 1, .to_json = to_json, .from_json = from_json,
    .variant = &lookup3, CEL_CHECKSUM_MEMBERS,
};
/* clang-format on */
