/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables: definition, storage, fill, byte order, and the shape of chunks. */
#include "model_test.h"

static void definitions_are_checked(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *x = dim_of(ds->root, "x", 3), *many[40], *none[] = {NULL};
    const struct cel_type *ints = cel_type_atomic(NC_INT);
    struct cel_var *var;

    for (int i = 0; i < 40; i++)
        many[i] = x;
    FAILS(cel_var_def(ds->root, "v", NULL, 1, &x, &var), NC_EBADTYPE);
    FAILS(cel_var_def(ds->root, "v", NULL, 1, none, &var), NC_EBADDIM);
    FAILS(cel_var_def(ds->root, "v", ints, 1, NULL, &var), NC_EINVAL);
    FAILS(cel_var_def(ds->root, "v", ints, -1, &x, &var), NC_EINVAL);
    FAILS(cel_var_def(ds->root, "v", ints, 40, many, &var), NC_EMAXDIMS);
    FAILS(cel_var_def(ds->root, "v/", ints, 40, many, &var), NC_EBADNAME);
    OK(cel_var_def(ds->root, "v", ints, 2, many, &var));
    FAILS(cel_var_def(ds->root, "v", NULL, 1, none, &var), NC_ENAMEINUSE);
    assert_ptr_equal(cel_var_by_id(ds->root, 0), var);
    assert_null(cel_var_by_id(ds->root, 1));
    assert_null(cel_var_by_id(ds->root, -1));
    assert_ptr_equal(cel_var_find(ds->root, "v"), var);
    FAILS(cel_var_rename(var, "v"), NC_ENAMEINUSE);
    FAILS(cel_var_rename(var, "q/"), NC_EBADNAME);
    saved(ds);
    OK(cel_var_rename(var, "longer"));
    assert_string_equal(var->saved_name, "v");
    ds->writable = false;
    FAILS(cel_var_def(ds->root, "q/", ints, 0, NULL, &var), NC_EPERM);
    FAILS(cel_var_rename(cel_var_by_id(ds->root, 0), "q/"), NC_EPERM);
    cel_dataset_free(ds);
}

static void the_classic_model_lengthens_names_in_define_mode(void **state)
{
    struct cel_dataset *ds = dataset(NC_CLASSIC_MODEL);
    struct cel_var *var = var_of(ds->root, "v", NC_INT, 0, NULL);

    saved(ds);
    FAILS(cel_var_rename(var, "vv"), NC_ENOTINDEFINE);
    OK(cel_var_rename(var, "w"));
    FAILS(cel_var_def(ds->root, "q/", cel_type_atomic(NC_INT), 0, NULL, &var), NC_ENOTINDEFINE);
    cel_dataset_free(ds);
}

static void storage_has_rules(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *x = dim_of(ds->root, "x", 10), *u = dim_of(ds->root, "u", NC_UNLIMITED);
    struct cel_dim *big = dim_of(ds->root, "big", 16385), *fits = dim_of(ds->root, "fits", 16384);
    struct cel_var *s = var_of(ds->root, "s", NC_INT, 0, NULL), *v = var_of(ds->root, "v", NC_INT, 1, &x);
    struct cel_var *r = var_of(ds->root, "r", NC_INT, 1, &u), *b = var_of(ds->root, "b", NC_INT, 1, &big);
    struct cel_var *f = var_of(ds->root, "f", NC_INT, 1, &fits);

    FAILS(cel_var_set_storage(s, NC_CHUNKED, (size_t[]){1}), NC_EINVAL);
    OK(cel_var_set_storage(s, NC_CONTIGUOUS, NULL));
    OK(cel_var_set_storage(s, NC_COMPACT, NULL));
    FAILS(cel_var_set_storage(r, NC_CONTIGUOUS, NULL), NC_EINVAL);
    FAILS(cel_var_set_storage(r, NC_COMPACT, NULL), NC_EINVAL);
    assert_int_equal(r->layout.storage, CEL_CHUNKED);
    assert_int_equal(r->layout.chunk[0], 1024);
    OK(cel_var_set_storage(v, NC_CHUNKED, (size_t[]){0}));
    assert_int_equal(v->layout.chunk[0], 10);
    FAILS(cel_var_set_storage(v, NC_CHUNKED, (size_t[]){11}), NC_EBADCHUNK);
    OK(cel_var_set_storage(v, NC_CHUNKED, (size_t[]){7}));
    assert_int_equal(v->layout.chunk[0], 7);
    FAILS(cel_var_set_storage(r, NC_CHUNKED, (size_t[]){(size_t)1 << 30}), NC_EBADCHUNK);
    OK(cel_var_set_storage(r, NC_CHUNKED, (size_t[]){((size_t)1 << 30) - 1}));
    FAILS(cel_var_set_storage(v, 7, NULL), NC_EINVAL);
    FAILS(cel_var_set_storage(b, NC_COMPACT, NULL), NC_EVARSIZE);
    OK(cel_var_set_storage(f, NC_COMPACT, NULL));
    OK(cel_var_settle(b));
    assert_int_equal(b->layout.storage, CEL_CONTIGUOUS);
    saved(ds);
    FAILS(cel_var_set_storage(v, NC_CONTIGUOUS, NULL), NC_ELATEDEF);
    FAILS(cel_var_set_fill(v, false, NULL), NC_ELATEDEF);
    FAILS(cel_var_set_endian(v, NC_ENDIAN_BIG), NC_ELATEDEF);
    ds->writable = false;
    FAILS(cel_var_set_storage(v, NC_CONTIGUOUS, NULL), NC_EPERM);
    cel_dataset_free(ds);
}

static void formats_without_contiguous_data_chunk_all(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *x;
    struct cel_var *v, *s;

    ds->features &= ~(unsigned)CEL_KEEPS_CONTIGUOUS;
    x = dim_of(ds->root, "x", 10);
    v = var_of(ds->root, "v", NC_INT, 1, &x);
    s = var_of(ds->root, "s", NC_INT, 0, NULL);
    assert_int_equal(v->layout.storage, CEL_CHUNKED);
    assert_int_equal(v->layout.chunk[0], 10);
    OK(cel_var_settle(s));
    assert_int_equal(s->layout.storage, CEL_CONTIGUOUS); /* a single value has no chunks anywhere */
    cel_dataset_free(ds);
}

static void fill_can_be_set_and_dropped(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_var *v = var_of(ds->root, "v", NC_INT, 0, NULL), *s = var_of(ds->root, "s", NC_STRING, 0, NULL);
    const int five = 5;

    OK(cel_var_set_fill(v, false, &five));
    assert_int_equal(*(const int *)cel_var_fill_value(v), 5);
    assert_non_null(cel_att_find(&v->atts, "_FillValue"));
    OK(cel_var_set_fill(v, false, NULL));
    assert_int_equal(*(const int *)cel_var_fill_value(v), 5);
    OK(cel_var_set_fill(v, true, &five));
    assert_true(v->fill.off);
    assert_null(cel_att_find(&v->atts, "_FillValue"));
    FAILS(cel_var_set_fill(s, true, NULL), NC_EINVAL);
    ds->fill_mode = NC_NOFILL;
    assert_true(var_of(ds->root, "w", NC_INT, 0, NULL)->fill.off);
    assert_false(var_of(ds->root, "t", NC_STRING, 0, NULL)->fill.off);
    cel_dataset_free(ds);
}

static void default_fill_values(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_type *e, *o;
    const signed char one = 1;

    OK(cel_type_def_enum(ds->root, NC_BYTE, "e", &e));
    OK(cel_type_insert_member(e, "one", &one));
    OK(cel_type_def_opaque(ds->root, 5, "o", &o));
    assert_int_equal(*(const signed char *)cel_var_fill_value(var_of(ds->root, "ev", e->id, 0, NULL)), NC_FILL_BYTE);
    assert_memory_equal(cel_var_fill_value(var_of(ds->root, "ov", o->id, 0, NULL)), "\0\0\0\0\0", 5);
    assert_string_equal(*(char *const *)cel_var_fill_value(var_of(ds->root, "sv", NC_STRING, 0, NULL)), "");
    assert_true(*(const double *)cel_var_fill_value(var_of(ds->root, "dv", NC_DOUBLE, 0, NULL)) == NC_FILL_DOUBLE);
    cel_dataset_free(ds);
}

static void byte_order_is_for_numbers(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_var *v = var_of(ds->root, "v", NC_INT, 0, NULL), *c = var_of(ds->root, "c", NC_CHAR, 0, NULL);

    OK(cel_var_set_endian(v, NC_ENDIAN_BIG));
    FAILS(cel_var_set_endian(v, 3), NC_EINVAL);
    FAILS(cel_var_set_endian(c, NC_ENDIAN_BIG), NC_EINVAL);
    assert_int_equal(v->endian, NC_ENDIAN_BIG);
    cel_dataset_free(ds);
}

static void codecs_learn_the_shape(void **state)
{
    struct cel_dataset *ds = dataset(0);
    struct cel_dim *x = dim_of(ds->root, "x", 10), *y = dim_of(ds->root, "y", 20);
    struct cel_var *v = var_of(ds->root, "v", NC_SHORT, 2, (struct cel_dim *[]){x, y});
    struct cel_shape shape;
    const short fill = 0x0102;

    OK(cel_var_set_storage(v, NC_CHUNKED, (size_t[]){4, 6}));
    OK(cel_var_set_endian(v, NC_ENDIAN_BIG));
    OK(cel_var_set_fill(v, false, &fill));
    OK(cel_var_shape(v, &shape));
    assert_int_equal(shape.elem_size, 2);
    assert_int_equal(shape.kind, CEL_KIND_INT);
    assert_true(shape.big_endian);
    assert_int_equal(shape.rank, 2);
    assert_int_equal(shape.dims[1], 6);
    assert_int_equal(shape.nbytes, 48);
    assert_true(shape.has_fill);
    assert_memory_equal(shape.fill, "\1\2", 2);
    OK(cel_var_set_fill(v, true, NULL));
    OK(cel_var_shape(v, &shape));
    assert_false(shape.has_fill);
    cel_dataset_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_are_checked),
        cmocka_unit_test(the_classic_model_lengthens_names_in_define_mode),
        cmocka_unit_test(storage_has_rules),
        cmocka_unit_test(formats_without_contiguous_data_chunk_all),
        cmocka_unit_test(fill_can_be_set_and_dropped),
        cmocka_unit_test(default_fill_values),
        cmocka_unit_test(byte_order_is_for_numbers),
        cmocka_unit_test(codecs_learn_the_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
