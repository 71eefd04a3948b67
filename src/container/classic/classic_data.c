/* Values of a classic file: rows of big-endian numbers, swapped on the way.
 * A row is as many elements as lie side by side both in the file and in the
 * caller's memory. */
#include "classic_int.h"
#include "convert.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20 };

/* --- fill ----------------------------------------------------------------------------- */

bool classic_fills(const struct cel_dataset *ds, const struct cel_var *var)
{
    return ds->fill_mode == NC_FILL && !var->no_fill;
}

static uint64_t round_to_size(uint64_t len, size_t size)
{
    return (len + size - 1) / size * size;
}

/* Fill values over all of a variable, or its part of some records, padding included. */
int classic_fill_var(struct cel_dataset *ds, const struct cel_var *var, uint64_t first_record, uint64_t nrecords)
{
    struct classic *c = classic_of(ds);
    const struct classic_var *p = place_of(var);
    uint64_t len = p->is_record && c->recsize < p->len ? c->recsize : p->len;
    size_t size = var->type->size, n = len < BLOCK ? (size_t)round_to_size(len, size) : BLOCK;
    unsigned char one[8];
    char *block = cel_malloc(n);
    int rc = block ? CEL_OK : NC_ENOMEM;

    if (rc != CEL_OK)
        return rc;
    cel_swap_bytes(one, cel_var_fill_value(var), 1, size);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        memcpy(one, cel_var_fill_value(var), size);
    cel_fill(block, one, size, n / size);
    for (uint64_t record = first_record; rc == CEL_OK && record < first_record + nrecords; record++)
        for (uint64_t at = 0; rc == CEL_OK && at < len; at += n)
            rc = classic_io_write(&c->io, p->begin + record * c->recsize + at, block, len - at < n ? (size_t)(len - at) : n);
    free(block);
    return rc;
}

/* A new record holds fill values of every record variable, also of those without
 * fill: that is how netCDF-C writes them. */
int classic_extend(struct cel_dataset *ds, struct cel_var *var, const size_t *extent)
{
    struct classic *c = classic_of(ds);
    uint64_t old = c->numrecs, now = extent[0];
    int rc = CEL_OK;

    if (!place_of(var)->is_record || now <= old)
        return CEL_OK;
    for (uint64_t record = old; rc == CEL_OK && record < now; record++)
        for (size_t i = 0; rc == CEL_OK && i < ds->root->vars.n; i++) {
            const struct cel_var *other = ds->root->vars.at[i];
            if (place_of(other)->is_record && ds->fill_mode == NC_FILL)
                rc = classic_fill_var(ds, other, record, 1);
        }
    if (rc != CEL_OK)
        return rc;
    c->numrecs = now;
    for (size_t i = 0; i < ds->root->vars.n; i++) {
        struct cel_var *other = ds->root->vars.at[i];
        if (place_of(other)->is_record)
            other->extent[0] = (size_t)now;
    }
    return CEL_OK;
}

/* --- rows --------------------------------------------------------------------------------- */

struct walk {
    struct classic *c;
    const struct cel_var *var;
    const size_t *start, *count;
    const ptrdiff_t *stride;
    uint64_t step[CEL_RANK_MAX]; /* bytes from one index to the next in the file */
    int rows_from;               /* dimensions from here on make one row */
    size_t row;                  /* elements of a row */
};

static size_t stride_of(const struct walk *w, int d)
{
    return w->stride ? (size_t)w->stride[d] : 1;
}

static void measure(struct walk *w)
{
    const struct cel_var *var = w->var;
    uint64_t step = var->type->size;

    for (int d = var->ndims; d-- > 0;) {
        w->step[d] = d == 0 && place_of(var)->is_record ? w->c->recsize : step;
        step *= var->dim[d]->len;
    }
    /* Whole trailing dimensions join the row as long as the file has no gaps there. */
    w->row = 1;
    w->rows_from = var->ndims;
    while (w->rows_from > 0) {
        int d = w->rows_from - 1;
        if (stride_of(w, d) != 1 || w->step[d] != w->row * var->type->size)
            break;
        w->row *= w->count[d];
        w->rows_from = d;
        if (w->count[d] != var->dim[d]->len)
            break;
    }
}

static uint64_t address_of(const struct walk *w, const size_t *at)
{
    uint64_t address = place_of(w->var)->begin;

    for (int d = 0; d < w->var->ndims; d++)
        address += (w->start[d] + (d < w->rows_from ? at[d] * stride_of(w, d) : 0)) * w->step[d];
    return address;
}

static bool next_row(const struct walk *w, size_t *at)
{
    for (int d = w->rows_from; d-- > 0;) {
        if (++at[d] < w->count[d])
            return true;
        at[d] = 0;
    }
    return false;
}

static int get_row(struct classic *c, uint64_t at, char *to, size_t n, size_t size)
{
    int rc = classic_io_read(&c->io, at, to, n * size);

    if (rc == CEL_OK && size > 1 && __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
        cel_swap_bytes(to, to, n, size);
    return rc;
}

/* Swapped into a block first: the caller's values must not change. */
static int put_row(struct classic *c, uint64_t at, const char *from, size_t n, size_t size, char *block)
{
    int rc = CEL_OK;

    if (size == 1 || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        return classic_io_write(&c->io, at, from, n * size);
    for (size_t done = 0; rc == CEL_OK && done < n;) {
        size_t part = n - done < BLOCK / size ? n - done : BLOCK / size;
        cel_swap_bytes(block, from + done * size, part, size);
        rc = classic_io_write(&c->io, at + done * size, block, part * size);
        done += part;
    }
    return rc;
}

static int walk(struct walk *w, char *data, bool put)
{
    size_t at[CEL_RANK_MAX] = {0}, size = w->var->type->size;
    char *block = put ? cel_malloc(BLOCK) : NULL;
    int rc = put && !block ? NC_ENOMEM : CEL_OK;

    for (int d = 0; d < w->var->ndims; d++)
        if (!w->count[d])
            goto out;
    measure(w);
    do {
        if (rc == CEL_OK)
            rc = put ? put_row(w->c, address_of(w, at), data, w->row, size, block)
                     : get_row(w->c, address_of(w, at), data, w->row, size);
        data += w->row * size;
    } while (rc == CEL_OK && next_row(w, at));
out:
    free(block);
    return rc;
}

int classic_get(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                const ptrdiff_t *stride, void *data)
{
    struct walk w = {.c = classic_of(ds), .var = var, .start = start, .count = count, .stride = stride};

    return walk(&w, data, false);
}

int classic_put(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                const ptrdiff_t *stride, const void *data)
{
    struct walk w = {.c = classic_of(ds), .var = var, .start = start, .count = count, .stride = stride};

    return walk(&w, (char *)data, true);
}
