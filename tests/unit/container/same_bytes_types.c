/* SPDX-License-Identifier: BSD-3-Clause */
/* User types with holes at every depth, in variables of every layout, attributes and fill values. */
#include "same_bytes.h"
#include <stddef.h>

struct inner {
    char c; /* seven bytes nobody owns */
    double d[2];
    short s; /* six more */
};

struct outer {
    signed char b;
    struct inner one, two[2];
    int i;
};

struct tagged {
    unsigned char color;
    char blob[3];
    short gap; /* the type does not name it */
    long long n;
};

struct backward { /* its last member is the type's first */
    int i;
    char c;
};

struct owner {
    char c;
    char *text;
    short s;
    nc_vlen_t inners;
    float f;
};

static struct inner *make_inners(size_t n)
{
    struct inner *a = dirty(n * sizeof *a);
    size_t i;

    for (i = 0; i < n; i++) {
        a[i].c = (char)('a' + i);
        a[i].d[0] = (double)i;
        a[i].d[1] = 0.5;
        a[i].s = (short)i;
    }
    return a;
}

static void *make_inner_values(size_t n)
{
    return make_inners(n);
}

/* Member by member: a struct that is assigned whole brings its holes along. */
static void set_inner(struct inner *to, int i)
{
    to->c = (char)i;
    to->d[0] = i;
    to->d[1] = -i;
    to->s = (short)i;
}

static void *make_outers(size_t n)
{
    struct outer *a = dirty(n * sizeof *a);
    size_t i;

    for (i = 0; i < n; i++) {
        a[i].b = (signed char)i;
        set_inner(&a[i].one, 1);
        set_inner(&a[i].two[0], 2);
        set_inner(&a[i].two[1], 3);
        a[i].i = 4;
    }
    return a;
}

static void *make_tagged(size_t n)
{
    struct tagged *a = dirty(n * sizeof *a);
    size_t i;

    for (i = 0; i < n; i++) {
        a[i].color = 200;
        memcpy(a[i].blob, "xyz", 3);
        a[i].n = (long long)i;
    }
    return a;
}

static void *make_backward(size_t n)
{
    struct backward *a = dirty(n * sizeof *a);
    size_t i;

    for (i = 0; i < n; i++) {
        a[i].i = (int)i;
        a[i].c = 'c';
    }
    return a;
}

static void *make_colors(size_t n)
{
    return memset(dirty(n), 200, n);
}

static void *make_blobs(size_t n)
{
    return memset(dirty(n * 3), 'b', n * 3);
}

static void *make_owners(size_t n)
{
    struct owner *a = dirty(n * sizeof *a);
    size_t i;

    for (i = 0; i < n; i++) {
        a[i].c = 'c';
        a[i].text = i % 2 ? "text" : "";
        a[i].s = 3;
        a[i].inners.len = i % 3;
        a[i].inners.p = make_inners(3);
        a[i].f = 1.5f;
    }
    return a;
}

static void *make_lists(size_t n)
{
    nc_vlen_t *a = dirty(n * sizeof *a);
    size_t i;

    for (i = 0; i < n; i++) {
        a[i].len = i % 3;
        a[i].p = make_outers(3);
    }
    return a;
}

static void *make_lists_of_lists(size_t n)
{
    nc_vlen_t *a = dirty(n * sizeof *a);
    size_t i;

    for (i = 0; i < n; i++) {
        a[i].len = 2;
        a[i].p = make_lists(2);
    }
    return a;
}

/* --- the types ------------------------------------------------------------------------ */

enum { INNER, OUTER, COLOR, BLOB, TAGGED, OWNER, LIST, LISTS, BACKWARD, NTYPES };

static const struct {
    const char *name;
    void *(*make)(size_t n);
    int varsized;
} types[NTYPES] = {
    [INNER] = {"inner", make_inner_values, 0},
    [OUTER] = {"outer", make_outers, 0},
    [COLOR] = {"color", make_colors, 0},
    [BLOB] = {"blob", make_blobs, 0},
    [TAGGED] = {"tagged", make_tagged, 0},
    [OWNER] = {"owner", make_owners, 1},
    [LIST] = {"list", make_lists, 1},
    [LISTS] = {"lists", make_lists_of_lists, 1},
    [BACKWARD] = {"backward", make_backward, 0},
};

static void define_types(int nc, nc_type *id)
{
    nc_type inners;
    int two = 2;

    OK(nc_def_compound(nc, sizeof(struct inner), "inner", &id[INNER]));
    OK(nc_insert_compound(nc, id[INNER], "c", offsetof(struct inner, c), NC_CHAR));
    OK(nc_insert_array_compound(nc, id[INNER], "d", offsetof(struct inner, d), NC_DOUBLE, 1, &two));
    OK(nc_insert_compound(nc, id[INNER], "s", offsetof(struct inner, s), NC_SHORT));
    OK(nc_def_compound(nc, sizeof(struct outer), "outer", &id[OUTER]));
    OK(nc_insert_compound(nc, id[OUTER], "b", offsetof(struct outer, b), NC_BYTE));
    OK(nc_insert_compound(nc, id[OUTER], "one", offsetof(struct outer, one), id[INNER]));
    OK(nc_insert_array_compound(nc, id[OUTER], "two", offsetof(struct outer, two), id[INNER], 1, &two));
    OK(nc_insert_compound(nc, id[OUTER], "i", offsetof(struct outer, i), NC_INT));
    OK(nc_def_compound(nc, sizeof(struct backward), "backward", &id[BACKWARD]));
    OK(nc_insert_compound(nc, id[BACKWARD], "c", offsetof(struct backward, c), NC_CHAR));
    OK(nc_insert_compound(nc, id[BACKWARD], "i", offsetof(struct backward, i), NC_INT));
    OK(nc_def_enum(nc, NC_UBYTE, "color", &id[COLOR]));
    OK(nc_insert_enum(nc, id[COLOR], "red", (unsigned char[]){1}));
    OK(nc_insert_enum(nc, id[COLOR], "green", (unsigned char[]){200}));
    OK(nc_def_opaque(nc, 3, "blob", &id[BLOB]));
    OK(nc_def_compound(nc, sizeof(struct tagged), "tagged", &id[TAGGED]));
    OK(nc_insert_compound(nc, id[TAGGED], "color", offsetof(struct tagged, color), id[COLOR]));
    OK(nc_insert_compound(nc, id[TAGGED], "blob", offsetof(struct tagged, blob), id[BLOB]));
    OK(nc_insert_compound(nc, id[TAGGED], "n", offsetof(struct tagged, n), NC_INT64));
    OK(nc_def_vlen(nc, "inners", id[INNER], &inners));
    OK(nc_def_compound(nc, sizeof(struct owner), "owner", &id[OWNER]));
    OK(nc_insert_compound(nc, id[OWNER], "c", offsetof(struct owner, c), NC_CHAR));
    OK(nc_insert_compound(nc, id[OWNER], "text", offsetof(struct owner, text), NC_STRING));
    OK(nc_insert_compound(nc, id[OWNER], "s", offsetof(struct owner, s), NC_SHORT));
    OK(nc_insert_compound(nc, id[OWNER], "inners", offsetof(struct owner, inners), inners));
    OK(nc_insert_compound(nc, id[OWNER], "f", offsetof(struct owner, f), NC_FLOAT));
    OK(nc_def_vlen(nc, "list", id[OUTER], &id[LIST]));
    OK(nc_def_vlen(nc, "lists", id[LIST], &id[LISTS]));
}

/* --- variables of each of them ----------------------------------------------------------- */

/* The values leak, with all they point to: this program ends soon. */
static void put_parts(int nc, int var, int rank, int type)
{
    size_t start[2] = {0, 1}, count[2] = {2, 3};
    ptrdiff_t stride[2] = {1, 2};

    start[0] = rank == 2 ? 1 : 0;
    OK(nc_put_vara(nc, var, start + 2 - rank, count + 2 - rank, types[type].make(6)));
    OK(nc_put_vars(nc, var, start + 2 - rank, count + 2 - rank, stride + 2 - rank, types[type].make(6)));
    OK(nc_put_var1(nc, var, (size_t[]){0, 0}, types[type].make(1)));
}

static const struct {
    const char *name;
    int rank;              /* 2: along the unlimited dimension */
    int storage, deflated; /* storage -1: as the library chooses */
    int fill;              /* 1: by nc_def_var_fill, 2: by the attribute, 3: none */
} layouts[] = {
    {"records", 2, -1, 0, 0},
    {"records_filled", 2, -1, 0, 1},
    {"contiguous", 1, NC_CONTIGUOUS, 0, 0},
    {"contiguous_filled", 1, NC_CONTIGUOUS, 0, 2},
    {"compact", 1, NC_COMPACT, 0, 1},
    {"deflated", 2, NC_CHUNKED, 1, 2},
    {"unfilled", 1, NC_CHUNKED, 0, 3},
    {"chunked_filled", 1, NC_CHUNKED, 0, 2},
};

static int define_layout(int nc, size_t l, int type, nc_type id, const int *dims)
{
    size_t chunks[2] = {2, 4};
    char name[64];
    int var;

    snprintf(name, sizeof name, "%s_%s", types[type].name, layouts[l].name);
    OK(nc_def_var(nc, name, id, layouts[l].rank, dims + 2 - layouts[l].rank, &var));
    if (layouts[l].storage >= 0)
        OK(nc_def_var_chunking(nc, var, layouts[l].storage, chunks + 2 - layouts[l].rank));
    if (layouts[l].deflated)
        OK(nc_def_var_deflate(nc, var, 1, 1, 4));
    if (layouts[l].fill == 1)
        OK(nc_def_var_fill(nc, var, NC_FILL, types[type].make(1)));
    if (layouts[l].fill == 2)
        OK(nc_put_att(nc, var, "_FillValue", id, 1, types[type].make(1)));
    if (layouts[l].fill == 3)
        OK(nc_def_var_fill(nc, var, NC_NOFILL, NULL));
    return var;
}

static void one_type(int nc, int type, nc_type id, const int *dims)
{
    char name[64];
    size_t l;
    int var;

    for (l = 0; l < sizeof layouts / sizeof *layouts; l++) {
        if (types[type].varsized && (layouts[l].deflated || layouts[l].fill))
            continue; /* netCDF has neither for them */
        var = define_layout(nc, l, type, id, dims);
        OK(nc_put_att(nc, var, "of_type", id, 3, types[type].make(3)));
        if (l % 2)
            OK(nc_enddef(nc));
        put_parts(nc, var, layouts[l].rank, type);
        OK(nc_sync(nc));
        if (l % 2)
            OK(nc_redef(nc));
    }
    snprintf(name, sizeof name, "scalar_%s", types[type].name);
    OK(nc_def_var(nc, name, id, 0, NULL, &var));
    OK(nc_put_var(nc, var, types[type].make(1)));
    OK(nc_put_att(nc, NC_GLOBAL, name, id, 2, types[type].make(2)));
}

void user_types(const struct place *p, const int *dims)
{
    nc_type id[NTYPES];
    int type, group;

    define_types(p->nc, id);
    OK(nc_def_grp(p->nc, "g", &group));
    for (type = 0; type < NTYPES; type++) {
        one_type(p->nc, type, id[type], dims);
        OK(nc_put_att(group, NC_GLOBAL, types[type].name, id[type], 1, types[type].make(1)));
        OK(nc_put_att(group, NC_GLOBAL, types[type].name, id[type], 4, types[type].make(4)));
    }
}

/* In a file that has the types already: one attribute over another, a new one, more values. libhdf5 gives the backward
 * type another layout in memory there, with c before i. */
void user_types_again(const struct place *p)
{
    char name[64];
    nc_type id;
    int type, var;

    for (type = 0; type < BACKWARD; type++) {
        OK(nc_inq_typeid(p->nc, types[type].name, &id));
        snprintf(name, sizeof name, "scalar_%s", types[type].name);
        OK(nc_put_att(p->nc, NC_GLOBAL, name, id, 2, types[type].make(2)));
        snprintf(name, sizeof name, "later_%s", types[type].name);
        OK(nc_put_att(p->nc, NC_GLOBAL, name, id, 3, types[type].make(3)));
        snprintf(name, sizeof name, "%s_records", types[type].name);
        OK(nc_inq_varid(p->nc, name, &var));
        OK(nc_put_vara(p->nc, var, (size_t[]){3, 0}, (size_t[]){2, 3}, types[type].make(6)));
    }
}
