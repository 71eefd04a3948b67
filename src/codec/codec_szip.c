/* szip: extended Rice coding of CCSDS 121, through libaec's szlib interface, as
 * HDF5 does it: the decoded size (32 bits, low byte first), then the stream.
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
#include "status.h"
#include <netcdf.h>
#include <szlib.h>

enum { MASK, BLOCK, BITS, SCANLINE, NWORDS }; /* the working words */

static const struct cel_param params[] = {
    {.name = "mask", .kind = CEL_PARAM_UINT, .flags = CEL_PARAM_REQUIRED, .word = MASK, .min = 0, .max = 255,
     .fallback = SZ_NN_OPTION_MASK, .help = "4: entropy coding, 32: nearest neighbour"},
    {.name = "pixels-per-block", .kind = CEL_PARAM_UINT, .flags = CEL_PARAM_REQUIRED, .word = BLOCK,
     .min = 2, .max = SZ_MAX_PIXELS_PER_BLOCK, .fallback = 16, .help = "even, 2 to 32"},
    {0},
};

static int check(const struct cel_words *visible)
{
    unsigned coding = visible->w[MASK] & (SZ_EC_OPTION_MASK | SZ_NN_OPTION_MASK);

    if (visible->w[BLOCK] % 2 != 0)
        return cel_fail(NC_EINVAL, "szip: pixels-per-block is %u, must be even", visible->w[BLOCK]);
    if (coding != SZ_EC_OPTION_MASK && coding != SZ_NN_OPTION_MASK)
        return cel_fail(NC_EINVAL, "szip: mask is %u, must hold 4 (entropy coding) or 32 (nearest neighbour)",
                        visible->w[MASK]);
    return CEL_OK;
}

/* HDF5's rule: a scanline is the fastest axis, in whole chunks of at most 128
 * blocks; an axis shorter than a block takes in what lies beside it. */
static size_t scanline_of(const struct cel_shape *shape, size_t block)
{
    size_t points = shape->nbytes / shape->elem_size;
    size_t fastest = shape->rank > 0 ? shape->dims[shape->rank - 1] : points;
    size_t most = SZ_MAX_BLOCKS_PER_SCANLINE * block;

    if (fastest < block)
        return points < block ? 0 : points < most ? points : most;
    if (fastest <= SZ_MAX_PIXELS_PER_SCANLINE)
        return fastest < most ? fastest : most;
    return most;
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible,
                   const struct cel_shape *shape, struct cel_words *working)
{
    size_t bits = shape->elem_size * 8, scanline;

    if (working->n == NWORDS)
        return CEL_OK;
    if (shape->elem_size != 1 && shape->elem_size != 2 && shape->elem_size != 4 && shape->elem_size != 8)
        return cel_fail(NC_EFILTER, "szip: cannot take elements of %zu bytes, only of 1, 2, 4 or 8",
                        shape->elem_size);
    scanline = scanline_of(shape, visible->w[BLOCK]);
    if (scanline == 0)
        return cel_fail(NC_EINVAL, "szip: pixels-per-block is %u, more than the chunk's %zu elements",
                        visible->w[BLOCK], shape->nbytes / shape->elem_size);
    working->n = NWORDS;
    working->w[MASK] &= ~(uint32_t)(SZ_CHIP_OPTION_MASK | SZ_LSB_OPTION_MASK | SZ_MSB_OPTION_MASK);
    working->w[MASK] |= SZ_ALLOW_K13_OPTION_MASK | SZ_RAW_OPTION_MASK |
                        (shape->big_endian ? SZ_MSB_OPTION_MASK : SZ_LSB_OPTION_MASK);
    working->w[BITS] = (uint32_t)bits;
    working->w[SCANLINE] = (uint32_t)scanline;
    return CEL_OK;
}

/* Two words, with the bits that HDF5 adds taken off, as netCDF-C shows them. */
static void reveal(const struct cel_words *working, struct cel_words *visible)
{
    visible->n = 2;
    visible->w[MASK] = working->w[MASK] & (SZ_CHIP_OPTION_MASK | SZ_EC_OPTION_MASK | SZ_NN_OPTION_MASK);
    visible->w[BLOCK] = working->w[BLOCK];
}

/* Words from a file may be anything; libaec divides by some of them. */
static int settings(const struct cel_words *words, SZ_com_t *out)
{
    if (words->n < NWORDS)
        return cel_fail(NC_EFILTER, "szip: %zu parameters are stored, expected %d", words->n, NWORDS);
    if (words->w[BLOCK] < 2 || words->w[BLOCK] > SZ_MAX_PIXELS_PER_BLOCK || words->w[BLOCK] % 2)
        return cel_fail(NC_EFILTER, "szip: %u pixels per block are stored, must be even, 2 to 32", words->w[BLOCK]);
    if (words->w[BITS] < 1 || (words->w[BITS] > 24 && words->w[BITS] != 32 && words->w[BITS] != 64))
        return cel_fail(NC_EFILTER, "szip: %u bits per pixel are stored, must be 1 to 24, 32 or 64", words->w[BITS]);
    if (words->w[SCANLINE] < 1 || words->w[SCANLINE] > SZ_MAX_PIXELS_PER_SCANLINE)
        return cel_fail(NC_EFILTER, "szip: %u pixels per scanline are stored, must be 1 to 4096",
                        words->w[SCANLINE]);
    *out = (SZ_com_t){.options_mask = (int)words->w[MASK],
                      .bits_per_pixel = (int)words->w[BITS],
                      .pixels_per_block = (int)words->w[BLOCK],
                      .pixels_per_scanline = (int)words->w[SCANLINE]};
    return CEL_OK;
}

static size_t pixel_bytes(const SZ_com_t *s)
{
    return s->bits_per_pixel <= 8 ? 1 : s->bits_per_pixel <= 16 ? 2 : s->bits_per_pixel <= 32 ? 4 : 8;
}

/* Every scanline is filled up to whole blocks; noise then grows by 3 bits in 64. */
static size_t bound(const struct cel_coding *coding, size_t n)
{
    return 4 + 2 * n + n / 8 + 1024;
}

static size_t decoded_size(const struct cel_coding *coding, const void *src, size_t n)
{
    return n < 4 ? 0 : cel_get_le32(src);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    SZ_com_t s;
    size_t done = cap - 4;
    int rc = settings(coding->words, &s), answer;

    if (rc != CEL_OK)
        return rc;
    if (cap < bound(coding, n) || n > UINT32_MAX)
        return cel_fail(NC_EFILTER, "szip: %zu bytes are too many", n);
    if (n % pixel_bytes(&s) != 0)
        return CEL_SKIP;
    cel_put_le32(dst, (uint32_t)n);
    *len = 4;
    if (n == 0)
        return CEL_OK;
    answer = SZ_BufftoBuffCompress((char *)dst + 4, &done, src, n, &s);
    if (answer != SZ_OK)
        return cel_fail(NC_EFILTER, "szip: cannot compress (libaec says %d)", answer);
    *len += done;
    return CEL_OK;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    SZ_com_t s;
    size_t size, done;
    int rc = settings(coding->words, &s), answer;

    if (rc != CEL_OK)
        return rc;
    if (n < 4)
        return cel_fail(NC_EFILTER, "szip: %zu bytes cannot hold a header", n);
    done = size = cel_get_le32(src);
    if (size > cap)
        return cel_fail(NC_EFILTER, "szip: the chunk says it has %zu bytes, expected at most %zu", size, cap);
    if (size % pixel_bytes(&s) != 0)
        return cel_fail(NC_EFILTER, "szip: the chunk says it has %zu bytes, no whole number of pixels of %d bits",
                        size, s.bits_per_pixel);
    answer = size == 0 ? SZ_OK
                       : SZ_BufftoBuffDecompress(dst, &done, (const char *)src + 4, n - 4, &s);
    if (answer != SZ_OK || done != size)
        return cel_fail(NC_EFILTER, "szip: the chunk is damaged or cut short");
    *len = size;
    return CEL_OK;
}

const struct cel_codec cel_codec_szip = {
    .name = "szip",
    .hdf5_id = 4,
    .label = "szip",
    .zarr2 = "szip",
    .about = "Rice coding of neighbouring values (CCSDS 121)",
    .flags = CEL_CODEC_COMPRESSOR | CEL_CODEC_MAY_SKIP | CEL_CODEC_NEEDS_PIXELS,
    .params = params,
    .min_words = 2,
    .max_words = 2,
    .check = check,
    .prepare = prepare,
    .reveal = reveal,
    .bound = bound,
    .decoded_size = decoded_size,
    .encode = encode,
    .decode = decode,
};
