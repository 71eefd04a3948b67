/* SPDX-License-Identifier: BSD-3-Clause */
/* Template: conversions from type SRC to every type in types.def, and the row
 * of the table that lists them. Included once per source type by convert_rows.h.
 * Elements are moved by memcpy, since neither side need be aligned; compilers
 * make vector loads and stores of it. The count is kept narrow within a block
 * for the same reason. */

#define TYPE(tag, name, ctype, kind, lo, hi, fill) \
    TARGET static size_t NAME(SRC, tag)(void *restrict dst, const void *restrict src, size_t n) \
    { \
        const unsigned char *s = src; \
        unsigned char *d = dst; \
        size_t bad = 0; \
        while (n > 0) { \
            size_t block = n < COUNT_BLOCK ? n : COUNT_BLOCK; \
            unsigned out = 0; \
            for (size_t i = 0; i < block; i++) { \
                C_TYPE(SRC) v; \
                ctype w; \
                memcpy(&v, s + i * sizeof v, sizeof v); \
                out += OUTSIDE(SRC, v, tag, kind, lo, hi); \
                w = CAST(SRC, v, tag, ctype, kind); \
                memcpy(d + i * sizeof w, &w, sizeof w); \
            } \
            bad += out; \
            s += block * sizeof(C_TYPE(SRC)); \
            d += block * sizeof(ctype); \
            n -= block; \
        } \
        return bad; \
    }
#include "types.def"
#undef TYPE

static cel_convert_fn *const ROW(SRC)[NC_MAX_ATOMIC_TYPE + 1] = {
#define TYPE(tag, name, ctype, kind, lo, hi, fill) [NC_##tag] = NAME(SRC, tag),
#include "types.def"
#undef TYPE
};
#undef SRC
