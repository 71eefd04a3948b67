/* SPDX-License-Identifier: BSD-3-Clause */
/* lz4block: one LZ4 block after its decoded size (32 bits, low byte first), which
 * is what numcodecs calls lz4; HDF5's lz4 has another frame.
 *
 * HDF5 filter 32812 (an id of ours), Zarr v2 "lz4". cd_values: acceleration.
 * {"id": "lz4", "acceleration": 1} */
#include "bytes.h"
#include "codec.h"
#include "status.h"
#include <lz4.h>
#include <netcdf.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "acceleration", .kind = CEL_PARAM_INT, .word = 0, .min = 1, .max = 65537, .fallback = 1, .help = "larger is faster and less small"},
    {0},
};
/* clang-format on */

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return n > LZ4_MAX_INPUT_SIZE ? n : 4 + (size_t)LZ4_compressBound((int)n);
}

static size_t decoded_size(const struct cel_coding *coding, const void *src, size_t n)
{
    return n < 4 ? 0 : cel_get_le32(src);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    int done;

    if (n > LZ4_MAX_INPUT_SIZE || cap < 4)
        return cel_fail(NC_EFILTER, "lz4block: a chunk of %zu bytes is more than LZ4 takes at once", n);
    cel_put_le32(dst, (uint32_t)n);
    done = LZ4_compress_fast(src, (char *)dst + 4, (int)n, cap - 4 > INT32_MAX ? INT32_MAX : (int)(cap - 4),
                             coding->words->n ? (int)coding->words->w[0] : 1);
    if (done <= 0)
        return cel_fail(NC_EFILTER, "lz4block: cannot compress %zu bytes", n);
    *len = 4 + (size_t)done;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    size_t size = n < 4 ? 0 : cel_get_le32(src);
    int done;

    if (n < 4 || n - 4 > INT32_MAX || size > INT32_MAX)
        return cel_fail(NC_EFILTER, "lz4block: the chunk is damaged");
    if (size > cap)
        return *len = SIZE_MAX,
               cel_fail(NC_EFILTER, "lz4block: the chunk says it has %zu bytes, expected at most %zu", size, cap);
    done = LZ4_decompress_safe((const char *)src + 4, dst, (int)(n - 4), (int)size);
    if (done < 0 || (size_t)done != size)
        return cel_fail(NC_EFILTER, "lz4block: the chunk is damaged");
    *len = size;
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_lz4block = {
    .name = "lz4block", .hdf5_id = 32812, .label = "lz4block", .zarr2 = "lz4", .zarr3 = "numcodecs.lz4",
    .about = "LZ4 as numcodecs frames it", .flags = CEL_CODEC_COMPRESSOR, .params = params, .max_words = 1, .max_ratio = 256,
    .bound = bound, .decoded_size = decoded_size, .encode = encode, .decode = decode,
};
/* clang-format on */
