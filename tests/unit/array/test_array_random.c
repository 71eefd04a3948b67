/* SPDX-License-Identifier: BSD-3-Clause */
/* Random regions of random variables, written and read through the engine and held
 * against a plain array: all ranks, types, strides, index maps, byte orders, tiny
 * caches, with and without filters, by chunks and plain; for pools of 1, 2 and 8
 * threads the container must see the same bytes in the same order. */
#include "array_int.h"
#include "fake.h"
#include "common/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MOST 4096 /* elements of the reference */

static uint64_t seed;
static size_t below(size_t n)
{
    return n ? (size_t)(random_step(&seed) % n) : 0;
}

struct trial {
    struct cel_dataset *ds;
    struct cel_var *var;
    size_t shape[CEL_RANK_MAX]; /* of the reference: more than the variable will grow to */
    size_t n;
    char *want;
    nc_type type;
    size_t size;
};

static const nc_type numbers[] = {NC_BYTE,  NC_UBYTE,  NC_SHORT, NC_USHORT, NC_INT, NC_UINT,
                                  NC_INT64, NC_UINT64, NC_FLOAT, NC_DOUBLE, NC_CHAR};
static const char *const chains[] = {
    "", "", "shuffle|deflate,1", "fletcher32", "shuffle|zstd,1", "deflate,1|fletcher32"};

static const struct cel_type *some_type(struct cel_dataset *ds)
{
    struct cel_type *type;
    const int dims[1] = {3};

    if (below(5))
        return cel_type_atomic(numbers[below(11)]);
    if (below(2)) {
        assert_int_equal(cel_type_def_opaque(ds->root, 7, "opaque", &type), CEL_OK);
        return type;
    }
    assert_int_equal(cel_type_def_compound(ds->root, 24, "pair", &type), CEL_OK);
    assert_int_equal(cel_type_insert_field(type, "a", 0, cel_type_atomic(NC_BYTE), 0, NULL), CEL_OK);
    assert_int_equal(cel_type_insert_field(type, "b", 8, cel_type_atomic(NC_DOUBLE), 0, NULL), CEL_OK);
    assert_int_equal(cel_type_insert_field(type, "c", 16, cel_type_atomic(NC_SHORT), 1, dims), CEL_OK);
    return type;
}

static void begin(struct trial *t)
{
    size_t lens[CEL_RANK_MAX], chunks[CEL_RANK_MAX];
    bool unlimited[CEL_RANK_MAX];
    int rank = (int)below(7);
    static const size_t longest[] = {1, 300, 40, 13, 7, 5, 4};
    const struct cel_type *type;
    bool plain = below(5) == 0;

    assert_int_equal(fake_make(&t->ds, below(4) == 0), CEL_OK);
    type = some_type(t->ds);
    t->n = 1;
    for (int d = 0; d < rank; d++) {
        lens[d] = 1 + below(longest[rank]);
        unlimited[d] = !plain && below(3) == 0;
        chunks[d] = 1 + below(below(2) ? 4 : lens[d]);
        t->n *= t->shape[d] = lens[d];
    }
    assert_true(t->n <= MOST);
    t->var = fake_var(t->ds, "v", type, rank, lens, unlimited, plain ? NULL : chunks, plain ? "" : chains[below(6)]);
    t->var->cache.size = below(3) ? below(40) * type->size * 8 : 1 << 20;
    t->var->fill.off = below(4) == 0;
    if (!plain && type->id <= NC_MAX_ATOMIC_TYPE)
        t->var->endian = (int)below(3);
    t->type = type->id;
    t->size = type->size;
    t->want = malloc(t->n * t->size + 1);
    if (t->var->fill.off)
        memset(t->want, 0, t->n * t->size);
    else
        cel_fill(t->want, cel_var_fill_value(t->var), t->size, t->n);
    if (plain) {
        fake_of(t->ds)->plain = cel_memdup(t->want, t->n * t->size);
        memcpy(fake_of(t->ds)->plain_shape, t->shape, sizeof t->shape);
    }
}

/* A region and memory for it; `data` starts inside a larger block when the map runs backwards. */
struct region {
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX];
    ptrdiff_t stride[CEL_RANK_MAX], imap[CEL_RANK_MAX];
    struct cel_region r;
    nc_type memtype;
    size_t size, n, cap;
    char *block, *data;
};

static void lay_memory(struct trial *t, struct region *g)
{
    int rank = t->var->ndims, order[CEL_RANK_MAX];
    size_t span = 1, back = 0;

    for (int d = 0; d < rank; d++)
        order[d] = d;
    for (int d = rank - 1; d > 0; d--) {
        int other = (int)below((size_t)d + 1), keep = order[d];

        order[d] = order[other];
        order[other] = keep;
    }
    for (int k = rank - 1; k >= 0; k--) {
        int d = order[k];

        span += below(2);
        g->imap[d] = (ptrdiff_t)span;
        span *= g->count[d];
        if (below(4) == 0) {
            back += (g->count[d] - 1) * (size_t)g->imap[d];
            g->imap[d] = -g->imap[d];
        }
    }
    g->cap = span + 1;
    g->block = malloc(g->cap * g->size);
    g->data = g->block + back * g->size;
}

static void choose_region(struct trial *t, struct region *g, bool put)
{
    int rank = t->var->ndims;
    bool strided = below(3) == 0, mapped = below(4) == 0, whole = below(4) == 0;

    memset(g, 0, sizeof *g);
    g->n = 1;
    for (int d = 0; d < rank; d++) {
        size_t len = put ? t->shape[d] : t->var->dim[d]->len;

        if (!len) { /* nothing there to read yet */
            g->n = 0;
            return;
        }
        g->stride[d] = strided ? 1 + (ptrdiff_t)below(4) : 1;
        g->start[d] = whole ? 0 : below(len);
        g->count[d] = whole ? (len - 1) / (size_t)g->stride[d] + 1
                            : 1 + below((len - g->start[d] - 1) / (size_t)g->stride[d] + 1);
        g->n *= g->count[d];
    }
    g->memtype = t->type <= NC_DOUBLE + 6 && t->type != NC_CHAR && below(2) ? numbers[below(10)] : NC_NAT;
    if (t->type > NC_MAX_ATOMIC_TYPE)
        g->memtype = NC_NAT;
    g->size = g->memtype == NC_NAT ? t->size : cel_type_size(g->memtype);
    g->r = (struct cel_region){g->start, g->count, strided ? g->stride : NULL, mapped ? g->imap : NULL};
    if (mapped) {
        lay_memory(t, g);
        return;
    }
    g->cap = g->n + 1;
    g->block = g->data = malloc(g->cap * g->size);
    for (size_t step = 1, d = (size_t)rank; d-- > 0; step *= g->count[d])
        g->imap[d] = (ptrdiff_t)step;
}

/* Call back for every element: its place in the reference and in memory. */
static void each_element(struct trial *t, struct region *g, size_t *lost,
                         void (*visit)(struct trial *, struct region *, char *, char *, size_t *))
{
    size_t at[CEL_RANK_MAX] = {0};
    int rank = t->var->ndims;

    for (;;) {
        size_t where = 0;
        ptrdiff_t mem = 0;
        int d;

        for (d = 0; d < rank; d++) {
            where = where * t->shape[d] + g->start[d] + at[d] * (size_t)g->stride[d];
            mem += (ptrdiff_t)at[d] * g->imap[d];
        }
        visit(t, g, t->want + where * t->size, g->data + mem * (ptrdiff_t)g->size, lost);
        for (d = rank - 1; d >= 0 && ++at[d] == g->count[d]; d--)
            at[d] = 0;
        if (d < 0)
            return;
    }
}

/* What a put must do to one element of the reference. */
static void put_one(struct trial *t, struct region *g, char *want, char *mem, size_t *lost)
{
    if (g->memtype != NC_NAT)
        *lost += cel_converter(g->memtype, t->type)(want, mem, 1);
    else
        memcpy(want, mem, t->size);
    if (t->var->type->klass == NC_COMPOUND) {
        memset(want + 1, 0, 7);
        memset(want + 22, 0, 2);
    }
}

static void check_one(struct trial *t, struct region *g, char *want, char *mem, size_t *lost)
{
    char room[32];

    if (g->memtype != NC_NAT) {
        *lost += cel_converter(t->type, g->memtype)(room, want, 1);
        want = room;
    }
    assert_memory_equal(want, mem, g->size);
}

/* Random bytes, but real numbers that are numbers: NaN has more than one form. */
static void random_values(struct region *g, nc_type type)
{
    for (size_t i = 0; i < g->cap; i++) {
        char *at = g->block + i * g->size;

        if (type == NC_FLOAT)
            memcpy(at, &(float){(float)below(100000) / 7 - 100}, 4);
        else if (type == NC_DOUBLE)
            memcpy(at, &(double){(double)below(1000000) / 7 - 10}, 8);
        else
            for (size_t b = 0; b < g->size; b++)
                at[b] = below(3) ? 0 : (char)below(256);
    }
}

static void do_put(struct trial *t)
{
    struct region g;
    size_t lost = 0;

    choose_region(t, &g, true);
    random_values(&g, g.memtype == NC_NAT ? t->type : g.memtype);
    each_element(t, &g, &lost, put_one);
    assert_int_equal(cel_put_region(t->ds, t->var, &g.r, g.data, g.memtype), lost ? NC_ERANGE : NC_NOERR);
    free(g.block);
}

static void do_get(struct trial *t)
{
    struct region g;
    size_t lost = 0;
    int rc;

    choose_region(t, &g, false);
    if (!g.n)
        return;
    memset(g.block, 0x55, g.cap * g.size);
    rc = cel_get_region(t->ds, t->var, &g.r, g.data, g.memtype);
    each_element(t, &g, &lost, check_one);
    assert_int_equal(rc, lost ? NC_ERANGE : NC_NOERR);
    free(g.block);
}

static uint64_t one_trial(uint64_t start)
{
    struct trial t = {0};
    uint64_t digest;

    seed = start * 0x9e3779b97f4a7c15u + 1;
    for (int warm = 0; warm < 8; warm++)
        below(2);
    begin(&t);
    for (int call = 0; call < 24; call++) {
        if (below(2))
            do_put(&t);
        else
            do_get(&t);
        if (below(8) == 0)
            assert_int_equal(cel_array_flush_all(t.ds), CEL_OK);
        if (below(16) == 0) {
            t.var->cache.size = below(1000);
            assert_int_equal(cel_array_resize_cache(t.ds, t.var), CEL_OK);
        }
    }
    assert_int_equal(cel_array_flush(t.ds, t.var), CEL_OK);
    cel_array_free(t.var); /* what was stored must be enough */
    for (int call = 0; call < 4; call++)
        do_get(&t);
    digest = t.ds->ops->thread_rules & CEL_CONCURRENT ? 0 : fake_digest(t.ds);
    fake_free(t.ds);
    free(t.want);
    return digest;
}

static void the_same_for_any_pool(void **state)
{
    const char *from = getenv("TRIAL");
    uint64_t first = from ? strtoull(from, NULL, 10) : 0, n = from ? 1 : 1500;

    cel_small_work = 0;
    for (uint64_t i = first; i < first + n; i++) {
        static const int sizes[] = {1, 2, 8};
        uint64_t digest[3];

        for (int k = 0; k < 3; k++) {
            cel_pool_set_size(sizes[k]);
            if (from)
                print_message("trial %llu pool %d\n", (unsigned long long)i, sizes[k]);
            digest[k] = one_trial(i);
        }
        if (digest[0] != digest[1] || digest[0] != digest[2])
            fail_msg("trial %llu: the bytes depend on the pool", (unsigned long long)i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_for_any_pool)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
