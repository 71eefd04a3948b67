/* SPDX-License-Identifier: BSD-3-Clause */
/* What the engine promises beyond equal values: netCDF's codes in netCDF's order,
 * the error of the lowest chunk, a cache that adapts, quantizing by position,
 * variables longer than others of the same dimension, and no memory left. */
#include "array_int.h"
#include "fake.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define INT cel_type_atomic(NC_INT)

static struct cel_dataset *ds;

static int set_up(void **state)
{
    cel_small_work = 0;
    cel_pool_set_size(4);
    return fake_make(&ds, 0);
}

static int tear_down(void **state)
{
    fake_free(ds);
    return 0;
}

static int put(struct cel_var *var, const size_t *start, const size_t *count, const ptrdiff_t *stride, const void *data,
               nc_type type)
{
    struct cel_region region = {start, count, stride, NULL};

    return cel_put_region(ds, var, &region, data, type);
}

static int get(struct cel_var *var, const size_t *start, const size_t *count, const ptrdiff_t *stride, void *data,
               nc_type type)
{
    struct cel_region region = {start, count, stride, NULL};

    return cel_get_region(ds, var, &region, data, type);
}

#define AT(...) ((const size_t[]){__VA_ARGS__})
#define BY(...) ((const ptrdiff_t[]){__VA_ARGS__})

/* Each answer was seen from netCDF-C 4.9 with the same calls. */
static void codes_and_their_order_are_netcdfs(void **state)
{
    struct cel_var *var = fake_var(ds, "v", INT, 3, AT(0, 4, 5), (bool[]){true, false, false}, AT(1, 4, 5), "");
    struct cel_var *twin = NULL;
    int x[100] = {0};

    assert_int_equal(put(var, AT(0, 0, 0), AT(1, 1, 1), BY(0, 1, 1), "t", NC_CHAR), NC_ECHAR);
    assert_int_equal(put(var, AT(0, 0, 0), AT(1, 1, 1), NULL, x, NC_STRING), NC_EBADTYPE);
    assert_int_equal(put(var, AT(0, 0, 0), AT(1, 1, 1), BY(-1, 1, 1), x, NC_INT), NC_ESTRIDE);
    assert_int_equal(put(var, AT(0, 9, 0), AT(1, 1, 1), BY(1, 1, 0), x, NC_INT), NC_ESTRIDE);
    assert_int_equal(put(var, AT(0, 4, 0), AT(1, 1, 1), NULL, x, NC_INT), NC_EINVALCOORDS);
    assert_int_equal(put(var, AT(0, 3, 9), AT(1, 2, 1), NULL, x, NC_INT), NC_EEDGE);
    assert_int_equal(put(var, AT(0, 4, 0), AT(1, 0, 1), NULL, x, NC_INT), NC_NOERR);
    assert_int_equal(put(var, AT(0, 5, 0), AT(1, 0, 1), NULL, x, NC_INT), NC_EINVALCOORDS);
    assert_int_equal(put(var, AT(0, 0, 4), AT(1, 0, 9), NULL, x, NC_INT), NC_NOERR);
    assert_int_equal(put(var, AT(3, 0, 0), AT(0, 1, 1), NULL, x, NC_INT), NC_NOERR);
    assert_int_equal(var->dim[0]->len, 0);
    assert_int_equal(put(var, AT(3, 0, 0), AT(1, 1, 1), NULL, x, NC_INT), NC_NOERR);
    assert_int_equal(var->dim[0]->len, 4);
    assert_int_equal(get(var, AT(4, 0, 0), AT(1, 1, 1), NULL, x, NC_INT), NC_EINVALCOORDS);
    assert_int_equal(get(var, AT(4, 0, 0), AT(0, 1, 1), NULL, x, NC_INT), NC_NOERR);
    assert_int_equal(get(var, AT(5, 0, 0), AT(0, 1, 1), NULL, x, NC_INT), NC_EINVALCOORDS);
    assert_int_equal(get(var, AT(3, 0, 0), AT(2, 1, 1), NULL, x, NC_INT), NC_EEDGE);
    assert_int_equal(put(var, NULL, AT(1, 1, 1), NULL, x, NC_INT), NC_EINVALCOORDS);
    assert_int_equal(put(var, AT(0, 2, 0), AT(1, SIZE_MAX, 1), NULL, x, NC_INT), NC_EEDGE);
    assert_int_equal(put(var, AT(SIZE_MAX, 0, 0), AT(1, 1, 1), NULL, x, NC_INT), NC_EEDGE);
    assert_int_equal(put(var, AT(0, 0, 0), AT(1, 5, 1), BY(1, PTRDIFF_MAX / 2, 1), x, NC_INT), NC_EEDGE);
    assert_int_equal(put(var, AT(0, 0, 0), AT(1, 1, 1), NULL, NULL, NC_INT), NC_EINVAL);
    assert_int_equal(put(var, AT(0, 0, 0), NULL, NULL, x, NC_INT), NC_NOERR);
    assert_string_equal(cel_error_part(CEL_IN_VARIABLE), "v");
    assert_int_equal(cel_var_def(ds->root, "twin", INT, 3, var->dim, &twin), CEL_OK);
    twin->loaded = true;
    x[0] = x[19] = 0;
    assert_int_equal(get(twin, AT(0, 0, 0), AT(4, 4, 5), NULL, x, NC_INT), NC_NOERR);
    assert_int_equal(x[0], NC_FILL_INT);
    assert_int_equal(x[79], NC_FILL_INT);
}

/* Fill that does not fit the type asked for is a range error, as any other value. */
static void fill_counts_for_erange(void **state)
{
    struct cel_var *var = fake_var(ds, "v", INT, 1, AT(10), NULL, AT(4), "");
    signed char x[10];

    assert_int_equal(get(var, AT(0), AT(10), NULL, x, NC_BYTE), NC_ERANGE);
}

static void all_is_written_before_erange(void **state)
{
    struct cel_var *var = fake_var(ds, "v", cel_type_atomic(NC_BYTE), 1, AT(100), NULL, AT(7), "");
    int x[100], y[100];

    for (int i = 0; i < 100; i++)
        x[i] = i == 50 ? 1000 : i;
    assert_int_equal(put(var, AT(0), AT(100), NULL, x, NC_INT), NC_ERANGE);
    assert_int_equal(get(var, AT(0), AT(100), NULL, y, NC_INT), NC_NOERR);
    x[50] = y[50];
    assert_memory_equal(x, y, sizeof x);
}

static void the_lowest_chunk_is_reported(void **state)
{
    struct cel_var *var = fake_var(ds, "v", INT, 1, AT(800), NULL, AT(10), "shuffle|deflate,1");
    struct fake *f = fake_of(ds);
    int x[800] = {0};

    assert_int_equal(put(var, AT(0), AT(800), NULL, x, NC_INT), NC_NOERR);
    for (size_t i = 0; i < f->n; i++)
        if (f->chunk[i].index[0] >= 33)
            memset(f->chunk[i].bytes, 0xff, f->chunk[i].n);
    for (int again = 0; again < 20; again++) {
        assert_int_not_equal(get(var, AT(0), AT(800), NULL, x, NC_INT), NC_NOERR);
        assert_string_equal(cel_error_part(CEL_IN_CHUNK), "chunk (33)");
        assert_string_equal(cel_error_part(CEL_IN_VARIABLE), "v");
    }
    assert_int_equal(get(var, AT(0), AT(330), NULL, x, NC_INT), NC_NOERR);
}

/* A chunk that cannot be stored stays in the cache; later it can. */
static void dirty_chunks_survive_a_failure(void **state)
{
    struct cel_var *var = fake_var(ds, "v", INT, 1, AT(100), NULL, AT(10), "deflate,1");
    int x[100], y[100] = {0};

    for (int i = 0; i < 100; i++)
        x[i] = i * i;
    var->cache.size = 1000000;
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(put(var, AT(i), AT(1), NULL, &x[i], NC_INT), NC_NOERR);
    for (int at = 1; at <= 10; at++) {
        fake_of(ds)->fail_place = at;
        for (size_t i = 0; i < 100; i++)
            assert_int_equal(put(var, AT(i), AT(1), NULL, &x[i], NC_INT), NC_NOERR);
        assert_int_equal(cel_array_flush(ds, var), NC_EHDFERR);
    }
    assert_int_equal(cel_array_flush(ds, var), NC_NOERR);
    cel_array_free(var);
    assert_int_equal(get(var, AT(0), AT(100), NULL, y, NC_INT), NC_NOERR);
    assert_memory_equal(x, y, sizeof x);
    /* the same through eviction: no room for more than one chunk */
    var->cache.size = 0;
    assert_int_equal(cel_array_resize_cache(ds, var), NC_NOERR);
    fake_of(ds)->fail_place = 3;
    assert_int_equal(put(var, AT(0), AT(20), BY(5), x, NC_INT), NC_EHDFERR);
    assert_int_equal(cel_array_flush(ds, var), NC_NOERR);
    assert_int_equal(get(var, AT(0), AT(100), NULL, y, NC_INT), NC_NOERR);
}

static void damage_leaves_nothing_pinned(void **state)
{
    struct cel_var *var = fake_var(ds, "v", INT, 1, AT(100), NULL, AT(10), "deflate,1");
    int x[100] = {0};

    assert_int_equal(put(var, AT(0), AT(100), NULL, x, NC_INT), NC_NOERR);
    fake_of(ds)->fail_read = 4;
    assert_int_equal(put(var, AT(1), AT(33), BY(3), x, NC_INT), NC_EHDFERR);
    assert_int_equal(put(var, AT(1), AT(33), BY(3), x, NC_INT), NC_NOERR);
    fake_of(ds)->fail_read = 1;
    assert_int_equal(cel_array_flush(ds, var), NC_NOERR);
    cel_array_free(var);
    assert_int_equal(get(var, AT(1), AT(33), BY(3), x, NC_INT), NC_EHDFERR);
    assert_int_equal(get(var, AT(1), AT(33), BY(3), x, NC_INT), NC_NOERR);
}

/* One step per call into chunks of 8 steps, a row of chunks four times the cache:
 * every chunk is encoded once and read never. */
static void one_step_per_call_keeps_a_row(void **state)
{
    struct cel_var *var =
        fake_var(ds, "v", INT, 3, AT(0, 40, 40), (bool[]){true, false, false}, AT(8, 10, 10), "deflate,1");
    struct fake *f = fake_of(ds);
    int step[1600], back[1600];

    var->cache.size = 4 * 8 * 100 * sizeof(int);
    for (size_t t = 0; t < 32; t++) {
        for (int i = 0; i < 1600; i++)
            step[i] = (int)t * 1600 + i;
        assert_int_equal(put(var, AT(t, 0, 0), AT(1, 40, 40), NULL, step, NC_INT), NC_NOERR);
    }
    assert_int_equal(cel_array_flush(ds, var), NC_NOERR);
    assert_int_equal(f->places, 4 * 16);
    assert_int_equal(f->reads, 0);
    cel_array_free(var);
    for (size_t t = 0; t < 32; t++) {
        assert_int_equal(get(var, AT(t, 0, 0), AT(1, 40, 40), NULL, back, NC_INT), NC_NOERR);
        for (int i = 0; i < 1600; i++)
            assert_int_equal(back[i], (int)t * 1600 + i);
    }
    assert_in_range(f->reads, 64, 64 + 16); /* the first row tells, and is decoded twice */
}

/* A cache that was switched off stays off. */
static void a_cache_of_nothing_never_grows(void **state)
{
    struct cel_var *var = fake_var(ds, "v", INT, 2, AT(8, 100), NULL, AT(8, 10), "");
    int row[100] = {0};

    var->cache.size = 0;
    for (size_t t = 0; t < 8; t++)
        assert_int_equal(put(var, AT(t, 0), AT(1, 100), NULL, row, NC_INT), NC_NOERR);
    assert_true(var->array->cache.n <= 1);
}

/* BitGroom goes by the position in the caller's buffer, whatever the chunks. */
static void bitgroom_follows_the_callers_buffer(void **state)
{
    enum { NY = 9, NX = 11 };
    static const size_t chunkings[][2] = {{1, 1}, {2, 3}, {9, 11}, {4, 5}, {9, 2}};
    struct cel_quantize_setting setting = {NC_QUANTIZE_BITGROOM, 3, NC_FLOAT, CEL_TIES_AWAY, NULL};
    struct cel_quantizer *q;
    float x[NY * NX], want[NY * NX], back[NY * NX];

    for (int i = 0; i < NY * NX; i++)
        x[i] = (float)i * 1.37f + 0.1f;
    assert_int_equal(cel_quantizer_make(&setting, &q), CEL_OK);
    cel_quantize(q, want, x, NY * NX, 0, NULL);
    cel_quantizer_free(q);
    for (size_t k = 0; k < sizeof chunkings / sizeof *chunkings; k++) {
        char name[2] = {(char)('a' + k), 0};
        struct cel_var *var = fake_var(ds, name, cel_type_atomic(NC_FLOAT), 2, AT(NY, NX), NULL, chunkings[k], "");
        double max_abs, max_rel;

        var->quantize.mode = NC_QUANTIZE_BITGROOM;
        var->quantize.nsd = 3;
        var->endian = k % 2 ? NC_ENDIAN_BIG : NC_ENDIAN_NATIVE;
        assert_int_equal(put(var, AT(0, 0), AT(NY, NX), NULL, x, NC_FLOAT), NC_NOERR);
        assert_int_equal(get(var, AT(0, 0), AT(NY, NX), NULL, back, NC_FLOAT), NC_NOERR);
        assert_memory_equal(want, back, sizeof want);
        cel_array_worst_error(ds, var, &max_abs, &max_rel);
        assert_true(max_rel > 0 && max_rel < 1e-3 && max_abs > 0);
    }
}

/* Reads beyond CEL_NONTEMPORAL_MIN take another way to the caller's memory. */
static void large_reads_are_right(void **state)
{
    enum { NY = 1500, NX = 1001 };
    struct cel_var *var = fake_var(ds, "v", INT, 2, AT(NY, NX), NULL, AT(300, 170), "");
    int *x = malloc(NY * NX * sizeof *x);
    double *y = malloc((NY * NX + 1) * sizeof *y);

    for (int i = 0; i < NY * NX; i++)
        x[i] = i * 7;
    assert_int_equal(put(var, AT(0, 0), AT(NY, NX), NULL, x, NC_INT), NC_NOERR);
    for (size_t shift = 0; shift < 8; shift++) {
        int *back = (int *)((char *)y + shift);

        memset(y, 0, NY * NX * sizeof *y);
        assert_int_equal(get(var, AT(0, 0), AT(NY, NX), NULL, back, NC_INT), NC_NOERR);
        assert_memory_equal(x, back, NY * NX * sizeof *x);
    }
    assert_int_equal(get(var, AT(0, 0), AT(NY, NX), NULL, y, NC_DOUBLE), NC_NOERR);
    for (int i = 0; i < NY * NX; i++)
        if (y[i] != x[i])
            fail_msg("value %d is wrong", i);
    for (size_t shift = 0; shift < 70; shift++)
        for (size_t n = 0; n < 600; n += 37) {
            memset(y, 1, 1000);
            cel_copy_nontemporal((char *)y + shift, (char *)x, n);
            cel_nontemporal_fence();
            assert_memory_equal((char *)y + shift, x, n);
            assert_int_equal(((char *)y)[shift + n], 1);
        }
    free(x);
    free(y);
}

/* Every allocation may fail once: an error, never a crash, and then it works. */
static void no_memory_is_one_error(void **state)
{
    int x[400], y[400];

    for (int i = 0; i < 400; i++)
        x[i] = i;
    for (long nth = 1; nth < 40; nth++) {
        char name[16];
        struct cel_var *var;

        snprintf(name, sizeof name, "v%ld", nth);
        var = fake_var(ds, name, INT, 2, AT(20, 20), NULL, AT(3, 7), nth % 2 ? "shuffle|deflate,1" : "");
        var->cache.size = 200;
        cel_mem_fail_at(nth);
        put(var, AT(0, 0), AT(20, 20), NULL, x, NC_INT);
        get(var, AT(1, 0), AT(18, 19), NULL, y, NC_INT);
        cel_array_flush(ds, var);
        cel_mem_fail_at(0);
        assert_int_equal(put(var, AT(0, 0), AT(20, 20), NULL, x, NC_INT), NC_NOERR);
        assert_int_equal(get(var, AT(0, 0), AT(20, 20), NULL, y, NC_INT), NC_NOERR);
        assert_memory_equal(x, y, sizeof x);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(codes_and_their_order_are_netcdfs),
        T(fill_counts_for_erange),
        T(all_is_written_before_erange),
        T(the_lowest_chunk_is_reported),
        T(dirty_chunks_survive_a_failure),
        T(damage_leaves_nothing_pinned),
        T(one_step_per_call_keeps_a_row),
        T(a_cache_of_nothing_never_grows),
        T(bitgroom_follows_the_callers_buffer),
        T(large_reads_are_right),
        T(no_memory_is_one_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
