/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kind of definition in a file that already holds user types, as the first call after nc_open(): what the
 * file has is loaded when it is needed, and then meets objects that the file does not have yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/tree.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH "types.nc"
#define assert_ok(call) assert_int_equal(call, NC_NOERR)

struct pair {
    int i;
    double d;
};

/* A file with the four kinds of types, and a variable and an attribute of one of them. */
static int make(void **state)
{
    static const struct pair pairs[2] = {{1, 2.5}, {3, 4.5}};
    int ncid, pair, other, x, v, group;
    signed char one = 1;

    (void)state;
    assert_ok(nc_create(PATH, NC_NETCDF4 | NC_CLOBBER, &ncid));
    assert_ok(nc_def_dim(ncid, "x", 2, &x));
    assert_ok(nc_def_compound(ncid, sizeof(struct pair), "pair", &pair));
    assert_ok(nc_insert_compound(ncid, pair, "i", offsetof(struct pair, i), NC_INT));
    assert_ok(nc_insert_compound(ncid, pair, "d", offsetof(struct pair, d), NC_DOUBLE));
    assert_ok(nc_def_enum(ncid, NC_BYTE, "flag", &other));
    assert_ok(nc_insert_enum(ncid, other, "one", &one));
    assert_ok(nc_def_opaque(ncid, 8, "blob", &other));
    assert_ok(nc_def_vlen(ncid, "list", NC_INT, &other));
    assert_ok(nc_def_var(ncid, "v", pair, 1, &x, &v));
    assert_ok(nc_put_att(ncid, NC_GLOBAL, "a", pair, 2, pairs));
    assert_ok(nc_def_grp(ncid, "g", &group));
    assert_ok(nc_put_var(ncid, v, pairs));
    assert_ok(nc_close(ncid));
    return 0;
}

static void new_compound(int ncid, int *type)
{
    assert_ok(nc_def_compound(ncid, 4, "new", type));
    assert_ok(nc_insert_compound(ncid, *type, "i", 0, NC_INT));
}

static void new_compound_of_an_old_type(int ncid, int *type)
{
    int pair;

    assert_ok(nc_def_compound(ncid, sizeof(struct pair), "new", type));
    assert_ok(nc_inq_typeid(ncid, "pair", &pair));
    assert_ok(nc_insert_compound(ncid, *type, "p", 0, pair));
}

static void new_enum(int ncid, int *type)
{
    unsigned char one = 1;

    assert_ok(nc_def_enum(ncid, NC_UBYTE, "new", type));
    assert_ok(nc_insert_enum(ncid, *type, "one", &one));
}

static void new_opaque(int ncid, int *type)
{
    assert_ok(nc_def_opaque(ncid, 5, "new", type));
}

static void new_vlen(int ncid, int *type)
{
    assert_ok(nc_def_vlen(ncid, "new", NC_INT, type));
}

static void new_vlen_of_an_old_type(int ncid, int *type)
{
    int pair;

    assert_ok(nc_inq_typeid(ncid, "pair", &pair));
    assert_ok(nc_def_vlen(ncid, "new", pair, type));
}

static void (*const definitions[])(int ncid, int *type) = {
    new_compound, new_compound_of_an_old_type, new_enum, new_opaque, new_vlen, new_vlen_of_an_old_type,
};

enum { NDEFINITIONS = sizeof definitions / sizeof *definitions };

/* What the new type is used for before the file is closed. */
static void use_nothing(int ncid, int group, int type)
{
    (void)ncid, (void)group, (void)type;
}

static void use_for_variable(int ncid, int group, int type)
{
    int x = 0, id;

    (void)ncid;
    assert_ok(nc_def_var(group, "w", type, 1, &x, &id));
}

static void use_beside_old_variable(int ncid, int group, int type)
{
    struct pair got[2];
    int v;

    (void)group, (void)type;
    assert_ok(nc_inq_varid(ncid, "v", &v));
    assert_ok(nc_get_var(ncid, v, got));
    assert_int_equal(got[1].i, 3);
}

static void use_beside_old_attribute(int ncid, int group, int type)
{
    struct pair got[2];

    (void)group, (void)type;
    assert_ok(nc_get_att(ncid, NC_GLOBAL, "a", got));
    assert_int_equal(got[1].i, 3);
}

static void use_after_rename(int ncid, int group, int type)
{
    int x = 0, id;

    assert_ok(nc_rename_grp(group, "renamed"));
    assert_ok(nc_rename_var(ncid, 0, "v2"));
    assert_ok(nc_def_var(ncid, "w", type, 1, &x, &id));
    assert_ok(nc_rename_var(ncid, 0, "v"));
}

static void (*const uses[])(int ncid, int group, int type) = {
    use_nothing, use_for_variable, use_beside_old_variable, use_beside_old_attribute, use_after_rename,
};

enum { NUSES = sizeof uses / sizeof *uses };

static void check(int old_types, int new_types)
{
    struct pair got[2];
    int ncid, n, groups[2], v;

    assert_ok(nc_open(PATH, NC_NOWRITE, &ncid));
    assert_ok(nc_inq_typeids(ncid, &n, NULL));
    assert_int_equal(n, old_types);
    assert_ok(nc_inq_grps(ncid, NULL, groups));
    assert_ok(nc_inq_typeids(groups[0], &n, NULL));
    assert_int_equal(n, new_types);
    assert_ok(nc_inq_varid(ncid, "v", &v));
    assert_ok(nc_get_var(ncid, v, got));
    assert_int_equal(got[0].i, 1);
    assert_true(got[1].d == 4.5);
    assert_ok(nc_close(ncid));
}

static void add_type(int definition, int use, int in_group, int redef)
{
    int ncid, group, type;

    make(NULL);
    assert_ok(nc_open(PATH, NC_WRITE, &ncid));
    assert_ok(nc_inq_grps(ncid, NULL, &group));
    if (redef)
        assert_ok(nc_redef(ncid));
    definitions[definition](in_group ? group : ncid, &type);
    uses[use](ncid, group, type);
    assert_ok(nc_close(ncid));
    check(in_group ? 4 : 5, in_group ? 1 : 0);
}

static void types_before_any_inquiry(void **state)
{
    (void)state;
    for (int i = 0; i < NDEFINITIONS * NUSES * 4; i++)
        add_type(i / 4 / NUSES, i / 4 % NUSES, i / 2 % 2, i % 2);
}

/* The other definitions, which have no type of the file to load, or only one. */
static void all_else_before_any_inquiry(void **state)
{
    static const struct pair one = {7, 8.5};
    int ncid, dim, id, group;

    (void)state;
    make(NULL);
    assert_ok(nc_open(PATH, NC_WRITE, &ncid));
    assert_ok(nc_def_grp(ncid, "h", &group));
    assert_ok(nc_def_dim(group, "y", 3, &dim));
    assert_ok(nc_def_var(group, "v", NC_FIRSTUSERTYPEID, 1, &dim, &id));
    assert_ok(nc_def_var_fill(group, id, NC_FILL, &one));
    assert_ok(nc_put_att(group, id, "b", NC_FIRSTUSERTYPEID, 1, &one));
    assert_ok(nc_put_att(group, NC_GLOBAL, "b", NC_FIRSTUSERTYPEID, 1, &one));
    assert_ok(nc_del_att(ncid, NC_GLOBAL, "a"));
    assert_ok(nc_rename_dim(ncid, 0, "z"));
    assert_ok(nc_close(ncid));
    check(4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_before_any_inquiry),
        cmocka_unit_test(all_else_before_any_inquiry),
    };
    char folder[] = "regress_11_XXXXXX";
    int failed;

    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (chdir("..") == 0)
        remove_tree(folder);
    return failed;
}
