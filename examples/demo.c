/* SPDX-License-Identifier: BSD-3-Clause */
/* What Cellar does, in one table: a sample field is made, compressed by nccopy with
 * several filter chains, read back and compared; sizes, speeds and largest errors
 * are measured in this run.
 *
 *   demo NCCOPY [FOLDER]   FOLDER: where the files go and stay (default: a new one under /tmp, removed at the end) */
#include <cellar.h>
#include <netcdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 24, LATS = 361, LONS = 720 };
#define NVALUES ((size_t)STEPS * LATS * LONS)

static const char *const chains[] = {
    "",
    "shuffle|deflate,level=1",
    "shuffle|deflate,level=5",
    "shuffle|zstd,level=3",
    "ndlorenzo|shuffle|zstd,level=3",
    "blosc,cname=lz4",
    "bitround,nsb=9|shuffle|zstd,level=3",
    "zfp,accuracy=0.01",
};

struct result {
    double megabytes, write_seconds, read_seconds, error;
};

static void check(int code, const char *what)
{
    if (code == NC_NOERR)
        return;
    fprintf(stderr, "demo: %s: %s (%s)\n", what, cellar_error(), nc_strerror(code));
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Temperature over a turning planet: smooth waves, a little weather, and the
 * noise in the last bits that every model output has. */
static void make_field(float *field)
{
    unsigned noise = 1;

    for (int t = 0; t < STEPS; t++)
        for (int y = 0; y < LATS; y++)
            for (int x = 0; x < LONS; x++) {
                double lat = (y - LATS / 2) * M_PI / LATS, lon = x * 2 * M_PI / LONS;
                double wave = 8 * sin(3 * lon + 0.3 * t) * cos(2 * lat) + 3 * sin(11 * lon - 0.5 * t) * cos(7 * lat);
                noise = noise * 1664525u + 1013904223u;
                *field++ = (float)(288 - 40 * sin(lat) * sin(lat) + wave + (noise >> 8) * (0.05 / (1 << 24)));
            }
}

static void write_sample(const char *path, const float *field)
{
    static const size_t chunks[] = {6, 91, 180};
    int ncid, dims[3], var;

    check(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid), "create");
    check(nc_def_dim(ncid, "time", STEPS, &dims[0]), "time");
    check(nc_def_dim(ncid, "lat", LATS, &dims[1]), "lat");
    check(nc_def_dim(ncid, "lon", LONS, &dims[2]), "lon");
    check(nc_def_var(ncid, "t2m", NC_FLOAT, 3, dims, &var), "t2m");
    check(nc_put_att_text(ncid, var, "units", 1, "K"), "units");
    check(nc_def_var_chunking(ncid, var, NC_CHUNKED, chunks), "chunks");
    check(nc_put_var_float(ncid, var, field), "write");
    check(nc_close(ncid), "close");
}

static void read_field(const char *path, float *field)
{
    int ncid, var;

    check(nc_open(path, NC_NOWRITE, &ncid), "open");
    check(nc_inq_varid(ncid, "t2m", &var), "t2m");
    check(nc_get_var_float(ncid, var, field), "read");
    check(nc_close(ncid), "close");
}

static double largest_error(const float *a, const float *b)
{
    double most = 0;

    for (size_t i = 0; i < NVALUES; i++)
        if (fabs((double)a[i] - b[i]) > most)
            most = fabs((double)a[i] - b[i]);
    return most;
}

static void compress(const char *nccopy, const char *chain, const char *sample, const char *path)
{
    char command[16384];

    snprintf(command, sizeof command, "'%s' -q -F 't2m,%s' '%s' '%s'", nccopy, *chain ? chain : "none", sample, path);
    if (system(command) != 0) {
        fprintf(stderr, "demo: this failed: %s\n", command);
        exit(1);
    }
}

static struct result try_chain(const char *nccopy, const char *chain, const char *sample, const char *path,
                               const float *field, float *back)
{
    struct result r;
    struct stat st;
    double start = now();

    compress(nccopy, chain, sample, path);
    r.write_seconds = now() - start;
    start = now();
    read_field(path, back);
    r.read_seconds = now() - start;
    r.error = largest_error(field, back);
    r.megabytes = stat(path, &st) == 0 ? (double)st.st_size / 1e6 : NAN;
    return r;
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/cellar-demo-XXXXXX", sample[4096], path[4096];
    const char *where = argc > 2 ? argv[2] : mkdtemp(folder);
    float *field = malloc(NVALUES * sizeof *field), *back = malloc(NVALUES * sizeof *back);
    double megabytes = NVALUES * sizeof *field / 1e6;

    if (argc < 2 || !where || !field || !back) {
        fprintf(stderr, "usage: demo NCCOPY [FOLDER]\n");
        return 1;
    }
    make_field(field);
    snprintf(sample, sizeof sample, "%s/sample.nc", where);
    write_sample(sample, field);
    printf("Cellar %s, %d thread%s. A field of %d x %d x %d floats, %.1f MB:\n\n", cellar_version(),
           cellar_get_threads(), cellar_get_threads() == 1 ? "" : "s", STEPS, LATS, LONS, megabytes);
    printf("  %-38s %7s %6s %11s %9s  %s\n", "nccopy -F 't2m,...'", "MB", "ratio", "nccopy MB/s", "read MB/s",
           "largest error");
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        struct result r;

        snprintf(path, sizeof path, "%s/%zu.nc", where, i);
        r = try_chain(argv[1], chains[i], sample, path, field, back);
        printf("  %-38s %7.2f %6.2f %11.0f %9.0f  ", *chains[i] ? chains[i] : "none", r.megabytes,
               megabytes / r.megabytes, megabytes / r.write_seconds, megabytes / r.read_seconds);
        printf(r.error > 0 ? "%.2g K\n" : "none, bit for bit\n", r.error);
        if (argc <= 2)
            unlink(path);
    }
    if (argc <= 2) {
        unlink(sample);
        rmdir(folder);
    } else {
        printf("\nThe files are in %s; ncdump, h5dump, h5py and xarray read them.\n", where);
    }
    free(field);
    free(back);
    return 0;
}
