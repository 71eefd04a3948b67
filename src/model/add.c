/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects a container found in its file. They are made without the checks of a definition,
 * which users alone must pass, and marked as saved. */
#include "model_int.h"

static int own_name(const struct cel_names *index, const char *name, char **out)
{
    if (cel_names_find(index, name))
        return cel_fail(NC_ENAMEINUSE, "%s: the file has this name twice in one group", name);
    *out = cel_strdup(name);
    return *out ? CEL_OK : NC_ENOMEM;
}

int cel_group_add(struct cel_group *parent, const char *name, struct cel_group **out)
{
    char *own = NULL;
    int rc = own_name(&parent->group_index, name, &own);

    if (rc == CEL_OK)
        rc = cel_group_make(parent->dataset, parent, own, out);
    if (rc == CEL_OK) {
        (*out)->saved = CEL_SAVED;
        (*out)->atts.loaded = false;
    }
    return rc;
}

int cel_dim_add(struct cel_group *group, const char *name, size_t len, bool unlimited, int id, struct cel_dim **out)
{
    char *own = NULL;
    int rc = own_name(&group->dim_index, name, &own);

    if (rc == CEL_OK)
        rc = cel_dim_make(group, own, id < 0 ? (int)group->dataset->dims.n : id, out);
    if (rc == CEL_OK) {
        (*out)->len = len;
        (*out)->unlimited = unlimited;
        (*out)->saved = CEL_SAVED;
    }
    return rc;
}

int cel_type_add(struct cel_group *group, const char *name, int klass, size_t size, struct cel_type **out)
{
    char *own = NULL;
    int rc = own_name(&group->type_index, name, &own);

    if (rc == CEL_OK)
        rc = cel_type_make(group, own, klass, size, out);
    if (rc == CEL_OK)
        (*out)->saved = CEL_SAVED;
    return rc;
}

int cel_var_add(struct cel_group *group, const char *name, int ndims, struct cel_var **out)
{
    char *own = NULL;
    int rc = own_name(&group->var_index, name, &own);

    if (rc == CEL_OK)
        rc = cel_var_make(group, own, ndims, out);
    if (rc == CEL_OK) {
        (*out)->saved = CEL_SAVED;
        (*out)->fill.settled = true;
        (*out)->loaded = false;
        (*out)->atts.loaded = false;
    }
    return rc;
}

int cel_att_add(struct cel_atts *atts, const char *name, const struct cel_type *type, size_t n, void *data,
                struct cel_att **out)
{
    struct cel_att *att;
    char *own = NULL;
    int rc = own_name(&atts->index, name, &own);

    if (rc == CEL_OK)
        rc = cel_att_make(atts, own, &att);
    if (rc != CEL_OK) {
        if (data)
            cel_value_reclaim(type, data, n);
        free(data);
        return rc;
    }
    att->type = type;
    att->n = n;
    att->data = data;
    att->saved = CEL_SAVED;
    cel_type_pin(type);
    if (out)
        *out = att;
    return CEL_OK;
}
