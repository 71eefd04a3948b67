/* Puts that failed after their arguments were found right: part of what they were to store is missing. Each is
 * remembered until a later put stores its whole region; while there is one, syncing and closing fail, whatever the
 * container. */
#include "array_int.h"
#include <stdlib.h>
#include <string.h>

enum { LOST_MAX = 256 };

struct cel_lost { /* the region of a failed put; strides are filled up */
    struct cel_lost *next;
    struct cel_status why;
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX];
};

static bool covers(const size_t *start, const size_t *count, const struct cel_lost *lost, int rank)
{
    for (int d = 0; d < rank; d++)
        if (start[d] > lost->start[d] || start[d] + count[d] < lost->start[d] + lost->count[d])
            return false;
    return true;
}

static void fill_up(size_t *count, const size_t *n, const size_t *stride, int rank)
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
    for (struct cel_lost **at = &array->lost; *at;) {
        struct cel_lost *lost = *at;

        if (!covers(start, count, lost, array->rank)) {
            at = &lost->next;
            continue;
        }
        *at = lost->next;
        array->nlost--;
        free(lost);
    }
}

static void remember(struct cel_array *array, const size_t *start, const size_t *count)
{
    struct cel_status why;
    struct cel_lost *lost;

    cel_status_save(&why); /* before memory runs out */
    lost = array->nlost < LOST_MAX ? cel_malloc(sizeof *lost) : NULL;
    cel_status_restore(&why);
    array->nlost++;
    if (!lost)
        return; /* counted, and never forgotten */
    lost->why = why;
    memcpy(lost->start, start, (size_t)array->rank * sizeof *start);
    memcpy(lost->count, count, (size_t)array->rank * sizeof *count);
    lost->next = array->lost;
    array->lost = lost;
}

void cel_lost_note(struct cel_array *array, const size_t *start, const size_t *n, const size_t *stride, int rc)
{
    size_t count[CEL_RANK_MAX];
    bool stored = rc == CEL_OK || rc == NC_ERANGE;

    if (stored && !array->nlost)
        return;
    fill_up(count, n, stride, array->rank);
    if (!stored)
        remember(array, start, count);
    else if (is_dense(count, n, array->rank))
        forget_covered(array, start, count);
}

static int say(const struct cel_array *array, const struct cel_var *var)
{
    const struct cel_lost *lost = array->lost;
    int rc;

    if (!lost)
        return cel_fail_in_var(cel_fail(NC_EIO, "data of %zu puts that failed is missing", array->nlost), var);
    cel_status_restore(&lost->why);
    rc = cel_fail_in(lost->why.code, "data of %zu %s missing, because", array->nlost,
                     array->nlost == 1 ? "failed put is" : "failed puts is");
    return cel_fail_in_var(rc, var);
}

int cel_lost_check(struct cel_array *array, const struct cel_var *var)
{
    int rc;

    cel_lock(&array->lock);
    rc = array->nlost ? say(array, var) : CEL_OK;
    cel_unlock(&array->lock);
    return rc;
}

void cel_lost_free(struct cel_array *array)
{
    while (array->lost) {
        struct cel_lost *next = array->lost->next;

        free(array->lost);
        array->lost = next;
    }
}
