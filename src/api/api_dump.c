/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of any type as text, for nc_dump_data(): numbers in their shortest exact
 * form, strings quoted, compounds and variable-length values in braces. */
#include "api.h"
#include "number.h"
#include <netcdf_aux.h>
#include <string.h>

static int dump_text(struct cel_buf *out, const char *text, size_t n, char quote)
{
    int rc = cel_buf_add(out, &quote, 1);

    for (size_t i = 0; rc == CEL_OK && i < n; i++) {
        if (text[i] == quote || text[i] == '\\')
            rc = cel_buf_add(out, "\\", 1);
        if (rc == CEL_OK)
            rc = cel_buf_add(out, text + i, 1);
    }
    return rc == CEL_OK ? cel_buf_add(out, &quote, 1) : rc;
}

static int dump_number(struct cel_buf *out, nc_type type, const void *data)
{
    char text[CEL_NUMBER_MAX];
    unsigned long long bits = 0; /* aligned for every number type */
    long long i;
    float f;
    double d;

    memcpy(&bits, data, cel_type_size(type));
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    switch (type) {
    case NC_FLOAT:
        cel_print_float(f, text);
        return cel_buf_puts(out, text);
    case NC_DOUBLE:
        cel_print_double(d, text);
        return cel_buf_puts(out, text);
    case NC_UINT64:
        return cel_buf_printf(out, "%llu", bits);
    default:
        cel_converter(type, NC_INT64)(&i, &bits, 1);
        return cel_buf_printf(out, "%lld", i);
    }
}

static int dump_values(struct cel_buf *out, const struct cel_type *type, const char *data, size_t n);

static int dump_fields(struct cel_buf *out, const struct cel_type *type, const char *data)
{
    int rc = cel_buf_puts(out, "{");

    for (size_t i = 0; rc == CEL_OK && i < type->nfields; i++) {
        const struct cel_field *f = &type->field[i];

        if (i)
            rc = cel_buf_puts(out, ", ");
        if (rc == CEL_OK)
            rc = dump_values(out, f->type, data + f->offset, f->n);
    }
    return rc == CEL_OK ? cel_buf_puts(out, "}") : rc;
}

static int dump_vlen(struct cel_buf *out, const struct cel_type *type, const char *data)
{
    nc_vlen_t vlen;
    int rc = cel_buf_puts(out, "{");

    memcpy(&vlen, data, sizeof vlen);
    if (rc == CEL_OK)
        rc = dump_values(out, type->base, vlen.p, vlen.len);
    return rc == CEL_OK ? cel_buf_puts(out, "}") : rc;
}

static int dump_opaque(struct cel_buf *out, const struct cel_type *type, const char *data)
{
    int rc = cel_buf_puts(out, "0X");

    for (size_t i = 0; rc == CEL_OK && i < type->size; i++)
        rc = cel_buf_printf(out, "%02X", (unsigned char)data[i]);
    return rc;
}

static int dump_string(struct cel_buf *out, const char *data)
{
    const char *text;

    memcpy(&text, data, sizeof text);
    return text ? dump_text(out, text, strlen(text), '"') : cel_buf_puts(out, "NIL");
}

static int dump_value(struct cel_buf *out, const struct cel_type *type, const char *data)
{
    switch (type->klass) {
    case NC_COMPOUND:
        return dump_fields(out, type, data);
    case NC_VLEN:
        return dump_vlen(out, type, data);
    case NC_OPAQUE:
        return dump_opaque(out, type, data);
    case NC_ENUM:
        return dump_number(out, type->base->id, data);
    case NC_STRING:
        return dump_string(out, data);
    case NC_CHAR:
        return dump_text(out, data, 1, '\'');
    default:
        return dump_number(out, type->id, data);
    }
}

static int dump_values(struct cel_buf *out, const struct cel_type *type, const char *data, size_t n)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < n; i++) {
        if (i)
            rc = cel_buf_puts(out, " ");
        if (rc == CEL_OK)
            rc = dump_value(out, type, data + i * type->size);
    }
    return rc;
}

int nc_dump_data(int ncid, nc_type xtypeid, void *memory, size_t count, char **buf)
{
    struct cel_call c = {0};
    struct cel_buf text = CEL_BUF_INIT(SIZE_MAX);
    const struct cel_type *type = cel_type_atomic(xtypeid);
    int rc = CEL_OK;

    cel_error_clear();
    if (!buf || (!memory && count))
        return cel_fail(NC_EINVAL, "there is nothing to print, or nowhere to put it");
    if (!type) {
        rc = cel_call_begin(&c, ncid);
        if (rc == CEL_OK)
            rc = cel_find_type(c.ds, xtypeid, &type);
    }
    if (rc == CEL_OK)
        rc = dump_values(&text, type, memory, count);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, buf);
    cel_buf_dispose(&text);
    return cel_call_end(&c, rc);
}

int ncaux_dump_data(int ncid, nc_type xtypeid, void *memory, size_t count, char **buf)
{
    return nc_dump_data(ncid, xtypeid, memory, count, buf);
}
