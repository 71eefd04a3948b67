/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer's calls. */
#include "container.h"
#include "records.h"
#include <cellar.h>

static const char *const dim_names[] = {"time", "row", "column"};

static const char *var_name(int v)
{
    static const char *const names[] = {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"};

    return names[v];
}

int dataset_define(struct dataset *d, const struct container *c)
{
    size_t chunk[] = {c->records_in_chunk, RECORD_ROWS, RECORD_COLS},
           shard[] = {c->records_in_shard, RECORD_ROWS, RECORD_COLS};
    int dim[3], v = -1, rc = NC_NOERR;

    for (int i = 0; !rc && i < 3; i++)
        rc = nc_inq_dimid(d->nc, dim_names[i], &dim[i]);
    if (!rc)
        rc = nc_def_var(d->nc, var_name(d->nvars), NC_FLOAT, 3, dim, &v);
    if (!rc && chunk[0])
        rc = nc_def_var_chunking(d->nc, v, NC_CHUNKED, chunk);
    if (!rc && c->deflate)
        rc = nc_def_var_deflate(d->nc, v, 1, 1, c->deflate);
    if (!rc && c->records_in_shard)
        rc = cellar_def_var_shards(d->nc, v, shard);
    if (!rc)
        d->var[d->nvars++] = v;
    return rc;
}

static int define(struct dataset *d, const struct container *c, int nvars)
{
    size_t lengths[] = {c->fixed ? RECORDS_IN_FIXED : NC_UNLIMITED, RECORD_ROWS, RECORD_COLS};
    int dim[3], rc = NC_NOERR;

    for (int i = 0; !rc && i < 3; i++)
        rc = nc_def_dim(d->nc, dim_names[i], lengths[i], &dim[i]);
    if (!rc)
        rc = nc_def_var(d->nc, "time", NC_INT, 1, dim, &d->time);
    for (int v = 0; !rc && v < nvars; v++)
        rc = dataset_define(d, c);
    return rc ? rc : nc_enddef(d->nc);
}

int dataset_create(struct dataset *d, const struct container *c, const char *path, int nvars)
{
    int rc;

    *d = (struct dataset){.nc = -1};
    rc = nc_create(path, NC_CLOBBER | c->mode, &d->nc);
    return rc ? rc : define(d, c, nvars);
}

int dataset_open(struct dataset *d, const char *path, int nvars)
{
    int rc;

    *d = (struct dataset){.nc = -1, .nvars = nvars};
    rc = nc_open(path, NC_WRITE, &d->nc);
    if (!rc)
        rc = nc_inq_varid(d->nc, "time", &d->time);
    for (int v = 0; !rc && v < nvars; v++)
        rc = nc_inq_varid(d->nc, var_name(v), &d->var[v]);
    return rc;
}

int dataset_put(const struct dataset *d, int var, size_t t)
{
    size_t start[3] = {t, 0, 0}, count[3] = {1, RECORD_ROWS, RECORD_COLS};
    float values[RECORD_VALUES];

    for (size_t i = 0; i < RECORD_VALUES; i++)
        values[i] = record_value(t, i);
    return nc_put_vara_float(d->nc, d->var[var], start, count, values);
}

int dataset_put_time(const struct dataset *d, size_t t)
{
    int value = (int)t;

    return nc_put_var1_int(d->nc, d->time, &t, &value);
}

int dataset_put_records(const struct dataset *d, size_t from, size_t to)
{
    int rc = NC_NOERR;

    for (size_t t = from; !rc && t < to; t++) {
        for (int v = 0; !rc && v < d->nvars; v++)
            rc = dataset_put(d, v, t);
        rc = rc ? rc : dataset_put_time(d, t);
    }
    return rc;
}
