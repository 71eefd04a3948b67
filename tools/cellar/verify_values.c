/* SPDX-License-Identifier: BSD-3-Clause */
/* Every chunk is decoded, many at a time; where that fails one by one. With a manifest the values are read, to be hashed; else
 * they go nowhere. */

#include "cellar.h"
#include "msg.h"
#include "progress.h"
#include "slab.h"
#include "verify.h"
#include "xxh64.h"
#include <stdlib.h>
#include <string.h>

#define PIECE_MAX ((size_t)4 << 30) /* bytes; HDF5 has no larger chunks */
#define CHECKED ((size_t)512 << 20) /* bytes of values between two looks at how far it is */

struct reading {
    struct verify_job *job;
    const struct look_var *v;
    char *values; /* NULL: nobody wants them */
};

static int read_box(const struct reading *r, const size_t *start, const size_t *count)
{
    return r->values ? nc_get_vara(r->v->group, r->v->id, start, count, r->values)
                     : cellar_check_vara(r->v->group, r->v->id, start, count);
}

static void release_values(const struct reading *r, size_t n)
{
    if (r->values)
        type_release(r->v->type, r->values, n);
}

/* --- hashes -------------------------------------------------------------------------------- */

static void hash_values(struct xxh64 *h, const struct type *t, const char *values, size_t n);

static void hash_one(struct xxh64 *h, const struct type *t, const char *value)
{
    nc_vlen_t list;
    const char *s;

    if (t->kind == NC_STRING) {
        memcpy(&s, value, sizeof s);
        xxh64_add(h, s ? s : "", s ? strlen(s) + 1 : 1);
    } else if (t->kind == NC_VLEN) {
        memcpy(&list, value, sizeof list);
        xxh64_add(h, &list.len, sizeof list.len);
        hash_values(h, t->base, list.p, list.len);
    } else {
        for (size_t i = 0; i < t->nfields; i++)
            hash_values(h, t->field[i].type, value + t->field[i].offset, t->field[i].count);
    }
}

/* Values are hashed in little-endian order on every machine. */
static void hash_numbers(struct xxh64 *h, const struct type *t, const char *values, size_t n)
{
    static const int one = 1;
    size_t size = t->kind == NC_ENUM ? t->base->size : t->kind == NC_OPAQUE ? 1 : t->size;
    char turned[8];

    if (*(const char *)&one || size == 1) {
        xxh64_add(h, values, n * t->size);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < size; k++)
            turned[k] = values[i * size + size - 1 - k];
        xxh64_add(h, turned, size);
    }
}

static void hash_values(struct xxh64 *h, const struct type *t, const char *values, size_t n)
{
    if (t->kind != NC_STRING && t->kind != NC_VLEN && t->kind != NC_COMPOUND) {
        hash_numbers(h, t, values, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        hash_one(h, t, values + i * t->size);
}

/* The part of the block that is one piece, row by row. */
static uint64_t hash_box(const struct reading *r, const struct slab *block, const size_t *start, const size_t *count)
{
    size_t at[NC_MAX_VAR_DIMS] = {0}, size = r->v->type->size;
    int last = r->v->ndims - 1;
    struct xxh64 h;

    xxh64_start(&h);
    for (bool more = true; more;) {
        size_t offset = 0;
        int d;

        for (d = 0; d <= last; d++)
            offset = offset * block->count[d] + (start[d] - block->start[d]) + at[d];
        hash_values(&h, r->v->type, r->values + offset * size, last < 0 ? 1 : count[last]);
        for (d = last - 1; d >= 0 && ++at[d] == count[d]; d--)
            at[d] = 0;
        more = d >= 0;
    }
    return xxh64_end(&h);
}

/* Of a file that the manifest does not know one line is enough. */
static void note_new(struct verify_job *job, const struct look_var *v, const size_t *index)
{
    if (manifest_has(job->manifest, job->look.path)) {
        verify_note(job, v, index, true, "the manifest has no such chunk");
        return;
    }
    verify_note(job, NULL, NULL, true,
                "%s has no file of this name: give files the names, with their directories, that they had when it was "
                "written",
                job->manifest->path);
    job->manifest = NULL;
}

static void note_hash(const struct reading *r, const size_t *index, uint64_t hash)
{
    struct text chunk = {0};
    enum manifest_answer answer;

    for (int d = 0; d < r->v->ndims; d++)
        text_printf(&chunk, "%s%zu", d ? "," : "", index[d]);
    answer = manifest_note(r->job->manifest, r->job->look.path, r->v->path, text_get(&chunk), hash);
    text_free(&chunk);
    if (answer == MANIFEST_DIFFERS)
        verify_note(r->job, r->v, index, false, "its values are not those of the manifest");
    if (answer == MANIFEST_NEW)
        note_new(r->job, r->v, index);
}

/* --- pieces of a block ----------------------------------------------------------------------- */

static void try_piece(const struct reading *r, const struct slab *block, const size_t *index, const size_t *start,
                      const size_t *count)
{
    size_t n = 1;
    int status;
    char *why;

    for (int d = 0; d < r->v->ndims; d++)
        n *= count[d];
    status = read_box(r, start, count);
    if (status == NC_NOERR) {
        struct slab piece = *block;

        memcpy(piece.start, start, (size_t)r->v->ndims * sizeof *start);
        memcpy(piece.count, count, (size_t)r->v->ndims * sizeof *count);
        if (r->job->manifest)
            note_hash(r, index, hash_box(r, &piece, start, count));
        release_values(r, n);
        return;
    }
    why = msg_reason(status);
    verify_note(r->job, r->v, index, verify_is_not_looked(r->job, status), "%s", why);
    free(why);
}

/* --- a variable ----------------------------------------------------------------------------------- */

/* One block, and each piece of it that is stored: p goes on to the first behind. */
static void read_block(struct reading *r, struct slab *block, struct look_pieces *p)
{
    const struct look_var *v = r->v;
    size_t start[NC_MAX_VAR_DIMS], count[NC_MAX_VAR_DIMS];
    int status = read_box(r, block->start, block->count);

    for (; p->more; look_pieces_next(p)) {
        look_piece_box(p, start, count);
        if (!slab_has(block, start))
            break;
        if (status)
            try_piece(r, block, p->index, start, count);
        else if (r->job->manifest)
            note_hash(r, p->index, hash_box(r, block, start, count));
    }
    if (status == NC_NOERR)
        release_values(r, block->n);
    r->job->out->bytes += block->n * v->type->size;
    progress_add(block->n * v->type->size, r->job->look.path);
}

/* Blocks are runs of whole pieces; those without any that is stored are left out. */
static void read_blocks(struct reading *r, struct slab *block)
{
    size_t start[NC_MAX_VAR_DIMS], count[NC_MAX_VAR_DIMS];
    struct look_pieces p;

    look_pieces_start(&p, r->v);
    while (p.more) {
        look_piece_box(&p, start, count);
        slab_seek(block, start);
        read_block(r, block, &p);
    }
    look_pieces_end(&p);
}

/* Where few pieces are stored, a block is one. */
static void start_blocks(const struct verify_job *job, const struct look_var *v, size_t most, struct slab *block)
{
    size_t *box = tool_alloc((size_t)v->ndims + 1, sizeof *box), written = job->extents.written[v - job->look.var];
    size_t missing = job->extents.missing[v - job->look.var];

    if (look_is_sparse(written, missing))
        slab_start_boxes(block, v->ndims, v->shape, v->piece);
    else
        slab_start_boxes(block, v->ndims, v->shape, look_box(v, most, box));
    free(box);
}

/* A piece that does not fit the memory limit is read and hashed part by part, into one hash. */
static void read_large_piece(struct reading *r, struct slab *block)
{
    size_t *index = tool_alloc((size_t)r->v->ndims + 1, sizeof *index);
    struct xxh64 h;
    int status = NC_NOERR;

    xxh64_start(&h);
    while (status == NC_NOERR && slab_next(block)) {
        status = read_box(r, block->start, block->count);
        if (status)
            break;
        if (r->job->manifest)
            hash_values(&h, r->v->type, r->values, block->n);
        release_values(r, block->n);
        r->job->out->bytes += block->n * r->v->type->size;
        progress_add(block->n * r->v->type->size, r->job->look.path);
    }
    if (status) {
        char *why = msg_reason(status);
        verify_note(r->job, r->v, index, verify_is_not_looked(r->job, status), "%s", why);
        free(why);
    } else if (r->job->manifest) {
        note_hash(r, index, xxh64_end(&h));
    }
    free(index);
}

static void read_var(struct verify_job *job, const struct look_var *v)
{
    struct reading r = {.job = job, .v = v};
    struct slab *block = tool_alloc(1, sizeof *block);
    size_t most = (job->manifest ? job->most : CHECKED) / v->type->size + 1, capacity = 1;
    bool one_piece = v->storage != NC_CHUNKED && look_piece_values(v) == v->nvalues && v->nvalues > most;

    if (one_piece)
        slab_start(block, v->ndims, v->shape, NULL, most);
    else
        start_blocks(job, v, most, block);
    for (int d = 0; d < v->ndims; d++)
        capacity *= block->step[d] < v->shape[d] ? block->step[d] : v->shape[d];
    if (capacity > PIECE_MAX / v->type->size) {
        verify_note(job, v, NULL, true, "%zu values of it are one chunk, which is more than memory can be asked for",
                    capacity);
    } else {
        r.values = job->manifest ? tool_alloc(capacity, v->type->size) : NULL;
        (one_piece ? read_large_piece : read_blocks)(&r, block);
        free(r.values);
    }
    free(block);
}

void verify_values(struct verify_job *job)
{
    for (size_t i = 0; i < job->look.nvars; i++)
        if (!job->look.var[i].reason && job->look.var[i].type)
            progress_grow(job->look.var[i].nbytes);
    for (size_t i = 0; i < job->look.nvars; i++) {
        const struct look_var *v = &job->look.var[i];

        if (!v->reason && v->type && v->nvalues)
            read_var(job, v);
    }
}
