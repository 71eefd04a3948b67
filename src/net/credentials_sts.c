/* SPDX-License-Identifier: BSD-3-Clause */
/* Credentials of a role, from AWS's Security Token Service: asked for with the credentials of somebody who may take the role
 * (AssumeRole, signed), or with a token that says who a program is (AssumeRoleWithWebIdentity, not signed). */
#include "credentials_int.h"
#include "env.h"
#include "mem.h"
#include "text_file.h"
#include "url.h"
#include "xml.h"
#include <ctype.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)2 << 20)
#define ANSWER_MAX ((size_t)64 << 10)
#define SECONDS 30

/* --- where ------------------------------------------------------------------------------- */

static int find_endpoint(const char *region, char **out)
{
    const char *named = cel_env_aws(CEL_AWS_ENDPOINT_URL_STS);
    struct cel_buf text = CEL_BUF_INIT(TEXT_MAX);
    struct cel_url parts;
    int rc;

    if (!named)
        named = cel_env_aws(CEL_AWS_ENDPOINT_URL);
    *out = NULL;
    rc = named ? CEL_ABSENT : cel_aws_setting("endpoint_url", out);
    if (rc == CEL_ABSENT) {
        rc = named ? cel_buf_puts(&text, named)
                   : cel_buf_printf(&text, "https://sts.%s.%s/", region, cel_aws_domain(region));
        if (rc == CEL_OK)
            rc = cel_buf_take_string(&text, out);
    }
    cel_buf_dispose(&text);
    if (rc != CEL_OK)
        return rc;
    rc = cel_url_parse(*out, &parts);
    if (rc == CEL_OK && strncmp(parts.scheme, "http", 4) != 0)
        rc = cel_fail(NC_EINVAL, "the endpoint that is set for STS is no http or https URL");
    if (rc == CEL_OK)
        cel_url_dispose(&parts);
    return rc;
}

/* --- what is asked ------------------------------------------------------------------------- */

static int add_field(struct cel_buf *form, const char *name, const char *value)
{
    int rc = value ? cel_buf_printf(form, "&%s=", name) : CEL_OK;

    return rc == CEL_OK && value ? cel_url_encode(value, false, form) : rc;
}

static int add_token(struct cel_buf *form, const char *file)
{
    struct cel_buf token = CEL_BUF_INIT(CEL_TEXT_FILE_MAX + 1);
    int rc = cel_text_load(file, &token, NULL);

    if (rc == CEL_ABSENT)
        rc = cel_fail(NC_EAUTH, "the token of a web identity cannot be read from %s", file);
    if (rc == CEL_OK) {
        char *text = token.data;

        text[strcspn(text, "\n")] = '\0';
        text = cel_text_trim(text);
        rc = *text ? add_field(form, "WebIdentityToken", text) : cel_fail(NC_EAUTH, "there is no token in %s", file);
    }
    cel_text_wipe(&token);
    return rc;
}

static int print_form(const struct cel_role *role, struct cel_buf *form)
{
    struct cel_buf session = CEL_BUF_INIT(64);
    int rc = cel_buf_reserve(form, ANSWER_MAX); /* so that no copy of a token stays where it grew */

    if (rc == CEL_OK)
        rc = cel_buf_printf(form, "Version=2011-06-15&Action=%s",
                            role->token_file ? "AssumeRoleWithWebIdentity" : "AssumeRole");
    if (rc == CEL_OK)
        rc = add_field(form, "RoleArn", role->arn);
    if (rc == CEL_OK)
        rc = cel_buf_printf(&session, "cellar-%lld", (long long)time(NULL));
    if (rc == CEL_OK)
        rc = cel_buf_add(&session, "", 1);
    if (rc == CEL_OK)
        rc = add_field(form, "RoleSessionName", role->session ? role->session : session.data);
    if (rc == CEL_OK)
        rc = add_field(form, "ExternalId", role->external_id);
    if (rc == CEL_OK)
        rc = add_field(form, "DurationSeconds", role->seconds);
    if (rc == CEL_OK && role->token_file)
        rc = add_token(form, role->token_file);
    cel_buf_dispose(&session);
    return rc;
}

/* --- what is answered ------------------------------------------------------------------------ */

static int copy_element(struct cel_xml_text within, const char *name, char **out)
{
    struct cel_buf text = CEL_BUF_INIT(ANSWER_MAX);
    const char *at = within.text;
    struct cel_xml_text inner;
    int rc = cel_xml_next(&at, within.text + within.len, name, &inner) && inner.len
                 ? cel_buf_reserve(&text, inner.len + 1)
                 : CEL_ABSENT;

    if (rc == CEL_OK)
        rc = cel_xml_decode(inner, &text);
    if (rc == CEL_OK) {
        *out = cel_strdup(text.data);
        rc = *out ? CEL_OK : NC_ENOMEM;
    }
    cel_text_wipe(&text);
    return rc;
}

int cel_credentials_of_answer(const struct cel_buf *body, struct cel_credentials *out)
{
    const char *at = body->data;
    struct cel_xml_text inside;
    char *ends = NULL;
    int rc = at && cel_xml_next(&at, at + body->len, "Credentials", &inside) ? CEL_OK : CEL_ABSENT;

    if (rc == CEL_OK)
        rc = copy_element(inside, "AccessKeyId", &out->key);
    if (rc == CEL_OK)
        rc = copy_element(inside, "SecretAccessKey", &out->secret);
    if (rc == CEL_OK)
        rc = copy_element(inside, "SessionToken", &out->token);
    if (rc == CEL_OK)
        rc = copy_element(inside, "Expiration", &ends);
    if (rc == CEL_OK && !cel_parse_time(ends, &out->expires))
        rc = CEL_ABSENT;
    free(ends);
    return rc == CEL_OK || rc == NC_ENOMEM
               ? rc
               : cel_fail(NC_EAUTH, "what STS answered holds no credentials that can be understood");
}

/* STS's own word for it, which is one word. */
static int refused(const struct cel_net_answer *a, const struct cel_role *role)
{
    const char *at = a->body.data;
    struct cel_xml_text code = {"", 0};
    size_t n = 0;

    if (at)
        cel_xml_next(&at, at + a->body.len, "Code", &code);
    while (n < code.len && n < 60 && isalnum((unsigned char)code.text[n]))
        n++;
    return cel_fail(NC_EAUTH, "STS gives no credentials for the role %s: it answers %d%s%.*s", role->arn, a->status,
                    n ? " " : "", (int)n, n ? code.text : "");
}

static int ask(const struct cel_role *role, const struct cel_signer *signer, const char *url,
               const struct cel_buf *form, struct cel_credentials *out)
{
    static const struct cel_net_header header[] = {
        {"content-type", "application/x-www-form-urlencoded; charset=utf-8"}};
    struct cel_net_request request = {.method = "POST",
                                      .url = url,
                                      .header = header,
                                      .nheaders = 1,
                                      .body = form->data,
                                      .body_len = form->len,
                                      .signer = signer,
                                      .body_max = ANSWER_MAX,
                                      .seconds = SECONDS};
    const struct cel_net_answer *answer;
    struct cel_net_call *call = NULL;
    int rc = cel_net_start(&request, &call);

    if (rc == CEL_OK)
        rc = cel_net_wait(call, &answer);
    if (rc == CEL_OK)
        rc = answer->status == 200 ? cel_credentials_of_answer(&answer->body, out) : refused(answer, role);
    cel_net_free(call);
    return rc;
}

int cel_credentials_of_role(const struct cel_role *role, const struct cel_credentials *who, struct cel_credentials *out)
{
    struct cel_buf form = CEL_BUF_INIT(TEXT_MAX);
    char *region = NULL, *url = NULL;
    struct cel_signer signer = {.service = "sts"};
    int rc = cel_aws_region(&region);

    if (rc == CEL_OK)
        rc = find_endpoint(region, &url);
    if (rc == CEL_OK)
        rc = print_form(role, &form);
    if (rc == CEL_OK) {
        signer.region = region;
        if (who) {
            signer.key = who->key;
            signer.secret = who->secret;
            signer.token = who->token;
        }
        rc = ask(role, who ? &signer : NULL, url, &form, out);
    }
    cel_text_wipe(&form);
    free(region);
    free(url);
    return rc;
}

int cel_credentials_of_web_identity(struct cel_credentials *out)
{
    struct cel_role role = {.arn = cel_env_aws(CEL_AWS_ROLE_ARN),
                            .session = cel_env_aws(CEL_AWS_ROLE_SESSION_NAME),
                            .token_file = cel_env_aws(CEL_AWS_WEB_IDENTITY_TOKEN_FILE)};

    if (!role.token_file)
        return CEL_ABSENT;
    if (!role.arn)
        return cel_fail(NC_EAUTH, "AWS_WEB_IDENTITY_TOKEN_FILE is set and AWS_ROLE_ARN is not: set both, or neither");
    return cel_credentials_of_role(&role, NULL, out);
}
