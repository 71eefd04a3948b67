/* SPDX-License-Identifier: BSD-3-Clause */
/* lz4: LZ4 blocks in the framing of HDF5's plugin.
 *
 * HDF5 filter 32004, Zarr v2 "imagecodecs_lz4h5". cd_values: block size in bytes,
 * 0 or absent for 1 GiB. Numbers are stored high byte first:
 *
 *   OFFSET  SIZE  MEANING
 *        0     8  bytes of the chunk
 *        8     4  bytes of a block (the last one may have fewer)
 *       12     4  stored bytes of block 0; as many as the block has: stored raw
 *       16        block 0, then 4 + data for every other block
 *
 * {"id": "imagecodecs_lz4h5", "blocksize": 0} */
#include "bytes.h"
#include "codec.h"
#include "mem.h"
#include "status.h"
#include <lz4.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define HEADER 12
#define BLOCK_DEFAULT ((size_t)1 << 30)

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "blocksize", .kind = CEL_PARAM_UINT, .word = 0, .min = 0, .max = LZ4_MAX_INPUT_SIZE,
     .fallback = 0, .help = "bytes compressed at a time; 0: 1 GiB"},
    {0},
};
/* clang-format on */

static int make_context(const struct cel_words *working, void **context)
{
    *context = cel_malloc((size_t)LZ4_sizeofState());
    return *context ? CEL_OK : NC_ENOMEM;
}

static size_t block_size(const struct cel_coding *coding, size_t n)
{
    size_t block = coding->words->n && coding->words->w[0] ? coding->words->w[0] : BLOCK_DEFAULT;

    if (block > LZ4_MAX_INPUT_SIZE)
        block = LZ4_MAX_INPUT_SIZE;
    return block < n ? block : n;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    size_t block = block_size(coding, n);
    size_t blocks = block ? (n + block - 1) / block : 0;

    /* LZ4 may expand the last block while it tries; the block is stored raw then */
    return HEADER + n + 4 * blocks + (size_t)LZ4_compressBound((int)block) - block;
}

static size_t decoded_size(const struct cel_coding *coding, const void *src, size_t n)
{
    return n < HEADER ? 0 : (size_t)cel_get_be64(src);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    size_t block = block_size(coding, n), at, part;
    char *to = dst;

    if (cap < bound(coding, n))
        return cel_fail(NC_EFILTER, "lz4: the output buffer is too small for %zu bytes", n);
    cel_put_be64(to, n);
    cel_put_be32(to + 8, (uint32_t)block);
    to += HEADER;
    for (at = 0; at < n; at += part) {
        const char *from = (const char *)src + at;
        size_t stored;

        part = n - at < block ? n - at : block;
        stored = (size_t)LZ4_compress_fast_extState(coding->context, from, to + 4, (int)part,
                                                    LZ4_compressBound((int)part), 1);
        if (stored == 0 || stored >= part) {
            memcpy(to + 4, from, part);
            stored = part;
        }
        cel_put_be32(to, (uint32_t)stored);
        to += 4 + stored;
    }
    *len = (size_t)(to - (char *)dst);
    return CEL_OK;
}

static int decode_block(const char *src, size_t stored, char *dst, size_t part)
{
    if (stored == part)
        memcpy(dst, src, part);
    else if (stored > LZ4_MAX_INPUT_SIZE || part > LZ4_MAX_INPUT_SIZE ||
             LZ4_decompress_safe(src, dst, (int)stored, (int)part) != (int)part)
        return cel_fail(NC_EFILTER, "lz4: a block is damaged");
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const char *from = src;
    size_t block, at, part;
    uint64_t total;
    int rc = CEL_OK;

    if (n < HEADER)
        return cel_fail(NC_EFILTER, "lz4: %zu bytes cannot hold a header", n);
    total = cel_get_be64(from);
    block = cel_get_be32(from + 8);
    if (total > cap)
        return cel_fail(NC_EFILTER, "lz4: the chunk says it has %llu bytes, expected at most %zu",
                        (unsigned long long)total, cap);
    if (total > 0 && block == 0)
        return cel_fail(NC_EFILTER, "lz4: the chunk says its blocks have no bytes");
    from += HEADER;
    n -= HEADER;
    for (at = 0; rc == CEL_OK && at < total; at += part) {
        size_t stored;

        part = total - at < block ? (size_t)total - at : block;
        if (n < 4 || n - 4 < (stored = cel_get_be32(from)))
            return cel_fail(NC_EFILTER, "lz4: the chunk is cut short");
        rc = decode_block(from + 4, stored, (char *)dst + at, part);
        from += 4 + stored;
        n -= 4 + stored;
    }
    if (rc == CEL_OK && n > 0)
        return cel_fail(NC_EFILTER, "lz4: %zu bytes follow the last block", n);
    *len = (size_t)total;
    return rc;
}

/* clang-format off */
const struct cel_codec cel_codec_lz4 = {
    .name = "lz4", .hdf5_id = 32004, .zarr2 = "imagecodecs_lz4h5",
    .label = "HDF5 lz4 filter; see http://www.hdfgroup.org/services/contributions.html",
    .about = "LZ4: the fastest to read, compresses less",
    .flags = CEL_CODEC_COMPRESSOR, .params = params, .max_words = 1, .max_ratio = 256,
    .bound = bound, .decoded_size = decoded_size, .encode = encode, .decode = decode,
    .make_context = make_context, .free_context = free,
};
/* clang-format on */
