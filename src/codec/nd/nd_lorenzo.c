/* The Lorenzo predictor, compiled once per element size and processor. The chunk is passed
 * over once, row by row; for every axis but the last, what the row before it on that axis was
 * is kept, so that a difference along n axes costs n subtractions. */
#include "nd_lorenzo.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>
#ifdef CEL_X86
#include <immintrin.h>
#endif

/* Axes longer than 1, and for each but the last the elements of one step along it. */
struct plan {
    int rank;
    size_t dims[CEL_RANK_MAX], slab[CEL_RANK_MAX];
    size_t row, nrows;  /* elements of the last axis, and how many such rows */
    size_t room;        /* elements of all slabs and one row */
    bool turned, reals; /* not in the machine's byte order; to be put in order */
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
    p->room = p->row;
    p->nrows = shape->nbytes / shape->elem_size / p->row;
    for (int d = p->rank - 1; d-- > 0;) {
        p->slab[d] = d == p->rank - 2 ? p->row : p->slab[d + 1] * p->dims[d + 1];
        p->room += p->slab[d];
    }
}

/* at[]: the place of a row among the others. */
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
