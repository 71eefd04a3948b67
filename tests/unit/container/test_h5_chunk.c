/* SPDX-License-Identifier: BSD-3-Clause */
/* What libhdf5 leaves to its callers when chunks go around it: extents, sizes,
 * masks, and telling a chunk never written from a damaged index. */
#include "h5_test.h"
#include <fcntl.h>
#include <hdf5.h>

static void a_chunk_outside_the_array_is_refused(void **state)
{
    const char *path = scratch("outside.nc");
    struct cel_dataset *ds = create(path);
    struct cel_var *var = def_ints(ds, "v", 4, false);
    struct cel_chunk_location at;
    size_t index = 0, extent = 6;
    int four[4] = {1, 2, 3, 4};

    (void)state;
    settle(ds);
    /* extent 0: libhdf5 would crash */
    assert_int_equal(ds->ops->chunk_allocate(ds, var, &index, four, sizeof four, 0, &at), NC_EINVALCOORDS);
    assert_ok(ds->ops->extend(ds, var, &extent));
    put_chunk(ds, var, 1, four, sizeof four, 0);
    index = 2;
    assert_int_equal(ds->ops->chunk_allocate(ds, var, &index, four, sizeof four, 0, &at), NC_EINVALCOORDS);
    assert_int_equal(ds->ops->chunk_find(ds, var, &index, &at), CEL_ABSENT);
    index = SIZE_MAX / 2;
    assert_int_equal(ds->ops->chunk_find(ds, var, &index, &at), CEL_ABSENT);
    finish(ds);
    unlink(path);
}

static void an_unfiltered_chunk_has_its_exact_size(void **state)
{
    const char *path = scratch("size.nc");
    struct cel_dataset *ds = create(path);
    struct cel_var *var = def_ints(ds, "v", 4, false);
    struct cel_chunk_location at;
    size_t index = 0, extent = 4;
    int four[5] = {1, 2, 3, 4, 5};

    (void)state;
    settle(ds);
    assert_ok(ds->ops->extend(ds, var, &extent));
    assert_int_equal(ds->ops->chunk_allocate(ds, var, &index, four, 12, 0, &at), NC_EHDFERR);
    assert_int_equal(ds->ops->chunk_allocate(ds, var, &index, four, 20, 0, &at), NC_EHDFERR);
    assert_non_null(strstr(cel_error_text(), "v: chunk (0): it has 20 bytes instead of 16"));
    finish(ds);
    unlink(path);
}

static void a_chunk_never_written_is_absent(void **state)
{
    const char *path = scratch("absent.nc");
    struct cel_dataset *ds = create(path);
    struct cel_var *var = def_ints(ds, "v", 4, false);
    struct cel_chunk_location at;
    size_t index = 0, extent = 12;
    int four[4] = {1, 2, 3, 4};

    (void)state;
    settle(ds);
    assert_ok(ds->ops->extend(ds, var, &extent));
    assert_int_equal(ds->ops->chunk_find(ds, var, &index, &at), CEL_ABSENT);
    put_chunk(ds, var, 1, four, sizeof four, 0);
    assert_int_equal(ds->ops->chunk_find(ds, var, &index, &at), CEL_ABSENT);
    index = 1;
    assert_ok(ds->ops->chunk_find(ds, var, &index, &at));
    assert_int_equal(at.nbytes, sizeof four);
    finish(ds);
    unlink(path);
}

static uint32_t stored_mask(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "v", H5P_DEFAULT);
    hsize_t at = 0;
    uint32_t mask = 77;
    char bytes[64];

    assert_true(H5Dread_chunk(set, H5P_DEFAULT, &at, &mask, bytes) >= 0);
    H5Dclose(set);
    H5Fclose(file);
    return mask;
}

static void a_new_mask_reaches_the_disk_although_the_size_is_the_same(void **state)
{
    const char *path = scratch("mask.nc");
    struct cel_dataset *ds = create(path);
    struct cel_var *var = def_ints(ds, "v", 4, true);
    size_t extent = 4, index = 0;
    struct cel_chunk_location at;
    int four[4] = {1, 2, 3, 4};

    (void)state;
    settle(ds);
    assert_ok(ds->ops->extend(ds, var, &extent));
    put_chunk(ds, var, 0, four, sizeof four, 1);
    assert_ok(ds->ops->chunk_find(ds, var, &index, &at));
    assert_int_equal(at.skipped, 1); /* libhdf5 itself says 0 here */
    put_chunk(ds, var, 0, four, sizeof four, 0);
    assert_ok(ds->ops->chunk_find(ds, var, &index, &at));
    assert_int_equal(at.skipped, 0);
    put_chunk(ds, var, 0, four, sizeof four, 1);
    finish(ds);
    assert_int_equal(stored_mask(path), 1);

    ds = reopen(path, NC_WRITE); /* the mask that is in the file already counts too */
    var = find_var(ds, "v");
    put_chunk(ds, var, 0, four, sizeof four, 0);
    finish(ds);
    assert_int_equal(stored_mask(path), 0);
    unlink(path);
}

static void masked_chunks_are_read_back_and_survive_growing(void **state)
{
    const char *path = scratch("masked.nc");
    struct cel_dataset *ds = create(path);
    struct cel_var *var = def_ints(ds, "v", 4, true);
    size_t extent = 4;
    int four[4] = {9, 8, 7, 6}, back[4] = {0};

    (void)state;
    settle(ds);
    assert_ok(ds->ops->extend(ds, var, &extent));
    var->dim[0]->len = 4;
    put_chunk(ds, var, 0, four, sizeof four, 1);
    assert_ok(get_ints(ds, var, 0, 4, back));
    assert_memory_equal(back, four, sizeof four);
    extent = 9;
    assert_ok(ds->ops->extend(ds, var, &extent));
    finish(ds);
    ds = reopen(path, 0);
    var = find_var(ds, "v");
    memset(back, 0, sizeof back);
    assert_ok(get_ints(ds, var, 0, 4, back));
    assert_memory_equal(back, four, sizeof four);
    finish(ds);
    unlink(path);
}

static void padding_of_an_edge_chunk_is_fill_once_the_array_grows(void **state)
{
    const char *path = scratch("padding.nc");
    struct cel_dataset *ds = create(path);
    struct cel_var *var = def_ints(ds, "v", 4, false);
    int values[3] = {1, 2, 3}, nine = 9, back[8];

    (void)state;
    settle(ds);
    put_ints(ds, var, 0, 3, values);
    finish(ds);
    ds = reopen(path, NC_WRITE);
    var = find_var(ds, "v");
    put_ints(ds, var, 7, 1, &nine);
    finish(ds);
    ds = reopen(path, 0);
    assert_ok(get_ints(ds, find_var(ds, "v"), 0, 8, back));
    assert_int_equal(back[2], 3);
    assert_int_equal(back[3], NC_FILL_INT);
    assert_int_equal(back[6], NC_FILL_INT);
    assert_int_equal(back[7], 9);
    finish(ds);
    unlink(path);
}

/* A chunk that outgrows its place leaves it, and another variable moves in at once. */
static void no_stale_address_is_used(void **state)
{
    const char *path = scratch("stale.nc");
    struct cel_dataset *ds = create(path);
    struct cel_var *a = def_ints(ds, "a", 64, true), *b = def_ints(ds, "b", 64, true);
    int same[64] = {0}, noise[64], back[64], i;

    (void)state;
    for (i = 0; i < 64; i++)
        noise[i] = (int)((unsigned)i * 2654435761u);
    settle(ds);
    put_ints(ds, a, 0, 64, same);
    put_ints(ds, b, 0, 64, same);
    assert_ok(cel_array_flush_all(ds));
    assert_ok(get_ints(ds, a, 0, 64, back));
    put_ints(ds, a, 0, 64, noise);
    put_ints(ds, b, 64, 64, same);
    assert_ok(cel_array_flush_all(ds));
    assert_ok(get_ints(ds, a, 0, 64, back));
    assert_memory_equal(back, noise, sizeof noise);
    assert_ok(get_ints(ds, b, 64, 64, back));
    assert_memory_equal(back, same, sizeof same);
    finish(ds);
    unlink(path);
}

/* Overwrite the first place that holds `what`; false when there is none. */
static bool damage(const char *path, const char *what)
{
    char *bytes = malloc(1 << 20), *at;
    int fd = open(path, O_RDWR);
    ssize_t n = pread(fd, bytes, 1 << 20, 0);
    bool found;

    at = n > 0 ? memmem(bytes, (size_t)n, what, strlen(what)) : NULL;
    found = at && pwrite(fd, "XXXX", 4, at - bytes) == 4;
    close(fd);
    free(bytes);
    return found;
}

static void a_damaged_index_is_an_error_not_fill(void **state)
{
    const char *path = scratch("damaged.nc");
    struct cel_dataset *ds = create(path);
    struct cel_var *var = def_ints(ds, "v", 4, false);
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};

    (void)state;
    settle(ds);
    put_ints(ds, var, 0, 8, values);
    finish(ds);
    assert_true(damage(path, "TREE"));
    ds = reopen(path, 0);
    var = find_var(ds, "v");
    assert_int_equal(get_ints(ds, var, 0, 8, back), NC_EHDFERR);
    assert_non_null(strstr(cel_error_text(), "v: chunk (0)"));
    assert_non_null(strstr(cel_error_text(), "signature"));
    finish(ds);
    unlink(path);
}

/* Edge chunks that are stored without their filters, and without a mask to say so. */
static void make_raw_edges(const char *path)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE), file, space, set;
    hsize_t n = 10, most = H5S_UNLIMITED, chunk = 4;
    int values[10], i;

    for (i = 0; i < 10; i++)
        values[i] = 100 + i;
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_deflate(dcpl, 6);
    H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    space = H5Screate_simple(1, &n, &most);
    set = H5Dcreate2(file, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    H5Fclose(file);
}

static void raw_edge_chunks_are_read(void **state)
{
    const char *path = scratch("edges.h5");
    struct cel_dataset *ds;
    int back[10], i;

    (void)state;
    make_raw_edges(path);
    ds = reopen(path, 0);
    assert_false(find_var(ds, "v")->layout.unchunked);
    assert_ok(get_ints(ds, find_var(ds, "v"), 0, 10, back));
    for (i = 0; i < 10; i++)
        assert_int_equal(back[i], 100 + i);
    finish(ds);
    unlink(path);
}

static void chunks_of_every_index_are_found(void **state)
{
    static const struct {
        hsize_t most;
        unsigned alloc;
        bool zip;
    } kinds[] = {{100, H5D_ALLOC_TIME_INCR, false},
                 {100, H5D_ALLOC_TIME_EARLY, false},
                 {100, H5D_ALLOC_TIME_INCR, true},
                 {H5S_UNLIMITED, H5D_ALLOC_TIME_INCR, true}};
    const char *path = scratch("index.h5");
    hsize_t n = 100, chunk = 7;
    int values[100], back[100], i;
    size_t k, low;

    (void)state;
    for (i = 0; i < 100; i++)
        values[i] = i;
    for (low = 0; low < 2; low++)
        for (k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE),
                  fcpl = H5Pcreate(H5P_FILE_CREATE);
            hid_t file, space = H5Screate_simple(1, &n, &kinds[k].most), set;
            struct cel_dataset *ds;

            if (low)
                H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
            H5Pset_userblock(fcpl, 512);
            H5Pset_chunk(dcpl, 1, &chunk);
            H5Pset_alloc_time(dcpl, kinds[k].alloc);
            if (kinds[k].zip)
                H5Pset_deflate(dcpl, 1);
            file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
            set = H5Dcreate2(file, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
            assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
            H5Dclose(set);
            H5Sclose(space);
            H5Pclose(fcpl);
            H5Pclose(dcpl);
            H5Pclose(fapl);
            H5Fclose(file);
            ds = reopen(path, 0);
            assert_false(find_var(ds, "v")->layout.unchunked);
            assert_ok(get_ints(ds, find_var(ds, "v"), 0, 100, back));
            assert_memory_equal(back, values, sizeof values);
            finish(ds);
        }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_outside_the_array_is_refused),
        cmocka_unit_test(an_unfiltered_chunk_has_its_exact_size),
        cmocka_unit_test(a_chunk_never_written_is_absent),
        cmocka_unit_test(a_new_mask_reaches_the_disk_although_the_size_is_the_same),
        cmocka_unit_test(masked_chunks_are_read_back_and_survive_growing),
        cmocka_unit_test(padding_of_an_edge_chunk_is_fill_once_the_array_grows),
        cmocka_unit_test(no_stale_address_is_used),
        cmocka_unit_test(a_damaged_index_is_an_error_not_fill),
        cmocka_unit_test(raw_edge_chunks_are_read),
        cmocka_unit_test(chunks_of_every_index_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
