/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that are the same on every run: Marsaglia's xorshift, 64 bits. */
#ifndef CEL_TEST_RANDOM_H
#define CEL_TEST_RANDOM_H

#include <stdint.h>

#define RANDOM_SEED 88172645463325252u

static inline uint64_t random_step(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
