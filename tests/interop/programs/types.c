/* SPDX-License-Identifier: BSD-3-Clause */
/* User-defined types: in variables, in attributes, and in each other. */
#include "say.h"

struct point {
    double x;
    short tag[2][3];
    unsigned char kind;
};

struct track {
    int id;
    struct point at;
    nc_vlen_t steps;
    char *name;
};

static void show_type(int ncid, nc_type type)
{
    char name[NC_MAX_NAME + 1];
    size_t size, n, offset;
    nc_type base;
    int klass, ndims, dims[8];

    DO(nc_inq_user_type(ncid, type, name, &size, &base, &n, &klass));
    printf("type %d %s: %zu bytes, base %d, %zu parts, class %d\n", type, name, size, base, n, klass);
    for (int i = 0; klass == NC_COMPOUND && i < (int)n; i++) {
        DO(nc_inq_compound_field(ncid, type, i, name, &offset, &base, &ndims, dims));
        printf("  %s at %zu, type %d, %d dimensions\n", name, offset, base, ndims);
    }
    for (int i = 0; klass == NC_ENUM && i < (int)n; i++) {
        unsigned char value;

        DO(nc_inq_enum_member(ncid, type, i, name, &value));
        printf("  %s = %d\n", name, value);
    }
}

static void define(int ncid, nc_type types[5])
{
    int dims[2] = {2, 3};

    DO(nc_def_enum(ncid, NC_UBYTE, "kind", &types[0]));
    DO(nc_insert_enum(ncid, types[0], "CALM", &(unsigned char){1}));
    DO(nc_insert_enum(ncid, types[0], "STORM", &(unsigned char){200}));
    DO(nc_def_compound(ncid, sizeof(struct point), "point", &types[1]));
    DO(nc_insert_compound(ncid, types[1], "x", NC_COMPOUND_OFFSET(struct point, x), NC_DOUBLE));
    DO(nc_insert_array_compound(ncid, types[1], "tag", NC_COMPOUND_OFFSET(struct point, tag), NC_SHORT, 2, dims));
    DO(nc_insert_compound(ncid, types[1], "kind", NC_COMPOUND_OFFSET(struct point, kind), types[0]));
    DO(nc_def_vlen(ncid, "steps", NC_INT, &types[2]));
    DO(nc_def_opaque(ncid, 5, "blob", &types[3]));
    DO(nc_def_compound(ncid, sizeof(struct track), "track", &types[4]));
    DO(nc_insert_compound(ncid, types[4], "id", NC_COMPOUND_OFFSET(struct track, id), NC_INT));
    DO(nc_insert_compound(ncid, types[4], "at", NC_COMPOUND_OFFSET(struct track, at), types[1]));
    DO(nc_insert_compound(ncid, types[4], "steps", NC_COMPOUND_OFFSET(struct track, steps), types[2]));
    DO(nc_insert_compound(ncid, types[4], "name", NC_COMPOUND_OFFSET(struct track, name), NC_STRING));
}

static void write_file(const char *path)
{
    static int numbers[] = {4, 5, 6, 7};
    struct point points[3];
    struct track tracks[2];
    nc_vlen_t vlens[2] = {{3, numbers}, {0, NULL}};
    nc_type types[5];
    const char *words[] = {"one", "", "three"};
    char blobs[2][5] = {"abcd", "efgh"};
    unsigned char kinds[] = {1, 200, 1};
    int ncid, three, two, varid;

    memset(points, 0, sizeof points);
    memset(tracks, 0, sizeof tracks);
    for (int i = 0; i < 3; i++) {
        points[i].x = 1.5 * i;
        points[i].kind = kinds[i];
        for (int k = 0; k < 6; k++)
            points[i].tag[k / 3][k % 3] = (short)(10 * i + k);
    }
    for (int i = 0; i < 2; i++)
        tracks[i] =
            (struct track){.id = i, .at = points[i], .steps = {(size_t)i + 1, numbers}, .name = i ? "second" : "first"};
    DO(nc_create(path, NC_NETCDF4, &ncid));
    define(ncid, types);
    DO(nc_def_dim(ncid, "three", 3, &three));
    DO(nc_def_dim(ncid, "two", 2, &two));
    DO(nc_def_var(ncid, "points", types[1], 1, &three, &varid));
    DO(nc_put_att(ncid, varid, "first", types[1], 1, points));
    DO(nc_put_var(ncid, varid, points));
    DO(nc_def_var(ncid, "kinds", types[0], 1, &three, &varid));
    DO(nc_put_var(ncid, varid, kinds));
    DO(nc_def_var(ncid, "vlens", types[2], 1, &two, &varid));
    DO(nc_put_var(ncid, varid, vlens));
    DO(nc_def_var(ncid, "blobs", types[3], 1, &two, &varid));
    DO(nc_put_var(ncid, varid, blobs));
    DO(nc_def_var(ncid, "tracks", types[4], 1, &two, &varid));
    DO(nc_put_var(ncid, varid, tracks));
    DO(nc_def_var(ncid, "words", NC_STRING, 1, &three, &varid));
    DO(nc_put_var_string(ncid, varid, words));
    DO(nc_put_att_string(ncid, NC_GLOBAL, "words", 3, words));
    DO(nc_put_att(ncid, NC_GLOBAL, "kinds", types[0], 3, kinds));
    DO(nc_put_att(ncid, NC_GLOBAL, "vlens", types[2], 2, vlens));
    DO(nc_put_att(ncid, NC_GLOBAL, "blobs", types[3], 2, blobs));
    DO(nc_close(ncid));
}

static void read_file(const char *path)
{
    struct track tracks[2];
    nc_vlen_t vlens[2];
    nc_type types[8], field;
    char *words[3], ident[NC_MAX_NAME + 1];
    unsigned char kinds[3];
    int ncid, n, varid, index;
    size_t len;

    DO(nc_open(path, NC_NOWRITE, &ncid));
    DO(nc_inq_typeids(ncid, &n, types));
    for (int i = 0; i < n; i++)
        show_type(ncid, types[i]);
    DO(nc_inq_typeid(ncid, "track", &field));
    DO(nc_inq_compound_fieldindex(ncid, field, "steps", &index));
    printf("steps is field %d\n", index);
    SAY(nc_inq_compound_fieldindex(ncid, field, "nothing", &index));
    SAY(nc_inq_compound_fieldname(ncid, field, 99, ident));
    SAY(nc_inq_typeid(ncid, "nothing", &field));
    DO(nc_inq_varid(ncid, "tracks", &varid));
    DO(nc_get_var(ncid, varid, tracks));
    for (int i = 0; i < 2; i++)
        printf("%d %g %d %d %zu %d %s\n", tracks[i].id, tracks[i].at.x, tracks[i].at.tag[1][2], tracks[i].at.kind,
               tracks[i].steps.len, ((int *)tracks[i].steps.p)[0], tracks[i].name);
    DO(nc_inq_vartype(ncid, varid, &field));
    DO(nc_reclaim_data(ncid, field, tracks, 2));
    DO(nc_inq_varid(ncid, "vlens", &varid));
    DO(nc_get_var(ncid, varid, vlens));
    printf("%zu %zu %d\n", vlens[0].len, vlens[1].len, ((int *)vlens[0].p)[2]);
    DO(nc_free_vlens(2, vlens));
    DO(nc_inq_varid(ncid, "words", &varid));
    DO(nc_get_var_string(ncid, varid, words));
    printf("%s|%s|%s\n", words[0], words[1], words[2]);
    DO(nc_free_string(3, words));
    DO(nc_get_att(ncid, NC_GLOBAL, "kinds", kinds));
    DO(nc_inq_atttype(ncid, NC_GLOBAL, "kinds", &field));
    DO(nc_inq_attlen(ncid, NC_GLOBAL, "kinds", &len));
    for (size_t i = 0; i < len; i++) {
        DO(nc_inq_enum_ident(ncid, field, kinds[i], ident));
        printf("%s\n", ident);
    }
    DO(nc_inq_varid(ncid, "points", &varid));
    SAY(nc_get_var_int(ncid, varid, &n));
    SAY(nc_inq_enum_ident(ncid, field, 77, ident));
    DO(nc_close(ncid));
}

int main(int argc, char **argv)
{
    (void)argc;
    write_file(argv[1]);
    read_file(argv[1]);
    return 0;
}
