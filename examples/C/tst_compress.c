/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression methods side by side: each compresses the same data through
 * nc_def_var_compress, reads it back and checks it, and gets a line of a table.
 *
 *   tst_compress [-d<n>] [-p<n>] [-r<x>] [-t<x>] [-l<n>] [-b<n>] [-h] [nozip|zip|szip|bzip2|fpzip|zfp ...]
 *
 * Speeds are of the whole way through the library, file included. */
#include <cellar.h>
#include <math.h>
#include <nc4compress.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_DIMS = 6, MAX_METHODS = 32 };

struct options {
    int ndims, precision, level, pixels;
    double rate, tolerance;
    const char *method[MAX_METHODS];
    int nmethods;
};

struct result {
    double ratio, write_rate, read_rate, error;
};

static const char usage_text[] =
    "tst_compress <options>\n"
    "where the options are:\n"
    "    [-d<int>] -- number of dimensions, 1 to 6 (default 4)\n"
    "    [-p<int>] -- precision (0: full) (fpzip, zfp only)\n"
    "    [-r<double>] -- rate (zfp only)\n"
    "    [-t<double>] -- tolerance (zfp only)\n"
    "    [-l<int>] -- level (zip, bzip2 only)\n"
    "    [-b<int>] -- pixels per block (szip only)\n"
    "    [-h] -- print this message\n"
    "    [nozip|zip|szip|bzip2|fpzip|zfp] -- the methods to test (may be repeated; default: all)\n";

static int usage(int code)
{
    fputs(usage_text, code ? stderr : stdout);
    return code;
}

/* --- options ------------------------------------------------------------------------ */

static int is_method(const char *name)
{
    static const char *const names[] = {"nozip", "zip", "szip", "bzip2", "fpzip", "zfp"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return 0;
}

static int read_number(const char *text, double least, double most, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end > text && !*end && *out >= least && *out <= most;
}

static int read_option(int letter, const char *text, struct options *o)
{
    double v;

    if (!read_number(text, 0, 1e300, &v))
        return 0;
    switch (letter) {
    case 'd':
        o->ndims = (int)v;
        return v >= 1 && v <= MAX_DIMS && v == o->ndims;
    case 'p':
        o->precision = (int)v;
        return v <= 128;
    case 'r':
        o->rate = v;
        return 1;
    case 't':
        o->tolerance = v;
        return 1;
    case 'l':
        o->level = (int)v;
        return v <= 9;
    default:
        o->pixels = (int)v;
        return v <= 32;
    }
}

/* 0: run, 1: wrong, 2: help was asked for. */
static int read_options(int argc, char **argv, struct options *o)
{
    static const char *const all[] = {"nozip", "zip", "szip", "bzip2", "fpzip", "zfp"};
    int letter;

    while ((letter = getopt(argc, argv, "d:p:r:t:l:b:h")) != -1) {
        if (letter == 'h')
            return 2;
        if (letter == '?' || !read_option(letter, optarg, o))
            return 1;
    }
    for (; optind < argc; optind++) {
        if (!is_method(argv[optind]) || o->nmethods == MAX_METHODS)
            return 1;
        o->method[o->nmethods++] = argv[optind];
    }
    for (size_t i = 0; o->nmethods == 0 || (i > 0 && i < 6); i++)
        o->method[o->nmethods++] = all[i];
    return 0;
}

/* --- data ------------------------------------------------------------------------------- */

/* A smooth field with small waves, about two million values in any number of dimensions. */
static size_t edge_of(int ndims)
{
    static const size_t edges[] = {0, 2000000, 1414, 126, 37, 18, 11};

    return edges[ndims];
}

static float *make_data(int ndims, size_t *n)
{
    size_t edge = edge_of(ndims);
    float *data;

    *n = 1;
    for (int d = 0; d < ndims; d++)
        *n *= edge;
    data = malloc(*n * sizeof *data);
    for (size_t i = 0; data && i < *n; i++) {
        double x = (double)(i % edge) / (double)edge, y = (double)(i / edge) / (double)(*n / edge);

        data[i] = (float)(280 + 20 * sin(6.28 * x) * cos(3.14 * y) + 0.5 * sin(97 * x + 31 * y));
    }
    return data;
}

/* --- one method ------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int report(const char *method, int code)
{
    fprintf(stderr, "tst_compress: %s: %s\n", method, cellar_error());
    return code;
}

static int set_method(int ncid, int varid, const char *method, const struct options *o)
{
    nc_compression_t c;
    int n;

    if (strcmp(method, "nozip") == 0)
        return NC_NOERR;
    if (strcmp(method, "zip") == 0)
        n = nc_compress_zip(&c, (unsigned)o->level);
    else if (strcmp(method, "bzip2") == 0)
        n = nc_compress_bzip2(&c, (unsigned)(o->level ? o->level : 1));
    else if (strcmp(method, "szip") == 0)
        n = nc_compress_szip(&c, 32, (unsigned)o->pixels);
    else if (strcmp(method, "fpzip") == 0)
        n = nc_compress_fpzip(&c, o->precision);
    else /* zfp takes one of the three */
        n = nc_compress_zfp(&c, o->rate > 0 || o->tolerance > 0 ? 0 : o->precision, o->rate > 0 ? o->rate : 0,
                            o->rate > 0 ? 0 : o->tolerance);
    return nc_def_var_compress(ncid, varid, method, n, c.params);
}

static int write_file(const char *path, const char *method, const struct options *o, const float *data)
{
    int ncid, varid, dims[MAX_DIMS], rc = nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid), end;
    size_t chunks[MAX_DIMS];
    char name[16];

    for (int d = 0; rc == NC_NOERR && d < o->ndims; d++) {
        snprintf(name, sizeof name, "d%d", d);
        rc = nc_def_dim(ncid, name, edge_of(o->ndims), &dims[d]);
        chunks[d] = (edge_of(o->ndims) + 1) / (o->ndims > 3 ? 1 : 2);
        if (chunks[d] > edge_of(o->ndims))
            chunks[d] = edge_of(o->ndims);
    }
    if (rc == NC_NOERR)
        rc = nc_def_var(ncid, "var", NC_FLOAT, o->ndims, dims, &varid);
    if (rc == NC_NOERR)
        rc = nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunks);
    if (rc == NC_NOERR)
        rc = set_method(ncid, varid, method, o);
    if (rc == NC_NOERR)
        rc = nc_put_var_float(ncid, varid, data);
    if (rc != NC_NOERR)
        return report(method, rc);
    end = nc_close(ncid);
    return end ? report(method, end) : rc;
}

static int read_file(const char *path, const char *method, float *back)
{
    int ncid, varid, rc = nc_open(path, NC_NOWRITE, &ncid);

    if (rc == NC_NOERR)
        rc = nc_inq_varid(ncid, "var", &varid);
    if (rc == NC_NOERR)
        rc = nc_get_var_float(ncid, varid, back);
    if (rc == NC_NOERR)
        rc = nc_close(ncid);
    return rc ? report(method, rc) : rc;
}

/* How far a method may be off; < 0: nobody promised. */
static double promised(const char *method, const struct options *o)
{
    if (strcmp(method, "fpzip") == 0)
        return o->precision ? -1 : 0;
    if (strcmp(method, "zfp") != 0)
        return 0;
    return o->rate > 0 ? -1 : o->tolerance > 0 ? o->tolerance : o->precision ? -1 : 0;
}

static int try_method(const char *method, const struct options *o, const float *data, size_t n, struct result *out)
{
    char path[64];
    float *back = malloc(n * sizeof *back);
    double start = now(), middle, end, megabytes = (double)n * sizeof *data / 1e6, most = promised(method, o);
    struct stat st;
    int rc;

    snprintf(path, sizeof path, "/tmp/tst_compress_%d.nc", (int)getpid());
    rc = back ? write_file(path, method, o, data) : NC_ENOMEM;
    middle = now();
    if (rc == NC_NOERR)
        rc = read_file(path, method, back);
    end = now();
    *out = (struct result){0};
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        out->error = fmax(out->error, fabs((double)back[i] - (double)data[i]));
    if (rc == NC_NOERR && stat(path, &st) == 0) {
        out->ratio = megabytes * 1e6 / (double)st.st_size;
        out->write_rate = megabytes / (middle - start);
        out->read_rate = megabytes / (end - middle);
    }
    unlink(path);
    free(back);
    if (rc == NC_NOERR && most >= 0 && out->error > most) {
        fprintf(stderr, "tst_compress: %s: an error of %g is more than %g\n", method, out->error, most);
        return 1;
    }
    return rc;
}

int main(int argc, char **argv)
{
    struct options o = {.ndims = 4, .level = 5, .pixels = 16};
    struct result r;
    size_t n;
    float *data;
    int answer = read_options(argc, argv, &o), failed = 0;

    if (answer)
        return usage(answer == 2 ? 0 : 1);
    data = make_data(o.ndims, &n);
    if (!data)
        return 1;
    printf("%zu floats in %d dimensions\n%-8s %8s %12s %12s %14s\n", n, o.ndims, "method", "ratio", "write MB/s",
           "read MB/s", "largest error");
    for (int i = 0; i < o.nmethods; i++) {
        if (try_method(o.method[i], &o, data, n, &r) != NC_NOERR) {
            failed = 1;
            continue;
        }
        printf("%-8s %8.2f %12.0f %12.0f %14.3g\n", o.method[i], r.ratio, r.write_rate, r.read_rate, r.error);
    }
    free(data);
    return failed;
}
