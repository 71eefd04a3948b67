/* SPDX-License-Identifier: BSD-3-Clause */
/* Every pair of number types, both ways: values that fit come back exactly, the
 * others make the call answer NC_ERANGE once all of them have been dealt with. */
#include "container_suite.h"
#include <float.h>
#include <limits.h>
#include <math.h>

/* nc_type, C type, name in the API, least and greatest value */
#define NUMBERS(X) \
    X(NC_BYTE, signed char, schar, SCHAR_MIN, SCHAR_MAX) \
    X(NC_SHORT, short, short, SHRT_MIN, SHRT_MAX) \
    X(NC_INT, int, int, INT_MIN, INT_MAX) \
    X(NC_FLOAT, float, float, -FLT_MAX, FLT_MAX) \
    X(NC_DOUBLE, double, double, -DBL_MAX, DBL_MAX) \
    X(NC_UBYTE, unsigned char, uchar, 0, UCHAR_MAX) \
    X(NC_USHORT, unsigned short, ushort, 0, USHRT_MAX) \
    X(NC_UINT, unsigned int, uint, 0, UINT_MAX) \
    X(NC_INT64, long long, longlong, LLONG_MIN, LLONG_MAX) \
    X(NC_UINT64, unsigned long long, ulonglong, 0, ULLONG_MAX)

typedef long double wide; /* holds every value of every type here */

#define ACCESS(type, c, api, lo, hi) \
    static int put_##api(int nc, int v, const void *data) \
    { \
        return nc_put_var_##api(nc, v, data); \
    } \
    static int get_##api(int nc, int v, void *data) \
    { \
        return nc_get_var_##api(nc, v, data); \
    } \
    static wide read_##api(const void *data, int i) \
    { \
        return ((const c *)data)[i]; \
    } \
    static void write_##api(void *data, int i, wide value) \
    { \
        ((c *)data)[i] = (c)value; \
    }
NUMBERS(ACCESS)

static const struct number {
    nc_type type;
    const char *name;
    wide lo, hi;
    int (*put)(int, int, const void *);
    int (*get)(int, int, void *);
    wide (*read)(const void *, int);
    void (*write)(void *, int, wide);
} numbers[] = {
#define ROW(type, c, api, lo, hi) {type, #api, lo, hi, put_##api, get_##api, read_##api, write_##api},
    NUMBERS(ROW)};
#define NNUMBERS (sizeof numbers / sizeof *numbers)

static bool in_file(const struct number *n)
{
    return n->type <= NC_DOUBLE || keeps(WIDE_INTEGERS);
}

static bool is_whole(const struct number *n)
{
    return n->type != NC_FLOAT && n->type != NC_DOUBLE;
}

static bool fits(wide value, const struct number *to)
{
    return (value >= to->lo && value <= to->hi) || (isinf(value) && !is_whole(to));
}

/* In files of the classic model unsigned bytes in memory and NC_BYTE are one type. */
static bool is_classic_byte(const struct number *memory, const struct number *file)
{
    return !keeps(WIDE_INTEGERS) && memory->type == NC_UBYTE && file->type == NC_BYTE;
}

static const wide edges[] = {0,
                             1,
                             -1,
                             100,
                             127,
                             128,
                             255,
                             256,
                             -128,
                             -129,
                             32767,
                             32768,
                             65535,
                             65536,
                             -32768,
                             -32769,
                             2147483647,
                             2147483648.0L,
                             4294967295.0L,
                             4294967296.0L,
                             -2147483648.0L,
                             -2147483649.0L,
                             1e18L,
                             -1e18L,
                             1e19L,
                             1e30L,
                             -1e30L,
                             1e300L,
                             -1e300L,
                             2.5L,
                             -7.25L};
#define NEDGES ((int)(sizeof edges / sizeof *edges))

/* The edges a C value of this type can have, exactly. */
static int edges_of(const struct number *n, void *data)
{
    int count = 0;

    for (int i = 0; i < NEDGES; i++) {
        if (!fits(edges[i], n) || (is_whole(n) && edges[i] != (wide)(long long)edges[i] && edges[i] < 1e18L))
            continue;
        n->write(data, count++, edges[i]);
    }
    return count;
}

static wide converted(wide value, const struct number *to)
{
    if (to->type == NC_FLOAT)
        return (float)value;
    if (to->type == NC_DOUBLE)
        return (double)value;
    return value < 0 ? (wide)(long long)value : (wide)(unsigned long long)value;
}

static void check_pair(int nc, int v, const struct number *memory, const struct number *file, const void *data,
                       int count)
{
    double room[NEDGES], back[NEDGES];
    bool all = true;
    int rc;

    for (int i = 0; i < count; i++)
        all = all && (fits(memory->read(data, i), file) || is_classic_byte(memory, file));
    rc = memory->put(nc, v, data);
    if (rc != (all ? NC_NOERR : NC_ERANGE))
        fail_msg("%s in memory to %s: %d", memory->name, file->name, rc);
    OK(file->get(nc, v, room));
    for (int i = 0; i < count; i++) {
        wide value = memory->read(data, i);
        if (fits(value, file) && file->read(room, i) != converted(value, file))
            fail_msg("%s in memory to %s: %Lg became %Lg", memory->name, file->name, value, file->read(room, i));
    }
    all = true;
    for (int i = 0; i < count; i++)
        all = all && (fits(file->read(room, i), memory) || is_classic_byte(memory, file));
    rc = memory->get(nc, v, back);
    if (rc != (all ? NC_NOERR : NC_ERANGE))
        fail_msg("%s to %s in memory: %d", file->name, memory->name, rc);
    for (int i = 0; i < count; i++) {
        wide value = file->read(room, i);
        if (fits(value, memory) && memory->read(back, i) != converted(value, memory))
            fail_msg("%s to %s in memory: %Lg became %Lg", file->name, memory->name, value, memory->read(back, i));
    }
}

static void all_pairs_of_types(void **state)
{
    int nc = fresh(), x[NNUMBERS], v = 0;
    double data[NNUMBERS][NEDGES];
    int counts[NNUMBERS];
    char name[32];

    for (size_t m = 0; m < NNUMBERS; m++) {
        counts[m] = edges_of(&numbers[m], data[m]);
        snprintf(name, sizeof name, "x%zu", m);
        x[m] = def_dim(nc, name, (size_t)counts[m]);
    }
    for (size_t m = 0; m < NNUMBERS; m++)
        for (size_t f = 0; f < NNUMBERS; f++) {
            snprintf(name, sizeof name, "v%zu_%zu", m, f);
            if (in_file(&numbers[f]))
                def_var(nc, name, numbers[f].type, 1, &x[m]);
        }
    OK(nc_enddef(nc));
    for (size_t m = 0; m < NNUMBERS; m++)
        for (size_t f = 0; f < NNUMBERS; f++)
            if (in_file(&numbers[f]))
                check_pair(nc, v++, &numbers[m], &numbers[f], data[m], counts[m]);
    done(nc);
}

static void every_type_keeps_its_values(void **state)
{
    int nc = fresh(), v = 0, x = def_dim(nc, "x", NEDGES);
    double data[NNUMBERS][NEDGES], got[NEDGES];

    for (size_t f = 0; f < NNUMBERS; f++) {
        memset(data[f], 0, sizeof data[f]);
        edges_of(&numbers[f], data[f]);
        if (in_file(&numbers[f]))
            def_var(nc, numbers[f].name, numbers[f].type, 1, &x);
    }
    OK(nc_enddef(nc));
    for (size_t f = 0; f < NNUMBERS; f++)
        if (in_file(&numbers[f]))
            OK(numbers[f].put(nc, v++, data[f]));
    nc = reopened(nc, NC_NOWRITE);
    v = 0;
    for (size_t f = 0; f < NNUMBERS; f++) {
        nc_type type;
        if (!in_file(&numbers[f]))
            continue;
        OK(nc_inq_vartype(nc, v, &type));
        assert_int_equal(type, numbers[f].type);
        OK(numbers[f].get(nc, v++, got));
        for (int i = 0; i < NEDGES; i++)
            assert_true(numbers[f].read(got, i) == numbers[f].read(data[f], i));
    }
    done(nc);
}

static void range_errors_do_not_stop_the_write(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 100), v = def_var(nc, "v", NC_BYTE, 1, &x), values[100];
    signed char got[100];

    if (keeps(CHUNKS))
        OK(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){10}));
    OK(nc_enddef(nc));
    for (int i = 0; i < 100; i++)
        values[i] = i == 5 ? 1000 : i;
    FAILS(nc_put_var_int(nc, v, values), NC_ERANGE);
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var_schar(nc, v, got));
    for (int i = 0; i < 100; i++)
        if (i != 5)
            assert_int_equal(got[i], i);
    done(nc);
}

const struct CMUnitTest conversion_tests[] = {
    cmocka_unit_test(every_type_keeps_its_values),
    cmocka_unit_test(all_pairs_of_types),
    cmocka_unit_test(range_errors_do_not_stop_the_write),
};
END_PART(conversion);
