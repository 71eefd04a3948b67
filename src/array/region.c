/* SPDX-License-Identifier: BSD-3-Clause */
/* From what the user asked to a checked request. Codes and their order are
 * netCDF-C's: type, strides, then per dimension start before edge. A dimension
 * the variable shares may be longer than the variable's stored array: reading
 * there gives fill, writing there makes the array longer. */
#include "array_int.h"
#include <assert.h>
#include <string.h>

static int check_strides(const struct cel_var *var, const ptrdiff_t *stride)
{
    for (int d = 0; stride && d < var->ndims; d++)
        if (stride[d] <= 0)
            return cel_fail(NC_ESTRIDE, "stride %td in dimension %s: strides must be positive", stride[d],
                            var->dim[d]->name);
    return CEL_OK;
}

/* The last index a dimension of the request touches; false when it fits no size_t. */
static bool last_index(const struct cel_request *req, int d, size_t *last)
{
    size_t span;

    return cel_mul(req->count[d] - 1, req->stride[d], &span) && cel_add(req->start[d], span, last);
}

static size_t region_end(const struct cel_request *req, int d)
{
    return req->start[d] + (req->count[d] - 1) * req->stride[d] + 1;
}

static int check_dim(const struct cel_request *req, int d, bool empty)
{
    const struct cel_dim *dim = req->var->dim[d];
    bool grows = req->writing && dim->unlimited;
    size_t last;

    if (!grows && (req->start[d] > dim->len || (req->start[d] == dim->len && req->count[d])))
        return cel_fail(NC_EINVALCOORDS, "start %zu lies beyond dimension %s, which has length %zu", req->start[d],
                        dim->name, dim->len);
    if (empty || !req->count[d])
        return CEL_OK;
    if (!last_index(req, d, &last) || last == SIZE_MAX || (!grows && last >= dim->len))
        return cel_fail(NC_EEDGE, "start %zu, count %zu and stride %zu reach beyond dimension %s, which has length %zu",
                        req->start[d], req->count[d], req->stride[d], dim->name, dim->len);
    return CEL_OK;
}

/* A count that was not given reaches to the end of the dimension. */
static size_t count_to_end(const struct cel_request *req, int d)
{
    size_t len = req->var->dim[d]->len;

    return req->start[d] < len ? (len - req->start[d] - 1) / req->stride[d] + 1 : 0;
}

static void copy_region(struct cel_request *req, const struct cel_region *region)
{
    for (int d = 0; d < req->rank; d++) {
        req->start[d] = region->start[d];
        req->stride[d] = region->stride ? (size_t)region->stride[d] : 1;
        req->count[d] = region->count ? region->count[d] : count_to_end(req, d);
    }
}

static int count_elements(struct cel_request *req)
{
    req->n = 1;
    for (int d = 0; d < req->rank; d++)
        if (!cel_mul(req->n, req->count[d], &req->n))
            return cel_fail(NC_EEDGE, "the region has more elements than memory can have");
    return CEL_OK;
}

static bool is_empty(const struct cel_request *req)
{
    for (int d = 0; d < req->rank; d++)
        if (!req->count[d])
            return true;
    return false;
}

static int take_region(struct cel_request *req, const struct cel_region *region)
{
    int rc = check_strides(req->var, region->stride);
    bool empty;

    if (rc == CEL_OK && req->rank && !region->start)
        rc = cel_fail(NC_EINVALCOORDS, "no start was given");
    if (rc != CEL_OK)
        return rc;
    copy_region(req, region);
    empty = is_empty(req);
    for (int d = 0; rc == CEL_OK && d < req->rank; d++)
        rc = check_dim(req, d, req->writing && empty);
    if (rc == CEL_OK && !empty)
        rc = count_elements(req);
    return rc;
}

/* Where neighbours lie in the caller's memory, and how BitGroom counts them:
 * through the whole packed buffer; with an index map row by row if rows are
 * packed, else each value by itself, since netCDF-C then writes it so. */
static int lay_out(struct cel_request *req, const ptrdiff_t *imap)
{
    size_t nth = 1, nbytes;

    if (!cel_mul(req->n, req->transfer.user_size, &nbytes) || nbytes > PTRDIFF_MAX)
        return cel_fail(NC_EEDGE, "the region has more bytes than memory can have");
    req->transfer.nontemporal = !req->writing && nbytes >= CEL_NONTEMPORAL_MIN;
    req->packed = true;
    for (int d = req->rank - 1; d >= 0; d--) {
        req->step[d] = (imap ? imap[d] : (ptrdiff_t)nth) * (ptrdiff_t)req->transfer.user_size;
        req->packed = req->packed && (req->count[d] == 1 || req->step[d] == (ptrdiff_t)(nth * req->transfer.user_size));
        req->nth[d] = imap && d < req->rank - 1 ? 0 : nth;
        nth *= req->count[d];
    }
    req->transfer.bitgroom_per_element =
        imap && req->rank && (imap[req->rank - 1] != 1 || req->stride[req->rank - 1] != 1);
    return CEL_OK;
}

/* Writing there makes the array longer. */
static bool is_beyond(const struct cel_request *req, int d)
{
    return req->var->dim[d]->unlimited && region_end(req, d) > req->extent[d];
}

static bool reaches_beyond(const struct cel_request *req)
{
    for (int d = 0; d < req->rank; d++)
        if (is_beyond(req, d))
            return true;
    return false;
}

int cel_request_begin(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                      nc_type memtype, bool writing, struct cel_request *out)
{
    int rc;

    memset(out, 0, offsetof(struct cel_request, start));
    out->ds = ds;
    out->var = var;
    out->array = var->array;
    out->writing = writing;
    out->rank = var->ndims;
    out->data = data;
    cel_lock(ds->lock);
    rc = cel_transfer_init(out, memtype);
    if (rc == CEL_OK)
        rc = take_region(out, region);
    for (int d = 0; rc == CEL_OK && d < out->rank; d++)
        out->extent[d] = out->before[d] = var->layout.extent ? var->layout.extent[d] : var->dim[d]->len;
    out->must_extend = rc == CEL_OK && writing && out->n && (!var->fill.settled || reaches_beyond(out));
    cel_unlock(ds->lock);
    if (rc == CEL_OK)
        rc = lay_out(out, region->imap);
    if (rc == CEL_OK && out->n && !data)
        rc = cel_fail(NC_EINVAL, "the data pointer is NULL");
    return rc;
}

/* With the dataset's lock held. */
static int grow(struct cel_request *req)
{
    struct cel_var *var = req->var;
    bool longer = false;
    int rc = CEL_OK;

    for (int d = 0; d < req->rank; d++) {
        req->extent[d] = req->before[d] = var->layout.extent ? var->layout.extent[d] : var->dim[d]->len;
        if (is_beyond(req, d)) {
            req->extent[d] = region_end(req, d);
            longer = true;
        }
    }
    if (longer)
        rc = req->ds->ops->extend(req->ds, var, req->extent);
    for (int d = 0; rc == CEL_OK && d < req->rank; d++)
        if (var->dim[d]->unlimited && req->extent[d] > var->dim[d]->len)
            var->dim[d]->len = req->extent[d];
    return rc;
}

int cel_request_extend(struct cel_request *req)
{
    int rc;

    assert(req->writing && !req->array->stream); /* no job is in flight while the dataset's lock is held */
    if (!req->must_extend)                       /* and no array becomes shorter meanwhile */
        return CEL_OK;
    cel_lock(req->ds->lock);
    cel_behind_hold(req->ds);
    req->var->fill.settled = true;
    rc = grow(req);
    cel_behind_release(req->ds);
    cel_unlock(req->ds->lock);
    return rc;
}

void cel_request_clip(struct cel_request *req)
{
    for (int d = 0; req->n && d < req->rank; d++) {
        size_t extent = req->extent[d], start = req->start[d];
        size_t n = start < extent ? (extent - start - 1) / req->stride[d] + 1 : 0;

        if (n >= req->count[d])
            continue;
        req->n = req->n / req->count[d] * n;
        req->count[d] = n;
        if (d > 0)
            req->packed = false; /* the rows that are left have gaps between them */
    }
}

/* What dimension d lost, of what the dimensions before it have left. */
static size_t fill_beyond(const struct cel_request *req, const size_t *count, int d)
{
    struct cel_box box = {.rank = req->rank, .user_at = req->data + req->step[d] * (ptrdiff_t)req->count[d]};

    for (int i = 0; i < req->rank; i++)
        box.n[i] = i < d ? req->count[i] : count[i];
    memcpy(box.user, req->step, sizeof box.user);
    box.n[d] -= req->count[d];
    return cel_scatter_fill(&req->transfer, &box);
}

size_t cel_request_fill_rest(const struct cel_request *req, const size_t *count)
{
    size_t nrange = 0;

    for (int d = 0; d < req->rank; d++)
        if (req->count[d] < count[d])
            nrange += fill_beyond(req, count, d);
    return nrange;
}
