/* SPDX-License-Identifier: BSD-3-Clause */
/* The special attributes of -s: how a variable is stored. They are computed, not
 * kept in the file. */

#include "cdl_print.h"
#include "cellar.h"
#include "tool_att.h"
#include <netcdf_filter.h>
#include <stdlib.h>
#include <string.h>

enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER32 = 3 }; /* HDF5's own filter ids */

struct chain {
    size_t n;
    unsigned *id;
};

static void put_special(struct cdl_printer *p, const char *var, const char *fmt, ...) TOOL_PRINTF(3, 4);

static void put_special(struct cdl_printer *p, const char *var, const char *fmt, ...)
{
    struct text line = {0};
    va_list ap;

    cdl_put_owner(p, &line, var);
    va_start(ap, fmt);
    text_vprintf(&line, fmt, ap);
    va_end(ap);
    cdl_put_line(p, "\t\t%s", text_get(&line));
    text_free(&line);
}

static void print_storage(struct cdl_printer *p, int group, int varid, const char *var, int ndims)
{
    static const char *const name[] = {"chunked", "contiguous", "compact", "unknown", "virtual"};
    size_t chunk[NC_MAX_VAR_DIMS];
    struct text sizes = {0};
    int storage;

    if (nc_inq_var_chunking(group, varid, &storage, chunk) != NC_NOERR)
        return;
    put_special(p, var, "_Storage = \"%s\" ;", storage >= 0 && storage < 5 ? name[storage] : "unknown");
    if (storage != NC_CHUNKED)
        return;
    for (int d = 0; d < ndims; d++)
        text_printf(&sizes, "%s%zu", d ? ", " : "", chunk[d]);
    put_special(p, var, "_ChunkSizes = %s ;", text_get(&sizes));
    text_free(&sizes);
}

static void load_chain(int group, int varid, struct chain *out)
{
    *out = (struct chain){0};
    if (nc_inq_var_filter_ids(group, varid, &out->n, NULL) != NC_NOERR)
        out->n = 0;
    out->id = tool_alloc(out->n, sizeof *out->id);
    if (out->n)
        nc_inq_var_filter_ids(group, varid, &out->n, out->id);
}

static bool has_filter(const struct chain *c, unsigned id)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->id[i] == id)
            return true;
    return false;
}

/* ncgen rebuilds fletcher32, shuffle, deflate, then _Filter: the separate
 * attributes say the same chain only if it is in that order. */
static bool is_canonical(const struct chain *c)
{
    static const unsigned first[] = {FLETCHER32, SHUFFLE, DEFLATE};
    size_t at = 0;

    for (size_t k = 0; k < 3; k++)
        if (at < c->n && c->id[at] == first[k])
            at++;
    for (; at < c->n; at++)
        if (c->id[at] <= FLETCHER32)
            return false;
    return true;
}

static void put_filter(int group, int varid, unsigned id, struct text *out)
{
    size_t n = 0;
    unsigned *param;

    text_printf(out, "%s%u", out->len ? "|" : "", id);
    if (nc_inq_var_filter_info(group, varid, id, &n, NULL) != NC_NOERR)
        return;
    param = tool_alloc(n, sizeof *param);
    if (n)
        nc_inq_var_filter_info(group, varid, id, &n, param);
    for (size_t i = 0; i < n; i++)
        text_printf(out, ",%u", param[i]);
    free(param);
}

static unsigned long long decoded_bytes(struct cdl_printer *p, int group, int varid)
{
    int ndims, dimid[NC_MAX_VAR_DIMS];
    nc_type id;
    size_t len;
    unsigned long long n;

    if (nc_inq_var(group, varid, NULL, &id, &ndims, dimid, NULL) != NC_NOERR)
        return 0;
    n = types_find(&p->types, id)->size;
    for (int d = 0; d < ndims; d++)
        if (nc_inq_dimlen(group, dimid[d], &len) == NC_NOERR)
            n *= len;
    return n;
}

/* " // shuffle|zstd,level=3; 1200 of 4800 bytes, 4.0 times smaller" */
static void put_explanation(struct cdl_printer *p, int group, int varid, struct text *out)
{
    unsigned long long stored = 0, decoded = decoded_bytes(p, group, varid);
    char *names = NULL;

    if (cellar_inq_var_chain(group, varid, CELLAR_NAMES, &names) == NC_NOERR)
        text_printf(out, " // %s", names);
    cellar_free(names);
    if (cellar_inq_var_stored(group, varid, &stored) == NC_NOERR && stored)
        text_printf(out, "%s%llu bytes stored of %llu, ratio %.2f", out->len ? "; " : " // ", stored, decoded,
                    (double)decoded / (double)stored);
}

static void print_filters(struct cdl_printer *p, int group, int varid, const char *var, const struct chain *c, bool all)
{
    struct text spec = {0}, note = {0};

    for (size_t i = 0; i < c->n; i++)
        if (all || c->id[i] > FLETCHER32)
            put_filter(group, varid, c->id[i], &spec);
    if (spec.len && !has_filter(c, 0)) { /* 0: a codec of Zarr without an id; _Codecs tells */
        if (p->opt->explain)
            put_explanation(p, group, varid, &note);
        put_special(p, var, "_Filter = \"%s\" ;%s", text_get(&spec), text_get(&note));
    }
    text_free(&spec);
    text_free(&note);
}

static void print_codecs(struct cdl_printer *p, int group, int varid, const char *var)
{
    char *json = att_get_text(&p->types, group, varid, "_Codecs");
    struct text quoted = {0};

    if (json) {
        cdl_put_quoted(&quoted, json, strlen(json), "\\n");
        put_special(p, var, "_Codecs = %s ;", text_get(&quoted));
    }
    text_free(&quoted);
    free(json);
}

static void print_separate(struct cdl_printer *p, int group, int varid, const char *var, const struct chain *c)
{
    int shuffle = 0, deflate = 0, level = 0;

    if (has_filter(c, FLETCHER32))
        put_special(p, var, "_Fletcher32 = \"true\" ;");
    if (has_filter(c, SHUFFLE))
        put_special(p, var, "_Shuffle = \"true\" ;");
    nc_inq_var_deflate(group, varid, &shuffle, &deflate, &level);
    if (deflate)
        put_special(p, var, "_DeflateLevel = %d ;", level);
}

static void print_chain(struct cdl_printer *p, int group, int varid, const char *var)
{
    struct chain c;
    bool all;

    load_chain(group, varid, &c);
    all = p->opt->filters_only || !is_canonical(&c);
    if (!all)
        print_separate(p, group, varid, var, &c);
    print_filters(p, group, varid, var, &c, all);
    print_codecs(p, group, varid, var);
    free(c.id);
}

static void print_endianness(struct cdl_printer *p, int group, int varid, const char *var, const struct type *t)
{
    int endian = NC_ENDIAN_NATIVE;

    if (t->group >= 0 || t->size < 2 || t->kind == NC_STRING)
        return;
    if (nc_inq_var_endian(group, varid, &endian) == NC_NOERR && endian != NC_ENDIAN_NATIVE)
        put_special(p, var, "_Endianness = \"%s\" ;", endian == NC_ENDIAN_LITTLE ? "little" : "big");
}

void cdl_print_var_specials(struct cdl_printer *p, int group, int varid)
{
    char var[NC_MAX_NAME + 1];
    nc_type id;
    int ndims, no_fill = 0;

    if (p->format != NC_FORMAT_NETCDF4 && p->format != NC_FORMAT_NETCDF4_CLASSIC)
        return;
    if (nc_inq_var(group, varid, var, &id, &ndims, NULL, NULL) != NC_NOERR)
        return;
    print_storage(p, group, varid, var, ndims);
    print_chain(p, group, varid, var);
    print_endianness(p, group, varid, var, types_find(&p->types, id));
    if (nc_inq_var_fill(group, varid, &no_fill, NULL) == NC_NOERR && no_fill)
        put_special(p, var, "_NoFill = \"true\" ;");
}

void cdl_print_global_specials(struct cdl_printer *p)
{
    static const char *const number[] = {"_SuperblockVersion", "_IsNetcdf4"};
    char *properties = p->opt->no_properties ? NULL : att_get_text(&p->types, p->root, NC_GLOBAL, "_NCProperties");
    int v;

    if (properties)
        put_special(p, "", "_NCProperties = \"%s\" ;", properties);
    free(properties);
    for (size_t i = 0; i < 2; i++)
        if (nc_get_att_int(p->root, NC_GLOBAL, number[i], &v) == NC_NOERR)
            put_special(p, "", "%s = %d ;", number[i], v);
    put_special(p, "", "_Format = \"%s\" ;", cdl_kind_name(p->format));
}
