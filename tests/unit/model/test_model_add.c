/* SPDX-License-Identifier: BSD-3-Clause */
/* What containers add: no rules, but never two of one name; and every single
 * allocation of building a dataset failing once, without leak or crash. */
#include "model_test.h"

static void found_objects_are_saved_and_not_loaded(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_group *g;
    struct cel_var *v;
    struct cel_type *t;
    struct cel_att *att;
    struct cel_dim *dim;

    OK(cel_group_add(ds->root, "g with / in it", &g));
    OK(cel_var_add(g, "v", 2, &v));
    OK(cel_type_add(g, "t", NC_OPAQUE, 7, &t));
    OK(cel_dim_add(g, "v", 3, false, -1, &dim));
    OK(cel_att_add(&v->atts, "a", cel_type_atomic(NC_INT), 1, cel_calloc(1, 4), &att));
    assert_int_equal(g->saved, CEL_SAVED);
    assert_int_equal(v->saved, CEL_SAVED);
    assert_int_equal(t->saved, CEL_SAVED);
    assert_int_equal(att->saved, CEL_SAVED);
    assert_false(v->loaded);
    assert_false(v->atts.loaded);
    assert_false(g->atts.loaded);
    v->dim[0] = v->dim[1] = dim;
    cel_var_link_coord(v);
    assert_ptr_equal(dim->coord, v);
    FAILS(cel_group_add(ds->root, "g with / in it", &g), NC_ENAMEINUSE);
    FAILS(cel_var_add(g, "v", 2, &v), NC_ENAMEINUSE);
    FAILS(cel_type_add(g, "t", NC_OPAQUE, 7, &t), NC_ENAMEINUSE);
    FAILS(cel_att_add(&v->atts, "a", cel_type_atomic(NC_INT), 1, cel_calloc(1, 4), NULL), NC_ENAMEINUSE);
    cel_dataset_free(ds);
}

static void members_wider_than_any_integer_are_refused(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_type *t;

    OK(cel_type_add(ds->root, "t", NC_ENUM, 16, &t));
    FAILS(cel_type_add_member(t, "m", "0123456789abcdef"), NC_EBADTYPE);
    cel_dataset_free(ds);
}

/* One of everything; the first failure ends it. */
static int build(struct cel_dataset *ds)
{
    struct cel_group *g;
    struct cel_dim *x, *u;
    struct cel_type *c, *e, *v;
    struct cel_var *a, *b;
    const int two = 2, shape[] = {2};
    const char *words[] = {"one", "two"};
    int rc = cel_group_def(ds->root, "g", &g);

#define THEN(call) \
    if (rc == CEL_OK) \
    rc = (call)
    THEN(cel_dim_def(ds->root, "x\xc3\xa9", 10, false, &x));
    THEN(cel_dim_def(g, "u", 0, true, &u));
    THEN(cel_type_def_compound(g, 32, "c", &c));
    THEN(cel_type_insert_field(c, "i", 0, cel_type_atomic(NC_INT), 1, shape));
    THEN(cel_type_insert_field(c, "s", 8, cel_type_atomic(NC_STRING), 0, NULL));
    THEN(cel_type_def_enum(g, NC_INT, "e", &e));
    THEN(cel_type_insert_member(e, "two", &two));
    THEN(cel_type_def_vlen(g, "v", c, &v));
    THEN(cel_var_def(g, "a", cel_type_atomic(NC_INT), 2, (struct cel_dim *[]){u, x}, &a));
    THEN(cel_var_def(g, "u", v, 1, &u, &b));
    THEN(cel_var_set_fill(a, false, &two));
    THEN(cel_var_set_storage(a, NC_CHUNKED, (size_t[]){1, 5}));
    THEN(cel_att_put(g, a, "words", cel_type_atomic(NC_STRING), 2, words, NC_STRING));
    THEN(cel_att_put(g, NULL, "n", e, 1, &two, NC_INT));
    THEN(cel_att_rename(g, a, "words", "letters"));
    THEN(cel_dim_rename(x, "y"));
    THEN(cel_var_rename(a, "aa"));
    THEN(cel_group_rename(g, "h"));
    THEN(cel_att_del(g, a, "letters"));
    THEN(cel_var_settle(b));
#undef THEN
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    int rc = NC_ENOMEM, nth;

    for (nth = 1; rc == NC_ENOMEM; nth++) {
        struct cel_dataset *ds = NULL;
        cel_mem_fail_at(nth);
        rc = cel_dataset_make("t.nc", 0, &ds);
        if (rc == CEL_OK) {
            ds->writable = ds->defining = true;
            rc = build(ds);
        }
        cel_mem_fail_at(0);
        cel_dataset_free(ds);
    }
    assert_int_equal(rc, CEL_OK);
    assert_true(nth > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_objects_are_saved_and_not_loaded),
        cmocka_unit_test(members_wider_than_any_integer_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
