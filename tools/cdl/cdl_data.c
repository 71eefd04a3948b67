/* SPDX-License-Identifier: BSD-3-Clause */
/* The data section: every value of the chosen variables, in rows along the last
 * axis, wrapped at the line length. */

#include "cdl_print.h"
#include "cdl_time.h"
#include "msg.h"
#include "slab.h"
#include "tool_att.h"
#include "unreadable.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 20 };

struct data_var {
    int group, id;
    char name[NC_MAX_NAME + 1];
    const struct type *type;
    int ndims;
    int dimid[NC_MAX_VAR_DIMS];
    size_t shape[NC_MAX_VAR_DIMS];
    bool unlimited[NC_MAX_VAR_DIMS];
    size_t n;        /* values in all */
    size_t row;      /* values per row */
    void *fill;      /* NULL: no value is printed as _ */
    bool keeps_nuls; /* text that is not given becomes another fill value than NUL */
    bool timed;
    struct cdl_clock clock;
};

/* --- lines ------------------------------------------------------------------ */
static void new_line(struct cdl_printer *p, const char *indent)
{
    fprintf(p->out, "\n%s", indent);
    p->column = strlen(indent);
}

/* --- values -------------------------------------------------------------------- */
double cdl_as_double(const struct type *t, const void *value)
{
    union number v;

#define AS(kind, member) \
    case kind: memcpy(&v.member, value, sizeof v.member); return (double)v.member
    switch (t->kind) {
        AS(NC_BYTE, b);
        AS(NC_UBYTE, ub);
        AS(NC_SHORT, s);
        AS(NC_USHORT, us);
        AS(NC_INT, i);
        AS(NC_UINT, u);
        AS(NC_INT64, ll);
        AS(NC_UINT64, ull);
        AS(NC_FLOAT, f);
        AS(NC_DOUBLE, d);
    default: return 0;
    }
#undef AS
}

static const char *value_text(struct cdl_printer *p, const struct data_var *v, const char *value)
{
    struct text *out = &p->value;

    text_clear(out);
    if (v->fill && type_equal(v->type, v->fill, value))
        text_putc(out, '_');
    else if (v->timed)
        cdl_clock_print(&v->clock, cdl_as_double(v->type, value), p->opt->date_between, out);
    else
        cdl_put_value(out, v->type, value, &p->opt->digits);
    return text_get(out);
}

static void *default_fill(const struct type *t)
{
    static const short f_short = NC_FILL_SHORT;
    static const int f_int = NC_FILL_INT;
    static const float f_float = NC_FILL_FLOAT;
    static const double f_double = NC_FILL_DOUBLE;
    static const unsigned short f_ushort = NC_FILL_USHORT;
    static const unsigned f_uint = NC_FILL_UINT;
    static const long long f_int64 = NC_FILL_INT64;
    static const unsigned long long f_uint64 = NC_FILL_UINT64;
    static const void *const fill[] = {
        [NC_SHORT] = &f_short,   [NC_INT] = &f_int,   [NC_FLOAT] = &f_float, [NC_DOUBLE] = &f_double,
        [NC_USHORT] = &f_ushort, [NC_UINT] = &f_uint, [NC_INT64] = &f_int64, [NC_UINT64] = &f_uint64};
    void *copy = tool_alloc(1, t->size);
    char *empty = t->kind == NC_STRING ? tool_strdup("") : NULL;

    if (empty) {
        memcpy(copy, &empty, sizeof empty);
        return copy;
    }
    if (t->kind > NC_UINT64 || !fill[t->kind]) {
        free(copy);
        return NULL; /* bytes and user types have no default fill value that could safely be taken for "missing" */
    }
    memcpy(copy, fill[t->kind], t->size);
    return copy;
}

void *cdl_fill_of(const struct types *types, int group, int varid, const struct type *t)
{
    struct att a;
    void *fill = NULL;

    if (att_get(types, group, varid, "_FillValue", &a) == NC_NOERR && a.type == t && a.n == 1) {
        fill = a.values;
        a.values = NULL;
    }
    att_free(&a);
    return fill ? fill : default_fill(t);
}

/* --- time ------------------------------------------------------------------------ */
static bool own_clock(const struct types *types, int group, int varid, struct cdl_clock *out)
{
    char *units = att_get_text(types, group, varid, "units");
    char *calendar = att_get_text(types, group, varid, "calendar");
    bool found = units && cdl_clock_parse(units, calendar, out);

    free(units);
    free(calendar);
    return found;
}

/* Bounds of a time coordinate count as the coordinate does. */
static bool bounded_clock(const struct types *types, int group, const char *name, struct cdl_clock *out)
{
    struct walk_ids id;
    bool found = false;

    if (walk_vars(group, &id) == NC_NOERR)
        for (int i = 0; i < id.n && !found; i++) {
            char *bounds = att_get_text(types, group, id.at[i], "bounds");
            found = bounds && strcmp(bounds, name) == 0 && own_clock(types, group, id.at[i], out);
            free(bounds);
        }
    walk_free(&id);
    return found;
}

bool cdl_var_clock(const struct cdl_printer *p, int group, int varid, struct cdl_clock *out)
{
    char name[NC_MAX_NAME + 1];
    nc_type id;

    if (nc_inq_var(group, varid, name, &id, NULL, NULL, NULL) != NC_NOERR || id == NC_CHAR || id >= NC_STRING)
        return false;
    return own_clock(&p->types, group, varid, out) || bounded_clock(&p->types, group, name, out);
}

/* --- braces ------------------------------------------------------------------------- */
/* The length of an unlimited axis is told by braces around its values, unless it
 * is the first: how many open before, and close behind, value number `at`. */
static size_t braces(const struct data_var *v, size_t at)
{
    size_t inner = 1, n = 0;

    for (int d = v->ndims - 1; d > 0; d--) {
        inner *= v->shape[d];
        if (v->unlimited[d] && at % inner == 0)
            n++;
    }
    return n;
}

static void put_braces(struct cdl_printer *p, const struct data_var *v, size_t at, char brace)
{
    for (size_t n = braces(v, at); n > 0; n--) {
        putc(brace, p->out);
        p->column++;
    }
}

/* --- notes -------------------------------------------------------------------------- */
/* The index of value `at` of the variable, as "t(0,2,5)" or in Fortran's way "t(6,3,1)". */
static void put_index(const struct cdl_printer *p, const struct data_var *v, size_t at, struct text *out)
{
    size_t index[NC_MAX_VAR_DIMS] = {0};

    for (int d = v->ndims - 1; d >= 0; d--) {
        index[d] = at % v->shape[d];
        at /= v->shape[d];
    }
    cdl_put_name(out, v->name);
    text_putc(out, '(');
    for (int d = 0; d < v->ndims; d++)
        text_printf(out, "%s%zu", d ? "," : "", p->opt->fortran ? index[v->ndims - 1 - d] + 1 : index[d]);
    text_printf(out, "%s)", v->ndims ? "" : p->opt->fortran ? "1" : "0");
}

static void note_row(struct cdl_printer *p, const struct data_var *v, size_t at)
{
    struct text note = {0};
    size_t last = v->shape[v->ndims - 1];

    text_puts(&note, "// ");
    cdl_put_name(&note, v->name);
    text_putc(&note, '(');
    if (p->opt->fortran)
        text_printf(&note, "1-%zu ", last);
    for (int d = 0; d < v->ndims - 1; d++) {
        int axis = p->opt->fortran ? v->ndims - 2 - d : d;
        size_t inner = 1;
        for (int k = axis + 1; k < v->ndims; k++)
            inner *= v->shape[k];
        size_t index = at / inner % v->shape[axis];
        text_printf(&note, "%s%zu", p->opt->fortran || d ? "," : "", index + p->opt->fortran);
    }
    if (!p->opt->fortran)
        text_printf(&note, ", 0-%zu", last - 1);
    fprintf(p->out, "%s)", text_get(&note));
    text_free(&note);
    new_line(p, "    ");
}

static void note_value(struct cdl_printer *p, const struct data_var *v, size_t at, bool last_in_row)
{
    struct text note = {0};

    put_index(p, v, at, &note);
    if (last_in_row)
        put_braces(p, v, at + 1, '}');
    fprintf(p->out, "%s%s// %s", at + 1 == v->n ? ";" : ",", last_in_row ? "  " : "   ", text_get(&note));
    new_line(p, "    ");
    text_free(&note);
}

/* --- rows ------------------------------------------------------------------------------ */
static void row_start(struct cdl_printer *p, const struct data_var *v, size_t at)
{
    if (v->ndims < 2)
        return;
    if (p->opt->notes != CDL_NOTES_FULL || at == 0) {
        fputs("  ", p->out);
        p->column = 2;
    }
    put_braces(p, v, at, '{');
    if (p->opt->notes == CDL_NOTES_BRIEF)
        note_row(p, v, at);
}

static void row_end(struct cdl_printer *p, const struct data_var *v, size_t end)
{
    p->column = 0;
    if (p->opt->notes == CDL_NOTES_FULL)
        return;
    put_braces(p, v, end, '}');
    fputs(end == v->n ? " ;\n" : ",\n", p->out);
    p->column = 0;
}

static void print_chars(struct cdl_printer *p, const struct data_var *v, const char *row, size_t n, size_t at)
{
    size_t len = n;

    while (len && !row[len - 1] && !v->keeps_nuls)
        len--;
    text_clear(&p->value);
    cdl_put_bytes(&p->value, row, len, v->ndims > 1 ? "\\n" : "\\n\",\n    \""); /* each string would be a row */
    fputs(text_get(&p->value), p->out);
    if (p->opt->notes == CDL_NOTES_FULL)
        note_value(p, v, at + n - 1, true);
}

static void print_values(struct cdl_printer *p, const struct data_var *v, const char *value, size_t n, size_t at)
{
    for (size_t i = 0; i < n; i++) {
        bool last = (at + i + 1) % v->row == 0;
        value_text(p, v, value + i * v->type->size);
        if (p->opt->notes == CDL_NOTES_FULL) {
            fputs(text_get(&p->value), p->out);
            note_value(p, v, at + i, last);
            continue;
        }
        if (!last)
            text_puts(&p->value, ", ");
        cdl_put_wrapped(p, text_get(&p->value), p->indent + 4);
    }
}

struct printing {
    struct cdl_printer *p;
    const struct data_var *v;
};

/* n values from number `at` on: whole rows, or a part of one. */
static void print_block(void *arg, const char *value, size_t n, size_t at)
{
    struct cdl_printer *p = ((struct printing *)arg)->p;
    const struct data_var *v = ((struct printing *)arg)->v;

    while (n) {
        size_t left = v->row - at % v->row, take = n < left ? n : left;
        if (at % v->row == 0)
            row_start(p, v, at);
        if (v->type->kind == NC_CHAR)
            print_chars(p, v, value, take, at);
        else
            print_values(p, v, value, take, at);
        at += take;
        n -= take;
        value += take * v->type->size;
        if (at % v->row == 0)
            row_end(p, v, at);
    }
}

static int print_all(struct cdl_printer *p, const struct data_var *v)
{
    size_t most = BLOCK_BYTES / v->type->size;

    if (v->type->kind == NC_CHAR && most < v->row)
        most = v->row; /* a text row is printed whole */
    return slab_each(v->group, v->id, v->type, v->ndims, v->shape, most, print_block, &(struct printing){p, v});
}

static int load_var(const struct cdl_printer *p, int group, int varid, struct data_var *v)
{
    nc_type id;
    int status = nc_inq_var(group, varid, v->name, &id, &v->ndims, v->dimid, NULL);

    v->group = group;
    v->id = varid;
    v->n = 1;
    for (int d = 0; status == NC_NOERR && d < v->ndims; d++) {
        status = nc_inq_dimlen(group, v->dimid[d], &v->shape[d]);
        v->n *= v->shape[d];
        v->unlimited[d] = walk_is_unlimited(group, v->dimid[d]);
    }
    v->row = v->ndims ? v->shape[v->ndims - 1] : 1;
    v->type = types_find(&p->types, id);
    return status;
}

static bool fills_text(const struct cdl_printer *p, const struct data_var *v)
{
    struct att a;
    bool fills;

    if (v->type->kind != NC_CHAR || v->ndims > 1) /* rows are filled with NULs */
        return false;
    fills = att_get(&p->types, v->group, v->id, "_FillValue", &a) == NC_NOERR && a.n == 1 && *a.values;
    att_free(&a);
    return fills;
}

static int print_var_data(struct cdl_printer *p, int group, int varid)
{
    struct data_var v = {0};
    struct text head = {0};
    int status = load_var(p, group, varid, &v);

    if (status || !v.n)
        return status;
    v.fill = v.type->kind == NC_CHAR ? NULL : cdl_fill_of(&p->types, group, varid, v.type);
    v.keeps_nuls = fills_text(p, &v);
    v.timed = p->opt->date_between && cdl_var_clock(p, group, varid, &v.clock);
    cdl_put_own_name(p, &head, v.name);
    fprintf(p->out, "\n%*s %s =%s", (int)p->indent, "", text_get(&head), v.ndims > 1 ? "\n" : " ");
    p->column = v.ndims > 1 ? 0 : p->indent + head.len + 4;
    status = print_all(p, &v);
    if (status) {
        char *why = msg_reason(status),
             *path = walk_var_path(group, varid); /* in this order: a call forgets the last error */
        putc('\n', p->out);
        cdl_put_unreadable(p, v.name, why);
        msg_error("variable %s: %s", path, why);
        p->skipped = p->reported = true; /* the other variables are printed all the same */
        free(why);
        free(path);
    }
    if (v.fill)
        type_release(v.type, v.fill, 1);
    free(v.fill);
    text_free(&head);
    return NC_NOERR;
}

static bool is_coordinate(int group, int varid)
{
    char name[NC_MAX_NAME + 1];
    int ndims, dimid[NC_MAX_VAR_DIMS], found;

    return nc_inq_var(group, varid, name, NULL, &ndims, dimid, NULL) == NC_NOERR && ndims == 1 &&
           nc_inq_dimid(group, name, &found) == NC_NOERR && found == dimid[0];
}

static bool data_wanted(const struct cdl_printer *p, int group, int varid)
{
    if (p->opt->vars.n)
        return select_has_var(&p->opt->vars, group, varid);
    return !p->opt->coordinates_only || is_coordinate(group, varid);
}

static void skip_data(struct cdl_printer *p, int group, int varid, const char *name, const char *reason)
{
    char *path = walk_var_path(group, varid);

    putc('\n', p->out);
    cdl_put_unreadable(p, name, reason);
    msg_error("variable %s: %s", path, reason);
    p->skipped = p->reported = true;
    free(path);
}

static int print_or_skip(struct cdl_printer *p, int group, int varid, const struct unreadable *unreadable)
{
    char name[NC_MAX_NAME + 1];
    const char *reason;
    int status = nc_inq_varname(group, varid, name);

    if (status)
        return status;
    reason = unreadable_reason(unreadable, name);
    if (!reason)
        return print_var_data(p, group, varid);
    skip_data(p, group, varid, name, reason);
    return NC_NOERR;
}

int cdl_print_data(struct cdl_printer *p, int group)
{
    struct walk_ids id;
    struct unreadable unreadable = {0};
    int status = walk_vars(group, &id);

    if (status == NC_NOERR)
        status = unreadable_load(group, &unreadable);
    for (int i = 0; status == NC_NOERR && i < id.n; i++)
        if (data_wanted(p, group, id.at[i]))
            status = print_or_skip(p, group, id.at[i], &unreadable);
    unreadable_free(&unreadable);
    walk_free(&id);
    return status;
}
