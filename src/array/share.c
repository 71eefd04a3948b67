/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets a codec decode the pieces of one chunk on several threads: idle threads take the next piece until there are no more. */
#include "array_int.h"
#include <netcdf.h>
#include <stdatomic.h>

#define TASKS 64

struct shared {
    cel_piece_fn *piece;
    const void *what;
    size_t n;
    atomic_size_t next;
    struct cel_mutex lock; /* guards `failure` */
    struct cel_first_failure failure;
};

struct taker {
    struct cel_task task; /* first: the pool hands it back */
    struct shared *shared;
};

/* After a failure no further piece is begun; those before it have been. */
static void note_failure(struct shared *s, size_t i, int rc)
{
    cel_lock(&s->lock);
    cel_first_failure_note_step(&s->failure, i, rc);
    cel_unlock(&s->lock);
    atomic_store(&s->next, s->n);
}

static void take_pieces(struct cel_task *task)
{
    struct shared *s = ((struct taker *)task)->shared;
    size_t i;

    while ((i = atomic_fetch_add(&s->next, 1)) < s->n) {
        int rc = s->piece(s->what, i);

        if (rc != CEL_OK)
            note_failure(s, i, rc);
    }
}

static size_t choose_tasks(size_t n)
{
    size_t threads = (size_t)cel_pool_size(), most = threads < TASKS ? threads : TASKS;

    return n < most ? n : most;
}

int cel_share(size_t n, cel_piece_fn *piece, const void *what)
{
    struct shared s = {.piece = piece, .what = what, .n = n, .lock = CEL_MUTEX_INIT, .failure = {.rc = CEL_OK}};
    size_t ntasks = choose_tasks(n);
    struct cel_task_group group;
    struct taker taker[TASKS];

    cel_task_group_open(&group, ntasks < 2);
    for (size_t t = 0; t < ntasks; t++) {
        taker[t] = (struct taker){.task = {.run = take_pieces}, .shared = &s};
        cel_task_group_push(&group, &taker[t].task, false);
    }
    for (size_t t = 0; t < ntasks; t++)
        cel_task_group_finish(&group, &taker[t].task);
    cel_mutex_dispose(&s.lock);
    return cel_first_failure_restore(&s.failure);
}
