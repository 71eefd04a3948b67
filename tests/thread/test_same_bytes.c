/* SPDX-License-Identifier: BSD-3-Clause */
/* The same calls give the same file, byte for byte, with 1, 2, 4 and 8 threads:
 * whole puts, steps, odd pieces, tiny caches, several variables and filters, for
 * HDF5 files and Zarr stores. And the data survives exit() without nc_close(),
 * and a child of fork() changes nothing. */
#include <cellar.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define NT 20
#define NY 120
#define NX 140 /* enough for the pool to be worth waking */
#define NVARS 5

static float field[NT * NY * NX];

static void make_field(void)
{
    uint32_t noise = 1;

    for (size_t i = 0; i < NT * NY * NX; i++) {
        noise = noise * 1664525 + 1013904223;
        field[i] = (float)(i % 4200) * 0.25f + (float)(noise >> 20) * 1e-3f;
    }
}

#define OK(call) assert_int_equal(call, NC_NOERR)

static void def_vars(int nc, int *vars)
{
    static const size_t chunks[NVARS][3] = {{4, 16, 16}, {1, 60, 70}, {8, 30, 70}, {3, 14, 22}, {20, 60, 70}};
    int dims[3];

    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(nc, "y", NY, &dims[1]));
    OK(nc_def_dim(nc, "x", NX, &dims[2]));
    for (int v = 0; v < NVARS; v++) {
        char name[8];

        snprintf(name, sizeof name, "v%d", v);
        OK(nc_def_var(nc, name, v == 3 ? NC_SHORT : NC_FLOAT, 3, dims, &vars[v]));
        OK(nc_def_var_chunking(nc, vars[v], NC_CHUNKED, chunks[v]));
    }
    OK(nc_def_var_deflate(nc, vars[0], 1, 1, 1));
    OK(nc_def_var_deflate(nc, vars[2], 1, 1, 5));
    OK(nc_def_var_fletcher32(nc, vars[3], NC_FLETCHER32));
    OK(nc_def_var_filter(nc, vars[4], 32015, 1, (unsigned[]){3}));
    OK(nc_set_var_chunk_cache(nc, vars[3], 5000, 7, 0.5f));
    OK(nc_enddef(nc));
}

/* Steps of all variables in turns, odd pieces, then some chunks written again. */
static void write_all(const char *path, int threads)
{
    int nc, vars[NVARS];
    float back[NY * NX];

    OK(cellar_set_threads(threads));
    OK(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc));
    def_vars(nc, vars);
    for (size_t t = 0; t < NT; t++)
        for (int v = 0; v < NVARS; v += 2)
            OK(nc_put_vara_float(nc, vars[v], (size_t[3]){t, 0, 0}, (size_t[3]){1, NY, NX}, field + t * NY * NX));
    OK(nc_put_vara_float(nc, vars[1], (size_t[3]){0}, (size_t[3]){NT, NY, NX}, field));
    for (size_t y = 0; y + 9 <= NY; y += 9) {
        OK(nc_put_vars_float(nc, vars[3], (size_t[3]){1, y, 2}, (size_t[3]){9, 9, 30}, (ptrdiff_t[3]){2, 1, 2}, field));
        OK(nc_get_vara_float(nc, vars[0], (size_t[3]){y % NT, 0, 0}, (size_t[3]){1, NY, NX}, back));
    }
    OK(nc_put_vara_float(nc, vars[2], (size_t[3]){3, 0, 0}, (size_t[3]){14, NY, NX}, field + 77));
    OK(nc_sync(nc));
    OK(nc_put_vara_float(nc, vars[0], (size_t[3]){0}, (size_t[3]){NT, NY, NX}, field + 0));
    OK(nc_close(nc));
}

/* A chunk a call, which is stored later, between definitions, attributes, other puts, gets and syncs. */
#define NV 4
static void def_behind(int nc, int *vars, int *time)
{
    static const int naxes[NV][3] = {{0, 1, 2}, {0, 1, 2}, {0, 3, 2}, {4, 1, 2}};
    int dims[5];

    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(nc, "y", NY, &dims[1]));
    OK(nc_def_dim(nc, "x", NX, &dims[2]));
    OK(nc_def_dim(nc, "more", NC_UNLIMITED, &dims[3]));
    OK(nc_def_dim(nc, "fixed", NT, &dims[4]));
    for (int v = 0; v < NV; v++) {
        int axes[3] = {dims[naxes[v][0]], dims[naxes[v][1]], dims[naxes[v][2]]};
        char name[8];

        snprintf(name, sizeof name, "v%d", v);
        OK(nc_def_var(nc, name, NC_FLOAT, 3, axes, &vars[v]));
        OK(nc_def_var_chunking(nc, vars[v], NC_CHUNKED, (size_t[3]){1, NY, NX}));
        OK(nc_def_var_deflate(nc, vars[v], 1, 1, 1 + v));
    }
    OK(nc_def_var(nc, "time", NC_DOUBLE, 1, dims, time));
    OK(nc_def_var_chunking(nc, *time, NC_CHUNKED, (size_t[1]){4}));
    OK(nc_def_var_deflate(nc, *time, 1, 1, 1));
    OK(nc_set_var_chunk_cache(nc, *time, 80, 7, 0.5f));
    OK(nc_enddef(nc));
}

static void put_double_step(int nc, int var, size_t t)
{
    static double step[NY * NX];

    for (size_t i = 0; i < NY * NX; i++)
        step[i] = field[(t * NY * NX + i) % (NT * NY * NX)];
    OK(nc_put_vara_double(nc, var, (size_t[3]){t, 0, 0}, (size_t[3]){1, NY, NX}, step));
}

static void write_behind(const char *path, int threads)
{
    float back[NY * NX];
    int nc, vars[NV], time, extra;

    OK(cellar_set_threads(threads));
    OK(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc));
    def_behind(nc, vars, &time);
    for (size_t t = 0; t < NT + 15; t++) {
        for (int v = 0; v < NV; v++)
            put_double_step(nc, vars[v], v == 3 ? t % NT : t);
        OK(nc_put_var1_double(nc, time, &t, &(double){(double)t}));
        if (t % 7 == 2)
            OK(nc_put_att_int(nc, vars[t % NV], "steps", NC_INT, 1, (int[]){(int)t}));
        if (t % 11 == 4)
            OK(nc_get_vara_float(nc, vars[1], (size_t[3]){t, 0, 0}, (size_t[3]){1, NY, NX}, back));
        if (t % 17 == 9)
            OK(nc_sync(nc));
        if (t % 19 == 3)
            OK(nc_put_vara_float(nc, vars[t % 3], (size_t[3]){t / 2, 3, 4}, (size_t[3]){2, 5, 6}, field));
        if (t == 30) {
            OK(nc_redef(nc));
            OK(nc_def_var(nc, "extra", NC_INT, 0, NULL, &extra));
            OK(nc_enddef(nc));
            OK(nc_put_var_int(nc, extra, (int[]){7}));
        }
    }
    OK(nc_close(nc));
}

static char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes;

    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(*n + 1);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    return bytes;
}

static void must_be_equal(const char *a, const char *b)
{
    size_t na, nb;
    char *x = slurp(a, &na), *y = slurp(b, &nb);

    assert_int_equal(na, nb);
    assert_memory_equal(x, y, na);
    free(x);
    free(y);
}

typedef void write_fn(const char *url, int threads);

static void files_must_be_identical(write_fn *write)
{
    static const int threads[] = {2, 4, 8, 1};
    char path[32];

    write("same_1.nc", 1);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        snprintf(path, sizeof path, "same_again_%d.nc", threads[i]);
        write(path, threads[i]);
        must_be_equal("same_1.nc", path);
        unlink(path);
    }
    unlink("same_1.nc");
}

static void hdf5_files_are_identical(void **state)
{
    files_must_be_identical(write_all);
    files_must_be_identical(write_behind);
}

static void stores_must_be_identical(write_fn *write, const char *ending, const char *mode)
{
    static const int threads[] = {1, 2, 4, 8};
    char url[64], command[128];

    for (size_t i = 0; i < 4; i++) {
        snprintf(url, sizeof url, "file://same_%d.%s#mode=%s,file", threads[i], ending, mode);
        write(url, threads[i]);
        snprintf(command, sizeof command, "diff -r same_1.%s same_%d.%s", ending, threads[i], ending);
        assert_int_equal(system(command), 0);
    }
    snprintf(command, sizeof command, "rm -r same_[1248].%s", ending);
    assert_int_equal(system(command), 0);
}

static void zarr_stores_are_identical(void **state)
{
    stores_must_be_identical(write_all, "zarr", "nczarr");
    stores_must_be_identical(write_behind, "behind", "nczarr");
}

/* Whole shards, which threads write side by side; shards written in two halves; chunks
 * of complete shards written again and read in between. */
static void write_shards(const char *url, int threads)
{
    static float back[NT * NY * NX];
    int nc, dims[3], whole, halves;

    OK(cellar_set_threads(threads));
    OK(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &nc));
    OK(nc_def_dim(nc, "t", NT, &dims[0]));
    OK(nc_def_dim(nc, "y", NY, &dims[1]));
    OK(nc_def_dim(nc, "x", NX, &dims[2]));
    OK(nc_def_var(nc, "whole", NC_FLOAT, 3, dims, &whole));
    OK(nc_def_var(nc, "halves", NC_FLOAT, 3, dims, &halves));
    for (int v = whole; v <= halves; v++) {
        OK(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[3]){1, 20, 35}));
        OK(cellar_def_var_shards(nc, v, (size_t[3]){2, 40, 70}));
        OK(nc_def_var_filter(nc, v, 32015, 1, (unsigned[]){3}));
    }
    OK(nc_enddef(nc));
    for (int round = 0; round < 3; round++)
        OK(nc_put_var_float(nc, whole, field));
    for (size_t t = 0; t < NT; t++)
        OK(nc_put_vara_float(nc, halves, (size_t[3]){t, 0, 0}, (size_t[3]){1, NY, NX}, field + t * NY * NX));
    OK(nc_put_vara_float(nc, whole, (size_t[3]){1, 0, 0}, (size_t[3]){9, NY, NX}, field + 77));
    OK(nc_get_var_float(nc, whole, back));
    assert_memory_equal(back + NY * NX, field + 77, 9 * NY * NX * sizeof *field);
    OK(nc_get_var_float(nc, halves, back));
    assert_memory_equal(back, field, sizeof field);
    OK(nc_close(nc));
}

static void shards_are_identical(void **state)
{
    stores_must_be_identical(write_shards, "shards", "zarr,v3");
}

/* Strings, whole and in pieces, read back in between. */
#define NWORDS 60
static void write_strings(const char *url, int threads)
{
    static char text[NWORDS * NWORDS][24];
    static char *word[NWORDS * NWORDS], *back[NWORDS * NWORDS];
    int nc, dims[2], var;

    for (int i = 0; i < NWORDS * NWORDS; i++) {
        snprintf(text[i], sizeof text[i], "%.*s%d", i % 9, "\303\244\303\266\303\274\303\237", i);
        word[i] = text[i];
    }
    OK(cellar_set_threads(threads));
    OK(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &nc));
    OK(nc_def_dim(nc, "y", NWORDS, &dims[0]));
    OK(nc_def_dim(nc, "x", NWORDS, &dims[1]));
    OK(nc_def_var(nc, "words", NC_STRING, 2, dims, &var));
    OK(nc_def_var_chunking(nc, var, NC_CHUNKED, (size_t[2]){7, 16}));
    OK(nc_def_var_deflate(nc, var, 0, 1, 1));
    OK(nc_enddef(nc));
    OK(nc_put_var_string(nc, var, (const char **)word));
    OK(nc_put_vara_string(nc, var, (size_t[2]){3, 5}, (size_t[2]){50, 40}, (const char **)word + 9));
    OK(nc_put_vars_string(nc, var, (size_t[2]){1, 0}, (size_t[2]){20, 30}, (ptrdiff_t[2]){3, 2},
                          (const char **)word + 1));
    OK(nc_get_var_string(nc, var, back));
    assert_string_equal(back[0], text[0]);
    assert_string_equal(back[NWORDS + 2], text[2]);
    assert_string_equal(back[3 * NWORDS + 5], text[9]);
    assert_string_equal(back[NWORDS * NWORDS - 1], text[NWORDS * NWORDS - 1]);
    OK(nc_free_string(NWORDS * NWORDS, back));
    OK(nc_close(nc));
}

static void strings_are_identical(void **state)
{
    stores_must_be_identical(write_strings, "strings", "nczarr");
    stores_must_be_identical(write_strings, "strings3", "zarr,v3");
}

/* An array of Fortran order, which others make: ours with another word in its metadata. */
static void turn_axes(const char *url)
{
    char path[64], command[256];

    snprintf(path, sizeof path, "%.*s", (int)strcspn(url + strlen("file://"), "#"), url + strlen("file://"));
    snprintf(command, sizeof command,
             "sed -i 's/\"order\": *\"C\"/\"order\":\"F\"/' %s/v/.zarray && grep -q '\"F\"' %s/v/.zarray", path, path);
    assert_int_equal(system(command), 0);
}

static void write_turned(const char *url, int threads)
{
    static float back[NT * NY * NX];
    int nc, dims[3], var;

    OK(cellar_set_threads(threads));
    OK(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &nc));
    OK(nc_def_dim(nc, "t", NT, &dims[0]));
    OK(nc_def_dim(nc, "y", NY, &dims[1]));
    OK(nc_def_dim(nc, "x", NX, &dims[2]));
    OK(nc_def_var(nc, "v", NC_FLOAT, 3, dims, &var));
    OK(nc_def_var_chunking(nc, var, NC_CHUNKED, (size_t[3]){8, 35, 32}));
    OK(nc_def_var_deflate(nc, var, 1, 1, 1));
    OK(nc_close(nc));
    turn_axes(url);
    OK(nc_open(url, NC_WRITE, &nc));
    OK(nc_put_vara_float(nc, var, (size_t[3]){0}, (size_t[3]){9, NY, NX}, field));
    for (size_t t = 9; t < NT; t++)
        OK(nc_put_vara_float(nc, var, (size_t[3]){t, 0, 0}, (size_t[3]){1, NY, NX}, field + t * NY * NX));
    OK(nc_get_var_float(nc, var, back));
    assert_memory_equal(back, field, sizeof field);
    OK(nc_close(nc));
}

static void turned_arrays_are_identical(void **state)
{
    stores_must_be_identical(write_turned, "turned", "zarr");
}

/* --- exit and fork, each in a process of its own ---------------------------------- */

/* AddressSanitizer's allocator stays locked in a child that is forked while another thread is
 * just starting, and the child hangs; what belongs to the parent's threads is lost in the child,
 * which it reports: there the parent works alone. */
#if defined(__SANITIZE_ADDRESS__)
#define PARENTS_THREADS 1
#else
#define PARENTS_THREADS 4
#endif

static int in_child(void (*piece)(void))
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        piece();
        exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int put_steps(const char *path, int *nc)
{
    int vars[NVARS];

    OK(nc_create(path, NC_NETCDF4 | NC_CLOBBER, nc));
    def_vars(*nc, vars);
    for (size_t t = 0; t < NT; t++)
        OK(nc_put_vara_float(*nc, vars[2], (size_t[3]){t, 0, 0}, (size_t[3]){1, NY, NX}, field + t * NY * NX));
    return vars[2];
}

static void forget_to_close(void)
{
    int nc;

    cellar_set_threads(4);
    put_steps("same_exit.nc", &nc);
}

static void must_hold_field(const char *path)
{
    static float back[NT * NY * NX];
    int nc, var;

    OK(nc_open(path, NC_NOWRITE, &nc));
    OK(nc_inq_varid(nc, "v2", &var));
    OK(nc_get_var_float(nc, var, back));
    assert_memory_equal(back, field, sizeof field);
    OK(nc_close(nc));
}

static void exit_without_close_keeps_the_data(void **state)
{
    assert_int_equal(in_child(forget_to_close), 0);
    must_hold_field("same_exit.nc");
}

/* The parent has read a file by now, for which libhdf5 was not needed: it is started late. */
static void forget_to_close_late(void)
{
    int nc;

    put_steps("same_late.nc", &nc);
}

static void exit_keeps_the_data_when_libhdf5_starts_late(void **state)
{
#if defined(__SANITIZE_THREAD__)
    skip(); /* its runtime does not let such a child make threads */
#endif
    must_hold_field("same_exit.nc");
    assert_int_equal(in_child(forget_to_close_late), 0);
    must_hold_field("same_late.nc");
    unlink("same_exit.nc");
    unlink("same_late.nc");
}

static int parents_file, parents_var;

/* The child may do what it likes with the parent's file: nothing of it counts. */
static void disturb(void)
{
    static float zeros[NT * NY * NX];
    int nc;

    if (nc_put_var_float(parents_file, parents_var, zeros) == NC_NOERR)
        exit(1);
    if (!*cellar_error())
        exit(2);
    nc_close(parents_file);
    cellar_set_threads(4);
    put_steps("same_child.nc", &nc); /* files of its own work, with a pool of its own */
    if (nc_close(nc) != NC_NOERR)
        exit(3);
}

static void a_forked_child_changes_nothing(void **state)
{
#if defined(__SANITIZE_THREAD__)
    skip(); /* its runtime does not let such a child make threads */
#endif
    OK(cellar_set_threads(PARENTS_THREADS));
    parents_var = put_steps("same_parent.nc", &parents_file);
    assert_int_equal(in_child(disturb), 0);
    OK(nc_close(parents_file));
    must_hold_field("same_parent.nc");
    must_hold_field("same_child.nc");
    unlink("same_parent.nc");
    unlink("same_child.nc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_without_close_keeps_the_data),
        cmocka_unit_test(exit_keeps_the_data_when_libhdf5_starts_late),
        cmocka_unit_test(a_forked_child_changes_nothing),
        cmocka_unit_test(hdf5_files_are_identical),
        cmocka_unit_test(zarr_stores_are_identical),
        cmocka_unit_test(shards_are_identical),
        cmocka_unit_test(strings_are_identical),
        cmocka_unit_test(turned_arrays_are_identical),
    };

    make_field();
    cellar_set_threads(PARENTS_THREADS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
