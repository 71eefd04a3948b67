/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_TRACE_INT_H
#define CEL_TRACE_INT_H

#include "trace.h"
#include <stdatomic.h>

enum { CEL_TRACE_BUFFER = 64 << 10 };

/* The events of one thread as text, each begun with ",\n". Its thread alone adds to it, and is the only one that empties
 * it; whoever has the lock of trace_file.c may take what was added. */
struct cel_trace_buffer {
    struct cel_trace_buffer *next;
    _Atomic size_t len; /* whole events; written by its thread */
    size_t taken;       /* of these, in the file; under the lock */
    bool in_use;        /* by a thread; under the lock */
    bool named;         /* the thread's name is in it */
    int pid, tid;
    char text[CEL_TRACE_BUFFER];
};

struct cel_trace_buffer *cel_trace_buffer_get(void); /* NULL: no memory; the event counts as left out */
/* The buffer, which is the calling thread's, is empty afterwards. */
void cel_trace_buffer_empty(struct cel_trace_buffer *b);
void cel_trace_note_time(uint64_t now); /* saves all if the last time was half a second ago */

extern size_t cel_trace_max; /* bytes of a file, about; tests make it less */

#endif
