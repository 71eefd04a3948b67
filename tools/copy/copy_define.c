/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions of the input, changed as the plan says, into the output. */

#include "cellar.h"
#include "copy.h"
#include "msg.h"
#include <netcdf_filter.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (1ull << 60) /* of one variable */

static bool refused(const struct copy *c, int status, const char *what)
{
    msg_nc(status, "%s: %s", c->req->out, what);
    return false;
}

/* Leaves `path` out where the status only says that the output has no such thing. */
static bool left_out(const struct copy *c, int status, const char *path)
{
    char *why;
    bool ok;

    if (!copy_can_leave(c, status))
        return refused(c, status, path);
    why = msg_reason(status);
    ok = copy_leave_out(c, path, why);
    free(why);
    return ok;
}

/* --- groups ------------------------------------------------------------------------ */
int copy_group_of(const struct copy *c, int in)
{
    for (size_t i = 0; i < c->ngroups; i++)
        if (c->group_in[i] == in)
            return c->group_out[i];
    return c->out;
}

/* The contents of a group that is left out are left out too, without messages of their own. */
static bool define_group(struct copy *c, int in, int *out)
{
    char name[NC_MAX_NAME + 1], *path = walk_path(in);
    int parent, status = nc_inq_grpname(in, name);
    const char *why = status ? NULL : copy_name_refused(c, name);
    bool ok = true;

    if (status == NC_NOERR)
        status = nc_inq_grp_parent(in, &parent);
    if (status == NC_NOERR && (*out = copy_group_of(c, parent)) >= 0 && !why)
        status = nc_def_grp(*out, name, out);
    if (status) {
        ok = left_out(c, status, path);
        *out = -1;
    } else if (*out >= 0 && why) {
        ok = copy_leave_out(c, path, why);
        *out = -1;
    }
    free(path);
    return ok;
}

/* Groups left out by -G have nothing in them; their parents stay for the sake of paths. */
static bool define_groups(struct copy *c)
{
    bool ok = true;

    c->group_out = tool_alloc(c->ngroups, sizeof *c->group_out);
    c->group_out[0] = c->out;
    for (size_t i = 1; ok && i < c->ngroups; i++)
        ok = define_group(c, c->group_in[i], &c->group_out[i]);
    return ok;
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
    if (status == NC_EBADNAME && c->req->damaged) { /* a damaged name costs no values */
        snprintf(name, sizeof name, "dimension_%d", dimid);
        status = nc_def_dim(out, name, len, &id);
    }
    if (status && !left_out(c, status, name))
        return status;
    if (status)
        id = -1;
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
        for (int i = 0; status == NC_NOERR && c->group_out[g] >= 0 && i < id.n; i++)
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

static int copy_att(struct copy *c, const struct att *a, int out, int out_var)
{
    nc_type type = copy_out_type(c, a->type);

    if (type != NC_NAT)
        return nc_put_att(out, out_var, a->name, type, a->n, a->values);
    return NC_EBADTYPE;
}

/* A _FillValue that does not fit its variable is kept by HDF5 and Zarr, not by netCDF. */
static bool att_is_odd(const struct att *a, int status)
{
    return strcmp(a->name, "_FillValue") == 0 && status == NC_EINVAL;
}

static bool lose_att(struct copy *c, int status, int in, const struct copy_var *v, const struct att *a)
{
    char *why = a->type && copy_out_type(c, a->type) == NC_NAT ? copy_type_refused(c, a->type) : msg_reason(status);
    char *group = walk_path(in);
    struct text path = {0};
    bool ok = copy_can_leave(c, status) || att_is_odd(a, status);

    text_printf(&path, "%s:%s", v ? v->path : group[1] ? group : "", a->name);
    if (ok)
        ok = copy_leave_out(c, text_get(&path), why);
    else
        msg_error("%s: attribute %s: %s", c->req->out, text_get(&path), why);
    free(why);
    free(group);
    text_free(&path);
    return ok;
}

static bool copy_atts(struct copy *c, int in, int in_var, int out, int out_var, const struct copy_var *v)
{
    int n, status = in_var == NC_GLOBAL ? nc_inq_natts(in, &n) : nc_inq_varnatts(in, in_var, &n);
    bool ok = status == NC_NOERR || refused(c, status, v ? v->path : "attributes");

    for (int i = 0; ok && i < n; i++) {
        struct att a;
        status = att_get_nth(&c->types, in, in_var, i, &a);
        if (status == NC_NOERR && !is_stale(v, a.name))
            status = copy_att(c, &a, out, out_var);
        ok = status == NC_NOERR || lose_att(c, status, in, v, &a);
        att_free(&a);
    }
    return ok;
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

/* Zarr and Blosc2 have chunks only: there the library chooses them. */
static int define_layout(const struct copy *c, const struct copy_var *v)
{
    int status;

    if (v->chunked) {
        status = nc_def_var_chunking(v->out_group, v->out_id, NC_CHUNKED, v->chunk);
        return status == NC_NOERR ? define_shards(v) : status;
    }
    if (v->contiguous && !c->out_zarr && !c->out_blosc2)
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

    if (c->classic || v->type->has_pointers || c->req->damaged) /* strings and sequences are always filled, and gaps */
        return NC_NOERR;
    if (nc_inq_var_fill(v->group, v->id, &no_fill, NULL) != NC_NOERR || !no_fill)
        return NC_NOERR;
    return nc_def_var_fill(v->out_group, v->out_id, NC_NOFILL, NULL);
}

/* Whether the chain of another writer goes with these chunks of numbers, which otherwise shows when all are defined. */
static int try_chain(const struct copy_var *v)
{
    static const char kind[] = {
        [NC_BYTE] = 'i',  [NC_SHORT] = 'i',  [NC_INT] = 'i',  [NC_FLOAT] = 'f', [NC_DOUBLE] = 'f',
        [NC_UBYTE] = 'u', [NC_USHORT] = 'u', [NC_UINT] = 'u', [NC_INT64] = 'i', [NC_UINT64] = 'u'};
    cellar_chunk_shape shape = {.size = v->type->size, .rank = v->ndims, .lengths = v->chunk};
    cellar_coder *coder = NULL;
    int status;

    if (!v->chunked || v->refilter || v->type->group >= 0 || (size_t)v->type->kind >= sizeof kind ||
        !kind[v->type->kind])
        return NC_NOERR;
    shape.kind = kind[v->type->kind];
    status = cellar_coder_make(v->chain, &shape, &coder);
    cellar_coder_free(coder);
    return status;
}

/* Filters of the input that cannot be asked for anew, as their parameters are the writer's own: the values go without. */
static bool define_filters(struct copy *c, struct copy_var *v)
{
    bool none = c->classic || !*v->chain;
    int status = none ? NC_NOERR : try_chain(v);
    char *why;

    if (status == NC_NOERR && !none)
        status = cellar_def_var_chain(v->out_group, v->out_id, v->chain);
    if (status == NC_NOERR)
        return true;
    why = msg_reason(status);
    if (v->refilter || c->req->strict) {
        msg_error(v->refilter ? "-F \"%s,%s\": %s" : "variable %s: filters %s: %s", v->path, v->chain, why);
    } else {
        msg_warn("variable %s is copied without its filters %s: %s", v->path, v->chain, why);
        v->refilter = true;
        *v->chain = '\0';
        status = NC_NOERR;
    }
    free(why);
    return status == NC_NOERR;
}

static bool define_storage(struct copy *c, struct copy_var *v)
{
    int status = c->classic ? NC_NOERR : define_layout(c, v);

    if (status == NC_NOERR && !define_filters(c, v))
        return false;
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

/* Values behind a filter that nobody here has cannot be read, whatever the output is. */
static bool lacks_filter(const struct copy_var *v)
{
    unsigned id[NC_MAX_VAR_DIMS];
    size_t n = 0;
    bool lacks = false;

    if (nc_inq_var_filter_ids(v->group, v->id, &n, NULL) != NC_NOERR || n > NC_MAX_VAR_DIMS ||
        nc_inq_var_filter_ids(v->group, v->id, &n, id) != NC_NOERR)
        return false;
    for (size_t i = 0; i < n && !lacks; i++)
        lacks = nc_inq_filter_avail(v->group, id[i]) == NC_ENOFILTER;
    return lacks;
}

/* What the library says of the variable's first value; NULL: it can be read. Yours to free. */
static char *why_unread(const struct copy_var *v)
{
    size_t start[NC_MAX_VAR_DIMS] = {0}, count[NC_MAX_VAR_DIMS];
    char *value = tool_alloc(1, v->type->size), *why = NULL;
    int status;

    for (int d = 0; d < v->ndims; d++)
        count[d] = 1;
    status = nc_get_vara(v->group, v->id, start, count, value);
    if (status)
        why = msg_reason(status);
    else
        type_release(v->type, value, 1);
    free(value);
    return why;
}

/* Why the output cannot have the variable at all; NULL: it can. Yours to free. */
static char *missing_part(const struct copy *c, const struct copy_var *v)
{
    char name[NC_MAX_NAME + 1] = "?";
    const char *refusal;
    struct text why = {0};

    nc_inq_varname(v->group, v->id, name);
    refusal = copy_name_refused(c, name);
    if (refusal)
        return tool_strdup(refusal);
    if (copy_out_type(c, v->type) == NC_NAT)
        return copy_type_refused(c, v->type);
    for (int d = 0; d < v->ndims; d++)
        if (c->dim_out[v->dimid[d]] < 0) {
            nc_inq_dimname(v->group, v->dimid[d], name);
            text_printf(&why, "its dimension %s is not", name);
            return text_take(&why);
        }
    if (v->with_data && v->nbytes > MOST_BYTES) {
        text_printf(&why, "its %llu bytes are more than a file can have", v->nbytes);
        return text_take(&why);
    }
    return v->with_data && v->nbytes && lacks_filter(v) ? why_unread(v) : NULL;
}

static bool leave_var(struct copy *c, struct copy_var *v, const char *why)
{
    v->defined = v->with_data = false;
    v->note = "the output cannot hold it";
    return copy_leave_out(c, v->path, why);
}

static bool define_parts(struct copy *c, struct copy_var *v)
{
    int status;

    if (!define_storage(c, v) || !copy_atts(c, v->group, v->id, v->out_group, v->out_id, v) || !copy_fit_strings(c, v))
        return false;
    status = set_cache(c, v);
    return status == NC_NOERR || refused(c, status, v->path);
}

static bool define_var(struct copy *c, struct copy_var *v)
{
    char name[NC_MAX_NAME + 1], *why = missing_part(c, v);
    int dimid[NC_MAX_VAR_DIMS], status = nc_inq_varname(v->group, v->id, name);
    bool ok;

    v->out_type = copy_out_type(c, v->type);
    v->retyped = v->type->kind == NC_ENUM && types_atomic(v->out_type);
    for (int d = 0; !why && d < v->ndims; d++)
        dimid[d] = c->dim_out[v->dimid[d]];
    if (!why && status == NC_NOERR)
        status = nc_def_var(v->out_group, name, v->out_type, v->ndims, dimid, &v->out_id);
    if (!why && status && copy_can_leave(c, status))
        why = msg_reason(status);
    if (why)
        ok = leave_var(c, v, why);
    else
        ok = status ? refused(c, status, v->path) : define_parts(c, v);
    free(why);
    return ok;
}

static bool define_vars(struct copy *c)
{
    bool ok = true;

    for (size_t i = 0; ok && i < c->nvars; i++) {
        struct copy_var *v = &c->var[i];
        v->out_group = copy_group_of(c, v->group);
        if (v->out_group < 0)
            v->defined = v->with_data = false;
        ok = !v->defined || define_var(c, v);
    }
    return ok;
}

bool copy_define(struct copy *c)
{
    bool ok = define_groups(c) && copy_define_types(c) && define_dims(c);
    int status;

    for (size_t i = 0; ok && i < c->ngroups; i++)
        if (c->group_out[i] >= 0)
            ok = copy_atts(c, c->group_in[i], NC_GLOBAL, c->group_out[i], NC_GLOBAL, NULL);
    if (!ok || !define_vars(c))
        return false;
    status = nc_enddef(c->out);
    return status == NC_NOERR || refused(c, status, "the definitions cannot be written");
}
