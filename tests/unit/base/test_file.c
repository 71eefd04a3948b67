/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of a file are moved whole, however the system cuts them up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* What the system does with the next calls: at most `limit` bytes a call, every other one interrupted, or no byte. */
static struct {
    size_t limit;
    int interrupted, calls;
    int takes_nothing;
} os;

static int is_interrupted(void)
{
    errno = EINTR;
    return os.interrupted && os.calls++ % 2 == 0;
}

ssize_t __wrap_pread(int fd, void *dst, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *src, size_t n, off_t at);
ssize_t __wrap_pwritev(int fd, const struct iovec *part, int n, off_t at);
ssize_t __real_pread(int fd, void *dst, size_t n, off_t at);
ssize_t __real_pwrite(int fd, const void *src, size_t n, off_t at);

ssize_t __wrap_pread(int fd, void *dst, size_t n, off_t at)
{
    return is_interrupted() ? -1 : __real_pread(fd, dst, n < os.limit ? n : os.limit, at);
}

ssize_t __wrap_pwrite(int fd, const void *src, size_t n, off_t at)
{
    if (os.takes_nothing)
        return 0;
    return is_interrupted() ? -1 : __real_pwrite(fd, src, n < os.limit ? n : os.limit, at);
}

/* One part at most, so that what is left begins anywhere. */
ssize_t __wrap_pwritev(int fd, const struct iovec *part, int n, off_t at)
{
    return n > 0 ? __wrap_pwrite(fd, part[0].iov_base, part[0].iov_len, at) : 0;
}

static int scratch(void)
{
    int fd = open("scratch", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    return fd;
}

static void short_and_interrupted_transfers_go_on(void **state)
{
    char out[100], in[100];
    int fd = scratch();
    size_t done;

    (void)state;
    for (int i = 0; i < 100; i++)
        out[i] = (char)i;
    os.limit = 7;
    os.interrupted = 1;
    assert_int_equal(cel_file_write(fd, 5, out, sizeof out), 0);
    assert_int_equal(cel_file_read(fd, 5, in, sizeof in, &done), 0);
    assert_int_equal(done, sizeof in);
    assert_memory_equal(in, out, sizeof in);
    close(fd);
}

static void reading_stops_at_the_end(void **state)
{
    char in[10];
    int fd = scratch();
    size_t done;

    (void)state;
    assert_int_equal(cel_file_write(fd, 0, "abcdef", 6), 0);
    assert_int_equal(cel_file_read(fd, 2, in, sizeof in, &done), 0);
    assert_int_equal(done, 4);
    assert_memory_equal(in, "cdef", 4);
    assert_int_equal(cel_file_read(fd, 6, in, sizeof in, &done), 0);
    assert_int_equal(done, 0);
    assert_int_equal(cel_file_read(fd, 100, in, 0, &done), 0);
    close(fd);
}

static void parts_follow_one_another(void **state)
{
    enum { N = 150 }; /* more than one call of the system takes */
    struct cel_bytes part[N];
    char want[N * 3], in[N * 3];
    int fd = scratch();
    size_t len = 0, done;

    (void)state;
    os.limit = 2;
    os.interrupted = 1;
    for (size_t i = 0; i < N; i++) {
        part[i] = (struct cel_bytes){"xyz", i % 4}; /* some are empty */
        memcpy(want + len, "xyz", i % 4);
        len += i % 4;
    }
    assert_int_equal(cel_file_write_parts(fd, 3, part, N), 0);
    assert_int_equal(cel_file_read(fd, 3, in, sizeof in, &done), 0);
    assert_int_equal(done, len);
    assert_memory_equal(in, want, len);
    assert_int_equal(cel_file_write_parts(fd, 3, part, 1), 0); /* one empty part */
    close(fd);
}

static void a_write_that_takes_nothing_ends(void **state)
{
    int fd = scratch();

    (void)state;
    os.takes_nothing = 1;
    assert_int_equal(cel_file_write(fd, 0, "a", 1), ENOSPC);
    assert_int_equal(cel_file_write_parts(fd, 0, &(struct cel_bytes){"a", 1}, 1), ENOSPC);
    assert_int_equal(cel_file_write(fd, 0, "", 0), 0);
    close(fd);
}

static void faults_are_told(void **state)
{
    char in[1];
    size_t done;

    (void)state;
    assert_int_equal(cel_file_read(-1, 0, in, 1, &done), EBADF);
    assert_int_equal(done, 0);
    assert_int_equal(cel_file_write(-1, 0, in, 1), EBADF);
    assert_int_equal(cel_file_write_parts(-1, 0, &(struct cel_bytes){in, 1}, 1), EBADF);
}

static int reset(void **state)
{
    (void)state;
    memset(&os, 0, sizeof os);
    os.limit = SIZE_MAX;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(short_and_interrupted_transfers_go_on, reset),
        cmocka_unit_test_setup(reading_stops_at_the_end, reset),
        cmocka_unit_test_setup(parts_follow_one_another, reset),
        cmocka_unit_test_setup(a_write_that_takes_nothing_ends, reset),
        cmocka_unit_test_setup(faults_are_told, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
