/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings by name, from files and from the program: a short list. */
#include "rc.h"
#include "buf.h"
#include "env.h"
#include "fork.h"
#include "text_file.h"
#include "vec.h"
#include <ctype.h>
#include <strings.h>
#include <sys/stat.h>

#define PATH_TEXT_MAX ((size_t)1 << 16)

struct entry {
    char *host; /* "" for all: lower case, without the port that its scheme has anyway */
    char *key;
    char *value;
};

static struct cel_mutex lock = CEL_MUTEX_INIT;
static struct cel_vec entries;
static bool loaded;

CEL_FORK_LOCK(CEL_FORK_RC, &lock, false, NULL);

/* --- the list, with the lock held -------------------------------------------------------- */

static struct entry *entry_of(const char *key, const char *host)
{
    for (size_t i = 0; i < entries.n; i++) {
        struct entry *e = entries.at[i];

        if (strcmp(e->key, key) == 0 && strcmp(e->host, host) == 0)
            return e;
    }
    return NULL;
}

static void free_text(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

static void free_entry(struct entry *e)
{
    if (e) {
        free(e->host);
        free(e->key);
        free_text(e->value);
        free(e);
    }
}

static int add(const char *host, const char *key, const char *value)
{
    struct entry *e = cel_calloc(1, sizeof *e);
    int rc = e ? CEL_OK : NC_ENOMEM;

    if (rc == CEL_OK) {
        e->host = cel_strdup(host);
        e->key = cel_strdup(key);
        e->value = cel_strdup(value);
        rc = e->host && e->key && e->value ? cel_vec_add(&entries, e) : NC_ENOMEM;
    }
    if (rc != CEL_OK)
        free_entry(e);
    return rc;
}

static int put(const char *host, const char *key, const char *value)
{
    struct entry *e = entry_of(key, host);
    char *copy;

    if (!e)
        return add(host, key, value);
    copy = cel_strdup(value);
    if (!copy)
        return NC_ENOMEM;
    free_text(e->value);
    e->value = copy;
    return CEL_OK;
}

/* --- files --------------------------------------------------------------------------------- */

/* What has an effect here; the rest gets a warning, where it is about requests. */
static const struct {
    const char *key;
    bool secret;
} known[] = {
    {"HTTP.CREDENTIALS.USERPASSWORD", true},
    {"HTTP.CREDENTIALS.USERNAME", false},
    {"HTTP.CREDENTIALS.PASSWORD", true},
    {"HTTP.NETRC", false},
    {"HTTP.SSL.CAINFO", false},
    {"HTTP.SSL.CAPATH", false},
    {"HTTP.SSL.CERTIFICATE", false},
    {"HTTP.SSL.KEY", false},
    {"HTTP.SSL.KEYPASSWORD", true},
    {"HTTP.PROXY.SERVER", false},
    {"HTTP.PROXY_SERVER", false},
    {"HTTP.TIMEOUT", false},
    {"HTTP.USERAGENT", false},
};

static bool is_never(const char *key, const char *value)
{
    bool verify = strcmp(key, "HTTP.SSL.VERIFYPEER") == 0 || strcmp(key, "HTTP.SSL.VERIFYHOST") == 0 ||
                  strcmp(key, "HTTP.SSL.VALIDATE") == 0;

    return !verify || strcmp(value, "0") == 0 || strcasecmp(value, "false") == 0 || strcasecmp(value, "off") == 0;
}

/* May this line of a file count? */
static bool is_taken(const char *path, const char *key, const char *value, bool is_private)
{
    if (strncmp(key, "HTTP.", 5) != 0)
        return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].key, key) != 0)
            continue;
        if ((known[i].secret || strchr(value, '@')) && !is_private) {
            cel_warn("%s: %s is not taken from a file that others may read: chmod 600 it", path, key);
            return false;
        }
        return true;
    }
    if (is_never(key, value))
        cel_warn("%s: %s has no effect here; certificates are always verified", path, key);
    return true;
}

/* "https://Host:443/path" or "Host" as "host". */
static char *tidy_host(char *text)
{
    char *scheme = strstr(text, "://"), *host = scheme ? scheme + 3 : text, *port;

    host[strcspn(host, "/?#")] = '\0';
    for (char *c = host; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    port = strrchr(host, ':');
    if (port && (strcmp(port, ":443") == 0 || strcmp(port, ":80") == 0))
        *port = '\0';
    return host;
}

static int take_line(char *line, const char *path, bool is_private)
{
    char nobody[] = "", *host = nobody, *key, *value;

    line = cel_text_trim(line);
    if (*line == '#' || !*line)
        return CEL_OK;
    if (*line == '[') {
        char *end = strchr(line, ']');

        if (!end) {
            cel_warn("%s: a line with a '[' and no ']' is passed over", path);
            return CEL_OK;
        }
        *end = '\0';
        host = tidy_host(cel_text_trim(line + 1));
        line = end + 1;
    }
    value = strchr(line, '=');
    if (value)
        *value++ = '\0';
    key = cel_text_trim(line);
    value = value ? cel_text_trim(value) : nobody;
    return *key && is_taken(path, key, value, is_private) ? put(host, key, value) : CEL_OK;
}

int cel_rc_parse(char *text, const char *path, bool is_private)
{
    int rc = CEL_OK;

    for (char *line; rc == CEL_OK && (line = cel_text_line(&text));)
        rc = take_line(line, path, is_private);
    return rc;
}

static int load_file(const char *path)
{
    struct cel_buf text = CEL_BUF_INIT(CEL_TEXT_FILE_MAX + 1);
    struct cel_text_access access;
    int rc = cel_text_load(path, &text, &access);

    if (rc == CEL_OK && access.others_write)
        cel_warn("%s is not read, as others may write it: chmod 600 it", path);
    else if (rc == CEL_OK)
        rc = cel_rc_parse(text.data, path, !access.others_read);
    cel_text_wipe(&text);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

/* Who unpacks an archive in a folder would let it say whom to trust. */
static void warn_of_folder(const char *name, const char *theirs)
{
    struct stat here, there;

    if (stat(name, &here) == 0 &&
        (stat(theirs, &there) != 0 || there.st_ino != here.st_ino || there.st_dev != here.st_dev))
        cel_warn("%s of this folder is not read: its lines belong in %s, or name it in NCRCENV_RC", name, theirs);
}

static int load_from_home(const char *name)
{
    struct cel_buf path = CEL_BUF_INIT(PATH_TEXT_MAX);
    int rc = cel_buf_printf(&path, "%s/%s", cel_env_aws(CEL_HOME), name);

    if (rc == CEL_OK)
        rc = cel_buf_add(&path, "", 1);
    if (rc == CEL_OK)
        rc = load_file(path.data);
    if (rc == CEL_OK)
        warn_of_folder(name, path.data);
    cel_buf_dispose(&path);
    return rc;
}

static int load(void)
{
    static const char *const names[] = {".ncrc", ".daprc", ".dodsrc"};
    const char *named = cel_env_rc_file();
    int rc = CEL_OK;

    if (loaded || cel_env_rc_ignored())
        return CEL_OK;
    loaded = true;
    if (named)
        return load_file(named);
    for (size_t i = 0; rc == CEL_OK && cel_env_aws(CEL_HOME) && i < sizeof names / sizeof *names; i++)
        rc = load_from_home(names[i]);
    return rc;
}

/* --- calls ----------------------------------------------------------------------------------- */

int cel_rc_set(const char *key, const char *value)
{
    int rc;

    cel_lock(&lock);
    rc = load();
    if (rc == CEL_OK)
        rc = put("", key, value);
    cel_unlock(&lock);
    return rc;
}

int cel_rc_find(const char *key, const char *host, char **out)
{
    char *copy = host ? cel_strdup(host) : NULL;
    const struct entry *e = NULL;
    int rc;

    *out = NULL;
    if (host && !copy)
        return NC_ENOMEM;
    cel_lock(&lock);
    rc = load();
    if (rc == CEL_OK && host)
        e = entry_of(key, tidy_host(copy));
    if (rc == CEL_OK && !e)
        e = entry_of(key, "");
    if (e) {
        *out = cel_strdup(e->value);
        rc = *out ? CEL_OK : NC_ENOMEM;
    }
    cel_unlock(&lock);
    free(copy);
    return rc;
}

bool cel_rc_any(void)
{
    bool any;

    cel_lock(&lock);
    any = load() != CEL_OK || entries.n;
    cel_unlock(&lock);
    return any;
}

void cel_rc_tidy(void)
{
    cel_lock(&lock);
    for (size_t i = 0; i < entries.n; i++)
        free_entry(entries.at[i]);
    cel_vec_dispose(&entries);
    loaded = false;
    cel_unlock(&lock);
}
