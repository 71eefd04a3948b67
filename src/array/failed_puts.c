/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts that failed after their arguments were found valid, so that part of their data is missing. Each is
 * remembered until a later put stores its whole region. As long as there is one, sync and close fail in every
 * format. */
#include "array_int.h"
#include <stdlib.h>
#include <string.h>

enum { KEPT_MAX = 256 };

struct cel_failed_put { /* the region of a failed put, as if its strides were 1 */
    struct cel_failed_put *next;
    struct cel_status why;
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX];
};

static bool covers(const size_t *start, const size_t *count, const struct cel_failed_put *failed, int rank)
{
    for (int d = 0; d < rank; d++)
        if (start[d] > failed->start[d] || start[d] + count[d] < failed->start[d] + failed->count[d])
            return false;
    return true;
}

static void close_gaps(size_t *count, const size_t *n, const size_t *stride, int rank)
{
    for (int d = 0; d < rank; d++)
        count[d] = stride ? (n[d] - 1) * stride[d] + 1 : n[d];
}

static bool is_dense(const size_t *count, const size_t *n, int rank)
{
    return rank == 0 || memcmp(count, n, (size_t)rank * sizeof *n) == 0;
}

static void forget_covered(struct cel_array *array, const size_t *start, const size_t *count)
{
    for (struct cel_failed_put **at = &array->failed_puts; *at;) {
        struct cel_failed_put *failed = *at;

        if (!covers(start, count, failed, array->rank)) {
            at = &failed->next;
            continue;
        }
        *at = failed->next;
        array->nfailed_puts--;
        free(failed);
    }
}

static void remember(struct cel_array *array, const size_t *start, const size_t *count)
{
    struct cel_status why;
    struct cel_failed_put *failed;

    cel_status_save(&why); /* before memory runs out */
    failed = array->nfailed_puts < KEPT_MAX ? cel_malloc(sizeof *failed) : NULL;
    cel_status_restore(&why);
    array->nfailed_puts++;
    if (!failed)
        return; /* counted, and never forgotten */
    failed->why = why;
    memcpy(failed->start, start, (size_t)array->rank * sizeof *start);
    memcpy(failed->count, count, (size_t)array->rank * sizeof *count);
    failed->next = array->failed_puts;
    array->failed_puts = failed;
}

void cel_failed_put_note(struct cel_array *array, const size_t *start, const size_t *n, const size_t *stride, int rc)
{
    size_t count[CEL_RANK_MAX];
    bool stored = rc == CEL_OK || rc == NC_ERANGE;

    if (stored && !array->nfailed_puts)
        return;
    close_gaps(count, n, stride, array->rank);
    if (!stored)
        remember(array, start, count);
    else if (is_dense(count, n, array->rank))
        forget_covered(array, start, count);
}

static int fail_again(const struct cel_array *array, const struct cel_var *var)
{
    const struct cel_failed_put *failed = array->failed_puts;
    int rc;

    if (!failed)
        return cel_fail_in_var(cel_fail(NC_EIO, "data of %zu puts that failed is missing", array->nfailed_puts), var);
    cel_status_restore(&failed->why);
    rc = cel_fail_in(failed->why.code, "data of %zu %s missing, because", array->nfailed_puts,
                     array->nfailed_puts == 1 ? "failed put is" : "failed puts is");
    return cel_fail_in_var(rc, var);
}

int cel_failed_puts_check(struct cel_array *array, const struct cel_var *var)
{
    int rc;

    cel_lock(&array->lock);
    rc = array->nfailed_puts ? fail_again(array, var) : CEL_OK;
    cel_unlock(&array->lock);
    return rc;
}

void cel_failed_puts_free(struct cel_array *array)
{
    while (array->failed_puts) {
        struct cel_failed_put *next = array->failed_puts->next;

        free(array->failed_puts);
        array->failed_puts = next;
    }
}
