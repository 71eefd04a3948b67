/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving what a file holds when its layout changes.
 *
 * What nc_sync() acknowledged must survive the end of the process at any moment, also in here. So the data
 * first goes behind the end of the file, in its new layout; one write of the header points there; then
 * it goes to its place, and a second write of the header points to that. After every single write the
 * file is a valid one with all its data, for any reader. It costs the moved data once more in writing and, meanwhile,
 * in space. A file that was never synced, or a disk without that space, gets its data moved in place:
 * from the end towards the start, since nothing ever moves to a lower address. */
#include "classic_int.h"
#include "mem.h"
#include <stdlib.h>

/* --- from one layout to another --------------------------------------------------------- */

/* Of the record variables: bytes [first, end) of the file, and how far they move if all do alike. */
struct records {
    uint64_t first, end, shift;
    bool together; /* they lie as they did, side by side, only elsewhere */
};

static struct records measure_records(const struct cel_dataset *ds, const struct cel_classic_old_var *from,
                                      uint64_t from_recsize)
{
    const struct classic *c = cel_classic_of(ds);
    struct records r = {.first = UINT64_MAX, .together = from_recsize == c->recsize};
    uint64_t before = c->numrecs ? (c->numrecs - 1) * c->recsize : 0;

    for (size_t i = 0; i < ds->root->vars.n; i++) {
        const struct cel_classic_var *p = priv_of(ds->root->vars.at[i]);

        if (!p->is_record)
            continue;
        r.together &= from[i].existed && (!r.end || p->begin - from[i].begin == r.shift);
        r.shift = p->begin - from[i].begin;
        r.first = from[i].begin < r.first ? from[i].begin : r.first;
        r.end = from[i].begin + before + p->len > r.end ? from[i].begin + before + p->len : r.end;
    }
    r.together &= r.end && r.end - r.first <= before + c->recsize + 3;
    return r;
}

static int move_all_records(struct classic *c, const struct records *r)
{
    int rc = c->numrecs && r->shift ? cel_classic_io_grow(&c->io, r->end) : CEL_OK;

    return c->numrecs && rc == CEL_OK ? cel_classic_io_move(&c->io, r->first, r->first + r->shift, r->end - r->first)
                                      : rc;
}

/* A record is moved with its padding, also where a single record variable has none: what
 * follows it then comes along, as with netCDF-C, and is covered by the next record. */
static int move_each_record(struct cel_dataset *ds, const struct cel_classic_old_var *from, uint64_t from_recsize)
{
    struct classic *c = cel_classic_of(ds);
    int rc = CEL_OK;

    for (uint64_t record = c->numrecs; rc == CEL_OK && record-- > 0;)
        for (size_t i = ds->root->vars.n; rc == CEL_OK && i-- > 0;) {
            const struct cel_classic_var *p = priv_of(ds->root->vars.at[i]);
            uint64_t source = from[i].begin + record * from_recsize, to = p->begin + record * c->recsize;

            if (!from[i].existed || !p->is_record || source == to)
                continue;
            rc = cel_classic_io_grow(&c->io, source + p->len);
            if (rc == CEL_OK)
                rc = cel_classic_io_move(&c->io, source, to, p->len);
        }
    return rc;
}

/* To where the variables lie now, from the end towards the start. */
static int move_data(struct cel_dataset *ds, const struct cel_classic_old_var *from, uint64_t from_recsize)
{
    struct classic *c = cel_classic_of(ds);
    struct records records = measure_records(ds, from, from_recsize);
    int rc = records.together ? move_all_records(c, &records) : move_each_record(ds, from, from_recsize);

    for (size_t i = ds->root->vars.n; rc == CEL_OK && i-- > 0;) {
        const struct cel_classic_var *p = priv_of(ds->root->vars.at[i]);

        if (from[i].existed && !p->is_record)
            rc = cel_classic_io_move(&c->io, from[i].begin, p->begin, p->len);
    }
    return rc == CEL_OK ? cel_classic_io_flush(&c->io) : rc;
}

/* --- by way of the end ------------------------------------------------------------------- */

static bool moves(const struct cel_dataset *ds, const struct cel_classic_before *before, size_t i)
{
    const struct classic *c = cel_classic_of(ds);
    const struct cel_classic_var *p = priv_of(ds->root->vars.at[i]);
    bool holds_data = before->var[i].existed && p->len && (!p->is_record || c->numrecs);

    return holds_data && (p->begin != before->var[i].begin || (p->is_record && before->recsize != c->recsize));
}

static uint64_t first_to_move(const struct cel_dataset *ds, const struct cel_classic_before *before)
{
    uint64_t first = UINT64_MAX;

    for (size_t i = 0; i < ds->root->vars.n; i++) {
        const struct cel_classic_var *p = priv_of(ds->root->vars.at[i]);

        if (p->begin < first && moves(ds, before, i))
            first = p->begin;
    }
    return first;
}

/* The end of a variable's data, all records included. */
static uint64_t end_of_var(const struct classic *c, const struct cel_classic_var *p)
{
    if (!p->is_record)
        return p->begin + p->len;
    return c->numrecs ? p->begin + (c->numrecs - 1) * c->recsize + p->len : p->begin;
}

/* What begins at `from` or later is first written `shift` bytes beyond its final offset. */
struct two_step_move {
    uint64_t from, shift;
};

/* False: this kind of file cannot point that far. */
static bool plan_two_steps(const struct cel_dataset *ds, const struct cel_classic_before *before, uint64_t first,
                           struct two_step_move *out)
{
    const struct classic *c = cel_classic_of(ds);
    uint64_t end = c->io.size, most = c->kind == 1 ? (uint64_t)INT32_MAX : (uint64_t)INT64_MAX / 4, last = 0;

    for (size_t i = 0; i < ds->root->vars.n; i++) {
        const struct cel_classic_var *p = priv_of(ds->root->vars.at[i]);

        end = before->var[i].existed && end_of_var(c, p) > end ? end_of_var(c, p) : end;
        last = p->begin > last ? p->begin : last;
    }
    end = (end + 3) / 4 * 4;
    *out = (struct two_step_move){first, end - first};
    return end < (uint64_t)INT64_MAX / 4 && last + out->shift <= most;
}

static void shift_begins(struct cel_dataset *ds, uint64_t from, uint64_t shift)
{
    struct classic *c = cel_classic_of(ds);

    for (size_t i = 0; i < ds->root->vars.n; i++) {
        struct cel_classic_var *p = priv_of(ds->root->vars.at[i]);

        p->begin += p->begin >= from ? shift : 0;
    }
    c->begin_var += c->begin_var >= from ? shift : 0;
    c->begin_rec += c->begin_rec >= from ? shift : 0;
}

static void shift_beyond_end(struct cel_dataset *ds, const struct two_step_move *by)
{
    shift_begins(ds, by->from, by->shift);
}

static void shift_back(struct cel_dataset *ds, const struct two_step_move *by)
{
    shift_begins(ds, by->from + by->shift, -by->shift);
}

/* Space for all that moves, so that a full disk is met before anything is overwritten. */
static int reserve(struct cel_dataset *ds, const struct cel_classic_before *before)
{
    struct classic *c = cel_classic_of(ds);
    uint64_t size = c->io.size;
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < ds->root->vars.n; i++) {
        const struct cel_classic_var *p = priv_of(ds->root->vars.at[i]);

        if (moves(ds, before, i) && end_of_var(c, p) > c->io.size)
            rc = cel_classic_io_reserve(&c->io, p->begin, end_of_var(c, p));
    }
    if (rc != CEL_OK)
        cel_classic_io_truncate(&c->io, size);
    return rc;
}

/* To the final offsets. A failure leaves the file as it is: valid, and longer than need be. */
static int move_back(struct cel_dataset *ds, const struct cel_classic_before *before, const struct two_step_move *by)
{
    struct classic *c = cel_classic_of(ds);
    struct cel_classic_old_var *from = cel_calloc(ds->root->vars.n, sizeof *from);
    int rc;

    if (!from)
        return NC_ENOMEM;
    for (size_t i = 0; i < ds->root->vars.n; i++)
        from[i] = (struct cel_classic_old_var){before->var[i].existed, priv_of(ds->root->vars.at[i])->begin};
    shift_back(ds, by);
    rc = move_data(ds, from, c->recsize);
    if (rc == CEL_OK)
        rc = cel_classic_header_write(ds);
    if (rc != CEL_OK)
        shift_beyond_end(ds, by);
    free(from);
    return rc;
}

/* The data lies beyond the end: it moves to its final offsets, and the file is cut to its length. */
static void move_back_and_cut(struct cel_dataset *ds, const struct cel_classic_before *before,
                              const struct two_step_move *by, uint64_t size)
{
    struct classic *c = cel_classic_of(ds);
    int rc = move_back(ds, before, by);

    for (size_t i = 0; i < ds->root->vars.n; i++) {
        uint64_t end = end_of_var(c, priv_of(ds->root->vars.at[i]));

        size = before->var[i].existed && end > size ? end : size;
    }
    if (rc == CEL_OK)
        rc = cel_classic_io_truncate(&c->io, size);
    if (rc != CEL_OK)
        cel_warn("the file is longer than it need be: %s", cel_error_text());
    cel_error_clear();
}

static void cut_after_failure(struct cel_classic_io *io, uint64_t size)
{
    struct cel_status why;

    cel_status_save(&why);
    cel_classic_io_truncate(io, size); /* or it stays longer than it need be */
    cel_status_restore(&why);
}

/* The old layout is untouched until the header is written. */
static int move_in_two_steps(struct cel_dataset *ds, const struct cel_classic_before *before,
                             const struct two_step_move *by, uint64_t size)
{
    int rc = move_data(ds, before->var, before->recsize);

    if (rc == CEL_OK)
        rc = cel_classic_header_write(ds);
    if (rc == CEL_OK)
        move_back_and_cut(ds, before, by, size);
    else
        cut_after_failure(&cel_classic_of(ds)->io, size);
    return rc;
}

/* --- in place ------------------------------------------------------------------------------- */

static int move_in_place(struct cel_dataset *ds, const struct cel_classic_before *before)
{
    int rc = reserve(ds, before);

    if (rc != CEL_OK)
        return rc;
    rc = move_data(ds, before->var, before->recsize);
    if (rc == CEL_OK)
        rc = cel_classic_header_write(ds);
    return rc == CEL_OK ? rc : cel_fail_in(rc, "the data was being moved and is no longer whole");
}

int cel_classic_relocate(struct cel_dataset *ds, const struct cel_classic_before *before)
{
    struct classic *c = cel_classic_of(ds);
    uint64_t first = first_to_move(ds, before), size = c->io.size;
    struct two_step_move by;

    if (first == UINT64_MAX)
        return cel_classic_header_write(ds);
    if (c->acknowledged && !c->io.in_memory && plan_two_steps(ds, before, first, &by)) {
        shift_beyond_end(ds, &by);
        if (reserve(ds, before) == CEL_OK)
            return move_in_two_steps(ds, before, &by, size);
        shift_back(ds, &by);
    }
    if (c->acknowledged && !c->io.in_memory)
        cel_warn("the data is moved in place, for want of space: it is lost if the process ends meanwhile");
    cel_error_clear();
    return move_in_place(ds, before);
}
