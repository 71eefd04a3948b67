/* Kits: the buffers and codec contexts a job works with. They are kept between
 * jobs and calls, the last used first, so that a chunk costs no allocation and
 * finds its memory warm; a kit that grew large gives its buffers back. */
#include "engine.h"
#include <stdlib.h>

#define KEPT_BYTES ((size_t)4 << 20) /* a buffer larger than this is not kept */
#define KEPT_KITS 64

static struct cel_mutex lock = CEL_MUTEX_INIT; /* guards the rest */
static struct cel_kit *shelf;
static int nkept;
static bool hooked;

static void hold(void)
{
    cel_lock(&lock);
}

static void let_go(void)
{
    cel_unlock(&lock);
}

static void start_anew(void)
{
    cel_mutex_init(&lock);
}

static void free_kit(struct cel_kit *kit)
{
    cel_scratch_free(kit->scratch);
    cel_buf_dispose(&kit->encoded);
    cel_buf_dispose(&kit->cell);
    free(kit);
}

static int make_kit(struct cel_kit **out)
{
    struct cel_kit *kit = cel_calloc(1, sizeof *kit);

    if (!kit)
        return NC_ENOMEM;
    kit->encoded = kit->cell = CEL_BUF_INIT(SIZE_MAX / 2);
    if (cel_scratch_make(&kit->scratch) != CEL_OK) {
        free_kit(kit);
        return NC_ENOMEM;
    }
    *out = kit;
    return CEL_OK;
}

int cel_kit_take(struct cel_kit **out)
{
    struct cel_kit *kit;

    cel_lock(&lock);
    if (!hooked)
        hooked = pthread_atfork(hold, let_go, start_anew) == 0;
    kit = shelf;
    if (kit) {
        shelf = kit->next;
        nkept--;
    }
    cel_unlock(&lock);
    if (!kit)
        return make_kit(out);
    *out = kit;
    return CEL_OK;
}

void cel_kit_give(struct cel_kit *kit)
{
    bool keep = kit->cell.cap <= KEPT_BYTES && kit->encoded.cap <= KEPT_BYTES && kit->chunk <= KEPT_BYTES;

    cel_lock(&lock);
    keep = keep && nkept < KEPT_KITS;
    if (keep) {
        kit->next = shelf;
        shelf = kit;
        nkept++;
    }
    cel_unlock(&lock);
    if (!keep)
        free_kit(kit);
}
