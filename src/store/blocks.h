/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BLOCKS_H
#define CEL_BLOCKS_H

#include "thread.h"
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Blocks of one value that are kept in memory, and which runs of them are fetched when: nothing here fetches. Any number
 * of threads may use them at the same time, except for making and disposing of them. */

enum { CEL_BLOCK = 16 << 10, CEL_BLOCKS_KEPT = 1024, CEL_BLOCKS_RUN = 64 /* fetched together at most */ };

struct cel_run {
    uint64_t index; /* of its first block */
    size_t n;
};

struct cel_blocks {
    uint64_t size; /* of the value, set by whoever learns of it, before anything is asked for */
    struct cel_mutex lock;
    struct cel_cond fetched;
    struct cel_block {
        uint64_t index;
        uint64_t used; /* the count of uses, when it was used last */
        char *bytes;   /* NULL: none */
    } * block;
    uint64_t uses;
    struct cel_listed_run {
        struct cel_run run;
        time_t since; /* it was started */
        enum { CEL_RUN_WANTED, CEL_RUN_STARTED, CEL_RUN_TAKEN } state;
    } * listed; /* that somebody will fetch, or fetches */
    size_t nlisted, cap, nstarted;
    struct cel_run last; /* planned for who reads on */
};
int cel_blocks_init(struct cel_blocks *b);
void cel_blocks_dispose(struct cel_blocks *b);

/* The bytes of a run: fewer at the end of the value. */
size_t cel_blocks_bytes(const struct cel_blocks *b, struct cel_run run);

/* n bytes from `skip` on in block `index` to dst, if it is kept; it waits for who fetches it. False: the caller fetches
 * *run, which begins with that block or has it inside, and says so by cel_blocks_put. need: blocks that are to be read from
 * `index` on. */
bool cel_blocks_get(struct cel_blocks *b, uint64_t index, size_t skip, char *dst, size_t n, size_t need,
                    struct cel_run *run);
/* bytes: of the run; NULL: they could not be had. What there is no memory for is not kept. */
void cel_blocks_put(struct cel_blocks *b, struct cel_run run, const char *bytes);

/* These blocks, n of them at most CEL_BLOCKS_RUN, will be asked for: of those that are neither kept nor listed a run is
 * listed. */
void cel_blocks_want(struct cel_blocks *b, struct cel_run run);
/* The same; and as what follows the last run is mostly read on, more of it each time. */
void cel_blocks_want_more(struct cel_blocks *b, struct cel_run run);
/* A run that is wanted and may be started now, which it is from then on; false: there is none. */
bool cel_blocks_start(struct cel_blocks *b, struct cel_run *run);

#endif
