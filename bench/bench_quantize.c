/* SPDX-License-Identifier: BSD-3-Clause */
/* What quantizing costs: one field put by nc_put_vara_float() with every mode in turn,
 * and with none, timed from create to close. The same source is compiled twice: against
 * Cellar and against the installed netCDF-C. Prints one line of JSON: by mode, pairs of
 * seconds on the clock and seconds of CPU time (which a busy machine disturbs less).
 *
 *   bench_quantize_X FILE ROUNDS */
#include "bench.h"
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const size_t shape[3] = {32, 721, 1440}, chunk[3] = {8, 103, 180};

static const struct {
    const char *name;
    int mode, digits;
} settings[] = {
    {"none", NC_NOQUANTIZE, 0},
    {"bitgroom3", NC_QUANTIZE_BITGROOM, 3},
    {"granular3", NC_QUANTIZE_GRANULARBR, 3},
    {"bitround9", NC_QUANTIZE_BITROUND, 9},
};
enum { NSETTINGS = sizeof settings / sizeof *settings };

struct seconds {
    double wall, cpu;
};

/* Temperatures: smooth in space, with noise in the low digits. */
static float *make_field(void)
{
    size_t n = shape[0] * shape[1] * shape[2];
    float *field = malloc(n * sizeof *field);
    unsigned noise = 1;

    for (size_t i = 0; field && i < n; i++) {
        noise = noise * 1664525u + 1013904223u;
        field[i] = (float)(270 + 30 * sin((double)(i % 1440) * 0.004) * cos((double)(i / 1440 % 721) * 0.004)) +
                   (float)(noise >> 8) * 3e-8f;
    }
    return field;
}

static struct seconds put(const char *path, int mode, int digits, const float *field)
{
    static const char *const names[3] = {"time", "lat", "lon"};
    size_t start[3] = {0};
    int nc, dim[3], var;
    struct seconds began = {seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID)};

    check(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc), path);
    for (int d = 0; d < 3; d++)
        check(nc_def_dim(nc, names[d], shape[d], &dim[d]), "dimension");
    check(nc_def_var(nc, "t", NC_FLOAT, 3, dim, &var), "variable");
    check(nc_def_var_chunking(nc, var, NC_CHUNKED, chunk), "chunking");
    if (mode)
        check(nc_def_var_quantize(nc, var, mode, digits), "quantize");
    check(nc_put_vara_float(nc, var, start, shape, field), "put");
    check(nc_close(nc), "close");
    return (struct seconds){seconds_of(CLOCK_MONOTONIC) - began.wall, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - began.cpu};
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    struct seconds seconds[NSETTINGS][100];
    float *field = make_field();

    if (argc < 2 || rounds < 1 || rounds > 100 || !field) {
        fprintf(stderr, "usage: %s FILE [ROUNDS, 1 to 100]\n", argv[0]);
        return 2;
    }
    for (int r = -1; r < rounds; r++) /* the first round warms up and does not count */
        for (int s = 0; s < NSETTINGS; s++)
            seconds[s][r < 0 ? 0 : r] = put(argv[1], settings[s].mode, settings[s].digits, field);
    for (int s = 0; s < NSETTINGS; s++) {
        printf("%s\"%s\": [", s ? ", " : "{", settings[s].name);
        for (int r = 0; r < rounds; r++)
            printf("%s[%.6f, %.6f]", r ? ", " : "", seconds[s][r].wall, seconds[s][r].cpu);
        printf("]");
    }
    puts("}");
    remove(argv[1]);
    free(field);
    return 0;
}
