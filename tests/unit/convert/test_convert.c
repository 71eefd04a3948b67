/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions against a slow one in long double, which holds every value of
 * every type here exactly. What netCDF-C itself answers is in
 * tests/interop/test_convert_netcdf.c. */
#include "common/byte_order.h"
#include "convert.h"
#include "convert_int.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SIGNED 0
#define UNSIGNED 1
#define REAL 2

static const struct number {
    nc_type type;
    int kind;
    long double lo, hi;
} numbers[] = {
#define TYPE(tag, name, ctype, kind, lo, hi, fill) {NC_##tag, kind, lo, hi},
#include "types.def"
#undef TYPE
};
enum { NTYPES = sizeof numbers / sizeof *numbers };

static long double value_of(nc_type type, const void *p)
{
    switch (type) {
#define TYPE(tag, name, ctype, kind, lo, hi, fill) \
    case NC_##tag: { \
        ctype v; \
        memcpy(&v, p, sizeof v); \
        return v; \
    }
#include "types.def"
#undef TYPE
    }
    return 0;
}

/* Values at and around every limit, and random ones, as type `type`. */
static size_t make_values(nc_type type, unsigned char (*out)[8], size_t room)
{
    size_t n = 0, size = cel_type_size(type);

    for (int e = 0; e <= 65; e++) {
        for (int k = -3; k <= 3; k++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                double real = sign * (ldexp(1, e) + k * 0.5);
                float single = (float)real;
                uint64_t power = e < 64 ? (uint64_t)1 << e : 0;
                uint64_t whole = (power + (uint64_t)(int64_t)k) * (uint64_t)(int64_t)sign;
                const void *from = type == NC_DOUBLE  ? (void *)&real
                                   : type == NC_FLOAT ? (void *)&single
                                                      : (void *)&whole;
                memcpy(out[n++], from, size);
            }
        }
    }
    while (n < room) {
        for (size_t b = 0; b < size; b++)
            out[n][b] = (unsigned char)rand();
        n++;
    }
    return n;
}

static bool does_fit(const struct number *from, const struct number *to, long double v)
{
    if (isnan(v))
        return true;
    if (to->kind == REAL)
        return from->type != NC_DOUBLE || to->type != NC_FLOAT || fabsl(v) <= FLT_MAX;
    return v >= to->lo && v <= to->hi;
}

/* Whether the number at `out`, of `size` bytes, is the low part of v. */
static bool is_low_part(const void *out, uint64_t v, size_t size)
{
    return memcmp(out, (const char *)&v + (HOST_IS_BIG ? sizeof v - size : 0), size) == 0;
}

/* What must be stored: integers wrap; reals saturate, after truncation. */
static bool is_stored(const struct number *from, const struct number *to, const void *in, const void *out)
{
    long double v = value_of(from->type, in), w = value_of(to->type, out);

    if (to->kind == REAL) {
        long double want = to->type == NC_FLOAT ? (float)v : (double)v;
        return w == want || (isnan(w) && isnan(want));
    }
    if (from->kind == REAL)
        return w == (isnan(v) ? 0 : v < to->lo ? to->lo : v > to->hi ? to->hi : truncl(v));
    if (from->kind == UNSIGNED || v >= 0) {
        uint64_t whole = (uint64_t)v;
        return is_low_part(out, whole, cel_type_size(to->type));
    }
    return is_low_part(out, (uint64_t)(int64_t)v, cel_type_size(to->type));
}

static void every_pair_stores_and_counts(void **state)
{
    enum { ROOM = 20000 };
    static unsigned char value[ROOM][8];

    for (int f = 0; f < NTYPES; f++) {
        size_t n = make_values(numbers[f].type, value, ROOM);
        for (int t = 0; t < NTYPES; t++) {
            cel_convert_fn *convert = cel_converter(numbers[f].type, numbers[t].type);
            for (size_t i = 0; i < n; i++) {
                unsigned char out[8] = {0};
                bool fits = f == t || does_fit(&numbers[f], &numbers[t], value_of(numbers[f].type, value[i]));
                size_t bad = convert(out, value[i], 1);
                if (bad != !fits || !is_stored(&numbers[f], &numbers[t], value[i], out))
                    fail_msg("%s to %s: %Lg gave %Lg, bad %zu", cel_type_name(numbers[f].type),
                             cel_type_name(numbers[t].type), value_of(numbers[f].type, value[i]),
                             value_of(numbers[t].type, out), bad);
            }
        }
    }
}

/* The vector loop, its rest and the count of several blocks give what single calls give. */
static void runs_equal_single_values(void **state)
{
    enum { ROOM = 9001 };
    static unsigned char value[ROOM][8];

    for (int f = 0; f < NTYPES; f++) {
        size_t from = cel_type_size(numbers[f].type);
        unsigned char *packed = malloc(ROOM * from + 1);
        make_values(numbers[f].type, value, ROOM);
        for (size_t i = 0; i < ROOM; i++)
            memcpy(packed + 1 + i * from, value[i], from);
        for (int t = 0; t < NTYPES; t++) {
            cel_convert_fn *convert = cel_converter(numbers[f].type, numbers[t].type);
            size_t to = cel_type_size(numbers[t].type), bad = 0;
            unsigned char *got = malloc(ROOM * to + 1);
            size_t all = convert(got + 1, packed + 1, ROOM);
            for (size_t i = 0; i < ROOM; i++) {
                unsigned char one[8];
                bad += convert(one, value[i], 1);
                assert_memory_equal(got + 1 + i * to, one, to);
            }
            assert_int_equal(all, bad);
            free(got);
        }
        free(packed);
    }
}

static void instruction_sets_agree(void **state)
{
    enum { ROOM = 5003 };
    static unsigned char value[ROOM][8], packed[ROOM * 8], want[ROOM * 8], got[ROOM * 8];
    cel_convert_fn *const *const *portable = cel_converters_portable(), *const *const * fast;

    if (!cel_converters_avx2(&fast))
        skip();
    for (int f = 0; f < NTYPES; f++) {
        nc_type from = numbers[f].type;
        make_values(from, value, ROOM);
        for (size_t i = 0; i < ROOM; i++)
            memcpy(packed + i * cel_type_size(from), value[i], cel_type_size(from));
        for (int t = 0; t < NTYPES; t++) {
            nc_type to = numbers[t].type;
            assert_int_equal(portable[from][to](want, packed, ROOM), fast[from][to](got, packed, ROOM));
            if (memcmp(want, got, ROOM * cel_type_size(to)) != 0)
                fail_msg("%s to %s", cel_type_name(from), cel_type_name(to));
        }
    }
}

static void text_and_strings_convert_to_themselves_only(void **state)
{
    char from[3] = "ab", to[3] = "";

    assert_int_equal(cel_converter(NC_CHAR, NC_CHAR)(to, from, 3), 0);
    assert_string_equal(to, "ab");
    assert_non_null(cel_converter(NC_STRING, NC_STRING));
    assert_null(cel_converter(NC_CHAR, NC_BYTE));
    assert_null(cel_converter(NC_INT, NC_CHAR));
    assert_null(cel_converter(NC_STRING, NC_CHAR));
    assert_null(cel_converter(NC_DOUBLE, NC_STRING));
    assert_null(cel_converter(NC_NAT, NC_NAT));
    assert_null(cel_converter(-1, NC_INT));
    assert_null(cel_converter(NC_INT, NC_COMPOUND));
}

static void classic_bytes_have_no_sign(void **state)
{
    unsigned char high = 200, out = 0;

    assert_int_equal(cel_converter(NC_UBYTE, NC_BYTE)(&out, &high, 1), 1);
    assert_int_equal(cel_converter_classic(NC_UBYTE, NC_BYTE)(&out, &high, 1), 0);
    assert_int_equal(cel_converter_classic(NC_BYTE, NC_UBYTE)(&out, &high, 1), 0);
    assert_int_equal(out, 200);
    assert_true(cel_converter_classic(NC_INT, NC_BYTE) == cel_converter(NC_INT, NC_BYTE));
}

static void names_and_sizes(void **state)
{
    assert_string_equal(cel_type_name(NC_UINT64), "uint64");
    assert_string_equal(cel_type_name(NC_STRING), "string");
    assert_null(cel_type_name(NC_NAT));
    assert_null(cel_type_name(NC_VLEN));
    assert_int_equal(cel_type_size(NC_USHORT), 2);
    assert_int_equal(cel_type_size(NC_CHAR), 1);
    assert_int_equal(cel_type_size(NC_STRING), sizeof(char *));
    assert_int_equal(cel_type_size(-4), 0);
    assert_int_equal(cel_type_size(NC_FIRSTUSERTYPEID), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_stores_and_counts), cmocka_unit_test(runs_equal_single_values),
        cmocka_unit_test(instruction_sets_agree),       cmocka_unit_test(text_and_strings_convert_to_themselves_only),
        cmocka_unit_test(classic_bytes_have_no_sign),   cmocka_unit_test(names_and_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
