/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_FRESH_MEMORY_H
#define CEL_FRESH_MEMORY_H

#include <stddef.h>

/* A buffer that is about to be written whole, in pieces. Where nobody has touched it, most of a large read is else the time
 * of its page faults, one for each 4 KiB, and threads that have faults at the same time hinder each other. */
struct cel_fresh_memory {
    char *at;
    size_t n, piece;
    size_t huge; /* bytes of a huge page, which a whole piece is; 0: the system has none for those who ask */
};

/* The number of pieces; 0: not worth it. */
size_t cel_fresh_memory_pieces(void *at, size_t n, struct cel_fresh_memory *out);

/* Has the system give the memory of piece i at once, if it is fresh: a huge page where that is worth its time, else small
 * ones. By any thread. */
void cel_fresh_memory_fetch(const struct cel_fresh_memory *memory, size_t i);

/* What 1 KiB of small pages takes, in ns. A constant; tests change it. */
extern long long cel_small_pages_ns;

#endif
