/* SPDX-License-Identifier: BSD-3-Clause */
/* Structure: groups, dimensions, variables and what is chosen for them. */
#include "container_suite.h"

static void groups_nest(void **state)
{
    int nc = fresh(), a, b, found, n, ids[4];
    char name[64];
    size_t len;

    OK(nc_def_grp(nc, "a", &a));
    OK(nc_def_grp(a, "b", &b));
    OK(nc_def_grp(nc, "z", &found));
    def_var(b, "v", NC_INT, 0, NULL);
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_grps(nc, &n, ids));
    assert_int_equal(n, 2);
    OK(nc_inq_grpname(ids[0], name));
    assert_string_equal(name, "a");
    OK(nc_inq_grp_full_ncid(nc, "/a/b", &b));
    OK(nc_inq_grpname_full(b, &len, name));
    assert_string_equal(name, "/a/b");
    assert_int_equal(len, 4);
    OK(nc_inq_grp_parent(b, &found));
    OK(nc_inq_grpname(found, name));
    assert_string_equal(name, "a");
    FAILS(nc_inq_grp_parent(nc, &found), NC_ENOGRP);
    FAILS(nc_inq_grp_ncid(nc, "none", &found), NC_ENOGRP);
    OK(nc_inq_varid(b, "v", &n));
    FAILS(nc_inq_varid(nc, "v", &n), NC_ENOTVAR);
    done(nc);
}

static void a_group_is_renamed_after_reopening(void **state)
{
    int nc = fresh(), a, g;
    char name[64];

    OK(nc_def_grp(nc, "a", &a));
    OK(nc_def_grp(a, "inner", &g));
    nc = reopened(nc, NC_WRITE);
    OK(nc_rename_grp(group_named(nc, "a"), "other"));
    nc = reopened(nc, NC_NOWRITE);
    FAILS(nc_inq_grp_ncid(nc, "a", &g), NC_ENOGRP);
    OK(nc_inq_grp_full_ncid(nc, "/other/inner", &g));
    OK(nc_inq_grpname(g, name));
    assert_string_equal(name, "inner");
    done(nc);
}

static void dimensions_are_inherited(void **state)
{
    int nc = fresh(), g, x, gx, found, n, ids[8], v;
    size_t len;

    x = def_dim(nc, "x", 3);
    OK(nc_def_grp(nc, "g", &g));
    gx = def_dim(g, "y", 4);
    def_var(g, "v", NC_SHORT, 2, (int[]){x, gx});
    FAILS(nc_inq_dimid(nc, "y", &found), NC_EBADDIM);
    nc = reopened(nc, NC_NOWRITE);
    g = group_named(nc, "g");
    OK(nc_inq_dimid(g, "x", &found));
    assert_int_equal(found, x);
    OK(nc_inq_dimlen(g, found, &len));
    assert_int_equal(len, 3);
    OK(nc_inq_dimids(g, &n, ids, 0));
    assert_int_equal(n, 1);
    OK(nc_inq_dimids(g, &n, ids, 1));
    assert_int_equal(n, 2);
    v = var_named(g, "v");
    OK(nc_inq_vardimid(g, v, ids));
    assert_int_equal(ids[0], x);
    assert_int_equal(ids[1], gx);
    done(nc);
}

static void the_same_name_in_two_groups(void **state)
{
    int nc = fresh(), g, outer, inner, v, id;
    size_t len;

    outer = def_dim(nc, "x", 3);
    OK(nc_def_grp(nc, "g", &g));
    inner = def_dim(g, "x", 5);
    assert_int_not_equal(outer, inner);
    def_var(g, "x", NC_INT, 1, &inner);
    def_var(g, "w", NC_INT, 1, &outer);
    nc = reopened(nc, NC_NOWRITE);
    g = group_named(nc, "g");
    OK(nc_inq_vardimid(g, var_named(g, "x"), &id));
    OK(nc_inq_dimlen(g, id, &len));
    assert_int_equal(len, 5);
    v = var_named(g, "w");
    OK(nc_inq_vardimid(g, v, &id));
    OK(nc_inq_dimlen(g, id, &len));
    assert_int_equal(len, 3);
    done(nc);
}

static void dimensions_of_other_groups_serve(void **state)
{
    int nc = fresh(), g, h, x, y, ids[2];
    char name[NC_MAX_NAME + 1];

    OK(nc_def_grp(nc, "g", &g));
    OK(nc_def_grp(nc, "h", &h));
    x = def_dim(g, "x", 3);
    y = def_dim(h, "y", 4);
    def_var(nc, "v", NC_INT, 2, (int[]){x, y});
    def_var(g, "w", NC_INT, 1, &y);
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_vardimid(nc, var_named(nc, "v"), ids));
    OK(nc_inq_dimname(nc, ids[0], name));
    assert_string_equal(name, "x");
    OK(nc_inq_dimname(nc, ids[1], name));
    assert_string_equal(name, "y");
    g = group_named(nc, "g");
    OK(nc_inq_vardimid(g, var_named(g, "w"), ids));
    OK(nc_inq_dimname(g, ids[0], name));
    assert_string_equal(name, "y");
    done(nc);
}

static void one_dimension_is_unlimited(void **state)
{
    int nc = fresh(), t = def_dim(nc, "t", NC_UNLIMITED), x = def_dim(nc, "x", 3), unlimited;
    int v = def_var(nc, "v", NC_INT, 2, (int[]){t, x});
    const int row[] = {1, 2, 3};
    size_t len;

    OK(nc_enddef(nc));
    OK(nc_put_vara_int(nc, v, (size_t[]){4, 0}, (size_t[]){1, 3}, row));
    OK(nc_inq_dimlen(nc, t, &len));
    assert_int_equal(len, 5);
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_unlimdim(nc, &unlimited));
    assert_int_equal(unlimited, t);
    OK(nc_inq_dimlen(nc, t, &len));
    assert_int_equal(len, 5);
    OK(nc_inq_dimlen(nc, x, &len));
    assert_int_equal(len, 3);
    done(nc);
}

static void several_dimensions_are_unlimited(void **state)
{
    int nc = fresh(), t = def_dim(nc, "t", NC_UNLIMITED), u = def_dim(nc, "u", NC_UNLIMITED), n, ids[4], got[15];
    int v = def_var(nc, "v", NC_INT, 2, (int[]){t, u});
    size_t len;
    const int row[] = {1, 2, 3};

    OK(nc_enddef(nc));
    OK(nc_put_vara_int(nc, v, (size_t[]){0, 0}, (size_t[]){1, 3}, row));
    OK(nc_put_vara_int(nc, v, (size_t[]){2, 2}, (size_t[]){1, 3}, row));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_unlimdims(nc, &n, ids));
    assert_int_equal(n, 2);
    OK(nc_inq_dimlen(nc, t, &len));
    assert_int_equal(len, 3);
    OK(nc_inq_dimlen(nc, u, &len));
    assert_int_equal(len, 5);
    OK(nc_get_var_int(nc, v, got));
    assert_int_equal(got[0], 1);
    assert_int_equal(got[3], NC_FILL_INT);
    assert_int_equal(got[5], NC_FILL_INT);
    assert_int_equal(got[12], 1);
    assert_int_equal(got[14], 3);
    done(nc);
}

static void dimensions_are_renamed(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 3), y = def_dim(nc, "y", 4), id;
    const int values[] = {7, 8, 9};
    int got[3];
    size_t len;

    def_var(nc, "x", NC_INT, 1, &x);
    def_var(nc, "q", NC_INT, 1, &y);
    OK(nc_rename_dim(nc, y, "yy"));
    OK(nc_enddef(nc));
    OK(nc_put_var_int(nc, 0, values));
    nc = reopened(nc, NC_WRITE);
    OK(nc_inq_dimid(nc, "yy", &id));
    FAILS(nc_inq_dimid(nc, "y", &id), NC_EBADDIM);
    OK(nc_inq_dimid(nc, "x", &id));
    define_again(nc);
    OK(nc_rename_dim(nc, id, "lon"));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_dimid(nc, "lon", &id));
    OK(nc_inq_dimlen(nc, id, &len));
    assert_int_equal(len, 3);
    FAILS(nc_inq_dimid(nc, "x", &id), NC_EBADDIM);
    OK(nc_inq_vardimid(nc, var_named(nc, "x"), &id));
    OK(nc_inq_dimlen(nc, id, &len));
    assert_int_equal(len, 3);
    OK(nc_get_var_int(nc, var_named(nc, "x"), got));
    assert_memory_equal(got, values, sizeof got);
    done(nc);
}

static void dimension_and_variable_are_renamed_together(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 3), v = def_var(nc, "x", NC_INT, 1, &x), id, got[3];
    const int values[] = {7, 8, 9};

    OK(nc_enddef(nc));
    OK(nc_put_var_int(nc, v, values));
    nc = reopened(nc, NC_WRITE);
    define_again(nc);
    OK(nc_rename_dim(nc, x, "lon"));
    OK(nc_rename_var(nc, v, "lon"));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_dimid(nc, "lon", &id));
    FAILS(nc_inq_varid(nc, "x", &v), NC_ENOTVAR);
    v = var_named(nc, "lon");
    OK(nc_get_var_int(nc, v, got));
    assert_memory_equal(got, values, sizeof got);
    OK(nc_inq_vardimid(nc, v, &x));
    assert_int_equal(x, id);
    done(nc);
}

static void a_variable_takes_the_name_of_a_dimension(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 3), y = def_dim(nc, "y", 4), id;
    int v = def_var(nc, "v", NC_INT, 1, &x), w = def_var(nc, "y", NC_INT, 1, &x); /* y is no coordinate of y */
    const int values[] = {7, 8, 9};
    int got[3];

    OK(nc_enddef(nc));
    OK(nc_put_var_int(nc, v, values));
    OK(nc_put_var_int(nc, w, values));
    nc = reopened(nc, NC_WRITE);
    define_again(nc);
    OK(nc_rename_var(nc, var_named(nc, "v"), "x"));
    nc = reopened(nc, NC_NOWRITE);
    for (int i = 0; i < 2; i++) {
        v = var_named(nc, i ? "x" : "y");
        OK(nc_inq_vardimid(nc, v, &id));
        assert_int_equal(id, x);
        OK(nc_get_var_int(nc, v, got));
        assert_memory_equal(got, values, sizeof got);
    }
    OK(nc_inq_dimid(nc, "y", &id));
    assert_int_equal(id, y);
    done(nc);
}

static void variables_exchange_their_names(void **state)
{
    int nc = fresh(), a = def_var(nc, "a", NC_INT, 0, NULL), b = def_var(nc, "b", NC_INT, 0, NULL), got;
    const int one = 1, two = 2;

    OK(nc_enddef(nc));
    OK(nc_put_var_int(nc, a, &one));
    OK(nc_put_var_int(nc, b, &two));
    nc = reopened(nc, NC_WRITE);
    define_again(nc);
    OK(nc_rename_var(nc, a, "tmp"));
    OK(nc_rename_var(nc, b, "a"));
    OK(nc_rename_var(nc, a, "b"));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var_int(nc, var_named(nc, "a"), &got));
    assert_int_equal(got, 2);
    OK(nc_get_var_int(nc, var_named(nc, "b"), &got));
    assert_int_equal(got, 1);
    done(nc);
}

static void names_are_unicode(void **state)
{
    static const char composed[] = "temp\xc3\xa9rature", apart[] = "tempe\xcc\x81rature";
    int nc = fresh(), v, other;
    char name[NC_MAX_NAME + 1];

    v = def_var(nc, apart, NC_INT, 0, NULL);
    FAILS(nc_def_var(nc, composed, NC_INT, 0, NULL, &other), NC_ENAMEINUSE);
    FAILS(nc_def_var(nc, "a/b", NC_INT, 0, NULL, &other), NC_EBADNAME);
    FAILS(nc_def_var(nc, "trailing ", NC_INT, 0, NULL, &other), NC_EBADNAME);
    def_var(nc, "with blank, (and) more: %$", NC_INT, 0, NULL);
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_varname(nc, v, name));
    assert_string_equal(name, composed);
    assert_int_equal(var_named(nc, apart), v);
    assert_int_equal(var_named(nc, "with blank, (and) more: %$"), 1);
    done(nc);
}

static void order_is_kept(void **state)
{
    static const char *const names[] = {"z", "a", "m", "b"};
    int nc = fresh(), n;
    char name[NC_MAX_NAME + 1];

    for (int i = 0; i < 4; i++) {
        def_dim(nc, names[i], (size_t)i + 2);
        def_var(nc, names[i], NC_INT, 1, &i);
    }
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_nvars(nc, &n));
    assert_int_equal(n, 4);
    for (int i = 0; i < 4; i++) {
        size_t len;
        OK(nc_inq_varname(nc, i, name));
        assert_string_equal(name, names[i]);
        OK(nc_inq_dim(nc, i, name, &len));
        assert_string_equal(name, names[i]);
        assert_int_equal(len, i + 2);
    }
    done(nc);
}

static void definitions_continue_after_reopening(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 3), y, v;
    const int values[] = {7, 8, 9};
    int got[3];

    nc = reopened(nc, NC_WRITE);
    define_again(nc);
    y = def_dim(nc, "y", 2);
    v = def_var(nc, "v", NC_INT, 1, &x);
    def_var(nc, "w", NC_FLOAT, 2, (int[]){x, y});
    OK(nc_put_att_int(nc, v, "n", NC_INT, 1, values));
    OK(nc_enddef(nc));
    OK(nc_put_var_int(nc, v, values));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var_int(nc, var_named(nc, "v"), got));
    assert_memory_equal(got, values, sizeof got);
    OK(nc_get_att_int(nc, v, "n", got));
    assert_int_equal(got[0], 7);
    done(nc);
}

static void modes_have_rules(void **state)
{
    int nc = fresh(), v = def_var(nc, "v", NC_INT, 0, NULL), id, seven = 7;

    if (!keeps(FREE_DEFINITION)) {
        FAILS(nc_put_var_int(nc, v, &seven), NC_EINDEFINE);
        FAILS(nc_redef(nc), NC_EINDEFINE);
    }
    OK(nc_enddef(nc));
    FAILS(nc_enddef(nc), NC_ENOTINDEFINE);
    OK(nc_put_var_int(nc, v, &seven));
    if (keeps(FREE_DEFINITION)) {
        OK(nc_def_dim(nc, "x", 3, &id));
        OK(nc_put_att_int(nc, v, "a", NC_INT, 1, &seven));
    } else {
        FAILS(nc_def_dim(nc, "x", 3, &id), NC_ENOTINDEFINE);
        FAILS(nc_def_var(nc, "w", NC_INT, 0, NULL, &id), NC_ENOTINDEFINE);
        FAILS(nc_put_att_int(nc, v, "a", NC_INT, 1, &seven), NC_ENOTINDEFINE);
        FAILS(nc_rename_var(nc, v, "longer"), NC_ENOTINDEFINE);
        OK(nc_redef(nc));
        OK(nc_def_dim(nc, "x", 3, &id));
    }
    nc = reopened(nc, NC_NOWRITE);
    FAILS(nc_redef(nc), NC_EPERM);
    FAILS(nc_def_dim(nc, "y", 3, &id), here->flags & NC_NETCDF4 ? NC_EPERM : NC_ENOTINDEFINE);
    FAILS(nc_def_var(nc, "w", NC_INT, 0, NULL, &id),
          here->flags & NC_NETCDF4 && !(here->flags & NC_CLASSIC_MODEL) ? NC_EPERM : NC_ENOTINDEFINE);
    FAILS(nc_rename_dim(nc, 0, "q"), NC_EPERM);
    FAILS(nc_rename_var(nc, v, "q"), NC_EPERM);
    FAILS(nc_put_att_int(nc, v, "a", NC_INT, 1, &seven), NC_EPERM);
    FAILS(nc_del_att(nc, v, "a"), here->flags & NC_NETCDF4 ? NC_EPERM : NC_ENOTINDEFINE);
    FAILS(nc_put_var_int(nc, v, &seven), NC_EPERM);
    done(nc);
}

static void bad_ids_are_refused(void **state)
{
    int nc = fresh(), id, v = def_var(nc, "v", NC_INT, 0, NULL), n;
    size_t len;

    FAILS(nc_inq_dimlen(nc, 5, &len), NC_EBADDIM);
    FAILS(nc_inq_varname(nc, 7, (char[NC_MAX_NAME + 1]){0}), NC_ENOTVAR);
    FAILS(nc_inq_varndims(nc, -3, &n), NC_ENOTVAR);
    FAILS(nc_def_var(nc, "w", NC_INT, 1, (int[]){9}, &id), NC_EBADDIM);
    FAILS(nc_def_var(nc, "v", NC_INT, 0, NULL, &id), NC_ENAMEINUSE);
    FAILS(nc_inq_att(nc, v, "none", NULL, NULL), NC_ENOTATT);
    FAILS(nc_inq_varid(nc, "none", &id), NC_ENOTVAR);
    FAILS(nc_inq_dimid(nc, "none", &id), NC_EBADDIM);
    OK(nc_close(nc));
    FAILS(nc_inq_nvars(nc, &n), NC_EBADID);
    FAILS(nc_close(nc), NC_EBADID);
}

/* --- storage, fill, byte order, filters ----------------------------------------------- */

static void expect_storage(int nc, const char *name, int want, size_t chunk)
{
    int v = var_named(nc, name), storage = -1;
    size_t chunks[4] = {0};

    OK(nc_inq_var_chunking(nc, v, &storage, chunks));
    assert_int_equal(storage, want);
    if (want == NC_CHUNKED)
        assert_int_equal(chunks[0], chunk);
}

static void expect_storages(int nc)
{
    if (keeps(CONTIGUOUS)) {
        expect_storage(nc, "plain", NC_CONTIGUOUS, 0);
        expect_storage(nc, "contiguous", NC_CONTIGUOUS, 0);
    }
    if (keeps(COMPACT))
        expect_storage(nc, "compact", NC_COMPACT, 0);
    if (keeps(CHUNKS)) {
        expect_storage(nc, "chunked", NC_CHUNKED, 7);
        expect_storage(nc, "default", NC_CHUNKED, 20);
        expect_storage(nc, "record", NC_CHUNKED, 1024);
    }
}

static void storage_is_kept(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 20), t = def_dim(nc, "t", NC_UNLIMITED), v, values[20], got[20];

    def_var(nc, "plain", NC_INT, 1, &x);
    v = def_var(nc, "contiguous", NC_INT, 1, &x);
    if (keeps(CONTIGUOUS | CHUNKS))
        OK(nc_def_var_chunking(nc, v, NC_CONTIGUOUS, NULL));
    v = def_var(nc, "compact", NC_INT, 1, &x);
    if (keeps(COMPACT))
        OK(nc_def_var_chunking(nc, v, NC_COMPACT, NULL));
    v = def_var(nc, "chunked", NC_INT, 1, &x);
    if (keeps(CHUNKS))
        OK(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){7}));
    v = def_var(nc, "default", NC_INT, 1, &x);
    if (keeps(CHUNKS))
        OK(nc_def_var_chunking(nc, v, NC_CHUNKED, NULL));
    def_var(nc, "record", NC_INT, 1, &t);
    expect_storages(nc);
    OK(nc_enddef(nc));
    for (int i = 0; i < 20; i++)
        values[i] = i * i - 7;
    for (v = 0; v < 5; v++)
        OK(nc_put_var_int(nc, v, values));
    nc = reopened(nc, NC_NOWRITE);
    expect_storages(nc);
    for (v = 0; v < 5; v++) {
        OK(nc_get_var_int(nc, v, got));
        assert_memory_equal(got, values, sizeof got);
    }
    done(nc);
}

static void storage_has_rules(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 20), t = def_dim(nc, "t", NC_UNLIMITED), big = def_dim(nc, "big", 16385);
    int s = def_var(nc, "s", NC_INT, 0, NULL), v = def_var(nc, "v", NC_INT, 1, &x), r = def_var(nc, "r", NC_INT, 1, &t);
    int b = def_var(nc, "b", NC_INT, 1, &big);

    FAILS(nc_def_var_chunking(nc, s, NC_CHUNKED, (size_t[]){1}), NC_EINVAL);
    FAILS(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){21}), NC_EBADCHUNK);
    FAILS(nc_def_var_chunking(nc, r, NC_CHUNKED, (size_t[]){(size_t)1 << 30}), NC_EBADCHUNK);
    FAILS(nc_def_var_chunking(nc, 9, NC_CHUNKED, (size_t[]){1}), NC_ENOTVAR);
    if (keeps(CONTIGUOUS))
        FAILS(nc_def_var_chunking(nc, r, NC_CONTIGUOUS, NULL), NC_EINVAL);
    if (keeps(COMPACT)) {
        FAILS(nc_def_var_chunking(nc, r, NC_COMPACT, NULL), NC_EINVAL);
        FAILS(nc_def_var_chunking(nc, b, NC_COMPACT, NULL), NC_EVARSIZE);
    }
    OK(nc_enddef(nc));
    FAILS(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){2}), NC_ELATEDEF);
    nc = reopened(nc, NC_NOWRITE);
    FAILS(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){2}), NC_EPERM);
    done(nc);
}

static void fill_is_kept(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 4), plain = def_var(nc, "plain", NC_INT, 1, &x);
    int set = def_var(nc, "set", NC_INT, 1, &x), att = def_var(nc, "att", NC_INT, 1, &x);
    int off = def_var(nc, "off", NC_INT, 1, &x), no_fill = 9, value = 0, got[4];
    const int five = 5, six = 6;

    OK(nc_def_var_fill(nc, set, NC_FILL, &five));
    OK(nc_put_att_int(nc, att, "_FillValue", NC_INT, 1, &six));
    OK(nc_def_var_fill(nc, off, NC_NOFILL, NULL));
    if (keeps(ATT_RULES)) {
        FAILS(nc_put_att_int(nc, plain, "_FillValue", NC_FLOAT, 1, &six), NC_EBADTYPE);
        FAILS(nc_put_att_int(nc, plain, "_FillValue", NC_INT, 2, (int[]){1, 2}), NC_EINVAL);
    }
    OK(nc_enddef(nc));
    if (keeps(ATT_RULES)) {
        FAILS(nc_put_att_int(nc, set, "_FillValue", NC_INT, 1, &six), NC_ELATEFILL);
        FAILS(nc_def_var_fill(nc, set, NC_FILL, &six), NC_ELATEDEF);
    }
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var_int(nc, plain, got));
    assert_int_equal(got[3], NC_FILL_INT);
    OK(nc_get_var_int(nc, set, got));
    assert_int_equal(got[0], 5);
    OK(nc_get_var_int(nc, att, got));
    assert_int_equal(got[2], 6);
    OK(nc_inq_var_fill(nc, set, &no_fill, &value));
    assert_int_equal(no_fill, 0);
    assert_int_equal(value, 5);
    OK(nc_get_att_int(nc, set, "_FillValue", &value));
    assert_int_equal(value, 5);
    FAILS(nc_get_att_int(nc, plain, "_FillValue", &value), NC_ENOTATT);
    OK(nc_inq_var_fill(nc, plain, &no_fill, &value));
    assert_int_equal(no_fill, 0);
    assert_int_equal(value, NC_FILL_INT);
    OK(nc_inq_var_fill(nc, off, &no_fill, NULL));
    if (keeps(NO_FILL))
        assert_int_equal(no_fill, 1);
    done(nc);
}

static void byte_order_is_kept(void **state)
{
    static const int orders[] = {NC_ENDIAN_NATIVE, NC_ENDIAN_LITTLE, NC_ENDIAN_BIG};
    static const nc_type types[] = {NC_SHORT, NC_INT, NC_FLOAT, NC_DOUBLE};
    int nc = fresh(), x = def_dim(nc, "x", 5), v, c, order;
    const double values[] = {1, -2, 300, 4.5, 1e4};
    char name[16];

    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "v%d", i);
        v = def_var(nc, name, types[i / 3], 1, &x);
        OK(nc_def_var_endian(nc, v, orders[i % 3]));
        if (keeps(CHUNKS) && i % 2)
            OK(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){2}));
    }
    c = def_var(nc, "c", NC_CHAR, 1, &x);
    FAILS(nc_def_var_endian(nc, c, NC_ENDIAN_BIG), NC_EINVAL);
    OK(nc_enddef(nc));
    for (v = 0; v < 12; v++)
        OK(nc_put_var_double(nc, v, values));
    nc = reopened(nc, NC_NOWRITE);
    for (v = 0; v < 12; v++) {
        double got[5];
        OK(nc_inq_var_endian(nc, v, &order));
        if (orders[v % 3] != NC_ENDIAN_NATIVE)
            assert_int_equal(order, orders[v % 3]);
        OK(nc_get_var_double(nc, v, got));
        for (int i = 0; i < 5; i++)
            assert_true(got[i] == (types[v / 3] < NC_FLOAT ? (double)(int)values[i] : values[i]));
    }
    done(nc);
}

static void filters_are_kept(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 1000), v = def_var(nc, "v", NC_INT, 1, &x), s, values[1000], got[1000];
    int shuffle, deflate, level, checksum;

    s = def_var(nc, "s", NC_INT, 0, NULL);
    OK(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){300}));
    OK(nc_def_var_deflate(nc, v, 1, 1, 6));
    OK(nc_def_var_fletcher32(nc, v, NC_FLETCHER32));
    FAILS(nc_def_var_deflate(nc, s, 0, 1, 1), NC_EINVAL);
    FAILS(nc_def_var_deflate(nc, v, 0, 1, 10), NC_EINVAL);
    FAILS(nc_def_var_chunking(nc, v, NC_CONTIGUOUS, NULL), NC_EINVAL);
    OK(nc_enddef(nc));
    FAILS(nc_def_var_deflate(nc, v, 1, 1, 6), NC_ELATEDEF);
    for (int i = 0; i < 1000; i++)
        values[i] = i / 3 * 1000;
    OK(nc_put_var_int(nc, v, values));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_var_deflate(nc, v, &shuffle, &deflate, &level));
    assert_int_equal(shuffle, 1);
    assert_int_equal(deflate, 1);
    assert_int_equal(level, 6);
    OK(nc_inq_var_fletcher32(nc, v, &checksum));
    assert_int_equal(checksum, NC_FLETCHER32);
    OK(nc_get_var_int(nc, v, got));
    assert_memory_equal(got, values, sizeof got);
    done(nc);
}

const struct CMUnitTest define_tests[] = {
    cmocka_unit_test(order_is_kept),
    cmocka_unit_test(names_are_unicode),
    cmocka_unit_test(one_dimension_is_unlimited),
    cmocka_unit_test(dimensions_are_renamed),
    cmocka_unit_test(dimension_and_variable_are_renamed_together),
    cmocka_unit_test(a_variable_takes_the_name_of_a_dimension),
    cmocka_unit_test(variables_exchange_their_names),
    cmocka_unit_test(definitions_continue_after_reopening),
    cmocka_unit_test(modes_have_rules),
    cmocka_unit_test(bad_ids_are_refused),
    cmocka_unit_test(storage_is_kept),
    cmocka_unit_test(fill_is_kept),
    NEEDS(ENDIANNESS, byte_order_is_kept),
    NEEDS(FILTERS, filters_are_kept),
    NEEDS(CHUNKS, storage_has_rules),
    NEEDS(GROUPS, groups_nest),
    NEEDS(GROUPS, a_group_is_renamed_after_reopening),
    NEEDS(GROUPS, dimensions_are_inherited),
    NEEDS(GROUPS, the_same_name_in_two_groups),
    NEEDS(GROUPS, dimensions_of_other_groups_serve),
    NEEDS(UNLIMITED, several_dimensions_are_unlimited),
};
END_PART(define);
