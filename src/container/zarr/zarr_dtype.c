/* SPDX-License-Identifier: BSD-3-Clause */
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

/* What a document says of a data type. */
struct wanted {
    struct cel_dataset *ds;
    const char *path; /* of the array, for errors */
    int version;
    const char *text;             /* "<f4" or "float32" */
    size_t size;                  /* version 2: the number behind the letter */
    bool big;                     /* version 2 */
    bool nczarr;                  /* version 2: the store is netCDF-C's */
    const struct cel_json *about; /* version 3: the configuration */
};

struct row;
typedef int dtype_fn(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out);
static dtype_fn take_number, take_half, take_bfloat, take_complex, take_bytes, take_utf32, take_raw, refuse_object,
    take_strings, take_lists, take_struct;

/* One data type by its names in both versions. */
struct row {
    char kind;      /* version 2: the letter; 0: it has no such type */
    unsigned size;  /* ... and the number behind it; ANY_SIZE: take() looks at it */
    const char *v3; /* NULL: none */
    nc_type type;   /* NC_NAT: not a number of netCDF's */
    dtype_fn *take;
};
#define ANY_SIZE 0

static const struct row rows[] = {
    {'i', 1, "int8", NC_BYTE, take_number},
    {'i', 2, "int16", NC_SHORT, take_number},
    {'i', 4, "int32", NC_INT, take_number},
    {'i', 8, "int64", NC_INT64, take_number},
    {'u', 1, "uint8", NC_UBYTE, take_number},
    {'u', 2, "uint16", NC_USHORT, take_number},
    {'u', 4, "uint32", NC_UINT, take_number},
    {'u', 8, "uint64", NC_UINT64, take_number},
    {'f', 4, "float32", NC_FLOAT, take_number},
    {'f', 8, "float64", NC_DOUBLE, take_number},
    {'b', 1, "bool", NC_UBYTE, take_number},
    {'M', 8, "numpy.datetime64", NC_INT64, take_number},
    {'m', 8, "numpy.timedelta64", NC_INT64, take_number},
    {'f', 2, "float16", NC_NAT, take_half},
    {0, 2, "bfloat16", NC_NAT, take_bfloat},
    {'c', 8, "complex64", NC_NAT, take_complex},
    {'c', 16, "complex128", NC_NAT, take_complex},
    {'S', ANY_SIZE, "null_terminated_bytes", NC_NAT, take_bytes},
    {'U', ANY_SIZE, "fixed_length_utf32", NC_NAT, take_utf32},
    {'V', ANY_SIZE, "raw_bytes", NC_NAT, take_raw},
    {'O', ANY_SIZE, NULL, NC_NAT, refuse_object},
    {0, ANY_SIZE, "string", NC_NAT, take_strings},
    {0, ANY_SIZE, "bytes", NC_NAT, take_lists},
    {0, ANY_SIZE, "variable_length_bytes", NC_NAT, take_lists},
    {0, ANY_SIZE, "struct", NC_NAT, take_struct},
    {0, ANY_SIZE, "structured", NC_NAT, take_struct},
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

/* NULL: it is no complex number. */
static const struct row *row_of_complex(const struct cel_type *type)
{
    for (size_t i = 0; cel_type_is_complex(type) && i < NROWS; i++)
        if (rows[i].kind == 'c' && rows[i].size == type->size)
            return &rows[i];
    return NULL;
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
    *out = (struct cel_zarr_dtype){.form = ZARR_NUMBERS, .size = type->size, .big = big, .type = type};
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

static int refuse(const struct wanted *w)
{
    return cel_zarr_bad(w->path, w->version == 2 ? "/dtype" : "/data_type", "data type '%s' is not supported", w->text);
}

static int take_number(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    bool big;

    if (w->version == 2 && cel_zarr_dtype_atomic(w->text, &big) == NC_NAT) /* something comes after the number */
        return refuse(w);
    set_numbers(out, cel_type_atomic(row->type), w->big && row->size > 1);
    return CEL_OK;
}

static int take_half(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    *out =
        (struct cel_zarr_dtype){.form = ZARR_HALF, .size = row->size, .big = w->big, .type = cel_type_atomic(NC_FLOAT)};
    return CEL_OK;
}

static int take_bfloat(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    (void)row, (void)w;
    *out = (struct cel_zarr_dtype){.form = ZARR_BFLOAT, .size = 2, .type = cel_type_atomic(NC_FLOAT)};
    return CEL_OK;
}

static int take_complex(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    const struct cel_type *part = cel_type_atomic(row->size == 8 ? NC_FLOAT : NC_DOUBLE);
    struct cel_type *type;
    bool fresh;
    int rc = cel_zarr_user_type(w->ds, row->v3, NC_COMPOUND, row->size, &type, &fresh);

    if (rc == CEL_OK && fresh)
        rc = cel_type_add_field(type, "r", 0, part, 0, NULL);
    if (rc == CEL_OK && fresh)
        rc = cel_type_add_field(type, "i", part->size, part, 0, NULL);
    if (rc == CEL_OK)
        set_numbers(out, type, w->big);
    return rc;
}

static int refuse_object(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    (void)row, (void)out;
    return cel_zarr_bad(w->path, "/dtype", "objects cannot be part of a structure here");
}

static int take_strings(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    (void)row, (void)w;
    *out = (struct cel_zarr_dtype){.form = ZARR_VLEN, .type = cel_type_atomic(NC_STRING)};
    return CEL_OK;
}

static int take_lists(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    (void)row;
    return cel_zarr_lists_type(w->ds, NULL, NC_UBYTE, false, out);
}

/* --- of a size that the document gives ------------------------------------------------- */

/* false: the configuration has no positive length. */
static bool length_bytes(const struct wanted *w, uint64_t *out)
{
    return cel_json_uint(cel_json_get(w->about, "length_bytes"), false, out) && *out;
}

/* Version 2 counts characters of `unit` bytes, version 3 bytes. */
static int take_text(const struct wanted *w, enum cel_zarr_form form, size_t unit, struct cel_zarr_dtype *out)
{
    uint64_t n = unit * (uint64_t)w->size;

    if (w->version == 2 && (w->size == 0 || w->size > (1ul << 24)))
        return cel_zarr_bad(w->path, "/dtype", "text of %zu characters", w->size);
    if (w->version == 3 && (!length_bytes(w, &n) || n > (1u << 26)))
        return cel_zarr_bad(w->path, "/data_type/configuration/length_bytes", "must be a positive number");
    *out = (struct cel_zarr_dtype){.form = form, .size = (size_t)n, .big = w->big, .type = cel_type_atomic(NC_STRING)};
    return CEL_OK;
}

static int take_bytes(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    (void)row;
    if (!w->nczarr || w->size != 1)
        return take_text(w, ZARR_BYTES, 1, out);
    set_numbers(out, cel_type_atomic(NC_CHAR), false);
    return CEL_OK;
}

static int take_utf32(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    (void)row;
    return take_text(w, ZARR_UTF32, 4, out);
}

static int make_opaque(struct cel_dataset *ds, size_t size, struct cel_zarr_dtype *out)
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

static int take_raw(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    uint64_t n = w->size;

    (void)row;
    if (w->version == 2 ? n == 0 || n >= (1ul << 30) : !length_bytes(w, &n))
        return refuse(w);
    return make_opaque(w->ds, (size_t)n, out);
}

/* "r16" is two raw bytes. */
static bool is_raw_bits(const char *name, size_t *nbytes)
{
    char *end;
    unsigned long bits;

    if (name[0] != 'r' || name[1] < '0' || name[1] > '9')
        return false;
    bits = strtoul(name + 1, &end, 10);
    *nbytes = bits / 8;
    return !*end && bits > 0 && bits % 8 == 0 && bits < (1ul << 33);
}

static int take_struct(const struct row *row, const struct wanted *w, struct cel_zarr_dtype *out)
{
    (void)row;
    return cel_zarr_struct_read(w->ds, w->path, cel_json_get(w->about, "fields"), 3, out);
}

/* --- by name -------------------------------------------------------------------------------- */

int cel_zarr_dtype_from_v2(struct cel_dataset *ds, const char *path, const struct cel_json *dtype, bool nczarr,
                           struct cel_zarr_dtype *out)
{
    struct wanted w = {.ds = ds, .path = path, .version = 2, .text = cel_json_string(dtype, NULL), .nczarr = nczarr};

    if (cel_json_type(dtype) == CEL_JSON_ARRAY)
        return cel_zarr_struct_read(ds, path, dtype, 2, out);
    if (w.text && strcmp(w.text, "bfloat16") == 0) /* TensorStore's */
        return take_bfloat(NULL, &w, out);
    if (!w.text || strlen(w.text) < 2 || !strchr("<>|=", w.text[0]))
        return cel_zarr_bad(path, "/dtype", "'%s' is no data type", w.text ? w.text : "");
    w.size = strtoul(w.text + 2, NULL, 10);
    w.big = w.text[0] == '>';
    for (size_t i = 0; i < NROWS; i++)
        if (rows[i].kind == w.text[1] && (rows[i].size == ANY_SIZE || rows[i].size == w.size))
            return rows[i].take(&rows[i], &w, out);
    return refuse(&w);
}

int cel_zarr_dtype_from_v3(struct cel_dataset *ds, const char *path, const struct cel_json *data_type,
                           struct cel_zarr_dtype *out)
{
    struct wanted w = {.ds = ds,
                       .path = path,
                       .version = 3,
                       .text = cel_zarr_v3_name(data_type),
                       .about = cel_json_get(data_type, "configuration")};
    size_t nbytes;

    if (!w.text)
        return cel_zarr_bad(path, "/data_type", "must be a name");
    for (size_t i = 0; i < NROWS; i++)
        if (rows[i].v3 && strcmp(rows[i].v3, w.text) == 0)
            return rows[i].take(&rows[i], &w, out);
    return is_raw_bits(w.text, &nbytes) ? make_opaque(ds, nbytes, out) : refuse(&w);
}

/* --- of a new variable ------------------------------------------------------------------------ */

static size_t longest_string(const struct cel_var *var)
{
    struct cel_att *own = cel_att_find(&var->atts, "_nczarr_maxstrlen");
    struct cel_att *general = cel_att_find(&var->group->dataset->root->atts, "_nczarr_default_maxstrlen");
    struct cel_att *att = own ? own : general;
    long long n = 128;

    if (att && att->n == 1)
        cel_att_get(var->group->dataset, att, &n, NC_INT64);
    return n > 0 && n < (1 << 24) ? (size_t)n : 128;
}

int cel_zarr_dtype_to_v2(const struct zarr *z, const struct cel_var *var, struct cel_zarr_dtype *dtype,
                         struct cel_json **out)
{
    bool big = var->endian == NC_ENDIAN_BIG || (var->endian == NC_ENDIAN_NATIVE && native_is_big());
    const struct row *complex = row_of_complex(var->type);
    char text[32];

    if (complex) {
        set_numbers(dtype, var->type, big);
        snprintf(text, sizeof text, "%c%c%u", big ? '>' : '<', complex->kind, complex->size);
    } else if (var->type->klass == NC_STRING) {
        size_t n = longest_string(var);
        *dtype = (struct cel_zarr_dtype){.form = ZARR_BYTES, .size = n, .type = var->type};
        snprintf(text, sizeof text, "|S%zu", n);
    } else {
        set_numbers(dtype, var->type, big && var->type->size > 1);
        snprintf(text, sizeof text, "%s", cel_zarr_dtype_text(var->type->id, big));
        if (!z->nczarr && var->type->size == 1)
            text[0] = '|';
    }
    *out = cel_json_new_string(text, strlen(text));
    return *out ? CEL_OK : NC_ENOMEM;
}

/* numcodecs' packbits takes truth values and nothing else. */
bool cel_zarr_is_truth(const struct cel_var *var)
{
    const struct cel_codec *first = var->chain.n ? var->chain.step[0].codec : NULL;

    return var->type->id == NC_UBYTE && first && strcmp(first->name, "packbits") == 0;
}

int cel_zarr_dtype_to_v3(const struct cel_var *var, struct cel_zarr_dtype *dtype, struct cel_json **out)
{
    bool big = var->endian == NC_ENDIAN_BIG || (var->endian == NC_ENDIAN_NATIVE && native_is_big());
    const struct row *row = row_of_type(var->type->id == NC_CHAR ? NC_UBYTE : var->type->id);
    const char *name;

    row = row ? row : row_of_complex(var->type);
    name = cel_zarr_is_truth(var) ? "bool" : row ? row->v3 : "string";
    if (var->type->klass == NC_STRING)
        *dtype = (struct cel_zarr_dtype){.form = ZARR_VLEN, .type = var->type};
    else
        set_numbers(dtype, var->type, big && var->type->size > 1);
    *out = cel_json_new_string(name, strlen(name));
    return *out ? CEL_OK : NC_ENOMEM;
}
