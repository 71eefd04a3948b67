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
    CEL_STEP_NO_SPACE,
};

/* Room the loop needs on both sides, as it looks at the ends once in a few symbols. */
#define CEL_RUN_MARGIN_IN 32              /* four words of 8 bytes, each begun up to 7 behind the one before */
#define CEL_RUN_MARGIN_OUT (4 + 258 + 32) /* literals, the longest match, what a copy may write behind it */

/* Called only when both sides have that room. */
typedef enum cel_inflate_step cel_inflate_run_fn(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in,
                                                 struct cel_inflate_out *out);

/* Symbols read ahead, from a place of the block where one may or may not begin: literals and
 * matches apart, since nobody knows yet where their bytes go. */
enum { CEL_AHEAD_DISTANCE = 4096, CEL_AHEAD_ROUNDS = 3072 };
struct cel_inflate_match {
    uint16_t at; /* behind that many of the literals */
    uint16_t len, distance;
};
struct cel_inflate_ahead {
    const uint8_t *start;                        /* where reading ahead began ... */
    struct cel_inflate_bits bits;                /* ... and ended */
    size_t n_literals, n_matches, nbytes;        /* nbytes: of both */
    uint8_t literals[3 * CEL_AHEAD_ROUNDS + 64]; /* copies look at some behind the last one */
    struct cel_inflate_match matches[CEL_AHEAD_ROUNDS];
};

/* Goes on, and reads ahead at the same time: both wait for tables, and not for each other. Stops
 * before ahead->start or, if anything is unusual, sooner. There must be room for
 * CEL_AHEAD_MARGIN_IN bytes besides. */
#define CEL_AHEAD_MARGIN_IN (3 * CEL_AHEAD_DISTANCE)
typedef enum cel_inflate_step cel_inflate_two_fn(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in,
                                                 struct cel_inflate_out *out, struct cel_inflate_ahead *ahead);

/* Puts what was read ahead where it belongs, but for the first literals and matches; the caller
 * has seen to the room. */
typedef enum cel_inflate_step cel_inflate_put_fn(const struct cel_inflate_ahead *ahead, size_t skip_literals,
                                                 size_t skip_matches, struct cel_inflate_out *out);

/* Best first, portable last. */
struct cel_inflate_kernel {
    const char *name; /* NULL ends the table */
    bool (*usable)(void);
    cel_inflate_run_fn *mixed;
    cel_inflate_run_fn *usual; /* for tables with a usual length */
    cel_inflate_two_fn *two;   /* for blocks rich in literals */
    cel_inflate_put_fn *put;
};
extern const struct cel_inflate_kernel cel_inflate_kernels[];

#endif
