/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine's part of a variable: made on first use, flushed and freed here. */
#include "array_int.h"
#include <stdlib.h>
#include <string.h>

/* --- bytes of an element that no field owns --------------------------------- */

static void mark_fields(const struct cel_type *type, unsigned char *used)
{
    if (type->klass != NC_COMPOUND) {
        memset(used, 1, type->size);
        return;
    }
    for (size_t f = 0; f < type->nfields; f++)
        for (size_t i = 0; i < type->field[f].n; i++)
            mark_fields(type->field[f].type, used + type->field[f].offset + i * type->field[f].type->size);
}

static size_t list_holes(const unsigned char *used, size_t size, struct cel_hole *hole)
{
    size_t n = 0;

    for (size_t at = 0; at < size; at++) {
        if (used[at])
            continue;
        if (hole)
            hole[n].offset = at;
        while (at + 1 < size && !used[at + 1])
            at++;
        if (hole)
            hole[n].nbytes = at + 1 - hole[n].offset;
        n++;
    }
    return n;
}

static int find_holes(struct cel_array *array, const struct cel_type *type)
{
    unsigned char *used;

    if (type->klass != NC_COMPOUND)
        return CEL_OK;
    used = cel_calloc(type->size, 1);
    if (!used)
        return NC_ENOMEM;
    mark_fields(type, used);
    array->nholes = list_holes(used, type->size, NULL);
    array->hole = cel_malloc_array(array->nholes, sizeof *array->hole);
    if (array->hole)
        list_holes(used, type->size, array->hole);
    free(used);
    return array->hole ? CEL_OK : NC_ENOMEM;
}

/* --- making ------------------------------------------------------------------- */

static int measure_chunk(struct cel_array *array, const struct cel_var *var)
{
    array->nbytes = array->elem;
    for (int i = var->ndims - 1; i >= 0; i--) {
        int d = var->layout.order && !array->has_codec ? var->layout.order[i] : i;

        array->step[d] = array->nbytes;
        if (!var->layout.chunk[d] || !cel_mul(array->nbytes, var->layout.chunk[d], &array->nbytes) ||
            array->nbytes > PTRDIFF_MAX)
            return cel_fail(NC_EBADCHUNK, "the chunk sizes make no chunk that fits memory");
    }
    return CEL_OK;
}

static int prepare_chain(struct cel_var *var)
{
    struct cel_shape shape;
    int rc;

    if (var->layout.unchunked || var->chain.prepared || !var->chain.n)
        return CEL_OK;
    rc = cel_var_shape(var, &shape);
    return rc == CEL_OK ? cel_chain_prepare(&var->chain, &shape, false) : rc;
}

static void free_array(struct cel_array *array)
{
    cel_read_ahead_stop(array);
    cel_cache_dispose(array);
    cel_failed_puts_free(array);
    cel_quantizer_free(array->quantizer);
    cel_mutex_dispose(&array->lock);
    free(array->hole);
    free(array->ring);
    free(array);
}

static int make_array(struct cel_dataset *ds, struct cel_var *var)
{
    struct cel_array *array = cel_calloc(1, sizeof *array);
    int rc;

    if (!array)
        return NC_ENOMEM;
    cel_mutex_init(&array->lock);
    cel_tally_init(&array->tally);
    array->rank = var->ndims;
    array->elem = var->type->size;
    array->has_codec = var->layout.unchunked && ds->ops->elements_decode;
    rc = var->layout.unchunked && !array->has_codec ? CEL_OK : measure_chunk(array, var);
    if (rc == CEL_OK)
        rc = find_holes(array, var->type);
    if (rc == CEL_OK)
        rc = prepare_chain(var);
    if (rc != CEL_OK) {
        free_array(array);
        return rc;
    }
    cel_cache_reset(array, var->cache.size);
    atomic_store_explicit(&var->array, array, memory_order_release); /* cel_array_get() looks without a lock */
    return CEL_OK;
}

/* A variable that was quantized when it was made goes on being so. */
static int learn_quantize(struct cel_dataset *ds, struct cel_var *var)
{
    bool must_load = ds->writable && !var->quantize.known && !var->atts.loaded && ds->ops->load_atts;
    int rc = must_load ? ds->ops->load_atts(ds, var->group, var) : CEL_OK;

    cel_var_learn_quantize(var);
    return rc;
}

/* With the dataset's lock held. */
static int make_ready(struct cel_dataset *ds, struct cel_var *var)
{
    int rc = var->loaded ? CEL_OK : ds->ops->load_var(ds, var);

    if (rc != CEL_OK)
        return rc;
    if (var->unreadable)
        return cel_fail(NC_EBADTYPE, "%s", var->why ? var->why : "its type or layout cannot be read");
    if (var->ndims > CEL_RANK_MAX)
        return cel_fail(NC_EMAXDIMS, "%d dimensions are more than the %d that can be read or written", var->ndims,
                        CEL_RANK_MAX);
    if (var->array)
        return CEL_OK;
    rc = learn_quantize(ds, var);
    return rc == CEL_OK ? make_array(ds, var) : rc;
}

int cel_array_get(struct cel_dataset *ds, struct cel_var *var, struct cel_array **out)
{
    int rc;

    *out = atomic_load_explicit(&var->array, memory_order_acquire);
    if (*out) /* it is there until the file is closed, and closing waits for this call */
        return CEL_OK;
    cel_lock(ds->lock);
    rc = make_ready(ds, var);
    *out = var->array;
    cel_unlock(ds->lock);
    return rc;
}

void cel_array_free(struct cel_var *var)
{
    if (var->array) {
        cel_tally_report(&var->array->tally, var);
        free_array(var->array);
    }
    var->array = NULL;
}

/* --- flushing ---------------------------------------------------------------------- */

static struct cel_array *array_of(struct cel_dataset *ds, const struct cel_var *var)
{
    struct cel_array *array;

    cel_lock(ds->lock);
    array = var->array;
    cel_unlock(ds->lock);
    return array;
}

/* Run `step` in a stream of its own, with the variable's lock. */
static int run_in_stream(struct cel_dataset *ds, struct cel_var *var, struct cel_array *array,
                         int (*step)(struct cel_stream *))
{
    struct cel_stream stream;
    uint64_t since;
    int rc;

    cel_lock(&array->lock);
    since = cel_tally_start(&array->tally);
    cel_read_ahead_stop(array);
    rc = cel_stream_open(&stream, ds, var, NULL, cel_cache_count_dirty(array), array->nbytes);
    if (rc == CEL_OK) {
        cel_stream_note(&stream, step(&stream));
        rc = cel_stream_close(&stream);
    }
    cel_tally_add(&array->tally, var, NULL, true, since);
    cel_unlock(&array->lock);
    return rc == CEL_OK ? CEL_OK : cel_fail_in_var(rc, var);
}

static int flush_cache(struct cel_dataset *ds, struct cel_var *var)
{
    struct cel_array *array = array_of(ds, var);

    return array ? run_in_stream(ds, var, array, cel_cache_write) : CEL_OK;
}

int cel_array_flush(struct cel_dataset *ds, struct cel_var *var)
{
    int rc = cel_behind_flush(ds);

    return rc == CEL_OK ? flush_cache(ds, var) : rc;
}

/* The variables that have an array now, in order of definition. */
static int list_arrays(struct cel_dataset *ds, struct cel_vec *out)
{
    int rc = CEL_OK;

    cel_lock(ds->lock);
    for (size_t g = 0; g < ds->groups.n; g++) {
        const struct cel_group *group = ds->groups.at[g];

        for (size_t v = 0; rc == CEL_OK && group && v < group->vars.n; v++)
            if (((struct cel_var *)group->vars.at[v])->array)
                rc = cel_vec_add(out, group->vars.at[v]);
    }
    cel_unlock(ds->lock);
    return rc;
}

/* A variable that cannot be written does not keep the others from it. */
int cel_array_flush_all(struct cel_dataset *ds)
{
    struct cel_vec vars = {0};
    struct cel_first_failure first = {0};

    cel_first_failure_note(&first, cel_behind_flush(ds));
    cel_first_failure_note(&first, list_arrays(ds, &vars));
    for (size_t v = 0; v < vars.n; v++)
        cel_first_failure_note(&first, flush_cache(ds, vars.at[v]));
    cel_vec_dispose(&vars);
    return cel_first_failure_restore(&first);
}

int cel_array_check_failed_puts(struct cel_dataset *ds)
{
    struct cel_vec vars = {0};
    int rc = list_arrays(ds, &vars);

    for (size_t v = 0; rc == CEL_OK && v < vars.n; v++) {
        struct cel_var *var = vars.at[v];

        rc = cel_failed_puts_check(var->array, var);
    }
    cel_vec_dispose(&vars);
    return rc;
}

static int trim_to_budget(struct cel_stream *stream)
{
    cel_cache_reset(stream->array, stream->var->cache.size);
    return cel_cache_trim(stream, stream->array->cache.budget);
}

int cel_array_resize_cache(struct cel_dataset *ds, struct cel_var *var)
{
    struct cel_array *array = array_of(ds, var);

    cel_array_store_puts(ds);
    return array ? run_in_stream(ds, var, array, trim_to_budget) : CEL_OK;
}

void cel_array_worst_error(struct cel_dataset *ds, struct cel_var *var, double *max_abs, double *max_rel)
{
    struct cel_array *array = array_of(ds, var);

    *max_abs = *max_rel = 0;
    if (!array)
        return;
    cel_lock(&array->lock);
    *max_abs = array->worst.max_abs + array->loss.max_abs; /* one after the other */
    *max_rel = array->worst.max_rel + array->loss.max_rel;
    cel_unlock(&array->lock);
}
