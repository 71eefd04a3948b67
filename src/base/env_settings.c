/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings that replace the environment's for the datasets that one thread opens, so that two datasets of a program may be with
 * two providers. They are reference-counted, because a dataset needs them again when its credentials expire. */
#include "env_settings.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct cel_env_settings {
    atomic_int users;
    bool set[CEL_AWS_VARIABLES];
    char *value[CEL_AWS_VARIABLES];
};

static _Thread_local struct cel_env_settings *mine;

const struct cel_env_settings *cel_env_settings_mine(void)
{
    return mine;
}

bool cel_env_settings_have(const struct cel_env_settings *s, enum cel_env_aws which, const char **value)
{
    *value = s->value[which];
    return s->set[which];
}

static int add(struct cel_env_settings *s, const char *name, const char *value)
{
    enum cel_env_aws which;

    if (!cel_env_find_aws(name, &which))
        return cel_fail(NC_EINVAL, "'%.64s' is no setting of storage: docs/network.md has a list of them", name);
    if (s->set[which])
        return cel_fail(NC_EINVAL, "%s is set twice", name);
    s->set[which] = true;
    if (value && *value && !(s->value[which] = cel_strdup(value)))
        return NC_ENOMEM;
    return CEL_OK;
}

int cel_env_settings_make(const char *const *pair, struct cel_env_settings **out)
{
    struct cel_env_settings *s = cel_calloc(1, sizeof *s);
    int rc = s ? CEL_OK : NC_ENOMEM;

    *out = NULL;
    for (; rc == CEL_OK && *pair; pair += 2)
        rc = add(s, pair[0], pair[1]);
    if (s)
        s->users = 1;
    if (rc == CEL_OK)
        *out = s;
    else
        cel_env_settings_release(s);
    return rc;
}

struct cel_env_settings *cel_env_settings_keep(void)
{
    if (mine)
        atomic_fetch_add(&mine->users, 1);
    return mine;
}

struct cel_env_settings *cel_env_settings_use(struct cel_env_settings *these)
{
    struct cel_env_settings *before = mine;

    mine = these;
    return before;
}

void cel_env_settings_release(struct cel_env_settings *s)
{
    if (!s || atomic_fetch_sub(&s->users, 1) > 1)
        return;
    for (size_t i = 0; i < CEL_AWS_VARIABLES; i++) {
        if (s->value[i])
            explicit_bzero(s->value[i], strlen(s->value[i]));
        free(s->value[i]);
    }
    free(s);
}
