/* SPDX-License-Identifier: BSD-3-Clause */
/* Values from a damaged file: many chunks at a time, where that fails chunk by chunk, and where chunks have no filters the part
 * of them that is there. What is lost is not written, and so has the fill value. */

#include "salvage.h"
#include "cellar.h"
#include "look.h"
#include "msg.h"
#include "progress.h"
#include "protect.h"
#include "slab.h"
#include <stdlib.h>
#include <string.h>

enum { EACH_MAX = 1 << 20 }; /* chunks that are not there, of which each is listed as lost, or filled */

struct reading {
    struct salvage *s;
    struct copy_var *v;
    char *values;
    bool failed; /* to write */
};

/* --- what is lost ---------------------------------------------------------------------------- */

static struct salvage_lost *lose(struct salvage *s, const char *path, const char *why)
{
    s->lost = tool_push(s->lost, s->nlost, sizeof *s->lost);
    s->lost[s->nlost] = (struct salvage_lost){.path = tool_strdup(path), .ndims = -1, .why = tool_strdup(why)};
    return &s->lost[s->nlost++];
}

void salvage_lose(struct salvage *s, const char *path, const char *why)
{
    lose(s, path, why);
}

static size_t volume(int ndims, const size_t *count)
{
    size_t n = 1;

    for (int d = 0; d < ndims; d++)
        n *= count[d];
    return n;
}

static size_t *copy_sizes(const size_t *from, int n)
{
    size_t *to = tool_alloc((size_t)n + 1, sizeof *to);

    memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

/* A box that goes on where the last one ended is the same loss. */
static bool joins(struct salvage_lost *last, const struct copy_var *v, const size_t *start, const size_t *count)
{
    int at = -1;

    if (!last || last->ndims != v->ndims || strcmp(last->path, v->path) != 0)
        return false;
    for (int d = 0; d < v->ndims; d++) {
        if (last->start[d] == start[d] && last->count[d] == count[d])
            continue;
        if (at >= 0 || last->start[d] + last->count[d] != start[d])
            return false;
        at = d;
    }
    if (at >= 0)
        last->count[at] += count[at];
    return at >= 0;
}

/* The library names the chunk, as we do the values. */
static const char *without_chunk(const char *why)
{
    const char *end = strncmp(why, "chunk (", 7) == 0 ? strstr(why, "): ") : NULL;

    return end ? end + 3 : why;
}

static void lose_box(struct reading *r, const size_t *start, const size_t *count, const char *why)
{
    struct salvage *s = r->s;
    struct salvage_lost *last = s->nlost ? &s->lost[s->nlost - 1] : NULL;

    s->lost_values += volume(r->v->ndims, count);
    if (!*r->v->in_chain && joins(last, r->v, start, count))
        return;
    last = lose(s, r->v->path, without_chunk(why));
    last->ndims = r->v->ndims;
    last->start = copy_sizes(start, r->v->ndims);
    last->count = copy_sizes(count, r->v->ndims);
}

/* --- one box --------------------------------------------------------------------------------------- */

static void write_box(struct reading *r, const size_t *start, const size_t *count)
{
    int status = nc_put_vara(r->v->out_group, r->v->out_id, start, count, r->values);

    type_release(r->v->type, r->values, volume(r->v->ndims, count));
    if (status)
        msg_nc(status, "%s: variable %s", r->s->copy.req->out, r->v->path);
    r->failed = r->failed || status;
}

static int read_box(struct reading *r, const size_t *start, const size_t *count)
{
    int status = nc_get_vara(r->v->group, r->v->id, start, count, r->values);

    if (status == NC_NOERR)
        write_box(r, start, count);
    return status;
}

/* Without filters each value can be had alone. Values that lie behind one that is beyond the end of the file are so too: what
 * cannot be read from its first value on is lost, all else is halved. */
static void read_parts(struct reading *r, const size_t *start, const size_t *count)
{
    size_t first[NC_MAX_VAR_DIMS], second[NC_MAX_VAR_DIMS], from[NC_MAX_VAR_DIMS];
    int d = 0, ndims = r->v->ndims, status = read_box(r, start, count);

    if (status == NC_NOERR || r->failed)
        return;
    while (d < ndims && count[d] < 2)
        d++;
    for (int i = 0; i < ndims; i++)
        first[i] = 1;
    if (d == ndims || (status = nc_get_vara(r->v->group, r->v->id, start, first, r->values)) != NC_NOERR) {
        char *why = msg_reason(status);

        lose_box(r, start, count, why);
        free(why);
        return;
    }
    type_release(r->v->type, r->values, 1);
    for (int i = 0; i < ndims; i++) {
        first[i] = i == d ? count[i] / 2 : count[i];
        second[i] = count[i] - (i == d ? first[i] : 0);
        from[i] = start[i] + (i == d ? first[i] : 0);
    }
    read_parts(r, start, first);
    read_parts(r, from, second);
}

/* --- one chunk ---------------------------------------------------------------------------------------- */

/* A chunk of full lengths, of which the array has `count`. */
static void cut_chunk(struct reading *r, const char *chunk, const size_t *count)
{
    size_t at[NC_MAX_VAR_DIMS] = {0}, size = r->v->type->size, row = count[r->v->ndims - 1] * size, done = 0;
    int last = r->v->ndims - 1, d;

    do {
        size_t offset = 0;

        for (d = 0; d <= last; d++)
            offset = offset * r->v->in_chunk[d] + at[d];
        memcpy(r->values + done, chunk + offset * size, row);
        done += row;
        for (d = last - 1; d >= 0 && ++at[d] == count[d]; d--)
            at[d] = 0;
    } while (d >= 0);
}

static bool find_elsewhere(struct reading *r, const size_t *start, const size_t *count)
{
    size_t index[NC_MAX_VAR_DIMS];
    char *chunk;

    for (int d = 0; d < r->v->ndims; d++)
        index[d] = start[d] / r->v->in_chunk[d];
    chunk = salvage_find_chunk(r->s, r->v, index);
    if (!chunk)
        return false;
    cut_chunk(r, chunk, count);
    free(chunk);
    write_box(r, start, count);
    return true;
}

/* In an archive that ends early what is not there may have been. */
static bool may_be_cut_off(const struct reading *r, const size_t *start)
{
    size_t index[NC_MAX_VAR_DIMS] = {0};
    unsigned long long size = 1;

    if (!r->s->mend.cut || !r->v->was_chunked)
        return false;
    for (int d = 0; d < r->v->ndims; d++)
        index[d] = start[d] / r->v->in_chunk[d];
    return cellar_inq_chunk(r->v->group, r->v->id, index, NULL, &size, NULL, NULL) == NC_NOERR && size == 0;
}

static void read_chunk(struct reading *r, const size_t *start, const size_t *count)
{
    int status;
    char *why;

    if (may_be_cut_off(r, start)) {
        lose_box(r, start, count, "it is not in what is left of the archive");
        return;
    }
    status = read_box(r, start, count);
    if (status == NC_NOERR || r->failed)
        return;
    why = msg_reason(status);
    if (!*r->v->in_chain)
        read_parts(r, start, count);
    else if (!find_elsewhere(r, start, count))
        lose_box(r, start, count, why);
    free(why);
}

/* --- a variable ------------------------------------------------------------------------------------------ */

static void read_chunks(struct reading *r, const struct slab *block)
{
    struct slab part = {.ndims = r->v->ndims};
    size_t start[NC_MAX_VAR_DIMS] = {0};

    if (!r->v->was_chunked) {
        read_parts(r, block->start, block->count);
        return;
    }
    slab_start_boxes(&part, r->v->ndims, block->count, r->v->in_chunk);
    while (!r->failed && slab_next(&part)) {
        for (int d = 0; d < r->v->ndims; d++)
            start[d] = block->start[d] + part.start[d];
        read_chunk(r, start, part.count);
    }
}

/* Blocks are whole chunks of the input; chunks of more than 4 GiB do not exist. */
static bool chunk_is_sound(const struct copy_var *v, size_t *box)
{
    size_t n = v->type->size;

    for (int d = 0; d < v->ndims; d++)
        if (v->was_chunked && (!v->in_chunk[d] || __builtin_mul_overflow(n, v->in_chunk[d], &n) || n >> 32))
            return false;
    memcpy(box, v->in_chunk, (size_t)v->ndims * sizeof *box);
    return true;
}

static void choose_box(const struct salvage *s, const struct copy_var *v, size_t *box)
{
    size_t n = v->type->size, most = s->copy.req->buffer;

    for (int d = 0; d < v->ndims; d++) {
        box[d] = v->was_chunked ? v->in_chunk[d] : 1;
        n *= box[d];
    }
    for (int d = v->ndims; d-- > 0 && n <= most;) {
        size_t times = most / n, need = (v->shape[d] + box[d] - 1) / box[d];

        times = times < need ? times : need;
        n *= times ? times : 1;
        box[d] *= times ? times : 1;
        if (times < need)
            break;
    }
}

static void read_block(struct reading *r, struct slab *block)
{
    if (r->s->mend.cut || read_box(r, block->start, block->count) != NC_NOERR)
        read_chunks(r, block);
    progress_add(block->n * r->v->type->size, r->v->path);
}

/* Chunks that were never written have the fill value in both files. In an archive that ends early they are lost. */
static void read_stored(struct reading *r, struct slab *block, struct look_pieces *p)
{
    size_t start[NC_MAX_VAR_DIMS], count[NC_MAX_VAR_DIMS];

    while (!r->failed && p->more) {
        look_piece_box(p, start, count);
        slab_seek(block, start);
        read_block(r, block);
        for (bool inside = true; p->more && inside;) {
            look_pieces_next(p);
            if (p->more)
                look_piece_box(p, start, count);
            inside = slab_has(block, start);
        }
    }
}

static size_t count_stored(const struct look_var *v, size_t *missing)
{
    struct look_pieces p;
    size_t n = 0;

    for (look_pieces_start(&p, v); p.more; look_pieces_next(&p))
        n++;
    *missing = p.total - n;
    look_pieces_end(&p);
    return n;
}

/* Without a fill value, what was never written may be anything. */
static bool has_fill(const struct copy_var *v)
{
    int off = 0;

    return nc_inq_var_fill(v->group, v->id, &off, NULL) == NC_NOERR && !off;
}

/* More chunks than can be written or listed were never written, or lie where it cannot be told. */
static void lose_rest(struct reading *r, size_t missing, const char *why)
{
    if (why)
        salvage_lose(r->s, r->v->path, why);
    else if (missing && r->s->mend.cut)
        salvage_lose(r->s, r->v->path, "more of it than can be listed is not in what is left of the archive");
    else if (missing && has_fill(r->v) && !copy_keeps_fill(r->v))
        salvage_lose(r->s, r->v->path, "what was never written has the fill value of the copy, which is another");
}

/* Blocks are runs of chunks; where few are stored, a block is one. */
static void read_var(struct reading *r, size_t *box)
{
    struct copy_var *v = r->v;
    const struct look_var chunks = {
        .group = v->group, .id = v->id, .ndims = v->ndims, .shape = v->shape, .piece = v->in_chunk};
    struct look_pieces p;
    struct slab block;
    size_t missing = 0, written = v->was_chunked ? count_stored(&chunks, &missing) : 0;

    if (v->was_chunked && look_is_sparse(written, missing))
        memcpy(box, v->in_chunk, (size_t)v->ndims * sizeof *box);
    else
        choose_box(r->s, v, box);
    r->values = tool_alloc(volume(v->ndims, box), v->type->size);
    slab_start_boxes(&block, v->ndims, v->shape, box);
    if (!v->was_chunked || (missing < EACH_MAX && (r->s->mend.cut || !copy_keeps_fill(v)))) {
        while (!r->failed && slab_next(&block))
            read_block(r, &block);
    } else {
        look_pieces_start(&p, &chunks);
        read_stored(r, &block, &p);
        lose_rest(r, missing, p.why);
        copy_reach_end(v, r->values); /* a last value that cannot be read is lost, as above */
        look_pieces_end(&p);
    }
    free(r->values);
}

static bool salvage_var(struct salvage *s, struct copy_var *v)
{
    struct reading r = {.s = s, .v = v};
    size_t box[NC_MAX_VAR_DIMS];

    if (!chunk_is_sound(v, box)) {
        salvage_lose(s, v->path, "its chunk lengths make no sense");
        return true;
    }
    s->values += v->nbytes / v->type->size;
    read_var(&r, box);
    return !r.failed;
}

static void list_unprotected(struct salvage *s, const struct copy_var *v)
{
    char *names = NULL;

    if (cellar_inq_var_chain(v->group, v->id, CELLAR_NAMES, &names) == NC_NOERR && names && !protect_by(names)) {
        s->unprotected = tool_push(s->unprotected, s->nunprotected, sizeof *s->unprotected);
        s->unprotected[s->nunprotected++] = tool_strdup(v->path);
    }
    cellar_free(names);
}

bool salvage_data(struct salvage *s)
{
    bool ok = true;

    for (size_t i = 0; ok && i < s->copy.nvars; i++) {
        struct copy_var *v = &s->copy.var[i];

        if (!v->with_data || !v->nbytes)
            continue;
        ok = salvage_var(s, v);
        list_unprotected(s, v);
    }
    return ok;
}

void salvage_forget(struct salvage *s)
{
    for (size_t i = 0; i < s->nlost; i++) {
        free(s->lost[i].path);
        free(s->lost[i].start);
        free(s->lost[i].count);
        free(s->lost[i].why);
    }
    free(s->lost);
    s->lost = NULL;
    s->nlost = 0;
}

void salvage_free(struct salvage *s)
{
    salvage_forget(s);
    for (size_t i = 0; i < s->nunprotected; i++)
        free(s->unprotected[i]);
    free(s->unprotected);
    copy_free(&s->copy);
    mend_close(&s->mend);
}
