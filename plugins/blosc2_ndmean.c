/* SPDX-License-Identifier: BSD-3-Clause */
/* ndmean as a Blosc2 filter: libblosc2_cellar_ndmean.so, to be registered as
 * {.id = 161, .name = "cellar_ndmean"}. What c-blosc2's filter 33 makes, but: a dtype that
 * is no real is refused, big-endian reals are read as such, and a block whose first axis
 * is shorter than a cell, which c-blosc2 writes and cannot read, gets its means. */
#include "blosc2_nd.h"
#include "host.h"
#include "nd_cells.h"
#include "nd_mean.h"

static bool read_block(const void *schunk, int32_t typesize, int32_t length, uint8_t edge, const void *caller,
                       struct cel_blosc2_block *b, size_t *side)
{
    if (!cel_blosc2_block("ndmean", schunk, typesize, length, caller, b))
        return false;
    if (edge < 1 || edge > 127)
        return cel_blosc2_refuse("ndmean", "the edge of a cell (meta) must be 1 to 127"), false;
    for (int d = 0; d < b->rank; d++)
        side[d] = edge;
    return true;
}

CEL_BLOSC2_EXPORT int ndmean_forward(const uint8_t *in, uint8_t *out, int32_t length, uint8_t meta,
                                     blosc2_cparams *cparams, uint8_t id);
CEL_BLOSC2_EXPORT int ndmean_backward(const uint8_t *in, uint8_t *out, int32_t length, uint8_t meta,
                                      blosc2_dparams *dparams, uint8_t id);

int ndmean_forward(const uint8_t *in, uint8_t *out, int32_t length, uint8_t meta, blosc2_cparams *cparams, uint8_t id)
{
    struct cel_blosc2_block b;
    size_t side[CEL_BLOSC2_RANK];
    struct cel_mean mean = {0};

    (void)id;
    if (!read_block(cparams->schunk, cparams->typesize, length, meta, CEL_CALLER, &b, side))
        return BLOSC2_ERROR_FAILURE;
    if ((b.elem != 4 && b.elem != 8) || (b.kind && b.kind != 'f'))
        return cel_blosc2_refuse("ndmean",
                                 "works on float and double only: the mean of other types is no value of theirs");
    mean.is_double = b.elem == 8;
    mean.swapped = b.kind && b.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    return cel_mean_gather(&mean, b.rank, b.dims, side, in, out) ? 0 : cel_blosc2_refuse("ndmean", "no memory");
}

int ndmean_backward(const uint8_t *in, uint8_t *out, int32_t length, uint8_t meta, blosc2_dparams *dparams, uint8_t id)
{
    const blosc2_schunk *schunk = dparams->schunk;
    struct cel_blosc2_block b;
    struct cel_cells cells;
    size_t side[CEL_BLOSC2_RANK];

    (void)id;
    if (!read_block(schunk, schunk ? schunk->typesize : 0, length, meta, CEL_CALLER, &b, side))
        return BLOSC2_ERROR_FAILURE;
    return cel_cells_init(&cells, b.rank, b.dims, side, b.elem) && cel_cells_scatter(&cells, in, out)
               ? 0
               : cel_blosc2_refuse("ndmean", "no memory");
}

CEL_BLOSC2_EXPORT const struct cel_blosc2_info info = {"ndmean_forward", "ndmean_backward"};
