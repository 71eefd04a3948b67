/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening: the links of every group, and what their object headers say. Nothing
 * is asked of libhdf5 that can be read without it; in a file open for reading that is
 * mostly everything, and libhdf5 does not even open it. A dataset
 * becomes a dimension, a variable or both; which dimensions a variable has is found
 * out once all are known (h5_dims.c). Ids are given in netCDF-C's order: a
 * group's own links first, then its children, depth first. */
#include "h5_load.h"
#include "utf8.h"
#include <stdlib.h>

#define DIMID_MAX 1048576 /* ids beyond this are damage, not dimensions */
#define DEPTH_MAX 256
#define GROUPS_MAX 65536 /* links may be arranged so that a small file has endless groups */

/* --- objects --------------------------------------------------------------------------------- */

/* Types that netCDF has not; the class of a committed type is found out later. */
static bool is_foreign(const struct cel_h5r_object *h)
{
    switch (h->type_class) {
    case CEL_H5R_TIME:
    case CEL_H5R_BITFIELD:
    case CEL_H5R_REFERENCE:
    case CEL_H5R_ARRAY:
        return true;
    case CEL_H5R_INTEGER:
        return h->type_size > 8;
    case CEL_H5R_FLOAT:
        return h->type_size > 16;
    default:
        return false;
    }
}

static int add_dim(struct loading *l, const char *name, uint64_t addr, const struct cel_h5r_object *h,
                   struct cel_dim **out)
{
    bool unlimited = h->maxdims[0] == UINT64_MAX;
    int id = h->dimid;
    int rc;

    if (id < 0 || id > DIMID_MAX || cel_dim_by_id(l->f->ds, id))
        id = -1;
    if (cel_names_find(&l->group->dim_index, name))
        return CEL_OK;
    rc = cel_dim_add(l->group, name, (size_t)h->dims[0], unlimited, id, out);
    return rc == CEL_OK ? cel_h5_dim_make_priv(*out, addr, h->dim_only) : rc;
}

static void count_marks(struct cel_h5_file *f, const struct cel_h5r_object *h)
{
    f->marks += (h->dimid >= 0) + (h->ncoords >= 0) + h->dim_only;
}

/* Without the prefix of variables that only share a dimension's name, and in normal form;
 * bytes that are not UTF-8 have none and stay as they are. */
static int var_name(const char *link, char **out)
{
    size_t n = sizeof CEL_H5_NON_COORD - 1;
    const char *name = strncmp(link, CEL_H5_NON_COORD, n) == 0 ? link + n : link;

    if (cel_utf8_valid(name))
        return cel_name_normal(name, out);
    *out = cel_strdup(name);
    return *out ? CEL_OK : NC_ENOMEM;
}

static int add_var(struct loading *l, const char *link, uint64_t addr, const struct cel_h5r_object *h,
                   struct cel_dim *own)
{
    struct cel_h5_var *v;
    struct cel_var *var;
    char *name = NULL;
    int d, rc = var_name(link, &name);

    if (rc == CEL_OK)
        rc = cel_var_add(l->group, name, h->rank, &var);
    if (rc == CEL_OK)
        rc = cel_h5_var_make_priv(var, &v);
    if (rc == CEL_OK && strcmp(name, link) != 0 && !(v->link = cel_strdup(link)))
        rc = NC_ENOMEM;
    free(name);
    if (rc != CEL_OK)
        return rc;
    v->addr = addr;
    v->is_scale = own != NULL;
    for (d = 0; d < h->rank; d++)
        var->layout.extent[d] = (size_t)h->dims[d];
    return cel_h5_found_add(l, var, h, own);
}

static int add_dataset(struct loading *l, const char *name, uint64_t addr, const struct cel_h5r_object *h)
{
    struct cel_dim *own = NULL;
    int rc = CEL_OK;

    count_marks(l->f, h);
    if ((h->dim_only || h->is_scale) && h->rank > 0)
        rc = add_dim(l, name, addr, h, &own);
    if (rc != CEL_OK || (h->dim_only && own))
        return rc;
    if (is_foreign(h))
        return cel_fail(NC_EBADTYPE, "its HDF5 type has no counterpart in netCDF");
    return add_var(l, name, addr, h, own);
}

static int add_type(struct loading *l, const char *name, uint64_t addr, const struct cel_h5r_object *h)
{
    static const struct {
        int from;
        int to;
    } klass[] = {
        {CEL_H5R_COMPOUND, NC_COMPOUND}, {CEL_H5R_ENUM, NC_ENUM}, {CEL_H5R_OPAQUE, NC_OPAQUE}, {CEL_H5R_VLEN, NC_VLEN}};
    struct cel_h5_type *t;
    struct cel_type *type;
    size_t i;
    int rc;

    for (i = 0; i < sizeof klass / sizeof *klass && klass[i].from != h->type_class; i++)
        ;
    if (h->type_class < CEL_H5R_INTEGER || h->type_class > CEL_H5R_ARRAY)
        return cel_fail(NC_EBADTYPE, "it is a type of an unknown class, %d", h->type_class);
    if (i == sizeof klass / sizeof *klass)
        return cel_fail(NC_EBADTYPE,
                        "it is a name for a number or string type; what is of that type is read all the same");
    rc = cel_type_add(l->group, name, klass[i].to, 0, &type);
    if (rc == CEL_OK)
        rc = cel_h5_type_make_priv(type, &t);
    if (rc != CEL_OK)
        return rc;
    type->loaded = false;
    t->addr = addr;
    t->sum = h->type_sum;
    return CEL_OK;
}

static uint64_t group_addr(const struct cel_group *group)
{
    return ((const struct cel_h5_group *)group->priv)->addr;
}

static bool is_above(const struct cel_group *group, uint64_t addr)
{
    for (; group; group = group->parent)
        if (group_addr(group) == addr)
            return true;
    return false;
}

struct child {
    uint64_t addr; /* 0: behind a link that is not hard */
    char name[];
};

static int note_child(struct loading *l, const char *name, uint64_t addr, bool hard)
{
    size_t n = strlen(name) + 1;
    struct child *own;

    if (is_above(l->group, addr))
        return cel_fail(NC_EHDFERR, "it is a link that leads back to a group above it");
    own = cel_malloc(sizeof *own + n);
    if (!own)
        return NC_ENOMEM;
    own->addr = hard && !cel_h5_is_libhdf5s(addr) ? addr : 0;
    memcpy(own->name, name, n);
    if (cel_vec_add(l->children, own) == CEL_OK)
        return CEL_OK;
    free(own);
    return NC_ENOMEM;
}

/* --- links ------------------------------------------------------------------------------------- */

/* The reader for what lies at an address, which becomes that of its file. */
static int find_reader(const struct loading *l, uint64_t *addr, struct cel_h5r_reader **out)
{
    if (cel_h5_is_in_other_file(*addr))
        return cel_h5_reader(l->f, addr, out);
    *out = l->reader;
    return l->reader ? CEL_OK : CEL_ASK_LIBHDF5;
}

static int read_here(const struct loading *l, uint64_t addr, struct cel_h5r_object *out)
{
    const struct cel_h5_where where = cel_h5_where(l->f, addr);
    struct cel_h5r_reader *reader;
    uint64_t within = addr;
    int rc = find_reader(l, &within, &reader);

    if (rc == CEL_OK)
        rc = cel_h5r_object_read(reader, within, out);
    if (rc == CEL_OK && out->is_virtual)
        rc = l->f->own_reader ? cel_h5_virtual_shape(&where, reader, within, out) : CEL_ASK_LIBHDF5;
    out->type_addr = cel_h5_same_file(addr, out->type_addr);
    out->att_addr = cel_h5_same_file(addr, out->att_addr);
    return rc;
}

/* Of a file that libhdf5 has open, what looks damaged may not be on disk yet. */
static int read_object(struct loading *l, uint64_t addr, struct cel_h5r_object *out)
{
    int rc;

    *out = CEL_H5R_OBJECT_INIT;
    rc = read_here(l, addr, out);
    if (rc != NC_EHDFERR || l->f->own_reader)
        return rc;
    cel_error_clear();
    return CEL_ASK_LIBHDF5;
}

static int add_link(struct loading *l, const char *name, uint64_t addr, bool hard)
{
    struct cel_h5r_object h;
    int rc;

    if (strlen(name) > NC_MAX_NAME + sizeof CEL_H5_NON_COORD - 1)
        return cel_fail(NC_EMAXNAME, "its name has %zu bytes, netCDF's may have %d", strlen(name), NC_MAX_NAME);
    rc = hard ? read_object(l, addr, &h) : CEL_ASK_LIBHDF5;
    if (rc == CEL_ASK_LIBHDF5)
        rc = cel_h5_ask_object(l->group, name, &h);
    if (rc != CEL_OK)
        return rc;
    switch (h.kind) {
    case CEL_H5R_DATASET:
        return add_dataset(l, name, addr, &h);
    case CEL_H5R_GROUP:
        return note_child(l, name, addr, hard);
    case CEL_H5R_TYPE:
        return add_type(l, name, addr, &h);
    default:
        return cel_fail(NC_EHDFERR, "it is neither a group nor a dataset nor a type");
    }
}

static int add_or_note(struct loading *l, const char *name, uint64_t addr, bool hard)
{
    return cel_h5_note(l->group, add_link(l, name, addr, hard), "%s", name);
}

/* Soft and external links are followed. */
static herr_t visit(hid_t group, const char *name, const H5L_info_t *link, void *data)
{
    struct loading *l = data;
    bool hard = link->type == H5L_TYPE_HARD;
    H5O_info_t info;

    if (!hard && H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
        l->rc = cel_h5_note(l->group, cel_h5_fail(NC_EHDFERR, "it is a link that leads nowhere"), "%s", name);
    else
        l->rc = add_or_note(
            l, name, hard ? cel_h5_same_file(group_addr(l->group), link->u.address) : cel_h5_mark(l->f, &info), hard);
    return l->rc == CEL_OK ? 0 : -1;
}

/* --- groups ---------------------------------------------------------------------------------------- */

/* Files whose groups do not keep the order of their links (h5py's default) are
 * listed by name, and cannot be written: new objects could not be listed in their order. */
static int link_order(const struct cel_group *group, H5_index_t *order)
{
    hid_t gcpl = H5Gget_create_plist(cel_h5_group_id(group));
    unsigned flags = 0;
    herr_t ok = H5Pget_link_creation_order(gcpl, &flags);

    H5Pclose(gcpl);
    if (ok < 0)
        return cel_h5_fail(NC_EHDFERR, "group %s cannot be read", group->name);
    *order = flags & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    if (*order == H5_INDEX_NAME && group->dataset->writable && !cel_h5_is_in_other_file(group_addr(group)))
        return cel_fail(NC_ECANTWRITE,
                        "group %s does not keep the order of its objects: the file can only be opened "
                        "for reading",
                        group->name);
    return CEL_OK;
}

static int list_inside(struct loading *l)
{
    H5_index_t order;
    hsize_t at = 0;
    int rc = link_order(l->group, &order);

    if (rc != CEL_OK)
        return rc;
    l->rc = CEL_OK;
    if (H5Literate(cel_h5_group_id(l->group), order, H5_ITER_INC, &at, visit, l) < 0 && l->rc == CEL_OK)
        return cel_h5_fail(NC_EHDFERR, "the links of group %s cannot be read", l->group->name);
    return l->rc;
}

static int list_through_libhdf5(struct loading *l)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_file(l->f->ds, &entry);

    if (rc != CEL_OK)
        return rc;
    rc = list_inside(l);
    cel_h5_leave(&entry);
    return rc;
}

static int note_dangling(struct loading *l, const char *name)
{
    return cel_h5_note(l->group, cel_fail(NC_EHDFERR, "it is a link that leads nowhere"), "%s", name);
}

/* What a link leads to, as libhdf5 sees it. */
static int ask_target(struct loading *l, const char *name, uint64_t *addr)
{
    struct cel_h5_entry entry;
    H5O_info_t info;
    int rc = cel_h5_enter_file(l->f->ds, &entry);

    if (rc != CEL_OK)
        return rc;
    if (H5Oget_info_by_name2(cel_h5_group_id(l->group), name, &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "it is a link that leads nowhere");
    else
        *addr = cel_h5_mark(l->f, &info);
    cel_h5_leave(&entry);
    return rc;
}

static int load_external(struct loading *l, const struct cel_h5r_link *link)
{
    uint64_t addr;
    int rc = cel_h5_outside_find(l->f, group_addr(l->group), link, &addr);
    bool ours = rc != CEL_ASK_LIBHDF5;

    if (rc == CEL_ABSENT)
        return note_dangling(l, link->name);
    if (!ours)
        rc = ask_target(l, link->name, &addr);
    return rc == CEL_OK ? add_or_note(l, link->name, addr, ours) : cel_h5_note(l->group, rc, "%s", link->name);
}

static int load_one(struct loading *l, const struct cel_h5r_link *link)
{
    if (link->file)
        return load_external(l, link);
    return link->addr == CEL_H5R_NOWHERE || cel_h5_is_in_other_file(link->addr) /* no file is as long */
               ? note_dangling(l, link->name)
               : add_or_note(l, link->name, cel_h5_same_file(group_addr(l->group), link->addr), true);
}

static int load_links(struct loading *l)
{
    struct cel_h5r_links links;
    struct cel_h5r_reader *reader;
    uint64_t addr = group_addr(l->group);
    int rc = l->f->own_reader ? find_reader(l, &addr, &reader) : CEL_ASK_LIBHDF5;
    size_t i;

    if (rc == CEL_OK)
        rc = cel_h5r_links_read(reader, addr, &links);
    if (rc == CEL_ASK_LIBHDF5)
        return list_through_libhdf5(l);
    if (rc != CEL_OK)
        return rc;
    for (i = 0; rc == CEL_OK && i < links.n; i++)
        rc = load_one(l, &links.at[i]);
    cel_h5r_links_dispose(&links);
    return rc;
}

static int load_group(struct loading *l, struct cel_group *group, int depth);

static int open_child(const struct cel_group *parent, const char *name, hid_t *id, uint64_t *addr)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_file(parent->dataset, &entry);

    if (rc != CEL_OK)
        return rc;
    *id = H5Gopen2(cel_h5_group_id(parent), name, H5P_DEFAULT);
    if (*id < 0)
        rc = cel_h5_fail(NC_EHDFERR, "group %s cannot be opened", name);
    else
        *addr = cel_h5_found_at(cel_h5_file(parent->dataset), *id);
    cel_h5_leave(&entry);
    return rc;
}

static int load_found(struct loading *l, struct cel_group *parent, const struct child *child, int depth)
{
    uint64_t addr = child->addr;
    hid_t id = -1;
    struct cel_group *group;
    int rc = l->f->own_reader && addr ? CEL_OK : open_child(parent, child->name, &id, &addr);

    if (rc == CEL_OK)
        rc = cel_group_add(parent, child->name, &group);
    if (rc == CEL_OK)
        rc = cel_h5_group_make_priv(group, id, addr);
    return rc == CEL_OK ? load_group(l, group, depth) : rc;
}

static int load_child(struct loading *l, struct cel_group *parent, const struct child *child, int depth)
{
    int rc = load_found(l, parent, child, depth);

    return l->endless ? rc : cel_h5_note(parent, rc, "%s", child->name);
}

/* Where it cannot be told, the attributes are read to find out (name_types). */
static void note_unnamed(struct loading *l, struct cel_group *group)
{
    struct cel_h5_group *g = group->priv;
    struct cel_h5r_object h;
    bool known = read_object(l, g->addr, &h) == CEL_OK;

    g->unnamed_atts = !known || h.unnamed_atts;
    g->att_addr = known ? h.att_addr : 0;
}

static int load_group(struct loading *l, struct cel_group *group, int depth)
{
    struct cel_vec children = {0};
    size_t i;
    int rc;

    l->endless = depth > DEPTH_MAX || l->f->ds->groups.n > GROUPS_MAX;
    if (l->endless)
        return cel_fail(NC_EHDFERR, "there are more than %d groups, or %d levels of them", GROUPS_MAX, DEPTH_MAX);
    l->group = group;
    l->children = &children;
    note_unnamed(l, group);
    ((struct cel_h5_group *)group->priv)->first_found = l->list.n;
    rc = load_links(l);
    ((struct cel_h5_group *)group->priv)->end_found = l->list.n;
    for (i = 0; i < children.n; i++) {
        if (rc == CEL_OK)
            rc = load_child(l, group, children.at[i], depth + 1);
        free(children.at[i]);
    }
    cel_vec_dispose(&children);
    return rc;
}

/* The reader needs the size of the user block, and understands addresses and sizes of 8 bytes. */
static int ask_superblock(struct loading *l, bool *fits)
{
    hid_t fcpl = H5Fget_create_plist(l->f->id);
    size_t offsets = 0, lengths = 0;
    hsize_t block = 0;

    if (fcpl < 0 || H5Pget_sizes(fcpl, &offsets, &lengths) < 0 || H5Pget_userblock(fcpl, &block) < 0)
        return cel_h5_fail(NC_EHDFERR, "the superblock cannot be read");
    H5Pclose(fcpl);
    *fits = offsets == 8 && lengths == 8;
    l->file.base = block;
    return CEL_OK;
}

static int start_reader(struct loading *l)
{
    bool fits = l->f->own_reader;
    int rc = fits ? CEL_OK : cel_h5r_cache_make(&l->f->io->source, &l->cache);

    l->file =
        fits ? l->f->read
             : (struct cel_h5r_file){.source = l->cache, .size = l->f->io->eof, .offset_size = 8, .length_size = 8};
    if (rc == CEL_OK && !fits)
        rc = ask_superblock(l, &fits);
    return rc == CEL_OK && fits ? cel_h5r_reader_make(&l->file, &l->reader) : rc;
}

/* By address or, where that is 0, by its bytes; true where both are 0. */
static bool has_name(const struct cel_dataset *ds, uint64_t addr, uint32_t sum)
{
    size_t i;

    for (i = 0; (addr || sum) && i < ds->types.n; i++) {
        const struct cel_type *type = ds->types.at[i];
        const struct cel_h5_type *t = type ? type->priv : NULL;

        if (t && (addr ? t->addr == addr : t->sum == sum))
            return true;
    }
    return !addr && !sum;
}

/* Types without a name get one when something that has them is read. Programs ask for a file's
 * types first, so all that has such a type is read now. What cannot be read fails again later,
 * and says why. */
static void name_types(struct loading *l, struct cel_group *group)
{
    const struct cel_h5_group *g = group->priv;
    size_t i;

    if (g->unnamed_atts || !has_name(group->dataset, g->att_addr, 0))
        cel_h5_load_atts(group->dataset, group, NULL);
    for (i = g->first_found; i < g->end_found; i++) {
        const struct found *v = l->list.at[i];

        if (v->unnamed_type || !has_name(group->dataset, v->type_addr, v->type_sum))
            cel_h5_load_var(group->dataset, v->var);
        if (v->unnamed_atts || !has_name(group->dataset, v->att_addr, 0))
            cel_h5_load_atts(group->dataset, group, v->var);
    }
    for (i = 0; i < group->groups.n; i++)
        name_types(l, group->groups.at[i]);
}

static int ask_classic(struct cel_dataset *ds)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_file(ds, &entry);

    if (rc != CEL_OK)
        return rc;
    ds->classic_model = H5Aexists(cel_h5_group_id(ds->root), "_nc3_strict") > 0;
    cel_h5_leave(&entry);
    return CEL_OK;
}

static int read_classic(struct loading *l)
{
    struct cel_dataset *ds = l->f->ds;
    struct cel_h5r_object h;
    int rc = read_object(l, group_addr(ds->root), &h);

    if (rc == CEL_OK)
        ds->classic_model = h.strict;
    else if (rc == CEL_ASK_LIBHDF5)
        rc = ask_classic(ds);
    ds->format = ds->classic_model ? NC_FORMAT_NETCDF4_CLASSIC : NC_FORMAT_NETCDF4;
    return rc;
}

int cel_h5_load(struct cel_dataset *ds)
{
    struct loading *l = cel_calloc(1, sizeof *l);
    int rc;

    if (!l)
        return NC_ENOMEM;
    l->f = cel_h5_file(ds);
    ds->root->atts.loaded = false;
    ds->root->saved = CEL_SAVED;
    rc = start_reader(l);
    if (rc == CEL_OK)
        rc = read_classic(l);
    if (rc == CEL_OK)
        rc = load_group(l, ds->root, 0);
    if (rc == CEL_OK)
        rc = cel_h5_found_dims(l);
    if (rc == CEL_OK) {
        name_types(l, ds->root);
        cel_error_clear();
    }
    cel_h5_found_free(l);
    cel_h5r_reader_free(l->reader);
    cel_source_close(l->cache);
    free(l);
    return rc;
}
