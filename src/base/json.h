/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_JSON_H
#define CEL_JSON_H

/* JSON, strict: UTF-8, no duplicate keys, no NUL in keys, depth 64,
 * integers that do not fit 64 bits are errors, bare NaN and Infinity are read.
 * Members keep their order. A value belongs to the object or array it was added
 * to; what cel_json_parse and cel_json_new_* give is yours until then. */

#include "buf.h"
#include <stdbool.h>
#include <stdint.h>

struct cel_json;
enum cel_json_type {
    CEL_JSON_NULL,
    CEL_JSON_BOOL,
    CEL_JSON_INT,
    CEL_JSON_DOUBLE,
    CEL_JSON_STRING,
    CEL_JSON_ARRAY,
    CEL_JSON_OBJECT
};

/* On failure the error names line and column (or the byte offset in *at, if not NULL). */
int cel_json_parse(const char *text, size_t len, struct cel_json **out, size_t *at);
void cel_json_free(struct cel_json *v);
int cel_json_copy(const struct cel_json *v, struct cel_json **out);                              /* deep */
int cel_json_copy_members(const struct cel_json *from, const char *except, struct cel_json *to); /* of objects */

enum cel_json_type cel_json_type(const struct cel_json *v);                          /* NULL counts as null */
size_t cel_json_count(const struct cel_json *v);                                     /* members or items; else 0 */
const struct cel_json *cel_json_get(const struct cel_json *object, const char *key); /* NULL: absent or no object */
const struct cel_json *cel_json_item(const struct cel_json *array, size_t i);
const struct cel_json *cel_json_member(const struct cel_json *object, size_t i, const char **key); /* in order */
/* The member after *at (NULL: the first); NULL after the last. */
const struct cel_json *cel_json_next(const struct cel_json *object, const void **at, const char **key);

bool cel_json_bool(const struct cel_json *v);
const char *cel_json_string(const struct cel_json *v, size_t *len); /* NULL: no string; may hold NULs */
/* False when v is no number, or has no such value. Strings that hold a number count when lenient. */
bool cel_json_int(const struct cel_json *v, bool lenient, int64_t *out);
bool cel_json_uint(const struct cel_json *v, bool lenient, uint64_t *out);
bool cel_json_double(const struct cel_json *v, bool lenient, double *out); /* also "NaN", "Infinity", "-Infinity" */

struct cel_json *cel_json_new_object(void);
struct cel_json *cel_json_new_array(void);
struct cel_json *cel_json_new_string(const char *text, size_t len);
struct cel_json *cel_json_new_int(int64_t v);
struct cel_json *cel_json_new_uint(uint64_t v);
struct cel_json *cel_json_new_double(double v); /* shortest exact form; NaN and infinities as strings */
struct cel_json *cel_json_new_float(float v);   /* shortest form that is exact as a float */
struct cel_json *cel_json_new_bool(bool v);
struct cel_json *cel_json_new_null(void); /* a value that prints as null */
int cel_json_set(struct cel_json *object, const char *key,
                 struct cel_json *v); /* takes v over, also on failure; v NULL: NC_ENOMEM */
int cel_json_set_text(struct cel_json *object, const char *key, const char *text);
int cel_json_push(struct cel_json *array, struct cel_json *v);
void cel_json_remove(struct cel_json *object, const char *key);

/* indent 0: one line. */
int cel_json_print(const struct cel_json *v, int indent, struct cel_buf *out);
/* The same, with \u escapes for everything beyond ASCII. */
int cel_json_print_ascii(const struct cel_json *v, int indent, struct cel_buf *out);

#endif
