/* SPDX-License-Identifier: BSD-3-Clause */
/* fill_value: JSON to one element and back. Numbers are numbers; NaN and the
 * infinities are strings; v3 also has hexadecimal bit patterns; raw bytes,
 * structures and fixed text are base64 in v2, except that netCDF-C writes text
 * as it is. */
#include "base64.h"
#include "convert.h"
#include "half.h"
#include "mem.h"
#include "utf8.h"
#include "zarr_int.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool hex_bits(const char *text, uint64_t *bits)
{
    char *end;

    if (strncmp(text, "0x", 2) != 0)
        return false;
    *bits = strtoull(text + 2, &end, 16);
    return end > text + 2 && !*end;
}

static bool real_from_json(const struct cel_json *v, nc_type type, void *out)
{
    const char *text = cel_json_string(v, NULL);
    uint64_t bits;
    double d;
    float f;

    if (text && hex_bits(text, &bits)) {
        uint32_t low = (uint32_t)bits;
        memcpy(out, type == NC_FLOAT ? (void *)&low : (void *)&bits, cel_type_size(type));
        return true;
    }
    if (text && strcmp(text, "+Infinity") == 0)
        d = INFINITY;
    else if (!cel_json_double(v, true, &d))
        return false;
    f = (float)d;
    memcpy(out, type == NC_FLOAT ? (void *)&f : (void *)&d, cel_type_size(type));
    return true;
}

static bool integer_from_json(const struct cel_json *v, nc_type type, void *out)
{
    int64_t i;
    uint64_t u;
    double d;

    if (cel_json_type(v) == CEL_JSON_BOOL) {
        *(unsigned char *)out = cel_json_bool(v);
        return type == NC_UBYTE;
    }
    if (cel_json_string(v, NULL) && strcmp(cel_json_string(v, NULL), "NaT") == 0 && type == NC_INT64) {
        i = INT64_MIN;
        memcpy(out, &i, sizeof i);
        return true;
    }
    if (cel_json_int(v, true, &i))
        return cel_converter(NC_INT64, type)(out, &i, 1) == 0;
    if (cel_json_uint(v, true, &u))
        return cel_converter(NC_UINT64, type)(out, &u, 1) == 0;
    return cel_json_double(v, true, &d) && d == trunc(d) && cel_converter(NC_DOUBLE, type)(out, &d, 1) == 0;
}

bool cel_zarr_number_from_json(const struct cel_json *v, nc_type type, void *out)
{
    return type == NC_FLOAT || type == NC_DOUBLE ? real_from_json(v, type, out) : integer_from_json(v, type, out);
}

/* netCDF-C prints its default fill with six digits, which is another number. */
static bool real_fill_from_json(const struct cel_json *v, nc_type type, void *out)
{
    const double fill = NC_FILL_DOUBLE;
    double d;

    if (!real_from_json(v, type, out))
        return false;
    if (type == NC_DOUBLE && cel_json_double(v, true, &d) && d == 9.96921e+36)
        memcpy(out, &fill, sizeof fill);
    return true;
}

static bool char_from_json(const struct cel_json *v, char *out)
{
    size_t len;
    const char *text = cel_json_string(v, &len);
    int64_t i;

    if (text && len == 2 && (text[0] & 0xfc) == 0xc0) { /* one of Latin-1: see cel_zarr_text_to_json */
        *out = (char)((text[0] & 3) << 6 | (text[1] & 0x3f));
        return true;
    }
    if (text) {
        *out = len ? text[0] : '\0';
        return len <= 1;
    }
    if (!cel_json_int(v, false, &i)) /* netCDF-C writes the fill character '7' as the number 7 */
        return false;
    *out = i >= 1 && i <= 9 ? (char)('0' + i) : '\0';
    return true;
}

/* A string element owns its text. */
static int string_from_json(const struct cel_json *v, const struct cel_zarr_dtype *dtype, bool nczarr, char **out)
{
    size_t len, n, at;
    const char *text = cel_json_string(v, &len);

    *out = NULL;
    if (text && dtype->form == ZARR_BYTES && !nczarr) {
        unsigned char *bytes = cel_calloc(len + 1, 1);
        if (!bytes)
            return NC_ENOMEM;
        if (cel_base64_decode(text, len, bytes, len, &n, &at)) {
            *out = (char *)bytes;
            return CEL_OK;
        }
        free(bytes);
    }
    *out = cel_strndup(text ? text : "", text ? len : 0);
    return *out ? CEL_OK : NC_ENOMEM;
}

static bool raw_from_json(const struct cel_json *v, size_t size, void *out)
{
    size_t len, n, at;
    const char *text = cel_json_string(v, &len);
    int64_t byte;

    memset(out, 0, size);
    if (text)
        return cel_base64_decode(text, len, out, size, &n, &at);
    if (cel_json_type(v) != CEL_JSON_ARRAY)
        return cel_json_int(v, false, &byte) && byte == 0;
    for (size_t i = 0; i < cel_json_count(v) && i < size; i++) {
        if (!cel_json_int(cel_json_item(v, i), false, &byte))
            return false;
        ((unsigned char *)out)[i] = (unsigned char)byte;
    }
    return true;
}

/* Text in a structure: as it is where it is stored as code points, else base64. */
static bool text_field_from_json(const struct cel_json *v, const struct cel_zarr_dtype *dtype,
                                 const struct cel_field *field, size_t size, unsigned char *out)
{
    size_t len, n;
    const char *text = cel_json_string(v, &len);
    bool is_plain = false;

    for (size_t i = 0; i < dtype->nleaf; i++)
        is_plain = is_plain || (dtype->leaf[i].text && dtype->leaf[i].at == field->offset);
    if (!text || !is_plain)
        return raw_from_json(v, size, out);
    n = len < size ? len : size;
    memset(out, 0, size);
    memcpy(out, text, n);
    return n == len;
}

static bool field_from_json(const struct cel_json *v, const struct cel_zarr_dtype *dtype, const struct cel_field *field,
                            unsigned char *out)
{
    struct cel_zarr_dtype part = {.form = ZARR_NUMBERS, .size = field->type->size, .type = field->type};

    if (field->type->klass == NC_CHAR)
        return text_field_from_json(v, dtype, field, field->n, out);
    return !field->ndims && cel_zarr_fill_from_json("", v, &part, false, out) == CEL_OK;
}

/* The bytes as they are stored, little-endian where the data type does not say. */
static int stored_from_json(const struct cel_json *v, const struct cel_zarr_dtype *dtype, unsigned char *out)
{
    struct cel_zarr_dtype as_written = *dtype;
    unsigned char *raw = cel_malloc(dtype->size);
    int rc = !raw ? NC_ENOMEM : raw_from_json(v, dtype->size, raw) ? CEL_OK : CEL_ABSENT;

    as_written.big = false;
    if (rc == CEL_OK)
        rc = cel_zarr_element_take(&as_written, raw, out);
    free(raw);
    return rc;
}

/* Complex numbers: two parts. Other structures: an object of members, or base64. CEL_ABSENT: it does not fit. */
static int compound_from_json(const struct cel_json *v, const struct cel_zarr_dtype *dtype, unsigned char *out)
{
    const struct cel_type *type = dtype->type;
    bool ok = true;

    if (cel_json_type(v) != CEL_JSON_ARRAY && cel_json_type(v) != CEL_JSON_OBJECT)
        return stored_from_json(v, dtype, out);
    for (size_t i = 0; ok && i < type->nfields; i++) {
        const struct cel_field *field = &type->field[i];

        ok = field_from_json(cel_json_type(v) == CEL_JSON_ARRAY ? cel_json_item(v, i) : cel_json_get(v, field->name),
                             dtype, field, out + field->offset);
    }
    return ok ? CEL_OK : CEL_ABSENT;
}

/* The bits of a half float are those of a half float. */
static bool half_from_json(const struct cel_json *v, enum cel_zarr_form form, void *out)
{
    const char *text = cel_json_string(v, NULL);
    uint64_t bits;
    float f;

    if (!text || !hex_bits(text, &bits))
        return real_from_json(v, NC_FLOAT, out);
    f = form == ZARR_HALF ? cel_half_to_float((uint16_t)bits) : cel_bfloat_to_float((uint16_t)bits);
    memcpy(out, &f, sizeof f);
    return bits <= UINT16_MAX;
}

/* An empty list is all that is kept: null, 0 and "" say so. */
static int list_from_json(const char *path, const struct cel_json *v, void *out)
{
    size_t len = 0;
    int64_t zero = 0;

    memset(out, 0, sizeof(nc_vlen_t));
    cel_json_string(v, &len);
    if (len || (cel_json_int(v, false, &zero) && zero))
        return cel_zarr_bad(path, "/fill_value", "a list that is not empty is not supported");
    return CEL_OK;
}

int cel_zarr_fill_from_json(const char *path, const struct cel_json *v, const struct cel_zarr_dtype *dtype, bool nczarr,
                            void *out)
{
    bool ok;
    int rc;

    if (cel_json_type(v) == CEL_JSON_ARRAY && cel_json_count(v) == 1)
        v = cel_json_item(v, 0); /* netCDF-C 4.8.0 */
    switch (dtype->type->klass) {
    case NC_STRING:
        return string_from_json(v, dtype, nczarr, out);
    case NC_VLEN:
        return list_from_json(path, v, out);
    case NC_CHAR:
        ok = char_from_json(v, out);
        break;
    case NC_FLOAT:
    case NC_DOUBLE:
        ok = dtype->form == ZARR_HALF || dtype->form == ZARR_BFLOAT ? half_from_json(v, dtype->form, out)
                                                                    : real_fill_from_json(v, dtype->type->id, out);
        break;
    case NC_COMPOUND:
        rc = compound_from_json(v, dtype, out);
        if (rc < 0)
            return rc;
        ok = rc == CEL_OK;
        break;
    case NC_OPAQUE:
        ok = raw_from_json(v, dtype->type->size, out);
        break;
    default:
        ok = integer_from_json(v, dtype->type->id, out);
    }
    return ok ? CEL_OK : cel_zarr_bad(path, "/fill_value", "does not fit the data type");
}

/* JSON is Unicode. netCDF's text may be any bytes: those that are no UTF-8 are taken for Latin-1. */
struct cel_json *cel_zarr_text_to_json(const char *text, size_t n)
{
    struct cel_buf out = CEL_BUF_INIT(ZARR_META_MAX);
    struct cel_json *v = NULL;
    bool strange = false;
    int rc = CEL_OK;

    for (size_t i = 0, len; rc == CEL_OK && i < n; i += len) {
        unsigned char c = (unsigned char)text[i];
        char two[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))};

        len = cel_utf8_length(text + i, n - i);
        strange = strange || !len;
        rc = len ? cel_buf_add(&out, text + i, len) : cel_buf_add(&out, two, sizeof two);
        len = len ? len : 1;
    }
    if (rc == CEL_OK)
        v = cel_json_new_string(out.len ? out.data : "", out.len);
    if (v && strange)
        cel_warn("text that is not UTF-8 is written as if it were Latin-1, as JSON has nothing but Unicode");
    cel_buf_dispose(&out);
    return v;
}

struct cel_json *cel_zarr_number_to_json(const void *value, nc_type type)
{
    int64_t i;
    uint64_t u;
    float f;
    double d;

    switch (type) {
    case NC_FLOAT:
        memcpy(&f, value, sizeof f);
        return cel_json_new_float(f);
    case NC_DOUBLE:
        memcpy(&d, value, sizeof d);
        return cel_json_new_double(d);
    case NC_UINT64:
        memcpy(&u, value, sizeof u);
        return cel_json_new_uint(u);
    default:
        cel_converter(type, NC_INT64)(&i, value, 1);
        return cel_json_new_int(i);
    }
}

static struct cel_json *complex_to_json(const void *value, const struct cel_type *type)
{
    struct cel_json *pair = cel_json_new_array();

    for (size_t i = 0; pair && i < type->nfields; i++) {
        const struct cel_field *f = &type->field[i];

        if (cel_json_push(pair, cel_zarr_number_to_json((const char *)value + f->offset, f->type->id)) != CEL_OK) {
            cel_json_free(pair);
            return NULL;
        }
    }
    return pair;
}

int cel_zarr_fill_to_json(const void *value, const struct cel_zarr_dtype *dtype, int version, struct cel_json **out)
{
    nc_type type = dtype->type->id;
    const char *text;

    if (dtype->type->klass == NC_VLEN) {
        *out = cel_json_new_null();
    } else if (cel_type_is_complex(dtype->type)) {
        *out = complex_to_json(value, dtype->type);
    } else if (type == NC_STRING) {
        memcpy(&text, value, sizeof text);
        *out = cel_zarr_text_to_json(text ? text : "", text ? strlen(text) : 0);
    } else if (type == NC_CHAR && version == 2) {
        *out = cel_zarr_text_to_json(value, *(const char *)value ? 1 : 0);
    } else if (type == NC_CHAR) {
        *out = cel_json_new_uint(*(const unsigned char *)value);
    } else {
        *out = cel_zarr_number_to_json(value, type);
    }
    return *out ? CEL_OK : NC_ENOMEM;
}
