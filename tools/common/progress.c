/* SPDX-License-Identifier: BSD-3-Clause */
/* At most five times a second, under a lock. */

#include "progress.h"
#include "safe.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    bool on, shown;
    unsigned long long total, done;
    double start, last;
} bar = {PTHREAD_MUTEX_INITIALIZER, false, false, 0, 0, 0, 0};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_start(bool quiet, unsigned long long total)
{
    bar.on = !quiet && isatty(STDERR_FILENO);
    bar.total = total;
    bar.done = 0;
    bar.start = bar.last = now();
}

void progress_grow(unsigned long long n)
{
    pthread_mutex_lock(&bar.lock);
    bar.total += n;
    pthread_mutex_unlock(&bar.lock);
}

static void show(double t, const char *name)
{
    double spent = t - bar.start, part = bar.total ? (double)bar.done / (double)bar.total : 0;
    double left = part > 0 ? spent / part - spent : 0;
    char *safe = safe_copy(name);

    bar.last = t;
    bar.shown = true;
    fprintf(stderr, "\r%3.0f %%  %6.0f MB/s  %d:%02d left  %-40.40s", 100 * part, (double)bar.done / 1e6 / spent,
            (int)left / 60, (int)left % 60, safe);
    fflush(stderr);
    free(safe);
}

void progress_add(unsigned long long done, const char *name)
{
    double t;

    if (!bar.on)
        return;
    pthread_mutex_lock(&bar.lock);
    bar.done += done;
    t = now();
    if (t - bar.last >= 0.2)
        show(t, name);
    pthread_mutex_unlock(&bar.lock);
}

void progress_pause(void)
{
    pthread_mutex_lock(&bar.lock);
    if (bar.shown)
        fprintf(stderr, "\r%78s\r", "");
    bar.shown = false;
    pthread_mutex_unlock(&bar.lock);
}

void progress_end(void)
{
    progress_pause();
    bar.on = false;
}
