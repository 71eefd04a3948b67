/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that other processes write: the one that has the file open through libhdf5 finds their place and hands out
 * addresses, and the others need no more than a descriptor.
 *
 * What may be handed over is what goes to the file at once (h5_deferred.c): bytes behind the last sync, which belong to
 * nobody yet, those of an unfiltered chunk that stays where it is, and contiguous data, which is always overwritten where it
 * lies. All else must pass through the deferred writes of the one process. A write that fails elsewhere is done again
 * there, so its rules for a full disk hold for all. */
#include "h5_int.h"

bool cel_h5_chunk_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at, size_t n)
{
    struct cel_h5_io *io = cel_h5_file(ds)->io;

    (void)var;
    return cel_h5_io_defers(io) && cel_h5_deferred_is_free(io->deferred, at->address, n, at->in_place);
}

bool cel_h5_chunk_lend(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at)
{
    struct cel_h5_io *io = cel_h5_file(ds)->io;

    return !cel_h5_is_in_other_file(((const struct cel_h5_var *)var->priv)->addr) && cel_h5_io_defers(io) &&
           cel_h5_deferred_is_free(io->deferred, at->address, at->nbytes, true);
}

static bool set_nbytes(const struct cel_var *var, size_t *nbytes)
{
    *nbytes = var->type->size;
    for (int d = 0; d < var->ndims; d++)
        if (var->layout.extent[d] != var->dim[d]->len || !cel_mul(*nbytes, var->dim[d]->len, nbytes))
            return false;
    return *nbytes > 0;
}

/* libhdf5 makes room with the first element that is put: one of those that will be overwritten. */
static int make_room(struct cel_dataset *ds, struct cel_var *var, const struct cel_value_range *range)
{
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX];
    uint64_t element = range->first;

    if (range->reading || H5Dget_storage_size(((struct cel_h5_var *)var->priv)->id) > 0)
        return CEL_OK;
    for (int d = var->ndims - 1; d >= 0; d--) {
        start[d] = (size_t)(element % var->dim[d]->len);
        element /= var->dim[d]->len;
        count[d] = 1;
    }
    return cel_h5_unchunked_put(ds, var, start, count, NULL, cel_var_fill_value(var));
}

/* libhdf5 keeps a few bytes beside small puts in memory, and would write them again later: with the dataset closed they
 * are in the file, and it has none. */
static int empty_libhdf5(struct cel_h5_io *io, struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    int rc;

    cel_h5_synced_range_use(var);
    v->stale = true;
    rc = cel_h5_chunk_refresh(var);
    io->synced_begin = io->synced_end = 0;
    v->unflushed = false;
    return rc;
}

static bool find_place(struct cel_dataset *ds, struct cel_var *var, const struct cel_value_range *range,
                       struct cel_value_place *out)
{
    struct cel_h5_io *io = cel_h5_file(ds)->io;
    struct cel_h5_var *v = var->priv;
    size_t nbytes;
    haddr_t at;

    if (!set_nbytes(var, &nbytes))
        return false;
    cel_h5_synced_range_use(var); /* before there is room: what the last sync knows of */
    io->synced_begin = io->synced_end = 0;
    if (make_room(ds, var, range) != CEL_OK || empty_libhdf5(io, var) != CEL_OK)
        return false;
    at = H5Dget_storage_size(v->id) == nbytes ? H5Dget_offset(v->id) : HADDR_UNDEF;
    if (at == HADDR_UNDEF || !cel_h5_deferred_is_free(io->deferred, at, nbytes, v->synced_begin == at && v->synced_end))
        return false;
    cel_h5_io_extend(io, at + nbytes);
    *out = (struct cel_value_place){.begin = at, .swap = v->swap};
    return true;
}

bool cel_h5_values_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_value_range *range,
                             struct cel_value_place *out)
{
    struct cel_h5_io *io = cel_h5_file(ds)->io;
    const struct cel_h5_var *v = var->priv;
    struct cel_h5_entry entry;
    bool found;

    if (!v || var->layout.storage != CEL_CONTIGUOUS || !v->native || cel_h5_is_in_other_file(v->addr) ||
        (v->swap && var->type->group) || !cel_h5_io_defers(io) || cel_h5_deferred_is_shared(io->deferred))
        return false;
    if (cel_h5_enter_var(var, &entry) != CEL_OK)
        return false;
    found = find_place(ds, var, range, out);
    cel_h5_leave(&entry);
    return found;
}
