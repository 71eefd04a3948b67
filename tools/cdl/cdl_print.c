/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a file as CDL: types, dimensions, variables, attributes, and the
 * groups below, each with its data. */

#include "cdl_print.h"
#include "cdl_time.h"
#include "msg.h"
#include "safe.h"
#include "tool_att.h"
#include "unreadable.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void put_indent(struct cdl_printer *p)
{
    fprintf(p->out, "%*s", (int)p->indent, "");
}

/* Names and values have their escapes by now; what others wrote in comments has none. */
static void put_safely(FILE *out, const char *s)
{
    struct text t = {0};

    for (size_t n; *s; s += n) {
        n = strcspn(s, "\t\n");
        safe_put(&t, s, n);
        text_putn(&t, s + n, strspn(s + n, "\t\n"));
        n += strspn(s + n, "\t\n");
    }
    fputs(text_get(&t), out);
    text_free(&t);
}

void cdl_put_line(struct cdl_printer *p, const char *fmt, ...)
{
    struct text line = {0};
    va_list ap;

    put_indent(p);
    va_start(ap, fmt);
    text_vprintf(&line, fmt, ap);
    va_end(ap);
    put_safely(p->out, text_get(&line));
    putc('\n', p->out);
    text_free(&line);
}

void cdl_put_wrapped(struct cdl_printer *p, const char *s, size_t margin)
{
    size_t n = strlen(s);

    if (p->column + n + 2 > p->opt->line_length && n > 2) {
        fprintf(p->out, "\n%*s", (int)margin, "");
        p->column = margin;
    }
    fputs(s, p->out);
    p->column += n;
}

/* --- names as seen from a group ------------------------------------------ */
/* Formats that have a type of this name would read it as the type: there it is written with a backslash. */
void cdl_put_own_name(const struct cdl_printer *p, struct text *out, const char *name)
{
    if (cdl_is_keyword(name, p->format))
        text_putc(out, '\\');
    cdl_put_name(out, name);
}

/* Before an attribute: "data:" would begin the data. */
void cdl_put_owner(const struct cdl_printer *p, struct text *out, const char *var)
{
    cdl_put_own_name(p, out, var);
    text_puts(out, cdl_is_section(var) ? " :" : ":");
}

static void put_qualified(const struct cdl_printer *p, struct text *out, int owner, const char *name, bool bare)
{
    char *path = bare ? NULL : walk_path(owner);

    for (char *part = path ? strtok(path, "/") : NULL; part; part = strtok(NULL, "/")) {
        text_putc(out, '/');
        cdl_put_own_name(p, out, part);
    }
    if (!bare)
        text_putc(out, '/');
    cdl_put_own_name(p, out, name);
    free(path);
}

static bool is_within(int group, int outer)
{
    while (group != outer)
        if (nc_inq_grp_parent(group, &group) != NC_NOERR)
            return false;
    return true;
}

/* A type is named by its path where it lies in none of the groups around, or its bare name means another one. */
static void put_type(const struct cdl_printer *p, struct text *out, int group, const struct type *t)
{
    nc_type seen = NC_NAT;
    bool bare;

    if (t->group < 0) {
        text_puts(out, t->name);
        return;
    }
    bare = is_within(group, t->group) && nc_inq_typeid(group, t->name, &seen) == NC_NOERR && seen == t->id;
    put_qualified(p, out, t->group, t->name, bare);
}

static bool means_dim(int group, const char *name, int dimid)
{
    int seen;

    return nc_inq_dimid(group, name, &seen) == NC_NOERR && seen == dimid;
}

/* The group that defines the dimension: the outermost one in which its name still means it. Looked up by name, because a list
 * of all dimensions for each of a variable's makes ncdump slow where there are many. */
static int owner_above(int group, const char *name, int dimid)
{
    bool below = means_dim(group, name, dimid);
    int parent;

    while (nc_inq_grp_parent(group, &parent) == NC_NOERR) {
        bool above = means_dim(parent, name, dimid);

        if (below && !above)
            return group;
        below = above;
        group = parent;
    }
    return below ? group : -1;
}

struct dim_search {
    const char *name;
    int dimid, found;
};

static int look_for_dim(int group, void *arg)
{
    struct dim_search *s = arg;

    if (s->found < 0 && means_dim(group, s->name, s->dimid))
        s->found = owner_above(group, s->name, s->dimid);
    return NC_NOERR;
}

/* Files of HDF5 may use a dimension of a group that is none of those around. */
static int owner_of_dim(const struct cdl_printer *p, int group, const char *name, int dimid)
{
    struct dim_search s = {name, dimid, owner_above(group, name, dimid)};

    if (s.found < 0)
        walk_all(p->root, look_for_dim, &s);
    return s.found < 0 ? p->root : s.found;
}

static void put_dim(const struct cdl_printer *p, struct text *out, int group, int dimid)
{
    char name[NC_MAX_NAME + 1] = "?";
    bool bare;

    nc_inq_dimname(group, dimid, name);
    bare = means_dim(group, name, dimid);
    put_qualified(p, out, bare ? group : owner_of_dim(p, group, name, dimid), name, bare);
}

/* --- types ------------------------------------------------------------------ */
static void put_fields(struct cdl_printer *p, int group, const struct type *t, struct text *line)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        text_clear(line);
        put_type(p, line, group, f->type);
        text_putc(line, ' ');
        cdl_put_name(line, f->name);
        for (int d = 0; d < f->ndims; d++)
            text_printf(line, "%s%d", d ? ", " : "(", f->dims[d]);
        cdl_put_line(p, "    %s%s ;", text_get(line), f->ndims ? ")" : "");
    }
}

static void put_enum(struct cdl_printer *p, const char *base, const char *name, const struct type *t)
{
    static const struct cdl_digits digits = CDL_DIGITS_INIT;
    struct text part = {0};

    put_indent(p);
    fprintf(p->out, "  %s enum %s {", base, name);
    p->column += strlen(base) + strlen(name) + 8;
    for (size_t i = 0; i < t->nmembers; i++) {
        text_clear(&part);
        cdl_put_name(&part, t->member[i].name);
        text_puts(&part, " = ");
        cdl_put_value(&part, t->base, t->member[i].value, &digits);
        text_puts(&part, i + 1 < t->nmembers ? ", " : "");
        cdl_put_wrapped(p, text_get(&part), p->indent + 6);
    }
    fputs("} ;\n", p->out);
    p->column = 0;
    text_free(&part);
}

static void put_type_definition(struct cdl_printer *p, int group, const struct type *t)
{
    struct text name = {0}, line = {0};

    cdl_put_name(&name, t->name);
    if (t->base)
        put_type(p, &line, group, t->base);
    switch (t->kind) {
    case NC_COMPOUND:
        cdl_put_line(p, "  compound %s {", text_get(&name));
        put_fields(p, group, t, &line);
        cdl_put_line(p, "  }; // %s", text_get(&name));
        break;
    case NC_ENUM: put_enum(p, text_get(&line), text_get(&name), t); break;
    case NC_VLEN: cdl_put_line(p, "  %s(*) %s ;", text_get(&line), text_get(&name)); break;
    default: cdl_put_line(p, "  opaque(%zu) %s ;", t->size, text_get(&name));
    }
    text_free(&name);
    text_free(&line);
}

static int print_types(struct cdl_printer *p, int group)
{
    struct walk_ids id;
    int status = walk_types(group, &id);

    if (status == NC_NOERR && id.n)
        cdl_put_line(p, "types:");
    for (int i = 0; status == NC_NOERR && i < id.n; i++)
        put_type_definition(p, group, types_find(&p->types, id.at[i]));
    walk_free(&id);
    return status;
}

/* --- dimensions ---------------------------------------------------------------- */
static int print_dim(struct cdl_printer *p, int group, int dimid, bool unlimited)
{
    char name[NC_MAX_NAME + 1];
    size_t len;
    struct text line = {0};
    int status = nc_inq_dim(group, dimid, name, &len);

    cdl_put_own_name(p, &line, name);
    if (status == NC_NOERR && unlimited)
        cdl_put_line(p, "\t%s = UNLIMITED ; // (%zu currently)", text_get(&line), len);
    else if (status == NC_NOERR)
        cdl_put_line(p, "\t%s = %zu ;", text_get(&line), len);
    text_free(&line);
    return status;
}

static int print_dims(struct cdl_printer *p, int group)
{
    struct walk_ids id, unlimited = {0};
    int status = walk_dims(group, &id);

    if (status == NC_NOERR)
        status = walk_unlimited(group, &unlimited);
    if (status == NC_NOERR && id.n)
        cdl_put_line(p, "dimensions:");
    for (int i = 0; status == NC_NOERR && i < id.n; i++)
        status = print_dim(p, group, id.at[i], walk_has(&unlimited, id.at[i]));
    walk_free(&id);
    walk_free(&unlimited);
    return status;
}

/* --- attributes ---------------------------------------------------------------- */
/* A text attribute of a classic kind of file goes to a new line after each line
 * feed in it; elsewhere that would make two strings of one. Its bytes beyond UTF-8 are kept in a file, as netCDF-C does
 * everywhere; a terminal, or a pipe that may lead to one, gets escapes. */
static void put_text_att(const struct cdl_printer *p, const struct att *a, struct text *line)
{
    size_t len = a->n;

    while (len && !a->values[len - 1])
        len--;
    cdl_put_text(line, a->values, len, p->format == NC_FORMAT_NETCDF4 ? "\\n" : "\\n\",\n\t\t\t\"", p->to_file);
}

static void put_att_values(const struct cdl_printer *p, const struct att *a, struct text *line)
{
    if (a->type->kind == NC_CHAR) {
        put_text_att(p, a, line);
        return;
    }
    for (size_t i = 0; i < a->n; i++) {
        text_puts(line, i ? ", " : "");
        cdl_put_tagged(line, a->type, a->values + i * a->type->size, &p->opt->digits);
    }
}

/* Records and sequences may be long: they are wrapped as data is, with the column
 * running on from one such attribute to the next as it does in netCDF-C. */
static bool is_wrapped(const struct att *a)
{
    return a->type->kind == NC_COMPOUND || a->type->kind == NC_VLEN;
}

static void print_wrapped_values(struct cdl_printer *p, const struct att *a)
{
    for (size_t i = 0; i < a->n; i++) {
        text_clear(&p->value);
        cdl_put_value(&p->value, a->type, a->values + i * a->type->size, &p->opt->digits);
        text_puts(&p->value, i + 1 < a->n ? ", " : "");
        cdl_put_wrapped(p, text_get(&p->value), 4);
    }
}

static bool counts_time(const struct att *a)
{
    return a->n && a->type->group < 0 && a->type->kind != NC_CHAR && a->type->kind != NC_STRING;
}

/* With -t the values of a time variable's attributes are times too. */
static void put_att_dates(const struct cdl_printer *p, const struct cdl_clock *clock, const struct att *a,
                          struct text *line)
{
    const size_t margin = strlen("// ") + 18; /* two tabs and two blanks */
    struct text date = {0};
    size_t column = 0;

    for (size_t i = 0; i < a->n; i++) {
        bool wraps;
        text_clear(&date);
        cdl_clock_print(clock, cdl_as_double(a->type, a->values + i * a->type->size), p->opt->date_between, &date);
        text_puts(&date, i + 1 < a->n ? "," : "");
        column += 1 + date.len;
        wraps = a->n > 2 && (!i || column > p->opt->line_length);
        if (wraps)
            text_printf(line, "\n%*s\t\t  ", (int)p->indent, "");
        else
            text_putc(line, ' ');
        text_puts(line, wraps || !i ? "// " : "");
        text_puts(line, text_get(&date));
        if (wraps)
            column = margin + date.len;
    }
    text_free(&date);
}

/* Numbers and text tell their type. "type :a" would be an attribute of a variable of the type's name. */
static void put_att_type(const struct cdl_printer *p, struct text *line, int group, const char *var,
                         const struct type *t)
{
    int varid;

    if (t->group < 0 && t->kind != NC_STRING)
        return;
    if (!*var && t->group >= 0 && nc_inq_varid(group, t->name, &varid) == NC_NOERR)
        put_qualified(p, line, t->group, t->name, false);
    else
        put_type(p, line, group, t);
    text_putc(line, ' ');
}

static void print_att(struct cdl_printer *p, int group, const char *var, const struct cdl_clock *clock,
                      const struct att *a)
{
    struct text line = {0};

    put_att_type(p, &line, group, var, a->type);
    cdl_put_owner(p, &line, var);
    cdl_put_own_name(p, &line, a->name);
    text_puts(&line, " = ");
    if (is_wrapped(a)) {
        fprintf(p->out, "%*s\t\t%s", (int)p->indent, "", text_get(&line));
        print_wrapped_values(p, a);
        fputs(" ;\n", p->out);
        text_free(&line);
        return;
    }
    put_att_values(p, a, &line);
    text_puts(&line, " ;");
    if (clock && counts_time(a))
        put_att_dates(p, clock, a, &line);
    fprintf(p->out, "%*s\t\t%s\n", (int)p->indent, "", text_get(&line));
    text_free(&line);
}

static int print_atts(struct cdl_printer *p, int group, int varid, const char *var, const struct cdl_clock *clock,
                      int n)
{
    int status = NC_NOERR;

    for (int i = 0; status == NC_NOERR && i < n; i++) {
        struct att a;
        status = att_get_nth(&p->types, group, varid, i, &a);
        if (status == NC_NOERR) {
            print_att(p, group, var, clock, &a);
        } else {
            msg_nc(status, "attribute %s:%s", var, a.name);
            p->reported = true;
        }
        att_free(&a);
    }
    return status;
}

/* --- variables ------------------------------------------------------------------- */
static int print_var(struct cdl_printer *p, int group, int varid)
{
    char name[NC_MAX_NAME + 1];
    int ndims, natts, dimid[NC_MAX_VAR_DIMS];
    nc_type id;
    struct cdl_clock clock;
    struct text line = {0};
    bool timed;
    int status = nc_inq_var(group, varid, name, &id, &ndims, dimid, &natts);

    if (status)
        return status;
    put_type(p, &line, group, types_find(&p->types, id));
    text_putc(&line, ' ');
    cdl_put_own_name(p, &line, name);
    for (int d = 0; d < ndims; d++) {
        text_puts(&line, d ? ", " : "(");
        put_dim(p, &line, group, dimid[d]);
    }
    cdl_put_line(p, "\t%s%s ;", text_get(&line), ndims ? ")" : "");
    text_free(&line);
    timed = p->opt->date_between && cdl_var_clock(p, group, varid, &clock);
    status = print_atts(p, group, varid, name, timed ? &clock : NULL, natts);
    if (status == NC_NOERR && p->opt->special)
        cdl_print_var_specials(p, group, varid);
    return status;
}

static int print_vars(struct cdl_printer *p, int group, bool *any)
{
    struct walk_ids id;
    int status = walk_vars(group, &id);

    *any = id.n > 0;
    if (*any)
        cdl_put_line(p, "variables:");
    for (int i = 0; status == NC_NOERR && i < id.n; i++)
        status = print_var(p, group, id.at[i]);
    walk_free(&id);
    return status;
}

/* --- what could not be read: comments -------------------------------------------------- */
void cdl_put_unreadable(struct cdl_printer *p, const char *name, const char *reason)
{
    struct text line = {0};

    cdl_put_chars(&line, name, strlen(name), "\\n");
    text_puts(&line, " cannot be read: ");
    cdl_put_chars(&line, reason, strlen(reason), "\\n");
    cdl_put_line(p, "\t// %s", text_get(&line));
    text_free(&line);
}

static int print_unreadable(struct cdl_printer *p, int group)
{
    struct unreadable u;
    int status = unreadable_load(group, &u);

    for (int i = 0; i < u.n; i++)
        cdl_put_unreadable(p, u.name[i], u.reason[i]);
    unreadable_free(&u);
    return status;
}

/* --- groups ------------------------------------------------------------------------ */
static int print_group(struct cdl_printer *p, int group);

static int print_global_atts(struct cdl_printer *p, int group)
{
    bool root = group == p->root;
    int n, status = nc_inq_natts(group, &n);

    if (status)
        return status;
    if (n || p->opt->special) {
        putc('\n', p->out);
        cdl_put_line(p, root ? "// global attributes:" : "// group attributes:");
    }
    status = print_atts(p, group, NC_GLOBAL, "", NULL, n);
    if (status == NC_NOERR && root && p->opt->special)
        cdl_print_global_specials(p);
    return status;
}

static int print_subgroup(struct cdl_printer *p, int group)
{
    char name[NC_MAX_NAME + 1];
    struct text line = {0};
    int status = nc_inq_grpname(group, name);

    if (status)
        return status;
    cdl_put_own_name(p, &line, name);
    putc('\n', p->out);
    cdl_put_line(p, "group: %s {", text_get(&line));
    p->indent += 2;
    status = print_group(p, group);
    cdl_put_line(p, "} // group %s", text_get(&line));
    p->indent -= 2;
    text_free(&line);
    return status;
}

static bool group_data_wanted(const struct cdl_printer *p, int group)
{
    return !p->opt->header_only && (!p->opt->groups.n || select_has_group(&p->opt->groups, group));
}

static int print_group(struct cdl_printer *p, int group)
{
    struct walk_ids child;
    bool any_vars = false;
    int status = print_types(p, group);

    if (status == NC_NOERR)
        status = print_dims(p, group);
    if (status == NC_NOERR)
        status = print_vars(p, group, &any_vars);
    if (status == NC_NOERR)
        status = print_unreadable(p, group);
    if (status == NC_NOERR)
        status = print_global_atts(p, group);
    if (status == NC_NOERR && any_vars && group_data_wanted(p, group)) {
        cdl_put_line(p, "data:");
        status = cdl_print_data(p, group);
    }
    if (status)
        return status;
    status = walk_groups(group, &child);
    for (int i = 0; status == NC_NOERR && i < child.n; i++)
        status = print_subgroup(p, child.at[i]);
    walk_free(&child);
    return status;
}

const char *cdl_kind_name(int format)
{
    static const struct {
        int format;
        const char *name;
    } kind[] = {{NC_FORMAT_CLASSIC, "classic"},
                {NC_FORMAT_64BIT_OFFSET, "64-bit offset"},
                {NC_FORMAT_64BIT_DATA, "cdf5"},
                {NC_FORMAT_NETCDF4, "netCDF-4"},
                {NC_FORMAT_NETCDF4_CLASSIC, "netCDF-4 classic model"}};

    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (kind[i].format == format)
            return kind[i].name;
    return "unrecognized";
}

static bool is_file(FILE *out)
{
    struct stat st;

    return fstat(fileno(out), &st) == 0 && S_ISREG(st.st_mode);
}

int cdl_print_file(int root, const char *path, const struct cdl_options *opt, FILE *out)
{
    struct cdl_printer p = {.opt = opt, .root = root, .out = out, .to_file = is_file(out)};
    struct text name = {0};
    int status = nc_inq_format(root, &p.format);

    if (status == NC_NOERR)
        status = types_load(root, &p.types);
    if (status == NC_NOERR) {
        cdl_put_name(&name, opt->name);
        fprintf(out, "netcdf %s {\n", text_get(&name));
        status = print_group(&p, root);
        if (status == NC_NOERR)
            fprintf(out, "}\n");
        if (status == NC_NOERR && p.skipped)
            status = NC_EBADTYPE;
    }
    if (status && !p.reported)
        msg_nc(status, "%s", path);
    text_free(&name);
    text_free(&p.value);
    types_free(&p.types);
    return status;
}
