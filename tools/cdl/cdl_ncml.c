/* SPDX-License-Identifier: BSD-3-Clause */
/* ncdump -x: the header as NcML, for files of the classic model. */

#include "cdl_print.h"
#include "msg.h"
#include "safe.h"
#include "tool_att.h"
#include "unreadable.h"
#include <string.h>

static void put_xml(struct text *out, const char *s, size_t len)
{
    static const struct {
        char c;
        const char *text;
    } entity[] = {{'<', "&lt;"},   {'>', "&gt;"},   {'&', "&amp;"}, {'"', "&quot;"},
                  {'\n', "&#xA;"}, {'\r', "&#xD;"}, {'\t', "&#x9;"}};

    for (size_t i = 0, n; i < len; i += n) {
        const char *text = NULL;
        unsigned code;

        n = safe_next(s + i, len - i, &code);
        for (size_t k = 0; k < sizeof entity / sizeof *entity; k++)
            if ((unsigned char)entity[k].c == code)
                text = entity[k].text;
        if (text)
            text_puts(out, text);
        else if (safe_is_hidden(code))
            text_printf(out, "&#%u;", code == SAFE_NO_CHAR ? 0xfffdu : code);
        else
            text_putn(out, s + i, n);
    }
}

/* Numbers as in an attribute of CDL, without the tags. */
static void put_numbers(struct text *out, const struct att *a, const struct cdl_digits *digits)
{
    for (size_t i = 0; i < a->n; i++) {
        struct text one = {0};
        cdl_put_tagged(&one, a->type, a->values + i * a->type->size, digits);
        size_t len = strspn(text_get(&one), "+-0123456789.eE");
        text_puts(out, i ? " " : "");
        text_putn(out, text_get(&one), len ? len : one.len);
        text_free(&one);
    }
}

static void print_att(const struct cdl_options *opt, const char *indent, const struct att *a, FILE *out)
{
    struct text line = {0};
    size_t len = a->n;

    text_printf(&line, "%s<attribute name=\"", indent);
    put_xml(&line, a->name, strlen(a->name));
    if (a->type->kind == NC_CHAR) {
        while (len && !a->values[len - 1])
            len--;
        text_puts(&line, "\" value=\"");
        put_xml(&line, a->values, len);
    } else {
        text_printf(&line, "\" type=\"%s\" value=\"", a->type->name);
        put_numbers(&line, a, &opt->digits);
    }
    fprintf(out, "%s\" />\n", text_get(&line));
    text_free(&line);
}

static int print_atts(const struct cdl_options *opt, int root, int varid, const char *indent, FILE *out)
{
    const struct types none = {0};
    int n, status = varid == NC_GLOBAL ? nc_inq_natts(root, &n) : nc_inq_varnatts(root, varid, &n);

    for (int i = 0; status == NC_NOERR && i < n; i++) {
        struct att a;
        status = att_get_nth(&none, root, varid, i, &a);
        if (status == NC_NOERR)
            print_att(opt, indent, &a, out);
        att_free(&a);
    }
    return status;
}

static int print_dims(int root, FILE *out)
{
    struct walk_ids id, unlimited;
    int status = walk_dims(root, &id);

    walk_unlimited(root, &unlimited);
    for (int i = 0; status == NC_NOERR && i < id.n; i++) {
        char name[NC_MAX_NAME + 1];
        size_t len;
        struct text t = {0};
        status = nc_inq_dim(root, id.at[i], name, &len);
        put_xml(&t, name, strlen(name));
        fprintf(out, "  <dimension name=\"%s\" length=\"%zu\"%s />\n", text_get(&t), len,
                walk_has(&unlimited, id.at[i]) ? " isUnlimited=\"true\"" : "");
        text_free(&t);
    }
    walk_free(&id);
    walk_free(&unlimited);
    return status;
}

static int print_var(const struct cdl_options *opt, int root, int varid, FILE *out)
{
    char name[NC_MAX_NAME + 1];
    int ndims, dimid[NC_MAX_VAR_DIMS];
    nc_type id;
    struct text line = {0};
    int status = nc_inq_var(root, varid, name, &id, &ndims, dimid, NULL);

    text_puts(&line, "  <variable name=\"");
    put_xml(&line, name, strlen(name));
    for (int d = 0; status == NC_NOERR && d < ndims; d++) {
        status = nc_inq_dimname(root, dimid[d], name);
        text_puts(&line, d ? " " : "\" shape=\"");
        put_xml(&line, name, strlen(name));
    }
    if (status == NC_NOERR) {
        fprintf(out, "%s\" type=\"%s\">\n", text_get(&line), types_atomic(id)->name);
        status = print_atts(opt, root, varid, "    ", out);
        fprintf(out, "  </variable>\n");
    }
    text_free(&line);
    return status;
}

int cdl_print_ncml(int root, const char *path, const struct cdl_options *opt, FILE *out)
{
    struct text where = {0};
    struct walk_ids var = {0};
    int format, status = nc_inq_format(root, &format);

    if (status == NC_NOERR && format == NC_FORMAT_NETCDF4) {
        msg_error("%s: NcML (-x) can show files of the classic model only; -j prints any file as JSON", path);
        return NC_ESTRICTNC3;
    }
    put_xml(&where, path, strlen(path));
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<netcdf xmlns=\"https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2\" location=\"%s\">\n",
            text_get(&where));
    text_free(&where);
    if (status == NC_NOERR)
        status = print_dims(root, out);
    if (status == NC_NOERR)
        status = print_atts(opt, root, NC_GLOBAL, "  ", out);
    if (status == NC_NOERR)
        status = walk_vars(root, &var);
    for (int i = 0; status == NC_NOERR && i < var.n; i++)
        status = print_var(opt, root, var.at[i], out);
    walk_free(&var);
    if (status == NC_NOERR)
        status = unreadable_warn(root, "shown", NULL);
    fprintf(out, "</netcdf>\n");
    return status ? msg_nc(status, "%s", path), status : NC_NOERR;
}
