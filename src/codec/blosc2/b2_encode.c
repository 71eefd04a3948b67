/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing chunks of Blosc2. What does not get shorter is stored, without filters; a chunk of zeros is its header. */
#include "b2_work.h"
#include "bytes.h"
#include "status.h"
#include <netcdf.h>
#include <string.h>

#define ELEM_MAX 255    /* larger elements are noted as bytes */
#define SPLIT_MAX 16    /* bytes of the largest elements whose blocks are split into streams */
#define SPLIT_BYTES 128 /* of the shortest stream */
#define SPLIT_LEVEL 5   /* zstd: above it, the streams go together */
#define VERSION 5

static const uint8_t formats[] = {
    [CEL_B2_BLOSCLZ] = 0, [CEL_B2_LZ4] = 1, [CEL_B2_LZ4HC] = 1, [CEL_B2_ZLIB] = 3, [CEL_B2_ZSTD] = 4};

/* Larger blocks for higher levels, so that more is found again. */
size_t cel_b2_choose_block(const struct cel_b2_options *o, size_t n)
{
    static const size_t sizes[10] = {32768, 32768, 65536, 131072, 262144, 262144, 524288, 524288, 1048576, 1048576};
    size_t block = sizes[o->level <= 9 ? o->level : 9], elem = o->elem > ELEM_MAX ? 1 : o->elem;

    if (block > n)
        block = n;
    return block > elem ? block / elem * elem : block;
}

struct encoder {
    struct cel_b2_work *work;
    const struct cel_b2_options *o;
    struct cel_b2_filtering f;
    const unsigned char *src;
    size_t n, block, elem;
    unsigned char *dst, *end; /* the next byte to write, and the end of what may be written */
    bool split, fits;
};

static bool is_one_byte(const unsigned char *p, size_t n)
{
    return n > 0 && (n == 1 || memcmp(p, p + 1, n - 1) == 0);
}

static int put_stream(struct encoder *e, const unsigned char *src, size_t n)
{
    bool same = is_one_byte(src, n);
    size_t left = (size_t)(e->end - e->dst), len = 0;
    int rc = CEL_OK;

    if (left < 5) {
        e->fits = false;
        return CEL_OK;
    }
    if (same) {
        cel_put_le32(e->dst, 0u - src[0]);
        e->dst += 4;
        if (src[0])
            *e->dst++ = 1;
        return CEL_OK;
    }
    left -= 4;
    rc =
        cel_b2_stream_encode(e->work, e->o->compressor, e->o->level, src, n, e->dst + 4, left < n ? left : n - 1, &len);
    if (rc != CEL_OK)
        return rc;
    if (len == 0 || len >= n) {
        e->fits = left >= n;
        if (!e->fits)
            return CEL_OK;
        memcpy(e->dst + 4, src, n);
        len = n;
    }
    cel_put_le32(e->dst, (uint32_t)len);
    e->dst += 4 + len;
    return CEL_OK;
}

/* *out: the filtered block, in one of the buffers or where it was. */
static int filter_block(struct encoder *e, const unsigned char *src, size_t n, const unsigned char **out)
{
    unsigned char *to = e->work->blocks, *next = to + e->block;
    int rc = CEL_OK;

    e->f.spare = e->work->blocks + 2 * e->block;
    for (int i = 0; rc == CEL_OK && i < CEL_B2_FILTERS; i++) {
        if (e->o->filter[i] == CEL_B2_NONE)
            continue;
        e->f.meta = e->o->meta[i];
        rc = cel_b2_filter_forward(e->o->filter[i], &e->f, src, n, to);
        src = to;
        to = next;
        next = (unsigned char *)src;
    }
    *out = src;
    return rc;
}

static int put_block(struct encoder *e, size_t at)
{
    size_t n = e->n - at < e->block ? e->n - at : e->block, streams = e->split && n == e->block ? e->elem : 1;
    const unsigned char *filtered;
    int rc;

    e->f.first = at > 0 ? e->src : NULL;
    rc = filter_block(e, e->src + at, n, &filtered);
    for (size_t s = 0; rc == CEL_OK && e->fits && s < streams; s++)
        rc = put_stream(e, filtered + s * (n / streams), n / streams);
    return rc;
}

static bool should_split(const struct encoder *e)
{
    const struct cel_b2_options *o = e->o;
    bool is_fast = o->compressor == CEL_B2_BLOSCLZ || o->compressor == CEL_B2_LZ4 ||
                   (o->compressor == CEL_B2_ZSTD && o->level <= SPLIT_LEVEL);

    return is_fast && o->filter[CEL_B2_FILTERS - 1] == CEL_B2_SHUFFLE && e->elem > 1 && e->elem <= SPLIT_MAX &&
           e->block % e->elem == 0 && e->block / e->elem >= SPLIT_BYTES;
}

static void put_header(unsigned char *dst, const struct encoder *e, unsigned flags, size_t len,
                       enum cel_b2_special kind)
{
    memset(dst, 0, CEL_B2_HEADER);
    dst[0] = VERSION;
    dst[1] = 1;
    dst[2] = (unsigned char)(flags | 5u | (e->split ? 0 : 16u) | (unsigned)formats[e->o->compressor] << 5);
    if (memchr(e->o->filter, CEL_B2_DELTA, CEL_B2_FILTERS))
        dst[2] |= 8;
    dst[3] = (unsigned char)e->elem;
    cel_put_le32(dst + 4, (uint32_t)e->n);
    cel_put_le32(dst + 8, (uint32_t)e->block);
    cel_put_le32(dst + 12, (uint32_t)len);
    memcpy(dst + 16, e->o->filter, CEL_B2_FILTERS);
    dst[22] = (unsigned char)e->o->compressor;
    memcpy(dst + 24, e->o->meta, CEL_B2_FILTERS);
    dst[31] = (unsigned char)(kind << 4);
}

static int put_blocks(struct encoder *e, unsigned char *dst, size_t *len)
{
    size_t nblocks = (e->n - 1) / e->block + 1;
    int rc = cel_b2_work_reserve(&e->work->blocks, &e->work->cap, 4 * e->block);

    e->dst = dst + CEL_B2_HEADER + 4 * nblocks;
    e->end = dst + cel_b2_bound(e->n) - 1; /* not shorter: better stored */
    e->fits = 4 * nblocks < e->n;
    for (size_t b = 0; rc == CEL_OK && e->fits && b < nblocks; b++) {
        cel_put_le32(dst + CEL_B2_HEADER + 4 * b, (uint32_t)(e->dst - dst));
        rc = put_block(e, b * e->block);
    }
    *len = e->fits ? (size_t)(e->dst - dst) : 0;
    return rc;
}

static int check_options(const struct cel_b2_options *o, size_t n)
{
    int rc = CEL_OK;

    if (n > CEL_B2_CHUNK_MAX || o->elem == 0 || o->level > 9 || o->compressor > CEL_B2_ZSTD ||
        o->compressor == CEL_B2_SNAPPY)
        return cel_fail(NC_EFILTER, "blosc2: cannot use level %u, compressor %d on %zu bytes", o->level,
                        (int)o->compressor, n);
    for (int i = 0; rc == CEL_OK && i < CEL_B2_FILTERS; i++)
        rc = cel_b2_filter_check(o->filter[i]);
    return rc;
}

int cel_b2_encode(struct cel_b2_work *work, const struct cel_b2_options *o, const unsigned char *src, size_t n,
                  unsigned char *dst, size_t *len)
{
    struct encoder e = {.work = work, .o = o, .src = src, .n = n, .elem = o->elem > ELEM_MAX ? 1 : o->elem};
    int rc = check_options(o, n);

    if (rc != CEL_OK)
        return rc;
    e.block = o->block && o->block < n ? o->block : n;
    e.f = (struct cel_b2_filtering){.version = VERSION, .elem = e.elem, .shape = o->shape.rank ? &o->shape : NULL};
    e.split = should_split(&e);
    if (is_one_byte(src, n) && src[0] == 0) {
        *len = CEL_B2_HEADER;
        put_header(dst, &e, 0, *len, CEL_B2_ZEROS);
        return CEL_OK;
    }
    *len = 0;
    if (o->level > 0 && n > 0)
        rc = put_blocks(&e, dst, len);
    if (*len == 0 && rc == CEL_OK) {
        *len = cel_b2_bound(n);
        put_header(dst, &e, 2, *len, CEL_B2_PLAIN);
        memcpy(dst + CEL_B2_HEADER, src, n);
    } else if (rc == CEL_OK) {
        put_header(dst, &e, 0, *len, CEL_B2_PLAIN);
    }
    return rc;
}
