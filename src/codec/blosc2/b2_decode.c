/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading chunks of Blosc2. Every number of the header is checked before it is used, so decoding needs no more
 * memory than a few blocks, and a block is never longer than the chunk, whose size the caller has accepted. */
#include "b2_work.h"
#include "bytes.h"
#include "status.h"
#include <limits.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

enum { SHUFFLED = 1, STORED = 2, BITSHUFFLED = 4, DELTA = 8, UNSPLIT = 16 };
enum { DICTIONARY = 1, LAZY = 8, VARYING_BLOCKS = 1 };
enum { NO_FORMAT = -1, BY_NUMBER = 6 };

static const int formats[8] = {CEL_B2_BLOSCLZ, CEL_B2_LZ4, NO_FORMAT, CEL_B2_ZLIB,
                               CEL_B2_ZSTD,    NO_FORMAT,  NO_FORMAT, NO_FORMAT};

/* Compressors that c-blosc2 knows by number. */
static const struct {
    uint8_t id;
    const char *name;
} others[] = {{32, "ndlz"},      {33, "zfp (accuracy)"}, {34, "zfp (precision)"}, {35, "zfp (rate)"},
              {36, "openhtj2k"}, {37, "grok"},           {38, "openzl"},          {0, NULL}};

/* --- the header ------------------------------------------------------------------------------ */

static int refuse_compressor(int format, uint8_t number)
{
    const char *name = format == 2 ? "snappy" : "unknown";

    for (size_t i = 0; format == BY_NUMBER && others[i].name; i++)
        if (others[i].id == number)
            name = others[i].name;
    return cel_fail(NC_EFILTER, "blosc2: compressor %d (%s) is not supported", format == BY_NUMBER ? number : format,
                    name);
}

static void filters_of_flags(unsigned flags, struct cel_b2_header *h)
{
    if (flags & SHUFFLED && h->elem > 1)
        h->filter[CEL_B2_FILTERS - 1] = CEL_B2_SHUFFLE;
    if (flags & BITSHUFFLED)
        h->filter[CEL_B2_FILTERS - 1] = CEL_B2_BITSHUFFLE;
    if (flags & DELTA)
        h->filter[CEL_B2_FILTERS - 2] = CEL_B2_DELTA;
}

static int read_long(const unsigned char *src, struct cel_b2_header *h)
{
    int rc = CEL_OK;

    if (src[30] & VARYING_BLOCKS || h->version > 5)
        return cel_fail(NC_EFILTER, "blosc2: chunks with blocks of different lengths are not supported");
    if (src[31] & LAZY)
        return cel_fail(NC_EFILTER, "blosc2: only the beginning of a chunk is there (a lazy chunk)");
    h->special = src[31] >> 4 & 7;
    if (h->special > CEL_B2_UNINIT)
        return cel_fail(NC_EFILTER, "blosc2: a special chunk of unknown kind %d", (int)h->special);
    if (src[31] & DICTIONARY && !h->stored && !h->special)
        return cel_fail(NC_EFILTER, "blosc2: chunks compressed with a dictionary are not supported");
    memcpy(h->filter, src + 16, CEL_B2_FILTERS);
    memcpy(h->meta, src + 24, CEL_B2_FILTERS);
    for (int i = 0; rc == CEL_OK && i < CEL_B2_FILTERS && !h->stored && !h->special; i++)
        rc = cel_b2_filter_check(h->filter[i]);
    return rc;
}

static bool are_special_sizes_right(const struct cel_b2_header *h)
{
    if (h->special == CEL_B2_NANS && h->elem != 4 && h->elem != 8)
        return false;
    if (h->special == CEL_B2_VALUE)
        return h->cbytes > h->size;
    return true;
}

/* The lengths, against each other and against what is there. */
static int check_sizes(const struct cel_b2_header *h, size_t n)
{
    if (h->cbytes < h->size || h->cbytes > n || h->nbytes > CEL_B2_CHUNK_MAX)
        return cel_fail(NC_EFILTER, "blosc2: the chunk says it is %zu bytes long, %zu are there", h->cbytes, n);
    if (h->nbytes == 0)
        return CEL_OK;
    if (h->elem == 0 || h->block == 0 || h->block > h->nbytes)
        return cel_fail(NC_EFILTER, "blosc2: the chunk of %zu bytes says its blocks have %zu, its elements %zu",
                        h->nbytes, h->block, h->elem);
    if (h->special)
        return are_special_sizes_right(h)
                   ? CEL_OK
                   : cel_fail(NC_EFILTER, "blosc2: a special chunk does not fit elements of %zu bytes", h->elem);
    if (h->stored ? h->nbytes > h->cbytes - h->size : h->nblocks > (h->cbytes - h->size) / 4)
        return cel_fail(NC_EFILTER, "blosc2: the chunk is cut short");
    return CEL_OK;
}

int cel_b2_header_read(const unsigned char *src, size_t n, struct cel_b2_header *out)
{
    struct cel_b2_header h = {.size = CEL_B2_HEADER_1};
    bool is_long = n >= CEL_B2_HEADER_1 && (src[2] & (SHUFFLED | BITSHUFFLED)) == (SHUFFLED | BITSHUFFLED);
    int rc = CEL_OK;

    if (is_long)
        h.size = CEL_B2_HEADER;
    if (n < h.size)
        return cel_fail(NC_EFILTER, "blosc2: %zu bytes cannot hold the header of a chunk", n);
    h.version = src[0];
    h.elem = src[3];
    h.nbytes = cel_get_le32(src + 4);
    h.block = cel_get_le32(src + 8);
    h.cbytes = cel_get_le32(src + 12);
    h.stored = src[2] & STORED;
    h.split = !(src[2] & UNSPLIT);
    h.nblocks = h.block && h.nbytes ? (h.nbytes - 1) / h.block + 1 : 0;
    if (is_long)
        rc = read_long(src, &h);
    else
        filters_of_flags(src[2], &h);
    if (rc == CEL_OK)
        rc = check_sizes(&h, n);
    if (rc == CEL_OK && !h.stored && !h.special && formats[src[2] >> 5] == NO_FORMAT)
        rc = refuse_compressor(src[2] >> 5, is_long ? src[22] : 0);
    h.compressor = formats[src[2] >> 5] == NO_FORMAT ? CEL_B2_BLOSCLZ : (enum cel_b2_compressor)formats[src[2] >> 5];
    *out = h;
    return rc;
}

/* --- special chunks ---------------------------------------------------------------------------- */

static void repeat(unsigned char *dst, size_t n, const unsigned char *value, size_t size, size_t phase)
{
    size_t done = 0;

    for (; done < n && done < size; done++)
        dst[done] = value[(phase + done) % size];
    while (done < n) { /* what is there already is a whole number of values */
        size_t part = n - done < done ? n - done : done;

        memcpy(dst + done, dst, part);
        done += part;
    }
}

static void put_special(const struct cel_b2_header *h, const unsigned char *src, size_t at, size_t n,
                        unsigned char *dst)
{
    static const unsigned char nan4[4] = {0, 0, 0xc0, 0x7f}, nan8[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    size_t size = h->cbytes - h->size;

    if (h->special == CEL_B2_NANS)
        repeat(dst, n, h->elem == 4 ? nan4 : nan8, h->elem, at % h->elem);
    else if (h->special == CEL_B2_VALUE)
        repeat(dst, n, src + h->size, size, at % size);
    else /* zeros, and values that were never set */
        memset(dst, 0, n);
}

/* --- blocks ---------------------------------------------------------------------------------- */

size_t cel_b2_blocks_bytes(const struct cel_b2_header *h, size_t first, size_t count)
{
    size_t at = first * h->block, end = (first + count) * h->block;

    return (end < h->nbytes ? end : h->nbytes) - at;
}

static int cut_short(size_t block)
{
    return cel_fail(NC_EFILTER, "blosc2: block %zu reaches beyond the end of the chunk", block);
}

/* The bytes that are left of a block. */
struct span {
    const unsigned char *at;
    size_t n;
};

/* One stream of `len` bytes, of which those in `want` are needed; the span moves behind it. */
static int take_stream(struct cel_b2_work *work, const struct cel_b2_header *h, struct span *from, size_t block,
                       struct cel_b2_range want, unsigned char *dst, size_t len)
{
    int32_t n;
    int rc = CEL_OK;

    if (from->n < 4)
        return cut_short(block);
    n = (int32_t)cel_get_le32(from->at);
    *from = (struct span){from->at + 4, from->n - 4};
    if (n < 0) {
        if (n < -255 || from->n == 0 || from->at[0] != 1)
            return cel_fail(NC_EFILTER, "blosc2: a stream of block %zu says its length is %d", block, n);
        *from = (struct span){from->at + 1, from->n - 1};
        memset(dst + want.first, -n, want.end - want.first);
        return CEL_OK;
    }
    if ((size_t)n > from->n)
        return cut_short(block);
    if (n == 0)
        memset(dst + want.first, 0, want.end - want.first);
    else if ((size_t)n == len)
        memcpy(dst + want.first, from->at + want.first, want.end - want.first);
    else
        rc = cel_b2_stream_decode(work, h->compressor, from->at, (size_t)n, dst, len, want.end);
    *from = (struct span){from->at + n, from->n - (size_t)n};
    return rc;
}

/* The bytes of a block, and what lies behind it where the chunk is in memory. Else it ends where another starts. */
static int find_block(struct cel_b2_work *work, const struct cel_b2_chunk *c, size_t block, struct span *out)
{
    size_t start = cel_get_le32(c->offsets + 4 * block), end = c->h->cbytes;
    int rc;

    if (start < c->h->size || start > end)
        return cut_short(block);
    if (c->bytes) {
        *out = (struct span){c->bytes + start, end - start};
        return CEL_OK;
    }
    for (size_t i = 0; i < c->h->nblocks; i++) {
        size_t other = cel_get_le32(c->offsets + 4 * i);

        if (other > start && other < end)
            end = other;
    }
    rc = cel_b2_work_reserve(&work->fetched, &work->fetched_cap, end - start);
    *out = (struct span){work->fetched, end - start};
    return rc == CEL_OK ? c->from->fetch(c->from, start, end - start, work->fetched) : rc;
}

#define SPLITS_1 16       /* Blosc 1 splits elements of up to 16 bytes, */
#define SPLIT_BYTES_1 128 /* into streams of at least 128 */

static bool is_split(const struct cel_b2_header *h, size_t n)
{
    if (h->version <= 2 && (h->elem > SPLITS_1 || h->block / h->elem < SPLIT_BYTES_1))
        return false;
    return h->split && n == h->block;
}

static size_t streams_of(const struct cel_b2_header *h, size_t n)
{
    return is_split(h, n) ? h->elem : 1;
}

/* want: the bytes that are needed of each stream. */
static int take_streams(struct cel_b2_work *work, const struct cel_b2_chunk *c, size_t block, struct cel_b2_range want,
                        unsigned char *dst, size_t n)
{
    size_t streams = streams_of(c->h, n);
    struct span from = {0};
    int rc;

    if (n % streams != 0)
        return cel_fail(NC_EFILTER, "blosc2: a block of %zu bytes cannot be split into %zu streams", n, streams);
    rc = find_block(work, c, block, &from);
    for (size_t s = 0; rc == CEL_OK && s < streams; s++)
        rc = take_stream(work, c->h, &from, block, want, dst + s * (n / streams), n / streams);
    return rc;
}

static struct cel_b2_range all_of(const struct cel_b2_header *h, size_t n)
{
    return (struct cel_b2_range){0, n / streams_of(h, n)};
}

enum cel_b2_form cel_b2_form_of(const struct cel_b2_header *h, size_t n, unsigned *edge)
{
    enum cel_b2_form form = CEL_B2_FORM_ANY;
    int left = 0;

    if (h->stored || h->special || h->elem < 2 || n % h->elem != 0)
        return CEL_B2_FORM_ANY;
    for (int i = CEL_B2_FILTERS; i-- > 0;) {
        if (!cel_b2_filter_has_inverse(h->filter[i]))
            continue;
        left++;
        if (left == 1 && h->filter[i] == CEL_B2_SHUFFLE && (h->meta[i] == 0 || h->meta[i] == h->elem))
            form = CEL_B2_FORM_PLANES;
        else if (left == 2 && h->filter[i] == CEL_B2_NDCELL && form == CEL_B2_FORM_PLANES) {
            form = CEL_B2_FORM_CELLS;
            *edge = h->meta[i];
        } else
            return CEL_B2_FORM_ANY;
    }
    return form;
}

/* Where each plane is a stream, only what the elements need is decoded of it. */
int cel_b2_decode_planes(struct cel_b2_work *work, const struct cel_b2_chunk *c, size_t block, struct cel_b2_range want,
                         const unsigned char **planes)
{
    size_t n = cel_b2_blocks_bytes(c->h, block, 1), elem = c->h->elem;
    int rc = cel_b2_work_reserve(&work->blocks, &work->cap, 3 * c->h->block);

    *planes = work->blocks;
    if (is_split(c->h, n))
        want = (struct cel_b2_range){want.first / elem, (want.end - 1) / elem + 1};
    else
        want = all_of(c->h, n);
    return rc == CEL_OK ? take_streams(work, c, block, want, work->blocks, n) : rc;
}

/* Three blocks: where streams go, and two between which filters go to and fro. */
static int decode_filtered(struct cel_b2_work *work, const struct cel_b2_chunk *c, struct cel_b2_filtering *f,
                           size_t block, unsigned char *dst, size_t n)
{
    const struct cel_b2_header *h = c->h;
    unsigned char *from = work->blocks, *other = from + h->block;
    int left = 0, rc = CEL_OK;

    for (int i = 0; i < CEL_B2_FILTERS; i++)
        left += cel_b2_filter_has_inverse(h->filter[i]);
    if (left == 0)
        return take_streams(work, c, block, all_of(c->h, n), dst, n);
    rc = take_streams(work, c, block, all_of(c->h, n), from, n);
    f->spare = work->blocks + 2 * h->block;
    for (int i = CEL_B2_FILTERS; rc == CEL_OK && i-- > 0;) {
        unsigned char *to = left == 1 ? dst : other;

        if (!cel_b2_filter_has_inverse(h->filter[i]))
            continue;
        f->meta = h->meta[i];
        rc = cel_b2_filter_backward(h->filter[i], f, from, n, to);
        other = from;
        from = to;
        left--;
    }
    return rc;
}

bool cel_b2_has_delta(const struct cel_b2_header *h)
{
    return memchr(h->filter, CEL_B2_DELTA, CEL_B2_FILTERS) != NULL;
}

/* What blocks from `first` on need: memory, and for delta the block that they refer to. */
static int prepare_blocks(struct cel_b2_work *work, const struct cel_b2_chunk *c, size_t first,
                          struct cel_b2_filtering *f)
{
    int rc = cel_b2_work_reserve(&work->blocks, &work->cap, 3 * c->h->block);

    if (rc != CEL_OK || first == 0 || !cel_b2_has_delta(c->h))
        return rc;
    if (!work->keeps_first || !work->has_first) {
        rc = cel_b2_work_reserve(&work->first, &work->first_cap, c->h->block);
        if (rc == CEL_OK)
            rc = decode_filtered(work, c, f, 0, work->first, c->h->block);
        work->has_first = rc == CEL_OK;
    }
    f->first = work->first;
    return rc;
}

int cel_b2_decode_block(struct cel_b2_work *work, const struct cel_b2_chunk *c, const struct cel_b2_block_shape *shape,
                        size_t block, unsigned char *dst)
{
    const struct cel_b2_header *h = c->h;
    struct cel_b2_filtering f = {.version = h->version, .elem = h->elem, .shape = shape};
    size_t n = cel_b2_blocks_bytes(h, block, 1);
    int rc;

    if (h->stored)
        return c->from->fetch(c->from, h->size + block * h->block, n, dst);
    rc = prepare_blocks(work, c, block, &f);
    return rc == CEL_OK ? decode_filtered(work, c, &f, block, dst, n) : rc;
}

int cel_b2_decode_blocks(struct cel_b2_work *work, const struct cel_b2_header *h, const unsigned char *src,
                         const struct cel_b2_block_shape *shape, size_t first, size_t count, unsigned char *dst)
{
    struct cel_b2_filtering f = {.version = h->version, .elem = h->elem, .shape = shape};
    struct cel_b2_chunk c = {.h = h, .bytes = src, .offsets = src + h->size};
    int rc;

    if (h->special || h->stored) {
        size_t at = first * h->block, n = cel_b2_blocks_bytes(h, first, count);

        if (h->special)
            put_special(h, src, at, n, dst);
        else
            memcpy(dst, src + h->size + at, n);
        return CEL_OK;
    }
    rc = prepare_blocks(work, &c, first, &f);
    for (size_t i = 0; rc == CEL_OK && i < count; i++) {
        rc = decode_filtered(work, &c, &f, first + i, dst + i * h->block, cel_b2_blocks_bytes(h, first + i, 1));
        if (first == 0 && cel_b2_has_delta(h))
            f.first = dst;
    }
    return rc;
}
