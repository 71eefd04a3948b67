/* SPDX-License-Identifier: BSD-3-Clause */
/* Text, lists of numbers and compounds of both: ranks put blocks of them together, with gaps, and alone, and read them back while the
 * file is written and afterwards. texts FILE FORMAT (netcdf4, or a store: text only) */
#include "check.h"

enum { NY = 12, NX = 7, LONG = 20000 };

static int wrong;

/* NULL reads as the empty text. */
static char *make_text(size_t y, size_t x)
{
    size_t n = (y * NX + x) % 11 == 5 ? LONG : (y + x) % 30;
    char *text = (y * 3 + x) % 13 == 2 ? NULL : malloc(n + 1);

    if (text) {
        memset(text, 'a' + (int)((y + 2 * x) % 26), n);
        text[n] = 0;
    }
    return text;
}

static int same_text(const char *got, size_t y, size_t x)
{
    char *expected = make_text(y, x);
    int same = strcmp(got ? got : "", expected ? expected : "") == 0;

    free(expected);
    return same;
}

struct pair {
    int number;
    char *name;
    nc_vlen_t list; /* of short */
};

static nc_vlen_t make_list(size_t y, size_t x)
{
    nc_vlen_t list = {.len = (y + x) % 5};
    short *values = malloc((list.len + 1) * sizeof *values);

    for (size_t i = 0; i < list.len; i++)
        values[i] = (short)(y * 100 + x * 10 + i);
    list.p = values;
    return list;
}

static int same_list(nc_vlen_t got, size_t y, size_t x)
{
    nc_vlen_t list = make_list(y, x);
    int same = list.len == got.len && (!list.len || memcmp(list.p, got.p, list.len * sizeof(short)) == 0);

    free(list.p);
    return same;
}

/* --- kinds of elements ------------------------------------------------------------------------------ */

static void make_text_at(void *at, size_t y, size_t x)
{
    *(char **)at = make_text(y, x);
}

static int same_text_at(const void *at, size_t y, size_t x)
{
    return same_text(*(char *const *)at, y, x);
}

static void make_list_at(void *at, size_t y, size_t x)
{
    *(nc_vlen_t *)at = make_list(y, x);
}

static int same_list_at(const void *at, size_t y, size_t x)
{
    return same_list(*(const nc_vlen_t *)at, y, x);
}

static void make_pair_at(void *at, size_t y, size_t x)
{
    memset(at, 0, sizeof(struct pair));
    *(struct pair *)at = (struct pair){(int)(y * NX + x), make_text(y, x), make_list(y, x)};
}

static int same_pair_at(const void *at, size_t y, size_t x)
{
    const struct pair *pair = at;

    return pair->number == (int)(y * NX + x) && same_text(pair->name, y, x) && same_list(pair->list, y, x);
}

static struct kind {
    const char *name;
    size_t size;
    void (*make)(void *at, size_t y, size_t x);
    int (*same)(const void *at, size_t y, size_t x);
    nc_type type;
    int var, alone;
} kinds[] = {
    {"text", sizeof(char *), make_text_at, same_text_at, NC_STRING, 0, 0},
    {"list", sizeof(nc_vlen_t), make_list_at, same_list_at, 0, 0, 0},
    {"pair", sizeof(struct pair), make_pair_at, same_pair_at, 0, 0, 0},
};
static size_t nkinds = 3;

static void define(int ncid)
{
    int dims[2];

    CHECK(nc_def_dim(ncid, "y", NY, &dims[0]));
    CHECK(nc_def_dim(ncid, "x", NX, &dims[1]));
    if (nkinds > 1) {
        CHECK(nc_def_vlen(ncid, "list_t", NC_SHORT, &kinds[1].type));
        CHECK(nc_def_compound(ncid, sizeof(struct pair), "pair_t", &kinds[2].type));
        CHECK(nc_insert_compound(ncid, kinds[2].type, "number", offsetof(struct pair, number), NC_INT));
        CHECK(nc_insert_compound(ncid, kinds[2].type, "name", offsetof(struct pair, name), NC_STRING));
        CHECK(nc_insert_compound(ncid, kinds[2].type, "list", offsetof(struct pair, list), kinds[1].type));
    }
    for (size_t k = 0; k < nkinds; k++) {
        char alone[50];

        snprintf(alone, sizeof alone, "%s_alone", kinds[k].name);
        CHECK(nc_def_var(ncid, kinds[k].name, kinds[k].type, 2, dims, &kinds[k].var));
        CHECK(nc_def_var(ncid, alone, kinds[k].type, 2, dims, &kinds[k].alone));
    }
    CHECK(nc_enddef(ncid));
    for (size_t k = 0; k < nkinds; k++)
        CHECK(nc_var_par_access(ncid, kinds[k].var, NC_COLLECTIVE));
}

/* --- puts and gets ----------------------------------------------------------------------------------- */

static void put(int ncid, const struct kind *kind, int var, size_t y0, size_t ny, ptrdiff_t step)
{
    size_t start[2] = {y0, 0}, count[2] = {ny, NX};
    ptrdiff_t stride[2] = {step, 1};
    char *elements = calloc(ny * NX + 1, kind->size);

    for (size_t y = 0; y < ny; y++)
        for (size_t x = 0; x < NX; x++)
            kind->make(elements + (y * NX + x) * kind->size, y0 + y * (size_t)step, x);
    CHECK(nc_put_vars(ncid, var, start, count, stride, elements));
    CHECK(nc_reclaim_data(ncid, kind->type, elements, ny * NX));
    free(elements);
}

static void check(int ncid, const struct kind *kind, int var, int line)
{
    void *elements = calloc(NY * NX, kind->size);
    int before = wrong;

    CHECK(nc_get_var(ncid, var, elements));
    for (size_t y = 0; y < NY; y++)
        for (size_t x = 0; x < NX; x++)
            wrong += !kind->same((char *)elements + (y * NX + x) * kind->size, y, x);
    CHECK(nc_reclaim_data(ncid, kind->type, elements, NY * NX));
    free(elements);
    if (wrong > before)
        fprintf(stderr, "rank %d, line %d: %s: %d wrong\n", rank, line, kind->name, wrong - before);
}

/* The caller's memory has the last dimension first. */
static void put_mapped(int ncid, const struct kind *kind)
{
    size_t start[2] = {(size_t)rank * NY / (size_t)size, 0};
    size_t count[2] = {(size_t)(rank + 1) * NY / (size_t)size - start[0], NX}, n = count[0] * NX;
    ptrdiff_t map[2] = {1, (ptrdiff_t)count[0]};
    char **texts = calloc(n + 1, sizeof *texts);

    for (size_t y = 0; y < count[0]; y++)
        for (size_t x = 0; x < NX; x++)
            texts[x * count[0] + y] = make_text(start[0] + y, x);
    CHECK(nc_put_varm_string(ncid, kind->var, start, count, NULL, map, (const char **)texts));
    memset(texts, 0, n * sizeof *texts);
    CHECK(nc_get_varm_string(ncid, kind->var, start, count, NULL, map, texts));
    for (size_t y = 0; y < count[0]; y++)
        for (size_t x = 0; x < NX; x++)
            wrong += !same_text(texts[x * count[0] + y], start[0] + y, x);
    CHECK(nc_free_string(n, texts));
    free(texts);
}

static void put_all(int ncid)
{
    size_t from = (size_t)rank * NY / (size_t)size, to = (size_t)(rank + 1) * NY / (size_t)size;

    for (size_t k = 0; k < nkinds; k++) {
        put(ncid, &kinds[k], kinds[k].var, from, to - from, 1);
        put(ncid, &kinds[k], kinds[k].alone, from, to - from, 1);
        check(ncid, &kinds[k], kinds[k].var, __LINE__);
    }
    CHECK(nc_sync(ncid));
    for (size_t k = 0; k < nkinds; k++) {
        check(ncid, &kinds[k], kinds[k].alone, __LINE__);
        put(ncid, &kinds[k], kinds[k].var, 1, rank == size - 1 ? NY / 2 : 0, 2); /* the others have nothing */
    }
    put_mapped(ncid, &kinds[0]);
}

int main(int argc, char **argv)
{
    int ncid, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3)
        return 2;
    nkinds = strcmp(argv[2], "netcdf4") == 0 ? 3 : 1;
    CHECK(nc_create_par(argv[1], NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    define(ncid);
    put_all(ncid);
    CHECK(nc_close(ncid));

    CHECK(nc_open_par(argv[1], NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    for (size_t k = 0; k < nkinds; k++) {
        CHECK(nc_inq_varid(ncid, kinds[k].name, &kinds[k].var));
        CHECK(nc_inq_vartype(ncid, kinds[k].var, &kinds[k].type));
        CHECK(nc_var_par_access(ncid, kinds[k].var, NC_COLLECTIVE));
        check(ncid, &kinds[k], kinds[k].var, __LINE__);
    }
    CHECK(nc_close(ncid));
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("texts %s: %d ranks, %d wrong\n", argv[2], size, all);
    MPI_Finalize();
    return all != 0;
}
