/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_TRACE_H
#define CEL_TRACE_H

/* A timeline of the process in the file that CELLAR_TRACE names, in the Trace Event Format that Perfetto and
 * chrome://tracing open: which thread did which step of which chunk from when to when, where it waited, and counters.
 *
 *     CEL_TRACE(CEL_TRACE_READ, .variable = var->name, .chunk = index, .rank = rank);
 *
 * among the first lines of a block is one span, until the block is left. Not traced, a span is two branches that always go
 * the same way, and its arguments are not looked at: it may stand in what is done once a chunk, not in loops over values.
 *
 * Each thread writes into a buffer of its own, without a lock; trace_file.c brings buffers to the file. */

#include "thread.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cel_trace_stage {
    CEL_TRACE_OPEN,
    CEL_TRACE_SAVE,
    CEL_TRACE_SYNC,
    CEL_TRACE_CLOSE,
    CEL_TRACE_GET, /* one request of the program */
    CEL_TRACE_PUT,
    CEL_TRACE_CHUNK, /* what a thread does of one chunk of it */
    CEL_TRACE_FIND,
    CEL_TRACE_READ,
    CEL_TRACE_DECODE, /* one filter; its name is the codec's, as the next's */
    CEL_TRACE_ENCODE,
    CEL_TRACE_UNSHUFFLE, /* where it is one with scatter */
    CEL_TRACE_SCATTER,
    CEL_TRACE_GATHER,
    CEL_TRACE_PLACE,
    CEL_TRACE_WRITE,
    CEL_TRACE_REQUEST, /* over the network */
    CEL_TRACE_WAIT_VARIABLE,
    CEL_TRACE_WAIT_DATASET,
    CEL_TRACE_WAIT_HDF5,
    CEL_TRACE_WAIT_THREADS,
    CEL_TRACE_WAIT_NETWORK,
    CEL_TRACE_STAGES
};

enum cel_trace_counter { CEL_TRACE_BYTES_IN_FLIGHT, CEL_TRACE_BYTES_REQUESTED, CEL_TRACE_COUNTERS };

/* What a span is about; all of it may be left out. Borrowed until the block is left. */
struct cel_trace_about {
    const char *name; /* in place of the stage's */
    const char *file, *variable;
    const size_t *chunk; /* `rank` indices */
    int rank;
    size_t nbytes;
};

struct cel_trace_span {
    uint64_t since; /* ns; 0: not traced */
    enum cel_trace_stage stage;
    struct cel_trace_about about; /* set where it is traced */
};

extern bool cel_trace_on; /* does not change once the library is loaded */

uint64_t cel_trace_now(void);                         /* never 0 */
void cel_trace_record(const struct cel_trace_span *); /* it ends now */
/* One that may overlap others of its thread. */
void cel_trace_record_apart(enum cel_trace_stage stage, uint64_t since, const void *id, struct cel_trace_about about);
void cel_trace_record_counter(enum cel_trace_counter counter, size_t value);
void cel_trace_lock_slowly(struct cel_mutex *m, enum cel_trace_stage stage);
void cel_trace_name_thread(const char *name); /* the calling one: a constant */
void cel_trace_save(void);                    /* all that was recorded so far is in the file */

#define CEL_TRACE_IS_ON __builtin_expect(cel_trace_on, 0)

static inline bool cel_trace_begin(struct cel_trace_span *span, enum cel_trace_stage stage)
{
    span->since = 0;
    if (!CEL_TRACE_IS_ON)
        return false;
    span->since = cel_trace_now();
    span->stage = stage;
    return true;
}

static inline void cel_trace_end(const struct cel_trace_span *span)
{
    if (__builtin_expect(span->since != 0, 0))
        cel_trace_record(span);
}

/* clang-format off */
#define CEL_TRACE(stage_, ...) \
    __attribute__((cleanup(cel_trace_end))) struct cel_trace_span cel_trace_span_; \
    if (cel_trace_begin(&cel_trace_span_, stage_)) \
        cel_trace_span_.about = (struct cel_trace_about){__VA_ARGS__}
/* clang-format on */

static inline void cel_trace_count(enum cel_trace_counter counter, size_t value)
{
    if (CEL_TRACE_IS_ON)
        cel_trace_record_counter(counter, value);
}

/* As cel_lock(); waiting for it is a span. */
static inline void cel_trace_lock(struct cel_mutex *m, enum cel_trace_stage stage)
{
    if (CEL_TRACE_IS_ON)
        cel_trace_lock_slowly(m, stage);
    else
        cel_lock(m);
}

#endif
