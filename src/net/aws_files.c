/* SPDX-License-Identifier: BSD-3-Clause */
/* ~/.aws/credentials and ~/.aws/config: sections of "name = value". A section of config is "[profile NAME]" or
 * "[default]", one of credentials "[NAME]". */
#include "buf.h"
#include "credentials_int.h"
#include "env.h"
#include "mem.h"
#include "rc.h"
#include "text_file.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    enum cel_env_aws variable;
    const char *usual; /* below the user's home */
    bool says_profile; /* "[profile NAME]" */
} files[] = {
    {CEL_AWS_SHARED_CREDENTIALS_FILE, ".aws/credentials", false},
    {CEL_AWS_CONFIG_FILE, ".aws/config", true},
};
#define NFILES (sizeof files / sizeof *files)

static int load(size_t which, struct cel_buf *out)
{
    const char *named = cel_env_aws(files[which].variable), *folder = cel_env_aws(CEL_HOME);
    struct cel_buf path = CEL_BUF_INIT(1 << 16);
    int rc;

    *out = CEL_BUF_INIT(CEL_TEXT_FILE_MAX + 1);
    if (!named && !folder)
        return CEL_ABSENT;
    rc = named ? cel_buf_puts(&path, named) : cel_buf_printf(&path, "%s/%s", folder, files[which].usual);
    if (rc == CEL_OK)
        rc = cel_buf_add(&path, "", 1);
    if (rc == CEL_OK)
        rc = cel_text_load(path.data, out, NULL);
    cel_buf_dispose(&path);
    return rc;
}

static bool is_section(char *line, const char *profile, bool says_profile)
{
    char *end = strchr(line, ']'), *name;

    if (*line != '[' || !end)
        return false;
    *end = '\0';
    name = cel_text_trim(line + 1);
    if (says_profile && strncmp(name, "profile", 7) == 0 && strchr(" \t", name[7]) && name[7])
        name = cel_text_trim(name + 7);
    return strcmp(name, profile) == 0;
}

char *cel_aws_find_in(char *text, const char *profile, bool says_profile, const char *name)
{
    bool inside = false;

    for (char *line; (line = cel_text_line(&text));) {
        char *equals;

        if (*line == '[') {
            inside = is_section(line, profile, says_profile);
            if (inside && !name)
                return line;
        } else if (inside && name && (equals = strchr(line, '=')) && !strchr(" \t#;", *line)) {
            *equals = '\0';
            if (strcmp(cel_text_trim(line), name) == 0)
                return cel_text_trim(equals + 1);
        }
    }
    return NULL;
}

int cel_aws_profile(char **out, bool *named)
{
    const char *set = cel_env_aws(CEL_AWS_PROFILE);
    int rc = CEL_OK;

    *out = NULL;
    if (!set)
        set = cel_env_aws(CEL_AWS_DEFAULT_PROFILE);
    if (!set)
        rc = cel_rc_find("AWS.PROFILE", NULL, out);
    *named = set || *out;
    if (rc == CEL_OK && !*out) {
        *out = cel_strdup(set ? set : "default");
        rc = *out ? CEL_OK : NC_ENOMEM;
    }
    return rc;
}

int cel_aws_setting_of(const char *profile, const char *name, char **out)
{
    int rc = CEL_ABSENT;

    *out = NULL;
    for (size_t i = 0; rc == CEL_ABSENT && i < NFILES; i++) {
        struct cel_buf text;
        char *value;

        rc = load(i, &text);
        value = rc == CEL_OK ? cel_aws_find_in(text.data, profile, files[i].says_profile, name) : NULL;
        if (value && *value) {
            *out = cel_strdup(value);
            rc = *out ? CEL_OK : NC_ENOMEM;
        } else if (rc == CEL_OK) {
            rc = CEL_ABSENT;
        }
        cel_text_wipe(&text);
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
        *has = rc == CEL_OK && cel_aws_find_in(text.data, profile, files[i].says_profile, NULL);
        if (rc == CEL_ABSENT)
            rc = CEL_OK;
        cel_text_wipe(&text);
    }
    return rc;
}

int cel_aws_setting(const char *name, char **out)
{
    char *profile;
    bool named;
    int rc = cel_aws_profile(&profile, &named);

    *out = NULL;
    if (rc == CEL_OK)
        rc = cel_aws_setting_of(profile, name, out);
    free(profile);
    return rc;
}
