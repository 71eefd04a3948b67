/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks send each other: regions and values. */
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

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

/* The elements one behind the other, in memory that is freed with `hold`; NULL: there is none. */
static const char *packed_elements(const struct cel_request *req, char **hold)
{
    *hold = NULL;
    if (req->packed)
        return req->data;
    *hold = cel_malloc(req->n * req->transfer.user_size);
    if (*hold)
        copy_elements(req, *hold, true);
    return *hold;
}

int cel_par_packed_bytes(const struct cel_request *req, uint64_t *nbytes)
{
    char *hold;
    const char *elements;
    int rc;

    *nbytes = req->n * req->transfer.user_size;
    if (!req->var->type->varsized || !req->n)
        return CEL_OK;
    elements = packed_elements(req, &hold);
    rc = elements ? cel_par_flat_bytes(req->var->type, elements, req->n, nbytes) : NC_ENOMEM;
    free(hold);
    return rc;
}

int cel_par_pack(const struct cel_request *req, char *packed)
{
    const char *elements;
    char *hold;

    if (!req->var->type->varsized) {
        if (req->packed)
            memcpy(packed, req->data, req->n * req->transfer.user_size);
        else
            copy_elements(req, packed, true);
        return CEL_OK;
    }
    elements = packed_elements(req, &hold);
    if (elements)
        cel_par_flatten(req->var->type, elements, req->n, packed);
    free(hold);
    return elements ? CEL_OK : NC_ENOMEM;
}

static void unpack(const struct cel_request *req, const char *packed)
{
    if (req->packed)
        memcpy(req->data, packed, req->n * req->transfer.user_size);
    else
        copy_elements(req, (char *)packed, false);
}

int cel_par_unpack(const struct cel_request *req, const char *packed)
{
    void *elements;
    int rc;

    if (!req->var->type->varsized) {
        unpack(req, packed);
        return CEL_OK;
    }
    rc = cel_par_unflatten(req->var->type, packed, req->n, &elements);
    if (rc == CEL_OK)
        unpack(req, elements); /* what they point to is the caller's now */
    free(elements);
    return rc;
}

int cel_par_put_packed(struct cel_dataset *ds, struct cel_var *var, const struct cel_par_head *head, const char *packed)
{
    ptrdiff_t stride[CEL_RANK_MAX];
    struct cel_region region = cel_par_region(head, stride, var->ndims);
    void *elements = NULL;
    int rc;

    if (!var->type->varsized)
        return cel_put_region(ds, var, &region, packed, (nc_type)head->memtype);
    rc = cel_par_unflatten(var->type, packed, (size_t)head->n, &elements);
    if (rc == CEL_OK)
        rc = cel_put_region(ds, var, &region, elements, (nc_type)head->memtype);
    if (elements)
        cel_value_reclaim(var->type, elements, (size_t)head->n);
    free(elements);
    return rc;
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
    uint64_t nbytes = 0;

    if (rc == CEL_OK && writing)
        rc = cel_par_packed_bytes(req, &nbytes);
    if (rc != CEL_OK)
        return rc;
    *head = (struct cel_par_head){.n = req->n,
                                  .nbytes = writing ? nbytes : req->n * req->transfer.user_size,
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
