/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CDL_VALUE_H
#define CDL_VALUE_H

/* Values and names as CDL text. */

#include "text.h"
#include "types.h"

struct cdl_digits {
    int of_float; /* significant digits of -p */
    int of_double;
};
#define CDL_DIGITS_INIT \
    { \
        7, 15 \
    }

void cdl_put_name(struct text *out, const char *name); /* special characters escaped */

/* types, dimensions, variables, data, group: words that begin a section with the colon behind them. */
bool cdl_is_section(const char *word);

/* Whether the word is a type of this kind of file only, so that it names nothing else there unless a backslash is before it. */
bool cdl_is_keyword(const char *word, int format);

/* The characters between quotes; `newline` is what a line feed becomes. */
void cdl_put_chars(struct text *out, const char *s, size_t len, const char *newline);
void cdl_put_quoted(struct text *out, const char *s, size_t len, const char *newline);

/* The same, where bytes that are no UTF-8 may be left as they are. */
void cdl_put_text(struct text *out, const char *s, size_t len, const char *newline, bool bytes_as_they_are);

/* The same for characters that need not be text: every byte beyond ASCII as \ooo, as netCDF-C has it. */
void cdl_put_bytes(struct text *out, const char *s, size_t len, const char *newline);

/* As in the data section: numbers without tags. */
void cdl_put_value(struct text *out, const struct type *t, const void *value, const struct cdl_digits *digits);

/* As in an attribute: numbers carry the tag of their type (1.5f, 3s, 7ULL). */
void cdl_put_tagged(struct text *out, const struct type *t, const void *value, const struct cdl_digits *digits);

#endif
