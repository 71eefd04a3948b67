/* SPDX-License-Identifier: BSD-3-Clause */
/* An array that is not understood is listed with the reason; all else of the store works. */
#include <cellar.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define OK(call) assert_int_equal((call), NC_NOERR)

static char scratch[] = "regress_26_XXXXXX";

static void write_text(const char *key, const char *text)
{
    char path[200];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", scratch, key);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void make_folder(const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", scratch, name);
    assert_int_equal(mkdir(path, 0777), 0);
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(scratch));
    write_text(".zgroup", "{\"zarr_format\":2}");
    make_folder("good");
    write_text("good/.zarray", "{\"zarr_format\":2,\"shape\":[2],\"chunks\":[2],\"dtype\":\"<i4\",\"compressor\":null,"
                               "\"filters\":null,\"fill_value\":7,\"order\":\"C\"}");
    make_folder("odd");
    write_text("odd/.zarray", "{\"zarr_format\":2,\"shape\":[2],\"chunks\":[2],\"dtype\":\"|O\",\"compressor\":null,"
                              "\"filters\":null,\"fill_value\":null,\"order\":\"C\"}");
    return 0;
}

static int tear_down(void **state)
{
    static const char *const keys[] = {"good/.zarray", "odd/.zarray", ".zgroup", "good", "odd", ""};
    char path[200];

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        snprintf(path, sizeof path, "%s/%s", scratch, keys[i]);
        remove(path);
    }
    return 0;
}

static void it_is_listed_and_the_rest_works(void **state)
{
    char *name, *reason;
    int ncid, varid, n, value[2];

    (void)state;
    OK(nc_open(scratch, NC_NOWRITE, &ncid));
    OK(cellar_inq_nunreadable(ncid, &n));
    assert_int_equal(n, 1);
    OK(cellar_inq_unreadable(ncid, 0, &name, &reason));
    assert_string_equal(name, "odd");
    assert_non_null(strstr(reason, "objects need"));
    cellar_free(name);
    cellar_free(reason);
    assert_int_equal(cellar_inq_unreadable(ncid, 1, &name, NULL), NC_EINVAL);
    assert_null(name);
    assert_int_equal(nc_inq_varid(ncid, "odd", &varid), NC_ENOTVAR);
    OK(nc_inq_varid(ncid, "good", &varid));
    OK(nc_get_var_int(ncid, varid, value));
    assert_int_equal(value[1], 7);
    OK(nc_close(ncid));
}

static void its_name_is_taken(void **state)
{
    int ncid, varid;

    (void)state;
    OK(nc_open(scratch, NC_WRITE, &ncid));
    assert_int_equal(nc_def_var(ncid, "odd", NC_INT, 0, NULL, &varid), NC_ENAMEINUSE);
    OK(nc_close(ncid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_listed_and_the_rest_works),
        cmocka_unit_test(its_name_is_taken),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
