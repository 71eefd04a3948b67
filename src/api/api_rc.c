/* Settings by name, as netCDF-C keeps them for its .rc files: a short list. */
#include "api.h"
#include "fork.h"
#include <string.h>

struct entry {
    char *key;
    char *value;
};

static struct cel_mutex lock = CEL_MUTEX_INIT;
static struct cel_vec entries;

CEL_FORK_LOCK(CEL_FORK_RC, &lock, false, NULL);

static struct entry *entry_of(const char *key)
{
    for (size_t i = 0; i < entries.n; i++) {
        struct entry *e = entries.at[i];

        if (strcmp(e->key, key) == 0)
            return e;
    }
    return NULL;
}

char *nc_rc_get(const char *key)
{
    const struct entry *e;
    char *copy = NULL;

    if (!key)
        return NULL;
    cel_lock(&lock);
    e = entry_of(key);
    if (e)
        copy = cel_strdup(e->value);
    cel_unlock(&lock);
    return copy;
}

static void free_entry(struct entry *e)
{
    if (e) {
        free(e->key);
        free(e->value);
        free(e);
    }
}

static int add_entry(const char *key, char *value)
{
    struct entry *e = cel_calloc(1, sizeof *e);
    int rc = NC_ENOMEM;

    if (e) {
        e->key = cel_strdup(key);
        rc = e->key ? cel_vec_add(&entries, e) : NC_ENOMEM;
    }
    if (rc == CEL_OK)
        e->value = value;
    else
        free_entry(e);
    return rc;
}

int nc_rc_set(const char *key, const char *value)
{
    struct entry *e;
    char *copy;
    int rc = CEL_OK;

    if (!key || !value)
        return cel_fail(NC_EINVAL, "nc_rc_set needs a key and a value");
    copy = cel_strdup(value);
    if (!copy)
        return NC_ENOMEM;
    cel_lock(&lock);
    e = entry_of(key);
    if (e) {
        free(e->value);
        e->value = copy;
    } else {
        rc = add_entry(key, copy);
    }
    cel_unlock(&lock);
    if (rc != CEL_OK)
        free(copy);
    return rc;
}

void cel_rc_tidy(void)
{
    cel_lock(&lock);
    for (size_t i = 0; i < entries.n; i++)
        free_entry(entries.at[i]);
    cel_vec_dispose(&entries);
    cel_unlock(&lock);
}
