#ifndef CEL_INFLATE_RUN_H
#define CEL_INFLATE_RUN_H

/* The hot loop of inflate: the symbols of a block while there is ample room on both sides.
 * What is left near the ends is for the careful loop of inflate.c. */

#include "inflate_tables.h"
#include <stddef.h>

/* Bits of the stream, the next one lowest; those above n are 0. */
struct cel_inflate_bits {
    uint64_t bits;
    unsigned n;
    const uint8_t *next, *end;
};

struct cel_inflate_out {
    uint8_t *start, *next, *end;
};

enum cel_inflate_step {
    CEL_STEP_MORE, /* go on, carefully */
    CEL_STEP_END,  /* of the block */
    CEL_STEP_DAMAGED,
    CEL_STEP_CUT_SHORT,
    CEL_STEP_NO_ROOM,
};

/* Room the loop needs on both sides, as it looks at the ends once in a few symbols. */
#define CEL_RUN_ROOM_IN 32                /* four words of 8 bytes, each begun up to 7 behind the one before */
#define CEL_RUN_ROOM_OUT (4 + 258 + 32) /* literals, the longest match, what a copy may write behind it */

/* Called only when both sides have that room. */
typedef enum cel_inflate_step cel_inflate_run_fn(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in,
                                                 struct cel_inflate_out *out);

/* Best first, portable last. */
struct cel_inflate_kernel {
    const char *name; /* NULL ends the table */
    bool (*usable)(void);
    cel_inflate_run_fn *mixed;
    cel_inflate_run_fn *usual; /* for tables with a usual length */
};
extern const struct cel_inflate_kernel cel_inflate_kernels[];

#endif
