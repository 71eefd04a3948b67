/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON is read to its end or not at all. Numbers and words are the library's to understand: here they are what no bracket,
 * comma or space interrupts. */

#include "mend_json.h"
#include <string.h>

enum { DEPTH_MAX = 64 };

struct reader {
    const char *p, *end;
    struct text *out; /* may be NULL */
    int depth;
    bool (*visit)(void *arg, struct mend_span name, struct mend_span value); /* members of the outermost object */
    void *arg;
};

static bool read_value(struct reader *r);

/* --- parts ------------------------------------------------------------------------------------ */

static void skip_space(struct reader *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
        r->p++;
}

static void keep(struct reader *r, const char *from)
{
    if (r->out)
        text_putn(r->out, from, (size_t)(r->p - from));
}

static bool take(struct reader *r, char c)
{
    skip_space(r);
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    keep(r, r->p - 1);
    return true;
}

static bool read_string(struct reader *r)
{
    const char *from = r->p++;

    while (r->p < r->end && *r->p != '"' && (unsigned char)*r->p >= ' ')
        r->p += *r->p == '\\' && r->end - r->p > 1 ? 2 : 1;
    if (r->p == r->end || *r->p != '"')
        return false;
    r->p++;
    keep(r, from);
    return true;
}

static bool read_word(struct reader *r)
{
    const char *from = r->p;

    while (r->p < r->end && *r->p && !strchr(" \t\r\n,:[]{}\"", *r->p))
        r->p++;
    keep(r, from);
    return r->p > from;
}

/* --- lists and objects -------------------------------------------------------------------------- */

static bool read_member(struct reader *r, bool outermost)
{
    struct mend_span name, value;

    skip_space(r);
    name.at = r->p;
    if (r->p == r->end || *r->p != '"' || !read_string(r))
        return false;
    name.n = (size_t)(r->p - name.at);
    if (!take(r, ':'))
        return false;
    skip_space(r);
    value.at = r->p;
    if (!read_value(r))
        return false;
    value.n = (size_t)(r->p - value.at);
    name.at++, name.n -= 2;
    return !outermost || !r->visit || r->visit(r->arg, name, value);
}

static bool read_items(struct reader *r, char open)
{
    char closing = open == '{' ? '}' : ']';
    bool outermost = r->depth++ == 0;

    if (!take(r, open) || r->depth > DEPTH_MAX)
        return false;
    if (!take(r, closing)) {
        do
            if (open == '{' ? !read_member(r, outermost) : !read_value(r))
                return false;
        while (take(r, ','));
        if (!take(r, closing))
            return false;
    }
    r->depth--;
    return true;
}

static bool read_value(struct reader *r)
{
    skip_space(r);
    if (r->p == r->end)
        return false;
    if (*r->p == '{' || *r->p == '[')
        return read_items(r, *r->p);
    return *r->p == '"' ? read_string(r) : read_word(r);
}

bool mend_json_read(struct mend_span json, struct text *out)
{
    struct reader r = {.p = json.at, .end = json.at + json.n, .out = out};
    bool ok = read_value(&r);

    skip_space(&r);
    return ok && r.p == r.end;
}

/* --- members -------------------------------------------------------------------------------------- */

struct wanted {
    const char *name;
    struct mend_span *out;
    bool found;
};

static bool is_name(struct mend_span span, const char *name)
{
    return strlen(name) == span.n && memcmp(name, span.at, span.n) == 0;
}

/* It goes on until it is found: what lies behind it may be damaged. */
static bool find_member(void *arg, struct mend_span name, struct mend_span value)
{
    struct wanted *w = arg;

    if (is_name(name, w->name)) {
        *w->out = value;
        w->found = true;
    }
    return !w->found;
}

bool mend_json_member(struct mend_span json, const char *name, struct mend_span *out)
{
    struct wanted w = {.name = name, .out = out};
    struct reader r = {.p = json.at, .end = json.at + json.n, .visit = find_member, .arg = &w};

    read_value(&r);
    return w.found;
}

struct known {
    const char *document, *name;
    bool optional;
};

static const struct known known[] = {
    {".zarray", "zarr_format", false},
    {".zarray", "shape", false},
    {".zarray", "dtype", false},
    {".zarray", "chunks", false},
    {".zarray", "compressor", false},
    {".zarray", "fill_value", false},
    {".zarray", "order", false},
    {".zarray", "filters", false},
    {".zarray", "dimension_separator", true},
    {"zarr.json", "zarr_format", false},
    {"zarr.json", "node_type", false},
    {"zarr.json", "shape", false},
    {"zarr.json", "data_type", false},
    {"zarr.json", "chunk_grid", false},
    {"zarr.json", "chunk_key_encoding", false},
    {"zarr.json", "fill_value", false},
    {"zarr.json", "codecs", false},
    {"zarr.json", "attributes", true},
    {"zarr.json", "dimension_names", true},
    {"zarr.json", "storage_transformers", true},
};
enum { KNOWN = sizeof known / sizeof *known };

struct members {
    const char *document;
    bool has[KNOWN];
};

/* False: a member that is not known, or is there twice. */
static bool mark_member(void *arg, struct mend_span name, struct mend_span value)
{
    struct members *m = arg;

    (void)value;
    for (size_t i = 0; i < KNOWN; i++)
        if (strcmp(known[i].document, m->document) == 0 && is_name(name, known[i].name)) {
            bool twice = m->has[i];

            m->has[i] = true;
            return !twice;
        }
    return name.n > 0 && *name.at == '_';
}

static bool has_all(const struct members *m)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (strcmp(known[i].document, m->document) == 0 && !known[i].optional && !m->has[i])
            return false;
    return true;
}

bool mend_json_is_array(const char *document, struct mend_span json)
{
    struct members m = {.document = document};
    struct reader r = {.p = json.at, .end = json.at + json.n, .visit = mark_member, .arg = &m};

    return read_value(&r) && has_all(&m) && mend_json_read(json, NULL);
}

bool mend_json_lacks(const char *document, struct mend_span json)
{
    for (size_t i = 0; i < KNOWN; i++) {
        struct mend_span value;

        if (strcmp(known[i].document, document) == 0 && !known[i].optional &&
            !mend_json_member(json, known[i].name, &value))
            return true;
    }
    return false;
}
