/* SPDX-License-Identifier: BSD-3-Clause */
/* Files open for reading are read without libhdf5 where they are of the usual kind, and
 * what is read so is what libhdf5 reads; files that somebody writes are libhdf5's. */
#include "h5_int.h"
#include "h5_test.h"

#define N 70 /* chunks a side: an index of several levels */

/* Every third chunk is missing, every fifth was stored without its filter. */
static void make_grid(const char *path)
{
    struct cel_dataset *ds = create(path);
    struct cel_dim *dim[2];
    struct cel_var *var;
    struct cel_step step;
    size_t chunk[2] = {2, 3}, extent[2] = {2 * N, 3 * N}, index[2];
    unsigned level = 6;
    char bytes[40] = {0};

    assert_ok(cel_dim_def(ds->root, "y", 0, true, &dim[0]));
    assert_ok(cel_dim_def(ds->root, "x", 3 * N, false, &dim[1]));
    assert_ok(cel_var_def(ds->root, "v", cel_type_atomic(NC_INT), 2, dim, &var));
    assert_ok(cel_var_set_storage(var, NC_CHUNKED, chunk));
    assert_ok(cel_step_make(1, 1, &level, &step));
    step.optional = true;
    assert_ok(cel_var_add_filter(var, &step));
    settle(ds);
    assert_ok(ds->ops->extend(ds, var, extent));
    for (index[0] = 0; index[0] < N; index[0]++)
        for (index[1] = 0; index[1] < N; index[1]++) {
            size_t i = index[0] * N + index[1];
            struct cel_chunk_location at;

            if (i % 3 == 0)
                continue;
            assert_ok(ds->ops->chunk_allocate(ds, var, index, bytes, i % 5 ? 10 + i % 30 : 24, i % 5 == 0, &at));
        }
    finish(ds);
}

static void the_index_says_what_libhdf5_says(void **state)
{
    const char *path = scratch("grid.nc");
    struct cel_dataset *ds[2];
    struct cel_var *var[2];
    struct cel_h5_var *slow;
    size_t index[2];

    (void)state;
    make_grid(path);
    for (int i = 0; i < 2; i++) {
        ds[i] = reopen(path, NC_NOWRITE);
        var[i] = find_var(ds[i], "v");
    }
    slow = var[1]->priv;
    assert_non_null(slow->index);
    cel_h5r_index_free(slow->index);
    slow->index = NULL;
    for (index[0] = 0; index[0] <= N; index[0]++)
        for (index[1] = 0; index[1] <= N; index[1]++) {
            struct cel_chunk_location a = {0}, b = {0};
            int rc = ds[0]->ops->chunk_find(ds[0], var[0], index, &a);

            assert_int_equal(rc, ds[1]->ops->chunk_find(ds[1], var[1], index, &b));
            if (rc != CEL_OK)
                continue;
            assert_int_equal(a.address, b.address);
            assert_int_equal(a.nbytes, b.nbytes);
            assert_int_equal(a.skipped, b.skipped);
        }
    assert_true(cel_h5_file(ds[0])->id < 0);
    assert_true(cel_h5_file(ds[1])->id >= 0);
    finish(ds[0]);
    finish(ds[1]);
    unlink(path);
}

static void fill_file(const char *path, int nvars)
{
    struct cel_dataset *ds = create(path);
    int values[6] = {1, 2, 3, 4, 5, 6};
    char name[32];

    for (int i = 0; i < nvars; i++) {
        snprintf(name, sizeof name, "v%d", nvars - i);
        def_ints(ds, name, 4, i % 2);
    }
    settle(ds);
    for (int i = 0; i < nvars; i++) {
        values[0] = i;
        put_ints(ds, ds->root->vars.at[i], 0, 6, values);
    }
    finish(ds);
}

/* With few links, and with so many that they lie in a heap. */
static void plain_files_do_not_need_libhdf5(void **state)
{
    static const int counts[] = {1, 3, 15};
    const char *path = scratch("plain.nc");
    char name[32];

    (void)state;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        struct cel_dataset *ds;

        fill_file(path, counts[k]);
        ds = reopen(path, NC_NOWRITE);
        assert_int_equal(ds->root->vars.n, counts[k]);
        for (int i = 0; i < counts[k]; i++) {
            struct cel_var *var = ds->root->vars.at[i];
            int back[6] = {0};

            snprintf(name, sizeof name, "v%d", counts[k] - i);
            assert_string_equal(var->name, name);
            assert_ok(get_ints(ds, var, 0, 6, back));
            assert_int_equal(back[0], i);
            assert_int_equal(back[5], 6);
        }
        assert_ok(ds->ops->load_atts(ds, ds->root, ds->root->vars.at[0]));
        assert_true(cel_h5_file(ds)->id < 0);
        finish(ds);
    }
    unlink(path);
}

/* What the writer has not put on disk yet is seen all the same: libhdf5 knows it. */
static void a_file_being_written_is_read_through_libhdf5(void **state)
{
    const char *path = scratch("written.nc");
    struct cel_dataset *writer = create(path), *reader;
    struct cel_var *var = def_ints(writer, "v", 4, false);
    int values[4] = {4, 3, 2, 1}, back[4] = {0};

    (void)state;
    settle(writer);
    put_ints(writer, var, 0, 4, values);
    assert_ok(cel_array_flush_all(writer));
    reader = reopen(path, NC_NOWRITE);
    assert_false(cel_h5_file(reader)->own_reader);
    assert_ok(get_ints(reader, find_var(reader, "v"), 0, 4, back));
    assert_memory_equal(back, values, sizeof back);
    finish(reader);
    finish(writer);
    unlink(path);
}

static void without_file_locks_libhdf5_reads(void **state)
{
    const char *path = scratch("unlocked.nc");
    struct cel_dataset *ds;

    (void)state;
    fill_file(path, 1);
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    ds = reopen(path, NC_NOWRITE);
    unsetenv("HDF5_USE_FILE_LOCKING");
    assert_false(cel_h5_file(ds)->own_reader);
    finish(ds);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_says_what_libhdf5_says),
        cmocka_unit_test(plain_files_do_not_need_libhdf5),
        cmocka_unit_test(a_file_being_written_is_read_through_libhdf5),
        cmocka_unit_test(without_file_locks_libhdf5_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
