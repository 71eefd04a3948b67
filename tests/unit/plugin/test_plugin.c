/* SPDX-License-Identifier: BSD-3-Clause */
/* Plugins: the pairing table, what is passed over and why, and how filters of
 * others run. The first argument is the directory that holds good/, bad/, rude/. */
#include "buf.h"
#include "chain.h"
#include "env.h"
#include "json.h"
#include "plugin_int.h"
#include "status.h"
#include <dlfcn.h>
#include <netcdf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char good[512], bad[512], rude[512], work[] = "/tmp/cellar-plugin-XXXXXX";

static void look_in(const char *a, const char *b)
{
    char *dirs[] = {(char *)a, (char *)b};

    assert_int_equal(cel_plugin_path_set(b ? 2 : 1, dirs), CEL_OK);
}

/* The reason noted for a path that ends like this; NULL: none. */
static const char *why(const char *end)
{
    const struct cel_plugin_note *note;

    for (size_t i = 0; (note = cel_plugin_note_at(i)); i++)
        if (strlen(note->path) >= strlen(end) && strcmp(note->path + strlen(note->path) - strlen(end), end) == 0)
            return note->why;
    return NULL;
}

static void expect_why(const char *end, const char *part)
{
    const char *text = why(end);

    if (!text || !strstr(text, part))
        fail_msg("%s: expected \"%s\", noted is \"%s\"", end, part, text ? text : "nothing");
}

static int count(const char *library, const char *name)
{
    char path[1024];
    void *lib;
    int *n;

    snprintf(path, sizeof path, "%s/lib%s.so", good, library);
    lib = dlopen(path, RTLD_NOW);
    assert_non_null(lib);
    n = dlsym(lib, name);
    assert_non_null(n);
    dlclose(lib);
    return *n;
}

/* --- the pairing table ------------------------------------------------------------ */

static void names_follow_the_platform(void **state)
{
    static const char *const yes[][4] = {{"liba.so", "lib.so", "libz.so.1.2", "lib__nch5bzip2.so"},
                                         {"liba.dylib", "liba.1.dylib", "liba.dylib.1", "lib.dylib"},
                                         {"cyga.dll", "cyga-1.dll", "cyg.dll", "cyga.dll.a"},
                                         {"a.dll", "liba.dll", "x.dll", "A b.dll"}};
    static const char *const no[][3] = {{"a.so", "lib", "liba.dylib"},
                                        {"a.dylib", "liba.so", "lib"},
                                        {"liba.dll", "a.dll", "cyga.so"},
                                        {"a.so", "a.dll.1", "dll"}};

    (void)state;
    for (int p = 0; p < 4; p++) {
        for (int i = 0; i < 4; i++)
            if (!cel_plugin_matches(p, yes[p][i]))
                fail_msg("platform %d: %s is a library", p, yes[p][i]);
        for (int i = 0; i < 3; i++)
            if (cel_plugin_matches(p, no[p][i]))
                fail_msg("platform %d: %s is no library", p, no[p][i]);
    }
}

static void halves_are_paired(void **state)
{
    const struct cel_codec *codec;

    (void)state;
    look_in(good, NULL);
    codec = cel_plugin_by_id(40100); /* both halves in one library */
    assert_non_null(codec);
    assert_true(cel_plugin_has_codec(codec));
    assert_string_equal(codec->zarr2, "fake40100"); /* not the default's */
    assert_ptr_equal(cel_plugin_by_zarr("fake40100"), codec);

    codec = cel_plugin_by_id(40101); /* two libraries, one half each */
    assert_non_null(codec);
    assert_string_equal(codec->zarr2, "fake40101");

    codec = cel_plugin_by_id(40106); /* codec from the library of defaults */
    assert_non_null(codec);
    assert_string_equal(codec->zarr2, "default40106");

    codec = cel_plugin_by_id(40107); /* HDF5 only: usable, but without a name in Zarr */
    assert_non_null(codec);
    assert_false(cel_plugin_has_codec(codec));
}

static void what_cannot_be_paired_is_noted(void **state)
{
    (void)state;
    look_in(good, NULL);
    assert_null(cel_plugin_by_id(40102)); /* codec only */
    assert_null(cel_plugin_by_zarr("fake40102"));
    expect_why("liblonely.so", "for which no plugin was found");
    assert_null(cel_plugin_by_id(40103)); /* ids differ: both are left out */
    assert_null(cel_plugin_by_id(40104));
    expect_why("libmismatch.so", "its filter has id 40103, its codec 40104");
    expect_why("libneither.so", "neither a filter nor a codec");
    assert_non_null(cel_plugin_by_id(40105)); /* two libraries with one id: the first */
    expect_why("libone_b.so", "already provided by");
    assert_null(why("README"));
}

static void initialize_and_finalize_are_called_once(void **state)
{
    (void)state;
    look_in(good, NULL);
    assert_non_null(cel_plugin_by_id(40100));
    assert_non_null(cel_plugin_by_id(40100));
    assert_non_null(cel_plugin_by_zarr("fake40101"));
    assert_int_equal(count("both", "fake_initialized"), 1);
    assert_int_equal(count("codeconly", "fake_initialized"), 1);
    assert_int_equal(count("lonely", "fake_initialized"), 0);
    assert_int_equal(count("defaults", "fake_initialized"), 1); /* one of its two was needed */
    assert_int_equal(count("both", "fake_finalized"), 0);
    cel_plugin_finalize();
    cel_plugin_finalize();
    assert_int_equal(count("both", "fake_finalized"), 1);
    assert_int_equal(count("codeconly", "fake_finalized"), 1);
    assert_int_equal(count("lonely", "fake_finalized"), 0);
    assert_non_null(cel_plugin_by_id(40100)); /* used again: initialized again */
    assert_int_equal(count("both", "fake_initialized"), 2);
}

static void a_built_in_filter_wins_unless_plugins_are_preferred(void **state)
{
    (void)state;
    look_in(good, NULL);
    assert_ptr_equal(cel_chain_codec(307), cel_codec_by_id(307));
    setenv("CELLAR_PLUGINS", "prefer", 1);
    assert_ptr_equal(cel_chain_codec(307), cel_plugin_by_id(307));
    assert_true(cel_chain_codec(307)->flags & CEL_CODEC_OUTSIDE);
    unsetenv("CELLAR_PLUGINS");
    assert_ptr_equal(cel_chain_codec(307), cel_codec_by_id(307));
}

/* --- JSON through the codec half ------------------------------------------------------- */

static void the_codec_half_translates(void **state)
{
    static const struct {
        const char *text, *ids, *json;
    } cases[] = {
        {"40100,7", "40100,7", "[{\"id\": \"fake40100\", \"key\": 7}]"},
        {"{\"id\": \"fake40100\", \"key\": 9}", "40100,9", "[{\"id\": \"fake40100\", \"key\": 9}]"},
        {"{\"name\": \"fake40101\", \"configuration\": {\"key\": 3}}", "40101,3",
         "[{\"id\": \"fake40101\", \"key\": 3}]"},
        {"fake40100,5", "40100,5", "[{\"id\": \"fake40100\", \"key\": 5}]"},
        {"40107,1,2", "40107,1,2", "[{\"id\": \"cellar.hdf5\", \"filter\": 40107, \"params\": [1, 2]}]"},
        {"{\"id\":\"cellar.hdf5\",\"filter\":40107,\"params\":[1,2]}", "40107,1,2",
         "[{\"id\": \"cellar.hdf5\", \"filter\": 40107, \"params\": [1, 2]}]"},
    };

    (void)state;
    look_in(good, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cel_buf ids = CEL_BUF_INIT(4096), json = CEL_BUF_INIT(4096);
        struct cel_chain c = {0};

        if (cel_chain_parse(cases[i].text, &c, NULL) != CEL_OK)
            fail_msg("%s: %s", cases[i].text, cel_error_text());
        assert_int_equal(cel_chain_print(&c, CEL_SPELL_IDS, &ids), CEL_OK);
        assert_int_equal(cel_chain_print(&c, CEL_SPELL_JSON2, &json), CEL_OK);
        assert_int_equal(cel_buf_add(&ids, "", 1) | cel_buf_add(&json, "", 1), CEL_OK);
        assert_string_equal(ids.data, cases[i].ids);
        assert_string_equal(json.data, cases[i].json);
        cel_buf_dispose(&ids);
        cel_buf_dispose(&json);
        cel_chain_dispose(&c);
    }
}

static void a_codec_half_may_fail(void **state)
{
    struct cel_words visible = {.n = 2, .w = {1, 2}}, working;
    const struct cel_codec *codec;
    struct cel_chain c = {0};
    struct cel_json *json;

    (void)state;
    look_in(good, NULL);
    codec = cel_plugin_by_id(40100);
    assert_int_equal(cel_plugin_to_json(codec, &visible, &json), NC_EFILTER);
    assert_non_null(strstr(cel_error_text(), "libboth.so"));
    assert_int_equal(cel_plugin_modify(codec, 1, 2, &visible, &working), NC_EFILTER);
    assert_int_equal(cel_chain_parse("{\"id\": \"fake40100\"}", &c, NULL), NC_EFILTER);
    assert_int_equal(cel_plugin_to_json(cel_plugin_by_id(40107), &visible, &json), NC_ENOFILTER);
    visible.n = 1;
    assert_int_equal(cel_plugin_modify(codec, 1, 2, &visible, &working), CEL_OK);
    assert_int_equal(working.n, 1);
    assert_int_equal(working.w[0], 2);
    assert_int_equal(cel_plugin_modify(cel_plugin_by_id(40107), 1, 2, &visible, &working), CEL_OK);
    assert_int_equal(working.w[0], 1);
}

/* --- bad libraries and directories -------------------------------------------------------- */

static void bad_libraries_are_passed_over(void **state)
{
    static const struct {
        const char *library, *part;
    } cases[] = {
        {"libversion.so", "another version"},
        {"libtype.so", "not a filter"},
        {"libnofilter.so", "no filter function"},
        {"libnullclass.so", "no filter class"},
        {"libnotype.so", "only one of"},
        {"libzero.so", "not from 1 to 65535"},
        {"liblarge.so", "not from 1 to 65535"},
        {"libcodecversion.so", "codec has another version"},
        {"libcodecsort.so", "not of the HDF5 sort"},
        {"libcodecid.so", "no name"},
        {"libconvert.so", "cannot convert"},
        {"libnullcodec.so", "gives no codec"},
        {"libbroken.so", "libbroken.so"},
    };

    (void)state;
    look_in(bad, good);
    for (unsigned id = 40110; id < 40120; id++)
        assert_null(cel_plugin_by_id(id));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_why(cases[i].library, cases[i].part);
    assert_non_null(cel_plugin_by_id(40100));
}

static void bad_directories_are_passed_over(void **state)
{
    char open[600], file[600], closed[600], copy[700], command[2000];
    char *dirs[] = {open, file, closed, "/nonexistent/plugins", "", good};

    (void)state;
    snprintf(open, sizeof open, "%s/open", work);
    snprintf(file, sizeof file, "%s/file", work);
    snprintf(closed, sizeof closed, "%s/closed", work);
    snprintf(copy, sizeof copy, "%s/librude.so", open);
    assert_int_equal(mkdir(open, 0777), 0);
    assert_int_equal(chmod(open, 0777), 0);
    assert_int_equal(mkdir(closed, 0000), 0);
    snprintf(command, sizeof command, "cp %s/libfails.so %s && : > %s", rude, copy, file);
    assert_int_equal(system(command), 0);
    assert_int_equal(cel_plugin_path_set(6, dirs), CEL_OK);
    assert_null(cel_plugin_by_id(40120));
    expect_why("/open", "anybody may write");
    expect_why("/file", "not a directory");
    expect_why("/nonexistent/plugins", "does not exist");
    if (geteuid() != 0) /* nothing is closed to the superuser */
        expect_why("/closed", "cannot be read");
    assert_non_null(cel_plugin_by_id(40100));

    assert_int_equal(chmod(open, 0755), 0); /* the directory is fine now, the file is not */
    assert_int_equal(chmod(copy, 0777), 0);
    look_in(open, NULL);
    assert_null(cel_plugin_by_id(40120));
    expect_why("/librude.so", "anybody may write this file");
}

static void loading_can_be_switched_off(void **state)
{
    struct cel_buf tried = CEL_BUF_INIT(4096);
    struct cel_step step;

    (void)state;
    setenv("HDF5_PLUGIN_PRELOAD", "::", 1);
    look_in(rude, NULL);
    assert_null(cel_plugin_by_id(40122));
    assert_int_equal(cel_plugin_tried(&tried), CEL_OK);
    assert_int_equal(tried.len, 0);
    unsetenv("HDF5_PLUGIN_PRELOAD");
    look_in("/nonexistent/plugins", NULL);
    assert_int_equal(cel_step_make(32024, 0, NULL, &step), NC_ENOFILTER);
    assert_non_null(strstr(cel_error_text(), "filter 32024 (SZ3)"));
    assert_non_null(strstr(cel_error_text(), "/nonexistent/plugins"));
    assert_non_null(strstr(cel_error_text(), cel_plugin_built_in_dir()));
    assert_non_null(strstr(cel_error_text(), "HDF5_PLUGIN_PATH"));
}

/* --- running ---------------------------------------------------------------------------------- */

static int run(const char *text, bool optional, size_t *n, uint32_t *skipped)
{
    struct cel_shape shape = {.elem_size = 1, .rank = 1, .dims = {1000}, .nbytes = 1000};
    unsigned char data[1000], back[1000];
    struct cel_scratch *scratch;
    struct cel_chain c = {0};
    const void *out;
    void *copy;
    int rc;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)i;
    assert_int_equal(cel_chain_parse(text, &c, NULL), CEL_OK);
    c.step[0].optional = optional;
    assert_int_equal(cel_chain_prepare(&c, &shape, false), CEL_OK);
    assert_int_equal(cel_scratch_make(&scratch), CEL_OK);
    rc = cel_chain_encode(&c, scratch, data, sizeof data, &out, n, skipped);
    if (rc == CEL_OK) {
        copy = malloc(*n + 1);
        memcpy(copy, out, *n);
        rc = cel_chain_decode(&c, scratch, copy, *n, *skipped, back);
        if (rc == CEL_OK)
            assert_memory_equal(data, back, sizeof data);
        free(copy);
    }
    cel_scratch_free(scratch);
    cel_chain_dispose(&c);
    return rc;
}

static void filters_of_others_run(void **state)
{
    uint32_t skipped;
    size_t n;

    (void)state;
    look_in(good, rude);
    assert_int_equal(run("40107,85", false, &n, &skipped), CEL_OK);
    assert_int_equal(n, 1000);
    assert_int_equal(run("40107", false, &n, &skipped), CEL_OK);
    assert_int_equal(run("40122", false, &n, &skipped), CEL_OK); /* its own buffer, twice the size */
    assert_int_equal(n, 2000);
    assert_int_equal(run("40122|1,5|40122|40107,3", false, &n, &skipped), CEL_OK);
}

static void misbehaving_filters_are_errors(void **state)
{
    uint32_t skipped;
    size_t n;

    (void)state;
    look_in(good, rude);
    assert_int_equal(run("40120", false, &n, &skipped), NC_EFILTER); /* returns 0 */
    assert_int_equal(run("40120", true, &n, &skipped), CEL_OK);      /* and is left out where it may be */
    assert_int_equal(skipped, 1);
    assert_int_equal(run("40121", true, &n, &skipped), NC_EFILTER); /* claims more than its buffer */
    assert_non_null(strstr(cel_error_text(), "reports"));
    assert_int_equal(run("40123", true, &n, &skipped), NC_EFILTER); /* far more than any filter may make */
    assert_non_null(strstr(cel_error_text(), "at most"));
    assert_int_equal(run("40124", true, &n, &skipped), NC_ENOFILTER);
    assert_non_null(strstr(cel_error_text(), "can only decode"));
}

/* --- the path ------------------------------------------------------------------------------------ */

static void the_path_is_a_list(void **state)
{
    char **dirs;
    size_t n, before = cel_plugin_path_version();

    (void)state;
    look_in("/a", "/b c");
    assert_int_equal(cel_plugin_path_version(), before + 1);
    assert_int_equal(cel_plugin_path_get(&n, &dirs), CEL_OK);
    assert_int_equal(n, 2);
    assert_string_equal(dirs[1], "/b c");
    cel_plugin_path_free(n, dirs);
    assert_int_equal(cel_plugin_path_set(0, NULL), CEL_OK);
    assert_int_equal(cel_plugin_path_get(&n, &dirs), CEL_OK);
    assert_int_equal(n, 0);
    cel_plugin_path_free(n, dirs);
    assert_int_equal(cel_plugin_path_split("a::b", 4, ':', &n, &dirs), CEL_OK);
    assert_int_equal(n, 3);
    assert_string_equal(dirs[1], "");
    cel_plugin_path_free(n, dirs);
    assert_int_equal(cel_plugin_path_split("", 0, ':', &n, &dirs), CEL_OK);
    assert_int_equal(n, 0);
    cel_plugin_path_free(n, dirs);
}

static int make_work(void **state)
{
    (void)state;
    return mkdtemp(work) ? 0 : 1;
}

static int remove_work(void **state)
{
    char command[256];

    (void)state;
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", work, work);
    return system(command) != 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_follow_the_platform),
        cmocka_unit_test(halves_are_paired),
        cmocka_unit_test(what_cannot_be_paired_is_noted),
        cmocka_unit_test(initialize_and_finalize_are_called_once),
        cmocka_unit_test(a_built_in_filter_wins_unless_plugins_are_preferred),
        cmocka_unit_test(the_codec_half_translates),
        cmocka_unit_test(a_codec_half_may_fail),
        cmocka_unit_test(bad_libraries_are_passed_over),
        cmocka_unit_test(bad_directories_are_passed_over),
        cmocka_unit_test(loading_can_be_switched_off),
        cmocka_unit_test(filters_of_others_run),
        cmocka_unit_test(misbehaving_filters_are_errors),
        cmocka_unit_test(the_path_is_a_list),
    };

    snprintf(good, sizeof good, "%s/good", argc > 1 ? argv[1] : ".");
    snprintf(bad, sizeof bad, "%s/bad", argc > 1 ? argv[1] : ".");
    snprintf(rude, sizeof rude, "%s/rude", argc > 1 ? argv[1] : ".");
    return cmocka_run_group_tests(tests, make_work, remove_work);
}
