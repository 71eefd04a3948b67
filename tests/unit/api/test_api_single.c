/* SPDX-License-Identifier: BSD-3-Clause */
/* Values put and got one at a time, between other calls, are those of an array kept beside: in every format, through
 * every number type, in dimensions that grow, in files filled and not, by a handle that writes and by one that reads. */
#include <cellar.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define OK(call) assert_int_equal((call), NC_NOERR)

enum { ROWS = 40, COLUMNS = 30, NVARS = 8, STEPS = 6000, NFORMATS = 5 };

static const int formats[NFORMATS] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4, NC_NETCDF4 | NC_CLASSIC_MODEL};
static const nc_type types[NVARS] = {NC_BYTE, NC_SHORT, NC_INT, NC_FLOAT, NC_DOUBLE, NC_SHORT, NC_FLOAT, NC_INT};

struct shadow { /* what the file must hold */
    int ncid;
    bool filled;
    size_t records;
    bool is_set[NVARS][ROWS][COLUMNS];
    double value[NVARS][ROWS][COLUMNS];
};

static uint32_t seed = 20261118;

static size_t below(size_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* The last three variables have records. */
static bool has_records(int v)
{
    return v >= NVARS - 3;
}

static double fill_of(nc_type type)
{
    return type == NC_BYTE    ? NC_FILL_BYTE
           : type == NC_SHORT ? NC_FILL_SHORT
           : type == NC_INT   ? NC_FILL_INT
           : type == NC_FLOAT ? (double)NC_FILL_FLOAT
                              : NC_FILL_DOUBLE;
}

static void create(struct shadow *s, const char *path, int format, bool filled)
{
    int dim[3], old, v, at[2];
    char name[] = "v0";

    *s = (struct shadow){.filled = filled};
    OK(nc_create(path, NC_CLOBBER | format, &s->ncid));
    OK(nc_set_fill(s->ncid, filled ? NC_FILL : NC_NOFILL, &old));
    OK(nc_def_dim(s->ncid, "time", NC_UNLIMITED, &dim[0]));
    OK(nc_def_dim(s->ncid, "row", ROWS, &dim[1]));
    OK(nc_def_dim(s->ncid, "column", COLUMNS, &dim[2]));
    for (int i = 0; i < NVARS; i++) {
        name[1] = (char)('0' + i);
        at[0] = has_records(i) ? dim[0] : dim[1];
        at[1] = dim[2];
        OK(nc_def_var(s->ncid, name, types[i], 2, at, &v));
    }
    OK(nc_enddef(s->ncid));
}

/* A small whole number, which every type has, through a call of any type. */
static void put_value(struct shadow *s, int v, const size_t *at)
{
    double value = (double)below(200) - 100;
    float f = (float)value;
    int i = (int)value;
    short h = (short)value;
    signed char c = (signed char)value;
    long long l = (long long)value;

    switch (below(7)) {
    case 0:
        OK(nc_put_var1_float(s->ncid, v, at, &f));
        break;
    case 1:
        OK(nc_put_var1_int(s->ncid, v, at, &i));
        break;
    case 2:
        OK(nc_put_var1_short(s->ncid, v, at, &h));
        break;
    case 3:
        OK(nc_put_var1_schar(s->ncid, v, at, &c));
        break;
    case 4:
        OK(nc_put_var1_longlong(s->ncid, v, at, &l));
        break;
    default:
        OK(nc_put_var1_double(s->ncid, v, at, &value));
    }
    s->is_set[v][at[0]][at[1]] = true;
    s->value[v][at[0]][at[1]] = value;
    if (has_records(v) && at[0] >= s->records)
        s->records = at[0] + 1;
}

static void check_value(const struct shadow *s, int v, const size_t *at)
{
    bool is_set = s->is_set[v][at[0]][at[1]];
    double want = is_set ? s->value[v][at[0]][at[1]] : fill_of(types[v]), got = NAN;
    float f = NAN;

    if (has_records(v) && at[0] >= s->records) {
        assert_int_equal(nc_get_var1_double(s->ncid, v, at, &got), NC_EINVALCOORDS);
        return;
    }
    if (!is_set && !s->filled)
        return;
    OK(nc_get_var1_double(s->ncid, v, at, &got));
    assert_true(got == want);
    OK(nc_get_var1_float(s->ncid, v, at, &f));
    assert_true((double)f == (double)(float)want);
}

/* What does not fit its type is reported, one value at a time too. */
static void check_range(const struct shadow *s)
{
    static const size_t at[2] = {0, 0};
    double large = 1e30, back;
    short two;

    OK(nc_get_var1_double(s->ncid, 1, at, &back));
    assert_int_equal(nc_put_var1_double(s->ncid, 1, at, &large), NC_ERANGE);
    OK(nc_put_var1_double(s->ncid, 1, at, &back));
    OK(nc_put_var1_double(s->ncid, 4, at, &large));
    assert_int_equal(nc_get_var1_short(s->ncid, 4, at, &two), NC_ERANGE);
    assert_int_equal(nc_put_var1_text(s->ncid, 1, at, "x"), NC_ECHAR);
}

static void check_all(const struct shadow *s)
{
    for (int v = 0; v < NVARS; v++)
        for (size_t r = 0; r < ROWS; r++)
            for (size_t c = 0; c < COLUMNS; c++)
                check_value(s, v, (size_t[2]){r, c});
}

/* Mostly neighbours, as programs do it: in the order of the file, or at random. */
static void step(struct shadow *s, size_t *at, int *v)
{
    bool writing = below(100) < 60;

    if (below(20) == 0) {
        *v = (int)below(NVARS);
        at[0] = below(ROWS);
        at[1] = below(COLUMNS);
    } else if (++at[1] == COLUMNS) {
        at[1] = 0;
        at[0] = (at[0] + 1) % ROWS;
    }
    if (writing)
        put_value(s, *v, at);
    else
        check_value(s, *v, at);
    if (below(500) == 0)
        OK(nc_sync(s->ncid));
}

static void run(const char *path, int format, bool filled)
{
    static struct shadow s;
    size_t at[2] = {0, 0};
    int v = 0;

    create(&s, path, format, filled);
    for (int i = 0; i < STEPS; i++)
        step(&s, at, &v);
    if (filled)
        check_range(&s);
    s.is_set[4][0][0] = s.is_set[4][0][0] || filled;
    s.value[4][0][0] = filled ? 1e30 : s.value[4][0][0];
    check_all(&s);
    OK(nc_close(s.ncid));
    OK(nc_open(path, NC_NOWRITE, &s.ncid));
    check_all(&s);
    OK(nc_close(s.ncid));
}

static void single_values(void **state)
{
    (void)state;
    for (int f = 0; f < NFORMATS; f++)
        for (int filled = 0; filled < 2; filled++) {
            run("test_api_single.nc", formats[f], filled);
            run("test_api_single.nc", formats[f] | NC_SHARE, filled);
            if (formats[f] != NC_NETCDF4)
                run("test_api_single_memory.nc", formats[f] | NC_DISKLESS | NC_PERSIST, filled);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(single_values)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
