/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks send each other: regions and values. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)1 << 30) /* MPI counts in int */
#define TAG 1

void cel_par_send(const struct cel_par *par, int to, const void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += PIECE) {
        MPI_Request request;

        cel_par_send_start(par, to, (const char *)bytes + at, n - at < PIECE ? n - at : PIECE, &request);
        cel_par_wait(&request);
    }
}

void cel_par_receive(const struct cel_par *par, int from, void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += PIECE) {
        MPI_Request request;

        cel_par_receive_start(par, from, (char *)bytes + at, n - at < PIECE ? n - at : PIECE, &request);
        cel_par_wait(&request);
    }
}

MPI_Request *cel_par_send_start(const struct cel_par *par, int to, const void *bytes, size_t n, MPI_Request *request)
{
    for (size_t at = 0; at < n; at += PIECE)
        MPI_Isend((const char *)bytes + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_BYTE, to, TAG, par->comm,
                  request++);
    return request;
}

MPI_Request *cel_par_receive_start(const struct cel_par *par, int from, void *bytes, size_t n, MPI_Request *request)
{
    for (size_t at = 0; at < n; at += PIECE)
        MPI_Irecv((char *)bytes + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_BYTE, from, TAG, par->comm,
                  request++);
    return request;
}

size_t cel_par_requests_of(size_t n)
{
    return (n + PIECE - 1) / PIECE;
}

/* The sender must not wait for ever because there is no memory here. */
static int throw_away(const struct cel_par *par, int from, size_t n)
{
    char some[4096];

    for (size_t at = 0; at < n; at += PIECE) {
        MPI_Message message;
        MPI_Status status;

        MPI_Mprobe(from, TAG, par->comm, &message, &status);
        MPI_Mrecv(some, (int)sizeof some, MPI_BYTE, &message, &status);
    }
    return NC_ENOMEM;
}

int cel_par_receive_new(const struct cel_par *par, int from, size_t n, void **out)
{
    *out = cel_malloc(n ? n : 1);
    if (!*out)
        return throw_away(par, from, n);
    cel_par_receive(par, from, *out, n);
    return CEL_OK;
}

/* --- values ---------------------------------------------------------------------------------- */

static void copy_elements(const struct cel_request *req, char *packed, bool pack)
{
    size_t at[CEL_RANK_MAX] = {0}, size = req->transfer.user_size;
    char *user = req->data;

    for (size_t i = 0; i < req->n; i++, packed += size) {
        if (pack)
            memcpy(packed, user, size);
        else
            memcpy(user, packed, size);
        for (int d = req->rank - 1; d >= 0; d--) {
            user += req->step[d];
            if (++at[d] < req->count[d])
                break;
            user -= req->step[d] * (ptrdiff_t)req->count[d];
            at[d] = 0;
        }
    }
}

void cel_par_pack(const struct cel_request *req, char *packed)
{
    if (req->packed)
        memcpy(packed, req->data, req->n * req->transfer.user_size);
    else
        copy_elements(req, packed, true);
}

void cel_par_unpack(const struct cel_request *req, const char *packed)
{
    if (req->packed)
        memcpy(req->data, packed, req->n * req->transfer.user_size);
    else
        copy_elements(req, (char *)packed, false);
}

/* --- regions ----------------------------------------------------------------------------------- */

int cel_par_begin(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                  nc_type memtype, bool writing, struct cel_request *req)
{
    struct cel_array *array;
    int rc = cel_array_get(ds, var, &array);

    if (rc != CEL_OK)
        return rc;
    cel_lock(&array->lock);
    rc = cel_request_begin(ds, var, region, data, memtype, writing, req);
    cel_unlock(&array->lock);
    return rc;
}

int cel_par_prepare(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                    nc_type memtype, bool writing, struct cel_request *req, struct cel_par_head *head)
{
    int rc = cel_par_begin(ds, var, region, data, memtype, writing, req);

    if (rc == CEL_OK && var->type->varsized && ds->par->size > 1)
        rc = cel_fail(NC_EINVAL, "text and lists of variable length do not go between ranks: use numbers or NC_CHAR");
    if (rc != CEL_OK)
        return rc;
    *head = (struct cel_par_head){.n = req->n,
                                  .nbytes = req->n * req->transfer.user_size,
                                  .memtype = memtype,
                                  .group = var->group->id,
                                  .var = var->id};
    for (int d = 0; d < req->rank; d++) {
        head->start[d] = req->start[d];
        head->count[d] = req->count[d];
        head->stride[d] = req->stride[d];
    }
    return CEL_OK;
}

static uint64_t last_index(const struct cel_par_head *head, int d)
{
    return head->start[d] + (head->count[d] - 1) * head->stride[d];
}

bool cel_par_touch(const struct cel_par_head *a, const struct cel_par_head *b, int rank)
{
    for (int d = 0; d < rank; d++)
        if (a->start[d] > last_index(b, d) || b->start[d] > last_index(a, d))
            return false;
    return true;
}

struct cel_region cel_par_region(const struct cel_par_head *head, ptrdiff_t *stride, int rank)
{
    _Static_assert(sizeof(size_t) == sizeof(uint64_t), "lengths are sent as they are");
    for (int d = 0; d < rank; d++)
        stride[d] = (ptrdiff_t)head->stride[d];
    return (struct cel_region){(const size_t *)head->start, (const size_t *)head->count, stride, NULL};
}

int cel_par_gather_heads(const struct cel_par *par, const struct cel_par_head *mine, struct cel_par_head **out)
{
    *out = par->rank == 0 ? cel_calloc((size_t)par->size, sizeof **out) : NULL;
    if (cel_par_share((struct cel_par *)par, par->rank == 0 && !*out ? NC_ENOMEM : CEL_OK) != CEL_OK)
        return NC_ENOMEM;
    cel_par_gather(par, mine, *out, sizeof *mine);
    return CEL_OK;
}
