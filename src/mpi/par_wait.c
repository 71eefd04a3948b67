/* SPDX-License-Identifier: BSD-3-Clause */
/* Every MPI call that reaches other ranks is made here, and ranks wait for each other here. MPI polls without pause, which takes
 * the core from working threads of other ranks: if all cores of a machine are busy, that delays the very thing that is waited for.
 * So a rank polls briefly, as long as an answer may be under way, and then sleeps between polls.
 *
 * A call that fails goes to the error handler of the program's communicator, which by default ends the program. With
 * MPI_ERRORS_RETURN the dataset is cut off: it sends and receives nothing any more, what it would have received is zero, and the
 * next allreduce of a collective call returns the error. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ASK 200           /* times before the first sleep: about 0.1 ms */
#define SLEEP_FIRST 10000 /* ns; the system adds some 50000 */
#define SLEEP_MOST 200000
#define TELL ((size_t)1 << 30)  /* MPI counts in int */
#define PIECE ((size_t)4 << 20) /* of a message: as much can be thrown away at a time */

/* --- failures of MPI ---------------------------------------------------------------------------- */

/* Nobody goes on alone: to duplicate a communicator is to wait for all of its ranks. */
static int agree(MPI_Comm comm, bool ready)
{
    int mine = ready, all = 0;

    if (MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
        return cel_fail(NC_EINVAL, "MPI cannot use the communicator");
    if (all)
        return CEL_OK;
    return ready ? cel_fail(NC_ENOMEM, "another rank has no memory for the dataset") : NC_ENOMEM;
}

int cel_par_link_make(MPI_Comm comm, bool ready, struct cel_par_link **out)
{
    struct cel_par_link *link = cel_calloc(1, sizeof *link);
    int rc;

    if (link)
        link->thrown_away = cel_malloc(PIECE); /* nothing lies there before it is used */
    rc = agree(comm, ready && link && link->thrown_away);
    if (rc == CEL_OK && MPI_Comm_dup(comm, &link->comm) != MPI_SUCCESS)
        rc = cel_fail(NC_EINVAL, "MPI cannot duplicate the communicator");
    if (rc != CEL_OK) {
        if (link)
            free(link->thrown_away);
        free(link);
        link = NULL;
    } else {
        MPI_Comm_get_errhandler(link->comm, &link->handler);
        MPI_Comm_set_errhandler(link->comm, MPI_ERRORS_RETURN);
    }
    *out = link;
    return rc;
}

/* forget: its communicator stays, as freeing it would wait for ranks that do not come. */
void cel_par_link_free(struct cel_par_link *link, bool forget)
{
    if (!link)
        return;
    if (!cel_par_is_cut_off(link)) {
        MPI_Errhandler_free(&link->handler);
        if (!forget)
            MPI_Comm_free(&link->comm);
    }
    free(link->thrown_away);
    free(link);
}

bool cel_par_is_cut_off(struct cel_par_link *link)
{
    int ended = 0;

    if (!link->error)
        MPI_Finalized(&ended);
    if (ended)
        link->ended = link->error = 1;
    return link->error != 0;
}

int cel_par_fail_cut_off(const struct cel_par_link *link)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;

    if (link->ended)
        return cel_fail(NC_EINVAL, "MPI has ended, and with it what ranks share: call nc_close before MPI_Finalize");
    MPI_Error_string(link->error, text, &len);
    return cel_fail(NC_EIO, "a call of MPI failed (%s): the dataset can only be closed now", text);
}

/* May something be sent? code: how a call ended. */
static bool check(const struct cel_par *par, int code)
{
    struct cel_par_link *link = par->link;

    if (code == MPI_SUCCESS || link->error)
        return !link->error;
    link->error = code;
    MPI_Comm_set_errhandler(link->comm, link->handler);
    MPI_Comm_call_errhandler(link->comm, code);
    return false;
}

static void clear(void *bytes, size_t n)
{
    if (n)
        memset(bytes, 0, n);
}

/* --- waiting -------------------------------------------------------------------------------------- */

static int test(MPI_Request *request, int *done)
{
    int code = MPI_Test(request, done, MPI_STATUS_IGNORE);

    *done = *done || code != MPI_SUCCESS;
    return code;
}

/* What was begun is waited for also where another call has failed: it may be the memory of the caller that it moves. */
static int finish(MPI_Request *request)
{
    struct timespec rest = {.tv_nsec = SLEEP_FIRST};
    int done = 0, code = MPI_SUCCESS;

    for (int i = 0; !done && i < ASK; i++)
        code = test(request, &done);
    while (!done) {
        nanosleep(&rest, NULL);
        rest.tv_nsec = rest.tv_nsec * 2 < SLEEP_MOST ? rest.tv_nsec * 2 : SLEEP_MOST;
        code = test(request, &done);
    }
    return code;
}

bool cel_par_wait(const struct cel_par *par, int begun, MPI_Request *request)
{
    return check(par, begun) && check(par, finish(request));
}

/* --- all ranks ------------------------------------------------------------------------------------- */

void cel_par_least(const struct cel_par *par, const int64_t *mine, int64_t *all, int n)
{
    MPI_Request request;

    if (!check(par, MPI_SUCCESS) ||
        !cel_par_wait(par, MPI_Iallreduce(mine, all, n, MPI_INT64_T, MPI_MIN, par->link->comm, &request), &request))
        memset(all, 0, (size_t)n * sizeof *all);
}

void cel_par_barrier(const struct cel_par *par)
{
    MPI_Request request;

    if (check(par, MPI_SUCCESS))
        cel_par_wait(par, MPI_Ibarrier(par->link->comm, &request), &request);
}

void cel_par_tell(const struct cel_par *par, int from, void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += TELL) {
        char *piece = (char *)bytes + at;
        size_t len = n - at < TELL ? n - at : TELL;
        MPI_Request request;

        if (!check(par, MPI_SUCCESS) ||
            !cel_par_wait(par, MPI_Ibcast(piece, (int)len, MPI_BYTE, from, par->link->comm, &request), &request))
            clear(piece, par->rank == from ? 0 : len);
    }
}

void cel_par_gather(const struct cel_par *par, const void *mine, void *all, size_t n)
{
    MPI_Request request;

    if (!check(par, MPI_SUCCESS) ||
        !cel_par_wait(par, MPI_Igather(mine, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, 0, par->link->comm, &request),
                      &request))
        clear(all, par->rank == 0 ? n * (size_t)par->size : 0);
}

void cel_par_scatter(const struct cel_par *par, const void *all, void *mine, size_t n)
{
    MPI_Request request;

    if (!check(par, MPI_SUCCESS) ||
        !cel_par_wait(par, MPI_Iscatter(all, (int)n, MPI_BYTE, mine, (int)n, MPI_BYTE, 0, par->link->comm, &request),
                      &request))
        memset(mine, 0, n);
}

static bool find_first_near(const struct cel_par *par, int *first)
{
    MPI_Comm near;

    *first = par->rank;
    if (!check(par, MPI_SUCCESS) ||
        !check(par, MPI_Comm_split_type(par->link->comm, MPI_COMM_TYPE_SHARED, par->rank, MPI_INFO_NULL, &near)))
        return false;
    return check(par, MPI_Bcast(first, 1, MPI_INT, 0, near)) && check(par, MPI_Comm_free(&near));
}

/* Without memory for it all ranks count as on one machine: nothing but speed depends on it. */
void cel_par_learn_nodes(struct cel_par *par)
{
    struct cel_status before;
    int first, made;

    if (par->nodes_known)
        return;
    par->nodes_known = true;
    cel_status_save(&before);
    par->node = par->rank == 0 ? cel_malloc_array((size_t)par->size, sizeof *par->node) : NULL;
    cel_status_restore(&before);
    made = par->node != NULL;
    cel_par_tell(par, 0, &made, sizeof made);
    if (made && find_first_near(par, &first))
        cel_par_gather(par, &first, par->node, sizeof first);
}

/* --- one rank and another --------------------------------------------------------------------------- */

MPI_Request *cel_par_send_start(const struct cel_par *par, int to, enum cel_par_tag tag, const void *bytes, size_t n,
                                MPI_Request *request)
{
    for (size_t at = 0; at < n; at += PIECE, request++) {
        *request = MPI_REQUEST_NULL;
        if (check(par, MPI_SUCCESS))
            check(par, MPI_Isend((const char *)bytes + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_BYTE, to,
                                 (int)tag, par->link->comm, request));
    }
    return request;
}

MPI_Request *cel_par_receive_start(const struct cel_par *par, int from, enum cel_par_tag tag, void *bytes, size_t n,
                                   MPI_Request *request)
{
    for (size_t at = 0; at < n; at += PIECE, request++) {
        *request = MPI_REQUEST_NULL;
        if (check(par, MPI_SUCCESS))
            check(par, MPI_Irecv((char *)bytes + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_BYTE, from, (int)tag,
                                 par->link->comm, request));
    }
    return request;
}

size_t cel_par_requests_of(size_t n)
{
    return (n + PIECE - 1) / PIECE;
}

void cel_par_finish(const struct cel_par *par, MPI_Request *request, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (request[i] != MPI_REQUEST_NULL)
            check(par, finish(&request[i]));
}

void cel_par_send(const struct cel_par *par, int to, const void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += PIECE) {
        MPI_Request request;

        cel_par_send_start(par, to, CEL_PAR_TAG, (const char *)bytes + at, n - at < PIECE ? n - at : PIECE, &request);
        cel_par_finish(par, &request, 1);
    }
}

void cel_par_receive(const struct cel_par *par, int from, void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += PIECE) {
        MPI_Request request;

        cel_par_receive_start(par, from, CEL_PAR_TAG, (char *)bytes + at, n - at < PIECE ? n - at : PIECE, &request);
        cel_par_finish(par, &request, 1);
    }
    if (par->link->error)
        clear(bytes, n);
}

/* The sender must not wait for ever because there is no memory here. */
static int throw_away(const struct cel_par *par, int from, size_t n)
{
    for (size_t at = 0; at < n; at += PIECE)
        cel_par_receive(par, from, par->link->thrown_away, n - at < PIECE ? n - at : PIECE);
    return NC_ENOMEM;
}

int cel_par_receive_new(const struct cel_par *par, int from, size_t n, void **out)
{
    *out = cel_malloc(n ? n : 1);
    if (!*out)
        return throw_away(par, from, n);
    cel_par_receive(par, from, *out, n);
    return par->link->error ? cel_par_fail_cut_off(par->link) : CEL_OK;
}
