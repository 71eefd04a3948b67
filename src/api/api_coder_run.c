/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar.h: many chunks through a coder, on all threads. */
#include "api_coder.h"
#include "file.h"
#include "mem.h"
#include "thread.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct request;
typedef int (*step_fn)(struct request *r, struct coder_worker *w, size_t at);

struct request {
    const cellar_coder *coder;
    struct coder_value *value; /* one for each chunk */
    size_t nvalues, before;    /* chunks of parts that are done */
    struct coder_unit *unit;
    size_t nunits;
    /* The step under way. */
    step_fn step;
    size_t nsteps, nhelpers;
    atomic_size_t next;
    struct cel_mutex lock; /* guards first */
    struct cel_first_failure first;
};

/* --- one step for all, on all threads ------------------------------------------------- */

struct helper {
    struct cel_task task;
    struct request *request;
};

/* Steps for one thread, in a row: half of its share of what is left, so that all threads end together. Neighbours lie
 * in the same large page of memory, and one that was never used is cleared twice where two threads meet in it. */
static bool claim(struct request *r, size_t *at, size_t *end)
{
    size_t share;

    *at = atomic_load(&r->next);
    do {
        if (*at >= r->nsteps)
            return false;
        share = (r->nsteps - *at) / (2 * r->nhelpers);
        *end = *at + (share ? share : 1);
    } while (!atomic_compare_exchange_weak(&r->next, at, *end));
    return true;
}

static void help(struct cel_task *task)
{
    struct request *r = ((struct helper *)(void *)task)->request;
    struct coder_worker w = {.stored = CEL_BUF_INIT(SIZE_MAX / 2), .decoded = CEL_BUF_INIT(SIZE_MAX / 2)};
    int rc = cel_scratch_make(&w.scratch);
    size_t at, end;

    while (claim(r, &at, &end)) {
        while (rc == CEL_OK && at < end && (rc = r->step(r, &w, at)) == CEL_OK)
            at++;
        if (rc != CEL_OK) {
            cel_lock(&r->lock);
            cel_first_failure_note_step(&r->first, at, rc);
            cel_unlock(&r->lock);
            atomic_store(&r->next, r->nsteps); /* the rest is of no use */
        }
    }
    cel_scratch_free(w.scratch);
    cel_buf_dispose(&w.stored);
    cel_buf_dispose(&w.decoded);
}

static int run(struct request *r, step_fn step, size_t nsteps)
{
    size_t n = (size_t)cel_pool_size() < nsteps ? (size_t)cel_pool_size() : nsteps;
    struct helper *helper = n ? cel_calloc(n, sizeof *helper) : NULL;
    struct cel_task_group group;

    if (n && !helper)
        return NC_ENOMEM;
    r->step = step;
    r->nsteps = nsteps;
    r->nhelpers = n;
    atomic_store(&r->next, 0);
    r->first.rc = CEL_OK;
    cel_task_group_open(&group, n < 2);
    for (size_t i = 0; i < n; i++) {
        helper[i] = (struct helper){.task.run = help, .request = r};
        cel_task_group_push(&group, &helper[i].task, false);
    }
    for (size_t i = 0; i < n; i++)
        cel_task_group_finish(&group, &helper[i].task);
    free(helper);
    return r->first.rc == CEL_OK ? CEL_OK : cel_first_failure_restore(&r->first);
}

static int fail_chunk(const struct request *r, const struct coder_value *value, int rc)
{
    if (value->chunk->path)
        return cel_fail_at(rc, CEL_IN_FILE, "%s", value->chunk->path);
    return cel_fail_at(rc, CEL_IN_CHUNK, "chunk %zu of the request", r->before + (size_t)(value - r->value));
}

/* --- values and units ------------------------------------------------------------------ */

/* Opens a shard that may be there, and reads its index. */
static int open_shard(struct request *r, struct coder_worker *w, size_t at)
{
    struct coder_value *value = &r->value[at];
    int rc = cel_coder_open(value);

    value->chunk->absent = rc == CEL_ABSENT;
    for (size_t i = 0; i < r->coder->nslots; i++)
        value->slot[i].offset = value->slot[i].nbytes = CODER_EMPTY;
    if (rc == CEL_OK)
        rc = cel_coder_load_index(r->coder, value, w);
    if (rc == CEL_ABSENT)
        return CEL_OK;
    return rc == CEL_OK ? rc : fail_chunk(r, value, rc);
}

static int check_box(const cellar_coder *coder, const cellar_chunk *c)
{
    for (int d = 0; d < coder->rank; d++) {
        size_t last = c->count[d] ? c->count[d] - 1 : 0, span;

        if (c->step[d] < 1 || c->start[d] >= coder->len[d] || !cel_mul(last, (size_t)c->step[d], &span) ||
            span >= coder->len[d] - c->start[d])
            return cel_fail(NC_EINVALCOORDS, "the box lies outside the chunk along dimension %d", d);
    }
    return CEL_OK;
}

static int add_values(struct request *r, size_t n, cellar_chunk *chunks)
{
    r->value = cel_calloc(n, sizeof *r->value);
    r->nvalues = r->value ? n : 0;
    if (n && !r->value)
        return NC_ENOMEM;
    for (size_t i = 0; i < n; i++)
        r->value[i] = (struct coder_value){.chunk = &chunks[i], .fd = -1};
    for (size_t i = 0; r->coder->sharded && i < n; i++) {
        r->value[i].slot = cel_calloc(r->coder->nslots, sizeof *r->value[i].slot);
        if (!r->value[i].slot)
            return NC_ENOMEM;
        atomic_init(&r->value[i].left, r->coder->nslots);
    }
    return CEL_OK;
}

static size_t slots_of(const struct request *r, const struct coder_value *value, bool absent_too)
{
    return r->coder->sharded && value->chunk->absent && !absent_too ? 0 : r->coder->nslots;
}

/* Decoding, every innermost chunk of a shard that the box touches; else every one. */
static int add_units(struct request *r, bool all)
{
    size_t n = 0;

    for (size_t i = 0; i < r->nvalues; i++)
        n += slots_of(r, &r->value[i], all);
    r->unit = cel_calloc(n, sizeof *r->unit);
    if (n && !r->unit)
        return NC_ENOMEM;
    for (size_t i = 0; i < r->nvalues; i++) {
        for (size_t slot = 0; slot < slots_of(r, &r->value[i], all); slot++) {
            struct coder_unit *unit = &r->unit[r->nunits];
            struct coder_box box;
            size_t rest = slot;

            unit->value = &r->value[i];
            unit->slot = slot;
            for (int d = r->coder->rank - 1; d >= 0; d--) {
                unit->inner_at[d] = rest % r->coder->per[d];
                rest /= r->coder->per[d];
            }
            r->nunits += all || !r->coder->sharded || cel_coder_box(r->coder, unit, &box);
        }
    }
    return CEL_OK;
}

static void close_value(const struct request *r, struct coder_value *value)
{
    cel_coder_close(value);
    for (size_t k = 0; value->slot && k < r->coder->nslots; k++)
        free(value->slot[k].fresh);
    free(value->slot);
    value->slot = NULL;
}

static void close_values(struct request *r)
{
    for (size_t i = 0; i < r->nvalues; i++)
        close_value(r, &r->value[i]);
    free(r->value);
    free(r->unit);
}

/* --- decoding ------------------------------------------------------------------------------ */

/* The stored bytes of an innermost chunk; CEL_ABSENT. A value that is no shard is open within this call alone: a
 * request may have more of them than a process may have open files. */
static int stored_bytes(const struct request *r, const struct coder_unit *unit, struct coder_worker *w,
                        const void **out, size_t *n)
{
    struct coder_value *value = unit->value;
    const struct coder_slot *slot = value->slot ? &value->slot[unit->slot] : NULL;
    uint64_t most = (uint64_t)cel_chain_bound(&r->coder->chain) * 2 + ((uint64_t)1 << 20);
    uint64_t size;
    int rc;

    if (slot && slot->offset == CODER_EMPTY && slot->nbytes == CODER_EMPTY)
        return CEL_ABSENT;
    rc = slot ? CEL_OK : cel_coder_open(value);
    size = slot ? slot->nbytes : value->size;
    *n = (size_t)size;
    if (rc == CEL_OK && size > most)
        rc = cel_fail(NC_EFILTER, "%llu bytes are more than the chunk can have", (unsigned long long)size);
    if (rc == CEL_OK)
        rc = cel_coder_read(value, slot ? slot->offset : 0, *n, w, out);
    if (!slot)
        cel_coder_close(value);
    return rc;
}

static int decode_to(const struct request *r, const struct coder_unit *unit, struct coder_worker *w, void *dst)
{
    const void *stored = NULL;
    size_t n = 0;
    int rc = stored_bytes(r, unit, w, &stored, &n);

    if (rc == CEL_OK)
        rc = cel_chain_plausible(&r->coder->chain, n, 0);
    return rc == CEL_OK ? cel_chain_decode(&r->coder->chain, w->scratch, stored, n, 0, dst) : rc;
}

/* Whether a value is there of which nothing is wanted. */
static int look(struct coder_value *value)
{
    int rc = cel_coder_open(value);

    cel_coder_close(value);
    return rc;
}

static int decode_box(const struct request *r, const struct coder_unit *unit, const struct coder_box *box,
                      struct coder_worker *w)
{
    int rc = box->whole ? CEL_OK : cel_buf_reserve(&w->decoded, r->coder->chain.shape.nbytes);

    if (rc == CEL_OK)
        rc = decode_to(r, unit, w, box->whole ? box->memory : w->decoded.data);
    if (rc == CEL_OK && !box->whole)
        cel_coder_box_read(r->coder, box, w->decoded.data);
    return rc;
}

static int decode_unit(struct request *r, struct coder_worker *w, size_t at)
{
    const struct coder_unit *unit = &r->unit[at];
    struct coder_box box;
    bool some = cel_coder_box(r->coder, unit, &box);
    int rc = some ? decode_box(r, unit, &box, w) : look(unit->value);

    if (!r->coder->sharded)
        unit->value->chunk->absent = rc == CEL_ABSENT;
    else if (rc == CEL_ABSENT)
        cel_coder_box_fill(r->coder, &box);
    return rc == CEL_OK || rc == CEL_ABSENT ? CEL_OK : fail_chunk(r, unit->value, rc);
}

static int begin(struct request *r, const cellar_coder *coder, size_t n, cellar_chunk *chunks)
{
    *r = (struct request){.coder = coder};
    cel_mutex_init(&r->lock);
    return add_values(r, n, chunks);
}

static int end(struct request *r, int rc)
{
    close_values(r);
    cel_mutex_dispose(&r->lock);
    return rc;
}

static int check(const cellar_coder *coder, size_t n, const cellar_chunk *chunks)
{
    cel_error_clear();
    if (!coder || (n && !chunks))
        return cel_fail(NC_EINVAL, "there is no coder, or no chunks");
    for (size_t i = 0; i < n; i++) {
        int rc = check_box(coder, &chunks[i]);

        if (rc != CEL_OK)
            return rc;
    }
    return CEL_OK;
}

enum { SHARDS_AT_ONCE = 64 }; /* each an open file */

/* Does the work on all chunks; on shards in parts. */
static int in_parts(const cellar_coder *coder, size_t n, cellar_chunk *chunks, int (*work)(struct request *))
{
    int rc = check(coder, n, chunks);

    for (size_t at = 0, part; rc == CEL_OK && at < n; at += part) {
        struct request r;

        part = coder->sharded && n - at > SHARDS_AT_ONCE ? SHARDS_AT_ONCE : n - at;
        rc = begin(&r, coder, part, chunks + at);
        r.before = at;
        if (rc == CEL_OK)
            rc = work(&r);
        rc = end(&r, rc);
    }
    return rc;
}

static int decode_part(struct request *r)
{
    int rc = r->coder->sharded ? run(r, open_shard, r->nvalues) : CEL_OK;

    if (rc == CEL_OK)
        rc = add_units(r, false);
    return rc == CEL_OK ? run(r, decode_unit, r->nunits) : rc;
}

int cellar_coder_decode(const cellar_coder *coder, size_t n, cellar_chunk *chunks)
{
    return in_parts(coder, n, chunks, decode_part);
}

/* --- encoding --------------------------------------------------------------------------------- */

/* What lies around the box. */
static int background(const struct request *r, const struct coder_unit *unit, struct coder_worker *w)
{
    const cellar_chunk *chunk = unit->value->chunk;
    bool is_new = !chunk->merge || (r->coder->sharded && chunk->absent);
    int rc = is_new ? CEL_ABSENT : decode_to(r, unit, w, w->decoded.data);

    if (rc == CEL_ABSENT) {
        cel_coder_fill(r->coder, w->decoded.data);
        rc = CEL_OK;
    }
    return rc;
}

/* The chunk as it will be: the box over what is there, or over fill values. */
static int compose(const struct request *r, const struct coder_unit *unit, struct coder_worker *w, const char **out)
{
    struct coder_box box;
    bool some = cel_coder_box(r->coder, unit, &box);
    int rc;

    if (some && box.whole) {
        *out = box.memory;
        return CEL_OK;
    }
    rc = cel_buf_reserve(&w->decoded, r->coder->chain.shape.nbytes);
    *out = w->decoded.data;
    if (rc != CEL_OK)
        return rc;
    if (!some || !cel_coder_box_is_all(r->coder, &box))
        rc = background(r, unit, w);
    if (rc == CEL_OK && some)
        cel_coder_box_write(r->coder, &box, w->decoded.data);
    return rc;
}

/* The bytes to where they stay: a file, the caller, or the shard that is put together later. */
static int keep(const struct request *r, const struct coder_unit *unit, const void *bytes, size_t n)
{
    struct coder_value *value = unit->value;
    cellar_chunk *chunk = value->chunk;
    void *copy;

    if (!r->coder->sharded && chunk->path)
        return cel_coder_put(chunk->path, &(struct cel_bytes){bytes, n}, 1);
    copy = cel_memdup(bytes, n);
    if (!copy)
        return NC_ENOMEM;
    if (r->coder->sharded) {
        value->slot[unit->slot].fresh = copy;
        value->slot[unit->slot].nbytes = n;
    } else {
        chunk->encoded = copy;
        chunk->nencoded = n;
    }
    return CEL_OK;
}

static int drop(const struct request *r, const struct coder_unit *unit)
{
    cellar_chunk *chunk = unit->value->chunk;

    if (r->coder->sharded)
        return CEL_OK; /* its slot has no bytes */
    chunk->absent = 1;
    chunk->encoded = NULL;
    chunk->nencoded = 0;
    return chunk->path ? cel_coder_remove(chunk->path) : CEL_OK;
}

/* An innermost chunk that the box does not touch stays as it is stored. */
static int carry_over(const struct request *r, const struct coder_unit *unit, struct coder_worker *w)
{
    const void *stored;
    size_t n;
    int rc = stored_bytes(r, unit, w, &stored, &n);

    if (rc == CEL_OK)
        rc = keep(r, unit, stored, n);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static bool is_untouched(const struct request *r, const struct coder_unit *unit)
{
    const cellar_chunk *chunk = unit->value->chunk;
    struct coder_box box;

    return r->coder->sharded && chunk->merge && !chunk->absent && !cel_coder_box(r->coder, unit, &box);
}

static int encode_one(struct request *r, const struct coder_unit *unit, struct coder_worker *w)
{
    const char *elements = NULL;
    const void *bytes;
    uint32_t skipped;
    size_t n;
    int rc;

    if (is_untouched(r, unit))
        return carry_over(r, unit, w);
    rc = compose(r, unit, w, &elements);
    if (rc == CEL_OK && r->coder->omit_empty && cel_coder_is_empty(r->coder, elements))
        return drop(r, unit);
    if (rc == CEL_OK)
        rc = cel_chain_encode(&r->coder->chain, w->scratch, elements, r->coder->chain.shape.nbytes, &bytes, &n,
                              &skipped);
    if (rc == CEL_OK && !r->coder->sharded)
        unit->value->chunk->absent = 0;
    return rc == CEL_OK ? keep(r, unit, bytes, n) : rc;
}

/* Whoever encodes the last chunk of a shard puts the shard together. */
static int encode_unit(struct request *r, struct coder_worker *w, size_t at)
{
    const struct coder_unit *unit = &r->unit[at];
    struct coder_value *value = unit->value;
    int rc = encode_one(r, unit, w);

    if (rc == CEL_OK && r->coder->sharded && atomic_fetch_sub(&value->left, 1) == 1) {
        rc = cel_coder_put_shard(r->coder, value, w);
        close_value(r, value);
    }
    return rc == CEL_OK ? rc : fail_chunk(r, value, rc);
}

/* Shards to merge with are opened; the others count as not there. */
static int open_to_merge(struct request *r, struct coder_worker *w, size_t at)
{
    cellar_chunk *chunk = r->value[at].chunk;

    if (chunk->merge)
        return open_shard(r, w, at);
    chunk->absent = 1;
    return CEL_OK;
}

static int encode_part(struct request *r)
{
    int rc = r->coder->sharded ? run(r, open_to_merge, r->nvalues) : CEL_OK;

    if (rc == CEL_OK)
        rc = add_units(r, true);
    return rc == CEL_OK ? run(r, encode_unit, r->nunits) : rc;
}

int cellar_coder_encode(const cellar_coder *coder, size_t n, cellar_chunk *chunks)
{
    return in_parts(coder, n, chunks, encode_part);
}
