/* SPDX-License-Identifier: BSD-3-Clause */
/* The n-dimensional filters against memcpy of as many bytes in the same run, and against
 * c-blosc2's where there is one, one thread: bench_nd [-v] [ROW...]
 *
 * Each shape takes turns, in processor time, medians of the rounds; a row's figure is the
 * median over its shapes. -v shows every shape. Exit code 1 when a promised ratio is missed:
 * the median below the bar, a shape below half of it, or a shape slower than c-blosc2. */
#include "bench.h"
#include "codec.h"
#include "kernels.h"
#include "nd_cells.h"
#include "nd_mean.h"
#include <math.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef HAVE_BLOSC2
#include <blosc2.h>
extern int ndcell_forward(const uint8_t *, uint8_t *, int32_t, uint8_t, blosc2_cparams *, uint8_t);
extern int ndcell_backward(const uint8_t *, uint8_t *, int32_t, uint8_t, blosc2_dparams *, uint8_t);
extern int ndmean_forward(const uint8_t *, uint8_t *, int32_t, uint8_t, blosc2_cparams *, uint8_t);
#endif

enum { ROUNDS = 7, SHORT_ROUNDS = 70, MOST = 80 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *t, size_t n)
{
    qsort(t, n, sizeof *t, by_value);
    return n % 2 ? t[n / 2] : (t[n / 2 - 1] + t[n / 2]) / 2;
}

/* --- what is timed ----------------------------------------------------------------------- */

struct work {
    int rank;
    size_t dims[4], side[4], elem, edge, nbytes;
    struct cel_cells cells;
    const struct cel_codec *codec;
    struct cel_words words;
    struct cel_shape shape;
    char *src, *dst, *other;
};

typedef void run_fn(struct work *w);

static void run_memcpy(struct work *w)
{
    memcpy(w->dst, w->src, w->nbytes);
}

static void run_gather(struct work *w)
{
    cel_cells_gather(&w->cells, w->src, w->dst);
}

static void run_scatter(struct work *w)
{
    cel_cells_scatter(&w->cells, w->src, w->dst);
}

static void run_shuffle(struct work *w)
{
    cel_shuffle(w->dst, w->src, w->nbytes / w->elem, w->elem);
}

static void run_fused(struct work *w)
{
    if (cel_cells_gather_planes(&w->cells, w->src, w->dst, w->elem))
        return;
    cel_cells_gather(&w->cells, w->src, w->other); /* as a chain does it then */
    cel_shuffle(w->dst, w->other, w->nbytes / w->elem, w->elem);
}

static void run_mean(struct work *w)
{
    struct cel_mean mean = {.is_double = w->elem == 8, .keeps_special = true};

    cel_mean_gather(&mean, w->rank, w->dims, w->side, w->src, w->dst);
}

static void run_encode(struct work *w)
{
    struct cel_coding coding = {.codec = w->codec, .words = &w->words, .shape = &w->shape};
    size_t len;

    w->codec->encode(&coding, w->src, w->nbytes, w->dst, w->nbytes, &len);
}

static void run_decode(struct work *w)
{
    struct cel_coding coding = {.codec = w->codec, .words = &w->words, .shape = &w->shape};
    size_t len;

    w->codec->decode(&coding, w->src, w->nbytes, w->dst, w->nbytes, &len);
}

#ifdef HAVE_BLOSC2
/* A super-chunk that has nothing but its layer. */
static void dress(const struct work *w, blosc2_schunk *s, blosc2_metalayer *layer, uint8_t *content)
{
    uint8_t *p = content;

    *p++ = 0x97, *p++ = 0, *p++ = (uint8_t)w->rank;
    for (int list = 0; list < 3; list++) {
        *p++ = (uint8_t)(0x90 + w->rank);
        for (int d = 0; d < w->rank; d++) {
            int bytes = list == 0 ? 8 : 4;
            *p++ = list == 0 ? 0xd3 : 0xd2;
            for (int i = bytes; i-- > 0;)
                *p++ = (uint8_t)(w->dims[d] >> 8 * i);
        }
    }
    memcpy(p, "\0\xdb\0\0\0\3|u1", 9);
    *layer = (blosc2_metalayer){(char *)"b2nd", content, (int32_t)(p + 9 - content)};
    memset(s, 0, sizeof *s);
    s->typesize = (int32_t)w->elem;
    s->metalayers[0] = layer;
    s->nmetalayers = 1;
}

#define THEIRS(name, function, params, ...) \
    static void name(struct work *w) \
    { \
        blosc2_metalayer layer; \
        blosc2_schunk s; \
        uint8_t content[256]; \
        params p = {__VA_ARGS__.schunk = &s}; \
        dress(w, &s, &layer, content); \
        if (function((uint8_t *)w->src, (uint8_t *)w->dst, (int32_t)w->nbytes, (uint8_t)w->edge, &p, 32) != 0) \
            printf("c-blosc2 refuses\n"), exit(2); \
    }
THEIRS(their_gather, ndcell_forward, blosc2_cparams, .typesize = (int32_t)w->elem, )
THEIRS(their_scatter, ndcell_backward, blosc2_dparams, )
THEIRS(their_mean, ndmean_forward, blosc2_cparams, .typesize = (int32_t)w->elem, )
#else
#define their_gather NULL
#define their_scatter NULL
#define their_mean NULL
#endif

/* --- shapes: whole rows of 64 bytes, ragged, in the cache ----------------------------------- */

struct size {
    int rank;
    size_t dims[4];
};
static const struct size large[] = {{2, {4096, 1024}},   {2, {2048, 2048}},    {2, {1024, 8192}},
                                    {3, {64, 256, 256}}, {3, {128, 192, 320}}, {4, {16, 32, 64, 128}}};
static const struct size ragged[] = {
    {2, {2047, 2049}}, {2, {4001, 1003}}, {3, {125, 255, 255}}, {3, {61, 303, 219}}, {4, {17, 33, 65, 127}}};
static const struct size cached[] = {
    {2, {256, 256}}, {2, {128, 512}}, {3, {32, 32, 64}}, {3, {16, 64, 64}}, {4, {8, 16, 16, 32}}};

enum shapes { LARGE, RAGGED, CACHED };
static const struct {
    const struct size *size;
    size_t n;
} lists[] = {{large, 6}, {ragged, 5}, {cached, 5}};

static const struct row {
    const char *name;
    run_fn *ours, *base, *theirs;
    enum shapes shapes;
    size_t elem[4], edge[2];
    const char *codec;
    double bar, aim, times; /* of base; times: as fast as c-blosc2, in the median */
} rows[] = {
    {"ndcell forward, 4 and 8 bytes", run_gather, run_memcpy, their_gather, LARGE, {4, 8}, {4, 8}, NULL, 0.75, 0.9, 1},
    {"ndcell backward, 4 and 8 bytes",
     run_scatter,
     run_memcpy,
     their_scatter,
     LARGE,
     {4, 8},
     {4, 8},
     NULL,
     0.75,
     0.9,
     1},
    {"ndcell forward, 1 and 2 bytes", run_gather, run_memcpy, their_gather, LARGE, {1, 2}, {4, 8}, NULL, 0.5, 0.75, 1},
    {"ndcell backward, 1 and 2 bytes",
     run_scatter,
     run_memcpy,
     their_scatter,
     LARGE,
     {1, 2},
     {4, 8},
     NULL,
     0.5,
     0.75,
     1},
    {"ndcell forward, ragged", run_gather, run_memcpy, their_gather, RAGGED, {1, 2, 4, 8}, {4, 8}, NULL, 0.4, 0.6, 1},
    {"ndcell backward, ragged",
     run_scatter,
     run_memcpy,
     their_scatter,
     RAGGED,
     {1, 2, 4, 8},
     {4, 8},
     NULL,
     0.4,
     0.6,
     1},
    {"ndcell forward, in cache", run_gather, run_memcpy, their_gather, CACHED, {4, 8}, {4, 8}, NULL, 0.45, 0.7, 8},
    {"ndcell backward, in cache", run_scatter, run_memcpy, their_scatter, CACHED, {4, 8}, {4, 8}, NULL, 0.45, 0.7, 8},
    {"ndmean forward", run_mean, run_memcpy, their_mean, LARGE, {4, 8}, {4, 8}, NULL, 0.4, 0.6, 1},
    {"ndcell + shuffle, of shuffle", run_fused, run_shuffle, NULL, LARGE, {2, 4, 8}, {4, 8}, NULL, 0.8, 1, 0},
    {"the same in cache", run_fused, run_shuffle, NULL, CACHED, {2, 4, 8}, {4, 8}, NULL, 0.8, 1, 0},
    {"ndlorenzo encode", run_encode, run_memcpy, NULL, LARGE, {1, 2, 4, 8}, {1}, "ndlorenzo", 0.3, 0.3, 0},
    {"ndlorenzo decode", run_decode, run_memcpy, NULL, LARGE, {1, 2, 4, 8}, {1}, "ndlorenzo", 0.3, 0.3, 0},
};

/* Elements of 4 bytes make the size named; smaller ones get a longer first axis, so that
 * 16 to 64 MiB are moved in every case; in cache always 256 KiB. */
static void fit(struct work *w, const struct row *row, const struct size *size, size_t elem, size_t edge)
{
    *w = (struct work){.rank = size->rank, .elem = elem, .edge = edge, .nbytes = elem};
    for (int d = 0; d < size->rank; d++) {
        w->dims[d] = size->dims[d];
        w->side[d] = edge;
    }
    if (row->shapes == CACHED)
        w->dims[0] = w->dims[0] * 4 / elem;
    else
        w->dims[0] = elem < 4 ? w->dims[0] * 4 / elem : w->dims[0];
    for (int d = 0; d < w->rank; d++)
        w->nbytes *= w->dims[d];
    if (row->codec) {
        w->codec = cel_codec_by_name(row->codec, strlen(row->codec));
        w->shape = (struct cel_shape){
            .elem_size = elem, .kind = elem < 4 ? CEL_KIND_INT : CEL_KIND_FLOAT, .rank = w->rank, .nbytes = w->nbytes};
        memcpy(w->shape.dims, w->dims, sizeof w->dims);
        w->codec->prepare(w->codec, &w->words, &w->shape, &w->words);
    }
    cel_cells_init(&w->cells, w->rank, w->dims, w->side, elem);
}

static void fill(struct work *w)
{
    size_t room = (w->nbytes + 4095) / 4096 * 4096;

    w->src = aligned_alloc(4096, room);
    w->dst = aligned_alloc(4096, room);
    w->other = aligned_alloc(4096, room);
    for (size_t i = 0; i + 4 <= w->nbytes; i += 4) {
        float f = 280 + sinf((float)(i % 40000) / 4000);
        memcpy(w->src + i, &f, 4);
    }
    memset(w->dst, 1, room);
    memset(w->other, 1, room);
}

static double time_of(run_fn *run, struct work *w, size_t repeat)
{
    double start = now();

    for (size_t i = 0; i < repeat; i++)
        run(w);
    return now() - start;
}

/* Ratios: base / ours, and theirs / ours (0: no c-blosc2). */
static void measure(const struct row *row, struct work *w, double *ratio, double *times)
{
    double ours[SHORT_ROUNDS], base[SHORT_ROUNDS], theirs[3];
    size_t repeat = row->shapes == CACHED ? 20 : 1; /* short turns: on a busy machine few of them are disturbed */
    int rounds = row->shapes == CACHED ? SHORT_ROUNDS : ROUNDS;

    fill(w);
    row->ours(w);
    for (int i = 0; i < rounds; i++) {
        base[i] = time_of(row->base, w, repeat);
        ours[i] = time_of(row->ours, w, repeat);
    }
    for (int i = 0; row->theirs && i < 3; i++)
        theirs[i] = time_of(row->theirs, w, repeat);
    *ratio = median(base, rounds) / median(ours, rounds);
    *times = row->theirs ? median(theirs, 3) / median(ours, rounds) : 0;
    free(w->src);
    free(w->dst);
    free(w->other);
}

static bool run_row(const struct row *row, bool verbose)
{
    double ratio[MOST], times[MOST], least = 1e9, slowest = 1e9, middle, faster;
    bool holds;
    size_t n = 0;

    for (size_t i = 0; i < lists[row->shapes].n; i++)
        for (int e = 0; e < 4 && row->elem[e]; e++)
            for (int c = 0; c < 2 && row->edge[c]; c++, n++) {
                struct work w;
                fit(&w, row, &lists[row->shapes].size[i], row->elem[e], row->edge[c]);
                measure(row, &w, &ratio[n], &times[n]);
                least = ratio[n] < least ? ratio[n] : least;
                slowest = times[n] < slowest ? times[n] : slowest;
                if (verbose)
                    printf("    %zu x%zu x%zu x%zu  element %zu  cell %zu: %.2f, %.1f times c-blosc2\n", w.dims[0],
                           w.dims[1], w.dims[2], w.dims[3], w.elem, w.edge, ratio[n], times[n]);
            }
    middle = median(ratio, n);
    faster = median(times, n);
    holds = middle >= row->bar && least >= row->bar / 2 && (!row->theirs || (faster >= row->times && slowest >= 1));
    printf("%-32s %3zu shapes  median %.2f  least %.2f  (must %.2f, aim %.2f)", row->name, n, middle, least, row->bar,
           row->aim);
    if (row->theirs)
        printf("  %.1f times c-blosc2, least %.1f", faster, slowest);
    printf("  %s\n", !holds ? "MISSED" : middle >= row->aim ? "holds, aim reached" : "holds");
    fflush(stdout);
    return holds;
}

static bool is_wanted(const struct row *row, int argc, char **argv)
{
    bool any = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0)
            continue;
        any = true;
        if (strstr(row->name, argv[i]))
            return true;
    }
    return !any;
}

int main(int argc, char **argv)
{
    bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    int missed = 0;

#ifndef HAVE_BLOSC2
    printf(
        "NOT RUN: the comparison with c-blosc2; there is no libblosc2.a (scripts/peers.sh .venv-peers fetches one)\n");
#endif
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_wanted(&rows[i], argc, argv))
            missed += !run_row(&rows[i], verbose);
    return missed > 0;
}
