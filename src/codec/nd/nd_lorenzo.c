/* SPDX-License-Identifier: BSD-3-Clause */
/* The n-dimensional Lorenzo predictor, compiled once per element size and processor.
 *
 * Problem: predict each element from the 2^n - 1 neighbours towards the origin, and store what is left. In
 * two dimensions the residual is
 *
 *        d = x[i][j] - x[i-1][j] - x[i][j-1] + x[i-1][j-1]
 *
 * By this formula an element of a 4-dimensional chunk costs 15 additions and reads from 8 rows.
 *
 * Idea: the residual is the difference along the first axis of the difference along the second, and so
 * on. Taken one axis after the other, n subtractions do. To do that in a single pass over the chunk, row by
 * row, the walk keeps for every axis but the last what the elements one step before along that axis were
 * at that stage (a slab):
 *
 *        row r of the chunk  -- minus slab of axis 0, which takes over the row -->
 *                            -- minus slab of axis 1, which takes over the result -->
 *                            ...
 *                            -- differences along the row itself, folded --> output
 *
 *        slab of axis d: dims[d+1] x ... x dims[n-1] elements, the row at r * row % slab
 *
 * At the start of an axis (at[d] == 0) there is nothing before: the row goes into the slab and stays.
 * The inverse runs the stages backwards with sums in place of differences.
 *
 * Why it is right: all arithmetic is modulo 2^w for elements of w bits, where subtraction and addition are
 * exact inverses; so every bit pattern comes back, NaN and overflows too. Reals are mapped to integers in
 * their order first (ordered), so that neighbours in value are neighbours in number. Folding turns small
 * differences of either sign into small numbers. docs/formats/ndlorenzo.md has the bytes.
 *
 * What it costs: n passes over a row that is in the first cache; a slab of the slowest axis is as large as
 * one step along it. All loops but the sums along a row become vector code by the compiler; those sums
 * depend on each other, and are done by doubling steps within a vector (sum_vectors).
 *
 * What would break it: signed arithmetic, or a slab taken over before its old value was subtracted. */
#include "nd_lorenzo.h"
#include "mem.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#ifdef CEL_X86
#include <immintrin.h>
#endif

/* The shape without axes of length 1. */
struct plan {
    int rank;
    size_t dims[CEL_RANK_MAX];
    size_t slab[CEL_RANK_MAX]; /* elements of one step along each axis but the last */
    size_t row, nrows;         /* elements of a row along the last axis, and the number of rows */
    size_t memory;             /* elements of all slabs and one row */
    bool turned;               /* the elements are not in the machine's byte order */
    bool reals;                /* the elements are floats or doubles: mapped to integers in their order */
};

static void plan_rows(const struct cel_shape *shape, struct plan *p)
{
    *p = (struct plan){.row = 1,
                       .turned = shape->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
                       .reals = shape->kind == CEL_KIND_FLOAT};
    for (int d = 0; d < shape->rank; d++)
        if (shape->dims[d] > 1)
            p->dims[p->rank++] = shape->dims[d];
    if (p->rank > 0)
        p->row = p->dims[p->rank - 1];
    p->memory = p->row;
    p->nrows = shape->nbytes / shape->elem_size / p->row;
    for (int d = p->rank - 1; d-- > 0;) {
        p->slab[d] = d == p->rank - 2 ? p->row : p->slab[d + 1] * p->dims[d + 1];
        p->memory += p->slab[d];
    }
    assert(p->nrows * p->row * shape->elem_size == shape->nbytes);
}

/* at[]: the index of a row along each axis but the last. */
static void next_row(const struct plan *p, size_t *at)
{
    for (int d = p->rank - 1; d-- > 0;) {
        if (++at[d] < p->dims[d])
            return;
        at[d] = 0;
    }
}

#define ISA(x) portable_##x
#define TARGET
#include "nd_lorenzo_sizes.h"
#undef ISA
#undef TARGET
#ifdef CEL_X86
#define FAST_SUMS
#define ISA(x) avx2_##x
#define TARGET __attribute__((target("avx2")))
#include "nd_lorenzo_sizes.h"
#undef ISA
#undef TARGET
#define ISA(x) avx512_##x
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#include "nd_lorenzo_sizes.h"
#undef ISA
#undef TARGET
#endif

#define FORMS(isa) \
    { \
        {isa##_u1_forward, isa##_u1_backward}, {isa##_u2_forward, isa##_u2_backward}, \
            {isa##_u4_forward, isa##_u4_backward}, \
        { \
            isa##_u8_forward, isa##_u8_backward \
        } \
    }
const struct cel_lorenzo_kernel cel_lorenzo_kernels[] = {
#ifdef CEL_X86
    {"avx512", cel_cpu_avx512, FORMS(avx512)},
    {"avx2", cel_cpu_avx2, FORMS(avx2)},
#endif
    {"portable", cel_cpu_any, FORMS(portable)},
    {0},
};

static const struct cel_lorenzo_kernel *best(void)
{
    const struct cel_lorenzo_kernel *k = cel_lorenzo_kernels;

    while (!k->usable())
        k++;
    return k;
}

bool cel_lorenzo_forward(const struct cel_shape *shape, const void *src, void *dst)
{
    return best()->by_log[__builtin_ctzl(shape->elem_size)].forward(shape, src, dst);
}

bool cel_lorenzo_backward(const struct cel_shape *shape, const void *src, void *dst)
{
    return best()->by_log[__builtin_ctzl(shape->elem_size)].backward(shape, src, dst);
}
