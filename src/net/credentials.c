/* Credentials: each place is asked in turn until one has them. */
#include "credentials_int.h"
#include "env.h"
#include "mem.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EARLY 300 /* seconds before they end */

void cel_credentials_dispose(struct cel_credentials *c)
{
    if (c->secret)
        memset(c->secret, 0, strlen(c->secret));
    free(c->key);
    free(c->secret);
    free(c->token);
    *c = (struct cel_credentials){0};
}

bool cel_credentials_end(const struct cel_credentials *c, time_t now)
{
    return c->expires && now > c->expires - EARLY;
}

bool cel_parse_time(const char *text, time_t *out)
{
    struct tm tm = {0};

    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
               &tm.tm_sec) != 6)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    *out = timegm(&tm);
    return *out != (time_t)-1;
}

static int of_environment(struct cel_credentials *out)
{
    const char *key = cel_env_aws(CEL_AWS_ACCESS_KEY_ID), *secret = cel_env_aws(CEL_AWS_SECRET_ACCESS_KEY),
               *token = cel_env_aws(CEL_AWS_SESSION_TOKEN);

    if (!key && !secret)
        return CEL_ABSENT;
    if (!key || !secret)
        return cel_fail(NC_EAUTH, "%s is set and %s is not: set both, or neither",
                        key ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                        key ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID");
    out->key = cel_strdup(key);
    out->secret = cel_strdup(secret);
    out->token = token ? cel_strdup(token) : NULL;
    return out->key && out->secret && (!token || out->token) ? CEL_OK : NC_ENOMEM;
}

/* A profile may name a place that is not asked here: then its user is not nobody. */
static int refuse_other_places(const char *profile)
{
    static const char *const members[] = {"role_arn", "sso_start_url", "sso_session", "credential_process",
                                          "web_identity_token_file"};
    char *value;

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        int rc = cel_aws_setting_of(profile, members[i], &value);

        free(value);
        if (rc == CEL_OK)
            return cel_fail(NC_EAUTH,
                            "the profile '%s' gets its credentials by %s, which is not supported: set "
                            "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN (aws configure "
                            "export-credentials prints them)",
                            profile, members[i]);
        if (rc != CEL_ABSENT)
            return rc;
    }
    return CEL_ABSENT;
}

static int of_files(struct cel_credentials *out)
{
    const char *profile = cel_aws_profile();
    bool named = cel_env_aws(CEL_AWS_PROFILE) || cel_env_aws(CEL_AWS_DEFAULT_PROFILE), has;
    int rc = cel_aws_has_profile(profile, &has);

    if (rc != CEL_OK)
        return rc;
    if (!has)
        return named ? cel_fail(NC_EAUTH, "there is no profile '%s' in the files of AWS", profile) : CEL_ABSENT;
    rc = cel_aws_setting_of(profile, "aws_access_key_id", &out->key);
    if (rc == CEL_OK)
        rc = cel_aws_setting_of(profile, "aws_secret_access_key", &out->secret);
    if (rc == CEL_ABSENT)
        return out->key ? cel_fail(NC_EAUTH, "the profile '%s' has a key and no secret", profile)
                        : refuse_other_places(profile);
    if (rc == CEL_OK)
        rc = cel_aws_setting_of(profile, "aws_session_token", &out->token);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

int cel_credentials_find(struct cel_credentials *out)
{
    int (*const places[])(struct cel_credentials *) = {of_environment, of_files, cel_credentials_of_container,
                                                       cel_credentials_of_instance};
    int rc = CEL_ABSENT;

    *out = (struct cel_credentials){0};
    if (cel_env_aws_on(CEL_AWS_NO_SIGN_REQUEST))
        return CEL_OK;
    for (size_t i = 0; rc == CEL_ABSENT && i < sizeof places / sizeof *places; i++)
        rc = places[i](out);
    if (rc != CEL_OK)
        cel_credentials_dispose(out);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}
