/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_SPARES_H
#define CEL_SPARES_H

/* Memory of values that went through, for those that follow: large blocks that are freed and asked for anew are given back to the
 * system and zeroed by it each time. Any thread may call. */

#include "buf.h"
#include "thread.h"

struct cel_spares {
    struct cel_mutex lock;
    struct cel_buf buf[8];
    size_t n;
};
void cel_spares_init(struct cel_spares *s);
struct cel_buf cel_spares_take(struct cel_spares *s, size_t max); /* empty, with memory if there is some */
void cel_spares_give(struct cel_spares *s,
                     struct cel_buf *buf);  /* which is empty afterwards; it is freed if there are enough */
void cel_spares_drop(struct cel_spares *s); /* all of them: nothing follows for now */
void cel_spares_dispose(struct cel_spares *s);

#endif
