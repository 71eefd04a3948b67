/* Kits: the buffers and codec contexts a job works with. They are kept between
 * jobs and calls, so that a chunk costs no allocation; each thread keeps the last
 * one it used, whose memory is warm in its core's cache, the others lie on a shelf.
 * Kits that grew large lie on the shelf only as long as the call that needs them. */
#include "engine.h"
#include "fork.h"
#include <stdlib.h>

#define KEPT_KITS 64
#define KEPT_CRATES 64

static struct cel_mutex lock = CEL_MUTEX_INIT; /* guards the shelves */
static struct cel_kit *shelf;
static int nkept;
static struct cel_crate *crates;
static int ncrates;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t own; /* this thread's kit */
static bool has_own;      /* the key could be made */

CEL_FORK_LOCK(CEL_FORK_KITS, &lock, false, NULL);

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

static struct cel_kit *from_shelf(void)
{
    struct cel_kit *kit;

    cel_lock(&lock);
    kit = shelf;
    if (kit) {
        shelf = kit->next;
        nkept--;
    }
    cel_unlock(&lock);
    return kit;
}

/* Also called for the kit of a thread that ends. */
static void to_shelf(void *p)
{
    struct cel_kit *kit = p;
    bool keep;

    cel_lock(&lock);
    keep = nkept < KEPT_KITS;
    if (keep) {
        kit->next = shelf;
        shelf = kit;
        nkept++;
    }
    cel_unlock(&lock);
    if (!keep)
        free_kit(kit);
}

static void set_up(void)
{
    has_own = pthread_key_create(&own, to_shelf) == 0;
}

int cel_kit_take(struct cel_kit **out)
{
    struct cel_kit *kit;

    pthread_once(&once, set_up);
    kit = has_own ? pthread_getspecific(own) : NULL;
    if (kit)
        pthread_setspecific(own, NULL);
    else
        kit = from_shelf();
    *out = kit;
    return kit ? CEL_OK : make_kit(out);
}

static bool is_large(const struct cel_kit *kit)
{
    return kit->cell.cap > CEL_KEPT || kit->encoded.cap > CEL_KEPT || kit->chunk > CEL_KEPT;
}

void cel_kit_give(struct cel_kit *kit)
{
    if (!has_own || is_large(kit) || pthread_getspecific(own) || pthread_setspecific(own, kit) != 0)
        to_shelf(kit);
}

void cel_kit_trim(void)
{
    struct cel_kit *large = NULL;

    cel_lock(&lock);
    for (struct cel_kit **at = &shelf; *at;) {
        struct cel_kit *kit = *at;

        if (!is_large(kit)) {
            at = &kit->next;
            continue;
        }
        *at = kit->next;
        kit->next = large;
        large = kit;
        nkept--;
    }
    cel_unlock(&lock);
    while (large) {
        struct cel_kit *next = large->next;

        free_kit(large);
        large = next;
    }
}

/* --- crates ------------------------------------------------------------------- */

static struct cel_crate *take_crate(void)
{
    struct cel_crate *crate;

    cel_lock(&lock);
    crate = crates;
    if (crate) {
        crates = crate->next;
        ncrates--;
    }
    cel_unlock(&lock);
    return crate;
}

int cel_crate_pack(const void *bytes, size_t n, struct cel_crate **out)
{
    struct cel_crate *crate = take_crate();
    int rc;

    if (!crate) {
        crate = cel_calloc(1, sizeof *crate);
        if (!crate)
            return NC_ENOMEM;
        crate->bytes = CEL_BUF_INIT(SIZE_MAX / 2);
    }
    crate->bytes.len = 0;
    rc = cel_buf_add(&crate->bytes, bytes, n);
    if (rc != CEL_OK) {
        cel_crate_give(crate);
        return rc;
    }
    *out = crate;
    return CEL_OK;
}

void cel_crate_give(struct cel_crate *crate)
{
    bool keep = crate->bytes.cap <= CEL_KEPT;

    cel_lock(&lock);
    keep = keep && ncrates < KEPT_CRATES;
    if (keep) {
        crate->next = crates;
        crates = crate;
        ncrates++;
    }
    cel_unlock(&lock);
    if (keep)
        return;
    cel_buf_dispose(&crate->bytes);
    free(crate);
}
