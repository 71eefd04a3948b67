/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_TEXT_H
#define TOOL_TEXT_H

/* Text that grows, and memory. When memory runs out the tool ends with a message (exit
 * code 1), so no caller has to check. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define TOOL_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TOOL_PRINTF(f, a)
#endif

void *tool_alloc(size_t n, size_t size); /* zeroed */
void *tool_grow(void *p, size_t n, size_t size);
char *tool_strdup(const char *s);
char *tool_strndup(const char *s, size_t len);

/* Space for one more item in a list of n items; it doubles when n is a power of two. */
void *tool_push(void *list, size_t n, size_t size);

struct text {
    char *s; /* NUL-terminated; NULL while empty */
    size_t len;
    size_t cap;
};

void text_putn(struct text *t, const char *s, size_t n);
void text_puts(struct text *t, const char *s);
void text_putc(struct text *t, char c);
void text_printf(struct text *t, const char *fmt, ...) TOOL_PRINTF(2, 3);
void text_vprintf(struct text *t, const char *fmt, va_list ap);
void text_clear(struct text *t);
const char *text_get(const struct text *t); /* never NULL */
char *text_take(struct text *t);            /* yours to free; the text is empty afterwards */
void text_free(struct text *t);

/* Whole file, NUL-terminated; NULL with errno set. path "-" is standard input. */
char *text_read_file(const char *path, size_t *len);

#endif
