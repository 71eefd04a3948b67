/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of -F, -c and --quantize taken apart. */

#include "copy.h"
#include "msg.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- -F ------------------------------------------------------------------------- */
static void take_name(struct copy_filter *f, struct text *name)
{
    if (!name->len)
        msg_die(MSG_USAGE, "-F \"%s\": the name of a variable is missing", f->given);
    if (strcmp(name->s, "*") == 0) {
        f->all = true;
        text_clear(name);
        return;
    }
    f->name = tool_push(f->name, f->n, sizeof *f->name);
    f->name[f->n++] = text_take(name);
}

/* The names before the first comma; gives what is behind it, or NULL. */
static const char *take_names(struct copy_filter *f, const char *p)
{
    struct text name = {0};

    for (; *p && *p != ','; p++) {
        if (*p == '\\' && p[1])
            text_putc(&name, *++p);
        else if (*p == '&')
            take_name(f, &name);
        else
            text_putc(&name, *p);
    }
    take_name(f, &name);
    text_free(&name);
    return *p ? p + 1 : NULL;
}

void copy_add_filter(struct copy_request *r, const char *text)
{
    struct copy_filter f = {.given = tool_strdup(text)};
    const char *chain = NULL;

    while (isspace((unsigned char)*text))
        text++;
    if (strcasecmp(text, "none") == 0) {
        f.all = true;
    } else {
        chain = take_names(&f, text);
        if (!chain || !*chain)
            msg_die(MSG_USAGE,
                    "-F \"%s\": expected variables, a comma and filters, as in -F "
                    "\"t2m,shuffle|zstd,level=3\" or -F none",
                    text);
        if (f.all && f.n)
            msg_die(MSG_USAGE, "-F \"%s\": * stands for all variables, so no name can stand beside it", text);
        if (strcasecmp(chain, "none") != 0)
            f.chain = tool_strdup(chain);
    }
    for (size_t i = 0; i < r->nfilters; i++)
        if (r->filter[i].all && f.all)
            msg_die(MSG_USAGE, "-F \"%s\" and -F \"%s\" both mean all variables", r->filter[i].given, f.given);
    r->filter = tool_push(r->filter, r->nfilters, sizeof *r->filter);
    r->filter[r->nfilters++] = f;
}

/* --- -c -------------------------------------------------------------------------------- */
static size_t chunk_length(const char *given, const char *text, size_t len)
{
    char *copy = tool_strndup(text, len), *end;
    unsigned long long v = strtoull(copy, &end, 10);

    if (!len || *end || !isdigit((unsigned char)*copy) || !v)
        msg_die(MSG_USAGE, "-c \"%s\": '%s' is no chunk length: expected a whole number above 0", given, copy);
    free(copy);
    return (size_t)v;
}

static void push_chunks(struct copy_request *r, struct copy_chunks c)
{
    r->chunks = tool_push(r->chunks, r->nchunks, sizeof *r->chunks);
    r->chunks[r->nchunks++] = c;
}

/* "var:n1,n2,...": everything behind the colon belongs to it. */
static void add_var_chunks(struct copy_request *r, const char *text, const char *colon)
{
    struct copy_chunks c = {.name = tool_strndup(text, (size_t)(colon - text)), .is_var = true};

    for (const char *p = colon + 1; *p;) {
        size_t len = strcspn(p, ",");
        c.len = tool_push(c.len, c.n, sizeof *c.len);
        c.len[c.n++] = chunk_length(text, p, len);
        p += len + (p[len] == ',');
    }
    push_chunks(r, c);
}

/* "dim/n,dim/n": a missing n is the whole dimension; "/" or "//" alone asks for no chunks at all. */
static void add_dim_chunks(struct copy_request *r, const char *text)
{
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, ",");
        const char *slash = NULL;
        struct copy_chunks c = {0};
        for (const char *q = p; q < p + len; q++)
            if (*q == '/')
                slash = q;
        if (len == 2 && strncmp(p, "//", len) == 0)
            p = slash, len = 1;
        if (!slash)
            msg_die(MSG_USAGE, "-c \"%s\": expected dimension/length,... or variable:length,length,...", text);
        c.n = 1;
        c.len = tool_alloc(1, sizeof *c.len);
        c.name = slash > p ? tool_strndup(p, (size_t)(slash - p)) : NULL;
        c.len[0] = slash + 1 < p + len ? chunk_length(text, slash + 1, (size_t)(p + len - slash - 1)) : 0;
        push_chunks(r, c);
        p += len + (p[len] == ',');
    }
}

void copy_add_chunks(struct copy_request *r, const char *text)
{
    const char *colon = strchr(text, ':');

    if (colon)
        add_var_chunks(r, text, colon);
    else
        add_dim_chunks(r, text);
}

/* --- --quantize ---------------------------------------------------------------------------- */
static int quantize_mode(const char *given, const char *name, size_t len)
{
    static const struct {
        const char *name;
        int mode;
    } known[] = {{"bitgroom", NC_QUANTIZE_BITGROOM},
                 {"granular", NC_QUANTIZE_GRANULARBR},
                 {"granularbr", NC_QUANTIZE_GRANULARBR},
                 {"bitround", NC_QUANTIZE_BITROUND}};
    const char *names[] = {"bitgroom", "granular", "bitround"};
    char *copy = tool_strndup(name, len);
    const char *near;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(known[i].name, copy) == 0) {
            free(copy);
            return known[i].mode;
        }
    near = msg_nearest(copy, names, 3);
    msg_die(MSG_USAGE, "--quantize \"%s\": no algorithm %s: %s%s%s", given, copy,
            near ? "did you mean " : "expected bitgroom, granular or bitround", near ? near : "", near ? "?" : "");
}

static void add_quantize(struct copy_request *r, const char *given, const char *item, size_t len)
{
    const char *colon = memchr(item, ':', len), *equals = memchr(item, '=', len);
    struct copy_quantize q = {0};
    char *end;

    if (!colon || !equals || equals < colon)
        msg_die(MSG_USAGE,
                "--quantize \"%s\": expected variable:algorithm=number,..., as in "
                "\"t2m:bitround=9,*:granular=3\"",
                given);
    if (colon != item + 1 || *item != '*')
        q.name = tool_strndup(item, (size_t)(colon - item));
    q.mode = quantize_mode(given, colon + 1, (size_t)(equals - colon - 1));
    q.n = (int)strtol(equals + 1, &end, 10);
    if (end != item + len || end == equals + 1)
        msg_die(MSG_USAGE, "--quantize \"%s\": expected a whole number behind =", given);
    r->quantize = tool_push(r->quantize, r->nquantize, sizeof *r->quantize);
    r->quantize[r->nquantize++] = q;
}

void copy_add_quantize(struct copy_request *r, const char *text)
{
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, ",");
        add_quantize(r, text, p, len);
        p += len + (p[len] == ',');
    }
}

void copy_request_free(struct copy_request *r)
{
    for (size_t i = 0; i < r->nfilters; i++) {
        for (size_t k = 0; k < r->filter[i].n; k++)
            free(r->filter[i].name[k]);
        free(r->filter[i].name);
        free(r->filter[i].given);
        free(r->filter[i].chain);
    }
    for (size_t i = 0; i < r->nchunks; i++) {
        free(r->chunks[i].name);
        free(r->chunks[i].len);
    }
    for (size_t i = 0; i < r->nquantize; i++)
        free(r->quantize[i].name);
    free(r->filter);
    free(r->chunks);
    free(r->quantize);
    select_free(&r->data_of);
    select_free(&r->only);
    select_free(&r->groups_data_of);
    select_free(&r->groups_only);
}
