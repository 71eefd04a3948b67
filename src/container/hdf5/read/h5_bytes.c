/* SPDX-License-Identifier: BSD-3-Clause */
/* The checksum that much of an HDF5 file carries, so that damage is never believed. */
#include "h5_bytes.h"
#include "lookup3.h"

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
