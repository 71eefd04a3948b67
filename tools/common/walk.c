/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of ids: each inquiry asked twice, for the number and for the ids. */

#include "walk.h"
#include <stdlib.h>
#include <string.h>

typedef int inquire(int group, int *n, int *ids);

/* Files of the classic kind have no such list: an empty one. */
static int list(inquire *ask, int group, struct walk_ids *out)
{
    int status;

    *out = (struct walk_ids){0};
    status = ask(group, &out->n, NULL);
    if (status == NC_ENOTNC4) {
        out->n = 0;
        return NC_NOERR;
    }
    out->at = tool_alloc((size_t)out->n, sizeof *out->at);
    if (status == NC_NOERR && out->n)
        status = ask(group, NULL, out->at);
    return status;
}

static int ask_dims(int group, int *n, int *ids)
{
    return nc_inq_dimids(group, n, ids, 0);
}

int walk_groups(int group, struct walk_ids *out)
{
    return list(nc_inq_grps, group, out);
}

int walk_vars(int group, struct walk_ids *out)
{
    return list(nc_inq_varids, group, out);
}

int walk_dims(int group, struct walk_ids *out)
{
    return list(ask_dims, group, out);
}

int walk_types(int group, struct walk_ids *out)
{
    return list(nc_inq_typeids, group, out);
}

static int by_id(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

int walk_unlimited(int group, struct walk_ids *out)
{
    int status = list(nc_inq_unlimdims, group, out);

    if (status == NC_NOERR && out->n)
        qsort(out->at, (size_t)out->n, sizeof *out->at, by_id);
    return status;
}

void walk_free(struct walk_ids *ids)
{
    free(ids->at);
    *ids = (struct walk_ids){0};
}

bool walk_has(const struct walk_ids *ids, int id)
{
    return ids->n && bsearch(&id, ids->at, (size_t)ids->n, sizeof *ids->at, by_id);
}

char *walk_path(int group)
{
    size_t len = 0;
    char *path;

    if (nc_inq_grpname_len(group, &len) != NC_NOERR)
        return tool_strdup("/"); /* classic */
    path = tool_alloc(len + 2, 1);
    nc_inq_grpname_full(group, NULL, path);
    return path;
}

char *walk_var_path(int group, int varid)
{
    char name[NC_MAX_NAME + 1] = "?";
    char *path = walk_path(group);
    struct text t = {0};

    nc_inq_varname(group, varid, name);
    if (strcmp(path, "/") != 0)
        text_printf(&t, "%s/", path);
    text_puts(&t, name);
    free(path);
    return text_take(&t);
}

int walk_all(int root, int (*visit)(int group, void *arg), void *arg)
{
    struct walk_ids child;
    int status = visit(root, arg);

    if (status)
        return status;
    status = walk_groups(root, &child);
    for (int i = 0; status == NC_NOERR && i < child.n; i++)
        status = walk_all(child.at[i], visit, arg);
    walk_free(&child);
    return status;
}

/* Each group lists the unlimited dimensions of its own. */
bool walk_is_unlimited(int group, int dimid)
{
    struct walk_ids id;
    int parent;
    bool found = walk_unlimited(group, &id) == NC_NOERR && walk_has(&id, dimid);

    walk_free(&id);
    return found || (nc_inq_grp_parent(group, &parent) == NC_NOERR && walk_is_unlimited(parent, dimid));
}
