/* SPDX-License-Identifier: BSD-3-Clause */
/* Ids of datasets and groups, and what happens to calls with wrong ones. */
#include "api_test.h"
#include <pthread.h>
#include <unistd.h>

/* A format that keeps nothing: enough for the table. */

static int save(struct cel_dataset *ds)
{
    return ds ? CEL_OK : NC_EINVAL;
}

static int close_it(struct cel_dataset *ds, bool keep, struct cel_memory *memory)
{
    (void)keep, (void)memory;
    return strcmp(ds->path, "bad") == 0 ? cel_fail(NC_EIO, "the disk is full") : CEL_OK;
}

static const struct cel_container_ops nowhere = {
    .name = "nowhere", .formatx = NC_FORMATX_NC_HDF5, .save = save, .close = close_it};

static int add_in(const char *path, struct cel_file_id file, bool writable)
{
    struct cel_dataset *ds;
    int ncid;

    assert_ok(cel_dataset_make(path, 0, &ds));
    ds->ops = &nowhere;
    ds->file = file;
    ds->writable = writable;
    assert_ok(cel_open_add(ds, &ncid));
    return ncid;
}

static int add(const char *path)
{
    return add_in(path, (struct cel_file_id){0}, true);
}

static void ids_are_rows_and_groups(void **state)
{
    int a = add("a"), b = add("b"), group, inner, id;

    (void)state;
    assert_int_equal(a, 1 << 16);
    assert_int_equal(b, 2 << 16);
    assert_ok(nc_def_grp(b, "sea", &group));
    assert_ok(nc_def_grp(group, "deep", &inner));
    assert_int_equal(group, b + 1);
    assert_ok(nc_inq_grp_full_ncid(b, "/sea/deep", &id));
    assert_int_equal(id, inner);
    assert_ok(nc_inq_grp_parent(inner, &id));
    assert_int_equal(id, group);
    assert_int_equal(nc_inq_grp_parent(b, &id), NC_ENOGRP);
    assert_ok(nc_close(a));
    assert_int_equal(add("c"), a); /* the lowest free row, as netCDF-C does */
    assert_ok(nc_close(a));
    assert_ok(nc_close(group)); /* any group's id closes the dataset */
    assert_int_equal(nc_close(b), NC_EBADID);
}

/* 100 datasets in ten files: the table grows while they are added. */
static void writers_are_found_by_their_file(void **state)
{
    enum { N = 100, FILES = 10 };
    int id[N], reader, at;

    (void)state;
    assert_false(cel_open_has_writers());
    reader = add_in("r", (struct cel_file_id){1, 1}, false);
    assert_false(cel_open_has_writers());
    for (int i = 0; i < N; i++)
        id[i] = add_in("w", (struct cel_file_id){1, (uint64_t)(i % FILES) + 1}, true);
    assert_true(cel_open_has_writers());
    assert_ok(nc_close(id[FILES + 3]));
    for (int file = 0; file < FILES; file++) {
        at = 0;
        for (int i = file; i < N; i += FILES)
            if (i != FILES + 3) {
                at = cel_open_next_writer((struct cel_file_id){1, (uint64_t)file + 1}, at);
                assert_int_equal(at, id[i]);
            }
        assert_int_equal(cel_open_next_writer((struct cel_file_id){1, (uint64_t)file + 1}, at), 0);
    }
    assert_int_equal(cel_open_next_writer((struct cel_file_id){2, 1}, 0), 0);
    assert_int_equal(cel_open_next_writer((struct cel_file_id){1, FILES + 1}, 0), 0);
    for (int i = 0; i < N; i++)
        if (i != FILES + 3)
            assert_ok(nc_close(id[i]));
    assert_false(cel_open_has_writers());
    assert_int_equal(cel_open_next_writer((struct cel_file_id){1, 1}, 0), 0);
    assert_ok(nc_close(reader));
}

static void wrong_ids_are_refused(void **state)
{
    static const int wrong[] = {0, -1, 1, 65535, 1 << 16 | 7, 9 << 16, 0x7fffffff, (int)0x80000000};
    int ncid = add("a"), n;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(nc_inq_ndims(wrong[i], &n), NC_EBADID);
    assert_non_null(strstr(cellar_error(), "-2147483648"));
    assert_ok(nc_inq_ndims(ncid, &n));
    assert_string_equal(cellar_error(), "");
    assert_ok(nc_close(ncid));
    assert_int_equal(nc_inq_ndims(ncid, &n), NC_EBADID);
}

static void errors_name_file_and_variable(void **state)
{
    int ncid = add("ocean.nc"), group, varid;
    nc_type type;

    (void)state;
    assert_ok(nc_def_grp(ncid, "g", &group));
    assert_ok(nc_def_var(group, "temp", NC_FLOAT, 0, NULL, &varid));
    assert_int_equal(nc_def_var_endian(group, varid, 99), NC_EINVAL);
    assert_string_equal(cellar_error_part(CELLAR_FILE), "ocean.nc");
    assert_string_equal(cellar_error_part(CELLAR_VARIABLE), "/g/temp");
    assert_string_equal(cellar_error_part(CELLAR_CHUNK), "");
    assert_memory_equal(cellar_error(), "ocean.nc: /g/temp: ", 19);
    assert_int_equal(nc_inq_vartype(group, 5, &type), NC_ENOTVAR);
    assert_int_equal(nc_inq_vartype(group, NC_GLOBAL, &type), NC_ENOTVAR);
    assert_ok(nc_close(ncid));
}

static void a_failed_close_says_why_and_lets_go(void **state)
{
    int ncid = add("bad");

    (void)state;
    assert_int_equal(nc_close(ncid), NC_EIO);
    assert_string_equal(cellar_error(), "bad: the disk is full");
    assert_int_equal(nc_close(ncid), NC_EBADID);
}

static void many_datasets_can_be_open(void **state)
{
    int first = add("a"), last = first;

    (void)state;
    for (int i = 1; i < 0x7fff; i++)
        last = add("a");
    assert_int_equal(last, 0x7fff << 16);
    struct cel_dataset *ds;
    assert_ok(cel_dataset_make("one too many", 0, &ds));
    assert_int_equal(cel_open_add(ds, &last), NC_ENFILE);
    cel_dataset_free(ds);
    for (int i = 0; i < 0x7fff; i++)
        assert_ok(nc_close(first + (i << 16)));
    assert_ok(nc_finalize());
}

static void *close_other(void *arg)
{
    return (void *)(intptr_t)nc_close(*(int *)arg);
}

static void close_waits_for_calls_under_way(void **state)
{
    int ncid = add("a"), n;
    struct cel_call c;
    pthread_t closer;
    void *rc;

    (void)state;
    assert_ok(cel_call_begin(&c, ncid));
    assert_int_equal(pthread_create(&closer, NULL, close_other, &ncid), 0);
    cel_call_unlock(&c);
    while (nc_inq_ndims(ncid, &n) == NC_NOERR)
        continue;                         /* until the closer has marked the row */
    assert_string_equal(c.ds->path, "a"); /* still there for us */
    assert_ok(cel_call_end(&c, CEL_OK));
    pthread_join(closer, &rc);
    assert_int_equal((int)(intptr_t)rc, NC_NOERR);
}

/* Calls look at the dataset of a call that could not begin: there is none, whatever lay in that memory before. */
static void a_call_that_cannot_begin_has_no_dataset(void **state)
{
    struct cel_call c;

    (void)state;
    memset(&c, 0xaa, sizeof c);
    assert_int_equal(cel_call_begin(&c, 77 << 16), NC_EBADID);
    assert_null(c.open);
    assert_null(c.ds);
    assert_null(c.var);
    assert_false(c.locked);
    assert_int_equal(cel_call_end(&c, NC_EBADID), NC_EBADID);
    assert_int_equal(nc__enddef(77 << 16, 0, 4, 0, 4), NC_EBADID);
    assert_int_equal(nc_enddef(-1), NC_EBADID);
    assert_int_equal(nc_redef(0), NC_EBADID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_rows_and_groups),
        cmocka_unit_test(wrong_ids_are_refused),
        cmocka_unit_test(a_call_that_cannot_begin_has_no_dataset),
        cmocka_unit_test(writers_are_found_by_their_file),
        cmocka_unit_test(errors_name_file_and_variable),
        cmocka_unit_test(a_failed_close_says_why_and_lets_go),
        cmocka_unit_test(many_datasets_can_be_open),
        cmocka_unit_test(close_waits_for_calls_under_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
