/* SPDX-License-Identifier: BSD-3-Clause */
/* Several ranges of a value with one request. Many web servers answer with one body that has all parts (byteranges.c). Others send
 * the whole value: its length shows that, and the transfer is stopped. */
#include "byteranges.h"
#include "mem.h"
#include "store_remote_int.h"
#include <netcdf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PART_HEAD = 512 /* bytes of the headers of a part, and more than any needs */ };

struct cel_ranges {
    atomic_int users;
    struct cel_mutex lock; /* one of them waits for the answer */
    struct cel_remote_call call;
    struct cel_buf body;
    char *key, *text;                /* of the header */
    struct cel_store_mark mark;      /* of the value */
    struct cel_net_header header[2]; /* the ranges; the condition */
};

static int print_text(const struct cel_range *range, size_t n, char **out)
{
    struct cel_buf text = CEL_BUF_INIT((size_t)1 << 16);
    int rc = cel_byteranges_print(range, n, &text);

    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, out);
    cel_buf_dispose(&text);
    return rc;
}

static int send(struct cel_remote *r, struct cel_ranges *g)
{
    struct cel_remote_request request = {.method = "GET",
                                         .key = g->key,
                                         .query = "",
                                         .header = g->header,
                                         .nheaders = g->header[1].value ? 2 : 1,
                                         .into = &g->body,
                                         .ahead = true,
                                         .budget = &r->ahead.budget};

    return cel_remote_start(r, &request, &g->call);
}

struct cel_ranges *cel_ranges_start(struct cel_remote *r, const char *key, const struct cel_store_mark *mark,
                                    const struct cel_range *range, size_t n)
{
    struct cel_ranges *g = cel_calloc(1, sizeof *g);
    size_t most = PART_HEAD;
    int rc = g ? CEL_OK : NC_ENOMEM;

    if (rc != CEL_OK)
        return NULL;
    g->users = 1;
    cel_mutex_init(&g->lock);
    for (size_t i = 0; i < n; i++)
        most += (size_t)range[i].n + PART_HEAD;
    g->body = CEL_BUF_INIT(most);
    if (mark)
        g->mark = *mark;
    g->key = cel_strdup(key);
    rc = g->key ? print_text(range, n, &g->text) : NC_ENOMEM;
    g->header[0] = (struct cel_net_header){"range", g->text};
    g->header[1] = (struct cel_net_header){"if-match", cel_remote_condition(&g->mark)};
    if (rc == CEL_OK)
        rc = send(r, g);
    if (rc == CEL_OK)
        return g;
    cel_ranges_release(g);
    return NULL;
}

void cel_ranges_hold(struct cel_ranges *g)
{
    atomic_fetch_add(&g->users, 1);
}

void cel_ranges_release(struct cel_ranges *g)
{
    if (!g || atomic_fetch_sub(&g->users, 1) > 1)
        return;
    cel_remote_end(&g->call);
    cel_buf_dispose(&g->body);
    cel_mutex_dispose(&g->lock);
    free(g->key);
    free(g->text);
    free(g);
}

/* The total that the part tells is the value's size, which is part of some marks. */
static bool is_of(const struct cel_net_answer *a, uint64_t total, const struct cel_store_mark *mark)
{
    struct cel_net_answer part = *a;

    part.total = total;
    return cel_remote_is_of(&part, mark);
}

int cel_ranges_take(struct cel_ranges *g, const struct cel_range *range, const struct cel_store_mark *mark, void *dst,
                    bool *never)
{
    const struct cel_net_answer *a = NULL;
    const char *bytes = NULL;
    uint64_t total = 0;
    int rc;

    cel_lock(&g->lock);
    rc = cel_remote_wait(&g->call, &a);
    cel_unlock(&g->lock);
    *never = a && (a->status == 200 || (a->status == 206 && !cel_byteranges_is(a->type)));
    if (rc == CEL_OK && a->status == 206)
        bytes = cel_byteranges_find(a->type, &g->body, range, &total);
    if (!bytes || !is_of(a, total, mark))
        return CEL_SKIP;
    memcpy(dst, bytes, (size_t)range->n);
    return CEL_OK;
}
