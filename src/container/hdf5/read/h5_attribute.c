/* One attribute of an object. netCDF keeps dimensions and their order in attributes of its own: those are read here.
 * Of all others only the type matters, and of that only whether the file names it.
 *
 *   attribute: version(1) flags(1) sizes of name, type, space(2 each) [encoding 1] name type space data;
 *              in version 1 each of the three is padded to 8 bytes
 *   flags: 1 the type, 2 the space is a reference to another header
 * HDF5 File Format Specification version 3, IV.A.2.m. */
#include "h5_read_int.h"

struct attribute {
    const char *name;            /* NUL-terminated within the message */
    struct cel_h5r_object shape; /* only type and space */
    struct cel_h5_bytes data;
};

static size_t rounded(size_t n, uint64_t version)
{
    return version == 1 ? (n + 7) & ~(size_t)7 : n;
}

/* Of a type or space kept elsewhere nothing is known here. */
static int split_attribute(struct cel_h5_bytes b, struct attribute *a)
{
    uint64_t version = cel_h5_take_number(&b, 1), flags = cel_h5_take_number(&b, 1);
    size_t nname = (size_t)cel_h5_take_number(&b, 2), ntype = (size_t)cel_h5_take_number(&b, 2);
    size_t nspace = (size_t)cel_h5_take_number(&b, 2);
    const unsigned char *name, *type, *space;
    int rc;

    cel_h5_take_if(&b, version == 3, 1); /* the name's encoding */
    name = cel_h5_take(&b, rounded(nname, version));
    type = cel_h5_take(&b, rounded(ntype, version));
    space = cel_h5_take(&b, rounded(nspace, version));
    if (b.ended || version < 1 || version > 3 || nname == 0 || name[nname - 1] != '\0')
        return CEL_ASK_LIBHDF5;
    *a = (struct attribute){.name = (const char *)name, .shape = CEL_H5R_OBJECT_INIT, .data = b};
    if (version > 1 && (flags & 3))
        return CEL_OK;
    rc = cel_h5r_type_read((struct cel_h5_bytes){.p = type, .n = ntype}, &a->shape);
    return rc == CEL_OK ? cel_h5r_space_read((struct cel_h5_bytes){.p = space, .n = nspace}, &a->shape) : rc;
}

/* --- netCDF's own ------------------------------------------------------------------------ */

static bool is_text(const struct attribute *a, const char *text, size_t n)
{
    return a->shape.type_class == CEL_H5R_STRING && a->shape.rank == 0 && a->data.n >= n && a->shape.type_size >= n &&
           memcmp(a->data.p, text, n) == 0;
}

static int read_ints(const struct attribute *a, int *out, int n)
{
    if (a->shape.type_class != CEL_H5R_INTEGER || a->shape.type_size != 4 || a->shape.big_endian ||
        a->data.n / 4 < (size_t)n)
        return CEL_ASK_LIBHDF5;
    for (int i = 0; i < n; i++)
        out[i] = (int)(uint32_t)cel_get_le(a->data.p + 4 * (size_t)i, 4);
    return CEL_OK;
}

static int read_class(const struct attribute *a, struct cel_h5r_object *o)
{
    o->is_scale = is_text(a, "DIMENSION_SCALE", 15);
    return CEL_OK;
}

static int read_name(const struct attribute *a, struct cel_h5r_object *o)
{
    o->dim_only = is_text(a, CEL_H5R_DIM_ONLY, sizeof CEL_H5R_DIM_ONLY - 1);
    return CEL_OK;
}

static int read_list(const struct attribute *a, struct cel_h5r_object *o)
{
    (void)a;
    o->has_list = true;
    return CEL_OK;
}

static int pass_over(const struct attribute *a, struct cel_h5r_object *o)
{
    (void)a;
    (void)o;
    return CEL_OK;
}

static int read_dimid(const struct attribute *a, struct cel_h5r_object *o)
{
    return read_ints(a, &o->dimid, 1);
}

static int read_coords(const struct attribute *a, struct cel_h5r_object *o)
{
    if (a->shape.rank != 1 || a->shape.dims[0] > CEL_RANK_MAX)
        return CEL_ASK_LIBHDF5;
    o->ncoords = (int)a->shape.dims[0];
    return read_ints(a, o->coords, o->ncoords);
}

static int read_strict(const struct attribute *a, struct cel_h5r_object *o)
{
    (void)a;
    o->strict = true;
    return CEL_OK;
}

static const struct {
    const char *name;
    int (*read)(const struct attribute *a, struct cel_h5r_object *o);
} of_netcdf[] = {{"CLASS", read_class},         {"NAME", read_name},           {"DIMENSION_LIST", read_list},
                 {"REFERENCE_LIST", pass_over}, {"_Netcdf4Dimid", read_dimid}, {"_Netcdf4Coordinates", read_coords},
                 {"_nc3_strict", read_strict}};

/* --- types of all others -------------------------------------------------------------------- */

/* Committed types may have lost their name: the first is remembered, several count as unnamed. */
static void note_committed(struct cel_h5r_object *o, uint64_t addr)
{
    if (!addr || (o->att_addr && o->att_addr != addr))
        o->unnamed_atts = true;
    else
        o->att_addr = addr;
}

/* Is the type one that the file does not name, and netCDF has no name for either? The name stands at `at`. */
static void note_type(struct cel_h5_bytes b, size_t at, struct cel_h5r_object *o)
{
    size_t name = rounded((size_t)cel_get_le(b.p + 2, 2), b.p[0]);

    if (name >= b.n - at)
        return;
    if (b.p[0] > 1 && (b.p[1] & 1))
        note_committed(o, cel_h5r_committed_at((struct cel_h5_bytes){.p = b.p + at + name, .n = b.n - at - name}));
    else if (cel_h5r_is_user_class(b.p[at + name] & 15))
        o->unnamed_atts = true;
}

int cel_h5r_attribute_read(struct cel_h5_bytes body, void *object)
{
    size_t at = body.n > 0 && body.p[0] == 3 ? 9 : 8;

    for (size_t i = 0; i < sizeof of_netcdf / sizeof *of_netcdf; i++) {
        size_t n = strlen(of_netcdf[i].name) + 1;

        if (body.n >= at + n && memcmp(body.p + at, of_netcdf[i].name, n) == 0) {
            struct attribute a;
            int rc = split_attribute(body, &a);

            return rc == CEL_OK ? of_netcdf[i].read(&a, object) : rc;
        }
    }
    if (body.n <= at)
        return CEL_ASK_LIBHDF5;
    note_type(body, at, object);
    return CEL_OK;
}
