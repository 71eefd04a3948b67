/* SPDX-License-Identifier: BSD-3-Clause */
/* Text -> tokens. Hand-written: one character of look-ahead tells every token. */

#include "cdl_lex.h"
#include "cdl_value.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cdl_lex_start(struct cdl_lex *lx, struct cdl_doc *doc, const char *text, size_t len)
{
    *lx = (struct cdl_lex){.doc = doc, .p = text, .end = text + len, .line_start = text, .line = 1};
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        lx->p += 3;
}

static int peek(const struct cdl_lex *lx, size_t ahead)
{
    return lx->p + ahead < lx->end ? (unsigned char)lx->p[ahead] : -1;
}

static struct cdl_place here(const struct cdl_lex *lx)
{
    return (struct cdl_place){lx->line, (int)(lx->p - lx->line_start) + 1};
}

static void skip_blanks(struct cdl_lex *lx)
{
    for (; lx->p < lx->end; lx->p++) {
        if (*lx->p == '\n') {
            lx->line++;
            lx->line_start = lx->p + 1;
        } else if (*lx->p == '/' && peek(lx, 1) == '/') {
            while (lx->p + 1 < lx->end && lx->p[1] != '\n')
                lx->p++;
        } else if (!isspace((unsigned char)*lx->p)) {
            return;
        }
    }
}

bool cdl_lex_expected(struct cdl_lex *lx, const char *what)
{
    size_t len = (size_t)(lx->p - lx->start);

    if (lx->tok == TOK_END)
        return cdl_fail(lx->doc, lx->where, "expected %s, but the text ends here", what);
    return cdl_fail(lx->doc, lx->where, "expected %s, not '%.*s'", what, (int)(len < 40 ? len : 40), lx->start);
}

/* --- escapes --------------------------------------------------------------------- */
static int hex_digit(int c)
{
    return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

static const char escape_from[] = "abefnrtv\\'\"?";
static const char escape_to[] = "\a\b\033\f\n\r\t\v\\'\"?";

/* The character an escape in a string stands for; lx->p is behind the backslash. */
static int escaped_char(struct cdl_lex *lx)
{
    int c = peek(lx, 0), v = 0, n = 0;
    const char *known = c > 0 ? strchr(escape_from, c) : NULL;

    if (known) {
        lx->p++;
        return escape_to[known - escape_from];
    }
    if (c == 'x' && hex_digit(peek(lx, 1)) >= 0) {
        for (lx->p++; n < 2 && hex_digit(peek(lx, 0)) >= 0; n++, lx->p++)
            v = v * 16 + hex_digit(*lx->p);
        return v;
    }
    if (c >= '0' && c <= '7') {
        for (; n < 3 && peek(lx, 0) >= '0' && peek(lx, 0) <= '7'; n++, lx->p++)
            v = v * 8 + (*lx->p - '0');
        return v & 0xff;
    }
    lx->p++; /* any other character stands for itself */
    return c < 0 ? 0 : c;
}

/* --- strings ------------------------------------------------------------------------ */
static void lex_string(struct cdl_lex *lx)
{
    struct text t = {0};

    lx->p++;
    while (lx->p < lx->end && *lx->p != '"') {
        if (*lx->p == '\\') {
            lx->p++;
            if (peek(lx, 0) == '\n') { /* a line continued */
                lx->line++;
                lx->line_start = ++lx->p;
                continue;
            }
            text_putc(&t, (char)escaped_char(lx));
            continue;
        }
        if (*lx->p == '\n') {
            lx->line++;
            lx->line_start = lx->p + 1;
        }
        text_putc(&t, *lx->p++);
    }
    lx->tok = TOK_CONST;
    lx->value.kind = CDL_STRING;
    lx->value.v.text.len = t.len;
    lx->value.v.text.s = cdl_strndup(lx->doc, text_get(&t), t.len);
    text_free(&t);
    if (lx->p >= lx->end)
        cdl_fail(lx->doc, lx->where, "the string that begins here has no end: a \" is missing");
    else
        lx->p++;
}

static void lex_char(struct cdl_lex *lx)
{
    int c;

    lx->p++;
    if (peek(lx, 0) == '\\') {
        lx->p++;
        c = escaped_char(lx);
    } else {
        c = peek(lx, 0);
        lx->p++;
    }
    lx->tok = TOK_CONST;
    lx->value.kind = CDL_BYTE;
    lx->value.type = NC_BYTE;
    lx->value.v.magnitude = (uint64_t)(c < 0 ? 0 : c);
    if (peek(lx, 0) != '\'')
        cdl_fail(lx->doc, lx->where, "expected one character between two '");
    else
        lx->p++;
}

/* --- numbers -------------------------------------------------------------------------- */
static const struct {
    const char *tag;
    nc_type type;
} int_tags[] = {{"b", NC_BYTE},     {"s", NC_SHORT},   {"l", NC_INT},    {"ll", NC_INT64},
                {"ub", NC_UBYTE},   {"us", NC_USHORT}, {"u", NC_UINT},   {"ul", NC_UINT},
                {"ull", NC_UINT64}, {"i64", NC_INT64}, {"d", NC_DOUBLE}, {"f", NC_FLOAT}};

static bool find_tag(const char *s, size_t len, nc_type *type)
{
    for (size_t i = 0; i < sizeof int_tags / sizeof *int_tags; i++) {
        size_t k = 0;
        while (k < len && tolower((unsigned char)s[k]) == int_tags[i].tag[k])
            k++;
        if (k == len && !int_tags[i].tag[k]) {
            *type = int_tags[i].type;
            return true;
        }
    }
    return false;
}

static size_t word_length(const char *p, const char *end)
{
    size_t n = 0;

    while (p + n < end && (isalnum((unsigned char)p[n]) || p[n] == '_'))
        n++;
    return n;
}

/* An untagged whole number takes the first of these it fits. */
static nc_type smallest_type(bool negative, uint64_t v)
{
    if (negative)
        return v <= (uint64_t)INT32_MAX + 1 ? NC_INT : NC_INT64;
    return v <= INT32_MAX ? NC_INT : v <= UINT32_MAX ? NC_UINT : NC_UINT64;
}

static void set_real(struct cdl_lex *lx, double v, bool single)
{
    lx->tok = TOK_CONST;
    lx->value.kind = CDL_REAL;
    lx->value.type = single ? NC_FLOAT : NC_DOUBLE;
    lx->value.v.real = v;
}

static void lex_real(struct cdl_lex *lx)
{
    char *end;
    double v;
    size_t tag;

    errno = 0;
    v = strtod(lx->p, &end);
    if (errno == ERANGE && isinf(v))
        cdl_fail(lx->doc, lx->where, "the number %.*s is beyond what a double holds", (int)(end - lx->p), lx->p);
    lx->p = end;
    tag = word_length(lx->p, lx->end);
    set_real(lx, v, tag == 1 && tolower((unsigned char)*lx->p) == 'f');
    if (tag > 1 || (tag == 1 && !strchr("fFdDlL", *lx->p)))
        cdl_fail(lx->doc, lx->where, "unknown tag '%.*s' after a real number: expected f or d", (int)tag, lx->p);
    lx->p += tag;
}

/* 255b, 65535s and 4294967295l are the bits of a signed number, as C has it. */
static void wrap_tagged(struct cdl_const *c)
{
    static const struct {
        nc_type type;
        uint64_t most; /* largest value of the unsigned type of that size */
    } edges[] = {{NC_BYTE, UINT8_MAX},
                 {NC_SHORT, UINT16_MAX},
                 {NC_INT, UINT32_MAX},
                 {NC_INT, UINT64_MAX},
                 {NC_INT64, UINT64_MAX}};

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (c->type == edges[i].type && !c->negative && c->v.magnitude > edges[i].most / 2 &&
            c->v.magnitude <= edges[i].most) {
            c->negative = true;
            c->v.magnitude = edges[i].most - c->v.magnitude + 1;
            return;
        }
}

/* 0x1f..: bytes of an opaque value, or a number where a number is wanted. */
static void lex_hex(struct cdl_lex *lx)
{
    const char *digits = lx->p + 2;
    size_t n = 0, tag;

    while (digits + n < lx->end && isxdigit((unsigned char)digits[n]))
        n++;
    lx->p = digits + n;
    tag = word_length(lx->p, lx->end);
    lx->tok = TOK_CONST;
    lx->value.kind = CDL_OPAQUE;
    lx->value.v.text.s = cdl_strndup(lx->doc, digits, n);
    lx->value.v.text.len = n;
    if (!n)
        cdl_fail(lx->doc, lx->where, "expected hexadecimal digits after 0x");
    if (!tag)
        return;
    lx->value.kind = CDL_INT;
    lx->value.negative = false;
    lx->value.v.magnitude = strtoull(digits, NULL, 16);
    if (n > 16 || !find_tag(lx->p, tag, &lx->value.type))
        cdl_fail(lx->doc, lx->where, "unknown tag '%.*s' after a number", (int)tag, lx->p);
    wrap_tagged(&lx->value);
    lx->p += tag;
}

static bool is_real(const char *p, const char *end)
{
    while (p < end && isdigit((unsigned char)*p))
        p++;
    if (p < end && *p == '.')
        return true;
    return p + 1 < end && tolower((unsigned char)*p) == 'e' && (isdigit((unsigned char)p[1]) || strchr("+-", p[1]));
}

static void finish_integer(struct cdl_lex *lx, bool negative, uint64_t v)
{
    size_t tag = word_length(lx->p, lx->end);

    lx->tok = TOK_CONST;
    lx->value.kind = CDL_INT;
    lx->value.negative = negative;
    lx->value.v.magnitude = v;
    lx->value.type = smallest_type(negative, v);
    if (tag && !find_tag(lx->p, tag, &lx->value.type)) {
        cdl_fail(lx->doc, lx->where, "unknown tag '%.*s' after a number: expected b, s, ll, ub, us, u, ull or f",
                 (int)tag, lx->p);
    } else if (lx->value.type == NC_FLOAT || lx->value.type == NC_DOUBLE) {
        lx->value.kind = CDL_REAL;
        lx->value.v.real = negative ? -(double)v : (double)v;
    } else if (negative && tag && tolower((unsigned char)*lx->p) == 'u') {
        cdl_fail(lx->doc, lx->where, "a number with an unsigned tag cannot be negative");
    } else if (tag) {
        wrap_tagged(&lx->value);
    }
    lx->p += tag;
}

static void lex_integer(struct cdl_lex *lx, bool negative)
{
    bool octal = *lx->p == '0' && isdigit(peek(lx, 1));
    char *end;
    uint64_t v;

    errno = 0;
    v = strtoull(lx->p, &end, octal ? 8 : 10);
    if (errno == ERANGE || (negative && v > (uint64_t)INT64_MAX + 1))
        cdl_fail(lx->doc, lx->where, "the number %.*s does not fit 64 bits", (int)(end - lx->p), lx->p);
    if (end < lx->end && isdigit((unsigned char)*end))
        cdl_fail(lx->doc, lx->where, "a number that begins with 0 is octal: it has no digit %c", *end);
    lx->p = end;
    finish_integer(lx, negative, v);
}

/* NaN and the infinities, with or without a sign; false when the word is none. */
static bool lex_special_real(struct cdl_lex *lx, bool negative)
{
    static const struct {
        const char *word;
        bool nan, single;
    } known[] = {{"nan", true, false},  {"nanf", true, true},       {"inf", false, false},
                 {"inff", false, true}, {"infinity", false, false}, {"infinityf", false, true}};
    size_t len = word_length(lx->p, lx->end);

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == len && strncasecmp(known[i].word, lx->p, len) == 0) {
            double v = known[i].nan ? NAN : negative ? -INFINITY : INFINITY;
            lx->p += len;
            set_real(lx, v, known[i].single);
            return true;
        }
    return false;
}

static void lex_number(struct cdl_lex *lx)
{
    bool negative = *lx->p == '-', sign = negative || *lx->p == '+';

    if (sign && isalpha(peek(lx, 1))) {
        lx->p++;
        if (!lex_special_real(lx, negative))
            cdl_fail(lx->doc, lx->where, "expected a number after %c", negative ? '-' : '+');
        return;
    }
    if (is_real(lx->p + sign, lx->end)) {
        lex_real(lx);
        return;
    }
    lx->p += sign;
    if (*lx->p == '0' && tolower(peek(lx, 1)) == 'x' && !sign)
        lex_hex(lx);
    else
        lex_integer(lx, negative);
}

/* --- names ------------------------------------------------------------------------------ */
static bool starts_name(int c)
{
    return isalpha(c) || c == '_' || c == '\\' || c == '/' || c >= 0x80;
}

static bool in_name(int c)
{
    return starts_name(c) || isdigit(c) || (c > 0 && strchr(".@+-%", c));
}

/* \%xx is a character by number, \x any character as it is. */
static void name_escape(struct cdl_lex *lx, struct text *t)
{
    lx->p++;
    if (peek(lx, 0) == '%' && hex_digit(peek(lx, 1)) >= 0 && hex_digit(peek(lx, 2)) >= 0) {
        text_putc(t, (char)(hex_digit(lx->p[1]) * 16 + hex_digit(lx->p[2])));
        lx->p += 3;
    } else if (lx->p < lx->end) {
        text_putc(t, *lx->p++);
    }
}

static void lex_name(struct cdl_lex *lx)
{
    struct text t = {0};

    lx->escaped = false;
    while (in_name(peek(lx, 0)) && !(*lx->p == '/' && peek(lx, 1) == '/')) {
        lx->escaped = lx->escaped || *lx->p == '\\';
        if (*lx->p == '\\')
            name_escape(lx, &t);
        else
            text_putc(&t, *lx->p++);
    }
    lx->name = cdl_strndup(lx->doc, text_get(&t), t.len);
    lx->tok = TOK_NAME;
    if (peek(lx, 0) == ':' && cdl_is_section(lx->name)) {
        lx->p++;
        lx->tok = TOK_SECTION;
    }
    text_free(&t);
}

char *cdl_lex_dataset_name(struct cdl_lex *lx)
{
    struct text t = {0};
    char *name;

    skip_blanks(lx);
    while (lx->p < lx->end && *lx->p != '{' && *lx->p != '\n') {
        if (*lx->p == '\\')
            name_escape(lx, &t);
        else
            text_putc(&t, *lx->p++);
    }
    while (t.len && isspace((unsigned char)t.s[t.len - 1]))
        t.len--;
    name = cdl_strndup(lx->doc, text_get(&t), t.len);
    text_free(&t);
    return name;
}

void cdl_lex_next(struct cdl_lex *lx)
{
    int c;

    skip_blanks(lx);
    lx->start = lx->p;
    lx->where = here(lx);
    lx->value = (struct cdl_const){.where = lx->where};
    c = peek(lx, 0);
    if (c < 0 || cdl_failed(lx->doc)) {
        lx->tok = TOK_END;
    } else if (c == '"') {
        lex_string(lx);
    } else if (c == '\'') {
        lex_char(lx);
    } else if (isdigit(c) || ((c == '-' || c == '+') && (isalnum(peek(lx, 1)) || peek(lx, 1) == '.')) ||
               (c == '.' && isdigit(peek(lx, 1)))) {
        lex_number(lx);
    } else if (starts_name(c)) {
        lex_name(lx);
    } else {
        lx->tok = TOK_PUNCT;
        lx->punct = *lx->p++;
    }
}

/* --- small steps -------------------------------------------------------------------- */
bool cdl_at_punct(const struct cdl_lex *lx, char c)
{
    return lx->tok == TOK_PUNCT && lx->punct == c;
}

bool cdl_accept(struct cdl_lex *lx, char c)
{
    if (!cdl_at_punct(lx, c))
        return false;
    cdl_lex_next(lx);
    return true;
}

bool cdl_expect(struct cdl_lex *lx, char c)
{
    char what[] = "'?'";

    if (cdl_accept(lx, c))
        return true;
    what[1] = c;
    return cdl_lex_expected(lx, what);
}

char *cdl_expect_name(struct cdl_lex *lx, const char *what)
{
    char *name = lx->name;

    if (lx->tok != TOK_NAME) {
        cdl_lex_expected(lx, what);
        return NULL;
    }
    cdl_lex_next(lx);
    return name;
}

/* The kind of file may be known later: the first name that is a word of some kind is kept. */
char *cdl_expect_own_name(struct cdl_lex *lx, const char *what)
{
    struct cdl_doc *doc = lx->doc;

    if (lx->tok == TOK_NAME && !lx->escaped && !doc->keyword && cdl_is_keyword(lx->name, NC_FORMAT_NETCDF4)) {
        doc->keyword = lx->name;
        doc->keyword_at = lx->where;
    }
    return cdl_expect_name(lx, what);
}

bool cdl_expect_int(struct cdl_lex *lx, const char *what, long long lo, long long *out)
{
    if (lx->tok != TOK_CONST || !cdl_const_int(&lx->value, out))
        return cdl_lex_expected(lx, what);
    if (*out < lo)
        return cdl_fail(lx->doc, lx->where, "expected %s, not %lld", what, *out);
    cdl_lex_next(lx);
    return true;
}
