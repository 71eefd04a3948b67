/* SPDX-License-Identifier: BSD-3-Clause */
/* Names: which are legal, how they compare, and lists that are found by name.
 * Names are kept in normal form C, so that equal names are equal bytes; names that
 * came from a file stay as the file has them. */
#include "model_int.h"
#include "utf8.h"

static bool may_start(unsigned char c)
{
    return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool may_follow(unsigned char c)
{
    return c >= 0x20 && c != 0x7f && c != '/';
}

static int check_characters(const char *name)
{
    size_t n = strlen(name);

    if (!n)
        return cel_fail(NC_EBADNAME, "a name may not be empty");
    if (!may_start((unsigned char)name[0]))
        return cel_fail(NC_EBADNAME, "name '%.80s': must start with a letter, digit or underscore", name);
    for (size_t i = 0; i < n; i++)
        if (!may_follow((unsigned char)name[i]))
            return cel_fail(NC_EBADNAME,
                            "name '%.80s': character %zu may not be used: no '/' and no control characters", name, i);
    if (name[n - 1] == ' ')
        return cel_fail(NC_EBADNAME, "name '%.80s': may not end with a blank", name);
    return CEL_OK;
}

static int check_length(const char *name)
{
    if (strlen(name) > NC_MAX_NAME)
        return cel_fail(NC_EMAXNAME, "name '%.40s...' is longer than %d bytes", name, NC_MAX_NAME);
    return CEL_OK;
}

int cel_name_check_sought(const struct cel_dataset *ds, const char *name)
{
    return cel_is_classic_file(ds) ? CEL_OK : check_length(name);
}

int cel_name_check(const char *name, char **normal)
{
    char *fresh = NULL;
    int rc;

    if (!name)
        return cel_fail(NC_EINVAL, "a name is missing");
    rc = check_length(name);
    if (rc == CEL_OK)
        rc = check_characters(name);
    if (rc == CEL_OK)
        rc = cel_utf8_normal(name, &fresh);
    if (rc == CEL_OK)
        rc = check_length(fresh);
    if (rc != CEL_OK) {
        free(fresh);
        return rc;
    }
    *normal = fresh;
    return CEL_OK;
}

int cel_name_normal(const char *name, char **normal)
{
    return name ? cel_utf8_normal(name, normal) : cel_fail(NC_EINVAL, "a name is missing");
}

void *cel_listed_find(const struct cel_names *index, const char *name)
{
    void *object = cel_names_find(index, name);
    char *normal = NULL;

    if (object || cel_utf8_is_ascii(name) || !cel_utf8_valid(name))
        return object;
    if (cel_utf8_normal(name, &normal) != CEL_OK)
        return NULL;
    object = cel_names_find(index, normal);
    free(normal);
    return object;
}

int cel_listed_add(struct cel_vec *list, struct cel_names *index, const char *name, void *object)
{
    int rc = cel_vec_reserve(list, list->n + 1);

    if (rc == CEL_OK)
        rc = cel_names_add(index, name, object);
    if (rc == CEL_OK)
        list->at[list->n++] = object;
    return rc;
}

void cel_touch(enum cel_saved *saved)
{
    if (*saved == CEL_SAVED)
        *saved = CEL_CHANGED;
}

/* The container's name is remembered at the first rename, and forgotten when the
 * object gets it back. */
static void keep_old_name(const struct cel_named *it)
{
    char *old = *it->name;

    if (*it->saved == CEL_NEW || !it->saved_name || *it->saved_name) {
        free(old);
        return;
    }
    *it->saved_name = old;
}

int cel_named_rename(const struct cel_named *it, char *fresh)
{
    int rc = cel_names_add(it->index, fresh, it->object);

    if (rc != CEL_OK) {
        free(fresh);
        return rc;
    }
    cel_names_remove(it->index, *it->name);
    keep_old_name(it);
    *it->name = fresh;
    if (it->saved_name && *it->saved_name && strcmp(*it->saved_name, fresh) == 0) {
        free(*it->saved_name);
        *it->saved_name = NULL;
    }
    cel_touch(it->saved);
    return CEL_OK;
}
