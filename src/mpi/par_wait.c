/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for other ranks. MPI polls without pause, which takes the core from working threads of other ranks: if all cores of a
 * machine are busy, that delays the very thing that is waited for. So a rank polls briefly, as long as an answer may be under
 * way, and then sleeps between polls. */
#include "par_int.h"
#include <time.h>

#define ASK 200           /* times before the first sleep: about 0.1 ms */
#define SLEEP_FIRST 10000 /* ns; the system adds some 50000 */
#define SLEEP_MOST 200000
#define PIECE ((size_t)1 << 30) /* MPI counts in int */

void cel_par_wait(MPI_Request *request)
{
    struct timespec rest = {.tv_nsec = SLEEP_FIRST};
    int done = 0;

    for (int i = 0; !done && i < ASK; i++)
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        nanosleep(&rest, NULL);
        rest.tv_nsec = rest.tv_nsec * 2 < SLEEP_MOST ? rest.tv_nsec * 2 : SLEEP_MOST;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
}

void cel_par_least(const struct cel_par *par, const int *mine, int *all, int n)
{
    MPI_Request request;

    MPI_Iallreduce(mine, all, n, MPI_INT, MPI_MIN, par->comm, &request);
    cel_par_wait(&request);
}

void cel_par_tell(const struct cel_par *par, int from, void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += PIECE) {
        MPI_Request request;

        MPI_Ibcast((char *)bytes + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_BYTE, from, par->comm, &request);
        cel_par_wait(&request);
    }
}

void cel_par_gather(const struct cel_par *par, const void *mine, void *all, size_t n)
{
    MPI_Request request;

    MPI_Igather(mine, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, 0, par->comm, &request);
    cel_par_wait(&request);
}

void cel_par_scatter(const struct cel_par *par, const void *all, void *mine, size_t n)
{
    MPI_Request request;

    MPI_Iscatter(all, (int)n, MPI_BYTE, mine, (int)n, MPI_BYTE, 0, par->comm, &request);
    cel_par_wait(&request);
}
