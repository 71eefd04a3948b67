/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar_next_chunk(): a walk gives the chunks that were written, the same as asking for each of the grid; and of a grid of
 * 2^40 chunks it gives three at once. */
#include <cellar.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define OK(call) assert_int_equal((call), NC_NOERR)

struct place {
    const char *path;
    int mode;
    bool sharded, many_unlimited;
};
static const struct place place[] = {
    {"test_api_next_chunk.nc", NC_NETCDF4, false, true},
    {"file://test_api_next_chunk_2.zarr#mode=zarr,v2,file", NC_NETCDF4, false, false},
    {"file://test_api_next_chunk_n.zarr#mode=nczarr,file", NC_NETCDF4, false, false},
    {"file://test_api_next_chunk_3.zarr#mode=zarr,v3,file", NC_NETCDF4, false, false},
    {"file://test_api_next_chunk_s.zarr#mode=zarr,v3,file", NC_NETCDF4, true, false},
    {"file://test_api_next_chunk.zip#mode=zarr,v3,zip", NC_NETCDF4, false, false},
    {"file://test_api_next_chunk_s.zip#mode=zarr,v3,zip", NC_NETCDF4, true, false},
};
enum { NPLACES = sizeof place / sizeof place[0], RANK_MAX = 3, LIST_MAX = 4096, TRIALS = 60 };

struct list {
    size_t n, at[LIST_MAX][RANK_MAX];
};

static uint32_t seed = 20261118;

static size_t below(size_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* --- the two walks --------------------------------------------------------------------------- */

static void add(struct list *l, const size_t *index, int rank)
{
    assert_true(l->n < LIST_MAX);
    memset(l->at[l->n], 0, sizeof l->at[0]);
    memcpy(l->at[l->n++], index, (size_t)rank * sizeof *index);
}

static unsigned long long size_of(int ncid, int varid, const size_t *index)
{
    unsigned long long size;

    OK(cellar_inq_chunk(ncid, varid, index, NULL, &size, NULL, NULL));
    return size;
}

/* Those that a walk gives; of a file that is written it may give others, too. */
static void walk(int ncid, int varid, int rank, struct list *out)
{
    size_t index[RANK_MAX];
    int more = 0;

    out->n = 0;
    for (OK(cellar_next_chunk(ncid, varid, index, &more)); more; OK(cellar_next_chunk(ncid, varid, index, &more)))
        if (size_of(ncid, varid, index))
            add(out, index, rank);
}

static void ask_for_each(int ncid, int varid, int rank, const size_t *n, struct list *out)
{
    size_t index[RANK_MAX] = {0};
    int d = 0;

    out->n = 0;
    for (int i = 0; i < rank; i++)
        if (n[i] == 0)
            return;
    while (d >= 0) {
        if (size_of(ncid, varid, index))
            add(out, index, rank);
        for (d = rank - 1; d >= 0 && ++index[d] == n[d]; d--)
            index[d] = 0;
    }
}

static void compare(const struct list *a, const struct list *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->at, b->at, a->n * sizeof a->at[0]);
}

/* --- random grids, in all containers ------------------------------------------------------------ */

struct grid {
    int rank, ncid, varid;
    size_t len[RANK_MAX], chunk[RANK_MAX], n[RANK_MAX];
};

static void define(const struct place *p, struct grid *g)
{
    int dim[RANK_MAX];
    size_t shard[RANK_MAX];
    char name[2] = "a";

    g->rank = 1 + (int)below(RANK_MAX);
    OK(nc_create(p->path, p->mode | NC_CLOBBER, &g->ncid));
    for (int d = 0; d < g->rank; d++, name[0]++) {
        bool grows = d == 0 ? below(2) : p->many_unlimited && below(3) == 0;

        g->len[d] = 1 + below(24);
        g->chunk[d] = 1 + below(g->len[d] < 3 ? g->len[d] : 3);
        g->n[d] = (g->len[d] + g->chunk[d] - 1) / g->chunk[d];
        shard[d] = g->chunk[d] * (1 + below(4));
        OK(nc_def_dim(g->ncid, name, grows ? NC_UNLIMITED : g->len[d], &dim[d]));
    }
    OK(nc_def_var(g->ncid, "v", NC_SHORT, g->rank, dim, &g->varid));
    OK(nc_def_var_chunking(g->ncid, g->varid, NC_CHUNKED, g->chunk));
    if (below(2))
        OK(cellar_def_var_chain(g->ncid, g->varid, "fletcher32"));
    if (p->sharded)
        OK(cellar_def_var_shards(g->ncid, g->varid, shard));
    OK(nc_enddef(g->ncid));
}

/* Some values, the last among them, so that all dimensions have their lengths. */
static void write_some(const struct grid *g)
{
    size_t at[RANK_MAX];
    short value = 7;

    for (size_t i = below(40); i > 0; i--) {
        for (int d = 0; d < g->rank; d++)
            at[d] = below(g->len[d]);
        OK(nc_put_var1_short(g->ncid, g->varid, at, &value));
    }
    for (int d = 0; d < g->rank; d++)
        at[d] = g->len[d] - 1;
    OK(nc_put_var1_short(g->ncid, g->varid, at, &value));
}

static void walks_give_what_asking_for_each_does(void **state)
{
    static struct list walked, asked, before;

    for (int i = 0; i < TRIALS; i++) {
        const struct place *p = &place[i % NPLACES];
        struct grid g;

        define(p, &g);
        for (int times = 0; times < 2; times++) {
            write_some(&g);
            ask_for_each(g.ncid, g.varid, g.rank, g.n, &before);
            walk(g.ncid, g.varid, g.rank, &walked);
            compare(&walked, &before);
        }
        OK(nc_close(g.ncid));
        OK(nc_open(p->path, NC_NOWRITE, &g.ncid));
        walk(g.ncid, g.varid, g.rank, &walked);
        ask_for_each(g.ncid, g.varid, g.rank, g.n, &asked);
        compare(&walked, &asked);
        compare(&walked, &before);
        OK(nc_close(g.ncid));
    }
}

/* --- few chunks of many --------------------------------------------------------------------------- */

#define HUGE_LEN ((size_t)1 << 21)

static void make_sparse(const struct place *p, const size_t (*at)[2], int n)
{
    size_t chunk[] = {2, 2}, shard[] = {64, 8};
    int ncid, varid, dim[2];
    short value = 1;

    OK(nc_create(p->path, p->mode | NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "a", HUGE_LEN, &dim[0]));
    OK(nc_def_dim(ncid, "b", HUGE_LEN, &dim[1]));
    OK(nc_def_var(ncid, "v", NC_SHORT, 2, dim, &varid));
    OK(nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunk));
    if (p->sharded)
        OK(cellar_def_var_shards(ncid, varid, shard));
    OK(nc_enddef(ncid));
    for (int i = 0; i < n; i++)
        OK(nc_put_var1_short(ncid, varid, (size_t[]){at[i][0] * 2, at[i][1] * 2}, &value));
    OK(nc_close(ncid));
}

static void three_of_2_to_the_40_are_found_at_once(void **state)
{
    static const size_t at[][2] = {{0, 3}, {5, 0}, {HUGE_LEN / 2 - 1, HUGE_LEN / 2 - 1}};
    static struct list walked;
    unsigned long long stored;

    for (int i = 0; i < NPLACES; i++) {
        int ncid, copy, dim[2], varid, as_stored;

        make_sparse(&place[i], at, 3);
        OK(nc_open(place[i].path, NC_NOWRITE, &ncid));
        walk(ncid, 0, 2, &walked);
        assert_int_equal(walked.n, 3);
        for (int k = 0; k < 3; k++)
            assert_memory_equal(walked.at[k], at[k], sizeof at[k]);
        OK(cellar_inq_var_stored(ncid, 0, &stored));
        assert_int_equal(stored, 3 * 4 * sizeof(short));

        OK(nc_create("test_api_next_chunk_copy.nc", NC_NETCDF4 | NC_CLOBBER, &copy));
        for (int d = 0; d < 2; d++)
            OK(nc_def_dim(copy, d ? "b" : "a", HUGE_LEN, &dim[d]));
        OK(nc_def_var(copy, "v", NC_SHORT, 2, dim, &varid));
        OK(nc_def_var_chunking(copy, varid, NC_CHUNKED, (size_t[]){2, 2}));
        OK(nc_enddef(copy));
        OK(cellar_copy_var_chunks(ncid, 0, copy, varid, &as_stored));
        assert_int_equal(as_stored, 1);
        OK(cellar_inq_var_stored(copy, varid, &stored)); /* of a file open for writing */
        assert_int_equal(stored, 3 * 4 * sizeof(short));
        OK(nc_close(copy));
        OK(nc_close(ncid));
    }
}

/* --- without chunks ----------------------------------------------------------------------------------- */

static void pieces_are_walked_too(void **state)
{
    static struct list walked;
    int ncid, dim[2], scalar, whole, record, one = 1;

    OK(nc_create("test_api_next_chunk_classic.nc", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dim[0]));
    OK(nc_def_dim(ncid, "x", 5, &dim[1]));
    OK(nc_def_var(ncid, "scalar", NC_INT, 0, NULL, &scalar));
    OK(nc_def_var(ncid, "whole", NC_INT, 1, &dim[1], &whole));
    OK(nc_def_var(ncid, "record", NC_INT, 2, dim, &record));
    OK(nc_enddef(ncid));
    walk(ncid, record, 2, &walked);
    assert_int_equal(walked.n, 0);
    OK(nc_put_var1_int(ncid, record, (size_t[]){3, 2}, &one));
    walk(ncid, scalar, 0, &walked);
    assert_int_equal(walked.n, 1);
    walk(ncid, whole, 1, &walked);
    assert_int_equal(walked.n, 1);
    walk(ncid, record, 2, &walked);
    assert_int_equal(walked.n, 4);
    assert_int_equal(walked.at[3][0], 3);
    OK(nc_close(ncid));
}

static void wrong_calls_are_refused(void **state)
{
    size_t index[2] = {4, 5};
    int ncid, more = 0;

    make_sparse(&place[0], (const size_t[][2]){{1, 1}}, 1);
    OK(nc_open(place[0].path, NC_NOWRITE, &ncid));
    assert_int_equal(cellar_next_chunk(ncid, 0, NULL, &more), NC_EINVAL);
    assert_int_equal(cellar_next_chunk(ncid, 0, index, NULL), NC_EINVAL);
    assert_int_equal(cellar_next_chunk(ncid, 9, index, &more), NC_ENOTVAR);
    assert_int_equal(index[0], 4);
    index[0] = index[1] = SIZE_MAX; /* behind all chunks */
    more = 1;
    OK(cellar_next_chunk(ncid, 0, index, &more));
    assert_int_equal(more, 0);
    OK(nc_close(ncid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_give_what_asking_for_each_does),
        cmocka_unit_test(three_of_2_to_the_40_are_found_at_once),
        cmocka_unit_test(pieces_are_walked_too),
        cmocka_unit_test(wrong_calls_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
