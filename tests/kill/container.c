/* The writer's calls. */
#include "container.h"
#include "records.h"

static int define(struct dataset *d, const struct container *c)
{
    static const int lengths[] = {NC_UNLIMITED, RECORD_ROWS, RECORD_COLS};
    static const char *const names[] = {"time", "row", "column"};
    size_t chunk[] = {c->records_in_chunk, RECORD_ROWS, RECORD_COLS};
    int dim[3], rc = NC_NOERR;

    for (int i = 0; !rc && i < 3; i++)
        rc = nc_def_dim(d->nc, names[i], (size_t)lengths[i], &dim[i]);
    if (!rc)
        rc = nc_def_var(d->nc, "time", NC_INT, 1, dim, &d->time);
    for (int v = 0; !rc && v < d->nvars; v++) {
        char name[16];

        snprintf(name, sizeof name, "v%d", v);
        rc = nc_def_var(d->nc, name, NC_FLOAT, 3, dim, &d->var[v]);
        if (!rc && chunk[0])
            rc = nc_def_var_chunking(d->nc, d->var[v], NC_CHUNKED, chunk);
        if (!rc && c->deflate)
            rc = nc_def_var_deflate(d->nc, d->var[v], 1, 1, c->deflate);
    }
    return rc ? rc : nc_enddef(d->nc);
}

int dataset_create(struct dataset *d, const struct container *c, const char *path, int nvars)
{
    int rc = nc_create(path, NC_CLOBBER | c->mode, &d->nc);

    d->nvars = nvars;
    return rc ? rc : define(d, c);
}

int dataset_open(struct dataset *d, const char *path, int nvars)
{
    int rc = nc_open(path, NC_WRITE, &d->nc);

    d->nvars = nvars;
    if (!rc)
        rc = nc_inq_varid(d->nc, "time", &d->time);
    for (int v = 0; !rc && v < nvars; v++) {
        char name[16];

        snprintf(name, sizeof name, "v%d", v);
        rc = nc_inq_varid(d->nc, name, &d->var[v]);
    }
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
