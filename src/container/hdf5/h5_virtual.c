/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual datasets: made of elements of other datasets, in this file or in others (h5_outside.c). Here: which datasets
 * those are, and how long they make the virtual one. h5_virtual_read.c reads from them.
 *
 * Where a selection has no end, what the sources have today decides how long it is, as in libhdf5's default view: the
 * longest counts. A source that is there and cannot be read is an error, where libhdf5 gives the fill value. */
#include "env.h"
#include "h5_virtual.h"
#include <stdlib.h>

enum { DEPTH_MAX = 8, NUMBERED_MAX = 4096, ALL_NUMBERED_MAX = 1 << 16 };
/* Virtual parts have virtual parts: what a call looks at of these, in all. Each entry of their lists is one look, and each dataset
 * that is opened for them as many as that takes about. */
enum { LOOKS_MAX = 1 << 23, LOOKS_OF_DATASET = 64 };

/* --- sources ------------------------------------------------------------------------------------ */

static void dispose_source(struct cel_h5_part *s)
{
    cel_h5_own_free(s->own);
    cel_h5_outside_free(s->outside);
    free(s->file);
    free(s->dataset);
    *s = (struct cel_h5_part){0};
}

/* The same but for the order of its bytes. */
static bool is_same_number(const struct cel_h5r_datatype *a, const struct cel_h5r_datatype *b)
{
    return a->klass == b->klass && (a->klass == CEL_H5R_INTEGER || a->klass == CEL_H5R_FLOAT) && a->size == b->size &&
           a->is_signed == b->is_signed && memcmp(&a->bits, &b->bits, sizeof a->bits) == 0;
}

/* Those that memory has. NULL: another. */
static const struct cel_type *number_of(const struct cel_h5r_datatype *t)
{
    static const nc_type numbers[] = {NC_BYTE, NC_UBYTE, NC_SHORT,  NC_USHORT, NC_INT,
                                      NC_UINT, NC_INT64, NC_UINT64, NC_FLOAT,  NC_DOUBLE};
    bool swap;

    if (t->klass != CEL_H5R_INTEGER && t->klass != CEL_H5R_FLOAT)
        return NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct cel_type *type = cel_type_atomic(numbers[i]);
        bool real = numbers[i] == NC_FLOAT || numbers[i] == NC_DOUBLE,
             is_signed = numbers[i] <= NC_INT || numbers[i] == NC_INT64;

        if (real == (t->klass == CEL_H5R_FLOAT) && (real || is_signed == t->is_signed) && t->size == type->size &&
            cel_h5r_is_native(t, type, &swap))
            return type;
    }
    return NULL;
}

static int take_source(const struct cel_h5_virtual *v, struct cel_h5r_dataset *d, const struct cel_h5_where *where,
                       struct cel_h5_part *s)
{
    struct cel_chain chain = d->chain;
    bool fits = cel_h5r_datatype_equal(d->form, v->dataset->form) || is_same_number(d->form, v->dataset->form);
    int rc;

    s->number = !fits && number_of(v->dataset->form) ? number_of(d->form) : NULL;
    fits = fits || s->number;
    d->chain = (struct cel_chain){0};
    rc = fits && !d->null_space ? cel_h5_own_make(where, d, &chain, &s->own) : CEL_ASK_LIBHDF5;
    cel_chain_dispose(&chain);
    return rc;
}

static int count_looks(const struct cel_h5_virtual *v, uint64_t n)
{
    uint64_t *looked = v->where.looked;

    if (looked)
        *looked += n;
    return !looked || *looked <= LOOKS_MAX
               ? CEL_OK
               : cel_fail(NC_EHDFERR, "virtual datasets lead to one another, and to more parts than are followed");
}

/* CEL_ABSENT: there is no such dataset. */
static int find_source(struct cel_h5_virtual *v, struct cel_h5_part *s)
{
    struct cel_h5_where where = {v->where.read, v->where.io, v->where.depth + 1,
                                 v->where.looked ? v->where.looked : &v->looked};
    struct cel_h5r_reader *reader = v->reader;
    struct cel_h5r_dataset d;
    struct cel_h5r_link found;
    int rc;

    if (s->outside) {
        where.read = &s->outside->read;
        where.io = s->outside->io;
        reader = s->outside->reader;
    }
    rc = cel_h5r_find(reader, s->dataset, &found);
    if (rc == CEL_OK)
        rc = found.file ? CEL_ASK_LIBHDF5 : cel_h5r_dataset_read(reader, found.addr, &d);
    cel_h5r_link_dispose(&found);
    if (rc != CEL_OK)
        return rc;
    rc = take_source(v, &d, &where, s);
    cel_h5r_dataset_dispose(&d);
    return rc;
}

static int open_source(struct cel_h5_virtual *v, struct cel_h5_part *s)
{
    int rc = count_looks(v, LOOKS_OF_DATASET);

    s->file = cel_strdup(v->file.data);
    s->dataset = cel_strdup(v->name.data);
    if (!s->file || !s->dataset)
        rc = NC_ENOMEM;
    if (rc == CEL_OK && strcmp(s->file, ".") != 0)
        rc = cel_h5_outside_open(v->where.io, s->file, &s->outside);
    if (rc == CEL_OK)
        rc = find_source(v, s);
    if (rc < 0 && rc != NC_ENOMEM)
        cel_fail_in(rc, "its part %s of %s", s->dataset, s->file);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

int cel_h5_virtual_part(struct cel_h5_virtual *v, const struct cel_h5r_mapping *m, uint64_t number,
                        struct cel_h5_part **out)
{
    struct cel_h5_part *oldest = v->part;
    int rc = cel_h5r_numbered_name(m->file, number, &v->file);

    if (rc == CEL_OK)
        rc = cel_h5r_numbered_name(m->dataset, number, &v->name);
    if (rc != CEL_OK)
        return rc;
    for (int i = 0; i < CEL_H5_PARTS; i++) {
        *out = &v->part[i];
        (*out)->used = (*out)->file ? (*out)->used : 0;
        if ((*out)->file && strcmp((*out)->file, v->file.data) == 0 && strcmp((*out)->dataset, v->name.data) == 0) {
            (*out)->used = ++v->used;
            return CEL_OK;
        }
        if ((*out)->used < oldest->used)
            oldest = *out;
    }
    dispose_source(oldest);
    rc = open_source(v, oldest);
    if (rc != CEL_OK)
        dispose_source(oldest);
    oldest->used = ++v->used;
    *out = oldest;
    return rc;
}

/* --- its shape ------------------------------------------------------------------------------------- */

bool cel_h5_is_numbered(const struct cel_h5r_mapping *m)
{
    return cel_h5r_is_numbered(m->file) || cel_h5r_is_numbered(m->dataset);
}

/* One source for each block, up to the first that is not there. */
static int count_numbered(struct cel_h5_virtual *v, const struct cel_h5r_mapping *m, uint64_t *have)
{
    uint64_t n = 0;
    struct cel_h5_part *s;
    int rc = cel_h5_virtual_part(v, m, n, &s);

    for (; rc == CEL_OK && s->own; rc = cel_h5_virtual_part(v, m, n, &s))
        if (++n > NUMBERED_MAX || ++v->numbered > ALL_NUMBERED_MAX)
            return CEL_ASK_LIBHDF5;
    *have = n * m->to.axis[m->to.endless].block;
    return rc;
}

static int count_endless(struct cel_h5_virtual *v, const struct cel_h5r_mapping *m, uint64_t *have)
{
    struct cel_h5_part *s;
    int rc = cel_h5_virtual_part(v, m, 0, &s);

    *have = 0;
    if (rc != CEL_OK || !s->own)
        return rc;
    if (cel_h5_own_dataset(s->own)->rank != m->from.rank)
        return cel_fail(NC_EHDFERR, "its part %s of %s has another number of dimensions", m->dataset, m->file);
    *have = cel_h5r_axis_within(&m->from.axis[m->from.endless], cel_h5_own_dims(s->own)[m->from.endless]);
    return CEL_OK;
}

/* How long each dimension must be for all mappings; endless: of those that grow, which longest counts. */
struct lengths {
    uint64_t fixed[CEL_RANK_MAX], grown[CEL_RANK_MAX];
    bool grows[CEL_RANK_MAX];
};

static uint64_t end_of(const struct cel_h5r_selection *to, int dim, uint64_t have)
{
    const struct cel_h5r_axis *axis = &to->axis[dim];

    if (to->kind == CEL_H5R_SELECT_BOXES)
        return cel_h5r_boxes_end(&to->boxes, dim);
    return cel_h5r_axis_end(axis, dim == to->endless ? have : cel_h5r_axis_length(axis));
}

static int measure(struct cel_h5_virtual *v, size_t nth, struct lengths *l)
{
    const struct cel_h5r_mapping *m = &v->list.at[nth];
    int u = m->to.endless, rc = CEL_OK;

    if (!m->to.axis)
        return CEL_OK;
    if (m->to.rank != v->dataset->rank)
        return cel_fail(NC_EHDFERR, "its list of parts is damaged: a part has another number of dimensions");
    if (u >= 0)
        rc = cel_h5_is_numbered(m) ? count_numbered(v, m, &v->have[nth]) : count_endless(v, m, &v->have[nth]);
    for (int i = 0; rc == CEL_OK && i < m->to.rank; i++) {
        uint64_t end = end_of(&m->to, i, v->have[nth]), *most = i == u ? &l->grown[i] : &l->fixed[i];

        l->grows[i] = l->grows[i] || i == u;
        *most = end > *most ? end : *most;
    }
    return rc;
}

static int find_dims(struct cel_h5_virtual *v)
{
    const struct cel_h5r_dataset *d = v->dataset;
    struct lengths l = {0};
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < v->list.n; i++)
        rc = measure(v, i, &l);
    for (int i = 0; rc == CEL_OK && i < d->rank; i++) {
        v->dims[i] = d->dims[i];
        if (l.grows[i])
            v->dims[i] = l.grown[i] > l.fixed[i] ? l.grown[i] : l.fixed[i];
        if (v->dims[i] > d->maxdims[i])
            rc = cel_fail(NC_EHDFERR, "its parts are longer than it may become");
    }
    return rc;
}

/* --- its life ---------------------------------------------------------------------------------------- */

/* Nothing leads to other files when they are not trusted. */
static int check_files(struct cel_h5_virtual *v)
{
    size_t i;

    for (i = 0; i < v->list.n && strcmp(v->list.at[i].file, ".") == 0; i++)
        ;
    if (i == v->list.n)
        return CEL_OK;
    if (cel_env_untrusted())
        return cel_fail(NC_EHDFERR,
                        "a part of it lies in another file, %s, and files that are not trusted are read without it",
                        v->list.at[i].file);
    return cel_h5_outside_prepare(v->where.io);
}

int cel_h5_virtual_make(const struct cel_h5_where *where, struct cel_h5r_reader *reader,
                        const struct cel_h5r_dataset *d, struct cel_h5_virtual **out)
{
    struct cel_h5_virtual *v;
    int rc;

    *out = NULL;
    if (where->depth > DEPTH_MAX)
        return cel_fail(NC_EHDFERR, "virtual datasets lead to one another in a circle, or to more than %d", DEPTH_MAX);
    if (where->depth > 0 && cel_env_untrusted())
        return cel_fail(NC_EHDFERR, "it is virtual itself, and files that are not trusted are read without it");
    v = *out = cel_calloc(1, sizeof *v);
    if (!v)
        return NC_ENOMEM;
    *v = (struct cel_h5_virtual){.where = *where, .reader = reader, .dataset = d};
    v->file = v->name = CEL_BUF_INIT(SIZE_MAX / 2);
    rc = d->rank > 0 ? cel_h5r_mappings_read(reader, &d->layout, &v->list) : CEL_ASK_LIBHDF5;
    if (rc == CEL_OK)
        rc = count_looks(v, v->list.n);
    if (rc == CEL_OK)
        rc = check_files(v);
    if (rc == CEL_OK && !(v->have = cel_calloc(v->list.n, sizeof *v->have)))
        rc = NC_ENOMEM;
    return rc == CEL_OK ? find_dims(v) : rc;
}

void cel_h5_virtual_free(struct cel_h5_virtual *v)
{
    if (!v)
        return;
    for (int i = 0; i < CEL_H5_PARTS; i++)
        dispose_source(&v->part[i]);
    cel_h5r_mappings_dispose(&v->list);
    cel_buf_dispose(&v->file);
    cel_buf_dispose(&v->name);
    free(v->have);
    free(v);
}

const uint64_t *cel_h5_virtual_dims(const struct cel_h5_virtual *v)
{
    return v->dims;
}

int cel_h5_virtual_shape(const struct cel_h5_where *where, struct cel_h5r_reader *reader, uint64_t addr,
                         struct cel_h5r_object *out)
{
    struct cel_h5_virtual *v = NULL;
    struct cel_h5r_dataset d;
    int rc = cel_h5r_dataset_read(reader, addr, &d);

    if (rc != CEL_OK)
        return rc;
    rc = cel_h5_virtual_make(where, reader, &d, &v);
    if (rc == CEL_OK)
        memcpy(out->dims, v->dims, sizeof out->dims);
    cel_h5_virtual_free(v);
    cel_h5r_dataset_dispose(&d);
    return rc;
}
