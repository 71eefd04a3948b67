/* SPDX-License-Identifier: BSD-3-Clause */
/* The filters of Blosc2, one row each. A filter makes n bytes of the n bytes of a block.
 *
 *   1 shuffle      byte planes of elements of `meta` bytes (0: the element size); what is over stays at the end
 *   2 bitshuffle   bit planes of the first multiple of 8 elements; Blosc 1 does all or none
 *   3 delta        the first block: every element XOR the one before; others: XOR the first block
 *   4 trunc_prec   floats: keep `meta` bits of the mantissa, or clear -meta of them; no inverse
 *  32 ndcell       cells of edge `meta`
 *  33 ndmean       the mean of each cell; the inverse is that of ndcell
 *  35 bytedelta    `meta` streams (0: element size), each byte less the one before
 *  36 int_trunc    integers: keep `meta` bits, or clear -meta of them; no inverse */
#include "b2_work.h"
#include "bit_planes.h"
#include "bytes.h"
#include "kernels.h"
#include "nd_cells.h"
#include "nd_mean.h"
#include "status.h"
#include <limits.h>
#include <netcdf.h>
#include <string.h>

typedef int filter_fn(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst);

/* --- shuffles -------------------------------------------------------------------------------- */

static size_t grouped(const struct cel_b2_filtering *f)
{
    return f->meta ? f->meta : f->elem;
}

static int shuffle(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t size = grouped(f), whole = n / size * size;

    cel_shuffle(dst, src, n / size, size);
    memcpy(dst + whole, src + whole, n - whole);
    return CEL_OK;
}

static int unshuffle(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t size = grouped(f), whole = n / size * size;

    cel_unshuffle(dst, src, n / size, size);
    memcpy(dst + whole, src + whole, n - whole);
    return CEL_OK;
}

static size_t elements_in_planes(const struct cel_b2_filtering *f, size_t n)
{
    size_t count = n / f->elem;

    return f->version <= 2 && count % 8 != 0 ? 0 : count / 8 * 8;
}

static int bitshuffle(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t count = elements_in_planes(f, n), whole = count * f->elem;

    if (count > 0)
        cel_bit_planes_make(dst, src, count, f->elem, f->spare);
    memcpy(dst + whole, src + whole, n - whole);
    return CEL_OK;
}

static int bitunshuffle(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t count = elements_in_planes(f, n), whole = count * f->elem;

    if (count > 0)
        cel_bit_planes_undo(dst, src, count, f->elem, f->spare);
    memcpy(dst + whole, src + whole, n - whole);
    return CEL_OK;
}

/* --- differences ----------------------------------------------------------------------------- */

/* The bytes after which delta's first block refers to itself. */
static size_t delta_step(size_t elem)
{
    return elem == 2 || elem == 4 || elem == 8 ? elem : elem % 8 == 0 ? 8 : 1;
}

static void xor_with(unsigned char *dst, const unsigned char *a, const unsigned char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = a[i] ^ b[i];
}

static int delta(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t step = delta_step(f->elem) < n ? delta_step(f->elem) : n;

    if (f->first) {
        xor_with(dst, src, f->first, n);
        return CEL_OK;
    }
    memcpy(dst, src, step);
    xor_with(dst + step, src + step, src, n - step);
    return CEL_OK;
}

static int undelta(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t step = delta_step(f->elem) < n ? delta_step(f->elem) : n;

    if (f->first) {
        xor_with(dst, src, f->first, n);
        return CEL_OK;
    }
    memcpy(dst, src, step);
    for (size_t i = step; i < n; i++)
        dst[i] = src[i] ^ dst[i - step];
    return CEL_OK;
}

static int bytedelta(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t streams = grouped(f), len = n / streams;

    for (size_t s = 0; s < streams; s++) {
        unsigned char before = 0;

        for (size_t i = s * len; i < (s + 1) * len; i++) {
            dst[i] = (unsigned char)(src[i] - before);
            before = src[i];
        }
    }
    memcpy(dst + streams * len, src + streams * len, n - streams * len);
    return CEL_OK;
}

static int unbytedelta(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t streams = grouped(f), len = n / streams;

    for (size_t s = 0; s < streams; s++) {
        unsigned char value = 0;

        for (size_t i = s * len; i < (s + 1) * len; i++)
            dst[i] = value = (unsigned char)(value + src[i]);
    }
    memcpy(dst + streams * len, src + streams * len, n - streams * len);
    return CEL_OK;
}

/* --- truncation ------------------------------------------------------------------------------ */

static void clear_bits(const unsigned char *src, size_t n, unsigned char *dst, size_t elem, int zeroed)
{
    uint64_t mask = zeroed >= 64 ? 0 : UINT64_MAX << zeroed;
    size_t i;

    for (i = 0; i + elem <= n; i += elem)
        cel_put_le(dst + i, cel_get_le(src + i, elem) & mask, elem);
    memcpy(dst + i, src + i, n - i);
}

static int trunc_prec(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    int mantissa = f->elem == 4 ? 23 : 52, bits = (int8_t)f->meta, zeroed = bits > 0 ? mantissa - bits : -bits;

    if ((f->elem != 4 && f->elem != 8) || zeroed < 0 || zeroed > mantissa)
        return cel_fail(NC_EFILTER, "blosc2: trunc_prec cannot keep %d bits of elements of %zu bytes", bits, f->elem);
    clear_bits(src, n, dst, f->elem, zeroed);
    return CEL_OK;
}

static int int_trunc(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    int bits = (int8_t)f->meta, zeroed = bits > 0 ? (int)f->elem * 8 - bits : -bits;

    if ((f->elem != 1 && f->elem != 2 && f->elem != 4 && f->elem != 8) || zeroed < 0 || zeroed >= (int)f->elem * 8)
        return cel_fail(NC_EFILTER, "blosc2: int_trunc cannot keep %d bits of elements of %zu bytes", bits, f->elem);
    clear_bits(src, n, dst, f->elem, zeroed);
    return CEL_OK;
}

/* --- cells ----------------------------------------------------------------------------------- */

/* Elements of a whole cell; 0: too many. */
static size_t cell_volume(int rank, const size_t *side)
{
    size_t volume = 1;

    for (int d = 0; d < rank; d++)
        if (__builtin_mul_overflow(volume, side[d], &volume))
            return 0;
    return volume;
}

static bool has_cells(const struct cel_b2_block_shape *s)
{
    return s && s->rank >= 1 && s->rank <= CEL_B2_CELLS_RANK;
}

/* As c-blosc2 accepts them: a cell has no more elements than the block. */
static bool cells_fit(const struct cel_b2_block_shape *s, const size_t *side, size_t n, const struct cel_cells *cells)
{
    size_t volume = cell_volume(s->rank, side);

    return cells->nbytes == n && volume > 0 && volume <= n / s->elem;
}

/* The cells of a block. ndcell counts a whole cell even where the block is narrower. */
static int cells_of(const struct cel_b2_filtering *f, const char *filter, size_t n, bool clipped, size_t *side,
                    struct cel_cells *out)
{
    const struct cel_b2_block_shape *s = f->shape;

    if (!has_cells(s))
        return cel_fail(NC_EFILTER,
                        "blosc2: %s needs the shape of a block of 1 to %d dimensions, which the frame has not", filter,
                        CEL_B2_CELLS_RANK);
    for (int d = 0; d < s->rank; d++)
        side[d] = clipped && f->meta > s->dims[d] ? s->dims[d] : f->meta;
    if (!cel_cells_init(out, s->rank, s->dims, side, s->elem) || !cells_fit(s, side, n, out))
        return cel_fail(NC_EFILTER, "blosc2: %s with cells of %u does not fit the shape of the block", filter, f->meta);
    return CEL_OK;
}

bool cel_b2_cells_in(const struct cel_b2_block_shape *s, unsigned edge, size_t n, const size_t *stride,
                     struct cel_cells *out)
{
    size_t side[CEL_RANK_MAX];

    if (!has_cells(s))
        return false;
    for (int d = 0; d < s->rank; d++)
        side[d] = edge;
    return cel_cells_init_in(out, s->rank, s->dims, side, s->elem, stride) && cells_fit(s, side, n, out);
}

static int no_memory(const char *filter)
{
    return cel_fail(NC_ENOMEM, "blosc2: no memory for %s", filter);
}

static int ndcell(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t side[CEL_RANK_MAX];
    struct cel_cells cells;
    int rc = cells_of(f, "ndcell", n, false, side, &cells);

    return rc != CEL_OK ? rc : cel_cells_gather(&cells, src, dst) ? CEL_OK : no_memory("ndcell");
}

static int unndcell(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t side[CEL_RANK_MAX];
    struct cel_cells cells;
    int rc = cells_of(f, "ndcell", n, false, side, &cells);

    return rc != CEL_OK ? rc : cel_cells_scatter(&cells, src, dst) ? CEL_OK : no_memory("ndcell");
}

static int ndmean(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t side[CEL_RANK_MAX];
    struct cel_cells cells;
    struct cel_mean mean = {0};
    int rc = cells_of(f, "ndmean", n, true, side, &cells);

    if (rc != CEL_OK)
        return rc;
    if ((f->shape->elem != 4 && f->shape->elem != 8) || f->meta > INT8_MAX)
        return cel_fail(NC_EFILTER, "blosc2: ndmean takes float and double, and cells of 1 to %d", INT8_MAX);
    mean.is_double = f->shape->elem == 8;
    return cel_mean_gather(&mean, f->shape->rank, f->shape->dims, side, src, dst) ? CEL_OK : no_memory("ndmean");
}

static int unndmean(const struct cel_b2_filtering *f, const unsigned char *src, size_t n, unsigned char *dst)
{
    size_t side[CEL_RANK_MAX];
    struct cel_cells cells;
    int rc = cells_of(f, "ndmean", n, true, side, &cells);

    return rc != CEL_OK ? rc : cel_cells_scatter(&cells, src, dst) ? CEL_OK : no_memory("ndmean");
}

/* --- the table ------------------------------------------------------------------------------- */

static const struct row {
    uint8_t id;
    const char *name;
    filter_fn *forward, *backward; /* neither: known and refused */
} rows[] = {
    {CEL_B2_SHUFFLE, "shuffle", shuffle, unshuffle},
    {CEL_B2_BITSHUFFLE, "bitshuffle", bitshuffle, bitunshuffle},
    {CEL_B2_DELTA, "delta", delta, undelta},
    {CEL_B2_TRUNC_PREC, "trunc_prec", trunc_prec, NULL},
    {CEL_B2_NDCELL, "ndcell", ndcell, unndcell},
    {CEL_B2_NDMEAN, "ndmean", ndmean, unndmean},
    {34, "the first bytedelta, whose result depended on the processor", NULL, NULL},
    {CEL_B2_BYTEDELTA, "bytedelta", bytedelta, unbytedelta},
    {CEL_B2_INT_TRUNC, "int_trunc", int_trunc, NULL},
};

static const struct row *find(uint8_t id)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}

int cel_b2_filter_check(uint8_t id)
{
    const struct row *row = find(id);

    if (id == CEL_B2_NONE || (row && row->forward))
        return CEL_OK;
    return cel_fail(NC_EFILTER, "blosc2: filter %u (%s) is not supported", id, row ? row->name : "unknown");
}

uint8_t cel_b2_filter_by_name(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].forward && strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
            return rows[i].id;
    return CEL_B2_NONE;
}

const char *cel_b2_filter_name(uint8_t id)
{
    const struct row *row = find(id);

    return row && row->forward ? row->name : NULL;
}

bool cel_b2_filter_has_inverse(uint8_t id)
{
    const struct row *row = find(id);

    return row && row->backward;
}

int cel_b2_filter_forward(uint8_t id, const struct cel_b2_filtering *f, const unsigned char *src, size_t n,
                          unsigned char *dst)
{
    return find(id)->forward(f, src, n, dst);
}

int cel_b2_filter_backward(uint8_t id, const struct cel_b2_filtering *f, const unsigned char *src, size_t n,
                           unsigned char *dst)
{
    return find(id)->backward(f, src, n, dst);
}
