/* SPDX-License-Identifier: BSD-3-Clause */
/* blosc: Blosc 1 chunks (16-byte header): a shuffle and a compressor in blocks that
 * fit the cache.
 *
 * HDF5 filter 32001 ("blosc"), Zarr v2 and v3 "blosc". cd_values: two that are the filter's own (netCDF-C writes 0
 * and 0, the registered plugin its revision and format, 2 and 2; nobody reads them), element size, bytes of a chunk, level, shuffle (0 none, 1 bytes, 2 bits),
 * compressor (0 blosclz, 1 lz4, 2 lz4hc, 3 snappy, 4 zlib, 5 zstd). The first four are
 * filled in. Some programs give the fourth as a block size; it is ignored, as HDF5's plugin does, and
 * Blosc chooses the block size. Data that does not shrink is stored as it is, behind the header. The `_ctx` calls of Blosc use no
 * global state.
 * {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0} */
#include "bytes.h"
#include "codec.h"
#include "json.h"
#include "status.h"
#include <blosc.h>
#include <limits.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

enum { REVISION, FORMAT, SIZE, CHUNK, LEVEL, SHUFFLE, COMPRESSOR, NWORDS };

static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle", NULL};
static const char *const gdal_shuffles[] = {"NONE", "BYTE", "BIT", NULL}; /* as GDAL names them, read only */
static const char *const compressors[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd", NULL};

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "cname", .kind = CEL_PARAM_CHOICE, .word = COMPRESSOR, .min = 0, .max = 5, .fallback = BLOSC_BLOSCLZ,
     .choices = compressors, .help = "the compressor inside"},
    {.name = "clevel", .kind = CEL_PARAM_UINT, .word = LEVEL, .min = 0, .max = 9, .fallback = 5,
     .help = "0 (stored) to 9 (small)"},
    {.name = "shuffle", .kind = CEL_PARAM_CHOICE, .word = SHUFFLE, .min = 0, .max = 2, .fallback = BLOSC_SHUFFLE,
     .choices = shuffles, .help = "what comes before the compressor"},
    {.name = "blocksize", .kind = CEL_PARAM_UINT, .word = CHUNK, .min = 0, .max = 4294967295.0, .fallback = 0,
     .help = "kept, but Blosc chooses the size of its blocks"},
    {.name = "typesize", .kind = CEL_PARAM_UINT, .flags = CEL_PARAM_ELEM_SIZE, .word = SIZE, .min = 0,
     .max = 4294967295.0, .fallback = 0, .help = "bytes of one element"},
    {0},
};
/* clang-format on */

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    if (shape->nbytes > BLOSC_MAX_BUFFERSIZE)
        return cel_fail(NC_EFILTER, "blosc: chunks of %zu bytes are more than the %d it takes", shape->nbytes,
                        BLOSC_MAX_BUFFERSIZE);
    if (working->n <= CHUNK)
        working->n = CHUNK + 1;
    working->w[REVISION] = 0;
    working->w[FORMAT] = 0;
    working->w[SIZE] = shape->elem_size > BLOSC_MAX_TYPESIZE ? 1 : (uint32_t)shape->elem_size;
    working->w[CHUNK] = (uint32_t)shape->nbytes;
    return CEL_OK;
}

/* The words that prepare() filled in are shown as 0. */
static void reveal(const struct cel_words *working, struct cel_words *visible)
{
    *visible = *working;
    for (size_t i = REVISION; i <= CHUNK && i < visible->n; i++)
        visible->w[i] = 0;
}

/* Version 2 numbers the shuffle, version 3 names it and wants the element size. A
 * block size is known only while the words are as the user gave them: filled in, the
 * word holds the bytes of a chunk. */
static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    const char *compressor = compressors[visible->w[COMPRESSOR] % 6], *shuffle = shuffles[visible->w[SHUFFLE] % 3];
    bool filled_in = visible->w[REVISION] != 0 || (shape && visible->w[CHUNK] == shape->nbytes);
    uint32_t blocksize = filled_in ? 0 : visible->w[CHUNK];
    uint64_t typesize = visible->w[SIZE] ? visible->w[SIZE] : shape ? shape->elem_size : 1;
    int rc = cel_json_set(config, "cname", cel_json_new_string(compressor, strlen(compressor)));

    if (rc == CEL_OK)
        rc = cel_json_set(config, "clevel", cel_json_new_uint(visible->w[LEVEL]));
    if (rc == CEL_OK)
        rc = cel_json_set(config, "shuffle",
                          version == 2 ? cel_json_new_uint(visible->w[SHUFFLE])
                                       : cel_json_new_string(shuffle, strlen(shuffle)));
    if (rc == CEL_OK && version == 3)
        rc = cel_json_set(config, "typesize", cel_json_new_uint(typesize > BLOSC_MAX_TYPESIZE ? 1 : typesize));
    if (rc == CEL_OK)
        rc = cel_json_set(config, "blocksize", cel_json_new_uint(blocksize));
    return rc;
}

static bool find_choice(const char *text, const char *const *choices, uint32_t *out)
{
    for (uint32_t i = 0; text && choices && choices[i]; i++)
        if (strcmp(text, choices[i]) == 0) {
            *out = i;
            return true;
        }
    return false;
}

/* A number, or the name of one of the choices; `others`: by other names, NULL: none. */
static int read_choice(const struct cel_json *config, const char *key, const char *const *choices,
                       const char *const *others, uint32_t *out)
{
    const struct cel_json *v = cel_json_get(config, key);
    const char *text = v ? cel_json_string(v, NULL) : NULL;
    int64_t number;

    if (!v || find_choice(text, choices, out) || find_choice(text, others, out))
        return CEL_OK;
    if (!cel_json_int(v, true, &number) || number > 5)
        return cel_fail(NC_EFILTER, "blosc: %s is no choice for \"%s\"", text ? text : "the value", key);
    *out = number < 0 ? BLOSC_SHUFFLE : (uint32_t)number; /* -1: numcodecs' automatic shuffle */
    return CEL_OK;
}

static int read_number(const struct cel_json *config, const char *key, uint32_t *out)
{
    const struct cel_json *v = cel_json_get(config, key);
    uint64_t number;

    if (!v || cel_json_type(v) == CEL_JSON_NULL)
        return CEL_OK;
    if (!cel_json_uint(v, true, &number) || number > UINT32_MAX)
        return cel_fail(NC_EFILTER, "blosc: \"%s\" is no number from 0 to 4294967295", key);
    *out = (uint32_t)number;
    return CEL_OK;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    int rc;

    visible->n = NWORDS;
    visible->w[LEVEL] = 5;
    visible->w[SHUFFLE] = BLOSC_SHUFFLE;
    visible->w[COMPRESSOR] = BLOSC_LZ4;
    rc = read_choice(config, "cname", compressors, NULL, &visible->w[COMPRESSOR]);
    if (rc == CEL_OK)
        rc = read_number(config, "clevel", &visible->w[LEVEL]);
    if (rc == CEL_OK)
        rc = read_choice(config, "shuffle", shuffles, gdal_shuffles, &visible->w[SHUFFLE]);
    if (rc == CEL_OK)
        rc = read_number(config, "blocksize", &visible->w[CHUNK]);
    if (rc == CEL_OK)
        rc = read_number(config, "typesize", &visible->w[SIZE]);
    return rc;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return n + BLOSC_MAX_OVERHEAD;
}

static size_t decoded_size(const struct cel_coding *coding, const void *src, size_t n)
{
    return n < BLOSC_MIN_HEADER_LENGTH ? 0 : cel_get_le32((const char *)src + 4);
}

static uint32_t word_or(const struct cel_words *words, size_t i, uint32_t fallback)
{
    return words->n > i ? words->w[i] : fallback;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_words *words = coding->words;
    uint32_t level = word_or(words, LEVEL, 5), shuffle = word_or(words, SHUFFLE, BLOSC_SHUFFLE);
    uint32_t code = word_or(words, COMPRESSOR, BLOSC_BLOSCLZ), size = word_or(words, SIZE, 1);
    const char *name = NULL;
    int done;

    if (level > 9 || shuffle > 2 || code > 5 || n > BLOSC_MAX_BUFFERSIZE)
        return cel_fail(NC_EFILTER, "blosc: cannot use level %u, shuffle %u, compressor %u on %zu bytes", level,
                        shuffle, code, n);
    if (blosc_compcode_to_compname((int)code, &name) < 0)
        return cel_fail(NC_EFILTER, "blosc: this Blosc library was built without %s", compressors[code]);
    if (size == 0 || size > BLOSC_MAX_TYPESIZE)
        size = 1;
    done = blosc_compress_ctx((int)level, (int)shuffle, size, n, src, dst, cap, name, 0, 1);
    if (done <= 0)
        return cel_fail(NC_EFILTER, "blosc: cannot compress (Blosc says %d)", done);
    *len = (size_t)done;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    size_t size = 0;
    int done;

    if (n < BLOSC_MIN_HEADER_LENGTH || blosc_cbuffer_validate(src, n, &size) != 0)
        return cel_fail(NC_EFILTER, "blosc: the chunk is damaged or cut short");
    if (size > cap)
        return cel_fail(NC_EFILTER, "blosc: the chunk says it has %zu bytes, expected at most %zu", size, cap);
    if (cel_get_le32((const char *)src + 8) > size && size > 0)
        return cel_fail(NC_EFILTER, "blosc: the chunk says its blocks are longer than itself");
    done = blosc_decompress_ctx(src, dst, size, 1);
    if (done < 0 || (size_t)done != size)
        return cel_fail(NC_EFILTER, "blosc: the chunk is damaged (Blosc says %d)", done);
    *len = size;
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_blosc = {
    .name = "blosc", .hdf5_id = 32001, .label = "blosc", .zarr2 = "blosc", .zarr3 = "blosc",
    .about = "a shuffle and one of six compressors, in blocks",
    .flags = CEL_CODEC_COMPRESSOR, .params = params, .max_words = NWORDS,
    .prepare = prepare, .reveal = reveal, .to_json = to_json, .from_json = from_json,
    .bound = bound, .decoded_size = decoded_size, .encode = encode, .decode = decode,
};
/* clang-format on */
