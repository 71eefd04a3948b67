/* SPDX-License-Identifier: BSD-3-Clause */
/* blosc2: chunks of Blosc2, each in a frame of its own: up to six filters and a compressor, in blocks that are
 * boxes of the chunk.
 *
 * HDF5 filter 32026 ("blosc2"). Its words are listed in blosc2/b2_words.h. All but block size, level, filters and compressor
 * are filled in.
 *
 * A chunk is a frame with one chunk (blosc2/b2_frame.h). With 2 to 16 dimensions it has the layer "b2nd", and
 * its blocks are boxes (blosc2/b2_array.h); else its blocks are runs. Chunks without a frame are read too; where the words
 * have the lengths of a block, which container/blosc2 sees to, chunks have no frame, and their blocks are boxes.
 * {"id": "cellar.blosc2", "cname": "zstd", "clevel": 5, "filter": "shuffle", "blocksize": 0, "filters": "ndcell:4+shuffle"} */
#include "b2_array.h"
#include "b2_frame.h"
#include "b2_words.h"
#include "b2_work.h"
#include "bytes.h"
#include "codec.h"
#include "mem.h"
#include "status.h"
#include <limits.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REVISION = CEL_B2_WORD_REVISION, BLOCK, SIZE, CHUNK, LEVEL, FILTER, COMPRESSOR, RANK, DIMS };
enum { PIPELINE = CEL_B2_WORD_FILTERS, BLOCKS = CEL_B2_WORD_BLOCKS, NWORDS = CEL_B2_NWORDS };
#define FILTER_REVISION 1
#define ELEM_MAX 255 /* larger elements are noted as bytes in chunks, which boxes cannot be made of */
#define OFFSETS 8    /* bytes of the offset of the one chunk */

static const char *const filters[] = {"none", "shuffle", "bitshuffle", "delta", NULL};
static const char *const compressors[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd", NULL};
static const struct cel_param_list pipeline = {.nwords = BLOCKS - PIPELINE,
                                               .expected = "filters with + between them, such as ndcell:4+shuffle,",
                                               .parse = cel_b2_filters_parse,
                                               .print = cel_b2_filters_print};

/* clang-format off */
static const struct cel_param params[] = {
    {.name = "cname", .kind = CEL_PARAM_CHOICE, .word = COMPRESSOR, .min = 0, .max = 5, .fallback = CEL_B2_BLOSCLZ,
     .choices = compressors, .help = "the compressor inside"},
    {.name = "clevel", .kind = CEL_PARAM_UINT, .word = LEVEL, .min = 0, .max = 9, .fallback = 5,
     .help = "0 (stored) to 9 (small)"},
    {.name = "filter", .kind = CEL_PARAM_CHOICE, .word = FILTER, .min = 0, .max = 3, .fallback = CEL_B2_SHUFFLE,
     .choices = filters, .help = "what comes before the compressor"},
    {.name = "blocksize", .kind = CEL_PARAM_UINT, .word = BLOCK, .min = 0, .max = CEL_B2_CHUNK_MAX, .fallback = 0,
     .help = "bytes of a block; 0: chosen"},
    {.name = "filters", .kind = CEL_PARAM_LIST, .flags = CEL_PARAM_EXTRA, .word = PIPELINE, .min = 0, .max = 1,
     .fallback = 0, .list = &pipeline, .help = "up to six in place of `filter`: `ndcell:4+shuffle`"},
    {0},
};
/* clang-format on */

static uint32_t word_or(const struct cel_words *words, size_t i, uint32_t fallback)
{
    return words->n > i ? words->w[i] : fallback;
}

/* --- fitting it to a variable ------------------------------------------------------------------ */

static bool has_own_words(const struct cel_words *words)
{
    for (size_t i = PIPELINE; i < words->n && i < BLOCKS; i++)
        if (words->w[i])
            return true;
    return false;
}

/* Cells of means: what lies beyond the array must not go into them. */
static unsigned flags_with(const struct cel_words *words)
{
    const uint32_t *w = words->w + PIPELINE;

    if (words->n < BLOCKS || !cel_b2_filters_lose(w))
        return 0;
    return CEL_CODEC_LOSSY | (cel_b2_filters_have(w, CEL_B2_NDMEAN) ? CEL_CODEC_NEEDS_ELEMENTS : 0);
}

static int check(const struct cel_words *visible)
{
    if (word_or(visible, COMPRESSOR, 0) == CEL_B2_SNAPPY)
        return cel_fail(NC_EINVAL, "blosc2: it has no snappy, must be blosclz, lz4, lz4hc, zlib or zstd");
    return has_own_words(visible) && visible->n >= BLOCKS ? cel_b2_filters_check(visible->w + PIPELINE) : CEL_OK;
}

static bool is_box(const struct cel_shape *shape)
{
    return shape->rank >= 2 && shape->rank <= CEL_B2_RANK && shape->elem_size <= ELEM_MAX;
}

static int check_filters(const struct cel_words *visible, const struct cel_shape *shape)
{
    if (!is_box(shape))
        return cel_fail(NC_EFILTER, "blosc2: filters= needs chunks of 2 to %d dimensions", CEL_B2_RANK);
    return visible->n >= BLOCKS ? cel_b2_filters_fit(visible->w + PIPELINE, shape) : CEL_OK;
}

static int prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    bool own = has_own_words(visible);
    int rc;

    if (shape->nbytes > CEL_B2_CHUNK_MAX)
        return cel_fail(NC_EFILTER, "blosc2: chunks of %zu bytes are more than the %d it takes", shape->nbytes,
                        CEL_B2_CHUNK_MAX);
    if (visible->n <= BLOCKS && word_or(visible, REVISION, 0) && word_or(visible, CHUNK, 0) == shape->nbytes)
        return CEL_OK; /* as an HDF5 file has them */
    rc = own ? check_filters(visible, shape) : CEL_OK;
    if (rc != CEL_OK)
        return rc;
    for (size_t i = working->n; i < NWORDS; i++)
        working->w[i] = i == LEVEL ? 5 : i == FILTER ? CEL_B2_SHUFFLE : 0;
    working->w[REVISION] = FILTER_REVISION;
    working->w[SIZE] = (uint32_t)shape->elem_size;
    working->w[CHUNK] = (uint32_t)shape->nbytes;
    working->n = RANK;
    if (!is_box(shape))
        return CEL_OK;
    working->w[RANK] = (uint32_t)shape->rank;
    for (int d = 0; d < CEL_B2_RANK; d++)
        working->w[DIMS + d] = d < shape->rank ? (uint32_t)shape->dims[d] : 0;
    working->n = own ? BLOCKS : DIMS + (size_t)shape->rank;
    return CEL_OK;
}

/* The words that prepare() filled in are shown as 0. */
static void reveal(const struct cel_words *working, struct cel_words *visible)
{
    *visible = *working;
    if (visible->n > RANK)
        visible->n = !has_own_words(working) ? RANK : visible->n > BLOCKS ? BLOCKS : visible->n;
    for (size_t i = 0; i < visible->n && i < PIPELINE; i++)
        if (i == REVISION || i == SIZE || i == CHUNK || i >= RANK)
            visible->w[i] = 0;
}

/* What working words say of a chunk; rank 0: it is a run. */
static bool shape_of(const struct cel_words *w, struct cel_shape *out)
{
    if (w->n <= CHUNK || w->w[SIZE] == 0)
        return false;
    *out = (struct cel_shape){.elem_size = w->w[SIZE], .nbytes = w->w[CHUNK]};
    for (uint32_t d = 0; w->n > DIMS && d < w->w[RANK] && d < CEL_B2_RANK && DIMS + d < w->n; d++)
        out->dims[out->rank++] = w->w[DIMS + d];
    return true;
}

/* --- writing ------------------------------------------------------------------------------------ */

struct settings {
    struct cel_b2_options o;
    struct cel_b2_array array; /* rank 0: blocks are runs */
    bool bare;                 /* no frame around the chunk */
};

/* Blosc2 takes no cells of more elements than a block has; such a block is then written without. */
static bool cells_fit(size_t edge, const struct cel_b2_options *o)
{
    size_t left = o->shape.rank ? o->block / o->elem : 0;

    for (int d = 0; d < o->shape.rank && edge; d++)
        left /= edge;
    return edge > 0 && left > 0;
}

static void set_filters(const struct cel_words *w, struct cel_b2_options *o)
{
    if (!has_own_words(w) || w->n < BLOCKS) {
        o->filter[CEL_B2_FILTERS - 1] = (uint8_t)word_or(w, FILTER, CEL_B2_SHUFFLE);
        return;
    }
    cel_b2_filters_get(w->w + PIPELINE, o->filter, o->meta);
    for (int i = 0; i < CEL_B2_FILTERS; i++) {
        bool cells = o->filter[i] == CEL_B2_NDCELL || o->filter[i] == CEL_B2_NDMEAN;

        if (cells && !cells_fit(o->meta[i], o))
            o->filter[i] = o->meta[i] = 0;
    }
}

static bool set_box(const struct cel_words *w, size_t n, struct cel_b2_array *a)
{
    struct cel_shape shape;
    size_t size;

    if (w->n <= DIMS || !shape_of(w, &shape) || shape.rank < 2 || (uint32_t)shape.rank != w->w[RANK] ||
        shape.elem_size > ELEM_MAX)
        return false;
    *a = (struct cel_b2_array){.rank = shape.rank, .elem = size = shape.elem_size};
    for (int d = 0; d < a->rank; d++) {
        a->shape[d] = a->chunk[d] = shape.dims[d];
        if (shape.dims[d] == 0 || shape.dims[d] > INT32_MAX || !cel_mul(size, shape.dims[d], &size))
            return false;
    }
    snprintf(a->type, sizeof a->type, "|V%zu", a->elem);
    return size == n; /* else something stands behind the elements, such as a checksum */
}

static size_t shape_bytes(const struct cel_b2_array *a)
{
    size_t n = a->elem;

    for (int d = 0; d < a->rank; d++)
        if (a->shape[d] > a->chunk[d] || !cel_mul(n, a->shape[d], &n))
            return SIZE_MAX;
    return n;
}

/* The array that a chunk without a frame is, where the words say so. */
static bool array_of_words(const struct cel_words *w, struct cel_b2_array *out)
{
    struct cel_shape shape;

    if (w->n <= BLOCKS || w->w[BLOCKS] == 0 || !shape_of(w, &shape) || shape.rank == 0)
        return false;
    *out = (struct cel_b2_array){.rank = shape.rank, .elem = shape.elem_size};
    for (int d = 0; d < out->rank; d++) {
        out->shape[d] = out->chunk[d] = shape.dims[d];
        out->block[d] = word_or(w, BLOCKS + (size_t)d, 0);
        if (out->chunk[d] == 0 || out->block[d] == 0)
            return false;
    }
    return true;
}

static int settings_of(const struct cel_words *w, size_t n, struct settings *out)
{
    struct settings s = {
        .o = {.level = word_or(w, LEVEL, 5), .elem = word_or(w, SIZE, 1), .block = word_or(w, BLOCK, 0)}};
    uint32_t filter = word_or(w, FILTER, CEL_B2_SHUFFLE), code = word_or(w, COMPRESSOR, CEL_B2_BLOSCLZ);

    if (n > CEL_B2_CHUNK_MAX || filter > CEL_B2_DELTA || s.o.level > 9 || code > CEL_B2_ZSTD || s.o.elem == 0)
        return cel_fail(NC_EFILTER, "blosc2: cannot use level %u, filter %u, compressor %u on %zu bytes", s.o.level,
                        filter, code, n);
    s.o.compressor = (enum cel_b2_compressor)code;
    if (s.o.block == 0)
        s.o.block = cel_b2_choose_block(&s.o, n);
    s.bare = array_of_words(w, &s.array) && shape_bytes(&s.array) == n;
    if (s.bare || set_box(w, n, &s.array)) {
        if (!s.bare)
            cel_b2_array_choose_block(&s.array, s.o.block);
        s.o.block = cel_b2_array_block_bytes(&s.array);
        s.o.shape = (struct cel_b2_block_shape){.rank = s.array.rank, .elem = s.array.elem};
        memcpy(s.o.shape.dims, s.array.block, sizeof s.array.block);
    } else {
        s.array.rank = 0;
        if (s.o.elem <= ELEM_MAX && s.o.block > s.o.elem)
            s.o.block -= s.o.block % s.o.elem;
    }
    set_filters(w, &s.o);
    *out = s;
    return CEL_OK;
}

/* Bytes of the chunk in the frame, with its padding; 0: too many. */
static size_t padded(const struct settings *s, size_t n)
{
    return s->array.rank ? cel_b2_array_chunk_bytes(&s->array) : n;
}

#define AROUND (CEL_B2_FRAME_HEADER + CEL_B2_ARRAY_BYTES + 64 + CEL_B2_HEADER + OFFSETS + 64)

static size_t bound(const struct cel_coding *coding, size_t n)
{
    struct settings s;

    if (settings_of(coding->words, n, &s) != CEL_OK) {
        cel_error_clear();
        return n;
    }
    return cel_b2_bound(padded(&s, n)) + AROUND;
}

struct context {
    struct cel_b2_work *work;
    unsigned char *cut; /* a chunk in the order of its blocks */
    size_t cap;
};

static int make_context(const struct cel_words *working, void **context)
{
    struct context *c = cel_calloc(1, sizeof *c);

    *context = c;
    if (c && !(c->work = cel_b2_work_make())) {
        free(c);
        *context = NULL;
    }
    return *context ? CEL_OK : NC_ENOMEM;
}

static void free_context(void *context)
{
    struct context *c = context;

    if (!c)
        return;
    cel_b2_work_free(c->work);
    free(c->cut);
    free(c);
}

/* What follows the chunk: its offset, which is 0, and the trailer. */
static size_t put_end(unsigned char *dst)
{
    static const struct cel_b2_options as_it_is = {.elem = OFFSETS, .compressor = CEL_B2_BLOSCLZ};
    unsigned char zero[OFFSETS] = {0};
    size_t len = 0;

    cel_b2_encode(NULL, &as_it_is, zero, sizeof zero, dst, &len);
    return len + cel_b2_trailer_put(NULL, 0, dst + len);
}

/* The size bytes of a chunk, in the order of its blocks, in a frame. */
static int put_frame(struct context *c, const struct settings *s, const void *src, size_t size, unsigned char *to,
                     size_t *len)
{
    struct cel_b2_frame frame = {0};
    unsigned char layer[CEL_B2_ARRAY_BYTES];
    int rc;

    if (s->array.rank)
        frame.layers[frame.nlayers++] =
            (struct cel_b2_layer){.name = "b2nd", .bytes = layer, .len = cel_b2_array_put(&s->array, layer)};
    frame.header = cel_b2_frame_header_bytes(frame.layers, frame.nlayers);
    rc = cel_b2_encode(c->work, &s->o, src, size, to + frame.header, &frame.cbytes);
    if (rc != CEL_OK)
        return rc;
    frame.size = frame.header + frame.cbytes + put_end(to + frame.header + frame.cbytes);
    frame.nbytes = frame.chunk = size;
    frame.elem = s->o.elem;
    frame.block = s->o.block;
    frame.compressor = s->o.compressor;
    frame.level = s->o.level;
    memcpy(frame.filter, s->o.filter, sizeof frame.filter);
    memcpy(frame.meta, s->o.meta, sizeof frame.meta);
    cel_b2_frame_put(&frame, to);
    *len = frame.size;
    return CEL_OK;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct context *c = coding->context;
    struct settings s;
    int rc = settings_of(coding->words, n, &s);
    size_t size = rc == CEL_OK ? padded(&s, n) : 0;

    if (rc != CEL_OK)
        return rc;
    if (cap < cel_b2_bound(size) + AROUND || (size == 0 && n > 0))
        return cel_fail(NC_EFILTER, "blosc2: the output buffer is too small for %zu bytes", n);
    if (s.array.rank) {
        rc = cel_b2_work_reserve(&c->cut, &c->cap, size);
        if (rc != CEL_OK)
            return rc;
        cel_b2_array_cut(&s.array, src, c->cut, memchr(s.o.filter, CEL_B2_NDMEAN, CEL_B2_FILTERS) != NULL);
        src = c->cut;
    }
    return s.bare ? cel_b2_encode(c->work, &s.o, src, size, dst, len) : put_frame(c, &s, src, size, dst, len);
}

/* --- reading ------------------------------------------------------------------------------------ */

static struct cel_b2_work *work_of(const struct cel_coding *coding)
{
    struct cel_b2_work *work = ((struct context *)coding->context)->work;

    work->share = coding->share;
    return work;
}

/* The array of a frame; rank 0: it has none, and its chunk is a run of elements. */
static int array_of(const struct cel_b2_frame *frame, struct cel_b2_array *out)
{
    const struct cel_b2_layer *layer = cel_b2_frame_layer(frame, "b2nd");

    *out = (struct cel_b2_array){0};
    if (!layer)
        layer = cel_b2_frame_layer(frame, "caterva");
    return layer ? cel_b2_array_read(layer->bytes, layer->len, frame->elem, out) : CEL_OK;
}

static size_t decoded_size(const struct cel_coding *coding, const void *src, size_t n)
{
    struct cel_b2_frame frame;
    struct cel_b2_array array;

    if (!cel_b2_is_frame(src, n))
        return array_of_words(coding->words, &array) ? shape_bytes(&array)
               : n < CEL_B2_HEADER_1                 ? 0
                                                     : cel_get_le32((const char *)src + 4);
    if (cel_b2_frame_read(src, n, n, &frame) != CEL_OK || array_of(&frame, &array) != CEL_OK) {
        cel_error_clear();
        return 0;
    }
    return array.rank ? shape_bytes(&array) : frame.nbytes;
}

static int too_long(size_t size, size_t cap, size_t *len)
{
    *len = size;
    return cel_fail(NC_EFILTER, "blosc2: the chunk says it has %zu bytes, expected at most %zu", size, cap);
}

static int decode_run(struct cel_b2_work *work, const unsigned char *src, size_t n, unsigned char *dst, size_t cap,
                      size_t *len)
{
    struct cel_b2_header h;
    int rc = cel_b2_header_read(src, n, &h);

    if (rc != CEL_OK)
        return rc;
    if (h.nbytes > cap)
        return too_long(h.nbytes, cap, len);
    *len = h.nbytes;
    return h.nbytes ? cel_b2_decode_blocks(work, &h, src, NULL, 0, h.nblocks, dst) : CEL_OK;
}

/* The one chunk of the frame: its bytes, or `special`. */
static int find_chunk(struct cel_b2_work *work, const struct cel_b2_frame *frame, const unsigned char *src,
                      unsigned char special[CEL_B2_HEADER], const unsigned char **chunk, size_t *n)
{
    size_t index = frame->header + frame->cbytes, at = 0, len = 0;
    unsigned char offset[OFFSETS];
    bool is_special = false;
    int rc;

    if (frame->nchunks != 1)
        return cel_fail(NC_EFILTER, "blosc2: the frame has %zu chunks, expected one", frame->nchunks);
    rc = decode_run(work, src + index, frame->size - index, offset, sizeof offset, &len);
    if (rc == CEL_OK && len != sizeof offset)
        rc = cel_fail(NC_EFILTER, "blosc2: the frame has no offset for its chunk");
    if (rc == CEL_OK)
        rc = cel_b2_frame_offset(frame, cel_get_le64(offset), frame->nbytes, &at, special, &is_special);
    *chunk = is_special ? special : src + at;
    *n = is_special ? CEL_B2_HEADER : index - at;
    return rc;
}

static int decode_array(struct cel_b2_work *work, const struct cel_b2_array *array, const unsigned char *src, size_t n,
                        unsigned char *dst, size_t cap, size_t *len)
{
    static const size_t start[CEL_B2_RANK];
    size_t size = shape_bytes(array);

    if (size > cap)
        return too_long(size, cap, len);
    *len = size;
    return cel_b2_array_decode(work, array, src, n, start, array->shape, dst);
}

static int decode_frame(struct cel_b2_work *work, const unsigned char *src, size_t n, unsigned char *dst, size_t cap,
                        size_t *len)
{
    unsigned char special[CEL_B2_HEADER];
    const unsigned char *chunk = NULL;
    struct cel_b2_frame frame;
    struct cel_b2_array array;
    size_t size, chunk_bytes = 0;
    int rc = cel_b2_frame_read(src, n, n, &frame);

    if (rc == CEL_OK)
        rc = array_of(&frame, &array);
    if (rc != CEL_OK)
        return rc;
    size = array.rank ? shape_bytes(&array) : frame.nbytes;
    if (size > cap)
        return too_long(size, cap, len);
    *len = size;
    if (size == 0)
        return CEL_OK;
    rc = find_chunk(work, &frame, src, special, &chunk, &chunk_bytes);
    if (rc != CEL_OK)
        return rc;
    if (!array.rank) {
        rc = decode_run(work, chunk, chunk_bytes, dst, cap, len);
        return rc == CEL_OK && *len != size
                   ? cel_fail(NC_EFILTER, "blosc2: the frame says it has %zu bytes, its chunk %zu", size, *len)
                   : rc;
    }
    return decode_array(work, &array, chunk, chunk_bytes, dst, cap, len);
}

/* What the frame or chunk says its length is. */
static size_t stored_size(const unsigned char *src, size_t n)
{
    if (cel_b2_is_frame(src, n))
        return n < CEL_B2_FRAME_HEADER ? 0 : (size_t)cel_get_be64(src + 16);
    return n < CEL_B2_HEADER_1 ? 0 : cel_get_le32(src + 12);
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_b2_work *work = work_of(coding);
    struct cel_b2_array array;
    size_t says = stored_size(src, n);

    *len = 0;
    if (says != n)
        return cel_fail(NC_EFILTER, "blosc2: the chunk says %zu bytes are stored, %zu are there", says, n);
    if (cel_b2_is_frame(src, n))
        return decode_frame(work, src, n, dst, cap, len);
    if (array_of_words(coding->words, &array))
        return decode_array(work, &array, src, n, dst, cap, len);
    return decode_run(work, src, n, dst, cap, len);
}

/* Whether the array is the chunk that the caller knows. */
static bool is_known(const struct cel_shape *shape, const struct cel_b2_array *array)
{
    return shape && shape->rank == array->rank && array->rank > 0 && shape->elem_size == array->elem &&
           memcmp(shape->dims, array->shape, (size_t)array->rank * sizeof *shape->dims) == 0;
}

/* A part of the array in a frame that is in memory. */
static int decode_frame_part(const struct cel_coding *coding, const struct cel_encoded *src,
                             const struct cel_chunk_part *part, unsigned char *dst)
{
    struct cel_b2_work *work = work_of(coding);
    unsigned char special[CEL_B2_HEADER];
    const unsigned char *chunk = NULL;
    struct cel_b2_frame frame;
    struct cel_b2_array array;
    size_t n = 0;
    int rc = cel_b2_frame_read(src->bytes, src->n, src->n, &frame);

    if (rc == CEL_OK)
        rc = array_of(&frame, &array);
    if (rc == CEL_OK && !is_known(coding->shape, &array))
        return CEL_SKIP;
    if (rc == CEL_OK)
        rc = find_chunk(work, &frame, src->bytes, special, &chunk, &n);
    return rc == CEL_OK ? cel_b2_array_decode(work, &array, chunk, n, part->start, part->count, dst) : rc;
}

static int decode_part(const struct cel_coding *coding, const struct cel_encoded *src,
                       const struct cel_chunk_part *part, void *dst)
{
    struct cel_b2_work *work = work_of(coding);
    struct cel_b2_array array;

    if (array_of_words(coding->words, &array) && is_known(coding->shape, &array))
        return src->bytes ? cel_b2_array_decode(work, &array, src->bytes, src->n, part->start, part->count, dst)
                          : cel_b2_array_fetch(work, &array, src, part->start, part->count, dst);
    if (!src->bytes || !cel_b2_is_frame(src->bytes, src->n) || stored_size(src->bytes, src->n) != src->n)
        return CEL_SKIP;
    return decode_frame_part(coding, src, part, dst);
}

/* The blocks that the part touches, of all. In HDF5 those are meant that we would write: each chunk has its own. */
static double part_share(const struct cel_coding *coding, const struct cel_chunk_part *part)
{
    struct settings s;
    double share = 1;

    if (settings_of(coding->words, coding->shape->nbytes, &s) != CEL_OK) {
        cel_error_clear();
        return 1;
    }
    for (int d = 0; d < s.array.rank && is_known(coding->shape, &s.array); d++) {
        size_t block = s.array.block[d], first = part->start[d] / block;
        size_t last = (part->start[d] + part->count[d] - 1) / block, all = (s.array.chunk[d] - 1) / block + 1;

        share *= (double)(last - first + 1) / (double)all;
    }
    return share;
}

/* clang-format off */
const struct cel_codec cel_codec_blosc2 = {
    .name = "blosc2", .hdf5_id = 32026, .label = "blosc2",
    .about = "up to six filters and one of five compressors, in blocks that are boxes of the chunk",
    .flags = CEL_CODEC_COMPRESSOR, .flags_with = flags_with, .params = params, .max_words = NWORDS, .check = check,
    .prepare = prepare, .reveal = reveal,
    .bound = bound, .decoded_size = decoded_size, .encode = encode, .decode = decode, .decode_part = decode_part, .part_share = part_share,
    .make_context = make_context, .free_context = free_context,
};
/* clang-format on */
