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

const unsigned char *cel_h5_take(struct cel_h5_bytes *b, size_t n);       /* the next n bytes */
uint64_t cel_h5_take_number(struct cel_h5_bytes *b, size_t n);            /* the next n bytes, at most 8, as a number */
uint64_t cel_h5_take_if(struct cel_h5_bytes *b, bool is_there, size_t n); /* a field that may be missing; then 0 */

/* HDF5's checksum (Jenkins' lookup3, "hashlittle", started with 0), and whether these bytes end with theirs. */
uint32_t cel_h5_sum(const unsigned char *p, size_t n);
bool cel_h5_sum_matches(const unsigned char *p, size_t n);
#if defined(CEL_FUZZ)
extern void (*cel_h5_mend)(const unsigned char *p, size_t n); /* told of each sum that would have been checked */
#endif

#endif
