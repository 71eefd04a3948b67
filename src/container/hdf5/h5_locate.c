/* SPDX-License-Identifier: BSD-3-Clause */
/* Where stored values lie in the file, for inquiries. */
#include "h5_int.h"

/* Chunks of elements that libhdf5 moves are found as all others. Compact values lie inside the header, those of external
 * files elsewhere: both have no offset. */
static int locate_unchunked(struct cel_var *var, struct cel_chunk_location *out)
{
    struct cel_h5_var *v = var->priv;
    hsize_t nbytes = H5Dget_storage_size(v->id);
    haddr_t at = nbytes && var->layout.storage == CEL_CONTIGUOUS ? H5Dget_offset(v->id) : HADDR_UNDEF;

    if (nbytes > SIZE_MAX)
        return cel_fail(NC_EHDFERR, "its size in the file cannot be that of values");
    *out = (struct cel_chunk_location){.address = at == HADDR_UNDEF ? UINT64_MAX : at, .nbytes = (size_t)nbytes};
    return nbytes ? CEL_OK : CEL_ABSENT;
}

static int ask_unchunked(struct cel_var *var, struct cel_chunk_location *out)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_var(var, &entry);

    if (rc != CEL_OK)
        return rc;
    rc = locate_unchunked(var, out);
    cel_h5_leave(&entry);
    return rc;
}

/* What lies in another file has no offset in this one. */
int cel_h5_chunk_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                        struct cel_chunk_location *out, char **key)
{
    int rc;

    (void)key;
    if (var->layout.storage == CEL_CHUNKED)
        rc = cel_h5_chunk_find(ds, var, index, out);
    else if (((struct cel_h5_var *)var->priv)->own)
        rc = cel_h5_own_locate(var, out);
    else
        rc = ask_unchunked(var, out);
    if (rc == CEL_OK && cel_h5_is_in_other_file(((struct cel_h5_var *)var->priv)->addr))
        out->address = UINT64_MAX;
    return rc;
}

/* What libhdf5 alone can tell it is asked for all chunks at once, not for each that the grid has. */
int cel_h5_stored_size(struct cel_dataset *ds, struct cel_var *var, uint64_t *out)
{
    struct cel_h5_var *v = var->priv;
    struct cel_h5_entry entry;
    int rc;

    (void)ds;
    if (v->index || var->layout.storage != CEL_CHUNKED)
        return CEL_ABSENT;
    rc = cel_h5_enter_var(var, &entry);
    if (rc != CEL_OK)
        return rc;
    *out = H5Dget_storage_size(v->id);
    cel_h5_leave(&entry);
    return CEL_OK;
}
