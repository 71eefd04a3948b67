/* SPDX-License-Identifier: BSD-3-Clause */
/* netCDF-C and Cellar at work in one process, each from a thread of its own. Both
 * enter one libhdf5, and netCDF-C's zstd chunks run through the filter class that
 * Cellar registered there, inside libhdf5's lock: nothing may wait for a lock of
 * ours. A deadlock shows as the test's timeout. */
#include "beside.h"
#include <cellar.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define ROUNDS 60

static void *theirs(void *path)
{
    return (void *)(intptr_t)beside_theirs(path, ROUNDS);
}

static void *ours(void *path)
{
    return (void *)(intptr_t)beside_ours(path, ROUNDS);
}

static void both_at_once(void **state)
{
    static char *const paths[4] = {"beside_a.nc", "beside_b.nc", "beside_c.nc", "beside_d.nc"};
    pthread_t thread[4];
    void *failed;

    assert_int_equal(cellar_set_threads(4), NC_NOERR);
    assert_int_equal(beside_ours(paths[0], 1), 0); /* registers the classes */
    for (int i = 0; i < 4; i++)                    /* netCDF-C itself is no library for threads: one of them only */
        assert_int_equal(pthread_create(&thread[i], NULL, i == 0 ? theirs : ours, paths[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], &failed);
        assert_int_equal((intptr_t)failed, 0);
        unlink(paths[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_at_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
