/* SPDX-License-Identifier: BSD-3-Clause */
/* Small reads from a server are served from blocks; each request fetches a run of them. A run is listed from the moment it is
 * wanted until its blocks are stored, so that no block is fetched twice at the same time. Sequential reads make each run longer
 * than the last. */
#include "blocks.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 4 /* blocks of a run that follows no other */, STARTED_MAX = 64 };
#define OLD_SECONDS 30 /* what nobody came for makes way */

int cel_blocks_init(struct cel_blocks *b)
{
    *b = (struct cel_blocks){.block = cel_calloc(CEL_BLOCKS_KEPT, sizeof *b->block)};
    cel_mutex_init(&b->lock);
    cel_cond_init(&b->fetched);
    return b->block ? CEL_OK : NC_ENOMEM;
}

void cel_blocks_dispose(struct cel_blocks *b)
{
    for (int i = 0; b->block && i < CEL_BLOCKS_KEPT; i++)
        free(b->block[i].bytes);
    free(b->block);
    free(b->listed);
    cel_cond_dispose(&b->fetched);
    cel_mutex_dispose(&b->lock);
}

size_t cel_blocks_bytes(const struct cel_blocks *b, struct cel_run run)
{
    uint64_t left = b->size - run.index * CEL_BLOCK;

    return left < (uint64_t)run.n * CEL_BLOCK ? (size_t)left : run.n * CEL_BLOCK;
}

/* --- with the lock held ------------------------------------------------------------------- */

static struct cel_block *find(const struct cel_blocks *b, uint64_t index)
{
    for (int i = 0; i < CEL_BLOCKS_KEPT; i++)
        if (b->block[i].bytes && b->block[i].index == index)
            return &b->block[i];
    return NULL;
}

static struct cel_block *oldest(const struct cel_blocks *b)
{
    struct cel_block *old = &b->block[0];

    for (int i = 1; old->bytes && i < CEL_BLOCKS_KEPT; i++)
        if (!b->block[i].bytes || b->block[i].used < old->used)
            old = &b->block[i];
    return old;
}

static void keep(struct cel_blocks *b, uint64_t index, const char *bytes, size_t n)
{
    struct cel_block *slot = find(b, index);

    if (slot)
        return;
    slot = oldest(b);
    if (!slot->bytes)
        slot->bytes = malloc(CEL_BLOCK);
    if (!slot->bytes)
        return;
    memcpy(slot->bytes, bytes, n);
    slot->index = index;
    slot->used = ++b->uses;
}

static struct cel_listed_run *find_listed(const struct cel_blocks *b, uint64_t index)
{
    for (size_t i = 0; i < b->nlisted; i++)
        if (index >= b->listed[i].run.index && index - b->listed[i].run.index < b->listed[i].run.n)
            return &b->listed[i];
    return NULL;
}

/* Without memory it is not listed: it is fetched when it is asked for, perhaps by several. */
static void list(struct cel_blocks *b, struct cel_run run, bool taken)
{
    if (b->nlisted == b->cap) {
        size_t cap = b->cap ? 2 * b->cap : 64;
        struct cel_listed_run *grown = realloc(b->listed, cap * sizeof *grown);

        if (!grown)
            return;
        b->listed = grown;
        b->cap = cap;
    }
    b->listed[b->nlisted++] = (struct cel_listed_run){.run = run, .state = taken ? CEL_RUN_TAKEN : CEL_RUN_WANTED};
}

static void set_state(struct cel_blocks *b, struct cel_listed_run *l, int state)
{
    b->nstarted -= l->state == CEL_RUN_STARTED;
    b->nstarted += state == CEL_RUN_STARTED;
    l->state = state;
}

static void unlist(struct cel_blocks *b, struct cel_run run)
{
    struct cel_listed_run *l = find_listed(b, run.index);

    if (!l)
        return;
    set_state(b, l, CEL_RUN_TAKEN);
    *l = b->listed[--b->nlisted];
}

/* The run without what is kept or listed, at its beginning and behind the first such block after that. */
static struct cel_run trim(const struct cel_blocks *b, struct cel_run run)
{
    uint64_t end = b->size / CEL_BLOCK + (b->size % CEL_BLOCK != 0);
    size_t n = 0;

    while (run.n && (find(b, run.index) || find_listed(b, run.index))) {
        run.index++;
        run.n--;
    }
    while (n < run.n && n < CEL_BLOCKS_RUN && run.index + n < end && !find(b, run.index + n) &&
           !find_listed(b, run.index + n))
        n++;
    run.n = n;
    return run;
}

/* Runs double as long as each follows the one before. */
static struct cel_run plan(struct cel_blocks *b, uint64_t index, size_t need)
{
    bool follows = b->last.n && index == b->last.index + b->last.n;
    size_t n = follows ? 2 * b->last.n : FIRST;
    struct cel_run run = {index, n > need ? n : need};

    run = trim(b, run);
    if (run.n)
        b->last = run;
    return run;
}

/* --- what others see --------------------------------------------------------------------------- */

bool cel_blocks_get(struct cel_blocks *b, uint64_t index, size_t skip, char *dst, size_t n, size_t need,
                    struct cel_run *run)
{
    struct cel_listed_run *l = NULL;
    struct cel_block *kept;

    cel_lock(&b->lock);
    while (!(kept = find(b, index)) && (l = find_listed(b, index)) && l->state == CEL_RUN_TAKEN)
        cel_cond_wait(&b->fetched, &b->lock);
    if (kept) {
        memcpy(dst, kept->bytes + skip, n);
        kept->used = ++b->uses;
    } else if (l) {
        set_state(b, l, CEL_RUN_TAKEN);
        *run = l->run;
    } else {
        *run = plan(b, index, need);
        list(b, *run, true);
    }
    cel_unlock(&b->lock);
    return kept;
}

void cel_blocks_put(struct cel_blocks *b, struct cel_run run, const char *bytes)
{
    size_t n = cel_blocks_bytes(b, run);

    cel_lock(&b->lock);
    for (size_t at = 0; bytes && at < n; at += CEL_BLOCK)
        keep(b, run.index + at / CEL_BLOCK, bytes + at, n - at < CEL_BLOCK ? n - at : CEL_BLOCK);
    unlist(b, run);
    cel_cond_wake_all(&b->fetched);
    cel_unlock(&b->lock);
}

void cel_blocks_want(struct cel_blocks *b, struct cel_run run)
{
    cel_lock(&b->lock);
    run = trim(b, run);
    if (run.n)
        list(b, run, false);
    cel_unlock(&b->lock);
}

void cel_blocks_want_more(struct cel_blocks *b, struct cel_run run)
{
    struct cel_run missing;

    cel_lock(&b->lock);
    missing = trim(b, run);
    if (missing.n)
        list(b, plan(b, missing.index, missing.n), false);
    cel_unlock(&b->lock);
}

static void forget_old(struct cel_blocks *b)
{
    time_t now = time(NULL);

    for (size_t i = b->nlisted; i-- > 0;)
        if (b->listed[i].state == CEL_RUN_STARTED && now - b->listed[i].since > OLD_SECONDS)
            unlist(b, b->listed[i].run);
}

bool cel_blocks_start(struct cel_blocks *b, struct cel_run *run)
{
    bool found = false;

    cel_lock(&b->lock);
    if (b->nstarted == STARTED_MAX)
        forget_old(b);
    for (size_t i = 0; !found && b->nstarted < STARTED_MAX && i < b->nlisted; i++) {
        found = b->listed[i].state == CEL_RUN_WANTED;
        if (found) {
            set_state(b, &b->listed[i], CEL_RUN_STARTED);
            b->listed[i].since = time(NULL);
            *run = b->listed[i].run;
        }
    }
    cel_unlock(&b->lock);
    return found;
}
