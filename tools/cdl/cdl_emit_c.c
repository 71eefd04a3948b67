/* Document -> C program that makes the file (ncgen -lc). Ids live in numbered
 * arrays, so that no name of the document has to be a C identifier; values are
 * arrays at file scope, where sequences can be written as compound literals. */

#include "cdl.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

struct emitter {
    struct cdl_doc *doc;
    FILE *out;
    bool data;
    size_t ngroups, ndims, ntypes, nvars, narrays;
};

static void put_c_string(FILE *out, const char *s, size_t len)
{
    putc('"', out);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", out);
        else if (!isprint(c) || c == '?')
            fprintf(out, "\\%03o", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

static void put_name(FILE *out, const char *s)
{
    put_c_string(out, s, strlen(s));
}

/* --- types --------------------------------------------------------------------------- */
static const char *const c_atomic[] = {[NC_BYTE] = "signed char",
                                       [NC_CHAR] = "char",
                                       [NC_SHORT] = "short",
                                       [NC_INT] = "int",
                                       [NC_FLOAT] = "float",
                                       [NC_DOUBLE] = "double",
                                       [NC_UBYTE] = "unsigned char",
                                       [NC_USHORT] = "unsigned short",
                                       [NC_UINT] = "unsigned int",
                                       [NC_INT64] = "long long",
                                       [NC_UINT64] = "unsigned long long",
                                       [NC_STRING] = "const char *"};

static const char *const nc_atomic[] = {
    [NC_BYTE] = "NC_BYTE",   [NC_CHAR] = "NC_CHAR",     [NC_SHORT] = "NC_SHORT",   [NC_INT] = "NC_INT",
    [NC_FLOAT] = "NC_FLOAT", [NC_DOUBLE] = "NC_DOUBLE", [NC_UBYTE] = "NC_UBYTE",   [NC_USHORT] = "NC_USHORT",
    [NC_UINT] = "NC_UINT",   [NC_INT64] = "NC_INT64",   [NC_UINT64] = "NC_UINT64", [NC_STRING] = "NC_STRING"};

/* The C type of a value; user types are numbered by their place in type[]. */
static void put_c_type(struct emitter *e, const struct type *t)
{
    if (t->group < 0)
        fputs(c_atomic[t->kind], e->out);
    else if (t->kind == NC_VLEN)
        fputs("nc_vlen_t", e->out);
    else if (t->kind == NC_ENUM)
        put_c_type(e, t->base);
    else
        fprintf(e->out, "struct type_%d", t->id);
}

static void put_nc_type(struct emitter *e, const struct type *t)
{
    if (t->group < 0)
        fputs(nc_atomic[t->kind], e->out);
    else
        fprintf(e->out, "type[%d]", t->id);
}

static void declare_type(struct emitter *e, struct type *t)
{
    t->id = (int)e->ntypes++;
    if (t->kind == NC_OPAQUE)
        fprintf(e->out, "struct type_%d { unsigned char b[%zu]; };\n", t->id, t->size);
    if (t->kind != NC_COMPOUND)
        return;
    fprintf(e->out, "struct type_%d {\n", t->id);
    for (size_t i = 0; i < t->nfields; i++) {
        fputs("    ", e->out);
        put_c_type(e, t->field[i].type);
        fprintf(e->out, " f%zu", i);
        if (t->field[i].ndims)
            fprintf(e->out, "[%zu]", t->field[i].count);
        fputs(";\n", e->out);
    }
    fputs("};\n", e->out);
}

static void number_group(struct emitter *e, struct cdl_group *g)
{
    g->id = (int)e->ngroups++;
    for (size_t i = 0; i < g->ntypes; i++)
        declare_type(e, &g->type[i]->t);
    for (size_t i = 0; i < g->ndims; i++)
        g->dim[i]->id = (int)e->ndims++;
    for (size_t i = 0; i < g->nvars; i++)
        g->var[i]->id = (int)e->nvars++;
    for (size_t i = 0; i < g->nchildren; i++)
        number_group(e, g->child[i]);
}

/* --- values ------------------------------------------------------------------------------ */
static void put_value(struct emitter *e, const struct type *t, const char *value);

static void put_real(FILE *out, double v, bool single)
{
    char number[40];

    if (isnan(v)) {
        fputs("NAN", out);
    } else if (isinf(v)) {
        fputs(v < 0 ? "-INFINITY" : "INFINITY", out);
    } else {
        snprintf(number, sizeof number, "%.*g", single ? 9 : 17, v);
        fprintf(out, "%s%s%s", number, strpbrk(number, ".e") ? "" : ".0", single ? "f" : "");
    }
}

static void put_atomic(struct emitter *e, int kind, const char *value)
{
    union number v;
    const char *text;

#define CASE(id, member, ...) \
    case id: \
        memcpy(&v.member, value, sizeof v.member); \
        __VA_ARGS__; \
        break
    switch (kind) {
        CASE(NC_BYTE, b, fprintf(e->out, "%d", v.b));
        CASE(NC_CHAR, b, fprintf(e->out, "%d", v.b));
        CASE(NC_UBYTE, ub, fprintf(e->out, "%u", v.ub));
        CASE(NC_SHORT, s, fprintf(e->out, "%d", v.s));
        CASE(NC_USHORT, us, fprintf(e->out, "%u", v.us));
        CASE(NC_INT, i, fprintf(e->out, v.i == INT32_MIN ? "%d - 1" : "%d", v.i == INT32_MIN ? v.i + 1 : v.i));
        CASE(NC_UINT, u, fprintf(e->out, "%uU", v.u));
        CASE(NC_INT64, ll,
             fprintf(e->out, v.ll == INT64_MIN ? "%lldLL - 1" : "%lldLL", v.ll == INT64_MIN ? v.ll + 1 : v.ll));
        CASE(NC_UINT64, ull, fprintf(e->out, "%lluULL", v.ull));
        CASE(NC_FLOAT, f, put_real(e->out, v.f, true));
        CASE(NC_DOUBLE, d, put_real(e->out, v.d, false));
    default:
        memcpy(&text, value, sizeof text);
        if (text)
            put_name(e->out, text);
        else
            fputs("0", e->out);
    }
#undef CASE
}

static void put_values(struct emitter *e, const struct type *t, const char *value, size_t n)
{
    putc('{', e->out);
    for (size_t i = 0; i < n; i++) {
        fputs(i == 0 ? "" : i % 8 == 0 ? ",\n    " : ", ", e->out);
        put_value(e, t, value + i * t->size);
    }
    putc('}', e->out);
}

static void put_sequence(struct emitter *e, const struct type *t, const char *value)
{
    nc_vlen_t v;

    memcpy(&v, value, sizeof v);
    if (!v.len) {
        fputs("{0, 0}", e->out);
        return;
    }
    fprintf(e->out, "{%zu, (", v.len);
    put_c_type(e, t->base);
    fputs("[])", e->out);
    put_values(e, t->base, v.p, v.len);
    putc('}', e->out);
}

static void put_record(struct emitter *e, const struct type *t, const char *value)
{
    putc('{', e->out);
    for (size_t i = 0; i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        fputs(i ? ", " : "", e->out);
        if (f->ndims)
            put_values(e, f->type, value + f->offset, f->count);
        else
            put_value(e, f->type, value + f->offset);
    }
    putc('}', e->out);
}

static void put_value(struct emitter *e, const struct type *t, const char *value)
{
    switch (t->kind) {
    case NC_COMPOUND: put_record(e, t, value); break;
    case NC_VLEN: put_sequence(e, t, value); break;
    case NC_ENUM: put_atomic(e, t->base->kind, value); break;
    case NC_OPAQUE:
        fputs("{{", e->out);
        for (size_t i = 0; i < t->size; i++)
            fprintf(e->out, "%s%u", i ? ", " : "", (unsigned char)value[i]);
        fputs("}}", e->out);
        break;
    default: put_atomic(e, t->kind, value);
    }
}

/* "static const float array_3[] = {...};" */
static void declare_array(struct emitter *e, const struct cdl_array *a)
{
    fputs("static ", e->out);
    put_c_type(e, a->type);
    fprintf(e->out, " array_%zu[%zu] = ", e->narrays++, a->n ? a->n : 1);
    if (a->type->kind == NC_CHAR)
        put_c_string(e->out, a->values, a->n);
    else if (a->n)
        put_values(e, a->type, a->values, a->n);
    else
        fputs("{0}", e->out);
    fputs(";\n", e->out);
}

static void declare_atts(struct emitter *e, const struct cdl_atts *atts, bool global)
{
    for (size_t i = 0; i < atts->n; i++)
        if (!cdl_is_special(atts->at[i]->name, global))
            declare_array(e, &atts->at[i]->array);
}

static void declare_arrays(struct emitter *e, const struct cdl_group *g)
{
    declare_atts(e, &g->atts, true);
    for (size_t i = 0; i < g->nvars; i++) {
        declare_atts(e, &g->var[i]->atts, false);
        if (e->data && g->var[i]->array.n)
            declare_array(e, &g->var[i]->array);
    }
    for (size_t i = 0; i < g->nchildren; i++)
        declare_arrays(e, g->child[i]);
}

/* --- definitions ------------------------------------------------------------------------------ */
static void call(struct emitter *e, const char *fmt, ...) TOOL_PRINTF(2, 3);

static void call(struct emitter *e, const char *fmt, ...)
{
    va_list ap;

    fputs("    check(", e->out);
    va_start(ap, fmt);
    vfprintf(e->out, fmt, ap);
    va_end(ap);
}

static void end_call(struct emitter *e, const char *rest)
{
    fprintf(e->out, "%s, __LINE__);\n", rest);
}

static void define_fields(struct emitter *e, int group, const struct type *t)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct type_field *f = &t->field[i];
        call(e, "nc_insert_%scompound(group[%d], type[%d], ", f->ndims ? "array_" : "", group, t->id);
        put_name(e->out, f->name);
        fprintf(e->out, ", offsetof(struct type_%d, f%zu), ", t->id, i);
        put_nc_type(e, f->type);
        for (int d = 0; d < f->ndims; d++)
            fprintf(e->out, d ? ", %d" : ", %d, (const int[]){%d", d ? f->dims[d] : f->ndims, f->dims[d]);
        end_call(e, f->ndims ? "})" : ")");
    }
}

static void define_members(struct emitter *e, int group, const struct type *t)
{
    for (size_t i = 0; i < t->nmembers; i++) {
        call(e, "nc_insert_enum(group[%d], type[%d], ", group, t->id);
        put_name(e->out, t->member[i].name);
        fputs(", &(", e->out);
        put_c_type(e, t->base);
        fputs("){", e->out);
        put_atomic(e, t->base->kind, (const char *)t->member[i].value);
        end_call(e, "})");
    }
}

static void define_type(struct emitter *e, int group, const struct type *t)
{
    switch (t->kind) {
    case NC_COMPOUND:
        call(e, "nc_def_compound(group[%d], sizeof(struct type_%d), ", group, t->id);
        put_name(e->out, t->name);
        break;
    case NC_ENUM:
        call(e, "nc_def_enum(group[%d], ", group);
        put_nc_type(e, t->base);
        fputs(", ", e->out);
        put_name(e->out, t->name);
        break;
    case NC_VLEN:
        call(e, "nc_def_vlen(group[%d], ", group);
        put_name(e->out, t->name);
        fputs(", ", e->out);
        put_nc_type(e, t->base);
        break;
    default: call(e, "nc_def_opaque(group[%d], %zu, ", group, t->size); put_name(e->out, t->name);
    }
    fprintf(e->out, ", &type[%d])", t->id);
    end_call(e, "");
    define_fields(e, group, t);
    define_members(e, group, t);
}

static void define_atts(struct emitter *e, int group, const char *var, const struct cdl_atts *atts, bool global)
{
    for (size_t i = 0; i < atts->n; i++) {
        const struct cdl_att *a = atts->at[i];
        if (cdl_is_special(a->name, global))
            continue;
        call(e, "nc_put_att(group[%d], %s, ", group, var);
        put_name(e->out, a->name);
        fputs(", ", e->out);
        put_nc_type(e, a->array.type);
        fprintf(e->out, ", %zu, array_%zu)", a->array.n, e->narrays++);
        end_call(e, "");
    }
}

/* Filters that ncgen itself would hand to the library as text go there as text. */
static void define_filters(struct emitter *e, int group, const struct cdl_var *v)
{
    const struct cdl_storage *s = &v->storage;
    const char *chain[] = {s->filter, s->codecs};

    if (!s->filter && !s->codecs) {
        if (s->fletcher32)
            call(e, "nc_def_var_fletcher32(group[%d], var[%d], NC_FLETCHER32), __LINE__);\n", group, v->id);
        if (s->shuffle || s->deflate > 0)
            call(e, "nc_def_var_deflate(group[%d], var[%d], %d, %d, %d), __LINE__);\n", group, v->id, s->shuffle,
                 s->deflate > 0, s->deflate > 0 ? s->deflate : 0);
        return;
    }
    for (size_t i = 0; i < 2; i++)
        if (chain[i]) {
            call(e, "cellar_def_var_chain(group[%d], var[%d], ", group, v->id);
            put_name(e->out, chain[i]);
            end_call(e, ")");
        }
}

static void define_storage(struct emitter *e, int group, const struct cdl_var *v)
{
    static const char *const layout[] = {"NC_CHUNKED", "NC_CONTIGUOUS", "NC_COMPACT"};
    const struct cdl_storage *s = &v->storage;

    if (s->chunk) {
        call(e, "nc_def_var_chunking(group[%d], var[%d], NC_CHUNKED, (const size_t[]){", group, v->id);
        for (size_t i = 0; i < s->nchunks; i++)
            fprintf(e->out, "%s%zu", i ? ", " : "", s->chunk[i]);
        end_call(e, "})");
    } else if (s->layout >= 0 && v->ndims) {
        call(e, "nc_def_var_chunking(group[%d], var[%d], %s, 0), __LINE__);\n", group, v->id, layout[s->layout]);
    }
    define_filters(e, group, v);
    if (s->endian != NC_ENDIAN_NATIVE)
        call(e, "nc_def_var_endian(group[%d], var[%d], %s), __LINE__);\n", group, v->id,
             s->endian == NC_ENDIAN_BIG ? "NC_ENDIAN_BIG" : "NC_ENDIAN_LITTLE");
    if (s->no_fill)
        call(e, "nc_def_var_fill(group[%d], var[%d], NC_NOFILL, 0), __LINE__);\n", group, v->id);
    if (s->quantize)
        call(e, "nc_def_var_quantize(group[%d], var[%d], %d, %d), __LINE__);\n", group, v->id, s->quantize,
             s->quantize_n);
}

static void define_var(struct emitter *e, int group, const struct cdl_var *v)
{
    char id[32];

    call(e, "nc_def_var(group[%d], ", group);
    put_name(e->out, v->name);
    fputs(", ", e->out);
    put_nc_type(e, v->type);
    fprintf(e->out, ", %d, ", v->ndims);
    for (int d = 0; d < v->ndims; d++)
        fprintf(e->out, "%sdim[%d]", d ? ", " : "(const int[]){", v->dim[d]->id);
    fprintf(e->out, "%s, &var[%d])", v->ndims ? "}" : "0", v->id);
    end_call(e, "");
    if (v->storage.any)
        define_storage(e, group, v);
    snprintf(id, sizeof id, "var[%d]", v->id);
    define_atts(e, group, id, &v->atts, false);
    if (e->data && v->array.n)
        e->narrays++; /* the array of its values comes behind those of its attributes */
}

static void define_group(struct emitter *e, const struct cdl_group *g)
{
    for (size_t i = 0; i < g->ntypes; i++)
        define_type(e, g->id, &g->type[i]->t);
    for (size_t i = 0; i < g->ndims; i++) {
        call(e, "nc_def_dim(group[%d], ", g->id);
        put_name(e->out, g->dim[i]->name);
        if (g->dim[i]->unlimited)
            fputs(", NC_UNLIMITED", e->out);
        else
            fprintf(e->out, ", %zu", g->dim[i]->len);
        fprintf(e->out, ", &dim[%d])", g->dim[i]->id);
        end_call(e, "");
    }
    define_atts(e, g->id, "NC_GLOBAL", &g->atts, true);
    for (size_t i = 0; i < g->nvars; i++)
        define_var(e, g->id, g->var[i]);
    for (size_t i = 0; i < g->nchildren; i++) {
        call(e, "nc_def_grp(group[%d], ", g->id);
        put_name(e->out, g->child[i]->name);
        fprintf(e->out, ", &group[%d])", g->child[i]->id);
        end_call(e, "");
        define_group(e, g->child[i]);
    }
}

/* --- data ------------------------------------------------------------------------------------------ */
static void count_atts(struct emitter *e, const struct cdl_atts *atts, bool global)
{
    for (size_t i = 0; i < atts->n; i++)
        e->narrays += !cdl_is_special(atts->at[i]->name, global);
}

static void write_group(struct emitter *e, const struct cdl_group *g)
{
    count_atts(e, &g->atts, true);
    for (size_t i = 0; i < g->nvars; i++) {
        const struct cdl_var *v = g->var[i];
        count_atts(e, &v->atts, false);
        if (!v->array.n)
            continue;
        call(e, "nc_put_vara(group[%d], var[%d], (const size_t[%d]){0}, (const size_t[]){", g->id, v->id,
             v->ndims ? v->ndims : 1);
        for (int d = 0; d < v->ndims; d++)
            fprintf(e->out, "%s%zu", d ? ", " : "", v->count[d]);
        fprintf(e->out, "%s}, array_%zu)", v->ndims ? "" : "1", e->narrays++);
        end_call(e, "");
    }
    for (size_t i = 0; i < g->nchildren; i++)
        write_group(e, g->child[i]);
}

static bool has_chains(const struct cdl_group *g)
{
    bool found = false;

    for (size_t i = 0; i < g->nvars; i++)
        found = found || g->var[i]->storage.filter || g->var[i]->storage.codecs;
    for (size_t i = 0; i < g->nchildren; i++)
        found = found || has_chains(g->child[i]);
    return found;
}

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

void cdl_emit_c(struct cdl_doc *doc, const char *path, const char *main_name, const struct cdl_build_options *opt,
                FILE *out)
{
    struct emitter e = {.doc = doc, .out = out, .data = !opt->header_only};

    fputs("#include <math.h>\n#include <netcdf.h>\n#include <stddef.h>\n#include <stdio.h>\n#include "
          "<stdlib.h>\n",
          out);
    if (has_chains(doc->root))
        fputs("#include <cellar.h> /* filters by name */\n", out);
    fputs("\n", out);
    number_group(&e, doc->root);
    declare_arrays(&e, doc->root);
    fputs("\nstatic void check(int status, int line)\n{\n    if (status == NC_NOERR)\n        return;\n"
          "    fprintf(stderr, \"line %d: %s\\n\", line, nc_strerror(status));\n    exit(1);\n}\n\n",
          out);
    fprintf(out, "int %s(void)\n{\n    int group[%zu], dim[%zu], var[%zu];\n    nc_type type[%zu];\n\n", main_name,
            at_least_one(e.ngroups), at_least_one(e.ndims), at_least_one(e.nvars), at_least_one(e.ntypes));
    call(&e, "nc_create(");
    put_name(out, path);
    fprintf(out, ", NC_CLOBBER | %#x, &group[0])", (unsigned)opt->mode);
    end_call(&e, "");
    if (opt->no_fill)
        fputs("    check(nc_set_fill(group[0], NC_NOFILL, &dim[0]), __LINE__);\n", out);
    e.narrays = 0;
    define_group(&e, doc->root);
    fputs("    check(nc_enddef(group[0]), __LINE__);\n", out);
    e.narrays = 0;
    if (e.data)
        write_group(&e, doc->root);
    fputs("    check(nc_close(group[0]), __LINE__);\n    (void)dim;\n    (void)var;\n    (void)type;\n    "
          "return 0;\n}\n",
          out);
}
