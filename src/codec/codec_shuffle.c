/* SPDX-License-Identifier: BSD-3-Clause */
/* shuffle: byte planes: the first bytes of all elements, then the second bytes, and so on. Bytes at the
 * end that do not fill an element stay there. Elements of one byte, or a single element, stay as they
 * are.
 *
 * HDF5 filter 2 ("shuffle"), Zarr v2 "shuffle", v3 "numcodecs.shuffle".
 * cd_values: element size.
 * {"id": "shuffle", "elementsize": 4} */
#include "codec.h"
#include "kernels.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "elementsize", .kind = CEL_PARAM_UINT, .flags = CEL_PARAM_ELEM_SIZE, .word = 0,
     .min = 0, .max = 4294967295.0, .fallback = 0, .help = "bytes of one element"},
    {0},
};
/* clang-format on */

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    if (working->n >= 1 && working->w[0] != 0)
        return CEL_OK;
    if (shape->elem_size > UINT32_MAX)
        return cel_fail(NC_EFILTER, "shuffle: an element of %zu bytes is too long", shape->elem_size);
    working->n = 1;
    working->w[0] = (uint32_t)shape->elem_size;
    return CEL_OK;
}

static int run(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len,
               cel_shuffle_fn *kernel)
{
    size_t size = coding->words->n ? coding->words->w[0] : 0, whole;

    if (n > cap)
        return cel_fail(NC_EFILTER, "shuffle: the chunk has %zu bytes, expected at most %zu", n, cap);
    whole = size > 1 && n / size > 1 ? n / size * size : 0;
    if (whole)
        kernel(dst, src, n / size, size);
    if (n > whole)
        memcpy((char *)dst + whole, (const char *)src + whole, n - whole);
    *len = n;
    return CEL_OK;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    return run(coding, src, n, dst, cap, len, cel_shuffle);
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    return run(coding, src, n, dst, cap, len, cel_unshuffle);
}

/* clang-format off */
const struct cel_codec cel_codec_shuffle = {
    .name = "shuffle", .hdf5_id = 2, .label = "shuffle", .zarr2 = "shuffle", .zarr3 = "numcodecs.shuffle",
    .about = "groups the first, second, ... bytes of the elements, for the compressor after it",
    .flags = CEL_CODEC_SAME_SIZE | CEL_CODEC_PLANES, .params = params, .max_words = 1, .max_ratio = 1,
    .prepare = prepare, .encode = encode, .decode = decode,
};
/* clang-format on */
