/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads environment variables when they are asked for. An invalid value counts as not set. */
#include "env_settings.h"
#include <errno.h>
#include <netcdf.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

/* NULL in a program that has more rights than the user who started it (set-uid, set-gid, file capabilities): for
 * variables by which that user could have other code loaded or other files opened. */
static const char *trusted(const char *name)
{
    return secure_getenv(name);
}

static bool is_privileged(void)
{
    return getauxval(AT_SECURE) || geteuid() != getuid() || getegid() != getgid();
}

static bool number_in(const char *name, long lo, long hi, long *out)
{
    const char *text = getenv(name);
    char *end;

    if (!text || !*text)
        return false;
    errno = 0;
    *out = strtol(text, &end, 10);
    return !errno && !*end && *out >= lo && *out <= hi;
}

static bool says_on(const char *text)
{
    return text && *text && strcmp(text, "0") != 0 && strcasecmp(text, "false") != 0 && strcasecmp(text, "no") != 0;
}

static bool is_on(const char *name)
{
    return says_on(getenv(name));
}

int cel_env_log_level(void)
{
    long level;

    if (number_in("NETCDF_LOG_LEVEL", 0, 100, &level))
        return (int)level;
    return getenv("NCLOGGING") ? 0 : -1;
}

/* What the program said counts more than the environment; -1: it said nothing. */
static _Atomic int strict_set = -1, prefer_set = -1, untrusted_set = -1;

void cel_env_set_strict(int on)
{
    atomic_store(&strict_set, on);
}

bool cel_env_strict(void)
{
    int set = atomic_load(&strict_set);

    return set < 0 ? is_on("CELLAR_STRICT") : set;
}

void cel_env_set_untrusted(int on)
{
    atomic_store(&untrusted_set, on);
}

bool cel_env_untrusted(void)
{
    int set = atomic_load(&untrusted_set);

    return set < 0 ? is_on("CELLAR_UNTRUSTED") : set;
}

/* Bytes, or with K, M or G. */
static bool parse_bytes(const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    const char *unit;
    unsigned long long n;
    char *end;
    int shift;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    n = strtoull(text, &end, 10);
    unit = *end ? strchr(units, *end) : NULL;
    shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (errno || (*end && (!unit || end[1])) || n > (unsigned long long)(SIZE_MAX >> shift))
        return false;
    *out = n << shift;
    return true;
}

size_t cel_env_max_decoded(size_t usual)
{
    const char *text = trusted("CELLAR_MAX_DECODED");
    uint64_t n;

    return text && parse_bytes(text, &n) && n > usual ? (size_t)n : usual;
}

int cel_env_threads(void)
{
    long n;

    return number_in("CELLAR_NUM_THREADS", 1, 1024, &n) ? (int)n : 0;
}

void cel_env_set_prefer_plugins(int on)
{
    atomic_store(&prefer_set, on);
}

bool cel_env_prefer_plugins(void)
{
    const char *text = trusted("CELLAR_PLUGINS");
    int set = atomic_load(&prefer_set);

    return !cel_env_untrusted() && (set < 0 ? text && strcmp(text, "prefer") == 0 : set);
}

const char *cel_env_plugin_path(void)
{
    return trusted("HDF5_PLUGIN_PATH");
}

bool cel_env_no_plugins(void)
{
    const char *preload = getenv("HDF5_PLUGIN_PRELOAD");

    return (preload && strcmp(preload, "::") == 0) || is_privileged() || cel_env_untrusted();
}

bool cel_env_external_prefix(void)
{
    return getenv("HDF5_EXTFILE_PREFIX") || getenv("HDF5_VDS_PREFIX") || getenv("HDF5_EXT_PREFIX");
}

bool cel_env_huge_pages(void)
{
    const char *text = getenv("CELLAR_HUGE_PAGES");

    return !text || !*text || says_on(text);
}

bool cel_env_fsync(void)
{
    return is_on("CELLAR_FSYNC");
}

static _Thread_local bool unlocked;

void cel_env_set_unlocked(bool on)
{
    unlocked = on;
}

bool cel_env_file_locking(void)
{
    const char *text = getenv("HDF5_USE_FILE_LOCKING");

    if (unlocked)
        return false;
    return !text || (strcasecmp(text, "FALSE") != 0 && strcmp(text, "0") != 0);
}

bool cel_env_consolidated(void)
{
    return is_on("NCZARR_CONSOLIDATED");
}

const char *cel_env_stats(void)
{
    return trusted("CELLAR_STATS");
}

const char *cel_env_trace(void)
{
    const char *text = trusted("CELLAR_TRACE");

    return text && *text ? text : NULL;
}

bool cel_env_follow_links(void)
{
    return trusted("CELLAR_FOLLOW_LINKS") && is_on("CELLAR_FOLLOW_LINKS") && !cel_env_untrusted();
}

/* --- the network --------------------------------------------------------------------- */

const char *cel_env_ca_bundle(void)
{
    const char *own = trusted("CELLAR_CA_BUNDLE"), *aws = trusted("AWS_CA_BUNDLE");

    return own && *own ? own : aws && *aws ? aws : NULL;
}

int cel_env_http_timeout(int usual)
{
    long n;

    return number_in("CELLAR_HTTP_TIMEOUT", 1, 86400, &n) ? (int)n : usual;
}

int cel_env_http_requests(int usual)
{
    long n;

    return number_in("CELLAR_HTTP_REQUESTS", 1, 1024, &n) ? (int)n : usual;
}

int cel_env_http_retries(int usual)
{
    long n;

    return number_in("CELLAR_HTTP_RETRIES", 0, 100, &n) ? (int)n : usual;
}

static const char *if_any(const char *text)
{
    return text && *text ? text : NULL;
}

const char *cel_env_rc_file(void)
{
    return if_any(trusted("NCRCENV_RC"));
}

bool cel_env_rc_ignored(void)
{
    return getenv("NCRCENV_IGNORE");
}

const char *cel_env_netrc(void)
{
    return if_any(trusted("NETRC"));
}

bool cel_env_has_cache(void)
{
    return if_any(trusted("CELLAR_CACHE"));
}

int cel_env_cache(struct cel_buf *folder, uint64_t *size)
{
    const char *text = if_any(trusted("CELLAR_CACHE")), *colon = text ? strrchr(text, ':') : NULL;
    int rc;

    if (!text)
        return CEL_ABSENT;
    if (!colon || colon == text || !parse_bytes(colon + 1, size))
        return NC_EINVAL;
    rc = cel_buf_add(folder, text, (size_t)(colon - text));
    return rc == CEL_OK ? cel_buf_add(folder, "", 1) : rc;
}

const char *cel_env_temporary(void)
{
    const char *folder = if_any(trusted("TMPDIR"));

    return folder ? folder : "/tmp";
}

static const char *const aws_names[] = {
    [CEL_AWS_ACCESS_KEY_ID] = "AWS_ACCESS_KEY_ID",
    [CEL_AWS_SECRET_ACCESS_KEY] = "AWS_SECRET_ACCESS_KEY",
    [CEL_AWS_SESSION_TOKEN] = "AWS_SESSION_TOKEN",
    [CEL_AWS_ROLE_ARN] = "AWS_ROLE_ARN",
    [CEL_AWS_ROLE_SESSION_NAME] = "AWS_ROLE_SESSION_NAME",
    [CEL_AWS_WEB_IDENTITY_TOKEN_FILE] = "AWS_WEB_IDENTITY_TOKEN_FILE",
    [CEL_AWS_PROFILE] = "AWS_PROFILE",
    [CEL_AWS_DEFAULT_PROFILE] = "AWS_DEFAULT_PROFILE",
    [CEL_AWS_CONFIG_FILE] = "AWS_CONFIG_FILE",
    [CEL_AWS_SHARED_CREDENTIALS_FILE] = "AWS_SHARED_CREDENTIALS_FILE",
    [CEL_AWS_REGION] = "AWS_REGION",
    [CEL_AWS_DEFAULT_REGION] = "AWS_DEFAULT_REGION",
    [CEL_AWS_ENDPOINT_URL_S3] = "AWS_ENDPOINT_URL_S3",
    [CEL_AWS_ENDPOINT_URL_STS] = "AWS_ENDPOINT_URL_STS",
    [CEL_AWS_ENDPOINT_URL] = "AWS_ENDPOINT_URL",
    [CEL_AWS_NO_SIGN_REQUEST] = "AWS_NO_SIGN_REQUEST",
    [CEL_AWS_REQUEST_PAYER] = "AWS_REQUEST_PAYER",
    [CEL_AWS_CONTAINER_CREDENTIALS_RELATIVE_URI] = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    [CEL_AWS_CONTAINER_CREDENTIALS_FULL_URI] = "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    [CEL_AWS_CONTAINER_AUTHORIZATION_TOKEN] = "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    [CEL_AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE] = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    [CEL_AWS_EC2_METADATA_DISABLED] = "AWS_EC2_METADATA_DISABLED",
    [CEL_AWS_EC2_METADATA_SERVICE_ENDPOINT] = "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    [CEL_HOME] = "HOME",
};

const char *cel_env_aws(enum cel_env_aws which)
{
    const struct cel_env_settings *s = cel_env_settings_mine();
    const char *value;

    return s && cel_env_settings_have(s, which, &value) ? value : if_any(trusted(aws_names[which]));
}

bool cel_env_aws_on(enum cel_env_aws which)
{
    return says_on(cel_env_aws(which));
}

bool cel_env_find_aws(const char *name, enum cel_env_aws *which)
{
    for (int i = 0; i < CEL_HOME; i++)
        if (strcmp(aws_names[i], name) == 0) {
            *which = (enum cel_env_aws)i;
            return true;
        }
    return false;
}
