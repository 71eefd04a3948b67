/* SPDX-License-Identifier: BSD-3-Clause */
/* The compressors of Blosc2 on one stream, and what a thread keeps for them. */
#include "b2_work.h"
#include "blosclz.h"
#include "codec.h"
#include "mem.h"
#include "status.h"
#include <limits.h>
#include <lz4.h>
#include <lz4hc.h>
#include <netcdf.h>
#include <stdlib.h>
#include <zstd.h>

extern const struct cel_codec cel_codec_deflate;

struct cel_b2_work *cel_b2_work_make(void)
{
    return cel_calloc(1, sizeof(struct cel_b2_work));
}

void cel_b2_work_free(struct cel_b2_work *work)
{
    if (!work)
        return;
    free(work->blocks);
    free(work->first);
    free(work->part);
    free(work->fetched);
    free(work->table);
    ZSTD_freeCCtx(work->zstd_compress);
    ZSTD_freeDCtx(work->zstd_decompress);
    if (work->deflate)
        cel_codec_deflate.free_context(work->deflate);
    free(work);
}

int cel_b2_work_reserve(unsigned char **p, size_t *cap, size_t need)
{
    unsigned char *grown;

    if (need <= *cap)
        return CEL_OK;
    grown = cel_realloc(*p, need, 1);
    if (!grown)
        return cel_fail_in(NC_ENOMEM, "blosc2");
    *p = grown;
    *cap = need;
    return CEL_OK;
}

/* --- one row for each compressor ---------------------------------------------------------- */

static int decode_blosclz(struct cel_b2_work *work, const unsigned char *src, size_t n, unsigned char *dst, size_t len,
                          size_t need)
{
    return cel_blosclz_decode(src, n, dst, len, need) ? CEL_OK : NC_EFILTER;
}

static int encode_blosclz(struct cel_b2_work *work, unsigned level, const unsigned char *src, size_t n,
                          unsigned char *dst, size_t cap, size_t *len)
{
    *len = cel_blosclz_encode(level, src, n, dst, cap);
    return CEL_OK;
}

static int decode_lz4(struct cel_b2_work *work, const unsigned char *src, size_t n, unsigned char *dst, size_t len,
                      size_t need)
{
    int done = need < len ? LZ4_decompress_safe_partial((const char *)src, (char *)dst, (int)n, (int)need, (int)len)
                          : LZ4_decompress_safe((const char *)src, (char *)dst, (int)n, (int)len);

    return done >= (int)need ? CEL_OK : NC_EFILTER;
}

static int encode_lz4(struct cel_b2_work *work, unsigned level, const unsigned char *src, size_t n, unsigned char *dst,
                      size_t cap, size_t *len)
{
    int done = LZ4_compress_fast((const char *)src, (char *)dst, (int)n, (int)cap, (int)(10 - level));

    *len = done > 0 ? (size_t)done : 0;
    return CEL_OK;
}

static int encode_lz4hc(struct cel_b2_work *work, unsigned level, const unsigned char *src, size_t n,
                        unsigned char *dst, size_t cap, size_t *len)
{
    int done = LZ4_compress_HC((const char *)src, (char *)dst, (int)n, (int)cap, (int)level);

    *len = done > 0 ? (size_t)done : 0;
    return CEL_OK;
}

static int deflate_coding(struct cel_b2_work *work, const struct cel_words *words, struct cel_coding *out)
{
    *out = (struct cel_coding){.codec = &cel_codec_deflate, .words = words};
    if (!work->deflate && cel_codec_deflate.make_context(words, &work->deflate) != CEL_OK)
        return NC_ENOMEM;
    out->context = work->deflate;
    return CEL_OK;
}

static int decode_zlib(struct cel_b2_work *work, const unsigned char *src, size_t n, unsigned char *dst, size_t len,
                       size_t need)
{
    struct cel_words words = {.n = 1, .w = {1}};
    struct cel_coding coding;
    size_t done = 0;
    int rc = deflate_coding(work, &words, &coding);

    if (rc == CEL_OK)
        rc = cel_codec_deflate.decode(&coding, src, n, dst, len, &done);
    return rc == CEL_OK && done != len ? NC_EFILTER : rc;
}

/* libdeflate needs a few bytes more than it writes; what does not fit is stored. */
static int encode_zlib(struct cel_b2_work *work, unsigned level, const unsigned char *src, size_t n, unsigned char *dst,
                       size_t cap, size_t *len)
{
    struct cel_words words = {.n = 1, .w = {level}};
    struct cel_coding coding;
    int rc = deflate_coding(work, &words, &coding);

    *len = 0;
    if (rc == CEL_OK && cel_codec_deflate.encode(&coding, src, n, dst, cap, len) != CEL_OK) {
        *len = 0;
        cel_error_clear();
    }
    return rc;
}

static int decode_zstd(struct cel_b2_work *work, const unsigned char *src, size_t n, unsigned char *dst, size_t len,
                       size_t need)
{
    if (!work->zstd_decompress && !(work->zstd_decompress = ZSTD_createDCtx()))
        return NC_ENOMEM;
    return ZSTD_decompressDCtx(work->zstd_decompress, dst, len, src, n) == len ? CEL_OK : NC_EFILTER;
}

/* Blosc's levels on Zstandard's: up to 5, where blocks are split into short streams, those that make about as many bytes as
 * c-blosc2 3.3.5 in about the same time (bench/run_blosc2.py); level 9 there takes more than twice as long as 6, for nothing. */
static const int zstd_levels[] = {1, 1, 3, 4, 5, 6, 11, 13, 14, 22};

static int encode_zstd(struct cel_b2_work *work, unsigned level, const unsigned char *src, size_t n, unsigned char *dst,
                       size_t cap, size_t *len)
{
    size_t done;

    if (!work->zstd_compress && !(work->zstd_compress = ZSTD_createCCtx()))
        return NC_ENOMEM;
    done = ZSTD_compressCCtx(work->zstd_compress, dst, cap, src, n, zstd_levels[level <= 9 ? level : 9]);
    *len = ZSTD_isError(done) ? 0 : done;
    return CEL_OK;
}

static const struct {
    const char *name;
    int (*decode)(struct cel_b2_work *work, const unsigned char *src, size_t n, unsigned char *dst, size_t len,
                  size_t need);
    int (*encode)(struct cel_b2_work *work, unsigned level, const unsigned char *src, size_t n, unsigned char *dst,
                  size_t cap, size_t *len);
} compressors[] = {
    [CEL_B2_BLOSCLZ] = {"blosclz", decode_blosclz, encode_blosclz},
    [CEL_B2_LZ4] = {"lz4", decode_lz4, encode_lz4},
    [CEL_B2_LZ4HC] = {"lz4hc", decode_lz4, encode_lz4hc},
    [CEL_B2_ZLIB] = {"zlib", decode_zlib, encode_zlib},
    [CEL_B2_ZSTD] = {"zstd", decode_zstd, encode_zstd},
};

/* src and len are parts of a chunk, so less than INT_MAX. */
int cel_b2_stream_decode(struct cel_b2_work *work, enum cel_b2_compressor compressor, const unsigned char *src,
                         size_t n, unsigned char *dst, size_t len, size_t need)
{
    switch (compressors[compressor].decode(work, src, n, dst, len, need)) {
    case CEL_OK:
        return CEL_OK;
    case NC_ENOMEM:
        return cel_fail(NC_ENOMEM, "blosc2: no memory for %s", compressors[compressor].name);
    default:
        return cel_fail(NC_EFILTER, "blosc2: a stream of %s is damaged", compressors[compressor].name);
    }
}

int cel_b2_stream_encode(struct cel_b2_work *work, enum cel_b2_compressor compressor, unsigned level,
                         const unsigned char *src, size_t n, unsigned char *dst, size_t cap, size_t *len)
{
    int rc = compressors[compressor].encode(work, level, src, n, dst, cap, len);

    return rc == CEL_OK ? CEL_OK : cel_fail(rc, "blosc2: no memory for %s", compressors[compressor].name);
}
