/* SPDX-License-Identifier: BSD-3-Clause */
/* User types: as variables and attributes, nested, in groups; read back by what the
 * file says of them. */
#include "container_suite.h"

struct point {
    int id;
    double at[2][3];
    signed char flag;
};

struct track {
    struct point ends[2];
    float speed;
};

static nc_type def_point(int nc)
{
    nc_type type;

    OK(nc_def_compound(nc, sizeof(struct point), "point", &type));
    OK(nc_insert_compound(nc, type, "id", offsetof(struct point, id), NC_INT));
    OK(nc_insert_array_compound(nc, type, "at", offsetof(struct point, at), NC_DOUBLE, 2, (int[]){2, 3}));
    OK(nc_insert_compound(nc, type, "flag", offsetof(struct point, flag), NC_BYTE));
    return type;
}

static nc_type def_track(int nc, nc_type point)
{
    nc_type type;

    OK(nc_def_compound(nc, sizeof(struct track), "track", &type));
    OK(nc_insert_array_compound(nc, type, "ends", offsetof(struct track, ends), point, 1, (int[]){2}));
    OK(nc_insert_compound(nc, type, "speed", offsetof(struct track, speed), NC_FLOAT));
    return type;
}

static void fill_tracks(struct track *tracks, int n)
{
    memset(tracks, 0, (size_t)n * sizeof *tracks);
    for (int i = 0; i < n; i++) {
        tracks[i].speed = (float)i / 2;
        for (int e = 0; e < 2; e++) {
            tracks[i].ends[e].id = 10 * i + e;
            tracks[i].ends[e].at[1][2] = i + .25;
            tracks[i].ends[e].flag = (signed char)-i;
        }
    }
}

static void check_tracks(const struct track *got, const struct track *want, int n)
{
    for (int i = 0; i < n; i++) {
        assert_true(got[i].speed == want[i].speed);
        for (int e = 0; e < 2; e++) {
            assert_int_equal(got[i].ends[e].id, want[i].ends[e].id);
            assert_memory_equal(got[i].ends[e].at, want[i].ends[e].at, sizeof want[i].ends[e].at);
            assert_int_equal(got[i].ends[e].flag, want[i].ends[e].flag);
        }
    }
}

static void compounds_nest(void **state)
{
    struct track tracks[5], got[5];
    int nc = fresh(), x = def_dim(nc, "x", 5), v, c, ndims, dims[2], id;
    nc_type point = def_point(nc), track = def_track(nc, point), type, base;
    char name[NC_MAX_NAME + 1];
    size_t size, nfields, offset;

    fill_tracks(tracks, 5);
    v = def_var(nc, "v", track, 1, &x);
    c = def_var(nc, "c", track, 1, &x);
    OK(nc_def_var_chunking(nc, c, NC_CHUNKED, (size_t[]){2}));
    OK(nc_put_att(nc, v, "a", track, 3, tracks));
    OK(nc_enddef(nc));
    OK(nc_put_var(nc, v, tracks));
    OK(nc_put_var(nc, c, tracks));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_vartype(nc, v, &type));
    OK(nc_inq_compound(nc, type, name, &size, &nfields));
    assert_string_equal(name, "track");
    assert_int_equal(size, sizeof(struct track));
    assert_int_equal(nfields, 2);
    OK(nc_inq_compound_field(nc, type, 0, name, &offset, &base, &ndims, dims));
    assert_string_equal(name, "ends");
    assert_int_equal(ndims, 1);
    assert_int_equal(dims[0], 2);
    OK(nc_inq_compound_fieldindex(nc, base, "at", &id));
    assert_int_equal(id, 1);
    OK(nc_inq_compound_field(nc, base, 1, name, &offset, &type, &ndims, dims));
    assert_int_equal(offset, offsetof(struct point, at));
    assert_int_equal(type, NC_DOUBLE);
    assert_int_equal(ndims, 2);
    assert_int_equal(dims[1], 3);
    OK(nc_get_var(nc, v, got));
    check_tracks(got, tracks, 5);
    OK(nc_get_var(nc, c, got));
    check_tracks(got, tracks, 5);
    OK(nc_get_att(nc, v, "a", got));
    check_tracks(got, tracks, 3);
    OK(nc_get_vara(nc, c, (size_t[]){3}, (size_t[]){1}, got));
    check_tracks(got, tracks + 3, 1);
    done(nc);
}

static void unwritten_compounds_are_zero(void **state)
{
    struct track got[4], zero[4];
    int nc = fresh(), x = def_dim(nc, "x", 4), v = def_var(nc, "v", def_track(nc, def_point(nc)), 1, &x);

    memset(got, 1, sizeof got);
    memset(zero, 0, sizeof zero);
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var(nc, v, got));
    check_tracks(got, zero, 4);
    done(nc);
}

static void enums_are_kept(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 4), v;
    const short values[] = {-1, 2, 300}, data[] = {2, 300, -1, 2};
    nc_type e, type, base;
    char name[NC_MAX_NAME + 1];
    size_t size, n;
    short got[4];

    OK(nc_def_enum(nc, NC_SHORT, "colour", &e));
    OK(nc_insert_enum(nc, e, "red", &values[0]));
    OK(nc_insert_enum(nc, e, "green", &values[1]));
    OK(nc_insert_enum(nc, e, "blue", &values[2]));
    v = def_var(nc, "v", e, 1, &x);
    OK(nc_put_att(nc, v, "a", e, 2, data));
    OK(nc_enddef(nc));
    OK(nc_put_var(nc, v, data));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_vartype(nc, v, &type));
    OK(nc_inq_enum(nc, type, name, &base, &size, &n));
    assert_string_equal(name, "colour");
    assert_int_equal(base, NC_SHORT);
    assert_int_equal(size, 2);
    assert_int_equal(n, 3);
    OK(nc_inq_enum_member(nc, type, 2, name, got));
    assert_string_equal(name, "blue");
    assert_int_equal(got[0], 300);
    OK(nc_inq_enum_ident(nc, type, -1, name));
    assert_string_equal(name, "red");
    FAILS(nc_inq_enum_ident(nc, type, 77, name), NC_EINVAL);
    OK(nc_get_var(nc, v, got));
    assert_memory_equal(got, data, sizeof got);
    OK(nc_get_att(nc, v, "a", got));
    assert_memory_equal(got, data, 4);
    done(nc);
}

static void opaques_are_kept(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 3), v;
    unsigned char data[3][11], got[3][11];
    nc_type o, type;
    char name[NC_MAX_NAME + 1];
    size_t size;

    for (int i = 0; i < 33; i++)
        data[i / 11][i % 11] = (unsigned char)(i * 37);
    OK(nc_def_opaque(nc, 11, "blob", &o));
    v = def_var(nc, "v", o, 1, &x);
    OK(nc_put_att(nc, NC_GLOBAL, "a", o, 2, data));
    OK(nc_enddef(nc));
    OK(nc_put_var(nc, v, data));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_vartype(nc, v, &type));
    OK(nc_inq_opaque(nc, type, name, &size));
    assert_string_equal(name, "blob");
    assert_int_equal(size, 11);
    OK(nc_get_var(nc, v, got));
    assert_memory_equal(got, data, sizeof data);
    memset(got, 0, sizeof got);
    OK(nc_get_att(nc, NC_GLOBAL, "a", got));
    assert_memory_equal(got, data, 22);
    done(nc);
}

static void vlens_are_kept(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 3), v, ints[] = {1, 2, 3, 4, 5, 6};
    nc_vlen_t data[] = {{2, ints}, {0, NULL}, {4, ints + 2}}, got[3];
    nc_type vlen, type, base;
    char name[NC_MAX_NAME + 1];
    size_t size;

    OK(nc_def_vlen(nc, "row", NC_INT, &vlen));
    v = def_var(nc, "v", vlen, 1, &x);
    if (keeps(USER_TYPES))
        OK(nc_put_att(nc, v, "a", vlen, 3, data));
    OK(nc_enddef(nc));
    OK(nc_put_var(nc, v, data));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_inq_vartype(nc, v, &type));
    OK(nc_inq_vlen(nc, type, name, &size, &base));
    assert_string_equal(name, "row");
    assert_int_equal(base, NC_INT);
    for (int r = 0; r < 1 + keeps(USER_TYPES); r++) {
        if (r)
            OK(nc_get_att(nc, v, "a", got));
        else
            OK(nc_get_var(nc, v, got));
        assert_int_equal(got[0].len, 2);
        assert_int_equal(((int *)got[0].p)[1], 2);
        assert_int_equal(got[1].len, 0);
        assert_int_equal(got[2].len, 4);
        assert_memory_equal(got[2].p, ints + 2, 4 * sizeof *ints);
        OK(nc_free_vlens(3, got));
    }
    done(nc);
}

struct mixed {
    char *name;
    nc_vlen_t rows;
    int n;
};

static void strings_and_vlens_inside_compounds(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 2), v, ints[] = {1, 2, 3};
    struct mixed data[] = {{"first", {3, ints}, 7}, {"", {0, NULL}, 8}}, got[2];
    nc_type row, mixed;

    OK(nc_def_vlen(nc, "row", NC_INT, &row));
    OK(nc_def_compound(nc, sizeof(struct mixed), "mixed", &mixed));
    OK(nc_insert_compound(nc, mixed, "name", offsetof(struct mixed, name), NC_STRING));
    OK(nc_insert_compound(nc, mixed, "rows", offsetof(struct mixed, rows), row));
    OK(nc_insert_compound(nc, mixed, "n", offsetof(struct mixed, n), NC_INT));
    v = def_var(nc, "v", mixed, 1, &x);
    OK(nc_enddef(nc));
    OK(nc_put_var(nc, v, data));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var(nc, v, got));
    assert_string_equal(got[0].name, "first");
    assert_int_equal(got[0].rows.len, 3);
    assert_memory_equal(got[0].rows.p, ints, sizeof ints);
    assert_int_equal(got[0].n, 7);
    assert_string_equal(got[1].name, "");
    assert_int_equal(got[1].n, 8);
    for (int i = 0; i < 2; i++) {
        free(got[i].name);
        free(got[i].rows.p);
    }
    done(nc);
}

static void types_serve_all_groups(void **state)
{
    int nc = fresh(), g, h, v, equal;
    const unsigned char data[4] = "abc";
    unsigned char got[4];
    nc_type o, found, other;

    OK(nc_def_grp(nc, "g", &g));
    OK(nc_def_grp(nc, "h", &h));
    OK(nc_def_opaque(g, 4, "t", &o));
    v = def_var(h, "v", o, 0, NULL);
    OK(nc_enddef(nc));
    OK(nc_put_var(h, v, data));
    nc = reopened(nc, NC_NOWRITE);
    h = group_named(nc, "h");
    OK(nc_inq_vartype(h, v, &found));
    OK(nc_inq_typeid(h, "/g/t", &other));
    assert_int_equal(found, other);
    OK(nc_inq_type_equal(h, found, nc, other, &equal));
    assert_int_equal(equal, 1);
    OK(nc_inq_type_equal(h, found, nc, NC_INT, &equal));
    assert_int_equal(equal, 0);
    OK(nc_get_var(h, v, got));
    assert_memory_equal(got, data, 4);
    done(nc);
}

static void a_type_in_the_file_cannot_change(void **state)
{
    int nc = fresh();
    const int one = 1, two = 2;
    nc_type e;

    OK(nc_def_enum(nc, NC_INT, "e", &e));
    OK(nc_insert_enum(nc, e, "one", &one));
    OK(nc_enddef(nc));
    FAILS(nc_insert_enum(nc, e, "two", &two), NC_ETYPDEFINED);
    nc = reopened(nc, NC_WRITE);
    OK(nc_inq_typeid(nc, "e", &e));
    FAILS(nc_insert_enum(nc, e, "two", &two), NC_ETYPDEFINED);
    FAILS(nc_insert_compound(nc, e, "f", 0, NC_INT), NC_EBADTYPE);
    done(nc);
}

static void types_have_names_of_their_own(void **state)
{
    int nc = fresh(), id;
    nc_type type;

    OK(nc_def_opaque(nc, 4, "t", &type));
    FAILS(nc_def_opaque(nc, 4, "t", &type), NC_ENAMEINUSE);
    FAILS(nc_def_var(nc, "t", NC_INT, 0, NULL, &id), NC_ENAMEINUSE);
    FAILS(nc_def_grp(nc, "t", &id), NC_ENAMEINUSE);
    FAILS(nc_def_opaque(nc, 0, "u", &type), NC_EINVAL);
    FAILS(nc_def_var(nc, "v", 99, 0, NULL, &id), NC_EBADTYPE);
    done(nc);
}

static void fill_values_of_user_types(void **state)
{
    int nc = fresh(), x = def_dim(nc, "x", 2), v;
    nc_type point = def_point(nc);
    struct point fill = {.id = 42, .flag = 3}, got[2];

    v = def_var(nc, "v", point, 1, &x);
    OK(nc_def_var_fill(nc, v, NC_FILL, &fill));
    nc = reopened(nc, NC_NOWRITE);
    OK(nc_get_var(nc, v, got));
    assert_int_equal(got[1].id, 42);
    assert_int_equal(got[1].flag, 3);
    done(nc);
}

const struct CMUnitTest type_tests[] = {
    NEEDS(USER_TYPES, compounds_nest),
    NEEDS(USER_TYPES, unwritten_compounds_are_zero),
    NEEDS(USER_TYPES, enums_are_kept),
    NEEDS(USER_TYPES, opaques_are_kept),
    NEEDS(LISTS, vlens_are_kept),
    NEEDS(USER_TYPES, strings_and_vlens_inside_compounds),
    NEEDS(USER_TYPES | GROUPS, types_serve_all_groups),
    NEEDS(USER_TYPES, a_type_in_the_file_cannot_change),
    NEEDS(USER_TYPES, types_have_names_of_their_own),
    NEEDS(USER_TYPES, fill_values_of_user_types),
};
END_PART(type);
