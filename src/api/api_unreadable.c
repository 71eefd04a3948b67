/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar.h: objects of a file that could not be read, and why. */
#include "api.h"
#include "mem.h"
#include <cellar.h>

/* Variables and attributes may still lie in the file alone: what is wrong with them shows
 * when they are read. */
static int load_all(struct cel_group *group)
{
    int rc = cel_load_types(group->dataset);

    if (rc == CEL_OK)
        rc = cel_load_atts(group, NULL);
    for (size_t i = 0; rc == CEL_OK && i < group->vars.n; i++) {
        rc = cel_load_var(group->vars.at[i]);
        if (rc == CEL_OK)
            rc = cel_load_atts(group, group->vars.at[i]);
    }
    return rc;
}

int cellar_inq_nunreadable(int ncid, int *n)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = load_all(c.group);
    if (rc == CEL_OK)
        cel_output(n, (int)c.group->unreadable.n);
    return cel_call_end(&c, rc);
}

static int give_text(char **out, const char *text)
{
    if (!out)
        return CEL_OK;
    *out = cel_strdup(text);
    return *out ? CEL_OK : NC_ENOMEM;
}

static int give_entry(const struct cel_unreadable *entry, char **name, char **reason)
{
    int rc = give_text(name, entry->name);

    if (rc == CEL_OK)
        rc = give_text(reason, entry->reason);
    if (rc != CEL_OK && name) {
        free(*name);
        *name = NULL;
    }
    return rc;
}

int cellar_inq_unreadable(int ncid, int index, char **name, char **reason)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    cel_output(name, NULL);
    cel_output(reason, NULL);
    if (rc == CEL_OK && (index < 0 || (size_t)index >= c.group->unreadable.n))
        rc = cel_fail(NC_EINVAL,
                      "%d: the group %s has %zu objects that cannot be read; ask cellar_inq_nunreadable() first", index,
                      c.group->name, c.group->unreadable.n);
    if (rc == CEL_OK)
        rc = give_entry(c.group->unreadable.at[index], name, reason);
    return cel_call_end(&c, rc);
}
