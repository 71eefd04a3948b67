/* SPDX-License-Identifier: BSD-3-Clause */
/* A JSON document as a table with a row for each member. The rows stand in the order in which members are written,
 * and the same row says what a member must be when it is read. */
#include "zarr_int.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static int refuse(const char *path, const struct cel_zarr_member *row)
{
    char pointer[64];

    assert(row->must_be);
    snprintf(pointer, sizeof pointer, "/%s", row->name);
    return cel_zarr_bad(path, pointer, "must be %s", row->must_be);
}

static int read_member(const struct cel_zarr_document *d, const struct cel_zarr_member *row)
{
    const struct cel_json *v = cel_json_get(d->array->doc, row->name);
    bool is_of_type = row->types == 0 || (v && row->types & 1u << cel_json_type(v));
    int rc;

    if (!is_of_type)
        return row->flags & CEL_ZARR_REQUIRED ? refuse(d->array->path, row) : CEL_OK;
    rc = row->read(d, v);
    return rc == CEL_ABSENT ? refuse(d->array->path, row) : rc;
}

int cel_zarr_members_read(const struct cel_zarr_document *d, const struct cel_zarr_member *row)
{
    int rc = CEL_OK;

    for (; rc == CEL_OK && row->name; row++)
        if (row->read && (!(row->flags & CEL_ZARR_LAYOUT) || d->facts->rank <= CEL_RANK_MAX))
            rc = read_member(d, row);
    return rc;
}

static int make_member(struct cel_zarr_document *d, const struct cel_zarr_member *row, struct cel_json *out)
{
    struct cel_json *v = NULL;
    int rc;

    if (row->text)
        return cel_json_set_text(out, row->name, row->text);
    rc = row->make ? row->make(d, &v) : CEL_ABSENT;
    return rc == CEL_OK ? cel_json_set(out, row->name, v) : rc;
}

int cel_zarr_members_make(struct cel_zarr_document *d, const struct cel_zarr_member *row, struct cel_json *out)
{
    int rc = CEL_OK;

    for (; rc == CEL_OK && row->name; row++) {
        rc = make_member(d, row, out);
        rc = rc == CEL_ABSENT ? CEL_OK : rc;
    }
    return rc;
}

int cel_zarr_members_object(struct cel_zarr_document *d, const struct cel_zarr_member *row, struct cel_json **out)
{
    int rc;

    *out = cel_json_new_object();
    rc = *out ? cel_zarr_members_make(d, row, *out) : NC_ENOMEM;
    if (rc != CEL_OK) {
        cel_json_free(*out);
        *out = NULL;
    }
    return rc;
}

bool cel_zarr_members_know(const struct cel_zarr_member *row, const char *name)
{
    for (; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return true;
    return false;
}
