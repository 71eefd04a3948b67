/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_TEST_H
#define MODEL_TEST_H

/* What the tests of the model share: a dataset in define mode, and short asserts. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model.h"

#define OK(call) assert_int_equal((call), CEL_OK)
#define FAILS(call, code) (assert_int_equal((call), (code)), assert_true(cel_error_text()[0] != '\0'))

static inline struct cel_dataset *dataset(int mode)
{
    struct cel_dataset *ds = NULL;

    OK(cel_dataset_make("t.nc", mode, &ds));
    ds->writable = ds->defining = ds->created = true;
    return ds;
}

/* As if a container had saved everything and define mode were left. */
static inline void saved(struct cel_dataset *ds)
{
    OK(cel_mode_check_enddef(ds));
    ds->defining = ds->created = false;
    for (size_t g = 0; g < ds->groups.n; g++) {
        struct cel_group *group = ds->groups.at[g];
        group->saved = CEL_SAVED;
        for (size_t i = 0; i < group->atts.list.n; i++)
            ((struct cel_att *)group->atts.list.at[i])->saved = CEL_SAVED;
        for (size_t v = 0; v < group->vars.n; v++) {
            struct cel_var *var = group->vars.at[v];
            var->saved = CEL_SAVED;
            for (size_t i = 0; i < var->atts.list.n; i++)
                ((struct cel_att *)var->atts.list.at[i])->saved = CEL_SAVED;
        }
    }
    for (size_t i = 0; i < ds->dims.n; i++)
        ((struct cel_dim *)ds->dims.at[i])->saved = CEL_SAVED;
    for (size_t i = 0; i < ds->types.n; i++)
        ((struct cel_type *)ds->types.at[i])->saved = CEL_SAVED;
}

static inline struct cel_dim *dim_of(struct cel_group *group, const char *name, size_t len)
{
    struct cel_dim *dim = NULL;

    OK(cel_dim_def(group, name, len, len == NC_UNLIMITED, &dim));
    return dim;
}

static inline struct cel_var *var_of(struct cel_group *group, const char *name, nc_type type, int ndims,
                                     struct cel_dim *const *dims)
{
    struct cel_var *var = NULL;

    OK(cel_var_def(group, name, cel_type_by_id(group->dataset, type), ndims, dims, &var));
    return var;
}

#endif
