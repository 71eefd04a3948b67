/* SPDX-License-Identifier: BSD-3-Clause */
/* bitshuffle: bit planes instead of byte planes, block by block, by itself or with
 * LZ4 or Zstandard behind it.
 *
 * HDF5 filter 32008. Zarr v2 "imagecodecs_bitshuffle" has no compression, so the
 * name is our own. cd_values as given: elements of a block (a multiple of 8, 0 for
 * about 8 kB), compression (0 none, 2 lz4, 3 zstd), zstd's level; as stored: version
 * 0, 4, bytes of an element, then those.
 *
 * A block of n elements becomes 8 x size rows of n / 8 bytes: first the lowest bit of
 * the first byte of each element, element 0 in the lowest bit. The last block may be
 * shorter, a multiple of 8; up to 7 elements behind it stay as they are. Without
 * compression that is all. With it (numbers high byte first):
 *
 *   OFFSET  SIZE  MEANING
 *        0     8  bytes of the chunk
 *        8     4  bytes of a block
 *       12     4  stored bytes of block 0
 *       16        block 0, then 4 + data for every other block, then what is left
 *
 * {"id": "cellar.bitshuffle", "blocksize": 0, "compression": "lz4", "level": 3} */
#include "bit_planes.h"
#include "bytes.h"
#include "codec.h"
#include "mem.h"
#include "status.h"
#include <lz4.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define HEADER 12
#define BLOCK_BYTES 8192    /* bytes of a block where none is given, about */
#define BLOCK_MIN 128       /* elements of a block where none is given, at least */
#define BLOCK_MAX (1 << 20) /* elements of a block; other writers use some hundreds */
#define WHOLE_MAX (1 << 30) /* bytes of a block */

enum { NONE = 0, LZ4 = 2, ZSTD = 3 };

/* As given, and as stored. */
enum { GIVEN_BLOCK, GIVEN_COMPRESSION, GIVEN_LEVEL, GIVEN_WORDS };
enum { MAJOR, MINOR, SIZE, BLOCK, COMPRESSION, LEVEL, STORED_WORDS };

static const char *const compressions[] = {"none", "reserved", "lz4", "zstd", NULL};

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "blocksize", .kind = CEL_PARAM_UINT, .word = GIVEN_BLOCK, .min = 0, .max = BLOCK_MAX, .fallback = 0,
     .help = "elements of a block, a multiple of 8; 0: about 8 kB"},
    {.name = "compression", .kind = CEL_PARAM_CHOICE, .word = GIVEN_COMPRESSION, .min = 0, .max = 3, .fallback = NONE,
     .choices = compressions, .help = "what follows the bit shuffle: none, lz4 or zstd"},
    {.name = "level", .kind = CEL_PARAM_INT, .word = GIVEN_LEVEL, .min = -131072, .max = 22, .fallback = 3,
     .help = "of zstd"},
    {0},
};
/* clang-format on */

struct context {
    unsigned char *blocks; /* three blocks */
    size_t block_bytes;
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
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
    free(c->blocks);
    ZSTD_freeCCtx(c->compress);
    ZSTD_freeDCtx(c->decompress);
    free(c);
}

static int check(const struct cel_words *visible)
{
    if (visible->w[GIVEN_BLOCK] % 8 != 0)
        return cel_fail(NC_EINVAL, "bitshuffle: blocksize is %u, must be a multiple of 8", visible->w[GIVEN_BLOCK]);
    if (visible->w[GIVEN_COMPRESSION] == 1)
        return cel_fail(NC_EINVAL, "bitshuffle: compression 1 does not exist, must be 0 (none), 2 (lz4) or 3 (zstd)");
    return CEL_OK;
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    size_t i, given = visible->n > GIVEN_WORDS ? GIVEN_WORDS : visible->n;

    if (shape->elem_size > BLOCK_MAX / 8)
        return cel_fail(NC_EFILTER, "bitshuffle: elements of %zu bytes are too long", shape->elem_size);
    if (visible->n > GIVEN_WORDS) { /* stored words: only the element may have changed */
        working->w[SIZE] = (uint32_t)shape->elem_size;
        return CEL_OK;
    }
    for (i = 0; i < given; i++)
        working->w[BLOCK + i] = visible->w[i];
    working->n = BLOCK + given;
    if (working->n > LEVEL && working->w[COMPRESSION] != ZSTD)
        working->n = LEVEL;
    working->w[MAJOR] = 0;
    working->w[MINOR] = 4;
    working->w[SIZE] = (uint32_t)shape->elem_size;
    return CEL_OK;
}

static void reveal(const struct cel_words *working, struct cel_words *visible)
{
    size_t i;

    visible->n = working->n > BLOCK ? working->n - BLOCK : 0;
    for (i = 0; i < visible->n; i++)
        visible->w[i] = working->w[BLOCK + i];
}

struct settings {
    size_t size;  /* bytes of an element */
    size_t block; /* elements of a block */
    unsigned compression;
    int level;
};

static int read_words(const struct cel_words *words, struct settings *out)
{
    struct settings s = {.level = 3};

    if (words->n <= SIZE || words->w[SIZE] == 0 || words->w[SIZE] > BLOCK_MAX / 8)
        return cel_fail(NC_EFILTER, "bitshuffle: the element size is not stored, or not possible");
    s.size = words->w[SIZE];
    s.block = words->n > BLOCK ? words->w[BLOCK] : 0;
    s.compression = words->n > COMPRESSION ? words->w[COMPRESSION] : NONE;
    if (words->n > LEVEL)
        s.level = (int)words->w[LEVEL];
    if (s.block == 0) {
        s.block = BLOCK_BYTES / s.size / 8 * 8;
        s.block = s.block < BLOCK_MIN ? BLOCK_MIN : s.block;
    }
    if (s.block % 8 != 0 || s.block > BLOCK_MAX || s.block * s.size > WHOLE_MAX)
        return cel_fail(NC_EFILTER, "bitshuffle: a block of %zu elements is stored, must be a multiple of 8", s.block);
    if (s.compression != NONE && s.compression != LZ4 && s.compression != ZSTD)
        return cel_fail(NC_EFILTER, "bitshuffle: compression %u is stored, must be 0 (none), 2 (lz4) or 3 (zstd)",
                        s.compression);
    *out = s;
    return CEL_OK;
}

static int reserve(struct context *c, size_t block_bytes)
{
    unsigned char *blocks;

    if (block_bytes <= c->block_bytes)
        return CEL_OK;
    blocks = cel_realloc(c->blocks, 3, block_bytes);
    if (!blocks)
        return cel_fail_in(NC_ENOMEM, "bitshuffle");
    c->blocks = blocks;
    c->block_bytes = block_bytes;
    return CEL_OK;
}

/* Bytes of the next block when `left` bytes are left; 0: fewer than 8 elements. */
static size_t next_block(const struct settings *s, size_t left)
{
    size_t n = left / s->size / 8 * 8;

    return (n < s->block ? n : s->block) * s->size;
}

static size_t block_bound(unsigned compression, size_t nbytes)
{
    return compression == LZ4 ? (size_t)LZ4_compressBound((int)nbytes) : ZSTD_compressBound(nbytes);
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    struct settings s;
    size_t whole, blocks;

    if (read_words(coding->words, &s) != CEL_OK || s.compression == NONE)
        return n;
    whole = s.block * s.size;
    blocks = n / whole + 1;
    return HEADER + n + blocks * (4 + block_bound(s.compression, whole) - whole);
}

static size_t decoded_size(const struct cel_coding *coding, const void *src, size_t n)
{
    if (coding->words->n <= COMPRESSION || coding->words->w[COMPRESSION] == NONE)
        return n;
    return n < HEADER ? 0 : (size_t)cel_get_be64(src);
}

/* Shuffles or unshuffles a chunk that has no compression. */
static int shuffle_all(struct context *c, const struct settings *s, const void *src, size_t n, void *dst,
                       void (*one)(unsigned char *, const unsigned char *, size_t, size_t, unsigned char *))
{
    const unsigned char *from = src;
    unsigned char *to = dst;
    size_t at = 0, part;
    int rc = reserve(c, next_block(s, n));

    for (; rc == CEL_OK && (part = next_block(s, n - at)) > 0; at += part)
        one(to + at, from + at, part / s->size, s->size, c->blocks);
    if (rc == CEL_OK)
        memcpy(to + at, from + at, n - at);
    return rc;
}

static int compress_block(struct context *c, const struct settings *s, const unsigned char *src, size_t n,
                          unsigned char *dst, size_t *len)
{
    size_t cap = block_bound(s->compression, n);

    if (s->compression == LZ4) {
        *len = (size_t)LZ4_compress_default((const char *)src, (char *)dst, (int)n, (int)cap);
        return *len ? CEL_OK : cel_fail(NC_EFILTER, "bitshuffle: lz4 cannot compress");
    }
    if (!c->compress && !(c->compress = ZSTD_createCCtx()))
        return cel_fail(NC_ENOMEM, "bitshuffle: no memory for a compressor");
    *len = ZSTD_compressCCtx(c->compress, dst, cap, src, n, s->level);
    return ZSTD_isError(*len) ? cel_fail(NC_EFILTER, "bitshuffle: zstd cannot compress: %s", ZSTD_getErrorName(*len))
                              : CEL_OK;
}

static int compress_all(struct context *c, const struct settings *s, const void *src, size_t n, void *dst, size_t *len)
{
    size_t whole = s->block * s->size, at = 0, part, stored = 0;
    const unsigned char *from = src;
    unsigned char *to = dst;
    int rc = reserve(c, next_block(s, n));

    cel_put_be64(to, n);
    cel_put_be32(to + 8, (uint32_t)whole);
    to += HEADER;
    for (; rc == CEL_OK && (part = next_block(s, n - at)) > 0; at += part) {
        unsigned char *shuffled = c->blocks + 2 * part;

        cel_bit_planes_make(shuffled, from + at, part / s->size, s->size, c->blocks);
        rc = compress_block(c, s, shuffled, part, to + 4, &stored);
        if (rc != CEL_OK)
            return rc;
        cel_put_be32(to, (uint32_t)stored);
        to += 4 + stored;
    }
    if (rc == CEL_OK)
        memcpy(to, from + at, n - at);
    *len = (size_t)(to - (unsigned char *)dst) + n - at;
    return rc;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct settings s = {0};
    int rc = read_words(coding->words, &s);

    if (rc != CEL_OK)
        return rc;
    if (n % s.size != 0)
        return CEL_SKIP;
    if (cap < bound(coding, n))
        return cel_fail(NC_EFILTER, "bitshuffle: the output buffer is too small for %zu bytes", n);
    if (s.compression != NONE)
        return compress_all(coding->context, &s, src, n, dst, len);
    *len = n;
    return shuffle_all(coding->context, &s, src, n, dst, cel_bit_planes_make);
}

static int decompress_block(struct context *c, const struct settings *s, const unsigned char *src, size_t stored,
                            unsigned char *dst, size_t part)
{
    size_t got;

    if (s->compression == LZ4) {
        if (stored > LZ4_MAX_INPUT_SIZE || part > LZ4_MAX_INPUT_SIZE ||
            LZ4_decompress_safe((const char *)src, (char *)dst, (int)stored, (int)part) != (int)part)
            return cel_fail(NC_EFILTER, "bitshuffle: a block of lz4 is damaged");
        return CEL_OK;
    }
    if (!c->decompress && !(c->decompress = ZSTD_createDCtx()))
        return cel_fail(NC_ENOMEM, "bitshuffle: no memory for a decompressor");
    got = ZSTD_decompressDCtx(c->decompress, dst, part, src, stored);
    return got == part ? CEL_OK : cel_fail(NC_EFILTER, "bitshuffle: a block of zstd is damaged");
}

/* The block size is taken from the chunk's header, not from the words. */
static int read_header(const unsigned char *src, size_t n, size_t cap, struct settings *s, size_t *total)
{
    uint64_t says;
    uint32_t block;

    if (n < HEADER)
        return cel_fail(NC_EFILTER, "bitshuffle: %zu bytes cannot hold a header", n);
    says = cel_get_be64(src);
    block = cel_get_be32(src + 8);
    if (says > cap || says % s->size != 0)
        return cel_fail(NC_EFILTER,
                        "bitshuffle: the chunk says it has %llu bytes, expected at most %zu in elements "
                        "of %zu",
                        (unsigned long long)says, cap, s->size);
    if (block == 0 || block % (8 * s->size) != 0)
        return cel_fail(NC_EFILTER, "bitshuffle: the chunk says its blocks have %u bytes, no multiple of 8 elements",
                        block);
    s->block = block / s->size;
    *total = (size_t)says;
    return CEL_OK;
}

static int decompress_all(struct context *c, struct settings *s, const void *src, size_t n, void *dst, size_t cap,
                          size_t *len)
{
    const unsigned char *from = src, *end = from + n;
    size_t total = 0, at = 0, part;
    unsigned char *to = dst;
    int rc = read_header(src, n, cap, s, &total);

    if (rc == CEL_OK)
        rc = reserve(c, next_block(s, total));
    from += HEADER;
    for (; rc == CEL_OK && (part = next_block(s, total - at)) > 0; at += part) {
        unsigned char *shuffled = c->blocks + 2 * part;
        size_t stored;

        if (end - from < 4 || (size_t)(end - from - 4) < (stored = cel_get_be32(from)))
            return cel_fail(NC_EFILTER, "bitshuffle: the chunk is cut short");
        rc = decompress_block(c, s, from + 4, stored, shuffled, part);
        if (rc == CEL_OK)
            cel_bit_planes_undo(to + at, shuffled, part / s->size, s->size, c->blocks);
        from += 4 + stored;
    }
    if (rc != CEL_OK)
        return rc;
    if ((size_t)(end - from) != total - at)
        return cel_fail(NC_EFILTER, "bitshuffle: %zu bytes follow the last block, expected %zu", (size_t)(end - from),
                        total - at);
    memcpy(to + at, from, total - at);
    *len = total;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct settings s = {0};
    int rc = read_words(coding->words, &s);

    if (rc != CEL_OK)
        return rc;
    if (s.compression != NONE)
        return decompress_all(coding->context, &s, src, n, dst, cap, len);
    if (n > cap || n % s.size != 0)
        return cel_fail(NC_EFILTER, "bitshuffle: the chunk has %zu bytes, expected at most %zu in elements of %zu", n,
                        cap, s.size);
    *len = n;
    return shuffle_all(coding->context, &s, src, n, dst, cel_bit_planes_undo);
}

/* clang-format off */
const struct cel_codec cel_codec_bitshuffle = {
    .name = "bitshuffle", .hdf5_id = 32008, .label = "bitshuffle; see https://github.com/kiyo-masui/bitshuffle",
    .about = "bit planes, by itself or with lz4 or zstd",
    .flags = CEL_CODEC_COMPRESSOR | CEL_CODEC_MAY_SKIP | CEL_CODEC_NEEDS_PIXELS, .params = params,
    .max_words = GIVEN_WORDS, .check = check, .prepare = prepare, .reveal = reveal,
    .bound = bound, .decoded_size = decoded_size, .encode = encode, .decode = decode,
    .make_context = make_context, .free_context = free_context,
};
/* clang-format on */
