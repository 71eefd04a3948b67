/* SPDX-License-Identifier: BSD-3-Clause */
/* What clang's sanitizer for undefined behaviour reports and gcc's does not: an index that wraps below zero, something added to
 * a NULL, memcpy of nothing from nowhere. `make test-clang` runs this; elsewhere only the results are checked. */
#include "codec.h"
#include "status.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "containers.h"

#define OK(call) assert_int_equal((call), NC_NOERR)

static const struct cel_codec *codec_named(const char *name)
{
    return cel_codec_by_name(name, strlen(name));
}

static void lzf_repeats_what_it_just_wrote(void **state)
{
    static const unsigned char stored[] = {0x00, 'a', 0xe0, 10, 0}; /* one byte, and 19 copied from one back */
    const struct cel_codec *lzf = codec_named("lzf");
    struct cel_words words = {0};
    struct cel_shape shape = {.elem_size = 1, .nbytes = 20};
    struct cel_coding coding = {.codec = lzf, .words = &words, .shape = &shape};
    char out[21] = "";
    size_t len;

    (void)state;
    OK(lzf->decode(&coding, stored, sizeof stored, out, 20, &len));
    assert_int_equal(len, 20);
    assert_string_equal(out, "aaaaaaaaaaaaaaaaaaaa");
}

static void an_empty_chunk_has_no_memory(void **state)
{
    static const char *const names[] = {"bitround", "bitgroom", "granularbitround"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct cel_codec *codec = codec_named(names[i]);
        struct cel_shape shape = {.elem_size = 4, .kind = CEL_KIND_FLOAT, .rank = 1, .dims = {1}, .nbytes = 4};
        struct cel_words visible = {.n = 1, .w = {3}}, working = visible;
        struct cel_coding coding = {.codec = codec, .words = &working, .shape = &shape};
        size_t len = 1;

        assert_non_null(codec);
        OK(codec->prepare(codec, &visible, &shape, &working));
        OK(codec->make_context(&working, &coding.context));
        OK(codec->encode(&coding, NULL, 0, NULL, 0, &len));
        assert_int_equal(len, 0);
        OK(codec->decode(&coding, NULL, 0, NULL, 0, &len));
        assert_int_equal(len, 0);
        codec->free_context(coding.context);
    }
}

/* The box of a chunk that is not there has no cell. */
static void chunks_that_were_never_written_are_read(void **state)
{
    size_t chunk[2] = {3, 4}, start[2] = {1, 1}, count[2] = {7, 6};
    int ncid, dim[2], var, got[42];

    (void)state;
    OK(nc_create("blank.nc", NC_NETCDF4, &ncid));
    OK(nc_def_dim(ncid, "y", 10, &dim[0]));
    OK(nc_def_dim(ncid, "x", 10, &dim[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dim, &var));
    OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, chunk));
    OK(nc_def_var_deflate(ncid, var, 1, 1, 1));
    OK(nc_enddef(ncid));
    OK(nc_get_vara_int(ncid, var, start, count, got));
    for (int i = 0; i < 42; i++)
        assert_int_equal(got[i], NC_FILL_INT);
    OK(nc_close(ncid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lzf_repeats_what_it_just_wrote),
        cmocka_unit_test(an_empty_chunk_has_no_memory),
        cmocka_unit_test(chunks_that_were_never_written_are_read),
    };
    int failed;

    scratch_enter();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_leave();
    return failed;
}
