/* SPDX-License-Identifier: BSD-3-Clause */
/* A chunk index that leads to the address "nowhere" (all ones), at each level and for each of its children: an
 * error or other values, and never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/tree.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH "index.nc"
#define NCHUNKS 200 /* more than the 64 of one node: an index of two levels */
#define assert_ok(call) assert_int_equal(call, NC_NOERR)

struct bytes {
    unsigned char *p;
    size_t n;
};

static void make(void)
{
    int ncid, x, v, value[NCHUNKS];
    size_t one = 1;

    for (int i = 0; i < NCHUNKS; i++)
        value[i] = i;
    assert_ok(nc_create(PATH, NC_NETCDF4 | NC_CLOBBER, &ncid));
    assert_ok(nc_def_dim(ncid, "x", NCHUNKS, &x));
    assert_ok(nc_def_var(ncid, "v", NC_INT, 1, &x, &v));
    assert_ok(nc_def_var_chunking(ncid, v, NC_CHUNKED, &one));
    assert_ok(nc_put_var_int(ncid, v, value));
    assert_ok(nc_close(ncid));
}

static struct bytes slurp(void)
{
    FILE *f = fopen(PATH, "rb");
    struct bytes b;

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    b.n = (size_t)ftell(f);
    rewind(f);
    b.p = malloc(b.n);
    assert_non_null(b.p);
    assert_int_equal(fread(b.p, 1, b.n, f), b.n);
    fclose(f);
    return b;
}

static void write_bytes(const struct bytes *b)
{
    FILE *f = fopen(PATH, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(b->p, 1, b->n, f), b->n);
    assert_int_equal(fclose(f), 0);
}

/* All of it, then one by one from the end: the second time some nodes are kept already. */
static void read_any(void)
{
    int ncid, value[NCHUNKS];

    if (nc_open(PATH, NC_NOWRITE, &ncid) != NC_NOERR)
        return;
    nc_get_var_int(ncid, 0, value);
    for (size_t i = NCHUNKS; i-- > 0;)
        nc_get_var1_int(ncid, 0, &i, value);
    assert_ok(nc_close(ncid));
}

/* The address of child i in a node whose keys take 24 bytes (one dimension). */
static unsigned char *child_at(unsigned char *node, int i)
{
    return node + 24 + 24 + (size_t)i * (24 + 8);
}

static int break_nodes(struct bytes *b, int level)
{
    unsigned char kept[8];
    int n = 0;

    for (size_t at = 0; at + 2120 <= b->n; at += 8) {
        unsigned char *node = b->p + at;

        if (memcmp(node, "TREE\1", 5) != 0 || node[5] != level)
            continue;
        for (int i = 0; i < node[6]; i += level ? 1 : 7) {
            memcpy(kept, child_at(node, i), 8);
            memset(child_at(node, i), 0xff, 8);
            write_bytes(b);
            read_any();
            memcpy(child_at(node, i), kept, 8);
            n++;
        }
    }
    return n;
}

static void children_nowhere(void **state)
{
    struct bytes b;

    (void)state;
    make();
    b = slurp();
    assert_true(break_nodes(&b, 1) > 1);
    assert_true(break_nodes(&b, 0) > 10);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(children_nowhere)};
    char folder[] = "regress_14_XXXXXX";
    int failed;

    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (chdir("..") == 0)
        remove_tree(folder);
    return failed;
}
