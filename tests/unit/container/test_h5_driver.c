/* SPDX-License-Identifier: BSD-3-Clause */
/* The file driver: the bytes it writes are libhdf5's own, whatever the user block;
 * and reading around libhdf5 sees what was written. */
#include "h5_int.h"
#include "h5_test.h"

static hid_t with_our_driver(const char *path, struct cel_h5_io **io)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    FILE *f = fopen(path, "w+b");

    assert_non_null(f);
    assert_ok(cel_h5_io_make(path, io));
    (*io)->writable = true;
    assert_ok(cel_h5_io_set_file(*io, dup(fileno(f))));
    (*io)->writable = (*io)->fresh = true;
    fclose(f);
    assert_ok(cel_h5_driver_set(fapl, *io));
    return fapl;
}

/* Chunks rewritten at other sizes, two variables, late and incremental allocation. */
static void write_something(const char *path, hid_t fapl, hsize_t block)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), dcpl = H5Pcreate(H5P_DATASET_CREATE), file, space, a, b;
    hsize_t n = 40, chunk = 8, at;
    char bytes[64];
    int i;

    memset(bytes, 7, sizeof bytes);
    H5Pset_obj_track_times(dcpl, 0);
    H5Pset_userblock(fcpl, block);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_deflate(dcpl, 1);
    file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
    assert_true(file >= 0);
    space = H5Screate_simple(1, &n, NULL);
    a = H5Dcreate2(file, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_LATE);
    b = H5Dcreate2(file, "b", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    for (i = 0; i < 15; i++) {
        at = (hsize_t)(i % 5) * chunk;
        assert_true(H5Dwrite_chunk(i % 2 ? a : b, H5P_DEFAULT, 0, &at, (size_t)(20 + 3 * i), bytes) >= 0);
    }
    H5Dclose(a);
    H5Dclose(b);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fcpl);
    assert_true(H5Fclose(file) >= 0);
}

static size_t slurp(const char *path, char *bytes, size_t cap)
{
    FILE *f = fopen(path, "rb");
    size_t n = fread(bytes, 1, cap, f);

    fclose(f);
    return n;
}

static void files_are_those_of_libhdf5s_own_driver(void **state)
{
    static char theirs[65536], ours[65536];
    hsize_t block;

    (void)state;
    for (block = 0; block <= 512; block += 512) {
        const char *a = scratch("own.h5"), *b = scratch("sec2.h5");
        struct cel_h5_io *io;
        hid_t fapl = with_our_driver(a, &io);
        size_t n;

        write_something(a, fapl, block);
        assert_ok(cel_h5_io_commit(io));
        write_something(b, H5P_DEFAULT, block);
        n = slurp(a, ours, sizeof ours);
        assert_int_equal(n, slurp(b, theirs, sizeof theirs));
        assert_memory_equal(ours + block, theirs + block, n - block);
        H5Pclose(fapl);
        cel_h5_io_release(io);
        unlink(a);
        unlink(b);
    }
}

/* While armed, only the very buffer is held back: with late allocation the first
 * write of a chunk also writes fill chunks. */
static void only_the_armed_buffer_is_held_back(void **state)
{
    const char *path = scratch("armed.h5");
    struct cel_h5_io *io;
    hid_t fapl = with_our_driver(path, &io), dcpl = H5Pcreate(H5P_DATASET_CREATE), file, space, set;
    hsize_t n = 40, chunk = 8, at = 16;
    int bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, fill = 55, back[40], i;
    uint64_t addr;
    size_t size;

    (void)state;
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_LATE);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    space = H5Screate_simple(1, &n, NULL);
    set = H5Dcreate2(file, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    cel_h5_capture_start(bytes);
    assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 0, &at, sizeof bytes, bytes) >= 0);
    assert_true(cel_h5_capture_stop(&addr, &size));
    assert_int_equal(size, sizeof bytes);
    assert_ok(cel_h5_io_write(io, addr, bytes, sizeof bytes, false));
    assert_true(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    for (i = 0; i < 40; i++)
        assert_int_equal(back[i], i / 8 == 2 ? i - 15 : 55);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Fclose(file);
    H5Pclose(fapl);
    cel_h5_io_release(io);
    unlink(path);
}

static void memory_grows_and_reads_back(void **state)
{
    struct cel_h5_io *io;
    char text[4] = "";

    (void)state;
    assert_ok(cel_h5_io_make("memory", &io));
    io->writable = true;
    assert_ok(cel_h5_io_write(io, 100000, "abc", 4, false));
    io->eof = 100004;
    assert_ok(cel_h5_io_read(io, 100000, text, 4));
    assert_string_equal(text, "abc");
    assert_ok(cel_h5_io_read(io, 10, text, 4));
    assert_int_equal(text[0], 0);
    cel_h5_io_release(io);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_those_of_libhdf5s_own_driver),
        cmocka_unit_test(only_the_armed_buffer_is_held_back),
        cmocka_unit_test(memory_grows_and_reads_back),
    };

    return cel_h5_lib_load() != CEL_OK || cmocka_run_group_tests(tests, NULL, NULL);
}
