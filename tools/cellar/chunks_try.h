/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_CHUNKS_TRY_H
#define CELLAR_CHUNKS_TRY_H

/* Reads of a variable as it is and with other chunks, by the clock. */

#include "chunks.h"
#include "look.h"

struct chunks_tried {
    double before[2], after[2]; /* milliseconds of one read, of each way */
    size_t reads;               /* of each */
};

/* A copy of the variable is made in TMPDIR, and removed. An exit code; MSG_FAILED after saying why. */
int chunks_try(const struct look *l, const struct look_var *v, const size_t *chunk,
               const struct chunks_access access[2], struct chunks_tried *out);

#endif
