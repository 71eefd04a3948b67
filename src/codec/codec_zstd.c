/* zstd: Zstandard frames (RFC 8878).
 *
 * HDF5 filter 32015, Zarr v2 and v3 "zstd". cd_values: level (signed), and 1 for a
 * frame checksum; the second word is stored only when it is set, because the
 * registered plugin and netCDF-C's know one word.
 * One frame with its content size is written, which is what the plugin needs.
 * Read: any number of frames, with or without content size, skippable frames.
 * {"id": "zstd", "level": 3} */
#include "codec.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

static const struct cel_param params[] = {
    {.name = "level", .kind = CEL_PARAM_INT, .word = 0, .min = -131072, .max = 22, .fallback = 3,
     .help = "1 (fast) to 22 (small); 0 is zstd's default, below 0 is faster still"},
    {.name = "checksum", .kind = CEL_PARAM_BOOL, .flags = CEL_PARAM_EXTRA, .word = 1, .min = 0, .max = 1, .fallback = 0,
     .help = "add a checksum to the frame"},
    {0},
};

struct context {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
};

static int make_context(const struct cel_words *working, void **context)
{
    struct context *c = cel_calloc(1, sizeof *c);

    *context = c;
    return c ? CEL_OK : NC_ENOMEM;
}

static void free_context(void *context)
{
    struct context *c = context;

    if (!c)
        return;
    ZSTD_freeCCtx(c->compress);
    ZSTD_freeDCtx(c->decompress);
    free(c);
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible,
                   const struct cel_shape *shape, struct cel_words *working)
{
    if (working->n == 2 && working->w[1] == 0)
        working->n = 1;
    return CEL_OK;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return ZSTD_compressBound(n);
}

static size_t decoded_size(const struct cel_coding *coding, const void *src, size_t n)
{
    unsigned long long size = ZSTD_getFrameContentSize(src, n);
    size_t frame = ZSTD_findFrameCompressedSize(src, n);

    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || frame != n)
        return 0;
    return (size_t)size;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_words *words = coding->words;
    struct context *c = coding->context;
    size_t done;

    if (!c->compress && !(c->compress = ZSTD_createCCtx()))
        return cel_fail(NC_ENOMEM, "zstd: no memory for a compressor");
    ZSTD_CCtx_setParameter(c->compress, ZSTD_c_compressionLevel, words->n > 0 ? (int)words->w[0] : 3);
    ZSTD_CCtx_setParameter(c->compress, ZSTD_c_checksumFlag, words->n > 1 && words->w[1]);
    done = ZSTD_compress2(c->compress, dst, cap, src, n);
    if (ZSTD_isError(done))
        return cel_fail(NC_EFILTER, "zstd: cannot compress: %s", ZSTD_getErrorName(done));
    *len = done;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct context *c = coding->context;
    size_t done;

    if (n == 0)
        return cel_fail(NC_EFILTER, "zstd: the chunk is empty");
    if (!c->decompress && !(c->decompress = ZSTD_createDCtx()))
        return cel_fail(NC_ENOMEM, "zstd: no memory for a decompressor");
    done = ZSTD_decompressDCtx(c->decompress, dst, cap, src, n);
    if (ZSTD_isError(done)) {
        *len = ZSTD_getErrorCode(done) == ZSTD_error_dstSize_tooSmall ? SIZE_MAX : 0;
        return cel_fail(NC_EFILTER, "zstd: the chunk is damaged: %s", ZSTD_getErrorName(done));
    }
    *len = done;
    return CEL_OK;
}

const struct cel_codec cel_codec_zstd = {
    .name = "zstd",
    .hdf5_id = 32015,
    .label = "Zstandard compression: http://www.zstd.net",
    .zarr2 = "zstd",
    .zarr3 = "zstd",
    .about = "Zstandard: small and fast to read",
    .flags = CEL_CODEC_COMPRESSOR,
    .params = params,
    .min_words = 0,
    .max_words = 2,
    .prepare = prepare,
    .bound = bound,
    .decoded_size = decoded_size,
    .encode = encode,
    .decode = decode,
    .make_context = make_context,
    .free_context = free_context,
};
