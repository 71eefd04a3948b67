/* SPDX-License-Identifier: BSD-3-Clause */
/* What every benchmark program needs: calls that must not fail, and the time. */
#ifndef CEL_BENCH_H
#define CEL_BENCH_H

#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void check(int rc, const char *what)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s\n", what, nc_strerror(rc));
    exit(1);
}

static inline double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

#endif
