/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables: defining and renaming them, and the choices made per variable before
 * it is written: storage, chunk lengths, fill value, byte order. */
#include "model_int.h"
#include <assert.h>
#include <stdio.h>

#define COMPACT_MAX 65536 /* bytes: the data lies in the object's header */

/* --- making and freeing ------------------------------------------------------- */

int cel_var_make(struct cel_group *group, char *name, int ndims, struct cel_var **out)
{
    const struct cel_dataset *ds = group->dataset;
    struct cel_var *var = cel_calloc(1, sizeof *var);
    int rc;

    if (!var) {
        free(name);
        return NC_ENOMEM;
    }
    var->name = name;
    var->id = (int)group->vars.n;
    var->group = group;
    var->ndims = ndims;
    var->layout.storage = CEL_UNKNOWN_STORAGE;
    var->cache.size = ds->cache.size;
    var->cache.nelems = ds->cache.nelems;
    var->cache.preemption = ds->cache.preemption;
    var->loaded = var->atts.loaded = true;
    var->dim = cel_calloc((size_t)ndims, sizeof *var->dim);
    var->layout.extent = cel_calloc((size_t)ndims, sizeof *var->layout.extent);
    rc = var->dim && var->layout.extent ? cel_listed_add(&group->vars, &group->var_index, name, var) : NC_ENOMEM;
    if (rc != CEL_OK) {
        cel_var_free(var);
        return rc;
    }
    *out = var;
    return CEL_OK;
}

void cel_var_free(struct cel_var *var)
{
    if (!var)
        return;
    cel_atts_dispose(&var->atts);
    if (var->fill.value)
        cel_value_reclaim(var->type, var->fill.value, 1);
    cel_chain_dispose(&var->chain);
    free(var->fill.value);
    free(var->name);
    free(var->saved_name);
    free(var->dim);
    free(var->layout.chunk);
    free(var->layout.shards);
    free(var->layout.extent);
    free(var->why);
    free(var);
}

/* --- coordinate variables --------------------------------------------------------- */

void cel_var_link_coord(struct cel_var *var)
{
    struct cel_dim *dim = var->ndims ? var->dim[0] : NULL;

    if (dim && dim->group == var->group && strcmp(dim->name, var->name) == 0)
        dim->coord = var;
}

static void unlink_coord(struct cel_var *var)
{
    if (var->ndims && var->dim[0] && var->dim[0]->coord == var)
        var->dim[0]->coord = NULL;
}

void cel_touch_var(struct cel_group *group, const char *name)
{
    struct cel_var *var = cel_names_find(&group->var_index, name);

    if (var)
        cel_touch(&var->saved);
}

/* --- defining -------------------------------------------------------------------- */

/* In every format as many as HDF5 has: what can be defined can be read, and copied to any other. */
static int check_rank(int ndims)
{
    if (ndims < 0)
        return cel_fail(NC_EINVAL, "a variable cannot have %d dimensions", ndims);
    if (ndims > CEL_RANK_MAX)
        return cel_fail(NC_EMAXDIMS, "%d dimensions are more than a variable can have (%d)", ndims, CEL_RANK_MAX);
    return CEL_OK;
}

/* Ids are unique in the file, and netCDF-C takes dimensions of any group. */
static int check_dims(const struct cel_group *group, int ndims, struct cel_dim *const *dims)
{
    for (int d = 0; d < ndims; d++)
        if (!dims[d] || dims[d]->group->dataset != group->dataset)
            return cel_fail(NC_EBADDIM, "dimension %d is not one of this file", d);
    for (int d = 1; d < ndims; d++)
        if (dims[d]->unlimited && !(group->dataset->features & CEL_KEEPS_CHUNKS))
            return cel_fail(NC_EUNLIMPOS, "in files of this format the unlimited dimension (%s) comes first",
                            dims[d]->name);
    return CEL_OK;
}

static int check_new_var(struct cel_group *group, const char *name, const struct cel_type *type, int ndims,
                         struct cel_dim *const *dims)
{
    const struct cel_dataset *ds = group->dataset;
    int rc;

    if (!type && cel_is_strict(ds))
        return cel_fail(ds->classic_model ? NC_ESTRICTNC3 : NC_EBADTYPE, "there is no such type");
    if (ndims > 0 && !dims)
        return cel_fail(NC_EINVAL, "no dimensions given");
    rc = type ? cel_type_allowed(ds, type) : CEL_OK;
    if (rc == CEL_OK)
        rc = check_rank(ndims);
    if (rc == CEL_OK)
        rc = cel_group_name_free(group, name);
    if (rc == CEL_OK)
        rc = check_dims(group, ndims, dims);
    if (rc == CEL_OK && !type)
        rc = cel_fail(NC_EBADTYPE, "there is no such type");
    return rc;
}

static bool has_unlimited(const struct cel_var *var)
{
    for (int d = 0; d < var->ndims; d++)
        if (var->dim[d]->unlimited)
            return true;
    return false;
}

static bool must_chunk(const struct cel_var *var)
{
    unsigned features = var->group->dataset->features;

    return var->ndims && (features & CEL_KEEPS_CHUNKS) &&
           (!(features & CEL_KEEPS_CONTIGUOUS) || has_unlimited(var) || var->chain.n);
}

static void unmake(struct cel_var *var)
{
    struct cel_group *group = var->group;

    cel_names_remove(&group->var_index, var->name);
    group->vars.n--;
    cel_var_free(var);
}

int cel_var_def(struct cel_group *group, const char *name, const struct cel_type *type, int ndims,
                struct cel_dim *const *dims, struct cel_var **out)
{
    struct cel_var *var;
    char *normal = NULL;
    int rc = cel_mode_check_strict(group->dataset);

    if (rc == CEL_OK)
        rc = cel_mode_define(group->dataset);
    if (rc == CEL_OK)
        rc = cel_name_check(name, &normal);
    if (rc != CEL_OK)
        return rc;
    rc = check_new_var(group, normal, type, ndims, dims);
    if (rc != CEL_OK) {
        if (rc != NC_ENAMEINUSE) /* the text says the name: it is another's */
            cel_fail_in_new_var(rc, group, normal);
        free(normal);
        return rc;
    }
    rc = cel_var_make(group, normal, ndims, &var);
    if (rc != CEL_OK)
        return rc;
    var->type = type;
    var->quantize.known = true;
    var->fill.off = group->dataset->fill_mode == NC_NOFILL && !type->group && !type->varsized; /* as netCDF-C */
    for (int d = 0; d < ndims; d++) {
        var->dim[d] = dims[d];
        var->layout.extent[d] = dims[d]->unlimited ? 0 : dims[d]->len;
    }
    rc = must_chunk(var) ? cel_var_chunk_by_default(var) : CEL_OK;
    if (rc != CEL_OK) {
        unmake(var);
        return rc;
    }
    cel_var_link_coord(var);
    cel_touch_dim(group, var->name);
    *out = var;
    return CEL_OK;
}

static int check_var_rename(struct cel_var *var, const char *normal)
{
    struct cel_dataset *ds = var->group->dataset;
    int rc = cel_group_name_free(var->group, normal);

    if (rc == CEL_OK && !ds->defining && strlen(normal) > strlen(var->name))
        rc = cel_mode_define(ds);
    return rc;
}

int cel_var_rename(struct cel_var *var, const char *name)
{
    struct cel_group *group = var->group;
    char *normal = NULL;
    int rc = cel_mode_write(group->dataset);

    if (rc == CEL_OK)
        rc = cel_name_check(name, &normal);
    if (rc != CEL_OK)
        return rc;
    rc = check_var_rename(var, normal);
    if (rc != CEL_OK) {
        free(normal);
        return rc;
    }
    cel_touch_dim(group, var->name);
    rc = cel_named_rename(&(struct cel_named){&group->var_index, var, &var->name, &var->saved_name, &var->saved},
                          normal);
    if (rc != CEL_OK)
        return rc;
    unlink_coord(var);
    cel_var_link_coord(var);
    cel_touch_dim(group, var->name);
    return CEL_OK;
}

struct cel_var *cel_var_find(const struct cel_group *group, const char *name)
{
    return cel_listed_find(&group->var_index, name);
}

struct cel_var *cel_var_by_id(const struct cel_group *group, int varid)
{
    return varid >= 0 && (size_t)varid < group->vars.n ? group->vars.at[varid] : NULL;
}

int cel_var_may_define(const struct cel_var *var)
{
    int rc = cel_mode_write(var->group->dataset);

    if (rc == CEL_OK && var->saved != CEL_NEW)
        rc = cel_fail(NC_ELATEDEF, "it is in the file already: this must be set right after it is defined");
    return rc;
}

/* --- storage ------------------------------------------------------------------------ */

static void default_chunks_of(const struct cel_var *var, size_t *chunks)
{
    size_t lens[CEL_RANK_MAX];
    bool unlimited[CEL_RANK_MAX];

    assert(var->ndims <= CEL_RANK_MAX);
    for (int d = 0; d < var->ndims; d++) {
        lens[d] = var->dim[d]->unlimited ? 0 : var->dim[d]->len; /* it will grow: its length now says nothing */
        unlimited[d] = var->dim[d]->unlimited;
    }
    cel_default_chunks(var->type->size, var->ndims, lens, unlimited, chunks);
}

static int set_chunks(struct cel_var *var, const size_t *chunks)
{
    size_t *mine = cel_memdup(chunks, (size_t)var->ndims * sizeof *chunks);

    if (!mine)
        return NC_ENOMEM;
    free(var->layout.chunk);
    var->layout.chunk = mine;
    var->layout.storage = CEL_CHUNKED;
    return CEL_OK;
}

int cel_var_chunk_by_default(struct cel_var *var)
{
    size_t chunks[CEL_RANK_MAX];

    default_chunks_of(var, chunks);
    return set_chunks(var, chunks);
}

/* A length of 0 asks for the default. */
static int choose_chunks(struct cel_var *var, const size_t *wanted)
{
    size_t chunks[CEL_RANK_MAX];
    int rc;

    default_chunks_of(var, chunks);
    for (int d = 0; wanted && d < var->ndims; d++) {
        const struct cel_dim *dim = var->dim[d];
        if (wanted[d])
            chunks[d] = wanted[d];
        if (!dim->unlimited && dim->len && chunks[d] > dim->len)
            return cel_fail(NC_EBADCHUNK, "chunk length %zu is more than dimension %s has (%zu)", chunks[d], dim->name,
                            dim->len);
    }
    rc = cel_check_chunks(var, chunks);
    return rc == CEL_OK ? set_chunks(var, chunks) : rc;
}

static int check_compact(const struct cel_var *var)
{
    size_t nbytes = var->type->size;

    for (int d = 0; d < var->ndims; d++)
        if (!cel_mul(nbytes, var->dim[d]->len, &nbytes))
            nbytes = SIZE_MAX;
    if (nbytes > COMPACT_MAX)
        return cel_fail(NC_EVARSIZE, "%zu bytes are too many for compact storage, which has room for %d", nbytes,
                        COMPACT_MAX);
    return CEL_OK;
}

static int check_unchunked(const struct cel_var *var, const char *kind)
{
    if (var->chain.n)
        return cel_fail(NC_EINVAL, "it has filters: %s storage cannot have any", kind);
    if (has_unlimited(var) && (var->group->dataset->features & CEL_KEEPS_CHUNKS))
        return cel_fail(NC_EINVAL, "it has an unlimited dimension: %s storage cannot grow", kind);
    return CEL_OK;
}

static int set_unchunked(struct cel_var *var, enum cel_storage storage)
{
    bool compact = storage == CEL_COMPACT;
    int rc = check_unchunked(var, compact ? "compact" : "contiguous");

    if (rc == CEL_OK)
        rc = cel_dataset_refuse(var->group->dataset, compact ? CEL_KEEPS_COMPACT : CEL_KEEPS_CONTIGUOUS,
                                compact ? "compact storage" : "contiguous storage");
    if (rc == CEL_OK && compact)
        rc = check_compact(var);
    if (rc != CEL_OK)
        return rc;
    free(var->layout.chunk);
    var->layout.chunk = NULL;
    var->layout.storage = storage;
    return CEL_OK;
}

static int set_chunked(struct cel_var *var, const size_t *chunks)
{
    int rc = cel_dataset_refuse(var->group->dataset, CEL_KEEPS_CHUNKS, "chunked storage");

    if (rc == CEL_OK && !var->ndims)
        rc = cel_fail(NC_EINVAL, "a single value has no chunks");
    return rc == CEL_OK ? choose_chunks(var, chunks) : rc;
}

int cel_var_set_storage(struct cel_var *var, int storage, const size_t *chunks)
{
    int rc = cel_dataset_refuse(var->group->dataset, CEL_KEEPS_CHUNKS, "a choice of storage");

    if (rc == CEL_OK)
        rc = cel_var_may_define(var);
    if (rc != CEL_OK)
        return rc;
    if (storage == NC_CHUNKED)
        rc = set_chunked(var, chunks);
    else if (storage == NC_CONTIGUOUS || storage == NC_COMPACT)
        rc = set_unchunked(var, (enum cel_storage)storage);
    else
        rc = cel_fail(NC_EINVAL, "storage %d is none of NC_CONTIGUOUS, NC_CHUNKED and NC_COMPACT", storage);
    if (rc == CEL_OK)
        var->layout.chosen = true;
    return rc;
}

int cel_var_shown_storage(const struct cel_var *var)
{
    bool undecided = var->layout.storage == CEL_UNKNOWN_STORAGE && var->saved == CEL_NEW;

    return undecided ? NC_CONTIGUOUS : (int)var->layout.storage;
}

static int settle_storage(struct cel_var *var)
{
    if (var->layout.storage == CEL_CHUNKED)
        return var->layout.chunk ? CEL_OK : cel_var_chunk_by_default(var);
    if (var->layout.storage != CEL_UNKNOWN_STORAGE)
        return CEL_OK;
    if (must_chunk(var))
        return cel_var_chunk_by_default(var);
    var->layout.storage = CEL_CONTIGUOUS;
    return CEL_OK;
}

int cel_var_settle(struct cel_var *var)
{
    int rc;

    assert(var->saved == CEL_NEW);
    rc = settle_storage(var);

    if (rc == CEL_OK)
        rc = cel_var_check_shards(var);
    assert(rc != CEL_OK || (var->layout.storage == CEL_CHUNKED) == (var->layout.chunk != NULL));
    return rc == CEL_OK ? cel_var_note_quantize(var) : rc;
}

/* --- fill value and byte order ------------------------------------------------------ */

/* A variable that is not filled has no fill value to show either. */
static int forget_fill(struct cel_var *var)
{
    if (var->fill.value)
        cel_value_reclaim(var->type, var->fill.value, 1);
    free(var->fill.value);
    var->fill.value = NULL;
    return cel_att_find(&var->atts, "_FillValue") ? cel_att_del(var->group, var, "_FillValue") : CEL_OK;
}

/* Of a classic file it can be changed whenever definitions can: it matters for what is written from then on. */
static int may_set_fill(const struct cel_var *var)
{
    struct cel_dataset *ds = var->group->dataset;
    int rc = cel_is_classic_file(ds) ? cel_mode_write(ds) : cel_var_may_define(var);

    return rc == CEL_OK && cel_is_classic_file(ds) ? cel_mode_define(ds) : rc;
}

int cel_var_set_fill(struct cel_var *var, bool no_fill, const void *value)
{
    int rc = may_set_fill(var);

    if (rc != CEL_OK)
        return rc;
    if (no_fill && var->type->varsized)
        return cel_fail(NC_EINVAL, "values of type %s are always filled", var->type->name);
    if (no_fill && !cel_is_classic_file(var->group->dataset))
        rc = forget_fill(var);
    else if (!no_fill && value)
        rc = cel_att_put(var->group, var, "_FillValue", var->type, 1, value, NC_NAT);
    if (rc == CEL_OK)
        var->fill.off = no_fill;
    return rc;
}

static bool has_byte_order(const struct cel_type *type)
{
    return !type->group && type->id != NC_CHAR && type->id != NC_STRING;
}

int cel_dataset_has_endian(const struct cel_dataset *ds)
{
    return cel_is_classic_file(ds) ? cel_dataset_refuse(ds, CEL_KEEPS_ENDIAN, "a byte order") : CEL_OK;
}

int cel_var_set_endian(struct cel_var *var, int endian)
{
    int rc = cel_dataset_has_endian(var->group->dataset);

    if (rc == CEL_OK)
        rc = cel_var_may_define(var);
    if (rc != CEL_OK)
        return rc;
    if (endian != NC_ENDIAN_NATIVE && endian != NC_ENDIAN_LITTLE && endian != NC_ENDIAN_BIG)
        return cel_fail(NC_EINVAL, "byte order %d is none of NC_ENDIAN_*", endian);
    if (!has_byte_order(var->type))
        return cel_fail(NC_EINVAL, "type %s has no byte order to choose", var->type->name);
    rc =
        endian == NC_ENDIAN_NATIVE ? CEL_OK : cel_dataset_refuse(var->group->dataset, CEL_KEEPS_ENDIAN, "a byte order");
    if (rc == CEL_OK)
        var->endian = endian;
    return rc;
}

const void *cel_var_fill_value(const struct cel_var *var)
{
    const struct cel_type *type = var->type;

    if (var->fill.value)
        return var->fill.value;
    if (!type->group)
        return cel_default_fill(type->id);
    return type->klass == NC_ENUM ? cel_default_fill(type->base->id) : cel_type_zeros(type);
}

/* --- the shape of its chunks ----------------------------------------------------------- */

static enum cel_kind kind_of(const struct cel_type *type)
{
    static const enum cel_kind kinds[] = {
        [NC_BYTE] = CEL_KIND_INT,     [NC_SHORT] = CEL_KIND_INT,   [NC_INT] = CEL_KIND_INT,
        [NC_INT64] = CEL_KIND_INT,    [NC_UBYTE] = CEL_KIND_UINT,  [NC_USHORT] = CEL_KIND_UINT,
        [NC_UINT] = CEL_KIND_UINT,    [NC_UINT64] = CEL_KIND_UINT, [NC_FLOAT] = CEL_KIND_FLOAT,
        [NC_DOUBLE] = CEL_KIND_FLOAT, [NC_CHAR] = CEL_KIND_CHAR,   [NC_STRING] = CEL_KIND_OTHER,
    };

    if (type->klass == NC_ENUM)
        return kinds[type->base->id];
    return type->group ? CEL_KIND_OTHER : kinds[type->id];
}

static bool host_is_big(void)
{
    const unsigned short one = 1;

    return *(const unsigned char *)&one == 0;
}

static void shape_fill(const struct cel_var *var, struct cel_shape *shape)
{
    size_t size = var->type->size;
    const void *fill;

    shape->has_fill =
        (!var->fill.off || cel_chain_mixes(&var->chain)) && shape->kind != CEL_KIND_OTHER && size <= sizeof shape->fill;
    if (!shape->has_fill)
        return;
    fill = cel_var_fill_value(var);
    if (shape->big_endian == host_is_big())
        memcpy(shape->fill, fill, size);
    else
        cel_swap_bytes(shape->fill, fill, 1, size);
}

int cel_var_shape(const struct cel_var *var, struct cel_shape *out)
{
    struct cel_shape shape = {.elem_size = var->type->size, .nbytes = var->type->size};

    shape.kind = kind_of(var->type);
    shape.big_endian = var->endian == NC_ENDIAN_BIG || (var->endian == NC_ENDIAN_NATIVE && host_is_big());
    if (var->ndims <= CEL_RANK_MAX)
        shape.rank = var->ndims;
    for (int d = 0; d < var->ndims; d++) {
        size_t len = var->layout.chunk ? var->layout.chunk[d] : var->dim[d]->len;
        if (!cel_mul(shape.nbytes, len, &shape.nbytes))
            return cel_fail(NC_EBADCHUNK, "a chunk is larger than memory can be");
    }
    for (int i = 0; i < shape.rank; i++) { /* as they are stored */
        int d = var->layout.order ? var->layout.order[i] : i;
        shape.dims[i] = var->layout.chunk ? var->layout.chunk[d] : var->dim[d]->len;
    }
    shape_fill(var, &shape);
    *out = shape;
    return CEL_OK;
}
