/* SPDX-License-Identifier: BSD-3-Clause */
/* One value of a variable without chunks. In a program that reads or writes single values the overhead of a call dominates, so
 * this file serves the simplest cases without a request; get.c and put.c do the rest.
 *
 * With the dataset's lock held, it moves a value whose bytes the container has in memory: this cannot fail. Called from get.c and
 * put.c, it moves a value that needs no conversion. */
#include "array_int.h"

enum { VALUE_MAX = 8 };

static bool is_number(nc_type type)
{
    return type > NC_NAT && type < NC_STRING && type != NC_CHAR;
}

/* Of the variable's own type, or of one that is converted to it. */
static bool is_fit(nc_type own, nc_type memtype)
{
    return memtype == own || (is_number(own) && is_number(memtype));
}

static bool is_within(const struct cel_var *var, const size_t *start)
{
    for (int d = 0; d < var->ndims; d++)
        if (start[d] >= var->dim[d]->len || (var->layout.extent && start[d] >= var->layout.extent[d]))
            return false;
    return true;
}

static bool is_single(const struct cel_var *var, const struct cel_region *r)
{
    if (!r->start || !r->count || r->stride || r->imap)
        return false;
    for (int d = 0; d < var->ndims; d++)
        if (r->count[d] != 1)
            return false;
    return is_within(var, r->start);
}

static bool is_plain(const struct cel_var *var, bool writing)
{
    const struct cel_array *array = atomic_load_explicit(&var->array, memory_order_acquire);

    return array && var->layout.unchunked && !array->tally.on &&
           (!writing || (var->fill.settled && var->quantize.mode == NC_NOQUANTIZE &&
                         !atomic_load_explicit(&array->nfailed_puts, memory_order_relaxed)));
}

static bool put_converted(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const void *data,
                          nc_type memtype, bool exclusive)
{
    _Alignas(VALUE_MAX) char value[VALUE_MAX];

    return cel_dataset_converter(ds, memtype, var->type->id)(value, data, 1) == 0 &&
           ds->ops->put_value(ds, var, start, value, exclusive);
}

static bool get_converted(struct cel_dataset *ds, struct cel_var *var, const size_t *start, void *data, nc_type memtype,
                          bool exclusive)
{
    _Alignas(VALUE_MAX) char value[VALUE_MAX];

    return ds->ops->get_value(ds, var, start, value, exclusive) &&
           cel_dataset_converter(ds, var->type->id, memtype)(data, value, 1) == 0;
}

bool cel_get_value(struct cel_dataset *ds, struct cel_var *var, const size_t *start, void *data, nc_type memtype,
                   bool exclusive)
{
    nc_type own = var->type->id;

    memtype = memtype == NC_NAT ? own : memtype;
    if (!ds->ops->get_value || !start || !data || !is_plain(var, false) || !is_fit(own, memtype) ||
        !is_within(var, start))
        return false;
    return memtype == own ? ds->ops->get_value(ds, var, start, data, exclusive)
                          : get_converted(ds, var, start, data, memtype, exclusive);
}

bool cel_put_value(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const void *data, nc_type memtype,
                   bool exclusive)
{
    nc_type own = var->type->id;

    memtype = memtype == NC_NAT ? own : memtype;
    if (!ds->ops->put_value || !start || !data || !is_plain(var, true) || !is_fit(own, memtype) ||
        !is_within(var, start))
        return false;
    return memtype == own ? ds->ops->put_value(ds, var, start, data, exclusive)
                          : put_converted(ds, var, start, data, memtype, exclusive);
}

bool cel_get_single(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                    nc_type memtype)
{
    return is_single(var, region) && cel_get_value(ds, var, region->start, data, memtype, false);
}

bool cel_put_single(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, const void *data,
                    nc_type memtype)
{
    return is_single(var, region) && cel_put_value(ds, var, region->start, data, memtype, false);
}

/* --- without the dataset's lock, as a container has it --------------------------------------- */

/* Numbers as they are stored, packed in the caller's memory. */
static bool is_as_stored(const struct cel_var *var, nc_type memtype)
{
    return var->layout.unchunked && !var->array->has_codec && var->type->id < NC_STRING &&
           (memtype == NC_NAT || memtype == var->type->id);
}

bool cel_unchunked_single(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *r, void *data,
                          nc_type memtype, bool writing, int *rc)
{
    bool simple;

    if (!data || !is_as_stored(var, memtype))
        return false;
    cel_lock(ds->lock);
    simple = is_single(var, r) && (!writing || (var->fill.settled && var->quantize.mode == NC_NOQUANTIZE));
    cel_unlock(ds->lock);
    if (simple)
        *rc = writing ? ds->ops->unchunked_put(ds, var, r->start, r->count, NULL, data)
                      : ds->ops->unchunked_get(ds, var, r->start, r->count, NULL, data);
    return simple;
}
