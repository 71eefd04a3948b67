/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds credentials: asks each source in turn until one has them. Temporary ones are kept until they expire, because getting
 * them takes a request or a process, and a program may open many datasets. */
#include "credentials_int.h"
#include "env.h"
#include "fork.h"
#include "json.h"
#include "mem.h"
#include "sha256.h"
#include "text_file.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EARLY 300 /* seconds before they end, or half of what is left of a short life */
#define SETTINGS_MAX ((size_t)1 << 20)

static struct cel_mutex lock = CEL_MUTEX_INIT; /* guards what is kept */
static struct {
    unsigned char settings[CEL_SHA256_SIZE]; /* with which it was found */
    struct cel_credentials who;
} kept;

CEL_FORK_LOCK(CEL_FORK_CREDENTIALS, &lock, false, NULL);

static void wipe(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

void cel_credentials_dispose(struct cel_credentials *c)
{
    free(c->key);
    wipe(c->secret);
    wipe(c->token);
    *c = (struct cel_credentials){0};
}

bool cel_credentials_end(const struct cel_credentials *c, time_t now)
{
    return c->expires && now > c->expires - c->early;
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

static int copy(const char *key, const char *secret, const char *token, struct cel_credentials *out)
{
    out->key = cel_strdup(key);
    out->secret = cel_strdup(secret);
    out->token = token ? cel_strdup(token) : NULL;
    return out->key && out->secret && (!token || out->token) ? CEL_OK : NC_ENOMEM;
}

int cel_credentials_of_environment(struct cel_credentials *out)
{
    const char *key = cel_env_aws(CEL_AWS_ACCESS_KEY_ID), *secret = cel_env_aws(CEL_AWS_SECRET_ACCESS_KEY);

    if (!key && !secret)
        return CEL_ABSENT;
    if (!key || !secret)
        return cel_fail(NC_EAUTH, "%s is set and %s is not: set both, or neither",
                        key ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                        key ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID");
    return copy(key, secret, cel_env_aws(CEL_AWS_SESSION_TOKEN), out);
}

/* --- documents ------------------------------------------------------------------------- */

static int copy_member(const struct cel_json *doc, const char *name, char **out)
{
    const char *text = cel_json_string(cel_json_get(doc, name), NULL);

    if (!text || !*text)
        return CEL_ABSENT;
    *out = cel_strdup(text);
    return *out ? CEL_OK : NC_ENOMEM;
}

int cel_credentials_parse(const char *text, size_t len, const char *token, struct cel_credentials *out)
{
    struct cel_json *doc = NULL;
    const char *ends;
    int rc = cel_json_parse(text, len, &doc, NULL);

    if (rc == CEL_OK)
        rc = copy_member(doc, "AccessKeyId", &out->key);
    if (rc == CEL_OK)
        rc = copy_member(doc, "SecretAccessKey", &out->secret);
    if (rc == CEL_OK && copy_member(doc, token, &out->token) == NC_ENOMEM)
        rc = NC_ENOMEM;
    ends = cel_json_string(cel_json_get(doc, "Expiration"), NULL);
    if (rc == CEL_OK && ends && !cel_parse_time(ends, &out->expires))
        rc = CEL_ABSENT;
    cel_json_free(doc);
    if (rc == CEL_OK || rc == NC_ENOMEM)
        return rc;
    cel_error_clear(); /* it may quote the text */
    return CEL_ABSENT;
}

/* --- what is kept ------------------------------------------------------------------------ */

/* Credentials that were found with other settings are somebody else's. */
static int hash_settings(unsigned char out[CEL_SHA256_SIZE])
{
    struct cel_buf text = CEL_BUF_INIT(SETTINGS_MAX);
    char *profile;
    bool named;
    int rc = cel_aws_profile(&profile, &named);

    if (rc == CEL_OK)
        rc = cel_buf_printf(&text, "%s\n", profile);
    for (int which = 0; rc == CEL_OK && which < CEL_AWS_VARIABLES; which++) {
        const char *value = cel_env_aws((enum cel_env_aws)which);

        rc = cel_buf_printf(&text, "%s\n", value ? value : "");
    }
    if (rc == CEL_OK)
        cel_sha256(text.data, text.len, out);
    cel_text_wipe(&text);
    free(profile);
    return rc;
}

static int take_kept(const unsigned char settings[CEL_SHA256_SIZE], struct cel_credentials *out)
{
    int rc = CEL_ABSENT;

    cel_lock(&lock);
    if (kept.who.key && memcmp(kept.settings, settings, CEL_SHA256_SIZE) == 0 &&
        !cel_credentials_end(&kept.who, time(NULL))) {
        rc = copy(kept.who.key, kept.who.secret, kept.who.token, out);
        out->expires = kept.who.expires;
        out->early = kept.who.early;
    }
    cel_unlock(&lock);
    return rc;
}

/* Without memory for it the next asks again. */
static void keep(const unsigned char settings[CEL_SHA256_SIZE], const struct cel_credentials *who)
{
    struct cel_credentials mine = {.expires = who->expires, .early = who->early}, old;

    if (copy(who->key, who->secret, who->token, &mine) != CEL_OK) {
        cel_error_clear();
        cel_credentials_dispose(&mine);
        return;
    }
    cel_lock(&lock);
    old = kept.who;
    kept.who = mine;
    memcpy(kept.settings, settings, CEL_SHA256_SIZE);
    cel_unlock(&lock);
    cel_credentials_dispose(&old);
}

void cel_credentials_forget(void)
{
    struct cel_credentials old;

    cel_lock(&lock);
    old = kept.who;
    kept.who = (struct cel_credentials){0};
    cel_unlock(&lock);
    cel_credentials_dispose(&old);
}

/* --- the search -------------------------------------------------------------------------- */

static int search(struct cel_credentials *out)
{
    int (*const places[])(struct cel_credentials *) = {cel_credentials_of_environment, cel_credentials_of_web_identity,
                                                       cel_credentials_of_profile, cel_credentials_of_container,
                                                       cel_credentials_of_instance};
    int rc = CEL_ABSENT;

    for (size_t i = 0; rc == CEL_ABSENT && i < sizeof places / sizeof *places; i++)
        rc = places[i](out);
    return rc;
}

static void set_early(struct cel_credentials *c)
{
    time_t left = c->expires - time(NULL);

    c->early = left < 0 ? 0 : left / 2 < EARLY ? (int)(left / 2) : EARLY;
}

int cel_credentials_find(struct cel_credentials *out)
{
    unsigned char settings[CEL_SHA256_SIZE];
    int rc;

    *out = (struct cel_credentials){0};
    if (cel_env_aws_on(CEL_AWS_NO_SIGN_REQUEST))
        return CEL_OK;
    rc = hash_settings(settings);
    if (rc == CEL_OK)
        rc = take_kept(settings, out);
    if (rc == CEL_ABSENT) {
        rc = search(out);
        if (rc == CEL_OK && out->expires) {
            set_early(out);
            keep(settings, out);
        }
    }
    if (rc != CEL_OK)
        cel_credentials_dispose(out);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}
