/* SPDX-License-Identifier: BSD-3-Clause */
/* Deflate in its two wrappings, zlib and gzip: which encoder writes, and how streams are read.
 *
 *   behind a shuffle, level 1 to 5      our encoder for byte planes (deflate_blocks.c)
 *   behind a shuffle, level 6 to 9      noise at the start is stored, libdeflate writes the rest
 *   otherwise                           libdeflate
 *   reading                             our decoder (inflate.c)
 *
 * Noise at the start. A shuffle puts the low bytes of all elements first, and those of measured floats
 * are mostly noise, which no compressor shortens. A compressor takes long to find that out, so the
 * planes at the start that are noise are stored as they are, and only the rest goes through it.
 *
 *     | plane 0: stored | plane 1: stored | planes 2, 3: compressed |      one ordinary deflate stream
 *
 * A plane is noise when both hold:
 *   - Its bytes are evenly distributed: the chi-square statistic, summed over stretches of 8 KiB (skew),
 *     leaves a Huffman code less than 0.3 % to gain.
 *   - It does not repeat what lies in the window before: positions are sampled by their own bytes, so
 *     that both copies of a repetition are sampled, and fewer than one in 256 is found again.
 * Bytes that are stored cannot be referred to by the rest, which is compressed on its own; so a plane
 * that repeats an earlier plane of noise is looked for as well (noise_at_start), and forbids all.
 *
 * Both tests depend on the data alone, so the same chunk gives the same bytes. A plane wrongly taken
 * for noise costs size only. Measured: at most 0.5 % larger, several times as fast (docs/codecs.md). */
#include "deflate_core.h"
#include "deflate_blocks.h"
#include "inflate.h"
#include "mem.h"
#include "status.h"
#include <libdeflate.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const struct cel_param cel_deflate_params[] = {
    {.name = "level", .kind = CEL_PARAM_UINT, .flags = CEL_PARAM_REQUIRED, .word = 0, .min = 0, .max = 9,
     .fallback = 5, .help = "0 (stored), 1 (fast) to 9 (small)"},
    {0},
};
/* clang-format on */

/* Positions already seen, by a hash of their four bytes. */
#define MARKS 4096
struct mark {
    uint32_t bytes;
    uint32_t at; /* the low bits of the position, plus 1; 0: none */
};

struct context {
    struct libdeflate_compressor *compress;
    struct cel_deflater *planes; /* for byte planes, at the fast levels */
    struct cel_inflate *inflate;
    struct mark *marks;
};

int cel_deflate_make_context(const struct cel_words *working, void **context)
{
    *context = cel_calloc(1, sizeof(struct context));
    return *context ? CEL_OK : NC_ENOMEM;
}

void cel_deflate_free_context(void *context)
{
    struct context *c = context;

    if (!c)
        return;
    libdeflate_free_compressor(c->compress);
    cel_deflater_free(c->planes);
    free(c->inflate);
    free(c->marks);
    free(c);
}

/* --- is it noise? --------------------------------------------------------------------- */

#define STRETCH 8192 /* bytes with one distribution, as the compressor's smallest blocks */
#define SAMPLE 2048
#define WINDOW 32768
#define PLANE_MIN STRETCH /* shorter planes are not looked at */

/* How far the bytes are from evenly distributed: the chi-square statistic less its mean, 255. A Huffman
 * code gains about skew / (2 ln 2 n) bits per byte from it. */
static double skew(const unsigned char *p, size_t n)
{
    uint32_t count[4][256] = {{0}};
    uint64_t squares = 0;
    size_t i;

    for (i = 0; i + 4 <= n; i += 4) {
        count[0][p[i]]++;
        count[1][p[i + 1]]++;
        count[2][p[i + 2]]++;
        count[3][p[i + 3]]++;
    }
    for (; i < n; i++)
        count[0][p[i]]++;
    for (i = 0; i < 256; i++) {
        uint64_t c = (uint64_t)count[0][i] + count[1][i] + count[2][i] + count[3][i];

        squares += c * c;
    }
    return 256.0 * (double)squares / (double)n - (double)n - 255;
}

#define SKEW_MAX 0.03 /* per byte: a gain of 0.02 bits, 0.3 % */

/* Three samples first: they are enough to recognize most planes that can be compressed. */
static bool looks_even(const unsigned char *p, size_t n)
{
    double sum = skew(p, SAMPLE) + skew(p + (n - SAMPLE) / 2, SAMPLE) + skew(p + n - SAMPLE, SAMPLE);
    size_t at, part;

    if (sum > 3 * (SAMPLE * SKEW_MAX + 100))
        return false;
    for (sum = 0, at = 0; at < n; at += part) {
        part = n - at < 2 * STRETCH ? n - at : STRETCH;
        sum += skew(p + at, part);
    }
    return sum <= SKEW_MAX * (double)n;
}

/* Samples one position in 32, by its bytes, so that the same positions of both copies of a repetition
 * are sampled. NULL: not this one. */
static struct mark *chosen_mark(struct mark *marks, const unsigned char *p, uint32_t *bytes)
{
    uint32_t hash;

    memcpy(bytes, p, sizeof *bytes);
    hash = *bytes * 2654435761u;
    return hash >> 27 ? NULL : &marks[hash >> 15 & (MARKS - 1)];
}

/* Whether more than one in 256 of the sampled positions from..to repeats a marked position of its
 * window. With `within`, the positions are marked on the way, so that repetitions inside from..to
 * count too. */
static bool repeats(struct mark *marks, const unsigned char *p, size_t from, size_t to, bool within)
{
    size_t found = 0, chosen = 0;
    uint32_t bytes;

    for (size_t i = from; i + sizeof bytes <= to; i++) {
        struct mark *m = chosen_mark(marks, p + i, &bytes);

        if (!m)
            continue;
        chosen++;
        found += m->at != 0 && m->bytes == bytes && (uint32_t)i + 1 - m->at <= WINDOW;
        if (within)
            *m = (struct mark){bytes, (uint32_t)i + 1};
    }
    return found * 256 > chosen;
}

/* How many bytes at the start are planes of noise. If a plane behind them repeats them it is 0, as
 * stored bytes cannot be referred to. */
static size_t noise_at_start(struct context *c, const unsigned char *src, size_t n, size_t planes)
{
    size_t plane = n / planes, at = 0, k;

    if (plane < PLANE_MIN || (!c->marks && !(c->marks = cel_malloc_array(MARKS, sizeof *c->marks))))
        return 0;
    memset(c->marks, 0, MARKS * sizeof *c->marks);
    for (k = 0; k < planes; k++, at += plane) {
        if (repeats(c->marks, src, at, n - at < WINDOW ? n : at + WINDOW, false))
            return 0;
        if (!looks_even(src + at, plane) || repeats(c->marks, src, at, at + plane, true))
            break;
    }
    return at;
}

/* --- writing ----------------------------------------------------------------------------- */

#define STORED_MAX 65535

static size_t stored_size(size_t n)
{
    return n + 5 * (n / STORED_MAX + 1);
}

/* Stored blocks (type 0), from one byte boundary to another; at least one. */
static unsigned char *put_stored(unsigned char *to, const unsigned char *from, size_t n, bool is_last)
{
    do {
        size_t part = n < STORED_MAX ? n : STORED_MAX;

        n -= part;
        to[0] = is_last && n == 0;
        to[1] = (unsigned char)part;
        to[2] = (unsigned char)(part >> 8);
        to[3] = (unsigned char)~to[1];
        to[4] = (unsigned char)~to[2];
        memcpy(to + 5, from, part);
        to += 5 + part;
        from += part;
    } while (n > 0);
    return to;
}

#define FAST_MAX 5      /* highest level at which our encoder writes byte planes */
#define PLANES_MIN 2048 /* bytes from which our encoder is worth its start */
#define TINY 8          /* ratio from which libdeflate tries too */

static unsigned level_of(const struct cel_coding *coding)
{
    return coding->words->n ? coding->words->w[0] : 5;
}

static bool is_ours(const struct cel_coding *coding, size_t n)
{
    unsigned level = level_of(coding);

    return level > 0 && level <= FAST_MAX && coding->planes > 1 && n >= PLANES_MIN && n <= CEL_DEFLATER_MAX;
}

static int make_compressor(const struct cel_wrapping *w, const struct cel_coding *coding, bool ours)
{
    struct context *c = coding->context;
    unsigned level = level_of(coding);

    if (level > 9)
        return cel_fail(NC_EFILTER, "%s: level %u is stored, must be 0 to 9", w->name, level);
    if (ours && !c->planes)
        c->planes = cel_deflater_make();
    if (!c->compress)
        c->compress = libdeflate_alloc_compressor((int)level);
    if (!c->compress || (ours && !c->planes))
        return cel_fail(NC_ENOMEM, "%s: no memory for a compressor", w->name);
    return CEL_OK;
}

size_t cel_deflate_bound(const struct cel_coding *coding, size_t n)
{
    size_t theirs = libdeflate_gzip_compress_bound(NULL, n) + stored_size(n) - n, ours = cel_deflater_bound(n) + 18;

    return theirs > ours ? theirs : ours;
}

/* A deflate stream; 0: it does not fit. */
static size_t put_stream(const struct cel_coding *coding, const unsigned char *src, size_t n, unsigned char *dst,
                         size_t cap)
{
    struct context *c = coding->context;
    size_t planes = level_of(coding) > 0 ? coding->planes : 0;
    size_t noise = planes > 1 ? noise_at_start(c, src, n, planes) : 0, done;
    unsigned char *to = dst;

    if (noise == 0)
        return libdeflate_deflate_compress(c->compress, src, n, dst, cap);
    if (stored_size(noise) > cap)
        return 0;
    to = put_stored(to, src, noise, noise == n);
    if (noise == n)
        return (size_t)(to - dst);
    done = libdeflate_deflate_compress(c->compress, src + noise, n - noise, to, cap - (size_t)(to - dst));
    return done ? (size_t)(to - dst) + done : 0;
}

/* A deflate stream by our encoder; 0: it does not fit. Where less than an eighth is left, as of rounded
 * values, libdeflate's chains of positions find more, and fast: the smaller stream is taken. */
static size_t put_planes(const struct cel_coding *coding, const unsigned char *src, size_t n, unsigned char *dst,
                         size_t cap)
{
    struct context *c = coding->context;
    size_t done = cel_deflater_run(c->planes, level_of(coding), src, n, coding->planes, dst, cap), other;

    if (level_of(coding) == 1 || done == 0 || done > n / TINY || cap < 2 * done)
        return done;
    other = libdeflate_deflate_compress(c->compress, src, n, dst + done, done - 1);
    if (other == 0)
        return done;
    memmove(dst, dst + done, other);
    return other;
}

int cel_deflate_encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_wrapping *w = coding->codec->variant;
    size_t around = w->header + w->trailer, done = 0;
    bool ours = is_ours(coding, n);
    unsigned char *to = dst;
    int rc = make_compressor(w, coding, ours);

    if (rc != CEL_OK)
        return rc;
    if (cap > around)
        done = (ours ? put_planes : put_stream)(coding, src, n, to + w->header, cap - around);
    if (done == 0)
        return cel_fail(NC_EFILTER, "%s: the output buffer is too small for %zu bytes", w->name, n);
    w->put_header(to, level_of(coding));
    w->put_trailer(to + w->header + done, src, n);
    *len = around + done;
    return CEL_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Whether the checksum at src is that of the bytes decoded. */
static bool fits_trailer(const struct cel_wrapping *w, const unsigned char *src, const void *dst, size_t len)
{
    unsigned char trailer[8];

    w->put_trailer(trailer, dst, len);
    return memcmp(trailer, src, w->trailer) == 0;
}

static int decode_stream(const struct cel_wrapping *w, struct context *c, const unsigned char *src, size_t n,
                         size_t *used, void *dst, size_t cap, size_t *len)
{
    size_t header = w->skip_header(src, n);

    *used = *len = 0;
    if (header == 0)
        return cel_fail(NC_EFILTER, "%s: the chunk has no %s header", w->name, w->name);
    switch (cel_inflate(c->inflate, src + header, n - header, used, dst, cap, len)) {
    case CEL_INFLATE_OK:
        break;
    case CEL_INFLATE_DAMAGED:
        return cel_fail(NC_EFILTER, "%s: the chunk is damaged", w->name);
    case CEL_INFLATE_CUT_SHORT:
        return cel_fail(NC_EFILTER, "%s: the chunk is cut short", w->name);
    case CEL_INFLATE_NO_SPACE:
        *len = SIZE_MAX;
        return cel_fail(NC_EFILTER, "%s: the chunk holds more than %zu bytes", w->name, cap);
    }
    *used += header;
    if (n - *used < w->trailer)
        return cel_fail(NC_EFILTER, "%s: the chunk is cut short", w->name);
    if (!fits_trailer(w, src + *used, dst, *len))
        return cel_fail(NC_EFILTER, "%s: the chunk is damaged, its checksum does not fit", w->name);
    *used += w->trailer;
    return CEL_OK;
}

/* Several streams may follow each other; anything else behind a stream is damage. */
int cel_deflate_decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_wrapping *w = coding->codec->variant;
    struct context *c = coding->context;
    size_t used, done;
    int rc;

    if (!c->inflate && !(c->inflate = cel_inflate_new(NULL)))
        return cel_fail(NC_ENOMEM, "%s: no memory for a decompressor", w->name);
    *len = 0;
    do {
        rc = decode_stream(w, c, src, n, &used, (char *)dst + *len, cap - *len, &done);
        *len = done == SIZE_MAX ? SIZE_MAX : *len + done;
        src = (const char *)src + used;
        n -= used;
    } while (rc == CEL_OK && n > 0);
    return rc;
}
