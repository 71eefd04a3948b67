/* SPDX-License-Identifier: BSD-3-Clause */
/* Object headers read without libhdf5 say what libhdf5 says, for both versions of the
 * format and for attributes in dense storage; damage is never believed. */
#include "h5_int.h"
#include "h5_read_int.h"
#include "h5_test.h"
#include <fcntl.h>

static struct cel_h5_io *io;
static struct cel_h5r_file file;

static struct cel_h5r_reader *start_reader(const char *path)
{
    struct cel_h5r_reader *r;

    assert_ok(cel_h5_io_make("memory", &io));
    assert_ok(cel_h5_io_set_file(io, open(path, O_RDWR)));
    io->eof = (uint64_t)lseek(io->fd, 0, SEEK_END);
    file = (struct cel_h5r_file){.source = &io->source, .size = io->eof, .offset_size = 8, .length_size = 8};
    assert_ok(cel_h5r_reader_make(&file, &r));
    return r;
}

static void stop_reader(struct cel_h5r_reader *r)
{
    cel_h5r_reader_free(r);
    cel_h5_io_release(io);
}

/* As machines of either byte order write them. */
static void write_ints(hid_t set, const char *name, int rank, hsize_t n, const int *values, bool big)
{
    hid_t space = rank ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
    hid_t att = H5Acreate2(set, name, big ? H5T_STD_I32BE : H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);

    H5Awrite(att, H5T_NATIVE_INT, values);
    H5Aclose(att);
    H5Sclose(space);
}

/* A dataset with `extra` more attributes; gives its address. */
static uint64_t make_file(const char *path, bool v2, int extra, bool big)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), made, space, set;
    hsize_t dims[2] = {3, 4}, most[2] = {H5S_UNLIMITED, 4}, chunk[2] = {1, 4};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    uint64_t addr;
    int i;

    if (v2)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    H5Pset_chunk(dcpl, 2, chunk);
    made = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    space = H5Screate_simple(2, dims, most);
    set = H5Dcreate2(made, "v", H5T_IEEE_F32BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    for (i = 0; i < extra; i++) {
        char name[32];

        snprintf(name, sizeof name, "attribute_number_%d", i);
        write_ints(set, name, 1, 2, (int[]){1, 2}, big);
    }
    write_ints(set, "_Netcdf4Coordinates", 1, 2, (int[]){7, 5}, big);
    write_ints(set, "_Netcdf4Dimid", 0, 1, (int[]){7}, big);
    addr = cel_h5_addr_of(set);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    H5Fclose(made);
    return addr;
}

static void both_versions_and_dense_attributes_are_read(void **state)
{
    static const int extras[] = {0, 3, 12, 25};
    const char *path = scratch("header.h5");
    size_t k;
    int v2;

    (void)state;
    for (v2 = 0; v2 < 2; v2++)
        for (k = 0; k < 2 * (sizeof extras / sizeof *extras); k++) {
            uint64_t addr = make_file(path, v2, extras[k / 2], k % 2);
            struct cel_h5r_reader *r = start_reader(path);
            struct cel_h5r_object h;

            assert_int_equal(cel_h5r_object_read(r, addr, &h), CEL_OK);
            assert_int_equal(h.kind, CEL_H5R_DATASET);
            assert_int_equal(h.rank, 2);
            assert_int_equal(h.dims[0], 3);
            assert_true(h.maxdims[0] == UINT64_MAX);
            assert_int_equal(h.maxdims[1], 4);
            assert_int_equal(h.type_class, CEL_H5R_FLOAT);
            assert_true(h.big_endian);
            assert_int_equal(h.dimid, 7);
            assert_int_equal(h.ncoords, 2);
            assert_int_equal(h.coords[1], 5);
            assert_false(h.is_scale);
            stop_reader(r);
        }
    unlink(path);
}

/* Every byte of the file is flipped in turn: the answer is the right one, or none. */
static void damage_is_never_believed(void **state)
{
    const char *path = scratch("flip.h5");
    uint64_t addr = make_file(path, true, 12, false), at;
    struct cel_h5r_reader *r = start_reader(path);
    struct cel_h5r_object good, h;

    (void)state;
    assert_int_equal(cel_h5r_object_read(r, addr, &good), CEL_OK);
    for (at = 0; at < io->eof; at++) {
        unsigned char byte;
        int rc;

        assert_int_equal(pread(io->fd, &byte, 1, (off_t)at), 1);
        byte ^= 0x10;
        assert_int_equal(pwrite(io->fd, &byte, 1, (off_t)at), 1);
        cel_h5r_reader_forget(r);
        rc = cel_h5r_object_read(r, addr, &h);
        if (rc == CEL_OK)
            assert_memory_equal(&h, &good, sizeof h);
        else
            assert_true(rc == NC_EHDFERR || rc == CEL_ASK_LIBHDF5);
        byte ^= 0x10;
        assert_int_equal(pwrite(io->fd, &byte, 1, (off_t)at), 1);
    }
    stop_reader(r);
    unlink(path);
}

static void nonsense_addresses_give_no_answer(void **state)
{
    const char *path = scratch("nowhere.h5");
    uint64_t addr = make_file(path, true, 0, false);
    struct cel_h5r_reader *r = start_reader(path);
    struct cel_h5r_object h;

    (void)state;
    assert_int_equal(cel_h5r_object_read(r, addr + 1, &h), NC_EHDFERR);
    assert_int_equal(cel_h5r_object_read(r, UINT64_MAX, &h), NC_EHDFERR);
    assert_int_equal(cel_h5r_object_read(r, io->eof - 2, &h), NC_EHDFERR);
    file.base = UINT64_MAX - 5;
    assert_int_equal(cel_h5r_object_read(r, addr, &h), NC_EHDFERR);
    stop_reader(r);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_versions_and_dense_attributes_are_read),
        cmocka_unit_test(damage_is_never_believed),
        cmocka_unit_test(nonsense_addresses_give_no_answer),
    };

    return cel_h5_lib_load() != CEL_OK || cmocka_run_group_tests(tests, NULL, NULL);
}
