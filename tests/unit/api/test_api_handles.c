/* SPDX-License-Identifier: BSD-3-Clause */
/* Two handles on one file with user types: they close in any order. libhdf5 loses some hundred bytes of its own there. */
#include "user_test.h"
#include <stddef.h>

/* Both handles have the dataset and its committed type open in libhdf5. */
static void handles_of_user_types_close_in_any_order(void **state)
{
    struct point {
        int x;
        double y;
    } out[2], in[2];
    int handle[2], type, dim, varid;

    (void)state;
    memset(out, 0, sizeof out);
    out[1].x = 3;
    assert_ok(nc_create("points.nc", NC_NETCDF4, &handle[0]));
    assert_ok(nc_def_compound(handle[0], sizeof *out, "point", &type));
    assert_ok(nc_insert_compound(handle[0], type, "x", offsetof(struct point, x), NC_INT));
    assert_ok(nc_insert_compound(handle[0], type, "y", offsetof(struct point, y), NC_DOUBLE));
    assert_ok(nc_def_dim(handle[0], "n", 2, &dim));
    assert_ok(nc_def_var(handle[0], "v", type, 1, &dim, &varid));
    assert_ok(nc_put_var(handle[0], varid, out));
    assert_ok(nc_close(handle[0]));
    for (int first = 0; first < 2; first++) {
        for (int i = 0; i < 2; i++) {
            assert_ok(nc_open("points.nc", NC_WRITE, &handle[i]));
            assert_ok(nc_get_var(handle[i], varid, in));
            assert_int_equal(in[1].x, 3);
        }
        assert_ok(nc_close(handle[first]));
        assert_ok(nc_close(handle[!first]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_of_user_types_close_in_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
