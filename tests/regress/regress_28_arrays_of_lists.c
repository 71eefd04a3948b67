/* SPDX-License-Identifier: BSD-3-Clause */
/* Structures that hold arrays of structures with lists and strings, several in one call: libhdf5 alone frees the values
 * of all but the last (h5_convert_array.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define PATH "arrays_of_lists.nc"
#define assert_ok(call) assert_int_equal(call, NC_NOERR)

enum { RECORDS = 3, CELLS = 2, NUMBERS = 13 };

struct cell {
    int number;
    nc_vlen_t list;
    char *text;
};
struct record { /* longer than its array, which libhdf5 takes for the distance of the elements */
    char ahead[256];
    struct cell cell[CELLS];
};

static int numbers[NUMBERS] = {11, 22, 33, 44, 55, 66, 77, 88, 99, 111, 122, 133, 144};
static char texts[RECORDS * CELLS][8];

static void fill(struct record *record)
{
    memset(record, 0, RECORDS * sizeof *record);
    for (int i = 0; i < RECORDS * CELLS; i++) {
        struct cell *cell = &record[i / CELLS].cell[i % CELLS];

        memset(texts[i], 'a' + i, (size_t)(1 + i % 5));
        *cell = (struct cell){10 * i, {(size_t)(1 + i % 3), numbers + i}, texts[i]};
    }
}

static int define(int ncid)
{
    int list, cell, record, cells = CELLS, ahead = 256;

    assert_ok(nc_def_vlen(ncid, "list", NC_INT, &list));
    assert_ok(nc_def_compound(ncid, sizeof(struct cell), "cell", &cell));
    assert_ok(nc_insert_compound(ncid, cell, "number", offsetof(struct cell, number), NC_INT));
    assert_ok(nc_insert_compound(ncid, cell, "list", offsetof(struct cell, list), list));
    assert_ok(nc_insert_compound(ncid, cell, "text", offsetof(struct cell, text), NC_STRING));
    assert_ok(nc_def_compound(ncid, sizeof(struct record), "record", &record));
    assert_ok(nc_insert_array_compound(ncid, record, "ahead", 0, NC_CHAR, 1, &ahead));
    assert_ok(nc_insert_array_compound(ncid, record, "cell", offsetof(struct record, cell), cell, 1, &cells));
    return record;
}

static void compare(const struct record *found, const struct record *wanted)
{
    for (int i = 0; i < RECORDS * CELLS; i++) {
        const struct cell *a = &found[i / CELLS].cell[i % CELLS], *b = &wanted[i / CELLS].cell[i % CELLS];

        assert_int_equal(a->number, b->number);
        assert_int_equal(a->list.len, b->list.len);
        assert_memory_equal(a->list.p, b->list.p, b->list.len * sizeof(int));
        assert_string_equal(a->text, b->text);
    }
}

/* storage: contiguous or chunked. Written twice, so that there is something to replace; read by a second opening. */
static void write_and_read(int storage)
{
    static struct record wanted[RECORDS], found[RECORDS];
    int ncid, x, type, v;

    fill(wanted);
    assert_ok(nc_create(PATH, NC_NETCDF4 | NC_CLOBBER, &ncid));
    type = define(ncid);
    assert_ok(nc_def_dim(ncid, "x", RECORDS, &x));
    assert_ok(nc_def_var(ncid, "v", type, 1, &x, &v));
    assert_ok(nc_def_var_chunking(ncid, v, storage, NULL));
    assert_ok(nc_put_att(ncid, v, "a", type, RECORDS, wanted));
    assert_ok(nc_put_var(ncid, v, wanted));
    assert_ok(nc_put_var(ncid, v, wanted));
    assert_ok(nc_close(ncid));

    assert_ok(nc_open(PATH, 0, &ncid));
    assert_ok(nc_get_var(ncid, v, found));
    compare(found, wanted);
    assert_ok(nc_reclaim_data(ncid, type, found, RECORDS));
    assert_ok(nc_get_att(ncid, v, "a", found));
    compare(found, wanted);
    assert_ok(nc_reclaim_data(ncid, type, found, RECORDS));
    assert_ok(nc_close(ncid));
}

static void contiguous(void **state)
{
    (void)state;
    write_and_read(NC_CONTIGUOUS);
}

static void chunked(void **state)
{
    (void)state;
    write_and_read(NC_CHUNKED);
}

/* While the file is open for writing, libhdf5 reads too. */
static void read_while_written(void **state)
{
    static struct record wanted[RECORDS], found[RECORDS];
    int ncid, x, type, v;

    (void)state;
    fill(wanted);
    assert_ok(nc_create(PATH, NC_NETCDF4 | NC_CLOBBER, &ncid));
    type = define(ncid);
    assert_ok(nc_def_dim(ncid, "x", RECORDS, &x));
    assert_ok(nc_def_var(ncid, "v", type, 1, &x, &v));
    assert_ok(nc_put_var(ncid, v, wanted));
    assert_ok(nc_get_var(ncid, v, found));
    compare(found, wanted);
    assert_ok(nc_reclaim_data(ncid, type, found, RECORDS));
    assert_ok(nc_close(ncid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contiguous), cmocka_unit_test(chunked),
                                       cmocka_unit_test(read_while_written)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
