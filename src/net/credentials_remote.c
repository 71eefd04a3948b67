/* SPDX-License-Identifier: BSD-3-Clause */
/* Credentials that a service beside the program hands out: of a container, or of an EC2 instance by version 2 of its
 * metadata service, which first gives a token. The service answers within a second or is not there. */
#include "credentials_int.h"
#include "env.h"
#include "text_file.h"
#include "url.h"
#include <netcdf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MAX ((size_t)64 << 10)
#define SECONDS 2

/* The answer's body and a NUL. CEL_ABSENT: nobody answers, or not with 200. */
static int ask(const char *method, const char *url, const struct cel_net_header *header, struct cel_buf *out)
{
    struct cel_net_request request = {.method = method,
                                      .url = url,
                                      .header = header,
                                      .nheaders = header ? 1 : 0,
                                      .body_max = ANSWER_MAX,
                                      .attempts = 2,
                                      .seconds = SECONDS,
                                      .direct = true};
    const struct cel_net_answer *answer;
    struct cel_net_call *call;
    int rc;

    if (strcmp(method, "PUT") == 0)
        request.body = "";
    rc = cel_net_start(&request, &call);
    if (rc == CEL_OK)
        rc = cel_net_wait(call, &answer);
    if (rc == CEL_OK && answer->status != 200)
        rc = CEL_ABSENT;
    if (rc == CEL_OK)
        rc = cel_buf_add(out, answer->body.data, answer->body.len);
    if (rc == CEL_OK)
        rc = cel_buf_add(out, "", 1);
    cel_net_free(call);
    if (rc != CEL_OK && rc != NC_ENOMEM && rc != NC_ENOTBUILT) {
        cel_error_clear();
        rc = CEL_ABSENT;
    }
    return rc;
}

/* With a NUL. */
static int parse(const struct cel_buf *text, struct cel_credentials *out)
{
    int rc = cel_credentials_parse(text->data, text->len - 1, "Token", out);

    return rc == CEL_ABSENT
               ? cel_fail(NC_EAUTH, "the service that hands out credentials sent none that can be understood")
               : rc;
}

/* --- a container -------------------------------------------------------------------------- */

/* The service is named by the environment: over plain HTTP only one on this machine, or the fixed ones of ECS and EKS. */
static int check_near(const char *url)
{
    static const char *const near[] = {"169.254.170.2", "169.254.170.23", "[fd00:ec2::23]",
                                       "127.0.0.1",     "localhost",      "[::1]"};
    struct cel_url parts;
    int rc = cel_url_parse(url, &parts);
    bool good;

    if (rc != CEL_OK)
        return rc;
    good = strcmp(parts.scheme, "https") == 0;
    for (size_t i = 0; !good && strcmp(parts.scheme, "http") == 0 && i < sizeof near / sizeof *near; i++) {
        size_t n = strlen(near[i]);

        good = strncmp(parts.host, near[i], n) == 0 && (!parts.host[n] || parts.host[n] == ':');
    }
    cel_url_dispose(&parts);
    return good ? CEL_OK
                : cel_fail(NC_EAUTH,
                           "AWS_CONTAINER_CREDENTIALS_FULL_URI names another host without TLS, which is not asked");
}

/* The header's value, which a file may hold instead (it changes); CEL_ABSENT: none is set. */
static int find_authorization(struct cel_buf *out)
{
    const char *token = cel_env_aws(CEL_AWS_CONTAINER_AUTHORIZATION_TOKEN),
               *file = cel_env_aws(CEL_AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE);
    int rc;

    if (!file)
        return token ? cel_buf_add(out, token, strlen(token) + 1) : CEL_ABSENT;
    rc = cel_text_load(file, out, NULL);
    if (rc == CEL_OK)
        out->data[strcspn(out->data, "\r\n")] = '\0';
    return rc == CEL_ABSENT ? cel_fail(NC_EAUTH, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read") : rc;
}

int cel_credentials_of_container(struct cel_credentials *out)
{
    const char *relative = cel_env_aws(CEL_AWS_CONTAINER_CREDENTIALS_RELATIVE_URI),
               *full = cel_env_aws(CEL_AWS_CONTAINER_CREDENTIALS_FULL_URI);
    struct cel_net_header header = {"authorization", NULL};
    struct cel_buf url = CEL_BUF_INIT(1 << 16), text = CEL_BUF_INIT(2 * ANSWER_MAX),
                   token = CEL_BUF_INIT(CEL_TEXT_FILE_MAX + 1);
    int rc;

    if (!relative && !full)
        return CEL_ABSENT;
    rc = relative ? cel_buf_printf(&url, "http://169.254.170.2%s", relative) : cel_buf_puts(&url, full);
    if (rc == CEL_OK)
        rc = cel_buf_add(&url, "", 1);
    if (rc == CEL_OK)
        rc = check_near(url.data);
    if (rc == CEL_OK)
        rc = find_authorization(&token);
    header.value = token.data;
    if (rc == CEL_OK || rc == CEL_ABSENT)
        rc = ask("GET", url.data, rc == CEL_OK ? &header : NULL, &text);
    if (rc == CEL_ABSENT)
        rc = cel_fail(NC_EAUTH, "the service that hands out the container's credentials does not");
    if (rc == CEL_OK)
        rc = parse(&text, out);
    cel_buf_dispose(&url);
    cel_text_wipe(&text);
    cel_text_wipe(&token);
    return rc;
}

/* --- an instance --------------------------------------------------------------------------- */

static int ask_instance(const char *method, const char *path, const char *role, const struct cel_net_header *header,
                        struct cel_buf *out)
{
    const char *base = cel_env_aws(CEL_AWS_EC2_METADATA_SERVICE_ENDPOINT);
    struct cel_buf url = CEL_BUF_INIT(1 << 16);
    size_t n;
    int rc;

    base = base ? base : "http://169.254.169.254";
    n = strlen(base);
    while (n && base[n - 1] == '/')
        n--;
    rc = cel_buf_printf(&url, "%.*s/latest/%s%s", (int)n, base, path, role);
    if (rc == CEL_OK)
        rc = cel_buf_add(&url, "", 1);
    if (rc == CEL_OK)
        rc = ask(method, url.data, header, out);
    cel_buf_dispose(&url);
    return rc;
}

int cel_credentials_of_instance(struct cel_credentials *out)
{
    static const char path[] = "meta-data/iam/security-credentials/";
    static _Atomic bool none, known; /* it was asked and is not there; it answered once, and may not at this moment */
    struct cel_buf token = CEL_BUF_INIT(2 * ANSWER_MAX), role = CEL_BUF_INIT(2 * ANSWER_MAX),
                   text = CEL_BUF_INIT(2 * ANSWER_MAX);
    struct cel_net_header header = {"x-aws-ec2-metadata-token-ttl-seconds", "21600"};
    int rc = CEL_ABSENT;

    if (!none && !cel_env_aws_on(CEL_AWS_EC2_METADATA_DISABLED))
        rc = ask_instance("PUT", "api/token", "", &header, &token);
    header = (struct cel_net_header){"x-aws-ec2-metadata-token", token.data};
    if (rc == CEL_OK)
        rc = ask_instance("GET", path, "", &header, &role);
    if (rc == CEL_OK) {
        role.data[strcspn(role.data, "\r\n")] = '\0';
        rc = *role.data ? ask_instance("GET", path, role.data, &header, &text) : CEL_ABSENT;
    }
    if (rc == CEL_OK)
        rc = parse(&text, out);
    if (rc == CEL_OK)
        known = true;
    if (rc == CEL_ABSENT && !known)
        none = true;
    cel_text_wipe(&token);
    cel_buf_dispose(&role);
    cel_text_wipe(&text);
    return rc;
}
