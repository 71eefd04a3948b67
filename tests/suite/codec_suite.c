/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract of a codec, run against every codec in the registry: round trips
 * over types, sizes, data and parameters; the bound holds; equal input gives equal
 * bytes; cut and flipped chunks end in an error or in one chunk's worth of bytes.
 * Input and output lie against pages that cannot be touched, so that an overrun
 * is seen in every build.
 * usage: codec_suite         every codec
 *        codec_suite NAME    one
 *        codec_suite K N     each Nth, from the Kth on: N runs have them all */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "codec.h"
#include "mem.h"
#include "status.h"
#include "common/random.h"
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* n bytes that end where the address space does. The pages are kept for the next that asks for as many: making and
 * dropping them takes longer than most calls under test. */
struct room {
    unsigned char *body;
    size_t nbytes;
    struct room *next;
};

struct fenced {
    unsigned char *p;
    struct room *room;
};

static struct room *spare;

static struct room *take_spare(size_t nbytes)
{
    struct room **at = &spare, *room;

    while (*at && (*at)->nbytes != nbytes)
        at = &(*at)->next;
    room = *at;
    if (room)
        *at = room->next;
    return room;
}

static struct room *make_room(size_t nbytes, size_t page)
{
    struct room *room = malloc(sizeof *room);

    assert_non_null(room);
    room->nbytes = nbytes;
    room->body = mmap(NULL, nbytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(room->body != MAP_FAILED);
    assert_int_equal(mprotect(room->body + nbytes, page, PROT_NONE), 0);
    return room;
}

/* Filled, so that nothing an earlier call wrote there passes for this one's. */
static struct fenced fence(size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), nbytes = (n + page) / page * page;
    struct fenced f = {.room = take_spare(nbytes)};

    if (!f.room)
        f.room = make_room(nbytes, page);
    f.p = f.room->body + nbytes - n;
    memset(f.p, 0x5a, n);
    return f;
}

static struct fenced fence_copy(const void *src, size_t n)
{
    struct fenced f = fence(n);

    memcpy(f.p, src, n);
    return f;
}

static void unfence(struct fenced *f)
{
    f->room->next = spare;
    spare = f->room;
}

/* --- the codecs of this run --------------------------------------------------- */
static const char *only; /* NULL: all, but of them */
static size_t part, nparts = 1;

/* The first of them from number *i on; NULL after the last. */
static const struct cel_codec *codec_from(size_t *i)
{
    const struct cel_codec *codec;

    for (; (codec = cel_codec_at(*i)); ++*i)
        if (only ? strcmp(only, codec->name) == 0 : *i % nparts == part)
            break;
    return codec;
}

/* --- a codec fitted to chunks of one shape -------------------------------- */
struct bench {
    const struct cel_codec *codec;
    struct cel_shape shape;
    struct cel_words visible, working;
    struct cel_coding coding;
    void *context;
};

static bool fit(struct bench *b, const struct cel_codec *codec, const struct cel_words *words,
                const struct cel_shape *shape)
{
    memset(b, 0, sizeof *b);
    b->codec = codec;
    b->shape = *shape;
    b->visible = b->working = *words;
    if (codec->check && codec->check(words) != CEL_OK)
        return false;
    if (codec->prepare && codec->prepare(codec, &b->visible, &b->shape, &b->working) != CEL_OK)
        return false;
    b->coding = (struct cel_coding){.codec = codec, .words = &b->working, .shape = &b->shape};
    if (codec->make_context) {
        assert_int_equal(codec->make_context(&b->working, &b->context), CEL_OK);
        b->coding.context = b->context;
    }
    return true;
}

static void unfit(struct bench *b)
{
    if (b->codec->free_context)
        b->codec->free_context(b->context);
}

static size_t bound_of(const struct bench *b, size_t n)
{
    return b->codec->bound ? b->codec->bound(&b->coding, n) : n;
}

/* --- shapes, data, parameters ------------------------------------------------ */
static const struct {
    size_t size;
    enum cel_kind kind;
} types[] = {
    {1, CEL_KIND_INT},   {1, CEL_KIND_CHAR},   {2, CEL_KIND_INT},    {8, CEL_KIND_FLOAT},
    {4, CEL_KIND_INT},   {4, CEL_KIND_FLOAT},  {8, CEL_KIND_INT},    {2, CEL_KIND_UINT},
    {3, CEL_KIND_OTHER}, {12, CEL_KIND_OTHER}, {20, CEL_KIND_OTHER}, {16, CEL_KIND_OTHER},
};
#define NTYPES (sizeof types / sizeof *types)

static const struct {
    int rank;
    size_t dims[4];
} grids[] = {
    {1, {0}},    {1, {1}},         {1, {2}}, {1, {7}}, {1, {33}}, {2, {5, 13}}, {3, {1, 20, 31}}, {4, {2, 3, 1, 129}},
    {1, {9001}}, {3, {4, 33, 65}},
};
#define NGRIDS (sizeof grids / sizeof *grids)

static struct cel_shape shape_of(size_t type, size_t grid)
{
    struct cel_shape s = {.elem_size = types[type].size, .kind = types[type].kind, .rank = grids[grid].rank};
    int d;

    s.nbytes = s.elem_size;
    for (d = 0; d < s.rank; d++) {
        s.dims[d] = grids[grid].dims[d];
        s.nbytes *= s.dims[d];
    }
    return s;
}

enum pattern { ZERO, ONES, SMOOTH, NOISE, NPATTERNS };

static void fill(void *dst, const struct cel_shape *shape, enum pattern pattern)
{
    unsigned char *out = dst;
    size_t n = shape->nbytes / shape->elem_size, i, j;
    uint64_t seed = RANDOM_SEED;

    for (i = 0; i < n; i++) {
        double smooth = 280 + 20 * sin((double)i / 40) + (double)(i % 7) / 16;
        float single = (float)smooth;
        uint64_t whole = (uint64_t)(smooth * 100);

        random_step(&seed);
        for (j = 0; j < shape->elem_size; j++)
            out[i * shape->elem_size + j] = pattern == ZERO    ? 0
                                            : pattern == ONES  ? 0xff
                                            : pattern == NOISE ? (unsigned char)(seed >> (8 * (j % 8)))
                                                               : (unsigned char)(whole >> (8 * (j % 8)));
        if (shape->kind == CEL_KIND_FLOAT && pattern >= SMOOTH) {
            double noisy = pattern == NOISE ? (double)(int64_t)seed * 1e-10 : smooth;

            single = pattern == NOISE ? (float)noisy : single;
            memcpy(out + i * shape->elem_size, shape->elem_size == 4 ? (void *)&single : (void *)&noisy,
                   shape->elem_size);
        }
    }
}

static void set_param(struct cel_words *words, const struct cel_param *p, double v)
{
    uint64_t bits;
    float f = (float)v;

    switch (p->kind) {
    case CEL_PARAM_DOUBLE:
        memcpy(&bits, &v, sizeof bits);
        words->w[p->word] = (uint32_t)bits;
        words->w[p->word + 1] = (uint32_t)(bits >> 32);
        break;
    case CEL_PARAM_FLOAT:
        memcpy(&words->w[p->word], &f, sizeof f);
        break;
    default:
        words->w[p->word] = (uint32_t)(int64_t)v;
    }
}

static struct cel_words defaults_of(const struct cel_codec *codec)
{
    struct cel_words words = {.n = 0};
    const struct cel_param *p;

    for (p = codec->params; p && p->name; p++)
        if (p->when_value == 0) {
            size_t end = (size_t)p->word + (p->list ? p->list->nwords : p->kind == CEL_PARAM_DOUBLE ? 2 : 1);

            set_param(&words, p, p->fallback);
            words.n = end > words.n ? end : words.n;
        }
    return words;
}

/* Parameters that the ranges of the table alone would not give. */
static const struct {
    const char *codec;
    size_t n;
    uint32_t w[8];
} special[] = {
    {"lz4", 1, {64}},
    {"lz4", 1, {1000}},
    {"bitshuffle", 3, {8, 2, 3}},
    {"bitshuffle", 3, {64, 3, 1}},
    {"bitshuffle", 3, {24, 0, 0}},
    {"blosc", 7, {0, 0, 0, 0, 9, 2, 5}},
    {"blosc", 7, {0, 0, 0, 0, 1, 0, 4}},
    {"zfp", 4, {1, 0, 0, 0x40300000}},           /* rate 16 */
    {"zfp", 3, {2, 0, 20}},                      /* precision 20 */
    {"zfp", 4, {3, 0, 0, 0x3fb00000}},           /* accuracy 1/16 */
    {"zfp", 6, {4, 0, 1, 4096, 40, 0xfffffff0}}, /* expert */
    {"fpzip", 1, {16}},
    {"zfpy", 4, {3, 0, 0, 0x3fb00000}},
    {"zfpy", 3, {2, 0, 20}},
};

/* Variant number v of a codec's parameters; false after the last. */
static bool variant(const struct cel_codec *codec, size_t v, struct cel_words *words)
{
    const struct cel_param *p;
    size_t i;

    *words = defaults_of(codec);
    if (v-- == 0)
        return true;
    for (p = codec->params; p && p->name; p++) {
        size_t choices = 2;

        if (p->when_value != 0)
            continue;
        if (p->kind == CEL_PARAM_CHOICE)
            for (choices = 0; p->choices[choices]; choices++)
                ;
        if (v < choices) {
            set_param(words, p, p->kind == CEL_PARAM_CHOICE ? (double)v : v == 0 ? p->min : p->max);
            return true;
        }
        v -= choices;
    }
    for (i = 0; i < sizeof special / sizeof *special; i++)
        if (strcmp(special[i].codec, codec->name) == 0 && v-- == 0) {
            words->n = special[i].n;
            memset(words->w, 0, sizeof words->w);
            memcpy(words->w, special[i].w, sizeof special[i].w);
            return true;
        }
    return false;
}

/* --- the contract ---------------------------------------------------------- */
static void encode_twice(struct bench *b, const struct fenced *data, struct fenced *out, size_t *len, bool *skipped)
{
    size_t n = b->shape.nbytes, cap = bound_of(b, n), again = 0;
    struct fenced second;
    int rc;

    *out = fence(cap);
    rc = b->codec->encode(&b->coding, data->p, n, out->p, cap, len);
    *skipped = rc == CEL_SKIP;
    if (*skipped) {
        assert_true(b->codec->flags & CEL_CODEC_MAY_SKIP);
        return;
    }
    if (rc != CEL_OK)
        fail_msg("%s: encode of %zu bytes: %s", b->codec->name, n, cel_error_text());
    assert_true(*len <= cap);
    if (b->codec->flags & CEL_CODEC_SAME_SIZE)
        assert_int_equal(*len, n);
    second = fence(cap);
    memset(second.p, 0xa5, cap);
    assert_int_equal(b->codec->encode(&b->coding, data->p, n, second.p, cap, &again), CEL_OK);
    assert_int_equal(again, *len);
    assert_memory_equal(second.p, out->p, again);
    unfence(&second);
}

static bool is_exact(const struct bench *b)
{
    if (strcmp(b->codec->name, "zfp") == 0 || strcmp(b->codec->name, "zfpy") == 0)
        return b->visible.w[0] == 5; /* reversible */
    if (strcmp(b->codec->name, "fpzip") == 0)
        return b->visible.w[0] == 0; /* all bits */
    return !(b->codec->flags & CEL_CODEC_LOSSY);
}

static void round_trip(struct bench *b, enum pattern pattern)
{
    size_t n = b->shape.nbytes, len = 0, got = 0;
    struct fenced data = fence(n), encoded, exact, back = fence(n);
    bool skipped;
    int rc;

    fill(data.p, &b->shape, pattern);
    encode_twice(b, &data, &encoded, &len, &skipped);
    if (!skipped) {
        exact = fence_copy(encoded.p, len);
        rc = b->codec->decode(&b->coding, exact.p, len, back.p, n, &got);
        if (rc != CEL_OK)
            fail_msg("%s: decode of %zu bytes (element %zu, pattern %d): %s", b->codec->name, n, b->shape.elem_size,
                     pattern, cel_error_text());
        assert_int_equal(got, n);
        if (is_exact(b))
            assert_memory_equal(back.p, data.p, n);
        if (b->codec->decoded_size && n > 0)
            assert_int_equal(b->codec->decoded_size(&b->coding, exact.p, len), n);
        if (b->codec->max_ratio)
            assert_true(n <= len * b->codec->max_ratio);
        unfence(&exact);
    }
    unfence(&encoded);
    unfence(&data);
    unfence(&back);
}

/* All types and grids with the default settings, some with each other one. */
static void every_shape(const struct cel_codec *codec, const struct cel_words *words, bool all, size_t *fitted)
{
    size_t t, g;
    int p;

    for (t = 0; t < NTYPES; t += all ? 1 : 3)
        for (g = 0; g < NGRIDS; g += all ? 1 : 3) {
            struct cel_shape shape = shape_of(t, g);
            struct bench b;

            if (!fit(&b, codec, words, &shape)) {
                assert_true(cel_error_text()[0] != '\0');
                continue;
            }
            ++*fitted;
            for (p = 0; p < NPATTERNS; p++)
                round_trip(&b, (enum pattern)p);
            unfit(&b);
        }
}

static void round_trips(void **state)
{
    const struct cel_codec *codec;
    struct cel_words words;
    size_t i, v;

    for (i = 0; (codec = codec_from(&i)); i++) {
        size_t fitted = 0;

        for (v = 0; variant(codec, v, &words); v++)
            every_shape(codec, &words, v == 0, &fitted);
        if (fitted == 0)
            fail_msg("%s takes no shape at all", codec->name);
    }
}

/* A small chunk that the codec takes: floats if it can, on a 3-D grid. */
static bool small_chunk(const struct cel_codec *codec, const struct cel_words *words, struct bench *b)
{
    static const size_t order[] = {5, 4, 2, 0}; /* float, int32, int16, int8 */
    size_t t;

    for (t = 0; t < sizeof order / sizeof *order; t++) {
        struct cel_shape shape = shape_of(order[t], 5);

        if (fit(b, codec, words, &shape))
            return true;
    }
    return false;
}

/* Codecs whose checksum covers the decoded bytes: no flip may change them unseen. */
static bool is_checked(const struct bench *b)
{
    const char *name = b->codec->name;

    return (b->codec->flags & CEL_CODEC_CHECKSUM) || strcmp(name, "deflate") == 0 || strcmp(name, "gzip") == 0 ||
           strcmp(name, "bzip2") == 0 || strcmp(name, "fpzip") == 0 ||
           (strcmp(name, "lzma") == 0 && b->working.w[0] == 1) ||
           (strcmp(name, "zstd") == 0 && b->working.n > 1 && b->working.w[1]);
}

/* Decode `n` bytes at `chunk`, which may be anything. Gives back whether that
 * went well with a chunk's worth of bytes. */
static bool survives(struct bench *b, const unsigned char *chunk, size_t n, struct fenced *back)
{
    struct fenced src = fence_copy(chunk, n);
    size_t got = (size_t)-1;
    int rc;

    cel_error_clear();
    rc = b->codec->decode(&b->coding, src.p, n, back->p, b->shape.nbytes, &got);
    unfence(&src);
    if (rc == CEL_OK) {
        assert_true(got <= b->shape.nbytes);
        return got == b->shape.nbytes;
    }
    assert_true(rc < 0);
    if (strncmp(cel_error_text(), b->codec->name, strlen(b->codec->name)) != 0)
        fail_msg("%s: its error does not start with its name: %s", b->codec->name, cel_error_text());
    return false;
}

/* A chunk of another length that is whole all the same. szip fills its last scanline up, and libaec looks a few bytes
 * ahead. Behind a stream of zfp zeros may follow up to a word, which has 8 bytes in some builds of libzfp. */
static bool is_harmless(const struct bench *b, const struct fenced *back, const struct fenced *wanted)
{
    bool may_be = strcmp(b->codec->name, "szip") == 0 || strncmp(b->codec->name, "zfp", 3) == 0;

    return may_be && memcmp(back->p, wanted->p, b->shape.nbytes) == 0;
}

static void damage(struct bench *b, enum pattern pattern)
{
    size_t n = b->shape.nbytes, len = 0, i;
    struct fenced data = fence(n), encoded, back = fence(n);
    struct fenced wanted = fence(n);
    bool skipped;

    fill(data.p, &b->shape, pattern);
    encode_twice(b, &data, &encoded, &len, &skipped);
    if (skipped)
        goto out;
    assert_true(survives(b, encoded.p, len, &wanted));
    for (i = 0; i < len; i++)
        if (survives(b, encoded.p, i, &back) && !is_harmless(b, &back, &wanted))
            fail_msg("%s: a chunk of %zu bytes cut to %zu went unseen", b->codec->name, len, i);
    for (i = 0; i < len * 8; i++) {
        encoded.p[i / 8] ^= (unsigned char)(1 << i % 8);
        if (survives(b, encoded.p, len, &back) && is_checked(b))
            assert_memory_equal(back.p, wanted.p, n);
        encoded.p[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    for (i = 0; i < 4; i++) {
        unsigned char *longer = cel_malloc(len + i + 1);

        memcpy(longer, encoded.p, len);
        memset(longer + len, 0, i + 1);
        if (survives(b, longer, len + i + 1, &back) && !is_harmless(b, &back, &wanted))
            fail_msg("%s: %zu bytes too many went unseen", b->codec->name, i + 1);
        free(longer);
    }
    assert_true(survives(b, encoded.p, len, &back)); /* the context is still good */
    assert_memory_equal(back.p, wanted.p, n);
out:
    unfence(&wanted);
    unfence(&back);
    unfence(&encoded);
    unfence(&data);
}

static void damaged_chunks(void **state)
{
    const struct cel_codec *codec;
    struct cel_words words;
    struct bench b;
    size_t i, v;

    for (i = 0; (codec = codec_from(&i)); i++)
        for (v = 0; variant(codec, v, &words); v++)
            if (small_chunk(codec, &words, &b)) {
                damage(&b, SMOOTH);
                damage(&b, NOISE);
                unfit(&b);
            }
}

/* Files may store any words: none of them may hurt. */
static void wild_parameters(void **state)
{
    const struct cel_codec *codec;
    uint32_t values[] = {0, 1, 2, 3, 7, 8, 31, 32, 255, 4096, 0x7fffffff, 0x80000000u, 0xffffffffu};
    size_t i, k, v, nwords;
    struct bench b;
    uint64_t seed = 1;

    for (i = 0; (codec = codec_from(&i)); i++) {
        struct cel_words words = defaults_of(codec);
        size_t len = 0;
        struct fenced data, encoded, back;
        bool skipped;

        assert_true(small_chunk(codec, &words, &b));
        data = fence(b.shape.nbytes);
        back = fence(b.shape.nbytes);
        fill(data.p, &b.shape, SMOOTH);
        encode_twice(&b, &data, &encoded, &len, &skipped);
        for (nwords = 0; nwords <= 8; nwords++)
            for (v = 0; v < 200; v++) {
                struct bench wild = b;

                for (k = 0; k < nwords; k++) {
                    seed = seed * 6364136223846793005u + 1442695040888963407u;
                    wild.working.w[k] = seed >> 63 ? values[(seed >> 40) % 13] : wild.working.w[k];
                }
                wild.working.n = nwords;
                wild.coding.words = &wild.working;
                wild.coding.shape = &wild.shape;
                if (codec->make_context && codec->make_context(&wild.working, &wild.coding.context) != CEL_OK)
                    continue;
                survives(&wild, encoded.p, len, &back);
                if (codec->free_context)
                    codec->free_context(wild.coding.context);
            }
        unfence(&data);
        unfence(&back);
        unfence(&encoded);
        unfit(&b);
    }
}

/* Every allocation of ours fails once: an error, nothing lost, and the codec goes on. */
static void memory_runs_out(void **state)
{
    const struct cel_codec *codec;
    size_t i;
    long nth;

    for (i = 0; (codec = codec_from(&i)); i++) {
        struct cel_words words = defaults_of(codec);
        struct bench b;
        struct fenced data, encoded, back;
        size_t cap, len = 0, got = 0;
        int rc = NC_ENOMEM;

        assert_true(small_chunk(codec, &words, &b));
        cap = bound_of(&b, b.shape.nbytes);
        data = fence(b.shape.nbytes);
        back = fence(b.shape.nbytes);
        encoded = fence(cap);
        fill(data.p, &b.shape, SMOOTH);
        unfit(&b);
        for (nth = 1; rc != CEL_OK && nth < 20; nth++) {
            void *context = NULL;

            cel_mem_fail_at(nth);
            rc = codec->make_context ? codec->make_context(&b.working, &context) : CEL_OK;
            b.coding.context = context;
            if (rc == CEL_OK)
                rc = codec->encode(&b.coding, data.p, b.shape.nbytes, encoded.p, cap, &len);
            if (rc == CEL_OK)
                rc = codec->decode(&b.coding, encoded.p, len, back.p, b.shape.nbytes, &got);
            cel_mem_fail_at(0);
            if (codec->free_context && context)
                codec->free_context(context);
            if (rc != CEL_OK && rc != NC_ENOMEM)
                fail_msg("%s: without memory it says %d, %s", codec->name, rc, cel_error_text());
        }
        assert_int_equal(rc, CEL_OK);
        unfence(&data);
        unfence(&back);
        unfence(&encoded);
    }
}

/* The tables that text, JSON and help come from. */
static void tables_are_whole(void **state)
{
    const struct cel_codec *codec, *other;
    const struct cel_param *p;
    size_t i, j;

    for (i = 0; (codec = cel_codec_at(i)); i++) {
        assert_non_null(codec->name);
        assert_non_null(codec->label);
        assert_non_null(codec->about);
        assert_true(codec->min_words <= codec->max_words);
        assert_true(codec->hdf5_id > 0 && codec->hdf5_id < 65536);
        assert_ptr_equal(cel_codec_by_id(codec->hdf5_id), codec);
        assert_ptr_equal(cel_codec_by_name(codec->name, strlen(codec->name)), codec);
        assert_non_null(cel_codec_registered_name(codec->hdf5_id));
        if (codec->zarr2)
            assert_ptr_equal(cel_codec_by_zarr(codec->zarr2, 2), codec);
        if (codec->zarr3)
            assert_ptr_equal(cel_codec_by_zarr(codec->zarr3, 3), codec);
        for (j = 0; (other = cel_codec_at(j)); j++)
            assert_true(j == i || (other->hdf5_id != codec->hdf5_id && strcmp(other->name, codec->name) != 0));
        for (p = codec->params; p && p->name; p++) {
            assert_non_null(p->help);
            assert_true(p->min <= p->max);
            assert_true(p->fallback >= p->min && p->fallback <= p->max);
            assert_true(p->word >= 0 && (size_t)p->word < codec->max_words);
            assert_true(p->kind != CEL_PARAM_CHOICE || p->choices != NULL);
        }
    }
    assert_true(i >= 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_whole), cmocka_unit_test(round_trips),     cmocka_unit_test(damaged_chunks),
        cmocka_unit_test(wild_parameters),  cmocka_unit_test(memory_runs_out),
    };
    size_t first = 0;

    if (argc == 2)
        only = argv[1];
    if (argc == 3) {
        part = strtoul(argv[1], NULL, 10);
        nparts = strtoul(argv[2], NULL, 10);
    }
    if (argc > 3 || part >= nparts || !codec_from(&first)) {
        fprintf(stderr, "%s: no codec is chosen\n", argv[0]);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
