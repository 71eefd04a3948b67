/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON tree: looking at values and building them. Memory is ours (mem.h), so
 * that every request can fail and is seen to; null, true and false are shared by all
 * trees. Objects keep the order of their members in a list and find them by an index. */
#include "json_int.h"
#include "mem.h"
#include "number.h"
#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_FROM = 8 }; /* members: fewer are found as fast one by one */

static struct cel_json shared_null = {.type = CEL_JSON_NULL};
static struct cel_json shared_bool[2] = {{.type = CEL_JSON_BOOL, .number = 0}, {.type = CEL_JSON_BOOL, .number = 1}};

static bool is_shared(const struct cel_json *v)
{
    return v == &shared_null || v == &shared_bool[0] || v == &shared_bool[1];
}

static void free_members(struct json_members *m)
{
    for (size_t i = 0; m && i < m->n; i++) {
        free(m->at[i].key);
        cel_json_free(m->at[i].value);
    }
    if (m) {
        cel_names_dispose(&m->index);
        free(m->at);
    }
    free(m);
}

void cel_json_free(struct cel_json *v)
{
    if (!v || is_shared(v))
        return;
    if (v->type == CEL_JSON_OBJECT) {
        free_members(v->members);
    } else if (v->type == CEL_JSON_ARRAY) {
        for (size_t i = 0; i < v->n; i++)
            cel_json_free(v->item[i]);
        free(v->item);
    } else if (v->type == CEL_JSON_STRING) {
        free(v->string);
    } else if (v->type == CEL_JSON_DOUBLE) {
        free(v->text);
    }
    free(v);
}

/* --- looking ------------------------------------------------------------ */

enum cel_json_type cel_json_type(const struct cel_json *v)
{
    return v ? v->type : CEL_JSON_NULL;
}

size_t cel_json_count(const struct cel_json *v)
{
    if (cel_json_type(v) == CEL_JSON_OBJECT)
        return v->members->n;
    return cel_json_type(v) == CEL_JSON_ARRAY ? v->n : 0;
}

/* The member's position + 1; 0: absent. */
static size_t find_member(const struct json_members *m, const char *key)
{
    if (m->index.used)
        return (size_t)(uintptr_t)cel_names_find(&m->index, key);
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->at[i].key, key) == 0)
            return i + 1;
    return 0;
}

const struct cel_json *cel_json_get(const struct cel_json *object, const char *key)
{
    size_t at = cel_json_type(object) == CEL_JSON_OBJECT ? find_member(object->members, key) : 0;

    return at ? object->members->at[at - 1].value : NULL;
}

const struct cel_json *cel_json_item(const struct cel_json *array, size_t i)
{
    return cel_json_type(array) == CEL_JSON_ARRAY && i < array->n ? array->item[i] : NULL;
}

const struct cel_json *cel_json_member(const struct cel_json *object, size_t i, const char **key)
{
    if (cel_json_type(object) != CEL_JSON_OBJECT || i >= object->members->n)
        return NULL;
    *key = object->members->at[i].key;
    return object->members->at[i].value;
}

const struct cel_json *cel_json_next(const struct cel_json *object, const void **at, const char **key)
{
    const struct json_member *m = *at;

    if (cel_json_type(object) != CEL_JSON_OBJECT || !object->members->n)
        return NULL;
    m = m ? m + 1 : object->members->at;
    if (m == object->members->at + object->members->n)
        return NULL;
    *at = m;
    *key = m->key;
    return m->value;
}

bool cel_json_bool(const struct cel_json *v)
{
    return v == &shared_bool[1];
}

const char *cel_json_string(const struct cel_json *v, size_t *len)
{
    if (cel_json_type(v) != CEL_JSON_STRING)
        return NULL;
    if (len)
        *len = v->len;
    return v->string;
}

bool cel_json_int(const struct cel_json *v, bool lenient, int64_t *out)
{
    enum cel_json_type type = cel_json_type(v);
    size_t len = 0;
    const char *text = cel_json_string(v, &len);

    if (type == CEL_JSON_INT) {
        *out = (int64_t)v->number;
        return v->negative || v->number <= INT64_MAX;
    }
    if (type == CEL_JSON_DOUBLE) {
        if (!(v->real >= -9223372036854775808.0 && v->real < 9223372036854775808.0) || v->real != trunc(v->real))
            return false;
        *out = (int64_t)v->real;
        return true;
    }
    return lenient && text && cel_parse_int(text, len, out);
}

bool cel_json_uint(const struct cel_json *v, bool lenient, uint64_t *out)
{
    enum cel_json_type type = cel_json_type(v);
    size_t len = 0;
    const char *text = cel_json_string(v, &len);

    if (type == CEL_JSON_INT) {
        *out = v->number;
        return !v->negative;
    }
    if (type == CEL_JSON_DOUBLE) {
        if (!(v->real >= 0 && v->real < 18446744073709551616.0) || v->real != trunc(v->real))
            return false;
        *out = (uint64_t)v->real;
        return true;
    }
    return lenient && text && cel_parse_uint(text, len, out);
}

static bool special_double(const char *text, size_t len, double *out)
{
    static const struct {
        const char *text;
        double v;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"+Infinity", INFINITY}, {"-Infinity", -INFINITY}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].text) == len && memcmp(names[i].text, text, len) == 0) {
            *out = names[i].v;
            return true;
        }
    return false;
}

bool cel_json_double(const struct cel_json *v, bool lenient, double *out)
{
    enum cel_json_type type = cel_json_type(v);
    size_t len = 0;
    const char *text = cel_json_string(v, &len);

    if (type == CEL_JSON_INT)
        *out = v->negative ? (double)(int64_t)v->number : (double)v->number;
    else if (type == CEL_JSON_DOUBLE)
        *out = v->real;
    else
        return text && (special_double(text, len, out) || (lenient && cel_parse_double(text, len, out)));
    return true;
}

/* --- building ----------------------------------------------------------- */

static struct cel_json *new_value(enum cel_json_type type)
{
    struct cel_json *v = cel_calloc(1, sizeof *v);

    if (v)
        v->type = type;
    return v;
}

struct cel_json *cel_json_new_object(void)
{
    struct cel_json *v = new_value(CEL_JSON_OBJECT);

    if (v && !(v->members = cel_calloc(1, sizeof *v->members))) {
        free(v);
        return NULL;
    }
    return v;
}

struct cel_json *cel_json_new_array(void)
{
    return new_value(CEL_JSON_ARRAY);
}

struct cel_json *cel_json_adopt_string(char *text, size_t len)
{
    struct cel_json *v = text ? new_value(CEL_JSON_STRING) : NULL;

    if (!v) {
        free(text);
        return NULL;
    }
    v->string = text;
    v->len = len;
    return v;
}

struct cel_json *cel_json_new_string(const char *text, size_t len)
{
    char *copy = cel_malloc(len + 1);

    if (copy) {
        memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return cel_json_adopt_string(copy, len);
}

struct cel_json *cel_json_new_int(int64_t v)
{
    struct cel_json *made = cel_json_new_uint((uint64_t)v);

    if (made)
        made->negative = v < 0;
    return made;
}

struct cel_json *cel_json_new_uint(uint64_t v)
{
    struct cel_json *made = new_value(CEL_JSON_INT);

    if (made)
        made->number = v;
    return made;
}

struct cel_json *cel_json_new_real_as(double v, const char *text, size_t len)
{
    struct cel_json *made = new_value(CEL_JSON_DOUBLE);

    if (!made)
        return NULL;
    made->real = v;
    made->text = text ? cel_strndup(text, len) : NULL;
    if (text && !made->text) {
        free(made);
        return NULL;
    }
    return made;
}

static struct cel_json *new_real(double v, const char *text)
{
    return isfinite(v) ? cel_json_new_real_as(v, text, strlen(text)) : cel_json_new_string(text, strlen(text));
}

struct cel_json *cel_json_new_double(double v)
{
    char text[CEL_NUMBER_MAX];

    cel_print_double(v, text);
    return new_real(v, text);
}

struct cel_json *cel_json_new_float(float v)
{
    char text[CEL_NUMBER_MAX];

    cel_print_float(v, text);
    return new_real((double)v, text);
}

struct cel_json *cel_json_new_bool(bool v)
{
    return &shared_bool[v];
}

struct cel_json *cel_json_new_null(void)
{
    return &shared_null;
}

/* Room for one more in a list of n that grows at powers of two. */
static int make_room(void *list, size_t n, size_t size)
{
    void *at, *grown;

    if (n & (n - 1))
        return CEL_OK;
    memcpy(&at, list, sizeof at);
    grown = cel_realloc(at, n ? 2 * n : 1, size);
    if (!grown)
        return NC_ENOMEM;
    memcpy(list, &grown, sizeof grown);
    return CEL_OK;
}

/* Called when `m` has a new last member. */
static int index_last(struct json_members *m)
{
    size_t first = m->index.used ? m->n - 1 : 0;

    if (m->n <= INDEX_FROM)
        return CEL_OK;
    for (size_t i = first; i < m->n; i++)
        if (cel_names_add(&m->index, m->at[i].key, (void *)(uintptr_t)(i + 1)) != CEL_OK) {
            if (!first) /* half of an index finds half of the members */
                cel_names_dispose(&m->index);
            return NC_ENOMEM;
        }
    return CEL_OK;
}

static int append_member(struct json_members *m, char *key, struct cel_json *v)
{
    int rc = make_room(&m->at, m->n, sizeof *m->at);

    if (rc != CEL_OK)
        return rc;
    m->at[m->n++] = (struct json_member){key, v};
    rc = index_last(m);
    if (rc != CEL_OK)
        m->n--;
    return rc;
}

int cel_json_add_new(struct cel_json *object, char *key, struct cel_json *v)
{
    int rc = find_member(object->members, key) ? CEL_ABSENT : append_member(object->members, key, v);

    if (rc != CEL_OK) {
        free(key);
        cel_json_free(v);
    }
    return rc;
}

int cel_json_set(struct cel_json *object, const char *key, struct cel_json *v)
{
    size_t at = find_member(object->members, key);
    char *copy;

    if (!v)
        return NC_ENOMEM; /* whoever made it has said so */
    if (at) {
        cel_json_free(object->members->at[at - 1].value);
        object->members->at[at - 1].value = v;
        return CEL_OK;
    }
    copy = cel_strdup(key);
    if (copy)
        return cel_json_add_new(object, copy, v);
    cel_json_free(v);
    return NC_ENOMEM;
}

int cel_json_set_text(struct cel_json *object, const char *key, const char *text)
{
    return cel_json_set(object, key, cel_json_new_string(text, strlen(text)));
}

int cel_json_push(struct cel_json *array, struct cel_json *v)
{
    int rc = v ? make_room(&array->item, array->n, sizeof(struct cel_json *)) : NC_ENOMEM;

    if (rc == CEL_OK)
        array->item[array->n++] = v;
    else
        cel_json_free(v);
    return rc;
}

/* Positions behind the removed member have changed. */
static void renumber(struct json_members *m, size_t from)
{
    for (size_t i = from; m->index.used && i < m->n; i++)
        cel_names_add(&m->index, m->at[i].key, (void *)(uintptr_t)(i + 1)); /* it is there: no memory is needed */
}

void cel_json_remove(struct cel_json *object, const char *key)
{
    struct json_members *m = object->members;
    size_t at = find_member(m, key);
    struct json_member gone;

    if (!at)
        return;
    gone = m->at[at - 1];
    cel_names_remove(&m->index, key);
    m->n--;
    memmove(m->at + at - 1, m->at + at, (m->n - at + 1) * sizeof *m->at);
    renumber(m, at - 1);
    free(gone.key);
    cel_json_free(gone.value);
}

/* --- copying --------------------------------------------------------------- */

static int copy_members(const struct json_members *from, struct cel_json *to)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < from->n; i++) {
        struct cel_json *value;

        rc = cel_json_copy(from->at[i].value, &value);
        if (rc == CEL_OK)
            rc = cel_json_set(to, from->at[i].key, value);
    }
    return rc;
}

static int copy_items(const struct cel_json *from, struct cel_json *to)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < from->n; i++) {
        struct cel_json *value;

        rc = cel_json_copy(from->item[i], &value);
        if (rc == CEL_OK)
            rc = cel_json_push(to, value);
    }
    return rc;
}

static struct cel_json *copy_single(const struct cel_json *v)
{
    struct cel_json *copy;

    if (v->type == CEL_JSON_STRING)
        return cel_json_new_string(v->string, v->len);
    if (v->type == CEL_JSON_DOUBLE)
        return cel_json_new_real_as(v->real, v->text, v->text ? strlen(v->text) : 0);
    copy = cel_json_new_uint(v->number);
    if (copy)
        copy->negative = v->negative;
    return copy;
}

static int copy_nest(const struct cel_json *v, struct cel_json **out)
{
    bool is_object = v->type == CEL_JSON_OBJECT;
    int rc;

    *out = is_object ? cel_json_new_object() : cel_json_new_array();
    if (!*out)
        return NC_ENOMEM;
    rc = is_object ? copy_members(v->members, *out) : copy_items(v, *out);
    if (rc != CEL_OK) {
        cel_json_free(*out);
        *out = NULL;
    }
    return rc;
}

int cel_json_copy(const struct cel_json *v, struct cel_json **out)
{
    *out = NULL;
    if (!v || is_shared(v)) {
        *out = v ? (struct cel_json *)v : &shared_null;
        return CEL_OK;
    }
    if (v->type == CEL_JSON_OBJECT || v->type == CEL_JSON_ARRAY)
        return copy_nest(v, out);
    *out = copy_single(v);
    return *out ? CEL_OK : NC_ENOMEM;
}

int cel_json_copy_members(const struct cel_json *from, const char *except, struct cel_json *to)
{
    const struct cel_json *member;
    const void *at = NULL;
    const char *key;
    int rc = CEL_OK;

    while (rc == CEL_OK && (member = cel_json_next(from, &at, &key))) {
        struct cel_json *copy;

        if (strcmp(key, except) == 0)
            continue;
        rc = cel_json_copy(member, &copy);
        if (rc == CEL_OK)
            rc = cel_json_set(to, key, copy);
    }
    return rc;
}
