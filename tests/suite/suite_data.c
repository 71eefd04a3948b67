/* SPDX-License-Identifier: BSD-3-Clause */
/* Data: regions with strides and maps against a plain array in memory, growth of
 * unlimited dimensions, strings, single values, and what is out of bounds. */
#include "container_suite.h"

enum { NX = 13, NY = 17, NZ = 7, N = NX * NY * NZ };

struct region {
    size_t start[3], count[3];
    ptrdiff_t stride[3], imap[3];
};

static const size_t lens[3] = {NX, NY, NZ};

/* A random region, and a map that lays it out in any order of dimensions. */
static struct region some_region(void)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int *order = orders[random_below(6)];
    struct region r;
    ptrdiff_t step = 1;

    for (int d = 0; d < 3; d++) {
        r.stride[d] = 1 + (ptrdiff_t)random_below(4);
        r.start[d] = random_below((unsigned)lens[d]);
        r.count[d] = 1 + random_below((unsigned)((lens[d] - 1 - r.start[d]) / (size_t)r.stride[d] + 1));
    }
    for (int d = 2; d >= 0; d--) {
        r.imap[order[d]] = step;
        step *= (ptrdiff_t)r.count[order[d]];
    }
    return r;
}

#define EACH(r, i, j, k) \
    for (size_t i = 0; i < (r).count[0]; i++) \
        for (size_t j = 0; j < (r).count[1]; j++) \
            for (size_t k = 0; k < (r).count[2]; k++)

static size_t place(const struct region *r, size_t i, size_t j, size_t k)
{
    return ((r->start[0] + i * (size_t)r->stride[0]) * NY + r->start[1] + j * (size_t)r->stride[1]) * NZ + r->start[2] +
           k * (size_t)r->stride[2];
}

static size_t mapped(const struct region *r, size_t i, size_t j, size_t k)
{
    return i * (size_t)r->imap[0] + j * (size_t)r->imap[1] + k * (size_t)r->imap[2];
}

static void put_some(int nc, int v, int *model, int round)
{
    struct region r = some_region();
    int data[N];

    EACH(r, i, j, k)
    {
        int value = round * 10000 + (int)place(&r, i, j, k);
        data[mapped(&r, i, j, k)] = value;
        model[place(&r, i, j, k)] = value;
    }
    OK(nc_put_varm_int(nc, v, r.start, r.count, r.stride, r.imap, data));
}

static void get_some(int nc, int v, const int *model)
{
    struct region r = some_region();
    int data[N];

    OK(nc_get_varm_int(nc, v, r.start, r.count, r.stride, r.imap, data));
    EACH(r, i, j, k)
    assert_int_equal(data[mapped(&r, i, j, k)], model[place(&r, i, j, k)]);
    OK(nc_get_vars_int(nc, v, r.start, r.count, r.stride, data));
    EACH(r, i, j, k)
    assert_int_equal(data[(i * r.count[1] + j) * r.count[2] + k], model[place(&r, i, j, k)]);
}

static int def_block(int nc, const char *name, const int *dims, const size_t *chunks)
{
    int v = def_var(nc, name, NC_INT, 3, dims);

    if (chunks && keeps(CHUNKS))
        OK(nc_def_var_chunking(nc, v, NC_CHUNKED, chunks));
    if (chunks && keeps(FILTERS))
        OK(nc_def_var_deflate(nc, v, 1, 1, 1));
    return v;
}

static void regions_agree_with_an_array(void **state)
{
    static int model[2][N];
    int nc = fresh(), dims[3], got[N];

    for (int d = 0; d < 3; d++)
        dims[d] = def_dim(nc, (const char *[]){"x", "y", "z"}[d], lens[d]);
    def_block(nc, "plain", dims, NULL);
    def_block(nc, "chunked", dims, (size_t[]){5, 4, 7});
    OK(nc_enddef(nc));
    for (int i = 0; i < N; i++)
        model[0][i] = model[1][i] = NC_FILL_INT;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 40; i++)
            for (int v = 0; v < 2; v++) {
                put_some(nc, v, model[v], round);
                get_some(nc, v, model[v]);
            }
        nc = reopened(nc, NC_WRITE);
        for (int v = 0; v < 2; v++) {
            OK(nc_get_var_int(nc, v, got));
            assert_memory_equal(got, model[v], sizeof got);
        }
    }
    done(nc);
}

static void records_are_appended_across_reopening(void **state)
{
    int nc = fresh(), t = def_dim(nc, "t", NC_UNLIMITED), x = def_dim(nc, "x", 3), got[3];
    int v = def_var(nc, "v", NC_INT, 2, (int[]){t, x}), time = def_var(nc, "t", NC_DOUBLE, 1, &t);
    size_t len;
    double when;

    OK(nc_enddef(nc));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5; i++) {
            size_t at[] = {(size_t)(round * 5 + i), 0};
            const int row[] = {round, i, round * i};
            when = (double)at[0] / 4;
            OK(nc_put_vara_int(nc, v, at, (size_t[]){1, 3}, row));
            OK(nc_put_var1_double(nc, time, at, &when));
        }
        OK(nc_sync(nc));
        nc = reopened(nc, NC_WRITE);
    }
    OK(nc_inq_dimlen(nc, t, &len));
    assert_int_equal(len, 15);
    for (size_t i = 0; i < 15; i++) {
        OK(nc_get_vara_int(nc, v, (size_t[]){i, 0}, (size_t[]){1, 3}, got));
        assert_int_equal(got[0], i / 5);
        assert_int_equal(got[1], i % 5);
        assert_int_equal(got[2], (i / 5) * (i % 5));
        OK(nc_get_var1_double(nc, time, &i, &when));
        assert_true(when == (double)i / 4);
    }
    done(nc);
}

static void variables_share_a_growing_dimension(void **state)
{
    int nc = fresh(), t = def_dim(nc, "t", NC_UNLIMITED), a = def_var(nc, "a", NC_INT, 1, &t);
    int b = def_var(nc, "b", NC_INT, 1, &t), values[] = {1, 2, 3, 4}, got[4];

    OK(nc_enddef(nc));
    OK(nc_put_vara_int(nc, a, (size_t[]){0}, (size_t[]){4}, values));
    OK(nc_put_vara_int(nc, b, (size_t[]){0}, (size_t[]){1}, values));
    for (int round = 0; round < 2; round++) {
        OK(nc_get_vara_int(nc, b, (size_t[]){0}, (size_t[]){4}, got));
        assert_int_equal(got[0], 1);
        assert_int_equal(got[1], NC_FILL_INT);
        assert_int_equal(got[3], NC_FILL_INT);
        nc = reopened(nc, NC_NOWRITE);
    }
    FAILS(nc_get_vara_int(nc, b, (size_t[]){0}, (size_t[]){5}, got), NC_EEDGE);
    done(nc);
}

static void bounds_are_checked(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 4), v = def_var(nc, "v", NC_INT, 1, &x), got[8] = {0};
    int s = def_var(nc, "s", NC_INT, 0, NULL);

    OK(nc_enddef(nc));
    FAILS(nc_put_vara_int(nc, v, (size_t[]){5}, (size_t[]){1}, got), NC_EINVALCOORDS);
    FAILS(nc_put_vara_int(nc, v, (size_t[]){4}, (size_t[]){1}, got), NC_EINVALCOORDS);
    OK(nc_put_vara_int(nc, v, (size_t[]){4}, (size_t[]){0}, got));
    FAILS(nc_put_vara_int(nc, v, (size_t[]){2}, (size_t[]){3}, got), NC_EEDGE);
    FAILS(nc_get_vara_int(nc, v, (size_t[]){0}, (size_t[]){SIZE_MAX}, got), NC_EEDGE);
    FAILS(nc_get_vars_int(nc, v, (size_t[]){1}, (size_t[]){3}, (ptrdiff_t[]){2}, got), NC_EEDGE);
    FAILS(nc_get_vars_int(nc, v, (size_t[]){0}, (size_t[]){2}, (ptrdiff_t[]){0}, got), NC_ESTRIDE);
    FAILS(nc_get_vars_int(nc, v, (size_t[]){3}, (size_t[]){2}, (ptrdiff_t[]){-1}, got), NC_ESTRIDE);
    FAILS(nc_get_var1_int(nc, v, (size_t[]){4}, got), NC_EINVALCOORDS);
    OK(nc_put_var1_int(nc, s, NULL, (int[]){9}));
    OK(nc_get_var_int(nc, s, got));
    assert_int_equal(got[0], 9);
    done(nc);
}

static void text_is_kept(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 3), w = def_dim(nc, "w", 5), v = def_var(nc, "v", NC_CHAR, 2, (int[]){x, w});
    int f = def_var(nc, "f", NC_CHAR, 1, &w), number;
    char got[16] = "";

    OK(nc_def_var_fill(nc, f, NC_FILL, "7"));
    OK(nc_enddef(nc));
    OK(nc_put_vara_text(nc, v, (size_t[]){1, 0}, (size_t[]){1, 5}, "hello"));
    FAILS(nc_get_var_int(nc, v, &number), NC_ECHAR);
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var_text(nc, v, got));
    assert_memory_equal(got, "\0\0\0\0\0hello\0\0\0\0\0", 15);
    OK(nc_get_var_text(nc, f, got));
    assert_memory_equal(got, "77777", 5);
    done(nc);
}

static void strings_are_kept(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 4), t = def_dim(nc, "t", NC_UNLIMITED);
    int v = def_var(nc, "v", NC_STRING, 1, &x), r = def_var(nc, "r", NC_STRING, 2, (int[]){t, x});
    const char *words[] = {"one", "", "three", "f\xc3\xbcnf"};
    char *got[8];

    OK(nc_enddef(nc));
    OK(nc_put_vars_string(nc, v, (size_t[]){0}, (size_t[]){2}, (ptrdiff_t[]){2}, words));
    OK(nc_put_vara_string(nc, r, (size_t[]){1, 0}, (size_t[]){1, 4}, words));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var_string(nc, v, got));
    assert_string_equal(got[0], "one");
    assert_string_equal(got[1], "");
    assert_string_equal(got[2], "");
    OK(nc_free_string(4, got));
    OK(nc_get_var_string(nc, r, got));
    assert_string_equal(got[3], "");
    assert_string_equal(got[4], "one");
    assert_string_equal(got[7], "f\xc3\xbcnf");
    OK(nc_free_string(8, got));
    done(nc);
}

static void data_is_seen_before_and_after_sync(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 100), v = def_var(nc, "v", NC_INT, 1, &x), values[100], got[100];

    if (keeps(CHUNKS))
        OK(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){10}));
    OK(nc_enddef(nc));
    for (int i = 0; i < 100; i++)
        values[i] = 100 - i;
    OK(nc_put_var_int(nc, v, values));
    OK(nc_get_var_int(nc, v, got));
    assert_memory_equal(got, values, sizeof got);
    OK(nc_sync(nc));
    values[50] = 12345;
    OK(nc_put_var1_int(nc, v, (size_t[]){50}, &values[50]));
    OK(nc_get_var_int(nc, v, got));
    assert_memory_equal(got, values, sizeof got);
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var_int(nc, v, got));
    assert_memory_equal(got, values, sizeof got);
    done(nc);
}

static void zero_length_dimensions(void **state)
{
    int nc = fresh(), t = def_dim(nc, "t", NC_UNLIMITED), x = def_dim(nc, "x", 3), got[3] = {7, 7, 7};
    int v = def_var(nc, "v", NC_INT, 2, (int[]){t, x});

    OK(nc_enddef(nc));
    OK(nc_get_var_int(nc, v, got));
    OK(nc_put_var_int(nc, v, got));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var_int(nc, v, got));
    assert_int_equal(got[0], 7);
    FAILS(nc_get_vara_int(nc, v, (size_t[]){0, 0}, (size_t[]){1, 3}, got), NC_EINVALCOORDS);
    done(nc);
}

const struct CMUnitTest data_tests[] = {
    cmocka_unit_test(regions_agree_with_an_array),
    cmocka_unit_test(records_are_appended_across_reopening),
    cmocka_unit_test(variables_share_a_growing_dimension),
    cmocka_unit_test(bounds_are_checked),
    cmocka_unit_test(text_is_kept),
    NEEDS(STRINGS, strings_are_kept),
    cmocka_unit_test(data_is_seen_before_and_after_sync),
    cmocka_unit_test(zero_length_dimensions),
};
END_PART(data);
