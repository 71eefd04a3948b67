/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill values: netCDF's defaults, and filling memory with one of them. */
#include "convert.h"
#include <string.h>

const void *cel_default_fill(nc_type type)
{
#define TYPE(tag, name, ctype, kind, lo, hi, fill) static const ctype fill_##tag = fill;
#include "types.def"
#undef TYPE
    static const char fill_CHAR = NC_FILL_CHAR;
    static const char *const fill_STRING = "";
    static const void *const table[NC_MAX_ATOMIC_TYPE + 1] = {
#define TYPE(tag, name, ctype, kind, lo, hi, fill) [NC_##tag] = &fill_##tag,
#include "types.def"
#undef TYPE
        [NC_CHAR] = &fill_CHAR,
        [NC_STRING] = &fill_STRING,
    };

    return type > NC_NAT && type <= NC_MAX_ATOMIC_TYPE ? table[type] : NULL;
}

static bool bytes_are_equal(const unsigned char *value, size_t size)
{
    return size <= 1 || memcmp(value, value + 1, size - 1) == 0;
}

/* The filled part is doubled until it is a block that stays in the nearest cache,
 * which is then copied to the rest. */
void cel_fill(void *dst, const void *value, size_t size, size_t n)
{
    enum { BLOCK = 16384 };
    unsigned char *d = dst;
    size_t nbytes = size * n, done = size;

    if (nbytes == 0)
        return;
    if (bytes_are_equal(value, size)) {
        memset(d, *(const unsigned char *)value, nbytes);
        return;
    }
    memcpy(d, value, size);
    while (done < nbytes) {
        size_t step = done < BLOCK ? done : BLOCK / size * size;

        if (step == 0) /* an element larger than a block */
            step = size;
        if (step > nbytes - done)
            step = nbytes - done;
        memcpy(d + done, d, step);
        done += step;
    }
}
