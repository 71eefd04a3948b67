/* SPDX-License-Identifier: BSD-3-Clause */
/* Where variables lie, and keeping it true when definitions change. Fixed
 * variables come first, in order, then the records. A variable that exists never
 * moves towards the start, so that data is moved only when the header, or
 * variables before it, need its place. */
#include "classic_int.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return to > 1 ? (n + to - 1) / to * to : n;
}

/* --- lengths ----------------------------------------------------------------------- */

static int length_of(const struct cel_var *var, uint64_t *out)
{
    uint64_t n = var->type->size;

    for (int d = cel_classic_is_record(var); d < var->ndims; d++)
        if (__builtin_mul_overflow(n, (uint64_t)var->dim[d]->len, &n) || n > (uint64_t)INT64_MAX - 3)
            return cel_fail_in_var(cel_fail(NC_EVARSIZE, "it is larger than any file can be"), var);
    *out = round_up(n, 4);
    return CEL_OK;
}

static uint64_t unpadded(const struct cel_var *var)
{
    uint64_t n = var->type->size;

    for (int d = 1; d < var->ndims; d++)
        n *= var->dim[d]->len;
    return n;
}

struct cel_classic_var *cel_classic_var_make(void)
{
    struct cel_classic_var *priv = cel_calloc(1, sizeof *priv);

    if (priv)
        priv->done = UINT64_MAX;
    return priv;
}

int cel_classic_lengths(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    const struct cel_var *only = NULL;
    size_t nrecord = 0;
    int rc = CEL_OK;

    c->recsize = 0;
    for (size_t i = 0; rc == CEL_OK && i < ds->root->vars.n; i++) {
        struct cel_var *var = ds->root->vars.at[i];
        if (!var->priv && !(var->priv = cel_classic_var_make()))
            return NC_ENOMEM;
        priv_of(var)->is_record = cel_classic_is_record(var);
        rc = length_of(var, &priv_of(var)->len);
        if (rc == CEL_OK && cel_classic_is_record(var)) {
            if (__builtin_add_overflow(c->recsize, priv_of(var)->len, &c->recsize))
                return cel_fail(NC_EVARSIZE, "a record would be larger than any file can be");
            only = var;
            nrecord++;
        }
    }
    /* A single record variable has no padding between its records. */
    if (rc == CEL_OK && nrecord == 1)
        c->recsize = unpadded(only);
    return rc;
}

/* What is too large for the header's field, among the fixed variables or among those with records. */
struct oversize {
    size_t n;
    const struct cel_var *var;  /* the last of them */
    const struct cel_var *last; /* the last of all, large or not */
};

static uint64_t length_max(const struct classic *c)
{
    return c->kind == 1 ? (uint64_t)INT32_MAX - 3 : c->kind == 2 ? (uint64_t)UINT32_MAX - 3 : (uint64_t)INT64_MAX - 3;
}

static bool only_last(const struct oversize *o)
{
    return o->n == 0 || (o->n == 1 && o->var == o->last);
}

/* In kinds 1 and 2 a length must fit the header, except that of the last variable. */
static int check_sizes(const struct cel_dataset *ds)
{
    const struct classic *c = cel_classic_of(ds);
    struct oversize fixed = {0}, record = {0};

    for (size_t i = 0; i < ds->root->vars.n; i++) {
        const struct cel_var *var = ds->root->vars.at[i];
        struct oversize *o = priv_of(var)->is_record ? &record : &fixed;

        o->last = var;
        if (priv_of(var)->len > length_max(c)) {
            o->n++;
            o->var = var;
        }
    }
    if (!only_last(&fixed) || (fixed.n && record.last))
        return cel_fail_in_var(
            cel_fail(NC_EVARSIZE, "it is too large for this kind of file: create it with %s",
                     c->kind == 1 ? "NC_64BIT_OFFSET, NC_64BIT_DATA or NC_NETCDF4" : "NC_64BIT_DATA or NC_NETCDF4"),
            fixed.var);
    if (!only_last(&record))
        return cel_fail_in_var(cel_fail(NC_EVARSIZE, "a record of it is too large for this kind of file"), record.var);
    return CEL_OK;
}

/* --- begins --------------------------------------------------------------------------- */

static int set_begin(const struct classic *c, const struct cel_var *var, const struct cel_classic_old_var *old,
                     uint64_t at)
{
    struct cel_classic_var *p = priv_of(var);

    p->begin = old->existed && old->begin > at ? old->begin : at;
    if (c->kind == 1 && p->begin > (uint64_t)INT32_MAX)
        return cel_fail_in_var(cel_fail(NC_EVARSIZE,
                                        "it would begin beyond 2 GiB, where this kind of file cannot point: create it "
                                        "with NC_64BIT_OFFSET, NC_64BIT_DATA or NC_NETCDF4"),
                               var);
    return CEL_OK;
}

/* The fixed variables, or those with records, one behind another from *at on; then *at is their end. */
static int set_begins(struct cel_dataset *ds, const struct cel_classic_old_var *old, bool records, uint64_t *at,
                      uint64_t *first)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < ds->root->vars.n; i++) {
        const struct cel_var *var = ds->root->vars.at[i];
        const struct cel_classic_var *p = priv_of(var);

        if (p->is_record != records)
            continue;
        rc = set_begin(cel_classic_of(ds), var, &old[i], *at);
        *at = p->begin + p->len;
        *first = *first == UINT64_MAX ? p->begin : *first;
    }
    return rc;
}

static uint64_t begin_of_fixed(const struct cel_dataset *ds, uint64_t header)
{
    const struct classic *c = cel_classic_of(ds);
    const struct cel_header_padding *padding = &ds->padding;
    uint64_t begin = round_up(header + padding->header, padding->var_align);

    if (c->begin_var >= header + padding->header && c->begin_var == round_up(c->begin_var, padding->var_align))
        return c->begin_var;
    return c->laid_out && c->begin_var > begin ? c->begin_var : begin;
}

static int lay_out_vars(struct cel_dataset *ds, uint64_t header, const struct cel_classic_old_var *old)
{
    struct classic *c = cel_classic_of(ds);
    const struct cel_header_padding *padding = &ds->padding;
    uint64_t at, first = UINT64_MAX;
    int rc;

    if (!ds->root->vars.n)
        return CEL_OK;
    at = begin_of_fixed(ds, header);
    rc = set_begins(ds, old, false, &at, &first);
    if (c->begin_rec < at + padding->vars || c->begin_rec != round_up(c->begin_rec, padding->rec_align))
        c->begin_rec = round_up(at + padding->vars, padding->rec_align);
    c->begin_var = first != UINT64_MAX ? first : c->begin_rec;
    at = c->begin_rec;
    if (rc == CEL_OK)
        rc = set_begins(ds, old, true, &at, &first);
    c->laid_out = true;
    return rc;
}

/* Variables that nc_enddef() has not seen, or has refused, are not in the file. */
uint64_t cel_classic_end(const struct cel_dataset *ds)
{
    const struct classic *c = cel_classic_of(ds);
    uint64_t end = 0;

    for (size_t i = 0; i < ds->root->vars.n; i++) {
        const struct cel_var *var = ds->root->vars.at[i];
        const struct cel_classic_var *p = priv_of(var);
        if (var->saved == CEL_NEW)
            continue;
        if (p->is_record)
            return c->begin_rec + c->numrecs * c->recsize;
        end = p->begin + p->len > end ? p->begin + p->len : end;
    }
    return end;
}

/* --- saving ----------------------------------------------------------------------------------- */

static void defer_new(struct cel_dataset *ds, const struct cel_classic_old_var *old)
{
    for (size_t i = 0; i < ds->root->vars.n; i++)
        if (!old[i].existed)
            cel_classic_defer_fill(ds, ds->root->vars.at[i]);
}

static void settle_var(struct cel_var *var)
{
    var->layout.storage = CEL_CONTIGUOUS;
    var->layout.unchunked = var->loaded = true;
    for (int d = 0; d < var->ndims; d++)
        var->layout.extent[d] = var->dim[d]->len;
}

static bool atts_changed(const struct cel_atts *atts)
{
    bool changed = atts->removed.n > 0;

    for (size_t i = 0; i < atts->list.n; i++)
        changed |= ((const struct cel_att *)atts->list.at[i])->saved != CEL_SAVED;
    return changed;
}

static bool is_changed(const struct cel_dataset *ds)
{
    const struct cel_group *root = ds->root;
    bool changed = root->saved != CEL_SAVED || atts_changed(&root->atts);

    for (size_t i = 0; i < root->dims.n; i++)
        changed |= ((const struct cel_dim *)root->dims.at[i])->saved != CEL_SAVED;
    for (size_t i = 0; i < root->vars.n; i++) {
        const struct cel_var *var = root->vars.at[i];
        changed |= var->saved != CEL_SAVED || atts_changed(&var->atts);
    }
    return changed;
}

static void all_saved(struct cel_dataset *ds)
{
    struct cel_group *root = ds->root;

    root->saved = CEL_SAVED;
    cel_atts_saved(&root->atts);
    for (size_t i = 0; i < root->dims.n; i++) {
        struct cel_dim *dim = root->dims.at[i];
        dim->saved = CEL_SAVED;
        free(dim->saved_name);
        dim->saved_name = NULL;
    }
    for (size_t i = 0; i < root->vars.n; i++) {
        struct cel_var *var = root->vars.at[i];
        var->saved = CEL_SAVED;
        free(var->saved_name);
        var->saved_name = NULL;
        cel_atts_saved(&var->atts);
    }
}

static int header_size(struct cel_dataset *ds, uint64_t *out)
{
    struct cel_buf header = CEL_BUF_INIT(SIZE_MAX);
    int rc = cel_classic_header_make(ds, &header);

    *out = header.len;
    cel_buf_dispose(&header);
    return rc;
}

/* One that could not be written never waits to be tried again: its layout is given up, and data goes elsewhere. What lay there comes
 * back, as far as the disk takes it, since half of a header may be in the file by now. */
static int overwrite_header(struct cel_classic_io *io, const struct cel_buf *header)
{
    struct cel_buf old = CEL_BUF_INIT(SIZE_MAX);
    struct cel_status why;
    int rc = cel_buf_resize(&old, io->size < header->len ? (size_t)io->size : header->len);

    if (rc == CEL_OK)
        rc = cel_classic_io_read(io, 0, old.data, old.len);
    if (rc == CEL_OK) {
        cel_classic_io_forget(io);
        rc = cel_classic_io_write_part(io, 0, header->data, header->len);
        if (rc != CEL_OK) {
            cel_status_save(&why);
            cel_classic_io_write_part(io, 0, old.data, old.len);
            cel_status_restore(&why);
        }
    }
    if (rc == CEL_OK && header->len > io->size)
        io->size = header->len;
    cel_buf_dispose(&old);
    return rc;
}

int cel_classic_header_write(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    struct cel_buf header = CEL_BUF_INIT(SIZE_MAX);
    int rc = cel_classic_header_make(ds, &header);

    if (rc == CEL_OK)
        rc = cel_classic_io_flush(&c->io); /* what it points to comes first */
    if (rc == CEL_OK && !c->io.in_memory)
        rc = overwrite_header(&c->io, &header);
    else if (rc == CEL_OK)
        rc = cel_classic_io_write(&c->io, 0, header.data, header.len);
    if (rc == CEL_OK)
        c->numrecs_saved = c->numrecs;
    cel_buf_dispose(&header);
    return rc;
}

static int note_layout(struct cel_dataset *ds, struct cel_classic_before *out)
{
    const struct classic *c = cel_classic_of(ds);
    const struct cel_vec *vars = &ds->root->vars;

    *out = (struct cel_classic_before){cel_calloc(vars->n, sizeof *out->var), c->begin_var, c->begin_rec, c->recsize,
                                       c->laid_out};
    for (size_t i = 0; out->var && i < vars->n; i++) {
        const struct cel_var *var = vars->at[i];
        if (var->saved != CEL_NEW)
            out->var[i] = (struct cel_classic_old_var){true, priv_of(var)->begin};
    }
    return out->var ? CEL_OK : NC_ENOMEM;
}

/* Definitions that cannot be kept leave everything where the file has it. */
static void restore_layout(struct cel_dataset *ds, const struct cel_classic_before *before)
{
    struct classic *c = cel_classic_of(ds);

    for (size_t i = 0; i < ds->root->vars.n; i++)
        if (before->var[i].existed)
            priv_of(ds->root->vars.at[i])->begin = before->var[i].begin;
    c->begin_var = before->begin_var;
    c->begin_rec = before->begin_rec;
    c->recsize = before->recsize;
    c->laid_out = before->laid_out;
}

static int lay_out_anew(struct cel_dataset *ds, const struct cel_classic_before *before)
{
    uint64_t header;
    int rc;

    for (size_t i = 0; i < ds->root->vars.n; i++)
        settle_var(ds->root->vars.at[i]);
    rc = cel_classic_lengths(ds);
    if (rc == CEL_OK)
        rc = check_sizes(ds);
    if (rc == CEL_OK)
        rc = header_size(ds, &header);
    if (rc == CEL_OK)
        rc = lay_out_vars(ds, header, before->var);
    return rc;
}

static int save_locked(struct cel_dataset *ds)
{
    struct cel_classic_before before;
    int rc = cel_classic_write_all_fill(ds); /* while everything still lies where it did */

    if (rc != CEL_OK)
        return rc;
    if (!is_changed(ds))
        return cel_classic_numrecs_write(ds);
    rc = note_layout(ds, &before);
    if (rc != CEL_OK)
        return rc;
    rc = lay_out_anew(ds, &before);
    if (rc == CEL_OK)
        rc = cel_classic_relocate(ds, &before);
    if (rc != CEL_OK)
        restore_layout(ds, &before);
    if (rc == CEL_OK)
        defer_new(ds, before.var);
    if (rc == CEL_OK)
        all_saved(ds);
    free(before.var);
    return rc;
}

/* Other threads may be moving values: nc_sync() saves too. */
int cel_classic_save(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    int rc;

    cel_lock(&c->lock);
    rc = save_locked(ds);
    cel_unlock(&c->lock);
    return rc;
}
