/* Data types: Zarr v2's "<f4" and v3's "float32" to netCDF's types and back.
 *
 * What netCDF has no atomic type for becomes a user type when it is read: complex
 * numbers and structures compounds, raw bytes opaque. Fixed-length text becomes
 * NC_STRING, except one byte in a store by netCDF-C, which is NC_CHAR. */
#include "convert.h"
#include "mem.h"
#include "zarr_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char kind; /* v2 */
    unsigned size;
    const char *v3;
    nc_type type;
};

static const struct row rows[] = {
    {'i', 1, "int8", NC_BYTE},
    {'i', 2, "int16", NC_SHORT},
    {'i', 4, "int32", NC_INT},
    {'i', 8, "int64", NC_INT64},
    {'u', 1, "uint8", NC_UBYTE},
    {'u', 2, "uint16", NC_USHORT},
    {'u', 4, "uint32", NC_UINT},
    {'u', 8, "uint64", NC_UINT64},
    {'f', 4, "float32", NC_FLOAT},
    {'f', 8, "float64", NC_DOUBLE},
    {'b', 1, "bool", NC_UBYTE},
    {'M', 8, "numpy.datetime64", NC_INT64},
    {'m', 8, "numpy.timedelta64", NC_INT64},
};
enum { NROWS = sizeof rows / sizeof *rows };

static const struct row *row_of_type(nc_type type)
{
    for (size_t i = 0; i < NROWS; i++)
        if (rows[i].type == type)
            return &rows[i];
    return NULL;
}

static bool native_is_big(void)
{
    const uint16_t one = 1;

    return *(const unsigned char *)&one == 0;
}

const char *cel_zarr_dtype_text(nc_type type, bool big)
{
    static const char *const text[][2] = {
        [NC_BYTE] = {"<i1", "<i1"},  [NC_CHAR] = {">S1", ">S1"},   [NC_SHORT] = {"<i2", ">i2"},
        [NC_INT] = {"<i4", ">i4"},   [NC_FLOAT] = {"<f4", ">f4"},  [NC_DOUBLE] = {"<f8", ">f8"},
        [NC_UBYTE] = {"<u1", "<u1"}, [NC_USHORT] = {"<u2", ">u2"}, [NC_UINT] = {"<u4", ">u4"},
        [NC_INT64] = {"<i8", ">i8"}, [NC_UINT64] = {"<u8", ">u8"}, [NC_STRING] = {"|S0", "|S0"},
    };

    return type > NC_NAT && type <= NC_STRING ? text[type][big] : "|J0";
}

nc_type cel_zarr_dtype_atomic(const char *text, bool *big)
{
    char *end;
    unsigned long size;

    if (strlen(text) < 3 || !strchr("<>|", text[0]))
        return NC_NAT;
    size = strtoul(text + 2, &end, 10);
    *big = text[0] == '>';
    if (*end && *end != '[')
        return NC_NAT;
    if (text[1] == 'S')
        return size == 1 && text[0] == '>' ? NC_CHAR : NC_STRING;
    for (size_t i = 0; i < NROWS; i++)
        if (rows[i].kind == text[1] && rows[i].size == size)
            return rows[i].type;
    return NC_NAT;
}

static void set_numbers(struct cel_zarr_dtype *out, const struct cel_type *type, bool big)
{
    *out = (struct cel_zarr_dtype){ZARR_NUMBERS, type->size, big, type, NULL};
}

/* --- types made on reading ------------------------------------------------------ */

int cel_zarr_user_type(struct cel_dataset *ds, const char *name, int klass, size_t size, struct cel_type **out,
                       bool *fresh)
{
    int rc;

    *out = cel_names_find(&ds->root->type_index, name);
    *fresh = !*out;
    if (*out)
        return CEL_OK;
    rc = cel_type_add(ds->root, name, klass, size, out);
    if (rc == CEL_OK)
        (*out)->loaded = true;
    return rc;
}

static int complex_type(struct cel_dataset *ds, size_t size, bool big, struct cel_zarr_dtype *out)
{
    const struct cel_type *part = cel_type_atomic(size == 8 ? NC_FLOAT : NC_DOUBLE);
    struct cel_type *type;
    bool fresh;
    int rc = cel_zarr_user_type(ds, size == 8 ? "complex64" : "complex128", NC_COMPOUND, size, &type, &fresh);

    if (rc == CEL_OK && fresh)
        rc = cel_type_add_field(type, "r", 0, part, 0, NULL);
    if (rc == CEL_OK && fresh)
        rc = cel_type_add_field(type, "i", part->size, part, 0, NULL);
    if (rc == CEL_OK)
        set_numbers(out, type, big);
    return rc;
}

static int opaque_type(struct cel_dataset *ds, size_t size, struct cel_zarr_dtype *out)
{
    char name[40];
    struct cel_type *type;
    bool fresh;
    int rc;

    if (size > ZARR_ELEMENT_MAX)
        return cel_fail(NC_EBADTYPE, "elements of %zu raw bytes are more than the %zu supported", size,
                        ZARR_ELEMENT_MAX);
    snprintf(name, sizeof name, "opaque%zu", size);
    rc = cel_zarr_user_type(ds, name, NC_OPAQUE, size, &type, &fresh);
    if (rc == CEL_OK)
        set_numbers(out, type, false);
    return rc;
}

/* --- v2 ---------------------------------------------------------------------------- */

static int structured_from_v2(struct cel_dataset *ds, const char *path, const struct cel_json *fields,
                              struct cel_zarr_dtype *out)
{
    struct cel_zarr_dtype part[256];
    size_t n = cel_json_count(fields), size = 0;
    struct cel_type *type;
    char name[64];
    bool fresh, big = false, little = false;
    int rc = n && n <= 256 ? CEL_OK : cel_zarr_bad(path, "/dtype", "a structure needs 1 to 256 fields");

    for (size_t i = 0; rc == CEL_OK && i < n; i++) {
        const struct cel_json *field = cel_json_item(fields, i);
        if (cel_json_count(field) != 2 || !cel_json_string(cel_json_item(field, 0), NULL))
            return cel_zarr_bad(path, "/dtype", "field %zu is not [name, type]", i);
        rc = cel_zarr_dtype_from_v2(ds, path, cel_json_item(field, 1), false, &part[i]);
        if (rc == CEL_OK && part[i].form != ZARR_NUMBERS)
            return cel_zarr_bad(path, "/dtype", "field %zu has a type that cannot be part of a structure here", i);
        if (rc == CEL_OK) {
            size += part[i].size;
            big |= part[i].big;
            little |= !part[i].big && part[i].size > 1 && part[i].type->klass != NC_OPAQUE;
        }
    }
    if (rc == CEL_OK && big && little)
        rc = cel_zarr_bad(path, "/dtype", "a structure with fields of both byte orders is not supported");
    if (rc != CEL_OK)
        return rc;
    snprintf(name, sizeof name, "_AnonymousCompound%zu", ds->types.n + 1);
    rc = cel_zarr_user_type(ds, name, NC_COMPOUND, size, &type, &fresh);
    for (size_t i = 0, at = 0; rc == CEL_OK && i < n; at += part[i++].size)
        rc = cel_type_add_field(type, cel_json_string(cel_json_item(cel_json_item(fields, i), 0), NULL), at,
                                part[i].type, 0, NULL);
    if (rc == CEL_OK)
        set_numbers(out, type, big);
    return rc;
}

static int text_from_v2(const char *path, char kind, unsigned long size, bool big, bool nczarr,
                        struct cel_zarr_dtype *out)
{
    if (size == 0 || size > (1ul << 24))
        return cel_zarr_bad(path, "/dtype", "text of %lu characters", size);
    if (kind == 'S' && size == 1 && nczarr) {
        *out = (struct cel_zarr_dtype){ZARR_NUMBERS, 1, false, cel_type_atomic(NC_CHAR), NULL};
        return CEL_OK;
    }
    *out = (struct cel_zarr_dtype){kind == 'S' ? ZARR_BYTES : ZARR_UTF32, kind == 'S' ? size : 4 * size, big,
                                   cel_type_atomic(NC_STRING), NULL};
    return CEL_OK;
}

int cel_zarr_dtype_from_v2(struct cel_dataset *ds, const char *path, const struct cel_json *dtype, bool nczarr,
                           struct cel_zarr_dtype *out)
{
    const char *text = cel_json_string(dtype, NULL);
    unsigned long size;
    char *end, kind;
    bool big;
    nc_type atomic;

    if (cel_json_type(dtype) == CEL_JSON_ARRAY)
        return structured_from_v2(ds, path, dtype, out);
    if (!text || strlen(text) < 2 || !strchr("<>|=", text[0]))
        return cel_zarr_bad(path, "/dtype", "'%s' is no data type", text ? text : "");
    kind = text[1];
    size = strtoul(text + 2, &end, 10);
    big = text[0] == '>';
    if (kind == 'O')
        return cel_zarr_bad(path, "/dtype", "objects cannot be part of a structure here");
    if (kind == 'S' || kind == 'U')
        return text_from_v2(path, kind, size, big, nczarr, out);
    if (kind == 'c' && (size == 8 || size == 16))
        return complex_type(ds, size, big, out);
    if (kind == 'V' && size > 0 && size < (1ul << 30))
        return opaque_type(ds, size, out);
    if (kind == 'f' && size == 2) {
        *out = (struct cel_zarr_dtype){ZARR_HALF, 2, big, cel_type_atomic(NC_FLOAT), NULL};
        return CEL_OK;
    }
    atomic = cel_zarr_dtype_atomic(text, &big);
    if (atomic == NC_NAT)
        return cel_zarr_bad(path, "/dtype", "data type '%s' is not supported", text);
    set_numbers(out, cel_type_atomic(atomic), big && size > 1);
    return CEL_OK;
}

static size_t longest_string(const struct zarr *z, const struct cel_var *var)
{
    struct cel_att *own = cel_att_find(&var->atts, "_nczarr_maxstrlen");
    struct cel_att *general = cel_att_find(&var->group->dataset->root->atts, "_nczarr_default_maxstrlen");
    struct cel_att *att = own ? own : general;
    long long n = 128;

    (void)z;
    if (att && att->n == 1)
        cel_att_get(var->group->dataset, att, &n, NC_INT64);
    return n > 0 && n < (1 << 24) ? (size_t)n : 128;
}

int cel_zarr_dtype_to_v2(const struct zarr *z, const struct cel_var *var, struct cel_zarr_dtype *dtype,
                         struct cel_json **out)
{
    bool big = var->endian == NC_ENDIAN_BIG || (var->endian == NC_ENDIAN_NATIVE && native_is_big());
    char text[32];

    if (var->type->klass == NC_STRING) {
        size_t n = longest_string(z, var);
        *dtype = (struct cel_zarr_dtype){ZARR_BYTES, n, false, var->type, NULL};
        snprintf(text, sizeof text, "|S%zu", n);
    } else {
        set_numbers(dtype, var->type, big && var->type->size > 1);
        snprintf(text, sizeof text, "%s", cel_zarr_dtype_text(var->type->id, big));
        if (!z->nczarr && var->type->size == 1 && var->type->id != NC_CHAR)
            text[0] = '|';
        if (!z->nczarr && var->type->id == NC_CHAR)
            text[0] = '|';
    }
    *out = cel_json_new_string(text, strlen(text));
    return *out ? CEL_OK : NC_ENOMEM;
}

/* --- v3 ------------------------------------------------------------------------------ */

static int struct_from_v3(struct cel_dataset *ds, const char *path, const struct cel_json *fields,
                          struct cel_zarr_dtype *out)
{
    struct cel_zarr_dtype part[256];
    const char *names[256];
    size_t n = cel_json_count(fields), size = 0;
    struct cel_type *type;
    char name[64];
    bool fresh;
    int rc = n && n <= 256 ? CEL_OK : cel_zarr_bad(path, "/data_type", "a structure needs 1 to 256 fields");

    for (size_t i = 0; rc == CEL_OK && i < n; i++) {
        const struct cel_json *field = cel_json_item(fields, i);
        bool listed = cel_json_type(field) == CEL_JSON_ARRAY;
        names[i] = cel_json_string(listed ? cel_json_item(field, 0) : cel_json_get(field, "name"), NULL);
        if (!names[i])
            return cel_zarr_bad(path, "/data_type/configuration/fields", "field %zu has no name", i);
        rc = cel_zarr_dtype_from_v3(ds, path, listed ? cel_json_item(field, 1) : cel_json_get(field, "data_type"),
                                    &part[i]);
        if (rc == CEL_OK && part[i].form != ZARR_NUMBERS)
            return cel_zarr_bad(path, "/data_type", "field '%s' has a type that cannot be part of a structure here",
                                names[i]);
        size += rc == CEL_OK ? part[i].size : 0;
    }
    if (rc != CEL_OK)
        return rc;
    snprintf(name, sizeof name, "_AnonymousCompound%zu", ds->types.n + 1);
    rc = cel_zarr_user_type(ds, name, NC_COMPOUND, size, &type, &fresh);
    for (size_t i = 0, at = 0; rc == CEL_OK && i < n; at += part[i++].size)
        rc = cel_type_add_field(type, names[i], at, part[i].type, 0, NULL);
    if (rc == CEL_OK)
        set_numbers(out, type, false);
    return rc;
}

static bool starts_with_raw(const char *name, size_t *nbytes)
{
    char *end;
    unsigned long bits;

    if (name[0] != 'r' || name[1] < '0' || name[1] > '9')
        return false;
    bits = strtoul(name + 1, &end, 10);
    *nbytes = bits / 8;
    return !*end && bits > 0 && bits % 8 == 0 && bits < (1ul << 33);
}

static int text_from_v3(const char *path, enum cel_zarr_form form, const struct cel_json *config,
                        struct cel_zarr_dtype *out)
{
    uint64_t n;

    if (!cel_json_uint(cel_json_get(config, "length_bytes"), false, &n) || n == 0 || n > (1u << 26))
        return cel_zarr_bad(path, "/data_type/configuration/length_bytes", "must be a positive number");
    *out = (struct cel_zarr_dtype){form, (size_t)n, false, cel_type_atomic(NC_STRING), NULL};
    return CEL_OK;
}

int cel_zarr_dtype_from_v3(struct cel_dataset *ds, const char *path, const struct cel_json *data_type,
                           struct cel_zarr_dtype *out)
{
    const struct cel_json *config = cel_json_get(data_type, "configuration");
    const char *name = cel_json_string(data_type, NULL);
    size_t nbytes;
    uint64_t length;

    if (!name)
        name = cel_json_string(cel_json_get(data_type, "name"), NULL);
    if (!name)
        return cel_zarr_bad(path, "/data_type", "must be a name");
    for (size_t i = 0; i < NROWS; i++)
        if (strcmp(rows[i].v3, name) == 0) {
            set_numbers(out, cel_type_atomic(rows[i].type), false);
            return CEL_OK;
        }
    if (strcmp(name, "float16") == 0) {
        *out = (struct cel_zarr_dtype){ZARR_HALF, 2, false, cel_type_atomic(NC_FLOAT), NULL};
        return CEL_OK;
    }
    if (strcmp(name, "complex64") == 0 || strcmp(name, "complex128") == 0)
        return complex_type(ds, strcmp(name, "complex64") == 0 ? 8 : 16, false, out);
    if (strcmp(name, "string") == 0) {
        *out = (struct cel_zarr_dtype){ZARR_VLEN, 0, false, cel_type_atomic(NC_STRING), NULL};
        return CEL_OK;
    }
    if (strcmp(name, "bytes") == 0 || strcmp(name, "variable_length_bytes") == 0)
        return cel_zarr_lists_type(ds, NULL, NC_UBYTE, false, out);
    if (strcmp(name, "fixed_length_utf32") == 0)
        return text_from_v3(path, ZARR_UTF32, config, out);
    if (strcmp(name, "null_terminated_bytes") == 0)
        return text_from_v3(path, ZARR_BYTES, config, out);
    if (strcmp(name, "raw_bytes") == 0 && cel_json_uint(cel_json_get(config, "length_bytes"), false, &length) && length)
        return opaque_type(ds, (size_t)length, out);
    if (starts_with_raw(name, &nbytes))
        return opaque_type(ds, nbytes, out);
    if (strcmp(name, "struct") == 0 || strcmp(name, "structured") == 0)
        return struct_from_v3(ds, path, cel_json_get(config, "fields"), out);
    return cel_zarr_bad(path, "/data_type", "data type '%s' is not supported", name);
}

int cel_zarr_dtype_to_v3(const struct cel_var *var, struct cel_zarr_dtype *dtype, struct cel_json **out)
{
    bool big = var->endian == NC_ENDIAN_BIG || (var->endian == NC_ENDIAN_NATIVE && native_is_big());
    const struct row *row = row_of_type(var->type->id == NC_CHAR ? NC_UBYTE : var->type->id);
    const char *name = row ? row->v3 : "string";

    if (var->type->klass == NC_STRING)
        *dtype = (struct cel_zarr_dtype){ZARR_VLEN, 0, false, var->type, NULL};
    else
        set_numbers(dtype, var->type, big && var->type->size > 1);
    *out = cel_json_new_string(name, strlen(name));
    return *out ? CEL_OK : NC_ENOMEM;
}
