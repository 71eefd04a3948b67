/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BUF_H
#define CEL_BUF_H

#include "status.h"
#include <stddef.h>

/* Bytes that grow, with a maximum given at birth. After a failure the buffer
 * keeps what it had. */
struct cel_buf {
    char *data; /* NULL while empty */
    size_t len;
    size_t cap;
    size_t max;
};
#define CEL_BUF_INIT(most) ((struct cel_buf){.max = (most)})

int cel_buf_reserve(struct cel_buf *b, size_t cap); /* room for cap bytes in all */
int cel_buf_resize(struct cel_buf *b, size_t len);  /* new bytes are not set */
int cel_buf_add(struct cel_buf *b, const void *p, size_t n);
int cel_buf_puts(struct cel_buf *b, const char *text);
int cel_buf_printf(struct cel_buf *b, const char *fmt, ...) CEL_PRINTF(2, 3);

/* A NUL-terminated string, yours to free; the buffer is empty afterwards. */
int cel_buf_take_string(struct cel_buf *b, char **out);
void cel_buf_dispose(struct cel_buf *b);

#endif
