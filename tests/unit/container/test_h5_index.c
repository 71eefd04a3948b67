/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunk indices, one test for each kind: every chunk is where libhdf5 says, and a damaged index is an error that names
 * the variable and the offset, never other values. Layout messages of every version. */
#include "chunk_grid.h"
#include "h5_int.h"
#include "h5_read_int.h"
#include "h5_test.h"

enum { NX = 1500, NY = 3, CHUNK = 2 };

struct kind {
    enum cel_h5r_index_kind kind;
    const char *blocks; /* the signatures of its structures, four letters each */
    hsize_t rows, columns, max_rows, max_columns;
    bool latest, early, filtered;
};

/* --- files ---------------------------------------------------------------------------------- */

/* Every second chunk is written. */
static void write_chunks(hid_t set, const struct kind *k, const hsize_t *chunk)
{
    for (hsize_t i = 0, n = 0; i < k->rows; i += chunk[0])
        for (hsize_t j = 0; j < k->columns; j += chunk[1], n++) {
            hsize_t first[2] = {i, j};
            int values[4] = {(int)n, 2, 3, 4};

            if (n % 2 == 0 && !k->filtered)
                assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 0, first, (size_t)(chunk[0] * chunk[1]) * 4, values) >= 0);
            else if (n % 2 == 0) /* stored without its filter */
                assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 1, first, (size_t)(chunk[0] * chunk[1]) * 4, values) >= 0);
        }
}

static void make_file(const char *path, const struct kind *k)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE), fcpl = H5Pcreate(H5P_FILE_CREATE);
    hsize_t dims[2] = {k->rows, k->columns}, most[2] = {k->max_rows, k->max_columns}, chunk[2] = {CHUNK, 1};
    hid_t file, space = H5Screate_simple(2, dims, most), set;

    if (k->kind == CEL_H5R_INDEX_SINGLE)
        chunk[0] = k->rows, chunk[1] = k->columns;
    if (k->latest)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_link_creation_order(fcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_chunk(dcpl, 2, chunk);
    if (k->early)
        H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    if (k->filtered)
        H5Pset_deflate(dcpl, 1);
    file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
    set = H5Dcreate2(file, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(set >= 0);
    write_chunks(set, k, chunk);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(fcpl);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    H5Fclose(file);
}

/* --- the same as libhdf5 ------------------------------------------------------------------------ */

static void compare_chunks(struct cel_dataset **ds, struct cel_var **var)
{
    size_t index[2], n[2];

    for (int d = 0; d < 2; d++)
        n[d] = var[0]->layout.extent[d] / var[0]->layout.chunk[d];
    for (index[0] = 0; index[0] < n[0]; index[0]++)
        for (index[1] = 0; index[1] < n[1]; index[1]++) {
            struct cel_chunk_location a = {0}, b = {0};
            int rc = ds[0]->ops->chunk_find(ds[0], var[0], index, &a);

            assert_int_equal(rc, ds[1]->ops->chunk_find(ds[1], var[1], index, &b));
            if (rc != CEL_OK)
                continue;
            assert_int_equal(a.address, b.address);
            assert_int_equal(a.nbytes, b.nbytes);
            assert_int_equal(a.skipped, b.skipped);
        }
}

/* Chunks that a walk gives are those that are found one by one. */
static void compare_walks(struct cel_dataset *ds, struct cel_var *var)
{
    size_t index[2], walk[2] = {0, 0}, n[2];
    struct cel_chunk_location at;
    int more;

    for (int d = 0; d < 2; d++)
        n[d] = var->layout.extent[d] / var->layout.chunk[d];
    more = ds->ops->chunk_next(ds, var, n, walk);
    for (index[0] = 0; index[0] < n[0]; index[0]++)
        for (index[1] = 0; index[1] < n[1]; index[1]++) {
            int rc = ds->ops->chunk_find(ds, var, index, &at);

            assert_int_equal(rc == CEL_OK, more == CEL_OK && memcmp(index, walk, sizeof walk) == 0);
            if (rc != CEL_OK)
                continue;
            walk[1]++;
            more = cel_chunk_wrap(2, n, walk) ? ds->ops->chunk_next(ds, var, n, walk) : CEL_ABSENT;
        }
    assert_int_equal(more, CEL_ABSENT);
}

static void compare_with_libhdf5(const char *path, const struct kind *k)
{
    struct cel_dataset *ds[2];
    struct cel_var *var[2];
    struct cel_h5_var *v;

    for (int i = 0; i < 2; i++) {
        ds[i] = reopen(path, NC_NOWRITE);
        var[i] = find_var(ds[i], "v");
    }
    v = var[1]->priv;
    assert_non_null(v->index);
    assert_int_equal(cel_h5r_index_kind(v->index), k->kind);
    cel_h5r_index_free(v->index);
    v->index = NULL;
    compare_chunks(ds, var);
    compare_walks(ds[0], var[0]);
    assert_true(cel_h5_file(ds[0])->id < 0);
    assert_true(cel_h5_file(ds[1])->id >= 0);
    finish(ds[0]);
    finish(ds[1]);
}

/* --- damage ----------------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes;

    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(*n);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    return bytes;
}

static struct cel_dataset *open_bytes(char *bytes, size_t n)
{
    struct cel_location where = {
        .path = "bytes", .memory = bytes, .memory_size = n, .in_memory = true, .memory_locked = true};
    struct cel_options options = {.mode = NC_NOWRITE};
    struct cel_dataset *ds;

    assert_ok(cel_dataset_make("bytes", NC_NOWRITE, &ds));
    ds->ops = &cel_hdf5_ops;
    ds->features = ds->ops->features;
    assert_ok(ds->ops->open(ds, &where, &options));
    return ds;
}

static int read_bytes(char *bytes, size_t n, const struct kind *k, int *values)
{
    struct cel_dataset *ds = open_bytes(bytes, n);
    size_t start_at[2] = {0, 0}, count[2] = {(size_t)k->rows, (size_t)k->columns};
    int rc = cel_get_region(ds, find_var(ds, "v"), &(struct cel_region){start_at, count, NULL, NULL}, values, NC_INT);

    if (rc != CEL_OK) {
        assert_non_null(strstr(cel_error_text(), "v: "));
        assert_non_null(strstr(cel_error_text(), "offset"));
    }
    assert_true(cel_h5_file(ds)->id < 0);
    finish(ds);
    return rc;
}

/* One changed bit in each byte at the beginning of each structure. The address of the header is not looked at, here
 * as in libhdf5, but the checksum covers it. */
static void damage_each_block(const char *path, const struct kind *k)
{
    size_t n, nvalues = (size_t)(k->rows * k->columns) * sizeof(int);
    char *bytes = read_file(path, &n);
    int *right = malloc(nvalues), *values = malloc(nvalues);

    assert_int_equal(read_bytes(bytes, n, k, right), CEL_OK);
    for (const char *s = k->blocks; *s; s += 4) {
        int found = 0;

        for (char *at = bytes; (at = memmem(at, n - (size_t)(at - bytes), s, 4)) != NULL && found < 2; at++, found++)
            for (int i = 0; i < 24; i++) {
                at[i] ^= 0x10;
                assert_int_not_equal(read_bytes(bytes, n, k, values), CEL_OK);
                at[i] ^= 0x10;
            }
        assert_true(found > 0 || k->rows < NX);
    }
    free(right);
    free(values);
    free(bytes);
}

static void check(const struct kind *k)
{
    const char *path = scratch("kind.h5");

    make_file(path, k);
    compare_with_libhdf5(path, k);
    damage_each_block(path, k);
    unlink(path);
}

static void check_both(struct kind k)
{
    check(&k);
    k.filtered = true;
    check(&k);
}

static void btree1(void **state)
{
    check_both((struct kind){CEL_H5R_INDEX_BTREE1, "", NX, NY, H5S_UNLIMITED, NY, false, false, false});
}

static void single_chunk(void **state)
{
    check_both((struct kind){CEL_H5R_INDEX_SINGLE, "", CHUNK, 1, CHUNK, 1, true, false, false});
}

static void implicit(void **state)
{
    check(&(struct kind){CEL_H5R_INDEX_IMPLICIT, "", 20, NY, 20, NY, true, true, false});
}

static void fixed_array(void **state)
{
    check_both((struct kind){CEL_H5R_INDEX_FIXED, "FAHDFADB", 20, NY, 20, NY + 2, true, false, false});
}

static void fixed_array_in_pages(void **state)
{
    check_both((struct kind){CEL_H5R_INDEX_FIXED, "FAHDFADB", NX, NY, NX, NY, true, false, false});
}

static void extensible_array(void **state)
{
    check_both(
        (struct kind){CEL_H5R_INDEX_EXTENSIBLE, "EAHDEAIBEASBEADB", NX, NY, H5S_UNLIMITED, NY, true, false, false});
}

static void btree2(void **state)
{
    check_both(
        (struct kind){CEL_H5R_INDEX_BTREE2, "BTHDBTINBTLF", NX, NY, H5S_UNLIMITED, H5S_UNLIMITED, true, false, false});
}

/* --- layout messages ------------------------------------------------------------------------------- */

static int read_layout(const char *bytes, size_t n, struct cel_h5r_layout *out)
{
    static const struct cel_h5r_file file = {.offset_size = 8, .length_size = 8};

    return cel_h5r_layout_read(&file, (struct cel_h5_bytes){.p = (const unsigned char *)bytes, .n = n}, out);
}

static void layouts_of_every_version(void **state)
{
    static const char old_contiguous[] = "\1\2\1\0\0\0\0\0\100\0\0\0\0\0\0\0\5\0\0\0\6\0\0";
    static const char old_chunked[] = "\2\3\2\0\0\0\0\0\100\0\0\0\0\0\0\0\5\0\0\0\6\0\0\0\4\0\0";
    static const char old_compact[] = "\1\1\0\0\0\0\0\0\3\0\0\0\3\0\0\0abc";
    static const char compact[] = "\3\0\3\0abc";
    static const char filtered_single[] = "\4\2\2\2\1\7\4\1\11\0\0\0\0\0\0\0\1\0\0\0\100\0\0\0\0\0\0";
    static const char large_v4[] = "\4\2\0\2\4\0\0\0\100\4\0\0\0\2\100\0\0\0\0\0\0";
    static const char large_v5[] = "\5\2\0\2\4\0\0\0\100\4\0\0\0\2\100\0\0\0\0\0\0\0";
    struct cel_h5r_layout l;

    assert_ok(read_layout(old_contiguous, sizeof old_contiguous, &l));
    assert_true(l.storage == CEL_H5R_CONTIGUOUS && l.addr == 64 && l.size_from_shape);
    assert_ok(read_layout(old_chunked, sizeof old_chunked, &l));
    assert_true(l.storage == CEL_H5R_CHUNKED && l.rank == 2 && l.chunk[1] == 6 && l.elem == 4 && l.size == 120);
    assert_ok(read_layout(old_compact, sizeof old_compact, &l));
    assert_true(l.storage == CEL_H5R_COMPACT && l.size == 3 && memcmp(l.compact, "abc", 3) == 0);
    free(l.compact);
    assert_ok(read_layout(compact, sizeof compact, &l));
    assert_true(l.size == 3 && memcmp(l.compact, "abc", 3) == 0);
    free(l.compact);
    assert_ok(read_layout(filtered_single, sizeof filtered_single, &l));
    assert_true(l.kind == CEL_H5R_INDEX_SINGLE && l.single_filtered && l.single_size == 9 && l.single_mask == 1);
    assert_int_equal(read_layout(large_v4, sizeof large_v4, &l), NC_EHDFERR);
    assert_ok(read_layout(large_v5, sizeof large_v5, &l));
    assert_true(l.kind == CEL_H5R_INDEX_IMPLICIT && l.size == (uint64_t)4 << 30 && l.addr == 64);
    for (size_t n = 0; n < 8; n++)
        assert_int_equal(read_layout(old_chunked, n, &l), NC_EHDFERR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(btree1),
        cmocka_unit_test(single_chunk),
        cmocka_unit_test(implicit),
        cmocka_unit_test(fixed_array),
        cmocka_unit_test(fixed_array_in_pages),
        cmocka_unit_test(extensible_array),
        cmocka_unit_test(btree2),
        cmocka_unit_test(layouts_of_every_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
