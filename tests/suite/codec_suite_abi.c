/* SPDX-License-Identifier: BSD-3-Clause */
/* Every plugin we build, loaded as HDF5 and netCDF-C load it: it stands alone, exports
 * both halves with one id, and its JSON half gives back the words it was given. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "h5z_abi.h"
#include "ncz_abi.h"
#include <dirent.h>
#include <dlfcn.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *open_plugin(const char *name)
{
    char path[4096];
    void *library;

    snprintf(path, sizeof path, "%s/%s", getenv("CEL_TEST_PLUGINS"), name);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s: %s", name, dlerror());
    return library;
}

static const void *ask(void *library, const char *entry)
{
    const void *(*get)(void) = NULL;
    void *found = dlsym(library, entry);

    assert_non_null(found);
    memcpy(&get, &found, sizeof get);
    return get();
}

/* Words for the filters that want some. */
static const struct {
    int id;
    size_t n;
    unsigned words[2];
} needed[] = {{1, 1, {5}},      {2, 1, {4}},      {4, 2, {32, 8}}, {32811, 1, {5}}, {32816, 1, {3}},
              {32818, 1, {11}}, {32825, 1, {11}}, {32800, 1, {4}}, {32801, 1, {4}}, {0, 0, {0}}};

static size_t words_for(int id, const unsigned **words)
{
    size_t i = 0;

    while (needed[i].id != 0 && needed[i].id != id)
        i++;
    *words = needed[i].words;
    return needed[i].n;
}

/* Filters whose words libhdf5's set_local completes. */
static bool needs_shape(int id)
{
    static const int ids[] = {4,     5,     6,     32800, 32801, 32802, 32008, 32013, 32014, 32022,
                              32023, 32032, 32814, 32815, 32816, 32817, 32818, 32822, 32824, 32825};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static void check_json_half(const struct cel_ncz_codec *half)
{
    unsigned *words = NULL, *again = NULL;
    const unsigned *given;
    size_t n = words_for((int)half->hdf5id, &given), m = 0, k = 0;
    char *text = NULL, *twice = NULL;

    assert_int_equal(half->version, CEL_NCZ_VERSION);
    assert_int_equal(half->sort, CEL_NCZ_HDF5);
    if (half->hdf5_to_codec(n, given, &text) != NC_NOERR)
        fail_msg("%s: no JSON for its words", half->codecid);
    assert_non_null(strstr(text, half->codecid));
    assert_int_equal(half->codec_to_hdf5(text, &m, &words), NC_NOERR);
    assert_int_equal(half->hdf5_to_codec(m, words, &twice), NC_NOERR);
    assert_string_equal(text, twice);
    assert_int_equal(half->codec_to_hdf5(twice, &k, &again), NC_NOERR);
    assert_int_equal(k, m);
    assert_memory_equal(again, words, m * sizeof *words);
    free(words);
    words = NULL;
    assert_true(half->codec_to_hdf5("{\"id\": \"somebody-else\"}", &m, &words) < 0);
    assert_true(half->codec_to_hdf5("{\"id\"", &m, &words) < 0);
    assert_true(half->codec_to_hdf5("[1]", &m, &words) < 0);
    assert_null(words);
    free(again);
    free(text);
    free(twice);
}

/* Words that were fitted to a variable say the shape of its chunks in JSON too. */
static void check_fitted(const struct cel_ncz_codec *half)
{
    static const unsigned words[] = {4, 4, 3, 3, 0, 0, 8, 91, 180};
    char *text = NULL;

    if (half->hdf5id != 32800 && half->hdf5id != 32801)
        return;
    assert_int_equal(half->hdf5_to_codec(9, words, &text), NC_NOERR);
    assert_non_null(strstr(text, "\"cell\""));
    assert_non_null(strstr(text, "180"));
    free(text);
}

/* 4000 bytes there and back. HDF5 releases allocate by malloc, and so do we here. */
static void check_filter_half(const struct cel_h5z_class *class)
{
    const unsigned *words;
    size_t nwords = words_for(class->id, &words), size_of_buf = 4000, len;
    unsigned char *buf, wanted[4000];
    void *p;

    assert_int_equal(class->version, CEL_H5Z_CLASS_VERSION);
    assert_true(class->encoder_present && class->decoder_present && class->name && class->filter);
    if (needs_shape(class->id))
        return;
    p = buf = malloc(4000);
    for (size_t i = 0; i < 4000; i++)
        wanted[i] = buf[i] = (unsigned char)(i / 16 * 7);
    len = class->filter(0, nwords, words, 4000, &size_of_buf, &p);
    assert_true(len > 0 && len <= size_of_buf);
    len = class->filter(CEL_H5Z_REVERSE, nwords, words, len, &size_of_buf, &p);
    assert_int_equal(len, 4000);
    assert_true(size_of_buf >= 4000);
    assert_memory_equal(p, wanted, 4000);
    if (class->id != 2 && class->id != 32000 && class->id != 32819) { /* garbage: refused, buffer left alone */
        void *before = p;

        memset(p, 0x5a, 4000);
        assert_int_equal(class->filter(CEL_H5Z_REVERSE, nwords, words, 1000, &size_of_buf, &p), 0);
        assert_ptr_equal(p, before);
    }
    free(p);
}

static void plugins_have_two_halves(void **state)
{
    DIR *dir = opendir(getenv("CEL_TEST_PLUGINS"));
    struct dirent *entry;
    int seen = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        void *library;
        const struct cel_h5z_class *class;
        const struct cel_ncz_codec *half;

        if (strncmp(entry->d_name, "lib__nch5", 9) != 0 || !strstr(entry->d_name, ".so"))
            continue;
        library = open_plugin(entry->d_name);
        class = ask(library, "H5PLget_plugin_info");
        half = ask(library, "NCZ_get_codec_info");
        assert_int_equal(class->id, half->hdf5id);
        check_filter_half(class);
        check_json_half(half);
        check_fitted(half);
        assert_null(dlsym(library, "cel_error_text")); /* nothing of ours shows */
        dlclose(library);
        seen++;
    }
    closedir(dir);
    assert_true(seen >= 7);
}

static void defaults_are_complete(void **state)
{
    static const struct {
        const char *file;
        unsigned ids[5];
    } libraries[] = {{"lib__nczhdf5filters.so", {1, 2, 3, 4}}, {"lib__nczstdfilters.so", {307, 32015, 32001}}};

    for (size_t i = 0; i < 2; i++) {
        void *library = open_plugin(libraries[i].file);
        const struct cel_ncz_codec *const *halves = ask(library, "NCZ_codec_info_defaults");
        size_t n = 0;

        for (; halves[n]; n++) {
            assert_int_equal(halves[n]->hdf5id, libraries[i].ids[n]);
            check_json_half(halves[n]);
        }
        assert_int_equal(libraries[i].ids[n], 0);
        assert_null(dlsym(library, "H5PLget_plugin_type"));
        dlclose(library);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plugins_have_two_halves),
        cmocka_unit_test(defaults_are_complete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
