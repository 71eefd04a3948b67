/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_JSONW_H
#define TOOL_JSONW_H

/* A JSON document written member by member, two spaces for each depth. key NULL: an item of a list. */

#include "text.h"

struct jsonw {
    struct text out;
    int depth;
    bool begun; /* the open object or list has a member */
};

void jsonw_open(struct jsonw *j, const char *key, char bracket);      /* '{' or '[' */
void jsonw_close(struct jsonw *j, char bracket);                      /* '}' or ']' */
void jsonw_text(struct jsonw *j, const char *key, const char *value); /* NULL: null */
void jsonw_count(struct jsonw *j, const char *key, unsigned long long value);
void jsonw_real(struct jsonw *j, const char *key, double value); /* NaN and the infinities become null */
void jsonw_bool(struct jsonw *j, const char *key, bool value);
void jsonw_null(struct jsonw *j, const char *key);
void jsonw_raw(struct jsonw *j, const char *key, const char *json);
void jsonw_sizes(struct jsonw *j, const char *key, const size_t *value, size_t n); /* a list in one line */

/* To standard output with a line end; false when it cannot be written, after saying so. The writer is empty then. */
bool jsonw_print(struct jsonw *j);

#endif
