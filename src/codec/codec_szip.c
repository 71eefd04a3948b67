/* SPDX-License-Identifier: BSD-3-Clause */
/* szip: extended Rice coding of CCSDS 121, as HDF5 stores it: the decoded size (32
 * bits, low byte first), then the stream. libaec is called directly, with the
 * padding and byte planes of its szlib interface (a test compares the bytes), because that interface
 * does not recognize a chunk that was cut short.
 *
 * HDF5 filter 4 ("szip"), Zarr v2 "szip". cd_values as given: options mask (4
 * entropy coding or 32 nearest neighbour), pixels per block (even, 2 to 32). As
 * stored: mask with 1, 128 and the byte order (8 or 16) added, pixels per block,
 * bits per pixel, pixels per scanline.
 *
 * libaec drops bytes at the end that do not fill a pixel, silently: a chunk with
 * such a length (behind a codec that changes it) is left out (CEL_SKIP).
 * {"id": "szip", "mask": 4, "pixels-per-block": 16} */
#include "bytes.h"
#include "codec.h"
#include "codec_buffer.h"
#include "kernels.h"
#include "mem.h"
#include "status.h"
#include <libaec.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

enum { MASK, BLOCK, BITS, SCANLINE, NWORDS }; /* the working words */

/* Bits of the mask, and limits, of the szip library. */
enum { K13 = 1, CHIP = 2, ENTROPY = 4, LSB = 8, MSB = 16, NEIGHBOUR = 32, RAW = 128 };
#define BLOCK_MAX 32
#define BLOCKS_PER_SCANLINE 128
#define SCANLINE_MAX (BLOCK_MAX * BLOCKS_PER_SCANLINE)

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "mask", .kind = CEL_PARAM_UINT, .flags = CEL_PARAM_REQUIRED, .word = MASK, .min = 0, .max = 255,
     .fallback = NEIGHBOUR, .help = "4: entropy coding, 32: nearest neighbour"},
    {.name = "pixels-per-block", .kind = CEL_PARAM_UINT, .flags = CEL_PARAM_REQUIRED, .word = BLOCK,
     .min = 2, .max = BLOCK_MAX, .fallback = 16, .help = "even, 2 to 32"},
    {0},
};
/* clang-format on */

static int check(const struct cel_words *visible)
{
    unsigned coding = visible->w[MASK] & (ENTROPY | NEIGHBOUR);

    if (visible->w[BLOCK] % 2 != 0)
        return cel_fail(NC_EINVAL, "szip: pixels-per-block is %u, must be even", visible->w[BLOCK]);
    if (coding != ENTROPY && coding != NEIGHBOUR)
        return cel_fail(NC_EINVAL, "szip: mask is %u, must hold 4 (entropy coding) or 32 (nearest neighbour)",
                        visible->w[MASK]);
    return CEL_OK;
}

/* HDF5's rule: a scanline is the fastest axis, but at most 128 blocks; if that axis is shorter than a block,
 * the scanline goes on into the next rows. */
static size_t scanline_of(const struct cel_shape *shape, size_t block)
{
    size_t points = shape->nbytes / shape->elem_size;
    size_t fastest = shape->rank > 0 ? shape->dims[shape->rank - 1] : points;
    size_t most = BLOCKS_PER_SCANLINE * block;

    if (fastest < block)
        return points < block ? 0 : points < most ? points : most;
    if (fastest <= SCANLINE_MAX)
        return fastest < most ? fastest : most;
    return most;
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    size_t bits = shape->elem_size * 8, scanline;

    if (working->n == NWORDS)
        return CEL_OK;
    if (shape->elem_size != 1 && shape->elem_size != 2 && shape->elem_size != 4 && shape->elem_size != 8)
        return cel_fail(NC_EFILTER, "szip: cannot take elements of %zu bytes, only of 1, 2, 4 or 8", shape->elem_size);
    scanline = scanline_of(shape, visible->w[BLOCK]);
    if (scanline == 0)
        return cel_fail(NC_EINVAL, "szip: pixels-per-block is %u, more than the chunk's %zu elements",
                        visible->w[BLOCK], shape->nbytes / shape->elem_size);
    working->n = NWORDS;
    working->w[MASK] &= ~(uint32_t)(CHIP | LSB | MSB);
    working->w[MASK] |= K13 | RAW | (shape->big_endian ? MSB : LSB);
    working->w[BITS] = (uint32_t)bits;
    working->w[SCANLINE] = (uint32_t)scanline;
    return CEL_OK;
}

/* Two words, with the bits that HDF5 adds taken off, as netCDF-C shows them. */
static void reveal(const struct cel_words *working, struct cel_words *visible)
{
    visible->n = 2;
    visible->w[MASK] = working->w[MASK] & (CHIP | ENTROPY | NEIGHBOUR);
    visible->w[BLOCK] = working->w[BLOCK];
}

struct settings {
    size_t mask, block, bits, scanline;
};

/* Words from a file may be anything; libaec divides by some of them. */
static int read_words(const struct cel_words *words, struct settings *out)
{
    if (words->n < NWORDS)
        return cel_fail(NC_EFILTER, "szip: %zu parameters are stored, expected %d", words->n, NWORDS);
    if (words->w[BLOCK] < 2 || words->w[BLOCK] > BLOCK_MAX || words->w[BLOCK] % 2)
        return cel_fail(NC_EFILTER, "szip: %u pixels per block are stored, must be even, 2 to 32", words->w[BLOCK]);
    if (words->w[BITS] < 1 || (words->w[BITS] > 24 && words->w[BITS] != 32 && words->w[BITS] != 64))
        return cel_fail(NC_EFILTER, "szip: %u bits per pixel are stored, must be 1 to 24, 32 or 64", words->w[BITS]);
    if (words->w[SCANLINE] < words->w[BLOCK] || words->w[SCANLINE] > SCANLINE_MAX)
        return cel_fail(NC_EFILTER, "szip: %u pixels per scanline are stored, must be %u to 4096", words->w[SCANLINE],
                        words->w[BLOCK]);
    *out = (struct settings){words->w[MASK], words->w[BLOCK], words->w[BITS], words->w[SCANLINE]};
    return CEL_OK;
}

/* Elements of 4 and 8 bytes are coded as byte planes. */
static size_t plane_count(const struct settings *s)
{
    return s->bits == 32 ? 4 : s->bits == 64 ? 8 : 1;
}

static size_t pixel_bytes(const struct settings *s)
{
    return plane_count(s) > 1 || s->bits <= 8 ? 1 : s->bits <= 16 ? 2 : 4;
}

static struct aec_stream stream_of(const struct settings *s)
{
    struct aec_stream a = {0};

    a.bits_per_sample = plane_count(s) > 1 ? 8 : (unsigned)s->bits;
    a.block_size = (unsigned)s->block;
    a.rsi = (unsigned)((s->scanline + s->block - 1) / s->block);
    a.flags = AEC_NOT_ENFORCE | (s->mask & MSB ? AEC_DATA_MSB : 0) | (s->mask & NEIGHBOUR ? AEC_DATA_PREPROCESS : 0);
    return a;
}

/* A chunk of n bytes as libaec sees it: scanlines of `line` bytes, each filled up
 * to `padded` bytes, which are whole blocks. */
struct layout {
    size_t line, padded, lines;
};

static struct layout layout_of(const struct settings *s, size_t n)
{
    size_t pixel = pixel_bytes(s);
    struct layout l;

    l.line = s->scanline * pixel;
    l.padded = (s->scanline + s->block - 1) / s->block * s->block * pixel;
    l.lines = (n + l.line - 1) / l.line;
    return l;
}

/* Space in the context: the chunk in planes, then the chunk in padded scanlines. */
static int reserve(struct cel_codec_buffer *buffer, size_t n, const struct layout *l, unsigned char **planes,
                   unsigned char **lines)
{
    int rc = cel_codec_buffer_reserve(buffer, n + l->padded * l->lines, "szip");

    *planes = buffer->p;
    *lines = buffer->p ? buffer->p + n : NULL;
    return rc;
}

/* Filled with the line's last pixel where neighbours are compared, else with 0. */
static void pad(unsigned char *dst, const unsigned char *src, size_t n, const struct layout *l, size_t pixel,
                bool repeat)
{
    for (size_t i = 0; i < l->lines; i++, dst += l->padded, src += l->line, n -= l->line) {
        size_t line = n < l->line ? n : l->line, at;

        memcpy(dst, src, line);
        for (at = line; at < l->padded; at += pixel)
            if (repeat)
                memcpy(dst + at, src + line - pixel, pixel);
            else
                memset(dst + at, 0, pixel);
    }
}

static void unpad(unsigned char *dst, const unsigned char *src, size_t n, const struct layout *l)
{
    for (size_t i = 0; i < l->lines; i++, dst += l->line, src += l->padded, n -= l->line)
        memcpy(dst, src, n < l->line ? n : l->line);
}

/* Every scanline is filled up to whole blocks; incompressible data then grows by 3 bits in 64. */
static size_t bound(const struct cel_coding *coding, size_t n)
{
    return 4 + 2 * n + n / 8 + 8 * 4096;
}

static size_t decoded_size(const struct cel_coding *coding, const void *src, size_t n)
{
    return n < 4 ? 0 : cel_get_le32(src);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    unsigned char *planes = NULL, *lines = NULL;
    struct settings s = {0};
    struct aec_stream a;
    struct layout l;
    int rc = read_words(coding->words, &s), answer;

    if (rc != CEL_OK)
        return rc;
    if (cap < 4 || n > UINT32_MAX)
        return cel_fail(NC_EFILTER, "szip: %zu bytes are too many", n);
    if (n % (pixel_bytes(&s) * plane_count(&s)) != 0)
        return CEL_SKIP;
    cel_put_le32(dst, (uint32_t)n);
    *len = 4;
    if (n == 0)
        return CEL_OK;
    l = layout_of(&s, n);
    rc = reserve(coding->context, n, &l, &planes, &lines);
    if (rc != CEL_OK)
        return rc;
    if (plane_count(&s) > 1)
        cel_shuffle(planes, src, n / plane_count(&s), plane_count(&s));
    pad(lines, plane_count(&s) > 1 ? planes : src, n, &l, pixel_bytes(&s), s.mask & NEIGHBOUR);
    a = stream_of(&s);
    a.next_in = lines;
    a.avail_in = l.padded * l.lines;
    a.next_out = (unsigned char *)dst + 4;
    a.avail_out = cap - 4;
    answer = aec_buffer_encode(&a);
    if (answer != AEC_OK || a.avail_in > 0)
        return cel_fail(NC_EFILTER, "szip: cannot compress (libaec says %d)", answer);
    *len += a.total_out;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    unsigned char *planes = NULL, *lines = NULL;
    struct settings s = {0};
    struct aec_stream a;
    struct layout l;
    size_t size;
    int rc = read_words(coding->words, &s);

    if (rc != CEL_OK)
        return rc;
    if (n < 4)
        return cel_fail(NC_EFILTER, "szip: %zu bytes cannot hold a header", n);
    *len = size = cel_get_le32(src);
    if (size > cap)
        return cel_fail(NC_EFILTER, "szip: the chunk says it has %zu bytes, expected at most %zu", size, cap);
    if (size % (pixel_bytes(&s) * plane_count(&s)) != 0)
        return cel_fail(NC_EFILTER, "szip: the chunk says it has %zu bytes, no whole number of pixels of %zu bits",
                        size, s.bits);
    if (size == 0)
        return n == 4 ? CEL_OK : cel_fail(NC_EFILTER, "szip: %zu bytes follow an empty chunk", n - 4);
    l = layout_of(&s, size);
    rc = reserve(coding->context, size, &l, &planes, &lines);
    if (rc != CEL_OK)
        return rc;
    a = stream_of(&s);
    a.next_in = (const unsigned char *)src + 4;
    a.avail_in = n - 4;
    a.next_out = lines;
    a.avail_out = l.padded * l.lines;
    /* the last scanline may have been cut after its last real pixel */
    if (aec_buffer_decode(&a) != AEC_OK || a.total_out < (l.lines - 1) * l.padded + (size - (l.lines - 1) * l.line))
        return cel_fail(NC_EFILTER, "szip: the chunk is damaged or cut short");
    if (a.avail_in > 0)
        return cel_fail(NC_EFILTER, "szip: %zu bytes follow the stream", a.avail_in);
    unpad(plane_count(&s) > 1 ? planes : dst, lines, size, &l);
    if (plane_count(&s) > 1)
        cel_unshuffle(dst, planes, size / plane_count(&s), plane_count(&s));
    return CEL_OK;
}

/* clang-format off */
const struct cel_codec cel_codec_szip = {
    .name = "szip", .hdf5_id = 4, .label = "szip", .zarr2 = "szip",
    .about = "Rice coding of neighbouring values (CCSDS 121)",
    .flags = CEL_CODEC_COMPRESSOR | CEL_CODEC_MAY_SKIP | CEL_CODEC_NEEDS_PIXELS, .params = params,
    .min_words = 2, .max_words = 2, .check = check, .prepare = prepare, .reveal = reveal,
    .bound = bound, .decoded_size = decoded_size, .encode = encode, .decode = decode,
    .make_context = cel_codec_buffer_make, .free_context = cel_codec_buffer_free,
};
/* clang-format on */
