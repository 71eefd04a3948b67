/* cellar.h: many chunks through a coder, on all threads. */
#include "api_coder.h"
#include "file.h"
#include "mem.h"
#include "thread.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request;
typedef int (*step_fn)(struct request *r, struct coder_worker *w, size_t at);

struct request {
    const cellar_coder *coder;
    struct coder_value *value; /* one for each chunk */
    size_t nvalues;
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
    return cel_fail_at(rc, CEL_IN_CHUNK, "chunk %zu of the request", (size_t)(value - r->value));
}

/* --- values and units ------------------------------------------------------------------ */

/* Opens a value that may be there, and reads its index. */
static int open_value(struct request *r, struct coder_worker *w, size_t at)
{
    struct coder_value *value = &r->value[at];
    int rc = cel_coder_open(value);

    value->chunk->absent = rc == CEL_ABSENT;
    for (size_t i = 0; value->slot && i < r->coder->nslots; i++)
        value->slot[i].offset = value->slot[i].nbytes = CODER_EMPTY;
    if (rc == CEL_OK && r->coder->sharded)
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
    for (size_t i = 0; i < n; i++) {
        int rc = check_box(r->coder, &chunks[i]);

        if (rc != CEL_OK)
            return rc;
        if (r->coder->sharded) {
            r->value[i].slot = cel_calloc(r->coder->nslots, sizeof *r->value[i].slot);
            if (!r->value[i].slot)
                return NC_ENOMEM;
        }
    }
    return CEL_OK;
}

static size_t slots_of(const struct request *r, const struct coder_value *value, bool absent_too)
{
    return value->chunk->absent && !absent_too ? 0 : r->coder->nslots;
}

/* Decoding, every innermost chunk that the box touches; encoding, every one. */
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
            r->nunits += all || cel_coder_box(r->coder, unit, &box);
        }
    }
    return CEL_OK;
}

static void close_values(struct request *r)
{
    for (size_t i = 0; i < r->nvalues; i++) {
        struct coder_value *value = &r->value[i];

        if (value->fd >= 0)
            close(value->fd);
        for (size_t k = 0; value->slot && k < r->coder->nslots; k++)
            free(value->slot[k].fresh);
        free(value->slot);
    }
    free(r->value);
    free(r->unit);
}

/* --- decoding ------------------------------------------------------------------------------ */

/* The stored bytes of an innermost chunk; CEL_ABSENT. */
static int stored_bytes(const struct request *r, const struct coder_unit *unit, struct coder_worker *w,
                        const void **out, size_t *n)
{
    const struct coder_value *value = unit->value;
    const struct coder_slot *slot = value->slot ? &value->slot[unit->slot] : NULL;
    uint64_t most = (uint64_t)cel_chain_bound(&r->coder->chain) * 2 + ((uint64_t)1 << 20);
    uint64_t size = slot ? slot->nbytes : value->size;

    if (slot && slot->offset == CODER_EMPTY && slot->nbytes == CODER_EMPTY)
        return CEL_ABSENT;
    if (size > most)
        return cel_fail(NC_EFILTER, "%llu bytes are more than the chunk can have", (unsigned long long)size);
    *n = (size_t)size;
    return cel_coder_read(value, slot ? slot->offset : 0, *n, w, out);
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

static int decode_unit(struct request *r, struct coder_worker *w, size_t at)
{
    const struct coder_unit *unit = &r->unit[at];
    struct coder_box box;
    int rc;

    if (!cel_coder_box(r->coder, unit, &box))
        return CEL_OK;
    rc = box.whole ? CEL_OK : cel_buf_reserve(&w->decoded, r->coder->chain.shape.nbytes);
    if (rc == CEL_OK)
        rc = decode_to(r, unit, w, box.whole ? box.memory : w->decoded.data);
    if (rc == CEL_ABSENT)
        cel_coder_box_fill(r->coder, &box);
    else if (rc == CEL_OK && !box.whole)
        cel_coder_box_read(r->coder, &box, w->decoded.data);
    return rc == CEL_OK || rc == CEL_ABSENT ? CEL_OK : fail_chunk(r, unit->value, rc);
}

static int begin(struct request *r, const cellar_coder *coder, size_t n, cellar_chunk *chunks)
{
    *r = (struct request){.coder = coder};
    cel_mutex_init(&r->lock);
    cel_error_clear();
    if (!coder || (n && !chunks))
        return cel_fail(NC_EINVAL, "there is no coder, or no chunks");
    return add_values(r, n, chunks);
}

static int end(struct request *r, int rc)
{
    if (r->coder)
        close_values(r);
    cel_mutex_dispose(&r->lock);
    return rc;
}

int cellar_coder_decode(const cellar_coder *coder, size_t n, cellar_chunk *chunks)
{
    struct request r;
    int rc = begin(&r, coder, n, chunks);

    if (rc == CEL_OK)
        rc = run(&r, open_value, n);
    if (rc == CEL_OK)
        rc = add_units(&r, false);
    if (rc == CEL_OK)
        rc = run(&r, decode_unit, r.nunits);
    return end(&r, rc);
}

/* --- encoding --------------------------------------------------------------------------------- */

/* What lies around the box. */
static int background(const struct request *r, const struct coder_unit *unit, struct coder_worker *w)
{
    const cellar_chunk *chunk = unit->value->chunk;
    int rc = chunk->merge && !chunk->absent ? decode_to(r, unit, w, w->decoded.data) : CEL_ABSENT;

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

static int encode_unit(struct request *r, struct coder_worker *w, size_t at)
{
    const struct coder_unit *unit = &r->unit[at];
    const char *elements = NULL;
    const void *bytes;
    uint32_t skipped;
    size_t n;
    int rc;

    if (is_untouched(r, unit)) {
        rc = carry_over(r, unit, w);
        return rc == CEL_OK ? rc : fail_chunk(r, unit->value, rc);
    }
    rc = compose(r, unit, w, &elements);
    if (rc == CEL_OK && r->coder->omit_empty && cel_coder_is_empty(r->coder, elements)) {
        rc = drop(r, unit);
        return rc == CEL_OK ? rc : fail_chunk(r, unit->value, rc);
    }
    if (rc == CEL_OK)
        rc = cel_chain_encode(&r->coder->chain, w->scratch, elements, r->coder->chain.shape.nbytes, &bytes, &n,
                              &skipped);
    if (rc == CEL_OK && !r->coder->sharded)
        unit->value->chunk->absent = 0;
    if (rc == CEL_OK)
        rc = keep(r, unit, bytes, n);
    return rc == CEL_OK ? rc : fail_chunk(r, unit->value, rc);
}

static int put_shard(struct request *r, struct coder_worker *w, size_t at)
{
    int rc = cel_coder_put_shard(r->coder, &r->value[at], w);

    return rc == CEL_OK ? rc : fail_chunk(r, &r->value[at], rc);
}

/* Chunks to merge with are opened; the others count as not there. */
static int open_to_merge(struct request *r, struct coder_worker *w, size_t at)
{
    cellar_chunk *chunk = r->value[at].chunk;

    if (chunk->merge)
        return open_value(r, w, at);
    chunk->absent = 1;
    return CEL_OK;
}

int cellar_coder_encode(const cellar_coder *coder, size_t n, cellar_chunk *chunks)
{
    struct request r;
    int rc = begin(&r, coder, n, chunks);

    if (rc == CEL_OK)
        rc = run(&r, open_to_merge, n);
    if (rc == CEL_OK)
        rc = add_units(&r, true);
    if (rc == CEL_OK)
        rc = run(&r, encode_unit, r.nunits);
    if (rc == CEL_OK && coder->sharded)
        rc = run(&r, put_shard, n);
    return end(&r, rc);
}
