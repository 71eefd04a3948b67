#ifndef CEL_DEFLATE_BLOCKS_H
#define CEL_DEFLATE_BLOCKS_H

/* A deflate encoder for byte planes. */

#include <stddef.h>

struct cel_deflater;

struct cel_deflater *cel_deflater_make(void); /* NULL: no memory */
void cel_deflater_free(struct cel_deflater *d);

/* Most bytes a stream of n bytes takes, and has to be written into. */
size_t cel_deflater_bound(size_t n);

#define CEL_DEFLATER_MAX ((size_t)1 << 30) /* bytes of one stream */

/* The length of a deflate stream with n bytes of so many planes; 0: it does not fit. Level 1 is
 * quick, others are thorough, up to about zlib's 5. */
size_t cel_deflater_run(struct cel_deflater *d, unsigned level, const unsigned char *src, size_t n, size_t planes,
                        unsigned char *dst, size_t cap);

#endif
