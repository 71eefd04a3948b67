/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a file whose groups keep their links in fractal heaps with filters, which h5py cannot: a heap of one block, one
 * with tables of blocks, and one with huge objects. check_h5_heaps.sh compares what is read of it with and without libhdf5.
 *
 * usage: h5_filtered_heap FILE */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call) \
    do { \
        if ((call) < 0) { \
            fprintf(stderr, "%s failed\n", #call); \
            exit(1); \
        } \
    } while (0)

static hid_t make_group(hid_t file, const char *name, int fletcher32)
{
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE), group;

    OK(gcpl);
    OK(H5Pset_link_phase_change(gcpl, 0, 0)); /* a heap from the first link on */
    OK(H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    OK(H5Pset_deflate(gcpl, 6));
    if (fletcher32)
        OK(H5Pset_fletcher32(gcpl));
    OK(group = H5Gcreate2(file, name, H5P_DEFAULT, gcpl, H5P_DEFAULT));
    OK(H5Pclose(gcpl));
    return group;
}

static void add_datasets(hid_t group, int n)
{
    hid_t space = H5Screate(H5S_SCALAR);
    char name[64];

    for (int i = 0; i < n; i++) {
        hid_t d;

        snprintf(name, sizeof name, "a_dataset_with_a_long_name_%d", i);
        OK(d = H5Dcreate2(group, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        OK(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &i));
        OK(H5Dclose(d));
    }
    OK(H5Sclose(space));
}

/* Names so long that the tables of blocks have tables below them. */
static void add_names(hid_t group, int n)
{
    char name[256];

    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%0200d", i);
        OK(H5Lcreate_soft("a_dataset_with_a_long_name_1", group, name, H5P_DEFAULT, H5P_DEFAULT));
    }
}

/* A path as long as no link in a block is, which leads to the dataset all the same. */
static void add_huge(hid_t group, int i)
{
    size_t n = 6000 + 1000 * (size_t)i;
    char name[64], *path = malloc(n + 64);

    for (size_t k = 0; k < n; k += 2)
        memcpy(path + k, "./", 2);
    snprintf(path + n, 64, "a_dataset_with_a_long_name_%d", i);
    snprintf(name, sizeof name, "huge_%d", i);
    OK(H5Lcreate_soft(path, group, name, H5P_DEFAULT, H5P_DEFAULT));
    free(path);
}

int main(int argc, char **argv)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), file, group;

    if (argc != 2)
        return 2;
    OK(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    OK(file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    for (int sums = 0; sums < 2; sums++) {
        OK(group = make_group(file, sums ? "few_sums" : "few", sums));
        add_datasets(group, 4);
        OK(H5Gclose(group));
        OK(group = make_group(file, sums ? "many_sums" : "many", sums));
        add_datasets(group, 300);
        add_names(group, sums ? 100 : 3500);
        OK(H5Gclose(group));
        OK(group = make_group(file, sums ? "huge_sums" : "huge", sums));
        add_datasets(group, 4);
        for (int i = 0; i < 4; i++)
            add_huge(group, i);
        OK(H5Gclose(group));
    }
    OK(H5Pclose(fapl));
    OK(H5Fclose(file));
    return 0;
}
