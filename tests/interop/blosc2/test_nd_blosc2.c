/* SPDX-License-Identifier: BSD-3-Clause */
/* Our Blosc2 filters against c-blosc2's own, called as its pipeline calls them: random
 * blocks, both ways, and what is refused. c-blosc2's functions come from its archive; ours
 * from the shared objects, loaded as libblosc2 loads them.
 *
 *   test_nd_blosc2 PLUGINS              the tests
 *   test_nd_blosc2 PLUGINS golden FILE  write the golden vectors, made by c-blosc2 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "common/random.h"
#include "nd_samples.h"
#define print_error blosc2_print_error /* a static function of theirs; cmocka has one of that name */
#include <blosc2.h>
#undef print_error
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef int forward_fn(const uint8_t *in, uint8_t *out, int32_t length, uint8_t meta, blosc2_cparams *c, uint8_t id);
typedef int backward_fn(const uint8_t *in, uint8_t *out, int32_t length, uint8_t meta, blosc2_dparams *d, uint8_t id);
extern forward_fn ndcell_forward, ndmean_forward; /* theirs */
extern backward_fn ndcell_backward, ndmean_backward;

static const char *plugins;
static struct {
    forward_fn *cell_forward, *mean_forward, *cell_encoder;
    backward_fn *cell_backward, *mean_backward, *cell_decoder;
} ours;

static void *load(const char *library, const char *name)
{
    char path[4096];
    void *handle, *found;

    snprintf(path, sizeof path, "%s/lib%s.so", plugins, library);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    found = handle ? dlsym(handle, name) : NULL;
    if (!found)
        fail_msg("%s: %s", path, dlerror());
    return found;
}

/* As libblosc2 does it: `info` names the two functions. */
static int load_ours(void **state)
{
    char **cell = load("blosc2_cellar_ndcell", "info"), **mean = load("blosc2_cellar_ndmean", "info");
    void *found[] = {load("blosc2_cellar_ndcell", cell[0]),          load("blosc2_cellar_ndmean", mean[0]),
                     load("blosc2_cellar_ndcell", "ndcell_encoder"), load("blosc2_cellar_ndcell", cell[1]),
                     load("blosc2_cellar_ndmean", mean[1]),          load("blosc2_cellar_ndcell", "ndcell_decoder")};

    (void)state;
    memcpy(&ours, found, sizeof ours);
    return 0;
}

/* --- a super-chunk that has nothing but a layer ---------------------------------------- */

struct block {
    int rank;
    int32_t dims[8], typesize, length;
    const char *dtype; /* NULL: the layer is of Caterva's days */
};

static uint8_t *put_be(uint8_t *p, uint8_t marker, int64_t v, int n)
{
    *p++ = marker;
    for (int i = n; i-- > 0;)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

static int32_t make_layer(const struct block *b, uint8_t *p)
{
    uint8_t *start = p;

    *p++ = b->dtype ? 0x97 : 0x95;
    *p++ = 0;
    *p++ = (uint8_t)b->rank;
    *p++ = (uint8_t)(0x90 + b->rank);
    for (int d = 0; d < b->rank; d++)
        p = put_be(p, 0xd3, b->dims[d], 8);
    for (int list = 0; list < 2; list++) {
        *p++ = (uint8_t)(0x90 + b->rank);
        for (int d = 0; d < b->rank; d++)
            p = put_be(p, 0xd2, b->dims[d], 4);
    }
    if (b->dtype) {
        *p++ = 0;
        p = put_be(p, 0xdb, (int64_t)strlen(b->dtype), 4);
        memcpy(p, b->dtype, strlen(b->dtype));
        p += strlen(b->dtype);
    }
    return (int32_t)(p - start);
}

static void dress(const struct block *b, blosc2_schunk *s, blosc2_metalayer *layer, uint8_t *content)
{
    memset(s, 0, sizeof *s);
    *layer = (blosc2_metalayer){b->dtype ? (char *)"b2nd" : (char *)"caterva", content, make_layer(b, content)};
    s->typesize = b->typesize;
    s->metalayers[0] = layer;
    s->nmetalayers = 1;
}

static int forward(forward_fn *f, const struct block *b, uint8_t meta, const void *in, void *out)
{
    blosc2_metalayer layer;
    blosc2_schunk s;
    uint8_t content[256];
    blosc2_cparams c = {.typesize = b->typesize, .schunk = &s};

    dress(b, &s, &layer, content);
    return f(in, out, b->length, meta, &c, 160);
}

static int backward(backward_fn *f, const struct block *b, uint8_t meta, const void *in, void *out)
{
    blosc2_metalayer layer;
    blosc2_schunk s;
    uint8_t content[256];
    blosc2_dparams d = {.schunk = &s};

    dress(b, &s, &layer, content);
    return f(in, out, b->length, meta, &d, 160);
}

/* --- random blocks ---------------------------------------------------------------------- */

static uint64_t dice = RANDOM_SEED;

static uint32_t roll(uint32_t n)
{
    return (uint32_t)(random_step(&dice) >> 32) % n;
}

static void roll_block(struct block *b, int32_t typesize)
{
    *b = (struct block){.rank = 1 + (int)roll(5), .typesize = typesize, .length = typesize, .dtype = "|u1"};
    for (int d = 0; d < b->rank; d++) {
        b->dims[d] = 1 + (int32_t)roll(b->rank > 3 ? 9 : b->rank > 2 ? 20 : b->rank > 1 ? 70 : 400);
        b->length *= b->dims[d];
    }
}

static void cells_are_theirs(void **state)
{
    static const int32_t sizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 32};
    int accepted = 0, refused = 0;

    (void)state;
    for (int round = 0; round < 30000; round++) {
        struct block b;
        uint8_t meta = (uint8_t)(1 + roll(9)), *src, *want, *got, *back;
        int rc;

        roll_block(&b, sizes[roll(10)]);
        src = malloc((size_t)b.length), want = malloc((size_t)b.length), got = malloc((size_t)b.length),
        back = malloc((size_t)b.length);
        for (int32_t i = 0; i < b.length; i++)
            src[i] = (uint8_t)roll(256);
        rc = forward(ndcell_forward, &b, meta, src, want);
        assert_int_equal(forward(round % 2 ? ours.cell_forward : ours.cell_encoder, &b, meta, src, got), rc);
        accepted += rc == 0;
        refused += rc != 0;
        if (rc == 0) {
            assert_memory_equal(got, want, (size_t)b.length);
            assert_int_equal(backward(ndcell_backward, &b, meta, got, back), 0);
            assert_memory_equal(back, src, (size_t)b.length);
            assert_int_equal(backward(round % 2 ? ours.cell_backward : ours.cell_decoder, &b, meta, want, back), 0);
            assert_memory_equal(back, src, (size_t)b.length);
        }
        free(src), free(want), free(got), free(back);
    }
    print_message("ndcell: %d configurations the same, %d refused by both\n", accepted, refused);
    assert_true(accepted >= 20000);
}

/* c-blosc2 writes these and cannot read them: the first axis is shorter than a cell and
 * another has more than one. */
static bool is_defect(const struct block *b, uint8_t meta)
{
    for (int d = 1; d < b->rank; d++)
        if (b->dims[0] < meta && b->dims[d] > b->dims[0])
            return true;
    return false;
}

static void roll_reals(uint8_t *p, int32_t length, int32_t size)
{
    for (int32_t i = 0; i < length; i += size) {
        double d = (double)roll(1000000) / 1000 - 500;
        float f;
        if (roll(8) == 0)
            d = roll(2) ? -0.0 : 1e30 * (roll(2) ? 1 : -1);
        if (roll(200) == 0)
            d = roll(2) ? (double)INFINITY : 4.9e-324;
        f = (float)d;
        memcpy(p + i, size == 4 ? (void *)&f : (void *)&d, (size_t)size);
    }
}

static void means_are_theirs(void **state)
{
    int same = 0, ours_only = 0;

    (void)state;
    for (int round = 0; round < 30000; round++) {
        struct block b;
        uint8_t meta = (uint8_t)(1 + roll(9)), *src, *want, *got, *back, *again;

        roll_block(&b, roll(2) ? 4 : 8);
        if (round % 3 == 0)
            b.dtype = b.typesize == 4 ? "<f4" : "<f8";
        src = malloc((size_t)b.length), want = malloc((size_t)b.length), got = malloc((size_t)b.length);
        back = malloc((size_t)b.length), again = malloc((size_t)b.length);
        roll_reals(src, b.length, b.typesize);
        assert_int_equal(forward(ours.mean_forward, &b, meta, src, got), 0);
        assert_int_equal(backward(ours.mean_backward, &b, meta, got, back), 0);
        if (is_defect(&b, meta)) {
            ours_only++;
        } else {
            assert_int_equal(forward(ndmean_forward, &b, meta, src, want), 0);
            assert_memory_equal(got, want, (size_t)b.length);
            assert_int_equal(backward(ndmean_backward, &b, meta, want, again), 0);
            assert_memory_equal(back, again, (size_t)b.length);
            same++;
        }
        free(src), free(want), free(got), free(back), free(again);
    }
    print_message("ndmean: %d configurations the same, %d that c-blosc2 cannot read back\n", same, ours_only);
    assert_true(same >= 20000 && ours_only > 0);
}

/* Shapes c-blosc2 writes and cannot read: means of the right cells, and back in place. */
static void short_first_axis_is_right(void **state)
{
    struct block b = {.rank = 3, .dims = {1, 8, 8}, .typesize = 4, .length = 256, .dtype = "<f4"};
    float src[64], mid[64], back[64];

    (void)state;
    for (int i = 0; i < 64; i++)
        src[i] = (float)(i * i % 31);
    assert_int_equal(forward(ours.mean_forward, &b, 4, src, mid), 0);
    assert_int_equal(backward(ours.mean_backward, &b, 4, mid, back), 0);
    for (int y = 0; y < 8; y += 4)
        for (int x = 0; x < 8; x += 4) {
            float sum = 0;
            for (int i = 0; i < 16; i++)
                sum += src[(y + i / 4) * 8 + x + i % 4];
            for (int i = 0; i < 16; i++)
                assert_true(back[(y + i / 4) * 8 + x + i % 4] == sum / 16);
        }
}

static void only_reals_have_means(void **state)
{
    static const struct {
        const char *dtype;
        int32_t size;
        int rc;
    } cases[] = {{"<i4", 4, -1}, {"<u4", 4, -1}, {"<i8", 8, -1}, {"<c8", 8, -1}, {"<M8[s]", 8, -1},
                 {"|S4", 4, -1}, {"<f4", 4, 0},  {"<f8", 8, 0},  {"f8", 8, 0},   {"|u1", 8, 0},
                 {NULL, 4, 0},   {"|u1", 1, -1}, {"<f2", 2, -1}, {"<i2", 2, -1}};
    uint8_t src[512] = {0}, dst[512];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct block b = {.rank = 2,
                          .dims = {8, 8},
                          .typesize = cases[i].size,
                          .length = 64 * cases[i].size,
                          .dtype = cases[i].dtype};
        assert_int_equal(forward(ours.mean_forward, &b, 4, src, dst), cases[i].rc);
        assert_int_equal(backward(ours.mean_backward, &b, 4, src, dst), 0); /* a reader takes what there is */
    }
}

/* The layer of Caterva's days, which c-blosc2 no longer looks for. */
static void caterva_is_read(void **state)
{
    struct block b = {.rank = 2, .dims = {4, 8}, .typesize = 1, .length = 32}, now = b;
    uint8_t src[32], old[32], new[32];

    (void)state;
    now.dtype = "|u1";
    sample_bytes(src, 32);
    assert_int_equal(forward(ours.cell_forward, &b, 2, src, old), 0);
    assert_int_equal(forward(ours.cell_forward, &now, 2, src, new), 0);
    assert_memory_equal(old, new, 32);
    assert_int_equal(forward(ndcell_forward, &b, 2, src, old), -1);
}

static void hostile_layers_are_refused(void **state)
{
    static const struct block bad[] = {
        {.rank = 2, .dims = {65536, 65537}, .typesize = 1, .length = 65536, .dtype = "|u1"},
        {.rank = 2, .dims = {0, 64}, .typesize = 4, .length = 256, .dtype = "|u1"},
        {.rank = 2, .dims = {-1, 64}, .typesize = 4, .length = 256, .dtype = "|u1"},
        {.rank = 2, .dims = {8, 8}, .typesize = 4, .length = 252, .dtype = "|u1"},
        {.rank = 0, .typesize = 4, .length = 4, .dtype = "|u1"},
        {.rank = 2, .dims = {8, 8}, .typesize = 0, .length = 64, .dtype = "|u1"},
        {.rank = 2, .dims = {8, 8}, .typesize = -4, .length = 256, .dtype = "|u1"},
    };
    static uint8_t src[65536], dst[65536];
    const struct block good = {.rank = 2, .dims = {8, 8}, .typesize = 4, .length = 256, .dtype = "<f4"};
    blosc2_cparams c = {.typesize = 4};
    blosc2_dparams d = {.schunk = NULL};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(forward(ours.cell_forward, &bad[i], 4, src, dst), -1);
        assert_int_equal(backward(ours.cell_backward, &bad[i], 4, src, dst), -1);
        assert_int_equal(forward(ours.mean_forward, &bad[i], 4, src, dst), -1);
        assert_int_equal(backward(ours.mean_backward, &bad[i], 4, src, dst), -1);
    }
    assert_int_equal(forward(ours.cell_forward, &good, 0, src, dst), -1);
    assert_int_equal(forward(ours.cell_forward, &good, 255, src, dst), -1);
    assert_int_equal(forward(ours.mean_forward, &good, 0, src, dst), -1);
    assert_int_equal(backward(ours.mean_backward, &good, 128, src, dst), -1);
    assert_int_equal(ours.cell_forward(src, dst, 256, 4, &c, 160), -1);
    assert_int_equal(ours.cell_backward(src, dst, 256, 4, &d, 160), -1);
    assert_int_equal(ours.mean_backward(src, dst, 256, 4, &d, 161), -1);
}

/* A layer cut short or with bytes changed: an answer, never a byte outside the buffers. */
static void damaged_layers_do_no_harm(void **state)
{
    struct block b = {.rank = 3, .dims = {4, 4, 4}, .typesize = 4, .length = 256, .dtype = "<f4"};
    uint8_t *src = calloc(1, 256), *dst = malloc(256);

    (void)state;
    for (int round = 0; round < 20000; round++) {
        blosc2_metalayer layer;
        blosc2_schunk s;
        uint8_t content[256], *tight;
        blosc2_cparams c = {.typesize = 4, .schunk = &s};
        blosc2_dparams d = {.schunk = &s};

        dress(&b, &s, &layer, content);
        layer.content_len = roll(2) ? layer.content_len : (int32_t)roll((uint32_t)layer.content_len + 1);
        for (uint32_t i = roll(4); i-- > 0;)
            content[roll(128)] = (uint8_t)roll(256);
        tight = malloc((size_t)layer.content_len + (layer.content_len == 0));
        memcpy(tight, content, (size_t)layer.content_len);
        layer.content = tight;
        ours.cell_forward(src, dst, 256, (uint8_t)roll(256), &c, 160);
        ours.cell_backward(src, dst, 256, (uint8_t)roll(256), &d, 160);
        ours.mean_forward(src, dst, 256, (uint8_t)roll(256), &c, 161);
        ours.mean_backward(src, dst, 256, (uint8_t)roll(256), &d, 161);
        free(tight);
    }
    free(src);
    free(dst);
}

/* --- golden vectors ------------------------------------------------------------------------ */

static const struct {
    const char *filter;
    int rank;
    int32_t dims[5];
    int32_t size;
    uint8_t edge;
} golden[] = {
    {"ndcell", 1, {37}, 4, 4},         {"ndcell", 2, {4, 8}, 1, 2},        {"ndcell", 2, {7, 9}, 1, 3},
    {"ndcell", 2, {6, 11}, 2, 4},      {"ndcell", 2, {9, 5}, 3, 2},        {"ndcell", 2, {8, 8}, 4, 4},
    {"ndcell", 2, {5, 13}, 8, 4},      {"ndcell", 2, {1, 64}, 4, 4},       {"ndcell", 3, {4, 6, 7}, 1, 4},
    {"ndcell", 3, {5, 6, 7}, 2, 2},    {"ndcell", 3, {3, 5, 9}, 4, 3},     {"ndcell", 3, {2, 9, 6}, 5, 4},
    {"ndcell", 4, {3, 4, 5, 6}, 1, 2}, {"ndcell", 4, {2, 3, 4, 5}, 12, 2}, {"ndcell", 5, {2, 3, 2, 3, 4}, 2, 2},
    {"ndcell", 2, {3, 5}, 16, 2},      {"ndcell", 2, {3, 5}, 32, 3},       {"ndmean", 1, {21}, 4, 4},
    {"ndmean", 2, {8, 8}, 4, 4},       {"ndmean", 2, {7, 9}, 4, 3},        {"ndmean", 2, {6, 8}, 8, 2},
    {"ndmean", 3, {4, 5, 6}, 4, 4},    {"ndmean", 3, {5, 3, 6}, 8, 5},     {"ndmean", 4, {3, 3, 4, 5}, 4, 2},
};

static int write_golden(const char *path)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return 1;
    fprintf(f, "# Made by c-blosc2 %s (test_nd_blosc2 PLUGINS golden FILE); input: nd_samples.h\n",
            BLOSC2_VERSION_STRING);
    fprintf(f, "# filter edge element-size rank lengths... output\n");
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct block b = {.rank = golden[i].rank, .typesize = golden[i].size, .length = golden[i].size, .dtype = "|u1"};
        bool is_mean = strcmp(golden[i].filter, "ndmean") == 0;
        uint8_t src[2048], out[2048];

        fprintf(f, "%s %d %d %d", golden[i].filter, golden[i].edge, golden[i].size, b.rank);
        for (int d = 0; d < b.rank; d++) {
            b.length *= b.dims[d] = golden[i].dims[d];
            fprintf(f, " %d", b.dims[d]);
        }
        sample(src, (size_t)(b.length / b.typesize), (size_t)b.typesize, is_mean);
        if (forward(is_mean ? ndmean_forward : ndcell_forward, &b, golden[i].edge, src, out) != 0)
            return 1;
        fprintf(f, " ");
        for (int32_t k = 0; k < b.length; k++)
            fprintf(f, "%02x", out[k]);
        fprintf(f, "\n");
    }
    return fclose(f) != 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_theirs),          cmocka_unit_test(means_are_theirs),
        cmocka_unit_test(short_first_axis_is_right), cmocka_unit_test(only_reals_have_means),
        cmocka_unit_test(caterva_is_read),           cmocka_unit_test(hostile_layers_are_refused),
        cmocka_unit_test(damaged_layers_do_no_harm),
    };

    plugins = argc > 1 ? argv[1] : ".";
    if (argc > 3 && strcmp(argv[2], "golden") == 0)
        return write_golden(argv[3]);
    return cmocka_run_group_tests_name("nd_blosc2", tests, load_ours, NULL);
}
