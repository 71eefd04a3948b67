/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kind of source keeps one contract. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "file.h"
#include "mem.h"
#include "source.h"
#include <fcntl.h>
#include <netcdf.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 1000, THREADS = 4, ROUNDS = 2000 };

static unsigned char bytes[SIZE];

static int scratch(void)
{
    int fd = open("scratch", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(cel_file_write(fd, 0, bytes, SIZE), 0);
    return fd;
}

static struct cel_source *file_source(void)
{
    struct cel_source *s;

    assert_int_equal(cel_source_of_file(scratch(), &s), CEL_OK);
    return s;
}

static struct cel_source *memory_source(void)
{
    struct cel_source *s;

    assert_int_equal(cel_source_of_memory(bytes, SIZE, &s), CEL_OK);
    return s;
}

static struct cel_source *(*const kinds[])(void) = {file_source, memory_source};
#define EACH_KIND(k) for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)

static void ranges_are_read(void **state)
{
    (void)state;
    EACH_KIND(k)
    {
        struct cel_source *s = kinds[k]();
        unsigned char in[SIZE];
        uint64_t size = 0;

        assert_int_equal(cel_source_size(s, &size), CEL_OK);
        assert_int_equal(size, SIZE);
        assert_int_equal(cel_source_read_at(s, 0, in, SIZE), CEL_OK);
        assert_memory_equal(in, bytes, SIZE);
        assert_int_equal(cel_source_read_at(s, 990, in, 10), CEL_OK);
        assert_memory_equal(in, bytes + 990, 10);
        assert_int_equal(cel_source_close(s), CEL_OK);
    }
}

static void the_end_is_an_answer_of_its_own(void **state)
{
    (void)state;
    EACH_KIND(k)
    {
        struct cel_source *s = kinds[k]();
        unsigned char in[20];

        cel_error_clear();
        assert_int_equal(cel_source_read_at(s, 990, in, 11), CEL_BEYOND_END);
        assert_int_equal(cel_source_read_at(s, SIZE, in, 1), CEL_BEYOND_END);
        assert_int_equal(cel_source_read_at(s, UINT64_MAX - 4, in, 20), CEL_BEYOND_END);
        assert_int_equal(cel_source_read_at(s, (uint64_t)INT64_MAX - 4, in, 20), CEL_BEYOND_END);
        assert_string_equal(cel_error_text(), "");
        assert_int_equal(cel_source_read_at(s, 5000, in, 0), CEL_OK);
        assert_int_equal(cel_source_close(s), CEL_OK);
    }
}

static void announcing_changes_nothing(void **state)
{
    const struct cel_range ranges[] = {{0, 100}, {900, 500}, {UINT64_MAX, 10}, {5, 0}};

    (void)state;
    EACH_KIND(k)
    {
        struct cel_source *s = kinds[k]();
        unsigned char in[100];

        cel_source_want(s, ranges, 4);
        cel_source_want(s, NULL, 0);
        assert_int_equal(cel_source_read_at(s, 0, in, 100), CEL_OK);
        assert_memory_equal(in, bytes, 100);
        assert_int_equal(cel_source_close(s), CEL_OK);
    }
    assert_int_equal(cel_source_close(NULL), CEL_OK);
}

static void *read_much(void *source)
{
    unsigned char in[64];
    size_t wrong = 0;

    for (size_t i = 0; i < ROUNDS; i++) {
        size_t at = i * 37 % (SIZE - sizeof in);
        wrong += cel_source_read_at(source, at, in, sizeof in) != CEL_OK || memcmp(in, bytes + at, sizeof in) != 0;
    }
    return (void *)wrong;
}

static void threads_read_at_once(void **state)
{
    (void)state;
    EACH_KIND(k)
    {
        struct cel_source *s = kinds[k]();
        pthread_t thread[THREADS];
        void *wrong;

        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, read_much, s), 0);
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], &wrong);
            assert_null(wrong);
        }
        assert_int_equal(cel_source_close(s), CEL_OK);
    }
}

static void a_file_that_grows_is_longer(void **state)
{
    struct cel_source *s;
    uint64_t size;
    char in[3];
    int fd = scratch(), other = dup(fd);

    (void)state;
    assert_int_equal(cel_source_of_file(fd, &s), CEL_OK);
    assert_int_equal(cel_source_read_at(s, SIZE, in, 3), CEL_BEYOND_END);
    assert_int_equal(cel_file_write(other, SIZE, "new", 3), 0);
    assert_int_equal(cel_source_size(s, &size), CEL_OK);
    assert_int_equal(size, SIZE + 3);
    assert_int_equal(cel_source_read_at(s, SIZE, in, 3), CEL_OK);
    assert_memory_equal(in, "new", 3);
    assert_int_equal(cel_source_close(s), CEL_OK);
    close(other);
}

static void faults_have_text(void **state)
{
    struct cel_source *s;
    uint64_t size;
    char in[1];
    int fd = open("scratch", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    (void)state;
    assert_int_equal(cel_source_of_file(fd, &s), CEL_OK);
    assert_int_equal(cel_source_read_at(s, 7, in, 1), NC_EIO);
    assert_string_equal(cel_error_text(), "cannot read byte 7: Bad file descriptor");
    close(fd);
    assert_int_equal(cel_source_size(s, &size), NC_EIO);
    assert_true(cel_source_close(s) != CEL_OK);
}

static void without_memory_there_is_none(void **state)
{
    struct cel_source *s;
    int fd = scratch();

    (void)state;
    cel_mem_fail_at(1);
    assert_int_equal(cel_source_of_file(fd, &s), NC_ENOMEM);
    assert_int_equal(close(fd), 0); /* still ours */
    cel_mem_fail_at(1);
    assert_int_equal(cel_source_of_memory(bytes, SIZE, &s), NC_ENOMEM);
    cel_mem_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_read),
        cmocka_unit_test(the_end_is_an_answer_of_its_own),
        cmocka_unit_test(announcing_changes_nothing),
        cmocka_unit_test(threads_read_at_once),
        cmocka_unit_test(a_file_that_grows_is_longer),
        cmocka_unit_test(faults_have_text),
        cmocka_unit_test(without_memory_there_is_none),
    };

    for (int i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
