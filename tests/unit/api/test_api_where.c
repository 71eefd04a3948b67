/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors name the variable once, in one way, whatever failed: "/ocean/temp" in a
 * group, "temp" in the root group; and a chunk as "chunk (3,0,1)". */
#include "user_test.h"
#include <netcdf_filter.h>
#include <unistd.h>

struct format {
    const char *path;
    int mode;
    const char *group; /* NULL: the root group */
};

static const struct format formats[] = {
    {"where.nc", NC_NETCDF4, "ocean"},
    {"where_root.nc", NC_NETCDF4, NULL},
    {"file://where2.zarr#mode=zarr,file", NC_NETCDF4, "ocean"},
    {"file://where3.zarr#mode=zarr,v3,file", NC_NETCDF4, "ocean"},
    {"where_classic.nc", 0, NULL},
};

struct file {
    const char *variable; /* as errors name it */
    int ncid, group, varid;
};

static void make(const struct format *f, struct file *file)
{
    int dim;

    assert_ok(nc_create(f->path, NC_CLOBBER | f->mode, &file->ncid));
    file->group = file->ncid;
    if (f->group)
        assert_ok(nc_def_grp(file->ncid, f->group, &file->group));
    assert_ok(nc_def_dim(file->group, "x", 4, &dim));
    assert_ok(nc_def_var(file->group, "temp", NC_INT, 1, &dim, &file->varid));
    assert_ok(nc_def_var(file->group, "salt", NC_INT, 1, &dim, &dim));
    file->variable = f->group ? "/ocean/temp" : "temp";
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;

    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

/* "<file>: <variable>: <why>", and <why> does not say the name again. */
static void check_names(const struct file *file, int rc)
{
    const char *text = cellar_error(), *path = cellar_error_part(CELLAR_FILE);
    char prefix[512];

    assert_int_not_equal(rc, NC_NOERR);
    snprintf(prefix, sizeof prefix, "%s: %s: ", path, file->variable);
    if (strncmp(text, prefix, strlen(prefix)) != 0 || count(text, "temp") != 1 || strstr(text, "variable temp"))
        fail_msg("the variable is not named once, as %s: %s", file->variable, text);
    assert_string_equal(cellar_error_part(CELLAR_VARIABLE), file->variable);
}

static void every_call_names_the_variable_alike(void **state)
{
    const int values[4] = {0};
    unsigned level = 10;

    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct file f;

        make(&formats[i], &f);
        check_names(&f, nc_rename_var(f.group, f.varid, "salt"));
        check_names(&f, nc_def_var_filter(f.group, f.varid, H5Z_FILTER_DEFLATE, 1, &level));
        check_names(&f, nc_def_var_deflate(f.group, f.varid, 0, 1, 10));
        check_names(&f, nc_def_var_chunking(f.group, f.varid, 77, NULL));
        check_names(&f, nc_def_var_endian(f.group, f.varid, 77));
        if (!formats[i].mode)
            assert_ok(nc_enddef(f.ncid));
        check_names(&f, nc_put_vara_int(f.group, f.varid, &(size_t){3}, &(size_t){2}, values));
        check_names(&f, nc_get_vara_int(f.group, f.varid, &(size_t){5}, &(size_t){1}, (int[1]){0}));
        assert_ok(nc_close(f.ncid));
    }
}

/* A bad value on disk: the checksum of a chunk fails. */
static void a_damaged_chunk_is_named_with_its_variable(void **state)
{
    const size_t chunk = 2;
    int values[4] = {0x11223344, 0x11223344, 0x55667788, 0x55667788}, back[4];
    struct file f;
    FILE *file;
    long at = 0;
    int c, run = 0;

    (void)state;
    make(&formats[0], &f);
    assert_ok(nc_def_var_chunking(f.group, f.varid, NC_CHUNKED, &chunk));
    assert_ok(nc_def_var_fletcher32(f.group, f.varid, NC_FLETCHER32));
    assert_ok(nc_put_var_int(f.group, f.varid, values));
    assert_ok(nc_close(f.ncid));
    file = fopen(formats[0].path, "r+b");
    assert_non_null(file);
    while (run < 4 && (c = fgetc(file)) != EOF) { /* 88 77 66 55 on a little-endian machine */
        run = c == ((const unsigned char *)&values[2])[run] ? run + 1 : 0;
        at++;
    }
    assert_int_equal(run, 4);
    fseek(file, at - 1, SEEK_SET);
    fputc(0, file);
    fclose(file);
    assert_ok(nc_open(formats[0].path, NC_NOWRITE, &f.ncid));
    assert_ok(nc_inq_grp_ncid(f.ncid, "ocean", &f.group));
    check_names(&f, nc_get_var_int(f.group, f.varid, back));
    assert_non_null(strstr(cellar_error(), "/ocean/temp: chunk (1): "));
    assert_string_equal(cellar_error_part(CELLAR_CHUNK), "chunk (1)");
    assert_ok(nc_close(f.ncid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_names_the_variable_alike),
        cmocka_unit_test(a_damaged_chunk_is_named_with_its_variable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
