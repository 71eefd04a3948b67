/* SPDX-License-Identifier: BSD-3-Clause */
/* nc_abort() in every state of a file, in every container: it forgets the definitions since nc_redef() and
 * keeps everything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "containers.h"
#include <sys/stat.h>

#define assert_ok(call) assert_int_equal(call, NC_NOERR)

static const int values[4] = {1, 2, 3, 4};

/* A fixed and a record variable, three records. */
static int make(const struct container *c)
{
    int ncid, dims[2], fixed, record;

    assert_ok(nc_create(container_path(c, "abort"), NC_CLOBBER | c->mode, &ncid));
    assert_ok(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    assert_ok(nc_def_dim(ncid, "x", 4, &dims[1]));
    assert_ok(nc_def_var(ncid, "fixed", NC_INT, 1, &dims[1], &fixed));
    assert_ok(nc_def_var(ncid, "record", NC_SHORT, 2, dims, &record));
    assert_ok(nc_enddef(ncid));
    assert_ok(nc_put_var_int(ncid, fixed, values));
    for (size_t t = 0; t < 3; t++)
        assert_ok(nc_put_vara_int(ncid, record, (size_t[]){t, 0}, (size_t[]){1, 4}, values));
    return ncid;
}

static int open_again(const struct container *c, int ncid, int mode)
{
    assert_ok(nc_close(ncid));
    assert_ok(nc_open(container_path(c, "abort"), mode, &ncid));
    return ncid;
}

static void check_as_made(const struct container *c)
{
    int ncid, nvars, ndims, natts, id, got[12];
    struct stat st;
    size_t len;

    assert_ok(nc_open(container_path(c, "abort"), NC_NOWRITE, &ncid));
    assert_ok(nc_inq(ncid, &ndims, &nvars, &natts, NULL));
    assert_int_equal(nvars, 2);
    assert_int_equal(ndims, 2);
    assert_int_equal(natts, 0);
    assert_ok(nc_inq_dimid(ncid, "t", &id));
    assert_ok(nc_inq_dimlen(ncid, id, &len));
    assert_int_equal(len, 3);
    assert_ok(nc_get_var_int(ncid, 0, got));
    assert_memory_equal(got, values, sizeof values);
    assert_ok(nc_get_var_int(ncid, 1, got));
    for (int t = 0; t < 3; t++)
        assert_memory_equal(got + 4 * t, values, sizeof values);
    assert_ok(nc_close(ncid));
    if (stat(container_path(c, "abort"), &st) == 0)
        assert_in_range(st.st_size, 0, 100000);
}

static void in_data_mode(const struct container *c)
{
    assert_ok(nc_abort(make(c)));
}

static void for_reading(const struct container *c)
{
    assert_ok(nc_abort(open_again(c, make(c), NC_NOWRITE)));
}

static void after_redef(const struct container *c)
{
    int ncid = make(c);

    assert_ok(nc_redef(ncid));
    assert_ok(nc_abort(ncid));
}

static void define_more(const struct container *c, int ncid)
{
    int dims[2] = {0, -1}, id;

    if (c->mode == NC_NETCDF4)
        assert_ok(nc_def_grp(ncid, "group", &id));
    assert_ok(nc_inq_dimid(ncid, "t", &dims[0]));
    assert_ok(nc_def_dim(ncid, "y", 3, &dims[1]));
    assert_ok(nc_def_var(ncid, "more_fixed", NC_INT, 1, &dims[1], &id));
    assert_ok(nc_def_var(ncid, "more_records", NC_DOUBLE, 2, dims, &id));
    assert_ok(nc_put_att_text(ncid, NC_GLOBAL, "title", 5, "title"));
}

static void after_definitions(const struct container *c)
{
    int ncid = make(c);

    assert_ok(nc_redef(ncid));
    define_more(c, ncid);
    assert_ok(nc_abort(ncid));
}

static void after_definitions_in_an_old_file(const struct container *c)
{
    int ncid = open_again(c, make(c), NC_WRITE);

    assert_ok(nc_redef(ncid));
    define_more(c, ncid);
    assert_ok(nc_abort(ncid));
}

/* What was put before the definitions is kept, also what is still on its way. */
static void after_put_and_definitions(const struct container *c)
{
    int ncid = open_again(c, make(c), NC_WRITE), zeros[4] = {0};

    assert_ok(nc_put_var_int(ncid, 0, zeros));
    assert_ok(nc_put_var_int(ncid, 0, values));
    assert_ok(nc_redef(ncid));
    define_more(c, ncid);
    assert_ok(nc_abort(ncid));
}

static void after_renames(const struct container *c)
{
    int ncid = open_again(c, make(c), NC_WRITE), id;

    assert_ok(nc_redef(ncid));
    assert_ok(nc_rename_var(ncid, 0, "a_much_longer_name"));
    assert_ok(nc_put_att_text(ncid, 0, "units", 1, "K"));
    assert_ok(nc_abort(ncid));
    assert_ok(nc_open(container_path(c, "abort"), NC_NOWRITE, &ncid));
    assert_ok(nc_inq_varid(ncid, "fixed", &id));
    assert_ok(nc_close(ncid));
}

/* Definitions that nc_enddef() refuses leave the data where it is, for nc_abort() and nc_close(). */
static void refuse_definitions(const struct container *c, int (*end)(int))
{
    int ncid = open_again(c, make(c), NC_WRITE), dims[2] = {0, -1}, id;

    assert_ok(nc_redef(ncid));
    assert_ok(nc_def_dim(ncid, "huge", 0x7fffff00, &dims[1]));
    assert_ok(nc_def_var(ncid, "huge_records", NC_DOUBLE, 2, dims, &id));
    assert_ok(nc_def_var(ncid, "huge_too", NC_DOUBLE, 2, dims, &id));
    if (strcmp(c->name, "cdf1") == 0 || strcmp(c->name, "cdf2") == 0) {
        assert_int_equal(nc_enddef(ncid), NC_EVARSIZE);
        assert_int_equal(end(ncid), end == nc_abort ? NC_NOERR : NC_EVARSIZE);
    } else {
        assert_ok(nc_abort(ncid));
    }
}

static void after_refused_definitions(const struct container *c)
{
    refuse_definitions(c, nc_abort);
}

static void closed_after_refused_definitions(const struct container *c)
{
    refuse_definitions(c, nc_close);
}

static void (*const states[])(const struct container *) = {
    in_data_mode,
    for_reading,
    after_redef,
    after_definitions,
    after_definitions_in_an_old_file,
    after_put_and_definitions,
    after_renames,
    after_refused_definitions,
    closed_after_refused_definitions,
};

static void keeps_the_file(void **state)
{
    (void)state;
    for (int i = 0; i < NCONTAINERS; i++)
        for (size_t s = 0; s < sizeof states / sizeof *states; s++) {
            print_message("%s, state %zu\n", containers[i].name, s);
            states[s](&containers[i]);
            check_as_made(&containers[i]);
        }
}

/* The same without records, where the last variable says how long the file is. */
static void keeps_fixed_variables(void **state)
{
    (void)state;
    for (int i = 0; i < NCONTAINERS; i++) {
        const char *path = container_path(&containers[i], "fixed");
        int ncid, id, more, got[4];

        assert_ok(nc_create(path, NC_CLOBBER | containers[i].mode, &ncid));
        assert_ok(nc_def_dim(ncid, "x", 4, &id));
        assert_ok(nc_def_var(ncid, "v", NC_INT, 1, &id, &more));
        assert_ok(nc_enddef(ncid));
        assert_ok(nc_put_var_int(ncid, 0, values));
        assert_ok(nc_redef(ncid));
        assert_ok(nc_def_var(ncid, "w", NC_INT, 1, &id, &more));
        assert_ok(nc_abort(ncid));
        assert_ok(nc_open(path, NC_NOWRITE, &ncid));
        assert_ok(nc_get_var_int(ncid, 0, got));
        assert_memory_equal(got, values, sizeof values);
        assert_int_equal(nc_inq_varid(ncid, "w", &more), NC_ENOTVAR);
        assert_ok(nc_close(ncid));
    }
}

/* A file that never left define mode leaves nothing behind. */
static void removes_a_file_never_finished(void **state)
{
    (void)state;
    for (int i = 0; i < NCONTAINERS; i++) {
        const char *path = container_path(&containers[i], "never");
        int ncid, id;

        assert_ok(nc_create(path, NC_CLOBBER | containers[i].mode, &ncid));
        assert_ok(nc_def_dim(ncid, "x", 4, &id));
        assert_ok(nc_def_var(ncid, "v", NC_INT, 1, &id, &id));
        assert_ok(nc_abort(ncid));
        assert_int_not_equal(nc_open(path, NC_NOWRITE, &ncid), NC_NOERR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_file),
        cmocka_unit_test(keeps_fixed_variables),
        cmocka_unit_test(removes_a_file_never_finished),
    };
    int failed;

    scratch_enter();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_leave();
    return failed;
}
