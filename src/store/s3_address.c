/* SPDX-License-Identifier: BSD-3-Clause */
/* The server and the credentials for a bucket. "s3://bucket/key" is at the endpoint in the settings, or at AWS;
 * "https://host/bucket/key" at that host. AWS expects the bucket in the host's name, other servers in the path. */
#include "env.h"
#include "mem.h"
#include "store_remote_int.h"
#include "url.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)1 << 16)
#define GOOGLE "https://storage.googleapis.com"

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_aws_host(const char *host)
{
    return ends_with(host, ".amazonaws.com") || ends_with(host, ".amazonaws.com.cn");
}

/* --- the region ---------------------------------------------------------------------------- */

/* Of "bucket.s3.region.amazonaws.com" the text from ".s3" on, the last one: names of buckets may have it, too. */
static const char *behind_bucket(const char *host)
{
    const char *found = NULL;

    for (const char *at = host; (at = strstr(at, ".s3")); at += 3)
        if (at[3] == '.' || at[3] == '-')
            found = at;
    return found;
}

/* "s3.eu-west-1.amazonaws.com" and "s3-eu-west-1..." name theirs, behind the bucket or without. */
static char *region_of_host(const char *host)
{
    const char *at = behind_bucket(host);
    size_t n;

    if (!at && strncmp(host, "s3", 2) == 0)
        at = host;
    if (!at || !is_aws_host(host))
        return NULL;
    at += *at == '.' ? 3 : 2;
    if (*at != '.' && *at != '-')
        return NULL;
    n = strcspn(at + 1, ".");
    return strncmp(at + 1, "amazonaws", 9) == 0 ? NULL : cel_strndup(at + 1, n);
}

static int find_region(const char *host, char **out)
{
    *out = region_of_host(host);
    if (*out && cel_aws_is_region(*out))
        return CEL_OK;
    free(*out);
    return cel_aws_region(out);
}

/* --- the bucket ----------------------------------------------------------------------------- */

/* It can be part of a host's name, and of one that a certificate for *.s3... covers. */
static bool fits_host(const char *bucket)
{
    size_t n = strlen(bucket);

    return n >= 3 && n <= 63 && !bucket[strspn(bucket, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

static int set_root(struct cel_remote *r, const char *path)
{
    struct cel_buf root = CEL_BUF_INIT(1 << 20);
    size_t n = strlen(path);
    int rc;

    while (n && path[n - 1] == '/')
        n--;
    rc = cel_buf_printf(&root, "%.*s%s", (int)n, path, n ? "/" : "");
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&root, &r->root);
    cel_buf_dispose(&root);
    return rc;
}

static int copy(const char *text, char **out)
{
    *out = cel_strdup(text);
    return *out ? CEL_OK : NC_ENOMEM;
}

/* An endpoint of the settings: "https://host", with or without a '/' behind. */
static int take_endpoint(struct cel_remote *r, const char *text)
{
    struct cel_url parts;
    int rc = cel_url_parse(text, &parts);
    bool good = rc == CEL_OK && strncmp(parts.scheme, "http", 4) == 0 && !*parts.query;
    size_t n = strlen(text);

    if (rc == CEL_OK)
        cel_url_dispose(&parts);
    if (!good)
        return rc == NC_ENOMEM ? rc : cel_fail(NC_EINVAL, "the endpoint that is set for S3 is no http or https URL");
    while (n && text[n - 1] == '/')
        n--;
    r->endpoint = cel_strndup(text, n);
    return r->endpoint ? CEL_OK : NC_ENOMEM;
}

/* r->endpoint stays NULL for AWS itself. */
static int find_endpoint(struct cel_remote *r)
{
    const char *named = cel_env_aws(CEL_AWS_ENDPOINT_URL_S3);
    char *text = NULL;
    int rc;

    if (!named)
        named = cel_env_aws(CEL_AWS_ENDPOINT_URL);
    rc = named ? CEL_OK : cel_aws_setting("endpoint_url", &text);
    if (rc == CEL_OK)
        rc = take_endpoint(r, named ? named : text);
    free(text);
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static int locate_bucket(struct cel_remote *r, const struct cel_url *url)
{
    bool google = strcmp(url->scheme, "gs") == 0;
    int rc = *url->host ? copy(url->host, &r->bucket) : cel_fail(NC_EINVAL, "the URL names no bucket");

    if (rc == CEL_OK)
        rc = google ? copy(GOOGLE, &r->endpoint) : find_endpoint(r);
    if (rc != CEL_OK)
        return rc;
    r->is_aws = !r->endpoint;
    r->in_host = r->is_aws && fits_host(r->bucket);
    return set_root(r, url->path);
}

/* "bucket.s3.region.amazonaws.com" has it in front; any other host behind. */
static int locate_host(struct cel_remote *r, const struct cel_url *url)
{
    struct cel_buf text = CEL_BUF_INIT(TEXT_MAX), path = CEL_BUF_INIT(1 << 20);
    const char *in_front = is_aws_host(url->host) ? behind_bucket(url->host) : NULL;
    size_t n = in_front ? (size_t)(in_front - url->host) : 0;
    char *slash;
    int rc = cel_url_decode(url->path, strlen(url->path), &path);

    if (rc == CEL_OK)
        rc = cel_buf_add(&path, "", 1);
    if (rc == CEL_OK)
        rc = cel_buf_printf(&text, "%s://%s", url->scheme, url->host);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, &r->endpoint);
    if (rc == CEL_OK) {
        r->is_aws = is_aws_host(url->host);
        r->in_host = in_front;
        slash = strchr(path.data, '/');
        r->bucket = in_front ? cel_strndup(url->host, n)
                             : cel_strndup(path.data, slash ? (size_t)(slash - path.data) : path.len - 1);
        rc = r->bucket ? set_root(r, in_front ? path.data : slash ? slash + 1 : "") : NC_ENOMEM;
    }
    if (rc == CEL_OK && !*r->bucket)
        rc = cel_fail(NC_EINVAL, "the URL names no bucket: it has the form https://host/bucket/key");
    cel_buf_dispose(&text);
    cel_buf_dispose(&path);
    return rc;
}

/* --- the target ---------------------------------------------------------------------------- */

static int print_base(const struct cel_remote *r, const char *region, struct cel_buf *out)
{
    const char *domain = cel_aws_domain(region);
    int rc;

    if (!r->is_aws)
        rc = cel_buf_printf(out, "%s/", r->endpoint);
    else if (r->in_host)
        rc = cel_buf_printf(out, "https://%s.s3.%s.%s/", r->bucket, region, domain);
    else
        rc = cel_buf_printf(out, "https://s3.%s.%s/", region, domain);
    if (rc == CEL_OK && !r->in_host)
        rc = cel_url_encode(r->bucket, false, out);
    return rc == CEL_OK && !r->in_host ? cel_buf_puts(out, "/") : rc;
}

static int fill_target(struct cel_remote *r, const char *region, struct cel_target *t)
{
    struct cel_buf base = CEL_BUF_INIT(1 << 20);
    int rc = copy(region, &t->region);

    if (rc == CEL_OK)
        rc = copy("", &t->query);
    if (rc == CEL_OK)
        rc = print_base(r, region, &base);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&base, &t->base);
    if (rc == CEL_OK)
        rc = cel_credentials_find(&t->who);
    if (rc == CEL_OK)
        t->signer = (struct cel_signer){
            .key = t->who.key, .secret = t->who.secret, .token = t->who.token, .region = t->region, .service = "s3"};
    cel_buf_dispose(&base);
    return rc;
}

int cel_s3_retarget(struct cel_remote *r, const char *region)
{
    struct cel_env_settings *before;
    struct cel_target *t;
    int rc;

    if (region && !cel_aws_is_region(region))
        return cel_fail(NC_EIO, "the server names a region that cannot be one");
    t = cel_calloc(1, sizeof *t);
    if (!t)
        return NC_ENOMEM;
    before = cel_env_settings_use(r->settings);
    rc = fill_target(r, region ? region : r->target->region, t);
    cel_env_settings_use(before);
    if (rc == CEL_OK && r->target && r->target->who.key && !t->who.key)
        rc = cel_fail(NC_EAUTH, "%s: the credentials have ended, and where they came from there are no others now",
                      r->store.path);
    if (rc != CEL_OK) {
        cel_target_free(t);
        return rc;
    }
    t->older = r->target;
    r->target = t;
    return CEL_OK;
}

int cel_s3_locate(struct cel_remote *r, const char *url)
{
    struct cel_url parts;
    char *region = NULL;
    int rc = cel_url_parse(url, &parts);

    if (rc != CEL_OK)
        return rc;
    r->is_s3 = true;
    r->settings = cel_env_settings_keep();
    r->pays = cel_env_aws(CEL_AWS_REQUEST_PAYER) != NULL;
    rc = *parts.query                            ? cel_fail(NC_EINVAL, "a URL of S3 has no query")
         : strncmp(parts.scheme, "http", 4) == 0 ? locate_host(r, &parts)
                                                 : locate_bucket(r, &parts);
    if (rc == CEL_OK)
        rc = strcmp(parts.scheme, "gs") == 0 ? copy("auto", &region) : find_region(parts.host, &region);
    if (rc == CEL_OK)
        rc = cel_s3_retarget(r, region);
    free(region);
    cel_url_dispose(&parts);
    return rc;
}
