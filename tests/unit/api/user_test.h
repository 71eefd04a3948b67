/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef USER_TEST_H
#define USER_TEST_H

/* For tests that see of Cellar what its users see. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cellar.h>
#include <netcdf.h>

#define assert_ok(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) \
            print_error("%s: %d: %s\n", #call, rc_, cellar_error()); \
        assert_int_equal(rc_, NC_NOERR); \
    } while (0)

#endif
