/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoded chunks of one variable that were touched in part: looked up by index,
 * evicted in order of use. Dirty ones stay decoded until they are evicted or
 * flushed, and are encoded once. Only the calling thread works here, with the
 * variable's lock held; which chunk goes never depends on what workers have done.
 *
 * The budget is the variable's cache size. Where one call after the other touches
 * the same row of chunks (one time step per call), a smaller cache would decode
 * and encode each chunk again and again, so the budget grows to hold such a row:
 * at most CEL_GROWTH more for a variable and CEL_GROWTH_ALL for the process. */
#include "array_int.h"
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_BYTES ((size_t)4 << 20)

static atomic_size_t grown_in_all;

/* --- the table ------------------------------------------------------------ */

static uint64_t hash(const struct cel_array *array, const size_t *index)
{
    uint64_t h = 0x9e3779b97f4a7c15u;

    for (int d = 0; d < array->rank; d++) {
        h = (h ^ index[d]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

static size_t slot_of(const struct cel_array *array, const size_t *index)
{
    return (size_t)hash(array, index) & (array->cache.nslots - 1);
}

static bool same_index(const struct cel_array *array, const size_t *a, const size_t *b)
{
    return array->rank == 0 || memcmp(a, b, (size_t)array->rank * sizeof *a) == 0;
}

static int widen_table(struct cel_array *array)
{
    struct cel_cache *cache = &array->cache;
    size_t nslots = cache->nslots ? cache->nslots * 2 : 64;
    struct cel_cached_chunk **slot;

    if (cache->n < cache->nslots)
        return CEL_OK;
    slot = cel_calloc(nslots, sizeof *slot);
    if (!slot)
        return NC_ENOMEM;
    free(cache->slot);
    cache->slot = slot;
    cache->nslots = nslots;
    for (struct cel_cached_chunk *cached = cache->oldest; cached; cached = cached->newer) {
        size_t at = slot_of(array, cached->index);

        cached->same_slot = slot[at];
        slot[at] = cached;
    }
    return CEL_OK;
}

struct cel_cached_chunk *cel_cache_find(struct cel_array *array, const size_t *index)
{
    struct cel_cached_chunk *cached = array->cache.nslots ? array->cache.slot[slot_of(array, index)] : NULL;

    while (cached && !same_index(array, cached->index, index))
        cached = cached->same_slot;
    return cached;
}

/* --- order of use ------------------------------------------------------------- */

static void unlink_use(struct cel_cache *cache, struct cel_cached_chunk *cached)
{
    *(cached->older ? &cached->older->newer : &cache->oldest) = cached->newer;
    *(cached->newer ? &cached->newer->older : &cache->newest) = cached->older;
}

static void link_newest(struct cel_cache *cache, struct cel_cached_chunk *cached)
{
    cached->newer = NULL;
    cached->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = cached;
    cache->newest = cached;
}

void cel_cache_use(struct cel_array *array, struct cel_cached_chunk *cached)
{
    unlink_use(&array->cache, cached);
    link_newest(&array->cache, cached);
}

static void insert(struct cel_array *array, struct cel_cached_chunk *cached)
{
    size_t at = slot_of(array, cached->index);

    cached->same_slot = array->cache.slot[at];
    array->cache.slot[at] = cached;
    link_newest(&array->cache, cached);
    array->cache.n++;
}

static void take_out(struct cel_array *array, struct cel_cached_chunk *cached)
{
    struct cel_cached_chunk **at = &array->cache.slot[slot_of(array, cached->index)];

    while (*at != cached)
        at = &(*at)->same_slot;
    *at = cached->same_slot;
    unlink_use(&array->cache, cached);
    array->cache.n--;
}

/* --- cached chunks ----------------------------------------------------------------------- */

static int make_cached(struct cel_array *array, const size_t *index, struct cel_cached_chunk **out)
{
    struct cel_cached_chunk *cached = array->cache.spare;

    if (cached) {
        array->cache.spare = cached->older;
        array->cache.nspare--;
    } else {
        cached = cel_malloc(sizeof *cached + (size_t)array->rank * sizeof *index);
        if (!cached)
            return NC_ENOMEM;
        cached->data = cel_malloc(array->nbytes);
        if (!cached->data) {
            free(cached);
            return NC_ENOMEM;
        }
    }
    cached->job = NULL;
    cached->ahead = NULL;
    cached->dirty = cached->planes = cached->was_ahead = false;
    memcpy(cached->index, index, (size_t)array->rank * sizeof *index);
    *out = cached;
    return CEL_OK;
}

static void free_cached(struct cel_cached_chunk *cached)
{
    free(cached->data);
    free(cached);
}

void cel_cached_chunk_free(struct cel_array *array, struct cel_cached_chunk *cached)
{
    struct cel_cache *cache = &array->cache;

    if ((cache->nspare + 1) * array->nbytes > (array->read_ahead.is_open ? CEL_WINDOW : SPARE_BYTES)) {
        free_cached(cached);
        return;
    }
    cached->older = cache->spare;
    cache->spare = cached;
    cache->nspare++;
}

void cel_cache_drop(struct cel_array *array, struct cel_cached_chunk *cached)
{
    assert(!cached->job && !cached->ahead);
    take_out(array, cached);
    cel_cached_chunk_free(array, cached);
}

void cel_cache_free_spares(struct cel_array *array)
{
    struct cel_cache *cache = &array->cache;

    while (cache->spare && cache->nspare * array->nbytes > SPARE_BYTES) {
        struct cel_cached_chunk *cached = cache->spare;

        cache->spare = cached->older;
        cache->nspare--;
        free_cached(cached);
    }
}

void cel_cache_put_back(struct cel_array *array, struct cel_cached_chunk *cached)
{
    insert(array, cached);
}

/* --- evicting -------------------------------------------------------------------- */

static int encode_cached(struct cel_job *job)
{
    return cel_job_store(job, job->cached->data);
}

static int store_cached(struct cel_stream *stream, struct cel_cached_chunk *cached, bool evicts)
{
    struct cel_job *job = cel_stream_next(stream, cached->index);
    int rc;

    job->cached = cached;
    job->work = encode_cached;
    job->output = evicts ? CEL_OUTPUT_EVICTED : CEL_OUTPUT_CHUNK;
    rc = cel_job_allocate_early(job, cached->data);
    if (rc == CEL_OK)
        cel_stream_send(job);
    return rc;
}

static int evict(struct cel_stream *stream, struct cel_cached_chunk *cached)
{
    struct cel_array *array = stream->array;
    int rc;

    assert(cel_task_group_is_own(&stream->tasks) && !cached->job);
    cel_read_ahead_finish(array, cached);
    take_out(array, cached);
    if (!cached->dirty) {
        cel_cached_chunk_free(array, cached);
        return CEL_OK;
    }
    rc = store_cached(stream, cached, true);
    if (rc != CEL_OK)
        cel_cache_put_back(array, cached);
    return rc;
}

int cel_cache_trim(struct cel_stream *stream, size_t budget)
{
    struct cel_array *array = stream->array;
    struct cel_cache *cache = &array->cache;
    int rc = CEL_OK;

    while (rc == CEL_OK && cache->oldest && cache->n * array->nbytes > budget) {
        if (cache->oldest->job)
            cel_stream_await(stream, cache->oldest->job->number);
        else
            rc = evict(stream, cache->oldest);
        if (rc == CEL_OK)
            rc = cel_stream_failed(stream);
    }
    return rc;
}

int cel_cache_add(struct cel_stream *stream, const size_t *index, struct cel_cached_chunk **out)
{
    struct cel_array *array = stream->array;
    struct cel_cache *cache = &array->cache;
    int rc = cel_cache_trim(stream, cache->budget > array->nbytes ? cache->budget - array->nbytes : 0);

    if (rc == CEL_OK)
        rc = widen_table(array);
    if (rc == CEL_OK)
        rc = make_cached(array, index, out);
    if (rc != CEL_OK)
        return rc;
    insert(array, *out);
    assert(cache->n == 1 || cache->n * array->nbytes <= cache->budget);
    return CEL_OK;
}

/* --- the budget -------------------------------------------------------------------------- */

static void grow(struct cel_cache *cache, size_t more)
{
    assert(cache->budget); /* a cache of size 0 stays so */
    if (more > CEL_GROWTH - cache->grown)
        return;
    if (atomic_fetch_add(&grown_in_all, more) > CEL_GROWTH_ALL - more) {
        atomic_fetch_sub(&grown_in_all, more);
        return;
    }
    cache->grown += more;
    cache->budget += more;
    assert(cache->grown <= CEL_GROWTH);
}

static bool was_read(const struct cel_array *array, const size_t *index)
{
    uint64_t h = hash(array, index);

    return array->cache.read_hash[h % CEL_READ_HASHES] == h;
}

/* Where a part of a chunk can be decoded alone, to keep a whole one costs more than the part, and pays only when more of it is
 * asked for. So a chunk is paid for with what gets of chunks that were read before have saved, or would have if those had been
 * kept: several times what it costs, so that gets which then end have lost no more than a quarter of their time. */
#define CHUNK_PRICE 4.0

void cel_cache_note_again(const struct cel_stream *stream, const size_t *index)
{
    struct cel_chunk_part part;

    if (!cel_chain_has_parts(&stream->var->chain))
        return;
    cel_grid_part(stream->req, index, &part);
    stream->array->cache.credit += cel_chain_part_share(&stream->var->chain, &part);
}

/* Most partial reads are the only ones of their chunks, and memory for a cached chunk costs
 * a fair part of decoding it. So gets keep chunks from the moment on that one comes
 * to the same chunk again. */
bool cel_cache_should_keep(const struct cel_stream *stream, const size_t *index)
{
    struct cel_array *array = stream->array;
    struct cel_cache *cache = &array->cache;
    uint64_t h = hash(array, index);
    bool again = was_read(array, index);

    cache->revisited = cache->revisited || again;
    cache->read_hash[h % CEL_READ_HASHES] = h;
    if (!cel_chain_has_parts(&stream->var->chain))
        return cache->revisited && cache->budget;
    if (again)
        cel_cache_note_again(stream, index);
    if (!again || !cache->budget || cache->credit < CHUNK_PRICE)
        return false;
    cache->credit -= CHUNK_PRICE;
    return true;
}

/* A put grows the cache at once: a dirty chunk evicted too early is encoded and
 * stored twice. A get grows it once chunks are read again and again. */
void cel_cache_adapt(struct cel_array *array, const struct cel_walk *walk)
{
    struct cel_cache *cache = &array->cache;
    bool again = walk->req->writing || cache->revisited || was_read(array, walk->chunks.first);
    size_t row;

    if (!again || !cache->budget || !cel_mul(walk->npartial, array->nbytes, &row) || row <= cache->budget)
        return;
    grow(cache, row - cache->budget);
}

void cel_cache_reset(struct cel_array *array, size_t budget)
{
    atomic_fetch_sub(&grown_in_all, array->cache.grown);
    array->cache.grown = 0;
    array->cache.budget = budget;
}

/* --- flushing --------------------------------------------------------------------------------- */

static int by_index(const void *a, const void *b, void *rank)
{
    const struct cel_cached_chunk *x = *(struct cel_cached_chunk *const *)a, *y = *(struct cel_cached_chunk *const *)b;

    for (int d = 0; d < *(int *)rank; d++)
        if (x->index[d] != y->index[d])
            return x->index[d] < y->index[d] ? -1 : 1;
    return 0;
}

size_t cel_cache_count_dirty(const struct cel_array *array)
{
    size_t n = 0;

    for (const struct cel_cached_chunk *cached = array->cache.oldest; cached; cached = cached->newer)
        n += cached->dirty;
    return n;
}

int cel_cache_write(struct cel_stream *stream)
{
    struct cel_array *array = stream->array;
    size_t n = 0, ndirty = cel_cache_count_dirty(array);
    struct cel_cached_chunk **dirty = cel_malloc_array(ndirty, sizeof *dirty);
    int rc = dirty ? CEL_OK : NC_ENOMEM;

    for (struct cel_cached_chunk *cached = array->cache.oldest; dirty && cached; cached = cached->newer)
        if (cached->dirty)
            dirty[n++] = cached;
    if (n)
        qsort_r(dirty, n, sizeof *dirty, by_index, &array->rank);
    for (size_t i = 0; rc == CEL_OK && i < n; i++) {
        rc = store_cached(stream, dirty[i], false);
        if (rc == CEL_OK)
            rc = cel_stream_failed(stream);
    }
    free(dirty);
    return rc;
}

void cel_cache_dispose(struct cel_array *array)
{
    struct cel_cache *cache = &array->cache;

    while (cache->oldest) {
        struct cel_cached_chunk *cached = cache->oldest;

        take_out(array, cached);
        free_cached(cached);
    }
    while (cache->spare) {
        struct cel_cached_chunk *cached = cache->spare;

        cache->spare = cached->older;
        free_cached(cached);
    }
    free(cache->slot);
    cel_cache_reset(array, 0);
    memset(cache, 0, sizeof *cache);
}
