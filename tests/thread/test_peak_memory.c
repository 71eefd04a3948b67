/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory beyond the caller's own stays within 16 MiB and two chunks per thread for
 * whole-chunk work, however much is written and read; partial work adds the cache
 * and what it may grow by. The argument is the number of GiB. */
#include "common/memory.h"
#include <cellar.h>
#include <netcdf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define MIB ((size_t)1 << 20)
#define NY 512
#define NX 1024
#define STEPS 64 /* one call: 128 MiB of float */
#define THREADS 4

static const size_t chunk[3] = {8, 128, 128}; /* 512 KiB */
static const size_t chunk_bytes = 8 * 128 * 128 * sizeof(float);
static const size_t large_chunk[3] = {16, 512, 512}; /* 16 MiB, in pieces in the caller's memory */
static double gib = 0.25;
static float *field;

#define OK(call) assert_int_equal(call, NC_NOERR)

static size_t ncalls(void)
{
    size_t n = (size_t)(gib * 1024 / 128);

    return n ? n : 1;
}

static void create(const char *path, const size_t *chunks, int *nc, int *var)
{
    int dims[3];

    OK(nc_create(path, NC_NETCDF4 | NC_CLOBBER, nc));
    OK(nc_def_dim(*nc, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(*nc, "y", NY, &dims[1]));
    OK(nc_def_dim(*nc, "x", NX, &dims[2]));
    OK(nc_def_var(*nc, "v", NC_FLOAT, 3, dims, var));
    OK(nc_def_var_chunking(*nc, *var, NC_CHUNKED, chunks));
    OK(nc_def_var_deflate(*nc, *var, 1, 1, 1));
    OK(nc_enddef(*nc));
}

static void whole_chunks_need_little(void **state)
{
    size_t limit = 16 * MIB + 2 * THREADS * chunk_bytes, before, used;
    int nc, var;

    OK(cellar_set_threads(THREADS));
    create("peak.nc", chunk, &nc, &var);
    before = memory_mark_reset();
    for (size_t c = 0; c < ncalls(); c++)
        OK(nc_put_vara_float(nc, var, (size_t[3]){c * STEPS, 0, 0}, (size_t[3]){STEPS, NY, NX}, field));
    OK(nc_close(nc));
    used = memory_line("VmHWM:") - before;
    print_message("writing %.2f GiB: %.1f MiB beyond the caller's\n", gib, (double)used / MIB);
    assert_true(used <= limit);

    OK(nc_open("peak.nc", NC_NOWRITE, &nc));
    before = memory_mark_reset();
    for (size_t c = 0; c < ncalls(); c++)
        OK(nc_get_vara_float(nc, var, (size_t[3]){c * STEPS, 0, 0}, (size_t[3]){STEPS, NY, NX}, field));
    OK(nc_close(nc));
    used = memory_line("VmHWM:") - before;
    print_message("reading %.2f GiB: %.1f MiB beyond the caller's\n", gib, (double)used / MIB);
    assert_true(used <= limit);
    unlink("peak.nc");
}

static void check_used(const char *what, size_t before, size_t limit)
{
    size_t used = memory_line("VmHWM:") - before;

    print_message("%s: %.1f MiB beyond the caller's, at most %.1f\n", what, (double)used / MIB, (double)limit / MIB);
    assert_true(used <= limit);
}

/* Large chunks: what is in flight is bounded by bytes. The last read converts, and
 * overwrites the field. */
static void large_chunks_are_bounded_too(void **state)
{
    size_t limit = 16 * MIB + 2 * 2 * 16 * MIB, before;
    int nc, var;

    OK(cellar_set_threads(2));
    create("peak_large.nc", large_chunk, &nc, &var);
    before = memory_mark_reset();
    OK(nc_put_vara_float(nc, var, (size_t[3]){0}, (size_t[3]){STEPS, NY, NX}, field));
    OK(nc_close(nc));
    check_used("writing large chunks", before, limit);

    OK(nc_open("peak_large.nc", NC_NOWRITE, &nc));
    before = memory_mark_reset();
    OK(nc_get_vara_float(nc, var, (size_t[3]){0}, (size_t[3]){STEPS, NY, NX}, field));
    check_used("reading large chunks", before, limit);
    before = memory_mark_reset();
    OK(nc_get_vara_double(nc, var, (size_t[3]){0}, (size_t[3]){STEPS / 2, NY, NX}, (void *)field));
    check_used("reading large chunks as another type", before, limit);
    OK(nc_close(nc));
    unlink("peak_large.nc");
}

/* A row of chunks is 16 MiB here; the cache is set to 4 and grows to hold it. */
static void steps_need_the_cache_and_a_row(void **state)
{
    size_t row = NY * NX * chunk[0] * sizeof *field;
    size_t limit = 16 * MIB + 2 * THREADS * chunk_bytes + row, before, used;
    int nc, var;

    OK(cellar_set_threads(THREADS));
    create("peak_steps.nc", chunk, &nc, &var);
    OK(nc_set_var_chunk_cache(nc, var, 4 * MIB, 1009, 0.75f));
    before = memory_mark_reset();
    for (size_t t = 0; t < 4 * STEPS; t++)
        OK(nc_put_vara_float(nc, var, (size_t[3]){t, 0, 0}, (size_t[3]){1, NY, NX}, field));
    OK(nc_close(nc));
    used = memory_line("VmHWM:") - before;
    print_message("step by step: %.1f MiB beyond the caller's\n", (double)used / MIB);
    assert_true(used <= limit);
    unlink("peak_steps.nc");
}

/* Chunks that are encoded and stored after their puts count too. */
static void one_chunk_a_call(size_t threads, const size_t *chunks, size_t most)
{
    size_t limit = 16 * MIB + 2 * threads * most, n = chunks[0] * chunks[1] * chunks[2], before;
    int nc, var;

    OK(cellar_set_threads((int)threads));
    create("peak_behind.nc", chunks, &nc, &var);
    before = memory_mark_reset();
    for (size_t c = 0; c < 128 * MIB / most; c++)
        OK(nc_put_vara_float(nc, var, (size_t[3]){c * chunks[0], 0, 0}, chunks, field + c * n % (STEPS * NY * NX)));
    OK(nc_close(nc));
    check_used("a chunk a call", before, limit);
    unlink("peak_behind.nc");
}

static void chunks_stored_later_are_bounded_too(void **state)
{
    one_chunk_a_call(THREADS, chunk, chunk_bytes);
    one_chunk_a_call(2, large_chunk, 16 * MIB);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_chunks_need_little), cmocka_unit_test(steps_need_the_cache_and_a_row),
        cmocka_unit_test(large_chunks_are_bounded_too), cmocka_unit_test(chunks_stored_later_are_bounded_too)};

    if (argc > 1)
        gib = atof(argv[1]);
    field = malloc(STEPS * NY * NX * sizeof *field);
    for (size_t i = 0; field && i < STEPS * NY * NX; i++)
        field[i] = (float)(i % 4099) * 0.5f + (float)(i * 2654435761u % 1024) * 1e-4f;
    return field ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
