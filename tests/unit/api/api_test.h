/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef API_TEST_H
#define API_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api.h"
#include <cellar.h>
#include <netcdf.h>
#include <netcdf_mem.h>

#define assert_ok(call) assert_int_equal(call, NC_NOERR)

#endif
