/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_INFLATE_RUN_H
#define CEL_INFLATE_RUN_H

/* The hot loops of inflate: they decode the symbols of a block while there are margins on both
 * sides. The careful loop of inflate.c decodes what is left near the ends. */

#include "inflate_tables.h"
#include <stddef.h>

/* Bits read from the stream and not yet taken: n of them, the next one lowest; those above are 0. */
struct cel_inflate_bits {
    uint64_t bits;
    unsigned n;
    const uint8_t *next, *end;
};

struct cel_inflate_out {
    uint8_t *start, *next, *end;
};

enum cel_inflate_step {
    CEL_STEP_MORE, /* the block goes on; a hot loop gives this when it has reached a margin */
    CEL_STEP_END,  /* the block has ended */
    CEL_STEP_DAMAGED,
    CEL_STEP_CUT_SHORT,
    CEL_STEP_NO_SPACE,
};

/* Bytes that must lie behind the current positions when a hot loop is called, and at the start of
 * each of its rounds: it compares positions with the ends only once a round. */
#define CEL_RUN_MARGIN_IN 32              /* four refills of 8 bytes, each up to 7 bytes after the one before */
#define CEL_RUN_MARGIN_OUT (4 + 258 + 32) /* literals, the longest match, what a copy may write behind it */

typedef enum cel_inflate_step cel_inflate_run_fn(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in,
                                                 struct cel_inflate_out *out);

/* What reader B of inflate.c ("reading ahead") has decoded: its literals in one list, its matches in
 * another, as their position in the output is not known yet. */
enum { CEL_AHEAD_DISTANCE = 4096, CEL_AHEAD_ROUNDS = 3072 };
struct cel_inflate_match {
    uint16_t at; /* the match follows that many of the literals */
    uint16_t len, distance;
};
struct cel_inflate_ahead {
    const uint8_t *start;                        /* where B began ... */
    struct cel_inflate_bits bits;                /* ... and where it stopped */
    size_t n_literals, n_matches, nbytes;        /* nbytes: output of both lists */
    uint8_t literals[3 * CEL_AHEAD_ROUNDS + 64]; /* copies read up to 32 bytes behind the last one */
    struct cel_inflate_match matches[CEL_AHEAD_ROUNDS];
};

_Static_assert(3 * CEL_AHEAD_ROUNDS <= UINT16_MAX, "cel_inflate_match.at counts all literals");

/* Decodes with readers A and B at the same time. Stops when A has come to ahead->start, when either
 * meets a margin or the end of the block, or after CEL_AHEAD_ROUNDS rounds. At least
 * CEL_AHEAD_MARGIN_IN bytes of input must be left. */
#define CEL_AHEAD_MARGIN_IN (3 * CEL_AHEAD_DISTANCE)
typedef enum cel_inflate_step cel_inflate_two_fn(const struct cel_inflate_tables *tables, struct cel_inflate_bits *in,
                                                 struct cel_inflate_out *out, struct cel_inflate_ahead *ahead);

/* Appends reader B's literals and matches to the output, without the first skip_literals and
 * skip_matches of them. The output must have space for them and CEL_RUN_MARGIN_OUT bytes more. */
typedef enum cel_inflate_step cel_inflate_put_fn(const struct cel_inflate_ahead *ahead, size_t skip_literals,
                                                 size_t skip_matches, struct cel_inflate_out *out);

/* One form of the hot loops; cel_inflate_kernels lists the best first, the portable one last. */
struct cel_inflate_kernel {
    const char *name; /* NULL ends the table */
    bool (*usable)(void);
    cel_inflate_run_fn *mixed; /* any block */
    cel_inflate_run_fn *usual; /* tables with a usual length */
    cel_inflate_run_fn *even;  /* as many literals as matches */
    cel_inflate_two_fn *two;   /* blocks rich in literals */
    cel_inflate_put_fn *put;
};
extern const struct cel_inflate_kernel cel_inflate_kernels[];

#endif
