/* SPDX-License-Identifier: BSD-3-Clause */
/* Shards of a variable: several chunks that lie together in one value of a store. */
#include "model_int.h"

static int set_shards(struct cel_var *var, const struct cel_shards *shards)
{
    struct cel_shards *mine = NULL;
    int rc = cel_var_may_define(var);

    if (rc == CEL_OK && shards)
        rc = cel_dataset_refuse(var->group->dataset, CEL_KEEPS_SHARDS, "shards");
    if (rc == CEL_OK && shards && (!var->ndims || shards->rank != var->ndims))
        rc = cel_fail(NC_EINVAL, "it has %d dimensions, its shards are to have %d", var->ndims, shards->rank);
    if (rc == CEL_OK && shards && !(mine = cel_memdup(shards, sizeof *shards)))
        rc = NC_ENOMEM;
    if (rc != CEL_OK)
        return rc;
    free(var->layout.shards);
    var->layout.shards = mine;
    return CEL_OK;
}

int cel_var_def_shards(struct cel_var *var, const size_t *lengths)
{
    struct cel_shards shards = {.rank = var->ndims};

    if (!var->group->dataset->defining)
        return cel_fail(NC_EINDEFINE, "shards are defined in define mode only, right after the variable");
    if (var->ndims > CEL_RANK_MAX)
        return cel_fail(NC_EMAXDIMS, "it has more than %d dimensions", CEL_RANK_MAX);
    if (!lengths)
        return set_shards(var, NULL);
    memcpy(shards.len, lengths, (size_t)var->ndims * sizeof *lengths);
    return set_shards(var, &shards);
}

/* sharding_indexed divides what nc_def_var_chunking set, unless it has shard lengths
 * of its own or the variable got them before. */
int cel_var_set_sharding(struct cel_var *var, const struct cel_sharding *s)
{
    struct cel_shards shards = s->shards;
    const size_t *len = shards.rank ? shards.len : var->layout.shards ? var->layout.shards->len : var->layout.chunk;
    int rc;

    if (s->rank != var->ndims || (shards.rank && shards.rank != var->ndims))
        return cel_fail(NC_EINVAL, "sharding_indexed: the variable has %d dimensions, the lengths given are %d",
                        var->ndims, s->rank);
    if (!len)
        return cel_fail(NC_EINVAL, "sharding_indexed: give the lengths of a shard first, with nc_def_var_chunking");
    shards.rank = var->ndims;
    memmove(shards.len, len, (size_t)var->ndims * sizeof *len);
    rc = set_shards(var, &shards);
    return rc == CEL_OK ? cel_var_set_storage(var, NC_CHUNKED, s->chunk) : rc;
}

/* Chunk lengths may be given before or after those of shards, so only now they must fit. */
int cel_var_check_shards(const struct cel_var *var)
{
    if (!var->layout.shards)
        return CEL_OK;
    if (!var->layout.chunk)
        return cel_fail(NC_EBADCHUNK, "its shards need chunks");
    for (int d = 0; d < var->ndims; d++)
        if (!var->layout.shards->len[d] || var->layout.shards->len[d] % var->layout.chunk[d])
            return cel_fail(NC_EBADCHUNK,
                            "along dimension %s a shard has %zu elements, no multiple of the %zu of a "
                            "chunk (nc_def_var_chunking)",
                            var->dim[d]->name, var->layout.shards->len[d], var->layout.chunk[d]);
    return CEL_OK;
}
