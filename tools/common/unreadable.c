/* SPDX-License-Identifier: BSD-3-Clause */
#include "unreadable.h"
#include "cellar.h"
#include "msg.h"
#include "walk.h"
#include <stdlib.h>
#include <string.h>

/* "/ocean/temp: /dtype: ..." of the object temp: messages name it in their own way. */
static void remove_path(const char *name, char *reason)
{
    char *end = strstr(reason, ": ");
    size_t n = strlen(name), before = end ? (size_t)(end - reason) : 0;

    if (*reason == '/' && before > n && end[-(ptrdiff_t)n - 1] == '/' && strncmp(end - n, name, n) == 0)
        memmove(reason, end + 2, strlen(end + 2) + 1);
}

int unreadable_load(int group, struct unreadable *out)
{
    int n = 0, status = cellar_inq_nunreadable(group, &n);

    *out = (struct unreadable){0};
    if (status || !n)
        return status;
    out->name = tool_alloc((size_t)n, sizeof *out->name);
    out->reason = tool_alloc((size_t)n, sizeof *out->reason);
    while (status == NC_NOERR && out->n < n) {
        status = cellar_inq_unreadable(group, out->n, &out->name[out->n], &out->reason[out->n]);
        if (status == NC_NOERR) {
            remove_path(out->name[out->n], out->reason[out->n]);
            out->n++;
        }
    }
    return status;
}

const char *unreadable_reason(const struct unreadable *u, const char *name)
{
    for (int i = 0; i < u->n; i++)
        if (strcmp(u->name[i], name) == 0)
            return u->reason[i];
    return NULL;
}

void unreadable_free(struct unreadable *u)
{
    for (int i = 0; i < u->n; i++) {
        cellar_free(u->name[i]);
        cellar_free(u->reason[i]);
    }
    free(u->name);
    free(u->reason);
    *u = (struct unreadable){0};
}

struct warning {
    const char *done;
    size_t n;
};

static int warn_of_group(int group, void *arg)
{
    struct warning *w = arg;
    struct unreadable u;
    char *path = walk_path(group);
    int status = unreadable_load(group, &u);

    for (int i = 0; i < u.n; i++, w->n++)
        msg_warn("%s%s%s is not %s: %s", path, path[1] ? "/" : "", u.name[i], w->done, u.reason[i]);
    unreadable_free(&u);
    free(path);
    return status;
}

int unreadable_warn(int root, const char *done, size_t *n)
{
    struct warning w = {done, 0};
    int status = walk_all(root, warn_of_group, &w);

    if (n)
        *n = w.n;
    return status;
}
