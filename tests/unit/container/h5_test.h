/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_TEST_H
#define CEL_H5_TEST_H

/* Shared by the tests of the HDF5 container: datasets made and opened through the
 * container's table, without the API above it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "array.h"
#include "container.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define assert_ok(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != CEL_OK) \
            fail_msg("%s: %d: %s", #call, rc_, cel_error_text()); \
    } while (0)

/* A path in the test's own directory (the working directory of ctest). */
static inline const char *scratch(const char *name)
{
    static char path[4][256];
    static int turn;

    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "h5_test_%d_%s", (int)getpid(), name);
    return path[turn];
}

static inline struct cel_dataset *start(const char *path, int mode, bool create)
{
    struct cel_location where = {.path = path};
    struct cel_options options = {.mode = mode};
    struct cel_dataset *ds;

    assert_ok(cel_dataset_make(path, mode, &ds));
    ds->ops = &cel_hdf5_ops;
    ds->features = ds->ops->features;
    ds->defining = ds->created = create;
    ds->writable = create || (mode & NC_WRITE);
    assert_ok((create ? ds->ops->create : ds->ops->open)(ds, &where, &options));
    return ds;
}

static inline struct cel_dataset *create(const char *path)
{
    return start(path, NC_NETCDF4, true);
}

static inline struct cel_dataset *reopen(const char *path, int mode)
{
    return start(path, mode, false);
}

static inline void finish(struct cel_dataset *ds)
{
    size_t i;

    if (ds->writable)
        assert_ok(cel_array_flush_all(ds));
    for (i = 0; i < ds->root->vars.n; i++)
        cel_array_free(ds->root->vars.at[i]);
    assert_ok(ds->ops->close(ds, true, NULL));
    cel_dataset_free(ds);
}

static inline struct cel_var *find_var(struct cel_dataset *ds, const char *name)
{
    struct cel_var *var = cel_var_find(ds->root, name);

    assert_non_null(var);
    assert_ok(ds->ops->load_var(ds, var));
    return var;
}

/* A one-dimensional variable of ints on an unlimited dimension of the same name + "_dim". */
static inline struct cel_var *def_ints(struct cel_dataset *ds, const char *name, size_t chunk, bool filtered)
{
    struct cel_dim *dim;
    struct cel_var *var;
    struct cel_step step;
    char dim_name[64];
    unsigned level = 6;

    snprintf(dim_name, sizeof dim_name, "%s_dim", name);
    assert_ok(cel_dim_def(ds->root, dim_name, 0, true, &dim));
    assert_ok(cel_var_def(ds->root, name, cel_type_atomic(NC_INT), 1, &dim, &var));
    assert_ok(cel_var_set_storage(var, NC_CHUNKED, &chunk));
    if (filtered) {
        assert_ok(cel_step_make(1, 1, &level, &step));
        step.optional = true;
        assert_ok(cel_var_add_filter(var, &step));
    }
    return var;
}

static inline void settle(struct cel_dataset *ds)
{
    assert_ok(ds->ops->save(ds));
    ds->defining = ds->created = false;
}

static inline void put_chunk(struct cel_dataset *ds, struct cel_var *var, size_t index, const void *bytes, size_t n,
                             uint32_t skipped)
{
    struct cel_chunk_location at;

    assert_ok(ds->ops->chunk_allocate(ds, var, &index, bytes, n, skipped, &at));
    assert_ok(ds->ops->chunk_write(ds, var, &index, &at, bytes, n));
}

static inline void put_ints(struct cel_dataset *ds, struct cel_var *var, size_t start_at, size_t count,
                            const int *values)
{
    assert_ok(cel_put_region(ds, var, &(struct cel_region){&start_at, &count, NULL, NULL}, values, NC_INT));
}

static inline int get_ints(struct cel_dataset *ds, struct cel_var *var, size_t start_at, size_t count, int *values)
{
    return cel_get_region(ds, var, &(struct cel_region){&start_at, &count, NULL, NULL}, values, NC_INT);
}

#endif
