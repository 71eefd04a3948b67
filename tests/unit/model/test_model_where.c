/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables and chunks in texts: paths, and what happens to those that are too long. */
#include "model_test.h"
#include <string.h>

static void variables_are_named_with_their_path(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_group *g = NULL, *h = NULL;
    char text[CEL_WHERE_TEXT];

    (void)state;
    OK(cel_group_def(ds->root, "ocean", &g));
    OK(cel_group_def(g, "deep", &h));
    assert_string_equal(cel_var_path(var_of(ds->root, "t", NC_INT, 0, NULL), text), "t");
    assert_string_equal(cel_var_path(var_of(g, "t", NC_INT, 0, NULL), text), "/ocean/t");
    assert_string_equal(cel_var_path(var_of(h, "t", NC_INT, 0, NULL), text), "/ocean/deep/t");
    cel_dataset_free(ds);
}

/* The end of a path says most: it is kept, from the start of a character on. */
static void long_paths_lose_their_front(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_group *g = NULL;
    char name[NC_MAX_NAME + 1], text[CEL_WHERE_TEXT];

    (void)state;
    for (size_t i = 0; i + 1 < sizeof name; i += 2)
        memcpy(name + i, "\xc3\xa4", 2); /* a with two dots */
    name[sizeof name - 1] = '\0';
    OK(cel_group_def(ds->root, name, &g));
    cel_var_path(var_of(g, "temp", NC_INT, 0, NULL), text);
    assert_true(strlen(text) < CEL_WHERE_TEXT);
    assert_string_equal(text + strlen(text) - strlen("/temp"), "/temp");
    assert_int_equal((unsigned char)text[0], 0xc3);
    cel_dataset_free(ds);
}

static void chunks_are_named_by_their_index(void **state)
{
    char text[CEL_WHERE_TEXT];
    size_t most[CEL_RANK_MAX];

    (void)state;
    assert_string_equal(cel_chunk_text((size_t[]){3, 0, 1}, 3, text), "chunk (3,0,1)");
    assert_string_equal(cel_chunk_text(NULL, 0, text), "chunk ()");
    for (size_t d = 0; d < CEL_RANK_MAX; d++)
        most[d] = SIZE_MAX;
    cel_chunk_text(most, CEL_RANK_MAX, text);
    assert_true(strlen(text) < CEL_WHERE_TEXT);
    assert_string_equal(text + strlen(text) - strlen(",...)"), ",...)");
}

static void a_variable_is_named_once(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_var *var = var_of(ds->root, "t", NC_INT, 0, NULL);

    (void)state;
    cel_fail(NC_EINVAL, "no");
    assert_int_equal(cel_fail_in_chunk(NC_EINVAL, (size_t[]){7}, 1), NC_EINVAL);
    assert_int_equal(cel_fail_in_var(NC_EINVAL, var), NC_EINVAL);
    assert_int_equal(cel_fail_in_var(NC_EINVAL, var), NC_EINVAL);
    assert_string_equal(cel_error_text(), "t: chunk (7): no");
    assert_string_equal(cel_error_part(CEL_IN_VARIABLE), "t");
    cel_dataset_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_named_with_their_path),
        cmocka_unit_test(long_paths_lose_their_front),
        cmocka_unit_test(chunks_are_named_by_their_index),
        cmocka_unit_test(a_variable_is_named_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
