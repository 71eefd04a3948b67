/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill values of a classic file. netCDF-C writes them when a variable is defined and
 * when records are added; here they are pending until something needs them, so that the
 * bytes are the same in the end and most are never written twice. */
#include "classic_int.h"
#include "convert.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

uint64_t cel_classic_part(const struct classic *c, const struct cel_classic_var *p)
{
    return p->is_record && c->recsize < p->len ? c->recsize : p->len;
}

static uint64_t end_of(const struct classic *c, const struct cel_classic_var *p)
{
    return cel_classic_part(c, p) * (p->is_record ? c->numrecs : 1);
}

bool cel_classic_holds(const struct classic *c, const struct cel_var *var, uint64_t at)
{
    const struct cel_classic_var *p = priv_of(var);
    uint64_t part = p && var->saved != CEL_NEW ? cel_classic_part(c, p) : 0;

    if (!part || at < p->begin)
        return false;
    at -= p->begin;
    return p->is_record ? at / c->recsize < c->numrecs && at % c->recsize < part : at < part;
}

static void fill_in_file(const struct cel_var *var, unsigned char *out)
{
    size_t size = var->type->size;

    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        memcpy(out, cel_var_fill_value(var), size);
    else
        cel_swap_bytes(out, cel_var_fill_value(var), 1, size);
}

void cel_classic_defer_fill(struct cel_dataset *ds, struct cel_var *var)
{
    struct cel_classic_var *p = priv_of(var);
    bool fills = ds->fill_mode == NC_FILL && !var->fill.off;

    p->done = fills ? 0 : UINT64_MAX;
    if (fills)
        fill_in_file(var, p->fill);
}

/* --- writing pending fill --------------------------------------------------------------------------- */

/* CLASSIC_WINDOW bytes of fill values, or as many as the variable has. */
static char *make_pattern(const struct cel_var *var, uint64_t part, size_t *nbytes)
{
    size_t size = var->type->size, n = part < CLASSIC_WINDOW ? (size_t)(part + size - 1) / size : CLASSIC_WINDOW / size;
    char *pattern = cel_malloc(n * size);

    if (pattern)
        cel_fill(pattern, priv_of(var)->fill, size, n);
    *nbytes = n * size;
    return pattern;
}

static int fill_run(struct cel_classic_io *io, uint64_t at, uint64_t n, const char *pattern, size_t nbytes)
{
    int rc = CEL_OK;

    for (uint64_t done = 0; rc == CEL_OK && done < n; done += nbytes)
        rc = cel_classic_io_write(io, at + done, pattern, n - done < nbytes ? (size_t)(n - done) : nbytes);
    return rc;
}

/* Many short parts: in windows that hold those of other variables too. */
static int fill_records(struct classic *c, uint64_t at, uint64_t n, size_t part, const char *pattern)
{
    size_t recsize = (size_t)c->recsize, most = CLASSIC_WINDOW / recsize;
    char *window = cel_malloc(CLASSIC_WINDOW);
    int rc = window ? CEL_OK : NC_ENOMEM;

    while (rc == CEL_OK && n > 0) {
        size_t m = n < most ? (size_t)n : most, nbytes = (m - 1) * recsize + part;

        rc = cel_classic_io_read_over(&c->io, at, window, nbytes);
        for (size_t i = 0; i < m; i++)
            memcpy(window + i * recsize, pattern, part);
        if (rc == CEL_OK)
            rc = cel_classic_io_write(&c->io, at, window, nbytes);
        at += m * recsize;
        n -= m;
    }
    free(window);
    return rc;
}

int cel_classic_write_fill(struct classic *c, const struct cel_var *var, uint64_t upto)
{
    struct cel_classic_var *p = priv_of(var);
    uint64_t part = cel_classic_part(c, p);
    bool narrow = p->is_record && part <= CLASSIC_WINDOW / 4 && c->recsize - part <= CLASSIC_GAP;
    size_t nbytes;
    char *pattern;
    int rc = CEL_OK;

    if (p->done >= upto || !part)
        return CEL_OK;
    pattern = make_pattern(var, part, &nbytes);
    if (!pattern)
        return NC_ENOMEM;
    while (rc == CEL_OK && p->done < upto) {
        uint64_t record = p->done / part, offset = p->done % part, left = upto - p->done;
        uint64_t n = part - offset < left ? part - offset : left, at = p->begin + record * c->recsize + offset;

        if (narrow && !offset && left >= 2 * part) {
            n = left / part * part;
            rc = fill_records(c, at, left / part, (size_t)part, pattern);
        } else {
            rc = fill_run(&c->io, at, n, pattern, nbytes);
        }
        if (rc == CEL_OK)
            p->done += n;
    }
    free(pattern);
    return rc;
}

int cel_classic_write_all_fill(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < ds->root->vars.n; i++) {
        const struct cel_var *var = ds->root->vars.at[i];
        if (var->priv)
            rc = cel_classic_write_fill(c, var, end_of(c, priv_of(var)));
        if (var->priv && rc == CEL_OK)
            priv_of(var)->done = UINT64_MAX; /* also when parts become longer */
    }
    return rc;
}

/* --- records ----------------------------------------------------------------------------- */

/* A new record holds fill values of every record variable, also of those without fill:
 * that is how netCDF-C writes them. What was pending before had perhaps another fill value. */
static int defer_records(struct cel_dataset *ds, const struct cel_var *var)
{
    struct classic *c = cel_classic_of(ds);
    struct cel_classic_var *p = priv_of(var);
    uint64_t end = end_of(c, p);
    unsigned char fill[8] = {0};
    int rc = CEL_OK;

    fill_in_file(var, fill);
    if (ds->fill_mode != NC_FILL || memcmp(fill, p->fill, var->type->size) != 0)
        rc = cel_classic_write_fill(c, var, end);
    if (rc != CEL_OK)
        return rc;
    memcpy(p->fill, fill, sizeof fill);
    if (ds->fill_mode != NC_FILL)
        p->done = UINT64_MAX;
    else if (p->done > end)
        p->done = end;
    return CEL_OK;
}

int cel_classic_extend(struct cel_dataset *ds, struct cel_var *var, const size_t *extent)
{
    struct classic *c = cel_classic_of(ds);
    uint64_t now = extent[0];
    int rc = CEL_OK;

    if (!priv_of(var)->is_record || now <= c->numrecs)
        return CEL_OK;
    cel_lock(&c->lock);
    for (size_t i = 0; rc == CEL_OK && i < ds->root->vars.n; i++)
        if (priv_of(ds->root->vars.at[i])->is_record)
            rc = defer_records(ds, ds->root->vars.at[i]);
    for (size_t i = 0; rc == CEL_OK && i < ds->root->vars.n; i++) {
        struct cel_var *other = ds->root->vars.at[i];
        if (priv_of(other)->is_record)
            other->layout.extent[0] = (size_t)now;
    }
    if (rc == CEL_OK)
        c->numrecs = now;
    cel_unlock(&c->lock);
    return rc;
}
