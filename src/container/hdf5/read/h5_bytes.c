/* Numbers taken from the bytes of an HDF5 file, and the checksum that much of it carries, so that damage is never
 * believed. */
#include "h5_bytes.h"
#include "lookup3.h"
#include <assert.h>
#include <string.h>

const unsigned char *cel_h5_take(struct cel_h5_bytes *b, size_t n)
{
    const unsigned char *p = b->p;

    b->ended = b->ended || n > b->n;
    if (b->ended)
        return NULL;
    b->p += n;
    b->n -= n;
    return p;
}

uint64_t cel_h5_take_number(struct cel_h5_bytes *b, size_t n)
{
    const unsigned char *p = cel_h5_take(b, n);

    assert(n <= 8);
    return p ? cel_get_le(p, n) : 0;
}

uint64_t cel_h5_take_if(struct cel_h5_bytes *b, bool is_there, size_t n)
{
    return is_there ? cel_h5_take_number(b, n) : 0;
}

/* --- checksum ------------------------------------------------------------------------ */

uint32_t cel_h5_sum(const unsigned char *p, size_t n)
{
    return cel_lookup3(p, n, 0);
}

/* A fuzzer cannot guess sums: its build believes them all, and a target may mend them in its copy of the file. */
#if defined(CEL_FUZZ)
void (*cel_h5_mend)(const unsigned char *p, size_t n);

bool cel_h5_sum_matches(const unsigned char *p, size_t n)
{
    if (n >= 4 && cel_h5_mend)
        cel_h5_mend(p, n);
    return n >= 4;
}
#else
bool cel_h5_sum_matches(const unsigned char *p, size_t n)
{
    return n >= 4 && cel_h5_sum(p, n - 4) == cel_get_le32(p + n - 4);
}
#endif
