/* SPDX-License-Identifier: BSD-3-Clause */
/* The text spelling: filters separated by '|', each an id or a name, then
 * constants in the order of the filter's words, then key=value of its parameter
 * table. Blanks may stand around each part and nowhere else. */
#include "buf.h"
#include "chain.h"
#include "number.h"
#include "params.h"
#include "plugin.h"
#include "spec.h"
#include "status.h"
#include <ctype.h>
#include <netcdf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One part of the text, without the blanks around it. */
struct part {
    const char *text;
    size_t len;
    size_t column;
};

struct reader {
    const char *text;
    size_t pos;
    size_t column; /* of the fault */
};

/* --- errors ------------------------------------------------------------------ */

CEL_PRINTF(4, 5) static int fail_at(struct reader *r, size_t column, int code, const char *fmt, ...)
{
    char why[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    r->column = column;
    return cel_fail(code, "filter text \"%.80s\", column %zu: %s", r->text, column + 1, why);
}

/* A fault whose text was set by a helper that does not know the column. */
static int fault_at(struct reader *r, size_t column, int code)
{
    char why[512];

    snprintf(why, sizeof why, "%s", cel_error_text());
    return fail_at(r, column, code, "%s", why);
}

/* --- parts --------------------------------------------------------------------- */

static struct part trim(struct part p)
{
    while (p.len > 0 && isspace((unsigned char)p.text[0])) {
        p.text++;
        p.len--;
        p.column++;
    }
    while (p.len > 0 && isspace((unsigned char)p.text[p.len - 1]))
        p.len--;
    return p;
}

/* The text up to the next comma or '|'. */
static struct part next_part(struct reader *r)
{
    size_t start = r->pos;

    r->pos += strcspn(r->text + start, ",|");
    return trim((struct part){r->text + start, r->pos - start, start});
}

static bool is_word(const struct part *p)
{
    for (size_t i = 0; i < p->len; i++)
        if (!isalnum((unsigned char)p->text[i]) && !strchr("_-.", p->text[i]))
            return false;
    return p->len > 0 && isalpha((unsigned char)p->text[0]);
}

static int read_id(struct reader *r, const struct part *p, struct cel_spec *out)
{
    uint64_t id;

    for (size_t i = 0; i < p->len; i++)
        if (!isdigit((unsigned char)p->text[i]))
            return fail_at(r, p->column + i, NC_EINVAL, "expected a digit of a filter id, a comma, '|' or the end");
    if (!cel_parse_uint(p->text, p->len, &id) || id > UINT32_MAX)
        return fail_at(r, p->column, NC_EINVAL, "expected a filter id of at most 32 bits");
    out->id = (unsigned)id;
    out->codec = cel_chain_codec(out->id);
    return CEL_OK;
}

static const struct cel_codec *plugin_by_name(const struct part *p)
{
    char name[64];

    if (p->len >= sizeof name)
        return NULL;
    memcpy(name, p->text, p->len);
    name[p->len] = '\0';
    return cel_plugin_by_zarr(name);
}

static int read_name(struct reader *r, const struct part *p, struct cel_spec *out)
{
    struct cel_guess guess;

    if (!is_word(p))
        return fail_at(r, p->column, NC_EINVAL, "expected a filter id or name");
    out->codec = cel_codec_by_name(p->text, p->len);
    if (!out->codec)
        out->codec = plugin_by_name(p);
    if (out->codec) {
        out->id = out->codec->hdf5_id;
        return CEL_OK;
    }
    cel_guess_start(&guess);
    for (size_t i = 0; cel_codec_at(i); i++)
        cel_guess_try(&guess, p->text, p->len, cel_codec_at(i)->name);
    return fail_at(r, p->column, NC_ENOFILTER, "there is no filter named %.*s%s", (int)p->len, p->text, guess.text);
}

/* --- key=value --------------------------------------------------------------------- */

static bool read_bool(const struct part *p, double *v)
{
    static const char *const words[] = {"0", "1", "false", "true", "no", "yes", "off", "on"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == p->len && strncasecmp(words[i], p->text, p->len) == 0) {
            *v = (double)(i % 2);
            return true;
        }
    return false;
}

static const char *kind_name(const struct cel_param *p)
{
    static const char *const names[] = {
        [CEL_PARAM_INT] = "a whole number", [CEL_PARAM_UINT] = "a whole number, 0 or more",
        [CEL_PARAM_BOOL] = "yes or no",     [CEL_PARAM_CHOICE] = "one of its choices",
        [CEL_PARAM_FLOAT] = "a number",     [CEL_PARAM_DOUBLE] = "a number",
    };

    return p->list ? p->list->expected : names[p->kind];
}

static bool read_value(const struct cel_param *p, const struct part *value, double *v)
{
    int choice = p->kind == CEL_PARAM_CHOICE ? cel_param_choice(p, value->text, value->len) : -1;
    int64_t i;

    if (choice >= 0) {
        *v = choice;
        return true;
    }
    if (p->kind == CEL_PARAM_BOOL)
        return read_bool(value, v);
    if (p->kind == CEL_PARAM_FLOAT || p->kind == CEL_PARAM_DOUBLE)
        return cel_parse_double(value->text, value->len, v);
    if (!cel_parse_int(value->text, value->len, &i))
        return false;
    *v = (double)i;
    return true;
}

static void list_choices(const struct cel_param *p, char *out, size_t cap)
{
    size_t n = 0;

    out[0] = '\0';
    for (int i = 0; p->choices && p->choices[i] && n < cap; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%s", i ? ", " : ": ", p->choices[i]);
}

static int find_key(struct reader *r, const struct part *key, const struct cel_spec *spec, const struct cel_param **out)
{
    struct cel_guess guess;

    if (!spec->codec)
        return fail_at(r, key->column, NC_ENOFILTER, "filter %u is not known here, so its parameters have no names",
                       spec->id);
    *out = cel_param_find(spec->codec, key->text, key->len);
    if (*out)
        return CEL_OK;
    cel_guess_start(&guess);
    for (const struct cel_param *p = spec->codec->params; p && p->name; p++)
        cel_guess_try(&guess, key->text, key->len, p->name);
    return fail_at(r, key->column, NC_EINVAL, "%s has no parameter %.*s%s", spec->codec->name, (int)key->len, key->text,
                   guess.text);
}

/* Which of a filter's words the text gave, so that none is given twice and the
 * rest can take its default. */
struct given {
    bool is_set[CEL_WORDS_MAX];
    bool by_key; /* one had a key: plain constants may not follow */
};

/* Refuses a parameter that is there already, or excluded by another one's mode. */
static int check_free(struct reader *r, const struct part *key, const struct cel_param *p, const struct cel_spec *spec,
                      const struct given *given)
{
    if (p->when_value && given->is_set[p->when_word] && spec->words.w[p->when_word] != p->when_value)
        return fail_at(r, key->column, NC_EINVAL, "%s cannot go with what stands before it", p->name);
    if (given->is_set[p->word])
        return fail_at(r, key->column, NC_EINVAL, "%s has its value already", p->name);
    return CEL_OK;
}

static void mark_given(const struct cel_param *p, struct given *given)
{
    for (size_t i = 0; i < cel_param_width(p); i++)
        given->is_set[(size_t)p->word + i] = true;
    if (p->when_value)
        given->is_set[p->when_word] = true;
    given->by_key = true;
}

static int store_named(struct reader *r, const struct part *key, const struct part *value, const struct cel_param *p,
                       struct cel_spec *spec, struct given *given)
{
    char choices[256];
    double v = 0;
    int rc = check_free(r, key, p, spec, given);

    if (rc != CEL_OK)
        return rc;
    if (!(p->list ? cel_param_store_list(p, value->text, value->len, &spec->words) : read_value(p, value, &v))) {
        list_choices(p, choices, sizeof choices);
        return fail_at(r, value->column, NC_EINVAL, "expected %s for %s%s", kind_name(p), p->name, choices);
    }
    rc = p->list ? CEL_OK : cel_param_store(spec->codec, p, v, &spec->words);
    if (rc != CEL_OK)
        return fault_at(r, value->column, rc);
    mark_given(p, given);
    return CEL_OK;
}

static int read_named(struct reader *r, const struct part *whole, struct cel_spec *spec, struct given *given)
{
    static const char yes[] = "1";
    const char *sign = memchr(whole->text, '=', whole->len);
    size_t n = sign ? (size_t)(sign - whole->text) : whole->len;
    struct part key = trim((struct part){whole->text, n, whole->column});
    struct part value = {yes, 1, whole->column}; /* a switch by its bare name */
    const struct cel_param *p = NULL;
    int rc = find_key(r, &key, spec, &p);

    if (rc != CEL_OK)
        return rc;
    if (!sign && p->kind != CEL_PARAM_BOOL)
        return fail_at(r, whole->column + whole->len, NC_EINVAL, "expected = and a value for %s", p->name);
    if (sign)
        value = trim((struct part){sign + 1, whole->len - n - 1, whole->column + n + 1});
    return store_named(r, &key, &value, p, spec, given);
}

/* Words between named ones that the text left out. */
static int fill_gaps(struct cel_spec *spec, const struct given *given)
{
    int rc = CEL_OK;

    for (const struct cel_param *p = spec->codec->params; rc == CEL_OK && p && p->name; p++)
        if (cel_param_is_held(p, &spec->words) && cel_param_counts(p, &spec->words) && !given->is_set[p->word])
            rc = cel_param_store(spec->codec, p, p->fallback, &spec->words);
    return rc;
}

/* --- filters ------------------------------------------------------------------------- */

static int read_constant(struct reader *r, const struct part *p, struct cel_spec *spec, struct given *given)
{
    uint32_t words[2];
    size_t n = 0, at = 0;
    int rc;

    if (p->len == 0)
        return fail_at(r, p->column, NC_EINVAL, "expected a parameter after the comma");
    if (given->by_key)
        return fail_at(r, p->column, NC_EINVAL, "expected key=value: plain values come before it");
    rc = cel_spec_constant(p->text, p->len, words, &n, &at);
    if (rc != CEL_OK)
        return fault_at(r, p->column + at, rc);
    for (size_t i = 0; i < n; i++) {
        if (spec->words.n >= CEL_WORDS_MAX)
            return fail_at(r, p->column, NC_EINVAL, "a filter can have at most %d parameters", CEL_WORDS_MAX);
        given->is_set[spec->words.n] = true;
        spec->words.w[spec->words.n++] = words[i];
    }
    return CEL_OK;
}

static bool looks_named(const struct part *p)
{
    return p->len > 0 && (memchr(p->text, '=', p->len) || is_word(p));
}

static int read_filter(struct reader *r, struct cel_spec *spec)
{
    struct given given = {.by_key = false};
    struct part part = next_part(r);
    int rc;

    *spec = (struct cel_spec){.column = part.column};
    if (part.len == 0)
        return fail_at(r, part.column, NC_EINVAL, "expected a filter id or name");
    rc = isdigit((unsigned char)part.text[0]) ? read_id(r, &part, spec) : read_name(r, &part, spec);
    while (rc == CEL_OK && r->text[r->pos] == ',') {
        r->pos++;
        part = next_part(r);
        rc = looks_named(&part) ? read_named(r, &part, spec, &given) : read_constant(r, &part, spec, &given);
    }
    if (rc == CEL_OK && given.by_key)
        rc = fill_gaps(spec, &given);
    return rc;
}

int cel_spec_parse(const char *text, struct cel_spec *out, size_t max, size_t *n, size_t *column)
{
    struct reader r = {.text = text};
    bool more = text[strspn(text, " \t\r\n")] != '\0';
    int rc = CEL_OK;

    *n = 0;
    while (rc == CEL_OK && more) {
        if (*n == max)
            rc = fail_at(&r, r.pos, NC_EFILTER, "there can be at most %zu filters", max);
        else
            rc = read_filter(&r, &out[*n]);
        if (rc == CEL_OK)
            ++*n;
        more = text[r.pos] == '|';
        r.pos += more;
    }
    if (column)
        *column = r.column;
    return rc;
}

/* --- chains ---------------------------------------------------------------------------- */

static int step_from_spec(struct reader *r, const struct cel_spec *spec, struct cel_step *step)
{
    int rc = cel_step_make(spec->id, spec->words.n, spec->words.w, step);

    return rc == CEL_OK ? rc : fault_at(r, spec->column, rc);
}

static int parse_chain(const char *text, struct cel_chain *out, size_t *column)
{
    struct cel_spec spec[CEL_CHAIN_MAX];
    struct reader r = {.text = text};
    struct cel_chain chain = {0};
    size_t n;
    int rc = cel_spec_parse(text, spec, CEL_CHAIN_MAX, &n, &r.column);

    for (size_t i = 0; rc == CEL_OK && i < n; i++) {
        struct cel_step step;

        rc = step_from_spec(&r, &spec[i], &step);
        if (rc == CEL_OK)
            rc = cel_chain_insert(&chain, chain.n, &step);
    }
    if (column)
        *column = r.column;
    if (rc != CEL_OK) {
        cel_chain_dispose(&chain);
        return rc;
    }
    *out = chain;
    return CEL_OK;
}

int cel_chain_parse_sharded(const char *text, struct cel_chain *out, struct cel_sharding *sharding, size_t *column)
{
    char first = text[strspn(text, " \t\r\n")];

    if (first == '{' || first == '[')
        return cel_chain_from_json(text, out, sharding, column);
    return parse_chain(text, out, column);
}

int cel_chain_parse(const char *text, struct cel_chain *out, size_t *column)
{
    return cel_chain_parse_sharded(text, out, NULL, column);
}
