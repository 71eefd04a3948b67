/* SPDX-License-Identifier: BSD-3-Clause */
/* zstd: Zstandard frames (RFC 8878).
 *
 * HDF5 filter 32015, Zarr v2 and v3 "zstd". cd_values: level (signed), and 1 for a
 * frame checksum; the second word is stored only when it is set, because the
 * registered plugin and netCDF-C's know one word.
 * One frame with its content size is written, which is what the plugin needs.
 * Read: any number of frames, with or without content size, skippable frames.
 *
 * Level 3 of libzstd looks up every position in two tables. In chunks that hardly shrink, such as measured
 * or modelled numbers without a shuffle, one table of the same size finds as much in two thirds of the
 * time: see is_hard(). Behind a shuffle, small tables are enough: see is_near(). Every other level is
 * libzstd's own.
 * {"id": "zstd", "level": 3} */
#include "codec.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "level", .kind = CEL_PARAM_INT, .word = 0, .min = -131072, .max = 22, .fallback = 3,
     .help = "1 (fast) to 22 (small); 0 is zstd's default, below 0 is faster still"},
    {.name = "checksum", .kind = CEL_PARAM_BOOL, .flags = CEL_PARAM_EXTRA, .word = 1, .min = 0, .max = 1, .fallback = 0,
     .help = "add a checksum to the frame"},
    {0},
};
/* clang-format on */

enum { PIECES = 8, PIECE_MAX = 4096 };

/* Eight pieces, spread over a chunk, and what they are compressed to. */
struct sample {
    ZSTD_CCtx *compress;
    char taken[PIECES * PIECE_MAX], encoded[ZSTD_COMPRESSBOUND(PIECES * PIECE_MAX)];
};

struct context {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
    struct sample *sample;
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
    if (c->sample)
        ZSTD_freeCCtx(c->sample->compress);
    free(c->sample);
    free(c);
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
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

static int no_memory(void)
{
    return cel_fail(NC_ENOMEM, "zstd: no memory for a compressor");
}

/* --- the search that level 3 makes ------------------------------------------------- */

static void search_one_table(ZSTD_CCtx *c, int table_bits)
{
    ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, 3);
    ZSTD_CCtx_setParameter(c, ZSTD_c_strategy, ZSTD_fast);
    ZSTD_CCtx_setParameter(c, ZSTD_c_hashLog, table_bits);
    ZSTD_CCtx_setParameter(c, ZSTD_c_minMatch, 5);
}

static int need_sample(struct context *c)
{
    if (c->sample)
        return CEL_OK;
    c->sample = cel_calloc(1, sizeof *c->sample);
    if (!c->sample || !(c->sample->compress = ZSTD_createCCtx()))
        return no_memory();
    search_one_table(c->sample->compress, 13);
    return CEL_OK;
}

/* Bytes of the sample: one in 32 of the chunk, or less. */
static size_t take_sample(struct sample *s, const char *src, size_t n)
{
    size_t piece = n / (32 * PIECES) < PIECE_MAX ? n / (32 * PIECES) : PIECE_MAX, step = (n - piece) / (PIECES - 1);

    for (size_t i = 0; i < PIECES; i++)
        memcpy(s->taken + i * piece, src + i * step, piece);
    return PIECES * piece;
}

/* In byte planes of plain numbers repetitions are near and short. Two tables that fit the first-level cache,
 * with matches from four bytes on, then give the same size within 0.3 % in half the time. Not so in larger
 * chunks, where repetitions are farther apart (2.5 % larger on heights), nor in planes of differences, where
 * matches are longer (1.5 %). From libzstd 1.5.7 on its own level 3 is as fast, and up to 0.6 % smaller. */
static bool is_near(const struct cel_coding *coding, size_t n)
{
    return ZSTD_versionNumber() < 10507 && coding->planes > 1 && coding->before == 1 && n <= (size_t)1 << 20;
}

static void search_near(ZSTD_CCtx *c)
{
    ZSTD_CCtx_setParameter(c, ZSTD_c_hashLog, 13);
    ZSTD_CCtx_setParameter(c, ZSTD_c_chainLog, 13); /* of the short matches */
    ZSTD_CCtx_setParameter(c, ZSTD_c_minMatch, 4);
}

/* Whether one table is enough: a sample of the chunk shrinks by less than four ninths. Measured on twenty kinds
 * of synthetic and real arrays: for those, one table gives between 3 % less and 0.4 % more bytes than two. Data
 * that shrinks better would become up to 5 % larger, and so would shuffled bytes (also when another program's
 * filter has shuffled them). Chunks up to 256 KiB are left to libzstd, whose level 3 looks for shorter matches
 * in them. */
static int is_hard(struct context *c, const struct cel_coding *coding, const void *src, size_t n, bool *out)
{
    size_t taken, len;
    int rc;

    *out = false;
    if (!coding->in_chain || coding->planes || n <= (size_t)256 << 10)
        return CEL_OK;
    rc = need_sample(c);
    if (rc != CEL_OK)
        return rc;
    taken = take_sample(c->sample, src, n);
    len = ZSTD_compress2(c->sample->compress, c->sample->encoded, sizeof c->sample->encoded, c->sample->taken, taken);
    *out = !ZSTD_isError(len) && len * 9 > taken * 5;
    return CEL_OK;
}

static int choose_search(struct context *c, const struct cel_coding *coding, const void *src, size_t n)
{
    const struct cel_words *words = coding->words;
    int level = words->n > 0 ? (int)words->w[0] : 3, rc = CEL_OK;
    bool usual = level == 3 || level == 0, hard = false;

    if (usual)
        rc = is_hard(c, coding, src, n, &hard);
    if (rc != CEL_OK)
        return rc;
    ZSTD_CCtx_reset(c->compress, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(c->compress, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(c->compress, ZSTD_c_checksumFlag, words->n > 1 && words->w[1]);
    if (hard)
        search_one_table(c->compress, 17);
    else if (usual && is_near(coding, n))
        search_near(c->compress);
    return CEL_OK;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct context *c = coding->context;
    size_t done;
    int rc;

    if (!c->compress && !(c->compress = ZSTD_createCCtx()))
        return no_memory();
    rc = choose_search(c, coding, src, n);
    if (rc != CEL_OK)
        return rc;
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

/* clang-format off */
const struct cel_codec cel_codec_zstd = {
    .name = "zstd", .hdf5_id = 32015, .zarr2 = "zstd", .zarr3 = "zstd",
    .label = "Zstandard compression: http://www.zstd.net", .about = "Zstandard: small and fast to read",
    .flags = CEL_CODEC_COMPRESSOR, .params = params, .max_words = 2, .prepare = prepare,
    .bound = bound, .decoded_size = decoded_size, .encode = encode, .decode = decode,
    .make_context = make_context, .free_context = free_context,
};
/* clang-format on */
