/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: making them, finding them by path, and what their names may be. */
#include "model_int.h"

int cel_group_make(struct cel_dataset *ds, struct cel_group *parent, char *name, struct cel_group **out)
{
    struct cel_group *group = cel_calloc(1, sizeof *group);
    int rc = NC_ENOMEM;

    if (!group) {
        free(name);
        return NC_ENOMEM;
    }
    group->name = name;
    group->dataset = ds;
    group->parent = parent;
    group->id = (int)ds->groups.n;
    group->atts.loaded = true;
    rc = cel_vec_reserve(&ds->groups, ds->groups.n + 1);
    if (rc == CEL_OK && parent)
        rc = cel_listed_add(&parent->groups, &parent->group_index, name, group);
    if (rc != CEL_OK) {
        cel_group_free(group);
        return rc;
    }
    ds->groups.at[ds->groups.n++] = group;
    *out = group;
    return CEL_OK;
}

void cel_group_free(struct cel_group *group)
{
    if (!group)
        return;
    for (size_t i = 0; i < group->vars.n; i++)
        cel_var_free(group->vars.at[i]);
    cel_atts_dispose(&group->atts);
    cel_vec_dispose(&group->groups);
    cel_vec_dispose(&group->dims);
    cel_vec_dispose(&group->vars);
    cel_vec_dispose(&group->types);
    cel_unreadable_dispose(&group->unreadable);
    cel_names_dispose(&group->group_index);
    cel_names_dispose(&group->dim_index);
    cel_names_dispose(&group->var_index);
    cel_names_dispose(&group->type_index);
    free(group->name);
    free(group->saved_name);
    free(group);
}

int cel_group_name_free(const struct cel_group *group, const char *name)
{
    const char *taken = cel_names_find(&group->var_index, name)     ? "variable"
                        : cel_names_find(&group->group_index, name) ? "group"
                        : cel_names_find(&group->type_index, name)  ? "type"
                        : cel_group_find_unreadable(group, name)    ? "unreadable object"
                                                                    : NULL;

    if (taken)
        return cel_fail(NC_ENAMEINUSE, "the group %s has a %s %s already", group->name, taken, name);
    return CEL_OK;
}

int cel_group_object_free(const struct cel_group *group, const char *name)
{
    int rc = cel_group_name_free(group, name);

    if (rc == CEL_OK && (group->dataset->features & CEL_ONE_NAMESPACE) && cel_names_find(&group->dim_index, name))
        rc = cel_fail(NC_ENAMEINUSE,
                      "the group %s has a dimension %s, and in files of this format both would be one object",
                      group->name, name);
    return rc;
}

static int check_new_group(struct cel_group *parent, const char *name)
{
    struct cel_dataset *ds = parent->dataset;
    int rc = cel_group_object_free(parent, name);

    if (rc == CEL_OK && ds->classic_model)
        rc = cel_fail(NC_ESTRICTNC3, "group %s: the classic model has no groups", name);
    return rc == CEL_OK ? cel_mode_define(ds) : rc;
}

int cel_group_def(struct cel_group *parent, const char *name, struct cel_group **out)
{
    char *normal = NULL;
    int rc = cel_dataset_refuse(parent->dataset, CEL_KEEPS_GROUPS, "a group");

    if (rc == CEL_OK)
        rc = cel_name_check(name, &normal);
    if (rc != CEL_OK)
        return rc;
    rc = check_new_group(parent, normal);
    if (rc == CEL_OK)
        return cel_group_make(parent->dataset, parent, normal, out);
    free(normal);
    return rc;
}

static int check_group_rename(struct cel_group *group, const char *normal)
{
    int rc = cel_group_object_free(group->parent, normal);

    return rc == CEL_OK ? cel_mode_define(group->dataset) : rc;
}

int cel_group_rename(struct cel_group *group, const char *name)
{
    struct cel_group *parent = group->parent;
    char *normal = NULL;
    int rc = cel_dataset_refuse(group->dataset, CEL_KEEPS_GROUPS, "a group");

    if (rc == CEL_OK)
        rc = cel_mode_write(group->dataset);
    if (rc == CEL_OK && !parent)
        rc = cel_fail(NC_EBADGRPID, "the root group cannot be renamed");
    if (rc == CEL_OK)
        rc = cel_name_check(name, &normal);
    if (rc != CEL_OK)
        return rc;
    rc = check_group_rename(group, normal);
    if (rc != CEL_OK) {
        free(normal);
        return rc;
    }
    return cel_named_rename(
        &(struct cel_named){&parent->group_index, group, &group->name, &group->saved_name, &group->saved}, normal);
}

struct cel_group *cel_group_find(const struct cel_group *parent, const char *name)
{
    return cel_listed_find(&parent->group_index, name);
}

static struct cel_group *child_named(const struct cel_group *parent, const char *name, size_t len)
{
    char part[NC_MAX_NAME * 4 + 1];

    if (len >= sizeof part)
        return NULL;
    memcpy(part, name, len);
    part[len] = '\0';
    return cel_group_find(parent, part);
}

int cel_group_by_path(struct cel_group *from, const char *path, struct cel_group **out)
{
    struct cel_group *at = *path == '/' ? from->dataset->root : from;
    const char *p = path;

    for (;;) {
        size_t len;

        p += strspn(p, "/");
        len = strcspn(p, "/");
        if (!len)
            break;
        at = child_named(at, p, len);
        if (!at)
            return cel_fail(NC_ENOGRP, "%.200s: there is no group %.*s", path, (int)(len > 200 ? 200 : len), p);
        p += len;
    }
    *out = at;
    return CEL_OK;
}

int cel_group_path(const struct cel_group *group, struct cel_buf *out)
{
    int rc = CEL_OK;

    if (!group->parent)
        return cel_buf_puts(out, "/");
    if (group->parent->parent)
        rc = cel_group_path(group->parent, out);
    if (rc == CEL_OK)
        rc = cel_buf_puts(out, "/");
    return rc == CEL_OK ? cel_buf_puts(out, group->name) : rc;
}
