/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_QUANTIZE_INT_H
#define CEL_QUANTIZE_INT_H

/* Inside of quantize.c, shared with its tests. */

#include "quantize.h"
#include <stdint.h>

typedef void cel_quantize_fn(const struct cel_quantizer *q, void *dst, const void *src, size_t n, size_t first,
                             struct cel_quantize_error *worst);

struct cel_quantizer {
    cel_quantize_fn *run;
    uint64_t fill; /* bits of the value to be left alone; 0, which always is, when there is none */
    unsigned drop; /* BitGroom, BitRound: how many low bits go */
    int nsd;       /* Granular BitRound */
    uint64_t one;  /* 1, as no constant: gcc shifts vectors of variables only */
    void *table;   /* Granular BitRound: one entry per exponent, see quantize_real.h; owned */
};

/* Use the loops of this instruction set instead of the best; false: the CPU has it not. */
enum cel_quantize_isa { CEL_QUANTIZE_PORTABLE, CEL_QUANTIZE_AVX2, CEL_QUANTIZE_AVX512, CEL_QUANTIZE_NISAS };
bool cel_quantizer_use(struct cel_quantizer *q, const struct cel_quantize_setting *setting, enum cel_quantize_isa isa);

#endif
