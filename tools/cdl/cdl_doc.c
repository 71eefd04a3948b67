/* SPDX-License-Identifier: BSD-3-Clause */
/* A document's memory, which is freed as a whole, and its first error. */

#include "cdl.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct block *next;
    max_align_t data[];
};

void *cdl_alloc(struct cdl_doc *doc, size_t n, size_t size)
{
    struct block *b = tool_alloc(1, sizeof *b + n * size);

    b->next = doc->blocks;
    doc->blocks = b;
    return b->data;
}

char *cdl_strndup(struct cdl_doc *doc, const char *s, size_t len)
{
    char *copy = cdl_alloc(doc, len + 1, 1);

    memcpy(copy, s, len);
    return copy;
}

void *cdl_push(struct cdl_doc *doc, void *list, size_t n, size_t size)
{
    void *bigger;

    if (n & (n - 1))
        return list;
    bigger = cdl_alloc(doc, n ? 2 * n : 1, size);
    if (n)
        memcpy(bigger, list, n * size);
    return bigger;
}

void cdl_free(struct cdl_doc *doc)
{
    for (struct block *b = doc->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    text_free(&doc->error);
    *doc = (struct cdl_doc){0};
}

bool cdl_failed(const struct cdl_doc *doc)
{
    return doc->error.len > 0;
}

bool cdl_fail(struct cdl_doc *doc, struct cdl_place at, const char *fmt, ...)
{
    va_list ap;

    if (cdl_failed(doc))
        return false;
    if (at.line)
        text_printf(&doc->error, "%s:%d:%d: ", doc->file, at.line, at.column);
    else
        text_printf(&doc->error, "%s: ", doc->file);
    va_start(ap, fmt);
    text_vprintf(&doc->error, fmt, ap);
    va_end(ap);
    return false;
}
