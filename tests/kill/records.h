/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORDS_H
#define RECORDS_H

/* The file of the kill and fault tests, as a writer makes it and a reader expects it: record t of v holds
 * t * 10000 + i at place i, `time` holds t. Values of a record depend on nothing else, so that a record is right or
 * wrong by itself. */

#include <stddef.h>

#ifndef RECORDS_ROWS /* test_behind_faults.c has more */
#define RECORDS_ROWS 32
#endif
enum { RECORD_ROWS = RECORDS_ROWS, RECORD_COLS = 48, RECORD_VALUES = RECORD_ROWS * RECORD_COLS };

static inline float record_value(size_t t, size_t i)
{
    return (float)(t * 10000 % 8000000 + i);
}

/* Every record below n of the file at `path`: NULL, or what is wrong. The text is good until the next call. *code, unless NULL:
 * the answer of the call that failed, 0 when values themselves are wrong. */
const char *records_check(const char *path, size_t n, int nvars, int *code);

#endif
