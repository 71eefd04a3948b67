/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters of a variable. Where a filter goes in the chain depends on the filter
 * (checksum and shuffle go first in HDF5) and on the format (Zarr keeps the order
 * of the calls). */
#include "env.h"
#include "model_int.h"

static size_t position_for(const struct cel_var *var, unsigned id)
{
    const struct cel_chain *chain = &var->chain;

    if (var->group->dataset->features & CEL_FILTERS_AS_CALLED)
        return chain->n;
    if (id == CEL_ID_FLETCHER32)
        return 0;
    if (id == CEL_ID_SHUFFLE)
        return chain->n && chain->step[0].id == CEL_ID_FLETCHER32 ? 1 : 0;
    return chain->n;
}

/* szip packs blocks of pixels: a variable must have at least one block. */
static int check_szip(const struct cel_var *var, const struct cel_step *step)
{
    size_t npixels = 1;

    for (int d = 0; d < var->ndims; d++)
        if (var->dim[d]->len && !cel_mul(npixels, var->dim[d]->len, &npixels))
            return CEL_OK;
    if (step->visible.n > 1 && step->visible.w[1] > npixels)
        return cel_fail(NC_EINVAL, "szip: %u pixels per block are more than the variable has (%zu)", step->visible.w[1],
                        npixels);
    return CEL_OK;
}

int cel_check_rival(const struct cel_var *var, unsigned id)
{
    unsigned rival = id == CEL_ID_SZIP ? CEL_ID_DEFLATE : id == CEL_ID_DEFLATE ? CEL_ID_SZIP : 0;

    if (rival && cel_chain_find(&var->chain, rival))
        return cel_fail(NC_EINVAL, "deflate and szip are not used together");
    return CEL_OK;
}

/* Text and lists lie in heaps that filters do not reach: a filter is recorded, and HDF5 applies it to the references to
 * them. One that works on elements could not even do that, and is left out. */
static bool filters_references(const struct cel_var *var)
{
    return var->type->varsized && !(var->group->dataset->features & CEL_FILTERS_VARSIZED);
}

static bool is_left_out(const struct cel_var *var, const struct cel_step *step)
{
    bool unsuitable = step->id == CEL_ID_FLETCHER32 || /* libhdf5 says so */
                      (step->codec && step->codec->flags & (CEL_CODEC_NEEDS_ELEMENTS | CEL_CODEC_NEEDS_PIXELS));

    return filters_references(var) && unsuitable;
}

static int check_varsized(const struct cel_var *var, const struct cel_step *step)
{
    const char *name = step->codec ? step->codec->name : "the filter";
    char text[CEL_WHERE_TEXT];

    if (!filters_references(var))
        return CEL_OK;
    if (cel_env_strict())
        return cel_fail(NC_EFILTER, "%s cannot be applied to values of variable size (type %s)", name, var->type->name);
    cel_warn("%s: %s is %s: type %s has values of variable size", cel_var_path(var, text), name,
             is_left_out(var, step) ? "left out" : "recorded but not applied", var->type->name);
    return CEL_OK;
}

static int check_filter(const struct cel_var *var, const struct cel_step *step)
{
    int rc = cel_var_may_define(var);

    if (rc == CEL_OK)
        rc = cel_dataset_refuse(var->group->dataset, CEL_KEEPS_FILTERS, "a filter");
    if (rc == CEL_OK && !var->ndims)
        rc = cel_fail(NC_EINVAL, "a single value cannot have filters");
    if (rc == CEL_OK)
        rc = cel_check_rival(var, step->id);
    if (rc == CEL_OK && step->id == CEL_ID_SZIP)
        rc = check_szip(var, step);
    return rc == CEL_OK ? check_varsized(var, step) : rc;
}

int cel_var_add_filter(struct cel_var *var, struct cel_step *step)
{
    struct cel_step *known;
    int rc = check_filter(var, step);

    if (rc == CEL_OK && var->layout.storage != CEL_CHUNKED)
        rc = cel_var_chunk_by_default(var);
    if (rc != CEL_OK || is_left_out(var, step)) {
        cel_step_dispose(step);
        return rc;
    }
    var->chain.prepared = false;
    known = step->id ? cel_chain_find(&var->chain, step->id) : NULL;
    if (!known)
        return cel_chain_insert(&var->chain, position_for(var, step->id), step);
    cel_step_dispose(known);
    *known = *step;
    return CEL_OK;
}

static unsigned kind_of_elements(const struct cel_type *type)
{
    if (type->klass == NC_STRING)
        return CEL_OBJECT_TEXT;
    if (type->klass == NC_VLEN)
        return CEL_OBJECT_LISTS;
    return type->id <= NC_UINT64 && type->id != NC_CHAR ? CEL_OBJECT_NUMBERS : 0;
}

/* The codec that makes bytes of the elements must fit their type. */
static int check_object(const struct cel_var *var, const struct cel_chain *chain)
{
    const struct cel_object_codec *codec;
    int rc = cel_chain_object(chain, &codec);

    if (rc != CEL_OK || !codec)
        return rc;
    rc = cel_dataset_refuse(var->group->dataset, codec->in_v3 ? CEL_KEEPS_TEXT_CODECS : CEL_KEEPS_OBJECT_CODECS,
                            codec->name);
    if (rc == CEL_OK && !var->ndims)
        rc = cel_fail(NC_EINVAL, "a single value cannot have %s", codec->name);
    if (rc == CEL_OK && !(codec->takes & kind_of_elements(var->type)))
        rc = cel_fail(NC_EFILTER, "%s is not for type %s", codec->name, var->type->name);
    return rc;
}

/* deflate and szip may meet here: the text says what it wants. */
static int check_chain(const struct cel_var *var, const struct cel_chain *chain)
{
    int rc = cel_var_may_define(var);

    if (rc == CEL_OK && chain->n)
        rc = cel_dataset_refuse(var->group->dataset, CEL_KEEPS_FILTERS, "a filter");
    if (rc == CEL_OK && chain->n && !var->ndims)
        rc = cel_fail(NC_EINVAL, "a single value cannot have filters");
    if (rc == CEL_OK)
        rc = check_object(var, chain);
    for (size_t i = 0; rc == CEL_OK && i < chain->n; i++)
        rc = check_varsized(var, &chain->step[i]);
    return rc;
}

int cel_var_set_object(struct cel_var *var, char *object)
{
    struct cel_chain chain = {.object = object};
    int rc = cel_var_may_define(var);

    if (rc == CEL_OK)
        rc = check_object(var, &chain);
    if (rc != CEL_OK)
        return rc;
    free(var->chain.object);
    var->chain.object = object;
    return CEL_OK;
}

static void leave_out(const struct cel_var *var, struct cel_chain *chain)
{
    size_t n = 0;

    for (size_t i = 0; i < chain->n; i++) {
        if (is_left_out(var, &chain->step[i]))
            cel_step_dispose(&chain->step[i]);
        else
            chain->step[n++] = chain->step[i];
    }
    chain->n = n;
}

int cel_var_set_chain(struct cel_var *var, struct cel_chain *chain)
{
    int rc = check_chain(var, chain);

    if (rc == CEL_OK && chain->n && var->layout.storage != CEL_CHUNKED)
        rc = cel_var_chunk_by_default(var);
    if (rc != CEL_OK)
        return rc;
    leave_out(var, chain);
    cel_chain_dispose(&var->chain);
    var->chain = *chain;
    *chain = (struct cel_chain){0};
    return CEL_OK;
}
