/* SPDX-License-Identifier: BSD-3-Clause */
/* Request + input -> what each variable gets. Every name in the request must be
 * there; what a "*" cannot apply to is noted, never dropped in silence. */

#include "cellar.h"
#include "copy.h"
#include "msg.h"
#include "unreadable.h"
#include <stdint.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER32 = 3, NBIT = 5, SCALEOFFSET = 6 };

/* --- names of the request ------------------------------------------------------------ */
/* Names mean the root group unless they have a path. */
static bool is_named(const struct copy_var *v, const char *name)
{
    return strcmp(*name == '/' ? name + 1 : name, *v->path == '/' ? v->path + 1 : v->path) == 0;
}

static struct copy_var *find_var(struct copy *c, const char *name)
{
    for (size_t i = 0; i < c->nvars; i++)
        if (is_named(&c->var[i], name))
            return &c->var[i];
    return NULL;
}

static struct copy_var *need_var(struct copy *c, const char *option, const char *given, const char *name)
{
    struct copy_var *v = find_var(c, name);

    if (!v)
        msg_die(MSG_FAILED, "%s \"%s\": %s has no variable named %s%s", option, given, c->req->in, name,
                select_hint(name, &c->names));
    return v;
}

/* --- chains as text of ids -------------------------------------------------------------- */
static bool chain_has(const char *chain, unsigned id)
{
    for (const char *p = chain; *p;) {
        if (strtoul(p, NULL, 10) == id)
            return true;
        p += strcspn(p, "|");
        p += *p == '|';
    }
    return false;
}

/* HDF5's own filters nbit and scaleoffset keep the data type among their parameters, where it cannot be given: only the
 * first of these, 0 and 2, are asked for. */
static size_t length_as_given(const char *step, size_t len)
{
    unsigned long id = strtoul(step, NULL, 10);
    size_t n = 0, commas = id == NBIT ? 1 : id == SCALEOFFSET ? 3 : SIZE_MAX;

    for (; n < len; n++)
        if (step[n] == ',' && !--commas)
            break;
    return n;
}

static char *input_chain(int group, int varid)
{
    char *text = NULL;
    struct text chain = {0};

    if (cellar_inq_var_chain(group, varid, CELLAR_IDS, &text) != NC_NOERR || !text)
        return tool_strdup("");
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, "|");
        text_puts(&chain, chain.len ? "|" : "");
        text_putn(&chain, p, *text == '[' ? len : length_as_given(p, len));
        p += len + (p[len] == '|');
    }
    cellar_free(text);
    return text_take(&chain);
}

/* -d in place of the input's compressor; checksum and shuffle stay. */
static char *deflate_chain(const struct copy *c, const struct copy_var *v)
{
    struct text t = {0};

    if (!c->req->deflate)
        return tool_strdup("");
    if (chain_has(v->in_chain, FLETCHER32))
        text_puts(&t, "3|");
    if (c->req->shuffle || chain_has(v->in_chain, SHUFFLE))
        text_puts(&t, "2|");
    text_printf(&t, "1,%d", c->req->deflate);
    return text_take(&t);
}

/* -s alone: shuffle before the deflate that is there. */
static char *shuffled_chain(const char *chain)
{
    struct text t = {0};

    for (const char *p = chain; *p;) {
        size_t len = strcspn(p, "|");
        text_puts(&t, t.len ? "|" : "");
        if (strtoul(p, NULL, 10) == DEFLATE)
            text_puts(&t, "2|");
        text_putn(&t, p, len);
        p += len + (p[len] == '|');
    }
    return text_take(&t);
}

/* numcodecs cannot decode a checksum that comes first: it goes to the end in Zarr. */
static char *checksum_last(const char *chain)
{
    const char *rest = strchr(chain, '|');
    struct text t = {0};

    if (strtoul(chain, NULL, 10) != FLETCHER32 || !rest)
        return tool_strdup(chain);
    text_printf(&t, "%s|3", rest + 1);
    return text_take(&t);
}

/* --- filters of one variable ------------------------------------------------------------------ */
static bool is_variable_sized(const struct copy_var *v)
{
    return v->type->has_pointers;
}

static void set_chain(struct copy_var *v, char *chain)
{
    free(v->chain);
    v->chain = chain;
    v->refilter = strcmp(chain, v->in_chain) != 0;
    v->unfiltered = !*chain && *v->in_chain;
}

static const struct copy_filter *filter_for(const struct copy *c, const struct copy_var *v)
{
    const struct copy_filter *star = NULL;

    for (size_t i = 0; i < c->req->nfilters; i++) {
        const struct copy_filter *f = &c->req->filter[i];
        if (f->all)
            star = f;
        for (size_t k = 0; k < f->n; k++)
            if (is_named(v, f->name[k]))
                return f;
    }
    return star;
}

/* Zarr readers check a chunk's checksum before they decode it, so it goes to the end of the chain. */
static void move_checksum(struct copy_var *v)
{
    char *moved = checksum_last(v->chain);

    if (strcmp(moved, v->chain) != 0)
        v->note = "fletcher32 moved to the end, where Zarr readers can check it (--keep-order keeps it)";
    set_chain(v, moved);
}

/* A scalar of Zarr may have filters, one of netCDF has none. */
static void keep_chain(struct copy_var *v)
{
    bool dropped = !v->ndims && *v->in_chain;

    set_chain(v, tool_strdup(dropped ? "" : v->in_chain));
    if (dropped)
        v->note = "a scalar takes no filter";
}

static void choose_chain(struct copy *c, struct copy_var *v, const struct copy_filter *f)
{
    keep_chain(v);
    if (f && f->all && f->chain && (!v->ndims || is_variable_sized(v))) {
        v->note = v->ndims ? "variable-sized values take no filter" : "a scalar takes no filter";
    } else if (f) {
        set_chain(v, tool_strdup(f->chain ? f->chain : ""));
    } else if (c->req->deflate >= 0 && v->ndims && !is_variable_sized(v)) {
        set_chain(v, deflate_chain(c, v));
    } else if (c->req->shuffle && chain_has(v->in_chain, DEFLATE) && !chain_has(v->in_chain, SHUFFLE)) {
        set_chain(v, shuffled_chain(v->in_chain));
    }
}

static void plan_filter(struct copy *c, struct copy_var *v)
{
    const struct copy_filter *f = filter_for(c, v);

    choose_chain(c, v, f);
    if (c->out_zarr && !c->in_zarr && !f && !c->req->keep_order && chain_has(v->chain, FLETCHER32))
        move_checksum(v);
}

static void check_filters(struct copy *c)
{
    for (size_t i = 0; i < c->req->nfilters; i++) {
        const struct copy_filter *f = &c->req->filter[i];
        for (size_t k = 0; k < f->n; k++) {
            const struct copy_var *v = need_var(c, "-F", f->given, f->name[k]);
            for (size_t j = 0; j <= i; j++)
                for (size_t m = 0; m < (j < i ? c->req->filter[j].n : k); m++)
                    if (is_named(v, c->req->filter[j].name[m]))
                        msg_die(MSG_USAGE, "-F \"%s\": variable %s is named by -F twice", f->given, v->path);
        }
        if (f->all && c->req->deflate >= 0)
            msg_die(MSG_USAGE, "-d has nothing to do, as -F \"%s\" means all variables: leave one of them out",
                    f->given);
    }
    if (c->classic && (c->req->deflate > 0 || c->req->nchunks || c->req->shuffle))
        msg_die(MSG_USAGE,
                "%s: files of the classic kinds have no chunks and no filters: leave out %s, or say -4 or -7",
                c->req->out,
                c->req->deflate > 0 ? "-d"
                : c->req->nchunks   ? "-c"
                                    : "-s");
}

static void check_classic_filters(const struct copy *c)
{
    size_t dropped = 0;

    for (size_t i = 0; i < c->req->nfilters; i++)
        if (c->classic && c->req->filter[i].chain)
            msg_die(MSG_USAGE, "-F \"%s\": files of the classic kinds have no filters: say -4 or -7",
                    c->req->filter[i].given);
    for (size_t i = 0; c->classic && i < c->nvars; i++)
        dropped += *c->var[i].chain != '\0' && c->var[i].defined;
    if (dropped)
        msg_warn("%s: the filters of %zu variable%s are dropped, as files of the classic kinds have none", c->req->out,
                 dropped, dropped == 1 ? "" : "s");
}

/* --- chunks of one variable --------------------------------------------------------------------- */
/* A dimension of length 0 can only be an unlimited one. */
static bool axis_grows(const struct copy *c, const struct copy_var *v, int d)
{
    return !v->shape[d] || (!c->req->fix_unlimited && walk_is_unlimited(v->group, v->dimid[d]));
}

static bool grows(const struct copy *c, const struct copy_var *v)
{
    for (int d = 0; d < v->ndims; d++)
        if (axis_grows(c, v, d))
            return true;
    return false;
}

static size_t clip(const struct copy *c, const struct copy_var *v, int d, size_t len)
{
    return !axis_grows(c, v, d) && v->shape[d] && len > v->shape[d] ? v->shape[d] : len;
}

static const struct copy_chunks *chunks_of_var(const struct copy *c, const struct copy_var *v)
{
    for (size_t i = c->req->nchunks; i-- > 0;)
        if (c->req->chunks[i].is_var && is_named(v, c->req->chunks[i].name))
            return &c->req->chunks[i];
    return NULL;
}

static const struct copy_chunks *chunks_of_dim(const struct copy *c, const struct copy_var *v, int d)
{
    char name[NC_MAX_NAME + 1];

    if (nc_inq_dimname(v->group, v->dimid[d], name) != NC_NOERR)
        return NULL;
    for (size_t i = c->req->nchunks; i-- > 0;) {
        const struct copy_chunks *k = &c->req->chunks[i];
        if (!k->is_var && k->name && strcmp(*k->name == '/' ? k->name + 1 : k->name, name) == 0)
            return k;
    }
    return NULL;
}

static bool unchunk_all(const struct copy *c)
{
    for (size_t i = 0; i < c->req->nchunks; i++)
        if (!c->req->chunks[i].is_var && !c->req->chunks[i].name)
            return true;
    return false;
}

static void take_var_chunks(const struct copy *c, struct copy_var *v, const struct copy_chunks *k)
{
    if (!k->n) {
        v->contiguous = !*v->chain && !grows(c, v);
        if (!v->contiguous)
            msg_die(MSG_USAGE, "-c \"%s:\": the variable needs chunks, as it %s", v->path,
                    *v->chain ? "has filters" : "can grow");
        return;
    }
    if (k->n != (size_t)v->ndims)
        msg_die(MSG_USAGE, "-c \"%s:...\": %zu lengths are given, but the variable has %d dimensions", v->path, k->n,
                v->ndims);
    v->chunked = true;
    for (int d = 0; d < v->ndims; d++)
        v->chunk[d] = clip(c, v, d, k->len[d]);
}

/* Axes that are not named keep their chunks; those of inputs without chunks are whole,
 * or 1 where records may be added. */
static void take_dim_chunks(const struct copy *c, struct copy_var *v)
{
    bool any = false;

    for (int d = 0; d < v->ndims; d++) {
        const struct copy_chunks *k = chunks_of_dim(c, v, d);
        size_t whole = v->shape[d] ? v->shape[d] : 1;
        any = any || k;
        v->chunk[d] = k                     ? clip(c, v, d, k->len[0] ? k->len[0] : whole)
                      : v->was_chunked      ? clip(c, v, d, v->in_chunk[d])
                      : axis_grows(c, v, d) ? 1
                                            : whole;
    }
    if (any && (v->was_chunked || grows(c, v) || *v->chain || v->nbytes >= c->req->least_chunked))
        v->chunked = true;
}

static void plan_chunks(const struct copy *c, struct copy_var *v)
{
    const struct copy_chunks *k = chunks_of_var(c, v);

    if (!v->ndims || c->classic)
        return;
    if (k)
        take_var_chunks(c, v, k);
    else
        take_dim_chunks(c, v);
    if (!v->chunked && !v->contiguous && !k) {
        bool needed = *v->chain || grows(c, v);
        if ((unchunk_all(c) || v->unfiltered) && !needed) {
            v->contiguous = true;
        } else if (v->was_chunked) {
            v->chunked = true;
            for (int d = 0; d < v->ndims; d++)
                v->chunk[d] = clip(c, v, d, v->in_chunk[d]);
        } else {
            v->library_chunks = needed;
            v->contiguous = !needed;
        }
    }
    v->rechunked =
        v->chunked && (!v->was_chunked || memcmp(v->chunk, v->in_chunk, (size_t)v->ndims * sizeof *v->chunk) != 0);
}

static void check_chunks(struct copy *c)
{
    for (size_t i = 0; i < c->req->nchunks; i++) {
        const struct copy_chunks *k = &c->req->chunks[i];
        bool used = !k->name;
        if (k->is_var) {
            need_var(c, "-c", k->name, k->name);
            continue;
        }
        for (size_t n = 0; !used && n < c->nvars; n++)
            for (int d = 0; !used && d < c->var[n].ndims; d++)
                used = chunks_of_dim(c, &c->var[n], d) == k;
        if (!used)
            msg_die(MSG_FAILED, "-c \"%s/...\": %s has no variable with a dimension named %s", k->name, c->req->in,
                    k->name);
    }
}

/* --- quantization ------------------------------------------------------------------------------------- */
static bool is_coordinate(const struct copy_var *v)
{
    char name[NC_MAX_NAME + 1];
    int dimid;

    return v->ndims == 1 && nc_inq_varname(v->group, v->id, name) == NC_NOERR &&
           nc_inq_dimid(v->group, name, &dimid) == NC_NOERR && dimid == v->dimid[0];
}

static void plan_quantize(struct copy *c, struct copy_var *v)
{
    const struct copy_quantize *use = NULL;
    bool real = v->type->kind == NC_FLOAT || v->type->kind == NC_DOUBLE;

    for (size_t i = 0; i < c->req->nquantize; i++) {
        const struct copy_quantize *q = &c->req->quantize[i];
        if (q->name ? is_named(v, q->name) : !use)
            use = q;
    }
    if (!use)
        return;
    if (!real && use->name)
        msg_die(MSG_FAILED, "--quantize: variable %s has type %s, and only float and double can be quantized", v->path,
                v->type->name);
    if (!real || (!use->name && is_coordinate(v))) {
        v->note = real ? "a coordinate is not quantized by *" : NULL;
        return;
    }
    v->quantize = use->mode;
    v->quantize_n = use->n;
    v->lossy = true;
}

static bool is_lossy(const char *chain)
{
    static const char *const name[] = {
        "zfp",    "fpzip", "bitround", "bitgroom", "granular", "quantize", "fixedscaleoffset",
        "ndmean", "sz",    "32013",    "32014",    "32017",    "32022",    "32023",
        "32024",  "32032", "37373",    "32801"};

    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        for (const char *p = strstr(chain, name[i]); p; p = strstr(p + 1, name[i]))
            if ((p == chain || p[-1] == '|' || p[-1] == ' ' || p[-1] == '"') && strncmp(p, "szip", 4) != 0)
                return true;
    return false;
}

/* --- all variables ----------------------------------------------------------------------------------------
 */
static bool group_chosen(const struct select *s, int group)
{
    return !s->n || select_has_group(s, group);
}

static void choose(const struct copy *c, struct copy_var *v)
{
    const struct copy_request *r = c->req;

    v->defined = !v->unreadable && (!r->only.n || select_has_var(&r->only, v->group, v->id)) &&
                 group_chosen(&r->groups_only, v->group);
    v->with_data = v->defined && (!r->data_of.n || select_has_var(&r->data_of, v->group, v->id)) &&
                   group_chosen(&r->groups_data_of, v->group);
}

static void load_var(struct copy *c, int group, int varid, const struct unreadable *unreadable)
{
    struct copy_var *v;
    char name[NC_MAX_NAME + 1] = "";
    nc_type id;
    int storage = NC_CONTIGUOUS, status;

    c->var = tool_push(c->var, c->nvars, sizeof *c->var);
    v = &c->var[c->nvars++];
    memset(v, 0, sizeof *v);
    v->group = group;
    v->id = varid;
    v->path = walk_var_path(group, varid);
    status = nc_inq_var(group, varid, name, &id, &v->ndims, v->dimid, NULL);
    v->type = status ? NULL : types_find(&c->types, id);
    v->unreadable = unreadable_reason(unreadable, name) != NULL;
    if (!v->type && c->req->damaged) {
        copy_leave_out(c, v->path, "its type cannot be read");
        free(v->path);
        c->nvars--;
        return;
    }
    if (!v->type)
        exit(msg_nc(status ? status : NC_EBADTYPE, "%s: variable %s", c->req->in, v->path));
    v->nbytes = v->type->size;
    for (int d = 0; d < v->ndims; d++) {
        nc_inq_dimlen(group, v->dimid[d], &v->shape[d]);
        v->nbytes = v->shape[d] && v->nbytes > ULLONG_MAX / v->shape[d] ? ULLONG_MAX : v->nbytes * v->shape[d];
    }
    if (nc_inq_var_chunking(group, varid, &storage, v->in_chunk) == NC_NOERR && v->ndims)
        v->was_chunked = storage == NC_CHUNKED;
    v->was_compact = storage == NC_COMPACT;
    v->in_chain = input_chain(group, varid);
}

static int load_group(int group, void *arg)
{
    struct copy *c = arg;
    struct walk_ids id;
    struct unreadable unreadable = {0};
    int status = walk_vars(group, &id);

    if (status == NC_NOERR)
        status = unreadable_load(group, &unreadable);

    c->group_in = tool_push(c->group_in, c->ngroups, sizeof *c->group_in);
    c->group_in[c->ngroups++] = group;
    for (int i = 0; status == NC_NOERR && i < id.n; i++)
        load_var(c, group, id.at[i], &unreadable);
    unreadable_free(&unreadable);
    walk_free(&id);
    return status;
}

static void check_selection(const struct copy *c)
{
    select_check_vars(&c->req->data_of, c->in, c->req->in);
    select_check_vars(&c->req->only, c->in, c->req->in);
    select_check_groups(&c->req->groups_data_of, c->in, c->req->in);
    select_check_groups(&c->req->groups_only, c->in, c->req->in);
}

static void check_quantize(struct copy *c)
{
    for (size_t i = 0; i < c->req->nquantize; i++)
        if (c->req->quantize[i].name)
            need_var(c, "--quantize", c->req->quantize[i].name, c->req->quantize[i].name);
    if (c->classic && c->req->nquantize)
        msg_die(MSG_USAGE, "--quantize: say -4 or -7, as files of the classic kinds are not quantized");
}

void copy_plan(struct copy *c)
{
    int status = types_load(c->in, &c->types);

    if (status)
        exit(msg_nc(status, "%s", c->req->in));
    check_selection(c);
    c->names = select_all_vars(c->in);
    status = walk_all(c->in, load_group, c);
    if (status)
        exit(msg_nc(status, "%s", c->req->in));
    check_filters(c);
    check_chunks(c);
    check_quantize(c);
    for (size_t i = 0; i < c->nvars; i++) {
        struct copy_var *v = &c->var[i];
        choose(c, v);
        plan_filter(c, v);
        v->lossy = v->refilter && is_lossy(v->chain);
        plan_chunks(c, v);
        plan_quantize(c, v);
        c->total += v->with_data ? v->nbytes : 0;
    }
    check_classic_filters(c);
    if (c->req->shuffle && c->req->deflate < 0) {
        bool any = false;
        for (size_t i = 0; i < c->nvars; i++)
            any = any || chain_has(c->var[i].chain, DEFLATE);
        if (!any)
            msg_die(MSG_USAGE, "-s has nothing to do: no variable is deflated; add -d with a level");
    }
}

void copy_free(struct copy *c)
{
    for (size_t i = 0; i < c->nvars; i++) {
        free(c->var[i].path);
        free(c->var[i].in_chain);
        free(c->var[i].chain);
        free(c->var[i].filters);
    }
    free(c->var);
    free(c->group_in);
    free(c->group_out);
    free(c->dim_out);
    if (c->scratch)
        nc_abort(c->scratch);
    free(c->out_types);
    free(c->tried_types);
    select_names_free(&c->names);
    types_free(&c->types);
}
