/* Definitions of the input, changed as the plan says, into the output. */

#include "cellar.h"
#include "copy.h"
#include "msg.h"
#include <netcdf_filter.h>
#include <stdlib.h>
#include <string.h>

static bool refused(const struct copy *c, int status, const char *what)
{
    msg_nc(status, "%s: %s", c->req->out, what);
    return false;
}

static int group_of(const struct copy *c, int in)
{
    for (size_t i = 0; i < c->ngroups; i++)
        if (c->group_in[i] == in)
            return c->group_out[i];
    return c->out;
}

/* Groups left out by -G have nothing in them; their parents stay for the sake of paths. */
static bool define_groups(struct copy *c)
{
    c->group_out = tool_alloc(c->ngroups, sizeof *c->group_out);
    c->group_out[0] = c->out;
    for (size_t i = 1; i < c->ngroups; i++) {
        char name[NC_MAX_NAME + 1];
        int parent, status = nc_inq_grpname(c->group_in[i], name);
        if (status == NC_NOERR)
            status = nc_inq_grp_parent(c->group_in[i], &parent);
        if (status == NC_NOERR)
            status = nc_def_grp(group_of(c, parent), name, &c->group_out[i]);
        if (status)
            return refused(c, status, name);
    }
    return true;
}

/* --- types ------------------------------------------------------------------------- */
static nc_type out_type(const struct copy *c, const struct type *t)
{
    for (size_t i = 0; i < c->types.n; i++)
        if (c->types.at[i] == t)
            return c->out_types[i];
    return t->id;
}

static int define_compound(struct copy *c, int group, const struct type *t, nc_type *id)
{
    int status = nc_def_compound(group, t->size, t->name, id);

    for (size_t i = 0; status == NC_NOERR && i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        nc_type of = out_type(c, f->type);
        if (f->ndims)
            status = nc_insert_array_compound(group, *id, f->name, f->offset, of, f->ndims, f->dims);
        else
            status = nc_insert_compound(group, *id, f->name, f->offset, of);
    }
    return status;
}

static int define_enum(struct copy *c, int group, const struct type *t, nc_type *id)
{
    int status = nc_def_enum(group, out_type(c, t->base), t->name, id);

    for (size_t i = 0; status == NC_NOERR && i < t->nmembers; i++)
        status = nc_insert_enum(group, *id, t->member[i].name, t->member[i].value);
    return status;
}

static bool is_ready(const struct copy *c, const struct type *t)
{
    if (t->base && out_type(c, t->base) == NC_NAT)
        return false;
    for (size_t i = 0; i < t->nfields; i++)
        if (out_type(c, t->field[i].type) == NC_NAT)
            return false;
    return true;
}

static int define_type(struct copy *c, size_t i)
{
    const struct type *t = c->types.at[i];
    int group = group_of(c, t->group);

    switch (t->kind) {
    case NC_COMPOUND: return define_compound(c, group, t, &c->out_types[i]);
    case NC_ENUM: return define_enum(c, group, t, &c->out_types[i]);
    case NC_VLEN: return nc_def_vlen(group, t->name, out_type(c, t->base), &c->out_types[i]);
    default: return nc_def_opaque(group, t->size, t->name, &c->out_types[i]);
    }
}

/* A type may use one that is listed later: rounds until all are there. */
static bool define_types(struct copy *c)
{
    size_t left = c->types.n;

    c->out_types = tool_alloc(c->types.n, sizeof *c->out_types);
    for (bool progress = true; left && progress;) {
        progress = false;
        for (size_t i = 0; i < c->types.n; i++) {
            int status;
            if (c->out_types[i] != NC_NAT || !is_ready(c, c->types.at[i]))
                continue;
            status = define_type(c, i);
            if (status)
                return refused(c, status, c->types.at[i]->name);
            progress = true;
            left--;
        }
    }
    return true;
}

/* --- dimensions --------------------------------------------------------------------- */
static int define_dim(struct copy *c, int in, int out, int dimid, bool unlimited)
{
    char name[NC_MAX_NAME + 1];
    size_t len;
    int id, status = nc_inq_dim(in, dimid, name, &len);

    if (unlimited && c->req->fix_unlimited && !len) {
        msg_warn("%s: dimension %s has length 0 and stays unlimited", c->req->out, name);
        len = NC_UNLIMITED;
    } else if (unlimited && !c->req->fix_unlimited) {
        len = NC_UNLIMITED;
    }
    if (status == NC_NOERR)
        status = nc_def_dim(out, name, len, &id);
    if (status) {
        refused(c, status, name);
        return status;
    }
    if ((size_t)dimid >= c->ndims) {
        c->dim_out = tool_grow(c->dim_out, (size_t)dimid + 1, sizeof *c->dim_out);
        c->ndims = (size_t)dimid + 1;
    }
    c->dim_out[dimid] = id;
    return NC_NOERR;
}

static bool define_dims(struct copy *c)
{
    int status = NC_NOERR;

    for (size_t g = 0; status == NC_NOERR && g < c->ngroups; g++) {
        struct walk_ids id, unlimited = {0};
        status = walk_dims(c->group_in[g], &id);
        if (status == NC_NOERR)
            status = walk_unlimited(c->group_in[g], &unlimited);
        for (int i = 0; status == NC_NOERR && i < id.n; i++)
            status = define_dim(c, c->group_in[g], c->group_out[g], id.at[i], walk_has(&unlimited, id.at[i]));
        walk_free(&id);
        walk_free(&unlimited);
    }
    return status == NC_NOERR;
}

/* --- attributes ------------------------------------------------------------------------ */
/* The old note of how values were quantized goes when they are quantized anew. */
static bool is_stale(const struct copy_var *v, const char *name)
{
    return v && v->quantize && strncmp(name, "_Quantize", 9) == 0;
}

static bool copy_atts(struct copy *c, int in, int in_var, int out, int out_var, const struct copy_var *v)
{
    int n, status = in_var == NC_GLOBAL ? nc_inq_natts(in, &n) : nc_inq_varnatts(in, in_var, &n);

    for (int i = 0; status == NC_NOERR && i < n; i++) {
        struct att a;
        status = att_get_nth(&c->types, in, in_var, i, &a);
        if (status == NC_NOERR && !is_stale(v, a.name))
            status = nc_put_att(out, out_var, a.name, out_type(c, a.type), a.n, a.values);
        if (status)
            msg_nc(status, "%s: attribute %s:%s", c->req->out, v ? v->path : "", a.name);
        att_free(&a);
    }
    return status == NC_NOERR;
}

/* --- variables ---------------------------------------------------------------------------- */
/* Shards follow the input, where the output can keep them and its chunks divide them. */
static int define_shards(const struct copy_var *v)
{
    size_t len[NC_MAX_VAR_DIMS];
    int sharded = 0, ndims = 0, status;

    if (cellar_inq_var_shards(v->group, v->id, &sharded, len) != NC_NOERR || !sharded)
        return NC_NOERR;
    nc_inq_varndims(v->group, v->id, &ndims);
    for (int d = 0; d < ndims; d++)
        if (len[d] % v->chunk[d])
            return NC_NOERR;
    status = cellar_def_var_shards(v->out_group, v->out_id, len);
    return status == NC_ENOTNC4 ? NC_NOERR : status;
}

/* Zarr has chunks only: there the library chooses them. */
static int define_layout(const struct copy *c, const struct copy_var *v)
{
    int status;

    if (v->chunked) {
        status = nc_def_var_chunking(v->out_group, v->out_id, NC_CHUNKED, v->chunk);
        return status == NC_NOERR ? define_shards(v) : status;
    }
    if (v->contiguous && !c->out_zarr)
        return nc_def_var_chunking(v->out_group, v->out_id, v->was_compact ? NC_COMPACT : NC_CONTIGUOUS, NULL);
    return NC_NOERR;
}

/* How Zarr makes bytes of strings and lists follows the input, unless -F says otherwise. */
static int define_object_codec(const struct copy *c, const struct copy_var *v)
{
    char *given = NULL, *codec = NULL;
    int status = NC_NOERR;

    if (c->out_zarr && cellar_inq_var_object_codec(v->out_group, v->out_id, &given) == NC_NOERR && !*given &&
        cellar_inq_var_object_codec(v->group, v->id, &codec) == NC_NOERR && *codec)
        status = cellar_def_var_object_codec(v->out_group, v->out_id, codec);
    cellar_free(given);
    cellar_free(codec);
    return status == NC_ENOTNC4 ? NC_NOERR : status;
}

/* Byte order follows the input, where the output can keep it. */
static int define_endian(const struct copy *c, const struct copy_var *v)
{
    int endian = NC_ENDIAN_NATIVE;

    if (c->classic || v->type->group >= 0 || v->type->size < 2 || v->type->kind == NC_STRING)
        return NC_NOERR;
    if (nc_inq_var_endian(v->group, v->id, &endian) != NC_NOERR || endian == NC_ENDIAN_NATIVE)
        return NC_NOERR;
    return nc_def_var_endian(v->out_group, v->out_id, endian);
}

static int define_no_fill(const struct copy *c, const struct copy_var *v)
{
    int no_fill = 0;

    if (c->classic || nc_inq_var_fill(v->group, v->id, &no_fill, NULL) != NC_NOERR || !no_fill)
        return NC_NOERR;
    return nc_def_var_fill(v->out_group, v->out_id, NC_NOFILL, NULL);
}

static bool define_storage(struct copy *c, const struct copy_var *v)
{
    int status = c->classic ? NC_NOERR : define_layout(c, v);

    if (status == NC_NOERR && !c->classic && *v->chain) {
        status = cellar_def_var_chain(v->out_group, v->out_id, v->chain);
        if (status) {
            char *why = msg_reason(status);
            msg_error(v->refilter ? "-F \"%s,%s\": %s" : "variable %s: filters %s: %s", v->path, v->chain, why);
            free(why);
            return false;
        }
    }
    if (status == NC_NOERR)
        status = define_object_codec(c, v);
    if (status == NC_NOERR)
        status = define_endian(c, v);
    if (status == NC_NOERR)
        status = define_no_fill(c, v);
    if (status == NC_NOERR && v->quantize)
        status = nc_def_var_quantize(v->out_group, v->out_id, v->quantize, v->quantize_n);
    return status == NC_NOERR || refused(c, status, v->path);
}

static int set_cache(const struct copy *c, const struct copy_var *v)
{
    size_t bytes, chunks;
    float preemption;
    int status;

    if (c->classic || (c->req->cache_bytes < 0 && c->req->cache_chunks < 0))
        return NC_NOERR;
    status = nc_get_var_chunk_cache(v->out_group, v->out_id, &bytes, &chunks, &preemption);
    if (status)
        return NC_NOERR; /* no chunks, no cache */
    if (c->req->cache_bytes >= 0)
        bytes = (size_t)c->req->cache_bytes;
    if (c->req->cache_chunks >= 0)
        chunks = (size_t)c->req->cache_chunks;
    return nc_set_var_chunk_cache(v->out_group, v->out_id, bytes, chunks, preemption);
}

static bool define_var(struct copy *c, struct copy_var *v)
{
    char name[NC_MAX_NAME + 1];
    int dimid[NC_MAX_VAR_DIMS], status = nc_inq_varname(v->group, v->id, name);

    v->out_group = group_of(c, v->group);
    v->out_type = out_type(c, v->type);
    for (int d = 0; d < v->ndims; d++)
        dimid[d] = c->dim_out[v->dimid[d]];
    if (status == NC_NOERR)
        status = nc_def_var(v->out_group, name, v->out_type, v->ndims, dimid, &v->out_id);
    if (status)
        return refused(c, status, v->path);
    if (!define_storage(c, v) || !copy_atts(c, v->group, v->id, v->out_group, v->out_id, v))
        return false;
    status = set_cache(c, v);
    return status == NC_NOERR || refused(c, status, v->path);
}

bool copy_define(struct copy *c)
{
    bool ok = define_groups(c) && define_types(c) && define_dims(c);
    int status;

    for (size_t i = 0; ok && i < c->ngroups; i++)
        ok = copy_atts(c, c->group_in[i], NC_GLOBAL, c->group_out[i], NC_GLOBAL, NULL);
    for (size_t i = 0; ok && i < c->nvars; i++)
        if (c->var[i].defined)
            ok = define_var(c, &c->var[i]);
    if (!ok)
        return false;
    status = nc_enddef(c->out);
    return status == NC_NOERR || refused(c, status, "the definitions cannot be written");
}
