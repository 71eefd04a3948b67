/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_BITS_H
#define CELLAR_BITS_H

/* Bitwise real information (Klöwer et al. 2021): how much the bits of a value tell of the same bits of its neighbour. Bits of the
 * mantissa that tell nothing can be rounded away. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BITS_MAX = 64, BITS_LEVELS = 3, BITS_LEAST_PAIRS = 10000 };

/* The parts of a value: 32 bits have 1 + 8 before the mantissa, 64 have 1 + 11. */
struct bits_form {
    int nbits, mantissa;
};
static inline struct bits_form bits_form_of(size_t size)
{
    return size == 4 ? (struct bits_form){32, 23} : (struct bits_form){64, 52};
}

/* Ones of each bit among pairs of neighbours, from the sign down. */
struct bits_counts {
    uint64_t pairs, both[BITS_MAX], first[BITS_MAX], second[BITS_MAX];
};

/* --- bits_count.c --------------------------------------------------------------------------- */
/* Pairs a[i], b[i] of floats or doubles; valid NULL: all, else both must be set at i. Counts are added. */
void bits_count(const void *a, const void *b, const bool *valid_a, const bool *valid_b, size_t n, size_t size,
                struct bits_counts *out);
void bits_counts_add(struct bits_counts *into, const struct bits_counts *from);

/* --- bits_information.c ------------------------------------------------------------------------ */
enum bits_threshold { BITS_TAIL, BITS_BINOMIAL };

/* Along one dimension. */
struct bits_result {
    uint64_t pairs;
    double information[BITS_MAX]; /* of each bit, in bits */
    double total;                 /* of those above the threshold */
    double threshold;             /* less is taken for chance */
    int keep[BITS_LEVELS];        /* bits of the mantissa for 99 %, 99.9 % and all of it */
};
/* first_minimum: the values lie on a lattice, and the bits after the first minimum are its artefact. */
void bits_information(const struct bits_counts *counts, struct bits_form form, enum bits_threshold threshold,
                      double confidence, bool first_minimum, struct bits_result *out);
double bits_confidence(uint64_t n, double confidence); /* share of ones that chance explains, of n */

/* --- bits_data.c: what the values themselves tell ------------------------------------------------ */
struct bits_data {
    size_t valid;
    bool constant;
    int zeros;   /* last bits of the mantissa that are 0 in every value */
    double step; /* all values are whole multiples of this, from the least one on; 0: they are not */
};
void bits_look(const void *values, const bool *valid, size_t n, size_t size, struct bits_data *out);
/* What rounding to so many bits of the mantissa changes at most. */
void bits_error(const void *values, const bool *valid, size_t n, size_t size, int keep, double *abs, double *rel);

#endif
