/* SPDX-License-Identifier: BSD-3-Clause */
/* The hand-written loops and deflate, against what libhdf5 and zlib do, side by side
 * in one run: bench_codec [NAME:ELEMENT_SIZE:RAW_FILE ...]
 *
 * Each row takes turns, seven rounds, on chunks of 0.5 MB that are in the cache, as they
 * are between two steps of a chain; what counts is the ratio of the medians of processor
 * time. Exit code 1 when a promised ratio is missed. */
#include "bench.h"
#include "codec.h"
#include "kernels.h"
#include <hdf5.h>
#include <libdeflate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

/* libhdf5's own filter classes and checksum; it exports them, its headers do not. */
extern const H5Z_class2_t H5Z_SHUFFLE[1];
extern uint32_t H5_checksum_fletcher32(const void *data, size_t n);

#define ROUNDS 7
#define CHUNK 524288

static double cpu_now(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *t)
{
    qsort(t, ROUNDS, sizeof *t, by_value);
    return t[ROUNDS / 2];
}

static int missed;

static void judge(double ratio, double promised)
{
    printf("%5.2fx", ratio);
    if (promised > 0)
        printf("  (promised %.1fx%s)", promised, ratio >= promised ? "" : ", MISSED");
    printf("\n");
    missed += promised > 0 && ratio < promised;
}

/* Gives the ratio. */
static double report(const char *what, const char *field, size_t nbytes, double *theirs, double *ours, double promised)
{
    double a = median(theirs), b = median(ours), mb = (double)nbytes / 1e6;

    printf("%-22s %-18s %8.0f %8.0f  ", what, field, mb / a, mb / b);
    judge(a / b, promised);
    return a / b;
}

/* Ratios of the same row for several fields: what is promised for reading deflate is their
 * geometric mean, over the synthetic and over the real fields, as for the rows of run_bench.py. */
struct mean {
    double logs;
    int n;
};
static struct mean inflate_means[2]; /* synthetic, real */

static void report_mean(const char *what, const struct mean *m, double promised)
{
    if (m->n == 0)
        return;
    printf("%-60s", what);
    judge(exp(m->logs / m->n), promised);
}

/* --- fields --------------------------------------------------------------------------- */
struct field {
    char name[64];
    bool is_real;
    size_t size, nbytes;
    unsigned char *elements, *planes;
};

static void finish(struct field *f)
{
    f->planes = malloc(f->nbytes);
    for (size_t at = 0; at < f->nbytes; at += CHUNK) {
        size_t n = f->nbytes - at < CHUNK ? f->nbytes - at : CHUNK;

        cel_shuffle(f->planes + at, f->elements + at, n / f->size, f->size);
    }
}

static struct field synthetic(const char *name, size_t size)
{
    struct field f = {.size = size, .nbytes = 8 * CHUNK};
    uint64_t seed = 5;

    snprintf(f.name, sizeof f.name, "%s", name);
    f.elements = malloc(f.nbytes);
    for (size_t i = 0; i < f.nbytes / size; i++) {
        double v;
        float s;
        int16_t h;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        v = 280 + 20 * sin((double)(i % 1440) / 200) * cos((double)(i / 1440) / 300) + 1e-11 * (double)(seed >> 32);
        s = (float)v;
        h = (int16_t)((v - 273) * 100);
        memcpy(f.elements + i * size, size == 8 ? (void *)&v : size == 4 ? (void *)&s : (void *)&h, size);
    }
    finish(&f);
    return f;
}

static int from_file(const char *arg, struct field *f)
{
    char path[1024];
    FILE *in;

    *f = (struct field){.is_real = true};
    if (sscanf(arg, "%63[^:]:%zu:%1023s", f->name, &f->size, path) != 3 || !(in = fopen(path, "rb")))
        return 0;
    f->elements = malloc(16 * CHUNK);
    f->nbytes = fread(f->elements, 1, 16 * CHUNK, in) / CHUNK * CHUNK;
    fclose(in);
    if (f->nbytes == 0)
        return 0;
    finish(f);
    return 1;
}

/* --- rows ------------------------------------------------------------------------------- */
static void bench_shuffle(const struct field *f, int reverse)
{
    double theirs[ROUNDS], ours[ROUNDS];
    unsigned words[] = {(unsigned)f->size};
    unsigned char *out = malloc(CHUNK);

    for (int r = 0; r < ROUNDS; r++) {
        theirs[r] = ours[r] = 0;
        for (size_t at = 0; at < f->nbytes; at += CHUNK) {
            const unsigned char *src = (reverse ? f->planes : f->elements) + at;
            void *buf = H5allocate_memory(CHUNK, 0);
            size_t size = CHUNK;
            double t;

            memcpy(buf, src, CHUNK);
            t = cpu_now();
            H5Z_SHUFFLE->filter(reverse ? H5Z_FLAG_REVERSE : 0, 1, words, CHUNK, &size, &buf);
            theirs[r] += cpu_now() - t;
            H5free_memory(buf);
            memcpy(out, src, CHUNK);
            t = cpu_now();
            if (reverse)
                cel_unshuffle(out, src, CHUNK / f->size, f->size);
            else
                cel_shuffle(out, src, CHUNK / f->size, f->size);
            ours[r] += cpu_now() - t;
        }
    }
    report(reverse ? "unshuffle" : "shuffle", f->name, f->nbytes, theirs, ours, 3);
    free(out);
}

static uint32_t hdf5_fletcher32(uint32_t unused, const void *src, size_t n)
{
    return H5_checksum_fletcher32(src, n);
}

static uint32_t our_fletcher32(uint32_t unused, const void *src, size_t n)
{
    return cel_fletcher32(src, n);
}

static void time_sum(cel_sum_fn *sum, const unsigned char *src, double *spent)
{
    double t = cpu_now();
    volatile uint32_t sink = sum(0, src, CHUNK);

    *spent += cpu_now() - t;
    (void)sink;
}

static void bench_sum(const struct field *f, const char *what, cel_sum_fn *theirs, cel_sum_fn *ours)
{
    double spent[2][ROUNDS] = {{0}};
    unsigned char *work = malloc(CHUNK);

    for (int r = 0; r < ROUNDS; r++)
        for (size_t at = 0; at < f->nbytes; at += CHUNK) {
            memcpy(work, f->elements + at, CHUNK);
            time_sum(theirs, work, &spent[0][r]);
            time_sum(ours, work, &spent[1][r]);
        }
    report(what, f->name, f->nbytes, spent[0], spent[1], 3);
    free(work);
}

static void bench_sums(const struct field *f)
{
    const struct cel_sum_kernel *portable = cel_crc32c_kernels;

    while (strcmp(portable->name, "portable") != 0)
        portable++;
    bench_sum(f, "fletcher32", hdf5_fletcher32, our_fletcher32);
    bench_sum(f, "crc32c (our table)", portable->sum, cel_crc32c);
}

/* One chunk after the other through our codec; gives the compressed size. */
static size_t encode_all(const struct cel_coding *coding, const struct field *f, unsigned char *dst, size_t cap,
                         size_t *lens)
{
    size_t total = 0;

    for (size_t at = 0; at < f->nbytes; at += CHUNK) {
        coding->codec->encode(coding, f->planes + at, CHUNK, dst + total, cap, &lens[at / CHUNK]);
        total += lens[at / CHUNK];
    }
    return total;
}

static void bench_deflate(const struct field *f, unsigned level)
{
    double theirs_w[ROUNDS], ours_w[ROUNDS], theirs_r[ROUNDS], ours_r[ROUNDS];
    struct cel_words words = {.n = 1, .w = {level}};
    struct cel_coding coding = {.codec = cel_codec_by_id(1), .words = &words, .planes = f->size};
    size_t chunks = f->nbytes / CHUNK, cap = compressBound(CHUNK) + coding.codec->bound(&coding, CHUNK), sizes[2];
    size_t *lens[2] = {calloc(chunks, sizeof(size_t)), calloc(chunks, sizeof(size_t))};
    unsigned char *packed[2] = {malloc(chunks * cap), malloc(chunks * cap)}, *back = malloc(CHUNK);
    struct libdeflate_compressor *plain = libdeflate_alloc_compressor((int)level);
    size_t plain_size = 0;
    char what[40];

    coding.codec->make_context(&words, &coding.context);
    for (int r = 0; r < ROUNDS; r++) {
        double t = cpu_now();
        size_t total = 0, c;

        for (c = 0; c < chunks; c++) {
            uLongf len = cap;

            compress2(packed[0] + total, &len, f->planes + c * CHUNK, CHUNK, (int)level);
            lens[0][c] = len;
            total += len;
        }
        sizes[0] = total;
        theirs_w[r] = cpu_now() - t;
        t = cpu_now();
        sizes[1] = encode_all(&coding, f, packed[1], cap, lens[1]);
        ours_w[r] = cpu_now() - t;
        t = cpu_now(); /* both read what zlib wrote */
        for (c = total = 0; c < chunks; total += lens[0][c++]) {
            uLongf len = CHUNK;

            uncompress(back, &len, packed[0] + total, lens[0][c]);
        }
        theirs_r[r] = cpu_now() - t;
        t = cpu_now();
        for (c = total = 0; c < chunks; total += lens[0][c++]) {
            size_t len;

            coding.codec->decode(&coding, packed[0] + total, lens[0][c], back, CHUNK, &len);
        }
        ours_r[r] = cpu_now() - t;
    }
    for (size_t at = 0; at < f->nbytes; at += CHUNK)
        plain_size += libdeflate_zlib_compress(plain, f->planes + at, CHUNK, packed[1], cap);
    snprintf(what, sizeof what, "deflate %u (zlib)", level);
    report(what, f->name, f->nbytes, theirs_w, ours_w, 0);
    printf("%-22s %-18s zlib %.4f, libdeflate alone %.4f, ours %.4f of the data\n", "", "",
           (double)sizes[0] / (double)f->nbytes, (double)plain_size / (double)f->nbytes,
           (double)sizes[1] / (double)f->nbytes);
    if ((double)sizes[1] > 1.005 * (double)plain_size) {
        printf("larger than libdeflate alone by more than half a per cent: MISSED\n");
        missed++;
    }
    inflate_means[f->is_real].logs += log(report("inflate (zlib)", f->name, f->nbytes, theirs_r, ours_r, 0));
    inflate_means[f->is_real].n++;
    coding.codec->free_context(coding.context);
    libdeflate_free_compressor(plain);
    for (int i = 0; i < 2; i++) {
        free(lens[i]);
        free(packed[i]);
    }
    free(back);
}

static void bench_field(struct field *f)
{
    bench_shuffle(f, 0);
    bench_shuffle(f, 1);
    bench_sums(f);
    bench_deflate(f, 1);
    bench_deflate(f, 5);
    free(f->elements);
    free(f->planes);
}

int main(int argc, char **argv)
{
    struct field f;

    printf("%-22s %-18s %8s %8s\n", "MB/s", "field", "theirs", "ours");
    f = synthetic("float32", 4);
    bench_field(&f);
    f = synthetic("float64", 8);
    bench_field(&f);
    f = synthetic("int16", 2);
    bench_field(&f);
    for (int i = 1; i < argc; i++)
        if (from_file(argv[i], &f))
            bench_field(&f);
        else
            printf("%s: not NAME:SIZE:FILE, or not readable\n", argv[i]);
    report_mean("inflate (zlib), mean of the synthetic fields", &inflate_means[0], 2);
    report_mean("inflate (zlib), mean of the real fields", &inflate_means[1], 2);
    printf("promises missed: %d\n", missed);
    return missed > 0;
}
