/* SPDX-License-Identifier: BSD-3-Clause */
/* Every code that netCDF-C knows has a text of its own; tests/interop/programs/texts.c compares them with netCDF-C's. */
#include "api_test.h"
#include <errno.h>

static bool is_code(int code)
{
    return code == NC_NOERR || (code <= NC_EBADID && code >= NC_EAUTH) ||
           (code <= NC_ENOTFOUND && code >= NC_EPNETCDF) || (code <= NC_EHDFERR && code >= NC_EZARRMETA) ||
           code == NC_ECOMPRESS;
}

static void codes_have_texts_of_their_own(void **state)
{
    (void)state;
    for (int code = -400; code <= 0; code++) {
        const char *text = nc_strerror(code);

        if (!is_code(code)) {
            assert_string_equal(text, "Unknown Error");
            continue;
        }
        assert_string_not_equal(text, "Unknown Error");
        for (int other = code + 1; other <= 0; other++)
            if (is_code(other))
                assert_string_not_equal(text, nc_strerror(other));
    }
}

static void positive_codes_are_the_systems(void **state)
{
    (void)state;
    assert_string_equal(nc_strerror(ENOENT), strerror(ENOENT));
    assert_string_equal(nc_strerror(EACCES), strerror(EACCES));
}

static void the_version_starts_with_the_interface(void **state)
{
    (void)state;
    assert_memory_equal(nc_inq_libvers(), "4.9.3 ", 6);
    assert_non_null(strstr(nc_inq_libvers(), cellar_version()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_texts_of_their_own),
        cmocka_unit_test(positive_codes_are_the_systems),
        cmocka_unit_test(the_version_starts_with_the_interface),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
