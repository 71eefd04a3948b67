/* SPDX-License-Identifier: BSD-3-Clause */
/* bzip2: bzip2 streams.
 *
 * HDF5 filter 307, Zarr v2 "bz2", v3 "numcodecs.bz2". cd_values: block size in
 * units of 100 kB. Several streams one after the other are read, as bunzip2 does;
 * anything else behind a stream is damage.
 * {"id": "bz2", "level": 9} */
#include "codec.h"
#include "mem.h"
#include "status.h"
#include <bzlib.h>
#include <limits.h>
#include <netcdf.h>
#include <stdlib.h>

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "level", .kind = CEL_PARAM_UINT, .word = 0, .min = 1, .max = 9, .fallback = 9,
     .help = "block size, 1 (100 kB) to 9 (900 kB)"},
    {0},
};
/* clang-format on */

/* libbz2 has no contexts that can be used again, but asks us for memory: its
 * blocks (up to 7.6 MB) are kept for the next chunk. */
#define NBLOCKS 8
struct context {
    struct {
        void *p;
        size_t nbytes;
        int used;
    } block[NBLOCKS];
};

static int make_context(const struct cel_words *working, void **context)
{
    *context = cel_calloc(1, sizeof(struct context));
    return *context ? CEL_OK : NC_ENOMEM;
}

static void free_context(void *context)
{
    struct context *c = context;
    size_t i;

    for (i = 0; c && i < NBLOCKS; i++)
        free(c->block[i].p);
    free(c);
}

static void *take_block(void *opaque, int n, int size)
{
    struct context *c = opaque;
    size_t nbytes = (size_t)n * (size_t)size, i;

    for (i = 0; i < NBLOCKS; i++)
        if (!c->block[i].used && c->block[i].p && c->block[i].nbytes == nbytes) {
            c->block[i].used = 1;
            return c->block[i].p;
        }
    for (i = 0; i < NBLOCKS; i++)
        if (!c->block[i].used) {
            free(c->block[i].p);
            c->block[i].p = cel_malloc(nbytes);
            c->block[i].nbytes = nbytes;
            c->block[i].used = c->block[i].p != NULL;
            return c->block[i].p;
        }
    return NULL;
}

static void give_block(void *opaque, void *p)
{
    struct context *c = opaque;
    size_t i;

    for (i = 0; p && i < NBLOCKS; i++)
        if (c->block[i].p == p)
            c->block[i].used = 0;
}

static bz_stream stream_with(struct context *c)
{
    bz_stream s = {0};

    s.bzalloc = take_block;
    s.bzfree = give_block;
    s.opaque = c;
    return s;
}

/* libbz2 counts in unsigned int: it gets at most that many bytes at a time. */
static unsigned part(size_t n)
{
    return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

static size_t bound(const struct cel_coding *coding, size_t n)
{
    return n + n / 50 + 1024;
}

/* Gives the stream input and output space until it answers something else than `more`. */
static int pump(bz_stream *s, int (*step)(bz_stream *, int), int more, const char **src, size_t *n, char **dst,
                size_t *cap)
{
    int answer;

    do {
        unsigned in = part(*n), out = part(*cap);

        s->next_in = (char *)*src;
        s->avail_in = in;
        s->next_out = *dst;
        s->avail_out = out;
        answer = step(s, *n > in ? BZ_RUN : BZ_FINISH);
        *src += in - s->avail_in;
        *n -= in - s->avail_in;
        *dst += out - s->avail_out;
        *cap -= out - s->avail_out;
        if (in == s->avail_in && out == s->avail_out)
            break; /* no progress: the input or the output buffer is used up */
    } while (answer == more || answer == BZ_RUN_OK);
    return answer;
}

static int decompress_step(bz_stream *s, int action)
{
    return BZ2_bzDecompress(s);
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    int level = coding->words->n ? (int)coding->words->w[0] : 9, answer;
    bz_stream s = stream_with(coding->context);
    const char *from = src;
    char *to = dst;

    answer = BZ2_bzCompressInit(&s, level, 0, 0);
    if (answer != BZ_OK)
        return cel_fail(answer == BZ_MEM_ERROR ? NC_ENOMEM : NC_EFILTER, "bzip2: cannot start at level %d", level);
    answer = pump(&s, BZ2_bzCompress, BZ_FINISH_OK, &from, &n, &to, &cap);
    BZ2_bzCompressEnd(&s);
    if (answer != BZ_STREAM_END)
        return cel_fail(NC_EFILTER, "bzip2: cannot compress (libbz2 says %d)", answer);
    *len = (size_t)(to - (char *)dst);
    return CEL_OK;
}

static int decode_stream(struct context *c, const char **src, size_t *n, char **dst, size_t *cap)
{
    bz_stream s = stream_with(c);
    int answer = BZ2_bzDecompressInit(&s, 0, 0);

    if (answer != BZ_OK)
        return cel_fail(NC_ENOMEM, "bzip2: cannot start decompressing");
    answer = pump(&s, decompress_step, BZ_OK, src, n, dst, cap);
    BZ2_bzDecompressEnd(&s);
    if (answer == BZ_STREAM_END)
        return CEL_OK;
    if (answer != BZ_OK)
        return cel_fail(answer == BZ_MEM_ERROR ? NC_ENOMEM : NC_EFILTER, "bzip2: the chunk is damaged (libbz2 says %d)",
                        answer);
    if (*n == 0)
        return cel_fail(NC_EFILTER, "bzip2: the chunk is cut short");
    return cel_fail(NC_EFILTER, "bzip2: the chunk holds more data than it should");
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const char *from = src;
    char *to = dst;
    int rc;

    do
        rc = decode_stream(coding->context, &from, &n, &to, &cap);
    while (rc == CEL_OK && n > 0);
    *len = rc != CEL_OK && n > 0 && cap == 0 ? SIZE_MAX : (size_t)(to - (char *)dst);
    return rc;
}

/* clang-format off */
const struct cel_codec cel_codec_bzip2 = {
    .name = "bzip2", .hdf5_id = 307, .zarr2 = "bz2", .zarr3 = "numcodecs.bz2",
    .label = "HDF5 bzip2 filter; see http://www.hdfgroup.org/services/contributions.html",
    .about = "bzip2: small, slow",
    .flags = CEL_CODEC_COMPRESSOR, .params = params, .max_words = 1,
    .bound = bound, .encode = encode, .decode = decode, .make_context = make_context, .free_context = free_context,
};
/* clang-format on */
