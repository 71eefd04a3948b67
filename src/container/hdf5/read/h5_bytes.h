/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_BYTES_H
#define CEL_H5_BYTES_H

/* Bytes taken off the front one after the other, as formats on disk are described. A cursor that runs out remembers it:
 * all that is taken from then on is 0 or NULL, so that one look at `ended` after several fields is enough. */

#include "bytes.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cel_h5_bytes {
    const unsigned char *p;
    size_t n;
    bool ended; /* more was taken than was there */
};

/* The next n bytes. */
static inline const unsigned char *cel_h5_take(struct cel_h5_bytes *b, size_t n)
{
    const unsigned char *p = b->p;

    b->ended = b->ended || n > b->n;
    if (b->ended)
        return NULL;
    b->p += n;
    b->n -= n;
    return p;
}

/* The next n bytes, at most 8, as a number. Headers are little else: the usual widths are one load each. */
static inline uint64_t cel_h5_take_number(struct cel_h5_bytes *b, size_t n)
{
    const unsigned char *p = cel_h5_take(b, n);

    if (!p)
        return 0;
    switch (n) {
    case 1:
        return *p;
    case 2:
        return cel_get_le16(p);
    case 4:
        return cel_get_le32(p);
    case 8:
        return cel_get_le64(p);
    default:
        return cel_get_le(p, n);
    }
}

/* A field that may be missing; then 0. */
static inline uint64_t cel_h5_take_if(struct cel_h5_bytes *b, bool is_there, size_t n)
{
    return is_there ? cel_h5_take_number(b, n) : 0;
}

/* --- numbers that sizes in the file follow from ------------------------------------ */

static inline size_t cel_h5_bytes_for(uint64_t v) /* bytes that a number up to this one needs, as libhdf5 counts them */
{
    size_t n = 1;

    while (v >>= 8)
        n++;
    return n;
}

static inline int cel_h5_log2(uint64_t v) /* rounded down; of 0: 0 */
{
    int n = 0;

    while (v >>= 1)
        n++;
    return n;
}

static inline bool cel_h5_is_power_of_2(uint64_t v)
{
    return v && !(v & (v - 1));
}

/* HDF5's checksum (Jenkins' lookup3, "hashlittle", started with 0), and whether these bytes end with theirs. */
uint32_t cel_h5_sum(const unsigned char *p, size_t n);
bool cel_h5_sum_matches(const unsigned char *p, size_t n);
#if defined(CEL_FUZZ)
extern void (*cel_h5_mend)(const unsigned char *p, size_t n); /* told of each sum that would have been checked */
#endif

#endif
