/* SPDX-License-Identifier: BSD-3-Clause */
/* A small JSON, for codec plugins: all of it is in this header, so that a plugin
 * needs no library for it. Functions give NCJ_OK or NCJ_ERR.
 *
 * A value that is no list holds its text in `string`, without quotes. A dictionary
 * is a list of keys and values in turn. Whoever appends a value to a list hands it
 * over; NCJreclaim frees a value with all it holds. */
#ifndef NETCDF_JSON_H
#define NETCDF_JSON_H 1

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NCJ_OK 0
#define NCJ_ERR (-1)

#define NCJ_UNDEF 0
#define NCJ_STRING 1
#define NCJ_INT 2
#define NCJ_DOUBLE 3
#define NCJ_BOOLEAN 4
#define NCJ_DICT 5
#define NCJ_ARRAY 6
#define NCJ_NULL 7
#define NCJ_NSORTS 8

typedef struct NCjson {
    int sort;
    char *string;
    struct NCjlist {
        size_t len;
        struct NCjson **contents;
    } list;
} NCjson;

/* What NCJcvt gives: the member of the sort asked for. sval is yours to free. */
struct NCJconst {
    int bval;
    long long ival;
    double dval;
    char *sval;
};
#define NCJconst_empty \
    { \
        0, 0, 0.0, NULL \
    }

#define NCJsort(x) ((x)->sort)
#define NCJstring(x) ((x)->string)
#define NCJlength(x) ((x) == NULL ? 0 : (x)->list.len)
#define NCJdictlength(x) ((x) == NULL ? 0 : (x)->list.len / 2)
#define NCJcontents(x) ((x)->list.contents)
#define NCJith(x, i) ((x)->list.contents[i])
#define NCJdictith(x, i) ((x)->list.contents[2 * (i)])
#define NCJsetsort(x, s) (x)->sort = (s)
#define NCJsetstring(x, y) (x)->string = (y)
#define NCJsetcontents(x, c) (x)->list.contents = (c)
#define NCJsetlength(x, l) (x)->list.len = (l)
#define NCJisatomic(x) \
    ((x)->sort == NCJ_STRING || (x)->sort == NCJ_INT || (x)->sort == NCJ_DOUBLE || (x)->sort == NCJ_BOOLEAN)

/* --- making and freeing ------------------------------------------------------- */

static inline void NCJreclaim(NCjson *json)
{
    size_t i;

    if (!json)
        return;
    for (i = 0; i < json->list.len; i++)
        NCJreclaim(json->list.contents[i]);
    free(json->list.contents);
    free(json->string);
    free(json);
}

static inline int NCJnew(int sort, NCjson **objectp)
{
    NCjson *json = (NCjson *)calloc(1, sizeof(NCjson));

    if (!json)
        return NCJ_ERR;
    json->sort = sort;
    *objectp = json;
    return NCJ_OK;
}

static inline int NCJnewstringn(int sort, size_t len, const char *value, NCjson **jsonp)
{
    NCjson *json = NULL;

    if (NCJnew(sort, &json) != NCJ_OK)
        return NCJ_ERR;
    json->string = (char *)malloc(len + 1);
    if (!json->string) {
        NCJreclaim(json);
        return NCJ_ERR;
    }
    memcpy(json->string, value, len);
    json->string[len] = '\0';
    *jsonp = json;
    return NCJ_OK;
}

static inline int NCJnewstring(int sort, const char *value, NCjson **jsonp)
{
    return NCJnewstringn(sort, value ? strlen(value) : 0, value ? value : "", jsonp);
}

/* An item of an array, or the next key or value of a dictionary. */
static inline int NCJappend(NCjson *object, NCjson *value)
{
    NCjson **more;

    if (!object || !value || (object->sort != NCJ_ARRAY && object->sort != NCJ_DICT))
        return NCJ_ERR;
    more = (NCjson **)realloc(object->list.contents, (object->list.len + 1) * sizeof *more);
    if (!more)
        return NCJ_ERR;
    more[object->list.len++] = value;
    object->list.contents = more;
    return NCJ_OK;
}

static inline int NCJaddstring(NCjson *json, int sort, const char *s)
{
    NCjson *value = NULL;

    if (NCJnewstring(sort, s, &value) != NCJ_OK)
        return NCJ_ERR;
    if (NCJappend(json, value) == NCJ_OK)
        return NCJ_OK;
    NCJreclaim(value);
    return NCJ_ERR;
}

static inline int NCJinsert(NCjson *object, const char *key, NCjson *value)
{
    if (!object || object->sort != NCJ_DICT || !key || !value || NCJaddstring(object, NCJ_STRING, key) != NCJ_OK)
        return NCJ_ERR;
    if (NCJappend(object, value) == NCJ_OK)
        return NCJ_OK;
    NCJreclaim(object->list.contents[--object->list.len]);
    return NCJ_ERR;
}

static inline int NCJinsertstring(NCjson *object, const char *key, const char *value)
{
    NCjson *json = NULL;

    if (NCJnewstring(NCJ_STRING, value, &json) != NCJ_OK)
        return NCJ_ERR;
    if (NCJinsert(object, key, json) == NCJ_OK)
        return NCJ_OK;
    NCJreclaim(json);
    return NCJ_ERR;
}

static inline int NCJinsertint(NCjson *object, const char *key, long long ivalue)
{
    char digits[32];
    NCjson *json = NULL;

    snprintf(digits, sizeof digits, "%lld", ivalue);
    if (NCJnewstring(NCJ_INT, digits, &json) != NCJ_OK)
        return NCJ_ERR;
    if (NCJinsert(object, key, json) == NCJ_OK)
        return NCJ_OK;
    NCJreclaim(json);
    return NCJ_ERR;
}

static inline int NCJclone(const NCjson *json, NCjson **clonep)
{
    NCjson *copy = NULL, *item = NULL;
    size_t i;

    if (!json || (json->string ? NCJnewstring(json->sort, json->string, &copy) : NCJnew(json->sort, &copy)) != NCJ_OK)
        return NCJ_ERR;
    for (i = 0; i < json->list.len; i++) {
        if (NCJclone(json->list.contents[i], &item) != NCJ_OK) {
            NCJreclaim(copy);
            return NCJ_ERR;
        }
        if (NCJappend(copy, item) != NCJ_OK) {
            NCJreclaim(item);
            NCJreclaim(copy);
            return NCJ_ERR;
        }
    }
    *clonep = copy;
    return NCJ_OK;
}

/* --- looking ---------------------------------------------------------------------- */

/* The value of a key; *valuep is NULL when there is none, which is no error. */
static inline int NCJdictget(const NCjson *dict, const char *key, NCjson **valuep)
{
    size_t i;

    if (valuep)
        *valuep = NULL;
    if (!dict || dict->sort != NCJ_DICT || !key)
        return NCJ_ERR;
    for (i = 0; i + 1 < dict->list.len; i += 2)
        if (dict->list.contents[i]->string && strcmp(dict->list.contents[i]->string, key) == 0) {
            if (valuep)
                *valuep = dict->list.contents[i + 1];
            return NCJ_OK;
        }
    return NCJ_OK;
}

/* A single value as another sort; text counts as what it says. */
static inline int NCJcvt(const NCjson *value, int outsort, struct NCJconst *output)
{
    const char *text;
    char *end;

    if (!value || !output || !value->string || !NCJisatomic(value))
        return NCJ_ERR;
    text = value->string;
    if (outsort == NCJ_STRING) {
        output->sval = (char *)malloc(strlen(text) + 1);
        if (!output->sval)
            return NCJ_ERR;
        strcpy(output->sval, text);
        return NCJ_OK;
    }
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        output->dval = output->bval = text[0] == 't';
    } else {
        output->dval = strtod(text, &end);
        if (end == text || *end)
            return NCJ_ERR;
        output->bval = output->dval != 0;
    }
    if (outsort == NCJ_BOOLEAN || outsort == NCJ_DOUBLE)
        return NCJ_OK;
    if (outsort != NCJ_INT)
        return NCJ_ERR;
    output->ival = strtoll(text, &end, 10); /* a double would lose digits of a long one */
    if (end == text || *end)
        output->ival = (long long)output->dval;
    return NCJ_OK;
}

/* --- reading --------------------------------------------------------------------------- */

#define NCJ_DEPTH_MAX 64

struct NCJreader {
    const char *at, *end;
    int depth;
};

static inline int NCJread_value(struct NCJreader *r, NCjson **jsonp);

static inline int NCJread_peek(struct NCJreader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
    return r->at < r->end ? (unsigned char)*r->at : -1;
}

static inline int NCJread_hex(struct NCJreader *r, unsigned *out)
{
    int i, c;

    *out = 0;
    for (i = 0; i < 4; i++) {
        c = r->at < r->end ? tolower((unsigned char)*r->at++) : 0;
        if (!isxdigit(c))
            return NCJ_ERR;
        *out = *out * 16 + (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    return NCJ_OK;
}

/* Four hex digits (or two times four) as UTF-8. */
static inline int NCJread_unicode(struct NCJreader *r, char **out)
{
    unsigned code, low;
    char *o = *out;

    if (NCJread_hex(r, &code) != NCJ_OK || code == 0)
        return NCJ_ERR;
    if (code >= 0xD800 && code < 0xDC00) {
        if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
            return NCJ_ERR;
        r->at += 2;
        if (NCJread_hex(r, &low) != NCJ_OK || low < 0xDC00 || low > 0xDFFF)
            return NCJ_ERR;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        *o++ = (char)(0xF0 | code >> 18);
        *o++ = (char)(0x80 | (code >> 12 & 0x3F));
        *o++ = (char)(0x80 | (code >> 6 & 0x3F));
    } else if (code >= 0x800) {
        *o++ = (char)(0xE0 | code >> 12);
        *o++ = (char)(0x80 | (code >> 6 & 0x3F));
    } else if (code >= 0x80) {
        *o++ = (char)(0xC0 | code >> 6);
    }
    *o++ = (char)(code < 0x80 ? code : 0x80 | (code & 0x3F));
    *out = o;
    return NCJ_OK;
}

static inline int NCJread_escape(struct NCJreader *r, char **out)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *found;
    int c = r->at < r->end ? *r->at++ : 0;

    if (c == 'u')
        return NCJread_unicode(r, out);
    found = c ? strchr(letters, c) : NULL;
    if (!found)
        return NCJ_ERR;
    *(*out)++ = bytes[found - letters];
    return NCJ_OK;
}

/* The text is never longer than its source. */
static inline int NCJread_string(struct NCJreader *r, NCjson **jsonp)
{
    char *text = (char *)malloc((size_t)(r->end - r->at) + 1), *out = text;
    int rc = text ? NCJ_OK : NCJ_ERR;

    for (r->at++; rc == NCJ_OK && r->at < r->end && *r->at != '"';) {
        if (*r->at == '\\') {
            r->at++;
            rc = NCJread_escape(r, &out);
        } else if (*r->at) {
            *out++ = *r->at++;
        } else {
            rc = NCJ_ERR;
        }
    }
    if (rc == NCJ_OK && r->at >= r->end)
        rc = NCJ_ERR;
    if (rc == NCJ_OK) {
        r->at++;
        rc = NCJnewstringn(NCJ_STRING, (size_t)(out - text), text, jsonp);
    }
    free(text);
    return rc;
}

static inline int NCJread_word_sort(const char *word)
{
    char *end;

    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return NCJ_BOOLEAN;
    if (strcmp(word, "null") == 0)
        return NCJ_NULL;
    if (strcmp(word, "NaN") == 0 || strcmp(word, "Infinity") == 0 || strcmp(word, "-Infinity") == 0)
        return NCJ_DOUBLE;
    if (!isdigit((unsigned char)word[word[0] == '-']))
        return NCJ_UNDEF;
    if (strspn(word, "-0123456789") == strlen(word))
        return strrchr(word, '-') > word ? NCJ_UNDEF : NCJ_INT;
    (void)strtod(word, &end);
    return *end || strpbrk(word, "xXpP") ? NCJ_UNDEF : NCJ_DOUBLE;
}

static inline int NCJread_word(struct NCJreader *r, NCjson **jsonp)
{
    const char *start = r->at;
    NCjson *json = NULL;

    while (r->at < r->end && (isalnum((unsigned char)*r->at) || (*r->at && strchr("+-._", *r->at))))
        r->at++;
    if (r->at == start || NCJnewstringn(NCJ_UNDEF, (size_t)(r->at - start), start, &json) != NCJ_OK)
        return NCJ_ERR;
    json->sort = NCJread_word_sort(json->string);
    if (json->sort == NCJ_UNDEF) {
        NCJreclaim(json);
        return NCJ_ERR;
    }
    *jsonp = json;
    return NCJ_OK;
}

static inline int NCJread_key(struct NCJreader *r, NCjson *dict)
{
    NCjson *key = NULL;

    if (NCJread_peek(r) != '"' || NCJread_string(r, &key) != NCJ_OK)
        return NCJ_ERR;
    if (NCJread_peek(r) != ':' || NCJappend(dict, key) != NCJ_OK) {
        NCJreclaim(key);
        return NCJ_ERR;
    }
    r->at++;
    return NCJ_OK;
}

static inline int NCJread_list(struct NCJreader *r, NCjson *list)
{
    int close = list->sort == NCJ_DICT ? '}' : ']', more;
    NCjson *item = NULL;

    r->at++;
    more = NCJread_peek(r) != close;
    while (more) {
        if (list->sort == NCJ_DICT && NCJread_key(r, list) != NCJ_OK)
            return NCJ_ERR;
        if (NCJread_value(r, &item) != NCJ_OK)
            return NCJ_ERR;
        if (NCJappend(list, item) != NCJ_OK) {
            NCJreclaim(item);
            return NCJ_ERR;
        }
        more = NCJread_peek(r) == ',';
        r->at += more;
    }
    if (NCJread_peek(r) != close)
        return NCJ_ERR;
    r->at++;
    return NCJ_OK;
}

static inline int NCJread_value(struct NCJreader *r, NCjson **jsonp)
{
    int c = NCJread_peek(r), rc;
    NCjson *list = NULL;

    if (c == '"')
        return NCJread_string(r, jsonp);
    if (c != '{' && c != '[')
        return NCJread_word(r, jsonp);
    if (r->depth >= NCJ_DEPTH_MAX || NCJnew(c == '{' ? NCJ_DICT : NCJ_ARRAY, &list) != NCJ_OK)
        return NCJ_ERR;
    r->depth++;
    rc = NCJread_list(r, list);
    r->depth--;
    if (rc == NCJ_OK)
        *jsonp = list;
    else
        NCJreclaim(list);
    return rc;
}

static inline int NCJparsen(size_t len, const char *text, unsigned flags, NCjson **jsonp)
{
    struct NCJreader r;
    NCjson *json = NULL;

    (void)flags;
    if (!text || !jsonp)
        return NCJ_ERR;
    r.at = text;
    r.end = text + len;
    r.depth = 0;
    if (NCJread_value(&r, &json) != NCJ_OK)
        return NCJ_ERR;
    if (NCJread_peek(&r) >= 0) {
        NCJreclaim(json);
        return NCJ_ERR;
    }
    *jsonp = json;
    return NCJ_OK;
}

static inline int NCJparse(const char *text, unsigned flags, NCjson **jsonp)
{
    return text ? NCJparsen(strlen(text), text, flags, jsonp) : NCJ_ERR;
}

/* --- writing -------------------------------------------------------------------------------- */

struct NCJwriter {
    char *text;
    size_t len, cap;
};

static inline int NCJwrite(struct NCJwriter *w, const char *text, size_t n)
{
    size_t cap = w->cap ? w->cap : 64;
    char *more;

    while (cap < w->len + n + 1)
        cap *= 2;
    if (cap > w->cap) {
        more = (char *)realloc(w->text, cap);
        if (!more)
            return NCJ_ERR;
        w->text = more;
        w->cap = cap;
    }
    memcpy(w->text + w->len, text, n);
    w->len += n;
    w->text[w->len] = '\0';
    return NCJ_OK;
}

static inline int NCJwrite_string(struct NCJwriter *w, const char *text)
{
    char escaped[8];
    int rc = NCJwrite(w, "\"", 1);

    for (; rc == NCJ_OK && *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", c);
        else if (c < 0x20)
            snprintf(escaped, sizeof escaped, "\\u%04x", c);
        else
            snprintf(escaped, sizeof escaped, "%c", c);
        rc = NCJwrite(w, escaped, strlen(escaped));
    }
    return rc == NCJ_OK ? NCJwrite(w, "\"", 1) : rc;
}

static inline int NCJwrite_value(struct NCJwriter *w, const NCjson *json)
{
    const char *text = json->string ? json->string : "";
    int is_dict = json->sort == NCJ_DICT, rc;
    size_t i;

    if (json->sort == NCJ_STRING)
        return NCJwrite_string(w, text);
    if (json->sort == NCJ_NULL)
        return NCJwrite(w, "null", 4);
    if (json->sort != NCJ_DICT && json->sort != NCJ_ARRAY)
        return json->sort == NCJ_UNDEF ? NCJ_ERR : NCJwrite(w, text, strlen(text));
    rc = NCJwrite(w, is_dict ? "{" : "[", 1);
    for (i = 0; rc == NCJ_OK && i < json->list.len; i++) {
        if (i > 0)
            rc = NCJwrite(w, is_dict && i % 2 ? ": " : ", ", 2);
        if (rc == NCJ_OK)
            rc = NCJwrite_value(w, json->list.contents[i]);
    }
    return rc == NCJ_OK ? NCJwrite(w, is_dict ? "}" : "]", 1) : rc;
}

/* As text, yours to free. */
static inline int NCJunparse(const NCjson *json, unsigned flags, char **textp)
{
    struct NCJwriter w = {NULL, 0, 0};

    (void)flags;
    if (!json || !textp || NCJwrite_value(&w, json) != NCJ_OK) {
        free(w.text);
        return NCJ_ERR;
    }
    *textp = w.text;
    return NCJ_OK;
}

#endif
