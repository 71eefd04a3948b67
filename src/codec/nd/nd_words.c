/* SPDX-License-Identifier: BSD-3-Clause */
/* Working words of the n-dimensional filters: made when a variable is defined, checked before a chunk is
 * touched. */
#include "nd_words.h"
#include <string.h>

static bool is_working(const struct cel_words *w)
{
    return w->n > CEL_ND_DIMS;
}

int cel_nd_prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working)
{
    uint64_t fill = 0;

    (void)visible;
    if (is_working(working))
        return CEL_OK;
    if (shape->rank < 1 || shape->rank > CEL_RANK_MAX)
        return cel_fail(NC_EFILTER, "%s: takes 1 to %d dimensions, not %d", codec->name, CEL_RANK_MAX, shape->rank);
    working->n = (size_t)(CEL_ND_DIMS + shape->rank);
    working->w[CEL_ND_ELEM] = (uint32_t)shape->elem_size;
    working->w[CEL_ND_RANK] = (uint32_t)shape->rank;
    working->w[CEL_ND_KIND] =
        (uint32_t)shape->kind | (shape->big_endian ? CEL_ND_BIG : 0) | (shape->has_fill ? CEL_ND_HAS_FILL : 0);
    for (int i = 8; shape->has_fill && i-- > 0;)
        fill = fill << 8 | shape->fill[i];
    working->w[CEL_ND_FILL] = (uint32_t)fill;
    working->w[CEL_ND_FILL + 1] = (uint32_t)(fill >> 32);
    for (int d = 0; d < shape->rank; d++) {
        if (shape->dims[d] > UINT32_MAX)
            return cel_fail(NC_EFILTER, "%s: a chunk of %zu elements along one axis is too long", codec->name,
                            shape->dims[d]);
        working->w[CEL_ND_DIMS + d] = (uint32_t)shape->dims[d];
    }
    return CEL_OK;
}

void cel_nd_reveal(const struct cel_words *working, struct cel_words *visible)
{
    *visible = (struct cel_words){.n = working->n ? 1 : 0, .w = {working->w[CEL_ND_EDGE]}};
}

int cel_nd_to_json(const struct cel_words *visible, const struct cel_shape *shape, int version, struct cel_json *config)
{
    struct cel_json *dims;
    struct cel_shape own;
    int rc = visible->n && visible->w[CEL_ND_EDGE]
                 ? cel_json_set(config, "cell", cel_json_new_uint(visible->w[CEL_ND_EDGE]))
                 : CEL_OK;

    (void)version;
    if (!shape && cel_nd_shape_of(visible, &own))
        shape = &own; /* working words */
    if (!shape || rc != CEL_OK)
        return rc;
    rc = cel_json_set(config, "elementsize", cel_json_new_uint(shape->elem_size));
    dims = rc == CEL_OK ? cel_json_new_array() : NULL;
    for (int d = 0; rc == CEL_OK && dims && d < shape->rank; d++)
        rc = cel_json_push(dims, cel_json_new_uint(shape->dims[d]));
    return rc == CEL_OK ? cel_json_set(config, "shape", dims) : rc;
}

/* elementsize and shape are for readers that do not know the array; here they
 * follow from it. */
int cel_nd_from_json(const struct cel_json *config, int version, struct cel_words *visible)
{
    uint64_t edge = 0;

    (void)version;
    if (cel_json_get(config, "cell") && (!cel_json_uint(cel_json_get(config, "cell"), true, &edge) || edge > 255))
        return cel_fail(NC_EFILTER, "cell must be a number from 1 to 255");
    *visible = (struct cel_words){.n = cel_json_get(config, "cell") ? 1 : 0, .w = {(uint32_t)edge}};
    return CEL_OK;
}

bool cel_nd_shape_of(const struct cel_words *w, struct cel_shape *out)
{
    if (!is_working(w) || w->w[CEL_ND_RANK] < 1 || w->w[CEL_ND_RANK] > CEL_RANK_MAX ||
        w->n < CEL_ND_DIMS + w->w[CEL_ND_RANK])
        return false;
    *out = (struct cel_shape){.elem_size = w->w[CEL_ND_ELEM],
                              .kind = (enum cel_kind)(w->w[CEL_ND_KIND] & 255),
                              .big_endian = w->w[CEL_ND_KIND] & CEL_ND_BIG,
                              .rank = (int)w->w[CEL_ND_RANK],
                              .has_fill = w->w[CEL_ND_KIND] & CEL_ND_HAS_FILL,
                              .nbytes = w->w[CEL_ND_ELEM]};
    for (int i = 0; i < 8; i++)
        out->fill[i] = (unsigned char)(w->w[CEL_ND_FILL + i / 4] >> 8 * (i % 4));
    for (int d = 0; d < out->rank; d++) {
        out->dims[d] = w->w[CEL_ND_DIMS + d];
        if (__builtin_mul_overflow(out->nbytes, out->dims[d], &out->nbytes))
            return false;
    }
    return true;
}

int cel_nd_cells(const struct cel_coding *coding, size_t n, size_t cap, struct cel_cells *out)
{
    struct cel_shape shape;
    size_t side[CEL_RANK_MAX];

    if (!cel_nd_shape_of(coding->words, &shape) || coding->words->w[CEL_ND_EDGE] < 1 ||
        coding->words->w[CEL_ND_EDGE] > coding->codec->params[0].max)
        return cel_fail(NC_EFILTER, "%s: its parameters are damaged", coding->codec->name);
    for (int d = 0; d < shape.rank; d++)
        side[d] = coding->words->w[CEL_ND_EDGE];
    if (n == 0 && shape.nbytes == 0)
        return CEL_OK; /* an array with no elements has empty chunks */
    if (!cel_cells_init(out, shape.rank, shape.dims, side, shape.elem_size) || out->nbytes != n)
        return cel_fail(NC_EFILTER, "%s: its parameters say %zu bytes, the chunk has %zu", coding->codec->name,
                        shape.nbytes, n);
    return n <= cap ? CEL_OK
                    : cel_fail(NC_EFILTER, "%s: the output buffer is too small for %zu bytes", coding->codec->name, n);
}

int cel_nd_decode_cells(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    struct cel_cells cells;
    int rc = cel_nd_cells(coding, n, cap, &cells);

    *len = n;
    if (rc == CEL_OK && n && !cel_cells_scatter(&cells, src, dst))
        rc = cel_fail(NC_ENOMEM, "%s: no memory", coding->codec->name);
    return rc;
}
