/* deflate: zlib streams (RFC 1950), through libdeflate in both directions.
 *
 * HDF5 filter 1 ("deflate"), Zarr v2 "zlib", v3 "numcodecs.zlib". cd_values: level.
 * Written: one stream. Read: one or several streams one after the other; anything
 * else behind a stream is damage.
 * {"id": "zlib", "level": 5} */
#include "codec.h"
#include "mem.h"
#include "status.h"
#include <libdeflate.h>
#include <netcdf.h>
#include <stdlib.h>

static const struct cel_param params[] = {
    {.name = "level", .kind = CEL_PARAM_UINT, .flags = CEL_PARAM_REQUIRED, .word = 0, .min = 0, .max = 9,
     .fallback = 5, .help = "0 (stored), 1 (fast) to 9 (small)"},
    {0},
};

struct context {
    struct libdeflate_compressor *compress;
    struct libdeflate_decompressor *decompress;
};

static int make_context(const struct cel_words *working, void **context)
{
    *context = cel_calloc(1, sizeof(struct context));
    return *context ? CEL_OK : NC_ENOMEM;
}

static void free_context(void *context)
{
    struct context *c = context;

    if (!c)
        return;
    libdeflate_free_compressor(c->compress);
    libdeflate_free_decompressor(c->decompress);
    free(c);
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return libdeflate_zlib_compress_bound(NULL, n);
}

static int compressor(const struct cel_coding *coding, struct libdeflate_compressor **out)
{
    struct context *c = coding->context;
    unsigned level = coding->words->n ? coding->words->w[0] : 5;

    if (level > 9)
        return cel_fail(NC_EFILTER, "deflate: level %u is stored, must be 0 to 9", level);
    if (!c->compress && !(c->compress = libdeflate_alloc_compressor((int)level)))
        return cel_fail(NC_ENOMEM, "deflate: no memory for a compressor");
    *out = c->compress;
    return CEL_OK;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct libdeflate_compressor *compress = NULL;
    int rc = compressor(coding, &compress);

    if (rc != CEL_OK)
        return rc;
    *len = libdeflate_zlib_compress(compress, src, n, dst, cap);
    if (*len == 0)
        return cel_fail(NC_EFILTER, "deflate: no room for %zu bytes", n);
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct context *c = coding->context;
    size_t used, done;

    if (!c->decompress && !(c->decompress = libdeflate_alloc_decompressor()))
        return cel_fail(NC_ENOMEM, "deflate: no memory for a decompressor");
    *len = 0;
    do {
        enum libdeflate_result answer = libdeflate_zlib_decompress_ex(
            c->decompress, src, n, (char *)dst + *len, cap - *len, &used, &done);

        if (answer == LIBDEFLATE_INSUFFICIENT_SPACE) {
            *len = SIZE_MAX;
            return cel_fail(NC_EFILTER, "deflate: the chunk is cut short, or holds more than %zu bytes", cap);
        }
        if (answer != LIBDEFLATE_SUCCESS)
            return cel_fail(NC_EFILTER, "deflate: the chunk is damaged");
        src = (const char *)src + used;
        n -= used;
        *len += done;
    } while (n > 0);
    return CEL_OK;
}

const struct cel_codec cel_codec_deflate = {
    .name = "deflate",
    .hdf5_id = 1,
    .label = "deflate",
    .zarr2 = "zlib",
    .zarr3 = "numcodecs.zlib",
    .about = "zlib's deflate: read everywhere",
    .flags = CEL_CODEC_COMPRESSOR,
    .params = params,
    .min_words = 1,
    .max_words = 1,
    .bound = bound,
    .max_ratio = 1032,
    .encode = encode,
    .decode = decode,
    .make_context = make_context,
    .free_context = free_context,
};
