/* ~/.aws/credentials and ~/.aws/config: sections of "name = value". A section of config is "[profile NAME]" or
 * "[default]", one of credentials "[NAME]". */
#include "buf.h"
#include "credentials_int.h"
#include "env.h"
#include "file.h"
#include "mem.h"
#include <fcntl.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)1 << 20)

static const struct {
    enum cel_env_aws variable;
    const char *usual; /* below the user's home */
    bool says_profile; /* "[profile NAME]" */
} files[] = {
    {CEL_AWS_SHARED_CREDENTIALS_FILE, ".aws/credentials", false},
    {CEL_AWS_CONFIG_FILE, ".aws/config", true},
};
#define NFILES (sizeof files / sizeof *files)

/* The whole file and a NUL. CEL_ABSENT: there is none, or none that can be read. */
static int read_file(const char *path, struct cel_buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = CEL_OK, e;
    struct stat st;
    size_t done = 0;

    if (fd < 0)
        return CEL_ABSENT;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        rc = CEL_ABSENT;
    else if ((uint64_t)st.st_size > FILE_MAX)
        rc = cel_fail(NC_EIO, "%s has more than %zu bytes, which is no file of settings", path, FILE_MAX);
    if (rc == CEL_OK)
        rc = cel_buf_resize(out, (size_t)st.st_size + 1);
    e = rc == CEL_OK ? cel_file_read(fd, 0, out->data, (size_t)st.st_size, &done) : 0;
    if (e)
        rc = cel_fail(NC_EIO, "%s cannot be read: %s", path, strerror(e));
    if (rc == CEL_OK)
        out->data[done] = '\0';
    close(fd);
    return rc;
}

static int load(size_t which, struct cel_buf *out)
{
    const char *named = cel_env_aws(files[which].variable), *folder = cel_env_aws(CEL_HOME);
    struct cel_buf path = CEL_BUF_INIT(1 << 16);
    int rc;

    *out = CEL_BUF_INIT(FILE_MAX + 1);
    if (!named && !folder)
        return CEL_ABSENT;
    rc = named ? cel_buf_puts(&path, named) : cel_buf_printf(&path, "%s/%s", folder, files[which].usual);
    if (rc == CEL_OK)
        rc = cel_buf_add(&path, "", 1);
    if (rc == CEL_OK)
        rc = read_file(path.data, out);
    cel_buf_dispose(&path);
    return rc;
}

static char *trim(char *text)
{
    size_t n;

    text += strspn(text, " \t\r");
    for (n = strlen(text); n && strchr(" \t\r", text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

static bool is_section(char *line, const char *profile, bool says_profile)
{
    char *end = strchr(line, ']'), *name;

    if (*line != '[' || !end)
        return false;
    *end = '\0';
    name = trim(line + 1);
    if (says_profile && strncmp(name, "profile", 7) == 0 && strchr(" \t", name[7]) && name[7])
        name = trim(name + 7);
    return strcmp(name, profile) == 0;
}

/* The member in the text, or without a name the section itself; NULL: not there. The text is cut up. */
static char *find(char *text, const char *profile, bool says_profile, const char *name)
{
    bool inside = false;

    for (char *line = text, *next; line; line = next) {
        char *equals;

        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (*line == '[') {
            inside = is_section(line, profile, says_profile);
            if (inside && !name)
                return line;
        } else if (inside && name && (equals = strchr(line, '=')) && !strchr(" \t#;", *line)) {
            *equals = '\0';
            if (strcmp(trim(line), name) == 0)
                return trim(equals + 1);
        }
    }
    return NULL;
}

const char *cel_aws_profile(void)
{
    const char *named = cel_env_aws(CEL_AWS_PROFILE);

    if (!named)
        named = cel_env_aws(CEL_AWS_DEFAULT_PROFILE);
    return named ? named : "default";
}

int cel_aws_setting_of(const char *profile, const char *name, char **out)
{
    int rc = CEL_ABSENT;

    *out = NULL;
    for (size_t i = 0; rc == CEL_ABSENT && i < NFILES; i++) {
        struct cel_buf text;
        char *value;

        rc = load(i, &text);
        value = rc == CEL_OK ? find(text.data, profile, files[i].says_profile, name) : NULL;
        if (value && *value) {
            *out = cel_strdup(value);
            rc = *out ? CEL_OK : NC_ENOMEM;
        } else if (rc == CEL_OK) {
            rc = CEL_ABSENT;
        }
        if (text.data)
            memset(text.data, 0, text.len);
        cel_buf_dispose(&text);
    }
    return rc;
}

int cel_aws_has_profile(const char *profile, bool *has)
{
    int rc = CEL_OK;

    *has = false;
    for (size_t i = 0; rc == CEL_OK && !*has && i < NFILES; i++) {
        struct cel_buf text;

        rc = load(i, &text);
        *has = rc == CEL_OK && find(text.data, profile, files[i].says_profile, NULL);
        if (rc == CEL_ABSENT)
            rc = CEL_OK;
        cel_buf_dispose(&text);
    }
    return rc;
}

int cel_aws_setting(const char *name, char **out)
{
    return cel_aws_setting_of(cel_aws_profile(), name, out);
}
