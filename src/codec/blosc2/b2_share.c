/* SPDX-License-Identifier: BSD-3-Clause */
/* The calling thread works with what its codec has; another keeps a work of its own from one call to the next, so that
 * memory grows with the threads and not with the chunks that they work on. */
#include "b2_share.h"
#include "b2_work.h"
#include "codec.h"
#include "status.h"
#include <netcdf.h>
#include <pthread.h>

#define SHARED_BYTES ((size_t)128 << 10) /* fewer are decoded in about the time that another thread takes to begin */
#define KEPT_BYTES ((size_t)4 << 20)     /* of a buffer that is kept */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t own; /* this thread's work */
static bool has_own;      /* the key could be made */

static void free_own(void *work)
{
    cel_b2_work_free(work);
}

static void set_up(void)
{
    has_own = pthread_key_create(&own, free_own) == 0;
}

static struct cel_b2_work *take_own(void)
{
    struct cel_b2_work *work;

    pthread_once(&once, set_up);
    work = has_own ? pthread_getspecific(own) : NULL;
    if (work)
        pthread_setspecific(own, NULL);
    return work ? work : cel_b2_work_make();
}

static void give_own(struct cel_b2_work *work)
{
    bool is_large = work->cap > KEPT_BYTES || work->part_cap > KEPT_BYTES || work->fetched_cap > KEPT_BYTES;

    if (is_large || !has_own || pthread_setspecific(own, work) != 0)
        cel_b2_work_free(work);
}

struct shared {
    pthread_t caller;
    struct cel_b2_work *work; /* the caller's */
    cel_b2_block_fn *fn;
    const void *what;
};

static int run_piece(const void *p, size_t i)
{
    const struct shared *s = p;
    struct cel_b2_work *work;
    int rc;

    if (pthread_equal(s->caller, pthread_self()))
        return s->fn(s->what, s->work, i);
    work = take_own();
    if (!work)
        return cel_fail(NC_ENOMEM, "blosc2: no memory for another thread");
    rc = s->fn(s->what, work, i);
    give_own(work);
    return rc;
}

int cel_b2_each_block(struct cel_b2_work *work, size_t n, size_t nbytes, cel_b2_block_fn *fn, const void *what)
{
    struct shared s = {.caller = pthread_self(), .work = work, .fn = fn, .what = what};
    int rc = CEL_OK;

    if (work->share && n > 1 && nbytes >= SHARED_BYTES)
        return work->share(n, run_piece, &s);
    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        rc = fn(what, work, i);
    return rc;
}
