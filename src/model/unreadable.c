/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that a container found in its file and cannot read: each is listed in its group
 * with the reason, so that none of them prevents opening the file. */
#include "model_int.h"

static void free_entry(struct cel_unreadable *entry)
{
    if (!entry)
        return;
    free(entry->name);
    free(entry->reason);
    free(entry);
}

int cel_group_note_unreadable(struct cel_group *group, const char *name, const char *reason)
{
    struct cel_unreadable *entry = cel_calloc(1, sizeof *entry);
    bool complete = entry && (entry->name = cel_strdup(name)) && (entry->reason = cel_strdup(reason));
    int rc = complete ? cel_vec_add(&group->unreadable, entry) : NC_ENOMEM;

    if (rc != CEL_OK)
        free_entry(entry);
    return rc;
}

int cel_var_note_unreadable(struct cel_var *var, const char *reason)
{
    char *why = cel_strdup(reason);
    int rc = why ? cel_group_note_unreadable(var->group, var->name, reason) : NC_ENOMEM;

    if (rc != CEL_OK) {
        free(why);
        return rc;
    }
    free(var->why);
    var->why = why;
    var->unreadable = true;
    return CEL_OK;
}

int cel_var_check_rank(const struct cel_var *var)
{
    return var->ndims <= CEL_RANK_MAX
               ? CEL_OK
               : cel_fail(NC_EMAXDIMS, "%d dimensions are more than the %d that can be read or written", var->ndims,
                          CEL_RANK_MAX);
}

int cel_var_check_access(const struct cel_var *var, bool mapped)
{
    if (mapped && var->type->group)
        return cel_fail(NC_EMAPTYPE, "an index map is for atomic types only, and this is of type %s", var->type->name);
    if (var->unreadable)
        return cel_fail(NC_EBADTYPE, "%s", var->why ? var->why : "its type or layout cannot be read");
    return CEL_OK;
}

const struct cel_unreadable *cel_group_find_unreadable(const struct cel_group *group, const char *name)
{
    for (size_t i = 0; i < group->unreadable.n; i++) {
        const struct cel_unreadable *entry = group->unreadable.at[i];

        if (strcmp(entry->name, name) == 0)
            return entry;
    }
    return NULL;
}

void cel_unreadable_dispose(struct cel_vec *list)
{
    for (size_t i = 0; i < list->n; i++)
        free_entry(list->at[i]);
    cel_vec_dispose(list);
}
