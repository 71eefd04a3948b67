/* SPDX-License-Identifier: BSD-3-Clause */
/* What open() leaves for later: a variable's type, layout, fill value and filters.
 * It is also decided here whether its data goes by chunks, around libhdf5, or
 * through libhdf5's own read and write; that holds as long as the file is open. */
#include "h5_int.h"
#include <assert.h>
#include <stdlib.h>

/* --- type -------------------------------------------------------------------------------- */

static int find_endian(const struct cel_type *type, hid_t file_type)
{
    if (type->group || type->klass == NC_CHAR || type->klass == NC_STRING)
        return NC_ENDIAN_NATIVE;
    return H5Tget_order(file_type) == H5T_ORDER_BE ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE;
}

static bool host_is_big(void)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* Do the file's bytes have memory's layout, but for byte order? */
static bool is_native(struct cel_h5_file *f, const struct cel_var *var, hid_t file_type, bool *swap)
{
    int endian = find_endian(var->type, file_type);
    hid_t same;

    *swap = endian != NC_ENDIAN_NATIVE && (endian == NC_ENDIAN_BIG) != host_is_big();
    if (var->type->varsized)
        return false;
    if (var->type->klass == NC_CHAR)
        return H5Tget_size(file_type) == 1;
    if (var->type->klass == NC_STRING)
        return false;
    if ((var->type->group ? cel_h5_memory_type(f, var->type, &same) : cel_h5_file_type(f, var->type, endian, &same)) !=
        CEL_OK)
        return false;
    return H5Tequal(same, file_type) > 0;
}

static int copy_memory_type(struct cel_h5_file *f, struct cel_var *var, hid_t file_type)
{
    struct cel_h5_var *v = var->priv;

    if (H5Tget_class(file_type) != H5T_STRING)
        return cel_h5_memory_type(f, var->type, &v->memory);
    if (v->own_memory)
        H5Tclose(v->memory);
    v->memory = H5Tcopy(file_type); /* strings: libhdf5 does not convert between encodings */
    v->own_memory = v->memory >= 0;
    return v->own_memory ? CEL_OK : cel_h5_fail(NC_EHDFERR, "the type cannot be read");
}

static int set_memory_type(struct cel_h5_file *f, struct cel_var *var, hid_t file_type)
{
    struct cel_h5_var *v = var->priv;

    v->native = is_native(f, var, file_type, &v->swap);
    v->fixed_string = var->type->klass == NC_STRING && H5Tis_variable_str(file_type) == 0 ? H5Tget_size(file_type) : 0;
    return copy_memory_type(f, var, file_type);
}

/* What was loaded without libhdf5, and must be read through it all the same, has none yet. */
int cel_h5_var_memory_type(struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    hid_t file_type = v->memory < 0 ? H5Dget_type(v->id) : -1;
    int rc;

    if (v->memory >= 0)
        return CEL_OK;
    if (file_type < 0)
        return cel_h5_fail(NC_EHDFERR, "the type cannot be read");
    rc = copy_memory_type(cel_h5_file(var->group->dataset), var, file_type);
    H5Tclose(file_type);
    return rc;
}

/* --- layout ---------------------------------------------------------------------------------- */

static int read_chunks(struct cel_var *var, hid_t dcpl)
{
    hsize_t dims[CEL_RANK_MAX];
    int d, n = H5Pget_chunk(dcpl, CEL_RANK_MAX, dims);
    size_t *chunk;

    if (n != var->ndims)
        return cel_h5_fail(NC_EHDFERR, "the chunk lengths cannot be read");
    chunk = cel_malloc_array((size_t)n, sizeof *chunk);
    if (!chunk)
        return NC_ENOMEM;
    for (d = 0; d < n; d++)
        chunk[d] = (size_t)dims[d];
    free(var->layout.chunk);
    var->layout.chunk = chunk;
    return CEL_OK;
}

static int read_layout(struct cel_var *var, hid_t dcpl)
{
    struct cel_h5_var *v = var->priv;
    unsigned options = 0;

    switch (H5Pget_layout(dcpl)) {
    case H5D_CHUNKED:
        var->layout.storage = CEL_CHUNKED;
        H5Pget_chunk_opts(dcpl, &options);
        v->raw_edges = options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS;
        return read_chunks(var, dcpl);
    case H5D_CONTIGUOUS:
        var->layout.storage = CEL_CONTIGUOUS;
        return CEL_OK;
    case H5D_COMPACT:
        var->layout.storage = CEL_COMPACT;
        return CEL_OK;
    case H5D_VIRTUAL:
        var->layout.storage = CEL_VIRTUAL;
        return CEL_OK;
    default:
        var->layout.storage = CEL_UNKNOWN_STORAGE;
        return CEL_OK;
    }
}

/* --- fill value ---------------------------------------------------------------------------------- */

/* libhdf5 has no conversion from fixed-length strings to ours. */
static int read_fixed_fill(struct cel_var *var, hid_t dcpl)
{
    struct cel_h5_var *v = var->priv;
    char *text = cel_calloc(v->fixed_string + 1, 1);
    int rc = text ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK && H5Pget_fill_value(dcpl, v->memory, text) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "the fill value cannot be read");
    if (rc != CEL_OK) {
        free(text);
        return rc;
    }
    *(char **)var->fill.value = text;
    return CEL_OK;
}

static int read_fill(struct cel_var *var, hid_t dcpl)
{
    struct cel_h5_var *v = var->priv;
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    H5D_fill_time_t when = H5D_FILL_TIME_IFSET;
    int rc = CEL_OK;

    if (H5Pfill_value_defined(dcpl, &defined) < 0 || H5Pget_fill_time(dcpl, &when) < 0)
        return cel_h5_fail(NC_EHDFERR, "the fill value cannot be read");
    var->fill.never = when != H5D_FILL_TIME_IFSET && when != H5D_FILL_TIME_ALLOC;
    var->fill.off = defined != H5D_FILL_VALUE_USER_DEFINED;
    if (var->fill.off || var->fill.value)
        return CEL_OK;
    var->fill.value = cel_calloc(1, var->type->size);
    if (!var->fill.value)
        return NC_ENOMEM;
    if (v->fixed_string)
        rc = read_fixed_fill(var, dcpl);
    else if (H5Pget_fill_value(dcpl, v->memory, var->fill.value) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "the fill value cannot be read");
    if (rc != CEL_OK) {
        free(var->fill.value);
        var->fill.value = NULL;
    }
    return rc;
}

/* --- by chunks, or through libhdf5 --------------------------------------------------------------------- */

/* Nothing in the file marks an edge chunk that is stored without filters. Such a dataset is
 * read by chunks, and written through libhdf5. */
static bool goes_by_chunks(const struct cel_var *var)
{
    const struct cel_h5_var *v = var->priv;

    return var->layout.storage == CEL_CHUNKED && v->native && !cel_h5_is_libhdf5s(v->addr) &&
           !(v->swap && var->type->group) && (var->chain.n == 0 || var->chain.prepared) &&
           !(v->raw_edges && var->group->dataset->writable);
}

/* A chain that cannot be used here (a filter only libhdf5 knows, or nobody) is no
 * error: such a variable is still listed, and libhdf5 may be able to read it. */
static int prepare_chain(struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    struct cel_shape shape;
    int rc = cel_var_shape(var, &shape);

    if (rc != CEL_OK)
        return rc;
    v->chunk_nbytes = shape.nbytes;
    if (var->chain.n == 0 || var->type->varsized || cel_chain_usable(&var->chain) != CEL_OK ||
        cel_chain_prepare(&var->chain, &shape, true) != CEL_OK)
        cel_error_clear();
    return CEL_OK;
}

/* libhdf5's chunk cache is chosen when a dataset is opened. */
static int reopen_with_cache(struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;

    H5Dclose(v->id);
    v->id = -1;
    return cel_h5_var_open(var);
}

int cel_h5_var_read_back(struct cel_var *var)
{
    struct cel_h5_file *f = cel_h5_file(var->group->dataset);
    struct cel_h5_var *v = var->priv;
    hid_t file_type = H5Dget_type(v->id), dcpl = H5Dget_create_plist(v->id);
    int rc = file_type < 0 || dcpl < 0 ? cel_h5_fail(NC_EHDFERR, "the dataset cannot be read") : CEL_OK;

    if (rc == CEL_OK)
        rc = set_memory_type(f, var, file_type);
    if (rc == CEL_OK)
        rc = read_layout(var, dcpl);
    if (rc == CEL_OK && !(var->type->varsized && var->saved == CEL_NEW))
        rc = cel_h5_filters_get(var, dcpl);
    if (rc == CEL_OK && var->layout.storage == CEL_CHUNKED)
        rc = prepare_chain(var);
    if (rc == CEL_OK)
        var->layout.unchunked = !goes_by_chunks(var);
    if (dcpl >= 0)
        H5Pclose(dcpl);
    if (file_type >= 0)
        H5Tclose(file_type);
    return rc;
}

static int load_type_and_fill(struct cel_h5_file *f, struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    hid_t file_type = H5Dget_type(v->id), dcpl = H5Dget_create_plist(v->id);
    int rc = file_type < 0 || dcpl < 0 ? cel_h5_fail(NC_EHDFERR, "the dataset cannot be read")
                                       : cel_h5_type_of_id(f, file_type, &var->type);

    if (rc == CEL_OK) {
        var->endian = find_endian(var->type, file_type);
        rc = set_memory_type(f, var, file_type);
    }
    if (rc == CEL_OK)
        rc = read_fill(var, dcpl);
    if (dcpl >= 0)
        H5Pclose(dcpl);
    if (file_type >= 0)
        H5Tclose(file_type);
    return rc;
}

/* A dataset with a null dataspace has no value, though netCDF presents it as a scalar. */
static int no_value(void)
{
    return cel_fail(NC_EHDFERR, "the dataset has a null dataspace: it holds no value");
}

static int check_space(const struct cel_var *var)
{
    hid_t space = var->ndims == 0 ? H5Dget_space(((struct cel_h5_var *)var->priv)->id) : -1;
    bool none = space >= 0 && H5Sget_simple_extent_type(space) == H5S_NULL;

    if (space >= 0)
        H5Sclose(space);
    return none ? no_value() : CEL_OK;
}

static int load(struct cel_h5_file *f, struct cel_var *var)
{
    struct cel_h5_var *v = var->priv;
    int rc = cel_h5_var_open(var);

    if (rc == CEL_OK)
        rc = load_type_and_fill(f, var);
    if (rc == CEL_ABSENT)
        rc = cel_fail(NC_EBADTYPE, "its HDF5 type has no counterpart in netCDF");
    if (rc == CEL_OK)
        rc = cel_h5_var_read_back(var);
    if (rc == CEL_OK)
        rc = check_space(var);
    if (rc != CEL_OK)
        return rc;
    v->masked = true;
    var->loaded = true;
    return var->layout.unchunked && var->layout.storage == CEL_CHUNKED ? reopen_with_cache(var) : CEL_OK;
}

/* --- without libhdf5 ------------------------------------------------------------------------- */

static int take_fill(struct cel_h5r_reader *reader, struct cel_var *var, const struct cel_h5r_dataset *d)
{
    struct cel_h5_bytes bytes = {.p = d->fill, .n = d->nfill};
    int rc;

    var->fill.off = !d->fill;
    var->fill.never = d->never_filled;
    if (!d->fill || var->fill.value)
        return CEL_OK;
    var->fill.value = cel_calloc(1, var->type->size);
    if (!var->fill.value)
        return NC_ENOMEM;
    rc = cel_h5r_values_read(reader, d->form, var->type, bytes, 1, NULL, var->fill.value);
    if (rc == CEL_OK)
        return CEL_OK;
    if (var->type->varsized)
        cel_value_reclaim(var->type, var->fill.value, 1);
    free(var->fill.value);
    var->fill.value = NULL;
    return rc;
}

static int take_chunks(struct cel_var *var, const struct cel_h5r_dataset *d)
{
    struct cel_h5_var *v = var->priv;
    size_t *chunk = cel_malloc_array((size_t)d->rank, sizeof *chunk);

    if (!chunk)
        return NC_ENOMEM;
    for (int i = 0; i < d->rank; i++)
        chunk[i] = (size_t)d->layout.chunk[i];
    v->raw_edges = d->layout.raw_edges;
    free(var->layout.chunk);
    var->layout.chunk = chunk;
    return CEL_OK;
}

static int take_layout(struct cel_h5_file *f, struct cel_var *var, struct cel_h5r_dataset *d)
{
    static const enum cel_storage storages[] = {[CEL_H5R_COMPACT] = CEL_COMPACT,
                                                [CEL_H5R_CONTIGUOUS] = CEL_CONTIGUOUS,
                                                [CEL_H5R_CHUNKED] = CEL_CHUNKED,
                                                [CEL_H5R_VIRTUAL] = CEL_VIRTUAL};
    struct cel_h5_var *v = var->priv;
    const struct cel_h5_where where = cel_h5_where(f, v->addr);
    int rc = CEL_OK;

    var->layout.storage = storages[d->layout.storage];
    if (d->null_space)
        return no_value();
    if (d->layout.storage == CEL_H5R_CHUNKED) {
        rc = take_chunks(var, d);
        if (rc == CEL_OK)
            rc = prepare_chain(var);
        if (rc == CEL_OK)
            rc = cel_h5r_index_make(where.read, d, &v->index);
        if (rc != CEL_OK || goes_by_chunks(var))
            return rc;
    }
    if (rc == CEL_OK)
        rc = cel_h5_own_make(&where, d, &var->chain, &v->own);
    var->layout.unchunked = rc == CEL_OK;
    return rc;
}

static int take_type(struct cel_h5_file *f, struct cel_var *var, const struct cel_h5r_dataset *d)
{
    struct cel_h5_var *v = var->priv;
    int rc = cel_h5_type_of(f, d->form, cel_h5_same_file(v->addr, d->committed), &var->type);

    if (rc == CEL_ABSENT)
        return cel_fail(NC_EBADTYPE, "its HDF5 type has no counterpart in netCDF");
    if (rc != CEL_OK)
        return rc;
    v->native = cel_h5r_is_native(d->form, var->type, &v->swap);
    v->fixed_string = var->type->klass == NC_STRING && cel_h5r_is_fixed_text(d->form) ? d->form->size : 0;
    if (var->type->group || var->type->klass == NC_CHAR || var->type->klass == NC_STRING)
        var->endian = NC_ENDIAN_NATIVE;
    else
        var->endian = d->form->big_endian ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE;
    return CEL_OK;
}

/* Takes the chain over, and the dataset where it is kept. */
static int take_dataset(struct cel_h5_file *f, struct cel_h5r_reader *reader, struct cel_var *var,
                        struct cel_h5r_dataset *d)
{
    int rc = take_type(f, var, d);

    cel_chain_dispose(&var->chain);
    var->chain = d->chain;
    d->chain = (struct cel_chain){0};
    if (rc == CEL_OK)
        rc = take_fill(reader, var, d);
    return rc == CEL_OK ? take_layout(f, var, d) : rc;
}

static int load_directly(struct cel_h5_file *f, struct cel_var *var)
{
    const struct cel_h5_var *v = var->priv;
    struct cel_h5r_reader *reader;
    struct cel_h5r_dataset d;
    uint64_t addr = v->addr;
    int rc = cel_h5_reader(f, &addr, &reader);

    assert(!f->own_reader || !f->io->writable);
    if (rc == CEL_OK)
        rc = cel_h5r_dataset_read(reader, addr, &d);
    if (rc != CEL_OK)
        return rc;
    rc = d.rank == var->ndims ? take_dataset(f, reader, var, &d) : CEL_ASK_LIBHDF5;
    cel_h5r_dataset_dispose(&d);
    return rc;
}

static int load_inside(struct cel_dataset *ds, struct cel_var *var)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_file(ds, &entry);

    if (rc != CEL_OK)
        return rc;
    rc = load(cel_h5_file(ds), var);
    cel_h5_leave(&entry);
    return rc;
}

int cel_h5_load_var(struct cel_dataset *ds, struct cel_var *var)
{
    int rc;

    if (var->loaded)
        return CEL_OK;
    rc = load_directly(cel_h5_file(ds), var);
    if (rc == CEL_ASK_LIBHDF5)
        rc = load_inside(ds, var);
    rc = cel_h5_note_var(var, rc);
    if (rc != CEL_OK)
        return cel_fail_in_var(rc, var);
    var->loaded = true;
    return CEL_OK;
}
