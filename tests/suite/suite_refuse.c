/* SPDX-License-Identifier: BSD-3-Clause */
/* What a container does not keep is refused by the call that defines it, with one
 * code for types and one for features; nothing of it is left behind. */
#include "container_suite.h"

static void types_are_refused(void **state)
{
    int nc = fresh(), n, id, one = 1;
    const char *word = "sea";

    if (!keeps(WIDE_INTEGERS))
        for (nc_type type = NC_UBYTE; type <= NC_UINT64; type++) {
            FAILS(nc_def_var(nc, "v", type, 0, NULL, &id), here->no_type);
            FAILS(nc_put_att_int(nc, NC_GLOBAL, "a", type, 1, &one), here->no_type);
        }
    if (!keeps(STRINGS)) {
        FAILS(nc_def_var(nc, "v", NC_STRING, 0, NULL, &id), here->no_type);
        FAILS(nc_put_att_string(nc, NC_GLOBAL, "a", 1, &word), here->no_type);
    }
    OK(nc_inq_nvars(nc, &n));
    assert_int_equal(n, 0);
    OK(nc_inq_natts(nc, &n));
    assert_int_equal(n, 0);
    done(nc);
}

static void user_types_are_refused(void **state)
{
    int nc = fresh(), refused = here->flags & NC_NETCDF4 ? here->no_type : NC_ENOTNC4;
    nc_type type;

    if (!keeps(USER_TYPES)) {
        FAILS(nc_def_compound(nc, 4, "c", &type), refused);
        FAILS(nc_def_enum(nc, NC_INT, "e", &type), refused);
        FAILS(nc_def_opaque(nc, 4, "o", &type), refused);
        FAILS(nc_def_vlen(nc, "v", NC_CHAR, &type), refused);
    }
    if (!keeps(LISTS))
        FAILS(nc_def_vlen(nc, "v", NC_INT, &type), refused);
    if (keeps(LISTS) && !keeps(USER_TYPES)) {
        OK(nc_def_vlen(nc, "v", NC_INT, &type));
        FAILS(nc_put_att(nc, NC_GLOBAL, "a", type, 1, &(nc_vlen_t){0}), here->no_type);
        FAILS(nc_def_vlen(nc, "w", type, &type), here->no_type);
    }
    done(nc);
}

static void features_are_refused(void **state)
{
    int nc = fresh(), g, x = def_dim(nc, "x", 10), v = def_var(nc, "v", NC_INT, 1, &x), id;
    int t = def_dim(nc, "t", NC_UNLIMITED);

    if (!keeps(CHUNKS))
        FAILS(nc_def_var(nc, "late", NC_INT, 2, (int[]){x, t}, &id), NC_EUNLIMPOS);
    if (!keeps(GROUPS))
        FAILS(nc_def_grp(nc, "g", &g), here->no_feature);
    if (!keeps(UNLIMITED))
        FAILS(nc_def_dim(nc, "u", NC_UNLIMITED, &id), here->no_unlimited);
    if (!keeps(CHUNKS))
        FAILS(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){2}), here->no_feature);
    if (!keeps(COMPACT))
        FAILS(nc_def_var_chunking(nc, v, NC_COMPACT, NULL), here->no_feature);
    if (!keeps(CONTIGUOUS))
        FAILS(nc_def_var_chunking(nc, v, NC_CONTIGUOUS, NULL), here->no_feature);
    if (!keeps(FILTERS))
        FAILS(nc_def_var_deflate(nc, v, 1, 1, 5), here->no_feature);
    if (!keeps(ENDIANNESS))
        FAILS(nc_def_var_endian(nc, v, NC_ENDIAN_BIG), here->no_feature);
    done(nc);
}

const struct CMUnitTest refuse_tests[] = {
    cmocka_unit_test(types_are_refused),
    cmocka_unit_test(user_types_are_refused),
    cmocka_unit_test(features_are_refused),
};
END_PART(refuse);
