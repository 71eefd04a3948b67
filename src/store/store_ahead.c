/* SPDX-License-Identifier: BSD-3-Clause */
/* Fetches values and ranges that will be read soon, so that many requests are in flight while few threads wait. A read takes its
 * value from the list. If fetching failed, the read makes its own request and reports that request's error. The list is short:
 * entries that nobody has read make way for new ones. */
#include "mem.h"
#include "store_cache.h"
#include "store_remote_int.h"
#include <stdlib.h>
#include <string.h>

#define OLD_SECONDS 30 /* what nobody came for is not what the server has any more */
#define MOST 128       /* fetched and not taken */
/* All of them together; what does not fit is fetched when it is asked for, by whoever knows how large it may be. */
#define BYTES_MAX ((size_t)256 << 20)

struct cel_ahead_entry {
    struct cel_ahead_entry *next;
    char *key;
    bool whole, kept;
    uint64_t offset;
    size_t n;
    struct cel_store_mark mark;
    time_t since;
    struct cel_buf value;
    struct cel_net_header condition;
    struct cel_remote_call call;
    struct cel_ranges *ranges; /* it comes with others; NULL: it comes alone */
    struct cel_ahead *list;
    size_t reserved; /* of its budget, for a range: a whole value takes what it needs when it comes */
};

static void free_entry(struct cel_ahead_entry *e)
{
    if (!e)
        return;
    cel_remote_end(&e->call);
    cel_ranges_release(e->ranges);
    cel_spares_give(&e->list->spares, &e->value);
    e->list->budget += e->reserved;
    free(e->key);
    free(e);
}

static bool is_for(const struct cel_ahead_entry *e, const struct cel_part_of *p)
{
    return e->whole == p->whole && e->offset == p->offset && e->n == p->n && strcmp(e->key, p->key) == 0;
}

/* With the lock held. NULL: it is not in the list. */
static struct cel_ahead_entry *unlink_entry(struct cel_ahead *a, const struct cel_part_of *p)
{
    for (struct cel_ahead_entry **at = &a->first; *at; at = &(*at)->next)
        if (!p || is_for(*at, p)) {
            struct cel_ahead_entry *e = *at;

            *at = e->next;
            a->n--;
            return e;
        }
    return NULL;
}

static struct cel_ahead_entry *find(const struct cel_ahead *a, const struct cel_part_of *p)
{
    struct cel_ahead_entry *e = a->first;

    while (e && !is_for(e, p))
        e = e->next;
    return e;
}

/* Behind all others: the first is the oldest. */
static void append(struct cel_ahead *a, struct cel_ahead_entry *e)
{
    struct cel_ahead_entry **at = &a->first;

    while (*at)
        at = &(*at)->next;
    *at = e;
    a->n++;
}

static struct cel_ahead_entry *make_entry(struct cel_remote *r, const struct cel_part_of *p)
{
    struct cel_ahead_entry *e = cel_calloc(1, sizeof *e);

    if (!e || !(e->key = cel_strdup(p->key))) {
        free(e);
        return NULL;
    }
    e->whole = p->whole;
    e->kept = p->kept;
    e->offset = p->offset;
    e->n = p->n;
    e->since = time(NULL);
    e->list = &r->ahead;
    e->value = cel_spares_take(&e->list->spares, BYTES_MAX);
    if (p->mark)
        e->mark = *p->mark;
    return e;
}

static struct cel_ahead_entry *start(struct cel_remote *r, const struct cel_part_of *p)
{
    struct cel_ahead_entry *e = make_entry(r, p);
    struct cel_remote_request request = {.method = "GET", .query = "", .ahead = true, .budget = &r->ahead.budget};
    int rc;

    if (!e)
        return NULL;
    e->condition = (struct cel_net_header){"if-match", cel_remote_condition(&e->mark)};
    request.key = e->key;
    request.header = &e->condition;
    request.nheaders = e->condition.value ? 1 : 0;
    request.into = p->whole ? &e->value : NULL;
    request.ranged = !p->whole;
    request.offset = p->offset;
    request.n = p->n;
    rc = p->whole ? CEL_OK : cel_net_take_budget(&e->list->budget, &e->reserved, p->n);
    if (rc == CEL_OK && !p->whole)
        rc = cel_buf_resize(&e->value, p->n);
    request.dst = e->value.data;
    if (rc == CEL_OK)
        rc = cel_remote_start(r, &request, &e->call);
    if (rc == CEL_OK)
        return e;
    free_entry(e);
    return NULL;
}

void cel_ahead_want(struct cel_remote *r, const struct cel_part_of *p)
{
    struct cel_ahead_entry *old = NULL, *e;
    struct cel_status before;
    unsigned forgotten;
    bool listed;

    cel_lock(&r->ahead.lock);
    forgotten = r->ahead.forgotten;
    listed = find(&r->ahead, p);
    if (!listed && r->ahead.n >= MOST)
        old = unlink_entry(&r->ahead, NULL);
    cel_unlock(&r->ahead.lock);
    free_entry(old);
    if (listed)
        return;
    cel_status_save(&before);
    e = start(r, p);
    cel_status_restore(&before);
    if (!e)
        return;
    cel_lock(&r->ahead.lock);
    if (forgotten == r->ahead.forgotten) {
        append(&r->ahead, e);
        e = NULL;
    }
    cel_unlock(&r->ahead.lock);
    free_entry(e); /* what was written or removed meanwhile may be this one */
}

/* --- several at once -------------------------------------------------------------------- */

enum { SEVERAL = 2 /* ranges from which on they are asked for together */ };

static void append_new(struct cel_remote *r, struct cel_ahead_entry *e, unsigned forgotten)
{
    struct cel_ahead_entry *old = NULL;

    cel_lock(&r->ahead.lock);
    if (forgotten == r->ahead.forgotten) {
        if (r->ahead.n >= MOST)
            old = unlink_entry(&r->ahead, NULL);
        append(&r->ahead, e);
        e = NULL;
    }
    cel_unlock(&r->ahead.lock);
    free_entry(old);
    free_entry(e);
}

static void append_all(struct cel_remote *r, struct cel_ranges *together, const struct cel_part_of *of,
                       const struct cel_range *range, size_t n)
{
    unsigned forgotten;

    cel_lock(&r->ahead.lock);
    forgotten = r->ahead.forgotten;
    cel_unlock(&r->ahead.lock);
    for (size_t i = 0; i < n; i++) {
        struct cel_part_of part = {
            .key = of->key, .offset = range[i].offset, .n = (size_t)range[i].n, .mark = of->mark};
        struct cel_ahead_entry *e = make_entry(r, &part);

        if (!e)
            continue;
        cel_ranges_hold(together);
        e->ranges = together;
        append_new(r, e, forgotten);
    }
}

/* What is kept on disk is kept range by range, and so asked for. */
void cel_remote_want_ranges(struct cel_store *s, const char *key, const struct cel_store_mark *mark,
                            const struct cel_range *range, size_t n)
{
    struct cel_remote *r = cel_remote_of(s);
    struct cel_ranges *together = NULL;
    struct cel_status before;

    cel_status_save(&before);
    if (n >= SEVERAL && !r->one_by_one && !cel_cache_is_on())
        together = cel_ranges_start(r, key, mark, range, n);
    if (together)
        append_all(r, together, &(struct cel_part_of){.key = key, .mark = mark}, range, n);
    for (size_t i = 0; !together && i < n; i++)
        cel_remote_want(s, key, mark, range[i].offset, (size_t)range[i].n);
    cel_ranges_release(together);
    cel_status_restore(&before);
}

/* The server sends no several ranges: those that came with this one come alone, before anybody waits for them. */
static void want_alone(struct cel_remote *r, const struct cel_ranges *together)
{
    struct cel_ahead_entry **at, *e;

    r->one_by_one = true;
    do {
        cel_lock(&r->ahead.lock);
        at = &r->ahead.first;
        while (*at && (*at)->ranges != together)
            at = &(*at)->next;
        e = *at;
        if (e) {
            *at = e->next;
            r->ahead.n--;
        }
        cel_unlock(&r->ahead.lock);
        if (e)
            cel_ahead_want(r, &(struct cel_part_of){.key = e->key, .offset = e->offset, .n = e->n, .mark = &e->mark});
        free_entry(e);
    } while (e);
}

static int receive_part(struct cel_remote *r, struct cel_ahead_entry *e, const struct cel_store_mark *mark)
{
    struct cel_range range = {e->offset, e->n};
    bool never = false;
    int rc = cel_buf_resize(&e->value, e->n);

    if (rc == CEL_OK)
        rc = cel_ranges_take(e->ranges, &range, mark, e->value.data, &never);
    if (never)
        want_alone(r, e->ranges);
    return rc == CEL_OK ? CEL_OK : CEL_SKIP;
}

/* A buffer that may still grow has memory of its own, which can be exchanged. */
static bool can_exchange(const struct cel_ahead_entry *e, const struct cel_buf *out)
{
    return !e->kept && out->cap < out->max && e->value.cap <= out->max;
}

static void exchange(struct cel_buf *value, struct cel_buf *out)
{
    struct cel_buf mine = *value;

    *value = (struct cel_buf){.data = out->data, .cap = out->cap, .max = value->max};
    *out = (struct cel_buf){.data = mine.data, .len = mine.len, .cap = mine.cap, .max = out->max};
}

static int deliver(struct cel_ahead_entry *e, struct cel_buf *out, void *dst)
{
    int rc = CEL_OK;

    if (out && e->value.len > out->max)
        return CEL_SKIP;
    if (out && can_exchange(e, out)) {
        exchange(&e->value, out);
        return CEL_OK;
    }
    if (out)
        rc = cel_buf_resize(out, e->value.len);
    if (rc == CEL_OK && e->value.len)
        memcpy(out ? out->data : dst, e->value.data, e->value.len);
    return rc;
}

/* What came: the value, that there is none (CEL_ABSENT), or nothing that can be used (CEL_SKIP). */
static int receive(struct cel_remote *r, struct cel_ahead_entry *e, const struct cel_store_mark *mark)
{
    bool old = time(NULL) - e->since > OLD_SECONDS;
    const struct cel_net_answer *a;
    int rc;

    if (e->ranges)
        return old ? CEL_SKIP : receive_part(r, e, mark);
    rc = old ? CEL_SKIP : cel_remote_wait(&e->call, &a);
    if (rc != CEL_OK)
        return CEL_SKIP;
    if (e->whole && a->status == 404)
        return cel_remote_refused(r, a, "read", e->key) == CEL_ABSENT ? CEL_ABSENT : CEL_SKIP;
    return (a->status == 200 || (a->status == 206 && !e->whole)) && cel_remote_is_of(a, mark) ? CEL_OK : CEL_SKIP;
}

int cel_ahead_take(struct cel_remote *r, const struct cel_part_of *p, struct cel_buf *out, void *dst)
{
    struct cel_ahead_entry *e;
    bool kept, last;
    int rc;

    cel_lock(&r->ahead.lock);
    e = find(&r->ahead, p);
    kept = e && e->kept;
    if (e && !kept)
        unlink_entry(&r->ahead, p);
    last = !r->ahead.n;
    cel_unlock(&r->ahead.lock);
    if (!e)
        return CEL_SKIP;
    rc = receive(r, e, p->mark);
    if (rc == CEL_OK)
        rc = deliver(e, out, dst);
    if (rc == CEL_SKIP)
        cel_error_clear();
    if (!kept)
        free_entry(e);
    if (last)
        cel_spares_drop(&r->ahead.spares);
    return rc;
}

int cel_ahead_size(struct cel_remote *r, const char *key, uint64_t *size)
{
    struct cel_ahead_entry *e;
    int rc;

    cel_lock(&r->ahead.lock);
    e = find(&r->ahead, &(struct cel_part_of){.key = key, .whole = true});
    e = e && e->kept ? e : NULL;
    cel_unlock(&r->ahead.lock);
    rc = e ? receive(r, e, NULL) : CEL_SKIP;
    if (rc == CEL_OK)
        *size = e->value.len;
    if (e && rc == CEL_SKIP)
        cel_error_clear();
    return rc;
}

void cel_remote_want_document(struct cel_store *s, const char *key)
{
    cel_ahead_want(cel_remote_of(s), &(struct cel_part_of){.key = key, .whole = true, .kept = true});
}

/* A list of entries that are in no other any more. */
static void free_all(struct cel_ahead_entry *gone)
{
    while (gone) {
        struct cel_ahead_entry *next = gone->next;

        free_entry(gone);
        gone = next;
    }
}

/* Those of a key, or with NULL all documents, leave the list. */
static void remove_some(struct cel_remote *r, const char *key)
{
    struct cel_ahead_entry **at = &r->ahead.first, *gone = NULL;

    cel_lock(&r->ahead.lock);
    r->ahead.forgotten++;
    while (*at) {
        struct cel_ahead_entry *e = *at;

        if (key ? strcmp(e->key, key) != 0 : !e->kept) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        e->next = gone;
        gone = e;
        r->ahead.n--;
    }
    cel_unlock(&r->ahead.lock);
    free_all(gone);
}

void cel_ahead_forget(struct cel_remote *r, const char *key)
{
    remove_some(r, key);
}

void cel_remote_settle(struct cel_store *s)
{
    remove_some(cel_remote_of(s), NULL);
}

void cel_ahead_init(struct cel_ahead *a)
{
    cel_mutex_init(&a->lock);
    cel_spares_init(&a->spares);
    a->budget = BYTES_MAX;
}

void cel_ahead_dispose(struct cel_ahead *a)
{
    struct cel_ahead_entry *e;

    while ((e = unlink_entry(a, NULL)))
        free_entry(e);
    cel_spares_dispose(&a->spares);
    cel_mutex_dispose(&a->lock);
}
