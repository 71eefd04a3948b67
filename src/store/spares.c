/* SPDX-License-Identifier: BSD-3-Clause */
/* A few blocks of memory, the last one given first: it is warm. */
#include "spares.h"

#define LARGEST ((size_t)4 << 20)

void cel_spares_init(struct cel_spares *s)
{
    cel_mutex_init(&s->lock);
}

struct cel_buf cel_spares_take(struct cel_spares *s, size_t max)
{
    struct cel_buf b = CEL_BUF_INIT(max);

    cel_lock(&s->lock);
    if (s->n && s->buf[s->n - 1].cap <= max) {
        b.data = s->buf[--s->n].data;
        b.cap = s->buf[s->n].cap;
    }
    cel_unlock(&s->lock);
    return b;
}

void cel_spares_give(struct cel_spares *s, struct cel_buf *buf)
{
    cel_lock(&s->lock);
    if (buf->data && buf->cap <= LARGEST && s->n < sizeof s->buf / sizeof *s->buf) {
        s->buf[s->n++] = *buf;
        *buf = (struct cel_buf){0};
    }
    cel_unlock(&s->lock);
    cel_buf_dispose(buf);
}

void cel_spares_drop(struct cel_spares *s)
{
    cel_lock(&s->lock);
    while (s->n)
        cel_buf_dispose(&s->buf[--s->n]);
    cel_unlock(&s->lock);
}

void cel_spares_dispose(struct cel_spares *s)
{
    cel_spares_drop(s);
    cel_mutex_dispose(&s->lock);
}
