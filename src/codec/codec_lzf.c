/* SPDX-License-Identifier: BSD-3-Clause */
/* lzf: h5py's fast compressor. Written here rather than through liblzf, whose
 * compressor starts from memory that was never set, so that equal chunks need not
 * give equal bytes.
 *
 * HDF5 filter 32000 ("lzf"), Zarr v2 "imagecodecs_lzf". cd_values as stored: filter
 * revision 4, library version 0x105, bytes of a chunk. No header; a sequence of
 *
 *   000lllll                    l + 1 bytes follow as they are
 *   lllooooo oooooooo           l + 2 bytes, copied from o + 1 bytes back; l is 1 to 6
 *   111ooooo llllllll oooooooo  the same with l + 9 bytes
 *
 * {"id": "imagecodecs_lzf", "header": false} */
#include "codec.h"
#include "json.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define LITERALS_MAX 32
#define OFFSET_MAX 8192
#define MATCH_MIN 3
#define MATCH_MAX 264
#define HASH_BITS 14

enum { REVISION, LIBRARY, CHUNK, NWORDS };

/* Where the three bytes with this hash were last seen, plus 1. */
struct context {
    uint32_t seen[1 << HASH_BITS];
};

static int make_context(const struct cel_words *working, void **context)
{
    *context = cel_malloc(sizeof(struct context));
    return *context ? CEL_OK : NC_ENOMEM;
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    if (shape->nbytes > UINT32_MAX)
        return cel_fail(NC_EFILTER, "lzf: chunks of %zu bytes are too long", shape->nbytes);
    working->n = NWORDS;
    if (visible->n <= REVISION || visible->w[REVISION] == 0)
        working->w[REVISION] = 4;
    if (visible->n <= LIBRARY || visible->w[LIBRARY] == 0)
        working->w[LIBRARY] = 0x105;
    working->w[CHUNK] = (uint32_t)shape->nbytes;
    return CEL_OK;
}

static void reveal(const struct cel_words *working, struct cel_words *visible)
{
    visible->n = 0;
}

/* imagecodecs has a header of its own, which HDF5's chunks lack. */
static int to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    return version == 2 ? cel_json_set(config, "header", cel_json_new_bool(false)) : CEL_OK;
}

static int from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    const struct cel_json *header = cel_json_get(config, "header");

    if (header && cel_json_bool(header))
        return cel_fail(NC_EFILTER, "lzf: chunks with a header are not supported, only \"header\": false");
    return CEL_OK;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return n + n / LITERALS_MAX + 1;
}

static size_t decoded_size(const struct cel_coding *coding, const void *src, size_t n)
{
    return coding->words->n > CHUNK ? coding->words->w[CHUNK] : 0;
}

static unsigned char *put_literals(unsigned char *to, const unsigned char *from, size_t n)
{
    while (n > 0) {
        size_t run = n < LITERALS_MAX ? n : LITERALS_MAX;

        *to++ = (unsigned char)(run - 1);
        memcpy(to, from, run);
        to += run;
        from += run;
        n -= run;
    }
    return to;
}

static unsigned char *put_match(unsigned char *to, size_t offset, size_t length)
{
    offset--;
    length -= 2;
    *to++ = (unsigned char)((length < 7 ? length : 7) << 5 | offset >> 8);
    if (length >= 7)
        *to++ = (unsigned char)(length - 7);
    *to++ = (unsigned char)offset;
    return to;
}

static unsigned hash(const unsigned char *p)
{
    uint32_t v = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;

    return v * 2654435761u >> (32 - HASH_BITS);
}

static size_t match_length(const unsigned char *a, const unsigned char *b, size_t most)
{
    size_t n = 0;

    while (n < most && a[n] == b[n])
        n++;
    return n;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct context *c = coding->context;
    const unsigned char *from = src;
    unsigned char *to = dst;
    size_t at = 0, literals = 0; /* bytes from `literals` to `at` are not yet written */

    if (cap < bound(coding, n) || n >= UINT32_MAX)
        return cel_fail(NC_EFILTER, "lzf: the output buffer is too small for %zu bytes", n);
    memset(c->seen, 0, sizeof c->seen);
    while (n - at >= MATCH_MIN) {
        unsigned h = hash(from + at);
        size_t last = c->seen[h], most = n - at < MATCH_MAX ? n - at : MATCH_MAX, length = 0;

        c->seen[h] = (uint32_t)at + 1;
        if (last != 0 && at + 1 - last <= OFFSET_MAX)
            length = match_length(from + last - 1, from + at, most);
        if (length < MATCH_MIN) {
            at++;
            continue;
        }
        to = put_literals(to, from + literals, at - literals);
        to = put_match(to, at + 1 - last, length);
        for (literals = at + length; ++at < literals;)
            if (n - at >= MATCH_MIN)
                c->seen[hash(from + at)] = (uint32_t)at + 1;
    }
    to = put_literals(to, from + literals, n - literals);
    *len = (size_t)(to - (unsigned char *)dst);
    return CEL_OK;
}

/* Copies that overlap their source repeat it. */
static void copy_match(unsigned char *to, size_t offset, size_t length)
{
    const unsigned char *from = to - offset;

    if (offset >= length)
        memcpy(to, from, length);
    else
        for (size_t i = 0; i < length; i++)
            to[i] = from[i];
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const unsigned char *from = src, *end = from + n;
    unsigned char *to = dst, *limit = to + cap;

    while (from < end) {
        size_t control = *from++, length = control >> 5, offset;

        if (length == 0) {
            length = control + 1;
            if ((size_t)(end - from) < length)
                return cel_fail(NC_EFILTER, "lzf: the chunk is cut short");
            if ((size_t)(limit - to) < length)
                return cel_fail(NC_EFILTER, "lzf: the chunk holds more than %zu bytes", cap);
            memcpy(to, from, length);
            from += length;
        } else {
            if (end - from < (length == 7 ? 2 : 1))
                return cel_fail(NC_EFILTER, "lzf: the chunk is cut short");
            if (length == 7)
                length += *from++;
            length += 2;
            offset = ((control & 31) << 8 | *from++) + 1;
            if (offset > (size_t)(to - (unsigned char *)dst))
                return cel_fail(NC_EFILTER, "lzf: the chunk is damaged: it refers to bytes before its start");
            if ((size_t)(limit - to) < length)
                return cel_fail(NC_EFILTER, "lzf: the chunk holds more than %zu bytes", cap);
            copy_match(to, offset, length);
        }
        to += length;
    }
    *len = (size_t)(to - (unsigned char *)dst);
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_lzf = {
    .name = "lzf", .hdf5_id = 32000, .label = "lzf", .zarr2 = "imagecodecs_lzf", .about = "h5py's fast compressor",
    .flags = CEL_CODEC_COMPRESSOR, .max_words = NWORDS, .max_ratio = 88,
    .prepare = prepare, .reveal = reveal, .to_json = to_json, .from_json = from_json,
    .bound = bound, .decoded_size = decoded_size, .encode = encode, .decode = decode,
    .make_context = make_context, .free_context = free,
};
/* clang-format on */
