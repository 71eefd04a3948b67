/* SPDX-License-Identifier: BSD-3-Clause */
/* What the output cannot hold is named and left out; what it can hold when told its size is measured. */

#include "cellar.h"
#include "copy.h"
#include "msg.h"
#include "slab.h"
#include <limits.h>
#include <stdint.h>
#include <string.h>

bool copy_leave_out(const struct copy *c, const char *path, const char *why)
{
    if (c->req->on_left)
        c->req->on_left(c->req->on_left_arg, path, why);
    else if (c->req->strict)
        msg_error("%s: --strict: %s cannot be copied: %s", c->req->out, path, why);
    else
        msg_warn("%s is not copied: %s", path, why);
    return !c->req->strict;
}

bool copy_can_leave(const struct copy *c, int status)
{
    static const int limits[] = {NC_EBADNAME, NC_EMAXNAME, NC_EBADTYPE, NC_EBADTYPID, NC_ENOTNC4, NC_EMAXDIMS};

    if (c->req->damaged)
        return true;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (status == limits[i])
            return !c->classic && c->format != NC_FORMAT_NETCDF4_CLASSIC;
    return false;
}

/* A store has a folder for each group and variable. */
const char *copy_name_refused(const struct copy *c, const char *name)
{
    if (!c->out_zarr)
        return NULL;
    if (strchr(name, '\\'))
        return "no part of a store's keys may have a backslash";
    if (strlen(name) > NAME_MAX)
        return "its name is longer than that of a folder may be";
    return strcmp(name, "zarr.json") == 0 ? "it would take the place of a document of the store" : NULL;
}

/* --- strings of Zarr version 2 ----------------------------------------------------- */
enum { ZARR_STRING = 128, STRINGS_AT_ONCE = 1 << 16 };

static void note_longest(void *arg, const char *values, size_t n, size_t at)
{
    size_t *longest = arg;
    const char *s;

    (void)at;
    for (size_t i = 0; i < n; i++) {
        memcpy(&s, values + i * sizeof s, sizeof s);
        if (s && strlen(s) > *longest)
            *longest = strlen(s);
    }
}

/* Where a codec for text of any length was chosen, there is no limit. */
static bool has_fixed_strings(const struct copy *c, const struct copy_var *v)
{
    char *codec = NULL;
    bool fixed = c->out_zarr && v->type->kind == NC_STRING && v->with_data;

    if (fixed && cellar_inq_var_object_codec(v->out_group, v->out_id, &codec) == NC_NOERR && codec && *codec)
        fixed = false;
    cellar_free(codec);
    return fixed;
}

bool copy_fit_strings(struct copy *c, const struct copy_var *v)
{
    size_t longest = 0;
    int length, status;

    if (!has_fixed_strings(c, v))
        return true;
    status = slab_each(v->group, v->id, v->type, v->ndims, v->shape, STRINGS_AT_ONCE, note_longest, &longest);
    if (status && !c->req->damaged)
        return msg_nc(status, "%s: variable %s", c->req->in, v->path), false;
    status = NC_NOERR;
    length = (int)longest;
    if (longest > ZARR_STRING && longest < INT32_MAX)
        status = nc_put_att_int(v->out_group, v->out_id, "_nczarr_maxstrlen", NC_INT, 1, &length);
    if (status)
        msg_nc(status, "%s: variable %s", c->req->out, v->path);
    return status == NC_NOERR;
}
