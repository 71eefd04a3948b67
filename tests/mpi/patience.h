/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PATIENCE_H
#define PATIENCE_H

/* No call takes longer than PROMPT seconds, and none waits for ever. A thread counts moments of its own sleep, which stand
 * still where the process does (a machine that is frozen, a debugger). A call that took longer than PROMPT by that clock is late if
 * processors were idle for as long: then it was nobody's work that it waited for. HANG seconds end the program. */

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PROMPT = 10, HANG = 120, MOMENTS = 100 /* in a second */ };

static struct {
    const char *what; /* NULL: nobody waits */
    _Atomic long moment;
    _Atomic long since;
    double idle_since;
    long worst; /* moments */
    int late;
} patience;

static void *count_moments(void *unused)
{
    (void)unused;
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000000 / MOMENTS}, NULL);
        patience.moment++;
        if (patience.since && patience.moment - patience.since > (long)HANG * MOMENTS) {
            if (write(STDERR_FILENO, patience.what, strlen(patience.what)) < 0 ||
                write(STDERR_FILENO, ": a rank waits\n", 15) < 0)
                _exit(4);
            _exit(3);
        }
    }
    return NULL;
}

/* Seconds that processors had nothing to do, all together. */
static double idle_seconds(void)
{
    unsigned long long user, nice, system, idle = 0, waiting = 0;
    FILE *stat = fopen("/proc/stat", "r");

    if (stat && fscanf(stat, "cpu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &waiting) != 5)
        idle = waiting = 0;
    if (stat)
        fclose(stat);
    return (double)(idle + waiting) / (double)sysconf(_SC_CLK_TCK);
}

static void patience_begin(const char *what)
{
    static int started;
    pthread_t thread;

    if (!started) {
        started = 1;
        patience.moment = 1;
        pthread_create(&thread, NULL, count_moments, NULL);
    }
    patience.what = what;
    patience.idle_since = idle_seconds();
    patience.since = patience.moment;
}

/* true: it was late. */
static int patience_end(void)
{
    long took = patience.moment - patience.since;
    int late = took > (long)PROMPT * MOMENTS && idle_seconds() - patience.idle_since > PROMPT;

    patience.since = 0;
    patience.worst = took > patience.worst ? took : patience.worst;
    patience.late += late;
    return late;
}

/* Of all ranks, in seconds. */
static double patience_worst(void)
{
    double mine = (double)patience.worst / MOMENTS, all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

#endif
