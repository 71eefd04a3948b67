/* SPDX-License-Identifier: BSD-3-Clause */
/* What is left for rank 0 to put, after ranks have encoded and written what they can: regions as they are, or those of parts
 * of chunks that nobody owns (par_parts.c). They are put in the order of ranks. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

static bool is_entire(const struct cel_par_left *left)
{
    return !left->parts->n || left->parts->answer.entire;
}

/* Do the caller's values lie as they travel? */
static bool as_they_are(const struct cel_par_left *left)
{
    return left->req->packed && !left->req->var->type->varsized;
}

static bool stays(const struct cel_par_left *left, size_t i)
{
    return left->parts->fate[i].owner < 0;
}

/* The request's elements of one chunk, as a request of its own, to be packed. */
static void cut_out(const struct cel_par_left *left, const uint64_t *index, struct cel_request *req,
                    struct cel_par_head *head)
{
    *req = *left->req;
    *head = *left->head;
    req->n = 1;
    req->packed = false;
    for (int d = 0; d < req->rank; d++) {
        size_t chunk = req->var->layout.chunk[d], start = req->start[d], stride = req->stride[d];
        size_t first = cel_chunk_count_before(start, req->count[d], stride, (size_t)index[d] * chunk);
        size_t end = cel_chunk_count_before(start, req->count[d], stride, cel_chunk_end(chunk, (size_t)index[d]));

        req->data += (ptrdiff_t)first * req->step[d];
        req->start[d] = head->start[d] = start + first * stride;
        req->count[d] = head->count[d] = end - first;
        req->n *= end - first;
    }
    head->n = req->n;
    head->nbytes = req->n * req->transfer.user_size;
}

/* The next region from part *i on, and its values; false: there is none. */
static bool next_region(const struct cel_par_left *left, size_t *i, struct cel_par_head *head, const char **values)
{
    struct cel_request req;

    if (is_entire(left) && (*i)++)
        return false;
    if (is_entire(left)) {
        *head = *left->head;
        *values = as_they_are(left) ? left->req->data : left->packed;
        if (!as_they_are(left) && !left->req->var->type->varsized)
            cel_par_pack(left->req, left->packed);
        return true;
    }
    while (*i < left->parts->n && !stays(left, *i))
        ++*i;
    if (*i == left->parts->n)
        return false;
    cut_out(left, left->parts->mine[(*i)++].index, &req, head);
    cel_par_pack(&req, left->packed);
    *values = left->packed;
    return true;
}

int cel_par_left_take_memory(struct cel_par_left *left)
{
    size_t most = is_entire(left) && !as_they_are(left) ? (size_t)left->head->nbytes : 0;

    for (size_t i = 0; !is_entire(left) && i < left->parts->n; i++) {
        size_t nbytes = (size_t)left->parts->mine[i].n * left->req->transfer.user_size;

        most = stays(left, i) && nbytes > most ? nbytes : most;
    }
    if (!left->head->left || !most)
        return CEL_OK;
    free(left->packed);
    left->packed = cel_malloc(most);
    if (!left->packed)
        return NC_ENOMEM;
    return left->req->var->type->varsized ? cel_par_pack(left->req, left->packed) : CEL_OK;
}

void cel_par_left_send(struct cel_par_left *left)
{
    const struct cel_par *par = left->req->ds->par;
    struct cel_par_head head;
    const char *values;
    int range;

    if (!left->head->left)
        return;
    for (size_t i = 0; next_region(left, &i, &head, &values);) {
        cel_par_send(par, 0, &head, sizeof head);
        cel_par_send(par, 0, values, (size_t)head.nbytes);
    }
    cel_par_receive(par, 0, &range, sizeof range);
    left->out_of_range = left->out_of_range || range;
}

/* --- rank 0 ------------------------------------------------------------------------------------------ */

static int put_region(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *head, const void *values,
                      bool *range)
{
    int rc = cel_par_put_packed(ds, var, head, values);

    *range = *range || rc == NC_ERANGE;
    return rc == NC_ERANGE ? CEL_OK : rc;
}

static void put_own(struct cel_par_left *left, struct cel_first_failure *first)
{
    struct cel_par_head head;
    const char *values;

    for (size_t i = 0; first->rc == CEL_OK && next_region(left, &i, &head, &values);)
        cel_first_failure_note(first, put_region(left->req->ds, left->req->var, &head, values, &left->out_of_range));
}

/* After a failure the rest is still received. The rank is told whether some of its values did not fit. */
static void put_received(struct cel_dataset *ds, struct cel_var *var, int from, int64_t n,
                         struct cel_first_failure *first)
{
    bool range = false;
    int answer;

    for (int64_t i = 0; i < n; i++) {
        struct cel_par_head head;
        void *bytes;
        int rc;

        cel_par_receive(ds->par, from, &head, sizeof head);
        rc = cel_par_receive_new(ds->par, from, (size_t)head.nbytes, &bytes);
        if (rc == CEL_OK && first->rc == CEL_OK)
            rc = put_region(ds, var, &head, bytes, &range);
        free(bytes);
        cel_first_failure_note(first, rc);
    }
    answer = range;
    cel_par_send(ds->par, from, &answer, sizeof answer);
}

int cel_par_left_put(struct cel_par_left *left, const struct cel_par_head *heads, int rc)
{
    struct cel_dataset *ds = left->req->ds;
    struct cel_first_failure first = {0};

    cel_first_failure_note(&first, rc);
    if (heads[0].left)
        put_own(left, &first);
    for (int r = 1; r < ds->par->size; r++)
        if (heads[r].left)
            put_received(ds, left->req->var, r, heads[r].left, &first);
    return cel_first_failure_restore(&first);
}
