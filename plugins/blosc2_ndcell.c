/* SPDX-License-Identifier: BSD-3-Clause */
/* ndcell as a Blosc2 filter: libblosc2_cellar_ndcell.so, to be registered as
 * {.id = 160, .name = "cellar_ndcell"}. Byte for byte what c-blosc2's filter 32 makes. */
#include "blosc2_nd.h"
#include "host.h"
#include "nd_cells.h"

typedef bool move_fn(const struct cel_cells *c, const void *src, void *dst);

/* c-blosc2 refuses a cell with more elements than the block has, and so do we. */
static bool cell_fits(const struct cel_blosc2_block *b, uint8_t edge)
{
    size_t cell = 1;

    for (int d = 0; d < b->rank; d++)
        if (__builtin_mul_overflow(cell, edge, &cell))
            return false;
    return edge > 0 && cell <= b->nbytes / b->elem;
}

static int run(move_fn *move, const uint8_t *in, uint8_t *out, int32_t length, uint8_t edge, const void *schunk,
               int32_t typesize, const void *caller)
{
    struct cel_blosc2_block b;
    struct cel_cells cells;
    size_t side[CEL_BLOSC2_RANK];

    if (!cel_blosc2_block("ndcell", schunk, typesize, length, caller, &b))
        return BLOSC2_ERROR_FAILURE;
    if (!cell_fits(&b, edge))
        return cel_blosc2_refuse("ndcell", "the edge of a cell (meta) is 0, or a cell has more elements than a block");
    for (int d = 0; d < b.rank; d++)
        side[d] = edge;
    if (!cel_cells_init(&cells, b.rank, b.dims, side, b.elem) || !move(&cells, in, out))
        return cel_blosc2_refuse("ndcell", "no memory");
    return 0;
}

CEL_BLOSC2_EXPORT int ndcell_forward(const uint8_t *in, uint8_t *out, int32_t length, uint8_t meta,
                                     blosc2_cparams *cparams, uint8_t id);
CEL_BLOSC2_EXPORT int ndcell_backward(const uint8_t *in, uint8_t *out, int32_t length, uint8_t meta,
                                      blosc2_dparams *dparams, uint8_t id);

int ndcell_forward(const uint8_t *in, uint8_t *out, int32_t length, uint8_t meta, blosc2_cparams *cparams, uint8_t id)
{
    (void)id;
    return run(cel_cells_gather, in, out, length, meta, cparams->schunk, cparams->typesize, CEL_CALLER);
}

int ndcell_backward(const uint8_t *in, uint8_t *out, int32_t length, uint8_t meta, blosc2_dparams *dparams, uint8_t id)
{
    const blosc2_schunk *schunk = dparams->schunk;

    (void)id;
    return run(cel_cells_scatter, in, out, length, meta, schunk, schunk ? schunk->typesize : 0, CEL_CALLER);
}

/* The names of the specification, from before Blosc2 2.9. */
CEL_BLOSC2_EXPORT extern __typeof__(ndcell_forward) ndcell_encoder __attribute__((alias("ndcell_forward")));
CEL_BLOSC2_EXPORT extern __typeof__(ndcell_backward) ndcell_decoder __attribute__((alias("ndcell_backward")));

CEL_BLOSC2_EXPORT const struct cel_blosc2_info info = {"ndcell_forward", "ndcell_backward"};
