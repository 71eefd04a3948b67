/* SPDX-License-Identifier: BSD-3-Clause */
/* The cell walk against a plain one, the figures of the specifications, means
 * against sums written out, and Lorenzo for every bit pattern. */
#include "common/byte_order.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "chain.h"
#include "common/random.h"
#include "convert.h"
#include "codec.h"
#include "kernels.h"
#include "nd_cells.h"
#include "nd_lorenzo.h"
#include "nd_mean.h"
#include "nd_samples.h"
#include "nd_strip.h"
#include "status.h"
#include <math.h>
#include <netcdf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = RANDOM_SEED;

static uint32_t roll(uint32_t n)
{
    return (uint32_t)(random_step(&state) >> 32) % n;
}

/* Where element `at` of the array lies among the cells: written for clearness. */
static size_t place_of(int rank, const size_t *dims, const size_t *side, const size_t *at)
{
    size_t before = 0, cell_elems = 1, within = 0, slab;

    for (int d = 0; d < rank; d++) {
        size_t corner = at[d] / side[d] * side[d], len = dims[d] - corner < side[d] ? dims[d] - corner : side[d];
        /* Cells before this one along axis d, given the lengths of this cell along earlier axes. */
        slab = cell_elems * corner;
        for (int e = d + 1; e < rank; e++)
            slab *= dims[e];
        before += slab;
        cell_elems *= len;
        within = within * len + (at[d] - corner);
    }
    return before + within;
}

/* Cells and byte planes in one pass, against the cells shuffled. */
static void planes_by_every_kernel(const struct cel_cells *cells, const void *src, const void *gathered, size_t size)
{
    unsigned char *want = malloc(cells->nbytes), *got = malloc(cells->nbytes);
    struct cel_cells c = *cells;

    cel_shuffle(want, gathered, c.nbytes / size, size);
    for (c.kernel = cel_strip_kernels; c.kernel->name; c.kernel++) {
        memset(got, 0, c.nbytes);
        if (cel_cells_gather_planes(&c, src, got, size))
            assert_memory_equal(got, want, c.nbytes);
    }
    free(want), free(got);
}

/* From planes to a box in a larger array, of which nothing else changes. */
static void planes_to_a_box(int rank, const size_t *dims, const size_t *side, size_t elem, const void *src,
                            const void *gathered)
{
    size_t stride[5], outer[5], step = elem, n = 1;
    struct cel_cells cells;
    unsigned char *planes, *got;

    for (int d = rank; d-- > 0; step *= outer[d], n *= dims[d]) {
        outer[d] = dims[d] + roll(2) * roll(3);
        stride[d] = step;
    }
    assert_true(cel_cells_init_in(&cells, rank, dims, side, elem, stride));
    planes = malloc(n * elem), got = malloc(step);
    cel_shuffle(planes, gathered, n, elem);
    for (cells.kernel = cel_strip_kernels; cells.kernel->name; cells.kernel++) {
        size_t other = 0;

        memset(got, 0xa5, step);
        if (!cel_cells_scatters_planes(&cells, elem))
            break;
        assert_true(cel_cells_scatter_planes(&cells, planes, got, elem));
        for (size_t i = 0, k = 0; i < step / elem; i++) {
            size_t rest = i;
            bool is_in = true;

            for (int d = rank; d-- > 0; rest /= outer[d])
                is_in = is_in && rest % outer[d] < dims[d];
            if (is_in)
                assert_memory_equal(got + i * elem, (const char *)src + k++ * elem, elem);
            for (size_t b = 0; !is_in && b < elem; b++)
                other += got[i * elem + b] != 0xa5;
        }
        assert_int_equal(other, 0);
    }
    free(planes), free(got);
}

static void random_shapes(void **arg)
{
    static const size_t elems[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 32};

    (void)arg;
    for (int round = 0; round < 20000; round++) {
        int rank = 1 + (int)roll(5);
        size_t dims[5], side[5], elem = elems[roll(10)], n = 1, at[5] = {0},
                                 edge = roll(2) ? 4 + 4 * roll(2) : 1 + roll(9);
        struct cel_cells cells;
        unsigned char *src, *want, *got;

        for (int d = 0; d < rank; d++) {
            dims[d] = 1 + roll(rank > 3 ? 9 : rank > 1 ? 30 : 200);
            side[d] = edge;
            n *= dims[d];
        }
        src = malloc(n * elem), want = malloc(n * elem), got = malloc(n * elem);
        for (size_t i = 0; i < n * elem; i++)
            src[i] = (unsigned char)roll(256);
        for (size_t i = 0; i < n; i++) {
            size_t rest = i, clipped[5];
            for (int d = rank; d-- > 0; rest /= dims[d])
                at[d] = rest % dims[d];
            memcpy(clipped, side, sizeof clipped);
            memcpy(want + place_of(rank, dims, clipped, at) * elem, src + i * elem, elem);
        }
        assert_true(cel_cells_init(&cells, rank, dims, side, elem));
        assert_int_equal(cells.nbytes, n * elem);
        for (cells.kernel = cel_strip_kernels; cells.kernel->name; cells.kernel++) {
            memset(got, 0, n * elem);
            assert_true(cel_cells_gather(&cells, src, got));
            assert_memory_equal(got, want, n * elem);
            memset(got, 0, n * elem);
            assert_true(cel_cells_scatter(&cells, want, got));
            assert_memory_equal(got, src, n * elem);
        }
        planes_by_every_kernel(&cells, src, want, elem);
        if (round % 4 == 0)
            planes_to_a_box(rank, dims, side, elem, src, want);
        free(src), free(want), free(got);
    }
}

/* Pieces of every width, cells whose rows fill registers, part of one, or neither; long rows, and what is left of them. */
static void planes_of_every_form(void **arg)
{
    static const size_t last[] = {1, 2, 3, 4, 6, 8, 16};

    (void)arg;
    for (size_t elem = 2; elem <= 8; elem *= 2)
        for (size_t first = 1; first <= 8; first *= 2)
            for (size_t second = 1; second <= 8; second *= 2)
                for (size_t i = 0; i < 7; i++) {
                    size_t side[3] = {first, second, last[i]}, n,
                           dims[3] = {first + roll(2), 2 * second + roll(2), last[i] * (1 + roll(40)) + roll(2)};
                    struct cel_cells cells;
                    unsigned char *src, *mid;

                    assert_true(cel_cells_init(&cells, 3, dims, side, elem));
                    n = cells.nbytes;
                    src = malloc(n), mid = malloc(n);
                    for (size_t k = 0; k < n; k++)
                        src[k] = (unsigned char)roll(256);
                    assert_true(cel_cells_gather(&cells, src, mid));
                    planes_by_every_kernel(&cells, src, mid, elem);
                    free(src), free(mid);
                }
}

/* Cells of more bytes than are gathered at a time, and a row of smaller ones at the edge. */
static void planes_of_large_cells(void **arg)
{
    static const size_t sides[] = {60, 66, 90, 128};

    (void)arg;
    for (size_t i = 0; i < 4; i++)
        for (size_t left = 1; left < sides[i]; left += sides[i] / 4) {
            size_t side[2] = {sides[i], sides[i]}, dims[2] = {sides[i] + left, sides[i] * 20 + left},
                   n = dims[0] * dims[1] * 4;
            struct cel_cells cells;
            unsigned char *src = malloc(n), *mid = malloc(n);

            for (size_t k = 0; k < n; k++)
                src[k] = (unsigned char)roll(256);
            assert_true(cel_cells_init(&cells, 2, dims, side, 4));
            assert_true(cel_cells_gather(&cells, src, mid));
            planes_by_every_kernel(&cells, src, mid, 4);
            planes_to_a_box(2, dims, side, 4, src, mid);
            free(src), free(mid);
        }
}

/* Large enough to be written around the caches; rows that are and are not whole lines. */
static void large_shapes(void **arg)
{
    static const size_t shapes[][3] = {{64, 512, 128}, {33, 701, 97}, {128, 128, 160}};

    (void)arg;
    for (size_t s = 0; s < 3; s++)
        for (size_t elem = 2; elem <= 8; elem *= 2)
            for (size_t edge = 2; edge <= 8; edge *= 2) {
                size_t side[3] = {edge, edge, edge}, n = shapes[s][0] * shapes[s][1] * shapes[s][2] * elem;
                struct cel_cells cells, small;
                uint32_t *src = aligned_alloc(64, (n + 63) / 64 * 64), *got = aligned_alloc(64, (n + 63) / 64 * 64),
                         *want = malloc(n);
                for (size_t i = 0; i < n / 4; i++)
                    src[i] = (uint32_t)i * 2654435761u;
                assert_true(cel_cells_init(&cells, 3, shapes[s], side, elem));
                small = cells;
                assert_true(cel_cells_gather(&cells, src, got));
                small.nbytes = 0; /* the same walk through the caches */
                assert_true(cel_cells_gather(&small, src, want));
                assert_memory_equal(got, want, n);
                assert_true(cel_cells_scatter(&cells, got, want));
                assert_memory_equal(want, src, n);
                free(src), free(got), free(want);
            }
}

static void the_figure_of_ndcell(void **arg)
{
    static const size_t dims[] = {4, 8}, side[] = {2, 2};
    static const unsigned char want[] = {0,  1,  8,  9,  2,  3,  10, 11, 4,  5,  12, 13, 6,  7,  14, 15,
                                         16, 17, 24, 25, 18, 19, 26, 27, 20, 21, 28, 29, 22, 23, 30, 31};
    unsigned char src[32], got[32];
    struct cel_cells cells;

    (void)arg;
    for (int i = 0; i < 32; i++)
        src[i] = (unsigned char)i;
    assert_true(cel_cells_init(&cells, 2, dims, side, 1));
    assert_true(cel_cells_gather(&cells, src, got));
    assert_memory_equal(got, want, 32);
}

/* What c-blosc2 made of the input of nd_samples.h. */
static void golden_vectors(void **arg)
{
    FILE *f = fopen(ND_GOLDEN, "r");
    char line[8192], filter[16];
    int checked = 0;

    (void)arg;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        size_t dims[5], side[5], edge, elem, n;
        unsigned char src[2048], want[2048], got[2048];
        struct cel_cells cells;
        int rank, at = 0;

        if (sscanf(line, "%15s %zu %zu %d%n", filter, &edge, &elem, &rank, &at) != 4 || line[0] == '#')
            continue;
        n = elem;
        for (int d = 0, more; d < rank; d++, at += more) {
            assert_int_equal(sscanf(line + at, "%zu%n", &dims[d], &more), 1);
            side[d] = edge;
            n *= dims[d];
        }
        for (size_t i = 0; i < n; i++)
            assert_int_equal(sscanf(line + at + 1 + 2 * i, "%2hhx", &want[i]), 1);
        sample(src, n / elem, elem, strcmp(filter, "ndmean") == 0);
        assert_true(cel_cells_init(&cells, rank, dims, side, elem));
        if (strcmp(filter, "ndmean") == 0)
            assert_true(cel_mean_gather(&(struct cel_mean){.is_double = elem == 8}, rank, dims, side, src, got));
        else
            assert_true(cel_cells_gather(&cells, src, got));
        if (HOST_IS_BIG && strcmp(filter, "ndmean") == 0) /* the vectors were made where the low byte comes first */
            cel_swap_bytes(got, got, n / elem, elem);
        assert_memory_equal(got, want, n);
        assert_true(cel_cells_scatter(&cells, want, got));
        assert_true(strcmp(filter, "ndmean") == 0 || memcmp(got, src, n) == 0);
        checked++;
    }
    fclose(f);
    assert_int_equal(checked, 24);
}

/* Cells of 3 x 2, as in the figure of ndmean.rst: the kernel takes a side per axis. */
static void means_of_cells(void **arg)
{
    static const size_t dims[] = {6, 8}, side[] = {3, 2};
    struct cel_mean mean = {.is_double = true};
    double data[48], means[48], back[48];
    struct cel_cells cells;

    (void)arg;
    for (int i = 0; i < 48; i++)
        data[i] = i;
    assert_true(cel_mean_gather(&mean, 2, dims, side, data, means));
    assert_true(cel_cells_init(&cells, 2, dims, side, 8) && cel_cells_scatter(&cells, means, back));
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 8; x++) {
            int cy = y / 3 * 3, cx = x / 2 * 2;
            double sum = 0;
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 2; i++)
                    sum += (cy + j) * 8 + cx + i;
            assert_true(back[y * 8 + x] == sum / 6);
        }
}

static void the_figure_of_ndmean(void **arg)
{
    static const size_t dims[] = {6, 8}, side[] = {3, 2};
    static const float src[48] = {0, 1, 1, 2, 2, 3, 3, 5, 2, 0, 3, 1, 4, 2, 3, 5, 1, 2, 2, 3, 3, 4, 5, 3,
                                  1, 3, 1, 2, 2, 4, 4, 8, 3, 1, 0, 1, 1, 5, 7, 5, 1, 3, 0, 2, 0, 6, 4, 8};
    static const float means[8] = {1, 2, 3, 4, 2, 1, 3, 6};
    float got[48];

    (void)arg;
    assert_true(cel_mean_gather(&(struct cel_mean){.is_double = false}, 2, dims, side, src, got));
    for (int i = 0; i < 48; i++)
        assert_true(got[i] == means[i / 6]);
}

static void special_cells_stay_exact(void **arg)
{
    static const size_t dims[] = {4, 70}, side[] = {4, 4};
    float fill = 1e20f, data[280], before[280], means[280];
    struct cel_mean mean = {.keeps_special = true, .fill = (const unsigned char *)&fill};
    struct cel_cells cells;

    (void)arg;
    for (int i = 0; i < 280; i++)
        before[i] = (float)i;
    before[5] = fill, before[70 + 17] = NAN, before[140 + 41] = -INFINITY, before[3 * 70 + 69] = fill;
    assert_true(cel_mean_gather(&mean, 2, dims, side, before, means));
    assert_true(cel_cells_init(&cells, 2, dims, side, 4) && cel_cells_scatter(&cells, means, data));
    for (int i = 0; i < 280; i++) {
        int cell = i % 70 / 4;
        bool special = cell == 1 || cell == 4 || cell == 10 || cell == 17;
        assert_int_equal(memcmp(&data[i], &before[i], 4) == 0, special);
    }
}

/* Means of big-endian reals are those of the same reals the other way round. */
static void swapped_means(void **arg)
{
    static const size_t dims[] = {5, 37, 3}, side[] = {4, 4, 4};
    uint64_t src[555], turned[555], means[555], got[555];

    (void)arg;
    sample_reals((unsigned char *)src, 555, 8);
    for (int i = 0; i < 555; i++)
        turned[i] = __builtin_bswap64(src[i]);
    assert_true(cel_mean_gather(&(struct cel_mean){.is_double = true}, 3, dims, side, src, means));
    assert_true(cel_mean_gather(&(struct cel_mean){.is_double = true, .swapped = true}, 3, dims, side, turned, got));
    for (int i = 0; i < 555; i++)
        assert_true(__builtin_bswap64(got[i]) == means[i]);
}

static void lorenzo_keeps_every_bit(void **arg)
{
    const struct cel_codec *codec = cel_codec_by_name("ndlorenzo", 9);
    static const enum cel_kind kinds[] = {CEL_KIND_INT, CEL_KIND_UINT, CEL_KIND_FLOAT};

    (void)arg;
    for (int round = 0; round < 3000; round++) {
        struct cel_shape shape = {
            .elem_size = (size_t)1 << roll(4), .kind = kinds[roll(3)], .big_endian = roll(2), .rank = 1 + (int)roll(4)};
        struct cel_words words = {0};
        struct cel_coding coding = {.codec = codec, .words = &words, .shape = &shape};
        unsigned char *src, *mid, *back;
        size_t len;

        shape.nbytes = shape.elem_size;
        for (int d = 0; d < shape.rank; d++)
            shape.nbytes *= shape.dims[d] = 1 + roll(shape.rank < 3 ? 70 : 12);
        assert_int_equal(codec->prepare(codec, &words, &shape, &words), CEL_OK);
        src = malloc(shape.nbytes), mid = malloc(shape.nbytes), back = malloc(shape.nbytes);
        for (size_t i = 0; i < shape.nbytes; i++)
            src[i] = (unsigned char)(roll(4) ? roll(256) : roll(2) ? 0xff : 0);
        assert_int_equal(codec->encode(&coding, src, shape.nbytes, mid, shape.nbytes, &len), CEL_OK);
        assert_int_equal(codec->decode(&coding, mid, len, back, shape.nbytes, &len), CEL_OK);
        assert_memory_equal(src, back, shape.nbytes);
        for (const struct cel_lorenzo_kernel *k = cel_lorenzo_kernels; k->name; k++)
            if (k->usable()) {
                int log = __builtin_ctzl(shape.elem_size);
                assert_true(k->by_log[log].forward(&shape, src, back));
                assert_memory_equal(back, mid, shape.nbytes);
                assert_true(k->by_log[log].backward(&shape, mid, back));
                assert_memory_equal(back, src, shape.nbytes);
            }
        free(src), free(mid), free(back);
    }
}

static void lorenzo_of_a_plane_is_zero(void **arg)
{
    const struct cel_codec *codec = cel_codec_by_name("ndlorenzo", 9);
    struct cel_shape shape = {
        .elem_size = 4, .kind = CEL_KIND_INT, .rank = 2, .dims = {20, 30}, .nbytes = 2400, .big_endian = HOST_IS_BIG};
    struct cel_words words = {0};
    struct cel_coding coding = {.codec = codec, .words = &words, .shape = &shape};
    int32_t plane[600], out[600];
    size_t len;

    (void)arg;
    for (int i = 0; i < 600; i++)
        plane[i] = 100 - 7 * (i / 30) + 3 * (i % 30);
    assert_int_equal(codec->prepare(codec, &words, &shape, &words), CEL_OK);
    assert_int_equal(codec->encode(&coding, plane, 2400, out, 2400, &len), CEL_OK);
    for (int y = 1; y < 20; y++)
        for (int x = 1; x < 30; x++)
            assert_int_equal(out[y * 30 + x], 0);
}

/* ndcell and the shuffle behind it, in one by the chain, against one after the other. */
static void the_chain_does_two_in_one(void **arg)
{
    static const size_t elems[] = {1, 2, 3, 4, 8};
    struct cel_scratch *scratch;

    (void)arg;
    assert_int_equal(cel_scratch_make(&scratch), CEL_OK);
    for (int round = 0; round < 300; round++) {
        struct cel_shape shape = {.elem_size = elems[roll(5)], .kind = CEL_KIND_OTHER, .rank = 1 + (int)roll(3)};
        struct cel_chain both = {0};
        struct cel_cells cells;
        unsigned char *src, *mid, *want;
        size_t side[3] = {4, 4, 4}, len;
        const void *got;
        uint32_t skipped;

        shape.nbytes = shape.elem_size;
        for (int d = 0; d < shape.rank; d++)
            shape.nbytes *= shape.dims[d] = 1 + roll(60);
        src = malloc(shape.nbytes), mid = malloc(shape.nbytes), want = malloc(shape.nbytes);
        for (size_t i = 0; i < shape.nbytes; i++)
            src[i] = (unsigned char)roll(256);
        assert_true(cel_cells_init(&cells, shape.rank, shape.dims, side, shape.elem_size) &&
                    cel_cells_gather(&cells, src, mid));
        cel_shuffle(want, mid, shape.nbytes / shape.elem_size, shape.elem_size);
        assert_int_equal(cel_chain_parse("ndcell,cell=4|shuffle", &both, NULL), CEL_OK);
        assert_int_equal(cel_chain_prepare(&both, &shape, false), CEL_OK);
        assert_int_equal(cel_chain_encode(&both, scratch, src, shape.nbytes, &got, &len, &skipped), CEL_OK);
        assert_int_equal(len, shape.nbytes);
        assert_memory_equal(got, want, len);
        memcpy(mid, got, len);
        assert_int_equal(cel_chain_decode(&both, scratch, mid, len, skipped, want), CEL_OK);
        assert_memory_equal(want, src, len);
        cel_chain_dispose(&both);
        free(src), free(mid), free(want);
    }
    cel_scratch_free(scratch);
}

/* Each wrong in one word; not a byte of the output is touched. */
static void wrong_words_are_refused(void **arg)
{
    static const struct {
        const char *filter;
        struct cel_words words;
    } wrong[] = {
        {"ndcell", {8, {0, 4, 2, 3, 0, 0, 4, 4}}},
        {"ndcell", {8, {256, 4, 2, 3, 0, 0, 4, 4}}},
        {"ndcell", {7, {4, 4, 0, 3, 0, 0, 16}}},
        {"ndcell", {39, {4, 4, 33, 3, 0, 0, 16}}},
        {"ndcell", {8, {4, 4, 2, 3, 0, 0, 4, 5}}},
        {"ndcell", {8, {4, 8, 2, 3, 0, 0, 4, 4}}},
        {"ndcell", {7, {4, 4, 2, 3, 0, 0, 16}}},
        {"ndcell", {1, {4}}},
        {"ndcell", {8, {4, 0, 2, 3, 0, 0, 4, 4}}},
        {"ndcell", {9, {4, 64, 3, 3, 0, 0, 65536, 1u << 31, 1u << 31}}},
        {"ndmean", {8, {0, 4, 2, 3, 0, 0, 4, 4}}},
        {"ndmean", {8, {128, 4, 2, 3, 0, 0, 4, 4}}},
        {"ndlorenzo", {7, {0, 4, 0, 3, 0, 0, 16}}},
        {"ndlorenzo", {7, {0, 64, 0, 3, 0, 0, 1}}},
        {"ndlorenzo", {8, {0, 3, 2, 3, 0, 0, 4, 4}}},
        {"ndlorenzo", {39, {0, 4, 33, 3, 0, 0, 16}}},
        {"ndlorenzo", {9, {0, 4, 3, 3, 0, 0, 65536, 1u << 31, 1u << 31}}},
    };
    unsigned char src[64] = {0}, dst[64], clean[64];

    (void)arg;
    memset(clean, 0x77, sizeof clean);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct cel_codec *codec = cel_codec_by_name(wrong[i].filter, strlen(wrong[i].filter));
        struct cel_coding coding = {.codec = codec, .words = &wrong[i].words};
        size_t len;
        memset(dst, 0x77, sizeof dst);
        assert_int_equal(codec->encode(&coding, src, 64, dst, 64, &len), NC_EFILTER);
        assert_int_equal(codec->decode(&coding, src, 64, dst, 64, &len), NC_EFILTER);
        assert_memory_equal(dst, clean, 64);
    }
}

static void hostile_words_are_refused(void **arg)
{
    static const char *const names[] = {"ndcell", "ndmean", "ndlorenzo"};
    unsigned char src[64] = {0}, dst[64];

    (void)arg;
    for (int round = 0; round < 30000; round++) {
        const char *name = names[roll(3)];
        const struct cel_codec *codec = cel_codec_by_name(name, strlen(name));
        struct cel_words words = {.n = roll(45)};
        struct cel_shape shape = {.elem_size = 4, .kind = CEL_KIND_FLOAT, .nbytes = 64};
        struct cel_coding coding = {.codec = codec, .words = &words, .shape = &shape};
        size_t len;

        for (size_t i = 0; i < words.n; i++)
            words.w[i] = roll(3) ? roll(9) : roll(2) ? UINT32_MAX : 1u << roll(32);
        codec->encode(&coding, src, 64, dst, 64, &len);
        codec->decode(&coding, src, 64, dst, 64, &len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(planes_of_every_form),
        cmocka_unit_test(planes_of_large_cells),
        cmocka_unit_test(large_shapes),
        cmocka_unit_test(the_figure_of_ndcell),
        cmocka_unit_test(golden_vectors),
        cmocka_unit_test(the_figure_of_ndmean),
        cmocka_unit_test(means_of_cells),
        cmocka_unit_test(special_cells_stay_exact),
        cmocka_unit_test(swapped_means),
        cmocka_unit_test(lorenzo_keeps_every_bit),
        cmocka_unit_test(the_chain_does_two_in_one),
        cmocka_unit_test(lorenzo_of_a_plane_is_zero),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(hostile_words_are_refused),
    };

    return cmocka_run_group_tests_name("nd", tests, NULL, NULL);
}
