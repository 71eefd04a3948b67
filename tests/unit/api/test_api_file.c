/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: in memory, aborted, forgotten flags, filters by text, errors with names. */
#include "user_test.h"
#include <netcdf_mem.h>
#include <sys/stat.h>
#include <unistd.h>

static int make(const char *path, int mode, int *varid)
{
    int ncid, dim, values[4] = {1, 2, 3, 4};

    assert_ok(nc_create(path, NC_NETCDF4 | mode, &ncid));
    assert_ok(nc_def_dim(ncid, "x", 4, &dim));
    assert_ok(nc_def_var(ncid, "v", NC_INT, 1, &dim, varid));
    assert_ok(nc_put_var_int(ncid, *varid, values));
    return ncid;
}

static void check(int ncid, int second)
{
    int back[4];

    assert_ok(nc_get_var_int(ncid, 0, back));
    assert_int_equal(back[0], 1);
    assert_int_equal(back[1], second);
}

static void memory_is_changed_and_handed_out(void **state)
{
    NC_memio memory = {0}, copy;
    int ncid, varid, value = 70;

    (void)state;
    assert_ok(nc_create_mem("m.nc", NC_NETCDF4, 0, &ncid));
    assert_ok(nc_def_var(ncid, "s", NC_INT, 0, NULL, &varid));
    assert_int_equal(nc_close_memio(ncid, NULL), NC_EINVAL);
    assert_ok(nc_close(ncid));

    ncid = make("m.nc", NC_DISKLESS, &varid);
    assert_ok(nc_close_memio(ncid, &memory));
    assert_true(memory.size > 0);
    assert_int_not_equal(access("m.nc", F_OK), 0);

    assert_ok(nc_open_memio("m.nc", NC_WRITE, &memory, &ncid)); /* takes the memory over */
    assert_ok(nc_put_var1_int(ncid, 0, &(size_t){1}, &value));
    assert_ok(nc_close_memio(ncid, &memory));

    copy = memory;
    copy.flags = NC_MEMIO_LOCKED; /* stays ours */
    assert_ok(nc_open_memio("m.nc", NC_NOWRITE, &copy, &ncid));
    check(ncid, 70);
    assert_ok(nc_close(ncid));
    assert_ok(nc_open_mem("m.nc", NC_NOWRITE, memory.size, memory.memory, &ncid));
    check(ncid, 70);
    assert_ok(nc_close(ncid));
    free(memory.memory);
}

static void bytes_of_a_file_on_disk_are_not_handed_out(void **state)
{
    NC_memio memory;
    int varid, ncid = make("disk.nc", 0, &varid);

    (void)state;
    assert_int_equal(nc_close_memio(ncid, &memory), NC_EINMEMORY);
    check(ncid, 2); /* still open */
    assert_ok(nc_close(ncid));
    unlink("disk.nc");
}

static void the_default_format_counts(void **state)
{
    int ncid, format;

    (void)state;
    assert_ok(nc_set_default_format(NC_FORMAT_NETCDF4_CLASSIC, NULL));
    assert_ok(nc_create("default.nc", NC_CLOBBER, &ncid));
    assert_ok(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
    assert_ok(nc_close(ncid));
    assert_ok(nc_set_default_format(NC_FORMAT_CLASSIC, NULL));
    unlink("default.nc");
}

static void one_file_can_be_open_many_times(void **state)
{
    int ids[20], varid, ncid = make("many.nc", 0, &varid);

    (void)state;
    assert_ok(nc_close(ncid));
    for (int i = 0; i < 20; i++)
        assert_ok(nc_open("many.nc", NC_NOWRITE, &ids[i]));
    for (int i = 0; i < 20; i++)
        check(ids[i], 2);
    for (int i = 0; i < 20; i++)
        assert_ok(nc_close(ids[i]));
    unlink("many.nc");
}

static void errors_say_where(void **state)
{
    int varid, ncid = make("where.nc", 0, &varid), group, value = 0;

    (void)state;
    assert_int_equal(nc_get_var1_int(ncid, varid, &(size_t){9}, &value), NC_EINVALCOORDS);
    assert_string_equal(cellar_error_part(CELLAR_FILE), "where.nc");
    assert_string_equal(cellar_error_part(CELLAR_VARIABLE), "v");
    assert_non_null(strstr(cellar_error(), "dimension x"));
    assert_ok(nc_def_grp(ncid, "g", &group));
    assert_string_equal(cellar_error(), "");
    assert_int_equal(nc_inq_varid(group, "v", &varid), NC_ENOTVAR);
    assert_string_equal(cellar_error(), "where.nc: group g has no variable v");
    assert_ok(nc_close(ncid));
    unlink("where.nc");
}

static void a_failed_create_leaves_nothing(void **state)
{
    int ncid;

    (void)state;
    assert_int_not_equal(nc_create("no_such_dir/x.nc", NC_NETCDF4, &ncid), NC_NOERR);
    assert_non_null(strstr(cellar_error(), "no_such_dir/x.nc"));
    if (geteuid() == 0)
        return; /* root may write anywhere */
    assert_int_equal(mkdir("locked", 0555), 0);
    assert_int_not_equal(nc_create("locked/x.nc", NC_NETCDF4, &ncid), NC_NOERR);
    assert_int_not_equal(access("locked/x.nc", F_OK), 0);
    rmdir("locked");
}

static void an_unfinished_type_keeps_the_file_from_being_made(void **state)
{
    nc_type type;
    int ncid;

    (void)state;
    assert_ok(nc_create("half.nc", NC_NETCDF4, &ncid));
    assert_ok(nc_def_compound(ncid, 4, "nothing in it", &type));
    assert_int_equal(nc_close(ncid), NC_EINVAL);
    assert_non_null(strstr(cellar_error(), "nothing in it"));
    assert_ok(nc_abort(ncid)); /* it stayed open, to be mended */
    assert_int_not_equal(access("half.nc", F_OK), 0);
    assert_int_equal(nc_close(ncid), NC_EBADID);
}

static void an_unfinished_type_can_be_finished(void **state)
{
    nc_type type;
    int ncid;

    (void)state;
    assert_ok(nc_create("half.nc", NC_NETCDF4, &ncid));
    assert_ok(nc_def_enum(ncid, NC_INT, "e", &type));
    assert_int_equal(nc_close(ncid), NC_EINVAL);
    assert_ok(nc_insert_enum(ncid, type, "one", &(int){1}));
    assert_ok(nc_close(ncid));
    assert_int_equal(nc_close(ncid), NC_EBADID);
    assert_ok(nc_open("half.nc", NC_NOWRITE, &ncid));
    assert_ok(nc_inq_typeid(ncid, "e", &type));
    assert_ok(nc_close(ncid));
    unlink("half.nc");
}

static void filters_by_text(void **state)
{
    int ncid, dim, varid, values[4] = {0};
    char *text;

    (void)state;
    assert_ok(nc_create("chain.nc", NC_NETCDF4, &ncid));
    assert_ok(nc_def_dim(ncid, "x", 4, &dim));
    assert_ok(nc_def_var(ncid, "v", NC_INT, 1, &dim, &varid));
    assert_ok(cellar_def_var_chain(ncid, varid, "shuffle|deflate,level=3|fletcher32"));
    assert_ok(cellar_inq_var_chain(ncid, varid, CELLAR_IDS, &text));
    assert_string_equal(text, "2|1,3|3"); /* as written: not moved to the front */
    cellar_free(text);
    assert_ok(cellar_inq_var_chain(ncid, varid, CELLAR_NAMES, &text));
    assert_non_null(strstr(text, "shuffle|deflate"));
    cellar_free(text);
    assert_ok(cellar_inq_var_chain(ncid, varid, CELLAR_JSON, &text));
    assert_non_null(strstr(text, "zlib"));
    cellar_free(text);
    assert_int_not_equal(cellar_def_var_chain(ncid, varid, "shuffle|nonsense"), NC_NOERR);
    assert_non_null(strstr(cellar_error(), "nonsense"));
    assert_ok(cellar_def_var_chain(ncid, varid, ""));
    assert_ok(cellar_inq_var_chain(ncid, varid, CELLAR_IDS, &text));
    assert_string_equal(text, "");
    cellar_free(text);
    assert_ok(cellar_def_var_chain(ncid, varid, "2|1,9"));
    assert_ok(nc_put_var_int(ncid, varid, values));
    assert_int_equal(cellar_def_var_chain(ncid, varid, "2"), NC_EINDEFINE); /* as nc_def_var_filter() */
    assert_ok(nc_close(ncid));
    assert_ok(nc_open("chain.nc", NC_NOWRITE, &ncid));
    assert_ok(cellar_inq_var_chain(ncid, 0, CELLAR_IDS, &text));
    assert_memory_equal(text, "2", 1);
    cellar_free(text);
    assert_ok(nc_get_var_int(ncid, 0, values));
    assert_ok(nc_close(ncid));
    unlink("chain.nc");
}

static void cache_of_a_variable(void **state)
{
    int varid, ncid = make("cache.nc", 0, &varid);
    size_t size, nelems;
    float preemption;

    (void)state;
    assert_ok(nc_get_var_chunk_cache(ncid, varid, &size, &nelems, &preemption));
    assert_int_equal(size, 67108864);
    assert_int_equal(nc_set_var_chunk_cache(ncid, varid, 1, 1, 2), NC_EINVAL);
    assert_ok(nc_set_var_chunk_cache(ncid, varid, 1000, 5, 0.25f));
    assert_ok(nc_get_var_chunk_cache(ncid, varid, &size, NULL, NULL));
    assert_int_equal(size, 1000);
    check(ncid, 2);
    assert_ok(nc_close(ncid));
    unlink("cache.nc");
}

static void sync_lets_others_read(void **state)
{
    int varid, ncid = make("sync.nc", 0, &varid), other;

    (void)state;
    assert_ok(nc_sync(ncid));
    assert_ok(nc_open("sync.nc", NC_NOWRITE, &other));
    check(other, 2);
    assert_ok(nc_close(other));
    assert_ok(nc_close(ncid));
    unlink("sync.nc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_changed_and_handed_out),
        cmocka_unit_test(bytes_of_a_file_on_disk_are_not_handed_out),
        cmocka_unit_test(the_default_format_counts),
        cmocka_unit_test(one_file_can_be_open_many_times),
        cmocka_unit_test(errors_say_where),
        cmocka_unit_test(a_failed_create_leaves_nothing),
        cmocka_unit_test(an_unfinished_type_keeps_the_file_from_being_made),
        cmocka_unit_test(an_unfinished_type_can_be_finished),
        cmocka_unit_test(filters_by_text),
        cmocka_unit_test(cache_of_a_variable),
        cmocka_unit_test(sync_lets_others_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
