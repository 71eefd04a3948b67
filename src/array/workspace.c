/* SPDX-License-Identifier: BSD-3-Clause */
/* Workspaces: the buffers and codec contexts a job works with. They are kept between
 * jobs and calls, so that a chunk costs no allocation. Each thread keeps the last one
 * it used, whose memory is warm in its core's cache; the others are in a free list.
 * Workspaces that grew large stay there only until the call that needs them ends. */
#include "array_int.h"
#include "fork.h"
#include <stdlib.h>

#define KEPT_WORKSPACES 64
#define KEPT_PARKED 64

static struct cel_mutex lock = CEL_MUTEX_INIT; /* guards the two free lists */
static struct cel_workspace *free_list;
static int nkept;
static struct cel_parked_chunk *parked_list;
static int nparked;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t own; /* this thread's workspace */
static bool has_own;      /* the key could be made */

CEL_FORK_LOCK(CEL_FORK_WORKSPACES, &lock, false, NULL);

static void free_workspace(struct cel_workspace *workspace)
{
    cel_scratch_free(workspace->scratch);
    cel_buf_dispose(&workspace->encoded);
    cel_buf_dispose(&workspace->raw);
    cel_buf_dispose(&workspace->decoded);
    free(workspace);
}

static int make_workspace(struct cel_workspace **out)
{
    struct cel_workspace *workspace = cel_calloc(1, sizeof *workspace);

    if (!workspace)
        return NC_ENOMEM;
    workspace->encoded = workspace->raw = workspace->decoded = CEL_BUF_INIT(SIZE_MAX / 2);
    if (cel_scratch_make(&workspace->scratch) != CEL_OK) {
        free_workspace(workspace);
        return NC_ENOMEM;
    }
    cel_scratch_share(workspace->scratch, cel_share);
    *out = workspace;
    return CEL_OK;
}

static struct cel_workspace *take_from_list(void)
{
    struct cel_workspace *workspace;

    cel_lock(&lock);
    workspace = free_list;
    if (workspace) {
        free_list = workspace->next;
        nkept--;
    }
    cel_unlock(&lock);
    return workspace;
}

/* Also called for the workspace of a thread that ends. */
static void put_on_list(void *p)
{
    struct cel_workspace *workspace = p;
    bool keep;

    cel_lock(&lock);
    keep = nkept < KEPT_WORKSPACES;
    if (keep) {
        workspace->next = free_list;
        free_list = workspace;
        nkept++;
    }
    cel_unlock(&lock);
    if (!keep)
        free_workspace(workspace);
}

static void set_up(void)
{
    has_own = pthread_key_create(&own, put_on_list) == 0;
}

int cel_workspace_take(struct cel_workspace **out)
{
    struct cel_workspace *workspace;

    pthread_once(&once, set_up);
    workspace = has_own ? pthread_getspecific(own) : NULL;
    if (workspace)
        pthread_setspecific(own, NULL);
    else
        workspace = take_from_list();
    *out = workspace;
    return workspace ? CEL_OK : make_workspace(out);
}

static bool is_large(const struct cel_workspace *workspace)
{
    return workspace->decoded.cap > CEL_KEPT || workspace->raw.cap > CEL_KEPT || workspace->encoded.cap > CEL_KEPT ||
           workspace->chunk > CEL_KEPT;
}

void cel_workspace_give(struct cel_workspace *workspace)
{
    if (!has_own || is_large(workspace) || pthread_getspecific(own) || pthread_setspecific(own, workspace) != 0)
        put_on_list(workspace);
}

void cel_workspace_trim(void)
{
    struct cel_workspace *large = NULL;

    cel_lock(&lock);
    for (struct cel_workspace **at = &free_list; *at;) {
        struct cel_workspace *workspace = *at;

        if (!is_large(workspace)) {
            at = &workspace->next;
            continue;
        }
        *at = workspace->next;
        workspace->next = large;
        large = workspace;
        nkept--;
    }
    cel_unlock(&lock);
    while (large) {
        struct cel_workspace *next = large->next;

        free_workspace(large);
        large = next;
    }
}

/* --- parked chunks ------------------------------------------------------------------- */

static struct cel_parked_chunk *take_parked(void)
{
    struct cel_parked_chunk *parked;

    cel_lock(&lock);
    parked = parked_list;
    if (parked) {
        parked_list = parked->next;
        nparked--;
    }
    cel_unlock(&lock);
    return parked;
}

int cel_parked_chunk_make(const void *bytes, size_t n, struct cel_parked_chunk **out)
{
    struct cel_parked_chunk *parked = take_parked();
    int rc;

    if (!parked) {
        parked = cel_calloc(1, sizeof *parked);
        if (!parked)
            return NC_ENOMEM;
        parked->bytes = CEL_BUF_INIT(SIZE_MAX / 2);
    }
    parked->bytes.len = 0;
    rc = cel_buf_add(&parked->bytes, bytes, n);
    if (rc != CEL_OK) {
        cel_parked_chunk_give(parked);
        return rc;
    }
    *out = parked;
    return CEL_OK;
}

void cel_parked_chunk_give(struct cel_parked_chunk *parked)
{
    bool keep = parked->bytes.cap <= CEL_KEPT;

    cel_lock(&lock);
    keep = keep && nparked < KEPT_PARKED;
    if (keep) {
        parked->next = parked_list;
        parked_list = parked;
        nparked++;
    }
    cel_unlock(&lock);
    if (keep)
        return;
    cel_buf_dispose(&parked->bytes);
    free(parked);
}
