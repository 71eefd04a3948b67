/* SPDX-License-Identifier: BSD-3-Clause */
/* libhdf5 prints its error stack on standard error by itself, in each thread of its own. No call of ours lets it: files cut
 * short, with bytes changed, that are none, opened for reading and (what libhdf5 refuses at once) for writing, in this thread
 * and in another. */
#include "user_test.h"
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum { N = 64, CUTS = 12, CHANGES = 40 };

static char bytes[1 << 16];
static size_t nbytes;

static void make_file(void)
{
    size_t chunk = 16;
    int nc, dim, v, data[N];
    FILE *f;

    for (int i = 0; i < N; i++)
        data[i] = i * i;
    assert_ok(nc_create("whole.nc", NC_NETCDF4 | NC_CLOBBER, &nc));
    assert_ok(nc_def_dim(nc, "x", NC_UNLIMITED, &dim));
    assert_ok(nc_def_var(nc, "v", NC_INT, 1, &dim, &v));
    assert_ok(nc_def_var_chunking(nc, v, NC_CHUNKED, &chunk));
    assert_ok(nc_def_var_deflate(nc, v, 1, 1, 1));
    assert_ok(nc_put_att_text(nc, v, "units", 1, "m"));
    assert_ok(nc_enddef(nc));
    assert_ok(nc_put_vara_int(nc, v, (size_t[]){0}, (size_t[]){N}, data));
    assert_ok(nc_close(nc));
    f = fopen("whole.nc", "rb");
    assert_non_null(f);
    nbytes = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_in_range(nbytes, 1000, sizeof bytes - 1);
}

static void write_file(const char *content, size_t n)
{
    FILE *f = fopen("odd.nc", "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(content, 1, n, f), n);
    fclose(f);
}

/* Whatever each call answers. */
static void use(const char *path, int mode)
{
    int nc, v, value = 1, dim;
    char text[8];

    if (nc_open(path, mode, &nc) != NC_NOERR)
        return;
    if (nc_inq_varid(nc, "v", &v) == NC_NOERR) {
        int data[N];
        nc_get_vara_int(nc, v, (size_t[]){0}, (size_t[]){N}, data);
        nc_get_att_text(nc, v, "units", text);
        nc_put_vara_int(nc, v, (size_t[]){N + 3}, (size_t[]){1}, &value);
    }
    nc_redef(nc);
    nc_def_dim(nc, "y", 3, &dim);
    nc_enddef(nc);
    if (nc_close(nc) != NC_NOERR)
        nc_abort(nc);
}

static void use_both(const char *path)
{
    use(path, NC_NOWRITE);
    use(path, NC_WRITE);
}

static void *use_all(void *arg)
{
    static char changed[sizeof bytes];
    int nc;

    for (size_t i = 0; i < CUTS; i++) {
        write_file(bytes, nbytes * i / CUTS);
        use_both("odd.nc");
    }
    srand(17);
    for (size_t i = 0; i < CHANGES; i++) {
        memcpy(changed, bytes, nbytes);
        changed[(size_t)rand() % nbytes] ^= (char)(1 + rand() % 255);
        write_file(changed, nbytes);
        use("odd.nc", NC_NOWRITE);
    }
    use_both("/nowhere/at/all.nc");
    use_both(".");
    if (nc_create("/nowhere/at/all.nc", NC_NETCDF4, &nc) == NC_NOERR)
        nc_close(nc);
    return arg;
}

static void nothing_is_printed(void **state)
{
    int kept = dup(STDERR_FILENO), file = open("said.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char said[4096];
    ssize_t n;
    pthread_t thread;

    (void)state;
    assert_true(kept >= 0 && file >= 0);
    make_file();
    assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
    use_all(NULL);
    assert_int_equal(pthread_create(&thread, NULL, use_all, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    fflush(stderr);
    assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
    n = pread(file, said, sizeof said - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    close(file);
    close(kept);
    if (strstr(said, "HDF5-DIAG"))
        fail_msg("libhdf5 printed: %s", said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_printed)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
