/* SPDX-License-Identifier: BSD-3-Clause */
/* crc32 and adler32: zlib's checksums as numcodecs keeps them, four bytes, low one
 * first, before the data (or after it, where `location` says so).
 *
 * HDF5 filters 32820 and 32821 (ids of ours), Zarr v2 "crc32" and "adler32".
 * {"id": "crc32"} */
#include "checksum.h"
#include "json.h"
#include "status.h"
#include <libdeflate.h>

static const char *const locations[] = {"start", "end", NULL};
/* clang-format off */
static const struct cel_param params[] = {
    {.name = "location", .kind = CEL_PARAM_CHOICE, .flags = CEL_PARAM_EXTRA, .word = 0, .min = 0, .max = 1, .choices = locations, .help = "where the checksum is"},
    {0},
};
/* clang-format on */

/* Older versions of numcodecs have no "location": it is written only if it is not the default. */
static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    bool at_end = visible->n > 0 && visible->w[0] == 1;

    return at_end ? cel_json_set(config, "location", cel_json_new_string("end", 3)) : CEL_OK;
}

static uint32_t crc32_of(const struct cel_coding *coding, const void *data, size_t n)
{
    return libdeflate_crc32(0, n ? data : "", n);
}

static uint32_t adler32_of(const struct cel_coding *coding, const void *data, size_t n)
{
    return libdeflate_adler32(1, n ? data : "", n);
}

static bool comes_first(const struct cel_coding *coding)
{
    return !(coding->words->n && coding->words->w[0]);
}

static const struct cel_checksum crc32 = {.sum = crc32_of, .comes_first = comes_first};
static const struct cel_checksum adler32 = {.sum = adler32_of, .comes_first = comes_first};

/* clang-format off */
const struct cel_codec cel_codec_crc32 = {
    .name = "crc32", .hdf5_id = 32820, .label = "crc32", .zarr2 = "crc32", .zarr3 = "numcodecs.crc32",
    .about = "adds zlib's CRC-32 and checks it on reading",
    .params = params, .max_words = 1, .to_json = to_json, .variant = &crc32, CEL_CHECKSUM_MEMBERS,
};

const struct cel_codec cel_codec_adler32 = {
    .name = "adler32", .hdf5_id = 32821, .label = "adler32", .zarr2 = "adler32", .zarr3 = "numcodecs.adler32",
    .about = "adds an Adler-32 and checks it on reading",
    .params = params, .max_words = 1, .to_json = to_json, .variant = &adler32, CEL_CHECKSUM_MEMBERS,
};
/* clang-format on */
