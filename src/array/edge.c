/* SPDX-License-Identifier: BSD-3-Clause */
/* Edge chunks of lossy codecs that code neighbours together (zfp, fpzip).
 *
 * A chunk that reaches beyond the array is padded with the fill value. To zfp a
 * block with 9.97e36 in it has bits for nothing else: its neighbours, which are
 * data, would lose all their digits. Along dimensions that never grow the padding
 * is never read, so there the last value is repeated instead. Along unlimited
 * ones it must stay: what is fill today is read as fill when the array has grown. */
#include "array_int.h"
#include <string.h>

static bool codes_neighbours(const struct cel_chain *chain)
{
    for (size_t i = 0; i < chain->n; i++) {
        unsigned flags = cel_step_flags(&chain->step[i]);

        if (flags & CEL_CODEC_LOSSY && flags & CEL_CODEC_NEEDS_ELEMENTS && !(flags & CEL_CODEC_SAME_SIZE))
            return true;
    }
    return false;
}

/* Padding of a no-fill variable holds nothing yet, and would go into means. */
static bool lacks_fill(const struct cel_var *var)
{
    return var->fill.off && cel_chain_mixes(&var->chain) && var->chain.shape.has_fill;
}

/* Elements of the array along dimension d of this chunk. */
static size_t valid_along(const struct cel_var *var, const size_t *index, int d)
{
    size_t left;

    if (var->dim[d]->unlimited) /* its length may be changing */
        return var->layout.chunk[d];
    left = var->dim[d]->len - index[d] * var->layout.chunk[d];
    return left > var->layout.chunk[d] ? var->layout.chunk[d] : left;
}

bool cel_edge_needs_padding(const struct cel_var *var, const size_t *index)
{
    if (!codes_neighbours(&var->chain) && !lacks_fill(var))
        return false;
    for (int d = 0; d < var->ndims; d++)
        if (valid_along(var, index, d) < var->layout.chunk[d])
            return true;
    return false;
}

/* Repeat the last of `valid` rows of `nbytes` up to `n` rows. */
static void repeat_last(char *at, size_t valid, size_t n, size_t nbytes)
{
    for (size_t i = valid; valid > 0 && i < n; i++)
        memcpy(at + i * nbytes, at + (valid - 1) * nbytes, nbytes);
}

static void put_fill(const struct cel_shape *shape, char *at, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i += shape->elem_size)
        memcpy(at + i, shape->fill, shape->elem_size);
}

/* Axis i of the chunk as stored. */
static int stored_axis(const struct cel_var *var, int i)
{
    return var->layout.order ? var->layout.order[i] : i;
}

void cel_edge_pad(const struct cel_var *var, const size_t *index, void *chunk)
{
    size_t inner = var->type->size, outer;
    char *at = chunk;

    for (int i = var->ndims - 1; i >= 0; i--) {
        int d = stored_axis(var, i);
        size_t n = var->layout.chunk[d], valid = valid_along(var, index, d);

        outer = 1;
        for (int e = 0; e < i; e++)
            outer *= var->layout.chunk[stored_axis(var, e)];
        for (size_t o = 0; valid < n && o < outer; o++)
            if (lacks_fill(var))
                put_fill(&var->chain.shape, at + (o * n + valid) * inner, (n - valid) * inner);
            else
                repeat_last(at + o * n * inner, valid, n, inner);
        inner *= n;
    }
}
