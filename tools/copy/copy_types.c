/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of the input in the output. One that the output cannot have is left out, and with it what has its values;
 * an enum is copied as the numbers it is made of. */

#include "copy.h"
#include "msg.h"
#include <stdlib.h>
#include <string.h>

nc_type copy_out_type(const struct copy *c, const struct type *t)
{
    for (size_t i = 0; i < c->types.n; i++)
        if (c->types.at[i] == t)
            return c->out_types[i];
    return t->id;
}

char *copy_type_refused(const struct copy *c, const struct type *t)
{
    struct text why = {0};

    text_printf(&why, "its type %s %s", t->name, c->out_zarr ? "cannot be kept in a Zarr store" : "is not copied");
    return text_take(&why);
}

static int define_compound(struct copy *c, int group, const struct type *t, nc_type *id)
{
    int status = nc_def_compound(group, t->size, t->name, id);

    for (size_t i = 0; status == NC_NOERR && i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        nc_type of = copy_out_type(c, f->type);
        if (f->ndims)
            status = nc_insert_array_compound(group, *id, f->name, f->offset, of, f->ndims, f->dims);
        else
            status = nc_insert_compound(group, *id, f->name, f->offset, of);
    }
    return status;
}

static int define_enum(struct copy *c, int group, const struct type *t, nc_type *id)
{
    int status = nc_def_enum(group, copy_out_type(c, t->base), t->name, id);

    for (size_t i = 0; status == NC_NOERR && i < t->nmembers; i++)
        status = nc_insert_enum(group, *id, t->member[i].name, t->member[i].value);
    return status;
}

/* A type that is begun cannot be taken back, so the names within it are tried beforehand: as those of dimensions, in a
 * file that is never written. */
static int try_name(struct copy *c, const char *name)
{
    int id, status = NC_NOERR;

    if (!c->scratch)
        status = nc_create("names", NC_NETCDF4 | NC_DISKLESS, &c->scratch);
    if (status == NC_NOERR)
        status = nc_def_dim(c->scratch, name, 1, &id);
    return status == NC_ENAMEINUSE ? NC_NOERR : status;
}

static int try_names(struct copy *c, const struct type *t)
{
    int status = NC_NOERR;

    for (size_t i = 0; status == NC_NOERR && i < t->nfields; i++)
        status = try_name(c, t->field[i].name);
    for (size_t i = 0; status == NC_NOERR && i < t->nmembers; i++)
        status = try_name(c, t->member[i].name);
    return status;
}

static int define_type(struct copy *c, const struct type *t, nc_type *id)
{
    int group = copy_group_of(c, t->group), status = try_names(c, t);

    if (status)
        return status;
    switch (t->kind) {
    case NC_COMPOUND: return define_compound(c, group, t, id);
    case NC_ENUM: return define_enum(c, group, t, id);
    case NC_VLEN: return nc_def_vlen(group, t->name, copy_out_type(c, t->base), id);
    default: return nc_def_opaque(group, t->size, t->name, id);
    }
}

static bool was_tried(const struct copy *c, const struct type *t)
{
    for (size_t i = 0; i < c->types.n; i++)
        if (c->types.at[i] == t)
            return c->tried_types[i];
    return true;
}

static bool is_ready(const struct copy *c, const struct type *t)
{
    for (size_t i = 0; i < t->nfields; i++)
        if (!was_tried(c, t->field[i].type))
            return false;
    return !t->base || was_tried(c, t->base);
}

/* A type of a group that is left out, or made of one that is, or whose fields netCDF has no types for. */
static bool lacks_parts(const struct copy *c, const struct type *t)
{
    if (t->kind == NC_COMPOUND && !t->nfields)
        return true;
    for (size_t i = 0; i < t->nfields; i++)
        if (copy_out_type(c, t->field[i].type) == NC_NAT)
            return true;
    return copy_group_of(c, t->group) < 0 || (t->base && copy_out_type(c, t->base) == NC_NAT);
}

/* No message is given for types without a name: the variables and attributes of the type are named. */
static bool has_own_name(const struct type *t)
{
    return strncmp(t->name, "_Anonymous", 10) != 0;
}

static bool leave_lacking(struct copy *c, const struct type *t)
{
    struct text name = {0};
    bool ok = true;

    text_printf(&name, "type %s", t->name);
    if (has_own_name(t) && copy_group_of(c, t->group) >= 0)
        ok = copy_leave_out(c, text_get(&name), "a type that it is made of is not");
    text_free(&name);
    return ok;
}

static bool leave_type(struct copy *c, const struct type *t, int status, nc_type *id)
{
    char *why = c->out_zarr ? tool_strdup("it cannot be kept in a Zarr store") : msg_reason(status);
    bool ok = copy_can_leave(c, status) && !c->req->strict;

    *id = ok && t->kind == NC_ENUM ? t->base->id : NC_NAT;
    if (!ok)
        msg_error("%s: type %s: %s", c->req->out, t->name, why);
    else if (*id != NC_NAT)
        msg_warn("type %s is copied as %s, without the names of its values: %s", t->name, t->base->name, why);
    else if (has_own_name(t) || !c->out_zarr)
        msg_warn("type %s is not copied: %s", t->name, why);
    free(why);
    return ok;
}

/* A type may use one that is listed later: rounds until all are there. */
bool copy_define_types(struct copy *c)
{
    bool ok = true;

    c->out_types = tool_alloc(c->types.n, sizeof *c->out_types);
    c->tried_types = tool_alloc(c->types.n, sizeof *c->tried_types);
    for (bool progress = true; ok && progress;) {
        progress = false;
        for (size_t i = 0; ok && i < c->types.n; i++) {
            const struct type *t = c->types.at[i];
            int status;
            if (c->tried_types[i] || !is_ready(c, t))
                continue;
            c->tried_types[i] = progress = true;
            if (lacks_parts(c, t)) {
                ok = leave_lacking(c, t);
                continue;
            }
            status = define_type(c, t, &c->out_types[i]);
            ok = status == NC_NOERR || leave_type(c, t, status, &c->out_types[i]);
        }
    }
    return ok;
}
