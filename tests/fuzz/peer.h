/* SPDX-License-Identifier: BSD-3-Clause */
/* What fuzz_h5_peer.c and h5_peer.c, which is libhdf5, both say of a file: lines of a key, a space and a value.
 *   links /g         how many
 *   link /g/v        the address of its header
 *   space /g/v       rank, lengths, greatest lengths
 *   type /g/v        class, bytes, 1: big-endian
 *   chunks /g/v      netCDF type, lengths, fill value, filters with their words
 *   chunk /g/v@0,2   bytes, filter mask, a sum over the bytes; or "none"
 *   data /g/v        a sum over the first values
 * Only what both say is compared. */
#ifndef CEL_FUZZ_PEER_H
#define CEL_FUZZ_PEER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    PEER_TEXT = 1 << 16,
    PEER_PATH = 600,
    PEER_LINKS = 64,
    PEER_DEPTH = 3,
    PEER_VALUES = 512,
    PEER_CHUNKS = 12,
    PEER_RANK = 32
};

struct peer_text {
    size_t n;
    char at[PEER_TEXT];
};

static inline void peer_say(struct peer_text *t, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(t->at + t->n, sizeof t->at - t->n, fmt, ap);
    va_end(ap);
    if (n > 0)
        t->n += (size_t)n < sizeof t->at - t->n ? (size_t)n : sizeof t->at - t->n - 1;
}

/* Names that a path and a line can hold. */
static inline bool peer_plain(const char *name)
{
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == '/' || *p == '@')
            return false;
    return *name && strlen(name) < 200 && strcmp(name, ".") != 0;
}

/* How much of a dataset is read: 0: nothing. */
static inline size_t peer_extent(int rank, const uint64_t *dims, size_t *count)
{
    size_t n = 1;

    for (int d = 0; d < rank && n > 0; d++) {
        count[d] = dims[d] < PEER_VALUES / n ? (size_t)dims[d] : PEER_VALUES / n;
        n *= count[d];
    }
    return n;
}

static inline uint64_t peer_sum(const void *data, size_t n)
{
    uint64_t h = 14695981039346656037u;

    for (const unsigned char *p = data; n > 0; n--)
        h = (h ^ *p++) * 1099511628211u;
    return h;
}

/* The next chunk in the order of its elements; false: there is none. first: its first element. */
static inline bool peer_next_chunk(int rank, const uint64_t *dims, const uint64_t *chunk, uint64_t *first)
{
    for (int d = rank - 1; d >= 0; d--) {
        first[d] += chunk[d];
        if (first[d] < dims[d])
            return true;
        first[d] = 0;
    }
    return false;
}

#endif
