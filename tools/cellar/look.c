/* SPDX-License-Identifier: BSD-3-Clause */
/* A file, and what is known of each of its variables. */

#include "look.h"
#include "cellar.h"
#include "msg.h"
#include "output.h"
#include "select.h"
#include "unreadable.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES_MAX = 1 << 27, SPARSE = 8 }; /* of one variable; a part of them */

/* --- one variable --------------------------------------------------------------- */

static int load_dims(struct look_var *v)
{
    int dimid[NC_MAX_VAR_DIMS], status = nc_inq_var(v->group, v->id, NULL, &v->xtype, &v->ndims, dimid, NULL);
    char name[NC_MAX_NAME + 1];
    size_t n = status ? 0 : (size_t)v->ndims;

    v->shape = tool_alloc(n + 1, sizeof *v->shape);
    v->piece = tool_alloc(n + 1, sizeof *v->piece);
    v->dim = tool_alloc(n + 1, sizeof *v->dim);
    v->grows = tool_alloc(n + 1, sizeof *v->grows);
    for (size_t d = 0; status == NC_NOERR && d < n; d++) {
        status = nc_inq_dim(v->group, dimid[d], name, &v->shape[d]);
        v->dim[d] = tool_strdup(status ? "" : name);
        v->grows[d] = status == NC_NOERR && walk_is_unlimited(v->group, dimid[d]);
    }
    return status;
}

static void load_storage(const struct look *l, struct look_var *v)
{
    int sharded = 0;

    if (nc_inq_var_chunking(v->group, v->id, &v->storage, v->piece) != NC_NOERR)
        v->storage = -1;
    for (int d = 0; d < v->ndims && v->storage != NC_CHUNKED; d++)
        v->piece[d] = d == 0 && l->format == LOOK_CLASSIC && v->grows[0] ? 1 : v->shape[d];
    v->shard = tool_alloc((size_t)v->ndims + 1, sizeof *v->shard);
    if (l->format != LOOK_ZARR || cellar_inq_var_shards(v->group, v->id, &sharded, v->shard) != NC_NOERR || !sharded) {
        free(v->shard);
        v->shard = NULL;
    }
}

static void load_chain(struct look_var *v)
{
    char *names = NULL;

    if (cellar_inq_var_chain(v->group, v->id, CELLAR_NAMES, &names) != NC_NOERR && !v->reason)
        v->reason = msg_reason(NC_EFILTER);
    v->chain = tool_strdup(names ? names : "");
    cellar_free(names);
}

static void count_values(struct look_var *v)
{
    v->nvalues = 1;
    for (int d = 0; d < v->ndims; d++)
        if (__builtin_mul_overflow(v->nvalues, v->shape[d], &v->nvalues))
            v->reason = v->reason ? v->reason : tool_strdup("it has more values than memory could");
    if (__builtin_mul_overflow((unsigned long long)v->nvalues, v->type ? v->type->size : 0, &v->nbytes))
        v->reason = v->reason ? v->reason : tool_strdup("it has more bytes than memory could");
}

static size_t pieces_along(const struct look_var *v, int d)
{
    return v->piece[d] ? v->shape[d] / v->piece[d] + (v->shape[d] % v->piece[d] != 0) : 0;
}

/* A few bytes of metadata can claim any number of chunks. */
static void count_pieces(struct look_var *v)
{
    struct text t = {0};
    double n = 1;

    for (int d = 0; d < v->ndims; d++)
        n *= (double)pieces_along(v, d);
    if (n <= PIECES_MAX)
        return;
    text_printf(&t, "%.0f chunks are more than can be gone through", n);
    v->too_many = text_take(&t);
}

static int load_var(const struct look *l, const struct unreadable *lost, struct look_var *v)
{
    char name[NC_MAX_NAME + 1] = "";
    const char *why;
    int status = load_dims(v);

    v->path = walk_var_path(v->group, v->id);
    if (status)
        return status;
    nc_inq_varname(v->group, v->id, name);
    why = unreadable_reason(lost, name);
    v->reason = why ? tool_strdup(why) : NULL;
    v->type = types_find(&l->types, v->xtype);
    load_storage(l, v);
    load_chain(v);
    count_values(v);
    count_pieces(v);
    return NC_NOERR;
}

/* --- the file --------------------------------------------------------------------- */

static void list_lost(struct look *l, int group, const struct unreadable *lost)
{
    char *path = walk_path(group);

    for (int i = 0; i < lost->n; i++) {
        struct text t = {0};

        if (path && path[1])
            text_printf(&t, "%s%s", path, lost->name[i][0] == ':' ? "" : "/");
        text_puts(&t, lost->name[i]);
        l->lost = tool_push(l->lost, l->nlost, sizeof *l->lost);
        l->lost[l->nlost++] = (struct look_lost){text_take(&t), tool_strdup(lost->reason[i])};
    }
    free(path);
}

static int load_group(int group, void *arg)
{
    struct look *l = arg;
    struct unreadable lost = {0};
    struct walk_ids vars = {0};
    int natts = 0, status = unreadable_load(group, &lost);

    if (status == NC_NOERR)
        status = walk_vars(group, &vars);
    for (int i = 0; status == NC_NOERR && i < vars.n; i++) {
        l->var = tool_push(l->var, l->nvars, sizeof *l->var);
        l->var[l->nvars] = (struct look_var){.group = group, .id = vars.at[i]};
        status = load_var(l, &lost, &l->var[l->nvars++]);
        if (status == NC_NOERR && nc_inq_varnatts(group, vars.at[i], &natts) == NC_NOERR)
            l->natts += (size_t)natts;
    }
    if (status == NC_NOERR && nc_inq_natts(group, &natts) == NC_NOERR)
        l->natts += (size_t)natts;
    list_lost(l, group, &lost);
    l->ngroups++;
    walk_free(&vars);
    unreadable_free(&lost);
    return status;
}

static enum look_format format_of(int formatx)
{
    return formatx == NC_FORMATX_NC3       ? LOOK_CLASSIC
           : formatx == NC_FORMATX_NC_HDF5 ? LOOK_HDF5
           : formatx == NC_FORMATX_NCZARR  ? LOOK_ZARR
                                           : LOOK_OTHER;
}

int look_load(struct look *l)
{
    int formatx, mode, status = nc_inq_format_extended(l->ncid, &formatx, &mode);

    if (status == NC_NOERR)
        status = nc_inq_format(l->ncid, &l->kind);
    if (status == NC_NOERR)
        status = types_load(l->ncid, &l->types);
    if (status)
        return status;
    l->format = format_of(formatx);
    l->size = output_size(l->path);
    return walk_all(l->ncid, load_group, l);
}

static void free_var(struct look_var *v)
{
    for (int d = 0; d < v->ndims && v->dim; d++)
        free(v->dim[d]);
    free(v->path);
    free(v->shape);
    free(v->piece);
    free(v->dim);
    free(v->grows);
    free(v->shard);
    free(v->chain);
    free(v->reason);
    free(v->too_many);
}

void look_close(struct look *l)
{
    for (size_t i = 0; i < l->nvars; i++)
        free_var(&l->var[i]);
    for (size_t i = 0; i < l->nlost; i++) {
        free(l->lost[i].path);
        free(l->lost[i].reason);
    }
    free(l->lost);
    free(l->var);
    types_free(&l->types);
    if (l->ncid > 0)
        nc_close(l->ncid);
    *l = (struct look){0};
}

int look_open(const char *path, struct look *out)
{
    int status;

    *out = (struct look){.path = path};
    status = nc_open(path, NC_NOWRITE, &out->ncid);
    if (status) {
        out->ncid = 0;
        return status;
    }
    return look_load(out);
}

const char *look_format_name(const struct look *l)
{
    if (l->format == LOOK_ZARR)
        return "Zarr";
    if (l->format == LOOK_HDF5)
        return l->kind == NC_FORMAT_NETCDF4_CLASSIC ? "netCDF-4 classic model in HDF5" : "netCDF-4 in HDF5";
    return l->kind == NC_FORMAT_CLASSIC        ? "netCDF classic"
           : l->kind == NC_FORMAT_64BIT_OFFSET ? "netCDF 64-bit offset"
           : l->kind == NC_FORMAT_64BIT_DATA   ? "netCDF 64-bit data"
                                               : "Blosc2";
}

const struct look_var *look_get(const struct look *l, const char *name)
{
    struct select_names names;

    for (size_t i = 0; i < l->nvars; i++)
        if (strcmp(l->var[i].path, name) == 0 || (*name == '/' && strcmp(l->var[i].path, name + 1) == 0))
            return &l->var[i];
    names = select_all_vars(l->ncid);
    msg_die(MSG_FAILED, "%s has no variable %s%s", l->path, name, select_hint(name, &names));
}

/* --- pieces ------------------------------------------------------------------------- */

static void end_early(struct look_pieces *p, int status, char *why)
{
    p->more = false;
    p->status = status;
    p->why = why;
}

/* What is found damaged may hide pieces: then each is asked for, if there are not too many. */
static void find_next(struct look_pieces *p)
{
    int more = p->given > 0, status = cellar_next_chunk(p->var->group, p->var->id, p->index, &more);

    p->each = status != NC_NOERR && p->total <= PIECES_MAX;
    if (p->each)
        return;
    if (status)
        end_early(p, status, msg_reason(status));
    else
        p->more = more;
    p->number = 0;
    for (int d = 0; d < p->var->ndims; d++)
        p->number = p->number * p->n[d] + p->index[d];
}

static void step(struct look_pieces *p)
{
    size_t number = p->given ? ++p->number : 0;

    p->more = number < p->total;
    for (int d = p->var->ndims; d-- > 0; number /= p->n[d])
        p->index[d] = number % p->n[d];
}

static bool is_absent(const struct look_pieces *p)
{
    unsigned long long size = 1;

    return cellar_inq_chunk(p->var->group, p->var->id, p->index, NULL, &size, NULL, NULL) == NC_NOERR && !size;
}

void look_pieces_next(struct look_pieces *p)
{
    if (!p->each)
        find_next(p);
    if (p->each)
        do {
            step(p);
            p->given++;
        } while (p->more && is_absent(p));
    else if (p->more && p->given++ == PIECES_MAX)
        end_early(p, NC_NOERR, tool_strdup("it has more chunks than can be looked at"));
}

void look_pieces_start(struct look_pieces *p, const struct look_var *v)
{
    *p = (struct look_pieces){.var = v, .total = 1};
    p->index = tool_alloc((size_t)v->ndims + 1, sizeof *p->index);
    p->n = tool_alloc((size_t)v->ndims + 1, sizeof *p->n);
    for (int d = 0; d < v->ndims; d++) {
        p->n[d] = pieces_along(v, d);
        if (__builtin_mul_overflow(p->total, p->n[d], &p->total))
            p->total = SIZE_MAX;
    }
    if (p->total)
        look_pieces_next(p);
}

void look_pieces_end(struct look_pieces *p)
{
    free(p->index);
    free(p->n);
    free(p->why);
    *p = (struct look_pieces){0};
}

bool look_is_sparse(size_t written, size_t missing)
{
    return written < missing / SPARSE;
}

void look_piece_box(const struct look_pieces *p, size_t *start, size_t *count)
{
    for (int d = 0; d < p->var->ndims; d++) {
        size_t left;

        start[d] = p->index[d] * p->var->piece[d];
        left = p->var->shape[d] - start[d];
        count[d] = left < p->var->piece[d] ? left : p->var->piece[d];
    }
}

size_t look_piece_values(const struct look_var *v)
{
    size_t n = 1;

    for (int d = 0; d < v->ndims; d++)
        if (__builtin_mul_overflow(n, v->piece[d], &n))
            return SIZE_MAX;
    return n;
}

size_t *look_box(const struct look_var *v, size_t most, size_t *box)
{
    size_t n = look_piece_values(v);
    bool grow = n > 0;

    for (int d = v->ndims; d-- > 0;) {
        size_t pieces = v->piece[d] ? pieces_along(v, d) : 1;
        size_t times = grow && most / n < pieces ? most / n : grow ? pieces : 1;

        times = times ? times : 1;
        box[d] = times >= pieces ? v->shape[d] : v->piece[d] * times;
        n *= times;
        grow = grow && times == pieces;
    }
    return box;
}

char *look_lengths(const size_t *len, int n)
{
    struct text t = {0};

    for (int d = 0; d < n; d++)
        text_printf(&t, "%s%zu", d ? "x" : "", len[d]);
    if (n == 0)
        text_puts(&t, "-");
    return text_take(&t);
}
