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
    union {
        signed char b;
        unsigned char ub;
        short s;
        unsigned short us;
        int i;
        unsigned u;
        long long ll;
        unsigned long long ull;
        float f;
        double d;
    } v;

    memcpy(&v, data, cel_type_atomic(type)->size);
    switch (type) {
    case NC_BYTE: return cel_buf_printf(out, "%d", v.b);
    case NC_UBYTE: return cel_buf_printf(out, "%u", v.ub);
    case NC_SHORT: return cel_buf_printf(out, "%d", v.s);
    case NC_USHORT: return cel_buf_printf(out, "%u", v.us);
    case NC_INT: return cel_buf_printf(out, "%d", v.i);
    case NC_UINT: return cel_buf_printf(out, "%u", v.u);
    case NC_INT64: return cel_buf_printf(out, "%lld", v.ll);
    case NC_UINT64: return cel_buf_printf(out, "%llu", v.ull);
    case NC_FLOAT: return cel_print_float(v.f, text), cel_buf_puts(out, text);
    default: return cel_print_double(v.d, text), cel_buf_puts(out, text);
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
    case NC_COMPOUND: return dump_fields(out, type, data);
    case NC_VLEN: return dump_vlen(out, type, data);
    case NC_OPAQUE: return dump_opaque(out, type, data);
    case NC_ENUM: return dump_number(out, type->base->id, data);
    case NC_STRING: return dump_string(out, data);
    case NC_CHAR: return dump_text(out, data, 1, '\'');
    default: return dump_number(out, type->id, data);
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
