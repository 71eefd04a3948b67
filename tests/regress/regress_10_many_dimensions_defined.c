/* SPDX-License-Identifier: BSD-3-Clause */
/* A variable has at most 32 dimensions, in every format; one more is NC_EMAXDIMS and changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "containers.h"

#define assert_ok(call) assert_int_equal(call, NC_NOERR)

static void more_than_32_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < NCONTAINERS; i++) {
        const char *path = container_path(&containers[i], "many");
        int ncid, id, dims[1024], value = 77;

        assert_ok(nc_create(path, NC_CLOBBER | containers[i].mode, &ncid));
        for (int d = 0; d < 40; d++) {
            char name[16];

            snprintf(name, sizeof name, "d%d", d);
            assert_ok(nc_def_dim(ncid, name, 1, &dims[d]));
        }
        for (int d = 40; d < 1024; d++)
            dims[d] = dims[0];
        assert_int_equal(nc_def_var(ncid, "v33", NC_INT, 33, dims, &id), NC_EMAXDIMS);
        assert_int_equal(nc_def_var(ncid, "v1024", NC_INT, 1024, dims, &id), NC_EMAXDIMS);
        assert_ok(nc_def_var(ncid, "v32", NC_INT, 32, dims, &id));
        assert_int_equal(id, 0);
        assert_ok(nc_enddef(ncid));
        assert_ok(nc_put_var_int(ncid, id, &value));
        assert_ok(nc_close(ncid));
        value = 0;
        assert_ok(nc_open(path, NC_NOWRITE, &ncid));
        assert_ok(nc_inq_varid(ncid, "v32", &id));
        assert_ok(nc_get_var_int(ncid, id, &value));
        assert_int_equal(value, 77);
        assert_ok(nc_close(ncid));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(more_than_32_are_refused)};
    int failed;

    scratch_enter();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_leave();
    return failed;
}
