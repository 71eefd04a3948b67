/* SPDX-License-Identifier: BSD-3-Clause */
/* Number conversions: ten types to ten types, from one template.
 *
 * Values out of the target's range are counted. Wherever C defines the result, it is netCDF-C's: integers
 * wrap, and a double beyond float's range becomes an infinity (an infinity counts as out of range). C does
 * not define the conversion of a real to an integer type that cannot hold it; here it becomes the nearest
 * end of the range. NaN is never counted, as in netCDF-C, and becomes 0. */
#include "convert.h"
#include "convert_int.h"
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#define SIGNED 0
#define UNSIGNED 1
#define REAL 2

enum { COUNT_BLOCK = 4096 };

#define TYPE(tag, name, ctype, kind, lo, hi, fill) \
    typedef ctype c_##tag; \
    enum { kind_##tag = kind };
#include "types.def"
#undef TYPE

/* From a real, twice: in float where the limits are exact in it, else in double.
 * TOP is the first real above the range, 2 to the number of value bits. */
#define TOP(real, hi) ((real)((hi) / 2 + 1) * 2)
#define FROM_REAL(real, tag, ctype, lo, hi) \
    static inline ctype real##_to_##tag(real v) \
    { \
        ctype w = (ctype)(v >= (real)(lo) && v < TOP(real, hi) ? v : 0); \
        return v >= TOP(real, hi) ? (ctype)(hi) : v < (real)(lo) ? (ctype)(lo) : w; \
    } \
    static inline unsigned real##_outside_##tag(real v) \
    { \
        bool above = sizeof(ctype) < sizeof(double) ? v > (real)(hi) : v >= TOP(real, hi); \
        return above | (v < (real)(lo)); \
    }
#define TYPE(tag, name, ctype, kind, lo, hi, fill) \
    FROM_REAL(float, tag, ctype, lo, hi) \
    FROM_REAL(double, tag, ctype, lo, hi)
#include "types.def"
#undef TYPE

static inline unsigned signed_outside(int64_t v, int64_t lo, uint64_t hi)
{
    return v < 0 ? v < lo : (uint64_t)v > hi;
}

static inline unsigned unsigned_outside(uint64_t v, uint64_t hi)
{
    return v > hi;
}

#define JOIN(a, b) a##b
#define PASTE(a, b) JOIN(a, b)
#define NAME(src, dst) PASTE(PASTE(PASTE(src, _to_), PASTE(dst, _)), SET)
#define ROW(src) PASTE(PASTE(from_, src), PASTE(_, SET))
#define C_TYPE(src) PASTE(c_, src)
#define KIND(src) PASTE(kind_, src)
#define FLOAT_IS_EXACT(src, tag) (sizeof(C_TYPE(src)) == sizeof(float) && sizeof(C_TYPE(tag)) <= 2)

/* All conditions but the comparison itself are constants. */
#define OUTSIDE(src, v, tag, kind, lo, hi) \
    ((kind) == REAL ? sizeof(C_TYPE(tag)) < sizeof(C_TYPE(src)) && KIND(src) == REAL && \
                          (((double)(v) > FLT_MAX) | ((double)(v) < -FLT_MAX)) \
     : KIND(src) == REAL \
         ? (FLOAT_IS_EXACT(src, tag) ? float_outside_##tag((float)(v)) : double_outside_##tag((double)(v))) \
     : KIND(src) == UNSIGNED ? unsigned_outside((uint64_t)(v), (uint64_t)(hi)) \
                             : signed_outside((int64_t)(v), (int64_t)(lo), (uint64_t)(hi)))
#define CAST(src, v, tag, ctype, kind) \
    ((kind) == REAL || KIND(src) != REAL ? (ctype)(v) \
     : FLOAT_IS_EXACT(src, tag)          ? (ctype)float_to_##tag((float)(v)) \
                                         : (ctype)double_to_##tag((double)(v)))

#define SET portable
#define TARGET
#include "convert_rows.h"
#if defined(__x86_64__) && defined(__GNUC__)
#define SET avx2
#define TARGET __attribute__((target("avx2")))
#include "convert_rows.h"
#endif

#define COPY(name, ctype) \
    static size_t copy_##name(void *dst, const void *src, size_t n) \
    { \
        memcpy(dst, src, n * sizeof(ctype)); \
        return 0; \
    }
COPY(1, char)
COPY(2, uint16_t)
COPY(4, uint32_t)
COPY(8, uint64_t)

static cel_convert_fn *copier(nc_type type)
{
    switch (cel_type_size(type)) {
    case 1:
        return copy_1;
    case 2:
        return copy_2;
    case 4:
        return copy_4;
    case 8:
        return copy_8;
    }
    return NULL;
}

bool cel_converters_avx2(cel_convert_fn *const *const **rows)
{
#if defined(__x86_64__) && defined(__GNUC__)
    *rows = rows_avx2;
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

cel_convert_fn *const *const *cel_converters_portable(void)
{
    return rows_portable;
}

cel_convert_fn *cel_converter(nc_type from, nc_type to)
{
    cel_convert_fn *const *const *rows;

    if (from == to)
        return copier(from);
    if (from < 0 || from > NC_MAX_ATOMIC_TYPE || to < 0 || to > NC_MAX_ATOMIC_TYPE)
        return NULL;
    if (!cel_converters_avx2(&rows))
        rows = cel_converters_portable();
    return rows[from] ? rows[from][to] : NULL;
}

cel_convert_fn *cel_converter_classic(nc_type from, nc_type to)
{
    if ((from == NC_BYTE && to == NC_UBYTE) || (from == NC_UBYTE && to == NC_BYTE))
        return copy_1;
    return cel_converter(from, to);
}

struct traits {
    const char *name;
    size_t size;
};

static const struct traits *traits_of(nc_type type)
{
    static const struct traits table[NC_MAX_ATOMIC_TYPE + 1] = {
#define TYPE(tag, name, ctype, kind, lo, hi, fill) [NC_##tag] = {name, sizeof(ctype)},
#include "types.def"
#undef TYPE
        [NC_CHAR] = {"char", 1},
        [NC_STRING] = {"string", sizeof(char *)},
    };
    static const struct traits none;

    return type > NC_NAT && type <= NC_MAX_ATOMIC_TYPE ? &table[type] : &none;
}

size_t cel_type_size(nc_type type)
{
    return traits_of(type)->size;
}

const char *cel_type_name(nc_type type)
{
    return traits_of(type)->name;
}
